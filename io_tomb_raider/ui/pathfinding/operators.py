"""Operators for the boxes by which enemies find their way."""

from typing import Any

import bmesh
import bpy
from bpy.props import BoolProperty, IntProperty
from bpy.types import Context, Mesh, Object

from ...formats.base import T
from ...scene.core import Kind, Space
from ..base.conditions import condition
from ..base.levels import level_of
from ..base.modes import UserMode
from ..base.operators import EditingTool
from ..base.progress import ProgressBar
from ..base.reconciling import reconcile_step
from ..base.reports import Outcome, ToolError, report_line


def _overlay(context: Context) -> Object | None:
    obj = context.object
    return obj if obj is not None and obj.tomb_raider.kind == Kind.BOXES else None


class TOMB_RAIDER_OT_refresh_boxes(EditingTool):
    """Show the boxes and zones that an export would write now"""

    bl_idname = "tomb_raider.refresh_boxes"
    bl_label = "Refresh Boxes"
    requires = condition(
        lambda context: _overlay(context) is not None and context.mode == "OBJECT",
        T("Select the overlay of boxes in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report
        from ...scene.pipeline import export_level
        from ...scene.subjects.pathfinding import draw_boxes

        obj = _overlay(context)
        level = level_of(obj)
        if obj is None or level is None:
            raise ToolError(T("These boxes belong to no level"))
        reconcile_step(level, Report())
        with ProgressBar(context, T("Computing boxes")) as bar:
            written = export_level(level, listener=bar).level
        draw_boxes(obj, written, Space.of(level))
        report_line(self, "INFO", T("Boxes: {count}", count=len(written.boxes)))
        return {"FINISHED"}


class TOMB_RAIDER_OT_set_blockable(EditingTool):
    """Set whether doors and blocks can block the selected boxes for enemies"""

    bl_idname = "tomb_raider.set_blockable"
    bl_label = "Set Blockable"

    blockable: BoolProperty(name="Blockable", default=True, description="Doors or blocks can block the box")
    blocked: BoolProperty(name="Blocked", description="The box is blocked from the start")

    requires = condition(
        lambda context: _overlay(context) is not None and context.mode == "EDIT_MESH",
        T("Select boxes of the overlay in Edit Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.pathfinding import BLOCKABLE

        obj: Any = _overlay(context)
        mesh: Mesh = obj.data
        content = bmesh.from_edit_mesh(mesh)
        layer = content.faces.layers.int.get(BLOCKABLE) or content.faces.layers.int.new(BLOCKABLE)
        chosen = [face for face in content.faces if face.select]
        for face in chosen:  # edit mode has no array access
            face[layer] = 2 * self.blockable + self.blocked
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
        report_line(self, "INFO", T("Boxes that were set: {count}", count=len(chosen)))
        return {"FINISHED"}


class TOMB_RAIDER_OT_set_zone(EditingTool):
    """Assign the selected boxes to one of the shown zones, as for the path of a guard"""

    bl_idname = "tomb_raider.set_zone"
    bl_label = "Set Zone"

    zone: IntProperty(
        name="Zone",
        default=-1,
        min=-1,
        max=0xFFFF,
        description="Number of the zone; -1: a new one. Characters prefer boxes of their zone",
    )
    by_hand: BoolProperty(
        name="By Hand",
        default=True,
        description="Export this zone. Off: export the imported or the computed zone",
    )

    requires = condition(lambda context: TOMB_RAIDER_OT_set_blockable.poll(context))

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.pathfinding import set_zone

        obj: Any = _overlay(context)
        mode = UserMode(context)
        mode.leave()
        try:
            chosen = [face.index for face in obj.data.polygons if face.select]
            zone = set_zone(obj, chosen, self.zone, by_hand=self.by_hand)
        finally:
            mode.enter_again()
        where = T(" in zone {zone}", zone=zone) if self.by_hand else ""
        report_line(self, "INFO", T("Boxes that were set: {count}{where}", count=len(chosen), where=where))
        return {"FINISHED"}


_CLASSES = (TOMB_RAIDER_OT_refresh_boxes, TOMB_RAIDER_OT_set_blockable, TOMB_RAIDER_OT_set_zone)


register, unregister = bpy.utils.register_classes_factory(_CLASSES)
