"""Actions that models have or show, and warnings of those that belong to other models."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from bpy.types import Action, Object

from ....formats.base import T
from ...core.reporting.report import Report
from ..models.figures import is_drawn_for
from ..models.read import Rig
from .changes.layers import is_helper_track
from .new_actions import is_pose_asset


def actions_by_model(rigs: Sequence[Rig], report: Report) -> dict[Object, list[Action]]:
    """Return the actions of all models: those made for them, and unclaimed ones that they use."""
    result: dict[Object, list[Action]] = {rig.armature: [] for rig in rigs}
    for action in bpy.data.actions:
        if action.tomb_raider.model in result and not action.tomb_raider.is_helper:
            result[action.tomb_raider.model].append(action)
    for armature, actions in result.items():
        data = armature.animation_data
        if data is None:
            continue
        tracks = [track for track in data.nla_tracks if not is_helper_track(track)]
        assigned = [data.action, *(strip.action for track in tracks for strip in track.strips)]
        used = [each for each in dict.fromkeys(assigned) if each and not each.tomb_raider.is_helper]
        actions += [each for each in used if each.tomb_raider.model is None and not is_pose_asset(each)]
        for each in (action for action in used if is_pose_asset(action)):
            text = T("it shows {name}, a pose of a pose library, which is not exported", name=each.name)
            report.warn(armature.name, T("{text}: show an animation, and apply the pose to it", text=text))
        _warn_of_use(armature, used, report)
        if any(not track.mute and len(track.strips) for track in tracks):
            text = T("mixes of actions by NLA tracks are not exported, only the single actions")
            report.warn(armature.name, T("{text}: bake the mix to an action to keep it", text=text))
    return result


def may_have_effects(armature: Object, count: int) -> bool:
    """Return whether an armature has constraints, drivers or bones besides the ``count`` of its model.

    Most have none, and are skipped fast.
    """
    data, pose = armature.animation_data, armature.pose
    has_drivers = data is not None and len(data.drivers) > 0
    if has_drivers or len(armature.data.bones) != count:
        return True
    return pose is not None and any(len(bone.constraints) for bone in pose.bones)


def _warn_of_use(armature: Object, used: Sequence[Action], report: Report) -> None:
    """Warn of actions that a model uses but that are animations of another model."""
    override = armature.override_library
    linked = None if override is None else override.reference  # actions stay linked, and name this one
    for action in used:
        owner = action.tomb_raider.model
        if owner not in (None, armature, linked) and not is_drawn_for(armature, owner):
            text = T(
                "its action {action} is an animation of {owner}, and is exported for that model only",
                action=action.name,
                owner=owner.name,
            )
            hint = T(
                "copy the action, and choose {armature} as the Model of the copy", armature=armature.name
            )
            report.warn(armature.name, T("{text}: {hint}", text=text, hint=hint))


def shown_copies(rigs: Sequence[Rig]) -> set[Action]:
    """Return the copies of a model's action that only models drawn in its place show, such as Lara's skin.

    A full copy of a scene copies an action for each model that shows it.
    """
    result: set[Action] = set()
    for rig in rigs:
        data = rig.armature.animation_data
        current = data.action if data else None
        owner: Object | None = current.tomb_raider.model if current else None
        if current is None or owner is None or owner == rig.armature or not is_drawn_for(rig.armature, owner):
            continue
        played = owner.animation_data.action if owner.animation_data else None
        if played is None or played == current:
            continue
        original, copy = played.tomb_raider, current.tomb_raider
        if (original.model, original.index, original.origin) == (owner, copy.index, copy.origin):
            result.add(current)
    return result
