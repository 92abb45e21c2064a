"""The smallest damage that breaks each rule, as a list, and what makes such damage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.rooms.rooms import Room
from tests.sample_levels import sample_bytes

Edit = Callable[[Level], object]

DOOR = {Game.TR1: 57, Game.TR2: 106, Game.TR3: 131, Game.TR4: 322, Game.TR5: 284}  # of the samples
NO_ANIMATION = 0xFFFF


@dataclass(frozen=True)
class Break:
    """An edit of a sample level that breaks a rule.

    Attributes:
        rule: the name of the rule. game: the game of the sample.
        edit: the damage.
        keep: an edit before it, for a sample that breaks the rule, or that lacks the part.
        also: other rules that it may break, too.
        places: how often it breaks the rule.
    """

    rule: str
    game: Game
    edit: Edit
    keep: Edit
    also: frozenset[str]
    places: int

    def __str__(self) -> str:
        return f"{self.rule}-{self.game.name}"


EDITS: list[Break] = []


def _as_it_is(level: Level) -> None:
    """Leave a sample as it is."""


def breaks(
    name: str, *games: Game, keep: Edit = _as_it_is, also: str = "", places: int = 1
) -> Callable[[Edit], Edit]:
    """Declare that an edit breaks a rule, after another edit with which the sample keeps it.

    Other rules that it breaks in some of the games are separated by commas.
    """

    def declare(edit: Edit) -> Edit:
        others = frozenset(filter(None, also.split(", ")))
        EDITS.extend(Break(name, game, edit, keep, others, places) for game in games)
        return edit

    return declare


def sample(game: Game) -> Level:
    """Return a sample as read from its file."""
    return read_level(sample_bytes(game), name=".trc" if game is Game.TR5 else "")


def put(owner: Level | Room, section: str, row: Any, **values: object) -> None:
    """Set fields of records of a section, of a level or of a room."""
    records = getattr(owner, section).copy()
    for name, value in values.items():
        records[name][row] = value
    setattr(owner, section, records)


def put_words(level: Level, section: str, at: int, *words: int) -> None:
    """Set words of a section."""
    stream = getattr(level, section).copy()
    stream[at : at + len(words)] = words
    setattr(level, section, stream)


def row_of(level: Level, slot: int) -> int:
    """Return the row of the model with an id."""
    return int(np.flatnonzero(level.models["id"] == slot)[0])


def add_model(level: Level, slot: int, meshes: int) -> None:
    """Add a model without animation that has meshes of the second model, in the order of the ids.

    It begins with the second mesh, as the first one of the second model is the first one of Lara.
    """
    model = level.models[1:2].copy()
    model["id"], model["meshes"], model["animation"] = slot, meshes, NO_ANIMATION
    model["first_mesh"] += 1
    at = int(np.searchsorted(level.models["id"], slot))
    level.models = np.concatenate([level.models[:at], model, level.models[at:]])


def add_list(level: Level, *words: int) -> None:
    """Give a list of floor data to a sector of the first room without one."""
    sectors = level.rooms[0].sectors
    row = int(np.flatnonzero((sectors["floor_data"] == 0) & (sectors["floor"] != -127))[0])
    put(level.rooms[0], "sectors", row, floor_data=len(level.floor_data))
    level.floor_data = np.append(level.floor_data, np.array(words, np.uint16))


def trigger(*actions: int) -> tuple[int, ...]:
    """Return a list of floor data with a trigger."""
    return (0x8004, 0x3F00, *actions[:-1], actions[-1] | 0x8000)
