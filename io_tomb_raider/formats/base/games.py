"""The five games, the variants of their level files, and their differences."""

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
    def traits(self) -> "Traits":
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
    """

    has_vertex_light: bool = True  #: vertices of rooms have a 16-bit light (chapter 3.2.1).
    #: vertices, rooms and static meshes in rooms have two lights (3.2.1, 3.2).
    has_second_light: bool = False
    has_vertex_attributes: bool = False  #: vertices of rooms have flags (3.2.1).
    has_color_light: bool = False  #: vertices of rooms have a color (3.2.1).
    #: rooms are divided into layers, and their vertices are floats with a normal and a 32-bit color (3.2).
    has_room_layers: bool = False
    has_ambient: bool = True  #: rooms have a 16-bit ambient light (3.2).
    has_light_mode: bool = False  #: rooms have a mode of light changes (3.2).
    #: vertices have a strength of the room's light mode instead of effects.
    has_effect_strengths: bool = False
    has_room_color: bool = False  #: the ambient light of rooms is a color (3.2).
    has_reverb: bool = False  #: rooms have a water scheme, a reverberation, and a byte for flip groups (3.2).
    has_flip_groups: bool = False  #: rooms are flipped by groups (3.2).
    #: a second bit of the texture of a room's face is no part of its index (3.2.1).
    has_face_marks: bool = False
    #: static meshes in rooms have a word that is 1 for those that are drawn (3.2.5).
    marks_static_meshes: bool = False
    has_room_sprites: bool = True  #: rooms have sprites (3.2.2).
    has_quicksand: bool = False  #: rooms can be filled with quicksand (3.2).
    has_light_types: bool = False  #: lights have a type and a color (3.2.4).
    has_light_ranges: bool = False  #: lights have an inner and an outer range instead of a falloff (3.2.4).
    lights_origins: bool = False  #: entities other than Lara are lit at their origin, not at their middle.
    #: objects take lights that are not spots twice; pickups, their surroundings.
    has_doubled_light: bool = False
    has_soft_points: bool = False  #: point lights reach around objects.
    has_light_curve: bool = False  #: textures are lit by a power of the brightness.
    has_sun_lengths: bool = False  #: the length of a sun's direction is its strength (3.2.4).
    spot_reach: str = "range"  #: the field of a spot with the distance at which its light ends (3.2.4).
    has_light_intensity: bool = True  #: lights have an intensity; otherwise their color includes it (3.2.4).
    has_fog_bulb_list: bool = False  #: fog bulbs have a list of their own (3.2.4).
    #: the direction of suns and spots is that of their beam, not the opposite (3.2.4).
    has_beam_directions: bool = False
    #: the box field of sectors has a material, so boxes have 11 bits there (3.2.3, 7.3).
    has_materials: bool = False
    has_climbable_walls: bool = False  #: floor data can mark walls as climbable (4.4).
    has_triangulated_floors: bool = False  #: floors and ceilings can be two triangles (4.4).
    #: sectors can have marks besides the deadly floor, like monkey swings (4.4).
    has_sector_marks: bool = False
    has_beetles: bool = False  #: a mark of sectors is for beetles or mine carts (4.4).
    has_mine_carts: bool = False  #: two marks of sectors turn mine carts instead of deferring triggers (4.4).
    last_trigger_type: int = 0x08  #: the highest type of triggers (4.5).
    last_action: int = 0x0B  #: the highest type of actions (4.6).
    has_move_timer: bool = True  #: the cameras of triggers can move from Lara (4.6.2).
    has_secret_action: bool = True  #: triggers can count a secret (4.6.11); in TR2 secrets are pickups.
    has_end_choice: bool = False  #: the action that ends a level has the number of the next one (4.6).
    has_body_action: bool = False  #: triggers can remove bodies (4.6).
    has_negative_timers: bool = False  #: the timers of triggers are signed (4.5).
    has_colored_faces: bool = True  #: faces of meshes can have a color of the palette (5.3).
    has_static_mesh_flags: bool = True  #: the engine reads the flags of static meshes (5.3).
    has_shatters: bool = False  #: some static meshes can be destroyed, and set off heavy triggers (5.3).
    has_effects: bool = False  #: faces of meshes have an effects word (5.3).
    has_lateral_speed: bool = False  #: animations have a lateral speed (6.2.2).
    #: frames and the commands of animations have an even number of words (6.2).
    has_even_streams: bool = False
    #: animations have the size of their key frames, where a rotation about one axis is one word; otherwise
    #: key frames have the number of their rotations, of two words each (6.2.7).
    has_packed_frames: bool = False
    has_sound_conditions: bool = False  #: sounds of animations can be limited to land or water (6.2.6).
    has_foot_conditions: bool = False  #: effects of animations can be limited to a foot (6.2.6).
    single_axis_bits: int = 10  #: the bits of a rotation about one axis (6.2.7).
    has_slopes_without_boxes: bool = False  #: steep floors have no boxes (7.3).
    has_box_sectors: bool = False  #: the sides of boxes are in sectors; otherwise in units (7.2).
    ground_zones: int = 2  #: the kinds of zones of enemies on the ground (7.4).
    has_overlap_flags: bool = False  #: overlaps have flags for gaps and monkey swings (7.3).
    samples: SamplePlace = SamplePlace.IN_BLOCK  #: the place of waves (8.1).
    needs_sounds: bool = True  #: levels without any sound are not loaded (8.3).
    has_sound_range: bool = False  #: sounds have a range and a pitch, and a volume of 8 bits (8.3).
    has_palette: bool = True  #: 8-bit pages, and a palette (9.2).
    has_16bit_pages: bool = False  #: 16-bit pages (9.2).
    has_32bit_pages: bool = False  #: 32-bit pages, separate for rooms, objects and bumps (9.2).
    has_texture_flags: bool = False  #: object textures have flags, a size, and a triangle bit (9.3).
    has_fixed_sizes: bool = False  #: sizes of object textures are fixed-point numbers (9.3).
    has_pixel_corners: bool = False  #: corners of object textures are cut to whole pixels (9.3).
    has_bump: bool = False  #: object textures can be bumped (9.3).
    has_additive_blending: bool = False  #: object textures can be additive (9.3).
    has_double_sided_faces: bool = False  #: a bit of a face's texture makes it double-sided (9.3).
    has_scrolling_textures: bool = False  #: the first animated textures scroll (9.4).
    has_sprite_sides: bool = True  #: sprites have world extents, separate from their pixels (9.1).
    has_cinematics: bool = True  #: levels can be cutscenes, with a camera frame by frame (9.7).
    has_flybys: bool = False  #: levels have flyby cameras (9.6).
    has_sniper_cameras: bool = False  #: fixed cameras can zoom as a rifle does (9.5).
    has_flyby_tracking: bool = False  #: flyby cameras can follow an entity, and wait (9.6).
    has_ai_objects: bool = False  #: levels have AI objects for enemies (9.8).
    ai_marks: range = range(0)  #: the types that mark places for characters (7.4), which are entities in TR3.
    has_cutscene_file: bool = False  #: cutscenes are in a file next to the levels.
    clears_bodies: bool = True  #: entities have a flag that removes them after death (9.8).
    suffix: str = ".phd"  #: the suffix of level files.
    has_wads: bool = False  #: object files of level editors (WAD) are for the game.
    has_weather: bool = False  #: levels have a weather, and a type of Lara (2).
    has_gameflow: bool = False  #: the names of levels are in a gameflow of TR2's kind.
    has_script: bool = False  #: the names of levels are in a file next to them.
    has_trng: bool = False  #: levels may have a footer of TRNG's.
    is_in_trx: bool = True  #: the engine TRX plays the game's levels.
    has_trx: bool = True  #: levels can end with edits that TRX makes.


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
    is_in_trx=False,
)
TRAITS = dict(zip(Game, (_TR1, _TR2, _TR3, _TR4, _TR5), strict=True))
