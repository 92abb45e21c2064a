"""The faces of many meshes in one space, and how planes cut them: arrays, without Blender."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

_ON = 0.05  # units: what is so near to a plane lies in it
_TINY = 1e-6  # units²: faces without area
CAP = -1  # the material of what closes a cut until rooms are made


@dataclass(frozen=True, eq=False)
class Soup:
    """Faces of three or four corners, convex and flat.

    Attributes:
        points: (v, 3) float64, vertices in units, y down.
        corners: (k,) int64, the vertex of every corner, face after face.
        sizes: (f,) int64, corners per face.
        material: (f,) int64, a number each, or :data:`CAP`.
        uvs: by the names of UV maps, (k, 2) float64.
        colors: (k, 4) float64, linear.
    """

    points: NDArray[np.float64]
    corners: NDArray[np.int64]
    sizes: NDArray[np.int64]
    material: NDArray[np.int64]
    uvs: dict[str, NDArray[np.float64]]
    colors: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first corner of every face, (f,)."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @property
    def padded(self) -> NDArray[np.int64]:
        """The places of all corners by face, (f, 4), -1 for the fourth of triangles."""
        places = self.starts[:, None] + np.arange(4)
        return np.where(np.arange(4) < self.sizes[:, None], places, -1)

    @property
    def normals(self) -> NDArray[np.float64]:
        """Twice the area of every face, along where it looks, (f, 3)."""
        at, rows = self.points[self.corners], self.padded
        first, second, third = (at[rows[:, corner]] for corner in range(3))
        fourth = np.where((rows[:, 3] < 0)[:, None], first, at[rows[:, 3]])
        # Of the diagonals; in a triangle the fourth corner is the first.
        return np.asarray(np.cross(third - first, fourth - second))

    def span(self, axis: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and the greatest coordinate of every face along an axis, (f,) each."""
        at = self.points[self.corners, axis]
        return np.minimum.reduceat(at, self.starts), np.maximum.reduceat(at, self.starts)

    def take(self, faces: NDArray[np.bool_] | NDArray[np.int64]) -> Soup:
        """Return some of the faces, with the vertices that they have."""
        rows = self.padded[faces]
        own = rows[rows >= 0]
        used, corners = np.unique(self.corners[own], return_inverse=True)
        return Soup(
            self.points[used],
            corners.ravel(),
            self.sizes[faces],
            self.material[faces],
            {name: values[own] for name, values in self.uvs.items()},
            self.colors[own],
        )

    def with_quads(self, corners: NDArray[np.float64]) -> Soup:
        """Return it with caps, (n, 4, 3), behind its faces."""
        count = len(corners)
        new = np.arange(4 * count) + len(self.points)
        filled = {name: np.concatenate([each, np.zeros((4 * count, 2))]) for name, each in self.uvs.items()}
        return Soup(
            np.concatenate([self.points, corners.reshape(-1, 3)]),
            np.concatenate([self.corners, new]),
            np.concatenate([self.sizes, np.full(count, 4)]),
            np.concatenate([self.material, np.full(count, CAP)]),
            filled,
            np.concatenate([self.colors, np.ones((4 * count, 4))]),
        )


def join(parts: Sequence[Soup]) -> Soup:
    """Return the faces of several, whose vertices stay apart. UV maps that one lacks are zeros there."""
    offsets = np.cumsum([0, *(len(part.points) for part in parts)])
    names = list(dict.fromkeys(name for part in parts for name in part.uvs))
    return Soup(
        np.concatenate([np.zeros((0, 3)), *(part.points for part in parts)]),
        _whole([part.corners + offset for part, offset in zip(parts, offsets, strict=False)]),
        _whole([part.sizes for part in parts]),
        _whole([part.material for part in parts]),
        {
            name: np.concatenate([part.uvs.get(name, np.zeros((len(part.corners), 2))) for part in parts])
            for name in names
        },
        np.concatenate([np.zeros((0, 4)), *(part.colors for part in parts)]),
    )


def _whole(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(0, np.int64), *parts])


# --- Cutting ----------------------------------------


def cut(soup: Soup, axis: int, place: float) -> tuple[Soup, Soup]:
    """Cut faces by a plane across an axis.

    Faces that lie in the plane go to the side to which they look.

    Returns:
        What is on the side of smaller coordinates, and what is on that of greater ones.
    """
    away = soup.points[:, axis] - place
    away[np.abs(away) <= _ON] = 0
    side = np.sign(away)[soup.corners].astype(np.int64)
    least, most = np.minimum.reduceat(side, soup.starts), np.maximum.reduceat(side, soup.starts)
    flat = (least == 0) & (most == 0)
    looks = soup.normals[:, axis] > 0
    below = ((most <= 0) & ~flat) | (flat & ~looks)
    above = ((least >= 0) & ~flat) | (flat & looks)
    crossed = soup.take(~below & ~above)
    parts = []
    for kept, sign in ((below, -1), (above, 1)):
        own = soup.take(kept)
        parts.append(own if not len(crossed) else _welded(own, _clipped(crossed, axis, place, sign)))
    return parts[0], parts[1]


