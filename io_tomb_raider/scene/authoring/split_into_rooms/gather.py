"""The faces that mesh objects show, as arrays: with their modifiers, materials, UV maps and colors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object
from numpy.typing import NDArray

from ....formats.base.units import SECTOR_SIZE
from ...core.color import bytes_to_linear
from ...core.evaluated import evaluation
from ...core.space import Space, world_matrix
from ...subjects.meshes.arrays import UV_MAP
from ...subjects.meshes.layers import read_uvs, shown_color, shown_uv_map
from ...subjects.meshes.placed import vertices_of
from .soup import Soup, join

_FLAT = 1e-3  # of a quad's area: what it may be bent
_HALF_LIGHT = (128, 128, 128, 255)  # leaves textures as they are


class Gathered:
    """Faces of several objects.

    Attributes:
        soup: the faces.
        materials: those that they show, by number; None for faces without one.
        without_material: the names of objects that have such faces.
        without_uvs: the names of objects that had no UV map, and have got one.
    """

    def __init__(self) -> None:
        self.soup = join([])
        self.materials: list[Material | None] = []
        self.without_material: list[str] = []
        self.without_uvs: list[str] = []

    def number(self, material: Material | None) -> int:
        """Return the number of a material, which joins the list if it is not on it."""
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)


def gather(things: Sequence[Object], space: Space) -> Gathered:
    """Return the faces that mesh objects show, where they stand.

    Args:
        things: mesh objects.
        space: of the level that they are for.

    Raises:
        ExportError: where one stands nowhere.
    """
    found, parts = Gathered(), []
    with _shown(things) as meshes:
        for thing, mesh in meshes:
            if len(mesh.polygons):
                parts.append(_read(thing, mesh, space, found))
    found.soup = join(parts)
    return found


@contextmanager
def _shown(things: Sequence[Object]) -> Iterator[list[tuple[Object, Mesh]]]:
    """Find the meshes that objects show. Those that are made for this are removed afterwards."""
    shaped = [thing for thing in things if thing.modifiers or getattr(thing.data, "shape_keys", None)]
    shown: dict[Object, Any] = {thing: thing.data for thing in things}
    made: list[Mesh] = []
    try:
        if shaped:
            copies: dict[Object, Any] = {thing: thing.copy() for thing in shaped}
            for copy in copies.values():
                copy.hide_viewport = False
            with evaluation(list(copies.values())) as graph:
                for thing, copy in copies.items():
                    evaluated = copy.evaluated_get(graph)
                    mesh = bpy.data.meshes.new_from_object(
                        evaluated, preserve_all_data_layers=True, depsgraph=graph
                    )
                    made.append(mesh)
                    shown[thing] = mesh
        yield list(shown.items())
    finally:
        bpy.data.batch_remove(made)


def _read(thing: Object, mesh: Mesh, space: Space, found: Gathered) -> Soup:
    matrix = np.array(world_matrix(thing), np.float64)
    points = space.to_file(vertices_of(mesh) @ matrix[:3, :3].T + matrix[:3, 3], thing.name, "a vertex")
    loops, sizes, polygon = _corners(mesh, points)
    if np.linalg.det(matrix[:3, :3]) < 0:
        loops = _turned(loops, sizes)
    verts = np.empty(len(mesh.loops), np.int32)
    layer = mesh.attributes[".corner_vert"]
    layer.data.foreach_get("value", verts)
    uvs = {}
    shown = shown_uv_map(mesh)
    for each in mesh.uv_layers:
        if each.name != UV_MAP:
            uvs[each.name] = read_uvs(each, len(mesh.loops))[loops].astype(np.float64)
    if shown is not None:
        uvs[UV_MAP] = read_uvs(shown, len(mesh.loops))[loops].astype(np.float64)
    soup = Soup(
        points,
        verts[loops].astype(np.int64),
        sizes,
        _materials(thing, mesh, found)[polygon],
        uvs,
        _colors(mesh, verts, loops),
    )
    if shown is None:
        found.without_uvs.append(thing.name)
        soup.uvs[UV_MAP] = _projected(soup)
    return soup


def _corners(
    mesh: Mesh, points: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the corners of triangles and of flat, convex quads, and the sizes and polygons of these.

    Other faces come as Blender's triangles for them.
    """
    count = len(mesh.polygons)
    starts, totals = np.empty(count, np.int32), np.empty(count, np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    mesh.polygons.foreach_get("loop_total", totals)
    verts = np.empty(len(mesh.loops), np.int32)
    layer = mesh.attributes[".corner_vert"]
    layer.data.foreach_get("value", verts)
    quads = np.flatnonzero(totals == 4)
    rows = starts[quads][:, None] + np.arange(4)
    quads = quads[_is_plain(points[verts[rows]])]
    whole = np.zeros(count, bool)
    whole[quads] = True
    mesh.calc_loop_triangles()
    loops = np.empty((len(mesh.loop_triangles), 3), np.int32)
    polygon = np.empty(len(loops), np.int32)
    if len(loops):
        mesh.loop_triangles.foreach_get("loops", loops.ravel())
        mesh.loop_triangles.foreach_get("polygon_index", polygon)
    apart = ~whole[polygon]
    loops, polygon = loops[apart], polygon[apart]
    corners = np.concatenate([(starts[quads][:, None] + np.arange(4)).ravel(), loops.ravel()])
    sizes = np.repeat([4, 3], [len(quads), len(loops)])
    return corners.astype(np.int64), sizes.astype(np.int64), np.concatenate([quads, polygon]).astype(np.int64)


def _is_plain(corners: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which quads, (n, 4, 3), are flat and convex."""
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    size = np.linalg.norm(normal, axis=1)
    unit = normal / np.maximum(size, 1e-12)[:, None]
    bend = np.abs(((corners[:, 1] - corners[:, 0]) * unit).sum(axis=1))
    bend += np.abs(((corners[:, 3] - corners[:, 0]) * unit).sum(axis=1))
    edges = np.roll(corners, -1, axis=1) - corners
    turns = (np.cross(edges, np.roll(edges, -1, axis=1)) * unit[:, None]).sum(axis=2)
    return np.asarray((bend <= _FLAT * np.sqrt(np.maximum(size, 1e-12))) & (turns > 0).all(axis=1))


def _turned(loops: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the corners of faces that show their other side."""
    starts, size = np.repeat(np.cumsum(sizes) - sizes, sizes), np.repeat(sizes, sizes)
    return loops[starts + (starts - np.arange(len(loops))) % size]


def _materials(thing: Object, mesh: Mesh, found: Gathered) -> NDArray[np.int64]:
    """Return the numbers of the materials that faces show, (f,)."""
    shown: list[Material | None] = list(mesh.materials)
    for place, slot in enumerate(thing.material_slots):
        if slot.link == "OBJECT" and place < len(shown):
            shown[place] = slot.material
    numbers = np.array([found.number(material) for material in shown or [None]])
    slots = np.zeros(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("material_index", slots)
    chosen = np.clip(slots, 0, len(numbers) - 1)
    if any(material is None for material in [(shown or [None])[slot] for slot in np.unique(chosen).tolist()]):
        found.without_material.append(thing.name)
    return numbers[chosen].astype(np.int64)


def _colors(mesh: Mesh, verts: NDArray[np.int32], loops: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the colors that are rendered at some corners, (k, 4) linear; half light without any."""
    layer = shown_color(mesh)
    if layer is None:
        return np.tile(bytes_to_linear(np.array([_HALF_LIGHT], np.uint8)).astype(np.float64), (len(loops), 1))
    colors = np.empty((len(layer.data), 4), np.float32)
    layer.data.foreach_get("color", colors.ravel())
    return np.asarray(colors[verts[loops] if layer.domain == "POINT" else loops], np.float64)


def _projected(soup: Soup) -> NDArray[np.float64]:
    """Return UVs for faces that have none: a picture per sector, upright on walls, (k, 2)."""
    across = np.repeat(np.abs(soup.normals).argmax(axis=1), soup.sizes)
    at = soup.points[soup.corners] / SECTOR_SIZE
    u = np.where(across == 0, at[:, 2], at[:, 0])
    v = np.where(across == 1, at[:, 2], -at[:, 1])
    return np.stack([u, v], axis=1)
