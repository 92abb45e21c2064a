"""Panels of the views of animations, below the list of animations in the sidebar."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel

from ...formats.base import T
from ..animation_tools.actors import is_on_actor
from ..animations.watched import watching
from ..base.active import active_scene
from ..base.layout.panels import offer, split_columns
from ..base.layout.sidebar import SELECTION, TAB
from ..base.text.i18n import translate
from .following import playing_armature
from .operators import choices

_MOST_NAMED = 8  # frames of dropped keys in the panel


class _Part(Panel):
    """Base of the panels."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_parent_id = "VIEW3D_PT_tomb_raider_animations"
    bl_order = SELECTION + 1  # as the panel above
    bl_options = {"DEFAULT_CLOSED"}


class _OfModels(_Part):
    """Base of the panels that actors of cutscenes do not have."""

    @classmethod
    def poll(cls, context: Context) -> bool:
        return not is_on_actor(context)


class VIEW3D_PT_tomb_raider_watch(_OfModels):
    """Panel to play chains, and to choose states while one plays."""

    bl_label = "Watch"

    def draw(self, context: Context) -> None:
        column = split_columns(self)
        column.prop(watching(context), "motion")
        row = column.row(align=True)
        offer(row, "play_chain", icon="PLAY")
        armature = playing_armature(context.object)
        if armature is not None:
            row.operator("tomb_raider.stop_chain", text="", icon="CANCEL")
        offer(column, "press_keys", icon="EVENT_A")
        if armature is not None:
            buttons = column.column(align=True)
            for place, (state, name) in enumerate(choices(armature, active_scene(context).frame_current)):
                text = translate(T("{place}: {name}", place=(place + 1) % 10, name=name))
                buttons.operator("tomb_raider.want_state", text=text, translate=False).state = state
        column.operator("tomb_raider.show_state_graph", icon="NODETREE")


class VIEW3D_PT_tomb_raider_ghosts(_Part):
    """Panel of the ghosts."""

    bl_label = "Ghosts"

    def draw_header(self, context: Context) -> None:
        self.layout.prop(watching(context), "ghosts", text="")

    def draw(self, context: Context) -> None:
        column = split_columns(self)
        settings = watching(context)
        column.active = settings.ghosts
        for name in ("before", "after", "step", "spread"):
            column.prop(settings, name)


class VIEW3D_PT_tomb_raider_tick_preview(_OfModels):
    """Panel of the preview of what the game shows between keys."""

    bl_label = "Tick Preview"

    def draw_header(self, context: Context) -> None:
        self.layout.prop(watching(context), "ticks", text="")

    def draw(self, context: Context) -> None:
        from ...scene.subjects.animations import action_in_use
        from ...scene.subjects.models import armature_of_model

        column = split_columns(self)
        settings = watching(context)
        column.active = settings.ticks
        for name in ("rate", "is_stepped", "dropped"):
            column.prop(settings, name)
        armature = armature_of_model(context.object)
        action = action_in_use(armature)
        if settings.ticks and action is not None:
            column.label(text=translate(dropped_text(armature, action, settings.rate)))


def dropped_text(armature: Any, action: Any, rate: int) -> str:
    """Return a line about the keys of an action that are at no key frame of a rate."""
    from ...scene.authoring.animation_views import dropped_keys

    frames = dropped_keys(action, armature, None, rate)
    if not len(frames):
        return T("All keys are at key frames")
    named = ", ".join(f"{frame:g}" for frame in frames[:_MOST_NAMED].tolist())
    more = ", …" if len(frames) > _MOST_NAMED else ""
    return T("{count} keys between key frames: {named}{more}", count=len(frames), named=named, more=more)


CLASSES = (
    VIEW3D_PT_tomb_raider_watch,
    VIEW3D_PT_tomb_raider_ghosts,
    VIEW3D_PT_tomb_raider_tick_preview,
)
