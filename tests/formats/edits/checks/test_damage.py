"""Damage of old levels that only their builders can repair is found, and nothing in valid levels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.catalogue.trx import is_known
from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.edits.checks.damage import check_extents, check_laras, check_rings
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import Element, Severity
from io_tomb_raider.scene.pipeline.checks.inhabitants import check_slots
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_level

pytestmark = pytest.mark.once


def found(level: Level, target: Target | None = None) -> list[tuple[str, Element, int]]:
    decoded = Decoded(level, target)
    findings = [
        each
        for check in (check_laras, check_rings, check_extents, check_slots)
        for each in check(decoded)
        if each.severity is Severity.WARNING
    ]
    return [(each.check, each.obj, each.count) for each in findings]


@each_game
def test_additional_laras_are_found(game: Game) -> None:
    level = sample_level(game)
    assert found(level) == []
    level.entities = level.entities.copy()
    level.entities["type"][[2, 3]] = 0
    assert found(level) == [("several Laras", Element("entity", number), 1) for number in (2, 3)]


@each_game
def test_open_sectors_at_the_border_are_found_but_portals_are_not(game: Game) -> None:
    level = sample_level(game)
    room = level.rooms[1]
    sectors = np.array(room.sectors)
    shape = room.x_sectors, room.z_sectors
    outer = np.ones(shape, bool)
    outer[1:-1, 1:-1] = False
    is_wall = Decoded(level).sectors.wall[len(level.rooms[0].sectors) :][: len(sectors)].reshape(shape)
    assert (outer & ~is_wall).any() or len(level.rooms[0].portals)  # there are portals in walls
    places = np.flatnonzero((outer & is_wall & (sectors["floor_data"].reshape(shape) == 0)).ravel())[:2]
    inner = np.flatnonzero((~outer & ~is_wall).ravel())[0]
    for name in ("floor", "ceiling"):
        sectors[name][places] = sectors[name][inner]
    room.sectors = sectors
    assert found(level) == [("no walls around", Element("room", 1), len(places))] and len(places)


@each_game
def test_vertices_far_outside_are_found(game: Game) -> None:
    level = sample_level(game)
    room = level.rooms[1]
    vertices = np.array(room.vertices)
    room.vertices = vertices
    edge = (room.x_sectors + 1) * 1024
    vertices["x"][0] = edge
    assert found(level) == []
    vertices["x"][0], vertices["z"][1] = edge + 1, -1025
    assert found(level) == [("far vertices", Element("room", 1), 2)]


def test_slots_that_trx_does_not_know_are_found_in_levels_for_it() -> None:
    level = sample_level(Game.TR1)
    assert found(level, Target.TRX) == []
    level.entities = level.entities.copy()
    level.entities["type"][2] = 174
    level.models = level.models.copy()
    level.models["id"][-1] = 400
    wrong = [("unknown slot", Element("entity", 2), 1), ("unknown slot", Element("model", 400), 1)]
    assert found(level, Target.TRX) == wrong and found(level, Target.ORIGINAL) == []
    assert is_known(Game.TR1, 328) and not is_known(Game.TR1, 329) and is_known(Game.TR2, 400)


def test_entities_of_tr4_that_trx_does_not_know_are_named() -> None:
    """It makes targets of cameras of them; other models do no harm."""
    level = sample_level(Game.TR4)
    level.entities = level.entities.copy()
    level.entities["type"] = 73  # a boar
    assert found(level, Target.TRX) == []
    level.entities["type"][2] = 35  # a skeleton
    level.models = level.models.copy()
    level.models["id"][-1] = 400
    assert found(level, Target.TRX) == [("unknown slot", Element("entity", 2), 1)]
    assert found(level, Target.ORIGINAL) == []
    unknown = [slot for slot in range(600) if not is_known(Game.TR4, slot)]
    assert len(unknown) == 165 + 58 and {9, 36, 313, 428, 458, 542} <= set(unknown)
    assert all(is_known(Game.TR4, slot) for slot in (0, 8, 37, 314, 427, 541)) and is_known(Game.TR5, 999)


@each_real_level
def test_real_levels_have_no_damage(level_path: Path) -> None:
    assert found(read_level(level_path)) == []
