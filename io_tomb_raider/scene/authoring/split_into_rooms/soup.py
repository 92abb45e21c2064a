"""The faces of many meshes in one space, and cuts by planes, as arrays without Blender."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh, join
from ...subjects.meshes.arrays import COLOR

_ON = 0.05  # units: tolerance of vertices in a plane
_TINY = 1e-6  # units²: faces below have no area
CAP = -1  # the material of the caps of cuts

# A soup of faces is a PolyMesh in units, y down, of flat, convex triangles and quads. Its corners have UV
# maps and a linear COLOR, its faces the number of a material, or CAP.
NO_FACES = PolyMesh(np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(0, np.int64))


def some_faces(soup: PolyMesh, faces: NDArray[np.bool_] | NDArray[np.int64]) -> PolyMesh:
    """Return some of the faces, with their vertices."""
    return soup.take_faces(faces).without_loose()


def with_caps(soup: PolyMesh, corners: NDArray[np.float64]) -> PolyMesh:
    """Return the faces with caps, (n, 4, 3), appended."""
    count = len(corners)
    caps = PolyMesh(
        corners.reshape(-1, 3),
        np.arange(4 * count),
        np.full(count, 4),
        corner={COLOR: np.ones((4 * count, 4))},
        face={MATERIAL_INDEX: np.full(count, CAP)},
    )
    return join([soup, caps])


# --- Cuts ----------------------------------------


def cut(soup: PolyMesh, axis: int, position: float) -> tuple[PolyMesh, PolyMesh]:
    """Cut faces by a plane across an axis.

    Faces in the plane belong to the side that they face.

    Returns:
        The faces at smaller and at greater coordinates.
    """
    distances = soup.positions[:, axis] - position
    distances[np.abs(distances) <= _ON] = 0
    side = np.sign(distances)[soup.corners].astype(np.int64)
    lowest, highest = np.minimum.reduceat(side, soup.starts), np.maximum.reduceat(side, soup.starts)
    flat = (lowest == 0) & (highest == 0)
    faces_up = soup.normals_by_area[:, axis] > 0
    below = ((highest <= 0) & ~flat) | (flat & ~faces_up)
    above = ((lowest >= 0) & ~flat) | (flat & faces_up)
    crossed = some_faces(soup, ~below & ~above)
    parts = []
    for kept, sign in ((below, -1), (above, 1)):
        uncut = some_faces(soup, kept)
        parts.append(
            uncut if not len(crossed.sizes) else _welded(uncut, _clipped(crossed, axis, position, sign))
        )
    return parts[0], parts[1]


def _clipped(soup: PolyMesh, axis: int, position: float, sign: int) -> PolyMesh:
    """Return the parts on one side of a plane of faces that all cross it."""
    distances = (soup.positions[:, axis] - position) * sign
    distances[np.abs(distances) <= _ON] = 0
    rows = soup.rows
    count = len(rows)
    next_corners = np.roll(rows, -1, axis=1)
    triangle = rows[:, 3] < 0
    next_corners[triangle, 2] = rows[triangle, 0]
    exists = rows >= 0
    start, end = distances[soup.corners[rows]], distances[soup.corners[next_corners]]
    # Emit each corner on this side, and after it the intersection of its edge with the plane.
    is_kept = exists & (start >= 0)
    crosses = exists & (start * end < 0)
    emits = np.stack([is_kept, crosses], axis=2).reshape(count, 8)
    first = np.repeat(rows, 2, axis=1)
    second = np.stack([rows, next_corners], axis=2).reshape(count, 8)
    share = np.where(crosses, start / np.where(crosses, start - end, 1), 0)
    share = np.stack([np.zeros_like(share), share], axis=2).reshape(count, 8)
    sizes = emits.sum(axis=1)
    first, second, share = first[emits], second[emits], share[emits]
    points, corners = _meeting(soup, first, second, share, axis, position)

    def mixed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        weight = share[:, None]
        return np.asarray(values[first] * (1 - weight) + values[second] * weight)

    mixtures = {name: mixed(values) for name, values in soup.corner.items()}
    polygons = PolyMesh(points, corners, sizes, corner=mixtures, face=soup.face)
    return _without_pentagons(polygons)


def _meeting(
    soup: PolyMesh,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    share: NDArray[np.float64],
    axis: int,
    position: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the vertices at emitted corners and intersections, and the vertex of every corner."""
    corners_before, corners_after = soup.corners[first], soup.corners[second]
    is_new = share > 0
    # Interpolate in the same direction for both faces of an edge, so that the points are equal.
    low, high = np.minimum(corners_before, corners_after), np.maximum(corners_before, corners_after)
    keys = np.where(is_new, (low + 1) * (len(soup.positions) + 1) + high, corners_before)
    _, row, corners = np.unique(keys, return_index=True, return_inverse=True)
    low, high, is_new = low[row], high[row], is_new[row]
    ends = soup.positions[low, axis], soup.positions[high, axis]
    weight = ((position - ends[0]) / np.where(is_new, ends[1] - ends[0], 1))[:, None]
    points = np.where(
        is_new[:, None],
        soup.positions[low] * (1 - weight) + soup.positions[high] * weight,
        soup.positions[corners_before[row]],
    )
    points[is_new, axis] = position
    return points, corners.ravel()


