"""Data that is the same in the files of all five games (chapters 3.2, 5, 6, 8 and 9 of the documentation).

Numbers are chosen to be distinct, not to make sense. Every unsigned field has its highest bit set
somewhere and every signed one is negative somewhere; such a row is the first or last, which no decoded
data refers to.
"""

from struct import pack

from .words import Table

# --- Chapter 3: rooms. Two rooms: the first makes sense, the second has wild numbers. ---

# tr_face4: Vertices[4], Texture
ROOM_QUADS = (
    Table("4H H", "vertices:4 texture", ((0, 1, 2, 3), 0x0006), ((5, 4, 3, 2), 0x8001)),
    Table("4H H", "vertices:4 texture", ((0x8C01, 0x8C02, 0x8C03, 0x8C04), 0x8C05)),
)
# tr_face3: Vertices[3], Texture
ROOM_TRIANGLES = (
    Table("3H H", "vertices:3 texture", ((4, 2, 0), 0x0007), ((1, 3, 5), 0x8002)),
    Table("3H H", "vertices:3 texture", ((0x8C11, 0x8C12, 0x8C13), 0x8C14)),
)
# tr_room_sprite: Vertex, Texture
ROOM_SPRITES = (
    Table("HH", "vertex texture", (2, 9), (5, 10)),
    Table("HH", "vertex texture", (0x8C21, 0x8C22)),
)
# tr_room_portal: AdjoiningRoom, Normal, Vertices[4]
PORTALS = (
    Table(
        "H 3h 12h",
        "room normal:3 vertices:4x3",
        (1, (-1, 0, 2), ((1024, -256, 3072), (1025, -1280, 3073), (2049, -1281, 3074), (2050, -257, 3075))),
        (2, (3, -4, 5), ((1100, -200, 3100), (1101, -201, 3101), (1102, -202, 3102), (1103, -203, 3103))),
    ),
    Table(
        "H 3h 12h",
        "room normal:3 vertices:4x3",
        (0x8C31, (-32, -33, -34), ((-35, 36, -37), (-38, 39, -40), (-41, 42, -43), (-44, 45, -46))),
    ),
)

# --- Chapter 5: models ---

# tr_model: ID, NumMeshes, StartingMesh, MeshTree, FrameOffset, Animation
MODEL_FIELDS = "id meshes first_mesh mesh_tree frame_offset animation"
WILD_MODEL = (0x80000101, 0x8102, 0x8103, 0x80000104, 0x80000105, 0xFFFF)

# tr_staticmesh: ID, Mesh, VisibilityBox and CollisionBox (MinX, MaxX, MinY, MaxY, MinZ, MaxZ), Flags
STATIC_MESHES = Table(
    "I H 6h 6h H",
    "id mesh visibility_box:6 collision_box:6 flags",
    (0x80000401, 0x8402, (-403, -404, -405, -406, -407, -408), (-409, -410, -411, -412, -413, -414), 0x8415),
    (41, 3, (-420, 421, -422, 423, -424, 425), (-430, 431, -432, 433, -434, 435), 2),
)

# tr_sprite_texture: Tile, x, y, Width, Height, LeftSide, TopSide, RightSide, BottomSide
SPRITE_FIELDS = "page x y width height left top right bottom"

# tr_sprite_sequence: SpriteID, NegativeLength, Offset
SPRITE_SEQUENCES = Table(
    "i h h", "id negative_length first", (-0x7FFF0601, -602, -603), (0x00000B1B, -2, 1), (0x00010B1C, -1, 3)
)

# --- Chapter 6: animation ---

# tr_animation, up to Accel and from FrameStart on; TR4 puts two numbers between them
ANIMATION_HEAD = "frame_offset frame_rate frame_size state speed acceleration"
ANIMATION_TAIL = (
    "first_frame last_frame next_animation next_frame state_changes first_state_change commands first_command"
)
WILD_ANIMATION_TAIL = (0x8206, 0x8207, 0x8208, 0x8209, 0x820A, 0x820B, 0x820C, 0x820D)
# The animations 1 and 2 belong to the second model, 3 to the third.
ANIMATION_TAILS = (
    (10, 13, 2, 14, 2, 1, 6, 1),
    (14, 14, 1, 11, 1, 2, 1, 13),
    (4, 4, 3, 6, 0, 7, 2, 8),
)

# tr_state_change: StateID, NumAnimDispatches, AnimDispatch
STATE_CHANGES = Table(
    "HHH", "state dispatches first_dispatch", (0x8301, 0x8302, 0x8303), (21, 2, 1), (22, 1, 3)
)
# tr_anim_dispatch: Low, High, NextAnimation, NextFrame
DISPATCHES = Table(
    "hhhh", "low high next_animation next_frame",
    (-311, -312, -313, -314), (10, 11, 2, 15), (12, 13, 3, 9), (14, 15, 1, 12),
)  # fmt: skip
# AnimCommands[]: the word 0 is unused; set position, jump distance, empty hands, kill, play sound (in
# water) and flipeffect (footprint of the left foot) start at the word 1.
COMMANDS = [
    -32767,
    1, -101, 202, -303,
    2, -94, 45,
    3,
    4,
    5, 11, 0x8034 - 0x10000,
    6, 14, 0x4020,
]  # fmt: skip

# tr_meshtree_node: Flags, Offset_X, Offset_Y, Offset_Z. Counted, as the file does, in words of four bytes.
MESH_TREES = [
    # The second model, 3 meshes: 0 is the parent of 1, is pushed, and is the parent of 2.
    2, 10, -11, 12,
    1, 20, -21, 22,
    # The third model, 5 meshes: parents are 0 of 1, 1 of 2 (pushed), 1 of 3 (kept on the stack), and 1 of 4.
    0, 30, -31, 32,
    2, 40, -41, 42,
    3, 50, -51, 52,
    1, 60, -61, 62,
]  # fmt: skip

# --- Chapters 8 and 9: objects in the world ---

# tr_camera: x, y, z, Room, Flag
CAMERAS = Table(
    "iii h H", "x y z room flags", (-70001, -70002, -70003, -7004, 0x8705), (71001, 71002, 71003, 714, 0x0715)
)
# tr_sound_source: x, y, z, SoundID, Flags
SOUND_SOURCES = Table(
    "iii H H",
    "x y z sound flags",
    (-80001, -80002, -80003, 0x8804, 0x80C0),
    (81001, 81002, 81003, 814, 0x0040),
)
# AnimatedTextures[]: two groups, of three textures and of two, and an unused word
ANIMATED_TEXTURES = [2, 2, 0x0051, 0x8052, 0x0053, 1, 0x0054, 0x0055, 0x8056]

# DemoData[]: Lara's start (x, y, z, three angles, room), from TR2 on her weapon, then the pressed keys of
# each frame, up to -1. TR4 and TR5 may have any bytes there.
TR1_DEMO = pack("<3i 3i i 2I i", 10752, -256, 20992, 1, -2, 3, 5, 0x80000041, 0x00000042, -1)
TR2_DEMO = pack("<3i 3i i i 2I i", 10752, -256, 20992, 1, -2, 3, 5, 6, 0x80000041, 0x00000042, -1)
TR4_DEMO = b"\x91\x12\x93\x14\x95"
