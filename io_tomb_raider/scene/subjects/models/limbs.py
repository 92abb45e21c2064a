"""Limbs of a model, found by its tree: which bones are thigh, calf and foot, upper arm, lower arm and hand.

Files have no names of bones. Limbs are chains of bones that begin where the tree branches, in pairs that hang
on one bone and mirror each other. A pair whose ends stand on the ground has legs; of quadrupeds, the hind
pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....catalogue import ARM, LEG, BoneRole
from ....formats.base import Floats
from ....formats.levels.animations import matrices_from_quaternions, quaternions_from_angles
from ....formats.levels.models import MeshTree
from ...core.space import direction_to_blender

_LOW = 0.22  # of the model's height: ends of legs are below
_MIRRORED = 0.3  # of a limb's length: how far artists were off from the mirrored limb
_SHORT = 0.6  # of the next bone's length: a shoulder or a part of the pelvis before a limb
_DOWN = 0.7  # of a bone's length: the hock of an animal stands upright, toes lie
_SIDEWAYS = 0.15  # of the model's height: a head is not further beside the middle


class LimbKind(StrEnum):
    LEG = "LEG"
    ARM = "ARM"
    TRUNK = "TRUNK"  # one bone of the spine, the neck or the head
    BODY = "BODY"  # the first bone, which has the place of the model


SINGLE_BONES = (LimbKind.TRUNK, LimbKind.BODY)
_ROLES = {
    LimbKind.LEG: (LEG, (BoneRole.THIGH, BoneRole.CALF, BoneRole.HOCK, BoneRole.FOOT)),
    LimbKind.ARM: (ARM, (BoneRole.UPPER_ARM, BoneRole.LOWER_ARM, BoneRole.WRIST, BoneRole.HAND)),
}


@dataclass(frozen=True)
class Limb:
    """A limb."""

    kind: LimbKind  #: front legs of quadrupeds are arms.
    side: str  #: "L" or "R", "" if unknown.
    #: numbers of the upper, the lower and the end bone; with four bones, the third is the hock.
    bones: tuple[int, ...]
    #: the number of the shoulder, or of the part of the pelvis, before the upper bone; or -1.
    before: int = -1


@dataclass(frozen=True, eq=False)
class Limbs:
    """The limbs of a model."""

    limbs: list[Limb]  #: those found, the left one of each pair first.
    #: (3,), the horizontal direction at rest that the model faces; Blender's +Y unless limbs show another
    #: one.
    facing: Floats


def posed_joints(tree: MeshTree, angles: NDArray[np.integer]) -> Floats:
    """Return the joints of a key frame in Blender's axes, (m, 3), relative to the first one."""
    turns = matrices_from_quaternions(quaternions_from_angles(angles, np.float64))
    whole, joints = turns.copy(), np.zeros((len(tree), 3))
    for bone, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            whole[bone] = whole[parent] @ turns[bone]
            joints[bone] = joints[parent] + whole[parent] @ tree.offsets[bone]
    return direction_to_blender(joints).astype(np.float64)


