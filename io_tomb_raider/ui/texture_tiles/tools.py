"""The texture brush in the toolbar of the 3D view, and the choice of tiles in that of the Image Editor."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Context, UILayout, WorkSpaceTool

from ...formats.base import N_
from ..base.layout.drawing import redraw_views
from ..base.layout.sidebar import BRUSH
from .choosing import TOOL
from .settings import texturing

_KEYS = (
    ("tomb_raider.paint_tile", {"type": "LEFTMOUSE", "value": "PRESS"}, None),
    (
        "tomb_raider.paint_tile",
        {"type": "LEFTMOUSE", "value": "PRESS", "shift": True},
        {"properties": [("area", "PLANE")]},
    ),
    (
        "tomb_raider.paint_tile",
        {"type": "LEFTMOUSE", "value": "PRESS", "shift": True, "ctrl": True},
        {"properties": [("area", "GROUP")]},
    ),
    ("tomb_raider.pick_tile", {"type": "LEFTMOUSE", "value": "PRESS", "ctrl": True}, None),
    ("tomb_raider.turn_tile", {"type": "R", "value": "PRESS"}, None),
    (
        "tomb_raider.turn_tile",
        {"type": "R", "value": "PRESS", "shift": True},
        {"properties": [("counterclockwise", True)]},
    ),
    ("tomb_raider.mirror_tile", {"type": "M", "value": "PRESS"}, None),
)


def draw_tile(layout: UILayout, context: Context) -> None:
    """Draw the active tile: its picture, rectangle, turn and blend mode."""
    tile = texturing(context).tile
    row = layout.row(align=True)
    row.prop(tile, "image", text="")
    if tile.image is None:
        return
    row.operator("tomb_raider.turn_tile", text=f"{tile.turns * 90}°", icon="FILE_REFRESH", translate=False)
    row.operator("tomb_raider.mirror_tile", text="", icon="MOD_MIRROR", depress=tile.mirrored)
    layout.prop(tile, "blending", text="")
    layout.prop(tile, "double_sided")


class _Brush(WorkSpaceTool):
    bl_space_type = "VIEW_3D"
    bl_idname = BRUSH
    bl_label = "Texture Brush"
    bl_description = N_(
        "Put the active tile on faces of rooms, static meshes and models.\n"
        "Drag to paint, Shift to fill a plane, Ctrl to pick the tile of a face"
    )
    bl_icon = "brush.paint_texture.fill"  # one that Blender 4.2 has, too
    bl_keymap = _KEYS

    @staticmethod
    def draw_settings(context: Context, layout: UILayout, _tool: Any) -> None:
        draw_tile(layout, context)
        settings = texturing(context)
        layout.prop(settings, "upright")
        layout.prop(settings, "walls")


class TextureBrushOfObjects(_Brush):
    """The texture brush in object mode."""

    bl_context_mode = "OBJECT"


class TextureBrushOfMeshes(_Brush):
    """The texture brush in edit mode."""

    bl_context_mode = "EDIT_MESH"


class _TileChooser(WorkSpaceTool):
    bl_space_type = "IMAGE_EDITOR"
    bl_idname = TOOL
    bl_label = "Choose Tile"
    bl_description = N_("Click a cell or drag a rectangle to choose the tile of the texture brush")
    bl_icon = "ops.generic.select_box"
    bl_keymap = (("tomb_raider.choose_tile", {"type": "LEFTMOUSE", "value": "PRESS"}, None),)

    @staticmethod
    def draw_settings(context: Context, layout: UILayout, _tool: Any) -> None:
        layout.prop(texturing(context), "grid")


class TileChooserOfImages(_TileChooser):
    """The tool that chooses tiles where images are viewed."""

    bl_context_mode = "VIEW"


class TileChooserOfUVs(_TileChooser):
    """The tool that chooses tiles in the UV Editor."""

    bl_context_mode = "UV"


_TOOLS = (TextureBrushOfObjects, TextureBrushOfMeshes, TileChooserOfImages, TileChooserOfUVs)


_owner = object()  # of the subscription


def listen() -> None:
    """Redraw the sidebar when another tool is chosen: Blender does so for its own tab only.

    Blender forgets this when a file is opened.
    """
    if bpy.app.background:
        return
    bpy.msgbus.clear_by_owner(_owner)
    key: Any = (bpy.types.WorkSpace, "tools")
    bpy.msgbus.subscribe_rna(key=key, owner=_owner, args=(), notify=_redraw_sidebars, options={"PERSISTENT"})


def _redraw_sidebars() -> None:
    redraw_views(None, bpy.context)


def register() -> None:
    for tool in _TOOLS:
        bpy.utils.register_tool(tool, separator=True)
    listen()


def unregister() -> None:
    bpy.msgbus.clear_by_owner(_owner)
    for tool in reversed(_TOOLS):
        bpy.utils.unregister_tool(tool)
