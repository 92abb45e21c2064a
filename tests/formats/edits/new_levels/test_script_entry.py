"""The entry of a new level in the text of a script: the game finds its title, items and commands."""

from __future__ import annotations

import re

import pytest

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.edits.new_levels.script_entry import ScriptEntry, entry_to_text
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import read_gameflow
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow_text import (
    gameflow_to_text,
    text_to_gameflow,
)
from io_tomb_raider.formats.levels.game_files.level_names import (
    Sky,
    SkyLayer,
    gameflow_level_names,
    script_level_names,
)
from io_tomb_raider.formats.levels.game_files.strings.language import (
    language_to_text,
    read_language,
    text_to_language,
)
from io_tomb_raider.formats.levels.game_files.tr4.tr4_commands import OPCODES
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script import read_script
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script_text import script_to_text, text_to_script

from ...levels.game_files.gameflow_samples import gameflow_file
from ...levels.game_files.tr4_script_samples import language_file, script_file

ENTRY = ScriptEntry(
    title="Home",
    file="HOME.TR2",
    track=33,
    items=(("Key", 2, "Cellar Key"), ("Puzzle", 1, "Fuse")),
    secrets=2,
    has_sky=True,
    sky=Sky(True, (SkyLayer((1, 2, 3), -4), None)),
)


def test_an_entry_compiles_into_a_gameflow() -> None:
    text = gameflow_to_text(read_gameflow(gameflow_file()))
    head, found, rest = text.partition("[GameStrings]")
    assert found
    made = text_to_gameflow(head + entry_to_text(Game.TR2, ENTRY) + found + rest)
    names = gameflow_level_names(read_gameflow(made.to_bytes()), "home.tr2")
    assert names is not None
    assert (names.title, names.keys, names.puzzles) == ("Home", {2: "Cellar Key"}, {1: "Fuse"})
    shown = gameflow_to_text(made)
    assert "Track= 33\nSecrets= 2\nLevel= data\\HOME.TR2\nComplete\nEnd\n" in shown


def test_an_entry_compiles_into_a_script() -> None:
    strings = language_to_text(read_language(language_file()))
    last = max(map(int, re.findall(r"^(\d+):", strings, re.MULTILINE)))
    head, found, rest = strings.partition(f"{last}: ")
    line, end, behind = rest.partition("\n")
    added = "".join(f"{last + n}: {each}\n" for n, each in enumerate(("Home", "Cellar Key", "Fuse"), 1))
    language = text_to_language(head + found + line + end + added + behind)
    text = script_to_text(read_script(script_file()), language)
    made = text_to_script(text + entry_to_text(Game.TR4, ENTRY), language)
    names = script_level_names(read_script(made.to_bytes()), language, "HOME.TR4")
    assert names is not None
    assert (names.title, names.keys, names.puzzles) == ("Home", {2: "Cellar Key"}, {1: "Fuse"})
    (commands,) = (
        [OPCODES[made.game][each.opcode].name for each in level] for level in made.commands[-1:] if level
    )
    assert "Level" in commands and names.sky == ENTRY.sky


def test_tr1_has_no_script() -> None:
    with pytest.raises(ExportError, match="TR1 has no script"):
        entry_to_text(Game.TR1, ENTRY)
