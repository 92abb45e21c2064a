"""The numbers of injections: types of blocks and edits, and kinds of references."""

from __future__ import annotations

from enum import IntEnum


class BlockId(IntEnum):
    """Types of blocks."""

    PALETTES = 0
    TEXTURE_PAGES = 1
    OBJECT_TEXTURES = 2
    SPRITES = 3
    SPRITE_SEQUENCES = 4
    MESHES = 5
    MESH_POINTERS = 6
    STATE_CHANGES = 7
    DISPATCHES = 8
    COMMANDS = 9
    MESH_TREES = 10
    FRAMES = 11
    ANIMATIONS = 12
    OBJECTS = 13
    SOUNDS = 14
    FLOOR = 17
    ITEM_POSITIONS = 18
    MESH_EDITS = 19
    PAGE_EDITS = 20
    ROOM_SIZES = 21
    ROOM_EDITS = 22
    PORTAL_EDITS = 23
    CAMERA_EDITS = 24
    FRAME_ROTATIONS = 25
    STATIC_MESH_EDITS = 26
    COMMAND_COUNTS = 27
    SPRITE_EDGES = 28
    STATIC_MESHES = 29
    CINEMATIC_FRAMES = 30
    OBJECT_TYPES = 31
    FRAME_EDITS = 32
    ITEM_FLAGS = 33
    ANIMATION_SPEEDS = 34
    ANIMATED_TEXTURES = 35
    OBJECT_LINKS = 36
    ITEM_NAMES = 37
    FLYBYS = 38
    PROPERTIES = 39
    SYMBOLS = 40
    NAMED_SOUNDS = 41
    ADDED_RANGES = 42
    DEMO = 43


class FloorEdit(IntEnum):
    """Types of floor edits, block 17."""

    PARAMETER = 0
    ONE_SHOT = 1
    FLOOR_DATA = 2
    MOVE_ROOM = 3
    NEW_ITEM = 4
    ROOM_PROPERTIES = 5
    TRIGGER_TYPE = 6
    SECTOR = 7
    CAMERA = 8
    ZONES = 9
    PORTALS = 10
    CLIMB = 11
    NO_TRIGGER = 12
    SPLIT = 13
    MINE_CART = 14
    MATERIAL = 15
    GROW_ROOM = 16
    SYMBOL = 17


class RoomEdit(IntEnum):
    """Types of edits of rooms."""

    TEXTURE = 0
    CORNERS = 1
    VERTEX = 2
    TURN = 3
    NEW_FACE = 4
    NEW_VERTEX = 5
    NEW_SPRITE = 6
    NEW_STATIC_MESH = 7
    STATIC_MESH = 8
    VERTEX_FLAGS = 9
    DOUBLE_SIDED = 10


class ReferenceKind(IntEnum):
    """Kinds of references to objects."""

    MODEL = 0
    ROOM_SPRITE = 1
    STATIC_MESH = 2
    SYMBOL = 3  # a name, which TRX gives a free slot
