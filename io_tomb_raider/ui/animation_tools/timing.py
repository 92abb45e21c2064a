"""Operators that change the length and the key rate of an animation, or split it."""

import bpy
from bpy.props import IntProperty
from bpy.types import Action, Context, Event, Object

from ...formats.base import T, about
from ..base.active import active_scene
from ..base.reports import Outcome, report_line
from .actors import ONLY_MODELS
from .operators import KeyTool, show_action, target_of


class TOMB_RAIDER_OT_retime_animation(KeyTool):
    """Change the length of this animation, with speeds, markers and transitions from and to it"""

    bl_idname = "tomb_raider.retime_animation"
    bl_label = "Retime"
    requires = KeyTool.requires + ONLY_MODELS

    ticks: IntProperty(
        name="Ticks", default=0, min=0, max=65535, description="New length in ticks, 0 to keep the old one"
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        from ...scene.subjects.animations import length

        found = target_of(context)
        if found is not None and not self.properties.is_property_set("ticks"):
            self.ticks = length(found[1]) + 1
        return context.window_manager.invoke_props_dialog(self)

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import read_clip, retime

        clip = read_clip(action, armature)
        if self.ticks in (0, clip.ticks):
            text = T("{action}: it keeps its {ticks} ticks", action=action.name, ticks=clip.ticks)
            report_line(self, "INFO", text)
            return None
        frame = active_scene(context).frame_current - clip.start
        others = retime(clip, self.ticks)
        scene = active_scene(context)
        if scene.use_preview_range and scene.frame_preview_end == clip.start + clip.last:
            scene.frame_preview_end = clip.start + self.ticks - 1
        if 0 <= frame <= clip.last:
            scene.frame_current = clip.start + frame * self.ticks // clip.ticks
        show_action(context, armature, action)
        text = T(
            "{action}: {ticks} ticks instead of {old_ticks}",
            action=action.name,
            ticks=self.ticks,
            old_ticks=clip.ticks,
        )
        return (
            T("{text}; start frames moved in other animations: {others}", text=text, others=others)
            if others
            else text
        )


class TOMB_RAIDER_OT_resample_animation(KeyTool):
    """Replace the keys of this animation with keys at another rate; the length stays"""

    bl_idname = "tomb_raider.resample_animation"
    bl_label = "Resample"
    requires = KeyTool.requires + ONLY_MODELS

    rate: IntProperty(
        name="Frame Rate", default=2, min=1, max=255, soft_max=10, description="Ticks (1/30 s) per key"
    )

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import read_clip, resample

        found = resample(read_clip(action, armature), self.rate)
        show_action(context, armature, action)
        text = T(
            "{action}: {keys} keys instead of {old_keys}",
            action=action.name,
            keys=found.after,
            old_keys=found.before,
        )
        return T(
            "{text}; off by at most {degrees:.1f} degrees and {units:.0f} units at the old ones",
            text=text,
            degrees=found.degrees,
            units=found.units,
        )


class TOMB_RAIDER_OT_split_animation(KeyTool):
    """Split this animation at the current frame into two that play in sequence"""

    bl_idname = "tomb_raider.split_animation"
    bl_label = "Split Here"
    requires = KeyTool.requires + ONLY_MODELS

    def edit(self, context: Context, armature: Object, action: Action) -> str | None:
        from ...scene.authoring.animation_tools import read_clip, split

        clip = read_clip(action, armature)
        frame = active_scene(context).frame_current - clip.start
        if not 0 < frame <= clip.last:
            text = T(
                "go to a frame between {first} and {last} first",
                first=clip.start + 1,
                last=clip.start + clip.last,
            )
            report_line(self, "ERROR", about(action.name, text))
            return None
        made = split(clip, frame)
        show_action(context, armature, action, [made])
        return T(
            "{first}: {ticks} ticks, then {second}: {rest} ticks",
            first=action.name,
            ticks=frame,
            second=made.name,
            rest=clip.ticks - frame,
        )


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_retime_animation,
        TOMB_RAIDER_OT_resample_animation,
        TOMB_RAIDER_OT_split_animation,
    )
)
