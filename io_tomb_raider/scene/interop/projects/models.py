"""Imported geometry of projects: objects of their own in the scene."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ....formats.base import T
from ....formats.editors.projects import (
    Compiled,
    FaceRows,
    ImportedFaces,
    ImportedGeometry,
    Origin,
    PlacedModel,
    Project,
    ProjectRoom,
    linear_of,
)
from ...core.context import RoomPart
from ...core.order import ordered
from ...core.space import Space, matrix_within
from ...subjects.meshes.arrays import MeshArrays
from ...subjects.rooms.arrays import rooms_arrays
from ...subjects.rooms.imported import ExportedPart, split

_UPWARDS = np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0]])  # from a project's axes to Blender's, and back
_LEAST_SCALE = 1e-6


def room_parts(project: Project, origin: Origin, scale: float) -> list[RoomPart]:
    """Return the imported geometry of a compiled project, by room.

    Args:
        scale: Blender units per unit of the file.
    """
    names = {each.number: each.name for each in project.settings.imported_geometries}
    return [
        RoomPart(
            faces.number,
            names.get(placed.model) or T("Imported Geometry"),
            room,
            _matrix_of(owner, placed, scale),
            (faces.first_quad, faces.first_quad + faces.quads),
            (faces.first_triangle, faces.first_triangle + faces.triangles),
        )
        for room, owner, placed, faces in _imported(project, origin)
    ]


def _imported(
    project: Project, origin: Origin
) -> Iterator[tuple[int, ProjectRoom, ImportedGeometry, ImportedFaces]]:
    """Yield the imported geometry of a compiled project: the level's room, its own room, and its faces."""
    owners = {each.number: (room, each) for room, each in project.objects()}
    for number, room_faces in enumerate(origin.imported):
        for faces in room_faces:
            room, placed = owners[faces.number]
            assert isinstance(placed, ImportedGeometry)
            yield number, room, placed, faces


def _matrix_of(room: ProjectRoom, placed: ImportedGeometry, scale: float) -> NDArray[np.float64]:
    """Return the place of an object relative to its room's object, (4, 4), in Blender's axes and units."""
    matrix = np.eye(4)
    rotation = _UPWARDS @ linear_of(placed) @ _UPWARDS
    if abs(np.linalg.det(rotation)) > _LEAST_SCALE**3:
        matrix[:3, :3] = rotation
    x, y, z = placed.position
    matrix[:3, 3] = np.array((x, z, y + room.y)) * scale
    return matrix


def placed_models(
    project: Project, compiled: Compiled, parts: Sequence[ExportedPart], space: Space
) -> list[PlacedModel]:
    """Return the imported geometry of a scene.

    Args:
        project: the project as it was imported.
        parts: the imported geometry as it was exported.
    """
    imported_numbers = {faces.number for room_faces in compiled.origin.imported for faces in room_faces}
    numbers = {
        obj: number
        for obj, number in ordered([part.obj for part in parts], set())
        if number in imported_numbers
    }
    expected = _expected(project, compiled, parts, space)
    result = []
    for part in parts:
        source = int(part.obj.tomb_raider.index)
        matrix = np.array(matrix_within(part.obj, part.whole), np.float64)
        before = expected.get(source)
        result.append(
            PlacedModel(
                part.obj.name,
                numbers.get(part.obj, -1),
                source if source in imported_numbers else -1,
                part.room,
                _UPWARDS @ matrix[:3, 3] / space.scale,
                _UPWARDS @ matrix[:3, :3] @ _UPWARDS,
                FaceRows(part.quads, part.triangles),
                before is None or not part.arrays.equals(before),
            )
        )
    return result


def _expected(
    project: Project, compiled: Compiled, parts: Sequence[ExportedPart], space: Space
) -> dict[int, MeshArrays]:
    """Return the meshes of imported geometry as an import makes them, by number of the object."""
    if not parts:
        return {}
    by_room: dict[int, list[RoomPart]] = {}
    for each in room_parts(project, compiled.origin, space.scale):
        by_room.setdefault(each.room, []).append(each)
    level = compiled.level
    arrays = rooms_arrays(level, [level.rooms[number] for number in by_room], parts[0].view, space)
    return {
        part.number: mesh
        for room_mesh, parts_of_room in zip(arrays, by_room.values(), strict=True)
        for part, mesh in zip(parts_of_room, split(room_mesh, parts_of_room)[1], strict=True)
    }
