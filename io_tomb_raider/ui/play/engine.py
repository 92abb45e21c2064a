"""Engines as separate programs. Nothing here needs Blender."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...formats import ExportError, FormatError
from ...formats.base import T

if TYPE_CHECKING:
    import subprocess

PLACEHOLDER = "{level}"
SCRIPT = "{script}"
INSTALLED = "{installed}"
_ORIGINAL = ".original"  # after the name of a game's level while another one is played in its place
_LOAD = 'setLanguage("english");\nsetGravity(0, 0, -5700.0);\nloadMap({});\n'  # of OpenTomb
_FROM_WINDOWS = os.name == "nt"


def arguments_of(command: str, level: str, *, windows: bool = _FROM_WINDOWS) -> list[str]:
    """Return the program and the arguments of a command. No shell is involved.

    Args:
        command: words separated by spaces; words with spaces are quoted.
        level: path that replaces ``{level}``; ``{script}`` becomes that of its script. ``{installed}`` is no
            argument, see :func:`put_in_place`.
        windows: treat a backslash as part of a path, not as an escape.
    Raises:
        ExportError: the command is invalid, or has no ``{level}``.
    """
    import shlex

    lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    if windows:
        lexer.escape = ""
    try:
        words = list(lexer)
    except ValueError:
        raise ExportError(T("Engine"), T("its command has an unmatched quotation mark")) from None
    if not any(placeholder in word for word in words[1:] for placeholder in (PLACEHOLDER, SCRIPT, INSTALLED)):
        raise ExportError(
            T("Engine"),
            T("its command lacks {placeholder}, the place of the level's file", placeholder=PLACEHOLDER),
        )
    words = [words[0], *(word for word in words[1:] if word != INSTALLED)]
    script = script_of(level)
    return [words[0], *(word.replace(PLACEHOLDER, level).replace(SCRIPT, script) for word in words[1:])]


def script_of(level: str) -> str:
    """Return the path of the script that loads a level."""
    return os.path.splitext(level)[0] + ".lua"


def write_script(level: Path) -> None:
    """Write the script of OpenTomb that loads a level, next to it."""
    path = str(level).replace("\\", "/").replace('"', '\\"')
    Path(script_of(str(level))).write_text(_LOAD.format(f'"{path}"'), encoding="utf-8")


def installed_level(folder: Path | None, name: str) -> Path:
    """Return the level of a name in a game's folder. Raises ExportError if there is none."""
    for directory in (folder, *(folder / data for data in ("data", "DATA", "Data"))) if folder else ():
        with suppress(OSError):
            for file in directory.iterdir():
                if file.name.lower() == name.lower() and file.is_file():
                    return file
    text = T(
        "the folder of the game has no level {name}, in whose place this one could be played."
        " Set the folder in the preferences, or give the level the name of one of the game",
        name=name,
    )
    raise ExportError(T("Engine"), text)


def put_in_place(level: Path, target: Path) -> None:
    """Copy a level over one of an installed game, which is kept under another name. Raises OSError."""
    import shutil

    original = target.with_name(target.name + _ORIGINAL)
    if not original.exists():  # one that is there was kept before Blender ended
        target.rename(original)
    shutil.copyfile(level, target)


def put_back(target: Path) -> None:
    """Put a level of an installed game back that :func:`put_in_place` kept. Raises OSError."""
    original = target.with_name(target.name + _ORIGINAL)
    if original.exists():
        original.replace(target)


def make_level_file(folder: str, name: str, fallback: str) -> Path:
    """Create an empty file with a unique name for a temporary level.

    Args:
        folder: preferred folder: that of the original, which has the game's files.
        fallback: folder to use if the preferred one is not writable.
    Raises:
        OSError: neither folder is writable.
    """
    if os.path.isdir(folder):
        with suppress(OSError):  # the folder may be read-only, such as a disc
            return _empty_file(folder, name)
    return _empty_file(fallback, name)


def _empty_file(folder: str, name: str) -> Path:
    import tempfile

    stem, suffix = os.path.splitext(name)
    handle, path = tempfile.mkstemp(prefix=f"{stem}_play_", suffix=suffix, dir=folder)
    os.close(handle)
    return Path(path)


@dataclass
class Run:
    """An engine that plays a level."""

    title: str  #: of the level.
    level: Path  #: its temporary file, deleted when the engine ends.
    log: Path  #: file with the engine's output.
    process: subprocess.Popen[bytes]  #: the engine.
    code: int | None = None  #: exit code, None while it runs.
    installed: Path | None = None  #: the level of the game in whose place it is played, if any.

    def update(self) -> bool:
        """Return whether the engine has ended since the last call; if so, delete the level's file."""
        if self.code is not None:
            return False
        self.code = self.process.poll()
        if self.code is None:
            return False
        self.clean_up()
        return True

    def clean_up(self) -> None:
        """Delete the level's files, and put the level of the game back."""
        remove_files(self.level)
        if self.installed is not None:
            with suppress(OSError):
                put_back(self.installed)

    @property
    def output(self) -> str:
        """The engine's output so far."""
        from ...formats.base import read_file

        try:
            return read_file(self.log).decode("utf-8", "replace").replace("\r\n", "\n")
        except (FormatError, OSError):
            return ""


def remove_files(level: Path) -> None:
    """Delete a temporary level, and its script."""
    for path in (level, Path(script_of(str(level)))):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def start(title: str, arguments: list[str], level: Path, folder: Path | None, log: Path) -> Run:
    """Start an engine.

    Args:
        arguments: the program and its arguments.
        folder: of the installed game, working directory for a program without an absolute path.
        log: file for the output.
    Raises:
        OSError: there is no such program.
    """
    import subprocess

    with log.open("wb") as output:
        process = subprocess.Popen(
            arguments,
            cwd=_directory(arguments[0], folder),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    return Run(title, level, log, process)


def _directory(program: str, folder: Path | None) -> Path | None:
    """Return an engine's working directory: its own folder, or else the game's."""
    path = Path(program)
    if path.is_absolute() and path.is_file():
        return path.parent
    return folder if folder is not None and folder.is_dir() else None
