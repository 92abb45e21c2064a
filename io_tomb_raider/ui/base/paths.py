"""The paths that users choose in the file browser."""

from __future__ import annotations

import os
from typing import Any

import bpy

from ...formats import ExportError

# Blender holds no more bytes of a path, and cuts off what is beyond without a word.
_LIMIT = 1023


def check_path(filepath: str) -> None:
    """See that Blender has not cut off a path that the user chose to write to.

    Raises:
        ExportError: where it has, or may have.
    """
    length = len(os.fsencode(filepath))
    if length >= _LIMIT:
        raise ExportError("Export", "the path is too long for Blender", count=length, limit=_LIMIT - 1)


def chosen_paths(operator: Any) -> list[str]:
    """Return the files to import: several come as a folder and names, one may come as a path."""
    names = [each.name for each in operator.files if each.name]
    if operator.directory and names:
        return [os.path.join(bpy.path.abspath(operator.directory), name) for name in names]
    return [bpy.path.abspath(operator.filepath)] if operator.filepath else []
