"""Materials for all exporters: one shader, and an image linked to its color.

The FBX and OBJ exporters find images only if they are linked to the shader itself. So vertex light is not
part of the nodes; it is a color attribute that users can export.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Image, Material
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import T
from ....formats.levels.textures import cut_image, encode_png
from ...core.blender import compat
from ...core.blender.color import bytes_to_linear, linear_to_bytes
from ...core.blender.compat import LONGEST_NAME
from ...core.blender.node_builder import COLUMN
from ...subjects.meshes.arrays import MeshArrays
from ...subjects.textures.keys import MaterialKey, key_array
from ...subjects.textures.materials import (
    MISSING_COLOR,
    MaterialKeys,
    material_label,
    surface_mode,
    user_attribute,
    user_color,
    user_image,
)
from ...subjects.textures.pixels import read_pixels
from ...subjects.textures.shader import ADDITIVE, COLOR_KEYED, OPAQUE, set_display_color

_SOLID = 128  # the alpha from which a texel is opaque
_PLAIN_COLOR = (0.8, 0.8, 0.8)
_UNSAFE = re.compile(r"[^\w. ()-]+")


class MaterialLook(NamedTuple):
    """The look of some faces."""

    label: str  #: the material's name.
    mode: str  #: one of the modes of :mod:`...subjects.textures.shader`.
    image: Image | None  #: the image, or None for one color.
    color: tuple[float, float, float]  #: the color, linear.
    double_sided: bool  #: whether the faces are visible from both sides.
    cut: bool  #: whether they show texture regions of a page, which can become images.


class PreparedMaterials:
    """The materials of one preparation, each made once."""

    def __init__(self, root: Collection, *, pieces: bool, folder: Path | None, wadtool: bool = False) -> None:
        """Start without materials.

        Args:
            pieces: turn each texture region of a page into an image.
            folder: where to save images as files; None to pack them.
            wadtool: give all materials images, and names by which WadTool knows how to draw their faces.
        """
        self._game = Game[root.tomb_raider.game]
        self._pages = {(e.kind, e.page): e.image for e in root.tomb_raider.images if e.image is not None}
        self._folder, self._is_cut, self._wadtool = folder, pieces, wadtool
        self._materials: dict[tuple[Any, ...], Material] = {}
        self._images: dict[Any, Image] = {}
        self._pixels: dict[Image, NDArray[np.uint8]] = {}
        self.keys = MaterialKeys(root)
        self.colored: list[str] = []  #: materials that got an image of their color, for WadTool.

    def show(self, arrays: MeshArrays) -> dict[MaterialKey, Material]:
        """Return materials for a mesh by new keys, which are set on its faces.

        If texture regions become images, the UVs change too.
        """
        keys, slots = arrays.slots
        materials: list[Material] = []
        indices = np.zeros(len(arrays.sizes), np.int64)
        for slot, key in enumerate(keys):
            rows = np.flatnonzero(slots == slot)
            look = self._look(key, arrays.own_materials)
            if look.cut and self._is_cut:
                self._cut(arrays, rows, look, materials, indices)
            else:
                indices[rows] = _index_of(
                    materials, self._material(look, look.label, self._whole(look.image))
                )
        named = [MaterialKey("OWN", number, 0, False, 0) for number in range(len(materials))]
        arrays.__dict__.pop("slots", None)  # a cached property
        arrays.keys = key_array(named).take(indices) if named else arrays.keys
        arrays.own_materials = materials
        return dict(zip(named, materials, strict=True))

    # --- Looks

    def _look(self, key: MaterialKey, own: list[Material]) -> MaterialLook:
        if key.kind == "OWN":
            return self._own_look(own[key.page])
        label, mode = material_label(key), surface_mode(key.attribute)
        image = self._pages.get((key.kind, key.page if key.kind == "PAGE" else 0))
        if key.kind not in ("PAGE", "PALETTE") or image is None:
            color = _PLAIN_COLOR if key.kind == "NONE" else MISSING_COLOR
            return MaterialLook(
                "Plain" if key.kind == "NONE" else label, OPAQUE, None, color, key.double_sided, False
            )
        return MaterialLook(label, mode, image, _PLAIN_COLOR, key.double_sided, key.kind == "PAGE")

    def _own_look(self, material: Material) -> MaterialLook:
        image, attribute = user_image(material), user_attribute(material, self._game)
        double_sided = not material.use_backface_culling
        if image is None:
            red, green, blue = bytes_to_linear(np.array(user_color(material), np.uint8)).tolist()
            return MaterialLook(material.name, OPAQUE, None, (red, green, blue), double_sided, False)
        if attribute is None:
            mode = COLOR_KEYED if (self._read(image)[..., 3] < _SOLID).any() else OPAQUE
        else:
            mode = surface_mode(attribute)
        return MaterialLook(material.name, mode, image, _PLAIN_COLOR, double_sided, False)

    def _read(self, image: Image) -> NDArray[np.uint8]:
        if image not in self._pixels:
            self._pixels[image] = read_pixels(image)
        return self._pixels[image]

    def _cut(
        self,
        arrays: MeshArrays,
        rows: NDArray[np.int64],
        look: MaterialLook,
        materials: list[Material],
        indices: NDArray[np.int64],
    ) -> None:
        """Give faces images of their texture regions instead of a page."""
        assert look.image is not None
        size = arrays.sizes[rows]
        corners = arrays.starts[rows, None] + np.minimum(np.arange(4), size[:, None] - 1)
        cut = cut_image(self._read(look.image), arrays.uvs[corners], size == 3, look.image.name, "EXTEND")
        scale = cut.sizes[cut.tile].astype(np.float64)[:, None]
        uvs = cut.corners / scale * (1.0, -1.0) + (0.0, 1.0)
        for corner in range(4):
            is_corner = corner < size
            arrays.uvs[corners[is_corner, corner]] = uvs[is_corner, corner].astype(np.float32)
        for number, tile in enumerate(cut.tiles):
            # Equal pixels share an image, also across meshes.
            key = (look.image, tile.shape, tile.tobytes())
            label = f"{look.label} Piece {len([k for k in self._images if isinstance(k, tuple)]):03}"
            image = self._image(key, label, partial(np.array, tile))
            name = f"{image.name}{'' if look.mode == OPAQUE else f' {look.mode}'}"
            indices[rows[cut.tile == number]] = _index_of(materials, self._material(look, name, image))

    # --- Images

    def _whole(self, image: Image | None) -> Image | None:
        """Return the image, or its copy with a file if files are wanted."""
        if image is None or (self._folder is None and not self._wadtool):
            return image
        return self._image(image, image.name, lambda: self._read(image))

    def _image(self, key: object, name: str, pixels: Callable[[], NDArray[np.uint8]]) -> Image:
        if key not in self._images:
            if self._wadtool:
                name = name.replace(" ", "_")  # some readers of glTF do not decode %20
            self._images[key] = _image_of(name, pixels(), self._folder)
        return self._images[key]

    def _material(self, look: MaterialLook, name: str, image: Image | None) -> Material:
        if self._wadtool:
            if image is None:
                self.colored.append(name)
                color = [*linear_to_bytes(np.array(look.color, np.float32)).tolist(), 255]
                image = self._image(tuple(color), name, partial(np.full, (16, 16, 4), color, np.uint8))
            prefix = "TeBl" if look.mode == ADDITIVE else "TeOp"
            name = f"{prefix}{'DS' if look.double_sided else ''}_{name}"
        key = (name, look.mode, look.double_sided, image, look.color if image is None else None)
        if key not in self._materials:
            self._materials[key] = _simple(name, look, image)
        return self._materials[key]


def _index_of(materials: list[Material], material: Material) -> int:
    if material not in materials:
        materials.append(material)
    return materials.index(material)


def _image_of(name: str, pixels: NDArray[np.uint8], folder: Path | None) -> Image:
    """Create an image from pixels, (height, width, 4) top row first: packed, or saved in a folder.

    Raises:
        ExportError: if the file cannot be written.
    """
    data = encode_png(pixels)
    if folder is None:
        height, width = pixels.shape[:2]
        image = bpy.data.images.new(name[:LONGEST_NAME], width, height, alpha=True)
        image.pack(data=data, data_len=len(data))
        image.source = "FILE"
        image.filepath_raw = f"//{_UNSAFE.sub('_', name)}.png"  # exporters name image files by this path
        return image
    path = folder / f"{_UNSAFE.sub('_', name)}.png"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise ExportError(
            str(path), T("the image cannot be saved ({error})", error=str(error.strerror))
        ) from error
    loaded = bpy.data.images.load(str(path))
    loaded.name = name[:LONGEST_NAME]
    return loaded


def _simple(name: str, look: MaterialLook, image: Image | None) -> Material:
    """Create a material with one rough shader without specular reflection, which all exporters support."""
    material = bpy.data.materials.new(name[:LONGEST_NAME])
    tree = compat.material_nodes(material)
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    shader: Any = tree.nodes.new("ShaderNodeBsdfPrincipled")
    shader.location = (-2 * COLUMN, 0)
    output.location = (0, 0)
    tree.links.new(shader.outputs[0], output.inputs[0])
    shader.inputs["Roughness"].default_value = 1.0
    shader.inputs["Specular IOR Level"].default_value = 0.0
    if image is None:
        shader.inputs["Base Color"].default_value = (*look.color, 1.0)
        set_display_color(material, look.color)
    else:
        texture: Any = tree.nodes.new("ShaderNodeTexImage")
        texture.location = (-5 * COLUMN, 0)
        texture.image, texture.interpolation, texture.extension = image, "Closest", "EXTEND"
        tree.links.new(texture.outputs[0], shader.inputs["Base Color"])
        _link_alpha(tree, texture, shader, look.mode)
        tree.nodes.active = texture
    material.surface_render_method = "BLENDED" if look.mode == ADDITIVE else "DITHERED"
    compat.cull_back_faces(material, not look.double_sided)
    return material


def _link_alpha(tree: Any, texture: Any, shader: Any, mode: str) -> None:
    """Link the alpha of holes. The glTF exporter exports rounded alpha as an alpha mask."""
    if mode == COLOR_KEYED:
        rounded = tree.nodes.new("ShaderNodeMath")
        rounded.operation = "ROUND"
        rounded.location = (-3 * COLUMN, -COLUMN)
        tree.links.new(texture.outputs[1], rounded.inputs[0])
        tree.links.new(rounded.outputs[0], shader.inputs["Alpha"])
    elif mode == ADDITIVE:
        tree.links.new(texture.outputs[1], shader.inputs["Alpha"])
        tree.links.new(texture.outputs[0], shader.inputs["Emission Color"])
        shader.inputs["Emission Strength"].default_value = 1.0