def _without_pentagons(soup: PolyMesh) -> PolyMesh:
    """Return faces of up to five corners as triangles and quads; faces without area are dropped."""
    rows, faces, sizes = [], [], []
    for size, picked in ((3, (0, 1, 2)), (4, (0, 1, 2, 3)), (5, (0, 1, 2, 3)), (5, (0, 3, 4))):
        indices = np.flatnonzero(soup.sizes == size)
        rows.append((soup.starts[indices, None] + np.array(picked)).ravel())
        faces.append(indices)
        sizes.append(np.full(len(indices), len(picked)))
    result = soup.take(corners=np.concatenate(rows), faces=np.concatenate(faces))
    result = replace(result, sizes=np.concatenate(sizes))
    return some_faces(result, np.abs(result.normals_by_area).max(axis=1, initial=0) > _TINY)


def _welded(first: PolyMesh, second: PolyMesh) -> PolyMesh:
    """Return the faces of both meshes, with equal vertices merged."""
    joined = join([first, second])
    _, representatives, group = np.unique(joined.positions, axis=0, return_index=True, return_inverse=True)
    return joined.merge(representatives, group.ravel())


def cut_length(soup: PolyMesh, axis: int, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the length of the cut by each plane, (n,).

    It is the length of the intersection with faces, and of edges in the plane between faces on both sides:
    for a door in a wall, the door's outline, whichever way the wall is modeled.
    """
    corners, rows = soup.positions[soup.corners], soup.rows
    next_corners = np.roll(rows, -1, axis=1)
    triangle = rows[:, 3] < 0
    next_corners[triangle, 2] = rows[triangle, 0]
    exists = rows >= 0
    ends, others = corners[rows], corners[next_corners]
    lengths = np.where(exists, np.linalg.norm(others - ends, axis=2), 0)
    low, high = soup.span(axis)
    result = np.zeros(len(positions))
    for index, position in enumerate(positions.tolist()):  # a few dozen planes
        near = np.flatnonzero((low <= position + _ON) & (high >= position - _ON) & (high - low > _ON))
        start, end = (each[near][..., axis] - position for each in (ends, others))
        on_plane = (np.abs(start) <= _ON) & (np.abs(end) <= _ON)
        edges = np.where(on_plane, lengths[near], 0).sum(axis=1)
        below = high[near] <= position + _ON
        result[index] = min(edges[below].sum(), edges[~below].sum())
        meets = exists[near] & ((start < -_ON) != (end < -_ON)) & ~on_plane
        meets &= (low[near] < position - _ON)[:, None] & (high[near] > position + _ON)[:, None]
        share = (start / np.where(meets, start - end, 1))[..., None]
        points = np.where(meets[..., None], ends[near] * (1 - share) + others[near] * share, np.nan)
        crossed = points[meets.any(axis=1)]
        if len(crossed):
            line = np.nanmax(crossed, axis=1) - np.nanmin(crossed, axis=1)
            result[index] += np.linalg.norm(line, axis=1).sum()
    return result
