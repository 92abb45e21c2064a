"""The project that a level was compiled from, stored in the scene."""

from __future__ import annotations

from bpy.types import Collection

from ...formats.editors.projects import CompiledProject, read_project, unpack_origin
from . import original

ORIGIN = ".origin"  # the file of the origin of the level's parts

# The project that was read last, with its stored files: rooms are drawn several times per second.
_recent: list[tuple[tuple[bytes, bytes], CompiledProject]] = []


def compiled_project(root: Collection) -> CompiledProject | None:
    """Return the project that a level was compiled from, which must not be changed; None for other levels.

    Raises:
        FormatError: if a stored file is damaged.
    """
    files = original.packed_file(root, original.PROJECT), original.packed_file(root, ORIGIN)
    level = None if None in files else original.load(root)
    if files[0] is None or files[1] is None or level is None:
        return None
    key = files[0], files[1]
    if not _recent or _recent[0][0] != key or _recent[0][1].level is not level:
        found = original.load_files(root)
        read = CompiledProject(read_project(found[original.PROJECT]), unpack_origin(found[ORIGIN]), level)
        _recent[:] = [(key, read)]
    return _recent[0][1]
