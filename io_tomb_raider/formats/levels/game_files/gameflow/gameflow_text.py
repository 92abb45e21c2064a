"""Conversion of the script of TR2 and TR3 to an editable text, and back.

The text compiles to the same file, byte for byte. Default values are omitted; unknown bytes are lines of
hexadecimal numbers. Sections, in this order:

    [Script]         the build of the game, and a description
    [Options]        actions on events, flags, tracks
    [Titles], [ChapterScreens], [FMVs], [Cutscenes]    lists of paths that the commands refer to
    [FrontEnd]       the commands that run when the game starts
    [Level]          one for each level: name, path, names of its items, then its commands
    [Demos]          levels of the demos
    [GameStrings], [PCStrings] or [PSXStrings]
    [Raw]            tables whose bytes do not follow from their strings
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.records import U8, U16
from ....base.errors import ExportError, TextError
from ....base.games import Game
from ....base.messages import T
from ..strings.string_tables import StringTable
from ..strings.text import (
    PLAIN,
    Line,
    TextSection,
    read_bytes,
    read_strings,
    show_bytes,
    show_pair,
    show_strings,
    show_switch,
    split_parts,
)
from .gameflow import DESCRIPTION_SIZE, FMV_INFO, PC, VERSION, Gameflow, GameflowVariant
from .gameflow_commands import CommandTexts
from .gameflow_sequences import GameflowCommand, decode_sequences, encode_sequences

FLAGS = ("DemoVersion", "TitleDisabled", "CheatModeCheckDisabled", "NoInputTimeout", "LoadSaveDisabled",
         "ScreenSizingDisabled", "LockoutOptionRing", "DozyCheatEnabled", "Cipher", "GymEnabled",
         "SelectAnyLevel", "EnableCheatCode", "SecurityTag")  # fmt: skip
LANGUAGES = ("ENGLISH", "FRENCH", "GERMAN", "AMERICAN", "JAPANESE", "ITALIAN", "SPANISH")
# The next action of the game, with a number in its low byte (chapter 11.6).
ACTIONS = {"SEQUENCE": 0x000, "DEMO": 0x400, "TITLE": 0x500, "EXIT": 0x700, "DESELECT": 0x900}

_ACTION_KEYS = {
    "FirstOption": "first_option",
    "TitleReplace": "title_replace",
    "OnDeathInDemo": "on_death_demo",
    "OnDeath": "on_death",
    "OnDemoInterrupt": "on_demo_interrupt",
    "OnDemoEnd": "on_demo_end",
}
_UNKNOWN = {"Unknown1": 36, "Unknown2": 32, "Unknown3": 6, "Unknown4": 4}
_LISTS = {
    "Titles": "titles",
    "ChapterScreens": "chapter_screens",
    "FMVs": "fmvs",
    "Cutscenes": "cutscenes",
    "GameStrings": "game_strings",
}
# The names of a level's items: key in the text, attribute, count, and name of an unused one.
_ITEM_NAMES = (
    ("Puzzle", "puzzles", 4, "P"),
    ("Secret", "secrets", 4, "S"),
    ("Special", "specials", 2, "S"),
    ("Pickup", "pickups", 2, "P"),
    ("Key", "keys", 4, "K"),
)
_NO_LEVEL = 0xFFFF


def gameflow_to_text(gameflow: Gameflow) -> str:
    """Return the script as text. :func:`text_to_gameflow` compiles it to the same file."""
    lines: list[str] = ["; The script of Tomb Raider 2 or 3.", ""]
    sequences = decode_sequences(gameflow.sequence_offsets, gameflow.sequence_data)
    texts = CommandTexts.of(gameflow)
    lines += ["[Script]", *_show_script(gameflow), "", "[Options]", *_show_options(gameflow)]
    for name, attribute in _LISTS.items():
        if name != "GameStrings":
            lines += ["", f"[{name}]", *_show_list(getattr(gameflow, attribute))]
            if name == "FMVs" and gameflow.variant.psx:
                frames = ", ".join(f"{start}-{end}" for start, end in gameflow.fmv_info.tolist())
                lines += ["", "[FMVFrames]", *frames.split(", ")] if frames else []
    if sequences is not None:
        lines += ["", "[FrontEnd]", *map(texts.show, sequences[0])]
    for number in range(gameflow.num_levels):
        lines += ["", f"[Level] ; {number}", *_show_level(gameflow, number)]
        lines += map(texts.show, sequences[number + 1] if sequences is not None else ())
    if gameflow.num_demo_levels:
        lines += ["", "[Demos]", *(f"Level= {level}" for level in gameflow.demo_levels.tolist())]
    lines += ["", "[GameStrings]", *_show_list(gameflow.game_strings)]
    platform = "PSXStrings" if gameflow.variant.platform_strings != PC.platform_strings else "PCStrings"
    lines += ["", f"[{platform}]", *_show_list(gameflow.platform_strings)]
    lines += _show_raw(gameflow, sequences is None)
    return "\n".join(lines) + "\n"


def _show_script(gameflow: Gameflow) -> Iterator[str]:
    variant = gameflow.variant
    description, _, trailing = gameflow.description.tobytes().partition(b"\0")
    yield show_pair("Game", gameflow.game.name)
    yield show_pair("Platform", "PSX" if variant.psx else "PC")
    if variant.platform_strings != _default_variant(variant.psx).platform_strings:
        yield show_pair("PlatformStrings", variant.platform_strings)
    if variant.extras != _default_variant(variant.psx).extras:
        yield show_pair("SecretNames", show_switch(variant.extras))
    yield show_pair("Description", PLAIN.show(description))
    yield from show_bytes("BehindDescription", trailing.rstrip(b"\0"))
    yield from show_bytes("BehindOptions", gameflow.more_options.tobytes())
    yield from show_bytes("BehindFile", gameflow.rest.tobytes())


def _default_variant(psx: bool) -> GameflowVariant:
    return GameflowVariant(True, 80, True) if psx else PC


def _show_options(gameflow: Gameflow) -> Iterator[str]:
    language = gameflow.language
    yield show_pair("Language", LANGUAGES[language] if language < len(LANGUAGES) else language)
    for key, attribute in _ACTION_KEYS.items():
        yield show_pair(key, _show_action(getattr(gameflow, attribute)))
    yield show_pair("DemoTime", gameflow.demo_time, f"{gameflow.demo_time / 30:g} seconds")
    yield show_pair("TitleTrack", gameflow.title_track)
    yield show_pair("SecretTrack", gameflow.secret_track)
    single = gameflow.single_level
    yield show_pair("SingleLevel", "NONE" if single == _NO_LEVEL else single)
    for bit, key in enumerate(FLAGS):
        yield show_pair(key, show_switch(gameflow.flags >> bit & 1))
    if gameflow.flags >> len(FLAGS):
        yield show_pair("OtherFlags", f"${gameflow.flags >> len(FLAGS) << len(FLAGS):04X}")
    yield show_pair("CipherKey", f"${gameflow.xor_key:02X}")
    for key in _UNKNOWN:
        content = getattr(gameflow, key.lower()).tobytes()
        if any(content):
            yield show_pair(key, content.hex(" "))


def _show_action(value: int) -> str:
    if value == -1:
        return "NONE"
    name = next((name for name, code in ACTIONS.items() if code == value & ~0xFF), None)
    if name is None:
        return f"${value:X}" if value >= 0 else str(value)
    return (
        name if name not in ("SEQUENCE", "DEMO") and value in ACTIONS.values() else f"{name} {value & 0xFF}"
    )


def _show_list(table: StringTable) -> Iterator[str]:
    return show_strings(table.texts, PLAIN) if table.is_tight else iter(())


def _show_level(gameflow: Gameflow, number: int) -> Iterator[str]:
    for key, table in (("Name", gameflow.level_names), ("Path", gameflow.level_paths)):
        if table.is_tight:
            yield show_pair(key, PLAIN.show(table.text(number))).rstrip()
    for key, attribute, count, unused in _item_names(gameflow.variant):
        for item in range(count):
            table = getattr(gameflow, attribute)[item]
            if table.is_tight and table.text(number) != b"%s%d" % (unused.encode(), item + 1):
                yield show_pair(f"{key}{item + 1}", PLAIN.show(table.text(number))).rstrip()


def _item_names(variant: GameflowVariant) -> list[tuple[str, str, int, str]]:
    return [row for row in _ITEM_NAMES if variant.extras or row[0] not in ("Secret", "Special")]


def _tables(gameflow: Gameflow) -> Iterator[tuple[str, str, int | None]]:
    """Yield all string tables of a script: key in [Raw], attribute, and index in a tuple."""
    yield from ((name, attribute, None) for name, attribute in _LISTS.items())
    yield from (("Names", "level_names", None), ("Paths", "level_paths", None))
    yield ("PlatformStrings", "platform_strings", None)
    for key, attribute, count, _ in _item_names(gameflow.variant):
        yield from ((f"{key}{item + 1}", attribute, item) for item in range(count))


def _show_raw(gameflow: Gameflow, with_sequences: bool) -> Iterator[str]:
    lines: list[str] = []
    if with_sequences:
        lines += show_bytes("SequenceOffsets", gameflow.sequence_offsets.tobytes())
        lines += show_bytes("Sequences", gameflow.sequence_data.tobytes())
    for key, attribute, item in _tables(gameflow):
        table = getattr(gameflow, attribute)
        table = table if item is None else table[item]
        if not table.is_tight:
            lines += show_bytes(f"{key}Offsets", np.array(table.offsets, U16).tobytes())
            lines += show_bytes(key, table.block)
    if lines:
        yield from ("", "[Raw]", *lines)


# --- Compilation ----------------------------------------


def text_to_gameflow(text: str) -> Gameflow:
    """Compile a text. Raises TextError if the text is invalid, or exceeds a limit of the file."""
    parts: dict[str, TextSection] = {}
    levels: list[TextSection] = []
    for part in split_parts(text):
        if part.name.lower() == "level":
            levels.append(part)
        elif part.name.lower() in parts:
            raise part.error(f"[{part.name}] is here twice")
        elif part.name.lower() not in _PARTS:
            raise part.error(f"[{part.name}] is not a section of a script")
        else:
            parts[part.name.lower()] = part
    return _Compiler(parts, levels).compile()


_PLATFORMS = ("PCStrings", "PSXStrings")
_PARTS = {
    name.lower()
    for name in ("Script", "Options", "FMVFrames", "FrontEnd", "Demos", "Raw", *_LISTS, *_PLATFORMS)
}


class _Compiler:
    """Compiles the sections of a text to a script."""

    def __init__(self, parts: dict[str, TextSection], levels: list[TextSection]) -> None:
        self.parts = parts
        self.levels = levels
        self.game = Game.TR3
        self.raw: dict[str, bytes] = {}

    def part(self, name: str) -> TextSection:
        """Return a section, empty if the text lacks it."""
        return self.parts.get(name.lower(), TextSection(name, 1))

    def compile(self) -> Gameflow:
        gameflow = self._script()
        self._options(gameflow)
        tables = [key for key, _, _ in _tables(gameflow)]
        raw_keys = [*tables, *(f"{key}Offsets" for key in tables), "SequenceOffsets", "Sequences"]
        self.raw = read_bytes(self.part("Raw"), raw_keys)
        gameflow.num_levels = len(self.levels)
        for name, attribute in _LISTS.items():
            setattr(gameflow, attribute, self._table(name, read_strings(self.part(name), PLAIN)))
        self._platform_strings(gameflow)
        commands = self._levels(gameflow)
        demos = [line.integer(line.pair()[1], 0, 0xFFFF) for line in self.part("Demos").lines]
        gameflow.demo_levels = np.array(demos, U16)
        gameflow.fmv_info = self._fmv_frames(gameflow)
        self._sequences(gameflow, commands)
        return self._checked(gameflow)

    def _checked(self, gameflow: Gameflow) -> Gameflow:
        """Check that a script can be written. Limits have no single line, so errors refer to the section."""
        try:
            gameflow.to_bytes()
        except ExportError as error:
            raise TextError(self.part("Script").number, str(error)) from None
        return gameflow

    def _script(self) -> Gameflow:
        part = self.part("Script")
        trailing_keys = ("BehindDescription", "BehindOptions", "BehindFile")
        plain = TextSection(
            part.name, part.number, [line for line in part.lines if line.pair()[0] not in trailing_keys]
        )
        hexadecimal = [line for line in part.lines if line.pair()[0] in trailing_keys]
        content = read_bytes(TextSection(part.name, part.number, hexadecimal), trailing_keys)
        pairs = plain.pairs(("Game", "Platform", "PlatformStrings", "SecretNames", "Description"))
        line, game = pairs.get("Game", (None, "TR3"))
        if line is not None and game.upper() not in ("TR2", "TR3"):
            raise line.error(f"the game is TR2 or TR3, not {game!r}")
        self.game = Game[game.upper()]
        gameflow = Gameflow(_read_variant(pairs))
        line, text = pairs.get("Description", (Line(part.number, ""), ""))
        description = PLAIN.read(line.number, text) + b"\0" + content["BehindDescription"]
        if len(description) > DESCRIPTION_SIZE + (not content["BehindDescription"]):
            raise line.error(f"a description has at most {DESCRIPTION_SIZE} bytes, not {len(description)}")
        padded = description[:DESCRIPTION_SIZE].ljust(DESCRIPTION_SIZE, b"\0")
        gameflow.version = VERSION
        gameflow.description = _array(padded)
        gameflow.more_options = _array(content["BehindOptions"])
        gameflow.rest = _array(content["BehindFile"])
        return gameflow

    def _options(self, gameflow: Gameflow) -> None:
        numbers = {
            "DemoTime": (0, 0xFFFFFFFF),
            "TitleTrack": (0, 0xFFFF),
            "SecretTrack": (0, 0xFFFF),
            "OtherFlags": (0, 0xFFFF),
            "CipherKey": (0, 0xFF),
        }
        keys = ("Language", *_ACTION_KEYS, *numbers, "SingleLevel", *FLAGS, *_UNKNOWN)
        pairs = self.part("Options").pairs(keys)
        values = dict.fromkeys(numbers, 0)
        for key, limits in numbers.items():
            if key in pairs:
                values[key] = pairs[key][0].integer(pairs[key][1], *limits)
        gameflow.demo_time, gameflow.title_track = values["DemoTime"], values["TitleTrack"]
        gameflow.secret_track, gameflow.xor_key = values["SecretTrack"], values["CipherKey"]
        gameflow.flags = values["OtherFlags"]
        for bit, key in enumerate(FLAGS):
            if key in pairs:
                gameflow.flags |= pairs[key][0].switch(pairs[key][1]) << bit
        for key, attribute in _ACTION_KEYS.items():
            setattr(gameflow, attribute, _read_action(*pairs[key]) if key in pairs else -1)
        gameflow.single_level = _NO_LEVEL
        if "SingleLevel" in pairs and pairs["SingleLevel"][1].upper() != "NONE":
            gameflow.single_level = pairs["SingleLevel"][0].integer(pairs["SingleLevel"][1], 0, _NO_LEVEL)
        gameflow.language = 0
        if "Language" in pairs:
            line, name = pairs["Language"]
            is_name = name.upper() in LANGUAGES
            gameflow.language = LANGUAGES.index(name.upper()) if is_name else line.integer(name, 0, 0xFF)
        for key, size in _UNKNOWN.items():
            content = pairs[key][0].hexadecimal(pairs[key][1]) if key in pairs else bytes(size)
            if len(content) != size:
                raise pairs[key][0].error(f"{key} has {size} bytes, not {len(content)}")
            setattr(gameflow, key.lower(), _array(content))

    def _table(self, key: str, texts: list[bytes], part: TextSection | None = None) -> StringTable:
        """Return the table of these strings, or its replacement in [Raw]."""
        offsets, block = self.raw[f"{key}Offsets"], self.raw[key]
        if not offsets and not block:
            table = StringTable.of(texts)
            if len(table.block) > 0xFFFF:
                number = (part or self.part(key)).number
                raise TextError(
                    number, T("these strings have {count} bytes, more than 65535", count=len(table.block))
                )
            return table
        if texts:
            raise self.part("Raw").error(f"the strings of {key} are here and in a section of their own")
        if len(offsets) % 2 or len(block) > 0xFFFF:
            raise self.part("Raw").error(f"{key} is not a table of strings")
        return StringTable(tuple(np.frombuffer(offsets, U16).tolist()), block)

    def _platform_strings(self, gameflow: Gameflow) -> None:
        parts = [self.part(name) for name in _PLATFORMS if name.lower() in self.parts]
        part = parts[-1] if parts else TextSection(_PLATFORMS[0], 1)
        if len(parts) > 1:
            raise part.error("a script has either [PCStrings] or [PSXStrings]")
        texts = read_strings(part, PLAIN)
        gameflow.platform_strings = self._table("PlatformStrings", texts, part)
        count, limit = len(gameflow.platform_strings), gameflow.variant.platform_strings
        if count != limit:
            raise part.error(f"the game wants {limit} strings here, not {count}")

    def _levels(self, gameflow: Gameflow) -> list[list[Line]]:
        """Read names and paths of the levels, and return the lines of commands of each."""
        names = _item_names(gameflow.variant)
        unused = {
            f"{key}{item + 1}": f"{letter}{item + 1}".encode()
            for key, _, count, letter in names
            for item in range(count)
        }
        keys = {key.lower(): key for key in ("Name", "Path", *unused)}
        columns: dict[str, list[bytes]] = {key: [] for key in keys.values()}
        commands: list[list[Line]] = []
        for part in self.levels:
            name_lines = [line for line in part.lines if line.pair()[0].lower() in keys]
            commands.append([line for line in part.lines if line.pair()[0].lower() not in keys])
            pairs = TextSection(part.name, part.number, name_lines).pairs(keys.values())
            for key, column in columns.items():
                default = unused.get(key)
                if key in pairs:
                    column.append(PLAIN.read(pairs[key][0].number, pairs[key][1]))
                elif default is not None:
                    column.append(default)
                elif not self.raw[f"{key}sOffsets"]:
                    raise part.error(f"a level needs {key}=")
        gameflow.level_names = self._table("Names", columns["Name"])
        gameflow.level_paths = self._table("Paths", columns["Path"])
        for key, attribute, count, _ in names:
            tables = [self._item_table(f"{key}{item + 1}", columns, unused) for item in range(count)]
            setattr(gameflow, attribute, tuple(tables))
        return commands

    def _item_table(self, key: str, columns: dict[str, list[bytes]], unused: dict[str, bytes]) -> StringTable:
        texts = columns[key]
        is_raw = self.raw[f"{key}Offsets"] and all(text == unused[key] for text in texts)
        return self._table(key, [] if is_raw else texts)

    def _fmv_frames(self, gameflow: Gameflow) -> NDArray[np.uint32]:
        part = self.part("FMVFrames")
        frames = [line.integers(line.content.replace("-", ","), [(0, 0xFFFFFFFF)] * 2) for line in part.lines]
        if gameflow.variant.psx and len(frames) != len(gameflow.fmvs):
            raise part.error(f"there are {len(gameflow.fmvs)} films, but frames of {len(frames)}")
        return np.array(frames, FMV_INFO.base).reshape(-1, 2)

    def _sequences(self, gameflow: Gameflow, levels: Iterable[list[Line]]) -> None:
        texts = CommandTexts.of(gameflow, self.game)
        front_end = self.part("FrontEnd")
        sequences: list[list[GameflowCommand]] = [[texts.read(line) for line in front_end.lines]]
        sequences += ([texts.read(line) for line in lines] for lines in levels)
        offsets, data = self.raw["SequenceOffsets"], self.raw["Sequences"]
        if not offsets:
            try:
                gameflow.sequence_offsets, gameflow.sequence_data = encode_sequences(sequences)
            except ExportError as error:
                raise front_end.error(str(error)) from None
            return
        if any(sequences) or len(offsets) % 2 or len(data) > 0xFFFF:
            raise self.part("Raw").error("sequences are here and in sections of their own, or damaged")
        gameflow.sequence_offsets = np.frombuffer(offsets, U16)
        gameflow.sequence_data = _array(data)


def _array(content: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(content, U8)


def _read_variant(pairs: dict[str, tuple[Line, str]]) -> GameflowVariant:
    line, platform = pairs.get("Platform", (None, "PC"))
    if line is not None and platform.upper() not in ("PC", "PSX"):
        raise line.error(f"the platform is PC or PSX, not {platform!r}")
    default = _default_variant(platform.upper() == "PSX")
    count, extras = default.platform_strings, default.extras
    if "PlatformStrings" in pairs:
        count = pairs["PlatformStrings"][0].integer(pairs["PlatformStrings"][1], 0, 0xFFFF)
    if "SecretNames" in pairs:
        extras = pairs["SecretNames"][0].switch(pairs["SecretNames"][1])
    return GameflowVariant(default.psx, count, extras)


def _read_action(line: Line, text: str) -> int:
    name, _, operand = text.partition(" ")
    if name.upper() == "NONE" and not operand:
        return -1
    if name.upper() in ACTIONS:
        return ACTIONS[name.upper()] | (line.integer(operand, 0, 0xFF) if operand else 0)
    return line.integer(text, -0x80000000, 0x7FFFFFFF)
