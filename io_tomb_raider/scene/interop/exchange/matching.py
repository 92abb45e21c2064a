"""Matching of another armature's bones to a model's: by role, name, order, or place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...authoring.motion.fitting import Fit, match_bones
from ...authoring.motion.skeletons import Skeleton
from ...transfer.engine.motion import bones_of
from .character import bones_in_order, linear_matrix


class Matches(NamedTuple):
    """Matched bones."""

    targets: NDArray[np.int64]  #: (b,) the model's bone for each bone of the source armature, parents first.
    pivots: NDArray[np.int64]  #: the source bone at the joint of each bone of the model, -1 for none.
    is_known: bool = True  #: whether roles or names have matched bones. Else the poses at rest are the same.


def match(source: Object, model: Object) -> Matches:
    """Match each bone of an armature to a bone of a model."""
    ours, theirs = bones_in_order(source), bones_of(model)
    named = _by_role_or_name(source, model, [bone.name for bone in ours], theirs)
    is_known = len(named) > 0
    if len(ours) == len(theirs) and len(named) < len(ours):
        left = [place for place in range(len(theirs)) if place not in named.values()]
        named |= dict(zip([each for each in range(len(ours)) if each not in named], left, strict=False))
    numbers = {bone.name: number for number, bone in enumerate(ours)}
    near = _nearest(source, ours, model, theirs) if not named else np.zeros(len(ours), np.int64)
    targets = np.zeros(len(ours), np.int64)
    pivots = np.full(len(theirs), -1, np.int64)
    for number, bone in enumerate(ours):
        found = named.get(number)
        if found is None and named:
            # Bones without a matched parent belong to the model's first bone.
            found = int(targets[numbers[bone.parent.name]]) if bone.parent is not None else 0
        targets[number] = near[number] if found is None else found
        target = targets[number]
        if pivots[target] < 0 and (number in named or not named):
            pivots[target] = number
    return Matches(targets, pivots, is_known)


def fit_of(source: Object, model: Object, matches: Matches) -> Fit:
    """Return the correction between the rest poses of matched armatures."""
    from_skeleton, to_skeleton = Skeleton.of(source), Skeleton.of(model)
    ours, theirs = [bone.name for bone in bones_in_order(source)], bones_of(model)
    pivots = dict(zip(theirs, matches.pivots.tolist(), strict=True))
    pairs = [
        from_skeleton.names.index(ours[pivots[name]]) if pivots[name] >= 0 else -1
        for name in to_skeleton.names
    ]
    return Fit(from_skeleton, to_skeleton, np.array(pairs, np.int64), same_pose=not matches.is_known)


def _by_role_or_name(
    source: Object, model: Object, ours: Sequence[str], theirs: Sequence[str]
) -> dict[int, int]:
    from_skeleton, to_skeleton = Skeleton.of(source), Skeleton.of(model)
    result = {}
    for bone, pair in enumerate(match_bones(from_skeleton, to_skeleton).tolist()):
        if pair >= 0:
            result[ours.index(from_skeleton.names[pair])] = theirs.index(to_skeleton.names[bone])
    return result


def _nearest(source: Object, ours: Sequence[Any], model: Object, theirs: Sequence[str]) -> NDArray[np.int64]:
    """Return the nearest bone of a model for each bone, relative to the armatures."""
    rotation = linear_matrix(source)
    middles = np.array([(bone.head_local + bone.tail_local) / 2 for bone in ours], np.float64) @ rotation.T
    bones = [model.data.bones[name] for name in theirs]
    heads = np.array([bone.head_local for bone in bones], np.float64)
    axes = np.array([bone.tail_local - bone.head_local for bone in bones], np.float64)
    along = np.einsum("stk,tk->st", middles[:, None] - heads, axes) / np.maximum((axes**2).sum(axis=1), 1e-12)
    points = heads + axes * along.clip(0, 1)[..., None]
    return np.asarray(np.linalg.norm(points - middles[:, None], axis=2).argmin(axis=1), np.int64)
