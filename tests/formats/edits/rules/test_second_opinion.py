"""The rules of readers agree with a second opinion that shares no code with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.rules.rule import Harm
from io_tomb_raider.formats.edits.rules.rules import RULES
from tests.level_rules import CRASHES
from tests.level_rules.compare import broken_rules, disagreements
from tests.level_rules.mutations import mutated
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, named_sample, sample_bytes

_LEVELS_OF_A_GAME = 100
_BROKEN_AT_LEAST = 18  # rules that damage of these levels breaks


def _has_all(level: Level) -> bool:
    return level.has("rooms") and level.has("sample_indices")


def test_every_rule_about_crashes_has_a_second_implementation() -> None:
    checked = {
        rule.name
        for rule in RULES
        if rule.harm is Harm.CRASH and rule.find is not None and not rule.only_for_trx
    }
    # The menu is a list of models of the catalog, which the opinion does not have.
    assert checked - {"animation of menu models"} <= CRASHES.keys()
    games = {rule.name: "".join(str(int(game)) for game in sorted(rule.games)) for rule in RULES}
    assert {name: rule.games for name, rule in CRASHES.items()} == {name: games[name] for name in CRASHES}


@pytest.mark.parametrize("name", SAMPLES)
def test_both_agree_on_samples(name: str) -> None:
    level = read_level(named_sample(name))
    assert not _has_all(level) or disagreements(level) == []


@each_real_level
def test_both_agree_on_real_levels(level_path: Path) -> None:
    level = read_level(level_path)
    assert not _has_all(level) or disagreements(level) == []


@pytest.mark.once
@pytest.mark.parametrize("game", Game)
def test_both_agree_on_damaged_levels(game: Game) -> None:
    level = read_level(sample_bytes(game))
    broken: set[str] = set()
    wrong: dict[int, list[str]] = {}
    for number in range(_LEVELS_OF_A_GAME):
        damaged = mutated(level, seed=5 * number + int(game))
        broken |= broken_rules(damaged).keys()
        if found := disagreements(damaged):
            wrong[number] = found
    assert wrong == {}
    assert len(broken & CRASHES.keys()) >= _BROKEN_AT_LEAST


def _set(section: str, field: str, row: int, value: int) -> Callable[[Level], None]:
    def damage(level: Level) -> None:
        records = np.array(getattr(level, section))
        records[field][row] = value
        setattr(level, section, records)

    return damage


def _share_twice(level: Level) -> None:
    """Give two pairs of models the same animations."""
    models = np.array(level.models)
    models["meshes"] = np.maximum(models["meshes"], 1)
    models["animation"][:4] = (0, 0, 5, 5)
    level.models = models


def _open_a_border(level: Level) -> None:
    sectors = np.array(level.rooms[0].sectors)
    sectors["ceiling"][0] = -10  # the floor alone makes a wall
    level.rooms[0].sectors = sectors


def _end_a_list_nowhere(level: Level) -> None:
    sectors = np.array(level.rooms[0].sectors)
    sectors["floor_data"][-1] = len(level.floor_data)
    level.rooms[0].sectors = sectors
    level.floor_data = np.append(level.floor_data, np.uint16(0x801F))


def _lift_lara(level: Level) -> None:
    entities = np.array(level.entities)
    entities["y"][entities["type"] == 0] -= 20_000
    level.entities = entities


def _name_no_box(level: Level) -> None:
    overlaps = np.array(level.overlaps)
    overlaps[0] |= 0x7FF
    level.overlaps = overlaps


@pytest.mark.parametrize(
    ("game", "rule", "damage", "places"),
    [
        (Game.TR1, "size of boxes", _set("boxes", "x_max", 0, 1_000_000), 1),
        (Game.TR2, "overlap lists", _name_no_box, 1),
        (Game.TR1, "shared animations", _share_twice, 2),
        (Game.TR3, "closed border", _open_a_border, 0),
        (Game.TR3, "functions", _end_a_list_nowhere, 1),
        (Game.TR2, "start of Lara", _lift_lara, 1),
        (Game.TR4, "room in frames", _set("animations", "frame_offset", 3, 33), 1),
        (Game.TR2, "animation without frames", _set("animations", "frame_offset", 3, 0), 1),
    ],
)
def test_damage_breaks_its_rule_at_all_places(
    game: Game, rule: str, damage: Callable[[Level], None], places: int
) -> None:
    level = read_level(sample_bytes(game))
    damage(level)
    assert len(broken_rules(level).get(rule, ())) == places
