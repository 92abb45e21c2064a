"""Renumbering of rooms in an export, and of all references to rooms.

Rooms refer to each other by alternate rooms, portals and sectors (documentation, chapter 3). Entities,
cameras and others have the number of their room.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError, FormatError, Room
from ....formats.base import MOST_ROOMS, T, Target, as_message
from ....formats.levels.collision import NO_ROOM, WALL
from ....formats.levels.floor import Portal, camera_uses
from ....formats.levels.level import ROOM_REMAP, SectionName, footer_of, move_room_flags, put_footer
from ...core.context import ExportContext
from ...core.subjects import Kind, subject_of_section
from .location.plan import RoomPlan, plan_rooms
from .location.where import Whereabouts
from .new import new_room
from .parts import find_parts

# Sections whose records have the number of their room, and names of their elements for users.
_ROOMS_KNOWN: dict[SectionName, str] = {
    "entities": "Entity",
    "ai_objects": "AI Object",
    "flyby_cameras": "Flyby Camera",
}
# Chunks of TRNG's footer with room numbers in undocumented form.
_UNKNOWN_CHUNKS = {ROOM_REMAP: "room numbers"}

# --- References between rooms ----------------------------------------


def start_rooms(context: ExportContext) -> RoomPlan:
    """Plan the rooms of an export, and set the level's rooms to renumbered copies of their originals.

    Raises:
        ExportError: where there are no rooms, or too many.
    """
    imported = "ROOMS" in context.root.tomb_raider.imported
    room_objects, originals = context.objects(Kind.ROOM), context.original.rooms
    imported_geometry = [obj for obj, _ in context.objects(Kind.IMPORTED_GEOMETRY)]
    rooms = (*(obj for obj, _ in room_objects), *imported_geometry)
    parts = find_parts(rooms, originals, context.original.game)
    for obj in imported_geometry:
        if obj not in parts:
            text = T("it is left out, because it is in no room: make a room its parent (Ctrl+P)")
            context.report.warn(obj.name, text)
    for part, room in parts.items():
        if part.tomb_raider.kind == Kind.IMPORTED_GEOMETRY:
            continue
        text = T(
            "it was separated from {room}, so it is exported as a part of it: Join Back joins them",
            room=room.name,
        )
        context.report.warn(part.name, T("{text}, Connect as a Room makes it a separate room", text=text))
    plan = plan_rooms(room_objects, len(originals), parts, imported=imported)
    if plan.is_changed:
        _start_changed(context, plan)
    return plan


def _start_changed(context: ExportContext, plan: RoomPlan) -> None:
    rooms = context.original.rooms
    _check_count(context, len(plan.sources), len(rooms))
    context.level.rooms = [
        new_room(context, obj) if source < 0 and obj is not None else rooms[source].copy()
        for obj, source in zip(plan.objects, plan.sources, strict=True)
    ]
    kept, deleted = {source for source in plan.sources if source >= 0}, int((plan.map < 0).sum())
    context.rebuilt.count("rooms", len(plan.sources) - len(kept) + deleted)
    dead = _dead_lists(context, plan)
    openings = 0
    has_edits = context.target is Target.TRX and "COLLISION" in context.root.tomb_raider.imported
    for room in context.level.rooms:
        room.alternate_room = plan.number(room.alternate_room)
        openings += _renumber_portals(plan, room) + _renumber_sectors(plan, room, dead, has_edits=has_edits)
    if openings:
        text = T(
            "{openings} portals and sectors that opened to deleted rooms are now closed", openings=openings
        )
        context.report.warn(T("Rooms"), text)


def _check_count(context: ExportContext, count: int, before: int) -> None:
    if not count:
        raise ExportError(T("Rooms"), T("a level needs at least one room"))
    if count > max(MOST_ROOMS, before):
        raise ExportError(T("Rooms"), T("too many rooms"), count=count, limit=MOST_ROOMS)
    if count > max(NO_ROOM, before) and context.target is not Target.TRX:
        text = T(
            "there are {count}, but floors and ceilings can open only to the first {limit}",
            count=count,
            limit=NO_ROOM,
        )
        context.report.warn(T("Rooms"), text)


def _dead_lists(context: ExportContext, plan: RoomPlan) -> list[int]:
    """Return the indices of floor data with a wall portal to a deleted room."""
    if (plan.map >= 0).all():
        return []
    try:
        lists = context.decoded.floor_lists.lists
    except FormatError as error:
        problem = T("rooms cannot be deleted, because it is damaged ({error})", error=str(error))
        raise ExportError(T("floor data"), problem) from None
    return [
        index
        for index, functions in lists.items()
        if any(isinstance(each, Portal) and plan.number(each.room) < 0 for each in functions)
    ]


def _renumber_portals(plan: RoomPlan, room: Room) -> int:
    numbers = plan.renumber(room.portals["room"])
    if np.array_equal(numbers, room.portals["room"]):
        return 0
    is_kept = numbers >= 0
    room.portals = room.portals[is_kept].copy()
    room.portals["room"] = numbers[is_kept]
    return int((~is_kept).sum())


def _renumber_sectors(plan: RoomPlan, room: Room, dead_lists: Sequence[int], *, has_edits: bool) -> int:
    """Renumber rooms below and above sectors; close openings to deleted rooms and return their count.

    Args:
        dead_lists: the indices of floor data with a wall portal to a deleted room.
        has_edits: whether collision is exported with edits for openings to rooms that sectors cannot name.
    """
    sectors = room.sectors.copy()
    closed = np.isin(sectors["floor_data"], dead_lists)
    sectors["floor"][closed] = sectors["ceiling"][closed] = WALL
    count = int(closed.sum())
    for name in ("room_below", "room_above"):
        old = sectors[name]
        new = np.where(old == NO_ROOM, NO_ROOM, plan.renumber(old))
        is_deleted = new < 0
        count += int(is_deleted.sum())
        is_far = (new >= NO_ROOM) & (old != NO_ROOM)
        if has_edits:
            new = np.where(is_far, NO_ROOM, new)
        elif is_far.any():
            problem = T("a floor or ceiling opens to a room with too high a number")
            raise ExportError(T("Rooms"), problem, count=int(new.max()), limit=NO_ROOM - 1)
        sectors[name] = np.where(is_deleted, NO_ROOM, new)
    if sectors.tobytes() != room.sectors.tobytes():
        room.sectors = sectors
    return count


# --- References to rooms ----------------------------------------


def renumber_records(context: ExportContext, where: Whereabouts) -> None:
    """Renumber the rooms in all records that refer to rooms.

    Subjects that are in the scene rewrite their records after this.
    """
    if not where.plan.is_changed:
        return
    level = context.level
    for section, label in _ROOMS_KNOWN.items():
        if level.has(section):
            records = getattr(level, section)
            all_rows = np.ones(len(records), bool)
            setattr(level, section, _renumbered(context, where, section, label, records, all_rows))
    level.cameras = _renumbered(context, where, "cameras", "Camera", level.cameras, ~_sinks(context))
    _renumber_footer(context, where.plan)


def _sinks(context: ExportContext) -> NDArray[np.bool_]:
    """Return whether each camera is a sink, where ``room`` is the strength of the current."""
    count = len(context.original.cameras)
    try:
        cameras, sinks = camera_uses(context.decoded.floor_lists.with_triggers())
    except FormatError:
        return np.zeros(count, bool)
    return np.isin(np.arange(count), sorted(sinks - cameras))


def _renumbered(
    context: ExportContext,
    where: Whereabouts,
    section: SectionName,
    label: str,
    records: NDArray[np.void],
    mask: NDArray[np.bool_],
) -> NDArray[np.void]:
    """Return records with new room numbers.

    Records of deleted rooms get the room at their position, or the nearest one.
    """
    old = records["room"].astype(np.int64)
    new = np.where(mask, where.plan.renumber(old), old)
    is_in_scene = subject_of_section(section).identifier in context.root.tomb_raider.imported
    for row in np.flatnonzero(mask & (new < 0) & (old >= 0)).tolist():
        point = [int(records[row][axis]) for axis in "xyz"]
        nearest = where.find(point)
        if nearest is None:
            nearest = where.nearest(point)
            if not is_in_scene:
                name = where.plan.name(nearest)
                text = T("its room was deleted, so it is assigned to the nearest one, {name}", name=name)
                context.report.warn(T("{label} {number}", label=as_message(label), number=row), text)
        new[row] = nearest
    if np.array_equal(new, old):
        return records
    records = records.copy()
    records["room"] = new
    if not is_in_scene:
        context.rebuilt.count(section, int((new != old).sum()))
    return records


def _renumber_footer(context: ExportContext, plan: RoomPlan) -> None:
    """Renumber the rooms in known chunks of TRNG's footer."""
    level = context.level
    footer = footer_of(level)
    if footer is None:
        return
    text = T("their numbers changed; update the level's TRNG script if it uses them")
    context.report.warn(T("Rooms"), text)
    for chunk, what in _UNKNOWN_CHUNKS.items():
        if footer.get(chunk) is not None:
            text = T("the table of {what} in the level's TRNG footer is unchanged", what=what)
            context.report.warn(T("Rooms"), text)
    moved = move_room_flags(footer, plan.sources, len(plan.map))
    if moved != footer:
        put_footer(level, moved)
        context.rebuilt.count("footer")
