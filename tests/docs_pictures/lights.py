"""Picture of baked light next to a render of Cycles."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.bake.bake import bake_light
from io_tomb_raider.scene.authoring.bake.bake_scene import make_diffuse
from io_tomb_raider.scene.authoring.bake.subject import BakeOptions
from io_tomb_raider.scene.subjects.lights.object_lighting import light_level
from io_tomb_raider.scene.subjects.textures.shader import surface_group

from .. import pictures
from . import save
from .example import HALL, import_example, view_at

_SIZE = 400, 300
_SAMPLES = 64
_DARK = 0.12  # ambient light for the formula
_ROOM = "Pillared Hall"


def draw(path: Path) -> None:
    """Draw a hall with light baked by the formula, baked by Cycles, and rendered by Cycles."""
    root = import_example(Game.TR5)
    scene: Any = bpy.context.scene
    for obj in list(root.all_objects):
        settings = obj.tomb_raider
        if settings.kind in ("ENTITY", "SPRITE", "AI_OBJECT"):
            obj.hide_render = True
        elif settings.kind == "ROOM":
            settings.room.color = (_DARK, _DARK, _DARK, settings.room.color[3])
        elif settings.kind == "LIGHT" and settings.light.type != 1:
            bpy.data.objects.remove(obj)
    light_level(root)
    pictures.set_up(scene, _SIZE, lit=True)
    scene.world.color = (0, 0, 0)
    scene.cycles.samples = _SAMPLES
    rooms = frozenset(each for each in root.all_objects if each.name == _ROOM)
    view = view_at(*HALL)
    shots = []
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "shot.png"
        for method in ("FORMULA", "CYCLES"):
            bake_light(root, BakeOptions(method, samples=_SAMPLES, only=rooms))
            shots.append(pictures.load(pictures.render(scene, view, shot)))
        make_diffuse(surface_group(Game.TR5))
        shots.append(pictures.load(pictures.render(scene, view, shot)))
    assert all(np.ptp(each[..., :3]) > 0 for each in shots)
    save(path, pictures.side_by_side(shots))
