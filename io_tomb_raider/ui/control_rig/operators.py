"""Operators that add, match, switch, bake and remove control rigs."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty
from bpy.types import Action, Context, Object

from ...formats.base import T
from ...scene.properties import CONTEXT
from ..animations.playing import refresh_pose
from ..base.active import active_scene
from ..base.modes import UserMode
from ..base.operators import EditingTool
from ..base.reports import Outcome, ToolError, report_line, set_poll_message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...scene.authoring.control_rig import RigAtRest, RigLimb

_FRAMES = [
    ("FRAME", "Frame", "The current frame"),
    ("RANGE", "Preview Range", "All keys in the preview range, or otherwise in the scene range"),
    ("ALL", "All Keys", "All keys of the animation"),
]
_ANIMATIONS = [
    ("CURRENT", "This Animation", "The animation that the model shows"),
    ("ALL", "All Animations", "All animations of the model"),
]


def rigged_armature(context: Context) -> Object | None:
    """Return the armature of the active object's model, or None."""
    from ...scene.subjects.models import posed_armature

    return posed_armature(context.object)


def preview_range(context: Context) -> tuple[int, int]:
    """Return the first and the last frame of the preview range, or otherwise of the scene."""
    scene = active_scene(context)
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end


class RigTool(EditingTool):
    """Base of operators on the control rig of the active model."""

    needs_rig = True  #: whether the model must have a rig.

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.authoring.control_rig import has_rig

        armature = rigged_armature(context)
        if armature is None or context.mode not in ("OBJECT", "POSE"):
            set_poll_message(cls, T("Make a model or an actor active, in Object Mode or Pose Mode"))
            return False
        if cls.needs_rig and not has_rig(armature):
            set_poll_message(cls, T("The model has no control rig: use Add Control Rig"))
            return False
        return True

    def edited(self, context: Context) -> Iterable[Any]:
        """Return the armatures of the figure, and their data."""
        from ...scene.authoring.control_rig import figure_of, limbs_owner

        armature = rigged_armature(context)
        found = [] if armature is None else figure_of(armature)
        owners = [limbs_owner(found)] if found else []
        return [*found, *owners, *(obj.data for obj in found)]

    def rig(self, context: Context) -> "RigAtRest":
        """Return the rig for the animation that the model shows; the poll has checked that there is one."""
        from ...scene.authoring.control_rig import RigAtRest
        from ...scene.subjects.animations import action_in_use

        armature = rigged_armature(context)
        assert armature is not None
        return RigAtRest.of(armature, action_in_use(armature))

    def shown(self, context: Context) -> Action:
        """Return the animation that the model shows. Raises ToolError without one."""
        from ...scene.subjects.animations import action_in_use

        action = action_in_use(rigged_armature(context))
        if action is None:
            raise ToolError(T("The model shows no animation: choose one first"))
        return action


