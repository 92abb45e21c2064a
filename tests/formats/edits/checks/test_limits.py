"""Limits of the original engines: the known sizes of their arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.base.targets import Target, limits_of
from io_tomb_raider.formats.edits.rules.limits import CHECK, check_limits, shown_target
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import THE_LEVEL, Element, Severity
from tests.games import each_game
from tests.sample_levels import sample_level

# Per game, TR1 to TR5; None if only memory limits it, or if the game lacks it.
LIMITS: dict[str, tuple[int | None, ...]] = {
    "rooms": (255, 255, 255, 255, 255),
    "entities": (256, 256, 256, 256, 256),
    "sprite pictures": (512, 512, 512, None, None),
    "pathfinding boxes": (32767, 32767, 2047, 2047, 2047),
    "object textures": (2048, 2048, 4096, 32767, 16383),
    "static meshes up to the highest id": (50, 50, 50, 60, 70),
    "flyby cameras": (None, None, None, 128, 256),
    "flyby sequences up to the highest number": (None, None, None, 8, None),
    "samples": (256, 370, 500, 256, 256),
    "texture pages": (16, 32, 32, 32767, 32767),
}
# Of TRX, and whether it refuses more.
LIMITS_OF_TRX = {
    "rooms": (1024, True),
    "entities": (10240, True),
    "static meshes in rooms": (10240, True),
    "object textures": (32767, True),
    "texture pages": (128, False),
    "samples": (1000, False),
}
TRX_GAMES = (Game.TR1, Game.TR2, Game.TR3)
each_trx_game = pytest.mark.parametrize("game", TRX_GAMES)
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
    elif what == "static meshes in rooms":
        for room in level.rooms:
            room.static_meshes = room.static_meshes[:0]
        level.rooms[0].static_meshes = np.zeros(count, level.rooms[0].static_meshes.dtype)
    elif what == "texture pages":
        level.textiles16 = repeated(np.zeros((1, 256, 256), np.uint16))
        if level.game.traits.has_palette:
            level.textiles8 = repeated(level.textiles8)
    else:
        names = {
            "entities": "entities",
            "sprite pictures": "sprite_textures",
            "pathfinding boxes": "boxes",
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
        assert limit is None and limits_of(Target.ORIGINAL, game).flybys == 0
        return
    grow(level, what, MORE if limit is None else limit)
    assert list(check_limits(Decoded(level))) == []
    if limit is not None:
        grow(level, what, limit + 1)
        (finding,) = check_limits(Decoded(level, Target.ORIGINAL))
        assert finding.text == (f"there are {limit + 1:,} {what}, and the original game supports {limit:,}")
        assert finding.count == limit + 1 and finding.check.startswith(CHECK)
        assert (finding.severity, finding.obj) == (Severity.WARNING, THE_LEVEL)
        # Only another engine can play it: the level shows that it is for that one.
        is_for_trx = game in TRX_GAMES
        assert shown_target(level) is (Target.TRX if is_for_trx else Target.ORIGINAL)
        assert (list(check_limits(Decoded(level))) == []) == is_for_trx


@each_trx_game
@pytest.mark.parametrize("what", LIMITS_OF_TRX)
def test_one_more_than_trx_has_room_for_is_found(what: str, game: Game) -> None:
    limit, is_refused = LIMITS_OF_TRX[what]
    level = sample_level(game)
    grow(level, what, limit)
    assert list(check_limits(Decoded(level, Target.TRX))) == []
    grow(level, what, limit + 1)
    found = [(each.text, each.severity) for each in check_limits(Decoded(level, Target.TRX))]
    text = f"there are {limit + 1:,} {what}, and TRX supports {limit:,}"
    assert found == [(text, Severity.ERROR if is_refused else Severity.WARNING)]


@each_game
def test_a_block_of_trx_after_the_end_shows_the_target(game: Game) -> None:
    level = sample_level(game)
    assert shown_target(level) is Target.ORIGINAL
    for data, is_known in ((b"TRXJ\x09\0\0\0", True), (b"\0TRXJ\x09\0\0\0", False), (b"TRXI", True)):
        level.footer = np.frombuffer(data, np.uint8)
        assert (shown_target(level) is Target.TRX) == (is_known and game in TRX_GAMES)


@each_game
def test_a_room_with_more_vertices_than_the_engine_has_room_for_is_found(game: Game) -> None:
    level = sample_level(game)
    room = level.rooms[1]
    is_limited = game in TRX_GAMES

    def found(count: int, target: Target | None) -> list[tuple[Element, Severity, int]]:
        room.vertices = np.repeat(room.vertices[:1], count)
        return [(each.obj, each.severity, each.count) for each in check_limits(Decoded(level, target))]

    assert found(1500, Target.ORIGINAL) == found(1501, None) == []
    warning = (Element("room", 1), Severity.WARNING, 1501)
    assert found(1501, Target.ORIGINAL) == ([warning] if is_limited else [])
    assert found(32767, Target.TRX) == []
    assert found(32768, None) == ([(Element("room", 1), Severity.ERROR, 32768)] if is_limited else [])
