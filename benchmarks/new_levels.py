"""Times for a new level of 60 rooms of 200 sectors: collision from meshes, portals, light, export."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import Game, write_level
from io_tomb_raider.formats.levels.lights.lights import POINT
from io_tomb_raider.scene.authoring.bake.bake import bake_light
from io_tomb_raider.scene.authoring.bake.subject import BakeOptions
from io_tomb_raider.scene.authoring.collision_from_mesh.make import room_from_mesh
from io_tomb_raider.scene.authoring.new.objects import add, choices
from io_tomb_raider.scene.authoring.new.triggers import add_trigger
from io_tomb_raider.scene.authoring.portals.openings import connect_all
from io_tomb_raider.scene.new_levels.new import new_level
from io_tomb_raider.scene.pipeline.exporter import export_level
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.new_levels.meshes import chamber, surfaces
from tests.sample_levels import sample_bytes
from tests.scene.authoring.split_into_rooms.air_meshes import SIDE

from .scenes import empty_file
from .timing import Times

ROOMS = 60
_ALONG = 12
_SIZE = (20, 10, 3)
_START = 2
_HILL = np.array([9.0, 5.0])
_SEED = 11


def measure_new_level(runs: int) -> dict[str, float]:
    """Measure the steps of a new level for TR3.

    Returns:
        Medians in seconds: ``collision``, ``connect``, ``bake`` (by formula, nine rays to each of two lights
            in a room), ``export`` to the file on disk, and ``import`` of that file for comparison.
    """
    times = Times()
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            _measure_once(Path(folder) / "new.tr2", times)
    return times.medians()


def _measure_once(target: Path, times: Times) -> None:
    empty_file()
    root = new_level(Game.TR3, "New").root
    meshes = _meshes(root, ROOMS)

    def export() -> Any:
        level = export_level(root).level
        write_level(level, target)
        return level

    times.take("collision", lambda: _cast(root, meshes))
    times.take("connect", lambda: connect_all(root))
    _add_lights(root, meshes)
    times.take("bake", lambda: bake_light(root, BakeOptions()))
    times.take("export", export)
    empty_file()
    times.take("import", lambda: import_level(target))


def make_level(target: Path, rooms: int) -> None:
    """Write a level for TR3 with a number of rooms of 200 sectors, each with lights and an enemy."""
    empty_file()
    kit = target.with_name("kit.tr2")
    kit.write_bytes(sample_bytes(Game.TR3))
    root = new_level(Game.TR3, "Made", kit).root
    meshes = _meshes(root, rooms)
    _cast(root, meshes)
    connect_all(root)
    _add_lights(root, meshes)
    enemy = choices(root, "ENEMY")[0].identifier
    for obj in meshes:
        there, here = (obj.matrix_world @ (Vector(place) * SIDE) for place in ((8, 3, 1), (3, 3, 1)))
        added = add(root, "ENEMY", enemy, there)
        add_trigger(root, here, [added.obj])
    level = export_level(root).level
    write_level(level, target)


def _cast(root: Collection, meshes: list[Any]) -> None:
    for obj in meshes:
        room_from_mesh(root, obj)


def _add_lights(root: Collection, meshes: list[Any]) -> None:
    bpy.context.view_layer.update()
    for obj in meshes:
        for place in (5, 5, 2), (15, 5, 2):
            add(root, "LIGHT", POINT, obj.matrix_world @ (Vector(place) * SIDE))


def _meshes(root: Any, rooms: int) -> list[Any]:
    """Return plain adjacent meshes, each with a hill and a slightly rough floor."""
    home: Any = next(each for each in root.all_objects if each.tomb_raider.kind == "ROOM")
    look = surfaces("Stone", (0.6, 0.55, 0.5), home.data.materials[0])
    chance = np.random.default_rng(_SEED)
    made = []
    for number in range(rooms):
        x, y = divmod(number, _ALONG)
        origin = (_START + x * _SIZE[0], _START + y * _SIZE[1], 0)
        obj = chamber(f"Mesh {number}", origin, _SIZE, look)
        points = np.array([vertex.co[:] for vertex in obj.data.vertices])
        inner = (points[:, 2] == 0) & (points[:, :2] > points[:, :2].min(axis=0)).all(axis=1)
        inner &= (points[:, :2] < points[:, :2].max(axis=0)).all(axis=1)
        points[inner, 2] += chance.uniform(0, 0.1, int(inner.sum()))
        place = points[:, :2] / SIDE - origin[:2]
        points[inner & (abs(place - _HILL) < _HILL / 2).all(axis=1), 2] += chance.choice([0.5, 1.0])
        obj.data.vertices.foreach_set("co", points.astype(np.float32).ravel())
        obj.data.update()
        made.append(obj)
    bpy.context.view_layer.update()
    return made
