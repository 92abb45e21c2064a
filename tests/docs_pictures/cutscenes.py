"""Picture of cutscenes."""

from __future__ import annotations

import tempfile
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from io_tomb_raider.formats.levels.cutscenes.cutscenes import Actor, Cutscene

from .. import pictures
from . import save
from .example import LARA_IN_HALL, SAMPLES, import_example, move_lara

_SIZE = 320, 240


def draw(path: Path) -> None:
    """Draw three frames of a cutscene by its camera."""
    from io_tomb_raider.scene.subjects.cutscenes.build import import_cutscene

    root = import_example()
    move_lara(*LARA_IN_HALL)
    bpy.context.view_layer.update()
    lara = next(
        obj
        for obj in root.all_objects
        if obj.tomb_raider.kind == "ENTITY" and obj.tomb_raider.entity.type == 0
    )
    x, y, z = (np.array(lara.matrix_world.translation) * 512).tolist()
    lara.hide_render = True
    collection, _ = import_cutscene(root, _greeting((round(x), -round(z), round(y))), 1)
    camera = next(obj for obj in collection.objects if obj.type == "CAMERA")
    scene = bpy.context.scene
    assert scene is not None
    pictures.set_up(scene, _SIZE, lit=True)
    scene.cycles.samples = SAMPLES
    shots = []
    with tempfile.TemporaryDirectory() as folder:
        for frame in (0, 20, 39):
            scene.frame_set(frame)
            matrix = camera.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.copy()
            shot = pictures.render(scene, pictures.View(matrix, lens=29.0), Path(folder) / "shot.png")
            shots.append(pictures.load(shot))
    save(path, pictures.side_by_side(shots))


def _greeting(origin: tuple[int, int, int], frames: int = 40) -> bytes:
    """Return a cutscene of forty frames: Lara raises an arm while the camera circles her."""
    time = np.linspace(0, 1, frames)
    rotations: Any = np.zeros((frames, 15, 3), np.int64)
    rotations[:, 8, 0] = np.rint(time * 430)  # right upper arm
    rotations[:, 11, 2] = np.rint(-time * 60)  # left upper arm
    rotations[:, 14, 1] = np.rint(time * 90)  # head
    rotations[:, 7, 0] = np.rint(np.sin(time * pi) * 40)  # torso
    root = np.tile(np.array([0, -430 // 3, 0]), (frames, 1))
    angles = 0.5 + time * 1.6
    camera = [(sin(angle) * 750, -380, cos(angle) * 750) for angle in angles.tolist()]
    target = np.tile(np.array([0, -260, 0]), (frames, 1))
    actor = Actor(0, root.astype(np.int16), (rotations % 1024).astype(np.uint16))
    track = np.rint(camera).astype(np.int16)
    return Cutscene(origin, -1, target.astype(np.int16), track, [actor]).to_bytes()