def _clipped(soup: Soup, axis: int, place: float, sign: int) -> Soup:
    """Return what of faces, all of which a plane crosses, is on one side of it."""
    away = (soup.points[:, axis] - place) * sign
    away[np.abs(away) <= _ON] = 0
    rows = soup.padded
    count = len(rows)
    after = np.roll(rows, -1, axis=1)
    triangle = rows[:, 3] < 0
    after[triangle, 2] = rows[triangle, 0]
    exists = rows >= 0
    here, there = away[soup.corners[rows]], away[soup.corners[after]]
    # Of every corner: itself, where it is on this side, and behind it the point where its edge crosses.
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

    polygons = Soup(
        points,
        corners,
        sizes,
        soup.material,
        {name: mixed(values) for name, values in soup.uvs.items()},
        mixed(soup.colors),
    )
    return _without_pentagons(polygons)


def _meeting(
    soup: Soup,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    share: NDArray[np.float64],
    axis: int,
    place: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return vertices, one for every corner that stays and every edge that crosses, and the corners' own."""
    one, other = soup.corners[first], soup.corners[second]
    is_new = share > 0
    # From the same end for both faces of an edge, so that they get the very same point.
    low, high = np.minimum(one, other), np.maximum(one, other)
    keys = np.where(is_new, (low + 1) * (len(soup.points) + 1) + high, one)
    _, row, corners = np.unique(keys, return_index=True, return_inverse=True)
    low, high, is_new = low[row], high[row], is_new[row]
    ends = soup.points[low, axis], soup.points[high, axis]
    weight = ((place - ends[0]) / np.where(is_new, ends[1] - ends[0], 1))[:, None]
    points = np.where(
        is_new[:, None], soup.points[low] * (1 - weight) + soup.points[high] * weight, soup.points[one[row]]
    )
    points[is_new, axis] = place
    return points, corners.ravel()


def _without_pentagons(soup: Soup) -> Soup:
    """Return faces of up to five corners as such of up to four; what has no area is left out."""
    starts = soup.starts
    pieces = []
    for faces, picked in (
        (soup.sizes == 3, (0, 1, 2)),
        (soup.sizes == 4, (0, 1, 2, 3)),
        (soup.sizes == 5, (0, 1, 2, 3)),
        (soup.sizes == 5, (0, 3, 4)),
    ):
        rows = starts[faces][:, None] + np.array(picked)
        pieces.append((rows, soup.material[faces]))
    flat = np.concatenate([rows.ravel() for rows, _ in pieces])
    found = Soup(
        soup.points,
        soup.corners[flat],
        np.concatenate([np.full(len(rows), rows.shape[1]) for rows, _ in pieces]),
        np.concatenate([material for _, material in pieces]),
        {name: values[flat] for name, values in soup.uvs.items()},
        soup.colors[flat],
    )
    return found.take(np.abs(found.normals).max(axis=1, initial=0) > _TINY)


def _welded(one: Soup, other: Soup) -> Soup:
    """Return the faces of both, in which vertices at the very same place are one."""
    both = join([one, other])
    points, corners = np.unique(both.points, axis=0, return_inverse=True)
    return replace(both, points=points, corners=corners.ravel()[both.corners])


def cut_length(soup: Soup, axis: int, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how long the lines are along which planes would part faces, (n,), one plane after the other.

    These are the lines through faces, and the edges in the plane of faces on both sides: around a door in a
    wall, those of the door, whichever way the wall is drawn.
    """
    at, rows = soup.points[soup.corners], soup.padded
    after = np.roll(rows, -1, axis=1)
    triangle = rows[:, 3] < 0
    after[triangle, 2] = rows[triangle, 0]
    exists = rows >= 0
    ends, others = at[rows], at[after]
    lengths = np.where(exists, np.linalg.norm(others - ends, axis=2), 0)
    low, high = soup.span(axis)
    found = np.zeros(len(places))
    for number, place in enumerate(places.tolist()):  # a few dozen planes
        near = np.flatnonzero((low <= place + _ON) & (high >= place - _ON) & (high - low > _ON))
        here, there = (each[near][..., axis] - place for each in (ends, others))
        lies = (np.abs(here) <= _ON) & (np.abs(there) <= _ON)
        edges = np.where(lies, lengths[near], 0).sum(axis=1)
        below = high[near] <= place + _ON
        found[number] = min(edges[below].sum(), edges[~below].sum())
        meets = exists[near] & ((here < -_ON) != (there < -_ON)) & ~lies
        meets &= (low[near] < place - _ON)[:, None] & (high[near] > place + _ON)[:, None]
        share = (here / np.where(meets, here - there, 1))[..., None]
        points = np.where(meets[..., None], ends[near] * (1 - share) + others[near] * share, np.nan)
        crossed = points[meets.any(axis=1)]
        if len(crossed):
            line = np.nanmax(crossed, axis=1) - np.nanmin(crossed, axis=1)
            found[number] += np.linalg.norm(line, axis=1).sum()
    return found
