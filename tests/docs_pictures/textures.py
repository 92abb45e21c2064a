"""Picture of textures: animated water, and a shiny model."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import Game

from .. import pictures
from ..sample_levels import sample_bytes
from . import empty_file, save
from .example import import_example, view_at

_SIZE = 236, 236


def draw(path: Path) -> None:
    """Draw an animated texture at three frames, and a model without and with an environment map."""
    empty_file()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shot.png"
        save(path, pictures.side_by_side([*_water(file), *_shine(file)]))


def _water(file: Path) -> list[NDArray[np.uint8]]:
    import_example()
    scene: Any = bpy.context.scene
    pictures.set_up(scene, _SIZE, lit=True)
    scene.cycles.samples = 16
    view = view_at((36.6, 3.4, 29.4), (40.6, 2.6, 31.2), 26)
    shots = []
    for frame in (0, 5, 10):
        scene.frame_set(frame)
        shots.append(pictures.load(pictures.render(scene, view, file)))
    return shots


def _shine(file: Path) -> list[NDArray[np.uint8]]:
    from io_tomb_raider.scene.pipeline.importer import import_level
    from io_tomb_raider.scene.subjects.object_textures.tools import set_shine

    empty_file()
    root = import_level(sample_bytes(Game.TR5)).root
    scene: Any = bpy.context.scene
    model = _largest(root)
    for layer in bpy.context.view_layer.layer_collection.children:
        layer.exclude = True
    scene.collection.objects.link(model)
    pictures.set_up(scene, _SIZE, lit=True)
    scene.cycles.samples = 16
    size = max(tuple(model.dimensions))
    model.matrix_world.identity()
    bpy.context.view_layer.update()
    middle = sum((model.matrix_world @ Vector(corner) for corner in model.bound_box), Vector()) / 8
    view = pictures.looking(middle + Vector((0.9, 1.8, 0.7)) * size, middle, lens=44)
    shots = [pictures.load(pictures.render(scene, view, file))]
    set_shine(model.data, np.arange(len(model.data.polygons)), True, 20)
    return [*shots, pictures.load(pictures.render(scene, view, file))]


def _largest(root: Collection) -> Any:
    """Return a copy of the mesh with most faces of a model."""
    parts = [obj for obj in root.all_objects if obj.tomb_raider.kind == "MODEL_MESH"]
    copy: Any = max(parts, key=lambda obj: len(obj.data.polygons)).copy()
    copy.parent = None
    copy.constraints.clear()
    return copy
