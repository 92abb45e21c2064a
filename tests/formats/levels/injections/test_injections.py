"""Injections: what they hold, that they are written as they were, and that numbers follow."""

from __future__ import annotations

import csv
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError, read_level
from io_tomb_raider.formats.base.games import Game
from io_tomb_raider.formats.base.schema.fields import Record
from io_tomb_raider.formats.levels.injections.fields import Counts, RecordForm
from io_tomb_raider.formats.levels.injections.files import content, is_injection, read_injection
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.formats.levels.injections.old import OldInjection, read_old_injection
from io_tomb_raider.formats.levels.injections.records import BLOCKS, TEST
from io_tomb_raider.formats.levels.injections.trxj import Injection, TrxjBlock, TrxjChunk, read_trxj
from tests.real_levels import LEVEL_SUFFIXES, real_injections

from .samples import page, records, sector, sector_edit, t1mj, trxj

pytestmark = pytest.mark.once

_DECODED = sorted(number for number, block in BLOCKS.items() if block.fields)


def _name(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<i", len(data)) + data


def test_sectors_are_read_as_packed() -> None:
    climb, split = (11, struct.pack("<i", 16 | 2)), (13, struct.pack("<i4H", 3, 0x0407, 0x1234, 9, 0x4321))
    data = trxj(6, [(17, 2, sector(3, 1, 2, sector_edit(below=300), climb) + sector(4, 5, 6, split))])
    injection = read_trxj(data)
    first, second = injection.records(BlockId.FLOOR)
    assert (first["room"], first["x"], first["z"]) == (3, 1, 2)
    assert first["edits"][0] == {
        "type": 7,
        "floor_data": 12,
        "box": 5,
        "room_below": 300,
        "floor": 1024,
        "room_above": -1,
        "ceiling": -2048,
    }
    assert first["edits"][1] == {"type": 11, "climb": 18}
    assert second["edits"] == [{"type": 13, "floor": [0x0407, 0x1234], "ceiling": [9, 0x4321]}]
    assert injection.to_bytes() == data


def test_sounds_items_and_pages_are_read_as_packed() -> None:
    sound = struct.pack("<3hHib", 30, 100, 0, 2 << 2 | 2, 10240, -5) + _name("ab") + _name("c")
    data = trxj(
        9,
        [
            (14, 1, sound),
            (37, 1, struct.pack("<h", 7) + _name("Schlüssel")),
            (20, 1, struct.pack("<HBBHH", 2, 8, 16, 1, 2) + bytes(range(8))),
        ],
    )
    injection = read_trxj(data)
    assert injection.records(BlockId.SOUNDS) == [
        {
            "sound": 30,
            "volume": 100,
            "chance": 0,
            "flags": 10,
            "range": 10240,
            "pitch": -5,
            "waves": [b"ab", b"c"],
        }
    ]
    assert injection.records(BlockId.ITEM_NAMES) == [{"item": 7, "name": "Schlüssel"}]
    assert injection.records(BlockId.PAGE_EDITS)[0] == {
        "page": 2,
        "x": 8,
        "y": 16,
        "width": 1,
        "height": 2,
        "pixels": bytes(range(8)),
    }
    assert content(injection) == {"sounds": 1, "item names": 1, "page edits": 1}


@pytest.mark.parametrize("kind", _DECODED)
@given(data=st.data(), version=st.integers(2, 11), game=st.sampled_from([Game.TR1, Game.TR2]))
def test_every_record_is_read_as_it_was_written(
    kind: int, data: st.DataObject, version: int, game: Game
) -> None:
    form = RecordForm(version, game)
    block = TrxjBlock(kind, data.draw(st.lists(records(BLOCKS[kind].fields, form), max_size=3)))
    tests = data.draw(st.lists(records(TEST, form), max_size=2))
    injection = Injection(version, 0, game, tests, [TrxjChunk(6, [block])])
    found = read_trxj(injection.to_bytes(), game)
    assert (found.tests, found.records(kind)) == (tests, block.records)
    assert found.payload() == injection.payload()


def test_the_packed_bytes_stay_while_nothing_changes() -> None:
    data = trxj(6, [(17, 1, sector(1, 2, 3, (11, struct.pack("<i", 4))))], level=1)
    injection = read_trxj(data)
    assert injection.to_bytes() == data
    injection.records(BlockId.FLOOR)[0]["edits"][0]["climb"] = 8
    new = injection.to_bytes()
    assert new != data and read_trxj(new).records(BlockId.FLOOR)[0]["edits"][0]["climb"] == 8


def _rooms(*new: int | None) -> dict[Counts, object]:
    return {Counts.ROOM: lambda number, record: new[number] if number < len(new) else number}


def test_edits_are_renumbered_and_those_of_deleted_rooms_removed() -> None:
    climb = (11, struct.pack("<i", 4))
    data = trxj(
        6,
        [
            (
                17,
                3,
                sector(0, 1, 1, sector_edit(below=1, above=2))
                + sector(1, 1, 1, climb, climb)
                + sector(2, 1, 1, climb),
            ),
            (23, 1, struct.pack("<15h", 0, 1, 0, *[0] * 12)),
        ],
    )
    injection = read_trxj(data)
    new, removed = injection.renumbered(_rooms(0, None, 1))  # type: ignore[arg-type]
    first, second = new.records(BlockId.FLOOR)
    assert (first["room"], second["room"]) == (0, 1)
    assert (first["edits"][0]["room_below"], first["edits"][0]["room_above"]) == (-1, 1)
    assert removed == {"floor edits": 2, "portal edits": 1}
    assert not new.records(23) and [block.type for block in new.blocks] == [BlockId.FLOOR]
    assert len(injection.records(BlockId.FLOOR)) == 3  # the original stays
    assert injection.to_bytes() == data


def test_items_pages_and_tests_follow() -> None:
    where = struct.pack("<2i", 0, 5) + struct.pack("<3i2h", 1, 2, 3, 0, 9)
    test = struct.pack("<2i", 0, 4) + where
    data = trxj(
        9, [(37, 2, struct.pack("<hi", 4, 0) + struct.pack("<hi", 5, 0)), (20, 1, page(1))], tests=(1, test)
    )
    moved = {Counts.ITEM: lambda item, _: None if item == 4 else item - 1, Counts.PAGE: lambda at, _: at + 2}
    new, removed = read_trxj(data).renumbered(moved)
    assert [each["item"] for each in new.records(BlockId.ITEM_NAMES)] == [4]
    assert new.records(BlockId.PAGE_EDITS)[0]["page"] == 3
    assert not new.tests and removed == {"tests": 1, "item names": 1}


def test_records_are_replaced_added_and_removed_in_order() -> None:
    injection = Injection(9, 0, Game.TR1)
    injection.replace(
        BlockId.PAGE_EDITS, [{"page": 0, "x": 0, "y": 0, "width": 0, "height": 0, "pixels": b""}]
    )
    injection.replace(BlockId.SOUNDS, [])
    injection.replace(BlockId.ITEM_NAMES, [{"item": 0, "name": "a"}])
    sound: Record = {"sound": 1, "volume": 2, "chance": 3, "flags": 2, "range": 0, "pitch": 0, "waves": []}
    injection.replace(BlockId.SOUNDS, [sound])
    assert [chunk.type for chunk in injection.chunks] == [5, 6]
    assert [block.type for block in injection.blocks] == [
        BlockId.SOUNDS,
        BlockId.ITEM_NAMES,
        BlockId.PAGE_EDITS,
    ]
    injection.replace(BlockId.PAGE_EDITS, [])
    assert [block.type for block in injection.blocks] == [BlockId.SOUNDS, BlockId.ITEM_NAMES]
    assert read_trxj(injection.to_bytes()).records(BlockId.SOUNDS) == [sound]


@pytest.mark.parametrize("version", range(1, 12))
def test_old_files_have_their_numbers_first(version: int) -> None:
    edits = [sector(1, 2, 3, (2, struct.pack("<iHH", 2, 7, 8))), sector(0, 1, 1, (1, b""))]
    data = t1mj(version, floor_edits=edits)
    injection = read_old_injection(data)
    assert injection.sections["floor edits"] == [
        {"room": 1, "x": 2, "z": 3, "edits": [{"type": 2, "words": [7, 8]}]},
        {"room": 0, "x": 1, "z": 1, "edits": [{"type": 1}]},
    ]
    assert injection.to_bytes() == data


def test_files_of_tr2_have_blocks_or_only_floor_edits() -> None:
    edit = sector(1, 2, 3, (6, b"\3"))
    head = struct.pack("<4s2i", b"T2XJ", 1, 4)
    item = struct.pack("<2h3ih", 3, 90, 1, 2, 3, 4)
    blocks = struct.pack("<4i", 2, 0, 1, len(edit)) + edit + struct.pack("<3i", 1, 1, len(item)) + item
    for data in (head + blocks, head + struct.pack("<i", 1) + edit):
        injection = read_injection(data)
        assert isinstance(injection, OldInjection) and injection.game is Game.TR2
        (record,) = injection.sections["floor edits"]
        assert isinstance(record, dict) and record["edits"] == [{"type": 6, "trigger": 3}]
        assert injection.to_bytes() == data


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"TRXI" + bytes(40), "unknown"),
        (b"RIFF" + bytes(40), "no injection"),
        (trxj(13, []), "unknown"),
        (trxj(1, []), "unknown"),
        (trxj(11, [(44, 0, b"")]), "unknown"),
        (trxj(11, [])[:-1], "too early"),
        (trxj(11, []) + b"\0", "damaged"),
        (trxj(11, [(17, 2, sector(1, 1, 1))]), "too early"),
        (trxj(11, [(17, 1, sector(1, 1, 1) + b"\0")]), "damaged"),
        (trxj(11, [(17, 1, sector(1, 1, 1, (18, b"")))]), "damaged"),
        (trxj(11, [(17, 1 << 30, b"")]), "damaged"),
        (struct.pack("<4s2i", b"T1MJ", 12, 0), "unknown"),
        (t1mj(9)[:-1], "too early"),
        (t1mj(9) + b"\0", "damaged"),
    ],
    ids=range(14),
)
def test_damaged_and_unknown_files_are_refused(data: bytes, problem: str) -> None:
    with pytest.raises(FormatError) as error:
        read_injection(data)
    assert problem in error.value.problem


