"""Pointers of typed properties, and what they may point at."""

from __future__ import annotations

import bpy
from bpy.types import PropertyGroup

from ..base import compat


def pointer_set(group: PropertyGroup, _context: bpy.types.Context) -> None:
    if group.id_data is not None:
        compat.let_pointers_be_cleared(group.id_data)


def is_room(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == "ROOM"


def is_static_mesh(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == "STATIC_MESH"
