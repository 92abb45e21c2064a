"""The original file, stored in the scene so that a .blend is enough for an export.

A level without a file starts from an empty one.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from bpy.types import Collection

from ...formats import FormatError, Game, Level, read_level
from ...formats.base import STORED_STREAMS, inflate_whole
from ...formats.editors.wads import WAD2, Objects, Wad2Level, blank_files, open_objects
from ...formats.levels.views import Decoded
from .stored import as_bytes, stored_bytes
from .subjects import Kind

if TYPE_CHECKING:
    from ...formats.editors.projects import CompiledProject

_KEY = "tr_original"
_FILES = "tr_files"
_BASE = "tr_base"


PROJECT = ".prj2"  # the suffix of the file of the project that a level was compiled from
ORIGIN = ".origin"  # the file of the origin of the level's parts

# TR4 and TR5 files are compressed: packing them takes long and saves next to nothing. Only those that were
# compiled from a project, and the pages of converted levels, are stored in chunks that are not compressed.
_PACKED = b"TR4\0"
_FIRST_STREAM = 18  # its place
# Packing a small file saves little.
_SMALL = 1 << 20
_ZLIB = b"\x78"  # besides packed files only early demos begin with it, which are zlib streams

# The levels of the last imports and exports, each with its packed file and file name, since users often
# export repeatedly. They are found by comparison: hashing a whole file takes ten times as long.
_recent: list[tuple[bytes, str, Decoded]] = []
_MOST_RECENT = 2


def compress(data: bytes) -> bytes:
    """Compress a file for the scene, for speed rather than size."""
    is_packed = data.startswith(_PACKED) and not data.startswith(STORED_STREAMS, _FIRST_STREAM)
    is_small = len(data) < _SMALL and not data.startswith(_ZLIB)
    return data if is_packed or is_small else zlib.compress(data, 1)


def _packed(data: bytes) -> bytes:
    return data if data.startswith(_ZLIB) else compress(data)


def kept(data: bytes) -> bytes:
    """Return a file as an import stores it: uncompressed, since compression takes a tenth of an import.

    It is compressed when the scene is saved, see :func:`pack_for_saving`.
    """
    return compress(data) if data.startswith(_ZLIB) else data


def pack_for_saving(root: Collection) -> None:
    """Compress the stored files of a level, if that is worth it."""
    if not root.is_editable:
        return
    data = root.get(_KEY)
    if data and isinstance(data, bytes):
        packed = _packed(data)
        if packed is not data:
            store(root, packed, _recall(data, root.tomb_raider.source))
    files = root.get(_FILES)
    contents = dict(files.items()) if hasattr(files, "items") else {}
    packed_files = {
        name: _packed(each) if isinstance(each, bytes) else each for name, each in contents.items()
    }
    if any(packed_files[name] is not each for name, each in contents.items()):
        del root[_FILES]  # as in `store`
        root[_FILES] = packed_files


def store(root: Collection, packed: bytes, decoded: Decoded | None = None) -> None:
    """Store a file on its level's root collection.

    Args:
        root: the collection; ``tomb_raider.source`` is the file's name.
        packed: the file, as returned by :func:`compress` or :func:`kept`.
    """
    # Up to Blender 5.2, overwriting bytes in place loses them.
    if root.get(_KEY) is not None:
        del root[_KEY]
    root[_KEY] = packed
    if decoded is not None:
        _remember(packed, root.tomb_raider.source, decoded)


def store_files(root: Collection, files: Mapping[str, bytes]) -> None:
    """Store the files that a level was made from: object files (WAD, WAD2), or a project.

    Args:
        files: their content by suffix; empty files are skipped.
    """
    root[_FILES] = {suffix[1:]: kept(content) for suffix, content in files.items() if content}


def has_files(root: Collection) -> bool:
    """Return whether a level was made from object files or a project."""
    return root.get(_FILES) is not None


def packed_file(root: Collection, suffix: str) -> bytes | None:
    """Return one of the files of :func:`load_files` as it is stored, or None."""
    stored = root.get(_FILES)
    content = stored.get(suffix[1:]) if hasattr(stored, "items") else None
    return None if content is None else as_bytes(content, f"{root.name}{suffix}")


def load_files(root: Collection) -> dict[str, bytes]:
    """Return the files that a level was made from, by suffix; empty for other levels.

    Raises:
        FormatError: if they are damaged.
    """
    stored = root.get(_FILES)
    if stored is None:
        return {}
    if not hasattr(stored, "items"):
        raise FormatError(f"{root.name}, packed", "files by their suffixes", type(stored).__name__)
    files = ((f".{name}", as_bytes(content, f"{root.name}.{name}")) for name, content in stored.items())
    return {suffix: _unpack(content) for suffix, content in files if content is not None}


def load(root: Collection) -> Decoded | None:
    """Return the original of a level, :meth:`~...formats.Level.empty` for a new one, or None if it is lost.

    Raises:
        FormatError: if the stored file is damaged.
    """
    packed = stored_bytes(root, _KEY)
    if packed is None:
        is_new = root.tomb_raider.kind == Kind.LEVEL and not root.tomb_raider.source
        return _nothing(Game[root.tomb_raider.game]) if is_new else None
    name = root.tomb_raider.source
    decoded = _recall(packed, name)
    if decoded is None:
        decoded = Decoded(read_level(_unpack(packed), name=name))
    if packed_file(root, PROJECT) is not None or _has_only_pages(decoded.level):
        # Exports compress its chunks, which the scene only stores.
        decoded.level.streams.clear()
    _remember(packed, name, decoded)
    return decoded


def _has_only_pages(level: Level) -> bool:
    """Return whether a level is the original of a converted one: without rooms, and not compressed."""
    streams = [bytes(stream[:4]) for _, stream in level.streams.values()]
    return bool(streams) and not level.rooms and all(each.startswith(STORED_STREAMS) for each in streams)


def base_bytes(root: Collection) -> bytes | None:
    """Return the packed file that a level was imported from, before edits for TRX replaced it."""
    base = stored_bytes(root, _BASE)
    return stored_bytes(root, _KEY) if base is None else base


def keep_base(root: Collection, packed: bytes | None) -> None:
    """Keep the file that a level was imported from, or forget it.

    Args:
        packed: the file, see :func:`base_bytes`; None if the original is that file.
    """
    if root.get(_BASE) is not None:
        del root[_BASE]
    if packed is not None:
        root[_BASE] = compress(_unpack(packed))


def load_base(root: Collection) -> Decoded | None:
    """Return the file that a level was imported from, see :func:`load`.

    Raises:
        FormatError: if the stored file is damaged.
    """
    packed = stored_bytes(root, _BASE)
    if packed is None:
        return load(root)
    return Decoded(read_level(_unpack(packed), name=root.tomb_raider.source))


@cache
def _nothing(game: Game) -> Decoded:
    return Decoded(Level.empty(game))


def _unpack(packed: bytes) -> bytes:
    return inflate_whole(packed, "the packed level") if packed.startswith(_ZLIB) else packed


def _recall(packed: bytes, name: str) -> Decoded | None:
    same = (decoded for data, source, decoded in _recent if source == name and data == packed)
    return next(same, None)


def _remember(packed: bytes, name: str, decoded: Decoded) -> None:
    """Append a file to the recent ones, and forget the oldest."""
    others = [entry for entry in _recent if entry[2] is not decoded or entry[0] != packed]
    _recent[:] = [*others, (packed, name, decoded)][-_MOST_RECENT:]


def forget() -> None:
    """Forget the files of the last imports and exports."""
    _recent.clear()


# The objects of the last export, with their files, since users export repeatedly while they animate.
_recent_objects: list[tuple[dict[str, bytes], Objects]] = []


def objects_of(root: Collection, suffix: str) -> Objects:
    """Return the objects that a level's export edits.

    Args:
        suffix: of the file. If the level came from such a file, it is that one; otherwise a blank one.

    Raises:
        FormatError: if the stored file is damaged.
    """
    files = load_files(root)
    if suffix not in files:
        return open_objects(blank_files(suffix))
    if not _recent_objects or _recent_objects[0][0] != files:
        _recent_objects[:] = [(files, open_objects(files))]
    return _recent_objects[0][1]


def wad2_of(root: Collection) -> Wad2Level | None:
    """Return the WAD2 that a level was made from, or None. Raises FormatError if it is damaged."""
    return None if packed_file(root, WAD2) is None else objects_of(root, WAD2).wad2


# The project that was read last, with its stored files: rooms are drawn several times per second.
_recent_project: list[tuple[tuple[bytes, bytes], CompiledProject]] = []


def compiled_project(root: Collection) -> CompiledProject | None:
    """Return the project that a level was compiled from, which must not be changed; None for other levels.

    Raises:
        FormatError: if a stored file is damaged.
    """
    files = packed_file(root, PROJECT), packed_file(root, ORIGIN)
    level = None if None in files else load(root)
    if files[0] is None or files[1] is None or level is None:
        return None
    key = files[0], files[1]
    # Late: its modules take a hundredth of a conversion on the command line, which has no project.
    from ...formats.editors.projects import CompiledProject, read_project, unpack_origin

    if not _recent_project or _recent_project[0][0] != key or _recent_project[0][1].level is not level:
        contents = load_files(root)
        project = CompiledProject(read_project(contents[PROJECT]), unpack_origin(contents[ORIGIN]), level)
        _recent_project[:] = [(key, project)]
    return _recent_project[0][1]
