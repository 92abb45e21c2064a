"""The controls of a rig as buttons in the form of a body, to select them without searching in the view."""

from typing import Any

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event, Object, UILayout

from ...formats.base import T
from ...scene.core.blender import compat
from ..base.reports import Outcome, set_poll_message
from .operators import RigTool, rigged_armature
from .reach import is_out_of_reach


class TOMB_RAIDER_OT_select_control(RigTool):
    """Select this control. Shift: keep what is selected"""

    bl_idname = "tomb_raider.select_control"
    bl_label = "Select Control"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    bone: StringProperty(name="Bone", description="Name of the control", options={"SKIP_SAVE"})
    extend: BoolProperty(name="Extend", description="Keep what is selected", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not super().poll(context):
            return False
        if context.mode != "POSE":
            set_poll_message(cls, T("Go to Pose Mode first"))
            return False
        return True

    def edited(self, context: Context) -> list[Any]:
        return []

    def invoke(self, context: Context, event: Event) -> Outcome:
        self.extend = event.shift
        return self.execute(context)

    def execute(self, context: Context) -> Outcome:
        armature: Any = rigged_armature(context)
        wanted = armature.pose.bones.get(self.bone)
        if wanted is None:
            return {"CANCELLED"}
        if not self.extend:
            for bone in context.selected_pose_bones or ():
                compat.select_bone(bone, False)
        compat.select_bone(wanted)
        armature.data.bones.active = wanted.bone
        return {"FINISHED"}


def draw_picker(layout: UILayout, armature: Object) -> None:
    """Draw a button for each control, as the body is seen from behind."""
    from ...scene.authoring.control_rig import RigPart, rig_limbs
    from ...scene.subjects.models import own_bones

    limbs = rig_limbs(armature)
    trunk = [limb for limb in limbs if limb.is_trunk and not limb.is_body]
    arms = [limb for limb in limbs if not limb.is_trunk and not limb.stands]
    feet = [limb for limb in limbs if limb.stands]
    column = layout.column(align=True)
    for limb in trunk[:0:-1]:
        _draw_limb(column.row(align=True), armature, limb)
    row = column.row(align=True)
    _draw_limbs(row, armature, arms[:1])
    _draw_limbs(row, armature, trunk[:1])
    _draw_limbs(row, armature, arms[1:2])
    row = column.row(align=True)
    body = next((limb for limb in limbs if limb.is_body), None)
    if body is None:
        hips = own_bones(armature)[0]
        _draw_bone(row, armature, hips.name, hips.name)
    else:
        _draw_bone(row, armature, body.target, body.target)
        _draw_bone(row, armature, body.bones[RigPart.TILT], body.name)
    for pair in (*_pairs(arms[2:]), *_pairs(feet)):
        _draw_limbs(column.row(align=True), armature, pair)


def _pairs(limbs: list[Any]) -> list[list[Any]]:
    return [limbs[first : first + 2] for first in range(0, len(limbs), 2)]


def _draw_limbs(row: UILayout, armature: Object, limbs: list[Any]) -> None:
    for limb in limbs:
        _draw_limb(row, armature, limb)


def _draw_limb(row: UILayout, armature: Object, limb: Any) -> None:
    from ...scene.authoring.control_rig import RigPart

    part = row.row(align=True)
    part.alert = is_out_of_reach(armature, limb)
    _draw_bone(part, armature, limb.target, limb.name)
    for other, icon in ((RigPart.POLE, "SPHERE"), (RigPart.LOOK, "HIDE_OFF")):
        if other in limb.bones:
            _draw_bone(part, armature, limb.bones[other], "", icon)


def _draw_bone(row: UILayout, armature: Object, name: str, text: str, icon: Any = "NONE") -> None:
    bone: Any = armature.pose.bones.get(name)
    if bone is None:
        return
    button = row.operator(
        "tomb_raider.select_control",
        text=text,
        icon=icon,
        depress=compat.is_bone_selected(bone),
        translate=False,
    )
    button.bone = name


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_select_control,))
