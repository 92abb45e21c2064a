"""Kits of another game, as levels of the game of a new level."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy

from ...formats import Game, Level, read_level
from ..core.blender.cleanup import undone_on_failure
from ..core.context import ImportOptions
from ..core.reporting.report import Report
from ..pipeline.exporter import export_level
from ..pipeline.importer import start_level
from ..subjects.sounds.samples import find_main_sfx
from ..transfer.adoption.reconciling import reconcile
from ..transfer.append.deleting import delete_level
from ..transfer.convert.convert import convert_level

_WHOLE = ImportOptions(set_up_scene=False, beside=False, set_up_frames=False, names_from_script=False)


def level_as(level: Level, game: Game, path: Path, report: Report) -> Level:
    """Return a level converted to another game: import it, convert it, export it and delete it again.

    Args:
        level: the level; it is not changed.
        path: the file, next to which MAIN.SFX is searched.

    Raises:
        ExportError: if the other game cannot hold something.
        FormatError: if the level is damaged. The scene is then unchanged.
    """
    with undone_on_failure():
        main_sfx = find_main_sfx(path)
        options = _WHOLE if main_sfx is None else replace(_WHOLE, main_sfx=str(main_sfx))
        root = start_level(level.game, path.name, level, options).root
        try:
            report.warn_again(convert_level(root, game).report)
            bpy.context.view_layer.update()
            reconcile(root)
            converted = export_level(root).level
            return read_level(converted.to_bytes(), name=f"level{game.traits.suffix}")
        finally:
            delete_level(root)
