"""Rays of sight in a level: what they hit of its rooms and static meshes, and which boxes they enter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from bpy.types import Mesh, Object
from mathutils import Vector

from ....formats.base import Floats
from ...core.space import world_matrix
from ..meshes.layers import shown_color
from ..meshes.placed import world_corners

_MOST_BACKS = 8  # faces that a ray passes from behind
_NO_COLOR = 0.5  # brightness of faces without vertex light


class RayEnd(NamedTuple):
    """The end of a ray: its length in lengths of the direction, infinite if nothing is hit."""

    depth: float = np.inf
    solid: int = -1
    face: int = -1


def _crossed(low: Floats, high: Floats, start: Floats, rays: Floats) -> tuple[Floats, Floats]:
    """Return where rays (n, 3) from a point enter and leave boxes (m, 3), in their lengths, (n, m) each."""
    near, far = np.full((len(rays), len(low)), -np.inf), np.full((len(rays), len(low)), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for axis in range(3):  # much faster than a reduction over an axis of length 3
            inverse = 1 / rays[:, axis, None]
            to_low, to_high = (low[:, axis] - start[axis]) * inverse, (high[:, axis] - start[axis]) * inverse
            np.fmax(near, np.fmin(to_low, to_high), out=near)
            np.fmin(far, np.fmax(to_low, to_high), out=far)
    return near, far


class Boxes:
    """Boxes that rays enter."""

    def __init__(self, corners: Floats) -> None:
        """Store the low and the high corner of each, (m, 2, 3)."""
        self._low, self._high = corners.min(axis=1), corners.max(axis=1)

    def entered(self, start: Floats, rays: Floats) -> Floats:
        """Return where rays (n, 3) first enter a box, in their lengths, (n,); infinite if they enter none."""
        near, far = _crossed(self._low, self._high, start, rays)
        return np.where((near <= far) & (far >= 0), near, np.inf).min(axis=1, initial=np.inf)


class Solids:
    """Meshes that rays hit.

    Args:
        objects: the meshes.
        middle: (3,) in world space.
        reach: meshes farther from the middle are left out.
        step: the distance at which a ray continues after a face, in Blender units.
    """

    def __init__(self, objects: Sequence[Object], middle: Floats, reach: float, step: float) -> None:
        corners = world_corners(objects).reshape(len(objects), 8, 3)
        low, high = corners.min(axis=1) - step, corners.max(axis=1) + step  # flat meshes have flat boxes
        is_near = (low < middle + reach).all(axis=1) & (high > middle - reach).all(axis=1)
        self._objects = [objects[row] for row in np.flatnonzero(is_near).tolist()]
        self._low, self._high = low[is_near], high[is_near]
        matrices = [world_matrix(each).inverted_safe() for each in self._objects]
        self._inverse = [(matrix, matrix.to_3x3()) for matrix in matrices]
        self._shades: dict[int, Floats] = {}
        self._step = step

    def cast(self, start: Floats, rays: Floats, reach: float, *, fronts: bool = False) -> list[RayEnd]:
        """Return the first hits of rays.

        Args:
            reach: the largest depth, in lengths of the rays.
            fronts: ignore faces that point away.
        """
        near, far = _crossed(self._low, self._high, start, rays)
        ray_of, solid_of = np.nonzero((near <= far) & (far >= 0) & (near <= reach))
        entries = near[ray_of, solid_of]
        order = np.lexsort((entries, ray_of))
        hits = [RayEnd(reach)] * len(rays)
        origin, directions = Vector(start.tolist()), [Vector(ray) for ray in rays.tolist()]
        for ray, solid, entry in zip(
            ray_of[order].tolist(), solid_of[order].tolist(), entries[order].tolist(), strict=True
        ):
            if entry <= hits[ray].depth:
                hits[ray] = self._cast_at(solid, origin, directions[ray], hits[ray], fronts)
        return hits

    def _cast_at(self, number: int, start: Vector, ray: Vector, before: RayEnd, fronts: bool) -> RayEnd:
        """Return the first hit of a ray with one mesh, or another one that is nearer."""
        (inverse, turn), length = self._inverse[number], ray.length
        direction, origin = turn @ ray, inverse @ start
        if not length:
            return before
        cast, squared = self._objects[number].ray_cast, direction.length_squared
        travelled, step = 0.0, self._step / length
        for _ in range(_MOST_BACKS):
            is_hit, point, normal, face = cast(origin + direction * travelled, direction)
            if not is_hit:
                return before
            travelled = (point - origin).dot(direction) / squared
            if travelled >= before.depth:
                return before
            if not fronts or normal.dot(direction) < 0:
                return RayEnd(travelled, number, face)
            travelled += step
        return before

    def light(self, hit: RayEnd) -> float:
        """Return the brightness of a face, from 0 to 1."""
        shades = self._shades.get(hit.solid)
        if shades is None:
            shades = self._shades[hit.solid] = _shades(self._objects[hit.solid])
        return float(shades[hit.face]) if hit.face < len(shades) else _NO_COLOR


def _shades(obj: Object) -> Floats:
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
