"""Panels of a level: in the properties of its root collection, and in the sidebar."""

from __future__ import annotations

from bpy.types import Collection, Context, Panel, UILayout

from ...formats import Game
from ...formats.base.messages import N_, T
from ...scene.core.members import is_level
from ...scene.core.subjects import Kind
from ...scene.interop.projects.details import is_project
from ...scene.properties.kinds import CONTEXT
from ..assets.operators import draw_assets
from ..base.active import active_collection
from ..base.i18n import translate
from ..base.levels import game_of
from ..base.panels import LevelSidebar, fields, split_columns
from ..base.sidebar import LEVEL, VISIBILITY
from ..play.operators import draw_play
from ..rooms.panels import draw_flips
from .visibility import draw_ceilings, draw_parts, is_part_shown


class COLLECTION_PT_tomb_raider_level(Panel):
    bl_label = "Tomb Raider Level"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "collection"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.collection is not None and is_level(context.collection)

    def draw(self, context: Context) -> None:
        level = active_collection(context)
        settings = level.tomb_raider
        column = split_columns(self)
        _draw_fixed(column, level, "game")
        _draw_target(column, level)
        _draw_fixed(column, level, "scale")
        if settings.title:
            column.prop(settings, "title")
        column.prop(settings, "source")
        column.separator()
        column.operator("export_scene.tomb_raider", icon="EXPORT").collection = level.name
        column.operator("tomb_raider.select_level", icon="RESTRICT_SELECT_OFF").collection = level.name
        column.operator("tomb_raider.convert", icon="FILE_REFRESH").collection = level.name
        draw_assets(column, level)
        column.operator("tomb_raider.delete_level", icon="TRASH").collection = level.name


class COLLECTION_PT_tomb_raider_library(Panel):
    bl_label = "Visibility"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "collection"
    bl_parent_id = "COLLECTION_PT_tomb_raider_level"

    def draw(self, context: Context) -> None:
        draw_parts(self.layout, context, active_collection(context))


class COLLECTION_PT_tomb_raider_settings(Panel):
    bl_label = "Settings"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "collection"
    bl_parent_id = "COLLECTION_PT_tomb_raider_level"

    def draw(self, context: Context) -> None:
        level = active_collection(context)
        settings, game = level.tomb_raider.level, game_of(level)
        column = split_columns(self)
        if game is Game.TR5:
            fields(column, settings, "lara", "lara_type")
            fields(column, settings, "weather", "weather_type")
        column.prop(settings, "number")
        if settings.demo_frames:
            text = T(
                "Demo of {frames} frames, {seconds:.0f} seconds",
                frames=settings.demo_frames,
                seconds=settings.demo_frames / 30,
            )
            column.label(text=translate(text), icon="PLAY", translate=False)
            column.prop(settings, "has_demo")
            start = column.column()
            start.active = settings.has_demo
            for name in ("demo_room", "demo_place", "demo_angle"):
                start.prop(settings, name)


class VIEW3D_PT_tomb_raider_level(LevelSidebar):
    """Panel of the user's level: of the same height whatever is selected, and in all modes."""

    bl_label = "Level"
    bl_translation_context = CONTEXT
    bl_context = ""
    bl_order = LEVEL

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        settings = level.tomb_raider
        layout.label(text=f"{settings.title or level.name} ({settings.game})", icon="OUTLINER_COLLECTION")
        if is_project(level):
            row = layout.row(align=True)
            row.label(text="Tomb Editor Project", icon="FILE_BLEND")
            button = row.operator("export_scene.tomb_raider_project", text="Save Project", icon="FILE_TICK")
            button.collection = level.name
        _draw_target(layout, level)
        row = layout.row(align=True)
        part = row.row(align=True)
        part.enabled = context.mode == "OBJECT"
        part.operator("import_scene.tomb_raider", text="Import", icon="IMPORT")
        row.operator("export_scene.tomb_raider", text="Export", icon="EXPORT").collection = level.name
        draw_play(layout, level)
        row = layout.row(align=True)
        row.operator("tomb_raider.overview", icon="ZOOM_ALL").collection = level.name
        # The operator's whole name would be cut off.
        behind = row.operator("tomb_raider.camera_behind_lara", text="Behind Lara", icon="OUTLINER_OB_CAMERA")
        behind.collection = level.name


