"""Both kinds of files, by their suffix."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ...base.errors import FormatError
from .anim import read_anim, write_anim
from .animation import AnimationFile
from .trw import read_trw, write_trw

ANIM, TRW = ".anim", ".trw"
ANIMATION_SUFFIXES = (ANIM, TRW)
_NUMBER = re.compile(r"([0-9]{1,5})[ _]")
_READERS = {ANIM: read_anim, TRW: read_trw}
_WRITERS = {ANIM: write_anim, TRW: write_trw}


def is_animation_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is an animation, by its suffix."""
    return Path(path).suffix.lower() in ANIMATION_SUFFIXES


def read_animation(data: bytes, suffix: str) -> AnimationFile:
    """Decode a file.

    Args:
        suffix: one of :data:`ANIMATION_SUFFIXES`, in any case.

    Raises:
        FormatError: if it is damaged, or the suffix is another one.
    """
    if suffix.lower() not in _READERS:
        raise FormatError("file", " or ".join(ANIMATION_SUFFIXES), suffix or "no suffix")
    return _READERS[suffix.lower()](data)


def write_animation(animation: AnimationFile, suffix: str) -> bytes:
    """Encode an animation, the inverse of :func:`read_animation`.

    Raises:
        ExportError: if the format cannot hold it.
    """
    return _WRITERS[suffix.lower()](animation)


def number_in_name(path: str | os.PathLike[str]) -> int | None:
    """Return the number of an animation in its model that a name such as ``0123_NAME.anim`` has, or None."""
    match = _NUMBER.match(Path(path).name)
    return None if match is None else int(match[1])


def numbered_name(number: int, name: str, suffix: str = ANIM) -> str:
    """Return the name of a file as WadTool's batch export forms it, without characters that files lack."""
    cleaned = "".join(
        "_" if letter in '<>:"/\\|?*' or not letter.isprintable() else letter for letter in name
    )
    return f"{number:04}_{cleaned.rstrip(' .')[:100] or 'Animation'}{suffix}"
