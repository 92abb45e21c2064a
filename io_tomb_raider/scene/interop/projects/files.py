"""The files of a project, as Blender reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ....formats.editors.projects import Resources, Settings, paths_of
from ...subjects.textures.pixels import load_image
from .model_files import ModelFiles


def resources_of(settings: Settings, project: Path, moved: Mapping[str, Path] | None = None) -> Resources:
    """Return the files of a project.

    Args:
        moved: folders that are elsewhere now.
    """
    files = ModelFiles(load_image)
    paths = paths_of(settings, project, moved=dict(moved or {}))
    return Resources(paths, files.load_image, files.load_model)
