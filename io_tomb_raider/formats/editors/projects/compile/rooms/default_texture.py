"""The texture that a project gives to faces without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...geometry.geometry import faces_of_rooms
from ...geometry.openings import ProjectRooms
from ...geometry.repair import repaired_rooms
from ...geometry.walls import CEILING_SIDE, FLOOR_SIDE
from ...model.project import Project
from ...model.rooms import ProjectRoom
from ...model.settings import TexturedArea
from ...model.shape import FACE, Face, SectorSide, face_keys

_SIDES = (
    SectorSide.POSITIVE_Z,
    SectorSide.NEGATIVE_Z,
    SectorSide.POSITIVE_X,
    SectorSide.NEGATIVE_X,
    SectorSide.DIAGONAL,
)
_FLAT = (Face.FLOOR, Face.FLOOR_TRIANGLE_2, Face.CEILING, Face.CEILING_TRIANGLE_2)
# Faces of a sector in the order in which the editor builds them.
_BUILT = (
    *(part + side for side in _SIDES for part in (*FLOOR_SIDE, *CEILING_SIDE, Face.MIDDLE)),
    *_FLAT,
)
_PLACES = np.zeros(max(_BUILT) + 1, np.int64)
_PLACES[list(_BUILT)] = np.arange(len(_BUILT))


def shown_rooms(project: Project) -> list[ProjectRoom]:
    """Return the rooms of a project with the faces that the editor shows; the project is not changed.

    Args:
        project: the project, with usable numbers, see :mod:`...model.usable`.
    """
    return with_default_texture(repaired_rooms(project.rooms), project.settings.default_texture)


def with_default_texture(rooms: Sequence[ProjectRoom], texture: TexturedArea) -> list[ProjectRoom]:
    """Return rooms whose faces without a texture have that of the project, after the others of their sector.

    Args:
        rooms: the rooms of a project; they are not changed.
        texture: the texture of new faces. Without one, the rooms are returned as they are.
    """
    if texture.texture < 0:
        return list(rooms)
    return [
        replace(room, shape=replace(room.shape, faces=_filled(room.shape.faces, faces.sector, faces.face,
                                                              faces.count, texture)))
        for room, faces in zip(rooms, faces_of_rooms(ProjectRooms(rooms), rooms), strict=True)
    ]  # fmt: skip


def _filled(
    known: NDArray[np.void], sector: NDArray[np.int64], face: NDArray[np.int64], count: NDArray[np.int64],
    texture: TexturedArea,
) -> NDArray[np.void]:  # fmt: skip
    lacking = ~np.isin(face_keys(sector, face), face_keys(known["sector"], known["face"]))
    rows = np.flatnonzero(lacking)
    rows = rows[np.lexsort((_PLACES[face[rows]], sector[rows]))]
    new = np.zeros(len(rows), FACE)
    new["sector"], new["face"], new["texture"] = sector[rows], face[rows], texture.texture
    new["corners"] = texture.corners
    is_triangle = count[rows] == 3
    new["corners"][is_triangle, 3] = new["corners"][is_triangle, 2]
    result = np.concatenate([known, new])
    return result[np.argsort(result["sector"], kind="stable")]
