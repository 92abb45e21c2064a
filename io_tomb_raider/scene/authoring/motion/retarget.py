"""Retargeting: poses of one skeleton on another one, and the path that games add.

A bone's rotation away from its own rest pose is given to the matched bone, after the target's limbs at rest
are laid onto those of the source. So neither skeleton has to be posed like the other one.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ....catalogue import ARM, LEG, SIDES, BoneRole, LimbBone
from ....formats.base import Floats
from ...subjects.animations.keys.geometry import quaternions
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose
from .feet import lengths, reach
from .fitting import Fit
from .paths import NO_SPEEDS, STILL, PathKind, PathSpeeds, covered, fit_speeds
from .sampling import Motion
from .skeletons import Skeleton, about_vertical, yaw
from .soles import feet_of, height_of_standing, sole_heights

_RAISED = 64.0  # units: a motion that ends so much higher has climbed
_NEAR_FLOOR = 30 / 377  # of a leg: a foot that is lower has to reach its place
_FADED = 2.0  # times as high, a foot is in the air
_FLAT, _STEEP = 0.15, 0.3  # heights of hips above feet, of a leg: lying, and crouching or standing
_ON_FLOOR = 0.99
_REACHED = 1e-4  # of a leg


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A motion on a model, tick by tick."""

    poses: KeyPoses  #: the poses at the frames 0, 1, 2, …, relative to where the game has moved the model.
    ways: PathSpeeds  #: the speeds of the animation.
    #: (3,), how far the last pose is from the first one besides that, in units: right, forward, up.
    moved: Floats


def pose_target(fit: Fit, motion: Motion) -> tuple[Floats, Floats]:
    """Return the poses of a model that follows a motion.

    Args:
        fit: the matched bones.
        motion: n poses of the source.

    Returns:
        Orientations (n, m, 3, 3) and joints (n, m, 3) in the space of the model's armature. The first joint
        of the trunk is where the source's is, as large as the model.
    """
    target, count = fit.target, len(motion)
    rests = fit.source.turns
    whole = np.empty((count, len(target.names), 3, 3))
    for bone, (pair, parent) in enumerate(zip(fit.pairs.tolist(), target.parents.tolist(), strict=True)):
        rest = target.turns[bone]
        if pair >= 0:
            moved = motion.turns[:, pair] @ rests[pair].T
            whole[:, bone] = fit.motion_turn @ moved @ (fit.rest_turn.T @ fit.corrections[bone] @ rest)
        elif parent >= 0:
            whole[:, bone] = whole[:, parent] @ (target.turns[parent].T @ rest)
        else:
            whole[:, bone] = rest
    heads = np.zeros((count, len(target.names), 3))
    for bone, parent in enumerate(target.parents.tolist()):
        if parent >= 0:
            arm = target.turns[parent].T @ (target.heads[bone] - target.heads[parent])
            heads[:, bone] = heads[:, parent] + whole[:, parent] @ arm
    pair = int(fit.pairs[fit.anchor])
    if pair >= 0:
        path = fit.size * (motion.heads[:, pair] @ fit.motion_turn.T)
        heads += (path - heads[:, fit.anchor])[:, None]
    return whole, heads


def relative_to_rest(fit: Fit, heads: Floats) -> Floats:
    """Return joints (n, m, 3) at places relative to rest: for a model that comes back as it was."""
    pair = int(fit.pairs[fit.anchor])
    start = fit.size * (fit.motion_turn @ fit.source.heads[pair])
    return heads - start + fit.target.heads[fit.anchor]


def on_floor(skeleton: Skeleton, model: Object, whole: Floats, heads: Floats) -> Floats:
    """Return joints (n, m, 3) with the soles on the floor, which is at height 0, and the first pose above
    the origin.
    """
    hips = skeleton.roles.get(LimbBone(BoneRole.HIPS), 0)
    shift = -heads[0, hips]
    shift[2] = -height_of_standing(skeleton, model, whole, heads)
    return heads + shift


# --- Contact ----------------------------------------


