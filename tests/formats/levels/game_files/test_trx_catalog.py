"""The object catalog of TRX."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.game_files.trx.trx_catalog import parse_catalog, read_catalog

CATALOG = """0,   O_LARA
# Slots 195-200 are free
219, O_LARA_MP5,
\t258,O_LARA_SKIN_SWAP_1 # first
260; O_WRONG
x, O_WRONG
261, WRONG
262, O___
"""


def test_slots_have_their_names() -> None:
    assert parse_catalog(CATALOG) == {0: "Lara", 219: "Lara MP5", 258: "Lara skin swap 1"}
    assert parse_catalog(CATALOG.replace("\n", "\r\n")) == parse_catalog(CATALOG)


def test_catalogs_are_found_next_to_levels(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    level = tmp_path / "data" / "cave.phd"
    assert read_catalog(level, Game.TR1) == {}
    (tmp_path / "catalog_objects.csv").write_bytes(b"\xff\n7, O_WOLF\n")
    assert read_catalog(level, Game.TR1) == {7: "Wolf"}
    assert read_catalog(level, Game.TR4) == {}


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert all(name for name in parse_catalog(text).values())
