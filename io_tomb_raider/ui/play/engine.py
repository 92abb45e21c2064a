"""Engines as separate programs. Nothing here needs Blender."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...formats import ExportError, FormatError
from ...formats.base.messages import T

if TYPE_CHECKING:
    import subprocess

PLACEHOLDER = "{level}"
_FROM_WINDOWS = os.name == "nt"


def arguments_of(command: str, level: str, *, windows: bool = _FROM_WINDOWS) -> list[str]:
    """Return the program and the arguments of a command. No shell is involved.

    Args:
        command: words separated by spaces; words with spaces are quoted.
        level: path that replaces ``{level}``.
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
    if not any(PLACEHOLDER in word for word in words[1:]):
        raise ExportError(
            T("Engine"),
            T(
                "its command lacks {placeholder}, the place of the level's file",
                placeholder=PLACEHOLDER,
            ),
        )
    return [words[0], *(word.replace(PLACEHOLDER, level) for word in words[1:])]


def make_level_file(folder: str, name: str, fallback: str) -> Path:
    """Create an empty file with a unique name for a temporary level.

    Args:
        folder: preferred folder: that of the original, which has the game's files.
        name: of the level's file.
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
    """An engine that plays a level.

    Attributes:
        title: of the level.
        level: its temporary file, deleted when the engine ends.
        log: file with the engine's output.
        process: the engine.
        code: exit code, None while it runs.
    """

    title: str
    level: Path
    log: Path
    process: subprocess.Popen[bytes]
    code: int | None = None

    def update(self) -> bool:
        """Return whether the engine has ended since the last call; if so, delete the level's file."""
        if self.code is not None:
            return False
        self.code = self.process.poll()
        if self.code is None:
            return False
        with suppress(OSError):
            self.level.unlink(missing_ok=True)
        return True

    @property
    def output(self) -> str:
        """The engine's output so far."""
        from ...formats.base.files import read_file

        try:
            return read_file(self.log).decode("utf-8", "replace").replace("\r\n", "\n")
        except (FormatError, OSError):
            return ""


def start(title: str, words: list[str], level: Path, folder: Path | None, log: Path) -> Run:
    """Start an engine.

    Args:
        title: of the level.
        words: the program and its arguments.
        level: the temporary file to play.
        folder: of the installed game, working directory for a program without an absolute path.
        log: file for the output.
    Raises:
        OSError: there is no such program.
    """
    import subprocess

    with log.open("wb") as output:
        process = subprocess.Popen(
            words,
            cwd=_directory(words[0], folder),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    return Run(title, level, log, process)


def _directory(program: str, folder: Path | None) -> Path | None:
    """Return an engine's working directory: its own folder, or else the game's."""
    own = Path(program)
    if own.is_absolute() and own.is_file():
        return own.parent
    return folder if folder is not None and folder.is_dir() else None
