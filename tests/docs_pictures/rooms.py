"""Picture of rooms, portals and flipped rooms."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import bpy

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.rooms.flipping import flip_groups, show_flipped

from .. import pictures
from ..sample_levels import sample_bytes
from . import empty_file, save

_SIZE = 480, 300


def draw(path: Path) -> None:
    """Draw a level with its portals from above, normal and flipped."""
    empty_file()
    root = import_level(sample_bytes(Game.TR4)).root
    scene: Any = bpy.context.scene
    view_layer: Any = bpy.context.view_layer
    for child in view_layer.layer_collection.children[root.name].children:
        child.exclude = child.collection.tomb_raider.kind not in ("ROOMS", "PORTALS")
    rooms = [obj for obj in root.all_objects if obj.tomb_raider.kind == "ROOM"]
    pictures.set_up(scene, _SIZE)
    portals = [obj for obj in root.all_objects if obj.tomb_raider.kind == "PORTAL"]
    for portal in portals:
        portal.data.materials[0].diffuse_color = (0.1, 0.7, 1.0, 0.85)
    view = pictures.view_from_above(pictures.visible_rooms(root), _SIZE[0] / _SIZE[1])
    shots = []
    with tempfile.TemporaryDirectory() as folder, pictures.cut_open(rooms):
        for flipped in ([], flip_groups(root)):
            show_flipped(root, view_layer, flipped)
            view_layer.update()
            for portal in portals:
                portal.hide_render = portal.hide_viewport
            shots.append(pictures.load(pictures.render(scene, view, Path(folder) / "shot.png")))
    save(path, pictures.side_by_side(shots))
