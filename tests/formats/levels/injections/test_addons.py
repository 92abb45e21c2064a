"""Addons for TRX: models with names instead of slots, read by another reader, and baked into levels."""

from __future__ import annotations

import json

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.edits.injections import (
    OutfitModels,
    addon_text,
    apply_injection,
    catalog_slot,
    make_addon,
    outfit_text,
)
from io_tomb_raider.formats.levels.animations.animations import (
    PLAY_SOUND,
    AnimationCommand,
    encode_commands,
)
from io_tomb_raider.formats.levels.injections.trxj import read_trxj
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from tests.sample_levels import sample_bytes
from tests.trxi_reader import read

GAMES = (Game.TR1, Game.TR2, Game.TR3, Game.TR4)
each_game = pytest.mark.parametrize("game", GAMES)
LARA, WOLF = 0, 7


def sample(game: Game) -> Level:
    return read_level(sample_bytes(game))


def with_sound(level: Level, sound: int = 0) -> Level:
    """Give the first animation of Lara a sound."""
    words = encode_commands([AnimationCommand(PLAY_SOUND, (0, sound))])
    level.animations = level.animations.copy()
    level.animations["first_command"][0], level.animations["commands"][0] = len(level.animation_commands), 1
    level.animation_commands = np.concatenate([level.animation_commands, words])
    return level


def points(level: Level, id_: int) -> list[bytes]:
    """Return the vertices of each mesh of a model."""
    (model,) = level.models[level.models["id"] == id_]
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    first = int(model["first_mesh"])
    numbers = block.pointers[first : first + int(model["meshes"])]
    return [block.meshes[each].vertices.tobytes() for each in numbers.tolist()]


def other_model(level: Level) -> int:
    """Return a model of a level that is not Lara."""
    return int(next(each for each in level.models["id"].tolist() if each != LARA))


@each_game
@pytest.mark.parametrize("any_game", [False, True])
def test_another_reader_finds_the_models_by_their_names(game: Game, any_game: bool) -> None:
    level = sample(game)
    models = {LARA: "mymod:lara", other_model(level): "mymod:other"}
    found = read(make_addon(level, models, any_game=any_game).injection.to_bytes())
    assert [each["name"] for each in found.blocks[40]] == [*models.values()]
    assert [(kind, number) for kind, number in found.tests] == ([] if any_game else [(4, int(game))])
    counts = {int(record["id"]): int(record["meshes"]) for record in level.models}
    named = {found.blocks[40][record[1]]["name"]: record for record in found.blocks[13]}
    assert {name: record[0] for name, record in named.items()} == dict.fromkeys(models.values(), 3)
    for id_, name in models.items():
        assert named[name][2] == counts[id_]
        assert named[name][5] < len(found.blocks[11])  # the engine loads no model without a frame
    assert len(found.blocks[6]) >= sum(counts[id_] for id_ in models)


@each_game
def test_each_game_can_bake_addons_of_all_games(game: Game) -> None:
    target = sample(game)
    for source in GAMES:
        level = sample(source)
        id_ = other_model(level)
        addon = make_addon(level, {id_: "mymod:thing"}, any_game=source is not game)
        applied = apply_injection(read_trxj(addon.injection.to_bytes(), game), target)
        slot = applied.slots["mymod:thing"]
        assert applied.problems == [] and not applied.left.chunks
        baked = read_level(applied.level.to_bytes())
        assert slot not in target.models["id"].tolist() and catalog_slot("mymod:thing", game) is None
        assert points(baked, slot) == points(level, id_), source
        model = baked.models[baked.models["id"] == slot][0]
        assert int(model["animation"]) < len(baked.animations)


