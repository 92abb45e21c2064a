"""Traits of games agree with their files packed by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.base.games import SamplePlace
from tests.games import each_game

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
    "has_weather": lambda level: level.has("lara_type"),
}


# Facts without a field, by chapters of the documentation: the first and the last game of each.
KNOWN = {
    "has_vertex_light": (Game.TR1, Game.TR4),  # 3.2.1
    "has_color_light": (Game.TR3, Game.TR5),  # 3.2.1
    "has_flip_groups": (Game.TR4, Game.TR5),  # 3.4.4
    "has_light_ranges": (Game.TR4, Game.TR5),  # 3.2.4
    "has_materials": (Game.TR3, Game.TR5),  # 3.2.3
    "has_climbable_walls": (Game.TR2, Game.TR5),  # 4.4.6
    "has_triangulated_floors": (Game.TR3, Game.TR5),  # 4.4.7
    "has_sector_marks": (Game.TR3, Game.TR5),  # 4.4.8 to 4.4.10
    "has_negative_timers": (Game.TR4, Game.TR5),  # 4.5
    "has_colored_faces": (Game.TR1, Game.TR3),  # 5.3
    "has_static_mesh_flags": (Game.TR1, Game.TR3),  # 5.3
    "has_effects": (Game.TR4, Game.TR5),  # 5.3
    "has_sound_conditions": (Game.TR2, Game.TR5),  # 6.2.6
    "has_foot_conditions": (Game.TR3, Game.TR5),  # 6.2.6
    "has_slopes_without_boxes": (Game.TR3, Game.TR5),  # 7.3
    "has_overlap_flags": (Game.TR4, Game.TR5),  # 7.3
    "has_sound_range": (Game.TR3, Game.TR5),  # 8.3
    "has_bump": (Game.TR4, Game.TR5),  # 9.3
    "has_additive_blending": (Game.TR3, Game.TR5),  # 9.3
    "has_double_sided_faces": (Game.TR3, Game.TR5),  # 9.3
    "has_scrolling_textures": (Game.TR4, Game.TR5),  # 9.4
    "has_sprite_sides": (Game.TR1, Game.TR3),  # 9.1
    "has_cutscene_file": (Game.TR4, Game.TR5),  # 14
    "clears_bodies": (Game.TR1, Game.TR3),  # 9.8
    "has_gameflow": (Game.TR2, Game.TR3),
    "has_trng": (Game.TR4, Game.TR4),
    "has_trx": (Game.TR1, Game.TR3),
    "is_in_trx": (Game.TR1, Game.TR4),
    "needs_sounds": (Game.TR1, Game.TR3),
    "has_move_timer": (Game.TR1, Game.TR2),  # 4.6.2
    "has_shatters": (Game.TR4, Game.TR5),  # 5.3
    "has_beam_directions": (Game.TR5, Game.TR5),  # 3.2.4
    "has_effect_strengths": (Game.TR2, Game.TR2),  # 3.2.1
    "has_face_marks": (Game.TR5, Game.TR5),  # 3.2.1
    "marks_static_meshes": (Game.TR5, Game.TR5),  # 3.2.5
    "has_quicksand": (Game.TR3, Game.TR3),  # 3.2
    "lights_origins": (Game.TR3, Game.TR3),
    "has_doubled_light": (Game.TR4, Game.TR4),
    "has_soft_points": (Game.TR5, Game.TR5),
    "has_light_curve": (Game.TR3, Game.TR3),
    "has_sun_lengths": (Game.TR3, Game.TR3),  # 3.2.4
    "has_beetles": (Game.TR3, Game.TR4),  # 4.4.10
    "has_mine_carts": (Game.TR3, Game.TR3),  # 4.4.8
    "has_end_choice": (Game.TR4, Game.TR4),  # 4.6
    "has_body_action": (Game.TR2, Game.TR5),  # 4.6
    "has_even_streams": (Game.TR5, Game.TR5),  # 6.2
    "has_packed_frames": (Game.TR2, Game.TR5),  # 6.2.7
    "has_box_sectors": (Game.TR2, Game.TR5),  # 7.2
    "has_fixed_sizes": (Game.TR5, Game.TR5),  # 9.3
    "has_pixel_corners": (Game.TR5, Game.TR5),  # 9.3
    "has_sniper_cameras": (Game.TR5, Game.TR5),  # 9.5
    "has_flyby_tracking": (Game.TR4, Game.TR4),  # 9.6
    "has_light_intensity": (Game.TR1, Game.TR4),  # 3.2.4
    "has_room_sprites": (Game.TR1, Game.TR4),  # 3.2.2
    "has_wads": (Game.TR4, Game.TR4),
    "has_script": (Game.TR2, Game.TR5),
}
NUMBERS = {
    "last_trigger_type": (0x08, 0x09, 0x09, 0x0C, 0x10),  # 4.5
    "last_action": (0x0B, 0x0B, 0x0B, 0x0D, 0x0D),  # 4.6
    "has_secret_action": (True, False, True, True, True),  # 4.6.11
    "ai_marks": (range(0), range(0), range(74, 82), range(398, 407), range(378, 387)),  # 7.4
    "single_axis_bits": (10, 10, 10, 12, 12),  # 6.2.7
    "ground_zones": (2, 4, 4, 4, 4),  # 7.4
    "spot_reach": ("range", "range", "range", "cutoff", "range"),  # 3.2.4
    "suffix": (".phd", ".tr2", ".tr2", ".tr4", ".trc"),
    "samples": (  # 8.1
        SamplePlace.IN_BLOCK,
        SamplePlace.IN_MAIN_SFX,
        SamplePlace.IN_MAIN_SFX,
        SamplePlace.IN_CHUNKS,
        SamplePlace.IN_CHUNKS,
    ),
}


@each_game
def test_traits_that_no_field_shows_are_those_of_the_documentation(game: Game) -> None:
    traits = game.traits._asdict()
    assert {name: traits[name] for name in NUMBERS} == {
        name: values[game - Game.TR1] for name, values in NUMBERS.items()
    }
    assert {name: traits[name] for name in KNOWN} == {
        name: first <= game <= last for name, (first, last) in KNOWN.items()
    }
    # No trait without a test.
    assert traits.keys() == {*SAID, *KNOWN, *NUMBERS}


@pytest.mark.parametrize("name", ["tr1", "tr2", "tr3", "tr4", "tr5"])
def test_traits_match_the_file(name: str) -> None:
    level = GOLDEN[name].level
    said = {trait: getattr(level.game.traits, trait) for trait in SAID}
    assert said == {trait: has(level) for trait, has in SAID.items()}
