"""Copies of a model's actions as constraints and drivers pose them, for programs that know none of these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from bpy.types import Action, Bone, Object

from ....formats.levels.animations import continuous_quaternions
from ....formats.levels.models import MeshTree
from ...core.reporting.report import Report
from ...core.space import Space
from ...subjects.animations.baking import BakedCurves, baking
from ...subjects.animations.effects import ActingEffects, Activity, Effects, in_use
from ...subjects.animations.keys.build import set_curves
from ...subjects.animations.keys.curves import BonePaths
from ...subjects.models.bones import own_bones, own_parent
from ...subjects.models.poses import frames_of
from ...subjects.models.read import Rig


def evaluated_actions(
    model: Object, shape: Object, actions: Iterable[Action], space: Space, report: Report
) -> dict[Action, Action]:
    """Return copies of those actions that an export of the level bakes, with a key at every frame.

    Args:
        shape: that of the model which is drawn in its place, or the same.

    Returns:
        The copies by their actions.
    """
    effects = next((found for each in (shape, model) if (found := Effects(each))), None)
    if effects is None:
        return {}
    rig = _rig_of(model)
    bones = BonePaths.of(rig.names, rig.old_names)
    acting = ActingEffects.of(effects, actions, model, bones)
    shown = {*in_use(model), *in_use(shape)}
    result: dict[Action, Action] = {}
    with baking(rig, effects.armature, space, acting.keyed) as baker:
        for action, activity in acting.activities.items():
            if activity is Activity.KEYED or action in shown or action.tomb_raider.index < 0:
                curves = BakedCurves(action, baker, bones, acting.others[action], report)
                result[action] = _copy(action, model, rig.names, curves)
    return result


def _copy(action: Action, model: Object, names: list[str], curves: BakedCurves) -> Action:
    """Return a copy of an action with the poses of its curves at every frame."""
    first, last = curves.span() or (0.0, 0.0)
    times = np.arange(np.floor(first), np.ceil(last) + 1)
    turns, places = curves.poses(times)
    rows = np.empty((3 + 4 * len(names), len(times), 2), np.float32)
    rows[..., 0] = times
    rows[:3, :, 1] = places.T
    rows[3:, :, 1] = np.asarray(continuous_quaternions(turns)).reshape(len(times), -1).T
    copy: Any = action.copy()
    copy.asset_clear()
    copy.use_fake_user = False
    copy.tomb_raider.model = copy.tomb_raider.home = None
    copy.tomb_raider.is_helper = True  # it is no animation of the level
    set_curves(copy, model, names, rows.reshape(len(rows), -1))
    return copy


def _rig_of(model: Object) -> Rig:
    """Return the bones of a model as an export reads them, at rest as they are in the scene."""
    bones = own_bones(model)
    numbers: dict[Bone | None, int] = {bone: number for number, bone in enumerate(bones)}
    parents = np.array([numbers.get(own_parent(bone), -1) for bone in bones], np.int64)
    none = np.zeros(len(bones), np.int64)
    return Rig(
        model=-1,
        armature=model,
        names=[bone.name for bone in bones],
        old_names=[bone.tomb_raider.imported_name for bone in bones],
        columns=none - 1,
        frames=frames_of([bone.matrix_local.to_quaternion()[:] for bone in bones]),
        head=np.zeros(3),
        tree=MeshTree(parents, np.zeros((len(bones), 3), np.int64), none),
        original=None,
        meshes=none.tolist(),
    )
