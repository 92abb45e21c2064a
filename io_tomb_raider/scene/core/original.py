"""The original file, carried along in the scene so that a .blend alone can be exported.

A level that comes from no file is one of nothing and what the scene adds to it.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import cache

from bpy.types import Collection

from ...formats import FormatError, Game, Level, read_level
from ...formats.base.layout import inflate_whole
from ...formats.level.decoded import Decoded
from .stored import as_bytes, stored_bytes
from .subjects import Kind

_KEY = "tr_original"
_FILES = "tr_files"


# TR4 and TR5 files are compressed already: packing them again takes long and saves next to nothing.
_PACKED = b"TR4\0"
# Packing a small file saves little.
_SMALL = 1 << 20
_ZLIB = b"\x78"  # no level begins with it but early demos, which are zlib streams themselves

# The files of the last imports and exports, with what is packed and the file's name: users export again and
# again while they try a level in the game, and what was decoded for one export serves the next. They are
# compared, not looked up: the hash of a whole file takes ten times as long.
_recent: list[tuple[bytes, str, Decoded]] = []
_MOST_RECENT = 2


def compress(data: bytes) -> bytes:
    """Pack a file for the scene. Fast rather than small."""
    is_small = len(data) < _SMALL and not data.startswith(_ZLIB)
    return data if data.startswith(_PACKED) or is_small else zlib.compress(data, 1)


def kept(data: bytes) -> bytes:
    """Return a file as an import keeps it: as it is, since packing would take a tenth of the whole import.

    It is packed when the scene is saved, see :func:`pack_for_saving`.
    """
    return compress(data) if data.startswith(_ZLIB) else data


def pack_for_saving(root: Collection) -> None:
    """Pack the file that a level carries, unless it is packed, or not worth it."""
    data = root.get(_KEY)
    if not data or not isinstance(data, bytes) or data.startswith(_ZLIB) or not root.is_editable:
        return
    packed = compress(data)
    if packed is not data:
        store(root, packed, _recall(data, root.tomb_raider.source))


def store(root: Collection, packed: bytes, decoded: Decoded | None = None) -> None:
    """Keep a file with its level's root collection.

    Args:
        root: the collection; ``tomb_raider.source`` is the file's name.
        packed: the file, as :func:`compress` or :func:`kept` gives it.
        decoded: the same file, if it has been decoded already.
    """
    # Overwriting bytes in place loses them in every Blender up to 5.2.
    if root.get(_KEY) is not None:
        del root[_KEY]
    root[_KEY] = packed
    if decoded is not None:
        _remember(packed, root.tomb_raider.source, decoded)


def store_files(root: Collection, files: Mapping[str, bytes]) -> None:
    """Keep the files of objects (WAD, WAD2) that a level was made from.

    Args:
        root: the level's root collection.
        files: their content by suffix; empty ones count for nothing.
    """
    root[_FILES] = {suffix[1:]: compress(content) for suffix, content in files.items() if content}


def has_files(root: Collection) -> bool:
    """Tell whether a level was made from files of objects."""
    return root.get(_FILES) is not None


def load_files(root: Collection) -> dict[str, bytes]:
    """Return the files of objects that a level was made from, by suffix; none for other levels.

    Raises:
        FormatError: where they are damaged.
    """
    kept = root.get(_FILES)
    if kept is None:
        return {}
    if not hasattr(kept, "items"):
        raise FormatError(f"{root.name}, packed", "files by their suffixes", type(kept).__name__)
    found = ((f".{name}", as_bytes(content, f"{root.name}.{name}")) for name, content in kept.items())
    return {suffix: _unpack(content) for suffix, content in found if content is not None}


def load(root: Collection) -> Decoded | None:
    """Return the level that a root collection was made from, or None where the file it comes from is lost.

    For a level that comes from no file that is :meth:`~...formats.Level.empty`.

    Raises:
        FormatError: where what it carries is damaged.
    """
    packed = stored_bytes(root, _KEY)
    if packed is None:
        is_new = root.tomb_raider.kind == Kind.LEVEL and not root.tomb_raider.source
        return _nothing(Game[root.tomb_raider.game]) if is_new else None
    name = root.tomb_raider.source
    decoded = _recall(packed, name)
    if decoded is None:
        decoded = Decoded(read_level(_unpack(packed), name=name))
    _remember(packed, name, decoded)
    return decoded


@cache
def _nothing(game: Game) -> Decoded:
    return Decoded(Level.empty(game))


def _unpack(packed: bytes) -> bytes:
    return inflate_whole(packed, "the packed level") if packed.startswith(_ZLIB) else packed


def _recall(packed: bytes, name: str) -> Decoded | None:
    same = (decoded for data, called, decoded in _recent if called == name and data == packed)
    return next(same, None)


def _remember(packed: bytes, name: str, decoded: Decoded) -> None:
    """Put a file behind all others, the first of which are forgotten."""
    others = [entry for entry in _recent if entry[2] is not decoded or entry[0] != packed]
    _recent[:] = [*others, (packed, name, decoded)][-_MOST_RECENT:]


def forget() -> None:
    """Forget the files of the last imports and exports."""
    _recent.clear()
