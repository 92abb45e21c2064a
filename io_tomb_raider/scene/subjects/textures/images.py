"""Packed images of pixels: how the extension gives pictures to Blender, and knows them again."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Image
from numpy.typing import NDArray

from ....formats.textures.png import encode_png
from ...core.color import bytes_to_linear

_SAMPLED = 8  # every so many pixels of a row and a column count for the average color


class Picture(NamedTuple):
    """An image, ready for Blender.

    Attributes:
        png: its file.
        digest: of that.
        average: color of what is opaque, linear.
    """

    png: bytes
    digest: str
    average: tuple[float, float, float]


def make_picture(
    pixels: NDArray[np.uint8], palette: NDArray[np.uint8] | None = None, *, level: int = 1
) -> Picture:
    """Return an image for Blender.

    Args:
        pixels: (height, width, 4) RGBA, or (height, width) indices of a palette; top row first.
        palette: (k, 4) RGBA.
        level: zlib's, 0 stores the pixels as they are.
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
    """Return what tells whether the file of an image is still the same."""
    return blake2b(data, digest_size=16).hexdigest()


def make_image(name: str, picture: Picture) -> Image:
    """Make a packed image of pixels that are ready."""
    image = bpy.data.images.new(name, 1, 1, alpha=True)
    image.pack(data=picture.png, data_len=len(picture.png))
    # Blender reads the packed file only when something asks for pixels.
    image.source = "FILE"
    image.filepath_raw = f"//{bpy.path.clean_name(name)}.png"  # where Blender would unpack it to
    return image
