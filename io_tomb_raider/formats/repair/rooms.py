"""Repair of references to rooms, boxes and static meshes, and of entities and lights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.messages import T, plural
from ..base.units import SECTOR_SIZE
from ..checks.findings import Element
from ..collision.sectors import NO_BOX, NO_BOX_11, NO_ROOM, split_boxes
from ..converting.flags import is_walked_through
from ..pathfinding.overlaps import END, list_starts, listed_boxes
from ..rooms.rooms import Room
from .changes import Repairs

_TYPES_OF_LIGHTS = 2  # TR3
_NOT_SOLID = 1  # flag of static meshes


def portals(repairs: Repairs) -> None:
    """Remove portals to rooms that do not exist, and portals to their own room."""
    count = len(repairs.level.rooms)
    for number, room in enumerate(repairs.level.rooms):
        lost = room.portals["room"] >= count
        if lost.any():
            text = plural(
                "a portal opened to room {room}, which does not exist. It was removed",
                "{count} portals opened to rooms that do not exist. They were removed",
                int(lost.sum()),
                room=int(room.portals["room"][lost][0]),
            )
            repairs.add(text, Element("room", number), int(lost.sum()))
            repairs.keep(room, "portals", ~lost)
        own = room.portals["room"] == number
        if own.any():
            text = T("a portal opened to its own room, so it was drawn endlessly. It was removed")
            repairs.add(text, Element("room", number), int(own.sum()))
            repairs.keep(room, "portals", ~own)
        doubled = _doubled(repairs.level.rooms, number)
        if doubled.any():
            text = plural(
                "a portal existed twice, so it was drawn endlessly. One was removed",
                "{count} portals existed twice, so they were drawn endlessly. The second ones were removed",
                int(doubled.sum()),
            )
            repairs.add(text, Element("room", number), int(doubled.sum()))
            repairs.keep(room, "portals", ~doubled)


def _doubled(rooms: Sequence[Room], number: int) -> NDArray[np.bool_]:
    """Return which portals of a room lie on others that lead to the same room, (n,).

    Of several, the first one stays that does not face a portal back in the same direction.
    """
    room = rooms[number]
    groups: dict[tuple[int, frozenset[tuple[int, ...]]], list[int]] = {}
    for row, portal in enumerate(room.portals):
        corners = frozenset(map(tuple, portal["vertices"].tolist()))
        groups.setdefault((int(portal["room"]), corners), []).append(row)
    doubled = np.zeros(len(room.portals), bool)
    for (target, corners), rows in groups.items():
        if len(rows) > 1:
            back = _normals_back(rooms, number, target, corners)
            kept = next((row for row in rows if _normal(room.portals[row]) not in back), rows[0])
            doubled[[row for row in rows if row != kept]] = True
    return doubled


def _normals_back(
    rooms: Sequence[Room], number: int, target: int, corners: frozenset[tuple[int, ...]]
) -> set[tuple[int, ...]]:
    """Return the normals of the portals of another room that lie on corners of a room and lead to it."""
    room, other = rooms[number], rooms[target]
    x, z = room.x - other.x, room.z - other.z
    moved = {(each[0] + x, each[1], each[2] + z) for each in corners}
    return {
        _normal(portal)
        for portal in other.portals
        if portal["room"] == number and set(map(tuple, portal["vertices"].tolist())) == moved
    }


def _normal(portal: Any) -> tuple[int, ...]:
    return tuple(np.sign(portal["normal"]).tolist())


def sectors(repairs: Repairs) -> None:
    """Close sectors that open to rooms that do not exist."""
    count = len(repairs.level.rooms)
    for number, room in enumerate(repairs.level.rooms):
        lost = 0
        for name in ("room_below", "room_above"):
            values = room.sectors[name]
            rows = (values != NO_ROOM) & (values >= count)
            if rows.any():
                lost += int(rows.sum())
                repairs.set(room, "sectors", rows, name, NO_ROOM)
        if lost:
            text = plural(
                "a sector opened to a room that does not exist. It was closed",
                "{count} sectors opened to rooms that do not exist. They were closed",
                lost,
            )
            repairs.add(text, Element("room", number), lost)
        if room.alternate_room >= count or room.alternate_room < -1:
            text = T(
                "its flipped room is room {room}, which does not exist. It has none now",
                room=int(room.alternate_room),
            )
            repairs.add(text, Element("room", number))
            room.alternate_room = -1


def boxes(repairs: Repairs) -> None:
    """Repair box numbers of sectors, and lists of neighbors."""
    level = repairs.level
    count = len(level.boxes)
    has_materials = level.game.traits.has_materials
    for number, room in enumerate(level.rooms):
        box = split_boxes(room.sectors["box"], level.game)[0]
        lost = box >= count
        if lost.any():
            value = room.sectors["box"][lost]
            none = (value & ~np.uint16(NO_BOX_11 << 4)) | (NO_BOX_11 << 4) if has_materials else NO_BOX
            repairs.set(room, "sectors", lost, "box", none)
            text = plural(
                "a sector was in a box that does not exist. It has none now",
                "{count} sectors were in boxes that do not exist. They have none now",
                int(lost.sum()),
            )
            repairs.add(text, Element("room", number), int(lost.sum()))
    _neighbors(repairs)


def _neighbors(repairs: Repairs) -> None:
    level = repairs.level
    starts = list_starts(level.game, level.boxes)
    lost = starts >= len(level.overlaps)
    if lost.any():
        bits = level.boxes["overlap"][lost] & 0xC000
        none = bits | NO_BOX_11 if level.game.traits.has_materials else np.uint16(0xFFFF)
        repairs.set(level, "boxes", lost, "overlap", none)
        text = plural(
            "a box had a list of neighbors after the end of the lists. It has none now",
            "{count} boxes had lists of neighbors after the end of the lists. They have none now",
            int(lost.sum()),
        )
        repairs.add(text, count=int(lost.sum()))
    if len(level.overlaps) and not level.overlaps[-1] & END:
        repairs.set(level, "overlaps", [-1], "", level.overlaps[-1] | END)
        repairs.add(T("the last list of neighbors did not end. It ends now"))
    targets = listed_boxes(level.game, level.overlaps)
    wrong = targets >= len(level.boxes)
    if wrong.any():
        repairs.set(level, "overlaps", wrong, "", _own_boxes(repairs, wrong))
        text = plural(
            "a list of neighbors had a box that does not exist. It was replaced",
            "lists of neighbors had {count} boxes that do not exist. They were replaced",
            int(wrong.sum()),
        )
        repairs.add(text, count=int(wrong.sum()))


def _own_boxes(repairs: Repairs, wrong: np.ndarray) -> np.ndarray:
    """Return words that name the box of the list itself, which changes no way, with their end marks."""
    level = repairs.level
    starts = list_starts(level.game, level.boxes)
    ends = np.append(0, np.flatnonzero(level.overlaps & END) + 1)
    rows = np.flatnonzero(wrong)
    first = ends[np.searchsorted(ends, rows, side="right") - 1]
    owner = {int(start): box for box, start in reversed(list(enumerate(starts.tolist()))) if start >= 0}
    own = np.array([owner.get(int(each), 0) for each in first], np.uint16)
    return own | (level.overlaps[rows] & END)


def entities(repairs: Repairs) -> None:
    """Put entities, AI objects and cameras of missing rooms into the room where they are, or the first."""
    level = repairs.level
    count = len(level.rooms)
    for name, kind in (("entities", "entity"), ("ai_objects", "AI object"), ("flyby_cameras", "flyby")):
        if not level.has(name):  # type: ignore[arg-type]
            continue
        records = getattr(level, name)
        for row in np.flatnonzero((records["room"] >= count) | (records["room"].astype(np.int64) < 0)):
            place = tuple(int(records[axis][row]) for axis in "xyz")
            found = _room_at(level.rooms, place)
            text = T(
                "it was in room {old}, which does not exist. It is in room {new} now",
                old=int(records["room"][row]),
                new=max(found, 0),
            )
            repairs.set(level, name, [int(row)], "room", max(found, 0))
            repairs.add(text, Element(kind, int(row)))


def _room_at(rooms: Sequence[Room], place: tuple[int, ...]) -> int:
    """Return the room around a place, the flattest of several, or -1."""
    x, y, z = place
    around = [
        number
        for number, room in enumerate(rooms)
        if 0 <= x - room.x < room.x_sectors * SECTOR_SIZE
        and 0 <= z - room.z < room.z_sectors * SECTOR_SIZE
        and room.y_top <= y <= room.y_bottom
    ]
    return min(around, key=lambda number: rooms[number].y_bottom - rooms[number].y_top, default=-1)


def placements(repairs: Repairs) -> None:
    """Remove static meshes of rooms whose definition is missing."""
    known = repairs.level.static_meshes["id"]
    for number, room in enumerate(repairs.level.rooms):
        lost = ~np.isin(room.static_meshes["static_mesh"], known)
        if lost.any():
            text = plural(
                "a static mesh has the id {id}, which the level does not have. It was removed",
                "{count} static meshes have ids that the level does not have. They were removed",
                int(lost.sum()),
                id=int(room.static_meshes["static_mesh"][lost][0]),
            )
            repairs.add(text, Element("room", number), int(lost.sum()))
            repairs.keep(room, "static_meshes", ~lost)


def empty_boxes(repairs: Repairs) -> None:
    """Switch the collision of static meshes off whose box has its corners exchanged.

    Flat boxes are harmless, and original levels have them.
    """
    level = repairs.level
    if not level.game.traits.has_static_mesh_flags:
        return
    box = level.static_meshes["collision_box"].reshape(-1, 3, 2)
    empty = (box[:, :, 0] > box[:, :, 1]).any(axis=1)
    solid = [not is_walked_through(int(flags), level.game) for flags in level.static_meshes["flags"]]
    for row in np.flatnonzero(empty & np.array(solid, bool)).tolist():
        record = level.static_meshes[row]
        text = T("its collision box had exchanged corners, so that Lara gets stuck. It has no collision now")
        repairs.set(level, "static_meshes", [row], "flags", record["flags"] | _NOT_SOLID)
        repairs.add(text, Element("static mesh type", int(record["id"])))


def lights(repairs: Repairs) -> None:
    """Give lights of TR3 a type that exists."""
    if repairs.level.game.name != "TR3":
        return
    for number, room in enumerate(repairs.level.rooms):
        wrong = room.lights["type"] >= _TYPES_OF_LIGHTS
        if wrong.any():
            repairs.set(room, "lights", wrong, "type", 0)
            text = plural(
                "a light had a type that does not exist. It is a point light now",
                "{count} lights had types that do not exist. They are point lights now",
                int(wrong.sum()),
            )
            repairs.add(text, Element("room", number), int(wrong.sum()))
