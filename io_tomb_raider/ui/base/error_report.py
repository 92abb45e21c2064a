"""The report of the last error, which users can copy for the developers.

It contains versions, the level's game and counts, the message and the traceback, but no content of files and
no folders. It stays in memory, and nothing is sent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from ...formats import ExportError
from ...formats.base import read_file
from ...scene.core import LevelObjects
from ...scene.core.blender import compat
from .levels import chosen_level

if TYPE_CHECKING:
    from bpy.types import Collection

_PACKAGE = Path(__file__).resolve().parents[2]
# Folders before the last part of a path, but not within a word: "TR4/TR5" is no path.
_FOLDERS = re.compile(r"""(?<![\w.])(?:[A-Za-z]:|~)?[\\/]{1,3}(?!\s)(?:[^\\/\n\r"'<>|*?]+[\\/]+)*""")
_PATHS = ("filepath", "directory", "target", "folder", "script", "main_sfx")  # properties of operators
# Data-blocks that are counted.
_COUNTED = ("collections", "objects", "meshes", "armatures", "actions", "materials", "images", "sounds")


class _Last:
    text = ""


def last_report() -> str:
    """Return the report of the last error of this session, "" for none."""
    return _Last.text


def note_error(operator: Any, message: str, tracebacks: Iterable[str] = ()) -> None:
    """Keep an error as the last one. The message is in English."""
    kind = type(operator)
    lines = [
        f"Tomb Raider Levels {_version()}, as {__package__.partition('.ui.')[0]}",
        f"Blender {compat.blender_version()}, {_system()}",
        f"Operator: {getattr(kind, 'bl_label', kind.__name__)} ({getattr(kind, 'bl_idname', '')})",
        *_level_lines(operator),
        f"File: {_counts({name: len(getattr(bpy.data, name)) for name in _COUNTED})}",
        f"Message: {message}",
        *(f"\n{traceback.rstrip()}" for traceback in tracebacks),
    ]
    _Last.text = without_folders("\n".join(lines), _known_folders(operator)) + "\n"


def clear() -> None:
    """Forget the last error."""
    _Last.text = ""


def without_folders(text: str, folders: Iterable[str] = ()) -> str:
    """Return a text in which paths are only the names of their files; modules keep their package.

    Folders that are not named are found by their form.
    """
    names = {str(_PACKAGE.parent), *folders}
    for folder in sorted(names, key=len, reverse=True):
        if len(folder) > 1:
            for form in {folder, folder.replace("\\", "/"), folder.replace("\\", "\\\\")}:
                text = re.sub(re.escape(form) + r"(?:[\\/]+|(?![\w.]))", "", text)
    return _FOLDERS.sub("", text)


def _known_folders(operator: Any) -> set[str]:
    paths = [str(getattr(operator, name, "") or "") for name in _PATHS]
    paths += [bpy.data.filepath, bpy.app.tempdir]
    folders = {str(Path(bpy.path.abspath(path)).parent) for path in paths if path}
    folders |= {str(Path(path)) for path in paths if path.endswith(("/", "\\"))}
    return {*folders, str(Path.home())} - {".", "/", "//"}


def _version() -> str:
    """Return the version in the manifest, which is in the package, or next to it in a checkout."""
    import tomllib

    for folder in (_PACKAGE, _PACKAGE.parent):
        manifest = folder / "blender_manifest.toml"
        if manifest.is_file():
            return str(tomllib.loads(read_file(manifest).decode())["version"])
    return "unknown"


def _system() -> str:
    import platform

    import numpy

    return f"Python {platform.python_version()}, NumPy {numpy.__version__}, {platform.platform()}"


def _level_lines(operator: Any) -> list[str]:
    """Return the game and the counts of the level that an operator was used on; none without a level."""

    try:
        name = getattr(operator, "collection", "")
        root: Collection = chosen_level(bpy.context, name if isinstance(name, str) else "")
    except (ExportError, AttributeError):  # Blender may have no view layer
        return []
    settings = root.tomb_raider
    counts = Counter(LevelObjects(root).kinds.values())
    return [
        f"Level: {settings.game}, target {settings.engine}, imported from {settings.source or 'no file'}",
        f"Objects of the level: {_counts(counts)}",
    ]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()) if count) or "none"
