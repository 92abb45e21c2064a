"""Textures of the faces of the old room editor's projects.

A sector of the old editor has 14 faces: its floor and ceiling, each with a second triangle, and five on each
of its edges at low x and at low z. The faces of an edge belong to the wall with such a part there: the wall
of the sector itself, or of its neighbor beyond the edge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Floats, Ints, Records
from ..geometry.faces import Faces
from ..geometry.geometry import room_faces
from ..geometry.openings import ProjectRooms
from ..geometry.repair import parts_beyond
from ..geometry.walls import old_wall_parts
from ..model.rooms import ProjectRoom
from ..model.shape import FACE, XNZN, XNZP, XPZN, XPZP, Face, RoomShape, SectorSide
from .prj import FACES, INVISIBLE, TEXTURED, PrjRoom

# Indices of a sector's faces in the file; of walls those of the edges at low x and at low z.
_SURFACES = {Face.FLOOR: 0, Face.CEILING: 1, Face.FLOOR_TRIANGLE_2: 8, Face.CEILING_TRIANGLE_2: 9}
_UPPER_FLOOR = np.array([2, 5])  # QA, or Floor 2 without QA
_LOWER_FLOOR = np.array([10, 12])
_UPPER_CEILING = np.array([3, 6])  # Ceiling 2, or WS without it
_LOWER_CEILING = np.array([11, 13])
_MIDDLE = np.array([4, 7])

_TILE_BITS = 3  # of the flags: bits 8 and 9 of the tile
_DOUBLE_SIDED, _ADDITIVE, _MIRRORED = 4, 8, 0x80
_ADDITIVE_BLEND = 2

_MIRROR = [1, 0, 3, 2]
_QUAD, _CEILING_QUAD = [3, 0, 1, 2], [2, 1, 0, 3]
_TRIANGLES = np.array([[0, 1, 3], [1, 2, 0], [2, 3, 1], [3, 0, 2]])

_SIDES = len(SectorSide)
_GROUPS = ((Face.QA, Face.FLOOR_2), (Face.MIDDLE,), (Face.WS, Face.CEILING_2))  # of one wall


def convert_faces(source: PrjRoom, rooms: ProjectRooms, room: ProjectRoom, tiles: Records) -> Records:
    """Return the faces of a room that have a texture, or are invisible, (m,) :data:`~..model.shape.FACE`.

    `source`: the room of the file. `room`: the room that it was converted to, with its portals.
    """
    shape, existing = room.shape, room_faces(rooms, room)
    sector, index = _sources(rooms, room, existing)
    records = source.sectors["faces"].reshape(-1, FACES)[sector, index]
    tile = records["tile"].astype(np.int64) | (records["flags"].astype(np.int64) & _TILE_BITS) << 8
    kept = (sector >= 0) & ((records["type"] == INVISIBLE) | (records["type"] == TEXTURED))
    textured = kept & (records["type"] == TEXTURED)
    kept &= ~textured | (tile < len(tiles))
    records, tile, textured = records[kept], tile[kept], textured[kept]
    result = np.zeros(len(records), FACE)
    result["sector"], result["face"] = existing.sector[kept], existing.face[kept]
    result["texture"] = np.where(textured, 0, -1)
    result["double_sided"] = records["flags"] & _DOUBLE_SIDED != 0
    result["blend"] = np.where(records["flags"] & _ADDITIVE, _ADDITIVE_BLEND, 0)
    result["corners"][textured] = _corners(
        shape, result[textured], existing.count[kept][textured] == 3, records[textured], tiles[tile[textured]]
    )
    return result


def _corners(shape: RoomShape, faces: Records, triangles: Bools, records: Records, tiles: Records) -> Floats:
    """Return the texture's corners of faces."""
    corners = _tile_corners(records, tiles)
    quads = _quad_corners(corners, records["rotation"], faces["face"])
    floor, ceiling = (each.x_equals_z.reshape(-1)[faces["sector"]] for each in (shape.floor, shape.ceiling))
    x_equals_z = np.where(faces["face"] == Face.CEILING, ceiling, floor)
    thirds = _triangle_corners(corners, records, faces["face"], x_equals_z)
    return np.where(triangles[:, None, None], thirds, quads)


def _sources(rooms: ProjectRooms, room: ProjectRoom, existing: Faces) -> tuple[Ints, Ints]:
    """Return the sector and the index of the record of each face, -1 for none."""
    source, index = existing.sector.copy(), np.full(len(existing), -1)
    for face, record_index in _SURFACES.items():
        index[existing.face == face] = record_index
    walls = np.flatnonzero(existing.face < Face.FLOOR)
    sectors, faces = existing.sector[walls], existing.face[walls]
    # The second part of a wall shows the texture of the first where the old editor has only that.
    (parts,) = parts_beyond(rooms, [room])
    first_parts = {(sector, second): first for sector, first, second in parts.tolist()}
    keys = zip(sectors.tolist(), faces.tolist(), strict=True)
    named = np.array([first_parts.get(key, key[1]) for key in keys], np.int64)
    drawn, old = np.zeros((Face.FLOOR, room.shape.wall.size), np.bool_), old_wall_parts(rooms, room)
    drawn[faces, sectors] = True
    source[walls], index[walls] = _wall_sources(room.shape, drawn, old, sectors, named)
    source[index < 0] = -1
    return source, index


