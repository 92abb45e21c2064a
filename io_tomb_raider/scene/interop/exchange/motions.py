"""Retargeting of animations from any armature to a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import Action, Object

from ...authoring.motion.fitting import Fit
from ...authoring.motion.keys import new_action, store_exactly
from ...authoring.motion.retarget import on_floor, pose_target, relative_to_rest
from ...authoring.motion.sampling import Motion, Sampler, actions_played, plain_name, rate_of
from ...authoring.motion.skeletons import quaternions
from ...authoring.motion.soles import feet_of
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose
from ...subjects.animations.keys.stage import isolated_copy
from ...subjects.animations.transfer import actions_of
from ...transfer.engine.motion import bones_of
from .matching import Matches, fit_of

__all__ = ["actions_played", "retarget_actions"]


def retarget_actions(
    source: Object, model: Object, matches: Matches, actions: Sequence[Action]
) -> list[Action]:
    """Retarget animations of another armature to a model.

    An animation of the model with the same name gets new keys, and keeps its states, sounds and other
    settings.

    Args:
        actions: of the other armature. Actions of the model itself are skipped.

    Returns:
        The model's animations.
    """
    wanted = [each for each in actions if each.tomb_raider.model != model]
    if not wanted:
        return []
    own = {each.name: each for each in actions_of(model)}
    fit, rest, rate = fit_of(source, model, matches), RestPose.of(model), rate_of(source)
    result = []
    with isolated_copy(source) as (scene, copy):
        sampler = Sampler(scene, copy, source, fit.source)
        for action in wanted:
            poses = _poses(fit, model, rest, sampler.ticks(action, rate))
            name = plain_name(action, source)
            known = own.get(name)
            keys_before = 0
            if known is None:
                known = new_action(name, model)
            else:
                keys_before = known.tomb_raider.frame_rate
            store_exactly(known, model, poses, rest, bones_of(model), keys_before)
            result.append(known)
    return result


def _poses(fit: Fit, model: Object, rest: RestPose, motion: Motion) -> KeyPoses:
    """Return the poses of a model that follows a motion, with all of its path in the poses."""
    whole, heads = pose_target(fit, motion)
    if fit.is_same_skeleton() or not (feet_of(fit.target) and fit.source.leg_length()):
        heads = relative_to_rest(fit, heads)
    else:
        heads = on_floor(fit.target, model, whole, heads)
    turns, places = rest.local(quaternions(whole), heads[:, 0])
    return KeyPoses(np.arange(len(motion), dtype=float), turns, places)
