"""List of the animations of a model, and their playback."""

import re
from typing import Any

import bpy
from bpy.props import StringProperty
from bpy.types import Action, Context, Object, UILayout

from ...formats.base import T
from ..base.active import active_scene
from ..base.layout.panels import Rows, SidebarPanel, offer
from ..base.layout.sidebar import SELECTION, has_selection
from ..base.operators import PlayingTool
from ..base.reports import Outcome, ToolError, set_poll_message
from ..base.text.fitting import panel_width, shortened, text_width
from .playing import play

_ICON = 28.0  # pixels of an icon next to a text, with its margin
_RESERVED = 112.0  # pixels of a row that its icon, the number of frames, the button and the scroll bar take

_NUMBERED = re.compile(r"(?<= )\d{3} .+")  # the number in the model, and the name


class TOMB_RAIDER_UL_animations(Rows):
    """List of the active model's actions, in file order."""

    use_filter_sort_alpha = False

    def draw_row(self, layout: UILayout, item: Any) -> None:
        from ...scene.subjects.animations import first_frame, last_frame

        row, reserved = layout.row(align=True), _RESERVED
        jump = f"{item.tomb_raider.seam:.0f}" if item.tomb_raider.is_jump else ""
        if jump:
            reserved += _ICON + text_width(jump)
        row.label(text=_fitted(item.name, panel_width() - reserved), icon="ACTION", translate=False)
        if jump:  # by Loop Check
            step = row.row()
            step.alignment = "RIGHT"
            step.label(text=jump, icon="IPO_CONSTANT", translate=False)
        count = row.row()
        count.alignment = "RIGHT"  # by default, the label takes half of the width
        count.label(text=f"{last_frame(item) - first_frame(item) + 1}", translate=False)
        row.operator("tomb_raider.play_animation", text="", icon="PLAY").action = item.name

    def filter_items(self, context: Any, data: Any, name: str) -> Any:
        """Filter out actions that the model cannot show, and names that do not match the search."""
        from ...scene.subjects.models import armature_of_model

        return chosen(armature_of_model(context.object), list(getattr(data, name)), self.filter_name)


def _fitted(name: str, width: float) -> str:
    """Return the name of an action that fits into some pixels: the model's name before its number goes first.

    All rows of a list begin with it, and some names differ only at their end.
    """
    return shortened(without_model(name) if text_width(name) > width else name, width)


def without_model(name: str) -> str:
    """Return the name of an action of a level from its number on; others whole."""
    numbered = _NUMBERED.search(name)
    return name if numbered is None else numbered[0]


def chosen(armature: Object | None, actions: list[Action], text: str) -> tuple[list[int], list[int]]:
    """Return for each action its filter flag (shown or not) and its position in the list."""
    from ...scene.subjects.animations import listed_animations

    listed = listed_animations(armature) if armature is not None else []
    positions = {action: number for number, action in enumerate(listed)}
    words = text.lower().split()
    flag = 1 << 30  # UIList.bitflag_filter_item
    flags = [
        flag if action in positions and all(word in action.name.lower() for word in words) else 0
        for action in actions
    ]
    remaining = iter(range(len(listed), len(actions)))
    return flags, [positions[action] if action in positions else next(remaining) for action in actions]


class TOMB_RAIDER_OT_play_animation(PlayingTool):
    """Show this animation on the model, and play it"""

    bl_idname = "tomb_raider.play_animation"
    bl_label = "Play Animation"

    action: StringProperty(
        name="Animation", description="Name of the action. Empty: the one in use", options={"SKIP_SAVE"}
    )

    @staticmethod
    def armature(context: Context) -> Object | None:
        from ...scene.subjects.models import armature_of_model

        return armature_of_model(context.object)

    @classmethod
    def poll(cls, context: Context) -> bool:
        if cls.armature(context) is None:
            set_poll_message(cls, T("Make a model or an entity that shows one active"))
            return False
        return True

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.animations import action_in_use

        armature: Any = self.armature(context)
        action = bpy.data.actions.get(self.action) if self.action else action_in_use(armature)
        if action is None:
            raise ToolError(T("{armature} has no such animation", armature=armature.name))
        if not show(context, armature, action):
            raise ToolError(T("{armature} has no pose yet: make it visible first", armature=armature.name))
        play(context)
        return {"FINISHED"}


def show(context: Context, armature: Object, action: Action) -> bool:
    """Show an animation on a model from its start, in the preview range; return whether it has a pose."""
    from ...scene.subjects.animations import show_in_range

    context.view_layer.update()
    return show_in_range(armature, action, active_scene(context))


class VIEW3D_PT_tomb_raider_animate(SidebarPanel):
    """Panel of the tools for the animation that the posed model shows; other panels are in it."""

    bl_label = "Animate"
    bl_order = SELECTION + 2

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.mode == "POSE" and VIEW3D_PT_tomb_raider_animations.poll(context)

    def draw(self, context: Context) -> None:
        from ...scene.subjects.animations import action_in_use
        from ...scene.subjects.models import is_actor, posed_armature

        armature: Any = posed_armature(context.object)
        action = action_in_use(armature)
        if action is not None:
            row = self.layout.row(align=True)
            row.prop(action, "name", text="", icon="ACTION")
            if not is_actor(armature):
                row.operator("tomb_raider.duplicate_animation", text="", icon="DUPLICATE")
            self.layout.operator("tomb_raider.spread_edit", icon="PROP_ON")


class VIEW3D_PT_tomb_raider_animations(SidebarPanel):
    """Panel of the animations of the active model, or of the model that the active entity or actor shows."""

    bl_label = "Animations"
    bl_order = SELECTION + 1

    @classmethod
    def poll(cls, context: Context) -> bool:
        from ...scene.subjects.models import is_actor, posed_armature

        if context.mode not in ("OBJECT", "POSE") or not has_selection(context):
            return False
        armature = posed_armature(context.object)
        if is_actor(armature):
            return context.mode == "POSE"
        return armature is not None and armature.animation_data is not None

    def draw(self, context: Context) -> None:
        from ...scene.subjects.models import armature_of_model, is_actor

        if is_actor(context.object):
            offer(self.layout, "add_actor_animation", icon="NLA_PUSHDOWN")
            return
        armature = armature_of_model(context.object)
        self.layout.template_list(
            TOMB_RAIDER_UL_animations.__name__,
            "",
            bpy.data,
            "actions",
            armature.tomb_raider.model,
            "shown_animation",
            rows=4,
        )


CLASSES = (TOMB_RAIDER_UL_animations, VIEW3D_PT_tomb_raider_animations, VIEW3D_PT_tomb_raider_animate)

register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_play_animation,))
