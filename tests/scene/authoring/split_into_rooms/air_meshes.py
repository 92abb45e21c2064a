"""Meshes outside levels: a building of cubes of air, and hundreds of meshes with materials."""

from __future__ import annotations

import random
from typing import Any

import bpy
import numpy as np
from bpy.types import Material
from mathutils import Matrix
from numpy.typing import NDArray

SIDE = 2.0  # the side of a sector, in Blender

_STEPS = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)])


def air_mesh(air: NDArray[np.bool_], origin: tuple[int, int, int] = (0, 0, 0)) -> Any:
    """Return a mesh of squares around cubes of air, facing inward, as large as sectors.

    Args:
        air: by x, y and z, up.
        origin: of the first cube, in sectors.
    """
    padded = np.pad(air, 1)
    quads = []
    for step in _STEPS:
        beyond = np.roll(padded, tuple(-step), axis=(0, 1, 2))
        cells = np.argwhere(padded & ~beyond) - 1
        axis = int(np.abs(step).argmax())
        sides = [(axis + 1) % 3, (axis + 2) % 3]
        corners = np.repeat(cells[:, None], 4, axis=1)
        corners[:, :, axis] += step[axis] > 0
        for place, (first, second) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
            corners[:, place, sides[0]] += first
            corners[:, place, sides[1]] += second
        # Counterclockwise from the greater side, so squares on the lesser side face the air.
        quads.append(corners[:, ::-1] if step[axis] > 0 else corners)
    every = np.concatenate(quads)
    points, order = np.unique(every.reshape(-1, 3), axis=0, return_inverse=True)
    mesh: Any = bpy.data.meshes.new("Building")
    mesh.from_pydata(((points + origin) * SIDE).tolist(), [], order.reshape(-1, 4).tolist())
    return mesh


def add_mesh(mesh: Any, *materials: Material) -> Any:
    """Add a mesh to the scene, and return its object."""
    for material in materials:
        mesh.materials.append(material)
    obj = bpy.data.objects.new(mesh.name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def flat_material(name: str, color: tuple[float, float, float]) -> Any:
    """Create a material of one color."""
    material: Any = bpy.data.materials.new(name)
    material.diffuse_color = (*color, 1.0)
    return material


def scattered(count: int, seed: int) -> list[Any]:
    """Add many small meshes of all shapes, rotated, mirrored and scaled, each with one of some materials."""
    import bmesh  # importable only after bpy

    chance = random.Random(seed)
    materials = [flat_material(f"Color {each}", (each / 5, 0.5, 0.2)) for each in range(5)]
    objects = []
    for number in range(count):
        made: Any = bmesh.new()
        kind = number % 4
        if kind == 0:
            bmesh.ops.create_cube(made, size=chance.uniform(1, 8))
        elif kind == 1:
            bmesh.ops.create_icosphere(made, subdivisions=1, radius=chance.uniform(1, 4))
        elif kind == 2:
            bmesh.ops.create_cone(made, segments=9, radius1=3, radius2=1, depth=4, cap_ends=True)
        else:
            bmesh.ops.create_grid(made, x_segments=3, y_segments=3, size=6)
            made.verts.ensure_lookup_table()
            made.verts[5].co.z += 3  # quads that are not flat
        mesh = bpy.data.meshes.new(f"Thing {number}")
        made.to_mesh(mesh)
        made.free()
        obj = add_mesh(mesh, chance.choice(materials))
        angles = [chance.uniform(0, 6) for _ in range(3)]
        scale = (1, 1, -1) if number % 7 == 0 else (chance.uniform(0.5, 2), 1, 1)
        obj.matrix_basis = Matrix.LocRotScale(
            [chance.uniform(-45, 45), chance.uniform(-45, 45), chance.uniform(-8, 8)],
            Matrix.Rotation(angles[0], 3, "X") @ Matrix.Rotation(angles[1], 3, "Z"),
            scale,
        )
        objects.append(obj)
    bpy.context.view_layer.update()
    return objects
