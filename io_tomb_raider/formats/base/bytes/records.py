"""The fixed-size records of all five games as NumPy structured types.

A name has the same meaning in all games: ``entities["x"]`` is the position of an entity in TR1 and in TR5,
and a game that lacks a field lacks the name. All types are packed and little-endian; positions are in world
units (1024 per sector) with y pointing down. Sources: chapters 3 (rooms), 5 (meshes and models), 6
(animation), 7 (boxes), 8 (sound) and 9 (miscellany) of the TRosettaStone documentation, corrected by the
contents of real files.
"""

from __future__ import annotations

import numpy as np

from ..games import Game

U8 = np.dtype("u1")
I8 = np.dtype("i1")
U16 = np.dtype("<u2")
I16 = np.dtype("<i2")
U32 = np.dtype("<u4")
I32 = np.dtype("<i4")
F32 = np.dtype("<f4")

_XYZ16 = [("x", I16), ("y", I16), ("z", I16)]
_XYZ32 = [("x", I32), ("y", I32), ("z", I32)]

# --- Rooms (chapter 3) ----------------------------------------

ROOM_VERTEX_TR1 = np.dtype([*_XYZ16, ("light", I16)])  # light 0 bright .. 8191 dark
ROOM_VERTEX_TR2 = np.dtype([*_XYZ16, ("light", I16), ("attributes", U16), ("light2", I16)])
ROOM_VERTEX_TR3 = np.dtype([*_XYZ16, ("light", I16), ("attributes", U16), ("color", U16)])  # color RGB555
ROOM_VERTEX_TR5 = np.dtype(
    [("x", F32), ("y", F32), ("z", F32), ("nx", F32), ("ny", F32), ("nz", F32), ("color", U32)]  # color ARGB
)

QUAD = np.dtype([("vertices", U16, (4,)), ("texture", U16)])
TRIANGLE = np.dtype([("vertices", U16, (3,)), ("texture", U16)])
# Faces of TR4/TR5 meshes and TR5 rooms have one more word.
QUAD_EFFECTS = np.dtype([("vertices", U16, (4,)), ("texture", U16), ("effects", U16)])
TRIANGLE_EFFECTS = np.dtype([("vertices", U16, (3,)), ("texture", U16), ("effects", U16)])

ROOM_SPRITE = np.dtype([("vertex", U16), ("texture", U16)])
PORTAL = np.dtype([("room", U16), ("normal", I16, (3,)), ("vertices", I16, (4, 3))])
SECTOR = np.dtype(
    [
        ("floor_data", U16),
        ("box", U16),
        ("room_below", U8),
        ("floor", I8),
        ("room_above", U8),
        ("ceiling", I8),
    ]
)

ROOM_LIGHT_TR1 = np.dtype([*_XYZ32, ("intensity", U16), ("falloff", U32)])
ROOM_LIGHT_TR2 = np.dtype(
    [*_XYZ32, ("intensity", U16), ("intensity2", U16), ("falloff", U32), ("falloff2", U32)]
)
# type 0: point, parameters = intensity i32, falloff i32. Other types: sun, direction 3 x i16 and a pad.
ROOM_LIGHT_TR3 = np.dtype([*_XYZ32, ("color", U8, (3,)), ("type", U8), ("parameters", I16, (4,))])
ROOM_LIGHT_TR4 = np.dtype(
    [
        *_XYZ32,
        ("color", U8, (3,)),
        ("type", U8),  # 0 sun, 1 point, 2 spot, 3 shadow, 4 fog bulb
        ("intensity", U16),
        ("inner", F32),
        ("outer", F32),
        ("length", F32),
        ("cutoff", F32),
        ("direction", F32, (3,)),
    ]
)
ROOM_LIGHT_TR5 = np.dtype(
    [
        ("x", F32),
        ("y", F32),
        ("z", F32),
        ("color", F32, (3,)),
        ("shadow", U32),  # intensity of shadow lights, else 0xCDCDCDCD
        ("inner", F32),
        ("outer", F32),
        ("inner_angle", F32),
        ("outer_angle", F32),
        ("range", F32),
        ("direction", F32, (3,)),
        ("position", I32, (3,)),  # the position again, as integers
        ("direction2", I32, (3,)),  # the direction again, times 16384
        ("type", U8),
        ("filler", U8, (3,)),
    ]
)
FOG_BULB_TR5 = np.dtype(
    [
        ("x", F32),
        ("y", F32),
        ("z", F32),
        ("radius", F32),
        ("radius2", F32),
        ("density", F32),
        ("color", F32, (3,)),
    ]
)

