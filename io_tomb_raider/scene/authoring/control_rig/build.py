"""Addition of a control rig to the armatures of a model."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

from bpy.types import Object
from mathutils import Matrix, Vector

from ....formats import ExportError
from ....formats.base import Floats, T
from ...subjects.models.bones import own_bones
from ...subjects.models.limbs import SINGLE_BONES, LimbKind
from ...subjects.models.models import edit_mode
from .parts import (
    CONTROLS,
    DETAILS,
    HIDDEN_GROUP,
    LOOK,
    OWN_PARTS,
    SWITCH,
    LimbBones,
    RigLimb,
    RigPart,
    rig_limbs,
)
from .plan import Form, Ring, Spec, forms_of, plan_bones, side_of
from .shapes import shape
from .spaces import add_space

CONTROLS_GROUP, DETAILS_GROUP, OWN_GROUP = "Controls", "Details", "FK"
GROUP_MARK = "tomb_raider_rig"
GROUPS = (CONTROLS_GROUP, DETAILS_GROUP, OWN_GROUP, HIDDEN_GROUP)


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
    forms = forms_of(armatures, limbs, facing)
    plans = [plan_bones(armature, limbs, forms, facing) for armature in armatures]
    with edit_mode(armatures):
        names = [_add_bones(armature, plan) for armature, plan in zip(armatures, plans, strict=True)]
    for armature, plan, made in zip(armatures, plans, names, strict=True):
        _mark(armature, limbs, plan, made)
        _arrange(armature, limbs, forms)
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
        first = own_bones(armature)[0].name
        if limb.kind == LimbKind.BODY and limb.names[0] != first:
            text = T("a body has the first bone of the model, {name}: choose that one", name=first)
            raise ExportError(armature.name, text)
        if len(limb.names) not in ((1,) if limb.kind in SINGLE_BONES else (3, 4)):
            text = T("a limb has three bones, four with a paw, or one in the trunk")
            raise ExportError(armature.name, text)


def _add_bones(armature: Object, plan: Sequence[Spec]) -> list[str]:
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


def _mark(armature: Object, limbs: Sequence[LimbBones], plan: Sequence[Spec], names: Sequence[str]) -> None:
    """Store what the bones are in the rig."""
    bones = armature.data.bones
    for spec, name in zip(plan, names, strict=True):
        settings: Any = bones[name].tomb_raider
        settings.control, settings.limb, settings.part = True, spec.limb, spec.part
        settings.imported_name = name
    for number, limb in enumerate(limbs):
        parts = (RigPart.END,) if limb.kind in SINGLE_BONES else OWN_PARTS
        for part, name in zip(parts, limb.names, strict=False):
            settings = bones[name].tomb_raider
            settings.limb, settings.part = number, part


def _arrange(armature: Object, limbs: Sequence[LimbBones], forms: Sequence[Form]) -> None:
    """Add constraints, drivers, shapes, colors and collections."""
    made = rig_limbs(armature)
    body = next((limb.target for limb in made if limb.is_body), "")
    for limb, bones, form in zip(made, limbs, forms, strict=True):
        _add_switch(armature, limb)
        _constrain(armature, limb)
        if body and limb.is_trunk and not limb.is_body:
            add_space([armature], limb.target, body)
        _decorate(armature, limb, bones, form)
    _decorate_trunk(armature, limbs, _group(armature))


def _add_switch(armature: Object, limb: RigLimb) -> None:
    _add_property(armature.pose.bones[limb.target], SWITCH, "Pose by this control")


def _add_property(control: Any, name: str, description: str) -> None:
    control[name] = 0.0
    settings = control.id_properties_ui(name)
    # Under the NLA editor, actions without keys of it show the default.
    settings.update(default=0.0, min=0.0, max=1.0, soft_min=0.0, soft_max=1.0, description=description)


def _constrain(armature: Object, limb: RigLimb) -> None:
    bones, parts = armature.pose.bones, limb.bones
    if limb.is_body:
        _copy(armature, limb, RigPart.END, RigPart.IK_END, "COPY_LOCATION")
    elif limb.is_trunk:
        place: Any = bones[limb.target].constraints.new("COPY_LOCATION")
        place.target, place.subtarget = armature, parts[RigPart.JOINT]
        if RigPart.LOOK in parts:
            _add_look(armature, limb)
    else:
        reach: Any = bones[parts[RigPart.IK_LOWER]].constraints.new("IK")
        reach.target, reach.subtarget = armature, parts[RigPart.IK_END]
        reach.pole_target, reach.pole_subtarget = armature, parts[RigPart.POLE]
        reach.chain_count, reach.use_stretch, reach.pole_angle = 2, False, pi / 2
    copies = {
        RigPart.UPPER: RigPart.UPPER_TWIST,
        RigPart.LOWER: RigPart.LOWER_TWIST,
        RigPart.END: RigPart.IK_END,
        RigPart.PAW: RigPart.IK_PAW,
    }
    for own, source in copies.items():
        if own in parts and source in parts:
            _copy(armature, limb, own, source, "COPY_ROTATION")


def _copy(armature: Object, limb: RigLimb, own: RigPart, source: RigPart, kind: Any) -> None:
    """Have a bone of the model follow one of the rig, as far as its limb is switched on."""
    follow: Any = armature.pose.bones[limb.bones[own]].constraints.new(kind)
    follow.name = SWITCH
    follow.target, follow.subtarget = armature, limb.bones[source]
    _drive(follow, armature, limb.switch)


def _drive(constraint: Any, armature: Object, path: str) -> None:
    """Have a custom property be the influence of a constraint."""
    driver = constraint.driver_add("influence").driver
    driver.type = "SUM"  # without Python
    variable = driver.variables.new()
    variable.type = "SINGLE_PROP"
    variable.targets[0].id, variable.targets[0].data_path = armature, path


def _add_look(armature: Object, limb: RigLimb) -> None:
    control: Any = armature.pose.bones[limb.target]
    _add_property(control, LOOK, "Turn to the target of the look")
    look = control.constraints.new("DAMPED_TRACK")
    look.target, look.subtarget, look.track_axis = armature, limb.bones[RigPart.LOOK], "TRACK_Y"
    _drive(look, armature, limb.property_path(LOOK))


# Normal, selected and active; Blender's own dark red and blue hardly show on the gray of its 3D view.
_COLORS = {
    ".L": ((0.95, 0.2, 0.15), (1.0, 0.6, 0.5), (1.0, 0.85, 0.8)),
    ".R": ((0.2, 0.5, 1.0), (0.5, 0.8, 1.0), (0.8, 0.95, 1.0)),
    "": ((0.95, 0.7, 0.1), (1.0, 0.9, 0.4), (1.0, 1.0, 0.75)),
}
_SHAPES = {
    RigPart.HEEL: "Wedge",
    RigPart.TOE: "Wedge",
    RigPart.HOCK: "Wedge",
    RigPart.POLE: "Ball",
    RigPart.LOOK: "Ball",
}

_BODY_BOX = (1.3, 1.3, 0.2)  # in lengths of the bone


def _decorate(armature: Object, limb: RigLimb, bones: LimbBones, form: Form) -> None:
    pose = armature.pose.bones
    for part, name in limb.bones.items():
        if part in OWN_PARTS:
            continue
        bone: Any = pose[name]
        _color(bone, side_of(name))
        bone.lock_scale = (True, True, True)
        if part in (RigPart.HEEL, RigPart.TOE, RigPart.HOCK, *DETAILS):
            bone.lock_location = (True, True, True)
        if part in (RigPart.POLE, RigPart.LOOK):
            bone.lock_rotation, bone.lock_rotation_w = (True, True, True), True
        if part in CONTROLS:
            bone.custom_shape = shape(_SHAPES.get(part, "Ring"))
        if part == RigPart.TARGET and limb.is_body:
            bone.custom_shape = shape("Box")
            bone.custom_shape_scale_xyz = _BODY_BOX
        elif part in (RigPart.TARGET, RigPart.TILT) and isinstance(form, Ring):
            bone.lock_location = (True, True, True)
            bone.custom_shape = shape("Halo")
            bone.custom_shape_translation = Vector((0.0, 0.0, form.height))
        elif part == RigPart.TARGET and bones.kind == LimbKind.LEG:
            bone.custom_shape = shape("Sole")
            bone.custom_shape_translation = Vector(form.place((form.back + form.front) / 2).tolist())
            bone.custom_shape_rotation_euler = Matrix(form.turn.tolist()).to_euler()


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
    """Give hips, and torso and head that have no controls, shapes of controls: their own keys count."""
    bones = armature.data.bones
    found: dict[str, str] = {}
    for kind, name in ((LimbKind.LEG, "Box"), (LimbKind.ARM, "Arc")):
        above = {bones[limb.names[0]].parent for limb in limbs if limb.kind == kind}
        for bone in above - {None}:
            found.setdefault(bone.name, name)
    if "Head" in bones:
        found.setdefault("Head", "Arc")
    for name, drawn in found.items():
        shown: Any = armature.pose.bones[name]
        settings: Any = bones[name].tomb_raider
        if shown.custom_shape is None and not settings.control and not settings.part:
            shown.custom_shape = shape(drawn)
            _color(shown, "")
            group.assign(bones[name])
