"""Hair at the positions of the engines' tables, continuous with the head."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from numpy.typing import NDArray

from io_tomb_raider.scene.subjects.models.hair import Tail, tails_of, weld_tail


def head_with(*tails: tuple[tuple[float, float, float], tuple[int, ...]]) -> NDArray[np.float64]:
    """Return the vertices of a head far away from hair, except for its roots."""
    vertices = np.full((90, 3), 500.0)
    for start, roots in tails:
        vertices[list(roots)] = np.add(start, [(-10, 0, 5), (10, 0, 5), (10, 0, -5), (-10, 0, -5)])
    return vertices


@pytest.mark.parametrize("roots", [(37, 39, 40, 38), (25, 27, 28, 26)])
def test_vertices_of_the_head_give_the_roots_of_the_hair(roots: tuple[int, ...]) -> None:
    start = (-4.0, -4.0, -48.0)
    assert tails_of(head_with((start, roots))) == (Tail(start, roots),)
    # Neither on a head with fewer vertices, nor on one with other positions of these.
    for head in (head_with((start, roots))[:25], head_with()):
        assert tails_of(head) == (Tail(start),)


def test_young_lara_has_two_tails() -> None:
    tails = ((-52.0, -48.0, -50.0), (79, 78, 76, 77)), ((44.0, -48.0, -50.0), (68, 69, 70, 71))
    assert [tuple(each) for each in tails_of(head_with(*tails))] == list(tails)


def add_quad(name: str, points: NDArray[np.float64], matrix: Any) -> Any:
    mesh: Any = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], [(0, 1, 2, 3)])
    obj = bpy.data.objects.new(name, mesh)
    obj.matrix_world = matrix
    bpy.context.scene.collection.objects.link(obj)
    return obj


def test_the_ends_of_joints_are_those_of_their_neighbors(blender: ModuleType) -> None:
    random = np.random.default_rng(1)
    head = add_quad("Head", random.uniform(-1, 1, (50, 3)), Matrix.Rotation(0.5, 4, "X"))
    turns = [Matrix.Translation((0, 0, -each)) @ Matrix.Rotation(each, 4, "Y") for each in range(6)]
    made = {each: add_quad(f"Hair {each}", random.uniform(-1, 1, (9, 3)), turns[each]) for each in range(6)}
    weld_tail(Tail((0, 0, 0), (37, 39, 40, 38)), head, made)
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    seen = {}
    for each, obj in (("head", head), *made.items()):
        drawn: Any = obj.evaluated_get(graph)
        seen[each] = np.array([drawn.matrix_world @ vertex.co for vertex in drawn.data.vertices])
    assert np.allclose(seen[0][:4], seen["head"][[37, 39, 40, 38]], atol=1e-5)
    for joint in (0, 2, 4):
        assert np.allclose(seen[joint][4:8], seen[joint + 1][:4], atol=1e-5)
    for joint in (2, 4):
        assert np.allclose(seen[joint][:4], seen[joint - 1][4:8], atol=1e-5)
    # All other objects are unchanged.
    for each, obj in made.items():
        own = np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])
        kept = slice(8, None) if each in (0, 2, 4) else slice(None)
        assert np.allclose(seen[each][kept], own[kept], atol=1e-5)
