"""The levels of the benchmark: real ones if there are any, and a generated one for every other game."""

from __future__ import annotations

from pathlib import Path

from io_tomb_raider.formats import Game, read_level
from tests.real_levels import real_levels
from tests.sample_levels import sample_bytes

SUFFIXES = {Game.TR1: ".phd", Game.TR2: ".tr2", Game.TR3: ".tr2", Game.TR4: ".tr4", Game.TR5: ".trc"}

ROOMS_MADE = (30, 100, 250)  # of generated levels as large as retail ones
_HEAVY = 90  # rooms


def heavy_first(levels: list[Path]) -> list[Path]:
    """Return levels with one as large as retail levels first."""
    heavy = next((path for path in levels if len(read_level(path).rooms) >= _HEAVY), levels[0])
    return [heavy, *(path for path in levels if path != heavy)]


def benchmark_levels(folder: Path) -> list[Path]:
    """Return real levels, and generated ones, written to ``folder``, for games without a real one."""
    found = real_levels()
    games = {read_level(path).game for path in found}
    for game in Game:
        if game not in games:
            path = folder / f"generated_{game.name.lower()}{SUFFIXES[game]}"
            path.write_bytes(sample_bytes(game))
            found.append(path)
    return found
