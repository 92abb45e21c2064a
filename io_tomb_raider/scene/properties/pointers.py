"""Pointers of typed properties, and what they may point at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.types import PropertyGroup

from ..base import compat

if TYPE_CHECKING:
    from .actions import TombRaiderAction


def pointer_set(group: PropertyGroup, _context: bpy.types.Context) -> None:
    if group.id_data is not None:
        compat.let_pointers_be_cleared(group.id_data)


def is_room(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == "ROOM"


def is_static_mesh(_group: PropertyGroup, other: bpy.types.Object) -> bool:
    return other.tomb_raider.kind == "STATIC_MESH"


def is_of_same_model(group: TombRaiderAction, other: bpy.types.Action) -> bool:
    return other.tomb_raider.model == group.model


def is_action_of_model(group: PropertyGroup, other: bpy.types.Action) -> bool:
    """Whether an action belongs to the model of the action that the group is a part of."""
    return other.tomb_raider.model == group.id_data.tomb_raider.model