@dataclass(frozen=True, eq=False)
class Contact:
    """What feet and hands of a model have to reach, by the joints of the source in its own size."""

    #: (n, m, 3), joints of the source by the bones of the model, along the model's axes; those of bones
    #: without a match are 0.
    joints: Floats
    soles: Floats  #: (n, 2), heights of the source's left and right sole above its floor.
    depths: Floats  #: (n, 2), how far the model's soles are below its ankles.
    #: source_depth, depth: the same at rest, of the source and of the model.
    source_depth: float
    depth: float
    size: float  #: of ways on the floor, of the model by the source.

    @classmethod
    def of(
        cls, fit: Fit, motion: Motion, source: Object, model: Object, whole: Floats, heads: Floats
    ) -> Contact:
        """Return the contact of a motion of a model, whose floor is at its origin.

        Args:
            source: the armature of the motion.
            model: the armature that follows it.
            whole, heads: its poses, see :func:`pose_target`.
        """
        return cls(
            joints=np.where((fit.pairs >= 0)[:, None], motion.heads[:, fit.pairs] @ fit.motion_turn.T, 0.0),
            soles=sole_heights(fit.source, source, motion.turns, motion.heads),
            depths=heads[:, feet_of(fit.target), 2] - sole_heights(fit.target, model, whole, heads),
            source_depth=depth_at_rest(fit.source, source),
            depth=depth_at_rest(fit.target, model),
            size=fit.size,
        )


def depth_at_rest(skeleton: Skeleton, model: Object) -> float:
    """Return how far the soles of a model at rest are below its ankles, in Blender units."""
    soles = sole_heights(skeleton, model, skeleton.turns[None], skeleton.heads[None])
    return float((skeleton.heads[feet_of(skeleton), 2] - soles[0]).mean())


def can_keep_contact(fit: Fit) -> bool:
    """Return whether both skeletons are of models, with two known legs."""
    limbs = [_limb(fit.target, LEG, side) for side in SIDES]
    known = all(len(limb) == len(LEG) and (fit.pairs[limb] >= 0).all() for limb in limbs)
    return known and fit.source.is_model


def _limb(skeleton: Skeleton, roles: Sequence[BoneRole], side: str) -> list[int]:
    found = (skeleton.roles.get(LimbBone(role, side), -1) for role in roles)
    return [bone for bone in found if bone >= 0]


def keep_contact(fit: Fit, contact: Contact, whole: Floats, heads: Floats, *, bends: bool = True) -> float:
    """Move a model so that its feet are on the floor as those of the source are, in proportion to its legs.

    PathSpeeds on the floor have the size of the path, heights that of the legs. Hands are as far from their
    shoulders as those of the source, in proportion to the arms. Hips are lowered where a foot on the floor is
    out of reach.

    Args:
        fit: the matched bones, see :func:`can_keep_contact`.
        contact: what to reach.
        whole, heads: orientations (n, m, 3, 3) and joints (n, m, 3), which are changed. Feet and hands keep
            their orientations.
        bends: whether legs and arms are bent. Otherwise, only the height of the hips changes.

    Returns:
        The largest distance of a foot near the floor from its place, in Blender units.
    """
    target = fit.target
    height = target.leg_length() / fit.source.leg_length()
    legs = [_limb(target, LEG, side) for side in SIDES]
    thighs = [leg[0] for leg in legs]
    size = np.array([contact.size, contact.size, height])
    aim = contact.joints[:, thighs].mean(axis=1) * size
    aim[:, 2] += contact.depth - height * contact.source_depth
    heads += (aim - heads[:, thighs].mean(axis=1))[:, None]
    if not bends:
        return 0.0
    aims, on_floor = _foot_places(fit, contact, heads, legs, size)
    heads[..., 2] -= _lacking(target, heads, legs, aims, on_floor)[:, None]
    before = whole.copy()
    ahead = target.posed(target.turns, heads[0]).facing_exactly()
    for number, leg in enumerate(legs):
        reach(target, whole, heads, leg, aims[:, number], ahead)
    arms = [arm for side in SIDES if len(arm := _limb(target, ARM, side)) == len(ARM)]
    for arm in (each for each in arms if (fit.pairs[each] >= 0).all()):
        length = lengths(target, arm).sum() / max(lengths(fit.source, fit.pairs[arm].tolist()).sum(), 1e-9)
        way = contact.joints[:, arm[2]] - contact.joints[:, arm[0]]
        reach(target, whole, heads, arm, heads[:, arm[0]] + length * way, -ahead)
    _carry(target, {bone for limb in (*legs, *arms) for bone in limb}, before, whole, heads)
    off = np.linalg.norm(heads[:, [leg[2] for leg in legs]] - aims, axis=-1)
    return float(off[on_floor].max(initial=0.0))


