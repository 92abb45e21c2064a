"""Shadows of a room's faces, by rays between lights and places."""

from __future__ import annotations

import numpy as np
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ....formats.base import Floats
from ....formats.levels.lights import SUN, BakedLight
from .shapes import RoomShape

_CLEAR = 8.0  # units: the distance of ray ends from faces and lights
_APART = 256.0  # units between the sample points of a light with soft shadows
_SUN_DISTANCE = 8192.0  # units: the virtual distance of suns, for soft shadows
_ENDLESS = 1e6


class Shadows:
    """The shadows within a room. Faces cast shadows on both sides; other rooms and static meshes cast none.

    Args:
        shape: the room.
        samples: rays per light, the square of an odd number; 1 for hard shadows.
    """

    def __init__(self, shape: RoomShape, samples: int) -> None:
        # Relative to the middle, since the tree has 32-bit floats.
        self._origin = shape.points.mean(axis=0) if len(shape.points) else np.zeros(3)
        points = (shape.points - self._origin).tolist()
        self._tree = BVHTree.FromPolygons(points, shape.triangles.tolist(), all_triangles=True)
        side = round(samples**0.5)
        steps = (np.arange(side) - side // 2) * _APART
        x, z = np.meshgrid(steps, steps)
        self._offsets = np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1)

    def free(self, places: Floats, outward: Floats, light: BakedLight, wanted: NDArray[np.bool_]) -> Floats:
        """Return the unoccluded fraction of the rays from places to a light, (p,); 0 for unwanted places.

        Args:
            places: (p, 3).
            outward: (p, 3), the directions to the open room.
            light: the light.
            wanted: (p,), the places to cast rays from.
        """
        found = np.zeros(len(places))
        starts = places[wanted] + _CLEAR * outward[wanted] - self._origin
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
        rows = zip(starts.tolist(), rays.tolist(), reaches.tolist(), strict=True)
        found[wanted] = [
            sum(
                reach <= 0 or cast(start, ray, reach)[0] is None
                for ray, reach in zip(start_rays, start_reaches, strict=True)
            )
            / len(self._offsets)
            for start, start_rays, start_reaches in rows
        ]
        return found
