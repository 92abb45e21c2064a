"""Sectors (documentation, chapters 3.2.3 and 4.4): import and export of a collision mesh for every room."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import bpy
import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ....formats import ExportError, Room
from ....formats.base import CLICK, Record, T, Target
from ....formats.levels.collision import (
    EncodedSectors,
    Sectors,
    changed_sectors,
    crossed,
    decode_sectors,
    encode_sectors,
    new_sectors,
    put_sectors,
    sector_name,
)
from ....formats.levels.floor import Function
from ....formats.levels.injections import edits_of, native_sectors, needs_edits, with_edits
from ...core.context import ExportContext, ImportContext
from ...core.stages import ROOMS, ExportStage, ImportStage, Steps
from ...core.subjects import Kind
from ..floor.floor_data import FLOOR
from ..rooms.diagnosis import diagnose, explained
from ..rooms.location.plan import RoomPlan
from ..rooms.location.where import WHEREABOUTS, Whereabouts
from ..rooms.sector_edits import SECTOR_EDITS, original_edits
from .display import offset_display
from .level import level_collision
from .mesh import fill_meshes, is_same, new_meshes, read_faces
from .read import CollisionMesh, RoomSize, read_sectors, rounded_sectors
from .size import MOST_SECTORS

_SECTION = "sectors"
_MAX_OFFSET = 0.01  # units
_NO_ROTATION = np.eye(3)
_NAMED = 3  # maximum of sectors named in warnings

# --- Import ----------------------------------------


def import_sectors(context: ImportContext) -> None:
    """Make a collision mesh for every room."""
    rooms = ROOMS.of(context)
    arrays, adjoining = context.decoded.once(level_collision)
    parent_collection = context.collection("Collision", Kind.COLLISION)
    names = [f"Room {number:03} Collision" for number in range(len(arrays))]
    meshes = new_meshes(names)
    fill_meshes(meshes, arrays, context.space)
    objects = []
    for number, (mesh, room) in enumerate(zip(meshes, context.level.rooms, strict=True)):
        obj = bpy.data.objects.new(names[number], mesh)
        obj.parent = rooms.objects[number]
        parent_collection.objects.link(obj)
        objects.append(obj)
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.COLLISION, number
        collision = settings.collision
        collision.x_sectors, collision.z_sectors = room.x_sectors, room.z_sectors
        if adjoining[number]:
            entries = collision.rooms
            for room_number in adjoining[number]:
                entries.add().room = rooms.objects[room_number]
    if objects:
        offset_display(objects, context.space)
    context.root.tomb_raider.imported |= {"COLLISION"}


# --- Export ----------------------------------------


def export_sectors(context: ExportContext) -> None:
    """Write the sectors of rooms whose collision differs from the original.

    Functions of sectors are passed to the floor data, which is written later.

    Raises:
        ExportError: if a mesh cannot be read or the game cannot represent it; names room and sector.
    """
    if "COLLISION" not in context.root.tomb_raider.imported:
        return
    where = WHEREABOUTS.of(context)
    meshes, plan = collision_by_room(context, where), where.plan
    rooms = [
        _RoomSectors(context, plan, obj, number, where.diagnose(number))
        for number, obj in sorted(meshes.items())
    ]
    for room in rooms:
        room.fit_room()  # before functions of sectors are read
    changed = [room for room in rooms if context.rebuild or not room.is_untouched()]
    if changed:
        context.rebuilt.count(_SECTION, _export_rooms(context, changed))
    for number in sorted(set(range(len(plan.sources))) - set(meshes)):
        context.report.warn(plan.name(number), _missing_collision(plan, number))


def _missing_collision(plan: RoomPlan, number: int) -> str:
    """Return the warning of a room without a collision mesh: the sectors that it gets, and the remedy."""
    source = plan.sources[number]
    if source < 0:
        text = T("it has no collision mesh, so it gets a flat floor and ceiling with walls around")
        return T("{text}: use Add Collision to shape them", text=text)
    if plan.map[source] == number:
        return T("it has no collision mesh in the scene, so its sectors stay unchanged")
    original = plan.name(int(plan.map[source])) if plan.map[source] >= 0 else f"Room {source:03}"
    text = T(
        "it is a copy without a collision mesh, so it gets the imported sectors of {original}",
        original=original,
    )
    return T("{text}: use Add Collision, or Duplicate Room, which also copies the mesh", text=text)


def collision_by_room(context: ExportContext, where: Whereabouts) -> dict[int, Object]:
    """Return the collision mesh objects by the numbers of the rooms that they are parented to.

    Raises:
        ExportError: if a room has more than one.
    """
    result: dict[int, Object] = {}
    for obj, _ in context.objects(Kind.COLLISION):
        number = where.room_of(obj)
        if number is None:
            if not where.has_lost_room(obj):
                context.report.warn(
                    obj.name, T("it belongs to no room of the level, so it is not exported: parent it to one")
                )
        elif number in result:
            name = where.plan.name(number)
            raise ExportError(
                obj.name,
                T("{name} already has another collision mesh, {count}", name=name, count=result[number].name),
            )
        else:
            result[number] = obj
    return result


class _RoomSectors:
    """Export of the sectors of one room."""

    def __init__(self, context: ExportContext, plan: RoomPlan, obj: Object, number: int, cause: str) -> None:
        mesh = context.shown.of(obj)
        if mesh is None:
            raise ExportError(obj.name, T("collision must be a mesh"))
        self.context, self.plan, self.floor = context, plan, FLOOR.of(context)
        self.obj, self.number = obj, number
        self._room_cause = cause
        self.room: Room = context.level.rooms[number]
        self.faces = read_faces(mesh)
        matrix = context.space.matrix_of(obj)
        if matrix.is_negative:
            self.faces = self.faces.flipped()
        self.matrix: NDArray[np.float64] = np.array(matrix, np.float64)
        settings = obj.tomb_raider.collision
        self.size = RoomSize(number, settings.x_sectors, settings.z_sectors)

    def mesh(self) -> CollisionMesh:
        """Return the mesh for reading."""
        return CollisionMesh(self.faces, self._points(), self._rooms(), self.size, self._explained)

    def _explained(self, error: ExportError) -> ExportError:
        if error.subject == f"Room {self.number:03}":
            error = ExportError(self.plan.name(self.number), error.problem)
        return explained(error, self._cause())

    def sector_name(self, sector: int) -> str:
        """Return the name of one of its sectors for messages."""
        return sector_name(self.number, sector, self.size.z_sectors)

    def store(self, sectors: _Exported) -> None:
        """Write its sectors."""
        encoded = sectors.encoded
        self.room.sectors = encoded.records
        for sector in np.flatnonzero(encoded.changed).tolist():
            self.floor.replace(self.number, sector, encoded.functions[sector])
        self._store_edits(sectors)
        self._grow(sectors.now, sectors.before)
        self.warn(
            np.flatnonzero(crossed(sectors.now) & ~crossed(sectors.before)),
            T("its floor is above its ceiling: lower it, or make a wall"),
        )

    def _store_edits(self, sectors: _Exported) -> None:
        """Store the edits of the room's sectors, those of changed ones made from their values."""
        edits = original_edits(self.context, self.plan, self.number)
        new_edits = {sector: each for sector, each in edits.items() if not sectors.has_changed[sector]}
        rows = sectors.has_changed & needs_edits(sectors.now, sectors.native)
        for sector in np.flatnonzero(rows).tolist():
            name = self.sector_name(sector)
            new = edits_of(sectors.now, sectors.native, self.room.sectors, sector, name)
            if new:
                new_edits[sector] = new
        SECTOR_EDITS.of(self.context)[self.number] = new_edits

    def _cause(self) -> str:
        """Return the reason why the mesh does not fit its room; "" for none."""
        cause = diagnose(self.obj.name, self.matrix, None, None, self.context.space)
        if self._room_cause or cause or np.abs(self._offset()[[0, 2]]).max() < 1:
            return self._room_cause or cause
        return T("{name} is not at the origin of its room: clear its location (Alt+G)", name=self.obj.name)

    def is_untouched(self) -> bool:
        """Return whether the mesh equals the import of its room."""
        context = self.context
        source = self.plan.sources[self.number]
        if source < 0 or (self.size.x_sectors, self.size.z_sectors) != _sizes(context.original.rooms[source]):
            return False
        arrays, adjoining = context.decoded.once(level_collision)
        expected = self.plan.renumber(np.array(adjoining[source], np.int64))
        return (
            is_same(self.faces, arrays[source], context.space)
            and np.array_equal(self._rooms(), expected)
            and bool((np.abs(self._offset()) <= _MAX_OFFSET).all())
            and bool((self.matrix[:3, :3] == _NO_ROTATION).all())
        )

    def _rooms(self) -> NDArray[np.int64]:
        """Return the numbers of the adjoining rooms, -1 for deleted ones."""
        rooms = [entry.room for entry in self.obj.tomb_raider.collision.rooms]
        for room in rooms:
            if room is not None and room not in self.plan.numbers and room.users_collection:
                text = T(
                    "its openings to {room}, which is not a room of this level, are closed", room=room.name
                )
                self.context.report.warn(self.obj.name, text)
        return np.array([self.plan.numbers.get(room, -1) for room in rooms], np.int64)

    def _offset(self) -> NDArray[np.float64]:
        """Return the offset of the mesh from the room's corner, in units of the file."""
        return self.context.space.to_file(self.matrix[:3, 3], self.obj.name) - (self.room.x, 0, self.room.z)

    def _points(self) -> NDArray[np.float64]:
        turned = self.faces.positions.astype(np.float64) @ self.matrix[:3, :3].T
        return np.asarray(self.context.space.to_file(turned, self.obj.name, "a vertex") + self._offset())

    def fit_room(self) -> None:
        """Resize the room to the sectors of its mesh; remaining sectors keep their values."""
        room, size = self.room, self.size
        before = _sizes(room)
        if before == (size.x_sectors, size.z_sectors):
            return
        for count in (size.x_sectors, size.z_sectors):
            if not 0 < count <= MOST_SECTORS:
                problem = T("it has too many or too few sectors")
                raise ExportError(self.obj.name, problem, count=count, limit=MOST_SECTORS)
        records = new_sectors(size.x_sectors * size.z_sectors, self.context.original.game)
        records = records.reshape(size.x_sectors, size.z_sectors)
        x, z = (min(pair) for pair in zip(before, records.shape, strict=True))
        records[:x, :z] = room.sectors.reshape(before)[:x, :z]
        room.x_sectors, room.z_sectors, room.sectors = size.x_sectors, size.z_sectors, records.ravel()

    def warn(self, sectors: NDArray[np.int64], text: str) -> None:
        """Warn of some of its sectors."""
        for sector in sectors[:_NAMED].tolist():
            self.context.report.warn(self.sector_name(sector), text)
        if len(sectors) > _NAMED:
            self.context.report.warn(
                self.obj.name, T("{count} more sectors: {text}", count=len(sectors) - _NAMED, text=text)
            )

    def _grow(self, now: Sectors, before: Sectors) -> None:
        """Extend the room vertically to the sectors whose heights have changed."""
        moved = now.wall != before.wall
        for surface, old_surface in ((now.floor, before.floor), (now.ceiling, before.ceiling)):
            moved |= (surface.heights != old_surface.heights).any(axis=(1, 2))
        bounds = sector_bounds(now, moved)
        if bounds is not None:
            self.room.y_top = min(self.room.y_top, bounds[0])
            self.room.y_bottom = max(self.room.y_bottom, bounds[1])


