"""Model files of imported geometry, as Blender's importers read them.

Tomb Editor reads the meshes of a file in its own axes and units, and ignores how the file places them. So
places of objects are ignored here, too, and an importer's change of axes is reversed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Image, Material, Mesh
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import Floats, T
from ....formats.editors.projects import (
    ADDITIVE_MATERIALS,
    DOUBLE_SIDED_MATERIALS,
    LoadImage,
    ModelArrays,
    join_models,
    load_mqo,
    load_obj,
)
from ...core.blender.cleanup import temporary_scene
from ...core.blender.compat import model_importer, used_nodes
from ...core.blender.handler_suspension import handlers_suspended
from ...core.membership import members
from ...mesh.blender_mesh import material_slots, read_shape
from ...subjects.meshes.layers import read_uvs, shown_color, shown_uv_map
from ...subjects.textures.materials import user_image
from ...subjects.textures.pixels import read_pixels

_GLTF = (".gltf", ".glb")
_MOST_LIGHT = 2.0  # what a color of 1 in a file means
_OPAQUE = 1 - 1e-3


class ModelFiles:
    """Reads models and images, also images that are packed in models."""

    def __init__(self, load_image: LoadImage) -> None:
        self._load_image = load_image
        self._packed: dict[Path, NDArray[np.uint8]] = {}

    def load_image(self, path: Path) -> NDArray[np.uint8]:
        """Return an image, (h, w, 4) uint8 RGBA from the top."""
        packed = self._packed.get(path)
        return self._load_image(path) if packed is None else packed

    def load_model(self, path: Path, inverted: bool) -> ModelArrays:
        """Return a model.

        Raises:
            FormatError: if it is damaged.
            OSError, ValueError: if it cannot be read.
        """
        suffix = path.suffix.lower()
        if suffix == ".obj":
            return load_obj(path, inverted=inverted)
        if suffix == ".mqo":
            return load_mqo(path, inverted=inverted)
        importer = model_importer(suffix)
        if importer is None:
            raise ValueError(T("files of this kind cannot be read here"))
        with handlers_suspended(), temporary_scene() as scene, _as_errors():
            with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
                importer(str(path))
            data = (obj.data for obj in members(scene.collection))
            meshes = {mesh.name: mesh for mesh in data if isinstance(mesh, Mesh)}
            parts = [
                self._read(mesh, path, turned=suffix in _GLTF, inverted=inverted)
                for _, mesh in sorted(meshes.items())
                if len(mesh.polygons)
            ]
        if not parts:
            raise ValueError(T("it has no faces"))
        return join_models(parts)

    def _read(self, mesh: Mesh, path: Path, *, turned: bool, inverted: bool) -> ModelArrays:
        """Return a mesh.

        Args:
            turned: whether the importer has turned its axes.
            inverted: the corners of polygons are in the other direction.
        """
        shape = read_shape(mesh)
        corners = _fans(shape.sizes, shape.starts, inverted=inverted)
        face = shape.face_of_corner[corners[:, 0]]
        uv_map = shown_uv_map(mesh)
        if uv_map is None:
            raise ValueError(T("it has no texture coordinates"))
        normals = np.empty((len(shape.corners), 3), np.float32)
        mesh.corner_normals.foreach_get("vector", normals.ravel())
        positions = shape.positions.astype(np.float64)
        materials: list[Material | None] = list(mesh.materials) or [None]
        slots = np.minimum(material_slots(mesh), len(materials) - 1)
        names = ["" if each is None else each.name for each in materials]
        own_colors = _colors(mesh, linear=turned)
        # Vertices that differ in color only are separate in the editor.
        vertices = np.arange(len(shape.corners)) if own_colors is not None else shape.corners
        return ModelArrays(
            _turned_back(positions[shape.corners] if own_colors is not None else positions, turned=turned),
            np.asarray(vertices[corners], np.int64),
            read_uvs(uv_map, len(shape.corners)).astype(np.float64)[corners],
            own_colors,
            _turned_back(normals.astype(np.float64), turned=turned)[corners],
            slots[face].astype(np.int64),
            [self._image(each, path) for each in materials],
            [
                name.startswith(DOUBLE_SIDED_MATERIALS)
                or (turned and material is not None and not material.use_backface_culling)
                for name, material in zip(names, materials, strict=True)
            ],
            [
                name.startswith(ADDITIVE_MATERIALS) or _is_clear(material)
                for name, material in zip(names, materials, strict=True)
            ],
        )

    def _image(self, material: Material | None, path: Path) -> Path | None:
        """Return the file of a material's image; that of a packed one is remembered."""
        image = None if material is None else user_image(material)
        if image is None:
            return None
        if image.packed_file is not None:
            packed_path = path / image.name
            self._packed[packed_path] = _pixels(image)
            return packed_path
        file_path = Path(bpy.path.abspath(image.filepath))
        return next((each for each in (file_path, path.parent / file_path.name) if each.is_file()), None)


@contextmanager
def _as_errors() -> Iterator[None]:
    """Raise what importers raise, which can be anything, as one kind of error."""
    try:
        yield
    except (OSError, ValueError):
        raise
    except Exception as error:  # importers of add-ons
        lines = str(error).strip().splitlines()
        raise ValueError(lines[-1] if lines else type(error).__name__) from None


def _pixels(image: Image) -> NDArray[np.uint8]:
    try:
        return read_pixels(image)
    except ExportError as error:
        raise ValueError(error.problem) from None


def _fans(sizes: NDArray[Any], starts: NDArray[Any], *, inverted: bool) -> NDArray[np.int64]:
    """Return the corners of the triangles of polygons, (n, 3); those of one share their first corner."""
    count = np.maximum(sizes - 2, 0)
    polygon = np.repeat(np.arange(len(sizes)), count)
    second = np.arange(len(polygon)) - (count.cumsum() - count)[polygon] + 1
    order = np.stack([np.zeros_like(second), second, second + 1], axis=1)
    if inverted:
        order = sizes[polygon, None] - 1 - order
    return np.asarray(starts[polygon, None] + order, np.int64)


def _turned_back(points: Floats, *, turned: bool) -> Floats:
    """Return points (n, 3) in the axes of the file; the importer of glTF makes z of y."""
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1) if turned else points


def _colors(mesh: Mesh, *, linear: bool) -> Floats | None:
    """Return the colors of the corners, 1 for normal light; None without."""
    layer: Any = shown_color(mesh)
    if layer is None:
        return None
    name = "color" if linear or layer.data_type == "FLOAT_COLOR" else "color_srgb"
    values = np.empty((len(layer.data), 4), np.float32)
    layer.data.foreach_get(name, values.ravel())
    colors = values[:, :3].astype(np.float64) * _MOST_LIGHT
    if layer.domain == "CORNER":
        return colors
    return colors[read_shape(mesh).corners]


def _is_clear(material: Material | None) -> bool:
    """Return whether a material is see-through as a whole: the editor blends its faces."""
    tree = None if material is None else used_nodes(material)
    for node in () if tree is None else tree.nodes:
        if node.type == "BSDF_PRINCIPLED":
            alpha: Any = node.inputs["Alpha"]
            return not alpha.is_linked and alpha.default_value < _OPAQUE
    return False
