"""Round trips of every field over its whole range: untouched values do not change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes, encode_block, encode_mesh
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

# Fields with a free value. All others are references or positions.
_FREE: dict[str, set[str]] = {
    "cinematic_frames": {"target", "position", "fov", "roll"},
    "cameras": {"x", "y", "z", "flags"},
    "flyby_cameras": {"x", "y", "z", "target", "fov", "roll", "timer", "speed", "flags", "pad"},
    "entities": {"x", "y", "z", "angle", "intensity", "intensity2", "ocb", "flags"},
    "ai_objects": {"x", "y", "z", "ocb", "flags", "angle"},
    "static_meshes": {"visibility_box", "collision_box", "flags"},
    "sound_sources": {"x", "y", "z", "sound", "flags"},
    "boxes": {"z_min", "z_max", "x_min", "x_max", "floor"},
    "sprite_textures": {"left", "top", "right", "bottom"},
    "sound_details": {"volume", "chance", "range", "pitch", "flags"},
    "animations": {"speed", "acceleration", "lateral_speed", "lateral_acceleration"},
    "animation_dispatches": {"low", "high", "next_frame"},
    "state_changes": {"state"},
}
_FREE_IN_ROOMS: dict[str, set[str]] = {
    "lights": {
        *("x", "y", "z", "intensity", "intensity2", "falloff", "falloff2", "color", "parameters"),
        *("inner", "outer", "length", "cutoff", "range", "direction", "shadow", "direction2", "position"),
    },
    "fog_bulbs": {"x", "y", "z", "radius", "radius2", "density", "color"},
    "static_meshes": {"x", "y", "z", "angle", "intensity", "intensity2", "color", "unused"},
    "portals": {"normal", "vertices"},
    "vertices": {"x", "y", "z", "light", "light2", "attributes", "color"},
    "sectors": {"floor", "ceiling"},
}
Choice = Callable[[str, np.dtype[Any]], Any]


def filled(array: NDArray[Any], free: set[str], section: str, choose: Choice) -> NDArray[Any]:
    """Return records with chosen values in free fields."""
    result = array.copy()
    for name in free & set(array.dtype.names or ()):
        result[name] = choose(f"{section}.{name}", array.dtype[name].base)
    return result


def with_values(level: Level, choose: Choice) -> Level:
    """Return a level with chosen values in all records, those of its first room, and nodes of mesh trees."""
    for section, free in _FREE.items():
        if hasattr(level, section):
            setattr(level, section, filled(getattr(level, section), free, section, choose))
    level.rooms = [room.copy() for room in level.rooms]
    room = level.rooms[0]
    for section, free in _FREE_IN_ROOMS.items():
        setattr(room, section, filled(getattr(room, section), free, f"rooms.{section}", choose))
    trees = level.mesh_trees.copy()
    for axis in (1, 2, 3):
        trees[axis::4] = choose(f"mesh_trees.{axis}", trees.dtype)
    level.mesh_trees = trees
    # The first key frame of each animation starts with its box and the position of the first mesh.
    frames = level.frames.copy()
    heads = (level.animations["frame_offset"][:, None].astype(np.int64) // 2 + np.arange(9)).ravel()
    frames[heads] = choose("frames", frames.dtype)
    level.frames = frames
    _fill_meshes(level, choose)
    return level


def _fill_meshes(level: Level, choose: Choice) -> None:
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    made = []
    for mesh in block.meshes:
        changed = replace(mesh, raw=b"", radius=choose("meshes.radius", np.dtype(np.int16)))
        changed.center = tuple(choose("meshes.center", np.dtype(np.int16)) for _ in range(3))
        for name in ("vertices", "normals", "lights"):
            values = getattr(mesh, name)
            if values is not None:
                setattr(changed, name, np.full_like(values, choose(f"meshes.{name}", values.dtype)))
        made.append(encode_mesh(level.game, changed))
    level.mesh_data, level.mesh_pointers = encode_block(made, block.pointers)


def check_round_trip(level: Level) -> None:
    data = level.to_bytes()
    start_empty()
    assert export_level(import_level(data, name="Level").root)[0].to_bytes() == data


def least(_field: str, kind: np.dtype[Any]) -> float:
    return int(np.iinfo(kind).min) if kind.kind in "iu" else float(np.finfo(kind).min)


def most(_field: str, kind: np.dtype[Any]) -> float:
    return int(np.iinfo(kind).max) if kind.kind in "iu" else float(np.finfo(kind).max)


@each_game
@pytest.mark.parametrize("choose", [least, most])
def test_values_at_the_borders_come_back(blender: ModuleType, game: Game, choose: Choice) -> None:
    check_round_trip(with_values(read_level(sample_bytes(game)), choose))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("part", ["lights", "fog_bulbs", "vertices"])
def test_nan_round_trips(blender: ModuleType, part: str, value: float) -> None:
    """Only TR5 has floats, which can be NaN: here in all rooms, in one field, in two, in three."""
    level = read_level(sample_bytes(Game.TR5))
    records = getattr(level.rooms[0], part)
    for name in [name for name in records.dtype.names if records.dtype[name].base.kind == "f"][:3]:
        for room in level.rooms:
            changed = getattr(room, part).copy()
            changed[name] = value
            setattr(room, part, changed)
        check_round_trip(level)


@each_game
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_values_come_back(blender: ModuleType, game: Game, data: st.DataObject) -> None:
    def choose(field: str, kind: np.dtype[Any]) -> float:
        if kind.kind in "iu":
            info = np.iinfo(kind)
            return data.draw(st.integers(int(info.min), int(info.max)), label=field)
        return data.draw(st.floats(width=32), label=field)

    check_round_trip(with_values(read_level(sample_bytes(game)), choose))


@each_game
@pytest.mark.parametrize("place", [(1 << 31) - 1, -(1 << 31), 123456789])
def test_a_room_beyond_all_floats_is_reported_and_kept(blender: ModuleType, game: Game, place: int) -> None:
    level = read_level(sample_bytes(game))
    level.rooms = [room.copy() for room in level.rooms]
    level.rooms[0].x = level.rooms[0].z = place
    start_empty()
    written, report = export_level(import_level(level.to_bytes(), name="Level").root)
    assert (written.rooms[0].x, written.rooms[0].z) == (place, place)
    assert any(text.startswith("Room 000: it is so far away") for text in report.warnings)
