"""Cut to Sectors operator: cut faces along sectors and where textures repeat."""

import bpy
from bpy.props import BoolProperty
from bpy.types import Context, Object

from ...formats import ExportError
from ...formats.base import T
from ...scene.core import Kind
from ..base.conditions import condition
from ..base.levels import chosen_level, level_of
from ..base.operators import EditingTool
from ..base.reports import Outcome, explain, report_line

_KINDS = (Kind.NONE, Kind.ROOM, Kind.STATIC_MESH)


def _meshes(context: Context) -> list[Object]:
    """Return the edited or selected mesh objects, one per mesh."""
    objects = context.objects_in_mode_unique_data if context.mode == "EDIT_MESH" else context.selected_objects
    objects_by_mesh: dict[object, Object] = {}
    for obj in objects or ():
        if obj.type == "MESH" and obj.tomb_raider.kind in _KINDS:
            objects_by_mesh.setdefault(obj.data, obj)
    return list(objects_by_mesh.values())


class TOMB_RAIDER_OT_cut_to_sectors(EditingTool):
    """Cut selected meshes or faces at sector borders and where pictures repeat"""

    bl_idname = "tomb_raider.cut_to_sectors"
    bl_label = "Cut to Sectors"

    grid: BoolProperty(name="Along Sectors", default=True, description="Cut faces at sector borders")
    repeats: BoolProperty(
        name="Repeated Pictures",
        default=True,
        description="Cut faces where a picture of your own repeats, so that each piece shows it once",
    )

    requires = condition(
        lambda context: context.mode in ("OBJECT", "EDIT_MESH") and _meshes(context),
        T("Select rooms or meshes of your own"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.bisect import cut_mesh

        by_grid = by_repeats = done = 0
        for obj in _meshes(context):
            try:
                level = level_of(obj) or chosen_level(context)
                cut = cut_mesh(level, obj, grid=self.grid, repeats=self.repeats)
            except ExportError as error:
                report_line(self, "ERROR", explain(error))
                continue
            by_grid, by_repeats, done = by_grid + cut.by_grid, by_repeats + cut.by_repeats, done + 1
        if not done:
            return {"CANCELLED"}
        text = T(
            "New faces: {by_grid} along sectors, {by_repeats} where pictures repeat",
            by_grid=by_grid,
            by_repeats=by_repeats,
        )
        report_line(self, "INFO", text)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_cut_to_sectors,))
