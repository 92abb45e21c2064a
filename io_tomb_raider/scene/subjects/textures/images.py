"""Packed images with digests, by which changes are found."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Image
from numpy.typing import NDArray

from ....formats.levels.textures import encode_png
from ...core.blender.color import bytes_to_linear

_SAMPLED = 8  # step of rows and columns for the average color


class Picture(NamedTuple):
    """An image, ready for Blender."""

    png: bytes  #: the file.
    digest: str  #: the digest of the file.
    average: tuple[float, float, float]  #: the average color of opaque pixels, linear.


def make_picture(
    pixels: NDArray[np.uint8], palette: NDArray[np.uint8] | None = None, *, level: int = 1
) -> Picture:
    """Return an image for Blender.

    Args:
        pixels: (height, width, 4) RGBA, or (height, width) indices of a palette; top row first.
        palette: (k, 4) RGBA.
        level: compression level of zlib, 0 for none.
    """
    png = encode_png(pixels, palette, level=level)
    sample = pixels[::_SAMPLED, ::_SAMPLED]
    if palette is not None:
        sample = palette[sample]
    sample = sample.reshape(-1, sample.shape[-1])
    if sample.shape[1] == 4 and sample[:, 3].any():
        sample = sample[sample[:, 3] > 0]
    red, green, blue = bytes_to_linear(sample[:, :3]).mean(axis=0).tolist()
    return Picture(png, picture_digest(png), (red, green, blue))


def picture_digest(data: bytes) -> str:
    """Return the digest of an image file."""
    return blake2b(data, digest_size=16).hexdigest()


def make_image(name: str, picture: Picture) -> Image:
    """Make a packed image."""
    image = bpy.data.images.new(name, 1, 1, alpha=True)
    image.pack(data=picture.png, data_len=len(picture.png))
    # Blender reads the packed file when pixels are first accessed.
    image.source = "FILE"
    image.filepath_raw = f"//{bpy.path.clean_name(name)}.png"  # where Blender would unpack it to
    return image
