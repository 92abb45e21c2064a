"""Setup of the scene around a level: frame rate, frames, colors, and removal of the default objects."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Collection, Mesh, Object, Scene
from mathutils import Vector

from ...formats.base import LARA
from ..core.membership import members
from ..core.subjects import Kind
from ..subjects.animations.changes.layers import action_in_use

_FACTORY_FRAMES = (1, 250)
_FACTORY = {
    "Cube": ("MESH", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "Light": ("LIGHT", (4.0762, 1.0055, 5.9039), (0.6503, 0.0552, 1.8664)),
    "Camera": ("CAMERA", (7.3589, -6.9258, 4.9583), (1.1093, 0.0, 0.8149)),
}
_NEAR = 1e-3


def set_up(scene: Any, root: Collection, *, frames: bool = True) -> None:
    """Set a scene to the games' frame rate, the frames of the level's animation, and unchanged colors."""
    scene.render.fps, scene.render.fps_base = 30, 1.0
    frame_range = shown_frames(root) if frames else None
    # A range that the user has chosen stays.
    if frame_range is not None and (scene.frame_start, scene.frame_end) == _FACTORY_FRAMES:
        scene.frame_start, scene.frame_end = frame_range
        if (
            not frame_range[0] <= scene.frame_current <= frame_range[1]
            or scene.frame_current == _FACTORY_FRAMES[0]
        ):
            scene.frame_current = frame_range[0]
    try:
        scene.view_settings.view_transform = "Standard"
    except TypeError:  # the user's color management has no such view
        return


def shown_frames(root: Collection) -> tuple[int, int] | None:
    """Return the frames of a level's own cutscene, else of the animation that Lara shows, or None."""
    # Reading types first takes a tenth of the time.
    objects = [obj for obj in members(root) if obj.type in ("ARMATURE", "CAMERA")]
    laras = (
        each for each in objects if each.tomb_raider.kind == Kind.MODEL and each.tomb_raider.model.id == LARA
    )
    for obj in (*(each for each in objects if each.tomb_raider.kind == Kind.CINEMATIC), *laras):
        action = action_in_use(obj)
        if action is not None:
            first, last = (int(frame) for frame in action.frame_range)  # imported keys are at whole frames
            return max(first, 0), max(last, first, 0)
    return None


def remove_factory_objects(scene: Scene) -> list[str]:
    """Remove the default cube, light and camera, and return their names.

    They are removed only from a file that was never saved, if they are untouched and the only objects besides
    levels. Undo restores them.
    """
    if bpy.data.filepath:
        return []
    levels = {child for child in scene.collection.children if child.tomb_raider.kind == Kind.LEVEL}
    inside = {obj for level in levels for obj in members(level)}
    others = [obj for obj in members(scene.collection) if obj not in inside]
    if {obj.name for obj in others} != set(_FACTORY) or not all(map(_is_untouched, others)):
        return []
    names = sorted(obj.name for obj in others)
    collections = {collection for obj in others for collection in obj.users_collection}
    # Their data has no other users.
    data: list[ID] = [obj.data for obj in others if obj.data is not None]
    bpy.data.batch_remove([*others, *data])
    empty = [
        collection
        for collection in collections
        if collection != scene.collection and not collection.objects and not collection.children
    ]
    bpy.data.batch_remove(empty)
    return names


def _is_untouched(obj: Object) -> bool:
    kind, location, rotation = _FACTORY[obj.name]
    if obj.type != kind or obj.data is None or obj.data.users != 1 or obj.data.name != obj.name:
        return False
    if obj.parent is not None or obj.animation_data is not None or obj.constraints or obj.modifiers:
        return False
    euler = Vector(obj.rotation_euler[:])
    if not np.allclose([*obj.location, *euler, *obj.scale], [*location, *rotation, 1, 1, 1], atol=_NEAR):
        return False
    if not isinstance(obj.data, Mesh):
        return True
    corners = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.vertices.foreach_get("co", corners)
    return len(obj.data.polygons) == 6 and corners.shape == (24,) and bool((np.abs(corners) == 1).all())
