"""New actions that users key on a model: they become its animations, and are kept when another is shown."""

from __future__ import annotations

from typing import Any

from bpy.types import Action, Object

from ...core.blender import compat
from ...core.membership import is_local
from ..models.figures import drawn_for
from .keys.curves import moved_bone


def claim_new_action(armature: Object) -> bool:
    """Make the action that a model shows an animation of it, if it is new; return whether it was.

    An action that is keyed on a model that is drawn in place of another one, such as Lara's skin, becomes an
    animation of that one. No data-block is made, so handlers may call it.
    """
    data = armature.animation_data
    action: Any = None if data is None else data.action
    if action is None or not is_new(action, armature) or not is_local(action) or not is_local(armature):
        return False
    owner: Any = drawn_for(armature) or armature
    settings = action.tomb_raider
    settings.model = settings.home = owner
    settings.index, settings.origin = -1, owner.tomb_raider.origin
    rows = owner.tomb_raider.model.animations  # so that it has a user
    if all(row.action != action for row in rows):
        rows.add().action = action
    return True


def is_new(action: Action, armature: Object) -> bool:
    """Return whether an action belongs to no model, and has keys for bones of an armature."""
    settings = action.tomb_raider
    if settings.model is not None or settings.is_helper or is_pose_asset(action):
        return False
    channels = compat.find_channels(action, armature)
    bones = armature.data.bones
    return any(
        len(curve.keyframe_points) and (moved_bone(curve.data_path) or "") in bones
        for curve in (() if channels is None else channels.fcurves)
    )


def is_pose_asset(action: Action) -> bool:
    """Return whether an action is a pose of a pose library: an asset of no model with keys at one frame."""
    if action.asset_data is None or action.tomb_raider.model is not None:
        return False
    start, end = action.curve_frame_range
    return bool(end - start < 1.0)
