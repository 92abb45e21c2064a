"""Paths chosen in the file browser."""

from __future__ import annotations

import os
from typing import Any

import bpy

from ....formats import ExportError
from ....formats.base import T

# Blender silently truncates paths to this many bytes.
_LIMIT = 1023


def check_path(filepath: str) -> None:
    """Raise ExportError if Blender has truncated, or may have truncated, a path to write to."""
    length = len(os.fsencode(filepath))
    if length >= _LIMIT:
        raise ExportError(T("Export"), T("the path is too long for Blender"), count=length, limit=_LIMIT - 1)


def chosen_paths(operator: Any) -> list[str]:
    """Return the paths to import: either a folder with names, or one path."""
    names = [file.name for file in operator.files if file.name]
    if operator.directory and names:
        return [os.path.join(bpy.path.abspath(operator.directory), name) for name in names]
    return [bpy.path.abspath(operator.filepath)] if operator.filepath else []
