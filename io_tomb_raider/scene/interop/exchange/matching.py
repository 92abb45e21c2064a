"""Matching of another armature's bones to a model's: by role, name, order, number, or place."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
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
    near = _nearest(source, ours, model, theirs) if not named else np.zeros(len(ours), np.int64)
    return _matches(ours, len(theirs), named, near, is_known=is_known)


def match_skin(source: Object, model: Object, moving: NDArray[np.bool_]) -> Matches:
    """Match each bone of a skin's armature to a bone of a model.

    If all bones that move vertices have names of the model's, these match. Otherwise they may be for WadTool,
    which numbers them in the natural order of their names: if they are as many as the model has, and are
    numbered, or have no known role or name. All others are matched as by :func:`match`.

    Args:
        moving: which of the armature's bones, parents first, move vertices.
    """
    ours, theirs = bones_in_order(source), bones_of(model)
    names = {number: ours[number].name for number in np.flatnonzero(moving).tolist()}
    near = np.zeros(len(ours), np.int64)
    if set(names.values()) <= set(theirs):
        by_name = {number: theirs.index(name) for number, name in names.items()}
        return _matches(ours, len(theirs), by_name, near, is_known=True)
    keys = {number: _natural(name) for number, name in names.items()}
    all_names = [bone.name for bone in ours]
    fits = len(keys) == len(theirs)
    if fits and (_are_numbered(keys.values()) or not _by_role_or_name(source, model, all_names, theirs)):
        order = {number: place for place, number in enumerate(sorted(keys, key=lambda each: keys[each]))}
        return _matches(ours, len(theirs), order, near, is_known=False)
    return match(source, model)


def _are_numbered(keys: Collection[tuple[str | int, ...]]) -> bool:
    """Return whether names, by their natural keys, have one beginning and then different numbers."""
    return len({key[0] for key in keys}) == 1 and len({key[1] for key in keys if len(key) > 1}) == len(keys)


def _natural(name: str) -> tuple[str | int, ...]:
    """Return the key of a name in natural order: its text and numbers, in turn."""
    parts = re.split(r"(\d+)", name.lower())
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts))


def _matches(
    ours: Sequence[Any],
    count: int,
    named: Mapping[int, int],
    near: NDArray[np.int64],
    *,
    is_known: bool,
) -> Matches:
    """Return the matches of bones, parents first, with those of some; the others are matched by place.

    If some have matches, bones without one belong to the parent's, or to the model's first bone.
    """
    numbers = {bone.name: number for number, bone in enumerate(ours)}
    targets = np.zeros(len(ours), np.int64)
    pivots = np.full(count, -1, np.int64)
    for number, bone in enumerate(ours):
        target = named.get(number)
        if target is None and named:
            target = int(targets[numbers[bone.parent.name]]) if bone.parent is not None else 0
        targets[number] = near[number] if target is None else target
        if pivots[targets[number]] < 0 and (number in named or not named):
            pivots[targets[number]] = number
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