ROOM_STATIC_TR1 = np.dtype([*_XYZ32, ("angle", U16), ("intensity", U16), ("static_mesh", U16)])
ROOM_STATIC_TR2 = np.dtype(
    [*_XYZ32, ("angle", U16), ("intensity", U16), ("intensity2", U16), ("static_mesh", U16)]
)
ROOM_STATIC_TR3 = np.dtype([*_XYZ32, ("angle", U16), ("color", U16), ("unused", U16), ("static_mesh", U16)])

LAYER_TR5 = np.dtype(
    [
        ("vertices", U16),
        ("water_vertices", U16),
        ("shore_vertices", U16),
        ("quads", U16),
        ("triangles", U16),
        ("water_quads", U16),
        ("water_triangles", U16),
        ("pad", U16),
        ("bounds", F32, (6,)),  # x, y, z minimum, then maximum
        ("pointers", U32, (4,)),
    ]
)
# The 208 bytes after "XELA" and the size. Pointers count from the end of the header.
ROOM_HEADER_TR5 = np.dtype(
    [
        ("data_pointer", U32),
        ("portals_offset", U32),
        ("sectors_offset", U32),
        ("lights_pointer", U32),
        ("statics_offset", U32),
        ("x", I32),
        ("y", I32),
        ("z", I32),
        ("y_bottom", I32),
        ("y_top", I32),
        ("z_sectors", U16),
        ("x_sectors", U16),
        ("color", U32),  # ARGB
        ("lights", U16),
        ("static_meshes", U16),
        ("reverb", U8),
        ("alternate_group", U8),
        ("water_scheme", U8),
        ("bounds_active", U8),
        ("screen_bounds", I16, (4,)),
        ("test_bounds", I16, (4,)),
        ("items", I16, (2,)),
        ("alternate_room", I16),
        ("flags", U16),
        ("vertices", U32),
        ("water_vertices", U32),
        ("shore_vertices", U32),
        ("vertex_buffer", U32),
        ("face_data", U32),
        ("position", F32, (3,)),
        ("pointers", U32, (6,)),
        ("triangles", U32),
        ("quads", U32),
        ("lights_offset", U32),
        ("fog_bulbs_offset", U32),
        ("lights2", U32),
        ("fog_bulbs", U32),
        ("y_top2", F32),
        ("y_bottom2", F32),
        ("layers", U32),
        ("layers_offset", U32),
        ("vertices_offset", U32),
        ("faces_offset", U32),
        ("faces_offset2", U32),
        ("vertex_bytes", U32),
        ("bounds", F32, (4,)),
    ]
)

# --- Meshes and models (chapters 5 and 6) ----------------------------------------

MODEL = np.dtype(
    [
        ("id", U32),
        ("meshes", U16),
        ("first_mesh", U16),  # index into mesh_pointers
        ("mesh_tree", U32),  # index of a word in mesh_trees
        ("frame_offset", U32),  # in bytes
        ("animation", U16),  # 0xFFFF for none
    ]
)
MODEL_TR5 = np.dtype([*[(name, MODEL[name]) for name in MODEL.names or ()], ("filler", U16)])
STATIC_MESH = np.dtype(
    [
        ("id", U32),
        ("mesh", U16),  # index into mesh_pointers
        ("visibility_box", I16, (6,)),  # min x, max x, min y, max y, min z, max z
        ("collision_box", I16, (6,)),
        ("flags", U16),
    ]
)

