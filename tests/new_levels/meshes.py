"""Plain meshes that become rooms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Material
from numpy.typing import NDArray

from tests.scene.authoring.split_into_rooms.air_meshes import SIDE, add_mesh, air_mesh

_PIXELS = 64
Sectors = tuple[int, int, int]


class Surfaces(NamedTuple):
    """The materials of a room."""

    wall: Material
    floor: Material
    ceiling: Material


def surfaces(name: str, color: tuple[float, float, float], pattern: Material) -> Surfaces:
    """Return materials with a picture of stones each, as copies of a game material."""
    return Surfaces(
        *(
            _material(f"{name} {part}", np.array(color) * shade, pattern)
            for part, shade in (("Wall", 1.0), ("Floor", 0.8), ("Ceiling", 0.6))
        )
    )


def _material(name: str, color: NDArray[np.float64], pattern: Material) -> Material:
    row, column = np.indices((_PIXELS, _PIXELS))
    shade = np.where((row // 16 + column // 32) % 2, 1.0, 0.85)
    shade[(row % 16 == 0) | ((column + 16 * (row // 16 % 2)) % 32 == 0)] = 0.5
    pixels = np.ones((_PIXELS, _PIXELS, 4), np.float32)
    pixels[..., :3] = color * shade[..., None]
    image: Any = bpy.data.images.new(name, _PIXELS, _PIXELS)
    image.pixels.foreach_set(pixels.ravel())
    image.pack()
    material: Any = pattern.copy()
    material.name = name
    next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE").image = image
    return material


def chamber(
    name: str, origin: Sectors, size: Sectors, look: Surfaces, *, without: Sequence[tuple[slice, ...]] = ()
) -> Any:
    """Add a mesh of squares around a space of whole sectors, with UVs, and return its object.

    Args:
        name: the name of the object.
        origin: its corner, in sectors.
        size: the size along x, y and z, in sectors.
        look: its materials.
        without: the solid parts of the space, by x, y and z.
    """
    air = np.ones(size, bool)
    for each in without:
        air[each] = False
    mesh = air_mesh(air, origin)
    obj = add_mesh(mesh, *look)
    obj.name = mesh.name = name
    _unwrap(mesh)
    return obj


def _unwrap(mesh: Any) -> None:
    """Map the whole picture of the material to every square, upright on walls."""
    count = len(mesh.polygons)
    normals: Any = np.empty(3 * count, np.float32)
    mesh.polygons.foreach_get("normal", normals)
    normals = normals.reshape(-1, 3)
    axis = np.abs(normals).argmax(axis=1)
    material = np.where(axis < 2, 0, np.where(normals[:, 2] > 0, 1, 2))
    mesh.polygons.foreach_set("material_index", material.astype(np.int32))
    points: Any = np.empty(3 * len(mesh.vertices), np.float32)
    corners = np.empty(4 * count, np.int32)
    mesh.vertices.foreach_get("co", points)
    mesh.loops.foreach_get("vertex_index", corners)
    at = points.reshape(-1, 3)[corners].reshape(count, 4, 3)
    at = (at - at.min(axis=1, keepdims=True)) / SIDE
    # Walls along y show y and z, walls along x show x and z, floors x and y.
    across, up = np.array([1, 0, 0])[axis], np.array([2, 2, 1])[axis]
    uvs = np.stack([np.take_along_axis(at, each[:, None, None], 2)[..., 0] for each in (across, up)], axis=2)
    layer = mesh.uv_layers.new(name="UVMap", do_init=False)
    layer.uv.foreach_set("vector", uvs.astype(np.float32).ravel())


def raise_floor(obj: Any, from_x: int, step: float, most: float) -> None:
    """Raise the floor of a chamber from a line on by a step per sector, up to a height, in sectors."""
    mesh = obj.data
    points: Any = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3)
    low = points[:, 2] == points[:, 2].min()
    points[low, 2] += np.clip((points[low, 0] / SIDE - from_x) * step, 0, most) * SIDE
    mesh.vertices.foreach_set("co", points.ravel())
    mesh.update()
