"""Names of a level and its items, from the script of its game.

One interface for the scripts of TR2 and TR3 (:mod:`.gameflow.gameflow`) and those of TR4 and TR5
(:mod:`.tr4.tr4_script` with a :mod:`.strings.language`). TR1 has no script.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from ...base.bytes.files import name_key, read_file
from ...base.games import Game
from .beside import Installed, file_in, find_game_file, not_installed
from .gameflow.gameflow import Gameflow, read_gameflow
from .strings.language import Language, read_language
from .strings.text import PLAIN, STRINGS
from .tr4.tr4_commands import LEVEL, OPCODES, OPTIONS, TITLE
from .tr4.tr4_script import Script, read_script

GAMEFLOW_FILES = ("TOMBPC.DAT", "DEMOPC.DAT", "TOMBPSX.DAT")
SCRIPT_FILES = ("SCRIPT.DAT",)

# The attributes of a gameflow with names of items, and the names of unused ones.
_GAMEFLOW_ITEMS = (
    ("Puzzle", "puzzles", "P"),
    ("Secret", "secrets", "S"),
    ("Special", "specials", "S"),
    ("Pickup", "pickups", "P"),
    ("Key", "keys", "K"),
)


class SkyLayer(NamedTuple):
    """A layer of clouds."""

    color: tuple[int, int, int]  #: screen values; 128 leaves the sky page unchanged.
    speed: int  #: its movement along x in units per frame, at 30 frames per second.


class Sky(NamedTuple):
    """The sky of TR4 and TR5."""

    has_horizon: bool  #: whether the horizon model is drawn.
    layers: tuple[SkyLayer | None, SkyLayer | None]  #: both layers of clouds, None for missing ones.


@dataclass(frozen=True)
class LevelNames:
    """Names of one level, and its properties that are only in the script."""

    title: str  #: the title of the level, "" without one.
    legend: str = ""  #: the text at the start of the level (TR4, TR5), or "".
    #: the names of its items by kind (``"Key"``, ``"Puzzle"``, ``"Pickup"``, ``"Examine"``, ``"Secret"``,
    #: ``"Special"``, ``"KeyCombo"``, ``"PuzzleCombo"``, ``"PickupCombo"``) and number from 1, for a combo
    #: also the part: ``("Key", 2)``, ``("KeyCombo", 2, 1)``. Only items that the level uses are included.
    items: dict[tuple[str | int, ...], str] = field(default_factory=dict)
    #: the color of distance fog and fog bulbs as screen values (TR4, TR5), or None.
    fog: tuple[int, int, int] | None = None
    sky: Sky | None = None  #: the sky (TR4, TR5).
    #: the operands of other commands by name (TR4, TR5), those of the last one where there are several:
    #: ``"UVRotate"``, ``"LensFlare"``, ``"Mirror"``, ``"LoadCamera"``. None without a script.
    commands: dict[str, tuple[int, ...]] | None = None

    def item(self, kind: str, *numbers: int) -> str | None:
        """Return the name of an item, or None without one."""
        return self.items.get((kind, *numbers))

    @property
    def keys(self) -> dict[int, str]:
        """The names of keys by number, from 1."""
        return self._kind("Key")

    @property
    def puzzles(self) -> dict[int, str]:
        """The names of puzzle items by number, from 1."""
        return self._kind("Puzzle")

    @property
    def pickups(self) -> dict[int, str]:
        """The names of pickups by number, from 1."""
        return self._kind("Pickup")

    def _kind(self, kind: str) -> dict[int, str]:
        return {int(key[1]): name for key, name in self.items.items() if key[0] == kind and len(key) == 2}


def gameflow_level_names(gameflow: Gameflow, level: str) -> LevelNames | None:
    """Return the names of a level of TR2 or TR3, or None if the script lacks it.

    Args:
        level: the name of its file, with or without folders and extension, in any case.
    """
    paths = [text.decode("latin-1") for text in gameflow.level_paths.texts]
    number = next((number for number, path in enumerate(paths) if is_same_file(path, level)), None)
    if number is None:
        return None
    items: dict[tuple[str | int, ...], str] = {}
    for kind, attribute, unused in _GAMEFLOW_ITEMS:
        for item, table in enumerate(getattr(gameflow, attribute, ()), 1):
            name = PLAIN.name(table.text(number))
            if name not in ("", f"{unused}{item}"):
                items[kind, item] = name
    return LevelNames(PLAIN.name(gameflow.level_names.text(number)), "", items)


def script_level_names(script: Script, language: Language | None, level: str) -> LevelNames | None:
    """Return the names of a level of TR4 or TR5, or None if the script lacks it.

    Args:
        language: its strings; without it there are no names.
        level: the name of its file, with or without folders and extension, in any case.
    """
    files = script.files
    for commands in script.commands:
        title = legend = ""
        fog: tuple[int, int, int] | None = None
        path: int | None = None
        options = 0
        other_commands: dict[str, tuple[int, ...]] = {}
        layers: dict[str, tuple[int, SkyLayer]] = {}
        items: dict[tuple[str | int, ...], str] = {}
        for command in commands or ():
            opcode = OPCODES[script.game][command.opcode]
            if command.opcode == LEVEL:
                title, path = _name(language, command.operands[0]), command.operands[2]
                options = command.operands[1]
            elif command.opcode == TITLE:
                options, path = command.operands[:2]
            elif opcode.name == "Legend":
                legend = _name(language, command.operands[0])
            elif opcode.name == "Fog":
                red, green, blue = command.operands
                fog = red, green, blue
            elif opcode.name in _OTHERS:
                other_commands[opcode.name] = command.operands
            elif opcode.name in _LAYERS:
                red, green, blue, speed = command.operands
                layers[opcode.name] = opcode.option, SkyLayer((red, green, blue), speed)
            elif opcode.is_item:
                items[(opcode.name, *opcode.numbers)] = _name(language, command.operands[0])
        if path is not None and path < len(files) and is_same_file(files.text(path).decode("latin-1"), level):
            used = {name: layer for name, (option, layer) in layers.items() if options & option}
            used_layers = used.get(_LAYERS[0]), used.get(_LAYERS[1])
            sky = Sky(bool(options & OPTIONS["Horizon"]), used_layers)
            used_items = {key: name for key, name in items.items() if name}
            return LevelNames(title, legend, used_items, fog, sky, other_commands)
    return None


_LAYERS = ("Layer1", "Layer2")
_OTHERS = ("UVRotate", "LensFlare", "Mirror", "LoadCamera")


def read_level_names(
    level: Path, game: Game, script: Path | None = None, installed: Installed = not_installed
) -> LevelNames | None:
    """Return the names of a level, from the given script, or the one of :func:`find_script`.

    Returns:
        The names, or None if there is no script, or it lacks this level.

    Raises:
        FormatError: if the script is damaged.
        OSError: if the script cannot be read.
    """
    path = script or find_script(level, game, installed)
    if path is None or not game.traits.has_script:
        return None
    if game.traits.has_gameflow:
        return gameflow_level_names(read_gameflow(read_file(path)), level.name)
    compiled = read_script(read_file(path), game)
    strings = language_path(path, compiled)
    language = None if strings is None else read_language(read_file(strings))
    return script_level_names(compiled, language, level.name)


def find_script(level: Path, game: Game, installed: Installed = not_installed) -> Path | None:
    """Return the script of a game, next to a level, one folder up or of the installed game, or None."""
    if not game.traits.has_script:
        return None
    names = GAMEFLOW_FILES if game.traits.has_gameflow else SCRIPT_FILES
    return find_game_file(level, *names, installed=installed)


def language_path(path: Path, script: Script) -> Path | None:
    """Return the first language file of a script that is next to it, or None."""
    return next(filter(None, (file_in(path.parent, name) for name in script.language_files)), None)


def _name(language: Language | None, number: int) -> str:
    if language is None or number >= len(language.table):
        return ""
    return STRINGS.name(language.table.text(number))


def is_same_file(path: str, level: str) -> bool:
    """Return whether a path of a script is that of a level's file, in any folder and with any extension."""
    return name_key(PureWindowsPath(path).stem) == name_key(PureWindowsPath(level).stem)
