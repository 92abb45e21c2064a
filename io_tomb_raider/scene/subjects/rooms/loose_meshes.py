"""Users' meshes that are joined to the rooms that they are in."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Vector

from ....formats import ExportError
from ....formats.base import T
from ...core.subjects import Kind
from ..meshes.arrays import VERTEX
from ..meshes.layers import shown_color, shown_uv_map
from ..meshes.placed import world_vertices
from .location.scene_rooms import SceneRooms
from .parts import join


def join_to_room(root: Collection, obj: Object) -> Object:
    """Join a user's mesh to the room that it is in or nearest to, and return the room.

    Vertices without light get the average light of the room.

    Raises:
        ExportError: where it is no mesh, or already part of a level, or the level has no rooms.
    """
    if not isinstance(obj.data, Mesh) or obj.tomb_raider.kind != Kind.NONE:
        raise ExportError(obj.name, T("only a mesh outside of levels can become a part of a room"))
    if not len(obj.data.vertices):
        raise ExportError(obj.name, T("it has no vertices"))
    placed = world_vertices(obj, obj.data)
    room = SceneRooms(root).nearest(Vector((placed.min(axis=0) + placed.max(axis=0)) / 2))
    if room is None or not isinstance(room.data, Mesh):
        raise ExportError(root.name, T("it has no room with vertices"))
    mesh = room.data
    if obj.data.users > 1 or not obj.data.is_editable:
        obj.data = obj.data.copy()
    _fit_layers(obj.data, mesh)
    join(room, obj)
    return room


def _fit_layers(mesh: Any, room: Any) -> None:
    """Rename the UV map and color attribute of a mesh to those of its room; add light if missing."""
    shown, wanted = shown_uv_map(mesh), shown_uv_map(room)
    if shown is not None and wanted is not None:
        shown.name = wanted.name
    if VERTEX in mesh.attributes:
        mesh.attributes.remove(mesh.attributes[VERTEX])  # numbers of another room's vertices
    light, own = shown_color(room), shown_color(mesh)
    if light is None:
        return
    if own is not None:
        own.name = light.name
        return
    made = mesh.color_attributes.new(light.name, light.data_type, light.domain)
    colors = np.empty((len(light.data), 4), np.float32)
    light.data.foreach_get("color", colors.ravel())
    made.data.foreach_set("color", np.tile(colors.mean(axis=0), (len(made.data), 1)).ravel())
