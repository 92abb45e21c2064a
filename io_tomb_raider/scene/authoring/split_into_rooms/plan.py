"""Choice of cuts through a scene: at narrow places and between storeys, until the limits are met."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.collision import MIDDLE, Spaces, find_spaces, storeys
from ...core.reporting.progress import Listener
from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh
from .soup import CAP, cut, cut_length, with_caps

_SIDES = (0, 2)  # the axes along which rooms have sectors
_SHARE = 0.2  # cut between storeys if this share of a piece's sectors has several
_EVEN = 0.5  # the weight of an uneven cut, relative to the mean cut length
_ON = 2.0  # units: tolerance of cuts between storeys


class RoomLimits(NamedTuple):
    """Size limits of a room."""

    sectors: int  #: along a side, without border walls.
    vertices: int  #: of its mesh.
    storeys: bool = True  #: whether to cut where Lara can stand at several heights in one sector.


class _Cut(NamedTuple):
    axis: int
    place: float


def find_pieces(soup: PolyMesh, limits: RoomLimits, listener: Listener | None = None) -> list[PolyMesh]:
    """Cut faces into pieces within limits, by planes along the axes.

    Planes along x and z are on the sector grid. A horizontal cut gets caps, faces with the material
    :data:`.soup.CAP`, over each open sector: as floors above it, and as ceilings below it.

    Args:
        limits: of a room. Vertices within one sector are not divided further.
    """
    done: list[PolyMesh] = []
    waiting = [soup]
    while waiting:
        piece = waiting.pop()
        sides = _divided(piece, limits)
        if sides is None:
            done.append(piece)
        else:
            waiting += [side for side in sides if len(side.sizes)]
        if listener is not None:
            listener(T("Cutting"), _faces(done) / max(_faces([*done, *waiting]), 1))
    return done


def _faces(pieces: Iterable[PolyMesh]) -> int:
    return sum(len(piece.sizes) for piece in pieces)


def _divided(piece: PolyMesh, limits: RoomLimits) -> tuple[PolyMesh, PolyMesh] | None:
    """Return the two parts of a piece that is too large, None for others."""
    counts = [len(_lines(piece, axis)) + 1 for axis in _SIDES]
    wide = [axis for axis, count in zip(_SIDES, counts, strict=True) if count > limits.sectors]
    if wide:
        best = _best(piece, [(axis, _fewest(_lines(piece, axis), limits.sectors)) for axis in wide])
        return None if best is None else cut(piece, *best)
    if limits.storeys:
        parts = _between_storeys(piece)
        if parts is not None:
            return parts
    if drawn_vertices(piece) > limits.vertices:
        best = _best(piece, [(axis, _lines(piece, axis)) for axis in _SIDES])
        return None if best is None else cut(piece, *best)
    return None


def drawn_vertices(piece: PolyMesh) -> int:
    """Return the number of vertices of a piece's faces, without caps."""
    is_drawn = np.repeat(piece.face[MATERIAL_INDEX] != CAP, piece.sizes)
    return len(np.unique(piece.corners[is_drawn]))


def _lines(piece: PolyMesh, axis: int) -> NDArray[np.float64]:
    """Return the grid lines that cross a piece, in units."""
    positions = piece.positions[:, axis] / SECTOR_SIZE
    slack = 1e-4  # sectors: tolerance for vertices near the grid
    first, last = np.floor(positions.min() + slack) + 1, np.ceil(positions.max() - slack)
    return np.asarray(np.arange(first, last) * SECTOR_SIZE)


def _fewest(lines: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return the grid lines that give the minimum number of pieces."""
    count = len(lines) + 1
    below = np.arange(1, count)
    pieces = -(-below // most) + -(-(count - below) // most)
    return lines[pieces == pieces.min()]


def _best(piece: PolyMesh, choices: list[tuple[int, NDArray[np.float64]]]) -> _Cut | None:
    """Return the shortest cut that leaves faces on both sides, preferring even ones."""
    cuts: list[tuple[_Cut, float, float]] = []
    for axis, positions in choices:
        low, high = piece.span(axis)
        middles = np.sort((low + high) / 2)
        shares = np.searchsorted(middles, positions) / len(piece.sizes)
        lengths = cut_length(piece, axis, positions)
        cuts += [
            (_Cut(axis, position), length, abs(2 * share - 1))
            for position, length, share in zip(
                positions.tolist(), lengths.tolist(), shares.tolist(), strict=True
            )
        ]
    if not cuts:
        return None
    usual = max(float(np.mean([length for _, length, _ in cuts])), 1.0)
    return min(cuts, key=lambda candidate: candidate[1] / usual + candidate[2] * _EVEN)[0]


# --- Storeys ----------------------------------------


class _Grid(NamedTuple):
    """The sectors below a piece: the corner of the first, x and z, and their numbers."""

    corner: NDArray[np.float64]
    size: tuple[int, int]


def _spaces(piece: PolyMesh) -> tuple[Spaces, _Grid]:
    flat = piece.positions[:, [0, 2]]
    corner = np.floor(flat.min(axis=0) / SECTOR_SIZE) * SECTOR_SIZE
    x, z = np.maximum(np.ceil((flat.max(axis=0) - corner) / SECTOR_SIZE), 1).astype(int).tolist()
    points = piece.positions - np.array([corner[0], 0, corner[1]])
    rows = piece.rows
    quads = rows[:, 3] >= 0
    triangles = np.concatenate([rows[:, :3], rows[quads][:, [0, 2, 3]]])
    return find_spaces(points, piece.corners[triangles], (x, z)), _Grid(corner, (x, z))


def _between_storeys(piece: PolyMesh) -> tuple[PolyMesh, PolyMesh] | None:
    """Return the parts of a piece above and below a floor, None if it has one storey."""
    spaces, grid = _spaces(piece)
    counts = spaces.tall[:, MIDDLE].sum(axis=1)
    if (counts > 1).sum() < max(_SHARE * (counts > 0).sum(), 1):
        return None
    heights = storeys(spaces)
    low, high = piece.span(1)
    heights = heights[(heights > low.min() + _ON) & (heights < high.max() - _ON)]
    best = _best(piece, [(1, heights)])
    if best is None:
        return None
    above, below = cut(piece, *best)
    if not all((side.face[MATERIAL_INDEX] != CAP).any() for side in (above, below)):
        return None
    caps = _caps(spaces, grid, best.place)
    facing_up = caps[:, ::-1] if spaces.inside_out else caps
    return with_caps(above, facing_up), with_caps(below, facing_up[:, ::-1])


def _caps(spaces: Spaces, grid: _Grid, height: float) -> NDArray[np.float64]:
    """Return upward faces, (n, 4, 3), over all sectors where a space extends across a height."""
    floor, ceiling = spaces.floor[:, MIDDLE], spaces.ceiling[:, MIDDLE]
    is_open = ((floor > height + _ON) & (ceiling < height - _ON)).any(axis=1)
    x, z = np.divmod(np.flatnonzero(is_open), grid.size[1])
    corner = np.stack([x, z], axis=1) * SECTOR_SIZE + grid.corner
    offsets = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * SECTOR_SIZE
    flat = corner[:, None] + offsets
    return np.stack([flat[..., 0], np.full(flat.shape[:2], height), flat[..., 1]], axis=2)
