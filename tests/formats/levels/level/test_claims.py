"""Animations may refer to their tables often, but not so often that decoding would take too long.

Small tables allow 16 times 4096 references, which each of these levels reaches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError, Game, Level, read_level
from tests.sample_levels import sample_level


def _repeated(level: Level, name: str, count: int, **values: int) -> None:
    records = np.repeat(getattr(level, name)[:1], count)
    for field, value in values.items():
        records[field] = value
    setattr(level, name, records)


def _state_changes(level: Level) -> None:
    """32 animations refer to 2048 state changes each."""
    _repeated(level, "state_changes", 2048, first_dispatch=0, dispatches=0)
    _repeated(level, "animations", 32, state_changes=2048, first_state_change=0, commands=0)


def _dispatches(level: Level) -> None:
    """An animation refers to all 128 state changes, and each of them to 512 dispatches."""
    _repeated(level, "animation_dispatches", 600)
    _repeated(level, "state_changes", 128, first_dispatch=88, dispatches=512)
    _repeated(level, "animations", 1, state_changes=128, first_state_change=0, commands=0)


def _commands(level: Level) -> None:
    level.animation_commands = np.full(512, 4, "<i2")
    _repeated(level, "animations", 128, commands=512, first_command=0, state_changes=0)


def _add(level: Level, **values: int) -> None:
    last = level.animations[-1:].copy()
    for field, value in values.items():
        last[field] = value
    level.animations = np.concatenate([level.animations, last])


@pytest.mark.parametrize(
    ("claim", "one_more", "table"),
    [
        (_state_changes, {"state_changes": 1}, "2048 state_changes"),
        (_dispatches, {"state_changes": 1}, "600 animation_dispatches"),
        (_commands, {"commands": 1, "first_command": 511}, "512 animation_commands"),
    ],
)
def test_excessive_sharing_of_tables_is_refused_at_its_animation(
    claim: Any, one_more: Any, table: str
) -> None:
    level = sample_level(Game.TR1)
    claim(level)
    count = len(level.animations)
    again = read_level(level.to_bytes())
    assert len(again.animations) == count
    # References beyond the end of a table do not count.
    _add(level, commands=0xFFFF, first_command=0xFFFF, state_changes=0)
    read_level(level.to_bytes())
    _add(level, **({"commands": 0, "state_changes": 0} | one_more))
    with pytest.raises(FormatError, match=f"claim the {table} at most 16 times") as caught:
        read_level(level.to_bytes())
    assert (caught.value.section, caught.value.element) == ("animations", count + 1)
