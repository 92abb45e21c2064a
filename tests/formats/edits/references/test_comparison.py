"""Differences between two levels are reported one by one, without values that only moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, Variant, read_level
from io_tomb_raider.formats.edits.references.comparison import differences
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes, encode_block, encode_mesh
from tests.sample_levels import sample_bytes, sample_level

Told = list[tuple[str, int, str]]


def _records(target: Any, name: str, row: int, **values: Any) -> Any:
    records = getattr(target, name).copy()
    for field, value in values.items():
        records[field][row] = value
    setattr(target, name, records)
    return records


def _an_entity(level: Level) -> Told:
    before = level.entities[2].copy()
    _records(level, "entities", 2, x=before["x"] + 5, room=0)
    parts = [f"room 0 instead of {before['room']}"] if before["room"] else []
    return [("entities", 2, ", ".join([*parts, f"x {before['x'] + 5} instead of {before['x']}"]))]


def _all_of_an_animation(level: Level) -> Told:
    """At most six values are reported."""
    animation = level.animations[0]
    names = [name for name in animation.dtype.names if name not in {"frame_offset", "frame_size"}]
    shown = [name for name in names if name not in {"first_state_change", "first_command"}]
    _records(level, "animations", 0, **{name: animation[name] + 1 for name in names})
    told = [f"{name.replace('_', ' ')} {animation[name] + 1} instead of {animation[name]}" for name in shown]
    return [("animations", 0, ", ".join(told[:6]) + f" and {len(told) - 6} more")]


def _fewer_entities(level: Level) -> Told:
    count = len(level.entities)
    level.entities = level.entities[:-2]
    return [("entities", -1, f"2 fewer: {count - 2} instead of {count}")]


def _one_more_and_a_change(level: Level) -> Told:
    count = len(level.cameras)
    level.cameras = np.concatenate([level.cameras, level.cameras[:1]])
    before = int(level.cameras["y"][0])
    _records(level, "cameras", 0, y=before - 1)
    return [
        ("cameras", -1, f"1 more: {count + 1} instead of {count}"),
        ("cameras", 0, f"y {before - 1} instead of {before}"),
    ]


def _colors_of_the_palette(level: Level) -> Told:
    level.palette = level.palette.copy()
    level.palette[[3, 200]] ^= 1
    return [("palette", -1, f"2 of {len(level.palette)} values differ")]


def _another_kind_of_palette(level: Level) -> Told:
    level.palette = level.palette[:, :2]
    return [("palette", -1, "has another layout")]


def _the_number(level: Level) -> Told:
    level.level_number = 9
    return [("level_number", -1, "9 instead of 0")]


def _pixels(level: Level) -> Told:
    level.textiles8 = level.textiles8.copy()
    level.textiles8[1, 4, 5:8] ^= 1
    return [("textiles8", 1, "3 pixels differ")]


def _another_page(level: Level) -> Told:
    count = len(level.textiles8)
    level.textiles8 = level.textiles8[:-1]
    return [("textiles8", -1, f"1 fewer: {count - 1} instead of {count}")]


def _a_room(level: Level) -> Told:
    room = level.rooms[1]
    vertices = room.vertices.copy()
    vertices["y"][:3] += 1
    lights, ambient = len(room.lights), room.ambient
    room.vertices, room.lights, room.ambient = vertices, room.lights[:0], 77
    text = f"vertices: 3 differ; ambient: 77 instead of {ambient}; "
    return [("rooms", 1, text + f"lights: {lights} fewer: 0 instead of {lights}")]


def _fewer_rooms(level: Level) -> Told:
    count = len(level.rooms)
    level.rooms = level.rooms[:-1]
    return [("rooms", -1, f"1 fewer: {count - 1} instead of {count}")]


def _sectors(level: Level) -> Told:
    room = level.rooms[0]
    act = np.flatnonzero(room.sectors["floor_data"])[:2]
    _records(room, "sectors", int(act[0]), floor_data=0, floor=3)
    _records(room, "sectors", int(act[1]), ceiling=-5)
    text = "2 sectors have other heights, boxes or openings, 1 sector has other triggers, slopes or marks"
    return [("rooms", 0, text)]


def _fewer_sectors(level: Level) -> Told:
    room = level.rooms[0]
    x, z = room.x_sectors, room.z_sectors
    room.x_sectors = x - 1
    room.sectors = room.sectors[: (x - 1) * z]
    return [("rooms", 0, f"{x - 1} by {z} sectors instead of {x} by {z}")]


def _what_only_moves(level: Level) -> Told:
    """Insert a word before all floor data, which moves all lists by one."""
    level.floor_data = np.concatenate([level.floor_data[:1], [0], level.floor_data[1:]]).astype("<u2")
    for room in level.rooms:
        sectors = room.sectors.copy()
        sectors["floor_data"] += sectors["floor_data"] > 0
        room.sectors = sectors
    _records(level, "models", 0, frame_offset=1)
    _records(level, "animations", 0, first_command=1)
    _records(level, "static_meshes", 0, mesh=1)
    return []


def _two_meshes(level: Level) -> Told:
    """One grows, so that all others move; the other one gets light instead of normals."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    usual = [row for row, mesh in enumerate(block.meshes) if mesh.normals is not None and len(mesh.quads)]
    one, two = usual[:2]
    meshes = [replace(mesh) for mesh in block.meshes]
    meshes[one].vertices = meshes[one].vertices.copy()
    meshes[one].vertices[0] += 1
    meshes[one].quads = np.repeat(block.meshes[one].quads, 2)
    meshes[one].radius = 999
    meshes[two].normals, meshes[two].lights = None, np.zeros(len(meshes[two].vertices), np.int16)
    encoded = [encode_mesh(level.game, mesh) for mesh in meshes]
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)
    count = len(block.meshes[one].quads)
    text = f"radius 999 instead of {block.meshes[one].radius}; vertices: 1 differ; "
    text += f"quads: {count} more: {2 * count} instead of {count}"
    return [("meshes", one, text), ("meshes", two, "normals are gone; lights are new")]


@pytest.mark.parametrize(
    "edit",
    [
        *(_an_entity, _all_of_an_animation, _fewer_entities, _one_more_and_a_change, _colors_of_the_palette),
        *(_another_kind_of_palette, _the_number, _pixels, _another_page, _a_room, _fewer_rooms, _sectors),
        *(_fewer_sectors, _two_meshes, _what_only_moves),
    ],
)
def test_each_difference_is_reported_for_its_element(edit: Callable[[Level], Told]) -> None:
    old, new = read_level(sample_bytes(Game.TR1)), read_level(sample_bytes(Game.TR1))
    assert list(differences(old, new)) == []
    expected = edit(new)
    assert list(differences(old, new)) == expected


def test_levels_of_other_games_are_not_compared() -> None:
    old, new = sample_level(Game.TR1), sample_level(Game.TR2)
    (found,) = differences(old, new)
    assert (found.section, found.element) == ("level", -1)
    assert found.text == f"TR1 ({Variant.RETAIL.value}) became TR2 ({Variant.RETAIL.value})"
