"""Images of PAK files (documentation, chapter 13): logos and screens of TR4 and TR5."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Image
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T, joined
from ....formats.levels.cutscenes import PICTURE_KINDS, Pak, decode_picture, encode_picture, read_pak
from ....formats.levels.textures import encode_png
from ...core.blender.cleanup import undone_on_failure
from ...core.reporting.report import printable
from ...core.stored import stored_bytes
from ...subjects.textures.pixels import read_pixels

_KEY = "tr_pak"
_OPAQUE = 255


def import_picture(data: bytes, name: str) -> Image:
    """Create an image of a PAK file.

    Raises:
        FormatError: if it is no PAK file, or has no image.
    """
    pixels = decode_picture(read_pak(data).content)
    height, width = pixels.shape[:2]
    opaque = np.full((height, width, 1), _OPAQUE, np.uint8)
    png = encode_png(np.concatenate([pixels, opaque], axis=-1))
    with undone_on_failure():
        image = bpy.data.images.new(printable(name), 1, 1, alpha=False)
        image.source = "FILE"
        image.pack(data=png, data_len=len(png))
        image.tomb_raider.kind = "PICTURE"
        # Nothing uses it yet, and Blender does not save unused data-blocks.
        image.use_fake_user = True
        image[_KEY] = data
    return image


def export_picture(image: Image) -> bytes:
    """Return an image as a PAK file, an unchanged import byte for byte.

    Its size determines the layout: logos have 24 bits per pixel, screens 15.

    Raises:
        ExportError: if the games have no images of this size.
        FormatError: if the stored original is damaged.
    """
    sizes = {(kind.width, kind.height) for kind in PICTURE_KINDS}
    size = image.size
    width, height = size[0], size[1]
    if (width, height) not in sizes:
        listed_sizes = joined(
            T(" or "),
            (T("{width} by {height}", width=kind.width, height=kind.height) for kind in PICTURE_KINDS),
        )
        raise ExportError(
            image.name,
            T(
                "is {width} by {height} pixels, and the games have {sizes}",
                width=width,
                height=height,
                sizes=listed_sizes,
            ),
        )
    pixels = read_pixels(image)
    if (pixels[..., 3] < _OPAQUE).any():
        pixels = _on_black(pixels)
    packed = stored_bytes(image, _KEY)
    old = None if packed is None else read_pak(packed)
    content = encode_picture(pixels[..., :3], old.content if old is not None else None)
    return (old.with_content(content) if old is not None else Pak.of(content)).to_bytes()


def _on_black(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an image blended with black, as the games' images have no transparency."""
    alpha = pixels[..., 3:].astype(np.uint16)
    result = pixels.copy()
    result[..., :3] = (pixels[..., :3] * alpha + 127) // 255
    return result
