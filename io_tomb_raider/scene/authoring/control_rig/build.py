"""Addition of a control rig to the armatures of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector

from ....formats import ExportError
from ....formats.base import Floats, T
from ...subjects.animations.keys.key_poses import RestPose, read_key_poses
from ...subjects.animations.showing import own_animations
from ...subjects.models.bones import own_bones
from ...subjects.models.limbs import LimbKind
from ...subjects.models.models import edit_mode
from .geometry import Chain, across, bent_chain, matrices, unit
from .parts import CONTROLS, DETAILS, OWN_PARTS, SWITCH, LimbBones, Part, RigLimb, rig_limbs
from .shapes import shape

CONTROLS_GROUP, DETAILS_GROUP, OWN_GROUP, HIDDEN_GROUP = "Controls", "Details", "FK", "Mechanism"
GROUP_MARK = "tomb_raider_rig"
GROUPS = (CONTROLS_GROUP, DETAILS_GROUP, OWN_GROUP, HIDDEN_GROUP)
_PREFIXES = {
    Part.ROOT: "Control Root",
    Part.TARGET: "IK",
    Part.HEEL: "Heel",
    Part.TOE: "Toe",
    Part.HOCK: "Hock",
    Part.POLE: "Pole",
    Part.IK_UPPER: "MCH",
    Part.IK_LOWER: "MCH",
    Part.IK_END: "MCH",
    Part.IK_PAW: "MCH",
    Part.UPPER_TWIST: "Twist",
    Part.LOWER_TWIST: "Twist",
}
_SOME = 10  # animations that show how a foot usually stands
_CLEAR = 0.6  # cosine: axes that are nearer to one at rest than to the others
_BENT = np.radians(15)  # limbs that bend more at rest show which way they bend
# Height, back and front of a sole without a mesh, relative to the ankle: parts of the leg's length.
_SOLE = (-0.15, -0.07, 0.25)
_UPRIGHT = np.eye(3)


@dataclass(frozen=True, eq=False)
class _Spec:
    """A bone to add."""

    #: limb, part: see :mod:`.parts`; -1 for the root.
    limb: int
    part: Part
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


def add_rig(armatures: Sequence[Object], limbs: Sequence[LimbBones], facing: Floats) -> list[RigLimb]:
    """Add the same control rig to armatures of a figure, switched to the keys of the model's own bones.

    Args:
        armatures: the model and those that are drawn in its place; the limbs' bones have the same names.
        facing: (3,), the horizontal direction that the model faces at rest.

    Returns:
        The limbs of the rig.

    Raises:
        ExportError: if a bone is missing or used twice, or a limb is no chain.
    """
    for armature in armatures:
        _check(armature, limbs)
    soles = [_sole(armatures, limb, facing) for limb in limbs]
    plans = [_plan(armature, limbs, soles, facing) for armature in armatures]
    with edit_mode(armatures):
        names = [_add_bones(armature, plan) for armature, plan in zip(armatures, plans, strict=True)]
    for armature, plan, made in zip(armatures, plans, names, strict=True):
        _mark(armature, limbs, plan, made)
        _arrange(armature, limbs, soles)
    return rig_limbs(armatures[0])


def _check(armature: Object, limbs: Sequence[LimbBones]) -> None:
    used: set[str] = set()
    bones = {bone.name: bone for bone in own_bones(armature)}
    for limb in limbs:
        above = None
        for name in limb.names:
            if name not in bones:
                raise ExportError(
                    armature.name, T("it has no bone {name}: choose the bones of its limbs again", name=name)
                )
            if name in used:
                raise ExportError(
                    armature.name, T("the bone {name} is in two limbs: choose another one", name=name)
                )
            if above is not None and bones[name].parent != bones[above]:
                raise ExportError(
                    armature.name,
                    T("the bone {name} is not a child of {above}, as in a limb", name=name, above=above),
                )
            used.add(name)
            above = name
        if len(limb.names) not in (3, 4):
            raise ExportError(armature.name, T("a limb has three bones, or four with a paw"))


def _joints(armature: Object, names: Sequence[str]) -> Floats:
    bones = armature.data.bones
    return np.array([bones[name].head_local[:] for name in names], np.float64)


def _turn(armature: Object, name: str) -> Floats:
    return np.array(armature.data.bones[name].matrix_local.to_3x3(), np.float64)


def _sole(armatures: Sequence[Object], limb: LimbBones, facing: Floats) -> Sole:
    """Return the sole of a limb's end by the box of the mesh that hangs on it."""
    turn = _standing_turn(armatures[0], limb.names[-1], facing)
    for armature in reversed(armatures):  # the drawn one first
        for part in armature.children:
            if part.type == "MESH" and part.parent_bone == limb.names[-1] and len(part.data.vertices):
                points = np.empty((len(part.data.vertices), 3), np.float32)
                part.data.vertices.foreach_get("co", points.ravel())
                ahead, up = points @ turn[:, 1], points @ turn[:, 2]
                if np.ptp(up) > 0 and np.ptp(ahead) > 0:
                    return Sole(float(up.min()), float(ahead.min()), float(ahead.max()), turn)
    size = np.linalg.norm(np.diff(_joints(armatures[0], limb.names), axis=0), axis=1).sum()
    height, back, front = (float(size * part) for part in _SOLE)
    return Sole(height, back, front, turn)


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


