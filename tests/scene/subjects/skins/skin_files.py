"""Scenes of WAD2 files with skins, and what is written of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.interop.wads.files import write_objects
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.empty_scene import start_empty
from tests.scene.exporting import export_result

from ...scenes import UNIT, objects


def imported(data: bytes, folder: Path, scale: float = UNIT) -> Any:
    """Return the root of an imported WAD2, in an empty scene."""
    start_empty()
    path = folder / "skin.wad2"
    path.write_bytes(data)
    return import_level(path, ImportOptions(scale=scale)).root


def written(root: Any, folder: Path, **options: Any) -> tuple[bytes, list[str]]:
    """Return the WAD2 of a scene, and the warnings."""
    result = export_result(root, **options)
    path = folder / "out.wad2"
    write_objects(root, result.level, path, result.report, result.extras)
    return path.read_bytes(), list(map(str, result.report.warnings))


def skin_in(root: Any) -> Any:
    """Return the only skin of a level."""
    (skin,) = skins_in(root)
    return skin


def skins_in(root: Any) -> list[Any]:
    """Return all skins of a level."""
    return objects(root, "SKIN")
