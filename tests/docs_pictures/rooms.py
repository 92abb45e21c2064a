"""Picture of rooms and portals."""

from __future__ import annotations

from pathlib import Path

import bpy

from .. import pictures
from . import save
from .example import from_above, import_example, remove_shafts

_SIZE = 480, 300
_HALL = "Pillared Hall", "Pillared Hall North"


def draw(path: Path) -> None:
    """Draw the example with its portals from above, and the portals of its hall."""
    root = import_example()
    for child in bpy.context.view_layer.layer_collection.children[root.name].children:
        child.exclude = child.collection.tomb_raider.kind not in ("ROOMS", "PORTALS")
    for obj in root.all_objects:
        if obj.tomb_raider.kind == "PORTAL":
            obj.hide_render = False
            obj.data.materials[0].diffuse_color = (0.1, 0.7, 1.0, 0.85)
    rooms = pictures.visible_rooms(root)
    hall = [room for room in rooms if room.name in _HALL]
    remove_shafts(rooms)
    for obj in root.all_objects:
        if obj.tomb_raider.kind in ("PLACEMENT", "SPRITE"):
            obj.hide_render = True
    shots = []
    for shown in (rooms, hall):
        for obj in root.all_objects:
            if obj.tomb_raider.kind == "ROOM":
                obj.hide_render = obj not in shown
            elif obj.tomb_raider.kind == "PORTAL":
                obj.hide_render = obj.parent not in shown
        shots.append(from_above(shown, _SIZE, lit=False))
    save(path, pictures.side_by_side(shots))