def _plan(armature: Object, limbs: Sequence[LimbBones], soles: Sequence[Sole], facing: Floats) -> list[_Spec]:
    """Return the bones to add to an armature, parents first."""
    heads = _joints(armature, [bone.name for bone in own_bones(armature)])
    size = max(float(np.ptp(heads, axis=0).max()), 1e-3)
    root = _Spec(-1, Part.ROOT, _PREFIXES[Part.ROOT], None, _UPRIGHT, np.zeros(3), 0.1 * size)
    result = [root]
    for number, (limb, sole) in enumerate(zip(limbs, soles, strict=True)):
        result += _plan_limb(armature, number, limb, sole, facing)
    return result


def _plan_limb(armature: Object, number: int, limb: LimbBones, sole: Sole, facing: Floats) -> list[_Spec]:
    upper, lower, end = limb.names[:3]
    last = limb.names[-1]
    joints = _joints(armature, limb.names)
    bend = _bend(joints, limb.kind, facing)
    chain = bent_chain(joints[:3], bend)
    size = sum(chain.lengths)
    side = _side_of(last)

    def name(part: Part, bone: str) -> str:
        stem = bone.removesuffix(side)
        return f"{_PREFIXES[part]} {stem}{side}"

    def spec(part: Part, bone: str, parent: str | None, turn: Floats, head: Floats, length: float) -> _Spec:
        return _Spec(number, part, name(part, bone), parent, turn, head, length)

    foot = joints[-1]
    is_paw = len(limb.names) == 4
    reach = sole.front - sole.back if limb.kind == LimbKind.LEG else 0.4 * size
    result = [spec(Part.TARGET, last, _PREFIXES[Part.ROOT], _UPRIGHT, foot, max(reach, 0.05 * size))]
    if is_paw:
        result.append(spec(Part.HOCK, end, result[0].name, _UPRIGHT, foot, 0.25 * size))
    elif limb.kind == LimbKind.LEG:
        for part, ahead in ((Part.HEEL, sole.back), (Part.TOE, sole.front)):
            place = foot + sole.place(ahead)
            result.append(spec(part, last, result[-1].name, sole.turn, place, 0.15 * size))
    above = result[-1].name
    result.append(spec(Part.IK_END, end, above, _turn(armature, end), joints[2], 0.15 * size))
    if is_paw:
        result.append(spec(Part.IK_PAW, last, result[0].name, _turn(armature, last), foot, 0.15 * size))
    result.append(spec(Part.POLE, upper, _PREFIXES[Part.ROOT], _UPRIGHT, chain.pole, 0.12 * size))
    parent = armature.data.bones[upper].parent
    result.append(
        spec(
            *(Part.IK_UPPER, upper, None if parent is None else parent.name),
            *(chain.upper, chain.start, chain.lengths[0]),
        )
    )
    helper = result[-1].name
    result.append(spec(Part.IK_LOWER, lower, helper, chain.lower, chain.middle, chain.lengths[1]))
    for part, bone, over, bones in (
        (Part.UPPER_TWIST, upper, helper, (0, 1)),
        (Part.LOWER_TWIST, lower, result[-1].name, (1, 2)),
    ):
        helper_turn = chain.upper if part == Part.UPPER_TWIST else chain.lower
        along = joints[bones[1]] - joints[bones[0]]
        at_rest = _along(chain, along)
        turn = helper_turn @ at_rest.T @ _turn(armature, bone)
        head = chain.start if part == Part.UPPER_TWIST else chain.middle
        result.append(spec(part, bone, over, turn, head, 0.3 * chain.lengths[bones[0]]))
    return result


