"""Tests of the flags of rooms, in both directions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.model.room_flags import (
    effect_of_flags,
    effect_of_mode,
    flags_of,
    light_mode_of,
    properties_of,
)
from io_tomb_raider.formats.editors.projects.model.rooms import LightEffect, ProjectRoom, RoomType
from io_tomb_raider.formats.editors.projects.model.shape import RoomShape


def room(**values: object) -> ProjectRoom:
    own: dict[str, Any] = {"effect": LightEffect.NONE, **values}
    return ProjectRoom(0, "Room", 0, 0, 0, RoomShape.empty(3, 3), **own)


@pytest.mark.parametrize(
    ("game", "trng", "values", "flags"),
    [
        (Game.TR1, False, {"kind": RoomType.WATER, "no_lens_flare": True}, 0x41),
        (Game.TR3, False, {"kind": RoomType.QUICKSAND}, 0xC0),
        (Game.TR4, False, {"kind": RoomType.QUICKSAND, "no_lens_flare": True}, 0xC4),
        (Game.TR4, False, {"kind": RoomType.RAIN, "damage": True, "cold": True}, 0x40),
        (Game.TR4, True, {"kind": RoomType.RAIN, "damage": True, "cold": True}, 0x1850),
        (Game.TR4, True, {"kind": RoomType.SNOW, "horizon": True, "outside": True}, 0x468),
        (Game.TR5, False, {"effect": LightEffect.MIST}, 0x140),
        (Game.TR5, False, {"effect": LightEffect.BOTH}, 0x140),
        (Game.TR5, False, {"effect": LightEffect.REFLECTION}, 0x240),
        (Game.TR3, False, {"effect": LightEffect.DEFAULT, "kind": RoomType.WATER}, 0x141),
        (Game.TR2, False, {"effect": LightEffect.DEFAULT, "kind": RoomType.WATER}, 0x41),
        (Game.TR3, False, {"effect": LightEffect.MOVEMENT}, 0x40),
    ],
)
def test_flags_of_rooms(game: Game, trng: bool, values: dict[str, object], flags: int) -> None:
    assert flags_of(room(**values), game, trng=trng) == flags


@given(
    game=st.sampled_from(Game),
    trng=st.booleans(),
    kind=st.sampled_from(RoomType),
    marks=st.sets(st.sampled_from(["horizon", "outside", "no_lens_flare", "damage", "cold"])),
    effect=st.sampled_from([LightEffect.NONE, LightEffect.MIST, LightEffect.REFLECTION]),
)
def test_flags_give_the_properties_back(
    game: Game, trng: bool, kind: RoomType, marks: set[str], effect: LightEffect
) -> None:
    trng &= game is Game.TR4
    made = room(kind=kind, effect=effect, **dict.fromkeys(marks, True))
    flags = flags_of(made, game, trng=trng)
    found = properties_of(flags, game, trng=trng)
    again = room(effect=effect, **found)
    assert flags_of(again, game, trng=trng) == flags
    assert effect_of_flags(flags) == (effect or LightEffect.DEFAULT)
    if trng:
        assert found == {**({"kind": kind} if kind else {}), **dict.fromkeys(marks, True)}


def test_light_modes() -> None:
    for effect, mode in ((LightEffect.MOVEMENT, 1), (LightEffect.GLOW, 2), (LightEffect.BOTH, 3)):
        assert light_mode_of(Game.TR2, room(effect=effect)) == mode and effect_of_mode(mode) == effect
        assert light_mode_of(Game.TR3, room(effect=effect)) == 0
    assert effect_of_mode(0) == LightEffect.DEFAULT
