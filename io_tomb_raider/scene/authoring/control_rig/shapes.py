"""Objects that draw the controls of rigs. They stand in no scene, so exports do not see them."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

import bpy
from bpy.types import Object

Points = Sequence[tuple[float, float, float]]

_PREFIX = "Tomb Raider Control"
_STEPS = 24


def _circle(axis: int) -> list[tuple[float, float, float]]:
    """Return a circle of diameter 1 around an axis."""
    result = []
    for step in range(_STEPS):
        pair = [cos(2 * pi * step / _STEPS) / 2, sin(2 * pi * step / _STEPS) / 2]
        pair.insert(axis, 0.0)
        result.append((pair[0], pair[1], pair[2]))
    return result


def _loop(count: int, first: int = 0) -> list[tuple[int, int]]:
    return [(first + step, first + (step + 1) % count) for step in range(count)]


_BOX = [(x / 2, y / 2, z / 2) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
_BOX_EDGES = [(0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7)]
_FRONT = [(-0.12, 0.5, 0.0), (0.0, 0.68, 0.0), (0.12, 0.5, 0.0)]  # shows where a ring faces
_SOLE = [
    (-0.22, -0.5, 0),
    (0.22, -0.5, 0),
    (0.3, 0.25, 0),
    (0.15, 0.55, 0),
    (-0.15, 0.55, 0),
    (-0.3, 0.25, 0),
]
_ARC = [(0.6 * cos(pi * step / 12), 0.5, 0.6 * sin(pi * step / 12)) for step in range(13)]
_WEDGE = [(-0.4, -0.3, 0), (0.4, -0.3, 0), (0.4, 0.3, 0), (-0.4, 0.3, 0), (0, 0, 0.6)]
_WEDGE_EDGES = [*_loop(4), (0, 4), (1, 4), (2, 4), (3, 4)]

# Vertices and edges by name, in lengths of the bone.
_SHAPES: dict[str, tuple[Points, list[tuple[int, int]]]] = {
    "Ring": (_circle(1), _loop(_STEPS)),
    "Halo": ([*_circle(2), *_FRONT], [*_loop(_STEPS), (_STEPS, _STEPS + 1), (_STEPS + 1, _STEPS + 2)]),
    "Ball": (
        [*_circle(0), *_circle(1), *_circle(2)],
        [*_loop(_STEPS), *_loop(_STEPS, _STEPS), *_loop(_STEPS, 2 * _STEPS)],
    ),
    "Box": (_BOX, _BOX_EDGES),
    "Sole": (_SOLE, _loop(len(_SOLE))),
    "Arc": (_ARC, [(step, step + 1) for step in range(len(_ARC) - 1)]),
    "Wedge": (_WEDGE, _WEDGE_EDGES),
}


def shape(name: str) -> Object:
    """Return the object of a shape; it is created where it is missing."""
    label = f"{_PREFIX} {name}"
    result: Any = bpy.data.objects.get(label)
    if result is not None and is_shape(result):
        return result
    points, edges = _SHAPES[name]
    mesh = bpy.data.meshes.new(label)
    mesh.from_pydata(points, edges, [])
    return bpy.data.objects.new(label, mesh)


def is_shape(obj: Any) -> bool:
    """Return whether an object draws controls of rigs."""
    return obj is not None and obj.name.startswith(_PREFIX) and not obj.users_collection


def remove_unused_shapes() -> None:
    """Remove the shapes that no bone shows."""
    for obj in [obj for obj in bpy.data.objects if is_shape(obj)]:
        if not obj.users:
            mesh: Any = obj.data
            bpy.data.objects.remove(obj)
            if not mesh.users:
                bpy.data.meshes.remove(mesh)
