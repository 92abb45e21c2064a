"""Conversion of all kinds of scripts and string files to text, and back.

One interface for :mod:`.gameflow.gameflow` (TR2, TR3), :mod:`.tr4.tr4_script` and :mod:`.strings.language`
(TR4, TR5).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from ...base.bytes.files import read_file
from ...base.errors import FormatError
from .gameflow.gameflow import read_gameflow
from .gameflow.gameflow_text import gameflow_to_text, text_to_gameflow
from .level_names import GAMEFLOW_FILES, SCRIPT_FILES, language_path
from .strings.language import Language, language_to_text, read_language, text_to_language
from .tr4.tr4_script import read_script
from .tr4.tr4_script_text import script_to_text, text_to_script


class ScriptKind(Enum):
    """The kind of a script file."""

    GAMEFLOW = "GAMEFLOW"  # TOMBPC.DAT and the like, TR2 and TR3
    SCRIPT = "SCRIPT"  # SCRIPT.DAT, TR4 and TR5
    LANGUAGE = "LANGUAGE"  # ENGLISH.DAT and the like, TR4 and TR5


class ScriptText(NamedTuple):
    """A script as text."""

    kind: ScriptKind  #: the kind of the file.
    text: str  #: the source for :func:`compile_script`.
    #: for a script of TR4 and TR5: the file next to it whose strings are in the comments, or None.
    language: Path | None = None


def script_kind(data: bytes, name: str = "") -> ScriptKind:
    """Return the kind of a script file, from its content.

    Args:
        name: of the file: determines whose error is raised if it is no script.

    Raises:
        FormatError: if it is none of them, or damaged.
    """
    upper_name = name.upper()
    readers: dict[ScriptKind, Callable[[bytes], object]] = {
        ScriptKind.GAMEFLOW: read_gameflow,
        ScriptKind.SCRIPT: read_script,
        ScriptKind.LANGUAGE: read_language,
    }
    expected = ScriptKind.LANGUAGE
    if upper_name in GAMEFLOW_FILES:
        expected = ScriptKind.GAMEFLOW
    elif upper_name in SCRIPT_FILES:
        expected = ScriptKind.SCRIPT
    errors: dict[ScriptKind, FormatError] = {}
    for kind in (expected, *(each for each in readers if each is not expected)):
        try:
            readers[kind](data)
            return kind
        except FormatError as error:
            errors[kind] = error
    raise errors[expected]


def script_to_readable(path: Path) -> ScriptText:
    """Read a script and return it as text.

    Raises:
        FormatError: if it is not a script, or damaged.
        OSError: if it cannot be read.
    """
    data = read_file(path)
    kind = script_kind(data, path.name)
    if kind is ScriptKind.GAMEFLOW:
        return ScriptText(kind, gameflow_to_text(read_gameflow(data)))
    if kind is ScriptKind.LANGUAGE:
        return ScriptText(kind, language_to_text(read_language(data)))
    script = read_script(data)
    strings = language_path(path, script)
    language = None if strings is None else read_language(read_file(strings))
    return ScriptText(kind, script_to_text(script, language), strings)


def compile_script(kind: ScriptKind, text: str, language: Language | None = None) -> bytes:
    """Compile a text to the game's file.

    Args:
        language: for a script of TR4 and TR5: the strings that it may refer to by their text.

    Raises:
        TextError: with the line that cannot be compiled.
        ExportError: if a count or a number does not fit the file.
    """
    if kind is ScriptKind.GAMEFLOW:
        return text_to_gameflow(text).to_bytes()
    if kind is ScriptKind.LANGUAGE:
        return text_to_language(text).to_bytes()
    return text_to_script(text, language).to_bytes()
