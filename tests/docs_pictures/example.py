"""The example level, with which most pictures are drawn, and views of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.new_levels.example import example_of

from .. import pictures
from . import empty_file

Picture = NDArray[np.uint8]
SMALL = 330, 250
SECTOR, CLICK = 2.0, 0.5  # meters
Place = tuple[float, float, float]  # x, height, z in sectors and clicks
# Views, and where Lara stands in one.
HALL: tuple[Place, Place] = (23.2, 3.6, 25.6), (24.2, 4.9, 33.0)
LARA_IN_HALL: tuple[Place, float] = (23.3, 0.0, 28.9), -35.0
POOL: tuple[Place, Place] = (31.3, 3.2, 31.6), (38.0, 2.0, 30.5)
SAMPLES = 48
_NEAR, _SHAFT = 0.3, 3.0  # meters
_BRIGHTER = 0.7  # stops


@cache
def example_file(game: Game) -> bytes:
    """Return the file of the example for a game."""
    return example_of(game)


def at(x: float, height: float, z: float) -> Vector:
    """Return a place of the example in meters."""
    return Vector((x * SECTOR, z * SECTOR, height * CLICK))


def import_example(game: Game = Game.TR4) -> Any:
    """Open the example as the menu does, and return its collection."""
    empty_file()
    bpy.ops.tomb_raider.example(game=game.name)
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    pictures.visible_rooms(root)
    return root


def rendered(
    view: pictures.View,
    size: tuple[int, int],
    *,
    lit: bool = True,
    samples: int = SAMPLES,
    exposure: float = 0.0,
) -> Picture:
    """Return a picture of the scene, with the light of the game or with textures only."""
    scene: Any = bpy.context.scene
    pictures.set_up(scene, size, lit=lit)
    if lit:
        scene.cycles.samples = min(samples, SAMPLES)
    scene.view_settings.exposure = exposure
    scene.world.color = np.array(scene.world.color) / 2 ** (2 * exposure)  # the background remains dark
    bpy.context.view_layer.update()
    with TemporaryDirectory() as folder:
        return pictures.load(pictures.render(scene, view, Path(folder) / "shot.png"))


def view_at(place: Place, target: Place, lens: float = 22.0) -> pictures.View:
    """Return a view of the example, of which places are in sectors and clicks: x, height, z."""
    return pictures.looking(at(*place), at(*target), lens=lens)


def move_lara(place: Place, angle: float) -> None:
    """Move Lara to a place of the example, and turn her by an angle in degrees."""
    lara: Any = next(each for each in bpy.data.objects if each.name.startswith("Lara 0"))
    lara.location = at(*place)
    lara.rotation_euler.z = np.radians(angle)


def spread_wings() -> None:
    """Show the bats of the example in flight: with folded wings they are dark spots."""
    from io_tomb_raider.scene.subjects.animations.showing import show_animation

    show_animation(bpy.data.objects["Bat"], bpy.data.actions["Bat 001 Animation 1"])
    bpy.context.scene.frame_set(2)


def only_rooms(root: Any, names: Sequence[str]) -> list[Any]:
    """Hide all rooms in renders but some, with the objects in them, and return these."""
    rooms = [obj for obj in root.all_objects if obj.tomb_raider.kind == "ROOM"]
    shown = [room for room in rooms if room.name in names]
    assert len(shown) == len(names), names
    boxes = []
    for room in shown:
        corners = np.array([room.matrix_world @ Vector(corner) for corner in room.bound_box])
        boxes.append((corners.min(axis=0) - _NEAR, corners.max(axis=0) + _NEAR))
    for obj in list(root.all_objects):
        kind = obj.tomb_raider.kind
        place = np.array(obj.matrix_world.translation)
        inside = any(bool((place > low).all() and (place < high).all()) for low, high in boxes)
        if kind == "ROOM":
            obj.hide_render = obj not in shown
        elif kind in ("COLLISION", "PORTAL") or not inside:
            obj.hide_render = True
    return shown


def remove_shafts(rooms: Sequence[Any]) -> None:
    """Remove the shafts of light, which are opaque in flat pictures: no other face is as high."""
    for room in rooms:
        edit: Any = bmesh.new()
        edit.from_mesh(room.data)
        shafts = [face for face in edit.faces if np.ptp([vertex.co.z for vertex in face.verts]) > _SHAFT]
        bmesh.ops.delete(edit, geom=shafts, context="FACES")
        edit.to_mesh(room.data)
        edit.free()


def from_above(rooms: Sequence[Any], size: tuple[int, int], *, lit: bool = True) -> Picture:
    """Return a picture of rooms from above, cut open; brighter than the game, as it is small."""
    with pictures.cut_open(rooms):
        view = pictures.view_from_above(rooms, size[0] / size[1])
        return rendered(view, size, lit=lit, exposure=_BRIGHTER if lit else 0.0)
