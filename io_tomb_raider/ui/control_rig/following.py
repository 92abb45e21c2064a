"""Operators by which controls of a rig follow other bones and objects, hold still, or look at something."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, IntProperty
from bpy.types import Action, Context, Object

from ...formats.base import T
from ..animations.playing import refresh_pose
from ..base.active import active_scene
from ..base.modes import UserMode
from ..base.operators import Outcome
from ..base.reports import ToolError, report_line, set_poll_message
from ..base.text.i18n import translate
from .operators import RigTool, preview_range, rigged_armature

if TYPE_CHECKING:
    from ...scene.authoring.control_rig import RigAtRest, RigLimb

_FRAMES = [
    ("ON", "From Here On", "From the current frame to the last one"),
    ("RANGE", "Preview Range", "The preview range, or otherwise the scene range"),
    ("ALL", "Whole Animation", "All frames of the animation"),
]
_OBJECT = "OBJECT:"  # before the name of an object that no control follows yet
_shown: list[tuple[str, str, str, str, int]] = []  # Blender does not keep the strings of dynamic enumerations


def active_control(context: Context) -> "tuple[Object, RigLimb, str] | None":
    """Return the armature, the limb and the name of the active bone if it is a control that has keys."""
    from ...scene.authoring.control_rig import rig_limbs

    armature, bone = rigged_armature(context), context.active_pose_bone
    if armature is None or bone is None or bone.id_data != armature:
        return None
    limb = next((each for each in rig_limbs(armature) if bone.name in each.controls()), None)
    return None if limb is None else (armature, limb, bone.name)


def _spaces(_tool: object, context: Context | None) -> list[tuple[str, str, str, str, int]]:
    from ...scene.authoring.control_rig import figure_of, space_choices

    active = None if context is None else active_control(context)
    _shown.clear()
    if context is not None and active is not None:
        armature, _, control = active
        texts = _texts(armature)
        known = space_choices(armature, control)
        for choice in known:
            name, about = texts.get(choice.bone, (choice.label, ""))
            icon = "OBJECT_DATA" if choice.is_object else "BONE_DATA"
            _shown.append((choice.bone, name, about, icon, len(_shown)))
        names = {choice.label for choice in known if choice.is_object}
        figure = figure_of(armature)
        for obj in context.selected_objects or ():
            if obj not in figure and obj.name not in names and obj.parent not in figure:
                _shown.append(
                    (
                        _OBJECT + obj.name,
                        obj.name,
                        translate(T("A selected object")),
                        "OBJECT_DATA",
                        len(_shown),
                    )
                )
    return _shown or [("NONE", "Nothing", "The active bone is no control", "NONE", 0)]


def _texts(armature: Object) -> dict[str, tuple[str, str]]:
    """Return the names and descriptions of the bones of a rig that are no bones of the model."""
    from ...scene.authoring.control_rig import RigPart, rig_bone

    root, ground = (rig_bone(armature, part) for part in (RigPart.ROOT, RigPart.GROUND))
    return {
        root: (translate(T("Model")), translate(T("The place of the model"))),
        ground: (
            translate(T("Ground")),
            translate(T("The floor, which moves back under the model by the speed of the animation")),
        ),
    }


def followed_name(armature: Object, control: str) -> str:
    """Return the name of what a control follows now."""
    from ...scene.authoring.control_rig import SPACE, followed_bones

    bones = followed_bones(armature, control)
    owner: Any = armature.pose.bones[control]
    bone = bones[min(int(owner.get(SPACE, 0)), len(bones) - 1)]
    return _texts(armature).get(bone, (bone, ""))[0]


class _ControlTool(RigTool):
    """Base of operators on the active control of the rig."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        if not super().poll(context):
            return False
        if active_control(context) is None:
            set_poll_message(cls, T("Make a control active, in Pose Mode"))
            return False
        return True

    def control(self, context: Context) -> "tuple[RigAtRest, Action, RigLimb, str]":
        """Return the rig, the animation, the limb and the active control that poses it. Raises ToolError."""
        from ...scene.authoring.control_rig import has_keys

        active, action = active_control(context), self.shown(context)
        assert active is not None
        armature, limb, name = active
        if not has_keys(action, armature, limb):
            raise ToolError(T("{limb} does not follow its control here: press Use Controls", limb=limb.name))
        return self.rig(context), action, limb, name

    def selected(self, context: Context, rig: "RigAtRest", action: Action) -> "list[tuple[RigLimb, str]]":
        """Return the selected controls that pose their limbs, each with its limb, the active one first."""
        from ...scene.authoring.control_rig import has_keys

        names = [bone.name for bone in (context.active_pose_bone, *context.selected_pose_bones)]
        found = {name: limb for name in names for limb in rig.limbs if name in limb.controls()}
        return [(limb, name) for name, limb in found.items() if has_keys(action, rig.armature, limb)]


