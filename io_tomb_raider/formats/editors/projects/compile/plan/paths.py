"""Files that a project names: variables, Windows paths, and files that were moved."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from .....base.bytes.files import name_key

_VARIABLE = re.compile(r"\$\((\w+)\)")
_DRIVE = re.compile(r"^[A-Za-z]:")
_UNNAMED = "Default"  # the name of a level that was never saved

# The names of engines by the version in a project, and of those whose sounds they have.
_ENGINES = {1: "TR1", 2: "TR2", 3: "TR3", 4: "TR4", 5: "TR5", 11: "TR1X", 12: "TR2X", 16: "TRNG"}
_TOMB_ENGINE = "TombEngine"
_SOUND_ENGINES = {11: "TR1", 12: "TR2", 16: "TR4"}


class MissingFile(NamedTuple):
    """A file that a project names and that was not found."""

    path: str  #: the path in the project.
    use: str  #: what the project needs it for, a message.


class MovedPath(NamedTuple):
    """A folder that was moved: its path as in the project, with variables replaced, and its place now."""

    old: str
    new: Path


class ProjectPaths:
    """Finds the files that a project names.

    Args:
        project: the file of the project, None if it was never saved.
        first_wad: the path of the first object file, which names levels that were never saved.
        editor_directory: the folder of the level editor, if it is installed.
        moved: folders whose files are elsewhere now, see :func:`moved_folder`.
    """

    def __init__(
        self,
        project: str | os.PathLike[str] | None,
        *,
        game_directory: str = "",
        game_version: int = 4,
        first_wad: str = "",
        editor_directory: str | os.PathLike[str] | None = None,
        moved: Mapping[str, str | os.PathLike[str]] | None = None,
    ) -> None:
        self.project = None if project is None else Path(project).absolute()
        self._moved = [MovedPath(_plain(old), Path(new)) for old, new in (moved or {}).items()]
        named = self.project.name if self.project is not None else first_wad
        folder = "" if self.project is None else str(self.project.parent)
        engine = _ENGINES.get(game_version, _TOMB_ENGINE)
        self._variables = {
            "LevelName": PureWindowsPath(named).stem or _UNNAMED,
            "EngineVersion": engine,
            "SoundEngineVersion": _SOUND_ENGINES.get(game_version, engine),
        }
        if folder:
            self._variables["LevelDirectory"] = folder
        if editor_directory is not None:
            self._variables["EditorDirectory"] = str(editor_directory)
        if game_directory:
            self._variables["GameDirectory"] = self.expand(game_directory)
            # The setting of another script directory does not change the variable.
            self._variables["ScriptDirectory"] = self._variables["GameDirectory"] + "\\Scripts"

    def expand(self, text: str) -> str:
        """Return a path with its variables replaced. Unknown variables stay."""
        return _VARIABLE.sub(lambda match: self._variables.get(match[1], match[0]), text)

    def find(self, text: str, *, folder: bool = False) -> Path | None:
        """Return the file that a path of the project means, None if it does not exist.

        Case and the direction of slashes are ignored. Relative paths start in the folder of the project.
        Files with a drive letter that do not exist are searched in the folders that were moved, and then by
        the end of their path in the folder of the project. `folder`: find a folder instead of a file.
        """
        if not text.strip():
            return None
        path = _plain(self.expand(text.strip()))
        result = _existing(Path(path), folder) if _is_rooted(path) else None
        if result is not None:
            return result
        for each in self._moved:
            rest = _below(path, each.old)
            result = None if rest is None else _existing_in(each.new, rest, folder)
            if result is not None:
                return result
        if self.project is None:
            return None
        parts = [part for part in _DRIVE.sub("", path).split("/") if part]
        if not _is_rooted(path) and not path.startswith("$("):
            return _existing_in(self.project.parent, "/".join(parts), folder)
        tails = ("/".join(parts[start:]) for start in range(len(parts)) if ".." not in parts[start:])
        return next(filter(None, (_existing_in(self.project.parent, tail, folder) for tail in tails)), None)

    def target(self, text: str) -> Path | None:
        """Return the path of a file to write, None if it depends on folders that are not known here."""
        path = _plain(self.expand(text.strip()))
        if not path or _VARIABLE.search(path) or _DRIVE.match(path):
            return None
        if _is_rooted(path):
            return Path(path)
        return None if self.project is None else self.project.parent / path


def moved_folder(path: str, now: str | os.PathLike[str]) -> MovedPath:
    """Return the folder that was moved, given one of its files: the same folder may hold other files.

    `path`: of the project, with variables replaced, see :meth:`ProjectPaths.expand`. `now`: the present path.
    """
    old, new = _plain(path).split("/"), list(Path(now).parts)
    same = 0
    while same < min(len(old), len(new)) - 1 and name_key(old[-1 - same]) == name_key(new[-1 - same]):
        same += 1
    same = max(same, 1)  # the file may have another name
    return MovedPath("/".join(old[:-same]), Path(*new[:-same]))


def _plain(path: str) -> str:
    return path.replace("\\", "/")


def _is_rooted(path: str) -> bool:
    return path.startswith("/") or bool(_DRIVE.match(path))


def _below(path: str, folder: str) -> str | None:
    """Return the rest of a path within a folder, None for paths elsewhere."""
    start = folder.rstrip("/") + "/"
    return path[len(start) :] if path.lower().startswith(start.lower()) else None


def _existing(path: Path, is_folder: bool) -> Path | None:
    """Return a rooted file or folder, ignoring case."""
    if not path.is_absolute():
        return None  # a drive letter, on other systems
    try:
        if path.is_dir() if is_folder else path.is_file():
            return path
    except (OSError, ValueError):
        return None
    return _existing_in(Path(path.anchor), "/".join(path.parts[1:]), is_folder)


def _existing_in(folder: Path, rest: str, is_folder: bool = False) -> Path | None:
    """Return a file or folder by its path within a folder, ignoring case."""
    path = folder
    for part in rest.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            path = path.parent
            continue
        direct = path / part
        try:
            exists = direct.exists()
        except (OSError, ValueError):
            return None
        named = direct if exists else _entries(str(path)).get(name_key(part))
        if named is None:
            return None
        path = Path(named)
    return path if (path.is_dir() if is_folder else path.is_file()) else None


@lru_cache(maxsize=256)
def _names(folder: str, _changed: int) -> dict[str, Path]:
    try:
        return {name_key(each.name): each for each in sorted(Path(folder).iterdir(), reverse=True)}
    except OSError:
        return {}


def _entries(folder: str) -> dict[str, Path]:
    """Return the entries of a folder by their names, see :func:`name_key`."""
    try:
        return _names(folder, os.stat(folder).st_mtime_ns)
    except OSError:
        return {}
