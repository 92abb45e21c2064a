"""The menu of textures of faces, in menus of the 3D view."""

from bpy.types import Context, Menu

from ..base.menu_entries import Entries, with_entries
from .settings import texturing
from .tools import BRUSH


class VIEW3D_MT_tomb_raider_texture(Menu):
    """Menu of the texture brush, and of what faces show."""

    bl_label = "Texture"

    def draw(self, context: Context | None) -> None:
        layout = self.layout
        if context is None:
            return
        layout.operator("wm.tool_set_by_id", text="Texture Brush", icon="BRUSH_DATA").name = BRUSH
        layout.operator("tomb_raider.paint_tile")
        layout.operator("tomb_raider.pick_tile", icon="EYEDROPPER")
        layout.operator("tomb_raider.turn_tile")
        layout.operator("tomb_raider.mirror_tile", depress=texturing(context).tile.mirrored)
        if context.mode == "EDIT_MESH":
            layout.separator()
            layout.operator("tomb_raider.paint_selected")
            layout.operator("tomb_raider.turn_texture")
            layout.operator("tomb_raider.mirror_texture")
            layout.separator()
            layout.operator("tomb_raider.select_same_texture")
            layout.operator("tomb_raider.texture_info")
            layout.operator_menu_enum("tomb_raider.replace_tile", "scope")
            layout.operator("tomb_raider.replace_texture")
        layout.separator()
        layout.operator("tomb_raider.add_tile_frame")
        layout.operator("tomb_raider.add_tile_run")


def _draw(menu: Menu, context: Context) -> None:
    from ..base.levels import all_levels

    if all_levels():
        menu.layout.separator()
        menu.layout.menu("VIEW3D_MT_tomb_raider_texture")


_ENTRIES: Entries = (("VIEW3D_MT_edit_mesh_faces", _draw), ("VIEW3D_MT_object", _draw))

register, unregister = with_entries((VIEW3D_MT_tomb_raider_texture,), _ENTRIES)
