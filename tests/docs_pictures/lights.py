"""Picture of baked light next to a render of Cycles."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.bake.bake import bake_light
from io_tomb_raider.scene.authoring.bake.bake_scene import make_diffuse
from io_tomb_raider.scene.authoring.bake.subject import BakeOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.lights.object_lighting import light_level
from io_tomb_raider.scene.subjects.textures.shader import surface_group

from .. import pictures
from ..sample_levels import sample_bytes
from . import empty_file, save

_SIZE = 400, 300
_SAMPLES = 64
_DARK = 0.12  # ambient light for the formula


def draw(path: Path) -> None:
    """Draw a hall with light baked by the formula, baked by Cycles, and rendered by Cycles."""
    empty_file()
    root = import_level(sample_bytes(Game.TR5)).root
    scene: Any = bpy.context.scene
    for obj in list(root.all_objects):
        settings = obj.tomb_raider
        if settings.kind in ("ENTITY", "SPRITE", "AI_OBJECT", "PLACEMENT"):
            obj.hide_render = True
        elif settings.kind == "ROOM":
            settings.room.color = (_DARK, _DARK, _DARK, settings.room.color[3])
        elif settings.kind == "LIGHT" and settings.light.type != 1:
            bpy.data.objects.remove(obj)
    light_level(root)
    pictures.set_up(scene, _SIZE, lit=True)
    scene.world.color = (0, 0, 0)
    scene.cycles.samples = _SAMPLES
    room = next(each for each in root.all_objects if each.tomb_raider.kind == "ROOM")
    corner = room.matrix_world.translation
    view = pictures.looking(corner + Vector((19.2, 3.2, 4.6)), corner + Vector((7.0, 10.5, 1.0)), lens=20.0)
    shots = []
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        for method in ("FORMULA", "CYCLES"):
            bake_light(root, BakeOptions(method, samples=_SAMPLES))
            shots.append(pictures.load(pictures.render(scene, view, shot)))
        make_diffuse(surface_group(Game.TR5))
        shots.append(pictures.load(pictures.render(scene, view, shot)))
    assert all(np.ptp(each[..., :3]) > 0 for each in shots)
    save(path, pictures.side_by_side(shots))
