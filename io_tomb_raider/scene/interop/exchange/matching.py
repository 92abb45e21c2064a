"""Matching of another armature's bones to a model's: by name, order, or place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...transfer.engine.motion import bones_of
from .character import bones_in_order, linear_matrix

# Names of limbs in other programs, by the names that imports give.
_LIMBS: Mapping[str, Sequence[str]] = {
    "hips": ("hips", "hip", "pelvis"),
    "thigh": ("thigh", "upleg", "upperleg"),
    "calf": ("calf", "leg", "shin", "lowerleg", "knee"),
    "foot": ("foot", "ankle"),
    "torso": ("torso", "chest", "spine"),
    "upperarm": ("upperarm", "arm"),
    "lowerarm": ("lowerarm", "forearm", "elbow"),
    "hand": ("hand", "wrist"),
    "head": ("head",),
}
_LIMB_OF = {name: limb for limb, names in _LIMBS.items() for name in names}
_SIDES = {"l": "l", "left": "l", "r": "r", "right": "r"}
_WORDS = re.compile(r"left|right|[A-Z]?[a-z]+|[A-Z]+|\d+", re.IGNORECASE)
_PREFIX = re.compile(r"^.*[:|]")  # such as mixamorig:


class Matches(NamedTuple):
    """Matched bones.

    Attributes:
        targets: (b,) the model's bone for each bone of the source armature, parents first.
        pivots: the source bone at the joint of each bone of the model, -1 for none.
    """

    targets: NDArray[np.int64]
    pivots: NDArray[np.int64]


def match(source: Object, model: Object) -> Matches:
    """Match each bone of an armature to a bone of a model.

    Args:
        source: the armature.
        model: the model's armature.
    """
    ours, theirs = bones_in_order(source), bones_of(model)
    named = _by_name([bone.name for bone in ours], theirs)
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
    return Matches(targets, pivots)


def _by_name(ours: Sequence[str], theirs: Sequence[str]) -> dict[int, int]:
    exact = {name: place for place, name in enumerate(theirs)}
    found = {number: exact[name] for number, name in enumerate(ours) if name in exact}
    if found:
        return found
    keys = {_key(name): place for place, name in enumerate(theirs)}
    return {number: keys[_key(name)] for number, name in enumerate(ours) if _key(name) in keys}


def _key(name: str) -> tuple[str, str]:
    """Return the limb and the side of a bone's name."""
    words = [word.lower() for word in _WORDS.findall(_PREFIX.sub("", name))]
    side = next((_SIDES[word] for word in words if word in _SIDES), "")
    limb = "".join(word for word in words if word not in _SIDES and not word.isdigit())
    return _LIMB_OF.get(limb, limb), side


def _nearest(source: Object, ours: Sequence[Any], model: Object, theirs: Sequence[str]) -> NDArray[np.int64]:
    """Return the nearest bone of a model for each bone, relative to the armatures."""
    turn = linear_matrix(source)
    middles = np.array([(bone.head_local + bone.tail_local) / 2 for bone in ours], np.float64) @ turn.T
    bones = [model.data.bones[name] for name in theirs]
    heads = np.array([bone.head_local for bone in bones], np.float64)
    axes = np.array([bone.tail_local - bone.head_local for bone in bones], np.float64)
    along = np.einsum("stk,tk->st", middles[:, None] - heads, axes) / np.maximum((axes**2).sum(axis=1), 1e-12)
    points = heads + axes * along.clip(0, 1)[..., None]
    return np.asarray(np.linalg.norm(points - middles[:, None], axis=2).argmin(axis=1), np.int64)
