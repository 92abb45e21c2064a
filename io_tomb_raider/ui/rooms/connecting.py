"""Operators that connect rooms by portals."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Object, Operator

from ...formats import ExportError, FormatError
from ...formats.base import T, Text, joined
from ...scene.core import Kind
from ..base.active import active_layer
from ..base.conditions import IN_OBJECT_MODE, condition
from ..base.levels import level_of
from ..base.operators import EditingTool, LevelTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, ToolError, explain, report_line
from ..base.selecting import select_only
from .apart import mark

if TYPE_CHECKING:
    from ...scene.authoring.portals import Connected

_NAMED = 4  # objects that a report names before they are only counted
_REMEDIES = 3  # for one room: straighten, snap, move


def selected_rooms(context: Context) -> list[Object]:
    """Return the selected objects that are rooms."""
    return [obj for obj in context.selected_objects if obj.tomb_raider.kind == Kind.ROOM]


class TOMB_RAIDER_OT_make_portal(EditingTool):
    """Connect two selected rooms by portals where their meshes meet"""

    bl_idname = "tomb_raider.make_portal"
    bl_label = "Make Portal"
    requires = condition(
        lambda context: context.mode == "OBJECT" and len(selected_rooms(context)) == 2,
        T("Select two rooms of a level, in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.portals import open_portals

        room, other = selected_rooms(context)
        level = level_of(room)
        if level is None or level_of(other) != level:
            raise ToolError(T("The rooms are not of one level"))
        open_portals(level, room, other)
        text = T("Portals were added. Lara can pass only where the collision of both rooms has openings")
        report_line(self, "INFO", text)
        return {"FINISHED"}


def _with_alone(text: Text, connected: "Connected") -> Text:
    """Return a report with the rooms that were connected to none, and the reasons."""
    from ...scene.core import first_few

    alone = first_few(connected.alone, _NAMED)
    reasons = joined(". ", [reason.text for reason in connected.reasons])
    return T("{text}. Connected to none: {alone}. {reasons}", text=text, alone=alone, reasons=reasons)


class _ConnectTool(Operator):
    """Shared settings of operators that connect rooms."""

    clear: BoolProperty(
        name="Open Meshes",
        description="Delete the faces of both rooms at the openings of their collision",
        default=True,
    )
    surfaces: BoolProperty(
        name="Water Surface",
        description="Draw a water surface where water meets a dry room above, if neither shows one yet",
        default=True,
    )


class _ConnectRoomsTool(EditingTool, _ConnectTool):
    """Base of operators that connect some rooms."""

    def connect(self, rooms: Sequence[Object]) -> Outcome:
        """Connect rooms, report the result, and show why if that is impossible."""
        from ...scene.authoring.portals import NotMeetingError, connect_rooms

        level = level_of(rooms[0])
        if level is None or any(level_of(room) != level for room in rooms):
            raise ToolError(T("The rooms are not of one level"))
        try:
            connected = connect_rooms(level, rooms, clear=self.clear, surfaces=self.surfaces)
        except (ExportError, FormatError) as error:
            mark(error.reasons if isinstance(error, NotMeetingError) else ())
            report_line(self, "ERROR", explain(error))
            return {"CANCELLED"}
        mark(connected.reasons)
        text = T(
            "Portals: {portals} new, {stale} removed. Sectors opened: {sectors}",
            portals=connected.portals,
            stale=connected.stale,
            sectors=connected.sectors,
        )
        if connected.faces:
            text += T(". Faces removed: {faces}", faces=connected.faces)
        if connected.surfaces:
            text += T(". Faces of water: {surfaces}", surfaces=connected.surfaces)
        if connected.alone:
            report_line(self, "WARNING", _with_alone(text, connected))
        elif connected.sectors or not connected.portals:
            report_line(self, "INFO", text)
        else:
            report_line(
                self,
                "WARNING",
                T("{text}. Lara cannot pass: floors, ceilings or walls do not meet there", text=text),
            )
        changed = (
            connected.portals or connected.stale or connected.sectors or connected.faces or connected.surfaces
        )
        return {"FINISHED"} if changed else {"CANCELLED"}


class TOMB_RAIDER_OT_connect_rooms(_ConnectRoomsTool):
    """Connect the selected rooms where they meet, by portals and open collision"""

    bl_idname = "tomb_raider.connect_rooms"
    bl_label = "Connect Rooms"
    requires = condition(
        lambda context: context.mode == "OBJECT" and len(selected_rooms(context)) >= 2,
        T("Select two or more rooms of a level, in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        # The active room keeps its place if another one is to be moved.
        rooms = sorted(selected_rooms(context), key=lambda room: room != context.object)
        return self.connect(rooms)


class TOMB_RAIDER_OT_bring_together(_ConnectRoomsTool):
    """Move a room next to another one, on the grid, and connect them"""

    bl_idname = "tomb_raider.bring_together"
    bl_label = "Move and Connect"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}  # a button next to the reason

    room: StringProperty(name="Room", description="Name of the room to move", options={"SKIP_SAVE"})
    other: StringProperty(
        name="Other Room",
        description="Name of the room to connect it to. Empty: the nearest one",
        options={"SKIP_SAVE"},
    )

    requires = IN_OBJECT_MODE

    def edited(self, context: Context) -> Iterable[Any]:
        rooms = self._rooms()
        return [*super().edited(context), *rooms, *(room.data for room in rooms)]

    def _rooms(self) -> list[Object]:
        """Return the chosen rooms."""
        objects = [
            obj for obj in bpy.data.objects if obj.library is None and obj.tomb_raider.kind == Kind.ROOM
        ]
        return [obj for name in (self.room, self.other) for obj in objects if obj.name == name]

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.portals import Remedy, level_rooms, mend, why_apart
        from ...scene.core import Space

        rooms = self._rooms()
        level = level_of(rooms[0]) if rooms else None
        if level is None:
            raise ToolError(T("There is no such room"))
        room, space = rooms[0], Space.of(level)
        all_rooms = [other for other in level_rooms(level) if other != room]
        others = [other for other in rooms[1:] if other != room] or all_rooms
        nearest = None
        for _ in range(_REMEDIES):
            apart = why_apart(room, others, space)
            nearest = apart.other or nearest
            if not mend(apart, all_rooms, space):
                break
            active_layer(context).update()
            if apart.remedy is Remedy.MOVE:
                break
        pair = [room] if nearest is None else [nearest, room]
        select_only(context, pair)
        return self.connect(pair)


class TOMB_RAIDER_OT_connect_all(LevelTool, _ConnectTool):
    """Connect all rooms of the level that meet. Existing connections stay as they are"""

    bl_idname = "tomb_raider.connect_all"
    bl_label = "Connect All"

    edited_kinds = (Kind.ROOM, Kind.COLLISION)

    through: BoolProperty(
        name="Through Faces",
        description="Also connect rooms that have faces between them. Off: only where both meshes are open",
        default=True,
    )

    requires = IN_OBJECT_MODE

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.portals import connect_all

        level = self.level(context)
        with ProgressBar(context, self.bl_label) as bar:
            connected = connect_all(
                level, clear=self.clear, surfaces=self.surfaces, through=self.through, listener=bar
            )
        mark(connected.reasons)
        text = T(
            "Pairs of rooms connected: {pairs}. Portals: {portals}. Sectors opened: {sectors}",
            pairs=connected.pairs,
            portals=connected.portals,
            sectors=connected.sectors,
        )
        if connected.surfaces:
            text += T(". Faces of water: {surfaces}", surfaces=connected.surfaces)
        if connected.alone:
            report_line(self, "WARNING", _with_alone(text, connected))
        else:
            report_line(self, "INFO", text)
        counts = (connected.pairs, connected.portals, connected.sectors, connected.surfaces)
        return {"FINISHED"} if any(counts) else {"CANCELLED"}
