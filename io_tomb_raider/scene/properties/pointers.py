"""Pointers of typed properties, what they may point at, and who has to hear of a change."""

from __future__ import annotations

import bpy
from bpy.types import PropertyGroup

from ..core import compat
from ..core.subjects import Kind


def _let_be_cleared(group: PropertyGroup, _context: bpy.types.Context) -> None:
    if group.id_data is not None:
        compat.let_pointers_be_cleared(group.id_data)


# Elsewhere there is nothing to do, and with any function each assignment takes half as long again.
pointer_set = _let_be_cleared if compat.FORGETS_POINTERS else None


def is_room(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == Kind.ROOM


def is_static_mesh(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == Kind.STATIC_MESH


def light_changed(group: PropertyGroup, _context: bpy.types.Context) -> None:
    """Let Blender know that a setting of an object was changed on which light depends."""
    obj = group.id_data
    if isinstance(obj, bpy.types.Object):
        obj.update_tag(refresh={"OBJECT"})
