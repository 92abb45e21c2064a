"""Repairs: each damage is found where it is, nothing else changes, and valid levels stay as they are."""

from __future__ import annotations

import struct
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.edits.repair.repair import KINDS, repair_level
from io_tomb_raider.formats.levels.floor.editing import edit
from io_tomb_raider.formats.levels.floor.floor_data import parse
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Portal, Trigger, TriggerType
from io_tomb_raider.formats.levels.injections.block import read_block
from io_tomb_raider.formats.levels.rooms.rooms import Room
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import THE_LEVEL, Element, Severity
from tests.formats.levels.injections.samples import sector, trxj
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, named_sample, sample_bytes

pytestmark = pytest.mark.once

_ROOM = Element("room", 1)
_FAR = 0xE0  # more rooms, boxes and entities than the sample has


def _put(owner: Any, name: str, row: int, field: str, value: Any) -> None:
    records = np.array(getattr(owner, name))
    (records[field] if field else records)[row] = value
    setattr(owner, name, records)


def _functions(level: Level, *functions: Any) -> None:
    """Give the first sector with floor of room 1 these functions."""
    indices = [room.sectors["floor_data"].reshape(room.x_sectors, room.z_sectors) for room in level.rooms]
    room = level.rooms[1]
    open_ = room.sectors["floor"].reshape(room.x_sectors, room.z_sectors) != -127
    x, z = np.argwhere(open_ & (indices[1] == 0))[0].tolist()
    edited = edit(parse(level.floor_data, indices), indices, {(1, x, z): functions})
    level.floor_data = edited.words
    for each, found in zip(level.rooms, edited.sectors, strict=True):
        sectors = np.array(each.sectors)
        sectors["floor_data"] = found.ravel()
        each.sectors = sectors


def _box(level: Level) -> None:
    sectors = np.array(level.rooms[1].sectors)
    shift = 4 if level.game.traits.has_materials else 0
    sectors["box"][7] = 500 << shift
    level.rooms[1].sectors = sectors


def _double_portal(level: Level) -> None:
    portals = level.rooms[1].portals
    twice = np.concatenate([portals, portals[:1]])
    twice[-1]["vertices"] = twice[-1]["vertices"][::-1]
    twice[-1]["normal"] *= -1
    level.rooms[1].portals = twice


def _unending(level: Level) -> None:
    start = len(level.floor_data)
    level.floor_data = np.append(level.floor_data, np.array([0x0005, 0x0005, 0x0005], np.uint16))
    _put(level.rooms[1], "sectors", 7, "floor_data", start)


def _mesh_face(level: Level) -> None:
    block = Decoded(level).meshes
    number = next(at for at, mesh in enumerate(block.meshes) if len(mesh.quads))
    mesh = block.meshes[number]
    place = mesh.raw.index(mesh.quads[:1].tobytes())
    start = int(level.mesh_pointers[block.pointers.tolist().index(number)])
    data = np.array(level.mesh_data)
    data[start + place + 8 : start + place + 10] = np.array([0x7FFF & 0x3FFF], "<u2").view(np.uint8)
    level.mesh_data = data


def _action(kind: int, number: int) -> Trigger:
    keep = Action(ActionType.SECRET, 1)
    return Trigger(TriggerType.TRIGGER, actions=(Action(kind, number), keep))


_KEPT = Trigger(TriggerType.TRIGGER, actions=(Action(ActionType.SECRET, 1),))

