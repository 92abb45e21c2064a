"""Gray walls, to measure light."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Collection

from io_tomb_raider.formats import Game

GRAY = 0.4  # of the texture, as a screen value


def gray_wall(root: Collection, *, prelit: int | None = None) -> Any:
    """Return a gray mesh that faces -Y, with the same light for all of its vertices, or without."""
    some = next(each for each in bpy.data.materials if each.tomb_raider.kind == "PAGE")
    material: Any = some.copy()
    image: Any = bpy.data.images.new("Gray", 1, 1)
    image.pixels[:] = (GRAY, GRAY, GRAY, 1)
    material.node_tree.nodes.active.image = image
    mesh: Any = bpy.data.meshes.new("Wall")
    corners = [(-1, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    mesh.uv_layers.new(name="UVMap")
    mesh.materials.append(material)
    if prelit is not None:
        mesh.color_attributes.new("Color", "BYTE_COLOR", "POINT")
        for corner in mesh.color_attributes[0].data:
            corner.color_srgb = (prelit / 255,) * 3 + (1,)
    return mesh


def make_ambient(game: Game, room: Any, ambient: int) -> None:
    if game.traits.has_room_color:
        room.tomb_raider.room.color = (*[ambient / 255] * 3, 1)
    else:
        room.tomb_raider.room.ambient = ambient
    bpy.context.view_layer.update()