def _along(chain: Chain, direction: Floats) -> Floats:
    """Return the frame of a game's limb at rest: along it, with the hinge of the helper chain as x."""
    y = unit(direction)
    x = unit(across(chain.upper[:, 0], y))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _side_of(name: str) -> str:
    """Return the suffix of a bone's side, so that names of controls end with it and can be mirrored."""
    return name[-2:] if name[-2:] in (".L", ".R") else ""


def _add_bones(armature: Object, plan: Sequence[_Spec]) -> list[str]:
    """Add bones in edit mode, and return their names."""
    bones: Any = armature.data.edit_bones
    made: dict[str, Any] = {}
    names = []
    for spec in plan:
        bone = bones.new(spec.name)
        bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, spec.length, 0.0)
        matrix = Matrix(spec.turn.tolist()).to_4x4()
        matrix.translation = spec.head.tolist()
        bone.matrix = matrix
        bone.use_deform = False
        if spec.parent is not None:
            bone.parent = made.get(spec.parent) or bones[spec.parent]
        made[spec.name] = bone
        names.append(bone.name)
    return names


def _mark(armature: Object, limbs: Sequence[LimbBones], plan: Sequence[_Spec], names: Sequence[str]) -> None:
    """Store what the bones are in the rig."""
    bones = armature.data.bones
    for spec, name in zip(plan, names, strict=True):
        settings: Any = bones[name].tomb_raider
        settings.control, settings.limb, settings.part = True, spec.limb, spec.part
        settings.imported_name = name
    for number, limb in enumerate(limbs):
        for part, name in zip(OWN_PARTS, limb.names, strict=False):
            settings = bones[name].tomb_raider
            settings.limb, settings.part = number, part


def _arrange(armature: Object, limbs: Sequence[LimbBones], soles: Sequence[Sole]) -> None:
    """Add constraints, drivers, shapes, colors and collections."""
    for limb, bones, sole in zip(rig_limbs(armature), limbs, soles, strict=True):
        _add_switch(armature, limb)
        _constrain(armature, limb)
        _decorate(armature, limb, bones, sole)
    _decorate_trunk(armature, limbs, _group(armature))


def _add_switch(armature: Object, limb: RigLimb) -> None:
    control: Any = armature.pose.bones[limb.target]
    control[SWITCH] = 0.0
    settings = control.id_properties_ui(SWITCH)
    # Under the NLA editor, actions without keys of it show the default.
    settings.update(
        default=0.0, min=0.0, max=1.0, soft_min=0.0, soft_max=1.0, description="Pose by this control"
    )


def _constrain(armature: Object, limb: RigLimb) -> None:
    bones, parts = armature.pose.bones, limb.bones
    reach: Any = bones[parts[Part.IK_LOWER]].constraints.new("IK")
    reach.target, reach.subtarget = armature, parts[Part.IK_END]
    reach.pole_target, reach.pole_subtarget = armature, parts[Part.POLE]
    reach.chain_count, reach.use_stretch, reach.pole_angle = 2, False, pi / 2
    copies = {
        Part.UPPER: Part.UPPER_TWIST,
        Part.LOWER: Part.LOWER_TWIST,
        Part.END: Part.IK_END,
        Part.PAW: Part.IK_PAW,
    }
    for own, source in copies.items():
        if own not in parts or source not in parts:
            continue
        follow: Any = bones[parts[own]].constraints.new("COPY_ROTATION")
        follow.name = SWITCH
        follow.target, follow.subtarget = armature, parts[source]
        driver = follow.driver_add("influence").driver
        driver.type = "SUM"  # without Python
        variable = driver.variables.new()
        variable.type = "SINGLE_PROP"
        variable.targets[0].id = armature
        variable.targets[0].data_path = limb.switch


