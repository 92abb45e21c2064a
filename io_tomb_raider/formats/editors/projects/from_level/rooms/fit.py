"""Texture of a level's faces on the faces that an editor builds from sectors.

An editor's face has the texture of the level's face that it is a part of; its corners are interpolated there.
A face of the level has to be covered as a whole by parts, otherwise none of them gets its texture.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from .....base.arrays.typing import Bools, Floats, Ints
from .....base.units import SECTOR_SIZE
from ...compile.textures.areas import top_corner
from ...model.shape import Face, SectorSide
from .faces import LevelFaces, normals_of, wall_parts

_PLANE = 1.5  # units that a corner may be away from the plane of the face: heights in clicks are rounded
_INSIDE = 2e-3  # share of the face that a corner may be outside
_FACING = 0.99  # cosine of the angle between normals
_COVERED = 2e-3  # share of a face that may stay without a part
_STEEPEST = 1e-3  # y of the normal of a wall
_SEEN = 1 / 8  # of light
_UNEVEN = 0.5  # pixels by which a texture is no parallelogram
_UP, _DOWN = 5, 6  # kinds of faces next to the sides of walls

Key = tuple[int, int, int]  # the kind, z and x


class Fitted(NamedTuple):
    """Faces of an editor with a texture."""

    part: Ints  #: (m,) int64, the editor's face.
    whole: Ints  #: (m,) int64, the level's face.
    corners: Floats  #: (m, 4, 2) float64, the texture's corners in the unit of the given ones.
    double_sided: Bools  #: (m,) bool, because of a second face of the level on the other side.
    taken: Bools  #: (n,) bool, the faces of the level that are shown, with those other sides.

    def only(self, taken: Bools) -> Fitted:
        """Return those that show some of the level's faces."""
        kept = taken[self.whole]
        return Fitted(self.part[kept], self.whole[kept], self.corners[kept], self.double_sided[kept], taken)


def fit(
    faces: LevelFaces,
    texture: Floats,
    points: Floats,
    sectors: Ints,
    numbers: Ints,
    textured: Bools,
    light: Floats,
) -> Fitted:
    """Find the texture of an editor's faces.

    Args:
        faces: the n faces of a level's room.
        texture: (n, 4, 2) the corners of their textures.
        points: (p, 4, 3) float64, the corners of the editor's faces in the room, y upwards; triangles repeat
            the third.
        sectors: (p, 2) int64, z and x of their sectors.
        numbers: (p,) int64, see :class:`~...model.shape.Face`.
        textured: (n,) bool, the faces of the level to use.
        light: (n, 4, 3) that of the corners, 1 for normal.
    """
    part, whole = _pairs(faces, sectors, numbers, textured)
    normals, areas = normals_of(points)
    kinds = _kinds(numbers)
    normals = np.where((kinds == _DOWN)[:, None] & (normals[:, 1:2] > 0), -normals, normals)
    facing = (normals[part] * faces.normals[whole]).sum(axis=1) > _FACING
    part, whole = part[facing], whole[facing]
    weights, corner, ok = _within(
        faces.points[whole], faces.triangle[whole], points[part], faces.normals[whole]
    )
    part, whole, weights, corner = part[ok], whole[ok], weights[ok], corner[ok]
    cut = _cut_alike(faces, texture, light, points, whole, part, corner, weights, kinds == _DOWN)
    part, whole, weights, corner = part[cut], whole[cut], weights[cut], corner[cut]
    # A part that fits into several faces, which then overlap, takes the first.
    _, first = np.unique(part, return_index=True)
    part, whole, weights, corner = part[first], whole[first], weights[first], corner[first]
    covered = np.bincount(whole, areas[part], len(faces))
    complete = np.abs(covered - faces.areas) <= _COVERED * np.maximum(faces.areas, 1)
    kept = complete[whole]
    part, whole, weights, corner = part[kept], whole[kept], weights[kept], corner[kept]
    of_corner = texture[whole[:, None, None], corner]
    corners = (of_corner * weights[..., None]).sum(axis=2)
    taken = np.zeros(len(faces), np.bool_)
    taken[whole] = True
    behind = _other_sides(faces, taken)
    taken[behind[behind >= 0]] = True
    return Fitted(part, whole, corners, behind[whole] >= 0, taken)


def _cut_alike(
    faces: LevelFaces,
    texture: Floats,
    light: Floats,
    points: Floats,
    whole: Ints,
    part: Ints,
    corner: Ints,
    weights: Floats,
    reverse: Bools,
) -> Bools:
    """Return which parts, (m,), show their face as it is cut into triangles, between corners 0 and 2.

    It matters for quads whose place or texture is no parallelogram, and whose light is uneven.
    """
    uneven = np.zeros(len(faces), np.bool_)
    for values, limit in ((faces.points, _PLANE), (texture, _UNEVEN), (light, _SEEN)):
        deviation = np.abs(values[:, 0] + values[:, 2] - values[:, 1] - values[:, 3]).max(axis=1)
        uneven |= ~faces.triangle & (deviation > limit)
    result = np.ones(len(part), np.bool_)
    for row in np.flatnonzero(uneven[whole]).tolist():
        used_corners = np.where(weights[row] > _INSIDE, corner[row], -1)
        used = [set(values[values >= 0].tolist()) for values in used_corners]
        all_corners = set().union(*used)
        if not {1, 3} <= all_corners:
            continue  # within one of the triangles
        is_quad = (points[part[row], 2] != points[part[row], 3]).any()
        single_corners = [min(values) for values in used if len(values) == 1]
        if not is_quad or len(single_corners) != 4:
            result[row] = False
            continue
        order = [3, 2, 1, 0] if reverse[part[row]] else [0, 1, 2, 3]
        start = order[top_corner(texture[whole[row], [single_corners[index] for index in order]])]
        result[row] = single_corners[start] in (0, 2)
    return result


