"""The object catalog of TRX."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import FormatError, Game
from io_tomb_raider.formats.levels.game_files.trx.trx_catalog import (
    parse_catalog,
    read_catalog,
    read_relations,
)

CATALOG = """0,   O_LARA
# Slots 195-200 are free
219, O_LARA_MP5,
\t258,O_LARA_SKIN_SWAP_1 # first
260; O_WRONG
x, O_WRONG
261, 5
262, O___
300, O_DOOR_TYPE_2
"""
NEW = """0,   lara
219, lara_mp5,
\t258,lara-skin-swap-1 # first
300, door_2
"""


def test_slots_have_their_names() -> None:
    names = {0: "Lara", 219: "Lara MP5", 258: "Lara skin swap 1", 300: "Door 2"}
    assert parse_catalog(CATALOG) == parse_catalog(NEW) == names
    assert parse_catalog(CATALOG.replace("\n", "\r\n")) == parse_catalog(CATALOG)


def test_catalogs_are_found_next_to_levels(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    level = tmp_path / "data" / "cave.phd"
    assert read_catalog(level, Game.TR1) == {}
    (tmp_path / "catalog_objects.csv").write_bytes(b"\xff\n7, O_WOLF\n")
    assert read_catalog(level, Game.TR1) == {7: "Wolf"}
    assert read_catalog(level, Game.TR4) == {7: "Wolf"}
    assert read_catalog(level, Game.TR5) == {}


LINKS = """{
    // What belongs together
    "item_to_option": [["key_item_1", "key_option_1"], ["lara", "none"], ["key_item_1"], 5],
    "key_to_receptacle": [["key_option_1", "key_hole_1"]],
}"""


def test_relations_of_slots_are_above_a_level_or_in_the_game(tmp_path: Path) -> None:
    folder = tmp_path / "game" / "games" / "mod"
    folder.mkdir(parents=True)
    level, cfg = folder / "cave.phd", tmp_path / "game" / "cfg"
    cfg.mkdir()
    (cfg / "object_links.json5").write_text(LINKS)
    assert read_relations(level, Game.TR1) == ([], {})
    (folder / "catalog_objects.csv").write_text(
        "0, lara\n400, key_item_1\n401, O_KEY_OPTION_1\n9, key_hole_1\n"
    )
    links = {400: [401], 401: [400, 9], 9: [401]}
    assert read_relations(level, Game.TR1) == ([], links)
    installed = tmp_path / "installed"
    installed.mkdir()
    (installed / "object_families.json5").write_text('{"pickup": ["key_item_1", 5, "none"], "door": []}')
    assert read_relations(level, Game.TR1, lambda: installed) == ([400], links)
    (cfg / "object_links.json5").write_text("{\n'a'")
    with pytest.raises(FormatError, match="line 2"):
        read_relations(level, Game.TR1)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert all(name for name in parse_catalog(text).values())
