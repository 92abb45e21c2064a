"""The spaces above each sector of a mesh, by vertical rays at its corners and its middle.

All rays are vertical and on a grid, so each triangle finds its rays instead of each ray its triangles: this
works with arrays, and finds all faces along a ray, not only the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...base.units import SECTOR_SIZE

RAYS = 5  # per sector: its corners, in the order of surfaces, and its middle
MIDDLE = 4
LEAST_HEIGHT = 762  # units that Lara needs to stand
_INSET = 12, 20  # units along x and z: the distance from edges and diagonals, where triangles meet
_STEEPEST = 32  # slope: steeper triangles are walls
_SAME = 2  # units: closer faces count as one
_MOST_PAIRS = 1 << 18  # triangles times sectors per chunk, which limits the memory
_MOST_SPACES = 16  # per ray
_POINTS = np.array([(0, 0), (0, 1), (1, 0), (1, 1), (0.5, 0.5)]) * SECTOR_SIZE
_RAY_POINTS = _POINTS + np.array([(1, 1), (1, -1), (-1, 1), (-1, -1), (0.5, -0.3)]) * _INSET


@dataclass(eq=False)
class Spaces:
    """The spaces above the sectors of a mesh, from below."""

    #: (n, 5, k) float64, heights in units, y down, at the corners of each sector and at its middle; NaN after
    #: the last space.
    floor: NDArray[np.float64]
    ceiling: NDArray[np.float64]  #: likewise; -inf without a ceiling.
    tall: NDArray[np.bool_]  #: (n, 5, k) bool, whether Lara can stand there.
    top: float  #: the height of the mesh's highest vertex.
    inside_out: bool  #: whether the faces look outward, and count as flipped.


def find_spaces(points: NDArray[np.float64], triangles: NDArray[np.integer], size: tuple[int, int]) -> Spaces:
    """Find the spaces above the sectors of a mesh.

    A space starts at an upward face and ends at the next face above, which may look up or down. Between two
    upward faces, such as a floor and a carpet, there is a space only if Lara can stand in it. There is none
    above a face that touches the ceiling below, if it has no ceiling itself.

    Args:
        points: (v, 3) the vertices in units from the room's corner, y down.
        triangles: (t, 3) their vertices, counterclockwise from the front in Blender.
        size: of the room in sectors along x and z.
    """
    corners = points[triangles.reshape(-1, 3)]
    hits = [_hits(corners, size, *chunk) for chunk in _chunks(corners, size)]
    columns = [np.concatenate(each) for each in zip(*hits, strict=True)] if hits else [np.zeros(0)] * 4
    ray, ray_height, height, faces_up = columns[0].astype(np.int64), *columns[1:3], columns[3].astype(bool)
    inside_out = _is_inside_out(ray, ray_height, faces_up)
    if inside_out:
        faces_up = ~faces_up
    # From below; of two faces at one height, the downward face comes first and ends the space.
    order = np.lexsort((faces_up, -np.rint(ray_height / _SAME), ray))
    ray, ray_height, height, faces_up = ray[order], ray_height[order], height[order], faces_up[order]
    follows = np.append(ray[1:] == ray[:-1], np.zeros(min(len(ray), 1), bool))
    gap = np.where(follows, ray_height - np.roll(ray_height, -1), np.inf)
    above = np.where(follows, np.roll(height, -1), -np.inf)
    tall = gap >= LEAST_HEIGHT
    is_space = faces_up & (tall | (follows & ~np.roll(faces_up, -1) & (gap > _SAME)))
    # A floor at the height of the ceiling below, with nothing above, is the top of a pillar.
    level = np.cumsum(~np.append(False, follows[:-1] & (gap[:-1] <= _SAME))[: len(ray)]) - 1
    is_space &= follows | (np.bincount(level, weights=~faces_up)[level] == 0)
    ray = ray[is_space]
    number = np.arange(len(ray)) - np.searchsorted(ray, ray)
    is_kept = number < _MOST_SPACES
    count = size[0] * size[1]
    shape = (count * RAYS, int(number[is_kept].max(initial=0)) + 1)
    floor, ceiling, stands = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape, bool)
    for into, values in ((floor, height), (ceiling, above), (stands, tall)):
        into[ray[is_kept], number[is_kept]] = values[is_space][is_kept]
    top = float(points[:, 1].min()) if len(points) else 0.0
    by_ray = (count, RAYS, shape[1])
    return Spaces(floor.reshape(by_ray), ceiling.reshape(by_ray), stands.reshape(by_ray), top, inside_out)


def _chunks(
    corners: NDArray[np.float64], size: tuple[int, int]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield triangles, (k,), with the sectors below their bounds, (k, 2), in chunks of limited size."""
    flat = corners[:, :, [0, 2]] / SECTOR_SIZE
    first = np.floor(flat.min(axis=1)).clip(0, size).astype(np.int64)
    last = np.floor(flat.max(axis=1)).clip(-1, np.array(size) - 1).astype(np.int64)
    spans = np.maximum(last - first + 1, 0)
    counts = spans.prod(axis=1)
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + _MOST_PAIRS, side="right")), start + 1)
        triangle = np.repeat(np.arange(start, stop), counts[start:stop])
        within = np.arange(len(triangle)) + before - (ends - counts)[triangle]
        x, z = np.divmod(within, np.maximum(spans[triangle, 1], 1))
        yield triangle, first[triangle] + np.stack([x, z], axis=1)
        start = stop


