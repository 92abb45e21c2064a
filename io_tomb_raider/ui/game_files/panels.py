"""Script panel of the text editor."""

from __future__ import annotations

from bpy.types import Context, Object, Panel, UILayout

from ...formats import Game
from ...scene.core import Kind
from ..base.layout.panels import ObjectPanel, fields, split_columns


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


CLASSES = (
    TEXT_PT_tomb_raider_script,
    OBJECT_PT_tomb_raider_lens_flare,
    OBJECT_PT_tomb_raider_mirror,
    OBJECT_PT_tomb_raider_loading_camera,
)
