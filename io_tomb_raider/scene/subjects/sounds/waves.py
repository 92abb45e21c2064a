"""Conversion between bytes of waves and packed Blender sounds.

Blender loads sounds only from files, so waves are written to a temporary folder. The bytes are packed as they
are: Blender plays both PCM and ADPCM.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from importlib import import_module
from io import FileIO
from typing import Any

import bpy
import numpy as np
from bpy.types import Sound
from numpy.typing import NDArray

from ....formats import FormatError
from ....formats.base import read_file
from ....formats.levels.sounds import encode_wave, read_wave
from ...core.blender.cleanup import discard
from ...core.blender.compat import LONGEST_NAME
from ...core.reporting.report import printable

_USUAL_RATE, _LARGEST_RATE = 22050, 192000
_ALLOWED = frozenset(" -_.()")


def digest(number: int, data: bytes) -> str:
    """Return a digest that changes with the bytes of a wave or its number in its file."""
    return f"{number} {blake2b(data, digest_size=16).hexdigest()}"


def note_place(sound: Sound, kind: str, number: int, file: str) -> None:
    """Store on a sound that a file contains it, as it is now, under a number."""
    settings = sound.tomb_raider
    settings.kind, settings.number, settings.file = kind, number, file
    settings.digest = digest(number, bytes_of(sound))


def make_sounds(waves: Sequence[tuple[str, bytes]]) -> list[Sound | None]:
    """Make packed sounds, including those that Blender cannot play; None for empty bytes.

    When Blender loads a sound it decodes the start of the file, which takes longer than all else. So one
    silent sound of each rate is loaded; each sound is a copy of it that packs the overwritten file.
    """
    result: list[Sound | None] = []
    templates: dict[tuple[int, int], Sound] = {}
    with _temporary_file() as (path, file):
        for name, data in waves:
            if not data:
                result.append(None)
                continue
            specs = _specs(data)
            if specs not in templates:
                _overwrite(file, encode_wave(np.zeros((1, specs[1]), np.int16), specs[0]))
                templates[specs] = bpy.data.sounds.load(path)
            _overwrite(file, data)
            sound: Any = templates[specs].copy()
            sound.name = printable(name)[:LONGEST_NAME]
            _pack(sound, name)
            result.append(sound)
        discard(bpy.data.sounds, templates.values())
    return result


def _specs(data: bytes) -> tuple[int, int]:
    """Return the rate and channels of a wave within the limits of Blender's sounds."""
    try:
        wave = read_wave(data)
    except FormatError:
        return _USUAL_RATE, 1
    return min(wave.rate, _LARGEST_RATE) or _USUAL_RATE, 2 if wave.channels == 2 else 1


def _overwrite(file: FileIO, data: bytes) -> None:
    file.seek(0)
    file.write(data)
    file.truncate()


def make_sound(name: str, data: bytes) -> Sound:
    """Make one packed sound. Raises FormatError where there are no bytes."""
    if not data:
        raise FormatError(name, "a sound", "an empty file")
    sound = make_sounds([(name, data)])[0]
    assert sound is not None
    return sound


def put_bytes(sound: Sound, data: bytes) -> None:
    """Replace a sound's wave for all its users."""
    with _temporary_file() as (path, file):
        file.write(data)
        if sound.packed_file is not None:
            sound.unpack(method="REMOVE")
        sound.filepath = path
        _pack(sound, sound.name)


@contextmanager
def _temporary_file() -> Iterator[tuple[str, FileIO]]:
    """Yield path and file of an unbuffered file in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="io_tomb_raider-", ignore_cleanup_errors=True) as folder:
        path = os.path.join(folder, "sound.wav")
        with open(path, "wb", buffering=0) as file:
            yield path, file


def _pack(sound: Sound, name: str) -> None:
    sound.pack()
    # Blender now reads the packed bytes, and unpacks to this path.
    sound.filepath = f"//{_file_name(name)}.wav"


def _file_name(name: str) -> str:
    characters = (character if character.isalnum() or character in _ALLOWED else "_" for character in name)
    return "".join(characters).strip(" .") or "sound"


def bytes_of(sound: Sound) -> bytes:
    """Return the bytes of a sound's file, packed or not.

    Raises:
        FormatError, OSError: where it is not packed, and its file is too large or cannot be read.
    """
    if sound.packed_file is not None:
        data: bytes = sound.packed_file.data
        return data
    return read_file(bpy.path.abspath(sound.filepath, library=sound.library))


def readable_bytes(sound: Sound) -> bytes:
    """Return :func:`bytes_of` a sound, b"" where they cannot be read."""
    try:
        return bytes_of(sound)
    except (FormatError, OSError):
        return b""


def decode_in_blender(data: bytes) -> tuple[NDArray[np.float32], int] | None:
    """Decode a sound file with Blender's audio library.

    Return the samples, (samples, channels) from -1 to 1, and the rate; None where Blender cannot read the
    file, or was built without its audio library.
    """
    try:
        audio = import_module("aud")
    except ImportError:
        return None
    with _temporary_file() as (path, file):
        file.write(data)
        try:
            sound = audio.Sound(path)
            rate = round(sound.specs[0])  # raises where it is no sound; data() would crash Blender
            return np.array(sound.data(), np.float32), rate
        except (audio.error, ValueError):
            return None
