"""Object files: WAD of the level editor and WAD2 of Tomb Editor, with their companion files.

Both are read as levels of TR4 without rooms, and an edited level is exported to the files that it was made
from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from ...base.bytes.files import file_content
from ...base.errors import FormatError
from ...base.games import Game
from ...base.schema.chunks import NUMBER
from ...levels.game_files.beside import file_in
from ...levels.level.level import Level
from .materials import is_material
from .wad import put as wad_put
from .wad.edit import edit_wad
from .wad.level import WadLevel, convert_wad
from .wad.names import Was, WasLine, read_was
from .wad.sounds import empty_sfx
from .wad.swd import empty_swd, read_swd
from .wad.wad import read_wad
from .wad2 import put as wad2_put
from .wad2.chunks import CONTEXT, parent
from .wad2.edit import edit_wad2
from .wad2.level import Wad2Level, wad2_to_level
from .wad2.put import AnimationPlace, put_moveable
from .wad2.skins import Wad2Extras
from .wad2.wad2 import GAME_VERSION, LISTS, TR4_OBJECTS, Wad2, read_wad2

WAD, WAD2 = ".wad", ".wad2"
OBJECT_SUFFIXES = (WAD, WAD2)
# The companion files, with the same name. Sounds are kept unchanged.
_BESIDE = {WAD: (".swd", ".was", ".sam", ".sfx"), WAD2: (".xml",)}

# The game of a WAD2's object numbers, by its version; TR1X and TR2X are 11 and 12, TRNG is 16.
_GAMES = {**{int(game): game for game in Game}, 11: Game.TR1, 12: Game.TR2, 16: Game.TR4}
_BLANK_WAD = 4 + 13 * 4  # bytes: the version, and zero counts

Files = Mapping[str, bytes]
Namer = Callable[[str, int], str]


class ExportedFiles(dict[str, bytes]):
    """The files to write, by suffix."""

    approximated = 0  #: the number of faces that show another part of their picture.
    #: the suffixes of required files that were created because they were missing.
    made: frozenset[str] = frozenset()


class ObjectNames(NamedTuple):
    """Names and numbering of an object file."""

    game: Game | None  #: the game of its model numbers, or None if it is none of the five.
    animations: Mapping[int, Mapping[int, str]]  #: names of animations, by model and number.


class Objects(Protocol):
    """An object file as a level, with export."""

    @property
    def names(self) -> ObjectNames:
        """Its names and numbering."""

    @property
    def level(self) -> Level:
        """The level that was made from it. It must not be modified."""

    @property
    def wad2(self) -> Wad2Level | None:
        """The WAD2, None for other files."""

    def edited(self, level: Level, name: Namer, extras: Wad2Extras | None = None) -> ExportedFiles:
        """Return the files for an edited level.

        Args:
            name: returns the name of a slot of "model" or "static", for lists of names.
            extras: edits of what levels lack, for a WAD2.

        Raises:
            ExportError: if the files cannot store it.
        """


def put_model(target: Files, source: bytes, slot: int, to: int, name: Namer) -> ExportedFiles:
    """Return object files with a model of another one, replacing the one with that number.

    Args:
        source: a WAD2.
        slot: the number of the model there.
        to: its number in the files.

    Raises:
        ExportError: if there is no such model, or the files cannot store it.
        FormatError: if a file is damaged.
    """
    if WAD2 in target:
        written = ExportedFiles(target)
        written[WAD2] = put_moveable(read_wad2(target[WAD2]), read_wad2(source), slot, to).to_bytes()
        return written
    objects, level = open_objects(target), open_objects({WAD2: source}).level
    return objects.edited(wad_put.put_model(objects.level, level, slot, to), name)


def put_animation(
    target: Files, source: bytes, source_place: AnimationPlace, to: AnimationPlace, name: Namer
) -> tuple[ExportedFiles, int]:
    """Return object files with an animation of another one, and its number there.

    Args:
        source: a WAD2.
        source_place: the animation there.
        to: its place in the files; a number out of range appends a new one.

    Raises:
        ExportError: if there is no such animation or model, or their bones are not the same.
        FormatError: if a file is damaged.
    """
    if WAD2 in target:
        written = ExportedFiles(target)
        edited, number = wad2_put.put_animation(read_wad2(target[WAD2]), read_wad2(source), source_place, to)
        written[WAD2] = edited.to_bytes()
        return written, number
    objects, source_level = open_objects(target), open_objects({WAD2: source}).level
    level, number = wad_put.put_animation(objects.level, source_level, source_place, to)
    return objects.edited(level, name), number


def is_object_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is an object file, by its suffix."""
    return Path(path).suffix.lower() in OBJECT_SUFFIXES


def read_files(path: str | os.PathLike[str]) -> dict[str, bytes]:
    """Return the content of an object file and its companion files, by suffix.

    Raises:
        FormatError: if one is larger than any such file.
        OSError: if one cannot be read.
    """
    file = Path(path)
    files = {file.suffix.lower(): file_content(file)}
    beside = {suffix: file_content(each) for suffix, each in companion_files(file).items()}
    # A texture of the same name may have a material.
    return files | {
        suffix: data for suffix, data in beside.items() if suffix != ".xml" or not is_material(data)
    }


