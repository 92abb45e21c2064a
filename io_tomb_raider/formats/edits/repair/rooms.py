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
    for number, (room, no_room) in enumerate(zip(repairs.level.rooms, missing, strict=True)):
        if no_room.any():
            text = plural(
                "a portal opened to room {room}, which does not exist. It was removed",
                "{count} portals opened to rooms that do not exist. They were removed",
                int(no_room.sum()),
                room=int(room.portals["room"][no_room][0]),
            )
            repairs.add(text, Element("room", number), int(no_room.sum()))
            repairs.keep(room, "portals", ~no_room)
        to_itself = room.portals["room"] == number
        if to_itself.any():
            text = T("a portal opened to its own room, so it was drawn endlessly. It was removed")
            repairs.add(text, Element("room", number), int(to_itself.sum()))
            repairs.keep(room, "portals", ~to_itself)
        is_doubled = doubled_portals(repairs.level.rooms, number)
        if is_doubled.any():
            text = plural(
                "a portal existed twice, so it was drawn endlessly. One was removed",
                "{count} portals existed twice, so they were drawn endlessly. The second ones were removed",
                int(is_doubled.sum()),
            )
            repairs.add(text, Element("room", number), int(is_doubled.sum()))
            repairs.keep(room, "portals", ~is_doubled)


def sectors(repairs: Repairs) -> None:
    """Close sectors that open to rooms that do not exist."""
    missing = {name: repairs.missing("room.sectors", name) for name in ("room_below", "room_above")}
    (flipped,) = repairs.missing("rooms", "alternate_room") or [np.zeros(0, np.bool_)]
    for number, room in enumerate(repairs.level.rooms):
        count = 0
        for name, rows in missing.items():
            if rows[number].any():
                count += int(rows[number].sum())
                repairs.set(room, "sectors", rows[number], name, NO_ROOM)
        if count:
            text = plural(
                "a sector opened to a room that does not exist. It was closed",
                "{count} sectors opened to rooms that do not exist. They were closed",
                count,
            )
            repairs.add(text, Element("room", number), count)
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
    for number, (room, no_box) in enumerate(zip(level.rooms, missing, strict=True)):
        if no_box.any():
            value = room.sectors["box"][no_box]
            without_box = (value & ~np.uint16(NO_BOX_11 << 4)) | (NO_BOX_11 << 4) if has_materials else NO_BOX
            repairs.set(room, "sectors", no_box, "box", without_box)
            text = plural(
                "a sector was in a box that does not exist. It has no box now",
                "{count} sectors were in boxes that do not exist. They have no box now",
                int(no_box.sum()),
            )
            repairs.add(text, Element("room", number), int(no_box.sum()))
    _neighbors(repairs)


def _neighbors(repairs: Repairs) -> None:
    level = repairs.level
    (no_list,) = repairs.missing("boxes", "overlap")
    if no_list.any():
        bits = level.boxes["overlap"][no_list] & 0xC000
        without_list = bits | NO_BOX_11 if level.game.traits.has_materials else np.uint16(0xFFFF)
        repairs.set(level, "boxes", no_list, "overlap", without_list)
        text = plural(
            "a box pointed past the end of the overlaps. It has no neighbors now",
            "{count} boxes pointed past the end of the overlaps. They have no neighbors now",
            int(no_list.sum()),
        )
        repairs.add(text, count=int(no_list.sum()))
    if len(level.overlaps) and not level.overlaps[-1] & END:
        repairs.set(level, "overlaps", [-1], "", level.overlaps[-1] | END)
        repairs.add(T("the last list of neighbors did not end. It ends now"))
    (no_box,) = repairs.missing("overlaps", "")
    if no_box.any():
        repairs.set(level, "overlaps", no_box, "", _own_boxes(repairs, no_box))
        text = plural(
            "a list of neighbors had a box that does not exist. It was replaced",
            "lists of neighbors had {count} boxes that do not exist. They were replaced",
            int(no_box.sum()),
        )
        repairs.add(text, count=int(no_box.sum()))


def _own_boxes(repairs: Repairs, is_wrong: np.ndarray) -> np.ndarray:
    """Return words that name the box of the list itself, which changes no way, with their end marks."""
    level = repairs.level
    starts = list_starts(level.game, level.boxes)
    ends = np.append(0, np.flatnonzero(level.overlaps & END) + 1)
    rows = np.flatnonzero(is_wrong)
    first = ends[np.searchsorted(ends, rows, side="right") - 1]
    owner = {int(start): box for box, start in reversed(list(enumerate(starts.tolist()))) if start >= 0}
    boxes = np.array([owner.get(int(each), 0) for each in first], np.uint16)
    return boxes | (level.overlaps[rows] & END)


