"""Which rays between lights and places are free: rays are cast through the drawn faces of a room."""

from __future__ import annotations

import numpy as np
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ....formats.lights.baking import BakedLight
from ....formats.lights.lights import SUN
from .shapes import RoomShape

Floats = NDArray[np.float64]

_CLEAR = 8.0  # units that rays keep away from the faces at which they begin, and from where they end
_APART = 256.0  # units between the points of a light whose shadows are soft
_SUN_DISTANCE = 8192.0  # units: as if suns were so far away, as to how soft their shadows are
_ENDLESS = 1e6


class Shadows:
    """The shadows in a room. Faces cast them to both sides; other rooms and what stands there cast none.

    Args:
        shape: the room.
        samples: how many points of a light rays are cast to: the square of an odd number. 1 for hard shadows.
    """

    def __init__(self, shape: RoomShape, samples: int) -> None:
        # Near the origin, since the tree counts in 32-bit floats.
        self._origin = shape.points.mean(axis=0) if len(shape.points) else np.zeros(3)
        points = (shape.points - self._origin).tolist()
        self._tree = BVHTree.FromPolygons(points, shape.triangles.tolist(), all_triangles=True)
        side = round(samples**0.5)
        steps = (np.arange(side) - side // 2) * _APART
        x, z = np.meshgrid(steps, steps)
        self._offsets = np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1)

    def free(self, places: Floats, outward: Floats, light: BakedLight, wanted: NDArray[np.bool_]) -> Floats:
        """Return which part of the rays from places to a light is free, (p,); 0 for those not wanted.

        Args:
            places: (p, 3).
            outward: (p, 3), the way to where the room is open, or nothing.
            light: the light.
            wanted: (p,), from which places rays are cast.
        """
        found = np.zeros(len(places))
        starts = places[wanted] + _CLEAR * outward[wanted] - self._origin
        if light.kind == SUN:
            targets = starts[:, None] + _SUN_DISTANCE * light.direction + self._offsets
        else:
            targets = np.broadcast_to(
                light.place - self._origin + self._offsets, (len(starts), len(self._offsets), 3)
            )
        ways = targets - starts[:, None]
        distances = np.linalg.norm(ways, axis=2)
        # A light that is nearer than that is seen.
        reaches = np.full_like(distances, _ENDLESS) if light.kind == SUN else distances - _CLEAR
        cast = self._tree.ray_cast
        # mathutils casts one ray at a time.
        rows = zip(starts.tolist(), ways.tolist(), reaches.tolist(), strict=True)
        found[wanted] = [
            sum(
                reach <= 0 or cast(start, way, reach)[0] is None
                for way, reach in zip(all_ways, all_reaches, strict=True)
            )
            / len(self._offsets)
            for start, all_ways, all_reaches in rows
        ]
        return found
