"""Tests of patches: made of any two levels, applied, merged, refused."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from struct import pack
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError, Game, Level, read_level
from io_tomb_raider.formats.edits.patches.patch import Patch, apply_patch, make_patch, read_patch
from tests.games import each_game
from tests.sample_levels import SAMPLES, named_sample, sample_bytes

_NUMBERS = st.integers(0, 1 << 30)


def patched(old: bytes, new: bytes) -> Patch:
    """Return the patch of two levels, which was written, read and applied."""
    patch = read_patch(make_patch(old, new).to_bytes())
    applied = apply_patch(old, patch)
    assert applied.data == new and not (applied.is_merged or applied.is_recompressed or applied.conflicts)
    return patch


def edited(data: bytes, *edits: Callable[[Level], None]) -> bytes:
    level = read_level(data)
    for edit in edits:
        edit(level)
    return level.to_bytes()


def put(owner: Any, name: str, row: int, **values: Any) -> None:
    """Change fields of a record."""
    rows = getattr(owner, name).copy()
    for field, value in values.items():
        rows[field][row] = value
    setattr(owner, name, rows)


# --- Any two levels ----------------------------------------

_ROOM_PARTS = ("vertices", "portals", "lights", "static_meshes", "sprites")


def _random_edit(level: Level, number: int) -> None:
    """Make a random edit of any part of a level."""
    random = np.random.default_rng(number)
    names = [name for name, value in vars(level).items() if isinstance(value, np.ndarray)]
    owner: Any = level
    if getattr(level, "rooms", None) and random.random() < 0.4:
        owner = level.rooms[random.integers(len(level.rooms))]
        if random.random() < 0.3:
            return _edit_rooms(level, random)
        owner.flags ^= 1
        names = [name for name in _ROOM_PARTS if name in vars(owner)]
        if owner.block is not None:  # faces and layers of TR5 depend on vertices
            names = [name for name in names if name not in ("vertices", "sprites")]
    name = names[random.integers(len(names))]
    array = getattr(owner, name)
    resizable = owner is not level or name not in _FIXED
    if name in ("samples", "sample_data", "mesh_data") or not resizable:
        resizable = False
    kind = random.integers(4) if resizable and array.ndim == 1 else 0
    at = int(random.integers(len(array) + 1))
    count = int(random.integers(1, 20))
    if kind == 1:
        array = np.concatenate([array[:at], array[at + count :]])
    elif kind == 2 and len(array):
        added = array[random.integers(len(array), size=count)]
        array = np.concatenate([array[:at], added, array[at:]])
    elif len(array) and name not in ("samples", "header", "layers"):
        array = array.copy()
        flat = array.reshape(-1).view(np.uint8)
        flat[random.integers(len(flat), size=count)] = random.integers(256, size=count)
    setattr(owner, name, array)
    return None


_FIXED = frozenset(
    {"palette", "palette16", "light_map", "sound_map", "filler", "weather_filler", "zones", "boxes"}
)


def _edit_rooms(level: Level, random: np.random.Generator) -> None:
    number = int(random.integers(len(level.rooms)))
    if random.random() < 0.5 and len(level.rooms) > 1:
        del level.rooms[number]
    else:
        level.rooms.insert(number, level.rooms[-1].copy())


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(sorted(SAMPLES)), st.lists(_NUMBERS, min_size=1, max_size=8), st.booleans())
def test_a_patch_gives_the_edited_level(name: str, edits: list[int], back: bool) -> None:
    old = named_sample(name)
    try:
        new = edited(old, *(lambda level, number=number: _random_edit(level, number) for number in edits))
        read_level(new)
    except (ExportError, FormatError):
        return  # the edit made no level
    if back:
        old, new = new, old
    assert not patched(old, new).is_whole


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_level_of_another_layout_is_kept_whole(name: str) -> None:
    old, new = named_sample(name), named_sample("tr2" if name != "tr2" else "tr1")
    patch = patched(old, new)
    assert patch.is_whole and f" became TR{1 if name == 'tr2' else 2} (retail)" in patch.summary[0]
    with pytest.raises(FormatError) as caught:
        apply_patch(old + b"\0", patch)
    assert "holds a whole file" in caught.value.problem


@each_game
def test_two_different_levels_of_a_game_and_bytes_behind_their_end(game: Game) -> None:
    old, new = sample_bytes(game), Level.empty(game).to_bytes()
    patched(old, new)
    patched(new, old)
    block = b"TRXJ" + pack("<4i", 6, 0, 12, 20) + zlib.compress(bytes(12))
    patch = patched(old, old + block)
    assert not patch.is_whole and [each["in"] for each in patch.document["changes"]] == ["footer"]
    patched(old + block, old)


def _block(payload: bytes, level: int = 6, behind: bytes = b"") -> bytes:
    stream = zlib.compress(payload, level)
    return b"TRXJ" + pack("<4i", 6, 0, len(payload), len(stream)) + stream + behind


@pytest.mark.parametrize("level", [6, 9])
def test_an_injection_in_the_footer_is_compared_unpacked(level: int) -> None:
    payload = np.random.default_rng(1).integers(256, size=50_000, dtype=np.uint8).tobytes()
    base = sample_bytes(Game.TR1)
    old = base + _block(payload, level, b"behind")
    new = base + _block(payload[:700] + b"abc" + payload[702:], level, b"behind it")
    patch = patched(old, new)
    assert len(patch.to_bytes()) < 1400 and patch.document["opens"] == "injection"
    assert {each["in"] for each in patch.document["changes"]} == {"injection", "footer"}
    # Another edit of the same block merges, a level without one is refused.
    other = base + _block(payload[:40_000] + b"\0" + payload[40_000:], level, b"behind")
    merged = apply_patch(other, patch)
    assert merged.is_merged and not merged.conflicts
    expected = payload[:700] + b"abc" + payload[702:40_000] + b"\0" + payload[40_000:]
    assert merged.data[len(base) :] == _block(expected, 6, b"behind it")
    with pytest.raises(FormatError) as caught:
        apply_patch(base, patch)
    assert "this one has none" in caught.value.problem


@pytest.mark.parametrize("change", [b"TRXJ", b"TRXJ" + bytes(16), _block(b"a" * 99)[:-1], _block(b"b" * 99)])
def test_damaged_injections_are_bytes_of_the_footer(change: bytes) -> None:
    base = sample_bytes(Game.TR2)
    patched(base + _block(b"a" * 99), base + change)
    patched(base + change, base + _block(b"a" * 99))
    patched(base + change, base)


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(sorted(SAMPLES)), st.lists(_NUMBERS, min_size=1, max_size=4), _NUMBERS)
def test_merges_give_a_level_or_are_refused(name: str, edits: list[int], other: int) -> None:
    base = named_sample(name)
    try:
        one = edited(base, *(lambda level, number=number: _random_edit(level, number) for number in edits))
        two = edited(base, lambda level: _random_edit(level, other))
        read_level(one), read_level(two)
    except (ExportError, FormatError):
        return  # the edit made no level
    try:
        applied = apply_patch(two, make_patch(base, one))
    except FormatError as error:
        assert error.problem
        return
    if two == base:
        assert applied.data == one
    read_level(applied.data)


def test_an_equal_level_needs_no_operation() -> None:
    data = sample_bytes(Game.TR3)
    patch = patched(data, data)
    assert patch.is_empty and patch.document["changes"] == []


@pytest.mark.parametrize("level", [1, 5, 9, "stream"])
def test_other_compression_is_written_again(level: int | str) -> None:
    old = sample_bytes(Game.TR4)
    one = read_level(old)
    put(one, "entities", 0, x=512)
    content = zlib.decompress(bytes(read_level(one.to_bytes()).streams["level_data"][1]))
    if isinstance(level, int):
        stream = zlib.compress(content, level)
    else:  # as no level of zlib does it
        maker = zlib.compressobj(6, zlib.DEFLATED, 15, 1, zlib.Z_HUFFMAN_ONLY)
        stream = maker.compress(content) + maker.flush()
    one.streams = {**one.streams, "level_data": (content, memoryview(stream))}
    patch = patched(old, one.to_bytes())
    assert not patch.is_whole and patch.document["packing"].keys() == {"level_data"}
    assert ("stream" in patch.document["packing"]["level_data"]) is (level == "stream")


# --- The content of patches ----------------------------------------


@each_game
def test_a_patch_is_readable_and_holds_only_the_change(game: Game) -> None:
    old = sample_bytes(game)
    before = read_level(old).entities[2]

    def move(level: Level) -> None:
        put(level, "entities", 2, x=before["x"] + 512)

    patch = patched(old, edited(old, move))
    (change,) = patch.document["changes"]
    assert (change["in"], change["of"]) == ("entities", len(read_level(old).entities))
    (operation,) = change["do"]
    x = int(before["x"])
    assert operation["at"] == 2 and operation["set"] == {"x": [x, x + 512]}
    assert patch.summary == [f"entity 2: x {x + 512} instead of {x}"]

    base = edited(old, _other_content)
    # The same edit of a level with other content is the same text: no content of the base is in it.
    assert patched(base, edited(base, move)).document["changes"] == patch.document["changes"]
    assert len(patch.to_bytes()) < 1000


def _other_content(level: Level) -> None:
    """Replace much of a level, as if it was another one."""
    level.mesh_data = level.mesh_data[::-1].copy()
    for name in ("textiles16", "misc_textiles32", "light_map", "sound_map", "object_textures", "animations"):
        if hasattr(level, name):
            rows = np.ascontiguousarray(getattr(level, name))
            setattr(level, name, rows[::-1].copy())


def _insert_words(level: Level, at: int, words: list[int]) -> None:
    """Insert floor data, and move the indices of the sectors behind it."""
    level.floor_data = np.insert(level.floor_data, at, np.array(words, np.uint16))
    for room in level.rooms:
        sectors = room.sectors.copy()
        sectors["floor_data"] += (len(words) * (sectors["floor_data"] >= at)).astype(np.uint16)
        room.sectors = sectors


@each_game
def test_indices_that_follow_an_insertion_need_no_operation(game: Game) -> None:
    old = sample_bytes(game)
    at = int(max(room.sectors["floor_data"].max() for room in read_level(old).rooms))
    new = edited(old, lambda level: _insert_words(level, at, [0x8001, 0x1234, 0x8005]))
    patch = patched(old, new)
    assert [each["in"] for each in patch.document["changes"]] == ["floor_data"]
    assert patch.document["changes"][0]["do"][0]["rows"] == [0x8001, 0x1234, 0x8005]


@each_game
def test_a_removed_room_moves_references_to_others(game: Game) -> None:
    old = sample_bytes(game)

    def remove(level: Level) -> None:
        del level.rooms[0]
        rooms = level.entities["room"]
        level.entities = level.entities.copy()
        level.entities["room"] = np.where(rooms > 0, rooms - 1, 0)

    patch = patched(old, edited(old, remove))
    assert "entities" not in [each["in"] for each in patch.document["changes"]]


@each_game
def test_painted_texels_are_kept_without_those_around_them(game: Game) -> None:
    old = sample_bytes(game)
    name = "textiles32" if game.traits.has_32bit_pages else "textiles8"

    def paint(level: Level) -> None:
        pages = getattr(level, name).copy()
        pages[0, 10, 20] ^= 0x55
        pages[0, 30, 90] ^= 0x55
        setattr(level, name, pages)

    (change,) = patched(old, edited(old, paint)).document["changes"]
    (operation,) = change["do"]
    assert operation["rectangle"] == [20, 10, 71, 21] and len(operation["data"]) < 40


# --- Merging ----------------------------------------


def _merged(base: bytes, one: Callable[[Level], None], two: Callable[[Level], None]) -> bytes:
    """Return the merge of two edits, which is the same in either order."""
    patches = [read_patch(make_patch(base, edited(base, each)).to_bytes()) for each in (one, two)]
    first = apply_patch(edited(base, two), patches[0])
    second = apply_patch(edited(base, one), patches[1])
    assert first.is_merged and not first.conflicts and not second.conflicts
    assert read_level(first.data).to_bytes() == first.data
    return first.data


@each_game
def test_edits_of_different_records_and_fields_merge(game: Game) -> None:
    base = sample_bytes(game)

    def one(level: Level) -> None:
        put(level, "entities", 1, x=1024, angle=0x4000)
        level.rooms[0].flags ^= 0x20
        put(level.rooms[1], "vertices", 2, y=-17)

    def two(level: Level) -> None:
        put(level, "entities", 1, z=2048)
        put(level, "entities", 0, y=-256)
        put(level.rooms[1], "vertices", 3, y=-18)
        level.rooms[2].flags ^= 0x20

    assert _merged(base, one, two) == edited(base, one, two)


@each_game
def test_triggers_in_different_places_merge_and_sectors_follow(game: Game) -> None:
    base = sample_bytes(game)
    used = np.unique(np.concatenate([room.sectors["floor_data"] for room in read_level(base).rooms]))
    low, high = int(used[1]), int(used[-1])
    number = int(np.flatnonzero(read_level(base).rooms[0].sectors["floor_data"] == 0)[0])

    def one(level: Level) -> None:
        _insert_words(level, high, [0x8004, 3])
        put(level.rooms[0], "sectors", number, floor_data=high)  # the new words

    def two(level: Level) -> None:
        _insert_words(level, low, [0x8005, 7, 9])

    level = read_level(_merged(base, one, two))
    place = int(level.rooms[0].sectors["floor_data"][number])
    assert place == high + 3 and level.floor_data[place : place + 2].tolist() == [0x8004, 3]
    both = read_level(edited(base, two, lambda each: _insert_words(each, high + 3, [0x8004, 3])))
    assert level.floor_data.tolist() == both.floor_data.tolist()
    for room, other in list(zip(level.rooms, both.rooms, strict=True))[1:]:
        assert room.sectors.tobytes() == other.sectors.tobytes()


def _conflicts(base: bytes, one: Callable[[Level], None], two: Callable[[Level], None]) -> list[str]:
    patch = make_patch(base, edited(base, one))
    applied = apply_patch(edited(base, two), patch)
    assert applied.is_merged
    read_level(applied.data)
    return list(applied.conflicts)


@each_game
def test_edits_of_one_field_conflict_by_object_and_field(game: Game) -> None:
    base = sample_bytes(game)
    x = int(read_level(base).entities["x"][2])
    assert _conflicts(
        base, lambda level: put(level, "entities", 2, x=1), lambda level: put(level, "entities", 2, x=5)
    ) == [f"entity 2: x: it is 5 in this level, the patch expects {x}"]
    y = read_level(base).rooms[1].vertices["y"][4].item()
    found = _conflicts(
        base,
        lambda level: put(level.rooms[1], "vertices", 4, y=-1),
        lambda level: put(level.rooms[1], "vertices", 4, y=-2),
    )
    here = -2.0 if game is Game.TR5 else -2
    assert found == [f"room 1, vertex 4: y: it is {here} in this level, the patch expects {y}"]

    def same(level: Level) -> None:
        put(level, "entities", 2, x=1)

    def more(level: Level) -> None:
        same(level)
        put(level, "entities", 1, x=3)

    assert _conflicts(base, more, same) == []  # the same edit in both


def _relit(level: Level, value: int) -> None:
    vertices = level.rooms[0].vertices.copy()
    name = next(each for each in ("light", "color", "lighting") if each in (vertices.dtype.names or ()))
    vertices[name][:20] = np.arange(20).reshape(-1, *[1] * (vertices[name].ndim - 1)) + value
    level.rooms[0].vertices = vertices


def _raised(level: Level, value: int) -> None:
    put(level.rooms[0], "sectors", 7, floor=value)


def _painted(level: Level, value: int) -> None:
    name = "textiles32" if level.game.traits.has_32bit_pages else "textiles8"
    pages = getattr(level, name).copy()
    pages[1, 40:44, 50] = value
    setattr(level, name, pages)


def _shifted(level: Level, value: int) -> None:
    entities = level.entities.copy()
    entities["y"][:4] += np.int32(256 * value)
    level.entities = entities


def _removed(level: Level, value: int) -> None:
    """Remove a light, or move it."""
    if value == 1:
        level.rooms[0].lights = level.rooms[0].lights[1:]
    else:
        put(level.rooms[0], "lights", 0, x=777)


def _flagged(level: Level, value: int) -> None:
    level.rooms[1].flags = 0x40 + value


@pytest.mark.parametrize("edit", [_relit, _raised, _painted, _shifted, _removed, _flagged])
@each_game
def test_each_kind_of_operation_notices_edits_of_its_place(
    game: Game, edit: Callable[[Level, int], None]
) -> None:
    base = sample_bytes(game)
    found = _conflicts(base, lambda level: edit(level, 1), lambda level: edit(level, 2))
    assert len(found) == 1, found
    # The conflicting change is left out, others are not.
    one = edited(base, lambda level: edit(level, 1), lambda level: put(level, "sound_sources", 0, x=99))
    applied = apply_patch(edited(base, lambda level: edit(level, 2)), make_patch(base, one))
    expected = edited(base, lambda level: edit(level, 2), lambda level: put(level, "sound_sources", 0, x=99))
    assert applied.conflicts and read_level(applied.data).to_bytes() == expected


@each_game
def test_two_new_entities_conflict_but_two_new_sound_sources_do_not(game: Game) -> None:
    base = sample_bytes(game)

    def added(name: str, row: int) -> Callable[[Level], None]:
        def edit(level: Level) -> None:
            rows = getattr(level, name)
            setattr(level, name, np.concatenate([rows, rows[row : row + 1]]))

        return edit

    count = len(read_level(base).entities)
    found = _conflicts(base, added("entities", 0), added("entities", 1))
    text = f"this level has {count + 1} of them, the patch is for {count}"
    assert found == [f"entity {count}: {text}"]

    def room(number: int) -> Callable[[Level], None]:
        def edit(level: Level) -> None:
            lights = level.rooms[0].lights
            level.rooms[0].lights = np.concatenate([lights, lights[:number]])

        return edit

    assert len(read_level(_merged(base, room(1), room(2))).rooms[0].lights) == (
        len(read_level(base).rooms[0].lights) + 3
    )


@each_game
def test_inserted_indices_become_those_of_the_merged_level(game: Game) -> None:
    base = sample_bytes(game)
    end = len(read_level(base).mesh_data)

    def one(level: Level) -> None:
        level.mesh_data = np.concatenate([level.mesh_data, np.arange(20, dtype=np.uint8)])
        level.mesh_pointers = np.append(level.mesh_pointers, np.uint32(end))

    def two(level: Level) -> None:
        level.mesh_data = np.insert(level.mesh_data, 40, np.arange(8, dtype=np.uint8))
        moved = level.mesh_pointers + np.uint32(8) * (level.mesh_pointers >= 40)
        level.mesh_pointers = moved.astype(np.uint32)

    level = read_level(_merged(base, one, two))
    place = int(level.mesh_pointers[-1])
    assert place == end + 8 and level.mesh_data[place:].tolist() == list(range(20))


@each_game
def test_records_of_longer_lists_are_compared_as_a_whole(game: Game) -> None:
    base = sample_bytes(game)

    def one(level: Level) -> None:
        put(level, "entities", 2, x=512)

    def other(level: Level) -> None:
        put(level, "entities", 2, type=9)

    def longer(level: Level) -> None:
        other(level)
        level.entities = np.concatenate([level.entities, level.entities[:1]])

    assert _conflicts(base, one, other) == []
    assert _conflicts(base, one, longer) == ["entity 2: it was edited in this level, too"]


@each_game
def test_rooms_are_added_and_removed_where_the_others_have_their_numbers(game: Game) -> None:
    base = sample_bytes(game)
    last = len(read_level(base).rooms) - 1

    def add(level: Level) -> None:
        level.rooms.append(level.rooms[1].copy())

    def remove(level: Level) -> None:
        del level.rooms[last]

    def edit(level: Level) -> None:
        put(level.rooms[last], "sectors", 0, floor=-9)

    def both(level: Level) -> None:
        edit(level)
        add(level)

    assert _merged(base, add, edit) == edited(base, add, edit)
    text = f"room {last + 1}: this level has {last + 2} of them, the patch is for {last + 1}"
    assert _conflicts(base, add, both) == [text]
    assert f"room {last}: it was edited in this level, too" in _conflicts(base, remove, edit)


@each_game
def test_references_to_a_conflicting_change_are_conflicts(game: Game) -> None:
    base = sample_bytes(game)
    used = np.unique(np.concatenate([room.sectors["floor_data"] for room in read_level(base).rooms]))
    at = int(used[-1])

    def one(level: Level) -> None:
        _insert_words(level, at, [0x8004, 3])
        put(level.rooms[0], "sectors", 0, floor_data=at)

    def two(level: Level) -> None:
        words = level.floor_data.copy()
        words[at - 2 : at + 2] ^= 0x11
        level.floor_data = words

    found = _conflicts(base, one, two)
    assert found[0] == f"floor data {at}: its place was not found in this level"
    assert found[1:] == ["room 0, sector 0: it refers to a change that conflicts"]


def test_a_level_of_another_game_is_refused() -> None:
    base = sample_bytes(Game.TR2)
    patch = make_patch(base, edited(base, lambda level: put(level, "entities", 0, x=1)))
    with pytest.raises(FormatError) as caught:
        apply_patch(sample_bytes(Game.TR1), patch)
    assert caught.value.problem == "the patch is for a level of TR2, this is one of TR1"


def test_a_level_that_has_the_patch_already_stays_as_it_is() -> None:
    base = sample_bytes(Game.TR2)
    new = edited(base, lambda level: put(level, "entities", 0, x=1))
    applied = apply_patch(new, make_patch(base, new))
    assert applied.data == new and not applied.is_merged


# --- References that follow ----------------------------------------


def _add_animation(level: Level, at: int) -> None:
    """Insert an animation, and move all references to those after it."""
    level.animations = np.insert(level.animations, at, level.animations[0])
    for field, name in (
        ("next_animation", "animations"),
        ("next_animation", "animation_dispatches"),
        ("animation", "models"),
    ):
        rows = getattr(level, name).copy()
        moves = (rows[field] >= at) & (rows[field] != 0xFFFF if name == "models" else True)
        rows[field] += moves.astype(rows[field].dtype)
        setattr(level, name, rows)


@each_game
def test_an_added_animation_is_one_operation(game: Game) -> None:
    base = sample_bytes(game)
    patch = patched(base, edited(base, lambda level: _add_animation(level, 2)))
    (change,) = patch.document["changes"]
    assert change["in"] == "animations" and len(change["do"]) == 1
    assert change["do"][0].items() >= {"at": 2, "remove": 0, "insert": 1}.items()


@each_game
def test_animations_of_different_models_merge(game: Game) -> None:
    base = sample_bytes(game)
    last = len(read_level(base).animations) - 1

    def add(level: Level) -> None:
        _add_animation(level, 2)

    def retime(level: Level) -> None:
        put(level, "animations", last, frame_rate=7)

    assert _merged(base, add, retime) == edited(base, retime, add)
    assert _merged(base, add, lambda level: _add_animation(level, last)) == edited(
        base, lambda level: _add_animation(level, last), add
    )


@each_game
def test_an_edited_record_is_found_where_others_were_added(game: Game) -> None:
    base = sample_bytes(game)
    last = len(read_level(base).animations) - 1

    def retime(level: Level) -> None:
        put(level, "animations", last, frame_rate=7)

    def both(level: Level) -> None:
        _add_animation(level, 2)
        put(level, "animations", last + 1, frame_rate=9)

    assert _conflicts(base, retime, both) == [f"animation {last}: it was edited in this level, too"]


@each_game
def test_references_to_an_animation_that_is_left_out_conflict(game: Game) -> None:
    base = sample_bytes(game)

    def add(level: Level) -> None:
        _add_animation(level, 2)
        put(level, "animations", 0, next_animation=2)

    def shuffle(level: Level) -> None:
        level.animations = np.concatenate([level.animations[::-1], level.animations[:1]])

    found = _conflicts(base, add, shuffle)
    assert "animation 2: its place was not found in this level" in found


@each_game
def test_patches_of_version_1_follow_fewer_references(game: Game) -> None:
    base = sample_bytes(game)

    def edit(level: Level) -> None:
        following, dispatches = level.animations["next_animation"], level.animation_dispatches
        _add_animation(level, 2)
        level.animations["next_animation"] = np.insert(following, 2, following[0])
        level.animation_dispatches = dispatches

    new = edited(base, edit)
    document = json.loads(make_patch(base, new).to_bytes())
    inserted = next(each for each in document["changes"] if each["in"] == "animations")
    operation = next(each for each in inserted["do"] if "insert" in each)
    operation["rows"][0]["next_animation"] = int(read_level(new).animations["next_animation"][2])
    old = {**document, "version": 1, "changes": [{**inserted, "do": [operation]}]}
    assert apply_patch(base, read_patch(json.dumps(old).encode())).data == new


# --- Damaged patches ----------------------------------------


def _rich() -> tuple[bytes, dict[str, Any]]:
    """Return a level, and a patch with operations of all kinds."""
    base = sample_bytes(Game.TR4)

    def edit(level: Level) -> None:
        put(level, "entities", 1, x=5)
        level.entities = np.concatenate([level.entities, level.entities[:2]])
        level.frames = np.concatenate([level.frames[:40], level.frames[50:]])
        pages = level.textiles32.copy()
        pages[0, 3:9, 4:9] ^= 1
        level.textiles32 = pages
        vertices = level.rooms[0].vertices.copy()
        vertices["light"][:20] = np.arange(20)
        level.rooms[0].vertices = vertices
        level.rooms[1].lights = level.rooms[1].lights[:1]
        level.rooms[1].flags = 3
        level.rooms.append(level.rooms[0].copy())
        level.object_textures = level.object_textures.copy()
        level.object_textures["page"][2:9] += 1

    return base, json.loads(make_patch(base, edited(base, edit)).to_bytes())


_BASE, _RICH = _rich()
_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.just([[1], {"x": 2}]),
    st.just("../../etc/passwd"),
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in items for place in _places(each, (*path, key)))]


@settings(deadline=None, max_examples=400)
@given(
    st.sampled_from(_places(_RICH)[1:]),
    _VALUES,
    st.sampled_from(["replace", "remove", "twice"]),
    st.booleans(),
)
def test_damaged_patches_are_refused(place: tuple[Any, ...], value: Any, how: str, merges: bool) -> None:
    document = json.loads(json.dumps(_RICH))
    owner = document
    for key in place[:-1]:
        owner = owner[key]
    if how == "replace":
        owner[place[-1]] = value
    elif how == "remove":
        del owner[place[-1]]
    elif isinstance(owner, list):
        owner.append(owner[place[-1]])
    base = edited(_BASE, lambda level: put(level, "entities", 0, x=9)) if merges else _BASE
    try:
        applied = apply_patch(base, read_patch(json.dumps(document).encode()))
    except FormatError as error:
        assert error.section and error.expected
        return
    read_level(applied.data)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"patch": NaN}', b'{"patch": "io_tomb_raider level"}'],
)
def test_other_files_are_no_patch(data: bytes) -> None:
    with pytest.raises(FormatError):
        read_patch(data)


def test_a_newer_version_is_refused() -> None:
    with pytest.raises(FormatError) as caught:
        read_patch(json.dumps({**_RICH, "version": 3}).encode())
    assert "newer version" in caught.value.problem


# --- Typical edits ----------------------------------------


def _moved(level: Level) -> None:
    put(level, "entities", 1, x=512)


def _new_entity(level: Level) -> None:
    level.entities = np.concatenate([level.entities, level.entities[:1]])


def _repainted(level: Level) -> None:
    name = "textiles32" if level.game.traits.has_32bit_pages else "textiles8"
    pages = getattr(level, name).copy()
    pages[0, 10:42, 20:52] ^= 0x55
    setattr(level, name, pages)


def _vertex(level: Level) -> None:
    put(level.rooms[1], "vertices", 2, y=-17)


def _new_room(level: Level) -> None:
    level.rooms.append(level.rooms[1].copy())


def _floor(level: Level) -> None:
    put(level.rooms[0], "sectors", 7, floor=3)


def _trigger(level: Level) -> None:
    end = len(level.floor_data)
    level.floor_data = np.concatenate([level.floor_data, np.array([0x8004, 0x3E00, 0x8003], np.uint16)])
    put(level.rooms[0], "sectors", 7, floor_data=end)


def _key(level: Level) -> None:
    frames = level.frames.copy()
    frames[30:33] ^= 0x155
    level.frames = frames


def _sound(level: Level) -> None:
    if level.has("sound_details"):
        put(level, "sound_details", 0, volume=17)


def _light(level: Level) -> None:
    level.rooms[0].lights = np.concatenate([level.rooms[0].lights, level.rooms[0].lights[:1]])


@pytest.mark.parametrize(
    ("edit", "limit"),
    [
        (_moved, 1100),
        (_new_entity, 1300),
        (_repainted, 5000),
        (_vertex, 1300),
        (_new_room, 9000),
        (_floor, 1100),
        (_trigger, 1300),
        (_key, 1100),
        (_sound, 1100),
        (_light, 1300),
    ],
)
@each_game
def test_typical_edits_make_small_patches_and_merge(
    game: Game, edit: Callable[[Level], None], limit: int
) -> None:
    old = sample_bytes(game)
    patch = patched(old, edited(old, edit))
    assert not patch.is_whole and patch.summary and len(patch.to_bytes()) < limit

    # The same edit of a level with other content is the same text: no content of the base is in it.
    other = edited(old, _other_content)
    if edit is not _sound:
        assert patched(other, edited(other, edit)).document["changes"] == patch.document["changes"]

    def elsewhere(level: Level) -> None:
        put(level, "sound_sources", 0, x=99)
        level.rooms[2].flags ^= 0x20

    merged = apply_patch(edited(old, elsewhere), patch)
    assert merged.is_merged and not merged.conflicts
    assert read_level(merged.data).to_bytes() == edited(old, edit, elsewhere)