def find_limbs(parents: Sequence[int], rest: ArrayLike, posed: ArrayLike | None = None) -> Limbs:
    """Find the limbs of a model with m bones.

    Args:
        parents: (m,), the parent of each bone, less than its own number; -1 for none.
        rest: (m, 3), the joints at rest; z is up. Some models lie or are turned at rest.
        posed: (m, 3), the joints in a frame in which the model stands and faces +y; by default as at rest.
    """
    rest = np.asarray(rest, np.float64).reshape(-1, 3)
    posed = rest if posed is None else np.asarray(posed, np.float64).reshape(-1, 3)
    chains = list(_chains(parents))
    mirrored: list[tuple[list[int], list[int]]] = []
    axis = 0
    for candidate_axis in (0, 1):
        pairs = _pairs(chains, parents, rest, candidate_axis)
        if len(pairs) > len(mirrored):
            mirrored, axis = pairs, candidate_axis
    if not mirrored:
        return Limbs([], np.array([0.0, 1.0, 0.0]))
    # The left one is further to the left in the pose, by all pairs: limbs cross in some poses.
    mirrored = [
        pair if rest[pair[0], axis].mean() < rest[pair[1], axis].mean() else pair[::-1] for pair in mirrored
    ]
    aside = sum(float(posed[low, 0].mean() - posed[high, 0].mean()) for low, high in mirrored)
    if aside > 0:
        mirrored = [pair[::-1] for pair in mirrored]
    left = np.zeros(3)
    left[axis] = 1.0 if aside > 0 else -1.0
    facing = np.array([left[1], -left[0], 0.0])
    heights = posed[:, 2]
    ground = heights.min() + _LOW * np.ptp(heights)
    low = [
        pair
        for pair in mirrored
        if min(heights[pair[0][-1]], heights[pair[1][-1]]) < ground
        and any(_hangs(joints[chain]) for joints in (rest, posed) for chain in pair)
    ]
    high = [pair for pair in mirrored if pair not in low]
    low.sort(key=lambda pair: float((rest[[pair[0][0], pair[1][0]]] @ facing).sum()))
    limbs: list[Limb] = []
    for pair in (*low, *high):
        is_leg = pair in low and (pair is low[0] or len(low) != 2)
        skipped, count = _part(pair, rest, is_low=pair in low)
        for side, chain in zip("LR", pair, strict=True):
            bones = tuple(chain[skipped : skipped + count])
            before = chain[skipped - 1] if skipped else -1
            limbs.append(Limb(LimbKind.LEG if is_leg else LimbKind.ARM, side, bones, before))
    return Limbs(limbs, facing)


def has_limbs(parents: Sequence[int]) -> bool:
    """Return whether a tree has chains of bones that could be limbs."""
    return any(True for _ in _chains(parents))


def _hangs(joints: Floats) -> bool:
    """Return whether a limb goes down more than to the sides, unlike wings."""
    return bool(joints[0, 2] - joints[-1, 2] > 0.6 * np.linalg.norm(np.diff(joints, axis=0), axis=1).sum())


def _chains(parents: Sequence[int]) -> Iterator[list[int]]:
    """Yield the chains of at least three bones that begin where the tree branches and end where it does."""
    children: dict[int, list[int]] = {}
    for bone, parent in enumerate(parents):
        children.setdefault(parent, []).append(bone)
    for parent, siblings in children.items():
        if parent < 0 or len(siblings) < 2:
            continue
        for bone in siblings:
            chain = [bone]
            while len(children.get(chain[-1], ())) == 1:
                chain += children[chain[-1]]
            if len(chain) >= 3:
                yield chain


def _pairs(
    chains: Sequence[list[int]], parents: Sequence[int], rest: Floats, axis: int
) -> list[tuple[list[int], list[int]]]:
    """Return the pairs of chains that mirror each other along an axis, each cut to its shorter chain."""
    options: list[tuple[float, int, int]] = []
    for first in range(len(chains)):
        for second in range(first):
            if parents[chains[first][0]] != parents[chains[second][0]]:
                continue
            count = min(len(chains[first]), len(chains[second]))
            a, b = rest[chains[first][:count]], rest[chains[second][:count]]
            length = np.linalg.norm(np.diff(a, axis=0), axis=1).sum()
            mirrored = b.copy()
            mirrored[:, axis] = 2 * rest[parents[chains[first][0]], axis] - b[:, axis]
            deviation = float(np.linalg.norm(a - mirrored, axis=1).max())
            apart = abs(float(a[:, axis].mean() - b[:, axis].mean()))
            if deviation < _MIRRORED * length and apart > 0.5 * deviation:
                options.append((deviation / length, first, second))
    taken: set[int] = set()
    pairs = []
    for _, first, second in sorted(options):
        if not taken & {first, second}:
            taken |= {first, second}
            count = min(len(chains[first]), len(chains[second]))
            pairs.append((chains[first][:count], chains[second][:count]))
    return sorted(pairs)


