"""Tests of what objects of a level lose in a project: it is told, by room."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from io_tomb_raider.formats import Level, read_level
from io_tomb_raider.formats.editors.projects.from_level.from_level import project_of
from io_tomb_raider.formats.editors.projects.from_level.lost import lost_values
from io_tomb_raider.formats.editors.projects.from_level.rooms.parts import LevelParts
from io_tomb_raider.formats.editors.projects.model.objects import Moveable
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.sample_levels import named_sample


def _edited(name: str, edit: Callable[[Level], None]) -> Decoded:
    level = read_level(named_sample(name), name="level.trc" if name == "tr5" else "")
    level.entities = level.entities.copy()
    level.entities["intensity"] = -1
    level.entities["flags"] &= 0x3F80
    edit(level)
    return Decoded(level)


def _texts(decoded: Decoded, room: int) -> str:
    return "; ".join(lost_values(LevelParts(decoded)).get(room, []))


def _set(field: str, value: int) -> Callable[[Level], None]:
    def edit(level: Level) -> None:
        level.entities[field][1] = np.array(value).astype(level.entities[field].dtype)

    return edit


@pytest.mark.parametrize("name", ["tr1", "tr2", "tr3", "tr4", "tr5"])
def test_no_lost_value_is_reported_if_none_is_lost(name: str) -> None:
    decoded = _edited(name, lambda level: None)
    assert not any(texts for texts in lost_values(LevelParts(decoded)).values() if "camera" not in str(texts))


@pytest.mark.parametrize(
    ("name", "field", "value", "words"),
    [
        ("tr2", "flags", -0x8000, "Clear Body"),
        ("tr1", "flags", -0x8000, "flags that the editor does not have"),
        ("tr2", "flags", 0x4000, "flags that the editor does not have"),
        ("tr5", "x", 500000, "outside of the room"),
    ],
)
def test_lost_values_are_reported(name: str, field: str, value: int, words: str) -> None:
    decoded = _edited(name, _set(field, value))
    room = int(decoded.level.entities["room"][1])
    assert words in _texts(decoded, room)
    report = project_of(decoded, "made").rooms[room]
    assert words in "; ".join(report.lost_values)


def test_the_body_of_an_enemy_of_tr2_is_removed_in_the_project() -> None:
    decoded = _edited("tr2", _set("flags", -0x8000))
    entities = [
        each for _, each in project_of(decoded, "made").project.objects() if isinstance(each, Moveable)
    ]
    assert [each.clear_body for each in entities].count(True) == 1


def test_lost_light_of_items_is_reported() -> None:
    def edit(level: Level) -> None:
        items = np.flatnonzero(np.isin(level.entities["type"], level.sprite_sequences["id"]))
        level.entities["intensity"][items] = 4096
        assert len(items)

    decoded = _edited("tr2", edit)
    told = lost_values(LevelParts(decoded))
    assert any("light of" in text for texts in told.values() for text in texts)


def test_of_two_rooms_that_name_each_other_the_second_is_the_alternate_one() -> None:
    def edit(level: Level) -> None:
        base = next(number for number, room in enumerate(level.rooms) if room.alternate_room >= 0)
        level.rooms[level.rooms[base].alternate_room].alternate_room = base

    decoded = _edited("tr1", edit)
    made = project_of(decoded, "made")
    (pair,) = [(room.number, room.alternate) for room in made.project.rooms if room.alternate is not None]
    base, alternate = pair[0], pair[1]
    assert alternate is not None and decoded.level.rooms[base].alternate_room == alternate[1]
    assert [report.lost_alternate for report in made.rooms if report.lost_alternate is not None] == [base]
