"""Painted pages survive File > Save: Blender keeps paint in memory only, until images are saved, too."""

from __future__ import annotations

from bpy.types import Collection


def pack_painted(root: Collection) -> list[str]:
    """Pack what was painted on a level's images since they were packed, and return their names.

    Images that users have unpacked into files of their own stay as they are: Blender asks about those.
    """
    packed = []
    for entry in root.tomb_raider.images:
        image = entry.image
        if image is not None and image.is_dirty and image.packed_file is not None and image.library is None:
            image.pack()
            packed.append(image.name)
    return packed
