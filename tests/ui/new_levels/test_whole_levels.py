"""Tests that levels built from plain meshes and a kit keep all rules, in every game."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from tests.games import each_game
from tests.new_levels.__main__ import build_level, generated_kit
from tests.new_levels.building import SUFFIXES
from tests.new_levels.judging import problems


@each_game
def test_a_level_from_plain_meshes_keeps_all_rules(
    blender: ModuleType, tmp_path: Path, game: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build_level(game, generated_kit(game, tmp_path), tmp_path, draw=False) == []
    told = capsys.readouterr().out
    assert "missing" not in told and "checked" not in told

    # And each rule detects a violation.
    level = read_level((tmp_path / f"{game.name.lower()}{SUFFIXES[game]}").read_bytes())
    rooms = level.rooms
    hall = next(room for room in rooms if (room.sectors["room_below"] != 255).any())
    sectors, portals = hall.sectors, hall.portals
    hall.sectors, hall.portals = sectors.copy(), portals[:1]
    over = np.flatnonzero(sectors["room_below"] != 255)
    floor = np.flatnonzero((sectors["floor"] == 0) & (sectors["room_below"] == 255))
    hall.sectors["room_below"][over[0]] = 255  # the pool leads up, but no sector leads down
    hall.sectors["room_below"][over[1]] = len(rooms)
    hall.sectors["box"][floor[0]] = 0x7FFF
    level.rooms = rooms
    level.entities = level.entities[:-1]
    level.overlaps = level.overlaps | np.uint16(0x8000)  # every list has one box only
    found = "\n".join(problems(level, []))
    for what in (
        "name nothing",
        "without one back",
        "lead nowhere",
        "openings that lead one way",
        "without a box",
        "overlaps that go one way",
        "portals: 5, not 6",
        "entities: 4, not 5",
    ):
        assert what in found
