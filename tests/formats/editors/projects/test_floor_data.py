"""Sectors and floor data of projects, against the judge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.compile.plan.log import Log
from io_tomb_raider.formats.editors.projects.compile.plan.plan import CompileTarget, Plan
from io_tomb_raider.formats.editors.projects.compile.rooms.floor_data import FloorWriter
from io_tomb_raider.formats.editors.projects.compile.rooms.sectors import compile_sectors
from io_tomb_raider.formats.editors.projects.geometry.openings import ProjectRooms
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom
from io_tomb_raider.formats.editors.projects.model.shape import RoomShape
from io_tomb_raider.formats.levels.floor.grammar import Rules
from tests.formats.editors.projects.random_grids import random_rooms
from tests.formats.editors.projects.random_rooms import worlds
from tests.formats.editors.projects.sector_reference import SectorJudge

SEEDS = 30


def check_sectors(rooms: list[ProjectRoom], game: Game) -> None:
    """Compare sectors with those of the judge."""
    judge = SectorJudge(rooms, game)
    plan = Plan(CompileTarget(game), rooms, Log())
    sectors = compile_sectors(plan, ProjectRooms(rooms))
    writer = FloorWriter(Rules(trng=False), shared=False)
    depths = [room.shape.z_sectors for room in rooms]
    data = writer.write(sectors, [{} for _ in rooms], depths)
    starts: list[int] = []
    for room, own in zip(rooms, sectors, strict=True):
        records = own.records.reshape(room.shape.x_sectors, room.shape.z_sectors)
        for (x, z), expected in judge.sectors[room.number].items():
            record, place = records[x, z], (room.number, x, z)
            found = [int(record[name]) for name in ("floor", "ceiling", "room_below", "room_above")]
            assert found == list(expected[:4]), place
            start = int(record["floor_data"])
            assert bool(start) == bool(expected.words), place
            assert data[start : start + len(expected.words)].tolist() == (expected.words or []), place
            starts += [start] if start else []
    assert starts == sorted(starts) and len(set(starts)) == len(starts)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_sectors_are_those_of_the_judge(seed: int) -> None:
    rooms = random_rooms(seed)
    random = np.random.default_rng(seed)
    for room in rooms:
        _disturb(random, room.shape)
    check_sectors(rooms, (Game.TR1, Game.TR2, Game.TR4)[seed % 3])


def _disturb(random: np.random.Generator, shape: RoomShape) -> None:
    """Add diagonals, heights between clicks, heights out of range, and marks."""
    size = shape.wall.shape
    for surface in (shape.floor, shape.ceiling):
        chosen = random.random(size) < 0.2
        surface.heights[chosen] += random.integers(-5, 6, (int(chosen.sum()), 4)) * 128
        far = random.random(size) < 0.02
        surface.heights[far] += random.integers(-300, 300, (int(far.sum()), 4)) * 256
        cut = (random.random(size) < 0.2) & ~shape.border
        surface.diagonal[cut] = random.integers(1, 5, int(cut.sum()))
        surface.x_equals_z[:] = random.random(size) < 0.5
    shape.flags |= random.integers(0, 1 << 12, size) * (random.random(size) < 0.3)


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_sectors_of_random_rooms_equal_those_of_the_reference(rooms: list[ProjectRoom]) -> None:
    for game in (Game.TR1, Game.TR4):
        check_sectors(rooms, game)
