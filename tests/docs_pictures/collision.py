"""Picture of collision."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
from mathutils import Vector

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.units import CLICK
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.subjects.collision.edit import CollisionEdit

from .. import pictures
from . import save
from .example import import_example

_SIZE = 480, 330
_HALL = 3


def draw(path: Path) -> None:
    """Draw a room from above: its visible mesh, and its collision in all colors."""
    root = import_example()
    layer = bpy.context.view_layer.layer_collection.children[root.name]
    for child in layer.children:
        child.exclude = child.collection.tomb_raider.kind not in ("ROOMS", "COLLISION")
    collision = [obj for obj in root.all_objects if obj.tomb_raider.kind == "COLLISION"]
    hall = next(obj for obj in collision if obj.tomb_raider.index == _HALL)
    _furnish(hall, root)
    room: Any = hall.parent
    # A copy of the list: hiding an object rebuilds that of the collection.
    for obj in list(root.all_objects):
        obj.hide_render = obj not in (hall, room)
    scene: Any = bpy.context.scene
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.use_shadow = 2.6, False
    sun.rotation_euler = 0.5, 0.35, 0.0
    scene.collection.objects.link(sun)
    pictures.set_up(scene, _SIZE, lit=True)
    scene.cycles.samples = 48
    scene.world.color = (0.25, 0.25, 0.27)
    view = pictures.looking(Vector((51, 36, 27)), Vector((47.5, 54, 1)), lens=38.0)
    shots = []
    with tempfile.TemporaryDirectory() as folder, pictures.cut_open([hall, room]):
        # The game's light is darker than the sun on the collision.
        for shown, hidden, exposure in ((room, hall, 1.0), (hall, room, 0.0)):
            scene.view_settings.exposure = exposure
            shown.hide_render, hidden.hide_render = False, True
            shots.append(pictures.load(pictures.render(scene, view, Path(folder) / "shot.png")))
    save(path, pictures.side_by_side(shots))


def _furnish(hall: Any, root: Any) -> None:
    """Add a steep slope, lava, a monkey swing and a climbable wall to the hall."""
    edit = CollisionEdit(hall, Game.TR4, Space(root.tomb_raider.scale))
    depth = edit.size.z_sectors
    for x in (5, 6):
        edit.sectors.death[x * depth + 2] = True
    edit.sectors.floor.heights[8 * depth + 1, :, 2:] -= 4 * CLICK
    edit.sectors.floor.heights[9 * depth + 1] -= 4 * CLICK
    edit.sectors.climb[3 * depth + 5] = 4
    edit.sectors.climb[8 * depth + 7] = 1
    edit.write()