class TOMB_RAIDER_OT_change_space(_ControlTool):
    """Have the selected controls follow a bone or a selected object. The pose stays the same"""

    bl_idname = "tomb_raider.change_space"
    bl_label = "Follow"

    space: EnumProperty(name="Follow", items=_spaces, description="What the control follows")
    frames: EnumProperty(name="Frames", items=_FRAMES, default="ALL", description="Where it follows that")

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import add_space, change_space, figure_of, space_choices

        rig, action, _, _ = self.control(context)
        bone = self._bone(context, rig, action)
        for _, control in self.selected(context, rig, action):
            if bone in (choice.bone for choice in space_choices(rig.armature, control)):
                index = add_space(figure_of(rig.armature), control, bone)
                change_space(rig, action, control, index, *self._range(context, action))
        refresh_pose(context)
        return {"FINISHED"}

    def _bone(self, context: Context, rig: "RigAtRest", action: Action) -> str:
        """Return the name of the bone to follow; that of an object is added, the ground gets keys."""
        from ...scene.authoring.control_rig import RigPart, add_object, figure_of, rig_bone
        from ...scene.authoring.motion import key_ground

        if self.space == rig_bone(rig.armature, RigPart.GROUND):
            return key_ground(rig, action)
        if not self.space.startswith(_OBJECT):
            return str(self.space)
        obj: Any = bpy.data.objects.get(self.space.removeprefix(_OBJECT))
        if obj is None:
            raise ToolError(T("The object was deleted: choose another one"))
        mode = UserMode(context)
        mode.leave()
        try:
            return add_object(figure_of(rig.armature), obj)
        finally:
            mode.enter_again()

    def _range(self, context: Context, action: Action) -> tuple[float, float]:
        scene = active_scene(context)
        first, last = action.frame_range
        if self.frames == "ON":
            return float(scene.frame_current), float(last)
        if self.frames == "RANGE":
            start, end = preview_range(context)
            return max(first, start), min(last, end)
        return float(first), float(last)


class TOMB_RAIDER_OT_hold_control(_ControlTool):
    """Hold the selected controls where they are for some frames: feet on the ground, hands in their spaces"""

    bl_idname = "tomb_raider.hold_control"
    bl_label = "Hold Still"

    first: IntProperty(
        name="First",
        default=-1,
        description="First frame. By default that of the selected keys, of the preview range, or of the "
        "foot's contact with the ground",
        options={"SKIP_SAVE"},
    )
    last: IntProperty(name="Last", default=-1, description="Last frame", options={"SKIP_SAVE"})

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import first_few

        rig, action, limb, control = self.control(context)
        if self.last < self.first or self.last < 0:
            self.first, self.last = self._range(context, rig, action, limb, control)
        selected = self.selected(context, rig, action)
        for limb, name in selected:
            self._hold(context, rig, action, limb, name)
        refresh_pose(context)
        names = first_few([name for _, name in selected], 3)
        text = T("{names}: still from {first} to {last}", names=names, first=self.first, last=self.last)
        report_line(self, "INFO", text)
        return {"FINISHED"}

    def _hold(
        self, context: Context, rig: "RigAtRest", action: Action, limb: "RigLimb", control: str
    ) -> None:
        import numpy as np

        from ...scene.authoring.control_rig import Hold, change_space, spaces_at
        from ...scene.authoring.motion import hold_on_ground

        start = round(action.frame_range[0])
        now = min(max(active_scene(context).frame_current, self.first), self.last)
        if limb.stands and control == limb.target:
            hold_on_ground(rig, action, limb, self.first - start, self.last - start, now - start)
            return
        (index,) = spaces_at(action, rig.armature, control, np.array([float(now)]))
        hold = Hold(float(now), turns=True)
        change_space(rig, action, control, index, float(self.first), float(self.last), hold)

    def _range(
        self, context: Context, rig: "RigAtRest", action: Action, limb: "RigLimb", control: str
    ) -> tuple[int, int]:
        from ...scene.authoring.control_rig import selected_keys
        from ...scene.authoring.motion import Ticks, contacts

        selected = selected_keys(action, rig.armature, control)
        if len(selected) > 1:
            return round(selected[0]), round(selected[-1])
        scene = active_scene(context)
        if scene.use_preview_range:
            return preview_range(context)
        if limb.stands:
            start = round(action.frame_range[0])
            ticks = Ticks.of(action, rig.armature)
            now = scene.frame_current - start
            for first, last in contacts(ticks, limb):
                if any(first <= tick <= last for tick in (now, now + len(ticks))):
                    return first + start, last + start
        raise ToolError(T("Select keys of the control, or set a preview range"))


class TOMB_RAIDER_OT_look_at(_ControlTool):
    """Have the head look at its target, or stop that. The pose stays the same"""

    bl_idname = "tomb_raider.look_at"
    bl_label = "Look at Target"

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import LOOK, RigPart, set_look

        rig, action, limb, _ = self.control(context)
        if RigPart.LOOK not in limb.bones:
            raise ToolError(T("{limb} has no target to look at", limb=limb.name))
        control: Any = rig.armature.pose.bones[limb.target]
        set_look(rig, action, limb, is_on=not control[LOOK])
        refresh_pose(context)
        return {"FINISHED"}


class TOMB_RAIDER_OT_plant_on_ground(RigTool):
    """Have feet stay on the ground wherever the animation sets them down, as far as the legs reach"""

    bl_idname = "tomb_raider.plant_on_ground"
    bl_label = "Plant on Ground"

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import has_keys
        from ...scene.authoring.motion import plant_on_ground

        action = self.shown(context)
        rig = self.rig(context)
        names = {bone.name for bone in context.selected_pose_bones or ()}
        feet = [limb for limb in rig.limbs if limb.stands and has_keys(action, rig.armature, limb)]
        feet = [limb for limb in feet if names & {*limb.bones.values()}] or feet
        if not feet:
            raise ToolError(T("No foot follows its control in this animation: press Use Controls"))
        count = plant_on_ground(rig, action, feet)
        refresh_pose(context)
        if not count:
            raise ToolError(T("The animation sets no foot down within its reach"))
        report_line(self, "INFO", T("Times that a foot stands on the ground: {count}", count=count))
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_change_space,
        TOMB_RAIDER_OT_hold_control,
        TOMB_RAIDER_OT_look_at,
        TOMB_RAIDER_OT_plant_on_ground,
    )
)
