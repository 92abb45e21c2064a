"""Repair of references to rooms, boxes and static meshes, and of entities and lights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.messages import T, plural
from ...base.units import SECTOR_SIZE
from ...levels.collision.sectors import NO_BOX, NO_BOX_11, NO_ROOM
from ...levels.pathfinding.overlaps import END, list_starts
from ...levels.rooms.portals import doubled_portals
from ...levels.rooms.rooms import Room
from ...levels.views.findings import Element
from ..convert.flags import is_walked_through
from .changes import Repairs

_TYPES_OF_LIGHTS = 2  # TR3
_NOT_SOLID = 1  # flag of static meshes
_MOST_FADE = 46340  # engines square it in 32 bits


def portals(repairs: Repairs) -> None:
    """Remove portals to rooms that do not exist, and portals to their own room."""
    missing = repairs.missing("room.portals", "room")
    for number, (room, lost) in enumerate(zip(repairs.level.rooms, missing, strict=True)):
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
        doubled = doubled_portals(repairs.level.rooms, number)
        if doubled.any():
            text = plural(
                "a portal existed twice, so it was drawn endlessly. One was removed",
                "{count} portals existed twice, so they were drawn endlessly. The second ones were removed",
                int(doubled.sum()),
            )
            repairs.add(text, Element("room", number), int(doubled.sum()))
            repairs.keep(room, "portals", ~doubled)


def sectors(repairs: Repairs) -> None:
    """Close sectors that open to rooms that do not exist."""
    missing = {name: repairs.missing("room.sectors", name) for name in ("room_below", "room_above")}
    (flipped,) = repairs.missing("rooms", "alternate_room") or [np.zeros(0, np.bool_)]
    for number, room in enumerate(repairs.level.rooms):
        lost = 0
        for name, rows in missing.items():
            if rows[number].any():
                lost += int(rows[number].sum())
                repairs.set(room, "sectors", rows[number], name, NO_ROOM)
        if lost:
            text = plural(
                "a sector opened to a room that does not exist. It was closed",
                "{count} sectors opened to rooms that do not exist. They were closed",
                lost,
            )
            repairs.add(text, Element("room", number), lost)
        if flipped[number]:
            text = T(
                "its flipped room {room} does not exist. It has no flipped room now",
                room=int(room.alternate_room),
            )
            repairs.add(text, Element("room", number))
            room.alternate_room = -1


def boxes(repairs: Repairs) -> None:
    """Repair box numbers of sectors, and lists of neighbors."""
    level = repairs.level
    has_materials = level.game.traits.has_materials
    missing = repairs.missing("room.sectors", "box")
    for number, (room, lost) in enumerate(zip(level.rooms, missing, strict=True)):
        if lost.any():
            value = room.sectors["box"][lost]
            none = (value & ~np.uint16(NO_BOX_11 << 4)) | (NO_BOX_11 << 4) if has_materials else NO_BOX
            repairs.set(room, "sectors", lost, "box", none)
            text = plural(
                "a sector was in a box that does not exist. It has no box now",
                "{count} sectors were in boxes that do not exist. They have no box now",
                int(lost.sum()),
            )
            repairs.add(text, Element("room", number), int(lost.sum()))
    _neighbors(repairs)


def _neighbors(repairs: Repairs) -> None:
    level = repairs.level
    (lost,) = repairs.missing("boxes", "overlap")
    if lost.any():
        bits = level.boxes["overlap"][lost] & 0xC000
        none = bits | NO_BOX_11 if level.game.traits.has_materials else np.uint16(0xFFFF)
        repairs.set(level, "boxes", lost, "overlap", none)
        text = plural(
            "a box pointed past the end of the overlaps. It has no neighbors now",
            "{count} boxes pointed past the end of the overlaps. They have no neighbors now",
            int(lost.sum()),
        )
        repairs.add(text, count=int(lost.sum()))
    if len(level.overlaps) and not level.overlaps[-1] & END:
        repairs.set(level, "overlaps", [-1], "", level.overlaps[-1] | END)
        repairs.add(T("the last list of neighbors did not end. It ends now"))
    (wrong,) = repairs.missing("overlaps", "")
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
    for name, kind in (("entities", "entity"), ("ai_objects", "AI object"), ("flyby_cameras", "flyby")):
        if not level.has(name):  # type: ignore[arg-type]
            continue
        records = getattr(level, name)
        for row in np.flatnonzero(repairs.missing(name, "room")[0]):
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
    missing = repairs.missing("room.static_meshes", "static_mesh")
    for number, (room, lost) in enumerate(zip(repairs.level.rooms, missing, strict=True)):
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
        text = T(
            "the corners of its collision box were exchanged, and Lara gets stuck there. "
            "It has no collision now"
        )
        repairs.set(level, "static_meshes", [row], "flags", record["flags"] | _NOT_SOLID)
        repairs.add(text, Element("static mesh type", int(record["id"])))


def lights(repairs: Repairs) -> None:
    """Give lights of TR3 a type that exists, and all lights a fade that the engines can compute."""
    for number, room in enumerate(repairs.level.rooms):
        _fades(repairs, number, room)
    traits = repairs.level.game.traits
    if not traits.has_light_types or traits.has_light_ranges:
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


def _fades(repairs: Repairs, number: int, room: Room) -> None:
    count = 0
    for name in ("falloff", "falloff2"):
        if repairs.level.game.traits.has_light_ranges or name not in (room.lights.dtype.names or ()):
            continue
        fades = room.lights[name].astype(np.uint32).view(np.int32)
        wrong = (fades < 0) | (fades > _MOST_FADE)
        if wrong.any():
            repairs.set(room, "lights", wrong, name, np.clip(fades[wrong], 0, _MOST_FADE))
            count += int(wrong.sum())
    if "parameters" in (room.lights.dtype.names or ()) and len(room.lights):
        parameters = np.array(room.lights["parameters"])
        fades = parameters.view("<i4")[:, 1]
        wrong = (room.lights["type"] == 0) & ((fades < 0) | (fades > _MOST_FADE))
        if wrong.any():
            fades[wrong] = np.clip(fades[wrong], 0, _MOST_FADE)
            repairs.set(room, "lights", wrong, "parameters", parameters[wrong])
            count += int(wrong.sum())
    if count:
        text = plural(
            "the fade of a light was out of range. It is the nearest possible one now",
            "the fades of {count} lights were out of range. They are the nearest possible ones now",
            count,
        )
        repairs.add(text, Element("room", number), count)
