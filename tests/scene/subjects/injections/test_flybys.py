"""Flyby cameras of levels for TRX: shown, edited, added and triggered as in TR4."""

from __future__ import annotations

import struct
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.base.bytes.records import FLYBY_CAMERA
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Trigger, TriggerType
from io_tomb_raider.formats.levels.injections.flybys import flyby_edits, flyby_records
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.formats.levels.injections.trxj import Injection, read_trxj
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.authoring.new.cameras import add_object
from io_tomb_raider.scene.subjects.cameras.preview import preview_flyby
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from tests.formats.levels.injections.samples import trxj
from tests.sample_levels import sample_bytes

from ...scenes import UNIT, exported, import_anew, import_scene, objects
from ..collision.collision_meshes import HALL
from ..triggers.sample_triggers import sample_with, triggers_of
from .blocks import GAMES, block_of, sample

each_game = pytest.mark.parametrize("game", GAMES)


def camera(room: int, number: int, place: tuple[int, int, int], **values: int) -> bytes:
    given = {"fov": 14560, "roll": 0, "timer": 0, "speed": 655, "flags": 0} | values
    x, y, z = place
    return struct.pack("<6i2BHhHHHI", x, y, z, x, y, z + 1024, 3, number, *given.values(), room)


def block(*cameras: bytes) -> tuple[int, int, bytes]:
    return BlockId.FLYBYS, len(cameras), b"".join(cameras)


def places(game: Game) -> list[tuple[int, int, int]]:
    room = read_level(sample_bytes(game)).rooms[HALL]
    return [(room.x + 1536, -512, room.z + 1536), (room.x + 2560, -512, room.z + 1536)]


def records(level: Level) -> list[dict[str, Any]]:
    return block_of(level).records(BlockId.FLYBYS) if len(level.footer) else []


def with_two(game: Game) -> bytes:
    one, other = places(game)
    return sample(game, block(camera(HALL, 0, one), camera(HALL, 1, other, flags=0x80, timer=0)))


@each_game
def test_flybys_are_cameras(blender: ModuleType, game: Game) -> None:
    data = with_two(game)
    root = import_scene(data)
    one, other = objects(root, "FLYBY")
    assert [each.tomb_raider.flyby.number for each in (one, other)] == [0, 1]
    assert one.tomb_raider.flyby.sequence == 3 and one.tomb_raider.flyby.room == objects(root, "ROOM")[HALL]
    assert other.tomb_raider.flyby.cut_to == one
    x, y, z = places(game)[0]
    assert (one.matrix_world.translation - Vector((x, z, -y)) * UNIT).length < 1e-4
    assert exported(root)[0].to_bytes() == data


@each_game
def test_edits_of_a_flyby_are_written_alone(blender: ModuleType, game: Game) -> None:
    data = with_two(game)
    root = import_scene(data)
    before = records(read_level(data))
    obj = objects(root, "FLYBY")[1]
    obj.location.x += 512 * UNIT
    obj.tomb_raider.flyby.speed = 1310
    level, warnings = exported(root)
    one, other = records(level)
    assert one == before[0]
    moved = {"x": before[1]["x"] + 512, "target_x": before[1]["target_x"] + 512, "speed": 1310}
    assert other == before[1] | moved
    assert level.footer.tobytes() != data[-len(level.footer) :] and not warnings
    assert level.to_bytes()[: len(sample_bytes(game))] == sample_bytes(game)


