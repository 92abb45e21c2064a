"""Limits of the original engines: the known sizes of their arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.checks.findings import THE_LEVEL, Element, Severity
from io_tomb_raider.formats.checks.limits import ENGINE_LIMITS, check_limits
from io_tomb_raider.formats.level.decoded import Decoded
from tests.games import each_game
from tests.sample_levels import sample_level

# Per game, TR1 to TR5; None if only memory limits it, or if the game lacks it.
LIMITS: dict[str, tuple[int | None, ...]] = {
    "rooms": (255, 255, 255, 255, 255),
    "entities": (256, 256, 256, 256, 256),
    "sprite pictures": (512, 512, 512, None, None),
    "boxes of the ways of enemies": (32767, 32767, 2047, 2047, 2047),
    "object textures": (2048, 2048, 4096, 32767, 16383),
    "static meshes up to the highest id": (50, 50, 50, 60, 70),
    "flyby cameras": (None, None, None, 128, 256),
    "flyby sequences up to the highest number": (None, None, None, 8, None),
    "samples": (256, 370, 500, 256, 256),
    "texture pages": (16, 32, 32, 32767, 32767),
}
MORE = 100_000  # than any limit


def grow(level: Level, what: str, count: int) -> None:
    """Enlarge a section of a level to a number of elements."""

    def repeated(records: Any) -> Any:
        return np.broadcast_to(records[:1], (count, *records.shape[1:]))

    if what == "rooms":
        level.rooms = level.rooms[:1] * count
    elif what == "static meshes up to the highest id":
        level.static_meshes = level.static_meshes.copy()
        level.static_meshes["id"][0] = count - 1
    elif what == "flyby sequences up to the highest number":
        level.flyby_cameras = level.flyby_cameras[:1].copy()
        level.flyby_cameras["sequence"] = min(count, 256) - 1
    elif what == "texture pages":
        level.textiles16 = repeated(np.zeros((1, 256, 256), np.uint16))
        if level.game.traits.has_palette:
            level.textiles8 = repeated(level.textiles8)
    else:
        names = {
            "entities": "entities",
            "sprite pictures": "sprite_textures",
            "boxes of the ways of enemies": "boxes",
            "object textures": "object_textures",
            "flyby cameras": "flyby_cameras",
            "samples": "sample_indices",
        }
        setattr(level, names[what], repeated(getattr(level, names[what])))


@each_game
@pytest.mark.parametrize("what", LIMITS)
def test_one_more_than_the_engine_has_room_for_is_found(what: str, game: Game) -> None:
    limit = LIMITS[what][game - Game.TR1]
    level = sample_level(game)
    if what.startswith("flyby") and not level.has("flyby_cameras"):
        assert limit is None and ENGINE_LIMITS[game].flybys == 0
        return
    grow(level, what, MORE if limit is None else limit)
    assert list(check_limits(Decoded(level))) == []
    if limit is not None:
        grow(level, what, limit + 1)
        (finding,) = check_limits(Decoded(level))
        assert finding.text == (
            f"there are {limit + 1:,} {what}, and the original game has room for {limit:,}"
        )
        assert finding.count == limit + 1 and finding.check == f"limit: {what}"
        assert (finding.severity, finding.obj) == (Severity.WARNING, THE_LEVEL)


@each_game
def test_a_room_with_more_vertices_than_the_engine_has_room_for_is_found(game: Game) -> None:
    level = sample_level(game)
    room = level.rooms[1]
    room.vertices = np.repeat(room.vertices[:1], 1500)
    assert list(check_limits(Decoded(level))) == []
    room.vertices = np.repeat(room.vertices[:1], 1501)
    found = [(each.obj, each.severity, each.count) for each in check_limits(Decoded(level))]
    is_limited = game in (Game.TR1, Game.TR2, Game.TR3)
    assert found == ([(Element("room", 1), Severity.WARNING, 1501)] if is_limited else [])
