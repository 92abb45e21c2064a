"""Files of mods for older versions of TRX in the form of 1.11."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.levels.game_files.trx.json5 import dumped, parse
from io_tomb_raider.formats.levels.game_files.trx.updating import (
    files_of,
    update_file,
    updated,
    updated_catalog,
)
from io_tomb_raider.formats.levels.game_files.trx.words import catalog_name, object_word

OLD = """{
    // A mod
    "engine": 1, "main_script": "data/all.lua", // runs first
    "savegame_fmt_bson": "s_%02d.dat",
    'draw_distance_max': 30,
    "levels": [
        {
            "path": "data\\\\cave.phd",
            "script": "data/one.lua",
            "lara_outfit": "tr1_golden_lara",
            "sequence": [
                {"type": "give_item", "object_id": "pistols", "quantity": 1}, // a gift
                {"type": "setup_bacon_lara", "anchor_room": 10},
                {"type": "give_item", "object_id": 93, "quantity": 1},
                {"type": "loop_game"},
            ],
            "item_drops": [{"enemy_num": 1, "object_ids": ["key-1", 'flare', "mine"]}],
        },
        {"type": "dummy"},
        {"type": "dummy"},
    ],
}
"""
NEW = """{
    // A mod
    "engine": 1, // runs first
    "savegame_file_fmt": "s_%02d.dat",
    'fog_end': 30,
    "levels": [
        {
            "path": "data\\\\cave.phd",
            "sequence": [
                {"type": "give_item", "object_id": "pistols_item", "quantity": 1}, // a gift
                {"type": "give_item", "object_id": 93, "quantity": 1},
                {"type": "loop_game"},
            ],
            "item_drops": [{"enemy_num": 1, "object_ids": ["key_item_1", 'flare_item', "mine"]}],
        },
        {"type": "dummy"},
        {"type": "dummy"},
    ],
}
"""


def test_a_game_flow_gets_the_names_and_keys_of_1_11() -> None:
    result = updated(OLD)
    assert result.text == NEW
    assert [change.line for change in result.changes] == [3, 4, 5, 9, 10, 12, 13, 17, 17]
    assert "scripts/_game.lua" in result.changes[0].text and "scripts/cave.lua" in result.changes[3].text
    assert "anchor_room = 10" in result.changes[6].text
    assert updated(NEW) == (NEW, [])


def test_the_version_of_a_game_flow_is_that_of_its_oldest_word() -> None:
    assert updated(NEW).version == 11
    assert updated(NEW.replace("key_item_1", "key_1")).version == 10
    assert updated(NEW.replace('"path"', '"script": "a.lua", "path"')).version == 9
    assert updated(NEW.replace('"path"', '"cold_water": true, "path"')).version == 7
    assert updated(NEW.replace('{"type": "loop_game"}', '{"type": "setup_bacon_lara"}')).version == 9
    assert updated(OLD).version < 9


def test_strings_have_one_name_by_the_word_of_the_catalog() -> None:
    old = """{levels: [{title: "", objects: {key_1: {name: "Key"}, 'pistols': {"names": ["A", "B"]}}}],
    "objects": {boat: {name: ["Boat", "Ship"]}, waterfall: {name: "Mist"}, "dog": {"x": "key_1"}}}"""
    new = """{levels: [{title: "", objects: {key_item_1: {name: "Key"}, 'pistols_item': {"name": "A|B"}}}],
    "objects": {moored_boat: {name: "Boat|Ship"}, waterfall_mist: {name: "Mist"}, "dog": {"x": "key_1"}}}"""
    assert updated(old, 1).text == new
    assert updated(old, 2).text == new.replace("moored_boat:", "boat:")
    assert updated(old).text == new.replace("moored_boat:", "boat:").replace("waterfall_mist:", "waterfall:")
    assert updated(new, 1).changes == []


def test_words_that_are_there_already_are_not_doubled() -> None:
    text = '{"objects": {"key_1": {"name": "A"}, "key_item_1": {"name": "B"}}, "path": "a", "file": "b"}'
    assert updated(text) == (text, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("O_PISTOL_AMMO_OPTION", "pistols_ammo_option"),
        ("O_HARPOON_ITEM", "harpoon_gun_item"),
        ("O_SMASH_OBJECT_4", "smashable_4"),
        ("O_WATERFALL", "waterfall_mist"),
        ("O_MOTOR_BOAT", "moored_boat"),
        ("O_LARA", "lara"),
        ("waterfall", "waterfall"),
        ("bird-guardian", "bird_guardian"),
    ],
)
def test_names_of_catalogs(old: str, new: str) -> None:
    assert catalog_name(old) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("puzzle_12", "puzzle_item_12"),
        ("key_8_combo_2", "key_item_8_combo_2"),
        ("rocket_launcher_ammo", "rocket_ammo_item"),
        ("crystal", "save_crystal_option"),
        ("save_crystal", "save_crystal_item"),
        ("lara_harpoon", "lara_harpoon_gun"),
        ("waterskin_2", "waterskin_2_empty"),
        ("detonator_2", "detonator_box"),
        ("key_item_1", "key_item_1"),
        ("fish", "fish"),  # renamed in catalogs only
        ("O_PISTOL_ITEM", "pistols_item"),
        ("wolf", "wolf"),
        ("93", "93"),
    ],
)
def test_words_of_game_flows(old: str, new: str) -> None:
    assert object_word(old) == new
    assert object_word(new) == new


def test_a_catalog_gets_the_names_of_1_11() -> None:
    old = "# O_LARA\r\n0,   O_LARA\r\n92, O_EXPLOSIVE_ITEM\r\n84,O_PISTOL_ITEM, # guns\r\n7, wolf\r\n"
    result = updated_catalog(old)
    assert result.text == "# O_LARA\r\n0,   lara\r\n84,pistols_item, # guns\r\n7, wolf\r\n"
    assert [change.line for change in result.changes] == [2, 3, 4]
    assert updated_catalog(result.text) == (result.text, [])


def test_files_of_a_mod_are_updated_by_their_kind(tmp_path: Path) -> None:
    (tmp_path / "gameflow.json5").write_text(OLD)
    strings = tmp_path / "strings-de.json5"
    strings.write_text("{objects: {boat: {}}}")
    (tmp_path / "catalog_objects.csv").write_bytes(b"0, O_LARA # \xff\n")
    (tmp_path / "weapons.json5").write_text("{")
    assert [path.name for path in files_of(tmp_path)] == [
        "catalog_objects.csv",
        "gameflow.json5",
        "strings-de.json5",
    ]
    assert update_file(strings).text == "{objects: {moored_boat: {}}}"
    assert update_file(tmp_path / "catalog_objects.csv").text == "0, lara # \udcff\n"
    with pytest.raises(FormatError, match="line 1"):
        update_file(tmp_path / "weapons.json5")


_KEYS = ("path", "script", "levels", "title", "objects", "key_1", "name", "names", "object_ids", "sequence")
_names = st.sampled_from((*_KEYS, "type"))
_values = st.recursive(
    st.none() | st.integers(-5, 5) | st.sampled_from(["pistols", "setup_bacon_lara", "x", "a\u2028b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=4),
    max_leaves=12,
)


@given(_values)
def test_any_json5_is_updated_once(value: object) -> None:
    result = updated(dumped(value))
    assert updated(result.text) == (result.text, [])
    parse(result.text)
    if not result.changes:
        assert result.text == dumped(value)
