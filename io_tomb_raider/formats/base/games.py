"""The five games, the variants of their level files, and their differences."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import NamedTuple

LARA = 0  # the type of the player's entity, and the number of its model, in all games


class Game(IntEnum):
    """A game. Its properties and features are in :attr:`traits`."""

    TR1 = 1
    TR2 = 2
    TR3 = 3
    TR4 = 4
    TR5 = 5

    @property
    def traits(self) -> Traits:
        """The properties in which the games differ."""
        return TRAITS[self]


class Variant(Enum):
    """The deviation of a level file from the retail layout of its game (documentation, chapter 10.10)."""

    RETAIL = "retail"
    DEMO = "demo"  # TR1 and Unfinished Business: palette moved. TR2: light map moved, samples embedded.
    EARLY_DEMO = "early demo"  # TR4: the whole file is one zlib stream


class SamplePlace(Enum):
    """The place of the waves of a game's sounds."""

    IN_BLOCK = "in one block of the level, which sounds point into"
    IN_MAIN_SFX = "in the file MAIN.SFX, which all levels share"
    IN_CHUNKS = "in the level, each with its sizes"


class Traits(NamedTuple):
    """The properties in which the games differ. Every game-dependent decision has a flag here.

    The chapters are those of the documentation; the defaults are TR1's.

    Attributes:
        has_vertex_light: vertices of rooms have a 16-bit light (chapter 3.2.1).
        has_second_light: vertices, rooms and static meshes in rooms have two lights (3.2.1, 3.2).
        has_vertex_attributes: vertices of rooms have flags (3.2.1).
        has_color_light: vertices of rooms have a color (3.2.1).
        has_room_layers: rooms are divided into layers, and their vertices are floats with a normal and a
            32-bit color (3.2).
        has_ambient: rooms have a 16-bit ambient light (3.2).
        has_light_mode: rooms have a mode of light changes (3.2).
        has_effect_strengths: vertices have a strength of the room's light mode instead of effects.
        has_room_color: the ambient light of rooms is a color (3.2).
        has_reverb: rooms have a water scheme, a reverberation, and a byte for flip groups (3.2).
        has_flip_groups: rooms are flipped by groups (3.2).
        has_face_marks: a second bit of the texture of a room's face is no part of its index (3.2.1).
        marks_static_meshes: static meshes in rooms have a word that is 1 for those that are drawn (3.2.5).
        has_room_sprites: rooms have sprites (3.2.2).
        has_quicksand: rooms can be filled with quicksand (3.2).
        has_light_types: lights have a type and a color (3.2.4).
        has_light_ranges: lights have an inner and an outer range instead of a falloff (3.2.4).
        lights_origins: entities other than Lara are lit at their origin, not at their middle.
        has_doubled_light: objects take lights that are not spots twice; pickups, their surroundings.
        has_soft_points: point lights reach around objects.
        has_light_curve: textures are lit by a power of the brightness.
        has_sun_lengths: the length of a sun's direction is its strength (3.2.4).
        spot_reach: the field of a spot with the distance at which its light ends (3.2.4).
        has_light_intensity: lights have an intensity; otherwise their color includes it (3.2.4).
        has_fog_bulb_list: fog bulbs have a list of their own (3.2.4).
        has_beam_directions: the direction of suns and spots is that of their beam, not the opposite (3.2.4).
        has_materials: the box field of sectors has a material, so boxes have 11 bits there (3.2.3, 7.3).
        has_climbable_walls: floor data can mark walls as climbable (4.4).
        has_triangulated_floors: floors and ceilings can be two triangles (4.4).
        has_sector_marks: sectors can have marks besides the deadly floor, like monkey swings (4.4).
        has_beetles: a mark of sectors is for beetles or mine carts (4.4).
        has_mine_carts: two marks of sectors turn mine carts instead of deferring triggers (4.4).
        last_trigger_type: the highest type of triggers (4.5).
        last_action: the highest type of actions (4.6).
        has_move_timer: the cameras of triggers can move from Lara (4.6.2).
        has_secret_action: triggers can count a secret (4.6.11); in TR2 secrets are pickups.
        has_end_choice: the action that ends a level has the number of the next one (4.6).
        has_body_action: triggers can remove bodies (4.6).
        has_negative_timers: the timers of triggers are signed (4.5).
        has_colored_faces: faces of meshes can have a color of the palette (5.3).
        has_static_mesh_flags: the engine reads the flags of static meshes (5.3).
        has_shatters: some static meshes can be destroyed, and set off heavy triggers (5.3).
        has_effects: faces of meshes have an effects word (5.3).
        has_lateral_speed: animations have a lateral speed (6.2.2).
        has_even_streams: frames and the commands of animations have an even number of words (6.2).
        has_packed_frames: animations have the size of their key frames, where a rotation about one axis is
            one word; otherwise key frames have the number of their rotations, of two words each (6.2.7).
        has_sound_conditions: sounds of animations can be limited to land or water (6.2.6).
        has_foot_conditions: effects of animations can be limited to a foot (6.2.6).
        single_axis_bits: the bits of a rotation about one axis (6.2.7).
        has_slopes_without_boxes: steep floors have no boxes (7.3).
        has_box_sectors: the sides of boxes are in sectors; otherwise in units (7.2).
        ground_zones: the kinds of zones of enemies on the ground (7.4).
        has_overlap_flags: overlaps have flags for gaps and monkey swings (7.3).
        samples: the place of waves (8.1).
        needs_sounds: levels without any sound are not loaded (8.3).
        has_sound_range: sounds have a range and a pitch, and a volume of 8 bits (8.3).
        has_palette: 8-bit pages, and a palette (9.2).
        has_16bit_pages: 16-bit pages (9.2).
        has_32bit_pages: 32-bit pages, separate for rooms, objects and bumps (9.2).
        has_texture_flags: object textures have flags, a size, and a triangle bit (9.3).
        has_fixed_sizes: sizes of object textures are fixed-point numbers (9.3).
        has_pixel_corners: corners of object textures are cut to whole pixels (9.3).
        has_bump: object textures can be bumped (9.3).
        has_additive_blending: object textures can be additive (9.3).
        has_double_sided_faces: a bit of a face's texture makes it double-sided (9.3).
        has_scrolling_textures: the first animated textures scroll (9.4).
        has_sprite_sides: sprites have world extents, separate from their pixels (9.1).
        has_cinematics: levels can be cutscenes, with a camera frame by frame (9.7).
        has_flybys: levels have flyby cameras (9.6).
        has_sniper_cameras: fixed cameras can zoom as a rifle does (9.5).
        has_flyby_tracking: flyby cameras can follow an entity, and wait (9.6).
        has_ai_objects: levels have AI objects for enemies (9.8).
        ai_marks: the types that mark places for characters (7.4), which are entities in TR3.
        has_cutscene_file: cutscenes are in a file next to the levels.
        clears_bodies: entities have a flag that removes them after death (9.8).
        suffix: the suffix of level files.
        has_wads: object files of level editors (WAD) are for the game.
        has_weather: levels have a weather, and a type of Lara (2).
        has_gameflow: the names of levels are in a gameflow of TR2's kind.
        has_script: the names of levels are in a file next to them.
        has_trng: levels may have a footer of TRNG's.
        has_trx: the engine TRX plays the game's levels.
    """

    has_vertex_light: bool = True
    has_second_light: bool = False
    has_vertex_attributes: bool = False
    has_color_light: bool = False
    has_room_layers: bool = False
    has_ambient: bool = True
    has_light_mode: bool = False
    has_effect_strengths: bool = False
    has_room_color: bool = False
    has_reverb: bool = False
    has_flip_groups: bool = False
    has_face_marks: bool = False
    marks_static_meshes: bool = False
    has_room_sprites: bool = True
    has_quicksand: bool = False
    has_light_types: bool = False
    has_light_ranges: bool = False
    lights_origins: bool = False
    has_doubled_light: bool = False
    has_soft_points: bool = False
    has_light_curve: bool = False
    has_sun_lengths: bool = False
    spot_reach: str = "range"
    has_light_intensity: bool = True
    has_fog_bulb_list: bool = False
    has_beam_directions: bool = False
    has_materials: bool = False
    has_climbable_walls: bool = False
    has_triangulated_floors: bool = False
    has_sector_marks: bool = False
    has_beetles: bool = False
    has_mine_carts: bool = False
    last_trigger_type: int = 0x08
    last_action: int = 0x0B
    has_move_timer: bool = True
    has_secret_action: bool = True
    has_end_choice: bool = False
    has_body_action: bool = False
    has_negative_timers: bool = False
    has_colored_faces: bool = True
    has_static_mesh_flags: bool = True
    has_shatters: bool = False
    has_effects: bool = False
    has_lateral_speed: bool = False
    has_even_streams: bool = False
    has_packed_frames: bool = False
    has_sound_conditions: bool = False
    has_foot_conditions: bool = False
    single_axis_bits: int = 10
    has_slopes_without_boxes: bool = False
    has_box_sectors: bool = False
    ground_zones: int = 2
    has_overlap_flags: bool = False
    samples: SamplePlace = SamplePlace.IN_BLOCK
    needs_sounds: bool = True
    has_sound_range: bool = False
    has_palette: bool = True
    has_16bit_pages: bool = False
    has_32bit_pages: bool = False
    has_texture_flags: bool = False
    has_fixed_sizes: bool = False
    has_pixel_corners: bool = False
    has_bump: bool = False
    has_additive_blending: bool = False
    has_double_sided_faces: bool = False
    has_scrolling_textures: bool = False
    has_sprite_sides: bool = True
    has_cinematics: bool = True
    has_flybys: bool = False
    has_sniper_cameras: bool = False
    has_flyby_tracking: bool = False
    has_ai_objects: bool = False
    ai_marks: range = range(0)
    has_cutscene_file: bool = False
    clears_bodies: bool = True
    suffix: str = ".phd"
    has_wads: bool = False
    has_weather: bool = False
    has_gameflow: bool = False
    has_script: bool = False
    has_trng: bool = False
    has_trx: bool = True