_ANIMATION_HEAD = [
    ("frame_offset", U32),  # in bytes
    ("frame_rate", U8),  # game ticks per key frame
    ("frame_size", U8),  # words per key frame; 0 in TR1
    ("state", U16),
    ("speed", I32),  # 16.16 fixed point
    ("acceleration", I32),
]
_ANIMATION_TAIL = [
    ("first_frame", U16),
    ("last_frame", U16),
    ("next_animation", U16),
    ("next_frame", U16),
    ("state_changes", U16),
    ("first_state_change", U16),
    ("commands", U16),
    ("first_command", U16),
]
ANIMATION = np.dtype([*_ANIMATION_HEAD, *_ANIMATION_TAIL])
ANIMATION_TR4 = np.dtype(
    [*_ANIMATION_HEAD, ("lateral_speed", I32), ("lateral_acceleration", I32), *_ANIMATION_TAIL]
)
STATE_CHANGE = np.dtype([("state", U16), ("dispatches", U16), ("first_dispatch", U16)])
ANIMATION_DISPATCH = np.dtype([("low", I16), ("high", I16), ("next_animation", I16), ("next_frame", I16)])

# --- Textures (chapter 9) ----------------------------------------

COLOR = np.dtype((U8, (3,)))
COLOR_PADDED = np.dtype((U8, (4,)))
TEXTILE8 = np.dtype((U8, (256, 256)))
TEXTILE16 = np.dtype((U16, (256, 256)))  # A1R5G5B5
TEXTILE32 = np.dtype((U8, (256, 256, 4)))  # B, G, R, A

OBJECT_TEXTURE = np.dtype([("attribute", U16), ("page", U16), ("uv", U16, (4, 2))])
OBJECT_TEXTURE_TR4 = np.dtype(
    [
        ("attribute", U16),
        ("page", U16),  # bit 15: the texture of a triangle
        ("flags", U16),
        ("uv", U16, (4, 2)),
        ("original_u", U32),
        ("original_v", U32),
        ("width", U32),
        ("height", U32),
    ]
)
OBJECT_TEXTURE_TR5 = np.dtype(
    [*[(name, OBJECT_TEXTURE_TR4[name]) for name in OBJECT_TEXTURE_TR4.names or ()], ("filler", U16)]
)
SPRITE_TEXTURE = np.dtype(
    [
        ("page", U16),
        ("x", U8),
        ("y", U8),
        ("width", U16),
        ("height", U16),
        ("left", I16),
        ("top", I16),
        ("right", I16),
        ("bottom", I16),
    ]
)
SPRITE_SEQUENCE = np.dtype([("id", I32), ("negative_length", I16), ("first", I16)])

# --- Objects in the world (chapters 7 to 9) ----------------------------------------

CAMERA = np.dtype([*_XYZ32, ("room", I16), ("flags", U16)])
FLYBY_CAMERA = np.dtype(
    [
        *_XYZ32,
        ("target", I32, (3,)),
        ("sequence", U8),
        ("index", U8),
        ("fov", U16),
        ("roll", I16),
        ("timer", U16),
        ("speed", U16),
        ("flags", U16),
        ("room", I16),
        ("pad", U16),
    ]
)
CINEMATIC_FRAME = np.dtype([("target", I16, (3,)), ("position", I16, (3,)), ("fov", I16), ("roll", I16)])
SOUND_SOURCE = np.dtype([*_XYZ32, ("sound", U16), ("flags", U16)])

