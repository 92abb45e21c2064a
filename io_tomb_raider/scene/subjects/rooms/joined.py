"""Rooms that the user joined to another one (Ctrl+J). Blender joins only their meshes.

A joined room is no longer in the scene, and the mesh of the other one has its vertices, where they were.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError, Room
from ....formats.base import T
from ...core.context import ExportContext
from ...core.reporting.report import first_few
from ...core.subjects import Kind
from .location.plan import RoomPlan

_MOST = 0.9  # of a room's vertices
_NAMED = 4
_SPAN = 1 << 20  # units from the lowest position along an axis, so that three fit 64 bits


class JoinedRooms:
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
            if np.isin(_keys(vertices), keys).mean() >= _MOST:
                yield number


def _points(room: Room) -> NDArray[np.int64]:
    """Return the world positions of the vertices of a room, (n, 3)."""
    positions = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(np.float64)
    return np.rint(np.nan_to_num(positions)).astype(np.int64) + np.array((room.x, 0, room.z))


def _keys(points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a unique number for each point, (n,)."""
    x, y, z = (points + _SPAN // 2).T
    return np.asarray((x * _SPAN + y) * _SPAN + z)
