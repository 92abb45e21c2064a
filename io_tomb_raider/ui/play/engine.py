"""Engines as programs that run beside Blender. Nothing here needs Blender."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...formats import ExportError, FormatError

if TYPE_CHECKING:
    import subprocess

PLACE = "{level}"
_FROM_WINDOWS = os.name == "nt"


def arguments_of(command: str, level: str, *, windows: bool = _FROM_WINDOWS) -> list[str]:
    r"""Return the program and the arguments that a command means. No shell ever sees them.

    Args:
        command: words, those with spaces in quotes.
        level: the path that takes the place of ``{level}``.
        windows: a backslash is a part of a path, and takes nothing its meaning.

    Raises:
        ExportError: where the command is none, or has no place for the level.
    """
    import shlex

    lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    if windows:
        lexer.escape = ""
    try:
        words = list(lexer)
    except ValueError:
        raise ExportError("Engine", "a quotation mark in its command has no other one") from None
    if not any(PLACE in word for word in words[1:]):
        raise ExportError("Engine", f"its command does not say {PLACE}, where the level's file belongs")
    return [words[0], *(word.replace(PLACE, level) for word in words[1:])]


def make_place(folder: str, name: str, fallback: str) -> Path:
    """Make an empty file with a name of its own for a level that is only played.

    Args:
        folder: where it goes if that is possible: beside the original, where the game's files are.
        name: of the level's file.
        fallback: where else it goes.

    Raises:
        OSError: where it can be made in neither.
    """
    if os.path.isdir(folder):
        with suppress(OSError):  # where nothing can be written, such as on a disc
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
        level: its temporary file, which goes when the engine ends.
        log: the file that takes what the engine says.
        process: the engine.
        code: with which it ended, None while it runs.
    """

    title: str
    level: Path
    log: Path
    process: subprocess.Popen[bytes]
    code: int | None = None

    def look(self) -> bool:
        """See whether the engine has ended, and tidy up then. Tells whether it has just ended."""
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
        """What the engine has said so far."""
        from ...formats.base.files import read_file

        try:
            return read_file(self.log).decode("utf-8", "replace").replace("\r\n", "\n")
        except (FormatError, OSError):
            return ""


def start(title: str, words: list[str], level: Path, folder: Path | None, log: Path) -> Run:
    """Start an engine beside Blender.

    Args:
        title: of the level.
        words: the program and its arguments.
        level: the temporary file that it plays.
        folder: of the installed game, in which a program without a path of its own runs.
        log: the file that takes what it says.

    Raises:
        OSError: where there is no such program.
    """
    import subprocess

    with log.open("wb") as output:
        process = subprocess.Popen(
            words, cwd=_home(words[0], folder), stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    return Run(title, level, log, process)


def _home(program: str, folder: Path | None) -> Path | None:
    """Return where an engine runs: in its own folder, where it has its files, else in the game's."""
    own = Path(program)
    if own.is_absolute() and own.is_file():
        return own.parent
    return folder if folder is not None and folder.is_dir() else None