_ENTITY_HEAD = [("type", I16), ("room", I16), *_XYZ32, ("angle", I16), ("intensity", I16)]
ENTITY_TR1 = np.dtype([*_ENTITY_HEAD, ("flags", U16)])
ENTITY_TR2 = np.dtype([*_ENTITY_HEAD, ("intensity2", I16), ("flags", U16)])
ENTITY_TR4 = np.dtype([*_ENTITY_HEAD, ("ocb", I16), ("flags", U16)])
AI_OBJECT = np.dtype(
    [("type", U16), ("room", U16), *_XYZ32, ("ocb", I16), ("flags", U16), ("angle", I16), ("box", I16)]
)

BOX_TR1 = np.dtype(
    [("z_min", U32), ("z_max", U32), ("x_min", U32), ("x_max", U32), ("floor", I16), ("overlap", U16)]
)
BOX_TR2 = np.dtype(
    [("z_min", U8), ("z_max", U8), ("x_min", U8), ("x_max", U8), ("floor", I16), ("overlap", U16)]
)

SOUND_DETAILS_TR1 = np.dtype([("sample", U16), ("volume", U16), ("chance", U16), ("flags", U16)])
SOUND_DETAILS_TR3 = np.dtype(
    [("sample", U16), ("volume", U8), ("range", U8), ("chance", U8), ("pitch", I8), ("flags", U16)]
)


def _by_game(*types: np.dtype) -> dict[Game, np.dtype]:
    return dict(zip(Game, types, strict=True))


# The record type by game, for code that makes records.
ROOM_VERTEX = _by_game(ROOM_VERTEX_TR1, ROOM_VERTEX_TR2, ROOM_VERTEX_TR3, ROOM_VERTEX_TR3, ROOM_VERTEX_TR5)
ROOM_LIGHT = _by_game(ROOM_LIGHT_TR1, ROOM_LIGHT_TR2, ROOM_LIGHT_TR3, ROOM_LIGHT_TR4, ROOM_LIGHT_TR5)
ROOM_STATIC = _by_game(ROOM_STATIC_TR1, ROOM_STATIC_TR2, ROOM_STATIC_TR3, ROOM_STATIC_TR3, ROOM_STATIC_TR3)
ROOM_QUAD = _by_game(QUAD, QUAD, QUAD, QUAD, QUAD_EFFECTS)
ROOM_TRIANGLE = _by_game(TRIANGLE, TRIANGLE, TRIANGLE, TRIANGLE, TRIANGLE_EFFECTS)
MESH_QUAD = _by_game(QUAD, QUAD, QUAD, QUAD_EFFECTS, QUAD_EFFECTS)
MESH_TRIANGLE = _by_game(TRIANGLE, TRIANGLE, TRIANGLE, TRIANGLE_EFFECTS, TRIANGLE_EFFECTS)
MODEL_RECORD = _by_game(MODEL, MODEL, MODEL, MODEL, MODEL_TR5)
ANIMATION_RECORD = _by_game(ANIMATION, ANIMATION, ANIMATION, ANIMATION_TR4, ANIMATION_TR4)
OBJECT_TEXTURE_RECORD = _by_game(
    OBJECT_TEXTURE, OBJECT_TEXTURE, OBJECT_TEXTURE, OBJECT_TEXTURE_TR4, OBJECT_TEXTURE_TR5
)
ENTITY = _by_game(ENTITY_TR1, ENTITY_TR2, ENTITY_TR2, ENTITY_TR4, ENTITY_TR4)
BOX = _by_game(BOX_TR1, BOX_TR2, BOX_TR2, BOX_TR2, BOX_TR2)
SOUND_DETAILS = _by_game(
    SOUND_DETAILS_TR1, SOUND_DETAILS_TR1, SOUND_DETAILS_TR3, SOUND_DETAILS_TR3, SOUND_DETAILS_TR3
)
SOUND_MAP_SIZE = {Game.TR1: 256, Game.TR2: 370, Game.TR3: 370, Game.TR4: 370, Game.TR5: 450}
