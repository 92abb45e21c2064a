"""Packed images with digests, by which changes are found, and their packing when a file is saved."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Image
from numpy.typing import NDArray

from ....formats.levels.textures import compress_png, encode_png
from ...core.blender.color import bytes_to_linear

_SAMPLED = 8  # step of rows and columns for the average color
_LEAST = 1 << 16  # bytes of a page that is not compressed; hardly any other has as many


class EncodedPicture(NamedTuple):
    """An image, ready for Blender."""

    png: bytes  #: the file.
    digest: str  #: the digest of the file.
    average: tuple[float, float, float]  #: the average color of opaque pixels, linear.


def make_picture(
    pixels: NDArray[np.uint8], palette: NDArray[np.uint8] | None = None, *, level: int = 1
) -> EncodedPicture:
    """Return an image for Blender.

    Args:
        pixels: (height, width, 4) RGBA, or (height, width) indices of a palette; top row first.
        palette: (k, 4) RGBA.
        level: compression level of zlib, 0 for none.
    """
    png = encode_png(pixels, palette, level=level)
    colors = pixels[::_SAMPLED, ::_SAMPLED]
    if palette is not None:
        colors = palette[colors]
    colors = colors.reshape(-1, colors.shape[-1])
    if colors.shape[1] == 4 and colors[:, 3].any():
        colors = colors[colors[:, 3] > 0]
    red, green, blue = bytes_to_linear(colors[:, :3]).mean(axis=0).tolist()
    return EncodedPicture(png, picture_digest(png), (red, green, blue))


def picture_digest(data: bytes) -> str:
    """Return the digest of an image file."""
    return blake2b(data, digest_size=16).hexdigest()


def make_image(name: str, picture: EncodedPicture) -> Image:
    """Make a packed image."""
    image = bpy.data.images.new(name, 1, 1, alpha=True)
    image.pack(data=picture.png, data_len=len(picture.png))
    # Blender reads the packed file when pixels are first accessed.
    image.source = "FILE"
    image.filepath_raw = f"//{bpy.path.clean_name(name)}.png"  # where Blender would unpack it to
    return image


# --- Saving ----------------------------------------


def pack_painted(root: Collection) -> list[str]:
    """Pack the painted images of a level, and return their names.

    Blender does not save painted pixels with the file. Images that users have unpacked are skipped: Blender
    asks about those.
    """
    names = []
    for image in _packed_images(root):
        if image.is_dirty:
            image.pack()
            names.append(image.name)
    return names


def compress_pictures(root: Collection) -> None:
    """Compress unchanged images of a level, which imports store without compression for speed."""
    for image in _packed_images(root):
        if image.is_dirty or image.packed_file.size < _LEAST:
            continue
        data = image.packed_file.data
        if picture_digest(data) != image.tomb_raider.digest:
            continue
        compressed = compress_png(data)
        if compressed is not data:
            image.pack(data=compressed, data_len=len(compressed))
            image.tomb_raider.digest = picture_digest(compressed)


def _packed_images(root: Collection) -> list[Any]:
    images = [entry.image for entry in root.tomb_raider.images if entry.image is not None]
    return [each for each in images if each.packed_file is not None and each.library is None]
