"""Conversion of the script of TR4 and TR5 to text in the format of SCRIPT.TXT, and back.

The text compiles to the same file, byte for byte. Sections, in this order:

    [PSXExtensions], [PCExtensions]   extensions of levels, films and cutscenes
    [Language]       the language files; ``File= 0,ENGLISH.TXT`` stands for ENGLISH.DAT
    [Options]        options of the game
    [Files]          the paths of level files, if they are not those of the levels in order
    [Title], [Level] the title and the levels: see :mod:`.tr4_command_text`
    [Raw]            data that do not follow from the sections above
    [TRNG]           TRNG's footer
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....base.bytes.records import U8, U16
from ....base.errors import ExportError, TextError
from ....base.games import Game
from ....base.messages import T
from ..strings.language import Language
from ..strings.string_tables import StringTable
from ..strings.text import (
    PATHS,
    TextSection,
    read_bytes,
    read_strings,
    show_bytes,
    show_pair,
    show_strings,
    show_switch,
    split_parts,
)
from ..strings.trng_text import SECTIONS, read_footer, show_footer
from .tr4_command_text import Files, LevelTexts
from .tr4_script import EXTENSION_SIZE, EXTENSIONS, Script, game_of

OPTIONS = {"FlyCheat": 0x01, "LoadSave": 0x02, "Title": 0x04, "PlayAnyLevel": 0x08, "DemoDisc": 0x80}

_RAW = ("FileOffsets", "FileNames", "LevelOffsets", "LevelData", "Languages")
_PARTS = ("PSXExtensions", "PCExtensions", "Language", "Options", "Files", "Raw")
_COMPILED, _TEXT = ".DAT", ".TXT"


def script_to_text(script: Script, language: Language | None = None) -> str:
    """Return the script as text. :func:`text_to_script` compiles it to the same file.

    The strings of a language are added as comments after their numbers.
    """
    lines: list[str] = []
    for platform in ("PSX", "PC"):
        lines += [f"[{platform}Extensions]", *_show_extensions(script, platform), ""]
    languages = script.languages.tobytes()
    lines += ["[Language]", *_show_languages(languages), "", "[Options]", *_show_options(script), ""]
    paths = script.files
    names = [PATHS.show(text) for text in paths.texts] if paths.is_tight else []
    texts = LevelTexts(script.game, Files(names), language)
    levels = script.levels
    level_lines: list[str] = []
    for commands, data in zip(script.commands, levels or (), strict=True):
        level_lines += [*texts.show(commands, data), ""]
    if paths.is_tight and names != _names_used(script, names):
        lines += ["[Files]", *show_strings(paths.texts, PATHS), ""]
    lines += level_lines
    raw: list[str] = []
    if not paths.is_tight:
        raw += show_bytes("FileOffsets", script.file_offsets.tobytes())
        raw += show_bytes("FileNames", paths.block)
    if levels is None:
        raw += show_bytes("LevelOffsets", script.level_offsets.tobytes())
        raw += show_bytes("LevelData", script.level_data.tobytes())
    if not _is_plain(languages):
        raw += show_bytes("Languages", languages)
    lines += ["[Raw]", *raw, ""] if raw else []
    lines += show_footer(script.footer)
    return "\n".join(lines).rstrip("\n") + "\n"


def _names_used(script: Script, names: list[str]) -> list[str]:
    """Return the paths that a compiler would list from the levels alone."""
    files = Files(names)
    used: list[str] = []
    for commands in script.commands:
        for command in commands or ():
            if len(command.operands) >= 3 and command.opcode in (0x81, 0x82):
                name = files.show(command.operands[-2])
                if not name.startswith("#") and name not in used:
                    used.append(name)
    return used


def _show_extensions(script: Script, platform: str) -> Iterator[str]:
    for index, (extension_platform, kind) in enumerate(EXTENSIONS):
        content = script.extensions[index].tobytes().rstrip(b"\0")
        if extension_platform == platform and (content or kind != "Other"):
            yield show_pair(kind, PATHS.show(content)).rstrip()


def _is_plain(languages: bytes) -> bool:
    """Return whether the list consists of terminated names, none of which begins like TRNG's footer."""
    names = languages.split(b"\0")
    return not names[-1] and not any(name.startswith(b"NG") for name in names)


def _show_languages(languages: bytes) -> Iterator[str]:
    if not _is_plain(languages):
        return
    for number, name in enumerate(languages.split(b"\0")[:-1]):
        text = PATHS.show(name)
        if text.endswith(_TEXT):
            text = f"{text[: -len(_TEXT)]}.<54>XT"  # so that it is not read as one to be compiled
        elif text.endswith(_COMPILED):
            text = text.removesuffix(_COMPILED) + _TEXT
        yield show_pair("File", f"{number},{text}")


def _show_options(script: Script) -> Iterator[str]:
    for key, bit in OPTIONS.items():
        yield show_pair(key, show_switch(script.options & bit))
    other_options = script.options & ~sum(OPTIONS.values())
    if other_options:
        yield show_pair("OtherOptions", f"${other_options:X}")
    yield show_pair("InputTimeout", script.input_timeout)
    yield show_pair("Security", f"${script.security:02X}")
    if script.padding:
        yield show_pair("Padding", script.padding)
    if script.game is not game_of(script):
        yield show_pair("Game", script.game.name)


# --- Compilation ----------------------------------------


