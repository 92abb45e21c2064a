"""Panel of the overlay of boxes."""

from __future__ import annotations

from bpy.types import Context

from ...scene.core import Kind
from ..base.layout.panels import PropertiesPanel, belongs_to_no_level, fields, offer, split_columns
from ..base.layout.sidebar import MODES
from ..base.levels import level_of


class OBJECT_PT_tomb_raider_boxes(PropertiesPanel):
    bl_label = "Tomb Raider Boxes"
    bl_context = "object"
    modes = (*MODES, "EDIT_MESH")  # in which the sidebar shows the panel

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and context.object.tomb_raider.kind == Kind.BOXES

    def draw(self, context: Context) -> None:
        obj = context.object
        column = split_columns(self)
        fields(column, obj.tomb_raider.boxes, "zones", "flipped")
        level = level_of(obj)
        if level is None:
            belongs_to_no_level(column)
            return
        column.prop(level.tomb_raider, "pathfinding")
        offer(column, "refresh_boxes", icon="FILE_REFRESH")
        if context.mode == "EDIT_MESH":
            column.operator("tomb_raider.set_blockable")
            column.operator("tomb_raider.set_zone")


CLASSES = (OBJECT_PT_tomb_raider_boxes,)
