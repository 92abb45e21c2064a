"""Rooms of the golden files: faces, lights, and rebuilt memory images of TR5's rooms."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Room, read_level
from io_tomb_raider.formats.levels.rooms.geometry import (
    decode_faces,
    encode_faces,
    encode_layers,
    vertex_layers,
)
from io_tomb_raider.formats.levels.rooms.rooms_tr5 import encode_room
from io_tomb_raider.formats.levels.textures.face_words import mesh_texture_mask, room_texture_mask

from . import tr5_rooms
from .levels import GOLDEN, each_game, object_differences

_NEW, _STALE, _NULL = range(3)
# Fields in the header of a TR5 room that are derived from the rest of the room.
_COUNTS_AND_OFFSETS = (
    "portals_offset", "sectors_offset", "statics_offset", "lights", "static_meshes", "lights_offset",
    "fog_bulbs_offset", "lights2", "fog_bulbs", "layers", "layers_offset", "vertices_offset", "faces_offset",
    "faces_offset2", "vertex_bytes",
)  # fmt: skip
_OF_THE_MESH = ("position", "triangles", "quads", "y_top2", "y_bottom2")


def _room(number: int) -> Room:
    """Return a room of TR5 without its original bytes."""
    room = GOLDEN["tr5"].level.rooms[number].copy()
    del room.block
    return room


def test_a_room_of_tr5_is_built_from_nothing_but_its_parts() -> None:
    room = _room(_NEW)
    del room.header
    assert encode_room(room) == tr5_rooms.BLOCKS[_NEW]


def test_a_new_room_of_tr5_without_faces_counts_none() -> None:
    room = _room(_NEW)
    del room.header
    for part in ("layers", "vertices", "quads", "triangles"):
        setattr(room, part, getattr(room, part)[:0])
    block = encode_room(room)
    assert block[8 + 136 : 8 + 144] == bytes(8)  # NumRoomTriangles, NumRoomRectangles
    assert block[8 + 100 : 8 + 112] == pack("<fff", 10240, 0, 20480)  # RoomX, RoomY, RoomZ


@pytest.mark.parametrize("number", [_NEW, _STALE, _NULL])
def test_all_that_follows_from_a_room_is_set_in_its_header(number: int) -> None:
    room = _room(number)
    room.header = room.header.copy()
    for name in _COUNTS_AND_OFFSETS if number == _NULL else (*_COUNTS_AND_OFFSETS, *_OF_THE_MESH):
        room.header[name] = 171
    for name in ("x", "y", "z", "y_bottom", "y_top", "z_sectors", "x_sectors", "color", "reverb", "flags"):
        room.header[name] = 17
    assert encode_room(room) == tr5_rooms.BLOCKS[number]


@pytest.mark.parametrize("number", [_NEW, _STALE, _NULL])
def test_an_edited_field_of_a_room_of_tr5_changes_its_byte_alone(number: int) -> None:
    level = GOLDEN["tr5"].read().copy()
    level.rooms[number].reverb ^= 1
    changed = bytearray(tr5_rooms.BLOCKS[number])
    changed[8 + 52] ^= 1
    assert encode_room(level.rooms[number]) == bytes(changed)


def _patched(number: int, patches: dict[int, bytes]) -> Room:
    """Return a room of TR5 that is read from a header with other bytes at these places."""
    block = bytearray(tr5_rooms.BLOCKS[number])
    for place, content in patches.items():
        block[8 + place : 8 + place + len(content)] = content
    content = GOLDEN["tr5"].content.replace(tr5_rooms.BLOCKS[number], block)
    return read_level(content).rooms[number]


def _differences(number: int, room: Room) -> list[str]:
    """Return the differences of a room, except for its original bytes."""
    sections = [each for each in tr5_rooms.ROOMS[number] if each.name not in ("block", "header")]
    return list(object_differences("room", room, sections))


def test_the_second_of_two_equal_face_offsets_is_ignored() -> None:
    assert _differences(_NEW, _patched(_NEW, {184: b"\xcd" * 4})) == []


def test_a_room_without_a_mesh_needs_no_offsets() -> None:
    """Genuine levels have 0xCD instead of the offsets of static meshes, layers and faces."""
    patches = {16: b"\xcd" * 4, 144: b"\xcd" * 8, 172: b"\xcd" * 16}
    assert _differences(_NULL, _patched(_NULL, patches)) == []


def _faces(faces: Any) -> tuple[list[Any], list[Any]]:
    return faces.corners.tolist(), faces.texture.tolist()


@pytest.mark.parametrize("name", ["tr1", "tr2", "tr3", "tr4"])
def test_faces_count_vertices_of_the_room(name: str) -> None:
    level = GOLDEN[name].level
    quads, triangles = decode_faces(level.game, level.rooms[0])
    assert _faces(quads) == ([[0, 1, 2, 3], [5, 4, 3, 2]], [6, 0x8001])
    assert _faces(triangles) == ([[4, 2, 0], [1, 3, 5]], [7, 0x8002])
    encoded = encode_faces(level.game, quads, triangles)
    assert [each.tobytes() for each in encoded] == [
        level.rooms[0].quads.tobytes(),
        level.rooms[0].triangles.tobytes(),
    ]


def test_faces_of_tr5_count_vertices_of_their_layer() -> None:
    """The second layer starts with the sixth vertex, the third quad and the second triangle."""
    room = GOLDEN["tr5"].level.rooms[_NEW]
    quads, triangles = decode_faces(Game.TR5, room)
    assert _faces(quads) == ([[0, 1, 2, 3], [4, 3, 2, 1], [8, 6, 7, 5]], [0x4006, 0x8007, 9])
    assert _faces(triangles) == ([[2, 4, 1], [6, 8, 5], [5, 7, 8]], [0x8009, 11, 13])
    assert quads.effects.tolist() == [7, 0x8008, 10]
    assert triangles.effects.tolist() == [0x800A, 12, 14]
    assert (quads.layer.tolist(), triangles.layer.tolist()) == ([0, 0, 1], [0, 1, 1])
    assert vertex_layers(room).tolist() == [0] * 5 + [1] * 4


def test_layers_are_cut_again_to_the_same_bytes() -> None:
    """Bounds are the minima and maxima of x, y and z, and vertices keep color with alpha."""
    room = GOLDEN["tr5"].level.rooms[_NEW]
    quads, triangles = decode_faces(Game.TR5, room)
    cut = encode_layers(room.vertices, vertex_layers(room), quads, triangles, room.layers)
    assert cut.vertices.tobytes() == room.vertices.tobytes()
    assert cut.quads.tobytes() == room.quads.tobytes()
    assert cut.triangles.tobytes() == room.triangles.tobytes()
    bounds = [[1001.0, -1052.5, 1003.25, 1041.75, -1002.125, 1043.375],
              [2001.0, -2052.5, 2003.25, 2041.75, -2002.125, 2043.375]]  # fmt: skip
    assert cut.layers["bounds"].tolist() == bounds
    assert cut.layers.tobytes() == room.layers.tobytes()


def test_texture_masks_exclude_the_flags_of_faces() -> None:
    """Bit 15 is for double-sided faces from TR3 on, and bit 14 for water in TR5."""
    assert [room_texture_mask(game) for game in Game] == [0xFFFF, 0xFFFF, 0x7FFF, 0x7FFF, 0x3FFF]
    assert [mesh_texture_mask(game) for game in Game] == [0xFFFF, 0xFFFF, 0x7FFF, 0x7FFF, 0x7FFF]


@each_game
def test_a_copy_of_a_room_can_be_edited_on_its_own(name: str) -> None:
    golden, level = GOLDEN[name], GOLDEN[name].level
    twin = level.copy()
    twin.rooms[0].vertices = twin.rooms[0].vertices[::-1]
    twin.rooms[0].x = np.iinfo(np.int32).min
    assert list(object_differences("level", level, golden.sections)) == []


@pytest.mark.parametrize("name", ["tr1", "tr2", "tr3", "tr4"])
def test_a_wrong_number_of_words_is_put_right_with_the_mesh(name: str) -> None:
    """After an edit of a mesh, the number of its words is right: here, that of four counts."""
    level = GOLDEN[name].level.copy()
    room = level.rooms[1]
    for part in ("vertices", "quads", "triangles", "sprites"):
        setattr(room, part, getattr(room, part)[:0])
    assert read_level(level.to_bytes()).rooms[1].geometry_words == (4, 4)
