"""The bones that a control rig adds to a model: their places, turns and parents, by the model's limbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Object

from ....formats.base import Floats
from ...subjects.animations.keys.geometry import Chain, across, bent_chain, matrices, unit
from ...subjects.animations.keys.key_poses import RestPose, read_key_poses
from ...subjects.animations.showing import own_animations
from ...subjects.models.bones import own_bones, own_parent
from ...subjects.models.limbs import SINGLE_BONES, LimbKind
from .parts import LimbBones, RigPart

_PREFIXES = {
    RigPart.ROOT: "Control Root",
    RigPart.GROUND: "Ground",
    RigPart.TARGET: "IK",
    RigPart.HEEL: "Heel",
    RigPart.TOE: "Toe",
    RigPart.HOCK: "Hock",
    RigPart.POLE: "Pole",
    RigPart.LOOK: "Look",
    RigPart.IK_UPPER: "MCH",
    RigPart.IK_LOWER: "MCH",
    RigPart.IK_END: "MCH",
    RigPart.IK_PAW: "MCH",
    RigPart.JOINT: "Joint",
    RigPart.UPPER_TWIST: "Twist",
    RigPart.LOWER_TWIST: "Twist",
}
_SOME = 10  # animations that show how a foot usually stands
_CLEAR = 0.6  # cosine: axes that are nearer to one at rest than to the others
_BENT = np.radians(15)  # limbs that bend more at rest show which way they bend
# Height, back and front of a sole without a mesh, relative to the ankle: parts of the leg's length.
_SOLE = (-0.15, -0.07, 0.25)
_UPRIGHT = np.eye(3)
_FAR = 0.6  # of the model's size: from a head to what it looks at
_AROUND = 1.4  # times the width of a mesh: the ring around it
_CENTER = 0.3  # of the way from the first joint to the head: the middle of a body
_CONTROL, _BODY = "Control", "Body"  # the prefix of controls of the trunk, the control of the body


@dataclass(frozen=True, eq=False)
class Spec:
    """A bone to add."""

    #: limb, part: see :mod:`.parts`; -1 for the root.
    limb: int
    part: RigPart
    name: str
    parent: str | None  #: the name of its parent, None for none.
    turn: Floats  #: (3, 3), its orientation at rest.
    head: Floats  #: (3,), its joint.
    length: float


@dataclass(frozen=True, eq=False)
class Sole:
    """The sole of a foot relative to its ankle."""

    #: height, back, front: its height, and how far it goes back and to the front, where the model stands.
    height: float
    back: float
    front: float
    #: (3, 3), from the axes in which the model stands and faces +y to those at rest, in which the feet of
    #: some models point elsewhere.
    turn: Floats

    def place(self, ahead: float) -> Floats:
        """Return a point of the sole at rest, (3,)."""
        return np.asarray(self.turn @ np.array([0.0, ahead, self.height]), np.float64)


@dataclass(frozen=True, eq=False)
class Ring:
    """The control of a bone of the trunk, around its mesh."""

    height: float  #: above the joint.
    width: float
    turn: Floats  #: (3, 3), its axes at rest: y is where the model faces, z is up.
    is_top: bool  #: whether no bone hangs on it: it can look at something.
    center: Floats | None = None  #: (3,), the middle of the body, for the first bone.


Form = Sole | Ring


def _joints(armature: Object, names: Sequence[str]) -> Floats:
    bones = armature.data.bones
    return np.array([bones[name].head_local[:] for name in names], np.float64)


def _turn(armature: Object, name: str) -> Floats:
    return np.array(armature.data.bones[name].matrix_local.to_3x3(), np.float64)


def _sole(armatures: Sequence[Object], limb: LimbBones, facing: Floats) -> Sole:
    """Return the sole of a limb's end by the box of the mesh that hangs on it."""
    turn = _standing_turn(armatures[0], limb.names[-1], facing)
    points = _mesh_points(armatures, limb.names[-1]) @ turn
    if len(points) and np.ptp(points[:, 2]) > 0 and np.ptp(points[:, 1]) > 0:
        (_, back, height), front = points.min(axis=0), points[:, 1].max()
        return Sole(float(height), float(back), float(front), turn)
    size = np.linalg.norm(np.diff(_joints(armatures[0], limb.names), axis=0), axis=1).sum()
    height, back, front = (float(size * part) for part in _SOLE)
    return Sole(height, back, front, turn)


def _mesh_points(armatures: Sequence[Object], bone: str) -> Floats:
    """Return the vertices of the mesh on a bone relative to its joint, (n, 3); none without a mesh."""
    for armature in reversed(armatures):  # the drawn one first
        for part in armature.children:
            if part.type == "MESH" and part.parent_bone == bone and len(part.data.vertices):
                points = np.empty((len(part.data.vertices), 3), np.float32)
                part.data.vertices.foreach_get("co", points.ravel())
                return points.astype(np.float64)
    return np.empty((0, 3))


