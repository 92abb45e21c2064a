"""The original file, carried along in the scene so that a .blend alone can be exported."""

from __future__ import annotations

import zlib

from bpy.types import Collection

from ..formats import Level, read_level

_KEY = "tr_original"


# TR4 and TR5 files are compressed already: packing them again takes long and saves next to nothing.
_PACKED = b"TR4\0"


def compress(data: bytes) -> bytes:
    """Pack a file for the scene. Fast rather than small; it may run beside other work."""
    return data if data.startswith(_PACKED) else zlib.compress(data, 1)


def store(root: Collection, packed: bytes) -> None:
    """Keep what :func:`compress` made with a level's new root collection."""
    # Overwriting bytes in place loses them in every Blender up to 5.2.
    if root.get(_KEY) is not None:
        del root[_KEY]
    root[_KEY] = packed


def load(root: Collection) -> Level | None:
    """Return the level that a root collection was imported from, or None where it carries none."""
    packed = root.get(_KEY)
    if not packed:
        return None
    data = packed if packed.startswith(_PACKED) else zlib.decompress(packed)
    return read_level(data, name=root.tomb_raider.source)
