"""What is said of a game is what its file, packed by hand, has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from io_tomb_raider.formats import Game, Level

from .levels import GOLDEN


def _field(name: str, field: str) -> Callable[[Level], bool]:
    return lambda level: name in vars(level) and field in (getattr(level, name).dtype.names or ())


def _room(field: str) -> Callable[[Level], bool]:
    return lambda level: level.rooms[0].has(field)


def _of_rooms(part: str, field: str) -> Callable[[Level], bool]:
    return lambda level: field in (getattr(level.rooms[0], part).dtype.names or ())


SAID: dict[str, Callable[[Level], bool]] = {
    "has_ambient": _room("ambient"),
    "has_light_mode": _room("light_mode"),
    "has_room_color": _room("color"),
    "has_reverb": _room("reverb"),
    "has_room_layers": _room("layers"),
    "has_fog_bulb_list": _room("fog_bulbs"),
    "has_second_light": _of_rooms("vertices", "light2"),
    "has_vertex_attributes": _of_rooms("vertices", "attributes"),
    "has_light_types": _of_rooms("lights", "type"),
    "has_palette": lambda level: "palette" in vars(level),
    "has_16bit_pages": lambda level: "textiles16" in vars(level),
    "has_32bit_pages": lambda level: "textiles32" in vars(level),
    "has_texture_flags": _field("object_textures", "flags"),
    "has_lateral_speed": _field("animations", "lateral_speed"),
    "has_cinematics": lambda level: level.has("cinematic_frames"),
    "has_flybys": lambda level: level.has("flyby_cameras"),
    "has_ai_objects": lambda level: level.has("ai_objects"),
}


@pytest.mark.parametrize("name", ["tr1", "tr2", "tr3", "tr4", "tr5"])
def test_traits_that_no_field_shows_are_those_of_the_documentation(name: str) -> None:
    game = GOLDEN[name].level.game
    assert game.traits.clears_bodies == (game <= Game.TR3)  # chapter 9.8
    assert game.traits.has_secret_action == (game is not Game.TR2)  # chapter 4.6.11
    assert game.traits.has_climbable_walls == (game >= Game.TR2)  # chapter 4.4
    assert game.traits.single_axis_bits == (12 if game >= Game.TR4 else 10)  # chapter 6.2.7


@pytest.mark.parametrize("name", ["tr1", "tr2", "tr3", "tr4", "tr5"])
def test_traits_are_what_the_file_has(name: str) -> None:
    level = GOLDEN[name].level
    said = {trait: getattr(level.game.traits, trait) for trait in SAID}
    assert said == {trait: has(level) for trait, has in SAID.items()}
