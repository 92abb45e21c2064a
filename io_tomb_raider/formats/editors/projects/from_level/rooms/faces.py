"""The faces of a level's room in the coordinates of a project, and which of them are walls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from .....base.arrays.columns import Columns
from .....base.arrays.typing import Bools, Floats, Ints
from .....base.games import Game
from .....base.units import SECTOR_SIZE
from .....levels.rooms.geometry import decode_faces
from .....levels.rooms.rooms import Room
from ...model.shape import SectorSide

_EVEN = 1e-3  # units: what is nearer is at the same place


@dataclass(eq=False)
class LevelFaces(Columns):
    """The n faces of a room: quads, then triangles, in the order of the file."""

    #: (n, 4) int64, vertices of the room; triangles repeat the third.
    corners: Annotated[Ints, 4]
    order: Annotated[Ints, 4]  #: (n, 4) int64, which corner of the file's face each corner is.
    #: (n, 4, 3) float64, x and z from the room's corner, y upwards from its height, in units.
    points: Annotated[Floats, 4, 3]
    triangle: Bools  #: (n,) bool.
    words: Ints  #: (n,) int64, the texture words.
    #: (n, 3) float64, unit vectors to the side from which a face is seen; 0 if it has no area.
    normals: Annotated[Floats, 3]
    areas: Floats  #: (n,) float64, in square units.


def faces_of(game: Game, room: Room, y: int) -> LevelFaces:
    """Return the faces of a room of a level. `y`: the height of the project's room, upwards."""
    quads, triangles = decode_faces(game, room)
    corners = np.concatenate([quads.corners, triangles.corners[:, [0, 1, 2, 2]]]).astype(np.int64)
    triangle = np.arange(len(corners)) >= len(quads)
    order = _order(corners, triangle)
    corners, triangle = np.take_along_axis(corners, order, axis=1), order[:, 2] == order[:, 3]
    vertices = room.vertices
    positions = np.stack(
        [vertices["x"].astype(float), -vertices["y"].astype(float) - y, vertices["z"].astype(float)], axis=1
    ).reshape(-1, 3)
    points = positions[corners]
    words = np.concatenate([quads.texture, triangles.texture]).astype(np.int64)
    normals, areas = normals_of(points)
    return LevelFaces(corners, order, points, triangle, words, normals, areas)


def _order(corners: Ints, triangle: Bools) -> Ints:
    """Return the corners of faces in the order in which they are used, (n, 4); triangles repeat the third.

    A quad that has a vertex twice is a triangle: the editor doubles a vertex of rotating triangles. The
    second corner there does not belong to the face.
    """
    order = np.tile(np.arange(4), (len(corners), 1))
    order[triangle, 3] = 2
    doubled = (corners == np.roll(corners, -1, axis=1)) & ~triangle[:, None]
    rows = np.flatnonzero(doubled.any(axis=1))
    order[rows] = (doubled[rows].argmax(axis=1)[:, None] + [2, 3, 0, 0]) % 4
    return order


def normals_of(points: Floats) -> tuple[Floats, Floats]:
    """Return the normals (n, 3) and areas (n,) of faces, (n, 4, 3) points."""
    # In these axes, which are left-handed, the product points to the side from which a face is clockwise.
    across = np.cross(points[:, 2] - points[:, 0], points[:, 3] - points[:, 1])
    half = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    across = np.where((points[:, 2] == points[:, 3]).all(axis=1)[:, None], half, across)
    length = np.linalg.norm(across, axis=1)
    return across / np.maximum(length, 1e-9)[:, None], length / 2


@dataclass(eq=False)
class WallParts:
    """Parts of wall faces at single sides of sectors, m of them."""

    face: Ints  #: (m,) int64, the face.
    sector: Ints  #: (m, 2) int64, z and x of the sector that the part belongs to.
    side: Ints  #: (m,) int64, see :class:`~...model.shape.SectorSide`; without diagonals.
    #: bottom, top: (m, 2) float64, the heights at the start and the end of the side.
    bottom: Floats
    top: Floats


def wall_parts(faces: LevelFaces) -> WallParts:
    """Return the parts of the vertical faces on borders of sectors."""
    parts: list[tuple[int, int, int, int, float, float, float, float]] = []
    for axis, side_up, side_down in (
        (2, SectorSide.POSITIVE_Z, SectorSide.NEGATIVE_Z),
        (0, SectorSide.POSITIVE_X, SectorSide.NEGATIVE_X),
    ):
        depth = faces.points[:, :, axis]
        plane = depth[:, 0]
        on_border = (np.abs(depth - plane[:, None]) < _EVEN).all(axis=1) & (
            np.abs(plane / SECTOR_SIZE - np.rint(plane / SECTOR_SIZE)) * SECTOR_SIZE < _EVEN
        )
        along = 2 - axis
        for face in np.flatnonzero(on_border & (faces.areas > 0)).tolist():
            line = round(float(plane[face]) / SECTOR_SIZE)
            is_up = faces.normals[face, axis] > 0
            side = int(side_up if is_up else side_down)
            owner = line - 1 if is_up else line
            points = faces.points[face, : 3 if faces.triangle[face] else 4]
            distance, height = points[:, along] / SECTOR_SIZE, points[:, 1]
            for cell in range(int(np.floor(distance.min() + _EVEN)), int(np.ceil(distance.max() - _EVEN))):
                low, high = _span(distance, height, cell), _span(distance, height, cell + 1)
                # Sides begin at the left for those who look at them.
                ends = (high, low) if side in {SectorSide.POSITIVE_Z, SectorSide.NEGATIVE_X} else (low, high)
                sector = (owner, cell) if axis == 2 else (cell, owner)
                parts.append((face, *sector, side, ends[0][0], ends[1][0], ends[0][1], ends[1][1]))
    rows = np.array(parts, np.float64).reshape(-1, 8)
    return WallParts(
        rows[:, 0].astype(np.int64), rows[:, 1:3].astype(np.int64), rows[:, 3].astype(np.int64),
        rows[:, 4:6], rows[:, 6:8],
    )  # fmt: skip


def _span(distance: Floats, height: Floats, position: float) -> tuple[float, float]:
    """Return the lowest and the highest point of a convex outline at a place along it."""
    position = min(max(position, float(distance.min())), float(distance.max()))
    next_distance, next_height = np.roll(distance, -1), np.roll(height, -1)
    inside = (np.minimum(distance, next_distance) <= position + _EVEN) & (
        np.maximum(distance, next_distance) >= position - _EVEN
    )
    heights: list[float] = []
    for start, end, start_height, end_height in zip(
        distance[inside], next_distance[inside], height[inside], next_height[inside], strict=True
    ):
        if abs(end - start) < _EVEN:
            heights += (float(start_height), float(end_height))
        else:
            heights.append(
                float(start_height + (end_height - start_height) * (position - start) / (end - start))
            )
    return min(heights), max(heights)
