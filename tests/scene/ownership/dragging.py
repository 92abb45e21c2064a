"""Two levels, of which things of the one come to lie in the other; and what a game reads of it."""

from __future__ import annotations

import pytest
from bpy.types import Collection, Object

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.exporter import export_level

PAIRS = [(Game.TR1, Game.TR1), (Game.TR4, Game.TR4), (Game.TR4, Game.TR1), (Game.TR1, Game.TR5)]
GAMES = pytest.mark.parametrize(("source", "game"), PAIRS)


def home(root: Collection, kind: str) -> Collection:
    return next(each for each in (root, *root.children_recursive) if each.tomb_raider.kind == kind)


def drag(thing: Object, target: Collection) -> None:
    """Drag a thing into a collection, as in the Outliner."""
    target.objects.link(thing)
    for each in thing.users_collection:
        if each != target:
            each.objects.unlink(thing)


def written(root: Collection) -> tuple[Level, list[str]]:
    level, report = export_level(root)
    suffix = ".trc" if level.game is Game.TR5 else ""
    return read_level(level.to_bytes(), name=suffix), report.warnings
