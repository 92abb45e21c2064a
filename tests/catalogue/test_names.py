"""Names of numbers in levels."""

from __future__ import annotations

import shutil
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

import build
from io_tomb_raider.catalogue import names
from io_tomb_raider.catalogue.companion_models import Companion, companions
from io_tomb_raider.catalogue.names import NOTED
from io_tomb_raider.catalogue.pickups import named_item
from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.floor.functions import ActionType, TriggerType
from tests.games import each_game

from ..real_levels import each_real_level, skip_without

KINDS = ("model", "static", "sprite", "sound", "flipeffect", "track")


def sections(game: Game) -> dict[tuple[str, int], dict[int, str]]:
    catalogue = names(game)
    found = {(kind, 0): dict(catalogue.known(kind)) for kind in KINDS}
    for kind in ("animation", "state", "ocb"):
        found |= {(kind, model): dict(catalogue.known(kind, model)) for model in range(1000)}
    return {key: section for key, section in found.items() if section}


@each_game
def test_lara_is_model_0_of_every_game(game: Game) -> None:
    catalogue = names(game)
    assert catalogue.model(0) == "Lara"
    assert catalogue.animation(0, 0) == "Run"
    assert catalogue.animation(0, 103) == "Stand idle"
    assert catalogue.state(0, 1) == "Run forward"
    assert catalogue.flipeffect(0) == "Turn around"
    assert catalogue.sound(30) == "Lara fall"


def test_names_are_those_of_their_game() -> None:
    assert names(Game.TR1).model(7) == "Wolf"
    assert names(Game.TR2).model(15) == "Doberman"
    assert names(Game.TR3).model(28) == "Tiger"
    assert names(Game.TR4).model(39) == "Von Croy"
    assert names(Game.TR5).model(45) == "Larson"
    assert names(Game.TR4).static(2) == "Plant 2"
    assert names(Game.TR1).sprite(84) == "Pistols"
    assert names(Game.TR1).flipeffect(1) == "Dinosaur stomp"
    assert names(Game.TR5).flipeffect(28) == "Set fog color"
    assert names(Game.TR4).sound(293) == "Footsteps marble"
    assert names(Game.TR4).state(39, 8) == "Talk 1"


def test_soundtracks_have_the_names_of_the_documentation() -> None:
    assert names(Game.TR2).known("track")[33] == "Wind"
    assert names(Game.TR2).known("track")[4] == "Cutscene 2 (Lara the stowaway)"
    assert names(Game.TR1).known("track")[24] == "Cutscene 3"
    assert names(Game.TR3).known("track")[122] == "Secret found"


def test_models_and_their_distant_models_refer_to_each_other() -> None:
    catalogue = names(Game.TR4)
    assert (catalogue.far_model(35), catalogue.near_model(36)) == (36, 35)  # skeletons
    assert catalogue.far_model(36) is None and catalogue.near_model(35) is None
    assert names(Game.TR5).far_model(41) == 42
    assert Companion("model", 36) in companions(Game.TR4, 35, needed=False)
    assert all(
        names(game).far_model(number) is None for game in Game if game < Game.TR4 for number in range(400)
    )


def test_animations_and_states_of_lara_have_the_names_of_their_game() -> None:
    assert names(Game.TR1).animation(0, 217) == "Animation 217"
    assert names(Game.TR2).animation(0, 217) == "Zipline fall"
    assert names(Game.TR3).animation(0, 217) == "Stand to crouch"
    assert names(Game.TR5).animation(0, 217) == "Stand to crouch"
    assert names(Game.TR2).animation(0, 312) == "Animation 312"
    assert names(Game.TR4).state(0, 114) == "Rope swing"


@each_game
def test_unknown_numbers_have_generic_names(game: Game) -> None:
    catalogue = names(game)
    for number in (-1, 5000, 65535):
        assert catalogue.model(number) == f"Model {number}"
        assert catalogue.entity(number) == f"Entity {number}"
        assert catalogue.static(number) == f"Static mesh {number}"
        assert catalogue.sprite(number) == f"Sprite {number}"
        assert catalogue.sound(number) == f"Sound {number}"
        assert catalogue.animation(0, number) == f"Animation {number}"
        assert catalogue.animation(number, 1) == "Animation 1"
        assert catalogue.state(0, number) == f"State {number}"
        assert catalogue.flipeffect(number) == f"Flipeffect {number}"
        assert catalogue.material(number) == f"Material {number}"
        assert catalogue.trigger(number) == f"Trigger {number}"
        assert catalogue.action(number) == f"Action {number}"
        assert catalogue.function(number) == f"Function {number}"


@each_game
def test_names_fit_in_blender_and_are_unique(game: Game) -> None:
    for key, section in sections(game).items():
        assert list(section) == sorted(section), key
        for name in section.values():
            assert name == name.strip(), (key, name)
            assert name.isascii(), (key, name)
            assert name.isprintable(), (key, name)
            assert 0 < len(name) <= 50, (key, name)
        folded = [name.casefold() for name in section.values()]
        assert len(set(folded)) == len(folded), key


