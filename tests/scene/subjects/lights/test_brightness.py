"""Rooms and placed static meshes are as bright as in the games: pixels against formulas and the file's bytes.

Each vertex is drawn as a small gray tile, lit as its room or mesh is; the expected values are computed here
from the records, by the formulas of the games' PC programs.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.arrays.typing import Floats
from tests.real_levels import each_real_level, skip_without
from tests.sample_levels import sample_bytes

from ...scenes import import_scene, meshes_of, objects
from .tiles import WATER, by_color, by_shade, channels, room_pixels, seen_tiles, tiles

_MOST = 4000  # vertices of a level


def placed_pixels(level: Level, room: Any, record: Any, mesh: Any) -> Floats:
    """Return the colors of a placed static mesh's vertices, (n, 3); with normals they are the room's."""
    game, water = level.game, (1.0, 1.0, 1.0)
    if mesh.lights is None:
        ambient = channels(np.array([room.color]), (16, 8, 0), 255)
        return np.repeat(by_color(game, ambient), len(mesh.vertices), axis=0)
    lights = mesh.lights.astype(np.int64)
    if game < Game.TR3:
        seen = by_shade(np.clip(lights + int(record["intensity"]) - 4096, 0, 8191))
    else:
        tint = 8 * channels(np.array([record["color"]]), (0, 5, 10), 31)
        own = 255 - (lights >> 5)
        seen = by_color(game, np.clip(own[:, None] * tint / 256, 0, 255))
    if room.flags & 1:
        water = WATER.get(game, water)
    return np.minimum(seen * water, 1)


def check_tiles(root: Collection, level: Level, folder: Path) -> tuple[int, int]:
    """Compare all tiles of a level; return how many vertices of rooms and of static meshes there were."""
    meshes = meshes_of(level)
    parts: list[tuple[Any, Floats]] = [
        (obj, room_pixels(level, level.rooms[number])) for number, obj in enumerate(objects(root, "ROOM"))
    ]
    records = [(room, record) for room in level.rooms for record in room.static_meshes]
    for obj, (room, record) in zip(objects(root, "PLACEMENT"), records, strict=True):
        index = obj.data.tomb_raider.index if obj.data is not None else -1
        if index >= 0 and (meshes[index].lights is not None or level.game >= Game.TR4):
            parts.append((obj, placed_pixels(level, room, record, meshes[index])))
    parts = [
        (obj, want) for obj, want in parts if any(m.tomb_raider.kind == "PAGE" for m in obj.data.materials)
    ]
    step = max(sum(len(want) for _, want in parts) // _MOST, 1)
    chosen = [(obj, want[::step], np.arange(0, len(want), step)) for obj, want in parts if len(want)]
    wanted = np.concatenate([want for _, want, _ in chosen])
    rows = int(np.ceil(np.sqrt(len(wanted))))
    starts = np.cumsum([0, *(len(want) for _, want, _ in chosen)])
    shown = [tiles(obj, int(at), rows, which) for (obj, _, which), at in zip(chosen, starts, strict=False)]
    seen = seen_tiles(shown, rows, len(wanted), folder)
    apart = np.abs(seen - wanted)
    assert (apart <= 0.05 * wanted + 2 / 255).all(), (
        apart.max(),
        int(apart.argmax()),
        wanted.mean(),
        seen.mean(),
    )
    counts = {
        kind: sum(len(want) for obj, want, _ in chosen if obj.tomb_raider.kind == kind)
        for kind in ("ROOM", "PLACEMENT")
    }
    return counts["ROOM"], counts["PLACEMENT"]


@pytest.mark.parametrize("game", list(Game), ids=lambda game: game.name)
def test_rooms_and_static_meshes_are_as_bright_as_in_the_game(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    data = sample_bytes(game)
    rooms, placed = check_tiles(import_scene(data), read_level(data), tmp_path)
    assert rooms > 100 and placed > 8


@each_real_level
def test_real_levels_are_as_bright_as_in_the_game(
    blender: ModuleType, tmp_path: Path, level_path: Path
) -> None:
    data = level_path.read_bytes()
    level = read_level(data)
    skip_without(level.rooms)
    assert sum(check_tiles(import_scene(data), level, tmp_path))