# By name: the damage, the kind of repair, the affected element, and the sections that may change. Those of
# rooms begin with a dot.
DAMAGES: dict[str, tuple[Callable[[Level], None], str, Element, set[str]]] = {
    "portal to a missing room": (
        lambda level: _put(level.rooms[1], "portals", 0, "room", 500),
        "PORTALS",
        _ROOM,
        {".portals"},
    ),
    "portal to its own room": (
        lambda level: _put(level.rooms[1], "portals", 0, "room", 1),
        "PORTALS",
        _ROOM,
        {".portals"},
    ),
    "portal that is there twice": (_double_portal, "PORTALS", _ROOM, {".portals"}),
    "commands after the end": (
        lambda level: _put(level, "animations", 1, "commands", 999),
        "ANIMATIONS",
        Element("animation", 1),
        {"animations"},
    ),
    "sector above a missing room": (
        lambda level: _put(level.rooms[1], "sectors", 7, "room_below", _FAR),
        "SECTORS",
        _ROOM,
        {".sectors"},
    ),
    "missing flipped room": (
        lambda level: setattr(level.rooms[1], "alternate_room", 500),
        "SECTORS",
        _ROOM,
        {".alternate_room"},
    ),
    "missing box": (_box, "BOXES", _ROOM, {".sectors"}),
    "missing list of neighbors": (
        lambda level: _put(level, "boxes", 0, "overlap", 0x3000),
        "BOXES",
        THE_LEVEL,
        {"boxes"},
    ),
    "missing neighbor": (
        lambda level: _put(level, "overlaps", 0, "", 0x700 | int(level.overlaps[0]) & 0x8000),
        "BOXES",
        THE_LEVEL,
        {"overlaps"},
    ),
    "floor data after the end": (
        lambda level: _put(level.rooms[1], "sectors", 7, "floor_data", 60000),
        "FLOOR_DATA",
        _ROOM,
        {".sectors"},
    ),
    "floor data without an end": (_unending, "FLOOR_DATA", _ROOM, {"floor_data"}),
    "wall to a missing room": (
        lambda level: _functions(level, Portal(_FAR)),
        "TRIGGERS",
        _ROOM,
        {"floor_data", ".sectors"},
    ),
    "two triggers": (
        lambda level: _functions(level, _KEPT, _action(ActionType.SECRET, 2)),
        "TRIGGERS",
        _ROOM,
        {"floor_data", ".sectors"},
    ),
    "action on a missing entity": (
        lambda level: _functions(level, _action(ActionType.OBJECT, 900)),
        "TRIGGERS",
        _ROOM,
        {"floor_data", ".sectors"},
    ),
    "action on a missing camera": (
        lambda level: _functions(level, _action(ActionType.CAMERA, 900)),
        "TRIGGERS",
        _ROOM,
        {"floor_data", ".sectors"},
    ),
    "missing switch": (
        lambda level: _functions(level, Trigger(TriggerType.SWITCH, reference=900, actions=_KEPT.actions)),
        "TRIGGERS",
        _ROOM,
        {"floor_data", ".sectors"},
    ),
    "entity in a missing room": (
        lambda level: _put(level, "entities", 0, "room", 500),
        "ENTITIES",
        Element("entity", 0),
        {"entities"},
    ),
    "missing static mesh": (
        lambda level: _put(level.rooms[0], "static_meshes", 0, "static_mesh", 49),
        "STATIC_MESHES",
        Element("room", 0),
        {".static_meshes"},
    ),
    "face without a texture": (
        lambda level: _put(level.rooms[1], "quads", 2, "texture", 0x2FFF),
        "ROOM_FACES",
        _ROOM,
        {".quads"},
    ),
    "face without a vertex": (
        lambda level: _put(level.rooms[1], "quads", 2, "vertices", (0, 1, 2, 900)),
        "ROOM_FACES",
        _ROOM,
        {".quads"},
    ),
    "mesh without a texture": (_mesh_face, "MESH_FACES", Element("mesh"), {"mesh_data"}),
    "texture on a missing page": (
        lambda level: _put(level, "object_textures", 1, "page", 900),
        "TEXTURES",
        THE_LEVEL,
        {"object_textures"},
    ),
    "missing frame of an animated texture": (
        lambda level: _put(level, "animated_textures", 2, "", 0x3FFF),
        "TEXTURES",
        THE_LEVEL,
        {"animated_textures"},
    ),
    "sound without details": (
        lambda level: _put(level, "sound_map", 3, "", 900),
        "SOUND_MAP",
        THE_LEVEL,
        {"sound_map"},
    ),
}


