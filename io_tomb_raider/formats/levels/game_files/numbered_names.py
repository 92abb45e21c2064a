"""Names of the numbers by which triggers refer to levels, soundtracks and cutscenes, from a game's script.

One interface for the scripts of TR2 and TR3 (:mod:`.gameflow.gameflow`) and of TR4 and TR5
(:mod:`.tr4.tr4_script`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath

from ...base.bytes.files import read_file
from .gameflow.gameflow import Gameflow, read_gameflow
from .gameflow.gameflow_sequences import CODES, decode_sequences
from .level_names import language_path
from .strings.language import Language, read_language
from .strings.text import PLAIN, STRINGS
from .tr4.tr4_commands import LEVEL, OPCODES, TITLE
from .tr4.tr4_script import Script, read_script

_TRACK, _LEVEL = CODES["track"], CODES["level"]


@dataclass(frozen=True)
class NumberedNames:
    """The names of a script's numbers."""

    #: the level files of the script, lower case, without folders and extension.
    files: frozenset[str] = frozenset()
    #: titles by number. In TR4 and TR5, 0 is the title screen.
    levels: dict[int, str] = field(default_factory=dict)
    #: soundtracks, named after the first level that starts with them.
    tracks: dict[int, str] = field(default_factory=dict)
    #: cutscenes of CUTSEQ, named after the first level that plays them (TR4, TR5).
    cutscenes: dict[int, str] = field(default_factory=dict)


def read_numbered_names(path: Path, *, is_gameflow: bool) -> NumberedNames:
    """Return the names of a script file, with the strings next to it.

    Raises:
        FormatError: if the script is damaged.
        OSError: if it cannot be read.
    """
    if is_gameflow:
        return gameflow_numbers(read_gameflow(read_file(path)))
    script = read_script(read_file(path))
    strings = language_path(path, script)
    return script_numbers(script, None if strings is None else read_language(read_file(strings)))


def gameflow_numbers(gameflow: Gameflow) -> NumberedNames:
    """Return the names of a script of TR2 or TR3."""
    levels = {number: PLAIN.name(text) for number, text in enumerate(gameflow.level_names.texts)}
    tracks: dict[int, str] = {}
    for commands in decode_sequences(gameflow.sequence_offsets, gameflow.sequence_data) or ():
        track = None
        for command in commands:
            if command.opcode == _TRACK and command.operands:
                track = command.operands[0]
            elif command.opcode == _LEVEL and command.operands and track is not None:
                title = levels.get(command.operands[0])
                if title:
                    tracks.setdefault(track, f"Soundtrack of {title}")
    tracks.setdefault(gameflow.title_track, "Soundtrack of the title")
    tracks.setdefault(gameflow.secret_track, "Secret found")
    return NumberedNames(_stems(gameflow.level_paths.texts), unique(levels), unique(tracks))


def script_numbers(script: Script, language: Language | None) -> NumberedNames:
    """Return the names of a script of TR4 or TR5; levels without strings are named after their files."""
    files = script.files
    texts = () if language is None else language.table.texts
    levels: dict[int, str] = {}
    tracks: dict[int, str] = {}
    cutscenes: dict[int, str] = {}
    for number, commands in enumerate(script.commands):
        cuts: list[int] = []
        track = None
        for command in commands or ():
            if command.opcode == LEVEL:
                string, _, path, track = command.operands
                levels[number] = STRINGS.name(texts[string]) if string < len(texts) else ""
                if not levels[number] and path < len(files):
                    levels[number] = PureWindowsPath(files.text(path).decode("latin-1")).stem
            elif command.opcode == TITLE:
                track, levels[number] = command.operands[2], "Title"
            elif OPCODES[script.game][command.opcode].name in ("Cut", "ResidentCut"):
                cuts.append(command.operands[0])
        title = levels.get(number)
        if title and track is not None:
            tracks.setdefault(track, f"Soundtrack of {title}")
        for cut in cuts if title else ():
            cutscenes.setdefault(cut, f"Cutscene of {title}")
    return NumberedNames(_stems(files.texts), unique(levels), unique(tracks), unique(cutscenes))


def _stems(paths: Iterable[bytes]) -> frozenset[str]:
    return frozenset(PureWindowsPath(path.decode("latin-1")).stem.lower() for path in paths)


def unique(names: Mapping[int, str]) -> dict[int, str]:
    """Return names in numeric order without empty ones; equal ones get their numbers."""
    all_names = list(names.values())
    return {
        number: f"{name}, {number}" if all_names.count(name) > 1 else name
        for number, name in sorted(names.items())
        if name
    }
