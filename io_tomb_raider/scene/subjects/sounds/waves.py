"""Bytes of waves in and out of Blender's sounds, which are always packed.

Blender takes sounds from files only, so waves pass through a temporary folder of the system's, which is gone
afterwards. What is packed is the game's own wave, bit for bit: Blender plays plain ones and ADPCM alike.
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
from ....formats.base.files import read_file
from ....formats.sounds.waves import encode_wave, read_wave
from ...core.cleanup import discard
from ...core.compat import LONGEST_NAME

_USUAL_RATE, _LARGEST_RATE = 22050, 192000
_ALLOWED = frozenset(" -_.()")


def digest(number: int, data: bytes) -> str:
    """Return what tells whether a wave is still the same, and still stands under its number in its file."""
    return f"{number} {blake2b(data, digest_size=16).hexdigest()}"


def note_place(sound: Sound, kind: str, number: int, file: str) -> None:
    """Note with a sound that it stands in a file, as it is, under a number."""
    settings = sound.tomb_raider
    settings.kind, settings.number, settings.file = kind, number, file
    settings.digest = digest(number, bytes_of(sound))


def make_sounds(waves: Sequence[tuple[str, bytes]]) -> list[Sound | None]:
    """Make packed sounds.

    Loading lets Blender decode the start of a file, which takes far longer than all else. So one silent sound
    of each rate is loaded, and each sound is a copy of it that packs what the file holds by then.

    Args:
        waves: a name and the bytes of each; where there are no bytes, there will be no sound.

    Returns:
        The sounds. One that Blender cannot play is there all the same.
    """
    made: list[Sound | None] = []
    templates: dict[tuple[int, int], Sound] = {}
    with _temporary_file() as (path, file):
        for name, data in waves:
            if not data:
                made.append(None)
                continue
            specs = _specs(data)
            if specs not in templates:
                _overwrite(file, encode_wave(np.zeros((1, specs[1]), np.int16), specs[0]))
                templates[specs] = bpy.data.sounds.load(path)
            _overwrite(file, data)
            sound: Any = templates[specs].copy()
            sound.name = name[:LONGEST_NAME]
            _pack(sound, name)
            made.append(sound)
        discard(bpy.data.sounds, templates.values())
    return made


def _specs(data: bytes) -> tuple[int, int]:
    """Return the rate and the channels of a wave, as far as Blender's sounds note them."""
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
    """Make one packed sound.

    Raises:
        FormatError: where there are no bytes.
    """
    if not data:
        raise FormatError(name, "a sound", "an empty file")
    sound = make_sounds([(name, data)])[0]
    assert sound is not None
    return sound


def put_bytes(sound: Sound, data: bytes) -> None:
    """Replace a sound's wave. Whoever uses it hears that."""
    with _temporary_file() as (path, file):
        file.write(data)
        if sound.packed_file is not None:
            sound.unpack(method="REMOVE")
        sound.filepath = path
        _pack(sound, sound.name)


@contextmanager
def _temporary_file() -> Iterator[tuple[str, FileIO]]:
    """Give the path of a file in a temporary folder, and the file, which is written at once."""
    with tempfile.TemporaryDirectory(prefix="io_tomb_raider-", ignore_cleanup_errors=True) as folder:
        path = os.path.join(folder, "sound.wav")
        with open(path, "wb", buffering=0) as file:
            yield path, file


def _pack(sound: Sound, name: str) -> None:
    sound.pack()
    # From now on Blender reads the packed bytes. The path is where they would be unpacked to.
    sound.filepath = f"//{_file_name(name)}.wav"


def _file_name(name: str) -> str:
    letters = (each if each.isalnum() or each in _ALLOWED else "_" for each in name)
    return "".join(letters).strip(" .") or "sound"


def bytes_of(sound: Sound) -> bytes:
    """Return the file that a sound is, packed or not.

    Raises:
        FormatError, OSError: where it is not packed, and its file is far too large or cannot be read.
    """
    if sound.packed_file is not None:
        data: bytes = sound.packed_file.data
        return data
    return read_file(bpy.path.abspath(sound.filepath, library=sound.library))


def decode_in_blender(data: bytes) -> tuple[NDArray[np.float32], int] | None:
    """Return what Blender hears in a sound file of any kind, (samples, channels) from -1 to 1, and its rate.

    None where Blender cannot read it, or was built without its audio library.
    """
    try:
        audio = import_module("aud")
    except ImportError:
        return None
    with _temporary_file() as (path, file):
        file.write(data)
        try:
            heard = audio.Sound(path)
            rate = round(heard.specs[0])  # an error where it is no sound; data() would end Blender
            return np.array(heard.data(), np.float32), rate
        except (audio.error, ValueError):
            return None
