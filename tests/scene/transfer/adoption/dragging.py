"""Drags of objects between two levels, and the files as a game reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from bpy.types import Collection, Object

from io_tomb_raider.formats import Game
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes

from ...scenes import collection_of, import_anew, objects

PAIRS = [(Game.TR1, Game.TR1), (Game.TR4, Game.TR4), (Game.TR4, Game.TR1), (Game.TR1, Game.TR5)]
GAMES = pytest.mark.parametrize(("source", "game"), PAIRS)


def drag(obj: Object, target: Collection) -> None:
    """Drag an object into a collection, as in the Outliner."""
    target.objects.link(obj)
    for each in obj.users_collection:
        if each != target:
            each.objects.unlink(obj)


def other_file(folder: Path, source: Game, name_of: Callable[[Collection], str]) -> tuple[Path, str]:
    """Save a level as a .blend; return its path and the name of a data-block."""
    start_empty()
    root = import_anew(sample_bytes(source))
    name = name_of(root)
    path = folder / "other.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    start_empty()
    return path, name


def appended(path: Path, kind: str, name: str, *, link: bool = False) -> Any:
    """Append or link a data-block of a file as Blender does. Pasting appends from a file, too."""
    libraries: Any = bpy.data.libraries
    with libraries.load(str(path), link=link) as (_, wanted):
        setattr(wanted, kind, [name])
    return getattr(wanted, kind)[0]


def add_instance(root: Collection, shown: Collection) -> None:
    """Add an instance of a collection at the location of the first entity of a level."""
    obj: Any = bpy.data.objects.new(shown.name, None)
    obj.instance_type, obj.instance_collection = "COLLECTION", shown
    obj.location = objects(root, "ENTITY")[0].location
    collection_of(root, "ENTITIES").objects.link(obj)
