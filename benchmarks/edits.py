"""Ordinary edits of users, made as Blender's tools leave them in its data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from bpy.types import Collection, Object

from io_tomb_raider.scene.core.blender.compat import find_channels
from io_tomb_raider.scene.core.membership import members
from io_tomb_raider.scene.core.subjects import Kind

_STEP = 0.25  # Blender's units


def make_edits(root: Collection) -> int:
    """Make one edit of each kind that the level has objects for, and return their number."""
    kinds: dict[str, list[Object]] = {}
    for obj in members(root):
        kinds.setdefault(obj.tomb_raider.kind, []).append(obj)
    count = 0
    for kind, edit in _EDITS:
        for obj in kinds.get(kind, ())[:1]:
            edit(obj)
            count += 1
    for sound in root.tomb_raider.sounds.details[:1]:
        sound.volume -= 1
        count += 1
    bpy.context.view_layer.update()
    return count


def _move(obj: Any) -> None:
    obj.location.x += _STEP


def _move_vertex(obj: Any) -> None:
    obj.data.vertices[0].co.z += _STEP
    obj.data.update()


def _paint_vertex(obj: Any) -> None:
    obj.data.color_attributes[0].data[0].color = (0.25, 0.25, 0.25, 1.0)


def _change_texture(obj: Any) -> None:
    face = obj.data.polygons[0]
    face.material_index = (face.material_index + 1) % len(obj.data.materials)


def _edit_key(armature: Any) -> None:
    action = next(each for each in bpy.data.actions if each.tomb_raider.model == armature)
    channels: Any = find_channels(action, armature)
    channels.fcurves[0].keyframe_points[0].co.y += _STEP


def _delay_trigger(obj: Any) -> None:
    obj.tomb_raider.trigger.timer += 1


_EDITS: tuple[tuple[Kind, Callable[[Any], None]], ...] = (
    (Kind.ROOM, _move_vertex),
    (Kind.ROOM, _paint_vertex),
    (Kind.ROOM, _change_texture),
    (Kind.ENTITY, _move),
    (Kind.LIGHT, _move),
    (Kind.MODEL, _edit_key),
    (Kind.MODEL_MESH, _move_vertex),
    (Kind.STATIC_MESH, _move_vertex),
    (Kind.TRIGGER, _delay_trigger),
    (Kind.PLACEMENT, _move),
)