def _foot_places(
    fit: Fit, contact: Contact, heads: Floats, legs: list[list[int]], size: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the places of the feet, (n, 2, 3), and when they are on the floor, (n, 2).

    Feet below the hips that are near the floor are where those of the source are. Others, as of swimmers, are
    as far from the hips, in proportion to the legs.

    Args:
        size: (3,), the size of places.
    """
    thighs, feet = [leg[0] for leg in legs], [leg[2] for leg in legs]
    start, end = contact.joints[:, thighs], contact.joints[:, feet]
    length = fit.source.leg_length()
    low = np.clip(_FADED - contact.soles / (_NEAR_FLOOR * length), 0.0, 1.0)
    steep = np.clip(((start - end)[..., 2] / length - _FLAT) / (_STEEP - _FLAT), 0.0, 1.0)
    share = (low * steep)[..., None]
    places = share * end * size + (1.0 - share) * (heads[:, thighs] + size[2] * (end - start))
    places[..., 2] = size[2] * contact.soles + contact.depths
    return places, share[..., 0] > _ON_FLOOR


def _lacking(
    target: Skeleton, heads: Floats, legs: list[list[int]], aims: Floats, on_floor: NDArray[np.bool_]
) -> Floats:
    """Return how far the hips have to be lowered for the feet on the floor to reach their places, (n,)."""
    needed = np.zeros(len(heads))
    for number, leg in enumerate(legs):
        length = (1.0 - _REACHED) * lengths(target, leg).sum()
        apart = heads[:, leg[0]] - aims[:, number]
        aside = np.linalg.norm(apart[:, :2], axis=1)
        highest = np.sqrt(np.maximum(length**2 - aside**2, 0.0))
        down = np.where(on_floor[:, number] & (aside < length), apart[:, 2] - highest, 0.0)
        needed = np.maximum(needed, down)
    return needed


def _carry(target: Skeleton, limbs: Container[int], before: Floats, whole: Floats, heads: Floats) -> None:
    """Move the bones that hang on limbs with them."""
    for bone, parent in enumerate(target.parents.tolist()):
        if parent < 0:
            continue
        if bone not in limbs:
            whole[:, bone] = whole[:, parent] @ before[:, parent].swapaxes(-1, -2) @ before[:, bone]
        arm = target.turns[parent].T @ (target.heads[bone] - target.heads[parent])
        heads[:, bone] = heads[:, parent] + whole[:, parent] @ arm


# --- Paths ----------------------------------------


def turned(whole: Floats, heads: Floats, angle: float) -> tuple[Floats, Floats]:
    """Return poses that are rotated about the vertical, in radians."""
    turn = yaw(angle)
    return turn @ whole, heads @ turn.T


def heading(skeleton: Skeleton, heads: Floats, *, along_path: bool) -> float:
    """Return the angle in radians by which a motion has to be turned to start forward, along +Y.

    Args:
        skeleton: the model's skeleton.
        heads: (n, m, 3), joints.
        along_path: forward is the way from the first to the last pose; else what the first pose faces.
    """
    hips = skeleton.roles.get(LimbBone(BoneRole.HIPS), 0)
    if along_path:
        ahead = heads[-1, hips] - heads[0, hips]
    else:
        ahead = skeleton.posed(skeleton.turns, heads[0]).facing_exactly()
    if np.linalg.norm(ahead[:2]) < 1e-6:
        return 0.0
    turn = about_vertical(np.array([ahead[0], ahead[1], 0.0]), np.array([0.0, 1.0, 0.0]))
    return float(np.arctan2(turn[1, 0], turn[0, 0]))


def as_games_move(
    rest: RestPose, whole: Floats, heads: Floats, path: PathKind, scale: float, ways: PathSpeeds = NO_SPEEDS
) -> Retargeted:
    """Split the path of poses into the speed of an animation, and offsets of its poses.

    Args:
        rest: the model's rest pose.
        whole, heads: orientations (n, m, 3, 3) and joints (n, m, 3), tick by tick.
        path: where the path forward goes.
        scale: Blender units per unit of the game.
        ways: the speeds of the model for :attr:`PathKind.AUTO`.
    """
    first = heads[:, 0]
    if path is PathKind.AUTO:
        speeds, lateral = ways
    else:
        forward = first[:, 1] / scale
        speeds, lateral = (STILL if path is PathKind.OFFSETS else fit_speeds(forward, path)), STILL
    offsets = first.copy()
    offsets[:, 1] -= covered(speeds, len(first)) * scale
    offsets[:, 0] -= covered(lateral, len(first)) * scale
    turns, places = rest.local(quaternions(whole), offsets)
    moved = (offsets[-1] - offsets[0]) / scale
    moved[2] = 0.0
    return Retargeted(
        KeyPoses(np.arange(len(first), dtype=float), turns, places), PathSpeeds(speeds, lateral), moved
    )


def height_climbed(skeleton: Skeleton, model: Object, whole: Floats, heads: Floats, scale: float) -> float:
    """Return how much higher than the floor a motion ends, in units; 0 for small heights."""
    if not feet_of(skeleton):
        return 0.0
    height = float(sole_heights(skeleton, model, whole[-1:], heads[-1:]).min()) / scale
    return height if height > _RAISED else 0.0