def _changed(old: Level, new: Level) -> set[str]:
    """Return the sections that differ, those of rooms with a dot before."""
    found = set()
    for prefix, pairs in (("", [(old, new)]), (".", zip(old.rooms, new.rooms, strict=True))):
        for one, other in pairs:
            for name, value in vars(one).items():
                after = vars(other)[name]
                if isinstance(value, np.ndarray):
                    if value.tobytes() != after.tobytes():
                        found.add(prefix + name)
                elif isinstance(value, int) and value != after:
                    found.add(prefix + name)
    return found


@each_game
@pytest.mark.parametrize("name", DAMAGES)
def test_a_damage_is_repaired_and_nothing_else_changes(game: Game, name: str) -> None:
    damage, kind, obj, sections = DAMAGES[name]
    level = read_level(sample_bytes(game))
    damage(level)
    before = level.copy()
    repaired, found = repair_level(level)
    assert {(each.kind, each.obj.kind) for each in found} == {(kind, obj.kind)}
    if obj.kind != "mesh":
        assert {each.obj for each in found} == {obj}
    assert _changed(level, repaired) and _changed(level, repaired) <= sections
    assert not _changed(before, level)  # the argument stays
    again = read_level(repaired.to_bytes())
    assert repair_level(again)[1] == []
    wrong = [each for each in check_level(again) if each.severity is Severity.ERROR]
    assert not [each for each in wrong if each not in check_level(read_level(sample_bytes(game)))]
    assert repair_level(level, leave_out=[kind])[1] == []


@each_game
def test_the_first_trigger_and_other_actions_remain(game: Game) -> None:
    for functions, left in (
        ((_KEPT, _action(ActionType.SECRET, 2)), [_KEPT]),
        ((_action(ActionType.OBJECT, 900),), [_KEPT]),
        ((Trigger(TriggerType.TRIGGER, actions=(Action(ActionType.CAMERA, 900),)),), []),
        ((Portal(_FAR), _KEPT), [_KEPT]),
    ):
        level = read_level(sample_bytes(game))
        _functions(level, *functions)
        before = [each.sectors["floor_data"].copy() for each in level.rooms]
        (place,) = np.flatnonzero(before[1] != read_level(sample_bytes(game)).rooms[1].sectors["floor_data"])
        repaired, _ = repair_level(level)
        lists = Decoded(repaired).floor_lists
        assert list(lists.of(repaired.rooms[1].sectors["floor_data"][[place]])[0]) == left


def test_of_duplicate_portals_the_one_that_matches_its_counterpart_is_kept() -> None:
    level = read_level(sample_bytes(Game.TR1))
    right = level.rooms[1].portals[0].copy()
    _double_portal(level)
    for order in (slice(None), slice(None, None, -1)):
        level.rooms[1].portals = level.rooms[1].portals[order]
        repaired, found = repair_level(level)
        assert [each.kind for each in found] == ["PORTALS"]
        (left,) = (each for each in repaired.rooms[1].portals if each["room"] == right["room"])
        assert left.tobytes() == right.tobytes()


def _with_flipped_room(level: Level) -> Room:
    """Add a room that replaces room 1, with the same sectors and portals."""
    other = copy(level.rooms[1])
    level.rooms = [*level.rooms, other]
    level.rooms[1].alternate_room = len(level.rooms) - 1
    return other


