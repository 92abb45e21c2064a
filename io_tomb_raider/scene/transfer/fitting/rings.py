"""Rings where two meshes of a model join: the vertices that they share, or their open edges.

Points are in units of the file, along its axes, with all meshes at rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats.base import Floats

_SAME = 1.5  # units along each axis, as engines weld joints
_FEWEST = 3  # vertices of a ring
_NEAREST = 6  # vertices of a closed mesh that count, if they are at one end
_END = 0.25  # of its size


@dataclass(frozen=True, eq=False)
class Shape:
    """A mesh at rest."""

    points: Floats  #: (v, 3), its vertices.
    faces: NDArray[np.int64]  #: (f, k), the vertices of its faces, -1 after the last one.

    def moved(self, offset: Floats) -> Shape:
        """Return the mesh at another place."""
        return Shape(self.points + offset, self.faces)

    @cached_property
    def loops(self) -> list[NDArray[np.int64]]:
        """The vertices of each connected run of open edges."""
        ends = np.where(
            np.roll(self.faces, -1, axis=1) >= 0, np.roll(self.faces, -1, axis=1), self.faces[:, :1]
        )
        edges = np.sort(np.stack([self.faces, ends], axis=-1)[self.faces >= 0], axis=-1)
        unique, counts = np.unique(edges, axis=0, return_counts=True)
        edges = unique[(counts == 1) & (unique[:, 0] != unique[:, 1])]
        label = np.arange(len(self.points))
        while True:  # each vertex gets the lowest number of those that it is connected with
            lowest = np.minimum(label[edges[:, 0]], label[edges[:, 1]])
            joined = label.copy()
            for side in (0, 1):
                np.minimum.at(joined, edges[:, side], lowest)
            if np.array_equal(joined, label):
                break
            label = joined
        open_vertices = np.unique(edges)
        return [open_vertices[label[open_vertices] == each] for each in np.unique(label[open_vertices])]


class MeshRing(NamedTuple):
    """The place where two meshes join."""

    center: Floats  #: (3,).
    radius: float  #: the mean distance of its vertices from the center.


def ring_between(above: Shape, below: Shape, joint: Shape | None = None) -> MeshRing | None:
    """Return where two meshes join, None if one of them has no vertices.

    The vertices that count are those at the same places as ones of the other mesh; else the run of open edges
    nearest to it; else the few nearest vertices of closed meshes, which overlap.

    Args:
        joint: the mesh between both in games with joints: it shares vertices with both.
    """
    if not len(above.points) or not len(below.points):
        return None
    sides = []
    for shape, other in ((above, below), (below, above)):
        between = joint if joint is not None and len(_shared(shape, joint)) >= _FEWEST else other
        points = shape.points[_meeting(shape, between)]
        sides.append((points.mean(axis=0), np.linalg.norm(points - points.mean(axis=0), axis=1).mean()))
    (one, first), (other_center, second) = sides
    return MeshRing((one + other_center) / 2, float(first + second) / 2)


def _distances(shape: Shape, other: Shape) -> Floats:
    """Return how far each vertex is from the nearest one of another mesh, along the largest axis, (v,)."""
    return np.asarray(np.abs(shape.points[:, None] - other.points).max(axis=2).min(axis=1), float)


def _shared(shape: Shape, other: Shape) -> NDArray[np.int64]:
    return np.flatnonzero(_distances(shape, other) <= _SAME)


def _meeting(shape: Shape, other: Shape) -> NDArray[np.int64]:
    """Return the vertices of a mesh where it joins another one."""
    shared = _shared(shape, other)
    if len(shared) >= _FEWEST:
        return shared
    distances = _distances(shape, other)
    loops = [each for each in shape.loops if len(each) >= _FEWEST]
    if loops:
        return min(loops, key=lambda loop: float(distances[loop].mean()))
    nearest = np.argsort(distances, kind="stable")[:_NEAREST]
    size = float(np.ptp(shape.points, axis=0).max())
    return nearest[distances[nearest] <= distances.min() + _END * size]


def joint_in(ring: MeshRing, before: MeshRing | None, joint: Floats) -> Floats:
    """Return the place of a joint in a ring.

    Artists do not put joints in the center. So a joint keeps its place in the ring, in proportion to it.

    Args:
        before: the ring of the original meshes, None if unknown.
        joint: (3,), the joint of the original.
    """
    if before is None:
        return ring.center
    size = ring.radius / before.radius if before.radius > 0 and ring.radius > 0 else 1.0
    return np.asarray(ring.center + (joint - before.center) * size, float)
