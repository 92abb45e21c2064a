"""Layers: poses that are added to an animation."""

from typing import Any

import bpy
from bpy.props import BoolProperty
from bpy.types import Action, Context, Object

from ...formats.base import T
from ..animations.playing import refresh_pose
from ..base.active import active_scene
from ..base.conditions import condition
from ..base.text.i18n import translate
from .actors import ONLY_MODELS
from .operators import KeyTool, has_layer


class _LayerTool(KeyTool):
    requires = KeyTool.shows_pose + condition(has_layer, T("The animation has no layer: use Add Layer"))


class TOMB_RAIDER_OT_add_layer(KeyTool):
    """Add poses to this animation without changing its keys: a few keys blend over all of it"""

    bl_idname = "tomb_raider.add_layer"
    bl_label = "Add Layer"
    requires = KeyTool.requires + ONLY_MODELS

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import add_layer
        from ...scene.subjects.animations import show_animation

        add_layer(action, armature)
        show_animation(armature, action)
        scene: Any = active_scene(context)
        if scene.keying_sets_all.active is None:
            scene.keying_sets_all.active = scene.keying_sets_all.get("Available")
        refresh_pose(context)
        return T("{name}: pose bones and insert keys, then use Bake Layer", name=action.name)


class TOMB_RAIDER_OT_key_rest(_LayerTool):
    """Key no change at this frame, for the selected bones of the layer or for all"""

    bl_idname = "tomb_raider.key_rest"
    bl_label = "Key No Change"

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import key_rest

        selected = [bone.name for bone in context.selected_pose_bones or ()]
        frame = active_scene(context).frame_current_final
        count = key_rest(action.tomb_raider.layer, armature, frame, selected)
        if not count:
            return T("The layer has no keys yet: pose bones and insert keys")
        refresh_pose(context)
        return T("Keys without change: {count} bones", count=count)


class TOMB_RAIDER_OT_bake_layer(_LayerTool):
    """Add the layer to the keys of this animation, and remove it"""

    bl_idname = "tomb_raider.bake_layer"
    bl_label = "Bake Layer"

    discard: BoolProperty(name="Discard", options={"HIDDEN", "SKIP_SAVE"}, description="Change no keys")

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        if properties.discard:
            return translate(T("Remove the layer, and keep the animation as it was"))
        return str(bpy.app.translations.pgettext_tip(str(cls.__doc__)))

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import bake_layer, refresh_seams, remove_layer
        from ...scene.core import first_few

        data: Any = armature.animation_data
        bones = [] if self.discard else bake_layer(action, armature, data.action_influence)
        if self.discard:
            remove_layer(action)
        refresh_seams([action], armature)
        refresh_pose(context)
        if not bones:
            return T("{name}: the layer was removed", name=action.name)
        return T("{name}: the layer changes {bones}", name=action.name, bones=first_few(bones, 5))


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_add_layer, TOMB_RAIDER_OT_key_rest, TOMB_RAIDER_OT_bake_layer)
)
