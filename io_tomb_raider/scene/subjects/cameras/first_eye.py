"""The eye of the first view of a level: Lara is whole in the picture, before the depth of her surroundings.

Many directions around her are tried. Rays to the meshes of rooms and placed statics show how far the eye can
be from her, and what is in the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import cos, radians, tau

import numpy as np
from bpy.types import Mesh, Object
from mathutils import Euler, Matrix, Vector
from numpy.typing import NDArray

from ....formats.base.units import SECTOR_SIZE
from ...core.members import LevelObjects, members
from ...core.space import world_matrix
from ...core.subjects import Kind
from ..meshes.layers import shown_color
from ..meshes.placed import rooms_with_vertices, world_corners

_Array = NDArray[np.float64]

_SHARE = 1 / 3  # of the picture's height that she takes
_LEAST = _SHARE / 0.55  # of the usual distance, where walls are near
_HEIGHTS = (-0.35, 0.0, 0.35)  # of her body, from its middle, that are to be seen
_WIDEST = 0.8  # of the picture's width, where it is narrow
_ASIDE = 0.3  # from the middle of the picture to its border
_BELOW = -0.12
_TURNS = 16  # directions around her
_ELEVATIONS = (16.0, 8.0, 28.0)  # degrees, the preferred one first
_BEHIND = radians(30)  # the angle from behind that is preferred
_RAYS = 8, 5  # of a picture
_FAR = 10 * SECTOR_SIZE
_NEAR = 6 * SECTOR_SIZE  # of entities that may cover her
_FROM_WALL = 160  # units
_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
_BODY = _CORNERS * (128, 128, 384) + (0, 0, 384)  # units, of an entity without meshes
_MOST_SEEN = 4  # entities
# What a picture is worth.
_FILLED, _DEEP, _LIT, _SEEN, _FACING, _COVERED = 2.0, 1.5, 0.8, 0.5, 0.4, 3.0


@dataclass(frozen=True)
class Sight:
    """A view of Lara in one direction.

    Attributes:
        turn: (3, 3) axes of the view: right, up and back, as columns.
        side: -1 if she is left of the middle of the picture, 1 if right.
        free: the distance from her middle that the eye can have.
        body: (n, 3) corners of the boxes of her meshes in world space.
    """

    turn: _Array
    side: int
    free: float
    body: _Array

    def matrix(self, reaches: _Array) -> tuple[Matrix, float]:
        """Return the matrix of the eye in world space, and the distance of the point to orbit around.

        Args:
            reaches: of the view per unit of depth: left, right, down and up, (4,).
        """
        offset = _aside(_offset(self.body, self.turn, reaches, _SHARE), self.side, reaches)
        offset *= min(1.0, max(self.free / float(np.linalg.norm(offset)), _LEAST))
        place = (self.body.min(axis=0) + self.body.max(axis=0)) / 2 + self.turn @ offset
        matrix = Matrix.Translation(place.tolist()) @ Matrix(self.turn.tolist()).to_4x4()
        return matrix, float(offset[2])


def first_sight(found: LevelObjects, lara: Object, reaches: _Array, scale: float) -> Sight:
    """Return the best view of Lara in a level.

    Args:
        found: the objects of the level; hidden ones are ignored.
        lara: her entity.
        reaches: see :meth:`Sight.matrix`.
        scale: Blender units per unit of the game.
    """
    return _Surroundings(found, lara, reaches, scale).best()


def _offset(body: _Array, turn: _Array, reaches: _Array, share: float) -> _Array:
    """Return the distance at which a body takes a share of the picture's height, and its shift, (2,)."""
    points = (body - (body.min(axis=0) + body.max(axis=0)) / 2) @ turn
    left, right, down, up = np.maximum(reaches, 1e-3)
    width, height = left + right, down + up
    size = np.ptp(points, axis=0)
    far = max(
        float(size[1] / height / share), float(size[0] / width / _WIDEST), 2 * float(points[:, 2].max()), 1e-3
    )
    for _ in range(4):
        extent = np.ptp(points[:, :2] / np.maximum(far - points[:, 2:], 1e-6), axis=0)
        far *= max(extent[1] / height / share, extent[0] / width / _WIDEST)
    return np.array((far, min(_ASIDE, max(0.9 - extent[0] / width, 0.0))))


