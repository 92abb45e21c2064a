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


def cut(soup: PolyMesh, axis: int, place: float) -> tuple[PolyMesh, PolyMesh]:
    """Cut faces by a plane across an axis.

    Faces in the plane belong to the side that they face.

    Returns:
        The faces at smaller and at greater coordinates.
    """
    away = soup.positions[:, axis] - place
    away[np.abs(away) <= _ON] = 0
    side = np.sign(away)[soup.corners].astype(np.int64)
    least, most = np.minimum.reduceat(side, soup.starts), np.maximum.reduceat(side, soup.starts)
    flat = (least == 0) & (most == 0)
    looks = soup.normals_by_area[:, axis] > 0
    below = ((most <= 0) & ~flat) | (flat & ~looks)
    above = ((least >= 0) & ~flat) | (flat & looks)
    crossed = some_faces(soup, ~below & ~above)
    parts = []
    for kept, sign in ((below, -1), (above, 1)):
        own = some_faces(soup, kept)
        parts.append(own if not len(crossed.sizes) else _welded(own, _clipped(crossed, axis, place, sign)))
    return parts[0], parts[1]


def _clipped(soup: PolyMesh, axis: int, place: float, sign: int) -> PolyMesh:
    """Return the parts on one side of a plane of faces that all cross it."""
    away = (soup.positions[:, axis] - place) * sign
    away[np.abs(away) <= _ON] = 0
    rows = soup.rows
    count = len(rows)
    after = np.roll(rows, -1, axis=1)
    triangle = rows[:, 3] < 0
    after[triangle, 2] = rows[triangle, 0]
    exists = rows >= 0
    here, there = away[soup.corners[rows]], away[soup.corners[after]]
    # Emit each corner on this side, and after it the intersection of its edge with the plane.
    stays = exists & (here >= 0)
    crosses = exists & (here * there < 0)
    emits = np.stack([stays, crosses], axis=2).reshape(count, 8)
    first = np.repeat(rows, 2, axis=1)
    second = np.stack([rows, after], axis=2).reshape(count, 8)
    share = np.where(crosses, here / np.where(crosses, here - there, 1), 0)
    share = np.stack([np.zeros_like(share), share], axis=2).reshape(count, 8)
    sizes = emits.sum(axis=1)
    first, second, share = first[emits], second[emits], share[emits]
    points, corners = _meeting(soup, first, second, share, axis, place)

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
    place: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the vertices at emitted corners and intersections, and the vertex of every corner."""
    one, other = soup.corners[first], soup.corners[second]
    is_new = share > 0
    # Interpolate in the same direction for both faces of an edge, so that the points are equal.
    low, high = np.minimum(one, other), np.maximum(one, other)
    keys = np.where(is_new, (low + 1) * (len(soup.positions) + 1) + high, one)
    _, row, corners = np.unique(keys, return_index=True, return_inverse=True)
    low, high, is_new = low[row], high[row], is_new[row]
    ends = soup.positions[low, axis], soup.positions[high, axis]
    weight = ((place - ends[0]) / np.where(is_new, ends[1] - ends[0], 1))[:, None]
    points = np.where(
        is_new[:, None],
        soup.positions[low] * (1 - weight) + soup.positions[high] * weight,
        soup.positions[one[row]],
    )
    points[is_new, axis] = place
    return points, corners.ravel()


def _without_pentagons(soup: PolyMesh) -> PolyMesh:
    """Return faces of up to five corners as triangles and quads; faces without area are dropped."""
    rows, faces, sizes = [], [], []
    for size, picked in ((3, (0, 1, 2)), (4, (0, 1, 2, 3)), (5, (0, 1, 2, 3)), (5, (0, 3, 4))):
        which = np.flatnonzero(soup.sizes == size)
        rows.append((soup.starts[which, None] + np.array(picked)).ravel())
        faces.append(which)
        sizes.append(np.full(len(which), len(picked)))
    found = soup.take(corners=np.concatenate(rows), faces=np.concatenate(faces))
    found = replace(found, sizes=np.concatenate(sizes))
    return some_faces(found, np.abs(found.normals_by_area).max(axis=1, initial=0) > _TINY)


def _welded(one: PolyMesh, other: PolyMesh) -> PolyMesh:
    """Return the faces of both meshes, with equal vertices merged."""
    both = join([one, other])
    _, first, group = np.unique(both.positions, axis=0, return_index=True, return_inverse=True)
    return both.merge(first, group.ravel())


def cut_length(soup: PolyMesh, axis: int, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the length of the cut by each plane, (n,).

    It is the length of the intersection with faces, and of edges in the plane between faces on both sides:
    for a door in a wall, the door's outline, whichever way the wall is modeled.
    """
    at, rows = soup.positions[soup.corners], soup.rows
    after = np.roll(rows, -1, axis=1)
    triangle = rows[:, 3] < 0
    after[triangle, 2] = rows[triangle, 0]
    exists = rows >= 0
    ends, others = at[rows], at[after]
    lengths = np.where(exists, np.linalg.norm(others - ends, axis=2), 0)
    low, high = soup.span(axis)
    result = np.zeros(len(places))
    for number, place in enumerate(places.tolist()):  # a few dozen planes
        near = np.flatnonzero((low <= place + _ON) & (high >= place - _ON) & (high - low > _ON))
        here, there = (each[near][..., axis] - place for each in (ends, others))
        on_plane = (np.abs(here) <= _ON) & (np.abs(there) <= _ON)
        edges = np.where(on_plane, lengths[near], 0).sum(axis=1)
        below = high[near] <= place + _ON
        result[number] = min(edges[below].sum(), edges[~below].sum())
        meets = exists[near] & ((here < -_ON) != (there < -_ON)) & ~on_plane
        meets &= (low[near] < place - _ON)[:, None] & (high[near] > place + _ON)[:, None]
        share = (here / np.where(meets, here - there, 1))[..., None]
        points = np.where(meets[..., None], ends[near] * (1 - share) + others[near] * share, np.nan)
        crossed = points[meets.any(axis=1)]
        if len(crossed):
            line = np.nanmax(crossed, axis=1) - np.nanmin(crossed, axis=1)
            result[number] += np.linalg.norm(line, axis=1).sum()
    return result
