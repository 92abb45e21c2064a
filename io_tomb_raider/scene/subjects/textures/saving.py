"""Packing and compression of a level's images when a file is saved."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection

from ....formats.levels.textures import compress_png
from .images import picture_digest

_LEAST = 1 << 16  # bytes of a page that is not compressed; hardly any other has as many


def pack_painted(root: Collection) -> list[str]:
    """Pack the painted images of a level, and return their names.

    Blender does not save painted pixels with the file. Images that users have unpacked are skipped: Blender
    asks about those.
    """
    packed = []
    for image in _packed_images(root):
        if image.is_dirty:
            image.pack()
            packed.append(image.name)
    return packed


def compress_pictures(root: Collection) -> None:
    """Compress unchanged images of a level, which imports store without compression for speed."""
    for image in _packed_images(root):
        if image.is_dirty or image.packed_file.size < _LEAST:
            continue
        stored = image.packed_file.data
        if picture_digest(stored) != image.tomb_raider.digest:
            continue
        smaller = compress_png(stored)
        if smaller is not stored:
            image.pack(data=smaller, data_len=len(smaller))
            image.tomb_raider.digest = picture_digest(smaller)


def _packed_images(root: Collection) -> list[Any]:
    images = [entry.image for entry in root.tomb_raider.images if entry.image is not None]
    return [each for each in images if each.packed_file is not None and each.library is None]