# Each game by its differences from the one before.
_TR1 = Traits()
_TR2 = _TR1._replace(
    has_second_light=True,
    has_vertex_attributes=True,
    has_light_mode=True,
    has_climbable_walls=True,
    last_trigger_type=0x09,
    has_secret_action=False,
    has_sound_conditions=True,
    has_16bit_pages=True,
    samples=SamplePlace.IN_MAIN_SFX,
    has_gameflow=True,
    suffix=".tr2",
    has_effect_strengths=True,
    has_body_action=True,
    has_packed_frames=True,
    ground_zones=4,
    has_box_sectors=True,
    has_script=True,
)
_TR3 = _TR2._replace(
    has_second_light=False,
    has_color_light=True,
    has_reverb=True,
    has_light_types=True,
    has_materials=True,
    has_triangulated_floors=True,
    has_secret_action=True,
    has_move_timer=False,
    has_sector_marks=True,
    has_foot_conditions=True,
    has_slopes_without_boxes=True,
    has_sound_range=True,
    has_additive_blending=True,
    has_double_sided_faces=True,
    ai_marks=range(74, 82),
    has_effect_strengths=False,
    has_sun_lengths=True,
    has_light_curve=True,
    lights_origins=True,
    has_quicksand=True,
    has_mine_carts=True,
    has_beetles=True,
)
_TR4 = _TR3._replace(
    has_ambient=False,
    has_light_mode=False,
    has_room_color=True,
    has_flip_groups=True,
    has_light_ranges=True,
    last_trigger_type=0x0C,
    last_action=0x0D,
    has_negative_timers=True,
    has_colored_faces=False,
    has_static_mesh_flags=False,
    has_shatters=True,
    has_effects=True,
    has_lateral_speed=True,
    single_axis_bits=12,
    has_overlap_flags=True,
    samples=SamplePlace.IN_CHUNKS,
    needs_sounds=False,
    has_palette=False,
    has_32bit_pages=True,
    has_texture_flags=True,
    has_bump=True,
    has_scrolling_textures=True,
    has_sprite_sides=False,
    has_cinematics=False,
    has_flybys=True,
    has_ai_objects=True,
    ai_marks=range(398, 407),
    has_cutscene_file=True,
    clears_bodies=False,
    has_gameflow=False,
    has_trng=True,
    has_trx=False,
    has_sun_lengths=False,
    has_light_curve=False,
    lights_origins=False,
    has_quicksand=False,
    has_mine_carts=False,
    suffix=".tr4",
    has_doubled_light=True,
    spot_reach="cutoff",
    has_end_choice=True,
    has_flyby_tracking=True,
    has_wads=True,
)
_TR5 = _TR4._replace(
    has_vertex_light=False,
    has_vertex_attributes=False,
    has_room_layers=True,
    has_fog_bulb_list=True,
    has_beam_directions=True,
    last_trigger_type=0x10,
    ai_marks=range(378, 387),
    suffix=".trc",
    has_doubled_light=False,
    spot_reach="range",
    has_end_choice=False,
    has_flyby_tracking=False,
    has_wads=False,
    has_trng=False,
    has_beetles=False,
    has_light_intensity=False,
    has_soft_points=True,
    has_room_sprites=False,
    marks_static_meshes=True,
    has_face_marks=True,
    has_even_streams=True,
    has_pixel_corners=True,
    has_fixed_sizes=True,
    has_sniper_cameras=True,
    has_weather=True,
)
TRAITS = dict(zip(Game, (_TR1, _TR2, _TR3, _TR4, _TR5), strict=True))
