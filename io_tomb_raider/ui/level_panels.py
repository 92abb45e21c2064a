"""Panels of a level: in the properties of its root collection, and in the sidebar."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection, Context, Header, UILayout

from ..formats.base import N_, T, plural
from ..scene.core import Kind, is_level
from ..scene.properties import CONTEXT
from .assets.operators import draw_assets
from .base.active import active_collection
from .base.layout.panels import (
    CollectionPanel,
    LevelPart,
    LevelPopover,
    LevelSidebar,
    fields,
    offer,
    split_columns,
)
from .base.layout.sidebar import LEVEL
from .base.levels import game_of, meant_level
from .base.text.fitting import panel_width, shortened, text_width
from .base.text.i18n import translate
from .play.operators import draw_engine
from .rooms.panels import draw_flips
from .view.visibility import draw_ceilings, draw_library, draw_parts, is_part_shown

_RESERVED = 98.0  # pixels of the title that its word and icons take
_ICONS: tuple[tuple[str, Any], ...] = (
    ("export_scene.tomb_raider", "EXPORT"),
    ("tomb_raider.play_level", "PLAY"),
    ("tomb_raider.play_from_here", "PIVOT_CURSOR"),
    ("tomb_raider.overview", "ZOOM_ALL"),
    ("tomb_raider.camera_behind_lara", "OUTLINER_OB_CAMERA"),
)


class COLLECTION_PT_tomb_raider_level(CollectionPanel):
    bl_label = "Tomb Raider Level"

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.collection is not None and is_level(context.collection)

    def draw(self, context: Context) -> None:
        level = active_collection(context)
        settings = level.tomb_raider
        column = split_columns(self)
        _draw_fixed(column, level, "game")
        if game_of(level).traits.is_in_trx:
            column.prop(settings, "engine")
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


class COLLECTION_PT_tomb_raider_library(LevelPart):
    bl_label = "Visibility"

    def draw(self, context: Context) -> None:
        level = active_collection(context)
        draw_parts(self.layout, context, level)
        draw_library(self.layout, context, level)


class COLLECTION_PT_tomb_raider_settings(LevelPart):
    bl_label = "Settings"

    def draw(self, context: Context) -> None:
        level = active_collection(context)
        settings, game = level.tomb_raider.level, game_of(level)
        column = split_columns(self)
        if game.traits.has_weather:
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
    """Panel of the user's level: its name in the title, its tools as icons, in all modes."""

    bl_label = "Level"
    bl_translation_context = CONTEXT
    bl_order = LEVEL

    def draw_header_preset(self, context: Context) -> None:
        level = meant_level(context)
        if level is not None:
            row = self.layout.row(align=True)
            row.label(text=_title(level), translate=False)
            row.menu("VIEW3D_MT_tomb_raider_level", text="", icon="DOWNARROW_HLT")

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        from ..scene.interop.projects import is_project

        layout.use_property_split = False
        row = layout.row(align=True)
        if game_of(level).traits.is_in_trx:
            row.prop(level.tomb_raider, "engine", text="", icon_only=True)
        _draw_icons(row, context, level)
        draw_engine(layout)
        if is_project(level):
            _draw_project(layout, level)
        _draw_trx(layout, context, level)


def _title(level: Collection) -> str:
    """Return the name of a level with its game and an engine other than the game's own, for a title."""
    settings = level.tomb_raider
    engines = settings.game if settings.engine == "ORIGINAL" else f"{settings.game}, {settings.engine}"
    name = shortened(settings.title or level.name, panel_width() - _RESERVED - text_width(f" ({engines})"))
    return f"{name} ({engines})"


def _draw_icons(row: UILayout, context: Context, level: Collection) -> None:
    """Draw the tools that one needs all the time: their tooltips have their names."""
    if context.mode == "OBJECT":
        row.operator("import_scene.tomb_raider", text="", icon="IMPORT")
    for operator, icon in _ICONS:
        row.operator(operator, text="", icon=icon).collection = level.name
    # The header, where it is too, is cut off in narrow windows and by long words.
    _draw_eye(row)


def _draw_eye(layout: UILayout) -> None:
    """Draw the button that opens *Visibility*."""
    layout.popover(VIEW3D_PT_tomb_raider_visibility.__name__, text="", icon="HIDE_OFF")


def _draw_project(layout: UILayout, level: Collection) -> None:
    from ..scene.interop.projects import missing_of

    row = layout.row(align=True)
    save = row.operator("export_scene.tomb_raider_project", text="Save Project", icon="FILE_TICK")
    save.collection = level.name
    row.operator("export_scene.tomb_raider_compiled", text="Compile").collection = level.name
    count = len(missing_of(level))
    if count:
        text = plural("One file is missing", "{count} files are missing", count)
        layout.popover("VIEW3D_PT_tomb_raider_missing", text=translate(text), icon="ERROR", translate=False)


def _draw_trx(layout: UILayout, context: Context, level: Collection) -> None:
    """Draw buttons that open the level's edits of TRX, and its entry in the game flow."""
    row = layout.row(align=True)
    count = len(level.tomb_raider.edits)
    if count and game_of(level).traits.has_trx and context.mode == "OBJECT":
        text = translate(plural("One Edit", "{count} Edits", count))
        row.popover("VIEW3D_PT_tomb_raider_edits", text=text, translate=False)
    if level.tomb_raider.engine == "TRX":
        row.popover("VIEW3D_PT_tomb_raider_gameflow", text="Game Flow")


def _draw_fixed(layout: UILayout, level: Collection, name: str) -> None:
    """Draw a setting that the existing geometry depends on."""
    row = layout.row()
    row.enabled = False
    row.prop(level.tomb_raider, name)


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


class VIEW3D_PT_tomb_raider_visibility(LevelPopover):
    """Popover in the header of the 3D view: parts of the level to show."""

    bl_label = "Visibility"

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        layout.label(text="Visibility")
        draw_parts(layout, context, level)
        draw_ceilings(layout, context)
        draw_flips(layout, context, level)
        offer(layout, "isolate_room", icon="ZOOM_SELECTED")
        draw_library(layout, context, level)


class VIEW3D_PT_tomb_raider_overlays(LevelPopover):
    """Part of the popover with overlays, sky and fog."""

    bl_label = "Overlays, Sky and Fog"
    bl_parent_id = "VIEW3D_PT_tomb_raider_visibility"

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        layout.prop(context.window_manager, "tomb_raider_numbers")
        layout.prop(context.window_manager, "tomb_raider_boxes")
        layout.prop(context.window_manager, "tomb_raider_trigger_lines", text="Trigger Lines")
        layout.prop(level.tomb_raider.level, "sprites_face_camera")
        offer(layout, "show_rounding", icon="OVERLAY")
        _draw_sky(layout, context, level)
        _draw_fog(layout, level)


def draw_visibility(header: Header, context: Context) -> None:
    """Draw the button of *Visibility* in the header of the 3D view, next to those of Blender's overlays."""
    if context.mode in ("OBJECT", "EDIT_MESH", "POSE") and meant_level(context) is not None:
        _draw_eye(header.layout)


CLASSES = (
    VIEW3D_PT_tomb_raider_level,
    VIEW3D_PT_tomb_raider_visibility,
    VIEW3D_PT_tomb_raider_overlays,
    COLLECTION_PT_tomb_raider_level,
    COLLECTION_PT_tomb_raider_library,
    COLLECTION_PT_tomb_raider_settings,
)
