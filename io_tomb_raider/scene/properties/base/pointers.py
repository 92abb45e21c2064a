"""Callbacks of pointer properties, and updates of the light on objects."""

from __future__ import annotations

import bpy
from bpy.types import PropertyGroup

from ...core.blender import compat
from ...core.subjects import Kind


def _ensure_cleared(group: PropertyGroup, _context: bpy.types.Context) -> None:
    if group.id_data is not None:
        compat.ensure_pointers_are_cleared(group.id_data)


# Any update function makes each assignment half as long again.
pointer_set = _ensure_cleared if compat.FORGETS_POINTERS else None


def is_room(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == Kind.ROOM


def is_entity(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == Kind.ENTITY


def is_static_mesh(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == Kind.STATIC_MESH


def light_changed(group: PropertyGroup, _context: bpy.types.Context) -> None:
    """Tag an object whose light depends on the changed property."""
    obj = group.id_data
    if isinstance(obj, bpy.types.Object):
        obj.update_tag(refresh={"OBJECT"})
