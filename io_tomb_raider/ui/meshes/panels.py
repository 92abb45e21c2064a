"""Panel of meshes of models and of static meshes."""

from __future__ import annotations

from bpy.types import Context

from ...formats import Game
from ...scene.core import Kind, level_of
from ..base.layout.panels import PropertiesPanel, fields, number_in_file, split_columns
from ..level.tools import LIGHTS


class DATA_PT_tomb_raider_mesh(PropertiesPanel):
    bl_label = "Tomb Raider Mesh"
    bl_context = "data"

    @classmethod
    def poll(cls, context: Context) -> bool:
        obj = context.object
        return (
            getattr(context, "mesh", None) is not None
            and obj is not None
            and obj.tomb_raider.kind in (Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH)
        )

    def draw(self, context: Context) -> None:
        mesh = context.mesh
        column = split_columns(self)
        number_in_file(column, mesh.tomb_raider.index)
        fields(column, mesh.tomb_raider, "center", "radius")
        column.operator("tomb_raider.recalculate_sphere", icon="SPHERE")
        column.operator("tomb_raider.fit_boxes", icon="SHADING_BBOX")
        column.separator()
        column.prop(mesh.tomb_raider, "flags")
        level = None if context.object is None else level_of(context.object)
        if level is not None and Game[level.tomb_raider.game].traits.has_wads:
            column.prop(mesh.tomb_raider, "is_hidden")
        # As the export decides, also in edit mode.
        is_own = "tr_light" in mesh.attributes
        row = column.row(align=True, heading="Light")
        for name, label, _ in LIGHTS:
            button = row.operator("tomb_raider.set_mesh_light", text=label, depress=is_own == (name == "OWN"))
            button.light = name
        if "tr_normal" in mesh.attributes:
            column.operator("tomb_raider.recalculate_normals", icon="NORMALS_VERTEX")


CLASSES = (DATA_PT_tomb_raider_mesh,)
