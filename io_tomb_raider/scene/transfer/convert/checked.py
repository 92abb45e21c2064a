"""Conversion with a check: losses become findings, and what the level had before is information from then on.

A converted level has no original file, with which checks and exports compare. What they warn of right after
a conversion is stored with the level: later ones warn only of what has changed since.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bpy.types import Collection

from ....formats import Game
from ....formats.base import T
from ...core.reporting.progress import Listener, Work
from ...core.reporting.report import Report
from ...pipeline.checks.check import check_scene
from ...pipeline.checks.notes import keep, of_report, remember, weighed
from .convert import Converted, convert_level, nowhere


def convert_steps(
    root: Collection,
    game: Game,
    kit: Path | None = None,
    *,
    game_folder: Callable[[Game], Path | None] = nowhere,
    listener: Listener | None = None,
) -> Work[Converted]:
    """Convert a level as :func:`.convert.convert_level` does, and list its losses as findings of the level.

    Warnings of an export, and findings that the level had before, are remembered. New findings are warnings,
    since the conversion caused them. The last step changes the scene.
    """
    yield T("Checks"), 0.0
    before = {(note.subject, note.text) for note in check_scene(root)}
    yield T("Reading"), 0.2
    converted = convert_level(root, game, kit, game_folder=game_folder, listener=listener)
    report = Report()
    notes = check_scene(root, report=report)
    known = before | {(subject, text) for subject, text in report.messages}
    remember(
        root, [note for note in notes if note.severity != "ERROR" and (note.subject, note.text) in known]
    )
    current = weighed(root, notes)
    losses = of_report(converted.report)
    order = ("ERROR", "WARNING", "INFO")
    listed = sorted([*losses, *current], key=lambda note: order.index(note.severity))
    keep(root, T("Conversion to {game}", game=game.name), listed)
    return converted
