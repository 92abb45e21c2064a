"""The files of a project, as Blender reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import file_content, read_file
from ....formats.editors.projects import Resources, Settings, paths_of
from ....formats.levels.textures import OLD_IMAGES, decode_old_image
from ...subjects.textures.pixels import read_pixels
from .model_files import ModelFiles


def load_image(path: Path) -> NDArray[np.uint8]:
    """Return an image file as (h, w, 4) uint8 RGBA from the top.

    Raises:
        OSError, ValueError: if it cannot be read.
    """
    if read_file(path, 2) in OLD_IMAGES and (result := decode_old_image(file_content(path))) is not None:
        return result
    try:
        image = bpy.data.images.load(str(path))
    except RuntimeError as error:
        raise ValueError(str(error).strip()) from None
    try:
        return read_pixels(image)
    except ExportError as error:
        raise ValueError(error.problem) from None
    finally:
        bpy.data.images.remove(image)


def resources_of(settings: Settings, project: Path, moved: Mapping[str, Path] | None = None) -> Resources:
    """Return the files of a project.

    Args:
        moved: folders that are elsewhere now.
    """
    files = ModelFiles(load_image)
    paths = paths_of(settings, project, moved=dict(moved or {}))
    return Resources(paths, files.load_image, files.load_model)