def _kinds(numbers: Ints) -> Ints:
    """Return the side of wall faces, or up or down."""
    # Bases of walls are multiples of 5, but for those after the ceilings.
    kinds = np.where(numbers < Face.FLOOR, numbers % 5, (numbers - Face.FLOOR_3) % 5)
    kinds = np.where((numbers == Face.FLOOR) | (numbers == Face.FLOOR_TRIANGLE_2), _UP, kinds)
    return np.where((numbers == Face.CEILING) | (numbers == Face.CEILING_TRIANGLE_2), _DOWN, kinds)


def _pairs(faces: LevelFaces, sectors: Ints, numbers: Ints, textured: Bools) -> tuple[Ints, Ints]:
    """Return pairs of an editor's face and a level's face at the same side of a sector, in order."""
    by_side: defaultdict[Key, list[int]] = defaultdict(list)
    walls = wall_parts(faces)
    rows = zip(walls.side.tolist(), walls.sector.tolist(), walls.face.tolist(), strict=True)
    for side, (z, x), face in rows:
        if textured[face]:
            by_side[side, z, x].append(face)
    is_steep = np.abs(faces.normals[:, 1]) < _STEEPEST
    on_border = np.zeros(len(faces), np.bool_)
    on_border[walls.face] = True
    first = np.floor(faces.points.min(axis=1) / SECTOR_SIZE + _INSIDE).astype(np.int64)
    last = np.ceil(faces.points.max(axis=1) / SECTOR_SIZE - _INSIDE).astype(np.int64)
    for face in np.flatnonzero(textured & ~on_border & (faces.areas > 0)).tolist():
        kind = int(SectorSide.DIAGONAL) if is_steep[face] else _UP if faces.normals[face, 1] > 0 else _DOWN
        for z in range(int(first[face, 2]), int(last[face, 2])):
            for x in range(int(first[face, 0]), int(last[face, 0])):
                by_side[kind, z, x].append(face)
    pairs = [
        (part, face)
        for part, (kind, (z, x)) in enumerate(zip(_kinds(numbers).tolist(), sectors.tolist(), strict=True))
        for face in by_side.get((kind, z, x), ())
    ]
    result = np.array(pairs, np.int64).reshape(-1, 2)
    return result[:, 0], result[:, 1]


def _within(whole: Floats, triangle: Bools, points: Floats, normals: Floats) -> tuple[Floats, Ints, Bools]:
    """Return where points (m, 4, 3) are in faces, (m, 4, 3).

    Returns:
        (m, 4, 3) the weight of three corners of the face for each point, (m, 4, 3) these corners, and (m,)
        whether all points are in the face.
    """
    best = np.full(points.shape[:2], -np.inf)
    weights = np.zeros(points.shape)
    corners = np.zeros(points.shape, np.int64)
    distance = np.abs(((points - whole[:, :1]) * normals[:, None]).sum(axis=2))
    for second, third in ((1, 2), (2, 3)):
        numbers = (0, second, third)
        a, b, c = (whole[:, None, number] for number in numbers)
        share = _barycentric(a, b, c, points)
        least = share.min(axis=2)
        exists = np.isfinite(least) & ~(triangle & (third == 3))[:, None]
        better = exists & (least > best + 1e-9)
        best = np.where(better, least, best)
        weights = np.where(better[..., None], share, weights)
        corners = np.where(better[..., None], np.array(numbers), corners)
    inside = (best >= -_INSIDE).all(axis=1) & (distance <= _PLANE).all(axis=1)
    return weights, corners, inside


def _barycentric(origin: Floats, second_corner: Floats, third_corner: Floats, points: Floats) -> Floats:
    """Return the weights of three corners for the places of points in their plane; NaN without area."""
    first, second, offset = second_corner - origin, third_corner - origin, points - origin
    a, b, c = ((x * y).sum(axis=2) for x, y in ((first, first), (first, second), (second, second)))
    d, e = (offset * first).sum(axis=2), (offset * second).sum(axis=2)
    size = a * c - b * b
    with np.errstate(divide="ignore", invalid="ignore"):
        v, w = (c * d - b * e) / size, (a * e - b * d) / size
    return np.stack([1 - v - w, v, w], axis=2)


def _other_sides(faces: LevelFaces, taken: Bools) -> Ints:
    """Return for each face one at the same corners that is seen from the other side, (n,), or -1."""
    keys = np.sort(faces.corners, axis=1)
    result = np.full(len(faces), -1)
    by_key: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for face, key in enumerate(map(tuple, keys.tolist())):
        by_key[key].append(face)
    for same in by_key.values():
        for face in same:
            if taken[face]:
                others = [
                    each for each in same if not taken[each] and faces.normals[each] @ faces.normals[face] < 0
                ]
                result[face] = others[0] if others else -1
    return result
