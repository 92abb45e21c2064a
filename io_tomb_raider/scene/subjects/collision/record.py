"""What collision was read from the mesh of its room: kept with it, to be compared with what is read next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from ....formats.base.units import CLICK
from ....formats.collision.surfaces import WALL, Surface
from ...core.collision_faces import PART, FacePart
from .build import SECTOR_PLACE

ROUNDING = "tr_rounding"
_SHAPES, _ERRORS = "tr_cast", "tr_cast_rounding"
_COLUMNS = 11  # whether it is a wall; lines and corners of the floor, then of the ceiling


@dataclass(eq=False)
class CastRecord:
    """The n sectors of a room as they were read from its mesh.

    Attributes:
        size: the room's sectors along x and z.
        shapes: (n, 11) int64: whether a sector is a wall, then of its floor and its ceiling each the
            dividing line and the heights of the corners, in clicks.
        errors: (n,) float64, by how many units at most the mesh is higher or lower.
    """

    size: tuple[int, int]
    shapes: NDArray[np.int64]
    errors: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        size: tuple[int, int],
        wall: NDArray[np.bool_],
        floor: Surface,
        ceiling: Surface,
        errors: NDArray[np.float64],
    ) -> CastRecord:
        """Return the record of sectors whose triangles meet along their lines."""
        columns: list[NDArray[Any]] = [wall[:, None]]
        for surface in (floor, ceiling):
            columns += [surface.split[:, None], surface.span()[0] // CLICK]
        return cls(size, np.concatenate(columns, axis=1, dtype=np.int64), errors)

    @classmethod
    def load(cls, mesh: Mesh) -> CastRecord | None:
        """Return what a collision mesh carries, or None where it was read from no mesh."""
        carried = mesh
        shapes, errors = (np.array(carried.get(key, ())) for key in (_SHAPES, _ERRORS))
        if len(shapes) < 2:
            return None
        x, z = (int(each) for each in shapes[:2])
        if len(shapes) != 2 + x * z * _COLUMNS or len(errors) != x * z:
            return None
        return cls((x, z), shapes[2:].reshape(-1, _COLUMNS).astype(np.int64), errors.astype(np.float64))

    def store(self, mesh: Mesh) -> None:
        """Let a collision mesh carry it."""
        carried = mesh
        for key, values in (
            (_SHAPES, np.append(self.size, self.shapes.ravel())),
            (_ERRORS, self.errors),
        ):
            if carried.get(key) is not None:  # arrays of another length are not overwritten in place
                del carried[key]
            carried[key] = values.tolist()

    def resized(self, size: tuple[int, int]) -> CastRecord:
        """Return it for another size of the room; sectors that it did not know are walls."""
        if size == self.size:
            return self
        shapes = np.zeros((*size, _COLUMNS), np.int64)
        shapes[..., 0] = 1
        shapes[..., 2:6] = shapes[..., 7:] = WALL
        errors = np.zeros(size)
        x, z = (min(pair) for pair in zip(size, self.size, strict=True))
        shapes[:x, :z] = self.shapes.reshape(*self.size, _COLUMNS)[:x, :z]
        errors[:x, :z] = self.errors.reshape(self.size)[:x, :z]
        return CastRecord(size, shapes.reshape(-1, _COLUMNS), errors.ravel())


def mark_rounding(mesh: Mesh, record: CastRecord | None, face: dict[str, NDArray[np.int32]]) -> None:
    """Give the floors and ceilings of a mesh an attribute that tells by how many units they are rounded.

    Args:
        mesh: not in edit mode.
        record: what it was read from; without one there is nothing to tell.
        face: the attributes of its faces.
    """
    if record is None or not len(mesh.polygons):
        return
    place, part = face[SECTOR_PLACE], face[PART]
    known = (
        ((part == FacePart.FLOOR) | (part == FacePart.CEILING)) & (place >= 0) & (place < len(record.errors))
    )
    values = np.where(known, record.errors[np.where(known, place, 0)], 0).astype(np.float32)
    layers = mesh.attributes
    layer = layers.get(ROUNDING) or layers.new(ROUNDING, "FLOAT", "FACE")
    layer.data.foreach_set("value", values)
