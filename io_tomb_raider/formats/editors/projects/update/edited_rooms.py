"""The faces that the editor will build in rooms whose sectors are edited in a scene."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.distinct import distinct_rows
from ....base.arrays.typing import Bools
from ....base.units import SECTOR_SIZE
from ....levels.collision.grid import SIDE_STEPS
from ....levels.collision.sectors import Sectors
from ....levels.views.decoded import Decoded
from ..compile.compiled import Origin
from ..compile.rooms.default_texture import shown_rooms
from ..from_level.rooms.faces import faces_of, normals_of
from ..from_level.rooms.shapes import is_ladder, shape_of
from ..from_level.rooms.walls import rest_on_neighbors
from ..geometry.faces import Faces
from ..geometry.geometry import room_faces
from ..geometry.openings import ProjectRooms
from ..model.objects import Direction, PlacedObject, ProjectPortal
from ..model.project import Project
from ..model.rooms import ProjectRoom
from ..model.shape import RoomShape, face_keys
from ..model.usable import usable_project
from .shapes import raised, resized_shape, update_shape

_WALLS = (Direction.POSITIVE_Z, Direction.POSITIVE_X, Direction.NEGATIVE_Z, Direction.NEGATIVE_X)

# A direction that no face is parallel to, for the side from which it is seen.
_ASKEW = np.array([0.01, 1.0, 0.1])

# The sectors that lead to each room, in each direction.
_Leads = dict[Direction, dict[int, list[tuple[int, int]]]]


@dataclass(eq=False)
class EditedRoom:
    """The sectors of a room in a scene."""

    index: int  #: of the room in the compiled level, -1 for a new one.
    #: x, z: the position of its corner in sectors.
    x: int
    z: int
    y: int  #: the height of the origin of its heights, upwards.
    #: x_sectors, z_sectors: its size.
    x_sectors: int
    z_sectors: int
    sectors: Sectors  #: its sectors. Rooms are numbers of a project, or those that `numbers` translates.
    numbers: Mapping[int, int]  #: the project's numbers of the rooms to which its sectors lead.


@dataclass(eq=False)
class CompiledProject:
    """A project and the level that was compiled from it, which are not changed."""

    project: Project
    origin: Origin  #: of the level's parts.
    level: Decoded

    def __post_init__(self) -> None:
        self._rooms = shown_rooms(usable_project(self.project))
        self._by_number = {room.number: room for room in self._rooms}
        self._as_compiled = ProjectRooms(self._rooms)

    @property
    def most_number(self) -> int:
        """The highest number of a room."""
        return max(self._by_number, default=-1)

    def x_sectors(self, number: int) -> int | None:
        """Return the sectors of a room along x, None for a new room."""
        room = self._by_number.get(number)
        return None if room is None else room.shape.x_sectors

    def number_of(self, index: int) -> int:
        """Return the project's number of a room of the level, -1 if there is none."""
        rooms = self.origin.rooms
        return rooms[index] if 0 <= index < len(rooms) else -1

    def around(self, number: int, others: Iterable[int]) -> list[int]:
        """Return the rooms on which the faces of a room depend: itself, those behind portals, other states.

        `others`: more rooms to which its sectors lead.
        """
        room = self._by_number.get(number)
        portals = () if room is None else room.each(ProjectPortal)
        near = {number: None, **dict.fromkeys(others), **dict.fromkeys(each.room for each in portals)}
        pairs = [(each.number, each.alternate[1]) for each in self._rooms if each.alternate is not None]
        states = [each for pair in pairs if not near.keys().isdisjoint(pair) for each in pair]
        return list(near | dict.fromkeys(states))

    def faces(self, number: int, edited: Mapping[int, EditedRoom]) -> Faces:
        """Return the faces that the editor will build in a room, without those that have no texture.

        Heights are relative to the room's height in the scene. `edited`: the room, and the rooms on which it
        depends, by their numbers.
        """
        rooms = [self._room(number, each) for number, each in edited.items()]
        built = room_faces(ProjectRooms(rooms), rooms[list(edited).index(number)])
        if number in self._by_number:
            before, is_shown = self._compiled(number, edited[number].index)
            hidden = face_keys(before.sector, before.face)[~is_shown]
            built = built.take(~np.isin(face_keys(built.sector, built.face), hidden))
        built.corners[..., 1] -= edited[number].y
        return built

    def unedited_faces(self, number: int, index: int) -> Faces:
        """Return the faces of a room as it was compiled, with heights in the world.

        `index`: of the room in the level.
        """
        faces, is_shown = self._compiled(number, index)
        return faces.take(is_shown)

    def _compiled(self, number: int, index: int) -> tuple[Faces, Bools]:
        """Return the faces that the editor built in a room, and which of them the level has, (n,)."""
        room = self._by_number[number]
        built = room_faces(self._as_compiled, room)
        built.corners[..., 1] += room.y
        level = self.level.level
        level_faces = faces_of(level.game, level.rooms[index], 0)
        points = np.concatenate([built.corners, np.rint(level_faces.points).astype(np.int64)]).reshape(-1, 3)
        corners = distinct_rows(points.T)[1].reshape(-1, 4)
        corners[np.concatenate([built.count == 3, level_faces.triangle]), 3] = -1
        # A floor and a ceiling can be at the same place.
        normals = normals_of(built.corners.astype(np.float64))[0]
        normals[built.is_ceiling] *= -1
        seen = np.concatenate([normals, level_faces.normals]) @ _ASKEW > 0
        faces = distinct_rows([*np.sort(corners, axis=1).T, seen])[1]
        records = room.shape.faces[room.shape.faces["texture"] >= 0]
        textured = np.isin(face_keys(built.sector, built.face), face_keys(records["sector"], records["face"]))
        return built, textured & np.isin(faces[: len(built)], faces[len(built) :])

    # --- Rooms -------------------------------------------------------------------------------------

    def _room(self, number: int, edited: EditedRoom) -> ProjectRoom:
        """Return a room with its edits, whose heights are those of the world."""
        size = edited.x_sectors, edited.z_sectors
        after = shape_of(edited.sectors, *size, -edited.y).shape
        leads_after = _leads(edited.sectors, *size, edited.numbers)
        source = self._by_number.get(number)
        index = edited.index
        if source is None or not 0 <= index < len(self.level.level.rooms):
            rest_on_neighbors(after)
            return ProjectRoom(number, "", edited.x, 0, edited.z, after, objects=_portals(leads_after))
        room = self.level.level.rooms[index]
        start, end = self.level.grid.starts[index : index + 2]
        sectors = self.level.sectors.take(slice(int(start), int(end)))
        before = shape_of(sectors, room.x_sectors, room.z_sectors, 0).shape
        numbers = dict(enumerate(self.origin.rooms))
        leads_before = _leads(sectors, room.x_sectors, room.z_sectors, numbers)
        return replace(
            source,
            x=edited.x,
            y=0,
            z=edited.z,
            shape=_edited_shape(
                source, before, after, room.x // SECTOR_SIZE - edited.x, room.z // SECTOR_SIZE - edited.z
            ),
            objects=_changed_portals(source, leads_before, leads_after),
        )