def _ring(armatures: Sequence[Object], limb: LimbBones, facing: Floats) -> Ring:
    """Return the control of a bone of the trunk: around the middle of a torso, on top of a head."""
    bone = armatures[0].data.bones[limb.names[0]]
    points = _mesh_points(armatures, bone.name)
    if not len(points):
        points = np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]]) * max(bone.length, 1e-3)
    low, high = points.min(axis=0), points.max(axis=0)
    side = np.asarray(np.cross(facing, (0.0, 0.0, 1.0)), np.float64)
    turn = np.stack([side, facing, (0.0, 0.0, 1.0)], axis=-1)
    is_top = all(own_parent(each) != bone for each in own_bones(armatures[0]))
    height = high[2] + 0.3 * np.ptp(points[:, 2]) if is_top else (low[2] + high[2]) / 2
    return Ring(float(height), _AROUND * float((high - low)[:2].max()), turn, is_top)


def _standing_turn(armature: Object, name: str, facing: Floats) -> Floats:
    """Return the rotation from a bone's usual axes in animations to those at rest, in right angles."""
    rest = RestPose.of(armature)
    number = rest.number(name)
    poses = [read_key_poses(action, armature, rest) for action in own_animations(armature)[:_SOME]]
    whole = [rest.pose(each.turns, each.places)[0][:, number] for each in poses if len(each.frames)]
    if whole:
        turns = matrices(np.concatenate(whole)) @ matrices(rest.turns[number]).T
        mean = turns.mean(axis=0).T
        found = np.where(np.abs(mean) > _CLEAR, np.sign(mean), 0.0)
        if np.allclose(found @ found.T, _UPRIGHT) and np.linalg.det(found) > 0:
            return np.asarray(found, np.float64)
    return np.array([[facing[1], facing[0], 0.0], [-facing[0], facing[1], 0.0], [0.0, 0.0, 1.0]])


def _bend(joints: Floats, kind: LimbKind, facing: Floats) -> Floats:
    """Return which way the middle joint of a limb goes: by the rest pose if it is clear, else by its kind."""
    along = unit(joints[2] - joints[0])
    aside = across(joints[1] - joints[0], along)
    if np.linalg.norm(aside) > np.sin(_BENT) * np.linalg.norm(joints[1] - joints[0]):
        return unit(aside)
    return facing if kind == LimbKind.LEG else -facing


def forms_of(armatures: Sequence[Object], limbs: Sequence[LimbBones], facing: Floats) -> list[Form]:
    """Return the forms of limbs' controls, by the meshes that hang on their ends."""
    result: list[Form] = []
    for limb in limbs:
        form = (_ring if limb.kind in SINGLE_BONES else _sole)(armatures, limb, facing)
        if isinstance(form, Ring) and limb.kind == LimbKind.BODY:
            single = (each.names[0] for each in limbs if each.kind in SINGLE_BONES)
            joints = _joints(armatures[0], [limb.names[0], *single])
            ways = joints - joints[0]
            furthest = ways[np.linalg.norm(ways, axis=1).argmax()]
            form = replace(form, center=joints[0] + _CENTER * furthest)
        result.append(form)
    return result


def plan_bones(
    armature: Object, limbs: Sequence[LimbBones], forms: Sequence[Form], facing: Floats
) -> list[Spec]:
    """Return the bones to add to an armature, parents first."""
    heads = _joints(armature, [bone.name for bone in own_bones(armature)])
    size = max(float(np.ptp(heads, axis=0).max()), 1e-3)
    root = Spec(-1, RigPart.ROOT, _PREFIXES[RigPart.ROOT], None, _UPRIGHT, np.zeros(3), 0.1 * size)
    ground = Spec(-1, RigPart.GROUND, _PREFIXES[RigPart.GROUND], root.name, _UPRIGHT, np.zeros(3), 0.1 * size)
    result = [root, ground]
    for number, (limb, form) in enumerate(zip(limbs, forms, strict=True)):
        if isinstance(form, Ring) and form.center is not None:
            result += _plan_body(armature, number, limb.names[0], form, form.center)
        elif isinstance(form, Ring):
            result += _plan_trunk(armature, number, limb.names[0], form, _FAR * size)
        else:
            result += _plan_limb(armature, number, limb, form, facing)
    return result


