"""The texture that a project gives to faces without one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .....base.arrays.typing import Records
from ...geometry.faces import Faces
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
_ORDER = np.zeros(max(_BUILT) + 1, np.int64)
_ORDER[list(_BUILT)] = np.arange(len(_BUILT))


def shown_rooms(project: Project) -> list[ProjectRoom]:
    """Return the rooms of a project with the faces that the editor shows; the project is not changed.

    The project must have usable numbers, see :mod:`...model.usable`. Its default texture, if there is one, is
    given to the faces without a texture, which follow the others of their sector.
    """
    rooms, texture = repaired_rooms(project.rooms), project.settings.default_texture
    if texture.texture < 0:
        return list(rooms)
    return [
        replace(room, shape=replace(room.shape, faces=_filled(room.shape.faces, faces, texture)))
        for room, faces in zip(rooms, faces_of_rooms(ProjectRooms(rooms), rooms), strict=True)
    ]


def _filled(textured: Records, faces: Faces, texture: TexturedArea) -> Records:
    """Return the textures of faces (`FACE`), with those of the faces that lack one."""
    keys = face_keys(faces.sector, faces.face)
    rows = np.flatnonzero(~np.isin(keys, face_keys(textured["sector"], textured["face"])))
    sector, face = faces.sector[rows], faces.face[rows]
    order = np.lexsort((_ORDER[face], sector))
    new = np.zeros(len(rows), FACE)
    new["sector"], new["face"], new["texture"] = sector[order], face[order], texture.texture
    new["corners"] = texture.corners
    is_triangle = faces.count[rows[order]] == 3
    new["corners"][is_triangle, 3] = new["corners"][is_triangle, 2]
    result = np.concatenate([textured, new])
    return result[np.argsort(result["sector"], kind="stable")]