@dataclass
class _Exported:
    """The sectors of an exported room."""

    now: Sectors  #: those of the scene.
    before: Sectors  #: those that the room had.
    native: Sectors  #: those that the level stores.
    has_changed: NDArray[np.bool_]  #: (n,) bool, which of them differ from those before.
    encoded: EncodedSectors
    differs: NDArray[np.bool_]  #: (n,) bool, for which of them the level changes.

    def of(self, rows: slice) -> _Exported:
        """Return some of the sectors."""
        records, functions, changed = self.encoded
        return _Exported(
            self.now.take(rows),
            self.before.take(rows),
            self.native.take(rows),
            self.has_changed[rows],
            EncodedSectors(records[rows], functions[rows], changed[rows]),
            self.differs[rows],
        )


def _export_rooms(context: ExportContext, rooms: Sequence[_RoomSectors]) -> int:
    """Write the sectors of rooms, read and encoded all at once; return the number of changed ones."""
    ends = np.cumsum([room.size.x_sectors * room.size.z_sectors for room in rooms]).tolist()
    parts = [slice(*each) for each in pairwise([0, *ends])]

    def name_of(sector: int) -> str:
        number = bisect_right(ends, sector)
        return rooms[number].sector_name(sector - parts[number].start)

    read = read_sectors([room.mesh() for room in rooms], context.original.game)
    now, rounded = rounded_sectors(read.sectors, context.sector_game)
    notes = read.notes | {T("its heights were rounded to steps of {step}", step=CLICK): rounded}
    for room, part in zip(rooms, parts, strict=True):
        for text, noted in notes.items():
            room.warn(noted[(noted >= part.start) & (noted < part.stop)] - part.start, text)
    try:
        lists = [functions for room in rooms for functions in room.floor.functions(room.number)]
    except ExportError:
        if all(room.is_untouched() for room in rooms):
            return 0  # unreadable floor data cannot be rebuilt
        raise
    exported = _exported(context, rooms, now, lists, name_of)
    for room, part in zip(rooms, parts, strict=True):
        if exported.differs[part].any():
            room.store(exported.of(part))
    return int(exported.differs.sum())