class VIEW3D_PT_tomb_raider_level_tools(LevelSidebar):
    """Panel of tools for the whole level."""

    bl_label = "Level Tools"
    bl_context = ""
    bl_order = LEVEL
    bl_parent_id = "VIEW3D_PT_tomb_raider_level"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        layout.enabled = context.mode == "OBJECT"
        if game_of(level) is not Game.TR1:  # TR1 has no script
            layout.operator("tomb_raider.script_entry", icon="TEXT").collection = level.name
        layout.operator("tomb_raider.convert", icon="FILE_REFRESH").collection = level.name
        draw_assets(layout, level)
        layout.operator("tomb_raider.delete_level", icon="TRASH").collection = level.name


def _draw_fixed(layout: UILayout, level: Collection, name: str) -> None:
    """Draw a setting that the existing geometry depends on."""
    row = layout.row()
    row.enabled = False
    row.prop(level.tomb_raider, name)


def _draw_target(layout: UILayout, level: Collection) -> None:
    """Draw the engine that a level is for, where there is a choice."""
    if game_of(level).traits.has_trx:
        layout.prop(level.tomb_raider, "engine")


def _draw_fog(layout: UILayout, level: Collection) -> None:
    """Draw the settings for distance and fog."""
    settings = level.tomb_raider.level
    has_color = game_of(level).traits.has_light_ranges
    layout.prop(settings, "shows_distance")
    if settings.shows_distance:
        fields(layout, settings, "distance_start", "distance_end")
        if has_color:
            layout.prop(settings, "fades_to_color")
    if has_color:
        layout.prop(settings, "shows_fog_bulbs")
        if settings.fades_to_color or settings.shows_fog_bulbs:
            layout.prop(settings, "fog_color")


def _draw_sky(layout: UILayout, context: Context, level: Collection) -> None:
    """Draw the settings of the sky: in TR4 and TR5 the script defines it, not the level."""
    settings = level.tomb_raider.level
    if not game_of(level).traits.has_light_ranges or not any(
        child.tomb_raider.kind == Kind.SKY for child in level.children
    ):
        return
    layout.prop(settings, "shows_horizon")
    for layer, text in ((settings.sky_layer1, N_("Clouds")), (settings.sky_layer2, N_("Second Clouds"))):
        layout.prop(layer, "shown", text=text)
        if layer.shown:
            layout.prop(layer, "color")
            layout.prop(layer, "speed")
    if not is_part_shown(context, level, "SKY") and (settings.sky_layer1.shown or settings.sky_layer2.shown):
        layout.label(text="Open the eye of Sky to see the clouds", icon="INFO")


class VIEW3D_PT_tomb_raider_visibility(LevelSidebar):
    """Panel of visibility settings."""

    bl_label = "Visibility"
    bl_context = ""
    bl_order = VISIBILITY

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        draw_parts(layout, context, level)
        draw_ceilings(layout, context)
        draw_flips(layout, context, level)
        layout.operator("tomb_raider.isolate_room", icon="ZOOM_SELECTED")


class VIEW3D_PT_tomb_raider_overlays(LevelSidebar):
    """Panel of visibility settings that are needed less often."""

    bl_label = "Overlays, Sky and Fog"
    bl_context = ""
    bl_order = VISIBILITY
    bl_parent_id = "VIEW3D_PT_tomb_raider_visibility"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        layout.prop(context.window_manager, "tomb_raider_numbers")
        layout.prop(context.window_manager, "tomb_raider_boxes")
        layout.prop(level.tomb_raider.level, "sprites_face_camera")
        _draw_sky(layout, context, level)
        _draw_fog(layout, level)


CLASSES = (
    VIEW3D_PT_tomb_raider_level,
    VIEW3D_PT_tomb_raider_level_tools,
    VIEW3D_PT_tomb_raider_visibility,
    VIEW3D_PT_tomb_raider_overlays,
    COLLECTION_PT_tomb_raider_level,
    COLLECTION_PT_tomb_raider_library,
    COLLECTION_PT_tomb_raider_settings,
)