# Normal, selected and active; Blender's own dark red and blue hardly show on the gray of its 3D view.
_COLORS = {
    ".L": ((0.95, 0.2, 0.15), (1.0, 0.6, 0.5), (1.0, 0.85, 0.8)),
    ".R": ((0.2, 0.5, 1.0), (0.5, 0.8, 1.0), (0.8, 0.95, 1.0)),
    "": ((0.95, 0.7, 0.1), (1.0, 0.9, 0.4), (1.0, 1.0, 0.75)),
}
_SHAPES = {Part.HEEL: "Wedge", Part.TOE: "Wedge", Part.HOCK: "Wedge", Part.POLE: "Ball"}


def _decorate(armature: Object, limb: RigLimb, bones: LimbBones, sole: Sole) -> None:
    pose = armature.pose.bones
    for part, name in limb.bones.items():
        if part in OWN_PARTS:
            continue
        bone: Any = pose[name]
        _color(bone, _side_of(name))
        bone.lock_scale = (True, True, True)
        if part in (Part.HEEL, Part.TOE, Part.HOCK, *DETAILS):
            bone.lock_location = (True, True, True)
        if part == Part.POLE:
            bone.lock_rotation, bone.lock_rotation_w = (True, True, True), True
        if part in CONTROLS:
            bone.custom_shape = shape(_SHAPES.get(part, "Ring"))
        if part == Part.TARGET and bones.kind == LimbKind.LEG:
            bone.custom_shape = shape("Sole")
            bone.custom_shape_translation = Vector(sole.place((sole.back + sole.front) / 2).tolist())
            bone.custom_shape_rotation_euler = Matrix(sole.turn.tolist()).to_euler()


def _color(bone: Any, side: str) -> None:
    bone.color.palette = "CUSTOM"
    bone.color.custom.normal, bone.color.custom.select, bone.color.custom.active = _COLORS[side]


def _group(armature: Object) -> Any:
    """Sort the bones into collections, and return that of the controls.

    They are below that of the model's bones, which is hidden outside pose mode.
    """
    data: Any = armature.data
    parent = data.collections_all.get("Bones")
    groups = {name: data.collections.new(name, parent=parent) for name in GROUPS}
    for group in groups.values():
        group[GROUP_MARK] = True  # users may have collections of these names
    groups[HIDDEN_GROUP].is_visible = groups[DETAILS_GROUP].is_visible = False
    for bone in data.bones:
        part = bone.tomb_raider.part
        if not part:
            continue
        if part in OWN_PARTS:
            group = groups[OWN_GROUP]
            if parent is not None:
                parent.unassign(bone)
        elif part in CONTROLS:
            group = groups[CONTROLS_GROUP]
        else:
            group = groups[DETAILS_GROUP if part in DETAILS else HIDDEN_GROUP]
        group.assign(bone)
    return groups[CONTROLS_GROUP]


def _decorate_trunk(armature: Object, limbs: Sequence[LimbBones], group: Any) -> None:
    """Give hips, torso and head shapes of controls: their own keys count."""
    bones = armature.data.bones
    found: dict[str, str] = {}
    for kind, name in ((LimbKind.LEG, "Box"), (LimbKind.ARM, "Arc")):
        above = {bones[limb.names[0]].parent for limb in limbs if limb.kind == kind}
        for bone in above - {None}:
            found.setdefault(bone.name, name)
    if "Head" in bones and not bones["Head"].tomb_raider.part:
        found.setdefault("Head", "Arc")
    for name, drawn in found.items():
        shown: Any = armature.pose.bones[name]
        if shown.custom_shape is None and not bones[name].tomb_raider.control:
            shown.custom_shape = shape(drawn)
            _color(shown, "")
            group.assign(bones[name])
