"""Edits of injections baked into levels, packed by hand: the level is what the engine makes of it."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError, Game, Level, read_level
from io_tomb_raider.formats.edits.injections.apply import InjectedLevel, apply_injection
from io_tomb_raider.formats.edits.injections.edits import edits_of, only, without
from io_tomb_raider.formats.edits.injections.fit import read_for_level
from io_tomb_raider.formats.edits.injections.merge import after_new_items, merged
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Portal, Trigger
from io_tomb_raider.formats.levels.floor.lists import FloorLists
from io_tomb_raider.formats.levels.injections.block import put_block
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.formats.levels.injections.records import BLOCKS
from io_tomb_raider.formats.levels.injections.trxj import Injection, read_trxj
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes, encode_mesh
from io_tomb_raider.formats.levels.sounds.samples import sample_waves
from io_tomb_raider.formats.levels.textures.textiles import expand_palette
from tests.real_levels import real_injections
from tests.sample_levels import named_sample, sample_bytes

from .samples import level_of, records, sector, t1mj, trxj

pytestmark = pytest.mark.once

GAMES = (Game.TR1, Game.TR2, Game.TR3)
each_game = pytest.mark.parametrize("game", GAMES)
Blocks = tuple[int, int, bytes]


def baked(game: Game, *blocks: Blocks, version: int = 9) -> InjectedLevel:
    """Return a sample level with edits, written and read as a game would."""
    applied = apply_injection(read_trxj(trxj(version, blocks), game), level_of(game))
    return applied._replace(level=read_level(applied.level.to_bytes()))


def whole(applied: InjectedLevel) -> Level:
    """Return the level after a check that everything was applied."""
    assert not applied.problems and not applied.left.chunks
    return applied.level


def floor(*edits: tuple[int, bytes], room: int = 0, x: int = 1, z: int = 1) -> Blocks:
    return 17, 1, sector(room, x, z, *edits)


def functions(level: Level, room: int, x: int, z: int) -> Any:
    index = level.rooms[room].sectors["floor_data"][x * level.rooms[room].z_sectors + z :][:1]
    return FloorLists.read(level).of(index)[0]


def trigger_place(level: Level) -> tuple[int, int, int, Trigger]:
    """Return a sector with a trigger that has a target."""
    for number, room in enumerate(level.rooms):
        for place in range(len(room.sectors)):
            x, z = divmod(place, room.z_sectors)
            for each in functions(level, number, x, z):
                if isinstance(each, Trigger) and any(a.type == ActionType.OBJECT for a in each.actions):
                    return number, x, z, each
    raise AssertionError("the sample has no trigger")


# --- Entities and triggers -------------------------------------------------------------------------


@each_game
def test_an_entity_moves_and_gets_flags(game: Game) -> None:
    type_ = int(level_of(game).entities["type"][2])
    level = whole(
        baked(
            game,
            (18, 1, struct.pack("<2h3ih", 2, 0x4000, 1536, -256, 2560, 1)),
            (33, 1, struct.pack("<h2iH", 2, 0, type_, 0x3E00)),
        )
    )
    item = level.entities[2]
    assert [int(item[name]) for name in ("x", "y", "z", "room", "angle", "flags")] == [
        1536,
        -256,
        2560,
        1,
        0x4000,
        0x3E00,
    ]
    before = level_of(game)
    assert np.delete(level.entities, 2).tobytes() == np.delete(before.entities, 2).tobytes()


@each_game
def test_flags_of_an_entity_of_another_type_stay_an_edit(game: Game) -> None:
    applied = baked(game, (33, 1, struct.pack("<h2iH", 2, 0, 9999, 0x3E00)))
    (problem,) = applied.problems
    assert "not 9999" in problem.text and problem.edit.target == ("entity", 2)
    assert applied.left.records(33) and applied.level.to_bytes() == sample_bytes(game)


@each_game
def test_a_new_entity_is_the_last_one_and_keeps_its_name(game: Game) -> None:
    data = struct.pack("<2ih3i2hH", 0, 84, 1, 1536, -256, 2560, 0x2000, 5000, 0x3E00)
    applied = baked(game, floor((4, data + struct.pack("<i", 3) + b"gun")))
    count = len(level_of(game).entities)
    assert len(applied.level.entities) == count + 1 and not applied.problems
    item = applied.level.entities[-1]
    assert (int(item["type"]), int(item["room"]), int(item["intensity"])) == (84, 1, 5000)
    assert applied.left.records(BlockId.ITEM_NAMES) == [{"item": count, "name": "gun"}]


@each_game
def test_triggers_are_edited(game: Game) -> None:
    room, x, z, trigger = trigger_place(level_of(game))
    target = next(each for each in trigger.actions if each.type == ActionType.OBJECT)
    place = {"room": room, "x": x, "z": z}
    parameter = struct.pack("<B2h", 0, target.parameter, 7)
    (made,) = [
        each
        for each in functions(whole(baked(game, floor((0, parameter), (6, b"\x05"), **place))), room, x, z)
        if isinstance(each, Trigger)
    ]
    assert made.type == 5 and made.reference is None
    changed = [Action(a.type, 7, a.extra) if a is target else a for a in trigger.actions]
    assert list(made.actions) == changed
    key = baked(game, floor((2, struct.pack("<i3H", 3, 0x8004, 0x3E00, 0x8002)), (6, b"\x03"), **place))
    assert "needs an entity" in key.problems[0].text
    level = whole(baked(game, floor((12, b""), **place)))
    assert not any(isinstance(each, Trigger) for each in functions(level, room, x, z))
    empty = baked(game, floor((12, b""), room=0, x=0, z=0))
    assert empty.problems[0].text == "its sector has no trigger"


@each_game
def test_music_plays_once_and_cameras_glide(game: Game) -> None:
    level = level_of(game)
    words = [0x8004, 0x3E00, 8 << 10 | 5, 1 << 10 | 0, 0x8003]
    place = {"room": 0, "x": 1, "z": 1}
    camera = struct.pack("<2B3h", 9, 4, 0, -512, 0)
    edits = (2, struct.pack("<i5H", 5, *words)), (1, b""), (8, camera)
    made = whole(baked(game, floor(*edits, **place)))
    (trigger,) = [each for each in functions(made, 0, 1, 1) if isinstance(each, Trigger)]
    assert trigger.one_shot and [each.parameter for each in trigger.actions] == [5, 0]
    assert trigger.actions[1].extra == 9 | 4 << 9
    assert int(made.cameras["y"][0]) == int(level.cameras["y"][0]) - 512


@each_game
def test_floor_data_is_replaced_or_cleared(game: Game) -> None:
    portal = baked(game, floor((2, struct.pack("<i2H", 2, 0x8001, 2)), x=0, z=1))
    assert functions(whole(portal), 0, 0, 1) == (Portal(2),)
    room, x, z, _ = trigger_place(level_of(game))
    cleared = whole(baked(game, floor((2, struct.pack("<i", 0)), room=room, x=x, z=z)))
    assert functions(cleared, room, x, z) == ()
    bad = baked(game, floor((2, struct.pack("<iH", 1, 0x801F))))
    assert bad.problems[0].text == "its floor data cannot be read"


# --- Rooms -------------------------------------------------------------------------------------------


@each_game
def test_a_room_moves_with_its_entities_floors_and_vertices(game: Game) -> None:
    before = level_of(game)
    level = whole(baked(game, floor((3, struct.pack("<2Ii", 1024, (1 << 32) - 2048, -256)), x=0, z=0)))
    old, new = before.rooms[0], level.rooms[0]
    assert (new.x - old.x, new.z - old.z, new.y_top - old.y_top) == (1024, -2048, -256)
    assert (new.vertices["y"].astype(int) - old.vertices["y"] == -256).all()
    open_ = old.sectors["floor"] != -127
    assert (new.sectors["floor"][open_].astype(int) - old.sectors["floor"][open_] == -1).all()
    assert (new.sectors["floor"][~open_] == -127).all() and (~open_).any()
    steps = [level.entities[axis].astype(int) - before.entities[axis] for axis in "xyz"]
    inside = before.entities["room"] == 0
    assert inside.any() and (~inside).any()
    for step, wanted in zip(steps, (1024, -256, -2048), strict=True):
        assert set(step[inside]) == {wanted} and set(step[~inside]) == {0}


@each_game
def test_a_room_grows_by_walls(game: Game) -> None:
    old = level_of(game).rooms[0]
    new = whole(baked(game, floor((16, struct.pack("<2H", 1, 2)), x=0, z=0))).rooms[0]
    grid = new.sectors.reshape(new.x_sectors, new.z_sectors)
    assert grid.shape == (old.x_sectors + 1, old.z_sectors + 2)
    assert grid[: old.x_sectors, : old.z_sectors].tobytes() == old.sectors.tobytes()
    assert (grid[-1]["floor"] == -127).all() and (grid[-1]["room_below"] == 255).all()


def room_edit(kind: int, data: bytes, face_type: int = 0, room: int = 0) -> Blocks:
    return 22, 1, struct.pack("<ihi", kind, room, face_type) + data


@each_game
def test_geometry_of_rooms(game: Game) -> None:
    old = level_of(game).rooms[0]
    light = "color" if game is Game.TR3 else "light"
    level = whole(
        baked(
            game,
            room_edit(0, struct.pack("<2hih", 1, 0, 0, 2)),
            room_edit(1, struct.pack("<hIhH", 2, 1, 3, 0)),
            room_edit(2, struct.pack("<H4h", 1, 8, -256, 4, 50)),
            room_edit(3, struct.pack("<hB", 3, 1)),
            room_edit(4, struct.pack("<2h4H", 0, 1, 0, 1, 2, 3)),
            room_edit(5, struct.pack("<4h", 1024, -512, 1024, 77)),
            (21, 1, struct.pack("<7h", 0, 1, 1, 0, 0, 0, 0)),
            version=11,
        )
    )
    new = level.rooms[0]
    assert new.quads["texture"][1] == old.quads["texture"][2]
    assert new.quads["vertices"][2].tolist() == [*old.quads["vertices"][2].tolist()[:3], 0]
    assert new.quads["vertices"][3].tolist() == np.roll(old.quads["vertices"][3], -1).tolist()
    assert new.quads[-1]["vertices"].tolist() == [0, 1, 2, 3]
    assert new.quads[-1]["texture"] == new.quads["texture"][1] and len(new.quads) == len(old.quads) + 1
    moved = [int(new.vertices[axis][1]) - int(old.vertices[axis][1]) for axis in "xyz"]
    assert moved == [8, -256, 4]
    if game is not Game.TR3:
        assert int(new.vertices["light"][1]) - int(old.vertices["light"][1]) == 50
    last = new.vertices[-1]
    assert (int(last["x"]), int(last["y"]), int(last[light])) == (1024, -512, 77)


@each_game
def test_static_meshes_of_rooms(game: Game) -> None:
    level = level_of(game)
    number = next(n for n, room in enumerate(level.rooms) if len(room.static_meshes))
    moved = struct.pack("<i3ihH", 0, 1, 2, 3, -0x4000, 900)
    added = struct.pack("<3ih2H", 4, 5, 6, 0x4000, 800, 12)
    rooms = whole(baked(game, room_edit(8, moved, room=number), room_edit(7, added, room=number))).rooms
    one, other = rooms[number].static_meshes[0], rooms[number].static_meshes[-1]
    assert [int(one[axis]) for axis in "xyz"] == [1, 2, 3] and int(one["angle"]) & 0xFFFF == 0xC000
    assert [int(other[axis]) for axis in "xyz"] == [4, 5, 6] and other["static_mesh"] == 12
    assert one["static_mesh"] == level.rooms[number].static_meshes["static_mesh"][0]


@each_game
def test_portals_move_and_vanish(game: Game) -> None:
    level = level_of(game)
    number = next(n for n, room in enumerate(level.rooms) if len(room.portals))
    portal = level.rooms[number].portals[0]
    head = struct.pack("<3h", number, int(portal["room"]), 0)
    rooms = whole(baked(game, (23, 1, head + struct.pack("<12h", *[0, -256, 0] * 4)))).rooms
    assert (rooms[number].portals["vertices"][0][:, 1] == portal["vertices"][:, 1] - 256).all()
    gone = (23, 1, head + struct.pack("<12h", *(-portal["vertices"].astype(int)).ravel().tolist()))
    count = len(level.rooms[number].portals)
    assert len(whole(baked(game, gone)).rooms[number].portals) == count - 1


@each_game
def test_cameras_move(game: Game) -> None:
    camera = whole(baked(game, (24, 1, struct.pack("<h3ihH", 0, 1, 2, 3, 1, 1)))).cameras[0]
    assert [int(camera[name]) for name in ("x", "y", "z", "room", "flags")] == [1, 2, 3, 1, 1]


@each_game
def test_edits_of_missing_elements_are_reported_and_kept(game: Game) -> None:
    applied = baked(
        game,
        (18, 1, struct.pack("<2h3ih", 999, 0, 0, 0, 0, 0)),
        (24, 1, struct.pack("<h3ihH", -1, 1, 2, 3, 1, 1)),
        floor((16, struct.pack("<2H", 1, 1)), room=99),
        room_edit(3, struct.pack("<hB", 9999, 1)),
        room_edit(2, struct.pack("<H4h", 9999, 1, 1, 1, 1)),
        (34, 1, struct.pack("<4i", 0, 9999, 0, 5)),
    )
    assert applied.number == 0 and len(applied.problems) == 6
    assert applied.level.to_bytes() == sample_bytes(game)
    assert [edit.label for edit in edits_of(applied.left)] == [each.edit.label for each in applied.problems]
    assert {each.text for each in applied.problems} >= {
        "the level has no entity 999",
        "the level has no camera -1",
        "the level has no room 99",
        "the room has no face 9999",
        "the room has no vertex 9999",
        "the level has no model 9999",
    }


# --- Sectors and rooms of the block -----------------------------------------------------------------


@each_game
def test_properties_that_the_game_has_are_applied_and_others_stay_in_the_block(game: Game) -> None:
    level = level_of(game)
    place = level.rooms[0].z_sectors + 1
    record = level.rooms[0].sectors[place]
    shape = int(record["floor"]) * 256 - 512, int(record["ceiling"]) * 256
    box = int(np.uint16(record["box"]).astype(np.int16))
    native = struct.pack("<H5h", 0, box, 2, shape[0], -1, shape[1])
    made = baked(game, floor((7, native), (5, struct.pack("<HBB", 1, 0, 255))), version=10)
    sector_ = made.level.rooms[0].sectors[place]
    assert not made.left.chunks and made.level.rooms[0].flags & 1
    assert (sector_["room_below"], int(sector_["floor"])) == (2, int(record["floor"]) - 2)
    assert sector_["floor_data"] == record["floor_data"] and sector_["box"] == record["box"]
    far = struct.pack("<H5h", 0, box, 300, shape[0], -1, shape[1])
    kept = baked(game, floor((7, far), (5, struct.pack("<HBB", 4, 0, 255))), version=10)
    assert [edit["type"] for edit in kept.left.records(BlockId.FLOOR)[0]["edits"]] == [7, 5]
    assert kept.level.to_bytes() == sample_bytes(game) and not kept.problems


# --- Library ----------------------------------------------------------------------------------------


@each_game
def test_speeds_static_meshes_sprites_and_animated_textures(game: Game) -> None:
    level = level_of(game)
    blocks: list[Blocks] = [(34, 1, struct.pack("<4i", 0, 0, 0, 9 << 16))]
    record = level.static_meshes[0]
    boxes = *range(1, 7), *range(11, 17)
    blocks.append((26, 1, struct.pack("<i2B12h", int(record["id"]), 0, 1, *boxes)))
    sequence = level.sprite_sequences[0]
    blocks.append((28, 1, struct.pack("<2i4h", 0, int(sequence["id"]), -1, -2, 3, 4)))
    made = whole(baked(game, *blocks))
    lara = made.models[np.flatnonzero(made.models["id"] == 0)[0]]
    assert made.animations["speed"][lara["animation"]] == 9 << 16
    static = made.static_meshes[0]
    assert static["collision_box"].tolist() == list(range(1, 7)) and static["flags"] & 3 == 3
    assert static["visibility_box"].tolist() == list(range(11, 17))
    sprite = made.sprite_textures[sequence["first"]]
    assert [int(sprite[name]) for name in ("left", "top", "right", "bottom")] == [-1, -2, 3, 4]


@each_game
def test_a_mesh_gets_a_sphere_vertices_and_textures(game: Game) -> None:
    level = level_of(game)
    model = level.models[0]
    block = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    old = block.meshes[block.pointers[model["first_mesh"]]]
    head = struct.pack("<2ih3hi", 0, int(model["id"]), 0, 1, 2, 3, 400)
    face = struct.pack("<2ihihI2h", 0, int(model["id"]), 0, 0, 1, 2, 0, 2)
    data = head + struct.pack("<I", 1) + face + struct.pack("<I4h", 1, 2, 8, -4, 0) + struct.pack("<I", 0)
    made = whole(baked(game, (19, 1, data)))
    new = decode_meshes(game, made.mesh_data, made.mesh_pointers)
    mesh = new.meshes[new.pointers[made.models[0]["first_mesh"]]]
    assert mesh.center == (1, 2, 3) and mesh.radius == 400
    assert (mesh.vertices[2].astype(int) - old.vertices[2]).tolist() == [8, -4, 0]
    assert (mesh.quads["texture"][[0, 2]] == old.quads["texture"][1]).all()
    others = zip(block.meshes, new.meshes, strict=True)
    assert sum(one.raw != other.raw for one, other in others) == 1


def test_the_first_frame_rotates_as_packed() -> None:
    angles = 100, 200, 300
    packed = angles[0] << 20 | angles[1] << 10 | angles[2]
    for game in GAMES:
        level = level_of(game)
        id_ = int(level.models["id"][0])
        applied = baked(game, (25, 1, struct.pack("<3iI", 0, id_, 0, packed)))
        if applied.problems:
            assert "one axis only" in applied.problems[0].text
            continue
        from io_tomb_raider.formats.levels.views.decoded import Decoded

        keys = Decoded(applied.level).keys
        first = keys.first_rotations[keys.first_keys[applied.level.models["animation"][0]]]
        assert keys.angles[first].tolist() == [each << 6 for each in angles]


def test_sounds_of_tr1_are_new_samples_and_of_others_stay() -> None:
    number = 30
    sound = struct.pack("<3hHib", number, 28672, 0, 2 << 2, 10240, 0)
    sound += struct.pack("<i", 44) + b"RIFF" + bytes(40) + struct.pack("<i", 5) + b"RIFF\1"
    level = whole(baked(Game.TR1, (14, 1, sound)))
    detail = level.sound_details[level.sound_map[number]]
    waves = sample_waves(level)
    assert waves[detail["sample"]][:4] == b"RIFF" and waves[detail["sample"] + 1] == b"RIFF\1"
    assert int(detail["flags"]) >> 2 & 0xF == 2 and detail["volume"] == 28672
    before = level_of(Game.TR1)
    assert waves[: len(sample_waves(before))] == sample_waves(before)
    for game in (Game.TR2, Game.TR3):
        kept = baked(game, (14, 1, sound))
        assert not kept.problems and len(kept.left.records(14)) == 1
        assert kept.level.to_bytes() == sample_bytes(game)
    higher = sound[:12] + b"\5" + sound[13:]  # its pitch
    assert len(baked(Game.TR1, (14, 1, higher)).left.records(14)) == 1
    old = baked(Game.TR2, (14, 1, struct.pack("<3hHI", number, 28672, 0, 4, 205)), version=3)
    assert "MAIN.SFX" in old.problems[0].text


def picture(*color: int) -> Blocks:
    return 20, 1, struct.pack("<HBBHH", 0, 8, 16, 2, 1) + bytes([*color, 255, 0, 0, 0, 0])


@each_game
def test_pages_are_painted(game: Game) -> None:
    color = expand_palette(level_of(game).palette)[5].tolist() if game is Game.TR1 else [255, 0, 0]
    level = whole(baked(game, picture(*color)))
    if game is not Game.TR1:
        assert level.textiles16[0, 16, 8:10].tolist() == [0xFC00, 0]
    assert level.textiles8[0, 16, 9] == 0 != level.textiles8[0, 16, 8]
    assert (level.textiles8 != level_of(game).textiles8).sum() <= 2
    finer = baked(game, picture(3, 5, 7))
    assert len(finer.left.records(20)) == 1 and not finer.problems  # the colors that the game rounds
    assert finer.level.textiles8[0, 16, 8] != 0


@each_game
def test_new_models_get_the_numbers_of_the_level(game: Game) -> None:
    level = level_of(game)
    block = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    first = int(level.models["first_mesh"][0])
    source = block.meshes[block.pointers[first]]
    source.quads = source.quads.copy()
    source.quads["texture"] = 0
    mesh = encode_mesh(game, source)
    texture = struct.pack("<2H8H", 1, 0, *range(8))
    animation = level.animations[:1].copy()
    animation["frame_offset"], animation["next_animation"] = 0, 0
    animation["state_changes"] = animation["first_state_change"] = animation["commands"] = 0
    blocks = [
        (0, (1, 1, 65536 * 5, bytes([255, 0, 0, 255]) * 65536 + bytes(65536))),
        (1, (2, 1, 20, texture)),
        (2, (6, 1, 4, struct.pack("<I", 0))),
        (2, (5, len(mesh) // 2, len(mesh), mesh)),
        (3, (10, 1, 16, struct.pack("<4i", 0, 0, -64, 0))),
        (3, (11, 12, 24, struct.pack("<12H", *range(12)))),
        (3, (12, 1, 32, animation.tobytes())),
        (4, (13, 1, 22, struct.pack("<2i2hiIh", 0, 4000, 1, 0, 0, 0, 0))),
    ]
    made = whole(applied_chunks(game, blocks))
    model = made.models[-1]
    assert (model["id"], model["meshes"], model["animation"]) == (4000, 1, len(level.animations))
    found = decode_meshes(game, made.mesh_data, made.mesh_pointers)
    new = found.meshes[found.pointers[model["first_mesh"]]]
    assert new.vertices.tolist() == source.vertices.tolist()
    assert set(new.quads["texture"].tolist()) == {len(level.object_textures)}
    assert made.object_textures["page"][-1] == len(level.textiles8) == len(made.textiles8) - 1
    start = int(made.animations["frame_offset"][-1]) // 2
    assert made.frames[start : start + 12].tolist() == list(range(12))
    assert made.animations["next_animation"][-1] == len(level.animations)
    assert made.mesh_trees[model["mesh_tree"] :].tolist() == [0, 0, -64, 0]
    assert made.models[:-1].tobytes() == level.models.tobytes()


def applied_chunks(game: Game, blocks: list[tuple[int, tuple[int, int, int, bytes]]]) -> InjectedLevel:
    injection = Injection(9, 0, game)
    for _, (type_, count, size, data) in blocks:
        assert len(data) == size
        if type_ == 13:
            full = read_trxj(trxj(9, [(13, 1, data)]), game)
            injection.replace(13, full.records(13))
        else:
            injection.add_bytes(type_, count, data)
    injection = read_trxj(injection.to_bytes(), game)
    applied = apply_injection(injection, level_of(game))
    return applied._replace(level=read_level(applied.level.to_bytes()))


# --- The list, and files ------------------------------------------------------------------------------


def test_edits_are_listed_removed_and_chosen_one_by_one() -> None:
    climb = 11, struct.pack("<i", 2)
    data = trxj(
        9,
        [
            floor((12, b""), climb, (6, b"\x03"), room=1),
            (18, 2, struct.pack("<2h3ih", 1, 0, 0, 0, 0, 0) + struct.pack("<2h3ih", 2, 0, 0, 0, 0, 0)),
            (37, 1, struct.pack("<hi", 7, 1) + b"a"),
        ],
    )
    injection = read_trxj(data, Game.TR1)
    found = edits_of(injection)
    assert [(edit.label, edit.target) for edit in found] == [
        ("Remove a trigger", ("room", 1)),
        ("Type of a trigger", ("room", 1)),
        ("Move an entity", ("entity", 1)),
        ("Move an entity", ("entity", 2)),
    ]
    assert injection.to_bytes() == data
    left = without(injection, {found[0].key, found[2].key})
    assert [edit["type"] for edit in left.records(BlockId.FLOOR)[0]["edits"]] == [11, 6]
    assert [each["item"] for each in left.records(18)] == [2] and left.records(37)
    chosen = only(injection, {found[0].key})
    assert [edit["type"] for edit in chosen.records(BlockId.FLOOR)[0]["edits"]] == [12]
    assert not chosen.records(18) and not chosen.records(37)
    assert injection.to_bytes() == data


def test_joined_injections_number_the_new_entities_of_both() -> None:
    new = struct.pack("<2ih3i2hH", 0, 84, 0, 0, 0, 0, 0, 0, 0) + struct.pack("<i", 0)
    named = (37, 1, struct.pack("<hi", 8, 1) + b"a")
    one = read_trxj(trxj(9, [floor((4, new)), named]), Game.TR1)
    two = read_trxj(trxj(6, [floor((4, new[:-4]))]), Game.TR1)
    joined = merged(two, one, 8).injection
    assert joined.version == 9 and len(joined.records(BlockId.FLOOR)) == 2
    assert [each["item"] for each in joined.records(BlockId.ITEM_NAMES)] == [9]
    after = after_new_items(joined, [False, True], 8)
    assert [each["item"] for each in after.records(BlockId.ITEM_NAMES)] == [8]
    assert merged(None, one, 8).injection.to_bytes()


def test_old_files_become_the_current_form() -> None:
    level = level_of(Game.TR1)
    edit = struct.pack("<hHHi", 0, 1, 1, 1) + struct.pack("<i", 4)
    edit += struct.pack("<2h3i2hH", 84, 1, 1536, 0, 2560, 0, 0, 0)
    fitting = read_for_level(t1mj(8, floor_edits=[edit]), level)
    made = whole(apply_injection(fitting.injection, level))
    assert len(made.entities) == len(level.entities) + 1 and int(made.entities["type"][-1]) == 84
    with pytest.raises(FormatError) as caught:
        read_for_level(t1mj(8), level_of(Game.TR2))
    assert str(caught.value.problem) == "this injection is for TR1, and the level is one of TR2"


def test_conditions_decide_whether_a_file_is_for_a_level() -> None:
    level = level_of(Game.TR1)
    room, item = level.rooms[1], level.entities[3]
    values = [int(item[name]) for name in ("x", "y", "z", "room", "angle")]

    def tests(rooms: int, x: int) -> bytes:
        data = struct.pack("<4i3i2h", 0, 3, 0, int(item["type"]), values[0] + x, *values[1:])
        data += struct.pack("<2i", 1, rooms)
        data += struct.pack(
            "<6i2H", 2, 1, room.x, room.z, room.y_bottom, room.y_top, room.x_sectors, room.z_sectors
        )
        return trxj(9, [], tests=(3, data))

    assert not read_for_level(tests(len(level.rooms), 0), level).failed
    failed = read_for_level(tests(99, 1024), level).failed
    assert failed == ["entity 3 is another one, or in another place", "the level has 4 rooms, not 99"]


def test_real_injections_are_applied_to_samples_or_refused() -> None:
    for path in real_injections():
        if path.suffix.lower() != ".bin":
            continue
        for game in GAMES:
            level = level_of(game)
            try:
                fitting = read_for_level(path.read_bytes(), level)
            except FormatError as error:
                assert error.problem or error.expected
                continue
            applied = apply_injection(fitting.injection, level)
            read_level(applied.level.to_bytes())
            assert applied.number + len(applied.problems) == len(edits_of(fitting.injection)), path.name


_DECODED = sorted(number for number, block in BLOCKS.items() if block.fields)


def test_levels_of_the_demo_have_no_place_for_edits() -> None:
    level = read_level(named_sample("tr2-demo"))
    assert not put_block(level, Injection(11, 0, Game.TR2))
    with pytest.raises(ExportError, match="have no place for it"):
        put_block(level, read_trxj(trxj(9, [(17, 1, sector(1, 2, 3))], level=2), Game.TR2))


@settings(max_examples=150)
@given(st.sampled_from(GAMES), st.sampled_from(_DECODED), st.data())
def test_random_records_are_applied_or_refused(game: Game, kind: int, data: st.DataObject) -> None:
    injection = Injection(11, 0, game)
    made = data.draw(st.lists(records(BLOCKS[kind].fields, injection.form), min_size=1, max_size=3))
    for record in made:  # most random numbers name nothing
        for field in _NUMBERS & record.keys():
            record[field] %= 4
        for each in record.get("edits", ()):
            for field in _NUMBERS & each.keys():
                each[field] %= 4
    injection.replace(kind, made)
    level = level_of(game)
    before = level.to_bytes()
    applied = apply_injection(injection, level)
    assert level.to_bytes() == before
    assert applied.number + len(applied.problems) == len(edits_of(injection))
    try:
        applied.level.to_bytes()
    except ExportError as error:
        assert error.subject


_NUMBERS = {
    *("item", "room", "to_room", "camera", "source_room", "face", "source_face", "face_type"),
    *("vertex", "portal", "static_mesh", "page", "sound", "range", "animation", "mesh", "source_mesh"),
    *("dx", "dz"),
}
