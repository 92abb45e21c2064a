"""Operators that read collision from the mesh of a room, and show how far it is rounded."""

import bpy
from bpy.props import IntProperty
from bpy.types import Collection, Context, Object

from ...formats import ExportError, FormatError
from ...formats.base import T
from ...scene.core import Kind, collision_of, members_of
from ..base.active import active_layer, room_of
from ..base.conditions import condition
from ..base.levels import level_of
from ..base.operators import EditingTool, LevelTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, explain, report_line
from ..rooms.collision_reports import report_doubts
from ..view.visibility import show


def _chosen_rooms(context: Context) -> list[Object]:
    """Return the rooms that are selected, or are parents of selected objects."""
    rooms = map(room_of, (*context.selected_objects, context.object))
    return list(dict.fromkeys(room for room in rooms if room is not None))


class TOMB_RAIDER_OT_refresh_from_mesh(EditingTool):
    """Update the collision of the selected rooms from their meshes; manual settings are kept"""

    bl_idname = "tomb_raider.refresh_from_mesh"
    bl_label = "Refresh from Mesh"

    storey: IntProperty(
        name="Storey",
        default=-1,
        min=-1,
        max=15,
        description="Storey to read where several are above one another: 0 is the lowest, -1 as before",
        options={"SKIP_SAVE"},
    )

    requires = condition(
        lambda context: context.mode == "OBJECT" and any(map(collision_of, _chosen_rooms(context))),
        T("Select rooms with collision, in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        rooms = [room for room in _chosen_rooms(context) if collision_of(room) is not None]
        done = []
        with ProgressBar(context, T("Refreshing collision")) as bar:
            for number, room in enumerate(rooms):
                bar(room.name, number / len(rooms))
                done.append(self._refresh(room))
        return {"FINISHED"} if any(done) else {"CANCELLED"}

    def _refresh(self, room: Object) -> bool:
        """Refresh one room, and return whether it was read. A room that cannot be read is left as it is."""
        from ...scene.authoring.collision_from_mesh import refresh_from_mesh
        from ...scene.core import original

        level = level_of(room)
        if level is None:
            report_line(self, "ERROR", T("The room belongs to no level"))
            return False
        storey = None if self.storey < 0 else self.storey
        try:
            fit = refresh_from_mesh(level, room, original.load(level), storey)
        except (ExportError, FormatError) as error:
            report_line(self, "ERROR", explain(error))
            return False
        text = T(
            "{room}: sectors changed: {changed} of {sectors}",
            room=room.name,
            changed=fit.changed,
            sectors=fit.sectors,
        )
        if fit.kept:
            text += T(". Kept, since they open to other rooms: {kept}", kept=fit.kept)
        if fit.rounded:
            text += T(
                ". Rounded: {rounded}, by up to {most:.0f} units, {mean:.0f} on average",
                rounded=fit.rounded,
                most=fit.most,
                mean=fit.mean,
            )
        report_line(self, "INFO", text)
        report_doubts(self, fit)
        return True


class TOMB_RAIDER_OT_show_rounding(LevelTool):
    """Show or hide the distance of collision from its mesh in yellow, orange and red"""

    bl_idname = "tomb_raider.show_rounding"
    bl_label = "Show or Hide Rounding"

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import is_shown
        from ...scene.subjects.collision import show_rounding, shows_rounding

        level = self.level(context)
        objects = fitted_collision(level)
        if not objects:
            text = T("No collision of {level} was read from a mesh: use Refresh from Mesh", level=level.name)
            report_line(self, "WARNING", text)
            return {"CANCELLED"}
        on = not all(map(shows_rounding, objects))
        show_rounding(objects, on)
        if on and not is_shown(level, active_layer(context), "COLLISION"):
            show(context, level, "COLLISION", True)
        return {"FINISHED"}


def fitted_collision(level: Collection) -> list[Object]:
    """Return the collision meshes of a level that were read from meshes."""
    from ...scene.subjects.collision import ROUNDING

    return [
        obj for obj in members_of(level, Kind.COLLISION) if ROUNDING in getattr(obj.data, "attributes", ())
    ]


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_refresh_from_mesh, TOMB_RAIDER_OT_show_rounding)
)