def _hits(
    corners: NDArray[np.float64], size: tuple[int, int], triangle: NDArray[np.int64], cell: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the hits of rays: the ray, the height, that at the exact corner, and whether the face looks up.

    The third is the height of the triangle's plane at the corner next to which the ray is.
    """
    a, b, c = (corners[triangle, corner] for corner in range(3))
    flat = np.stack([vertices[:, [0, 2]] for vertices in (a, b, c)], axis=1)
    across, along = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    area = across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0]
    rise = np.stack([b[:, 1] - a[:, 1], c[:, 1] - a[:, 1]], axis=1)
    safe = np.where(area == 0, 1, area)
    slope_x = (rise[:, 0] * along[:, 1] - rise[:, 1] * across[:, 1]) / safe
    slope_z = (rise[:, 1] * across[:, 0] - rise[:, 0] * along[:, 0]) / safe
    is_floor = (area != 0) & (np.hypot(slope_x, slope_z) <= _STEEPEST)
    ray_point = cell[:, None] * SECTOR_SIZE + _RAY_POINTS
    inside = np.repeat(is_floor[:, None], RAYS, axis=1)
    for corner in range(3):
        start, end = flat[:, corner, None], flat[:, (corner + 1) % 3, None]
        edge, offset = end - start, ray_point - start
        side = edge[..., 0] * offset[..., 1] - edge[..., 1] * offset[..., 0]
        inside &= side * np.sign(area)[:, None] >= 0
    pair, ray = np.nonzero(inside)
    levels = corners[triangle[pair], :, 1]
    heights = []
    for points in (_RAY_POINTS, _POINTS):
        offset = cell[pair] * SECTOR_SIZE + points[ray] - flat[pair, 0]
        height = a[pair, 1] + slope_x[pair] * offset[:, 0] + slope_z[pair] * offset[:, 1]
        heights.append(height.clip(levels.min(axis=1), levels.max(axis=1)))
    sector = cell[pair, 0] * size[1] + cell[pair, 1]
    return sector * RAYS + ray, heights[0], heights[1], area[pair] > 0


def _is_inside_out(ray: NDArray[np.int64], height: NDArray[np.float64], faces_up: NDArray[np.bool_]) -> bool:
    """Return whether most rays hit, from below, first a downward face and last an upward one."""
    order = np.lexsort((-height, ray))
    ray, faces_up = ray[order], faces_up[order]
    ends = np.flatnonzero(np.diff(ray, append=-1))
    starts = np.append(0, ends[:-1] + 1)
    pairs = ends > starts
    first, last = faces_up[starts[pairs]], faces_up[ends[pairs]]
    return bool((~first & last).sum() > (first & ~last).sum())
