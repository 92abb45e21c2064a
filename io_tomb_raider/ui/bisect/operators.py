"""Cutting faces along sectors, and where pictures repeat."""

import bpy
from bpy.props import BoolProperty
from bpy.types import Context, Object, Operator

from ...formats import ExportError
from ...scene.core.subjects import Kind
from ..base.levels import chosen_level, level_of
from ..base.reports import Outcome, explain, refuse, say

_KINDS = (Kind.NONE, Kind.ROOM, Kind.STATIC_MESH)


def _meshes(context: Context) -> list[Object]:
    """Return the mesh objects that are meant, one for each mesh."""
    things = context.objects_in_mode_unique_data if context.mode == "EDIT_MESH" else context.selected_objects
    found: dict[object, Object] = {}
    for thing in things or ():
        if thing.type == "MESH" and thing.tomb_raider.kind in _KINDS:
            found.setdefault(thing.data, thing)
    return list(found.values())


class TOMB_RAIDER_OT_cut_to_sectors(Operator):
    """Cut selected meshes, in edit mode selected faces, between sectors and where pictures repeat"""

    bl_idname = "tomb_raider.cut_to_sectors"
    bl_label = "Cut to Sectors"
    bl_options = {"REGISTER", "UNDO"}

    grid: BoolProperty(
        name="Along Sectors", default=True, description="Cut faces along the lines between sectors"
    )
    repeats: BoolProperty(
        name="Repeated Pictures",
        default=True,
        description=(
            "Cut faces where a picture of your own repeats, so that each piece shows it once, "
            "with its UVs inside of the picture"
        ),
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        if context.mode not in ("OBJECT", "EDIT_MESH") or not _meshes(context):
            refuse(cls, "Select rooms or meshes of your own")
            return False
        return True

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.bisect.tools import cut_mesh

        by_grid = by_repeats = done = 0
        for thing in _meshes(context):
            try:
                level = level_of(thing) or chosen_level(context)
                made = cut_mesh(level, thing, grid=self.grid, repeats=self.repeats)
            except ExportError as error:
                say(self, "ERROR", explain(error))
                continue
            by_grid, by_repeats, done = by_grid + made.by_grid, by_repeats + made.by_repeats, done + 1
        if not done:
            return {"CANCELLED"}
        say(self, "INFO", f"New faces: {by_grid} along sectors, {by_repeats} where pictures repeat")
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_cut_to_sectors,))
