"""Picture of entities."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
from mathutils import Vector

from io_tomb_raider.formats import Game

from .. import pictures
from ..sample_levels import sample_bytes
from . import empty_file, save
from .cameras import colored, tube

_SIZE = 840, 420


def draw(path: Path) -> None:
    """Draw the entities of a level from above, and arrows for AI objects."""
    from io_tomb_raider.scene.pipeline.importer import import_level

    empty_file()
    root = import_level(sample_bytes(Game.TR4)).root
    scene: Any = bpy.context.scene
    rooms, others = pictures.visible_rooms(root)[:2], pictures.visible_rooms(root)[2:]
    for room in others:
        room.hide_render = True
    for obj in [obj for obj in root.all_objects if obj.tomb_raider.kind == "AI_OBJECT"]:
        matrix = obj.matrix_world
        tip = matrix @ Vector((0, 1.1, 0.15))
        for start in ((0, -0.2, 0.15), (0.35, 0.75, 0.15), (-0.35, 0.75, 0.15)):
            places = [matrix @ Vector(start), tip]
            root.objects.link(tube(places, 0.06, colored("Mark", (0.2, 0.75, 1.0))))
    pictures.set_up(scene, _SIZE)
    with tempfile.TemporaryDirectory() as folder, pictures.cut_open(rooms):
        view = pictures.view_from_above(rooms, _SIZE[0] / _SIZE[1])
        picture = pictures.load(pictures.render(scene, view, Path(folder) / "shot.png"))
    save(path, picture)
