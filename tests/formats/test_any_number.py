"""Files with any number in any field: used, or refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.editors.animation_files import game as levels
from io_tomb_raider.formats.editors.animation_files.animation import AnimationFile
from io_tomb_raider.formats.editors.animation_files.files import read_animation, write_animation
from io_tomb_raider.formats.editors.wads.wad2.level import wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.wad2 import read_wad2
from io_tomb_raider.formats.edits.injections.apply import apply_injection
from io_tomb_raider.formats.edits.injections.fit import read_for_level
from io_tomb_raider.formats.edits.patches.patch import apply_patch, read_patch
from io_tomb_raider.formats.levels.game_files.files import compile_script, script_kind
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import PC, VARIANTS, read_gameflow
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow_text import gameflow_to_text
from io_tomb_raider.formats.levels.game_files.level_names import gameflow_level_names, script_level_names
from io_tomb_raider.formats.levels.game_files.strings.language import language_to_text, read_language
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script import read_script
from io_tomb_raider.formats.levels.game_files.tr4.tr4_script_text import script_to_text
from io_tomb_raider.formats.levels.game_files.trx.trx_gameflow import read_trx_gameflow
from io_tomb_raider.formats.levels.injections.block import put_block
from io_tomb_raider.formats.levels.injections.convert import converted
from io_tomb_raider.formats.levels.injections.fields import TRXI
from io_tomb_raider.formats.levels.injections.trxj import read_trxj
from tests.animation_samples import trw_file
from tests.any_number import (
    animations,
    any_bytes,
    attempt,
    decode_all,
    game_flows,
    injections,
    patches,
    wad2_files,
)
from tests.sample_levels import sample_bytes

from .levels.game_files.gameflow_samples import gameflow_file
from .levels.game_files.tr4_script_samples import language_file, script_file

pytestmark = [pytest.mark.fuzz, pytest.mark.once]


def test_any_number_of_a_wad2_is_compiled() -> None:
    attempt(
        wad2_files(),
        lambda data: decode_all(wad2_to_level(read_wad2(data), compiled=True).level.to_bytes()),
    )


def _use_animation(animation: AnimationFile) -> None:
    levels.length_of(animation), levels.keys_of(animation), levels.speeds_of(animation)
    assert len([*map(levels.command_of, animation.commands)]) == len(animation.commands)
    for each in (animation, animation.relative_to(3)):
        for suffix in (".anim", ".trw"):
            try:
                write_animation(each, suffix)
            except ExportError as error:
                assert error.problem


def test_any_number_of_an_animation_is_used() -> None:
    attempt(animations(), lambda data: _use_animation(read_animation(data, ".anim")))
    attempt(any_bytes(trw_file(), 400), lambda data: _use_animation(read_animation(data, ".trw")))


@pytest.mark.parametrize("file", [gameflow_file(PC), gameflow_file(VARIANTS[-1])])
def test_any_number_of_a_script_of_tr2_and_tr3_becomes_text(file: bytes) -> None:
    def use(data: bytes) -> None:
        script = read_gameflow(data)
        assert script.to_bytes() == data
        gameflow_level_names(script, "wall"), gameflow_level_names(script, "boat")
        compile_script(script_kind(data), gameflow_to_text(script))

    attempt(any_bytes(file, 300), use)


@pytest.mark.parametrize("tr5", [False, True])
def test_any_number_of_a_script_of_tr4_and_tr5_becomes_text(tr5: bool) -> None:
    language = read_language(language_file())

    def use(data: bytes) -> None:
        script = read_script(data)
        assert script.to_bytes() == data
        script_level_names(script, language, "angkor1"), script_level_names(script, None, "angkor1")
        compile_script(script_kind(data), script_to_text(script, language), language)

    attempt(any_bytes(script_file(tr5=tr5), 100), use)


def test_any_number_of_a_language_becomes_text() -> None:
    def use(data: bytes) -> None:
        language = read_language(data)
        assert language.to_bytes() == data
        compile_script(script_kind(data), language_to_text(language))

    attempt(any_bytes(language_file(), 100), use)


def test_any_number_of_a_game_flow_is_shown_and_kept(tmp_path: Path) -> None:
    def use(data: bytes) -> None:
        path, text = tmp_path / "gameflow.json5", data.decode()
        path.write_bytes(data)
        flow = read_trx_gameflow(path)
        entry = flow.find("cave")
        assert entry is not None
        flow.put("cave", entry)
        assert flow.text == text
        flow.put("other", entry)

    attempt(game_flows(), use)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR5])
def test_any_number_of_a_patch_is_applied(game: Game) -> None:
    base = sample_bytes(game)
    attempt(patches(game), lambda data: decode_all(apply_patch(base, read_patch(data)).data))


@pytest.mark.parametrize(("game", "version"), [(Game.TR1, 9), (Game.TR2, 3), (Game.TR3, 9), (Game.TR2, TRXI)])
def test_any_number_of_an_injection_is_applied(game: Game, version: int) -> None:
    level = read_level(sample_bytes(game))

    def use(data: bytes) -> None:
        read_for_level(data, level)
        injection = read_trxj(data, game)
        applied = apply_injection(injection, level)
        applied.left.to_bytes()
        decode_all(applied.level.to_bytes())
        holding = level.copy()
        put_block(holding, injection)
        decode_all(holding.to_bytes())
        converted(injection, 9 if version == TRXI else TRXI).injection.to_bytes()

    attempt(injections(game, version), use)