def _exported(
    context: ExportContext,
    rooms: Sequence[_RoomSectors],
    now: Sectors,
    lists: Sequence[Sequence[Function]],
    name_of: Callable[[int], str],
) -> _Exported:
    """Encode the sectors of rooms; unchanged ones keep the values of the level."""
    game = context.original.game
    records = np.concatenate([room.room.sectors for room in rooms])
    native_before = decode_sectors(records, lists, game)
    edits: dict[int, list[Record]] = {}
    start = 0
    for room in rooms:
        for sector, each in original_edits(context, room.plan, room.number).items():
            edits[start + sector] = each
        start += len(room.room.sectors)
    before = with_edits(native_before, records, edits)
    has_changed = changed_sectors(now, before)
    native = now
    if context.sector_game is not game or context.target is Target.TRX:
        native = native_sectors(now, game)
    put_sectors(native, native_before, ~has_changed)
    encoded = encode_sectors(native, records, lists, game, name_of, rebuild=context.rebuild)
    differs = encoded.changed | (encoded.records != records) | has_changed
    return _Exported(now, before, native, has_changed, encoded, differs)


def _sizes(room: Room) -> tuple[int, int]:
    return room.x_sectors, room.z_sectors


def sector_bounds(sectors: Sectors, which: Any = slice(None)) -> tuple[int, int] | None:
    """Return the highest ceiling and the lowest floor (y down) of sectors that are no walls, or None."""
    is_open = np.zeros(len(sectors.wall), bool)
    is_open[which] = True
    is_open &= ~sectors.wall
    if not is_open.any():
        return None
    ceilings, floors = sectors.ceiling.corners()[is_open], sectors.floor.corners()[is_open]
    return int(ceilings.min()), int(floors.max())


STEPS = Steps(
    {ImportStage.IN_ROOMS: import_sectors},
    {ExportStage.SECTORS: export_sectors},
)