class TOMB_RAIDER_OT_add_control_rig(RigTool):
    """Add controls for hands and feet to this model. Unedited animations stay the same"""

    bl_idname = "tomb_raider.add_control_rig"
    bl_label = "Add Control Rig"
    needs_rig = False

    animations: EnumProperty(
        name="Animations",
        items=[*_ANIMATIONS, ("NONE", "None", "None yet: the controls do nothing until you use them")],
        description="Animations whose limbs follow the controls from the start",
    )
    legs: BoolProperty(name="Legs", default=True, description="Add controls for legs")
    arms: BoolProperty(name="Arms", default=True, description="Add controls for arms and front legs")
    trunk: BoolProperty(
        name="Trunk",
        default=True,
        description="Add controls for the whole body, and for hips, chest, neck and head on their own",
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.authoring.control_rig import has_rig

        if not super().poll(context):
            return False
        if has_rig(rigged_armature(context)):
            set_poll_message(cls, T("The model already has a control rig"))
            return False
        return True

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import (
            RigAtRest,
            add_rig,
            choice,
            figure_of,
            limbs_owner,
            rig_actions,
            switch_off,
        )
        from ...scene.subjects.animations import action_in_use

        armature = rigged_armature(context)
        assert armature is not None
        figure = figure_of(armature)
        model = limbs_owner(figure)
        if not len(model.tomb_raider.model.limbs) and choice.take_limbs(model) is None:
            choice.list_limbs(model)
        kinds = (("LEG", self.legs), ("ARM", self.arms), ("TRUNK", self.trunk), ("BODY", self.trunk))
        wanted = {kind for kind, is_wanted in kinds if is_wanted}
        limbs = [limb for limb in choice.listed(model) if limb.kind in wanted]
        if not limbs:
            text = T(
                "{model}: no limbs were recognized. Add them to the list Limbs, with their bones",
                model=model.name,
            )
            raise ToolError(text)
        mode = UserMode(context)
        mode.leave()
        try:
            _prepare_actor(context, armature)
            made = add_rig(figure, limbs, choice.facing_of(model))
        finally:
            mode.enter_again()
        actions = list(dict.fromkeys(action for obj in figure for action in rig_actions(obj)))
        shown = action_in_use(armature)
        chosen = {"ALL": actions, "CURRENT": [shown] if shown else []}.get(self.animations, [])
        for rig, own in RigAtRest.of_all(armature, chosen):
            rig.match(own)
        switch_off(armature, actions, made)
        _key_available(context)
        refresh_pose(context)
        text = T(
            "Control rig: {limbs} limbs. Animations that follow it: {animations}",
            limbs=len(made),
            animations=len(chosen),
        )
        report_line(self, "INFO", text)
        return {"FINISHED"}


def _prepare_actor(context: Context, armature: Object) -> None:
    """Give an actor of a cutscene bones of its own, and keys that controls can be matched to."""
    from ...scene.authoring.control_rig import take_bones
    from ...scene.subjects.cutscenes import key_all_bones
    from ...scene.subjects.models import is_actor

    if is_actor(armature):
        take_bones(armature)
        context.view_layer.update()
        key_all_bones(armature, active_scene(context))


def _key_available(context: Context) -> None:
    """Make *Insert Keyframe* key only what has curves, so that it adds no keys that games cannot read."""
    scene = active_scene(context)
    found = next((each for each in scene.keying_sets_all if each.bl_idname == "Available"), None)
    if found is not None:
        scene.keying_sets_all.active = found


class TOMB_RAIDER_OT_list_limbs(RigTool):
    """Replace the list with the recognized limbs of this model"""

    bl_idname = "tomb_raider.list_limbs"
    bl_label = "Recognize Limbs"
    needs_rig = False

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import choice, figure_of, limbs_owner

        armature = rigged_armature(context)
        assert armature is not None
        model = limbs_owner(figure_of(armature))
        choice.list_limbs(model)
        report_line(self, "INFO", T("Limbs: {count}", count=len(model.tomb_raider.model.limbs)))
        return {"FINISHED"}


class TOMB_RAIDER_OT_edit_limbs(RigTool):
    """Add a limb to the list, or remove the active one"""

    bl_idname = "tomb_raider.edit_limbs"
    bl_label = "Edit List of Limbs"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    needs_rig = False

    change: EnumProperty(
        name="Change",
        translation_context=CONTEXT,
        items=[("ADD", "Add", "Add a limb"), ("REMOVE", "Remove", "Remove the active limb")],
        description="Change to make to the list",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import figure_of, limbs_owner

        armature = rigged_armature(context)
        assert armature is not None
        settings = limbs_owner(figure_of(armature)).tomb_raider.model
        if self.change == "ADD":
            row = settings.limbs.add()
            chain = _selected_chain(context)
            for name, bone in zip(("upper", "lower", "end", "paw"), chain, strict=False):
                setattr(row, name, bone)
            settings.active_limb = len(settings.limbs) - 1
        elif settings.active_limb < len(settings.limbs):
            settings.limbs.remove(settings.active_limb)
            settings.active_limb = max(settings.active_limb - 1, 0)
        return {"FINISHED"}


def _selected_chain(context: Context) -> list[str]:
    """Return the names of the selected pose bones from the upper one down."""
    bones = sorted(context.selected_pose_bones or (), key=lambda bone: len(bone.parent_recursive))
    return [bone.name for bone in bones]


class _LimbTool(RigTool):
    """Base of operators on limbs of the rig."""

    limb: IntProperty(
        name="Limb",
        default=-1,
        min=-1,
        description="Number of the limb in the rig; -1 for the limbs of the selected bones, or all of them",
        options={"SKIP_SAVE"},
    )

    def limbs(self, context: Context, rig: "RigAtRest") -> "list[RigLimb]":
        """Return the limbs to change."""
        if self.limb >= 0:
            return [limb for limb in rig.limbs if limb.number == self.limb]
        names = {bone.name for bone in context.selected_pose_bones or ()}
        chosen = [limb for limb in rig.limbs if names & {*limb.bones.values()}]
        return chosen or rig.limbs


class _SnapTool(_LimbTool):
    """Base of operators that set controls to the pose, or the pose to controls."""

    frames: EnumProperty(name="Frames", items=_FRAMES, description="Where to set keys")

    def times(self, context: Context, rig: "RigAtRest", action: Action) -> "NDArray[np.float64]":
        """Return the chosen frames."""
        import numpy as np

        from ...scene.authoring.control_rig import key_frames

        scene = active_scene(context)
        if self.frames == "FRAME":
            return np.array([scene.frame_current_final])
        result = key_frames(rig, action, self.limbs(context, rig))
        if self.frames == "RANGE":
            first, last = preview_range(context)
            result = result[(result >= first) & (result <= last)]
        return result


class TOMB_RAIDER_OT_snap_controls(_SnapTool):
    """Set the controls to the pose of the model's own keys"""

    bl_idname = "tomb_raider.snap_controls"
    bl_label = "Snap Controls to Pose"

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import match_at, switch_off

        action = self.shown(context)
        rig = self.rig(context)
        limbs, frames = self.limbs(context, rig), self.times(context, rig, action)
        if not len(frames):
            raise ToolError(T("There are no keys in this range"))
        match_at(rig, action, limbs, frames)
        switch_off(rig.armature, [action], limbs)
        refresh_pose(context)
        report_line(self, "INFO", T("Keys of controls at {count} frames", count=len(frames)))
        return {"FINISHED"}


class TOMB_RAIDER_OT_snap_pose(_SnapTool):
    """Set the model's own keys to the pose that the controls give"""

    bl_idname = "tomb_raider.snap_pose"
    bl_label = "Snap Pose to Controls"

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import has_keys, snap_to_controls

        action = self.shown(context)
        rig = self.rig(context)
        limbs = [limb for limb in self.limbs(context, rig) if has_keys(action, rig.armature, limb)]
        if not limbs:
            raise ToolError(T("The controls have no keys in this animation"))
        frames = self.times(context, rig, action)
        is_changed = snap_to_controls(rig, action, limbs, frames)
        refresh_pose(context)
        report_line(
            self,
            "INFO",
            T("Keys at {count} frames", count=len(frames)) if is_changed else T("It is the same pose"),
        )
        return {"FINISHED"}


class TOMB_RAIDER_OT_switch_limbs(_LimbTool):
    """Pose limbs of this animation by their controls, or by the keys of their bones"""

    bl_idname = "tomb_raider.switch_limbs"
    bl_label = "Switch Limbs"

    target: EnumProperty(
        name="Pose By",
        items=[
            ("IK", "Controls", "Hands, feet and poles pose the limbs (IK)"),
            ("FK", "Bones", "The keys of the limbs' bones pose them (FK)"),
        ],
        description="What poses the limbs in this animation",
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import KeyWriter, has_keys

        action = self.shown(context)
        rig = self.rig(context)
        limbs = self.limbs(context, rig)
        if self.target == "IK":
            rig.match([action], [limb for limb in limbs if not has_keys(action, rig.armature, limb)])
        with KeyWriter(rig.armature) as writer:
            writer.switch(action, limbs, float(self.target == "IK"), 0.0)
        refresh_pose(context)
        return {"FINISHED"}


class TOMB_RAIDER_OT_bake_controls(RigTool):
    """Bake the motion of the controls to the bones' keys. The rig stays, switched off"""

    bl_idname = "tomb_raider.bake_controls"
    bl_label = "Bake Controls"

    animations: EnumProperty(name="Animations", items=_ANIMATIONS, description="Animations to bake")

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import RigAtRest, bake

        armature = rigged_armature(context)
        assert armature is not None
        if self.animations == "ALL":
            actions: Sequence[Action] = _figure_actions(armature)
        else:
            action = self.shown(context)
            actions = [action]
        changed = [each for rig, own in RigAtRest.of_all(armature, actions) for each in bake(rig, own)]
        refresh_pose(context)
        report_line(self, "INFO", T("Animations with other keys: {count}", count=len(changed)))
        return {"FINISHED"}


def _figure_actions(armature: Object) -> list[Action]:
    from ...scene.authoring.control_rig import figure_of, rig_actions

    return list(dict.fromkeys(action for obj in figure_of(armature) for action in rig_actions(obj)))


class TOMB_RAIDER_OT_remove_control_rig(RigTool):
    """Remove the control rig of this model with its keys"""

    bl_idname = "tomb_raider.remove_control_rig"
    bl_label = "Remove Control Rig"

    keep: BoolProperty(
        name="Keep Result",
        default=True,
        description="First bake the motion of the controls to the bones' keys",
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.control_rig import figure_of, remove_rig

        armature = rigged_armature(context)
        assert armature is not None
        mode = UserMode(context)
        mode.leave()
        try:
            changed = remove_rig(figure_of(armature), keep=self.keep)
        finally:
            mode.enter_again()
        refresh_pose(context)
        report_line(self, "INFO", T("Animations with other keys: {count}", count=len(changed)))
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_add_control_rig,
        TOMB_RAIDER_OT_list_limbs,
        TOMB_RAIDER_OT_edit_limbs,
        TOMB_RAIDER_OT_snap_controls,
        TOMB_RAIDER_OT_snap_pose,
        TOMB_RAIDER_OT_switch_limbs,
        TOMB_RAIDER_OT_bake_controls,
        TOMB_RAIDER_OT_remove_control_rig,
    )
)
