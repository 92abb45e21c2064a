"""Comparison of the meshes of exported rooms with their sectors."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from bpy.types import Collection, Object

from ...formats import FormatError, Level
from ...formats.base import SECTOR_SIZE, T
from ...formats.levels.collision import Sectors
from ...formats.levels.views import Decoded, Gaps, room_gaps
from ..core.context import ExportContext
from ..core.membership import members_of
from ..core.reporting.results import ExportedObject
from ..core.subjects import Kind
from ..subjects.collision.record import CollisionRecord

INDEPENDENT = "INDEPENDENT"  # neither mesh nor sectors of a room follow the other
Written = Mapping[tuple[str, int], ExportedObject]
_NAMED = 8  # sectors that are named
_REMEDY = T("Press Sectors from Mesh or Mesh from Sectors in Check Level, or set the room to Independent")
_SHAPES = ("wall", "portal", "room_below", "room_above")


class RoomApart(NamedTuple):
    """A room whose mesh and sectors are apart."""

    room: Object
    gaps: Gaps  #: where they are apart.
    was_whole: bool  #: whether they were ever the same, unlike those of another level's room.

    @property
    def text(self) -> str:
        """The finding in users' words."""
        gaps = self.gaps
        names = ", ".join(f"({x}, {z})" for x, z in gaps.cells[:_NAMED].tolist())
        if len(gaps) > _NAMED:
            names += ", …"
        if len(gaps) == 1:
            return T(
                "mesh and sectors are a click (256 units) or more apart in one sector: {names}", names=names
            )
        return T(
            "mesh and sectors are a click (256 units) or more apart in {count} sectors: {names}",
            count=len(gaps),
            names=names,
        )


def rooms_apart(
    root: Collection,
    exported: Written,
    now: Decoded,
    before: Decoded,
    *,
    all_rooms: bool = False,
    following: bool = False,
) -> dict[int, RoomApart]:
    """Compare meshes and sectors of rooms that were edited since their import.

    Args:
        exported: the exported rooms by kind and number.
        now: the exported level.
        before: the imported level.
        all_rooms: compare all rooms, and return what the imported file had, too.
        following: compare only rooms whose mesh or sectors follow the other.

    Returns:
        The rooms where they are apart, by their number.
    """
    if "COLLISION" not in root.tomb_raider.imported:
        return {}
    rooms = {
        room.name: room
        for room in members_of(root, Kind.ROOM)
        if not following or room.tomb_raider.room.mesh_and_sectors != INDEPENDENT
    }
    result: dict[int, RoomApart] = {}
    if not rooms:
        return result
    # Object.children would walk through the whole file for each room.
    collisions = {each.parent: each for each in members_of(root, Kind.COLLISION)}
    for number in range(len(now.level.rooms)):
        written = exported.get(("room", number))
        room = None if written is None else rooms.get(written.name)
        collision = collisions.get(room)
        if written is None or room is None or collision is None:
            continue
        if not all_rooms and written.source >= 0 and _is_same(now, number, before, written.source):
            continue
        gaps = room_gaps(now, number, collision.tomb_raider.collision.storey)
        source = written.source if written.source >= 0 else room.tomb_raider.index
        is_known = 0 <= source < len(before.level.rooms)
        if len(gaps) and is_known and not all_rooms:
            gaps = gaps.without(room_gaps(before, source), _moved(now.level, number, before.level, source))
        if len(gaps):
            result[number] = RoomApart(room, gaps, is_known or _is_made(room, collision))
    return result


def warn_of_rooms_apart(context: ExportContext, exported: Written) -> None:
    """Warn of edited rooms whose mesh and sectors differ although one follows the other, once per room."""
    # Checks report what cannot be read back.
    with suppress(FormatError):
        rooms = rooms_apart(context.root, exported, Decoded(context.level), context.decoded, following=True)
        for apart in rooms.values():
            context.report.warn(apart.room.name, T("{text}. {remedy}", text=apart.text, remedy=_REMEDY))


def _is_made(room: Object, collision: Object) -> bool:
    """Return whether mesh and sectors of a room were ever the same, unlike those of another level's room."""
    if room.tomb_raider.room.mesh_and_sectors != INDEPENDENT:
        return True
    return CollisionRecord.load(collision.data) is not None  # type: ignore[arg-type]


def _is_same(now: Decoded, number: int, before: Decoded, source: int) -> bool:
    """Return whether the mesh and the sectors of a room have the shape that they had."""
    room, old = now.level.rooms[number], before.level.rooms[source]
    if (room.x_sectors, room.z_sectors) != (old.x_sectors, old.z_sectors):
        return False
    if any(not np.array_equal(room.vertices[axis], old.vertices[axis]) for axis in "xyz"):
        return False
    if not np.array_equal(room.quads, old.quads) or not np.array_equal(room.triangles, old.triangles):
        return False
    sectors, old_sectors = _sectors(now, number), _sectors(before, source)
    return all(
        np.array_equal(getattr(sectors, name) < 0, getattr(old_sectors, name) < 0) for name in _SHAPES[1:]
    ) and all(
        np.array_equal(surface.heights, old_surface.heights)
        and np.array_equal(surface.split, old_surface.split)
        for surface, old_surface in (
            (sectors.floor, old_sectors.floor),
            (sectors.ceiling, old_sectors.ceiling),
        )
    )


def _sectors(decoded: Decoded, number: int) -> Sectors:
    return decoded.sectors.take(slice(*decoded.grid.starts[number : number + 2].tolist()))


def _moved(level: Level, number: int, before: Level, source: int) -> tuple[int, int]:
    """Return by how many sectors the corner of a room has moved."""
    room, old = level.rooms[number], before.rooms[source]
    return (room.x - old.x) // SECTOR_SIZE, (room.z - old.z) // SECTOR_SIZE
