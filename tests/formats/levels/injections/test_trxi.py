"""TRXI: read as packed, written as it was, converted to TRXJ and back."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError, read_level
from io_tomb_raider.formats.base.bytes.records import ANIMATION_TR4, OBJECT_TEXTURE_TR4
from io_tomb_raider.formats.base.games import Game
from io_tomb_raider.formats.base.schema.fields import Record, record_bytes
from io_tomb_raider.formats.edits.injections.apply import apply_injection
from io_tomb_raider.formats.edits.injections.edits import edits_of
from io_tomb_raider.formats.edits.injections.fit import read_for_level
from io_tomb_raider.formats.edits.injections.merge import merged
from io_tomb_raider.formats.levels.injections.convert import converted
from io_tomb_raider.formats.levels.injections.fields import TRXI, RecordForm
from io_tomb_raider.formats.levels.injections.files import content, is_injection, read_injection
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.formats.levels.injections.records import BLOCKS, CHUNKS, TEST, fields_of
from io_tomb_raider.formats.levels.injections.trxj import Injection, TrxjBlock, TrxjChunk, read_trxj
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.textures.animated import decode_animated
from tests import trxi_reader
from tests.real_levels import LEVEL_SUFFIXES, real_injections

from .samples import (
    ANIMATION,
    FIRST_MESH,
    KEY,
    SECOND_MESH,
    level_of,
    mod,
    packed,
    records,
    sector,
    trxi,
    trxj,
)

pytestmark = pytest.mark.once

_FORM = RecordForm(TRXI, Game.TR2)
_DECODED = sorted(number for number in BLOCKS if fields_of(number, _FORM))
_BYTES = sorted(BLOCKS.keys() - set(_DECODED))


def test_records_are_read_as_packed() -> None:
    injection = read_trxj(mod())
    assert (injection.version, injection.game) == (TRXI, Game.TR2)
    assert injection.tests == [{"type": 4, "game": 2}, {"type": 1, "rooms": 38}]
    assert injection.records(BlockId.SYMBOLS) == [
        {"context": 0, "slot": 400, "name": "big gun", "reserved": 0}
    ]
    assert injection.records(BlockId.NAMED_SOUNDS) == [
        {
            "symbol": 1,
            "volume": 0x7FFF,
            "chance": 0,
            "pitch": -5,
            "range": 10240,
            "flags": 2,
            "waves": [b"wav", 205],
        }
    ]
    assert injection.records(13)[0]["object"] == {"kind": 3, "id": 400}
    assert injection.records(BlockId.FLOOR)[0]["edits"] == [{"type": 17, "action": 14, "old": 5, "symbol": 6}]
    assert content(injection)["frames"] == 1 and content(injection)["meshes"] == 2
    assert injection.to_bytes() == mod()


def test_unchanged_content_is_packed_again_to_the_same() -> None:
    injection = read_trxj(mod())
    payload = zlib.decompress(mod()[20:])
    assert injection.payload() == payload
    injection.original = b""
    assert zlib.decompress(injection.to_bytes()[20:]) == payload
    assert injection.to_bytes()[:12] == struct.pack("<4s2i", b"TRXI", 1, 0)


@pytest.mark.parametrize("kind", _DECODED)
@given(data=st.data(), game=st.sampled_from([Game.TR1, Game.TR2]))
def test_every_record_is_read_as_it_was_written(kind: int, data: st.DataObject, game: Game) -> None:
    form = RecordForm(TRXI, game)
    block = TrxjBlock(kind, data.draw(st.lists(records(fields_of(kind, form), form), max_size=3)))
    tests = data.draw(st.lists(records(TEST, form).filter(lambda test: test["type"] != 4), max_size=2))
    chunk = next(number for number, types in CHUNKS.items() if kind in types)
    injection = Injection(TRXI, 0, game, tests, [TrxjChunk(chunk, [block])])
    found = read_trxj(injection.to_bytes(), game)
    assert (found.tests, found.records(kind)) == (tests, block.records)
    assert found.payload() == injection.payload()


@pytest.mark.parametrize("kind", _BYTES)
@given(data=st.data())
def test_elements_of_bytes_have_their_size(kind: int, data: st.DataObject) -> None:
    element = BLOCKS[kind].element
    assert element is not None
    if isinstance(element, tuple):
        elements = data.draw(st.lists(records(element, _FORM), min_size=1, max_size=3))
        raw, count = record_bytes(element, *elements), len(elements)
    else:
        raw, count = bytes(2 * element.itemsize), 2
    assert read_trxj(trxi((0, 1, [(kind, count, raw)]))).payload()[24:] == packed((kind, count, raw))
    for wrong in ((count, raw[:-1]), (count, raw + b"\0"), (count - 1, raw), (count + 1, raw), (-1, raw)):
        with pytest.raises(FormatError, match="injection/"):
            read_trxj(trxi((0, 1, [(kind, *wrong)])))


def test_unknown_parts_stay() -> None:
    """The engine passes over them, and counts unknown conditions as not fulfilled."""
    data = trxi(
        (9, 1, [(44, 2, b"boxes")]),
        (6, 2, [(17, 1, b"newer")]),
        (6, 1, [(99, 7, b"block"), (37, 1, struct.pack("<hi", 4, 0))]),
        tests=[(5, 1, b"test"), (1, 2, b"")],
    )
    injection = read_trxj(data)
    assert [test["type"] for test in injection.tests] == [5, 1]
    assert content(injection) == {"unknown parts": 7, "item names": 1}
    injection.replace(BlockId.SYMBOLS, [{"context": 0, "slot": 1, "name": "a", "reserved": 0}])
    injection.replace(37, [])
    new = read_trxj(injection.to_bytes())
    assert [(chunk.type, chunk.version, chunk.content) for chunk in new.chunks] == [
        (8, 1, None),
        (9, 1, packed((44, 2, b"boxes"))),
        (6, 2, packed((17, 1, b"newer"))),
        (6, 1, None),
    ]
    assert [(block.type, block.count, block.content) for block in new.chunks[3].blocks] == [(99, 7, b"block")]
    assert new.tests == injection.tests and new.renumbered({})[0].tests == injection.tests
    back = converted(new, 11, Game.TR1)
    assert back.lost == ["unknown parts", "symbols", "unknown parts"] and not back.injection.chunks


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (trxi(number=2), "unknown"),
        (trxi(number=-1), "unknown"),
        (trxi(kind=11), "damaged"),
        (trxi(kind=-1), "damaged"),
        (trxi()[:-1], "too early"),
        (trxi() + b"\0", "damaged"),
        (trxi(tests=[(1, 1, b"12345")]), "damaged"),
        (trxi(tests=[(1, 1, b"")]), "damaged"),
        (trxi((6, 1, [(17, 1, sector(1, 1, 1) + b"\0")])), "damaged"),
        (trxi((5, 1, [(14, 1, bytes(10) + b"\1\2" + bytes(4))])), "damaged"),
        (mod(meshes=FIRST_MESH), "too early"),
    ],
    ids=range(11),
)
def test_damaged_and_unknown_files_are_refused(data: bytes, problem: str) -> None:
    with pytest.raises(FormatError) as error:
        read_injection(data)
    assert problem in error.value.problem


# --- Conversion ----------------------------------------------------------------------------------


def _block(injection: Injection, type_: int) -> bytes:
    (block,) = (each for each in injection.blocks if each.type == type_)
    assert block.content is not None
    return block.content


def _native(game: Game) -> Injection:
    """Return the mod without its names, for a game."""
    injection = read_trxj(mod())
    injection.records(13)[0]["object"]["kind"] = 0
    for number, record in enumerate(injection.records(BlockId.NAMED_SOUNDS)):
        injection.replace(BlockId.NAMED_SOUNDS, [])
        injection.replace(BlockId.SOUNDS, [{"sound": number, **record, "waves": [b"wav"]}])
    injection.replace(BlockId.SYMBOLS, [])
    injection.replace(BlockId.FLOOR, [])
    return converted(injection, 11, game).injection


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_models_become_those_of_the_game(game: Game) -> None:
    small = FIRST_MESH.replace(struct.pack("<i", 70000), struct.pack("<i", 700))
    with pytest.raises(ExportError, match="sphere"):
        _native(game)
    source = read_trxj(mod(meshes=small + SECOND_MESH))
    converted_ = converted(source, 11, game)
    assert converted_.lost == ["effects of faces", "named sounds", "symbols", "objects", "floor edits"]
    native = converted_.injection
    assert native.tests == [{"type": 1, "rooms": 38}]
    assert _block(native, 0) == bytes([62, 32, 0])
    assert _block(native, 2) == struct.pack("<2H8H", 1, 0, *range(8))
    data, pointers = (np.frombuffer(_block(native, type_), code) for type_, code in ((5, "u1"), (6, "<u4")))
    second, first = (decode_meshes(game, data, pointers).meshes[row] for row in (0, 1))
    assert (first.center, first.radius, first.flags) == ((1, 2, 3), 700, 0)
    assert first.triangles["texture"].tolist() == [0x8005] and first.normals is not None
    assert first.colored_quads["vertices"].tolist() == [[0, 1, 2, 0]]
    assert (
        second.lights is not None
        and second.lights.tolist() == [8191]
        and second.vertices.tolist() == [[5, 6, 7]]
    )
    animation = np.frombuffer(_block(native, 12), "u1")
    assert len(animation) == 32 and animation[:4].tolist() == [0, 0, 0, 0]
    # Angles of 10 bits: 1, -1 and 256 of 1024, then 1 about z.
    high, low = 1 << 4 | 1023 >> 6, (1023 & 63) << 10 | 256
    head = struct.pack("<9h", -1, 1, -2, 2, -3, 3, 4, 5, 6)
    rotations = [2, low, high, 1, 0] if game is Game.TR1 else [high, low, 0xC001]
    assert _block(native, 11) == head + struct.pack(f"<{len(rotations)}H", *rotations)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_models_of_a_game_become_those_of_trxi(game: Game) -> None:
    small = FIRST_MESH.replace(struct.pack("<i", 70000), struct.pack("<i", 700))
    plain = small.replace(struct.pack("<2H", 0x8005, 3), struct.pack("<2H", 0x8005, 0))
    source = read_trxj(mod(meshes=plain + SECOND_MESH))
    source.records(13)[0]["object"]["kind"] = 0
    native = read_trxj(converted(source, 11, game).injection.to_bytes(), game)
    new = read_trxj(converted(native, TRXI).injection.to_bytes())
    assert new.tests[0] == {"type": 4, "game": game} and new.game is game
    assert _block(new, 11) == KEY and _block(new, 0) == bytes([251, 130, 0])
    assert sorted([_block(new, 5)[: len(SECOND_MESH)], _block(new, 5)[len(SECOND_MESH) :]]) == sorted(
        [plain, SECOND_MESH]
    )
    texture = np.frombuffer(_block(new, 2), OBJECT_TEXTURE_TR4)[0]
    assert (texture["attribute"], texture["uv"].ravel().tolist(), texture["width"]) == (1, [*range(8)], 0)
    animation = np.frombuffer(_block(new, 12), ANIMATION_TR4)[0]
    assert (animation["frame_offset"], animation["speed"], animation["state"]) == (0, 1 << 16, 5)
    assert new.records(13) == [{**source.records(13)[0], "frame": 0}]
    assert [block.type for block in new.blocks] == [0, 2, 6, 5, 10, 11, 12, 13]


def test_corners_of_textures_give_their_size() -> None:
    corners = [0x0A01, 0x0401, 0x1DFF, 0x0401, 0x1DFF, 0x0BFF, 0x0A01, 0x0BFF]
    data = trxj(11, [(2, 1, struct.pack("<2H8H", 0, 3, *corners))])
    texture = np.frombuffer(
        _block(converted(read_trxj(data, Game.TR1), TRXI).injection, 2), OBJECT_TEXTURE_TR4
    )
    assert texture[["page", "flags", "original_u", "original_v", "width", "height"]].tolist() == [
        (3, 0, 10 << 16, 4 << 16, 18, 6)
    ]


def test_animations_that_share_key_frames_get_their_own() -> None:
    key = struct.pack("<9hH", *[0] * 9, 0)
    animations = b"".join(
        struct.pack("<IBBH2i8H", 20, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) for _ in range(2)
    )
    model = struct.pack("<2i2hiIh", 0, 5, 1, 0, 0, 20, 0)
    still = struct.pack("<2i2hiIh", 0, 6, 1, 0, 0, 0, -1)
    kept = struct.pack("<2i2hiIh", 0, 7, 1, 0, 0, 0xFFFFFFFF, -1)
    blocks = [(11, 30, 3 * key), (12, 2, animations), (13, 3, model + still + kept)]
    new = converted(read_trxj(trxj(11, blocks), Game.TR1), TRXI).injection
    assert np.frombuffer(_block(new, 12), ANIMATION_TR4)["frame_offset"].tolist() == [0, 2]
    assert [record["frame"] for record in new.records(13)] == [0, 4, 0xFFFFFFFF]
    assert [block.count for block in new.blocks if block.type == 11] == [5]
    back = converted(read_trxj(new.to_bytes()), 11).injection
    assert [record["frame"] for record in back.records(13)] == [0, 80, 0xFFFFFFFF]


@pytest.mark.parametrize(
    ("type_", "change", "problem"),
    [
        (6, lambda _: struct.pack("<2I", 1, 0), "the start of a mesh"),
        (12, lambda data: struct.pack("<I", 2) + data[4:], "2 key frames"),
    ],
    ids=["pointer", "frame"],
)
def test_numbers_of_missing_parts_are_refused(type_: int, change: Any, problem: str) -> None:
    injection = read_trxj(mod(meshes=SECOND_MESH + SECOND_MESH).replace(b"", b""))
    for block in injection.blocks:
        if block.type == 6:
            block.content = struct.pack("<2I", len(SECOND_MESH), 0)
        if block.type == type_:
            block.content = change(block.content)
    with pytest.raises(FormatError, match=problem):
        converted(injection, 11, Game.TR2)


def test_key_frames_of_unlike_sizes_do_not_take_memory() -> None:
    frames = (
        struct.pack("<9hH", *[0] * 9, 0) * 60_000 + struct.pack("<9hH", *[0] * 9, 60_000) + bytes(360_000)
    )
    data = trxi((3, 1, [(11, 60_001, frames), (12, 1, ANIMATION)]))
    with pytest.raises(FormatError, match="rotations"):
        converted(read_trxj(data), 11, Game.TR2)


@pytest.mark.parametrize(
    ("kind", "element"), [(11, bytes(20)), (5, bytes(22)), (BlockId.SYMBOLS, bytes(16)), (36, bytes(16))]
)
def test_blocks_of_a_million_elements_in_a_small_file_are_refused(kind: int, element: bytes) -> None:
    with pytest.raises(FormatError, match="at most"):
        read_trxj(trxi((0, 1, [(kind, 1 << 20, element * (1 << 20))])))


def _sound(**values: Any) -> Record:
    return {"sound": 3, "volume": 1, "chance": 2, "pitch": 0, "flags": 1, "range": 2048, **values}


def _trxi_with(type_: int, *elements: Record) -> Injection:
    injection = Injection(TRXI, 0, Game.TR2)
    injection.replace(type_, list(elements))
    return injection


def test_sounds_are_converted() -> None:
    sounds = [_sound(waves=[b"a", b"b"]), _sound(waves=[7]), _sound(waves=[b""] * 16)]
    back = converted(_trxi_with(BlockId.SOUNDS, *sounds), 11)
    assert back.injection.records(BlockId.SOUNDS) == [_sound(waves=[b"a", b"b"], flags=9)]
    assert back.lost == ["sounds"]
    numbers = converted(_trxi_with(BlockId.SOUNDS, _sound(waves=[7, 8])), 3)
    assert numbers.injection.records(BlockId.SOUNDS) == [_sound(sample=7, flags=9)]
    again = converted(numbers.injection, TRXI)
    assert again.injection.records(BlockId.SOUNDS) == [_sound(waves=[7, 8])] and not again.lost


@pytest.mark.parametrize(("units", "sectors"), [(1500, 1), (1 << 20, 255), (-5, 0)])
def test_ranges_are_rounded_to_whole_sectors(units: int, sectors: int) -> None:
    injection = Injection(9, 0, Game.TR1)
    injection.replace(BlockId.SOUNDS, [_sound(range=units, flags=0, waves=[])])
    new = converted(injection, TRXI)
    assert new.injection.records(BlockId.SOUNDS)[0]["range"] == 1024 * sectors
    assert new.lost == [f"the exact range of a sound ({units} units)"]


def test_older_versions_lose_what_they_lack() -> None:
    names = read_trxj(mod(meshes=SECOND_MESH + SECOND_MESH))
    for block in names.blocks:
        if block.type == 6:
            block.content = struct.pack("<2I", len(SECOND_MESH), 0)
    names.add_bytes(BlockId.DEMO, 1, bytes(4))
    newer = converted(names, 12, Game.TR1)
    assert newer.lost == ["named sounds", "demo data"]
    assert newer.injection.tests[0] == {"type": 4, "game": 2}
    older = converted(newer.injection, 11)
    assert older.lost == ["symbols", "objects", "floor edits"]
    assert not any(older.injection.records(type_) for type_ in (BlockId.SYMBOLS, 13, BlockId.FLOOR))


# --- Real files ----------------------------------------------------------------------------------


def _meaning(injection: Injection) -> list[Any]:
    """Return the blocks of an injection, through its file and whatever their order."""
    blocks = read_trxj(injection.to_bytes(), injection.game).blocks
    return sorted((block.type, len(block), str(block.records), block.content) for block in blocks)


@pytest.mark.parametrize("path", real_injections(), ids=lambda path: path.name)
def test_real_old_files_become_trxi_and_back(path: Path) -> None:
    data = path.read_bytes()
    if data[:4] not in (b"T1MJ", b"T2XJ"):
        return
    injection = read_for_level(data, level_of(Game.TR1 if data[:4] == b"T1MJ" else Game.TR2)).injection
    injection.upgrade(11)
    new = converted(injection, TRXI)
    trxi_reader.read(new.injection.to_bytes())
    back = converted(read_trxj(new.injection.to_bytes()), 11)
    assert not new.lost and not back.lost
    assert converted(back.injection, TRXI).injection.payload() == new.injection.payload()
    decoded = [block.type for block in injection.blocks if block.content is None and block.type != 13]
    assert all(back.injection.records(type_) == injection.records(type_) for type_ in decoded)


@pytest.mark.parametrize("path", real_injections(), ids=lambda path: path.name)
def test_real_files_become_trxi_and_back(path: Path) -> None:
    data = path.read_bytes()
    level = read_level(path) if path.suffix.lower() in LEVEL_SUFFIXES else None
    data = data if level is None else level.footer.tobytes()
    if not is_injection(data) or path.name.startswith("x_") or data[:4] != b"TRXJ":
        return
    game = Game.TR4 if "_tr4" in path.name else Game.TR2 if "_tr2" in path.name else Game.TR1
    injection = read_trxj(data, game if level is None else level.game)
    new = converted(injection, TRXI)
    read = read_trxj(new.injection.to_bytes())
    assert not new.lost and read.payload() == new.injection.payload()
    trxi_reader.read(new.injection.to_bytes())
    has_numbers = any("sample" in record for record in injection.records(BlockId.SOUNDS))
    injection.upgrade(3 if has_numbers else 11)
    back = converted(read, injection.version, injection.game)
    assert not back.lost and back.injection.tests == injection.tests
    assert converted(back.injection, TRXI).injection.payload() == read.payload()
    if path.name != "b07_12_animation.bin":  # its key frame has two words too many
        assert _meaning(back.injection) == _meaning(injection)


# --- Use -----------------------------------------------------------------------------------------


def test_names_are_edits_that_only_the_engine_makes() -> None:
    injection = read_trxj(mod())
    new = struct.pack("<2ih3i2hH", 3, 400, 0, 0, 0, 0, 0, 0, 0) + struct.pack("<i", 0)
    item = read_trxj(trxi((6, 1, [(BlockId.FLOOR, 1, sector(0, 1, 1, (4, new)))]))).records(BlockId.FLOOR)
    injection.replace(BlockId.FLOOR, [*injection.records(BlockId.FLOOR), *item])
    injection.replace(
        BlockId.SYMBOLS,
        [*injection.records(BlockId.SYMBOLS), {**injection.records(BlockId.SYMBOLS)[0], "slot": 1}],
    )
    injection.records(BlockId.SYMBOLS)[1] |= {"context": 2, "name": "bang"}
    found = {(edit.label, edit.detail) for edit in edits_of(injection)}
    assert {
        ("Name for a free number", "big gun"),
        ("Name for a free number", "bang"),
        ("Sound", "bang"),
        ("Target of a trigger", "sector (2, 3): 5 becomes 6"),
        ("New entity", "type big gun at 0, 0, 0"),
    } < found
    level = level_of(Game.TR2)
    applied = apply_injection(injection, level)
    # The game cannot hold the model, so its name stays, too.
    assert applied.number == 0 and len(applied.problems) == len(found) and applied.slots == {}
    (data, *others) = sorted({problem.text for problem in applied.problems})
    assert "does not fit 16 bits" in data
    assert others == ["only the engine can do this, so it stays an edit"]
    assert applied.level.to_bytes() == level.to_bytes()
    assert applied.left.payload() == injection.payload()


def test_added_ranges_and_demos_become_those_of_the_level() -> None:
    level = level_of(Game.TR1)
    data = trxi(
        (7, 1, [(BlockId.DEMO, 2, struct.pack("<2I", 5, 0xFFFFFFFF))]),
        (6, 1, [(42, 1, struct.pack("<i2H", 2, 1, 0))]),
        tests=[(4, 1, struct.pack("<i", 1))],
    )
    applied = apply_injection(read_for_level(data, level).injection, level)
    assert applied.number == 2 and not applied.problems and not applied.left.chunks
    assert applied.level.demo_data.tobytes() == struct.pack("<2I", 5, 0xFFFFFFFF)
    before, after = (decode_animated(each.animated_textures).groups for each in (level, applied.level))
    assert [list(group) for group in after] == [*(list(group) for group in before), [1, 0]]


def test_files_for_another_game_or_with_unknown_conditions_are_refused() -> None:
    level = level_of(Game.TR1)
    with pytest.raises(FormatError) as caught:
        read_for_level(mod(), level)
    assert caught.value.problem == "this injection is for TR2, and the level is one of TR1"
    unknown = trxi(tests=[(4, 1, struct.pack("<i", 9)), (7, 1, b"")])
    assert read_for_level(unknown, level).failed == ["it is for game 9", "its condition of type 7 is unknown"]


@pytest.mark.parametrize("is_trxi", [False, True])
def test_edits_of_a_level_keep_their_form(is_trxi: bool) -> None:
    """Room sizes have a seventh number in the form that all newer engines read."""
    own = (37, 1, struct.pack("<hi", 4, 1) + b"a")
    first = read_trxj(trxi((6, 1, [own])) if is_trxi else trxj(9, [own]), Game.TR1)
    sizes = read_trxj(trxj(6, [(21, 1, struct.pack("<6h", 1, 4, 1, 0, 0, 2))]), Game.TR1)
    joined = merged(first, sizes, 8).injection
    assert joined.version == (TRXI if is_trxi else 11) and [block.type for block in joined.blocks] == [37, 21]
    assert joined.records(21)[0]["sectors"] == 0
    second = read_trxj(
        trxi((7, 1, [(BlockId.DEMO, 1, bytes(4))]), (9, 1, [(99, 1, b"x")]), (6, 1, [own, (99, 1, b"y")]))
    )
    joined, lost = merged(first, second, 8)
    assert len(joined.records(37)) == 2 and joined.is_trxi == is_trxi
    assert lost == ([] if is_trxi else ["unknown parts", "demo data", "unknown parts"])
    assert (b"y" in [block.content for block in joined.blocks]) == is_trxi
    assert merged(None, sizes, 8).injection.version == 11
    assert read_trxj(joined.to_bytes(), Game.TR1).payload() == joined.payload()
