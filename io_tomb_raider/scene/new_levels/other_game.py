"""What a file holds as another game would have it: kits, and rooms that are appended, of another game."""

from __future__ import annotations

import bpy

from ...formats import Game, Level, read_level
from ..core.cleanup import undone_on_failure
from ..core.context import ImportOptions
from ..core.report import Report
from ..pipeline.exporter import export_level
from ..pipeline.importer import start_level
from ..transfer.adoption.reconcile import reconcile
from ..transfer.append.delete_level import delete_level
from ..transfer.convert.convert import convert

_WHOLE = ImportOptions(set_up_scene=False, beside=False, set_up_frames=False, names_from_script=False)


def level_as(level: Level, game: Game, name: str, report: Report) -> Level:
    """Return a level as one of another game: it is brought into the scene, converted, and goes again.

    Args:
        level: what a file holds; it stays as it is.
        game: the other game.
        name: what the file is called.
        report: takes what is lost, or replaced by the nearest.

    Raises:
        ExportError: where it holds what the game cannot.
        FormatError: where it is damaged. The scene is then as it was.
    """
    with undone_on_failure():
        root = start_level(level.game, name, level, _WHOLE).root
        try:
            report.warn_again(convert(root, game).report)
            bpy.context.view_layer.update()
            reconcile(root)
            converted = export_level(root).level
            return read_level(converted.to_bytes(), name=".trc" if game is Game.TR5 else "")
        finally:
            delete_level(root)