def text_to_script(text: str, language: Language | None = None) -> Script:
    """Compile a text.

    Args:
        language: the strings; with them a text may refer to strings by text instead of number.

    Raises:
        TextError: if the text is invalid, or exceeds a limit of the file.
    """
    parts: dict[str, TextSection] = {}
    level_parts: list[TextSection] = []
    footer_parts: list[TextSection] = []
    for part in split_parts(text):
        name = part.name.lower()
        if name in ("title", "level"):
            level_parts.append(part)
        elif name in {section.lower() for section in SECTIONS}:
            footer_parts.append(part)
        elif name in parts or name not in {section.lower() for section in _PARTS}:
            raise part.error(f"[{part.name}] is here twice, or not a section of a script")
        else:
            parts[name] = part
    for name in _PARTS:
        parts.setdefault(name.lower(), TextSection(name, 1))
    raw = read_bytes(parts["raw"], _RAW)
    script = Script()
    _read_extensions(script, parts)
    _read_options(script, parts["options"])
    _read_levels(script, parts, level_parts, raw, language)
    languages = raw["Languages"] or _read_languages(parts["language"])
    script.languages = np.frombuffer(languages, U8)
    script.footer = read_footer(footer_parts)
    try:
        script.to_bytes()
    except ExportError as error:
        raise TextError(parts["options"].number, str(error)) from None
    return script


def _read_extensions(script: Script, parts: dict[str, TextSection]) -> None:
    rows: list[bytes] = []
    for platform, kind in EXTENSIONS:
        part = parts[f"{platform}Extensions".lower()]
        pairs = part.pairs(("Level", "FMV", "Cut", "Other"))
        content = PATHS.read(pairs[kind][0].number, pairs[kind][1]) if kind in pairs else b""
        if len(content) > EXTENSION_SIZE:
            raise pairs[kind][0].error(f"an extension has at most {EXTENSION_SIZE} bytes")
        rows.append(content.ljust(EXTENSION_SIZE, b"\0"))
    script.extensions = np.frombuffer(b"".join(rows), U8).reshape(len(EXTENSIONS), EXTENSION_SIZE)


def _read_options(script: Script, part: TextSection) -> None:
    limits = {"OtherOptions": (0, 0xFFFFFFFF), "InputTimeout": (0, 0xFFFFFFFF), "Security": (0, 0xFF),
              "Padding": (0, 0xFF)}  # fmt: skip
    pairs = part.pairs((*OPTIONS, *limits, "Game"))
    numbers = {
        key: pairs[key][0].integer(pairs[key][1], *limit) if key in pairs else 0
        for key, limit in limits.items()
    }
    script.options = numbers["OtherOptions"]
    for key, bit in OPTIONS.items():
        if key in pairs and pairs[key][0].switch(pairs[key][1]):
            script.options |= bit
    script.input_timeout, script.security = numbers["InputTimeout"], numbers["Security"]
    script.padding = numbers["Padding"]
    script.game = game_of(script)
    if "Game" in pairs:
        line, game = pairs["Game"]
        if game.upper() not in ("TR4", "TR5"):
            raise line.error(f"the game is TR4 or TR5, not {game!r}")
        script.game = Game[game.upper()]


def _read_levels(
    script: Script,
    parts: dict[str, TextSection],
    level_parts: list[TextSection],
    raw: dict[str, bytes],
    language: Language | None,
) -> None:
    paths = read_strings(parts["files"], PATHS)
    files = Files([PATHS.show(text) for text in paths], is_open=not paths and not raw["FileOffsets"])
    texts = LevelTexts(script.game, files, language, language.numbers() if language else {})
    try:
        script.set_levels([texts.read(part) for part in level_parts])
    except ExportError as error:
        raise TextError(level_parts[-1].number, str(error)) from None
    if raw["LevelOffsets"] or raw["LevelData"]:
        if level_parts or len(raw["LevelOffsets"]) % 2:
            raise parts["raw"].error("levels are here and in sections of their own, or damaged")
        script.level_offsets = np.frombuffer(raw["LevelOffsets"], U16)
        script.level_data = np.frombuffer(raw["LevelData"], U8)
    number = parts["files"].number
    table = StringTable.of([PATHS.read(number, name) for name in files.names])
    if raw["FileOffsets"] or raw["FileNames"]:
        if paths or len(raw["FileOffsets"]) % 2:
            raise parts["raw"].error("paths are here and in [Files], or damaged")
        table = StringTable(tuple(np.frombuffer(raw["FileOffsets"], U16).tolist()), raw["FileNames"])
    if len(table.block) > 0xFFFF:
        raise TextError(number, T("the paths have {count} bytes, more than 65535", count=len(table.block)))
    script.set_files(table)


def _read_languages(part: TextSection) -> bytes:
    pieces: list[bytes] = []
    for line in part.lines:
        key, value = line.pair()
        number, comma, text = value.partition(",")
        if key.lower() != "file" or not comma:
            raise line.error("a language is File= 0,ENGLISH.TXT")
        if line.integer(number, 0, 0xFFFF) != len(pieces):
            raise line.error(f"language {len(pieces)} is next, not {number.strip()}")
        text = text.strip()
        if text.endswith(_TEXT):
            text = text.removesuffix(_TEXT) + _COMPILED
        name = PATHS.read(line.number, text)
        if 0 in name or name.startswith(b"NG"):
            raise line.error("a language file's name cannot begin with NG, or hold the byte 00")
        pieces.append(name + b"\0")
    return b"".join(pieces)