def _edited_shape(source: ProjectRoom, before: RoomShape, after: RoomShape, x: int, z: int) -> RoomShape:
    result = raised(source.shape, source.y)
    if before.wall.shape != after.wall.shape:
        rest_on_neighbors(after)
        return resized_shape(result, before, after, (x, z))
    update_shape(result, before, after)
    return result


def _leads(sectors: Sectors, x_sectors: int, z_sectors: int, numbers: Mapping[int, int]) -> _Leads:
    """Return the sectors, x and z, that lead to each room, by direction."""
    result: _Leads = {}
    ladder = is_ladder(sectors)

    def add(direction: Direction, rooms: NDArray[Any], is_chosen: Bools) -> None:
        rows = np.flatnonzero(is_chosen & (rooms >= 0))
        for row, room in zip(rows.tolist(), rooms[rows].tolist(), strict=True):
            if room in numbers:
                sector = row // z_sectors, row % z_sectors
                result.setdefault(direction, {}).setdefault(numbers[room], []).append(sector)

    x, z = np.divmod(np.arange(x_sectors * z_sectors), z_sectors)
    inner = (x > 0) & (z > 0) & (x < x_sectors - 1) & (z < z_sectors - 1)
    add(Direction.FLOOR, sectors.room_below, inner)
    add(Direction.CEILING, sectors.room_above, inner)
    for direction, (step_x, step_z) in zip(_WALLS, SIDE_STEPS, strict=True):
        last = {-1: 0, 1: (x_sectors if step_x else z_sectors) - 1}[step_x + step_z]
        add(direction, sectors.portal, ~ladder & ((x if step_x else z) == last))
    return result


def _portals(leads: _Leads) -> list[PlacedObject]:
    """Return a portal for each sector that leads to another room."""
    return [
        ProjectPortal(0, area=(x, z, x, z), room=room, direction=direction)
        for direction, rooms in leads.items()
        for room, sectors in rooms.items()
        for x, z in sectors
    ]


def _changed_portals(source: ProjectRoom, before: _Leads, after: _Leads) -> list[PlacedObject]:
    """Return the portals of a room: the project's own ones in the directions where nothing was edited."""
    changed = {direction for direction in Direction if before.get(direction) != after.get(direction)}
    unchanged: Sequence[PlacedObject] = [
        each for each in source.each(ProjectPortal) if each.direction not in changed
    ]
    return [*unchanged, *_portals({each: rooms for each, rooms in after.items() if each in changed})]
