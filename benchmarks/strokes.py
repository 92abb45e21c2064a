"""Times of a stroke of the texture brush over a large room, per move of the mouse."""

from __future__ import annotations

from functools import partial
from typing import Any

import bpy
import numpy as np
from bpy.types import Mesh
from mathutils import Vector

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.mesh.blender_mesh import rewrite_mesh
from io_tomb_raider.scene.mesh.poly_mesh import PolyMesh
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.ui.texture_tiles.brush import Stroke
from io_tomb_raider.ui.texture_tiles.settings import texturing
from tests.sample_levels import sample_bytes

from .scenes import empty_file
from .timing import Times, stopwatch

_SIDE = 71  # faces along each side of the room's floor: 5041 in all
_MOVES, _FACES_PER_MOVE = 50, 10
_MATERIALS = 500  # of other rooms, as large levels have


def measure_strokes(runs: int) -> dict[str, float]:
    """Measure a stroke over 500 of a room's 5,041 faces.

    Returns:
        Medians in seconds per move: ``object mode`` and ``edit mode``; the time of Blender itself to read and
        write UVs and materials of the mesh, ``floor``; and the longest move, ``longest``. Ratios to the floor
        as ``object mode/floor`` and ``edit mode/floor``.
    """
    times, longest = Times(), 0.0
    for _ in range(runs):
        for mode in ("object mode", "edit mode"):
            obj = _large_room()
            mesh: Any = obj.data
            if mode == "object mode":
                times.note("floor", _floor(mesh))
            bpy.context.view_layer.objects.active = obj
            if mode == "edit mode":
                bpy.ops.object.mode_set(mode="EDIT")
            # The press of the button is a move, too.
            start, stroke = stopwatch(lambda: Stroke(bpy.context))
            every = [_rays(obj, number) for number in range(_MOVES)]
            taken = [stopwatch(partial(stroke.paint, rays))[0] for rays in every]
            taken[0] += start
            assert stroke.count == _MOVES * _FACES_PER_MOVE
            longest = max(longest, *taken)
            times.note(mode, sum(taken) / _MOVES)
            bpy.ops.object.mode_set(mode="OBJECT")
    beside = times.beside("floor")
    ratios = {f"{mode}/floor": beside[mode] for mode in ("object mode", "edit mode")}
    return {**times.medians(), "longest": longest, **ratios}


def _large_room() -> Any:
    empty_file()
    root = import_level(sample_bytes(Game.TR3)).root
    obj: Any = next(each for each in root.all_objects if each.tomb_raider.kind == "ROOM")
    obj.location.z += 1000.0  # above all others
    step = np.arange(_SIDE + 1, dtype=np.float32)
    x, y = np.meshgrid(step, step)
    number = np.arange((_SIDE + 1) ** 2, dtype=np.int32).reshape(_SIDE + 1, _SIDE + 1)
    quads = np.stack([number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]], axis=-1)
    positions = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
    mesh, material = obj.data, obj.data.materials[0]
    rewrite_mesh(mesh, PolyMesh(positions, quads.ravel(), np.full(_SIDE**2, 4, np.int32)))
    mesh.uv_layers.new(name="UVMap")
    for _ in range(_MATERIALS):
        material.copy()
    bpy.context.view_layer.update()
    tile = texturing(bpy.context).tile
    tile.image = bpy.data.images.new("Tiles", 64, 256)
    tile.area = (0, 64, 64, 64)
    return obj


def _floor(mesh: Mesh) -> float:
    """Return the time of Blender to read and write UVs and materials."""
    layer: Any = mesh.uv_layers.active
    uvs, slots = np.zeros(len(mesh.loops) * 2, np.float32), np.zeros(len(mesh.polygons), np.int32)

    def read_and_write() -> None:
        layer.uv.foreach_get("vector", uvs)
        mesh.polygons.foreach_get("material_index", slots)
        layer.uv.foreach_set("vector", uvs)
        mesh.polygons.foreach_set("material_index", slots)

    times = Times()
    for _ in range(_MOVES):
        times.take("floor", read_and_write)
    return times.medians()["floor"]


def _rays(obj: Any, move: int) -> list[tuple[Vector, Vector]]:
    """Return rays from above on the faces of a move, in the world."""
    faces = range(move * _FACES_PER_MOVE, (move + 1) * _FACES_PER_MOVE)
    places = [Vector((face % _SIDE + 0.5, face // _SIDE + 0.5, 5.0)) for face in faces]
    return [(obj.matrix_world @ place, Vector((0.0, 0.0, -1.0))) for place in places]