def _wall_sources(
    shape: RoomShape, drawn: Bools, old: Bools, sectors: Ints, faces: Ints
) -> tuple[Ints, Ints]:
    """Return the sectors and indices of records as :func:`_sources`, for faces of walls.

    `drawn`, `old`: (faces, sectors): which faces exist, and which exist in the old editor.
    """
    kind, side = faces - faces % _SIDES, faces % _SIDES

    def has(exists: Bools, kinds: Sequence[Face], side: Ints, sector: Ints) -> Bools:
        return np.any([exists[each + side, sector] for each in kinds], axis=0)

    along_x = (side == SectorSide.POSITIVE_Z) | (side == SectorSide.NEGATIVE_Z)
    edge = along_x.astype(np.int64)
    floor_alone = ~has(old, [Face.QA], side, sectors) & _split_is_upper(shape, sectors, side)
    ceiling_alone = ~has(old, [Face.CEILING_2], side, sectors)
    index = np.select(
        [kind == Face.QA, kind == Face.FLOOR_2, kind == Face.MIDDLE, kind == Face.CEILING_2],
        [
            _UPPER_FLOOR[edge],
            np.where(floor_alone, _UPPER_FLOOR[edge], _LOWER_FLOOR[edge]),
            _MIDDLE[edge],
            _UPPER_CEILING[edge],
        ],
        np.where(ceiling_alone, _UPPER_CEILING[edge], _LOWER_CEILING[edge]),  # WS
    )
    # Walls at high x and high z are on the edge of the next sector, where its own wall comes first: that of
    # the old editor, if either sector has one there. The border has walls only towards the room, and no
    # sector has a diagonal.
    beyond = (side == SectorSide.POSITIVE_Z) | (side == SectorSide.POSITIVE_X)
    source = np.where(beyond, sectors + np.where(along_x, shape.x_sectors, 1), sectors)
    own_side = np.where(along_x, int(SectorSide.NEGATIVE_Z), int(SectorSide.NEGATIVE_X))
    taken = np.any(
        [
            np.isin(kind, group)
            & (
                has(old, group, own_side, source)
                | (has(drawn, group, own_side, source) & ~has(old, group, side, sectors))
            )
            for group in _GROUPS
        ],
        axis=0,
    )
    source[beyond & taken] = -1
    return source, index


# The corners of a sector at its sides, by `Side`; the last, diagonal, has none.
_SIDE_CORNERS = np.array([[XPZP, XNZP], [XNZN, XPZN], [XNZP, XNZN], [XPZN, XPZP], [0, 0]])


def _split_is_upper(shape: RoomShape, sectors: Ints, side: Ints) -> Bools:
    """Return whether the floor is above the first split at a side of sectors."""
    corners = _SIDE_CORNERS[side]
    floor = shape.floor.heights.reshape(-1, 4)[sectors[:, None], corners]
    split = shape.floor.splits[..., 0, :].reshape(-1, 4)[sectors[:, None], corners]
    result: Bools = (floor >= split).all(axis=1) & (floor != split).any(axis=1)
    return result


def _tile_corners(records: Records, tiles: Records) -> Floats:
    """Return the corners of tiles, (n, 4, 2), from the upper left clockwise, mirrored where faces are."""
    x, y = tiles["x"].astype(np.float64), tiles["y"].astype(np.float64)
    right, bottom = x + tiles["width"] + 1, y + tiles["height"] + 1
    corners = np.stack([x, y, right, y, right, bottom, x, bottom], axis=-1).reshape(-1, 4, 2)
    mirrored = records["flags"] & _MIRRORED != 0
    corners[mirrored] = corners[mirrored][:, _MIRROR]
    return corners


def _turned(corners: Floats, turns: Ints) -> Floats:
    """Return corners (n, k, 2) that are rotated by a number of corners."""
    count = corners.shape[1]
    order = (np.arange(count) - turns[:, None]) % count
    return np.take_along_axis(corners, order[..., None], axis=1)


def _quad_corners(corners: Floats, rotation: NDArray[np.uint8], faces: Ints) -> Floats:
    turned = _turned(corners, rotation.astype(np.int64) + np.where(faces == Face.FLOOR, 2, 0))
    is_ceiling = (faces == Face.CEILING)[:, None, None]
    return np.where(is_ceiling, turned[:, _CEILING_QUAD], turned[:, _QUAD])


def _triangle_corners(corners: Floats, records: Records, faces: Ints, x_equals_z: Bools) -> Floats:
    order = _TRIANGLES[records["triangle"] % len(_TRIANGLES)]
    corners = np.take_along_axis(corners, order[..., None], axis=1)
    turns = records["rotation"].astype(np.int64)
    turns = turns + np.where(faces == Face.FLOOR, np.where(x_equals_z, 1, 2), 0)
    turns += np.where(faces == Face.CEILING, np.where(x_equals_z, 2, 1), 0)
    of_ceiling = (faces == Face.CEILING) | (faces == Face.CEILING_TRIANGLE_2)
    turns = np.where(of_ceiling, -turns, turns)
    corners = np.where(of_ceiling[:, None, None], corners[:, ::-1], corners)
    return _turned(corners, turns)[:, [0, 1, 2, 2]]