@each_game
def test_all_flipeffects_and_marks_for_characters_have_notes(game: Game) -> None:
    catalogue = names(game)
    assert set(catalogue.notes("flipeffect")) == set(catalogue.known("flipeffect"))
    assert all(catalogue.note("entity", number) for number in game.traits.ai_marks)
    assert set(catalogue.known("function")) == set(catalogue.notes("function"))
    for kind in NOTED:
        for number, note in catalogue.notes(kind).items():
            assert number in catalogue.known(kind) and note.isascii() and note == note.strip(), note
            assert not note.endswith(".") and len(note) <= 160, note
    assert catalogue.note("flipeffect", 5000) == catalogue.note("entity", 5000) == ""


def test_statics_of_tr5_have_names() -> None:
    assert names(Game.TR5).static(50) == "Shatter 0"
    assert names(Game.TR5).static(63) == "Static object 2 (MIP)"


@each_game
def test_an_entity_is_a_model_or_a_sprite(game: Game) -> None:
    catalogue = names(game)
    assert catalogue.entity(0) == "Lara"
    sprites = dict(catalogue.known("sprite"))
    assert sprites
    only_sprites = {
        number: name for number, name in sprites.items() if number not in catalogue.known("model")
    }
    assert {number: catalogue.entity(number) for number in only_sprites} == only_sprites


def test_catalogs_are_read_only() -> None:
    with pytest.raises(TypeError):
        names(Game.TR1).known("model")[0] = "Laura"  # type: ignore[index]
    assert names(Game.TR1) is names(Game.TR1)


@each_game
def test_triggers_and_actions_have_names(game: Game) -> None:
    catalogue = names(game)
    assert len({catalogue.trigger(kind) for kind in TriggerType}) == len(TriggerType)
    assert len({catalogue.action(kind) for kind in ActionType}) == len(ActionType)
    assert catalogue.trigger(TriggerType.MONKEY) == "Monkey swing"
    assert catalogue.trigger(TriggerType.MONKEY, trng=True) == "Condition"
    assert catalogue.action(ActionType.CLEAR_BODIES, trng=True) == "TRNG action"
    assert catalogue.material(7) == "Wood"
    assert len({catalogue.function(number) for number in range(1, 0x16)}) == 0x15


def test_mine_carts_are_of_tr3() -> None:
    assert names(Game.TR3).function(0x14) == "Minecart left"
    assert names(Game.TR4).function(0x14) == "Deferred trigger"


def test_the_data_are_part_of_the_extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install like Blender: unpack a zip to a folder with another name."""
    packed = tmp_path / "extension.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name in ("catalogue", "formats"):
            for path in sorted((build.PACKAGE / name).rglob("*")):
                if path.is_file() and path.suffix != ".pyc":
                    archive.write(path, path.relative_to(build.PACKAGE))
    target = tmp_path / "somewhere_else"
    shutil.unpack_archive(packed, target)
    (target / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    installed = import_module("somewhere_else.catalogue")
    game = import_module("somewhere_else.formats").Game
    try:
        assert installed.names(game.TR4).model(35) == "Skeleton"
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "somewhere_else"]:
            del sys.modules[name]


@each_real_level
def test_most_models_of_real_levels_have_names(level_path: Path) -> None:
    level = read_level(level_path)
    catalogue = names(level.game)
    # Engines with more slots have models of their own there.
    last = max(catalogue.known("model"))
    models = [catalogue.model(number) for number in level.models["id"].tolist() if number <= last]
    skip_without(models)
    named = [name for name in models if not name.startswith("Model ")]
    assert len(named) >= 0.8 * len(models)


def test_a_name_that_ends_with_a_number_gets_another_in_parentheses() -> None:
    catalogue = names(Game.TR1)
    assert catalogue.numbered("Wolf", 3) == "Wolf 3"
    assert catalogue.numbered("Static mesh 10", 27) == "Static mesh 10 (27)"


def test_items_that_scripts_name_are_known_by_kind_and_number() -> None:
    assert named_item(Game.TR4, 203) == ("Key", 1, "Key 1")
    assert named_item(Game.TR4, 175) == ("Puzzle", 1, "Puzzle 1")
    assert named_item(Game.TR2, 197) is None  # as the menu shows it
    assert named_item(Game.TR2, 0) is None


def test_slots_without_a_name_get_those_of_a_catalog() -> None:
    known = names(Game.TR1)
    free = max(known.known("model")) + 1
    slots = {0: "Someone", 83: "Crystal", free: "Skin", free + 1: "lara", free + 2: "Skin"}
    found = known.with_slots(slots)
    assert found.model(0) == "Lara" and found.entity(83) == known.entity(83)
    assert [found.model(free + each) for each in range(3)] == ["Skin", f"lara {free + 1}", f"Skin {free + 2}"]
    assert names(Game.TR1).model(free) == f"Model {free}"
