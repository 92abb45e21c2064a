"""The eye of the first view of a level: Lara is whole in the picture, before the depth of her surroundings.

Many directions around her are tried. Rays to the meshes of rooms and placed statics show how far the eye can
be from her, and what is in the picture. A model of a level without rooms is shown from its front.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import radians, tau

import numpy as np
from bpy.types import Mesh, Object
from mathutils import Euler, Matrix, Vector

from ....formats.base import SECTOR_SIZE, Floats
from ...core.membership import LevelObjects, members
from ...core.space import world_matrix
from ...core.subjects import Kind
from ..meshes.placed import rooms_with_vertices, world_corners
from .sight_rays import Boxes, Solids

_SHARE = 1 / 3  # of the picture's height that she takes
_LEAST = _SHARE / 0.55  # of the usual distance, where walls are near
_HEIGHTS = (-0.35, 0.0, 0.35)  # of her body, from its middle, that are to be seen
_WIDEST = 0.8  # of the picture's width, where it is narrow
_ASIDE = 0.3  # from the middle of the picture to its border
_BELOW = -0.12
_TURNS = 16  # directions around her
_ELEVATIONS = (10.0, 4.0, 20.0)  # degrees, the preferred one first
_BEHIND, _IN_FRONT = radians(30), radians(150)  # angles from behind that are preferred
_MOST_PICTURES = 16  # that are compared: those with the most space
_RAYS = 7, 4  # of a picture
_FAR = 10 * SECTOR_SIZE
_NEAR = 6 * SECTOR_SIZE  # of entities that may cover her
_FROM_WALL = 160  # units
_CROWDED = 0.7  # of her distance
_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
_BODY = _CORNERS * (128, 128, 384) + (0, 0, 384)  # units, of an entity without meshes
_MOST_SEEN = 4  # entities
_LAMPS = 3
_DIM = 0.3  # brightness up to which darker light counts less
# What a picture is worth.
_FILLED, _DEEP, _LIT, _ON_HER, _SEEN, _FACING = 2.0, 1.5, 1.6, 0.6, 0.5, 0.4
_COVERED, _BEFORE_HER = 3.0, 2.0


@dataclass(frozen=True)
class Sight:
    """A view of a figure in one direction."""

    turn: Floats  #: (3, 3) axes of the view: right, up and back, as columns.
    side: int  #: -1 if she is left of the middle of the picture, 1 if right.
    free: float  #: the distance from her middle that the eye can have.
    body: Floats  #: (n, 3) corners of the boxes of her meshes in world space.

    def matrix(self, reaches: Floats) -> tuple[Matrix, float]:
        """Return the matrix of the eye in world space, and the distance of the point to orbit around.

        Args:
            reaches: of the view per unit of depth: left, right, down and up, (4,).
        """
        offset = _aside(_offsets(self.body, self.turn[None], reaches)[0], self.side, reaches)
        position, distance = self.eye(offset)
        return Matrix.Translation(position.tolist()) @ Matrix(self.turn.tolist()).to_4x4(), distance

    def eye(self, offset: Floats) -> tuple[Floats, float]:
        """Return the place of the eye at an offset along the axes, or nearer, and its distance."""
        offset = offset * min(1.0, max(self.free / float(np.linalg.norm(offset)), _LEAST))
        return (self.body.min(axis=0) + self.body.max(axis=0)) / 2 + self.turn @ offset, float(offset[2])


def first_sight(objects: LevelObjects, figure: Object, reaches: Floats, scale: float) -> Sight:
    """Return the best view of Lara, or of another entity or model, in a level; hidden objects are ignored.

    Args:
        reaches: see :meth:`Sight.matrix`.
        scale: Blender units per unit of the game.
    """
    return _Surroundings(objects, figure, reaches, scale).best()


def _offsets(body: Floats, turns: Floats, reaches: Floats) -> Floats:
    """Return the distances at which a body takes its share of pictures, and its shifts in them, (n, 2).

    Args:
        body: (p, 3) points in world space.
        turns: (n, 3, 3) axes of the views.
        reaches: see :meth:`Sight.matrix`.
    """
    points = (body - (body.min(axis=0) + body.max(axis=0)) / 2) @ turns
    left, right, down, up = np.maximum(reaches, 1e-3)
    most = np.array(((left + right) * _WIDEST, (down + up) * _SHARE))
    far = np.maximum((np.ptp(points[..., :2], axis=1) / most).max(axis=1), 2 * points[..., 2].max(axis=1))
    far, extent = np.maximum(far, 1e-3), np.zeros((len(turns), 2))
    for _ in range(4):
        depths = np.maximum(far[:, None] - points[..., 2], 1e-6)
        extent = np.ptp(points[..., :2] / depths[..., None], axis=1)
        far = far * (extent / most).max(axis=1)
    room = 0.9 - extent[:, 0] / (left + right)
    return np.stack([far, np.clip(room, 0.0, _ASIDE)], axis=1)


def _aside(usual: Floats, side: int, reaches: Floats) -> Floats:
    """Return the place of an eye relative to the middle of a body, (3,) right, up and back."""
    left, right, down, up = np.maximum(reaches, 1e-3)
    far, aside = usual
    x, y = (left - right) / 2 - side * aside * (left + right) / 2, (down - up) / 2 - _BELOW * (down + up) / 2
    return np.asarray(far * np.array((x, y, 1.0)))


@dataclass(frozen=True)
class _Picture:
    """A view that is compared with others."""

    sight: Sight  #: the view.
    offset: Floats  #: (3,) the usual offset of its eye.
    worth: float  #: what its direction and space are worth.


class _Surroundings:
    """A figure, such as Lara, and what is around her."""

    def __init__(self, objects: LevelObjects, figure: Object, reaches: Floats, scale: float) -> None:
        self._reaches, self._scale = reaches, scale
        self._body = _body_of(figure, scale)
        self._middle = (self._body.min(axis=0) + self._body.max(axis=0)) / 2
        seen = [each for each in objects.inside if each.type == "MESH" and each.visible_get()]
        statics = [each for each in seen if objects.kinds[each] == Kind.PLACEMENT]
        reach = 2 * _FAR * scale
        self._solids = Solids([*rooms_with_vertices(seen), *statics], self._middle, reach, scale)
        self._has_sky = any(each.visible_get() for each in objects.of((Kind.SKY,)))
        kind = figure.tomb_raider.kind
        entities = [each for each in objects.of((kind,)) if each != figure and each.visible_get()]
        positions = [world_matrix(each).translation[:] for each in entities]
        self._entities = np.array(positions, float).reshape(-1, 3) + np.array((0, 0, 256 * scale))
        self._boxes = Boxes(self._boxes_near(entities))
        ahead = world_matrix(figure).to_3x3() @ Vector((0, 1, 0))
        self._heading = float(np.arctan2(-ahead.x, ahead.y))
        self._preferred = _IN_FRONT if kind == Kind.MODEL else _BEHIND
        self._lamps = _lamps_on(figure, self._middle)
        left, right, down, up = reaches
        rows = np.linspace(-down, up, 2 * _RAYS[1] + 1)[1::2]
        columns = np.linspace(-left, right, 2 * _RAYS[0] + 1)[1::2]
        self._rays = np.array([(x, y, -1.0) for x, y in product(columns, rows)])

    def _boxes_near(self, entities: Sequence[Object]) -> Floats:
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
        pictures, count = self._pictures(), 2 * len(_ELEVATIONS)
        # The elevation with the most space, of each direction and side.
        groups = (
            pictures[first + side : first + count : 2]
            for first in range(0, len(pictures), count)
            for side in (0, 1)
        )
        chosen = [max(group, key=lambda picture: picture.worth) for group in groups]
        chosen = sorted(chosen, key=lambda picture: -picture.worth)[:_MOST_PICTURES]
        return max(chosen, key=lambda picture: picture.worth + self._worth(picture)).sight

    def _pictures(self) -> list[_Picture]:
        """Return the views in all directions, each from both sides."""
        ways = [(tau * turn / _TURNS, each) for turn in range(_TURNS) for each in _ELEVATIONS]
        turns = np.array(
            [Euler((radians(90 - up), 0.0, self._heading + way)).to_matrix() for way, up in ways]
        )
        usual = _offsets(self._body, turns, self._reaches)
        facing = np.cos(np.array([min(way, tau - way) for way, _ in ways]) - self._preferred)
        worths = _FACING * facing + _ON_HER * self._light_from(turns[:, :, 2])
        numbers, sides = np.repeat(np.arange(len(ways)), 2).tolist(), [-1, 1] * len(ways)
        offsets = [_aside(usual[row], side, self._reaches) for row, side in zip(numbers, sides, strict=True)]
        lengths = np.linalg.norm(offsets, axis=1)
        eyes = np.array([turns[row] @ each for row, each in zip(numbers, offsets, strict=True)])
        shares = self._free(self._middle + eyes)
        space = shares + 2 * np.minimum(shares / _LEAST, 1.0) + worths[numbers]
        rows = zip(numbers, sides, offsets, (lengths * shares).tolist(), space.tolist(), strict=True)
        return [
            _Picture(Sight(turns[row], side, free, self._body), offset, worth)
            for row, side, offset, free, worth in rows
        ]

    def _light_from(self, directions: Floats) -> Floats:
        """Return how bright the figure is from directions (n, 3), (n,), 1 for the brightest one."""
        ambient, towards, brightness = self._lamps
        light = ambient + np.asarray(np.maximum(directions @ towards.T, 0.0) @ brightness)
        return light / max(float(light.max()), _DIM)

    def _free(self, eyes: Floats) -> Floats:
        """Return which part of the way from Lara to eyes (n, 3) is free, (n,)."""
        size, free = np.ptp(self._body[:, 2]), np.ones(len(eyes))
        margin = _FROM_WALL * self._scale / np.linalg.norm(eyes - self._middle, axis=1)
        for height in _HEIGHTS:
            start = self._middle + np.array((0, 0, height * size))
            hits = [hit.depth for hit in self._solids.cast(start, eyes - start, 1.0)]
            depths = np.minimum(hits, self._boxes.entered(start, eyes - start))
            free = np.minimum(free, np.where(depths < 1, np.maximum(depths - margin, 0), 1))
        return free

    def _worth(self, picture: _Picture) -> float:
        """Return what a picture is worth: filled, deep, lit, with entities, and nothing before Lara."""
        turn = picture.sight.turn
        eye, distance = picture.sight.eye(picture.offset)
        inset = self._middle + _CORNERS * np.ptp(self._body, axis=0) * 0.35
        ends = [each.depth for each in self._solids.cast(eye, inset - eye, 1.0)]
        covered = np.minimum(ends, self._boxes.entered(eye, inset - eye)) < 1
        rays = self._rays @ turn.T
        far, filled, depths, before, lights = _FAR * self._scale, 0, 0.0, 0, np.zeros(len(rays))
        hits = self._solids.cast(eye, rays, np.inf, fronts=True)
        for number, (hit, ray) in enumerate(zip(hits, rays, strict=True)):
            if np.isfinite(hit.depth):
                filled += 1
                depths += min(max(hit.depth - distance, 0.0), far) / far
                lights[number] = self._solids.light(hit)
                before += hit.depth < _CROWDED * distance
            elif self._has_sky and ray[2] > 0:
                depths, lights[number] = depths + 1, 0.5
        count = len(rays)
        light = float(np.sort(lights)[count // 2 :].mean())  # a bright part of a picture is sufficient
        worth = _FILLED * min(filled / count, 0.9) + _DEEP * depths / count + _LIT * light
        worth += _SEEN * self._entities_seen(eye, turn) / _MOST_SEEN
        return worth - _COVERED * float(np.mean(covered)) - _BEFORE_HER * before / count

    def _entities_seen(self, eye: Floats, turn: Floats) -> int:
        """Return how many entities are in the picture, and not covered."""
        points = (self._entities - eye) @ turn
        depths = -points[:, 2]
        left, right, down, up = self._reaches
        inside = (depths > 0) & (depths < _FAR * self._scale)
        inside &= (-left * depths < points[:, 0]) & (points[:, 0] < right * depths)
        inside &= (-down * depths < points[:, 1]) & (points[:, 1] < up * depths)
        chosen = self._entities[inside][np.argsort(depths[inside])[:_MOST_SEEN]]
        return sum(hit.depth >= 1 for hit in self._solids.cast(eye, chosen - eye, 1.0, fronts=True))


def _lamps_on(figure: Object, middle: Floats) -> tuple[float, Floats, Floats]:
    """Return the light on a figure: from all sides, directions to lamps (n, 3), and their brightness (n,)."""
    lit = figure.tomb_raider.lit
    towards, brightness = [], []
    for number in range(1, _LAMPS + 1):
        x, y, z, reach = getattr(lit, f"place_{number}")
        direction = np.array((x, y, z)) - (middle if reach else 0.0)
        length = float(np.linalg.norm(direction))
        if length and np.isfinite(length):
            left = max(1 - length / reach, 0.0) if reach else 1.0
            towards.append(direction / length)
            brightness.append(left * float(np.mean(getattr(lit, f"color_{number}")[:3])))
    ambient = float(np.mean(lit.ambient[:3]))
    return ambient, np.array(towards).reshape(-1, 3), np.array(brightness)


def _body_of(figure: Object, scale: float) -> Floats:
    """Return the corners of the boxes of the meshes of an entity or a model in world space, (n, 3)."""
    matrix, model = world_matrix(figure), figure.instance_collection
    parts = (
        figure.children if figure.tomb_raider.kind == Kind.MODEL else [] if model is None else members(model)
    )
    meshes = [each for each in parts if isinstance(each.data, Mesh) and len(each.data.vertices)]
    if meshes:
        body = world_corners(meshes).reshape(-1, 3)
        if model is not None:
            body = _transformed(body, matrix @ Matrix.Translation((-model.instance_offset)[:]))
        if np.isfinite(body).all():  # vertices of damaged files have endless places
            return body
    return _transformed(_BODY * scale, matrix)


def _transformed(points: Floats, matrix: Matrix) -> Floats:
    turned = np.array(matrix, float)
    return np.asarray(points @ turned[:3, :3].T + turned[:3, 3])