def _plan_trunk(armature: Object, number: int, bone: str, ring: Ring, far: float) -> list[Spec]:
    """Return the bones that turn one bone of the trunk. Its control is at its joint, its look far ahead."""
    (joint,) = _joints(armature, [bone])
    parent = armature.data.bones[bone].parent
    above = None if parent is None else parent.name
    control = f"{_CONTROL} {bone}"
    own, size, root = _turn(armature, bone), ring.width, _PREFIXES[RigPart.ROOT]
    result = [
        Spec(number, RigPart.JOINT, f"{_PREFIXES[RigPart.JOINT]} {bone}", above, _UPRIGHT, joint, 0.2 * size),
        Spec(number, RigPart.TARGET, control, root, ring.turn, joint, size),
        Spec(number, RigPart.IK_END, f"{_PREFIXES[RigPart.IK_END]} {bone}", control, own, joint, 0.2 * size),
    ]
    if ring.is_top:
        ahead = joint + far * ring.turn[:, 1]
        result.append(
            Spec(number, RigPart.LOOK, f"{_PREFIXES[RigPart.LOOK]} {bone}", root, _UPRIGHT, ahead, 0.3 * size)
        )
    return result


def _plan_body(armature: Object, number: int, bone: str, ring: Ring, center: Floats) -> list[Spec]:
    """Return the bones that move the body as a whole, and turn its first bone alone."""
    (joint,) = _joints(armature, [bone])
    tilt, helper = f"{_CONTROL} {bone}", f"{_PREFIXES[RigPart.IK_END]} {bone}"
    size = ring.width
    return [
        Spec(number, RigPart.TARGET, _BODY, _PREFIXES[RigPart.ROOT], _UPRIGHT, center, size),
        Spec(number, RigPart.TILT, tilt, _BODY, ring.turn, joint, size),
        Spec(number, RigPart.IK_END, helper, tilt, _turn(armature, bone), joint, 0.2 * size),
    ]


def _plan_limb(armature: Object, number: int, limb: LimbBones, sole: Sole, facing: Floats) -> list[Spec]:
    upper, lower, end = limb.names[:3]
    last = limb.names[-1]
    joints = _joints(armature, limb.names)
    bend = _bend(joints, limb.kind, facing)
    chain = bent_chain(joints[:3], bend)
    size = sum(chain.lengths)
    side = side_of(last)

    def name(part: RigPart, bone: str) -> str:
        stem = bone.removesuffix(side)
        return f"{_PREFIXES[part]} {stem}{side}"

    def spec(part: RigPart, bone: str, parent: str | None, turn: Floats, head: Floats, length: float) -> Spec:
        return Spec(number, part, name(part, bone), parent, turn, head, length)

    foot = joints[-1]
    is_paw = len(limb.names) == 4
    reach = sole.front - sole.back if limb.kind == LimbKind.LEG else 0.4 * size
    result = [spec(RigPart.TARGET, last, _PREFIXES[RigPart.ROOT], _UPRIGHT, foot, max(reach, 0.05 * size))]
    if is_paw:
        result.append(spec(RigPart.HOCK, end, result[0].name, _UPRIGHT, foot, 0.25 * size))
    elif limb.kind == LimbKind.LEG:
        for part, ahead in ((RigPart.HEEL, sole.back), (RigPart.TOE, sole.front)):
            place = foot + sole.place(ahead)
            result.append(spec(part, last, result[-1].name, sole.turn, place, 0.15 * size))
    above = result[-1].name
    result.append(spec(RigPart.IK_END, end, above, _turn(armature, end), joints[2], 0.15 * size))
    if is_paw:
        result.append(spec(RigPart.IK_PAW, last, result[0].name, _turn(armature, last), foot, 0.15 * size))
    result.append(spec(RigPart.POLE, upper, _PREFIXES[RigPart.ROOT], _UPRIGHT, chain.pole, 0.12 * size))
    parent = armature.data.bones[upper].parent
    result.append(
        spec(
            *(RigPart.IK_UPPER, upper, None if parent is None else parent.name),
            *(chain.upper, chain.start, chain.lengths[0]),
        )
    )
    helper = result[-1].name
    result.append(spec(RigPart.IK_LOWER, lower, helper, chain.lower, chain.middle, chain.lengths[1]))
    for part, bone, over, bones in (
        (RigPart.UPPER_TWIST, upper, helper, (0, 1)),
        (RigPart.LOWER_TWIST, lower, result[-1].name, (1, 2)),
    ):
        helper_turn = chain.upper if part == RigPart.UPPER_TWIST else chain.lower
        along = joints[bones[1]] - joints[bones[0]]
        at_rest = _along(chain, along)
        turn = helper_turn @ at_rest.T @ _turn(armature, bone)
        head = chain.start if part == RigPart.UPPER_TWIST else chain.middle
        result.append(spec(part, bone, over, turn, head, 0.3 * chain.lengths[bones[0]]))
    return result


def _along(chain: Chain, direction: Floats) -> Floats:
    """Return the frame of a game's limb at rest: along it, with the hinge of the helper chain as x."""
    y = unit(direction)
    x = unit(across(chain.upper[:, 0], y))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def side_of(name: str) -> str:
    """Return the suffix of a bone's side, so that names of controls end with it and can be mirrored."""
    return name[-2:] if name[-2:] in (".L", ".R") else ""
