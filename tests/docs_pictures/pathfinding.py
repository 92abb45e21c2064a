"""Picture of boxes, overlaps and zones."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy

from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.subjects.pathfinding.boxes import draw_boxes
from tests.scene.exporting import export_level

from .. import pictures
from . import save
from .example import import_example, remove_shafts

_SIZE = 480, 300


def draw(path: Path) -> None:
    """Draw a level from above with its boxes, once for walkers and once for climbers."""
    root = import_example()
    layer = bpy.context.view_layer.layer_collection.children[root.name]
    for child in layer.children:
        child.exclude = child.collection.tomb_raider.kind not in ("ROOMS", "PATHFINDING")
    boxes: Any = next(obj for obj in root.all_objects if obj.tomb_raider.kind == "BOXES")
    boxes.hide_render = False
    root.tomb_raider.pathfinding = "ALWAYS"
    draw_boxes(boxes, export_level(root)[0], Space(root.tomb_raider.scale))
    for material in boxes.data.materials:
        material.diffuse_color[3] = 0.75
    rooms = pictures.visible_rooms(root)
    remove_shafts(rooms)
    scene: Any = bpy.context.scene
    pictures.set_up(scene, _SIZE)
    view = pictures.view_from_above(rooms, _SIZE[0] / _SIZE[1])
    shots = []
    with tempfile.TemporaryDirectory() as folder, pictures.cut_open(rooms):
        for kind in ("BASIC", "HUMAN"):
            boxes.tomb_raider.boxes.zones = kind
            shots.append(pictures.load(pictures.render(scene, view, Path(folder) / "shot.png")))
    save(path, pictures.side_by_side(shots))