def _aside(usual: _Array, side: int, reaches: _Array) -> _Array:
    """Return the place of an eye relative to the middle of a body, (3,) right, up and back."""
    left, right, down, up = np.maximum(reaches, 1e-3)
    far, aside = usual
    x, y = (left - right) / 2 - side * aside * (left + right) / 2, (down - up) / 2 - _BELOW * (down + up) / 2
    return np.asarray(far * np.array((x, y, 1.0)))


class _Surroundings:
    """Lara and what is around her."""

    def __init__(self, found: LevelObjects, lara: Object, reaches: _Array, scale: float) -> None:
        self._reaches, self._scale = reaches, scale
        seen = [each for each in found.inside if each.type == "MESH" and each.visible_get()]
        statics = [each for each in found.of((Kind.PLACEMENT,)) if each.type == "MESH" and each.visible_get()]
        self._solids = _Solids([*rooms_with_vertices(seen), *statics], scale)
        self._has_sky = any(each.visible_get() for each in found.of((Kind.SKY,)))
        self._body = _body_of(lara, scale)
        self._middle = (self._body.min(axis=0) + self._body.max(axis=0)) / 2
        entities = [each for each in found.of((Kind.ENTITY,)) if each != lara and each.visible_get()]
        places = [world_matrix(each).translation[:] for each in entities]
        self._entities = np.array(places, float).reshape(-1, 3) + np.array((0, 0, 256 * scale))
        self._boxes = _Boxes(self._boxes_near(entities))
        ahead = world_matrix(lara).to_3x3() @ Vector((0, 1, 0))
        self._heading = float(np.arctan2(-ahead.x, ahead.y))

    def _boxes_near(self, entities: Sequence[Object]) -> _Array:
        """Return the ends of the boxes of entities near Lara, except those that she touches, (n, 2, 3)."""
        low, high = self._body.min(axis=0), self._body.max(axis=0)
        is_near = np.linalg.norm(self._entities - self._middle, axis=1) < _NEAR * self._scale
        boxes = []
        for entity in (entities[number] for number in np.flatnonzero(is_near)):
            corners = _body_of(entity, self._scale)
            box = corners.min(axis=0), corners.max(axis=0)
            if not ((box[0] < high) & (low < box[1])).all():
                boxes.append(box)
        return np.array(boxes, float).reshape(-1, 2, 3)

    def best(self) -> Sight:
        """Return the best view."""
        sights, count = self._sights(), 2 * len(_ELEVATIONS)
        # The elevation with the most space, of each direction and side.
        groups = (
            sights[first + side : first + count : 2]
            for first in range(0, len(sights), count)
            for side in (0, 1)
        )
        chosen = [max(group, key=lambda each: each[0]) for group in groups]
        return max(chosen, key=lambda each: each[0] + self._worth(each[1]))[1]

    def _sights(self) -> list[tuple[float, Sight]]:
        """Return the views in all directions with what their distances are worth, each from both sides."""
        sights, eyes, worths = [], [], []
        for turned, elevation in product(range(_TURNS), _ELEVATIONS):
            angle = tau * turned / _TURNS
            turn = np.array(Euler((radians(90 - elevation), 0.0, self._heading + angle)).to_matrix())
            usual = _offset(self._body, turn, self._reaches, _SHARE)
            facing = cos(min(angle, tau - angle) - _BEHIND)
            for side in (-1, 1):
                offset = _aside(usual, side, self._reaches)
                sights.append(Sight(turn, side, float(np.linalg.norm(offset)), self._body))
                eyes.append(self._middle + turn @ offset)
                worths.append(_FACING * facing)
        free = self._free(np.array(eyes))
        return [
            (worth + share + 2 * min(share / _LEAST, 1.0), replace(sight, free=sight.free * share))
            for worth, share, sight in zip(worths, free.tolist(), sights, strict=True)
        ]

    def _free(self, eyes: _Array) -> _Array:
        """Return which part of the way from Lara to eyes (n, 3) is free, (n,)."""
        size, free = np.ptp(self._body[:, 2]), np.ones(len(eyes))
        margin = _FROM_WALL * self._scale / np.linalg.norm(eyes - self._middle, axis=1)
        for height in _HEIGHTS:
            start = self._middle + np.array((0, 0, height * size))
            hits = [hit.depth for hit in self._solids.cast(start, eyes - start, 1.0)]
            depths = np.minimum(hits, self._boxes.entered(start, eyes - start))
            free = np.minimum(free, np.where(depths < 1, np.maximum(depths - margin, 0), 1))
        return free

    def _worth(self, sight: Sight) -> float:
        """Return what a picture is worth: filled, deep, lit, with entities, and nothing before Lara."""
        matrix, distance = sight.matrix(self._reaches)
        eye, turn = np.array(matrix.translation), sight.turn
        inset = self._middle + _CORNERS * np.ptp(self._body, axis=0) * 0.35
        hits = [each.depth for each in self._solids.cast(eye, inset - eye, 1.0)]
        covered = np.minimum(hits, self._boxes.entered(eye, inset - eye)) < 1
        left, right, down, up = self._reaches
        rows = np.linspace(-down, up, 2 * _RAYS[1] + 1)[1::2]
        columns = np.linspace(-left, right, 2 * _RAYS[0] + 1)[1::2]
        rays = np.array([(x, y, -1.0) for x, y in product(columns, rows)]) @ turn.T
        far, filled, depths, light = _FAR * self._scale, 0, 0.0, 0.0
        for hit, ray in zip(self._solids.cast(eye, rays, np.inf, fronts=True), rays, strict=True):
            if np.isfinite(hit.depth):
                filled += 1
                depths += min(max(hit.depth - distance, 0.0), far) / far
                light += self._solids.light(hit)
            elif self._has_sky and ray[2] > 0:
                depths, light = depths + 1, light + 0.5
        count = len(rays)
        worth = _FILLED * min(filled / count, 0.9) + _DEEP * depths / count + _LIT * light / count
        worth += _SEEN * self._entities_seen(eye, turn) / _MOST_SEEN
        return worth - _COVERED * float(np.mean(covered))

    def _entities_seen(self, eye: _Array, turn: _Array) -> int:
        """Return how many entities are in the picture, and not covered."""
        points = (self._entities - eye) @ turn
        depths = -points[:, 2]
        left, right, down, up = self._reaches
        inside = (depths > 0) & (depths < _FAR * self._scale)
        inside &= (-left * depths < points[:, 0]) & (points[:, 0] < right * depths)
        inside &= (-down * depths < points[:, 1]) & (points[:, 1] < up * depths)
        chosen = self._entities[inside][np.argsort(depths[inside])[:_MOST_SEEN]]
        return sum(hit.depth >= 1 for hit in self._solids.cast(eye, chosen - eye, 1.0, fronts=True))


