"""Panels of scripts, of what they place in levels, and of a level's entry in the game flow of TRX."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection, Context, Object, Panel, UILayout

from ...formats import Game
from ...scene.core import Kind
from ...scene.properties import CONTEXT
from ..base.layout.panels import LevelPopover, ObjectPanel, Rows, fields, listing, split_columns
from ..base.levels import game_of, meant_level

_ICONS: dict[str, Any] = {  # of steps of the game flow
    "loop_game": "PLAY",
    "play_music": "PLAY_SOUND",
    "play_fmv": "FILE_MOVIE",
    "play_cutscene": "SEQUENCE",
    "display_picture": "IMAGE_DATA",
    "loading_screen": "IMAGE_DATA",
    "level_complete": "EVENT_ESC",
    "give_item": "ADD",
}


class TEXT_PT_tomb_raider_script(Panel):
    bl_label = "Tomb Raider Script"
    bl_space_type = "TEXT_EDITOR"
    bl_region_type = "UI"
    bl_category = "Tomb Raider"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return getattr(context, "edit_text", None) is not None

    def draw(self, context: Context) -> None:
        text = context.edit_text
        settings = text.tomb_raider
        column = split_columns(self)
        fields(column, settings, "kind", *(("language",) if settings.kind == "SCRIPT" else ()))
        below = column.column()
        below.active = settings.kind != "NONE"
        below.operator("tomb_raider.check_script", text="Check", icon="CHECKMARK").text = text.name
        below.operator("tomb_raider.export_script", text="Export", icon="EXPORT").text = text.name


class OBJECT_PT_tomb_raider_lens_flare(ObjectPanel):
    bl_label = "Tomb Raider Lens Flare"
    kind = Kind.LENS_FLARE

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        layout.prop(obj.tomb_raider.script, "color")


class OBJECT_PT_tomb_raider_mirror(ObjectPanel):
    bl_label = "Tomb Raider Mirror"
    kind = Kind.MIRROR

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        layout.prop(obj.tomb_raider.script, "room")


class OBJECT_PT_tomb_raider_loading_camera(ObjectPanel):
    bl_label = "Tomb Raider Loading Camera"
    kind = Kind.LOAD_CAMERA

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        fields(layout, obj.tomb_raider.script, "room", "distance")


class TOMB_RAIDER_UL_steps(Rows):
    """List of the steps of a level, in order."""

    bl_idname = "TOMB_RAIDER_UL_steps"

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.row()
        row.label(text=item.kind or item.parameters, icon=_ICONS.get(item.kind, "DOT"), translate=False)
        if item.kind and item.parameters:
            label = row.row()
            label.active = False
            label.label(text=item.parameters, translate=False)


class VIEW3D_PT_tomb_raider_gameflow(LevelPopover):
    """Popover of the level's entry in the game flow of TRX."""

    bl_label = "Game Flow"
    bl_translation_context = CONTEXT

    @classmethod
    def poll(cls, context: Context) -> bool:
        level = meant_level(context)
        return level is not None and level.tomb_raider.engine == "TRX"

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        from ...formats.levels.game_files import NEWEST

        settings = level.tomb_raider.gameflow
        row = layout.row(align=True)
        row.operator("tomb_raider.read_gameflow", text="Read", icon="IMPORT").collection = level.name
        row.operator("tomb_raider.write_gameflow", text="Write", icon="EXPORT").collection = level.name
        if settings.version < NEWEST:
            layout.operator("tomb_raider.update_gameflow", icon="FILE_REFRESH").collection = level.name
        layout.prop(settings, "path")
        layout.prop(settings, "title")
        layout.prop(settings, "track")
        layout.prop(settings, "has_water_color")
        if settings.has_water_color:
            layout.prop(settings, "water_color")
        layout.prop(settings, "has_fog")
        if settings.has_fog:
            column = layout.column(align=True)
            column.prop(settings, "fog_start", text="Fog Start")
            column.prop(settings, "fog_end", text="End")
        if game_of(level).traits.has_light_ranges:
            layout.prop(settings, "has_fog_color")
            if settings.has_fog_color:
                layout.prop(settings, "fog_color")
            layout.prop(settings, "fog_bulbs")
        _draw_steps(layout, level)


def _draw_steps(layout: UILayout, level: Collection) -> None:
    from ...formats.levels.game_files import ROOM_STEP

    settings = level.tomb_raider.gameflow
    buttons = listing(
        layout, TOMB_RAIDER_UL_steps, settings, "steps", "active_step", rows=4, heading="Sequence"
    )
    for action, icon in (("ADD", "ADD"), ("REMOVE", "REMOVE"), ("UP", "TRIA_UP"), ("DOWN", "TRIA_DOWN")):
        button = buttons.operator("tomb_raider.edit_steps", text="", icon=icon)
        button.action, button.collection = action, level.name
    if 0 <= settings.active_step < len(settings.steps):
        step = settings.steps[settings.active_step]
        layout.prop(step, "kind")
        if step.kind == ROOM_STEP:
            layout.prop(step, "room")
            if step.room is None:
                layout.prop(step, "raw_room")
        layout.prop(step, "parameters")


CLASSES = (
    TEXT_PT_tomb_raider_script,
    OBJECT_PT_tomb_raider_lens_flare,
    OBJECT_PT_tomb_raider_mirror,
    OBJECT_PT_tomb_raider_loading_camera,
    TOMB_RAIDER_UL_steps,
    VIEW3D_PT_tomb_raider_gameflow,
)