@each_game
def test_outfits_have_the_names_of_the_catalog(game: Game) -> None:
    level = sample(game)
    outfit = OutfitModels(LARA, hair=other_model(level))
    addon = make_addon(level, outfit.names(32), outfit=True, any_game=True)
    found = read(addon.injection.to_bytes())
    assert [each["name"] for each in found.blocks[40]] == ["lara_skin_swap_32", "lara_skin_swap_31"]
    assert 12 not in found.blocks  # no animations
    # Each has a pose with a rotation for each of its meshes.
    assert [len(found.blocks[11][record[5]]["angles"]) for record in found.blocks[13]] == [
        record[2] for record in found.blocks[13]
    ]
    applied = apply_injection(addon.injection, level)
    slots = {Game.TR1: (289, 288), Game.TR2: (333, 332), Game.TR3: (424, 423), Game.TR4: (496, 495)}[game]
    assert tuple(applied.slots.values()) == slots
    assert points(read_level(applied.level.to_bytes()), slots[0]) == points(level, LARA)


def test_slots_of_joints_and_of_other_names() -> None:
    assert [catalog_slot("lara_skin_joints_1", game) for game in GAMES] == [296, 340, 433, 502]
    assert catalog_slot("lara_skin_swap_1", Game.TR4) == 465
    for name in ("lara_skin_swap_33", "lara_skin_swap_0", "mymod:lara_skin_swap_1"):
        assert catalog_slot(name, Game.TR1) is None
    assert catalog_slot("lara_skin_swap_1", Game.TR5) is None


def test_sounds_of_animations_stay_in_their_game() -> None:
    level = with_sound(sample(Game.TR1))
    own = make_addon(level, {LARA: "lara2"})
    found = read(own.injection.to_bytes())
    assert [each["number"] for each in found.blocks[14]] == [0] and own.lost == []
    assert found.blocks[14][0]["waves"]
    assert PLAY_SOUND in found.blocks[9]
    general = make_addon(level, {LARA: "lara2"}, any_game=True)
    found = read(general.injection.to_bytes())
    assert 14 not in found.blocks and len(general.lost) == 1
    assert all(each[18] == 0 for each in found.blocks[12][:1])
    elsewhere = make_addon(with_sound(sample(Game.TR2)), {LARA: "lara2"})
    assert 14 not in read(elsewhere.injection.to_bytes()).blocks and len(elsewhere.lost) == 1


@pytest.mark.parametrize("name", ["", "Big", "with space", "x" * 256, "ü"])
def test_names_that_trx_does_not_take_are_refused(name: str) -> None:
    with pytest.raises(ExportError, match="small letters"):
        make_addon(sample(Game.TR1), {LARA: name})


def test_models_that_are_not_there_and_other_games_are_refused() -> None:
    with pytest.raises(ExportError, match="no model 999"):
        make_addon(sample(Game.TR1), {999: "thing"})
    with pytest.raises(ExportError, match="TR1 to TR4"):
        make_addon(sample(Game.TR5), {LARA: "lara2"})


def test_the_lines_for_outfits_are_json_with_the_names() -> None:
    text = outfit_text(OutfitModels(8, joints=9, hair=30), 32, "My Outfit.bin")
    entry = json.loads("{" + text.partition("outfits.json5:\n")[2].rstrip().removesuffix(",") + "}")
    assert entry["my_outfit"]["mesh_object"] == "lara_skin_swap_32"
    assert entry["my_outfit"]["joints_object"] == "lara_skin_joints_32"
    assert entry["my_outfit"]["extra_object"] == "lara_skin_swap_31" and len(entry["my_outfit"]["braid"]) == 1
    assert (
        '"injections": ["data/injections/My Outfit.bin"],' in text and '"lara_outfit": "my_outfit",' in text
    )
    plain = outfit_text(OutfitModels(0), 32, "a.bin")
    assert "joints_object" not in plain and "braid" not in plain


def test_the_lines_for_models_mint_their_names() -> None:
    text = addon_text({5: "mymod:golden_key", 6: "mymod:2"}, "mymod.bin", pickup=True)
    assert text.count("trx.catalog.mint(") == 2 and text.count('add_family("pickup")') == 2
    assert 'local golden_key = trx.catalog.mint(trx.catalog.Context.OBJECTS, "mymod:golden_key")' in text
    assert '"mymod.bin"' in text and '["objects/mymod:golden_key/name"] = "Golden Key"' in text
    assert "local object = " in text  # Lua has no names of digits
    assert "add_family" not in addon_text({5: "thing"}, "mymod.bin")
