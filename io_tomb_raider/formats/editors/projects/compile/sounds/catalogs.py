"""Sound catalogs of Tomb Editor and of the level editor."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import numpy as np

from .....base.bytes.files import file_content
from .....base.bytes.records import I16, SOUND_DETAILS_TR3
from .....base.errors import FormatError
from .....base.texts import plain_text
from .....levels.game_files.beside import file_in
from .....levels.sounds.details import LOOP, NO_PAN, RANDOM_PITCH, RANDOM_VOLUME, flags_of, run_of
from ....animation_files.xml_tree import Document, XmlElement
from ....wads.wad.sounds import SOUND_MAP_SIZES

_MOST_ELEMENTS = 1 << 18
FULL = 100  # of volumes, chances and pitches in catalogs
_FULL_BYTE = 255
_FULL_PITCH = 128
_MOST_LINES = 1 << 16
_LOOPS = ("None", "OneShotWait", "OneShotRewound", "Looped")
_FLAGS = {"DisablePanning": NO_PAN, "RandomizePitch": RANDOM_PITCH, "RandomizeVolume": RANDOM_VOLUME}
_MARKS = ("Global", "Indexed")
_NUMBERS = ("Id", "Volume", "RangeInSectors", "Chance", "PitchFactor")
_NAMES = frozenset(
    {"WadSounds", "SoundInfos", "WadSoundInfo", "Name", "LoopBehaviour", "Samples", "WadSample", "FileName"}
    | {*_FLAGS, *_MARKS, *_NUMBERS}
)

# The words of a line of a text catalog.
_TEXT_NUMBER = re.compile(r"(PIT|RAD|VOL|CH)([+-]?\d{1,5})$", re.IGNORECASE)
_TEXT_FIELDS = {"PIT": "pitch", "RAD": "radius", "VOL": "volume", "CH": "chance"}
_TEXT_FLAGS = {"P": RANDOM_PITCH, "V": RANDOM_VOLUME, "N": NO_PAN}
_TEXT_LOOPS = {"W": 1, "R": 2, "L": 3}
USUAL_RADIUS = 10


@dataclass(frozen=True)
class CatalogSound:
    """A sound of a catalog."""

    number: int  #: its number in the sound map.
    volume: int = 100  #: 0 to 100.
    radius: int = 8  #: in sectors.
    chance: int = 100  #: 0 to 100.
    pitch: int = 0  #: -100 to 100.
    loop: int = 0  #: index of the loop mode, from TR2 on.
    flags: int = 0  #: of sound details, without loop mode and number of samples.
    samples: tuple[str, ...] = ()  #: the names of its files.
    is_global: bool = False  #: whether the editor selects it for all levels.
    is_indexed: bool = False  #: whether its samples are in MAIN.SFX.

    def bounded(self) -> CatalogSound:
        """Return the sound with values in their ranges."""
        return replace(
            self,
            volume=min(max(self.volume, 0), FULL),
            radius=min(max(self.radius, 0), 0xFF),
            chance=min(max(self.chance, 0), FULL),
            pitch=min(max(self.pitch, -FULL), FULL),
        )


def read_catalog_file(path: Path) -> list[CatalogSound]:
    """Read a sound catalog: in XML, a `.txt` of the level editor, or its `.sfx` with the `.sam` next to it.

    Raises:
        FormatError: if it is none, or damaged.
        OSError: if it cannot be read.
    """
    suffix = path.suffix.lower()
    if suffix == ".txt":
        return read_text_catalog(file_content(path))
    if suffix == ".sfx":
        names = file_in(path.parent, f"{path.stem}.sam")
        return read_compiled_catalog(file_content(path), b"" if names is None else file_content(names))
    return read_catalog(path)


def read_catalog(source: str | os.PathLike[str] | bytes) -> list[CatalogSound]:
    """Read a sound catalog in XML, from a file or from its bytes.

    Raises:
        FormatError: if it is none, or damaged.
        OSError: if it cannot be read.
    """
    document = Document(file_content(source), _NAMES, _MOST_ELEMENTS)
    if document.root.tag != "WadSounds":
        raise document.error(document.root, "WadSounds", document.root.tag)
    infos = document.find(document.root, "SoundInfos")
    return [_sound(document, each) for each in document.each(infos, "WadSoundInfo")]


def _sound(document: Document, element: XmlElement) -> CatalogSound:
    def text(name: str) -> str | None:
        child = document.find(element, name)
        return None if child is None else child.text.strip()

    numbers: dict[str, int] = {}
    for name in _NUMBERS:
        value = text(name)
        if value is None:
            continue
        try:
            numbers[name] = int(value)
        except ValueError:
            raise document.error(element, f"a number in {name}", value) from None
    loop = text("LoopBehaviour") or _LOOPS[0]
    samples = document.find(element, "Samples")
    files = [document.find(each, "FileName") for each in document.each(samples, "WadSample")]
    return CatalogSound(
        numbers.get("Id", -1),
        volume=numbers.get("Volume", FULL),
        radius=numbers.get("RangeInSectors", 8),
        chance=numbers.get("Chance", FULL),
        pitch=numbers.get("PitchFactor", 0),
        loop=_LOOPS.index(loop) if loop in _LOOPS else 0,
        flags=sum(flag for name, flag in _FLAGS.items() if text(name) == "true"),
        samples=tuple(each.text.strip() for each in files if each is not None and each.text.strip()),
        is_global=text("Global") == "true",
        is_indexed=text("Indexed") == "true",
    ).bounded()


def write_catalog(sounds: Iterable[CatalogSound], name_of: Callable[[int], str]) -> bytes:
    """Return a sound catalog in XML. `name_of`: returns the name of a sound by its number."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<WadSounds>", "  <SoundInfos>"]
    for each in sounds:
        values: dict[str, object] = {
            "Id": each.number,
            "Name": name_of(each.number),
            "Volume": each.volume,
            "RangeInSectors": each.radius,
            "Chance": each.chance,
            "PitchFactor": each.pitch,
            **{name: _truth(each.flags & flag) for name, flag in _FLAGS.items()},
            "LoopBehaviour": _LOOPS[each.loop],
            "Global": _truth(each.is_global),
            "Indexed": _truth(each.is_indexed),
        }
        lines.append("    <WadSoundInfo>")
        lines += (f"      <{name}>{escape(str(value))}</{name}>" for name, value in values.items())
        lines.append("      <Samples>")
        lines += (
            f"        <WadSample><FileName>{escape(name)}</FileName></WadSample>" for name in each.samples
        )
        lines += ("      </Samples>", "    </WadSoundInfo>")
    return "\r\n".join((*lines, "  </SoundInfos>", "</WadSounds>", "")).encode()


