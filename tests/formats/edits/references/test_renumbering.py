"""Removing, sorting and joining elements of lists: all references still name the same elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.formats.base.messages import T
from io_tomb_raider.formats.edits.append.cut import PieceChoice, cut_to
from io_tomb_raider.formats.edits.append.join import join_animations
from io_tomb_raider.formats.edits.references.references import NONE, REFERENCES, missing_targets, tables
from io_tomb_raider.formats.edits.references.renumbering import (
    forms,
    join,
    references_to,
    remove,
    renumber,
    sort,
    used,
)
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.games import each_game
from tests.sample_levels import sample_level

# Lists in other places by game, of the same room, or not of records.
SPECIAL = frozenset({"samples", "vertices", "floor_data", "mesh_data", "sample_data"})
BY_NUMBER = (each for references in REFERENCES.values() for each in references if not each.by_id)
LISTS = sorted({each.target for each in BY_NUMBER} - SPECIAL)


def named(level: Level, target: str) -> dict[tuple[str, str], list[bytes | None]]:
    """Return the content of the elements to which records refer, by table and field."""
    decoded = Decoded(level)
    names = {name for name, _ in references_to(target)}
    found: dict[tuple[str, str], list[bytes | None]] = {}
    for table in tables(decoded, names):
        for reference in REFERENCES[table.name]:
            if reference.target == target and not reference.by_id:
                numbers, missing = missing_targets(decoded, table, reference._replace(length=""))
                numbers = np.where(missing, NONE, numbers)
                found[table.name, reference.field] = [
                    content(level, target, int(each)) for each in numbers.ravel()
                ]
    return found


def content(level: Level, target: str, number: int) -> bytes | None:
    """Return an element of a list without its own references."""
    if number == NONE:
        return None
    if target == "rooms":
        return bytes(level.rooms[number].vertices.tobytes())
    rows: NDArray[Any] = getattr(level, forms(level, target)[-1])
    if number == len(rows):
        return b"end"
    row = rows[number : number + 1].copy()
    for reference in REFERENCES.get(target, ()):
        if reference.field:
            row[reference.field] = 0
    return bytes(row.tobytes())


@each_game
@pytest.mark.parametrize("target", LISTS)
def test_records_name_the_same_elements_in_another_order(game: Game, target: str) -> None:
    level = sample_level(game)
    if target != "rooms" and not forms(level, target):
        return
    before = named(level, target)
    if target == "rooms":
        order = np.arange(len(level.rooms))[::-1]
        renumber(level, target, np.argsort(order))
        level.rooms = [level.rooms[each] for each in order]
    else:
        sort(level, target, np.arange(len(getattr(level, forms(level, target)[0])))[::-1])
    after = named(level, target)
    assert after.keys() == before.keys() and any(set(column) - {None} for column in before.values())
    for key, column in after.items():
        if key[0] == target or (target == "rooms" and key[0].startswith("room")):
            # These records are in another order, too.
            assert sorted(map(repr, column)) == sorted(map(repr, before[key])), key
        else:
            assert column == before[key], key


@each_game
@pytest.mark.parametrize("target", LISTS)
def test_records_stay_the_same_arrays_if_no_number_changes(game: Game, target: str) -> None:
    """Meshes are not encoded again, either."""
    level = sample_level(game)
    if target != "rooms" and not forms(level, target):
        return
    size = len(level.rooms) if target == "rooms" else len(getattr(level, forms(level, target)[0]))
    before = dict(vars(level))
    renumber(level, target, np.arange(size + 1))
    assert all(value is before[name] for name, value in vars(level).items())


@each_game
def test_unused_elements_are_removed(game: Game) -> None:
    level = sample_level(game)
    level.animations = np.concatenate([level.animations, level.animations[-1:]])
    before = named(level, "state_changes")
    level.state_changes = np.insert(level.state_changes, 0, level.state_changes[0])
    renumber(level, "state_changes", np.arange(1, len(level.state_changes) + 1))
    stays = used(level, "state_changes", "animations")
    assert not stays[0]
    remove(level, "state_changes", stays)
    assert named(level, "state_changes") == before


@each_game
def test_a_number_that_does_not_fit_is_an_error(game: Game) -> None:
    level = sample_level(game)
    numbers = np.arange(len(level.state_changes) + 1) + 0xFFFF
    with pytest.raises(ExportError) as caught:
        renumber(level, "state_changes", numbers, too_large=("animations", T("there are too many")))
    assert caught.value.limit == 0xFFFF and str(caught.value).startswith("animations")


@each_game
def test_elements_that_do_not_exist_stay_beyond_the_end(game: Game) -> None:
    level, piece = sample_level(game), sample_level(game)
    count = len(level.animations)
    piece.animations = piece.animations.copy()
    piece.animations["next_animation"][:2] = count + 3, 0xFFFE
    join(level, piece, ["animations"])
    assert len(level.animations) == 2 * count
    assert level.animations["next_animation"][count : count + 2].tolist() == [2 * count + 3, 0xFFFF]


@each_game
def test_transitions_that_were_cut_off_stay_without_a_target(game: Game) -> None:
    level = sample_level(game)
    first = level.models["id"][0]
    piece = cut_to(level, PieceChoice(frozenset({int(first)}), frozenset(), frozenset(), frozenset()))
    piece.animation_dispatches = piece.animation_dispatches.copy()
    piece.animation_dispatches["next_animation"][:1] = -1
    piece.models = np.concatenate([piece.models, piece.models[:1]])
    piece.models[-1:] = np.zeros(1, piece.models.dtype)  # a dummy, which has no animation
    before = len(level.animation_dispatches)
    join_animations(level, piece)
    assert level.animation_dispatches["next_animation"][before] == -1
    assert piece.models["animation"][-1] == 0 and piece.models["animation"][0] > 0
