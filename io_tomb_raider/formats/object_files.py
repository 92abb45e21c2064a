"""Files of objects: WAD of the level editor and WAD2 of Tomb Editor, with what lies beside them.

Both are read as levels of TR4 without rooms, and an edited level goes back into the files that it came from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from .base.files import file_content
from .base.records import I16, SOUND_DETAILS_TR3, U8, U32
from .errors import FormatError
from .games import Game
from .level.level import Level
from .scripts.level_names import file_in
from .wad import put as wad_put
from .wad.edit import edit_wad
from .wad.level import WadLevel, convert_wad
from .wad.names import Slot, Was, read_was
from .wad.sounds import SOUND_MAP_SIZES, Sfx
from .wad.swd import Swd, read_swd
from .wad.wad import read_wad
from .wad2 import put as wad2_put
from .wad2.chunks import number_leaf, parent
from .wad2.edit import edit_wad2
from .wad2.level import Library, wad2_to_level
from .wad2.put import Place, put_moveable
from .wad2.wad2 import GAME_VERSION, LISTS, TR4_OBJECTS, Wad2, read_wad2

WAD, WAD2 = ".wad", ".wad2"
OBJECT_SUFFIXES = (WAD, WAD2)
# What lies beside a file under the same name. Sounds are kept as they are.
_BESIDE = {WAD: (".swd", ".was", ".sam", ".sfx"), WAD2: (".xml",)}

# Whose numbers the objects of a WAD2 have, by its version; TR1X and TR2X are 11 and 12, TRNG is 16.
_GAMES = {**{int(game): game for game in Game}, 11: Game.TR1, 12: Game.TR2, 16: Game.TR4}
_BLANK_WAD = 4 + 13 * 4  # bytes: the version, and counts of nothing

Files = Mapping[str, bytes]
Namer = Callable[[str, int], str]


class Written(dict[str, bytes]):
    """The files to write, by suffix.

    Attributes:
        approximated: how many faces show another part of their picture than they should.
        made: the suffixes of those that only stand in for files that there were none of.
    """

    approximated = 0
    made: frozenset[str] = frozenset()


class Called(NamedTuple):
    """What a file of objects calls its own.

    Attributes:
        game: whose numbers its models have, or None where that is none of the five.
        animations: names of animations, by model and number.
    """

    game: Game | None
    animations: Mapping[int, Mapping[int, str]]


class Objects(Protocol):
    """A file of objects as a level, and back."""

    @property
    def called(self) -> Called:
        """What it calls its own."""

    @property
    def level(self) -> Level:
        """The level that was made from it. Nobody changes it."""

    def edited(self, level: Level, name: Namer) -> Written:
        """Return the files with what an edited level has.

        Args:
            level: the level, edited.
            name: tells the name of a slot of "model" or "static", where a file lists names.

        Raises:
            ExportError: where the files cannot hold it.
        """


def put_model(target: Files, source: bytes, slot: int, to: int, name: Namer) -> Written:
    """Return files of objects with a model of another one, in place of what they have under that number.

    Args:
        target: the files.
        source: a WAD2.
        slot: the number of the model there.
        to: its number in the files.
        name: tells the name of a slot.

    Raises:
        ExportError: where there is no such model, or the files cannot hold it.
        FormatError: where a file is damaged.
    """
    if WAD2 in target:
        written = Written(target)
        written[WAD2] = put_moveable(read_wad2(target[WAD2]), read_wad2(source), slot, to).to_bytes()
        return written
    objects, level = open_objects(target), open_objects({WAD2: source}).level
    return objects.edited(wad_put.put_model(objects.level, level, slot, to), name)


def put_animation(target: Files, source: bytes, what: Place, to: Place, name: Namer) -> tuple[Written, int]:
    """Return files of objects with an animation of another one, and the number that it has there.

    Args:
        target: the files.
        source: a WAD2.
        what: which animation there.
        to: its place in the files; a number that is none makes a new one.
        name: tells the name of a slot.

    Raises:
        ExportError: where there is no such animation or model, or their bones are not the same.
        FormatError: where a file is damaged.
    """
    if WAD2 in target:
        written = Written(target)
        edited, number = wad2_put.put_animation(read_wad2(target[WAD2]), read_wad2(source), what, to)
        written[WAD2] = edited.to_bytes()
        return written, number
    objects, level = open_objects(target), open_objects({WAD2: source}).level
    made, number = wad_put.put_animation(objects.level, level, what, to)
    return objects.edited(made, name), number


def is_object_file(path: str | os.PathLike[str]) -> bool:
    """Tell by its suffix whether a file holds objects."""
    return Path(path).suffix.lower() in OBJECT_SUFFIXES


def read_files(path: str | os.PathLike[str]) -> dict[str, bytes]:
    """Return the content of a file of objects and of what lies beside it, by suffix.

    Raises:
        FormatError: where one is larger than any such file.
        OSError: where one cannot be read.
    """
    place = Path(path)
    found = {place.suffix.lower(): file_content(place)}
    return found | {suffix: file_content(each) for suffix, each in files_beside(place).items()}


def files_beside(path: Path) -> dict[str, Path]:
    """Return the files that lie beside a file of objects, which need not be there itself, by suffix."""
    wanted = {each: file_in(path.parent, path.stem + each) for each in _BESIDE[path.suffix.lower()]}
    return {suffix: place for suffix, place in wanted.items() if place is not None}


def open_objects(files: Files) -> Objects:
    """Return the objects of a file, with the sprites and names beside it.

    Raises:
        FormatError: where one of them is damaged.
    """
    if WAD2 in files:
        return _Wad2Objects(files, wad2_to_level(read_wad2(files[WAD2])))
    if WAD not in files:
        raise FormatError("file", "a WAD or a WAD2", "none")
    swd = read_swd(files[".swd"]) if ".swd" in files else None
    return _WadObjects(files, convert_wad(read_wad(files[WAD]), swd))


def blank_files(suffix: str) -> dict[str, bytes]:
    """Return a file of objects with none in it.

    Raises:
        FormatError: where there is no such kind of file.
    """
    if suffix == WAD2:
        lists = (parent(name, ()) for name in LISTS)
        numbers = (number_leaf(GAME_VERSION, TR4_OBJECTS), number_leaf("W2SoundSystem", 1))
        return {WAD2: Wad2([*numbers, *lists]).to_bytes()}
    if suffix != WAD:
        raise FormatError("file", "a WAD or a WAD2", suffix)
    return {WAD: b"\x81" + bytes(_BLANK_WAD - 1)}


def read_objects(path: str | os.PathLike[str]) -> Level:
    """Read a file of objects, with the sprites that stand beside it, as a level.

    Raises:
        FormatError: where one of them is none, or damaged.
        OSError: where one of them cannot be read.
    """
    return open_objects(read_files(path)).level


@dataclass(frozen=True, eq=False)
class _Wad2Objects:
    files: Files
    library: Library

    @property
    def called(self) -> Called:
        animations = {
            moveable.id: {
                number: each.name.strip()
                for number, each in enumerate(moveable.animations)
                if each.name.strip().isprintable() and each.name.strip()
            }
            for moveable in self.library.moveables
        }
        return Called(_GAMES.get(self.library.wad2.version), animations)

    @property
    def level(self) -> Level:
        return self.library.level

    def edited(self, level: Level, _name: Namer) -> Written:
        written = Written(self.files)
        written[WAD2] = edit_wad2(self.library, level).to_bytes()
        return written


@dataclass(frozen=True, eq=False)
class _WadObjects:
    files: Files
    made: WadLevel

    @property
    def called(self) -> Called:
        return Called(Game.TR4, {})

    @property
    def level(self) -> Level:
        return self.made.level

    def edited(self, level: Level, name: Namer) -> Written:
        result = edit_wad(self.made, level)
        written = Written(self.files)
        written.approximated = result.approximated
        written[WAD] = result.wad.to_bytes()
        written[".swd"] = (result.swd or _no_sprites(result.wad.version)).to_bytes()
        written[".was"] = self._names(level, name)
        # The level editor wants all of them to be there.
        has_sprites = ".swd" in self.files or result.swd is not None
        missing = {".was", ".sam", ".sfx", *(() if has_sprites else (".swd",))}
        written.made = frozenset(missing - set(self.files))
        written.setdefault(".sam", b"")
        written.setdefault(".sfx", _no_sounds(result.wad.version).to_bytes())
        return written

    def _names(self, level: Level, name: Namer) -> bytes:
        """Return the list of slots: models, then static meshes, in the order of the file."""
        was = read_was(self.files[".was"]) if ".was" in self.files else Was("")
        before, now = _slots(self.level), _slots(level)
        if before == now and ".was" in self.files:
            return self.files[".was"]
        known = dict(zip(before, was.slots, strict=False)) if len(before) == len(was.slots) else {}
        slots = [known.get(slot) or Slot(_plain(name(*slot)), "") for slot in now]
        return was.with_slots(slots).to_bytes()


def _slots(level: Level) -> list[tuple[str, int]]:
    models = [("model", int(each)) for each in level.models["id"]]
    return [*models, *(("static", int(each)) for each in level.static_meshes["id"])]


def _plain(name: str) -> str:
    """Return a name as lists of slots have it: capitals and underscores."""
    letters = (letter if letter.isascii() and letter.isalnum() else "_" for letter in name.upper())
    return "".join(letters) or "SLOT"


def _no_sprites(version: int) -> Swd:
    swd = read_swd(b"\x81" + bytes(15))
    swd.version = version
    return swd


def _no_sounds(version: int) -> Sfx:
    sfx = Sfx()
    sfx.sound_map = np.full(SOUND_MAP_SIZES[version > 129], -1, I16)
    sfx.sound_details = np.zeros(0, SOUND_DETAILS_TR3)
    sfx.sample_indices = np.zeros(0, U32)
    sfx.footer = np.zeros(0, U8)
    return sfx
