"""Diagnosis of what users do to whole rooms: transforms that sectors cannot follow, and joined rooms.

Blender's *Join* (Ctrl+J) joins only meshes. A joined room is no longer in the scene, and the mesh of the
other one has its vertices, where they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError, Room
from ....formats.base import T
from ...core.context import ExportContext
from ...core.reporting.report import first_few
from ...core.space import Space, checked
from ...core.subjects import Kind
from ..meshes.arrays import VERTEX, MeshArrays
from .location.plan import RoomPlan

_UNIT = 1e-4  # tolerance of matrix elements
_NEAR = 1.5  # units
_UPRIGHT = np.eye(3)
_SCALED = 1e-2  # difference of matrix elements that is no rounding of vertices
_FEWEST = 8  # vertices that show how a mesh was transformed
_MOST_JOINED = 0.9  # of a room's vertices
_NAMED = 4
_SPAN = 1 << 20  # units from the lowest position along an axis, so that three fit 64 bits


class RoomDiagnosis:
    """What was done to the rooms of an export."""

    causes: dict[int, str]  #: by room, the change that may explain errors of its contents, "" for none.

    def __init__(self, context: ExportContext, plan: RoomPlan) -> None:
        self.causes = {}
        self._context, self._plan = context, plan
        self._joined = _JoinedRooms(context, plan)

    def check_object(self, name: str, number: int, matrix: NDArray[np.float64], mesh: MeshArrays) -> None:
        """Find the transform of a room's object, from its matrix in the level, (4, 4).

        Raises:
            ExportError: if a vertex is not a finite number.
        """
        space, source = self._context.space, self._plan.sources[number]
        room = self._context.original.rooms[source] if source >= 0 else None
        if room is None or not len(mesh.positions) or not len(room.vertices):
            self.causes[number] = diagnose(name, matrix, None, None, space)
            return

        def moved() -> tuple[float, float] | None:
            checked(mesh.positions, name, "a vertex")
            bounds = [(float(room.vertices[axis].min()), float(room.vertices[axis].max())) for axis in "xz"]
            if not np.isfinite(bounds).all():  # damaged vertices of TR5
                return None
            center = mesh.positions.min(axis=0) / 2 + mesh.positions.max(axis=0) / 2
            after = space.to_file(center + matrix[:3, 3], name, "a vertex")
            before = [low / 2 + high / 2 for low, high in bounds]
            return float(after[0] - room.x - before[0]), float(after[2] - room.z - before[1])

        self.causes[number] = diagnose(name, matrix, (room.x, room.z), moved, space)

    def check_mesh(self, name: str, number: int, mesh: MeshArrays) -> None:
        """Find what was done to a whole mesh: joined rooms, and applied transforms.

        Raises:
            ExportError: if another room was joined to this one.
        """
        room, source = self._context.level.rooms[number], self._plan.sources[number]
        points = self._context.space.to_file(mesh.positions, name, "a vertex")
        self._joined.check(name, points + np.array((room.x, 0, room.z)))
        if source >= 0 and not self.causes[number]:
            before = self._context.original.rooms[source].vertices
            self.causes[number] = diagnose_mesh(name, points, mesh.point.get(VERTEX), before)


# --- Transforms ---


def diagnose(
    name: str,
    matrix: NDArray[np.float64],
    before: tuple[int, int] | None,
    moved: Callable[[], tuple[float, float] | None] | None,
    space: Space,
) -> str:
    """Return the change of a room's transform that may explain errors of its contents, "" for none.

    Args:
        matrix: (4, 4), its world matrix.
        before: x and z of the room in the file, None for a new room.
        moved: returns how far the center of its mesh has moved in the world along x and z, in units, or
            None if unknown. Called only if the object has moved.
    """
    turn = matrix[:3, :3]
    if (turn != _UPRIGHT).any() and np.abs(turn - _UPRIGHT).max() > _UNIT:
        is_mirrored = np.linalg.det(turn) < 0
        transform_name = T("mirrored") if is_mirrored else T("rotated or scaled")
        return T(
            "{name} is {how} as an object, which sectors cannot follow: clear its rotation and "
            "scale (Alt+R, Alt+S), and edit mesh, collision and portals in Edit Mode instead",
            name=name,
            how=transform_name,
        )
    if before is None or moved is None:
        return ""
    x, z = matrix[0, 3] / space.scale - before[0], matrix[1, 3] / space.scale - before[1]
    if max(abs(x), abs(z)) <= _NEAR:
        return ""
    shift = moved()
    if shift is not None and max(map(abs, shift)) <= _NEAR:
        position = space.in_world(space.to_blender([before[0], 0, before[1]]).tolist())
        return T(
            "The origin of {room} was moved without its mesh, as by Apply Location and Set "
            "Origin, but sectors start there: set it back to X {x:g}, Y {y:g}, Z 0",
            room=name,
            x=position[0],
            y=position[1],
        )
    return ""


def diagnose_mesh(
    name: str, points: NDArray[np.float64], numbers: NDArray[np.int32] | None, before: NDArray[np.void]
) -> str:
    """Return whether the whole mesh of a room was rotated or scaled, which may explain errors, "" if not.

    Args:
        points: (n, 3) the vertices, from the room's corner.
        numbers: (n,) their numbers in the file, -1 for none.
    """
    if numbers is None:
        return ""
    rows = np.flatnonzero((numbers >= 0) & (numbers < len(before)))
    old = np.stack([before[axis] for axis in "xyz"], axis=1).astype(np.float64)[numbers[rows]]
    new = points[rows]
    if len(rows) < _FEWEST or np.abs(new - old).max() <= _NEAR or not np.isfinite(old).all():
        return ""
    homogeneous = np.column_stack([old, np.ones(len(old))])
    affine, *_ = np.linalg.lstsq(homogeneous, new, rcond=None)
    error = np.abs(homogeneous @ affine - new).max()
    if error > _NEAR or np.abs(affine[:3] - _UPRIGHT).max() <= _SCALED:
        return ""
    return T(
        "The whole mesh of {name} was rotated or scaled, as by Apply Rotation and Apply "
        "Scale (Ctrl+A), which sectors cannot follow: undo it, and edit mesh, collision and "
        "portals in Edit Mode instead",
        name=name,
    )


def explained(error: ExportError, cause: str) -> ExportError:
    """Return an error extended by its cause, if there is one."""
    if not cause:
        return error
    problem = error.problem
    if error.count is not None:
        problem = T("{problem}: {count}", problem=problem, count=error.count)
    return ExportError(error.subject, T("{problem}. {cause}", problem=problem, cause=cause))


# --- Joined rooms ---


class _JoinedRooms:
    """The rooms of the original that are no longer in the scene, to be found in the meshes of others."""

    def __init__(self, context: ExportContext, plan: RoomPlan) -> None:
        self._context = context
        rooms = context.original.rooms
        has_rooms = "ROOMS" in context.root.tomb_raider.imported
        deleted = np.flatnonzero(plan.map < 0).tolist() if has_rooms else []
        self._deleted = {number: _points(rooms[number]) for number in deleted if len(rooms[number].vertices)}

    def check(self, name: str, points: NDArray[np.float64]) -> None:
        """Raise an error, or warn, if a room's mesh has other rooms' meshes.

        Collision without a room shows that the rooms were joined as a whole. The points of the mesh, (n, 3),
        are in the world, in the file's units and axes.

        Raises:
            ExportError: if collision of a room is left.
        """
        numbers = list(self._in(points))
        if not numbers:
            return
        joined = first_few([f"Room {number:03}" for number in numbers], _NAMED)
        # Blender keeps a joined object as the parent of others, in no scene.
        inside = set(self._context.level_objects.inside)
        remaining = [
            obj for obj in self._context.level_objects.of({Kind.COLLISION}) if obj.parent not in inside
        ]
        if not remaining:
            text = T(
                "the mesh of {joined} was joined to it, and the rest of that room is left out", joined=joined
            )
            self._context.report.warn(name, text)
            return
        text = T(
            "{joined} was joined to it (Ctrl+J), but Blender joins only meshes, not sectors, "
            "portals and lights: undo it, and connect the rooms instead. To keep only the mesh, "
            "delete {left}",
            joined=joined,
            left=remaining[0].name,
        )
        raise ExportError(name, text)

    def _in(self, points: NDArray[np.float64]) -> Iterator[int]:
        if not self._deleted:
            return
        keys = _keys(np.rint(points).astype(np.int64))
        for number, vertices in self._deleted.items():
            if np.isin(_keys(vertices), keys).mean() >= _MOST_JOINED:
                yield number


def _points(room: Room) -> NDArray[np.int64]:
    """Return the world positions of the vertices of a room, (n, 3)."""
    positions = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(np.float64)
    return np.rint(np.nan_to_num(positions)).astype(np.int64) + np.array((room.x, 0, room.z))


def _keys(points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a unique number for each point, (n,)."""
    x, y, z = (points + _SPAN // 2).T
    return np.asarray((x * _SPAN + y) * _SPAN + z)
