"""Light by the formulas of level compilers, from each room's own lights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import Object
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ....formats.base import Floats
from ....formats.levels.lights import SUN, BakedLight, arriving, bake, baked_light, facing
from ...core.reporting.progress import Work
from ...core.space import world_matrix
from ...subjects.lights.light_sync import typed_values
from .shapes import BakeShape
from .subject import AMBIENT, BakeOptions, BakeTarget, Brightness, ambient_of, middle_of

_CLEAR = 8.0  # units: the distance of ray ends from faces and lights
_APART = 256.0  # units between the sample points of a light with soft shadows
_SUN_DISTANCE = 8192.0  # units: the virtual distance of suns, for soft shadows
_ENDLESS = 1e6


class Shadows:
    """The shadows within a room. Faces cast shadows on both sides; other rooms and static meshes cast none.

    Args:
        samples: rays per light, the square of an odd number; 1 for hard shadows.
    """

    def __init__(self, shape: BakeShape, samples: int) -> None:
        # Relative to the middle, since the tree has 32-bit floats.
        self._origin = shape.points.mean(axis=0) if len(shape.points) else np.zeros(3)
        points = (shape.points - self._origin).tolist()
        self._tree = BVHTree.FromPolygons(points, shape.triangles.tolist(), all_triangles=True)
        side = round(samples**0.5)
        steps = (np.arange(side) - side // 2) * _APART
        x, z = np.meshgrid(steps, steps)
        self._offsets = np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1)

    def free(self, places: Floats, outward: Floats, light: BakedLight, is_cast: NDArray[np.bool_]) -> Floats:
        """Return the unoccluded fraction of the rays from places to a light, (p,); 0 for unwanted places.

        Args:
            places: (p, 3).
            outward: (p, 3), the directions to the open room.
            is_cast: (p,), the places to cast rays from.
        """
        result = np.zeros(len(places))
        starts = places[is_cast] + _CLEAR * outward[is_cast] - self._origin
        if light.kind == SUN:
            targets = starts[:, None] + _SUN_DISTANCE * light.direction + self._offsets
        else:
            targets = np.broadcast_to(
                light.place - self._origin + self._offsets, (len(starts), len(self._offsets), 3)
            )
        rays = targets - starts[:, None]
        distances = np.linalg.norm(rays, axis=2)
        # Nearer lights are unoccluded.
        reaches = np.full_like(distances, _ENDLESS) if light.kind == SUN else distances - _CLEAR
        cast = self._tree.ray_cast
        # mathutils casts single rays.
        rays_by_place = zip(starts.tolist(), rays.tolist(), reaches.tolist(), strict=True)
        result[is_cast] = [
            sum(
                reach <= 0 or cast(start, ray, reach)[0] is None
                for ray, reach in zip(start_rays, start_reaches, strict=True)
            )
            / len(self._offsets)
            for start, start_rays, start_reaches in rays_by_place
        ]
        return result


class FormulaRoom:
    """A room to be lit by the compilers' formulas.

    Args:
        ambient: (3,), its ambient brightness.
        exposure: a factor for all lights.
    """

    def __init__(
        self, shape: BakeShape, lights: Sequence[BakedLight], ambient: Floats, samples: int, exposure: float
    ) -> None:
        self._shape, self._ambient = shape, ambient
        self._lights = [light._replace(intensity=light.intensity * exposure) for light in lights]
        self._shadows = Shadows(shape, samples) if lights else None

    def at_places(self) -> Floats:
        """Return the brightness of all places of the room, (p, 3)."""
        shape = self._shape
        places = shape.places.astype(np.float64)
        return self._bake(places, shape.outward, shape.rows, shape.corner_normals)

    def at(self, point: Floats) -> Floats:
        """Return the brightness, (3,), at a point, (3,), without normals."""
        no_normals = np.zeros((0, 3))
        return np.asarray(self._bake(point[None], np.zeros((1, 3)), np.zeros(0, np.int64), no_normals)[0])

    def _bake(self, places: Floats, outward: Floats, rows: NDArray[np.int64], normals: Floats) -> Floats:
        unoccluded = np.zeros((len(places), len(self._lights)))
        loose = np.bincount(rows, minlength=len(places)) == 0
        for index, light in enumerate(self._lights):
            assert self._shadows is not None
            is_facing = np.bincount(rows, facing(light, normals), minlength=len(places)) > 0
            is_cast = (arriving(light, places) > 0) & (is_facing | loose)
            unoccluded[:, index] = self._shadows.free(places, outward, light, is_cast)
        return bake(places, rows, normals, self._lights, unoccluded, self._ambient)


def by_formula(subject: BakeTarget, options: BakeOptions) -> Work[Brightness]:
    """Return the light of each room's lights on the room and its placed static meshes."""
    result = Brightness({}, {})
    in_room: dict[Object, list[Object]] = {}
    for obj in subject.lit_placements:
        in_room.setdefault(subject.placements[obj], []).append(obj)
    for index, room in enumerate(subject.baked):
        yield room.name, index / len(subject.baked)
        # Baked ambient light must not start from itself: each bake would make it brighter.
        ambient = np.zeros(3) if AMBIENT in options.targets else ambient_of(subject.game, room)
        lights = _lights(subject, room)
        formula_room = FormulaRoom(subject.shapes[room], lights, ambient, options.rays, options.exposure)
        result.places[room] = formula_room.at_places()
        for obj in in_room.get(room, ()):
            middle = subject.space.to_file(np.array(middle_of(obj)), obj.name)
            result.placements[obj] = formula_room.at(middle)
    return result


def _lights(subject: BakeTarget, room: Object) -> list[BakedLight]:
    result = []
    for obj in subject.lights.get(room, ()):
        position = subject.space.to_file(np.array(world_matrix(obj).translation), obj.name)
        light = baked_light(subject.game, typed_values(subject.game, obj.tomb_raider.light), position)
        if light is not None:
            result.append(light)
    return result
