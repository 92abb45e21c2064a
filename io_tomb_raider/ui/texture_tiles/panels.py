"""Panels of the texture brush: the active tile and the palette, in the 3D view and the Image Editor."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, Panel, UILayout

from ...formats.base import T
from ..base.layout.panels import SidebarPanel, can_call, fields
from ..base.layout.sidebar import SELECTION, TAB, is_painting
from ..base.levels import all_levels, meant_level
from ..base.text.i18n import translate
from ..textures.operators import edited_objects
from .choosing import favorite_index, tile_image
from .palette import area_text
from .settings import texturing, tile_in

_LARGE, _EMPTY, _POPUP = 5.0, 2.0, 3.0  # of pictures, in units of Blender's buttons


def draw_active_tile(layout: UILayout, context: Context) -> None:
    """Draw the active tile: its large picture, with which another one is chosen, and how faces show it."""
    scene: Any = context.scene
    settings = texturing(context)
    tile = settings.tile
    row = layout.row()
    has_tile = tile_in(tile) is not None
    scale = _LARGE if has_tile else _EMPTY
    row.template_icon_view(scene, "tomb_raider_palette", scale=scale, scale_popup=_POPUP)
    buttons = row.column(align=True)
    if has_tile:
        buttons.operator("tomb_raider.turn_tile", text="", icon="LOOP_FORWARDS")
        buttons.operator("tomb_raider.turn_tile", text="", icon="LOOP_BACK").counterclockwise = True
        buttons.operator("tomb_raider.mirror_tile", text="", icon="MOD_MIRROR", depress=tile.mirrored)
        buttons.separator()
    if can_call("toggle_favorite"):
        is_favorite = has_tile and favorite_index(settings) is not None
        buttons.operator(
            "tomb_raider.toggle_favorite",
            text="",
            icon="SOLO_ON" if is_favorite else "SOLO_OFF",
            depress=is_favorite,
        )
    row = layout.row(align=True)
    row.prop(settings, "palette", text="")
    if settings.palette == "PAGE":
        row.prop(settings, "page", text="", placeholder="Page of the Tile")
    column = layout.column(align=True)
    if not has_tile:
        column.label(text="No tile is chosen")
        column.label(text="Click the picture above,")
        column.label(text="or Ctrl-click a face")
        return
    column.label(text=tile.image.name, icon="TEXTURE", translate=False)
    column.label(text=area_text(tile.area), translate=False)
    turned = T("Turned by {degrees}°", degrees=tile.turns * 90) if tile.turns else T("Not turned")
    column.label(text=translate(T("{turned}, mirrored", turned=turned) if tile.mirrored else turned))
    row = layout.row(align=True)
    row.prop(tile, "blending", text="")
    row.prop(tile, "double_sided", toggle=True)


class VIEW3D_PT_tomb_raider_brush(SidebarPanel):
    """Panel of the active tile and the tile palette."""

    bl_label = "Texture Brush"
    bl_order = SELECTION - 1  # above the long panels of rooms, since it is used all the time

    @classmethod
    def poll(cls, context: Context) -> bool:
        return bool(edited_objects(context)) or is_painting(context)

    def draw(self, context: Context) -> None:
        layout = self.layout
        draw_active_tile(layout, context)
        fields(layout, texturing(context), "upright", "walls")
        if context.mode == "EDIT_MESH":
            layout.operator("tomb_raider.paint_selected", icon="BRUSH_DATA")


class VIEW3D_PT_tomb_raider_object_textures(SidebarPanel):
    """Panel of the number of object textures of a level."""

    bl_label = "Object Textures"
    bl_order = SELECTION - 1
    bl_parent_id = "VIEW3D_PT_tomb_raider_brush"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return meant_level(context) is not None

    def draw(self, context: Context) -> None:
        from .counts import count_of

        level = meant_level(context)
        if level is None:
            return
        layout = self.layout
        count = count_of(level)
        column = layout.column(align=True)
        if count is not None:
            left = count.limit - count.total
            column.label(
                text=translate(T("{left:,} left of {limit:,}", left=left, limit=count.limit)),
                icon="ERROR" if left < 0 else "NONE",
            )
            if count.is_outdated:
                column.label(text="Counted before you painted")
            grid = layout.grid_flow(columns=2, align=True, row_major=True)
            for page, number in count.pages.items():
                grid.label(text=translate(T("Page {page}: {number}", page=page, number=number)))
        text = T("Count") if count is None else T("Count Again")
        layout.operator("tomb_raider.refresh_palette", text=text, icon="FILE_REFRESH").collection = level.name


class IMAGE_PT_tomb_raider_tile(Panel):
    """Panel of the choice of tiles in Image Editors."""

    bl_label = "Texture Brush"
    bl_space_type = "IMAGE_EDITOR"
    bl_region_type = "UI"
    bl_category = TAB

    @classmethod
    def poll(cls, _context: Context) -> bool:
        return bool(all_levels())

    def draw(self, context: Context) -> None:
        layout = self.layout
        settings = texturing(context)
        layout.operator("tomb_raider.open_tile_set", text="Open Tile Set...", icon="FILE_IMAGE")
        fields(layout, settings, "grid")
        tile = settings.tile
        column = layout.column(align=True)
        if tile_in(tile) is None:
            column.label(text="No tile is chosen")
        else:
            image = tile_image(context)
            if image != tile.image:
                column.label(text=tile.image.name, icon="TEXTURE", translate=False)
            column.label(text=area_text(tile.area), translate=False)
            column = layout.column(align=True)
            column.operator("tomb_raider.add_tile_frame", icon="ADD")
            column.operator("tomb_raider.add_tile_run", text="Add Run of Tiles…")


CLASSES = (
    VIEW3D_PT_tomb_raider_brush,
    VIEW3D_PT_tomb_raider_object_textures,
    IMAGE_PT_tomb_raider_tile,
)
