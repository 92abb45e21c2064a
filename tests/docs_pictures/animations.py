"""Picture of animations."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from io_tomb_raider.formats import Game

from .. import pictures
from . import save
from .example import import_example

_SIZE = 900, 250
_STAND = 11  # of Lara's animations
_LOWEST = 2.05  # height of the picture in meters, for a whole Lara
_BACK = np.array((44, 48, 56))


def draw(path: Path) -> None:
    """Draw a chain of animations from the side: from standing to running to walking."""
    from io_tomb_raider.scene.subjects.animations.changes import chains

    root = import_example(Game.TR1)
    rig = next(obj for obj in root.all_objects if obj.tomb_raider.kind == "MODEL")
    layer = bpy.context.view_layer.layer_collection.children[root.name]
    for child in layer.children:
        child.exclude = child.collection.tomb_raider.kind != "MODELS"
        for model in child.children:
            model.exclude = model.collection.tomb_raider.model != rig
    bpy.context.view_layer.update()
    scene: Any = bpy.context.scene
    own = [action for action in bpy.data.actions if action.tomb_raider.model == rig]
    by_number = {action.tomb_raider.index: action for action in own}
    first = min(by_number)
    links = [
        *chains.chain_through(by_number[first + _STAND], 0, start=0, now=2),
        *chains.chain_through(by_number[first], 2, now=5),
    ][:6]
    end = chains.play(rig, scene, links, root.tomb_raider.scale)
    pictures.set_up(scene, _SIZE)
    scene.render.film_transparent = True
    shots = _shots(scene, rig, range(1, end + 1, 7))
    picture = np.empty_like(shots[0])
    picture[...] = (*_BACK, 255)
    for shot in shots:
        cover = shot[..., 3:].astype(float) / 255
        picture[..., :3] = np.rint(shot[..., :3] * cover + picture[..., :3] * (1 - cover))
    save(path, picture)


def _shots(scene: Any, rig: Any, frames: range) -> list[np.ndarray]:
    """Return pictures of frames of the scene by one camera that sees all of them."""
    places = []
    for frame in (frames[0], frames[-1]):
        scene.frame_set(frame)
        places.append(rig.matrix_world.translation.copy())
    center = (places[0] + places[1]) / 2 + Vector((0, 0, 0.75))
    height = max(((places[1] - places[0]).length + 1.6) * _SIZE[1] / _SIZE[0], _LOWEST)
    view = pictures.looking(center + Vector((20, 0, 0)), center, height=height)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for frame in frames:
            scene.frame_set(frame)
            found.append(pictures.load(pictures.render(scene, view, Path(folder) / "shot.png")))
    return found