@each_game
def test_portals_of_flipped_rooms_are_copied_from_the_base_room(game: Game) -> None:
    level = read_level(sample_bytes(game))
    other = _with_flipped_room(level)
    assert repair_level(level)[1] == []
    right = other.portals
    moved = right.copy()
    moved["vertices"][0, :, 1] -= 64
    for damaged in (right[1:], moved):
        other.portals = damaged
        repaired, found = repair_level(level)
        assert [(each.kind, each.obj) for each in found] == [
            ("FLIPPED", Element("room", len(level.rooms) - 1))
        ]
        assert _changed(level, repaired) == {".portals"}
        after = repaired.rooms[-1].portals
        assert sorted(each.tobytes() for each in after) == sorted(each.tobytes() for each in right)
        assert repair_level(repaired)[1] == [] and repair_level(level, leave_out=["FLIPPED"])[1] == []


def test_portals_of_flipped_rooms_with_other_sectors_stay() -> None:
    level = read_level(sample_bytes(Game.TR1))
    other = _with_flipped_room(level)
    other.portals = other.portals[:0]
    sectors = np.array(other.sectors)
    sectors["floor"] -= 1
    other.sectors = sectors
    assert repair_level(level)[1] == []
    level = read_level(sample_bytes(Game.TR1))
    other = _with_flipped_room(level)
    other.portals, other.x = other.portals[:0], other.x + 1024
    assert repair_level(level)[1] == []


def test_opaque_bits_and_corners_are_repaired_only_on_request() -> None:
    level = read_level(sample_bytes(Game.TR2))
    uv = np.array(level.object_textures["uv"])
    before = uv.copy()
    (row,) = np.flatnonzero(level.object_textures["attribute"] == 0)[:1]
    x, y = (uv[row].astype(int).min(axis=0) >> 8).tolist()
    pixels = np.array(level.textiles16)
    page = int(level.object_textures["page"][row])
    shown = pixels.reshape(-1, 256, 256)
    shown[page, y, x] |= 0x8000
    level.textiles16 = pixels.copy()
    shown[page, y, x] &= 0x7FFF
    damaged = read_level(level.to_bytes())
    damaged.textiles16 = pixels
    wide = before[row].astype(int)
    middle = (wide.min(axis=0) + wide.max(axis=0)) / 2
    uv[row] = wide + np.where(wide < middle, 77, -77)
    _put(damaged, "object_textures", row, "uv", uv[row])
    assert repair_level(damaged)[1] == []
    repaired, found = repair_level(damaged, wanted=["OPAQUE", "CORNERS"])
    assert [each.kind for each in found] == ["OPAQUE", "CORNERS"]
    assert found[1].count == 1
    assert int(repaired.textiles16.reshape(-1, 256, 256)[page, y, x]) & 0x8000
    assert np.abs(repaired.object_textures["uv"][row].astype(int) - before[row]).max() <= 1
    others = np.arange(len(uv)) != row
    assert (repaired.object_textures["uv"][others] == before[others]).all()
    assert repair_level(repaired, wanted=["OPAQUE", "CORNERS"])[1] == []


def test_an_entity_goes_to_the_room_around_it() -> None:
    level = read_level(sample_bytes(Game.TR1))
    rooms = level.entities["room"].tolist()
    row = next(at for at, room in enumerate(rooms) if room)
    _put(level, "entities", row, "room", 500)
    repaired, found = repair_level(level)
    assert int(repaired.entities["room"][row]) == rooms[row]
    assert str(rooms[row]) in found[0].text and "500" in found[0].text


def test_lights_and_boxes_of_static_meshes_are_repaired() -> None:
    level = read_level(sample_bytes(Game.TR3))
    _put(level.rooms[0], "lights", 0, "type", 77)
    _put(level, "static_meshes", 0, "flags", 2)
    _put(level, "static_meshes", 0, "collision_box", (100, -100, 0, 10, 0, 10))
    repaired, found = repair_level(level)
    assert [each.kind for each in found] == ["COLLISION", "LIGHTS"]
    assert repaired.static_meshes["flags"][0] == 3 and repaired.rooms[0].lights["type"][0] == 0


