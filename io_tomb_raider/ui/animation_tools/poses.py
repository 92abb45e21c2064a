"""The poses of a model's own animations as a library: any frame of any of them."""

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import Action, Context, Event, Object

from ...formats.base import T
from ..base.active import active_scene
from ..base.reports import Outcome, ToolError
from .actors import is_on_actor
from .operators import KeyTool, show_action, target_of

_shown: list[tuple[str, str, str]] = []  # Blender does not keep the strings of dynamic enumerations


def _animations(_tool: object, context: Context | None) -> list[tuple[str, str, str]]:
    from ...scene.authoring.animation_tools import model_of
    from ...scene.subjects.animations import own_animations
    from ...scene.subjects.models import library_model

    found = None if context is None else target_of(context)
    armature: Any = None
    if found is not None:
        armature = model_of(found[1], found[0])
    elif context is not None and is_on_actor(context):
        armature = context.object
    if armature is None:
        return [("NONE", "Nothing", "The model has no animations")]
    _shown[:] = [(each.name, each.name, "") for each in own_animations(library_model(armature))]
    return _shown


class TOMB_RAIDER_OT_apply_pose(KeyTool):
    """Key a pose of another animation of this model, at this frame, for the selected bones or all of them"""

    bl_idname = "tomb_raider.apply_pose"
    bl_label = "Pose from Animation"
    bl_property = "animation"

    animation: EnumProperty(
        name="Animation", items=_animations, description="Animation with the pose", options={"SKIP_SAVE"}
    )
    tick: IntProperty(name="Tick", min=0, description="Tick of that animation, from its start")
    factor: FloatProperty(
        name="Blend", default=1.0, min=0.0, max=1.0, subtype="FACTOR", description="How much of the pose"
    )
    is_mirrored: BoolProperty(name="Mirrored", description="Swap left and right")

    def invoke(self, context: Context, _event: Event) -> Outcome:
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import apply_pose, model_of, pose_at
        from ...scene.subjects.animations import first_frame, last_frame
        from ...scene.subjects.models import library_model

        source: Any = bpy.data.actions.get(self.animation)
        if source is None:
            raise ToolError(T("The model has no animations"))
        model = model_of(action, armature)
        tick = min(self.tick, last_frame(source) - first_frame(source))
        pose = pose_at(source, library_model(model), first_frame(source) + tick, is_mirrored=self.is_mirrored)
        frame = active_scene(context).frame_current_final
        bones = {bone.name for bone in context.selected_pose_bones or ()}
        apply_pose(action, model, frame, pose, bones=_own(model, bones), factor=self.factor)
        show_action(context, armature, action)
        return T("The pose of {name}, tick {tick}", name=source.name, tick=tick)


def _own(model: Object, names: set[str]) -> set[str]:
    """Return the bones of a model that are selected, themselves or by their controls."""
    from ...scene.authoring.control_rig import rig_limbs

    chosen = {bone.name for bone in model.data.bones if bone.name in names}
    for limb in rig_limbs(model):
        if names & {*limb.controls()}:
            chosen |= {*limb.own}
    return {name for name in chosen if not model.data.bones[name].tomb_raider.control}


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_apply_pose,))