def _part(pair: tuple[list[int], list[int]], rest: Floats, *, is_low: bool) -> tuple[int, int]:
    """Return how many bones of both chains precede the limb, and how many it has: three, or four to a paw."""
    if len(pair[0]) < 4:
        return 0, 3
    steps = (rest[pair[0]][1:] - rest[pair[0]][:-1]) * 0.5 + (rest[pair[1]][1:] - rest[pair[1]][:-1]) * 0.5
    lengths = np.linalg.norm(steps, axis=1)
    own_lengths = np.linalg.norm(np.diff(rest[pair[0]], axis=0), axis=1)
    skipped = int(own_lengths[0] < _SHORT * own_lengths[1])
    last = skipped + 2
    has_paw = is_low and len(own_lengths) > last and -steps[last, 2] > _DOWN * lengths[last]
    return skipped, 4 if has_paw else 3


def role_names(
    parents: Sequence[int], rest: ArrayLike, posed: ArrayLike | None, limbs_found: Limbs
) -> dict[int, str]:
    """Return names for the bones of limbs and the trunk between them, by number.

    With the suffixes of sides, Blender mirrors poses. Every name occurs once; other bones have none. Joints
    are those of :func:`find_limbs`.
    """
    rest = np.asarray(rest, np.float64).reshape(-1, 3)
    posed = rest if posed is None else np.asarray(posed, np.float64).reshape(-1, 3)
    names: dict[int, str] = {}
    ends: dict[LimbKind, list[Limb]] = {}
    for limb in limbs_found.limbs:
        ends.setdefault(limb.kind, []).append(limb)
    for kind, limbs in ends.items():
        for limb in limbs[:2]:  # of several pairs, the first
            roles: Sequence[BoneRole] = _ROLES[kind][len(limb.bones) == 4]
            names |= {bone: f"{role}.{limb.side}" for bone, role in zip(limb.bones, roles, strict=True)}
            if limb.before >= 0 and kind == LimbKind.ARM:
                names[limb.before] = f"{BoneRole.SHOULDER}.{limb.side}"
    legs, arms = (ends.get(kind, [])[:2] for kind in (LimbKind.LEG, LimbKind.ARM))
    hips = _common(parents, legs)
    torso = _common(parents, arms)
    if hips >= 0:
        names.setdefault(hips, BoneRole.HIPS)
    if torso >= 0 and hips >= 0:
        names.setdefault(torso, BoneRole.TORSO)
        names |= _head(parents, posed, limbs_found, names, torso)
    return names


def _common(parents: Sequence[int], limbs: Sequence[Limb]) -> int:
    """Return the bone that a pair of limbs hangs on, or -1."""
    if len(limbs) < 2:
        return -1
    first = [limb.before if limb.before >= 0 else limb.bones[0] for limb in limbs]
    return parents[first[0]] if parents[first[0]] == parents[first[1]] else -1


def _head(
    parents: Sequence[int], posed: Floats, limbs_found: Limbs, names: Mapping[int, str], torso: int
) -> dict[int, str]:
    """Return the name of the head, and of an animal's neck: the highest bone on the torso but its limbs."""
    height = float(np.ptp(posed[:, 2]))
    starts = [
        bone
        for bone, parent in enumerate(parents)
        if parent == torso
        and bone not in names
        and abs(posed[bone, 0] - posed[torso, 0]) < _SIDEWAYS * height
        and not any(bone in (*limb.bones, limb.before) for limb in limbs_found.limbs)
    ]
    if not starts:
        return {}
    arms = [limb for limb in limbs_found.limbs if limb.kind == LimbKind.ARM]
    shoulders = float(np.mean([posed[limb.bones[0], 2] for limb in arms]))
    below: dict[int, list[int]] = {}
    for bone, parent in enumerate(parents):
        below.setdefault(parent, []).append(bone)
    first = max(starts, key=lambda bone: float(posed[bone, 2]))
    if posed[first, 2] < shoulders - _SIDEWAYS * height:
        return {}
    is_animal = any(len(limb.bones) == 4 for limb in limbs_found.limbs)
    if len(below.get(first, ())) == 1 and (is_animal or len(below.get(below[first][0], ())) > 1):
        return {first: BoneRole.NECK, below[first][0]: BoneRole.HEAD}
    return {first: BoneRole.HEAD}