def _body_of(entity: Object, scale: float) -> _Array:
    """Return the corners of the boxes of an entity's meshes in world space, (n, 3)."""
    matrix, model = world_matrix(entity), entity.instance_collection
    meshes = [] if model is None else [each for each in members(model) if isinstance(each.data, Mesh)]
    meshes = [each for each in meshes if len(each.data.vertices)]
    if meshes and model is not None:
        place = matrix @ Matrix.Translation((-model.instance_offset)[:])
        body = _placed(world_corners(meshes).reshape(-1, 3), place)
        if np.isfinite(body).all():  # vertices of damaged files have endless places
            return body
    return _placed(_BODY * scale, matrix)


def _placed(points: _Array, matrix: Matrix) -> _Array:
    turned = np.array(matrix, float)
    return np.asarray(points @ turned[:3, :3].T + turned[:3, 3])


@dataclass(frozen=True)
class _Hit:
    """The end of a ray: its length in lengths of the direction, infinite if nothing is hit."""

    depth: float = np.inf
    solid: int = -1
    face: int = -1


def _crossed(low: _Array, high: _Array, start: _Array, rays: _Array) -> tuple[_Array, _Array]:
    """Return where rays (n, 3) from a point enter and leave boxes (m, 3), in their lengths, (n, m) each."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.stack([low - start, high - start]) / rays[:, None, None]
    return np.fmin(ends[:, 0], ends[:, 1]).max(axis=2), np.fmax(ends[:, 0], ends[:, 1]).min(axis=2)


class _Boxes:
    """Boxes of entities, which rays enter."""

    def __init__(self, corners: _Array) -> None:
        self._low, self._high = corners.min(axis=1), corners.max(axis=1)

    def entered(self, start: _Array, rays: _Array) -> _Array:
        """Return where rays (n, 3) first enter a box, in their lengths, (n,); infinite if they enter none."""
        near, far = _crossed(self._low, self._high, start, rays)
        return np.where((near <= far) & (far >= 0), near, np.inf).min(axis=1, initial=np.inf)


class _Solids:
    """Meshes that rays hit."""

    def __init__(self, objects: Sequence[Object], scale: float) -> None:
        self._objects = objects
        self._matrices = [world_matrix(each) for each in objects]
        self._inverse = [each.inverted_safe() for each in self._matrices]
        corners = world_corners(objects).reshape(len(objects), 8, 3)
        margin = scale  # flat meshes have flat boxes
        self._low, self._high = corners.min(axis=1) - margin, corners.max(axis=1) + margin
        self._shades: dict[int, _Array] = {}
        self._step = scale

    def cast(self, start: _Array, rays: _Array, reach: float, *, fronts: bool = False) -> list[_Hit]:
        """Return the first hits of rays.

        Args:
            start: (3,).
            rays: (n, 3), of any length.
            reach: the largest depth, in lengths of the rays.
            fronts: ignore faces that point away.
        """
        near, far = _crossed(self._low, self._high, start, rays)
        ray_of, solid_of = np.nonzero((near <= far) & (far >= 0) & (near <= reach))
        entries = near[ray_of, solid_of]
        order = np.lexsort((entries, ray_of))
        hits = [_Hit(reach) for _ in rays]
        origin, directions = Vector(start.tolist()), [Vector(ray) for ray in rays.tolist()]
        for ray, solid, entry in zip(
            ray_of[order].tolist(), solid_of[order].tolist(), entries[order].tolist(), strict=True
        ):
            if entry <= hits[ray].depth:
                hits[ray] = self._cast_at(solid, origin, directions[ray], hits[ray], fronts)
        return hits

    def _cast_at(self, number: int, start: Vector, ray: Vector, before: _Hit, fronts: bool) -> _Hit:
        """Return the first hit of a ray with one mesh, or another one that is nearer."""
        inverse, length = self._inverse[number], ray.length
        direction, place = inverse.to_3x3() @ ray, inverse @ start
        if not length:
            return before
        gone, step = 0.0, self._step / length
        for _ in range(8):
            is_hit, point, normal, face = self._objects[number].ray_cast(place + direction * gone, direction)
            if not is_hit:
                return before
            gone = (point - place).dot(direction) / direction.length_squared
            if gone >= before.depth:
                return before
            if not fronts or normal.dot(direction) < 0:
                return _Hit(gone, number, face)
            gone += step
        return before

    def light(self, hit: _Hit) -> float:
        """Return the brightness of a face, from 0 to 1."""
        shades = self._shades.get(hit.solid)
        if shades is None:
            shades = self._shades[hit.solid] = _shades(self._objects[hit.solid])
        return float(shades[hit.face]) if hit.face < len(shades) else 0.5


def _shades(obj: Object) -> _Array:
    """Return the brightness of the first corner of each face of a mesh, (n,); () without color attribute."""
    mesh = obj.data
    colors = shown_color(mesh) if isinstance(mesh, Mesh) else None
    if colors is None or not isinstance(mesh, Mesh):
        return np.empty(0)
    values = np.empty(4 * len(colors.data), np.float32)
    colors.data.foreach_get("color_srgb", values)
    corners = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", corners)
    if colors.domain == "POINT":
        vertices = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get("vertex_index", vertices)
        corners = vertices[corners]
    return np.asarray(values.reshape(-1, 4)[corners, :3].mean(axis=1), float)
