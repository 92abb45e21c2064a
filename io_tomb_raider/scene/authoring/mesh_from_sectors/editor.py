"""The faces of a project's room by its sectors: those that the level editor builds."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import SECTOR_SIZE
from ....formats.editors.projects import (
    CEILING_SIDE,
    CEILINGS,
    FLOOR_SIDE,
    FLOORS,
    SIDES,
    CompiledProject,
    EditedRoom,
    Face,
    Faces,
    SectorSide,
)
from ....formats.levels.collision import SIDE_STEPS
from ...core.membership import collision_of, members_of
from ...core.order import ordered
from ...core.original import compiled_project
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...subjects.collision.edit import CollisionEdit
from .shape import FLOOR_LINE, ROW_HEIGHT, SHARES, DrawnFaces, DrawnRole, keys_of

# By the side of the higher sector: the step to the lower one, and the side at which that sees the wall.
_STEPS = np.array([*(SIDES[side][0] for side in SectorSide if side in SIDES), (0, 0)])
_SEEN = np.array([*(SIDE_STEPS.index((-x, -z)) for x, z in _STEPS[:-1].tolist()), FLOOR_LINE])


def editor_faces(root: Collection, room: Object, edit: CollisionEdit) -> DrawnFaces | None:
    """Return the faces that the editor will build in a room, None if the level is no project.

    Raises:
        FormatError: if the stored project is damaged.
    """
    rooms = _Rooms.of(root)
    if rooms is None:
        return None
    faces = rooms.compiled.faces(rooms.numbers[room], rooms.around(room, edit))
    return _drawn(faces, edit.size.x_sectors)


def compiled_faces(root: Collection, room: Object) -> DrawnFaces | None:
    """Return the faces of a room as the editor built them before all edits, None if it did not.

    Raises:
        FormatError: if the stored project is damaged.
    """
    rooms = _Rooms.of(root)
    if rooms is None:
        return None
    number, index = rooms.numbers[room], rooms.indices[room]
    size = rooms.compiled.x_sectors(number)
    return None if size is None else _drawn(rooms.compiled.unedited_faces(number, index), size)


class _Rooms:
    """The rooms of a level by their numbers in the project; new ones have numbers above all others."""

    def __init__(self, root: Collection, compiled: CompiledProject) -> None:
        self.compiled = compiled
        self.numbers: dict[Object, int] = {}
        self.indices: dict[Object, int] = {}
        free = compiled.most_number + 1
        for room, index in ordered(members_of(root, Kind.ROOM)):
            number = compiled.number_of(index)
            if number < 0:
                number, free, index = free, free + 1, -1
            self.numbers[room], self.indices[room] = number, index
        self._objects = {number: room for room, number in self.numbers.items()}

    @classmethod
    def of(cls, root: Collection) -> _Rooms | None:
        """Return the rooms of a level, None if it comes from no project."""
        compiled = compiled_project(root)
        return None if compiled is None else cls(root, compiled)

    def around(self, room: Object, edit: CollisionEdit) -> dict[int, EditedRoom]:
        """Return a room and those that its faces depend on: behind portals, and in other states."""
        entries = edit.obj.tomb_raider.collision.rooms
        others = [self.numbers[entry.room] for entry in entries if entry.room in self.numbers]
        result: dict[int, EditedRoom] = {}
        for number in self.compiled.around(self.numbers[room], others):
            obj = self._objects.get(number)
            collision = collision_of(obj)
            if obj is None or collision is None:
                continue
            with suppress(ExportError):  # damaged collision is skipped
                edited = edit if obj == room else CollisionEdit(collision, edit.game, edit.space)
                result[number] = self._edited(obj, edited)
        return result

    def _edited(self, room: Object, edit: CollisionEdit) -> EditedRoom:
        position = np.array(world_matrix(edit.obj).translation, np.float64)
        x, y, z = np.rint(edit.space.to_file(position, edit.obj.name)).astype(np.int64).tolist()
        numbers: Mapping[int, int] = {
            edit.place_of(entry.room): self.numbers[entry.room]
            for entry in edit.obj.tomb_raider.collision.rooms
            if entry.room in self.numbers
        }
        size = edit.size.x_sectors, edit.size.z_sectors
        x, z = round(x / SECTOR_SIZE), round(z / SECTOR_SIZE)
        return EditedRoom(self.indices[room], x, z, -y, *size, edit.sectors, numbers)


# --- Faces -----------------------------------------------------------------------------------------


def _drawn(faces: Faces, x_sectors: int) -> DrawnFaces:
    z, x = np.divmod(faces.sector, x_sectors)
    points = faces.corners.astype(np.float64) * (1, -1, 1)
    is_floor, is_ceiling = np.isin(faces.face, FLOORS), faces.is_ceiling
    parts = [
        _flat(DrawnRole.FLOOR, faces, points, x, z, is_floor),
        _flat(DrawnRole.CEILING, faces, points, x, z, is_ceiling),
        _walls(faces, points, x, z, ~(is_floor | is_ceiling)),
    ]
    return DrawnFaces.join(parts)


def _flat(
    role: DrawnRole,
    faces: Faces,
    points: NDArray[np.float64],
    x: NDArray[np.int64],
    z: NDArray[np.int64],
    mask: NDArray[np.bool_],
) -> DrawnFaces:
    is_ceiling = role == DrawnRole.CEILING
    x, z, count, face = x[mask], z[mask], faces.count[mask], faces.face[mask]
    points = points[mask]
    if not is_ceiling:  # seen from the other side than in a project
        order = np.where(count[:, None] == 4, [0, 3, 2, 1], [0, 2, 1, 1])
        points = np.take_along_axis(points, order[..., None], axis=1)
    places = points[..., [0, 2]] / SECTOR_SIZE - np.stack([x, z], axis=1)[:, None]
    if is_ceiling:
        places[..., 0] = 1 - places[..., 0]  # seen from below
    second = face == (CEILINGS if is_ceiling else FLOORS)[1]
    piece = np.where(count == 4, 0, np.where(second, 2, 1))
    return DrawnFaces(points, places, count, keys_of(int(role), 0, x, z, piece))


def _walls(
    faces: Faces,
    points: NDArray[np.float64],
    x: NDArray[np.int64],
    z: NDArray[np.int64],
    mask: NDArray[np.bool_],
) -> DrawnFaces:
    x, z, face = x[mask], z[mask], faces.face[mask]
    is_quad = faces.count[mask, None] == 4
    side = np.where(face < Face.FLOOR, face, face - Face.FLOOR_3) % len(SectorSide)
    base = face - side
    is_floor, is_ceiling = np.isin(base, FLOOR_SIDE), np.isin(base, CEILING_SIDE)
    middle = len(FLOOR_SIDE)
    rank = np.where(is_ceiling, middle + 1 + np.searchsorted(CEILING_SIDE, base), middle)
    rank = np.where(is_floor, np.searchsorted(FLOOR_SIDE, base), rank)
    # The viewer is in the next sector; of a diagonal in the sector itself.
    x, z = x + _STEPS[side, 0], z + _STEPS[side, 1]
    role = np.where(is_floor, DrawnRole.STEP, DrawnRole.WALL)
    keys = keys_of(role, _SEEN[side], x, z, rank * SHARES)
    # Quads begin with the lower end at the left, triangles with the upper one.
    points = points[mask]
    at_left = (points[:, 2, [0, 2]] == points[:, 0, [0, 2]]).all(axis=1)[:, None]
    order = np.where(is_quad, [0, 3, 2, 1], np.where(at_left, [2, 1, 0, 0], [0, 2, 1, 1]))
    along = np.where(is_quad, [0, 1, 1, 0], np.where(at_left, [0, 1, 0, 0], [0, 1, 1, 1]))
    points = np.take_along_axis(points, order[..., None], axis=1)
    down = (points[..., 1] - points[..., 1].min(axis=1)[:, None]) / ROW_HEIGHT
    places = np.stack([along.astype(np.float64), 1 - down], axis=2)
    return DrawnFaces(points, places, faces.count[mask], keys)
