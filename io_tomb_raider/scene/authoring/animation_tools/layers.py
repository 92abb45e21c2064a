"""Layers of animations: made, and baked into the keys of their animations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object

from ....formats.base import Floats
from ...core.blender import compat
from ...subjects.animations.changes.chains import length
from ...subjects.animations.changes.layers import assign_layered
from ...subjects.animations.keys.curves import ON_KEY, moved_bone
from ...subjects.animations.keys.key_poses import slerp
from ...subjects.animations.keys.ranges import first_frame
from ...subjects.models.poses import multiply
from .bone_keys import REST, BoneKeys, all_frames, from_turns, to_turns
from .clip import key_count

_SAME = 1e-6
_UPRIGHT = np.array(REST["rotation_quaternion"])


def add_layer(action: Action, armature: Object) -> Action:
    """Add an empty layer to an animation, with curves for all that the animation moves, and return it."""
    layer = bpy.data.actions.new(f"{action.name[:50]} Layer")
    settings: Any = layer.tomb_raider
    settings.is_helper = True
    channels = compat.make_channels(layer, armature)
    base = compat.find_channels(action, armature)
    for curve in () if base is None else base.fcurves:
        bone = moved_bone(curve.data_path)
        if bone is not None and curve.data_path.rpartition(".")[2] in REST:
            # Without them, the keying set *Available* would find nothing to key.
            added = channels.fcurves.new(curve.data_path, index=curve.array_index)
            added.group = channels.groups.get(bone) or channels.groups.new(bone)
    action.tomb_raider.layer = layer
    return layer


def key_rest(layer: Action, armature: Any, frame: float, bones: Iterable[str] = ()) -> int:
    """Key no change at a frame, for bones with keys in a layer; return how many.

    Args:
        layer: a layer of an animation that the armature shows.
        bones: names of bones; all if none of these has keys.
    """
    keys = BoneKeys(layer, armature)
    keyed = [bone for bone in armature.pose.bones if len(keys.frames(bone))]
    chosen = {*bones}
    keyed = [bone for bone in keyed if bone.name in chosen] or keyed
    for bone in keyed:
        for channel in (keys.rotation_channel(bone), "location"):
            if len(all_frames(keys.curves(bone, channel).values())):
                keys.write(bone, channel, np.array([frame]), np.array([REST[channel]]))
    return len(keyed)


def bake_layer(action: Action, armature: Any, influence: float = 1.0) -> list[str]:
    """Add a layer to the keys of its animation, remove it, and return the names of the bones that change.

    Keys are at all frames at which the game has key frames; others stay where the layer changes nothing.

    Args:
        action: an animation with a layer.
        armature: an armature that can show it.
        influence: 0 to 1, how much of the layer is added.
    """
    layer: Any = action.tomb_raider.layer
    base, added = BoneKeys(action, armature), BoneKeys(layer, armature)
    first, rate = first_frame(action), max(action.tomb_raider.frame_rate, 1)
    grid = first + rate * np.arange(key_count(length(action), rate), dtype=float)
    changed = []
    for bone in armature.pose.bones if influence else ():
        for channel in (added.rotation_channel(bone), "location"):
            if len(all_frames(added.curves(bone, channel).values())):
                changed += [bone.name] * _add(bone, channel, base, added, grid, influence)
    remove_layer(action)
    return list(dict.fromkeys(changed))


def _add(bone: Any, channel: str, base: BoneKeys, added: BoneKeys, grid: Floats, influence: float) -> bool:
    """Add the layer of one property of a bone to its keys, and return whether any changes.

    Blender adds locations and Euler angles, and turns a bone about its own axes by the layer's quaternion.
    """
    own = "location" if channel == "location" else base.rotation_channel(bone)
    keyed = all_frames(base.curves(bone, own).values())
    times = np.unique(np.concatenate([grid, keyed]).round(3))
    change = added.values(bone, channel, times, np.array(REST[channel]))
    before = base.values(bone, own, times, np.array(REST[own]))
    if own != channel or own in ("rotation_quaternion", "rotation_axis_angle"):
        turns = to_turns(change, channel, bone)[:, None]
        rest = np.broadcast_to(_UPRIGHT, turns.shape)
        part = slerp(rest, turns, np.full((len(times), 1), influence))
        after = from_turns(multiply(to_turns(before, own, bone), part[:, 0]), before, own, bone)
        is_changed = np.abs(part[:, 0, 1:]).max(axis=1) > _SAME
    else:
        after = before + influence * change
        is_changed = np.abs(change).max(axis=1) > _SAME
    # A frame next to a change needs a key, too: the change must not reach beyond it.
    beside = np.convolve(is_changed, np.ones(3), "same") > 0.5
    has_key = np.isclose(times[:, None], keyed, rtol=0.0, atol=ON_KEY).any(axis=1)
    rows = np.flatnonzero(is_changed | (beside & ~has_key))
    base.write(bone, own, times[rows], after[rows])
    return bool(is_changed.any())


def remove_layer(action: Action) -> None:
    """Remove the layer of an animation. Armatures that show it show the animation alone."""
    layer: Any = action.tomb_raider.layer
    shown = [obj for obj in bpy.data.objects if obj.animation_data and obj.animation_data.action == layer]
    action.tomb_raider.layer = None
    for obj in shown:
        assign_layered(obj, action)
        obj.animation_data.action_influence = 1.0
    bpy.data.actions.remove(layer)