def _truth(value: object) -> str:
    return "true" if value else "false"


# --- Catalogs of the level editor --------------------------------------------------------------


def read_text_catalog(data: bytes) -> list[CatalogSound]:
    """Read the text catalog of the level editor: a line for each number of a sound.

    A line has a name up to a colon, then the names of samples, then values: `PIT`, `RAD`, `VOL` and `CH` with
    a number, `P`, `V` and `N` for random pitch, random volume and no panning, `L`, `R` and `W` for the loop
    mode, and marks that begin with `#`. A semicolon begins a comment. Unknown words after values are ignored.

    Raises:
        FormatError: if it has far too many lines.
    """
    lines = plain_text(data, "cp1252").splitlines()
    if len(lines) > _MOST_LINES:
        raise FormatError("sound catalog", f"at most {_MOST_LINES} lines", str(len(lines)))
    result = []
    for number, line in enumerate(lines):
        words = line.partition(":")[2].split()
        if len(words) > 1:
            result.append(_text_sound(number, words))
    return result


def _text_sound(number: int, words: list[str]) -> CatalogSound:
    values = {"radius": USUAL_RADIUS}
    samples: list[str] = []
    flags = loop = 0
    is_global = is_indexed = after_values = False
    for word in words:
        upper = word.upper()
        if word.startswith(";"):
            break
        match = _TEXT_NUMBER.match(word)
        if match:
            values[_TEXT_FIELDS[match[1].upper()]] = int(match[2])
        elif upper in _TEXT_FLAGS:
            flags |= _TEXT_FLAGS[upper]
        elif upper in _TEXT_LOOPS:
            loop = _TEXT_LOOPS[upper]
        elif word.startswith("#g"):
            is_global = True
        else:
            if not word.startswith("#") and not after_values:
                samples.append(f"{word}.wav")
            is_indexed |= word.startswith("#")
            continue
        is_indexed |= word.startswith("#")
        after_values = True
    sound = CatalogSound(
        number,
        **values,
        loop=loop,
        flags=flags,
        samples=tuple(samples),
        is_global=is_global,
        is_indexed=is_indexed,
    )
    return sound.bounded()


def read_compiled_catalog(data: bytes, names: bytes) -> list[CatalogSound]:
    """Read the sounds of a WAD of the level editor.

    Args:
        data: its `.sfx`.
        names: its `.sam`, the names of the samples.

    Raises:
        FormatError: if it is damaged.
    """
    if data[:4] == b"RIFF":
        raise FormatError("SFX", "the sounds of a WAD", "waves")
    size = _map_size(data)
    start = size * I16.itemsize
    if len(data) < start + 4:
        raise FormatError("SFX", f"{start + 4} bytes", str(len(data)))
    numbers = np.frombuffer(data, I16, size)
    count = int.from_bytes(data[start : start + 4], "little")
    if count > (len(data) - start - 4) // SOUND_DETAILS_TR3.itemsize:
        raise FormatError("SFX", "fewer sounds", str(count), offset=start)
    details = np.frombuffer(data, SOUND_DETAILS_TR3, count, start + 4)
    samples = [each.strip() for each in plain_text(names, "cp1252").splitlines()]
    return list(_compiled_sounds(numbers.tolist(), details, samples))


def _map_size(data: bytes) -> int:
    """Return the number of sounds that an `.sfx` can have: the version is not in the file."""
    small, large = SOUND_MAP_SIZES
    first, second = (
        int.from_bytes(data[offset : offset + 2], "little", signed=True)
        for offset in (small * I16.itemsize, (small + 1) * I16.itemsize)
    )
    return large if first == -1 or second == first + 1 else small


def _compiled_sounds(numbers: list[int], details: np.ndarray, samples: list[str]) -> Iterator[CatalogSound]:
    for number, row in enumerate(numbers):
        if not 0 <= row < len(details):
            continue
        record = details[row]
        flags = flags_of(record)
        run = run_of(record)
        chance = round(int(record["chance"]) * FULL / _FULL_BYTE)
        sound = CatalogSound(
            number,
            volume=round(int(record["volume"]) * FULL / _FULL_BYTE),
            radius=int(record["range"]),
            chance=chance or FULL,
            pitch=round(int(record["pitch"]) * FULL / _FULL_PITCH),
            loop=LOOP.of(flags),
            flags=flags & sum(_FLAGS.values()),
            samples=tuple(samples[run.start : run.stop]),
        )
        yield sound.bounded()