def companion_files(path: Path) -> dict[str, Path]:
    """Return the companion files of an object file by suffix. The object file itself need not exist."""
    paths = {each: file_in(path.parent, path.stem + each) for each in _BESIDE[path.suffix.lower()]}
    return {suffix: path for suffix, path in paths.items() if path is not None}


def open_objects(files: Files, *, compiled: bool = False) -> Objects:
    """Return the objects of a file, with its companion sprites and names.

    Args:
        files: the file and its companions, by suffix.
        compiled: make the meshes of a WAD2 for a level, see :func:`.wad2.level.wad2_to_level`.

    Raises:
        FormatError: if one of them is damaged.
    """
    if WAD2 in files:
        return _Wad2Objects(files, wad2_to_level(read_wad2(files[WAD2]), compiled=compiled))
    if WAD not in files:
        raise FormatError("file", "a WAD or a WAD2", "none")
    swd = read_swd(files[".swd"]) if ".swd" in files else None
    return _WadObjects(files, convert_wad(read_wad(files[WAD]), swd))


def blank_files(suffix: str, version: int = TR4_OBJECTS) -> dict[str, bytes]:
    """Return an empty object file.

    Args:
        version: the game of a WAD2's objects, see :attr:`.wad2.wad2.Wad2.version`.

    Raises:
        FormatError: if the suffix is unknown.
    """
    if suffix == WAD2:
        lists = (parent(name, ()) for name in LISTS)
        numbers = {GAME_VERSION: version, "W2SoundSystem": 1}.items()
        chunks = [*(NUMBER.new_chunk(name, number, CONTEXT) for name, number in numbers), *lists]
        return {WAD2: Wad2(chunks).to_bytes()}
    if suffix != WAD:
        raise FormatError("file", "a WAD or a WAD2", suffix)
    return {WAD: b"\x81" + bytes(_BLANK_WAD - 1)}


def read_objects(path: str | os.PathLike[str]) -> Level:
    """Read an object file, with its companion sprites, as a level.

    Raises:
        FormatError: if one of them has another format, or is damaged.
        OSError: if one of them cannot be read.
    """
    return open_objects(read_files(path)).level


@dataclass(frozen=True, eq=False)
class _Wad2Objects:
    files: Files
    library: Wad2Level

    @property
    def names(self) -> ObjectNames:
        animations = {
            moveable.id: {
                number: each.name.strip()
                for number, each in enumerate(moveable.animations)
                if each.name.strip().isprintable() and each.name.strip()
            }
            for moveable in self.library.moveables
        }
        return ObjectNames(_GAMES.get(self.library.wad2.version), animations)

    @property
    def level(self) -> Level:
        return self.library.level

    @property
    def wad2(self) -> Wad2Level:
        return self.library

    def edited(self, level: Level, _name: Namer, extras: Wad2Extras | None = None) -> ExportedFiles:
        written = ExportedFiles(self.files)
        written[WAD2] = edit_wad2(self.library, level, extras).to_bytes()
        return written


@dataclass(frozen=True, eq=False)
class _WadObjects:
    files: Files
    source: WadLevel

    @property
    def names(self) -> ObjectNames:
        return ObjectNames(Game.TR4, {})

    @property
    def level(self) -> Level:
        return self.source.level

    @property
    def wad2(self) -> None:
        return None

    def edited(self, level: Level, name: Namer, _extras: Wad2Extras | None = None) -> ExportedFiles:
        result = edit_wad(self.source, level)
        written = ExportedFiles(self.files)
        written.approximated = result.approximated
        written[WAD] = result.wad.to_bytes()
        written[".swd"] = (result.swd or empty_swd(result.wad.version)).to_bytes()
        written[".was"] = self._names(level, name)
        # The level editor requires all of them.
        has_sprites = ".swd" in self.files or result.swd is not None
        missing = {".was", ".sam", ".sfx", *(() if has_sprites else (".swd",))}
        written.made = frozenset(missing - set(self.files))
        written.setdefault(".sam", b"")
        written.setdefault(".sfx", empty_sfx(result.wad.version))
        return written

    def _names(self, level: Level, name: Namer) -> bytes:
        """Return the list of slots: models, then static meshes, in file order."""
        was = read_was(self.files[".was"]) if ".was" in self.files else Was("")
        old_slots, new_slots = _slots(self.level), _slots(level)
        if old_slots == new_slots and ".was" in self.files:
            return self.files[".was"]
        is_complete = len(old_slots) == len(was.slots)
        named = dict(zip(old_slots, was.slots, strict=False)) if is_complete else {}
        slots = [named.get(slot) or WasLine(_plain(name(*slot)), "") for slot in new_slots]
        return was.with_slots(slots).to_bytes()


def _slots(level: Level) -> list[tuple[str, int]]:
    models = [("model", int(each)) for each in level.models["id"]]
    return [*models, *(("static", int(each)) for each in level.static_meshes["id"])]


def _plain(name: str) -> str:
    """Return a name in the form of slot lists: capitals and underscores."""
    letters = (letter if letter.isascii() and letter.isalnum() else "_" for letter in name.upper())
    return "".join(letters) or "SLOT"
