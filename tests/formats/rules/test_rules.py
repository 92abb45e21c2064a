"""Rules of readers find the faults that are made, and nothing in levels of the games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.checks.check import check_level
from io_tomb_raider.formats.checks.findings import Severity
from io_tomb_raider.formats.level.decoded import Decoded
from io_tomb_raider.formats.rules.rule import PREFIX, READERS, TR1, Harm, Rule, once_if
from io_tomb_raider.formats.rules.rules import RULES, check_readers
from io_tomb_raider.formats.targets import Target
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import BROKEN_RULES, sample_bytes

Edit = Callable[[Level], object]
EDITS: dict[str, tuple[Game, Edit]] = {}


def sample(game: Game) -> Level:
    """Return a sample as read from its file."""
    return read_level(sample_bytes(game), name=".trc" if game is Game.TR5 else "")


def broken(level: Level) -> set[str]:
    """Return the names of the rules that a level breaks."""
    return {each.check.removeprefix(PREFIX) for each in check_readers(Decoded(level))}


def breaks(name: str, *games: Game) -> Callable[[Edit], Edit]:
    """Declare that an edit breaks a rule."""

    def declare(edit: Edit) -> Edit:
        for game in games:
            EDITS[f"{name}-{game.name}"] = (game, edit)
        return edit

    return declare


def put(level: Level, section: str, row: int | slice, **values: object) -> None:
    """Set fields of records of a section."""
    records = getattr(level, section).copy()
    for name, value in values.items():
        records[name][row] = value
    setattr(level, section, records)


def row_of(level: Level, slot: int) -> int:
    return int(np.flatnonzero(level.models["id"] == slot)[0])


breaks("mesh order", *Game)(
    lambda level: setattr(level, "mesh_pointers", np.concatenate([level.mesh_pointers, [0]])[::-1].copy())
)
breaks("bright palette", Game.TR1)(lambda level: setattr(level, "palette", level.palette | 0x40))
breaks("bump pages", Game.TR4)(lambda level: setattr(level, "bump_textiles", 1))
breaks("level settings", Game.TR5)(lambda level: setattr(level, "weather", 9))
breaks("frame rate", *Game)(lambda level: put(level, "animations", 3, frame_rate=0))
breaks("frame size", Game.TR2)(lambda level: put(level, "animations", 3, frame_size=0))
breaks("range of frames", *Game)(lambda level: put(level, "animations", 3, first_frame=9, last_frame=8))
breaks("frame offsets", *Game)(lambda level: put(level, "animations", 3, frame_offset=0))
breaks("first frame", *Game)(lambda level: put(level, "animations", 0, first_frame=1))
breaks("number of bones", *Game)(lambda level: put(level, "models", 0, meshes=33))
breaks("Lara first", *Game)(lambda level: put(level, "models", 0, meshes=14))
breaks("unique ids", *Game)(lambda level: put(level, "models", 1, id=0))
breaks("animation order", *Game)(lambda level: put(level, "models", 2, animation=0))
breaks("bone offsets", *Game)(lambda level: put(level, "models", 2, mesh_tree=1))
breaks("first pose", *Game)(lambda level: put(level, "models", 2, frame_offset=0))
breaks("menu model", Game.TR1)(lambda level: put(level, "models", row_of(level, 108), id=110))
breaks("menu model", Game.TR2)(lambda level: put(level, "models", row_of(level, 171), id=170))
breaks("blend modes", *Game)(lambda level: put(level, "object_textures", slice(None), attribute=9))
breaks("sprite sequences", *Game)(lambda level: put(level, "sprite_sequences", 0, negative_length=0))
breaks("boxes", *Game)(lambda level: setattr(level, "boxes", level.boxes[:0]))
breaks("loudness", Game.TR1, Game.TR2)(lambda level: put(level, "sound_details", 0, volume=40000))
breaks("samples of sounds", *Game)(lambda level: put(level, "sound_details", slice(None), flags=0))


@breaks("room on the grid", *Game)
def _off_grid(level: Level) -> None:
    level.rooms[0].x += 1


@breaks("world size", Game.TR3, Game.TR4, Game.TR5)
def _far_away(level: Level) -> None:
    level.rooms[0].x = 200 * 1024


@breaks("portal direction", *Game)
def _slanted(level: Level) -> None:
    portals = level.rooms[0].portals.copy()
    portals["normal"][0] = (1, 1, 0)
    level.rooms[0].portals = portals


@breaks("flat portal", *Game)
def _bent(level: Level) -> None:
    portals = level.rooms[0].portals.copy()
    axis = int(np.abs(portals["normal"][0]).argmax())
    portals["vertices"][0, 0, axis] += 100
    level.rooms[0].portals = portals


@breaks("corner sense", *Game)
def _reversed(level: Level) -> None:
    portals = level.rooms[0].portals.copy()
    portals["vertices"] = portals["vertices"][:, ::-1]
    level.rooms[0].portals = portals


@breaks("states of doors", *Game)
def _open_door(level: Level) -> None:
    slot = {Game.TR1: 57, Game.TR2: 106, Game.TR3: 131, Game.TR4: 322, Game.TR5: 284}[level.game]
    put(level, "animations", int(level.models["animation"][row_of(level, slot)]), state=1)


@breaks("direction of doors", *Game)
def _turned_door(level: Level) -> None:
    put(level, "entities", 4, angle=0x1000)
    put(
        level,
        "entities",
        4,
        type={Game.TR1: 57, Game.TR2: 106, Game.TR3: 131, Game.TR4: 322, Game.TR5: 284}[level.game],
    )


@breaks("place of pushable blocks", *Game)
def _pushed(level: Level) -> None:
    slot = {Game.TR1: 48, Game.TR2: 67, Game.TR3: 97, Game.TR4: 156, Game.TR5: 137}[level.game]
    put(level, "entities", 4, type=slot, x=int(level.entities["x"][4]) // 1024 * 1024 + 100)


@breaks("room words", Game.TR1, Game.TR4)
def _miscounted(level: Level) -> None:
    stored, words = level.rooms[0].geometry_words
    level.rooms[0].geometry_words = (stored + 1, words)


@pytest.mark.parametrize("name", EDITS)
def test_a_broken_rule_is_found(name: str) -> None:
    game, edit = EDITS[name]
    rule = name.rpartition("-")[0]
    assert rule not in broken(sample(game))
    level = sample(game)
    edit(level)
    assert rule in broken(level)


@each_game
def test_samples_break_the_rules_that_are_listed(game: Game) -> None:
    assert broken(sample(game)) <= BROKEN_RULES


def test_rules_have_names_of_their_own_and_known_readers() -> None:
    names = [rule.name for rule in RULES]
    assert len(set(names)) == len(names) and set(names) >= BROKEN_RULES
    assert all(set(rule.readers) <= set(READERS) and rule.games for rule in RULES)


@each_real_level
def test_levels_of_the_games_keep_all_rules_but_those_of_single_pixels(level_path: Path) -> None:
    if level_path.name not in ("tr1_cut1.phd", "tr1_demo_level2.phd", "tr2_gold_level1.tr2"):
        pytest.skip("made by other tools")
    assert not [
        each for each in check_readers(Decoded(read_level(level_path))) if each.severity > Severity.INFO
    ]


def test_what_the_original_game_only_requires_is_nothing_for_trx() -> None:
    level = sample(Game.TR1)
    level.demo_data = np.full(40000, 255, level.demo_data.dtype)
    found = [
        {each.check for each in check_level(Decoded(level, target))}
        for target in (Target.ORIGINAL, Target.TRX)
    ]
    assert found[0] - found[1] >= {f"{PREFIX}size of demo data"}


def test_crashes_are_errors_and_come_first() -> None:
    findings = [each for each in check_readers(Decoded(sample(Game.TR4)))]
    severities = [each.severity for each in findings]
    assert severities == sorted(severities, reverse=True) and Severity.ERROR in severities
    rule = Rule("test", Harm.COSMETIC, TR1, ("TRX",), "text", lambda _: once_if(True))
    (finding,) = rule.findings(Decoded(sample(Game.TR1)))
    assert finding.severity is Severity.INFO and finding.check == f"{PREFIX}test"