def test_a_false_size_does_not_take_memory() -> None:
    packed = zlib.compress(bytes(1 << 20))
    for size in (1 << 20, 1 << 30, -1):
        data = struct.pack("<4s4i", b"TRXJ", 6, 0, size, len(packed)) + packed
        with pytest.raises(FormatError):
            read_injection(data)


def test_values_that_do_not_fit_are_named() -> None:
    injection = read_trxj(trxj(9, [(37, 1, struct.pack("<hi", 4, 0))]))
    injection.records(BlockId.ITEM_NAMES)[0]["name"] = "x" * 5000
    with pytest.raises(ExportError, match=r"5000.*4096"):
        injection.to_bytes()
    injection.records(BlockId.ITEM_NAMES)[0].update(item=40000, name="")
    with pytest.raises(ExportError, match="item"):
        injection.to_bytes()


# --- Real files ----------------------------------------------------------------------------------


def _expected() -> dict[str, dict[str, str]]:
    tables = [path for path in real_injections() if path.name == "README.tsv"]
    rows = [row for path in tables for row in csv.DictReader(path.open(encoding="utf-8"), delimiter="\t")]
    return {row["file"]: row for row in rows}


@pytest.mark.parametrize("path", real_injections(), ids=lambda path: path.name)
def test_real_files_are_written_unchanged(path: Path) -> None:
    data = path.read_bytes()
    if path.suffix.lower() in LEVEL_SUFFIXES:
        data = read_level(path).footer.tobytes()
    row = _expected().get(path.name, {})
    if not is_injection(data) or row.get("meaning", "").startswith(("a block no version", "a version above")):
        return
    if path.name.startswith("x_"):
        with pytest.raises(FormatError):
            read_injection(data)
        return
    injection = read_injection(data)
    assert injection.to_bytes() == data
    assert not row or f"v{injection.version}" == row["version"]
    if isinstance(injection, Injection):
        assert zlib.decompress(data[20:]) == injection.payload()
        assert not row or ",".join(str(block.type) for block in injection.blocks) == row["blocks"]