def entities(repairs: Repairs) -> None:
    """Put entities, AI objects and cameras of missing rooms into the room where they are, or the first."""
    level = repairs.level
    for name, kind in (("entities", "entity"), ("ai_objects", "AI object"), ("flyby_cameras", "flyby")):
        if not level.has(name):  # type: ignore[arg-type]
            continue
        records = getattr(level, name)
        for row in np.flatnonzero(repairs.missing(name, "room")[0]):
            position = tuple(int(records[axis][row]) for axis in "xyz")
            room = _room_at(level.rooms, position)
            text = T(
                "it was in room {old}, which does not exist. It is in room {new} now",
                old=int(records["room"][row]),
                new=max(room, 0),
            )
            repairs.set(level, name, [int(row)], "room", max(room, 0))
            repairs.add(text, Element(kind, int(row)))


def _room_at(rooms: Sequence[Room], position: tuple[int, ...]) -> int:
    """Return the room around a place, the flattest of several, or -1."""
    x, y, z = position
    candidates = [
        number
        for number, room in enumerate(rooms)
        if 0 <= x - room.x < room.x_sectors * SECTOR_SIZE
        and 0 <= z - room.z < room.z_sectors * SECTOR_SIZE
        and room.y_top <= y <= room.y_bottom
    ]
    return min(candidates, key=lambda number: rooms[number].y_bottom - rooms[number].y_top, default=-1)


def placements(repairs: Repairs) -> None:
    """Remove static meshes of rooms whose definition is missing."""
    missing = repairs.missing("room.static_meshes", "static_mesh")
    for number, (room, no_mesh) in enumerate(zip(repairs.level.rooms, missing, strict=True)):
        if no_mesh.any():
            text = plural(
                "a static mesh has the id {id}, which the level does not have. It was removed",
                "{count} static meshes have ids that the level does not have. They were removed",
                int(no_mesh.sum()),
                id=int(room.static_meshes["static_mesh"][no_mesh][0]),
            )
            repairs.add(text, Element("room", number), int(no_mesh.sum()))
            repairs.keep(room, "static_meshes", ~no_mesh)


def empty_boxes(repairs: Repairs) -> None:
    """Switch the collision of static meshes off whose box has its corners exchanged.

    Flat boxes are harmless, and original levels have them.
    """
    level = repairs.level
    if not level.game.traits.has_static_mesh_flags:
        return
    box = level.static_meshes["collision_box"].reshape(-1, 3, 2)
    is_exchanged = (box[:, :, 0] > box[:, :, 1]).any(axis=1)
    is_solid = [not is_walked_through(int(flags), level.game) for flags in level.static_meshes["flags"]]
    for row in np.flatnonzero(is_exchanged & np.array(is_solid, bool)).tolist():
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
        is_unknown = room.lights["type"] >= _TYPES_OF_LIGHTS
        if is_unknown.any():
            repairs.set(room, "lights", is_unknown, "type", 0)
            text = plural(
                "a light had a type that does not exist. It is a point light now",
                "{count} lights had types that do not exist. They are point lights now",
                int(is_unknown.sum()),
            )
            repairs.add(text, Element("room", number), int(is_unknown.sum()))


def _fades(repairs: Repairs, number: int, room: Room) -> None:
    count = 0
    for name in ("falloff", "falloff2"):
        if repairs.level.game.traits.has_light_ranges or name not in (room.lights.dtype.names or ()):
            continue
        fades = room.lights[name].astype(np.uint32).view(np.int32)
        is_outside = (fades < 0) | (fades > _MOST_FADE)
        if is_outside.any():
            repairs.set(room, "lights", is_outside, name, np.clip(fades[is_outside], 0, _MOST_FADE))
            count += int(is_outside.sum())
    if "parameters" in (room.lights.dtype.names or ()) and len(room.lights):
        parameters = np.array(room.lights["parameters"])
        fades = parameters.view("<i4")[:, 1]
        is_outside = (room.lights["type"] == 0) & ((fades < 0) | (fades > _MOST_FADE))
        if is_outside.any():
            fades[is_outside] = np.clip(fades[is_outside], 0, _MOST_FADE)
            repairs.set(room, "lights", is_outside, "parameters", parameters[is_outside])
            count += int(is_outside.sum())
    if count:
        text = plural(
            "the fade of a light was out of range. It is the nearest possible one now",
            "the fades of {count} lights were out of range. They are the nearest possible ones now",
            count,
        )
        repairs.add(text, Element("room", number), count)
