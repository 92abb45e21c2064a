"""Panels of what only files of Tomb Editor hold: skins of models, and paths of textures."""

from __future__ import annotations

from pathlib import PureWindowsPath
from typing import Any

from bpy.types import Context, Object, UILayout

from ...formats import Game
from ...scene.core import Kind
from ..base.active import active_collection
from ..base.layout.panels import LevelPart, ObjectPanel, Rows, fields, listing, split_columns


class OBJECT_PT_tomb_raider_skin(ObjectPanel):
    bl_label = "Tomb Raider Skin"
    kind = Kind.SKIN

    def draw_fields(self, layout: UILayout, obj: Object, game: Game) -> None:
        if obj.parent is not None and obj.parent.tomb_raider.kind == Kind.MODEL:
            layout.prop(obj.parent.tomb_raider.model, "shows_skin")


class TOMB_RAIDER_UL_texture_paths(Rows):
    """List of the textures of a .wad2 with a name or a path."""

    def draw_row(self, layout: UILayout, item: Any) -> None:
        row = layout.row(align=True)
        row.label(text=str(item.number), translate=False)
        row.prop(item, "name", text="", emboss=False)
        row.prop(item, "path", text="", emboss=False)


class COLLECTION_PT_tomb_raider_texture_paths(LevelPart):
    bl_label = "Texture Files"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        collection = context.collection
        return collection is not None and bool(collection.tomb_raider.level.texture_paths)

    def draw(self, context: Context) -> None:
        settings = active_collection(context).tomb_raider.level
        names = "texture_paths", "active_texture_path"
        listing(self.layout, TOMB_RAIDER_UL_texture_paths, settings, *names, rows=4, heading="")
        if 0 <= settings.active_texture_path < len(settings.texture_paths):
            row = settings.texture_paths[settings.active_texture_path]
            column = split_columns(self)
            column.prop(row, "name")
            column.prop(row, "path")
            if row.has_image:
                _draw_material(column, row)


def _draw_material(column: UILayout, row: Any) -> None:
    fields(column, row, "kind", "normal", "specular", "roughness", "occlusion", "emissive", "height")
    if row.has_strengths and row.kind == "DEFAULT":
        fields(column, row, "normal_strength", "specular_strength")
    file = PureWindowsPath(row.path).stem + ".xml"
    column.label(text=file, icon="FILE", translate=False)
    buttons = column.row(align=True)
    buttons.operator("tomb_raider.save_material", icon="FILE_TICK")
    buttons.operator("tomb_raider.reload_materials", icon="FILE_REFRESH")


CLASSES = (
    OBJECT_PT_tomb_raider_skin,
    TOMB_RAIDER_UL_texture_paths,
    COLLECTION_PT_tomb_raider_texture_paths,
)