@each_game
def test_a_level_without_sound_gets_a_silent_one(game: Game) -> None:
    level = read_level(sample_bytes(game))
    level.sound_details = level.sound_details[:0]
    level.sound_map = np.full_like(level.sound_map, -1)
    _, found = repair_level(level)
    assert [each.kind for each in found] == (["SILENCE"] if game.traits.needs_sounds else [])


@pytest.mark.parametrize("name", SAMPLES)
def test_valid_levels_are_not_changed(name: str) -> None:
    level = read_level(named_sample(name))
    repaired, found = repair_level(level)
    assert found == [] and repaired.to_bytes() == named_sample(name)


@each_real_level
def test_real_levels_need_no_repair(level_path: Path) -> None:
    level = read_level(level_path)
    repaired, found = repair_level(level)
    assert found == [] and repaired.to_bytes() == level_path.read_bytes()


def test_every_kind_of_repair_has_a_test() -> None:
    own = {"COLLISION", "LIGHTS", "SILENCE", "FLIPPED", "EDITS", "OPAQUE", "CORNERS"}
    assert {kind for _, kind, *_ in DAMAGES.values()} | own == {*KINDS}
    assert all(kind.label and kind.description for kind in KINDS.values())


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_invalid_edits_for_trx_are_removed_and_others_renumbered(game: Game) -> None:
    level = read_level(sample_bytes(game))
    number = next(at for at, room in enumerate(level.rooms) if len(room.static_meshes))
    room = level.rooms[number]
    room.static_meshes = np.concatenate([room.static_meshes[:1], room.static_meshes])
    _put(room, "static_meshes", 0, "static_mesh", 999)
    other = next(at for at, each in enumerate(level.rooms) if len(each.portals))
    portals = level.rooms[other].portals
    level.rooms[other].portals = np.concatenate([portals[:1], portals])
    target = int(portals["room"][0])
    moved = struct.pack("<ihii3ihH", 8, number, 0, 1, 1, 2, 3, 0, 0)
    portal = struct.pack("<15h", other, target, 1, *[0] * 12)
    lost = struct.pack("<2h3ih", 999, 0, 0, 0, 0, 0)
    climb = 11, struct.pack("<i", 2)
    damaged = level.to_bytes() + trxj(
        9,
        [
            (17, 3, sector(1, 1, 1, climb) + sector(99, 1, 1, climb) + sector(1, 99, 1, climb)),
            (18, 1, lost),
            (22, 1, moved),
            (23, 1, portal),
        ],
    )
    repaired, found = repair_level(read_level(damaged))
    assert [each.kind for each in found] == ["PORTALS", "STATIC_MESHES", "EDITS"]
    assert found[-1].count == 4 and "item positions (1)" in found[-1].text
    block = read_block(read_level(repaired.to_bytes()))
    assert block is not None
    assert [(each["room"], each["x"]) for each in block.records(17)] == [(1, 1)]
    assert [each["static_mesh"] for each in block.records(22)] == [0]
    assert not block.records(18) and not block.records(23)
    again, none = repair_level(repaired)
    assert not none and again.to_bytes() == repaired.to_bytes()


def test_the_fade_of_lights_is_clamped() -> None:
    for game in (Game.TR1, Game.TR2, Game.TR3):
        level = read_level(sample_bytes(game))
        room = next(each for each in level.rooms if len(each.lights))
        if game is Game.TR3:
            lights = np.array(room.lights)
            lights["type"][0] = 0
            lights["parameters"].view("<i4")[0, 1] = -5
            room.lights = lights
        else:
            _put(room, "lights", 0, "falloff", 0xFFFFFFF0)
        repaired, found = repair_level(read_level(level.to_bytes()))
        assert [(each.kind, each.count) for each in found] == [("LIGHTS", 1)]
        assert repair_level(repaired)[1] == []
        number = level.rooms.index(room)
        light = repaired.rooms[number].lights[0]
        fade = light["parameters"].view("<i4")[1] if game is Game.TR3 else light["falloff"]
        assert fade == 0
