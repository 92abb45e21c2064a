"""Pictures of levels in saved files: what was painted, and what an import has only stored."""

from __future__ import annotations

from typing import Any

from bpy.types import Collection

from ....formats.textures.png import compress_png
from .images import picture_digest

_LEAST = 1 << 16  # bytes of a page whose pixels are stored; hardly any other has as many


def pack_painted(root: Collection) -> list[str]:
    """Pack what was painted on a level's images since they were packed, and return their names.

    Blender keeps paint in memory only, until images are saved, too. Images that users have unpacked into
    files of their own stay as they are: Blender asks about those.
    """
    packed = []
    for image in _packed_images(root):
        if image.is_dirty:
            image.pack()
            packed.append(image.name)
    return packed


def compress_pictures(root: Collection) -> None:
    """Compress a level's images that are as its import has made them, for which that takes too long."""
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