@each_game
def test_flybys_can_be_added_and_removed(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    x, y, z = places(game)[0]
    obj = add_object(root, "FLYBY", Vector((x, z, -y)) * UNIT)
    level, warnings = exported(root)
    (record,) = records(level)
    assert (record["x"], record["y"], record["z"], record["room"]) == (x, y, z, HALL)
    assert (record["sequence"], record["number"]) == (0, 0)
    assert block_of(level).version == 9 and not warnings
    again = import_anew(level.to_bytes())
    assert exported(again)[0].to_bytes() == level.to_bytes()
    bpy.data.objects.remove(objects(again, "FLYBY")[0])
    assert exported(again)[0].to_bytes() == sample_bytes(game)
    assert obj.name


@each_game
def test_flybys_need_trx(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    x, y, z = places(game)[0]
    add_object(root, "FLYBY", Vector((x, z, -y)) * UNIT)
    root.tomb_raider.engine = "ORIGINAL"
    level, warnings = exported(root)
    assert level.to_bytes() == sample_bytes(game)
    assert any("the game does not have such objects" in each for each in warnings)
    with pytest.raises(ExportError):
        add_object(root, "FLYBY", Vector((x, z, -y)) * UNIT)


@each_game
def test_renumbered_rooms(blender: ModuleType, game: Game) -> None:
    one, other = places(game)
    room = read_level(sample_bytes(game)).rooms[2]
    third = (room.x + 1536, -512, room.z + 1536)
    root = import_scene(sample(game, block(camera(HALL, 0, one), camera(2, 1, third), camera(1, 2, other))))
    bpy.data.objects.remove(objects(root, "ROOM")[1])
    bpy.context.view_layer.update()
    level, _ = exported(root)
    found = records(level)
    assert [each["room"] for each in found] == [HALL, 1, HALL]
    assert (found[2]["x"], found[2]["z"]) == (other[0], other[2])


@each_game
def test_the_preview_flies(blender: ModuleType, game: Game) -> None:
    root = import_scene(with_two(game))
    _, frames = preview_flyby(root, 3)
    assert frames > 1


@each_game
def test_triggers_start_flybys(blender: ModuleType, game: Game) -> None:
    trigger = Trigger(TriggerType.TRIGGER, actions=(Action(ActionType.FLYBY, 3, 0),))
    plain = sample_with(game, trigger)
    one, other = places(game)
    data = plain + trxj(9, [block(camera(HALL, 0, one), camera(HALL, 1, other))])
    root: Any = import_anew(data)
    made = [
        action
        for obj in objects(root, "TRIGGER")
        for action in obj.tomb_raider.trigger.actions
        if action.type == ActionType.FLYBY
    ]
    assert [each.target for each in made] == [objects(root, "FLYBY")[0]]
    assert made[0].kind == "FLYBY"
    assert exported(root)[0].to_bytes() == data
    for obj in objects(root, "FLYBY"):
        obj.tomb_raider.flyby.sequence = 5
    level, _ = exported(root)
    assert [each["sequence"] for each in records(level)] == [5, 5]
    started = [
        action.parameter
        for triggers in triggers_of(level).values()
        for each in triggers
        for action in each.actions
        if action.type == ActionType.FLYBY
    ]
    assert started == [5]

    def faults(level: Level, target: Target) -> list[str]:
        return [str(each.text) for each in check_level(Decoded(level, target)) if "trigger" in each.check]

    level = read_level(data)
    assert not faults(level, Target.TRX)
    assert any("action 12" in each for each in faults(level, Target.ORIGINAL))
    assert any("flyby 3, which has no cameras" in each for each in faults(read_level(plain), Target.TRX))


@pytest.mark.parametrize("target", [Game.TR2, Game.TR4])
def test_flybys_of_converted_levels(blender: ModuleType, target: Game) -> None:
    root = import_scene(with_two(Game.TR1))
    convert_level(root, target)
    level, _ = exported(root)
    if target is Game.TR4:
        assert level.flyby_cameras["index"].tolist() == [0, 1]
    else:
        assert [each["number"] for each in records(level)] == [0, 1]


_INTEGERS = {1: st.integers(0, 0xFF), 2: st.integers(0, 0xFFFF), 4: st.integers(0, 0xFFFFFFFF)}


@pytest.mark.once
@given(st.lists(st.binary(min_size=40, max_size=40), max_size=4), st.sampled_from(GAMES))
def test_records_survive(cameras: list[bytes], game: Game) -> None:
    injection = read_trxj(trxj(9, [block(*cameras)] if cameras else []), game)
    found = flyby_records(injection)
    assert found.tobytes() == b"".join(cameras) and found.dtype == FLYBY_CAMERA
    again = Injection(9, 0, game)
    again.replace(BlockId.FLYBYS, flyby_edits(found))
    assert np.array_equal(flyby_records(again), found)
    assert again.payload() == injection.payload()
