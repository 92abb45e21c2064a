"""Texture regions: rectangles of images, found by the faces' UVs and materials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Image, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ...core.membership import members
from ...core.subjects import OF_ROOMS, Kind
from ...mesh.blender_mesh import material_slots, read_shape
from ...subjects.meshes.layers import read_uvs
from ...subjects.textures.materials import user_image
from ...subjects.textures.pixels import read_pixels, with_holes

_TEXTURED = (*OF_ROOMS, Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH)
_SLACK = 0.02  # texels
# The session_uid of images changed in this session, which undo does not change.
_replaced: set[int] = set()


class TextureRegion(NamedTuple):
    """A rectangle of an image."""

    image: Image  #: the page, or a user image.
    #: left, bottom, right, top: whole texels from the left and from below, as in Blender.
    left: int
    bottom: int
    right: int
    top: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in texels."""
        return self.right - self.left, self.top - self.bottom


def piece_of(mesh: Mesh, face: int) -> TextureRegion | None:
    """Return the texture region of a face of a mesh that is not in edit mode, None if it shows no image."""
    if not 0 <= face < len(mesh.polygons):
        return None
    slot = mesh.polygons[face].material_index
    image = _images(mesh).get(slot)
    bounds = _bounds(mesh, np.array([face]), image) if image is not None else None
    return None if image is None or bounds is None else TextureRegion(image, *bounds[0].tolist())


def faces_showing(mesh: Mesh, piece: TextureRegion) -> NDArray[np.int64]:
    """Return the faces of a mesh, not in edit mode, that show a texture region."""
    slots = [slot for slot, image in _images(mesh).items() if image == piece.image]
    if not slots or not len(mesh.polygons):
        return np.zeros(0, np.int64)
    faces = np.flatnonzero(np.isin(material_slots(mesh), slots))
    bounds = _bounds(mesh, faces, piece.image)
    if bounds is None:
        return np.zeros(0, np.int64)
    return faces[(bounds == piece[1:]).all(axis=1)]


def level_meshes(root: Collection) -> Iterator[tuple[Mesh, Object]]:
    """Yield the textured meshes of a level, each once, with one of its objects."""
    seen: set[Mesh] = set()
    for obj in members(root):
        mesh = obj.data
        if obj.tomb_raider.kind in _TEXTURED and isinstance(mesh, Mesh) and mesh not in seen:
            seen.add(mesh)
            yield mesh, obj


def replace_piece(piece: TextureRegion, picture: Image) -> None:
    """Replace a texture region by an image, resized to fit: all faces with the region show it.

    Magenta of a picture without transparency becomes holes.

    Raises:
        ExportError: if the image has no pixels, or the region exceeds its page.
    """
    pixels = with_holes(read_pixels(picture))
    size = piece.image.size
    if piece.left < 0 or piece.bottom < 0 or piece.right > size[0] or piece.top > size[1]:
        raise ExportError(piece.image.name, T("the face shows more than the image, which it repeats"))
    width, height = piece.size
    rows = np.empty(size[0] * size[1] * 4, np.float32)
    page: Any = piece.image
    page.pixels.foreach_get(rows)
    target = rows.reshape(size[1], size[0], 4)[piece.bottom : piece.top, piece.left : piece.right]
    target[:] = resampled(pixels, width, height)[::-1].astype(np.float32) / 255
    page.pixels.foreach_set(rows)
    page.update()
    page.pack()  # otherwise Blender does not save the pixels
    _replaced.add(page.session_uid)


def reload_images() -> None:
    """Reload changed images from their packed files, which undo restores without the pixels."""
    images = bpy.data.images
    for image in images:
        if image.session_uid in _replaced and image.packed_file is not None and not image.is_dirty:
            image.buffers_free()
            image.gl_free()


def resampled(pixels: NDArray[np.uint8], width: int, height: int) -> NDArray[np.uint8]:
    """Return pixels, (h, w, 4), resized: averaged where smaller, repeated where larger."""
    result = pixels.astype(np.float64)
    result[..., :3] *= result[..., 3:]  # transparent pixels do not affect colors
    for axis, size in ((0, height), (1, width)):
        result = _along(result, axis, size)
    alpha = result[..., 3:]
    result[..., :3] /= np.where(alpha > 0, alpha, 1)
    return np.rint(result).clip(0, 255).astype(np.uint8)


def _along(values: NDArray[np.float64], axis: int, size: int) -> NDArray[np.float64]:
    """Return the means of equal intervals along an axis, which may split values."""
    length = values.shape[axis]
    moved = np.moveaxis(values, axis, 0)
    if length % size == 0:
        return np.moveaxis(moved.reshape(size, -1, *moved.shape[1:]).mean(axis=1), 0, axis)
    sums = np.concatenate([np.zeros((1, *moved.shape[1:])), np.cumsum(moved, axis=0)])
    edges = np.arange(size + 1) * length / size
    low = np.minimum(edges.astype(np.int64), length - 1)
    part = (edges - low).reshape(-1, *([1] * (moved.ndim - 1)))
    up_to = sums[low] + moved[low] * part
    return np.moveaxis(np.diff(up_to, axis=0) * size / length, 0, axis)


def _images(mesh: Mesh) -> dict[int, Image]:
    images = {slot: user_image(material) for slot, material in enumerate(mesh.materials) if material}
    return {slot: image for slot, image in images.items() if image is not None}


def _bounds(mesh: Mesh, faces: NDArray[np.int64], image: Image) -> NDArray[np.int64] | None:
    """Return left, bottom, right and top of the regions of faces, (n, 4); None without UVs."""
    layer = mesh.uv_layers.active
    if layer is None or not len(faces):
        return None if layer is None else np.zeros((0, 4), np.int64)
    starts, size = read_shape(mesh).starts, image.size
    texels = read_uvs(layer, len(mesh.loops)).astype(np.float64) * (size[0], size[1])
    low = np.minimum.reduceat(texels, starts, axis=0)[faces]
    high = np.maximum.reduceat(texels, starts, axis=0)[faces]
    left_bottom = np.floor(low + _SLACK).astype(np.int64)
    right_top = np.maximum(np.ceil(high - _SLACK).astype(np.int64), left_bottom + 1)
    return np.concatenate([left_bottom, right_top], axis=1)
