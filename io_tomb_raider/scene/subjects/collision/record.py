"""Sectors as they were read from a room's mesh, stored to be compared with the next reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from ....formats.base import CLICK
from ....formats.levels.collision import WALL, Surface
from ...core.collision_faces import PART, FacePart
from .build import SECTOR_PLACE

ROUNDING = "tr_rounding"
_SHAPES, _ERRORS = "tr_cast", "tr_cast_rounding"
_COLUMNS = 11  # whether it is a wall; split and corners of the floor, then of the ceiling


@dataclass(eq=False)
class CollisionRecord:
    """The n sectors of a room as they were read from its mesh."""

    size: tuple[int, int]  #: the room's sectors along x and z.
    #: (n, 11) int64: whether a sector is a wall, then for its floor and its ceiling the split and the heights
    #: of the corners, in clicks.
    shapes: NDArray[np.int64]
    errors: NDArray[np.float64]  #: (n,) float64, the largest vertical deviation of the mesh, in units.

    @classmethod
    def of(
        cls,
        size: tuple[int, int],
        wall: NDArray[np.bool_],
        floor: Surface,
        ceiling: Surface,
        errors: NDArray[np.float64],
    ) -> CollisionRecord:
        """Return the record of sectors whose triangles meet along the split."""
        columns: list[NDArray[Any]] = [wall[:, None]]
        for surface in (floor, ceiling):
            columns += [surface.split[:, None], surface.span()[0] // CLICK]
        return cls(size, np.concatenate(columns, axis=1, dtype=np.int64), errors)

    @classmethod
    def load(cls, mesh: Mesh) -> CollisionRecord | None:
        """Return the record of a collision mesh, or None if it was not read from a mesh."""
        shapes, errors = (np.array(mesh.get(key, ())) for key in (_SHAPES, _ERRORS))
        if len(shapes) < 2:
            return None
        x, z = (int(each) for each in shapes[:2])
        if len(shapes) != 2 + x * z * _COLUMNS or len(errors) != x * z:
            return None
        return cls((x, z), shapes[2:].reshape(-1, _COLUMNS).astype(np.int64), errors.astype(np.float64))

    def store(self, mesh: Mesh) -> None:
        """Store the record in a collision mesh."""
        for key, values in ((_SHAPES, np.append(self.size, self.shapes)), (_ERRORS, self.errors)):
            if mesh.get(key) is not None:  # arrays of another length cannot be overwritten in place
                del mesh[key]
            mesh[key] = values.tolist()

    def resized(self, size: tuple[int, int], before: tuple[int, int] = (0, 0)) -> CollisionRecord:
        """Return the record for another size of the room; new sectors are walls.

        ``before`` is how many of them are before the old ones along x and z.
        """
        if size == self.size and not any(before):
            return self
        shapes = np.zeros((*size, _COLUMNS), np.int64)
        shapes[..., 0] = 1
        shapes[..., 2:6] = shapes[..., 7:] = WALL
        errors = np.zeros(size)
        x, z = (min(now - new, old) for now, new, old in zip(size, before, self.size, strict=True))
        to = slice(before[0], before[0] + x), slice(before[1], before[1] + z)
        shapes[to] = self.shapes.reshape(*self.size, _COLUMNS)[:x, :z]
        errors[to] = self.errors.reshape(self.size)[:x, :z]
        return CollisionRecord(size, shapes.reshape(-1, _COLUMNS), errors.ravel())


def mark_rounding(mesh: Mesh, record: CollisionRecord | None, face: dict[str, NDArray[np.int32]]) -> None:
    """Set an attribute of the floors and ceilings of a mesh to their rounding error in units."""
    if record is None or not len(mesh.polygons):
        return
    sector, part = face[SECTOR_PLACE], face[PART]
    has_error = (part == FacePart.FLOOR) | (part == FacePart.CEILING)
    has_error &= (sector >= 0) & (sector < len(record.errors))
    values = np.where(has_error, record.errors[np.where(has_error, sector, 0)], 0).astype(np.float32)
    layers = mesh.attributes
    layer = layers.get(ROUNDING) or layers.new(ROUNDING, "FLOAT", "FACE")
    layer.data.foreach_set("value", values)
