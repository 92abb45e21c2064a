"""Times to compile the texts of a game's scripts."""

from __future__ import annotations

from functools import partial

from io_tomb_raider.formats.levels.game_files.files import ScriptKind, compile_script
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import PC, read_gameflow
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow_text import gameflow_to_text
from io_tomb_raider.formats.levels.game_files.strings.language import language_to_text, read_language
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script import read_script
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script_text import script_to_text
from tests.formats.levels.game_files.gameflow_samples import gameflow_file
from tests.formats.levels.game_files.tr4_script_samples import (
    TITLE_LEVEL,
    every_command,
    language_file,
    script_file,
)

from .timing import Times

_LEVELS = 6  # with every command each: together more commands than the games have
_STRINGS = 400


def measure_scripts(runs: int) -> dict[str, float]:
    """Return medians in seconds by kind of script, each about as long as a game's."""
    strings = [b"A string of the game %d" % number for number in range(_STRINGS)]
    language = read_language(language_file((strings, [b"X"], [b"Y"])))
    script = read_script(script_file([TITLE_LEVEL, *[every_command()] * _LEVELS]))
    texts = {
        "TOMBPC.DAT": (ScriptKind.GAMEFLOW, gameflow_to_text(read_gameflow(gameflow_file(PC)))),
        "SCRIPT.DAT": (ScriptKind.SCRIPT, script_to_text(script, language)),
        "ENGLISH.DAT": (ScriptKind.LANGUAGE, language_to_text(language)),
    }
    times = Times()
    for _ in range(runs):
        for name, (kind, text) in texts.items():
            times.take(name, partial(compile_script, kind, text, language))
    return times.medians()
