"""The blocks of injections, and their records.

Sources: the engine and its tools; versions of a record are those of the TRXJ container. TRXI has the newest
records, and forms of its own for sounds and for new models, textures and animations: these are the same for
all games there, and as in levels of the game in TRXJ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...base.bytes.records import (
    ANIMATION_DISPATCH,
    ANIMATION_TR4,
    CINEMATIC_FRAME,
    COLOR,
    I16,
    I32,
    OBJECT_TEXTURE_TR4,
    SPRITE_TEXTURE,
    STATE_CHANGE,
    U8,
    U32,
)
from ...base.schema.fields import Choice, Field, List, Many, Number, Row, String
from ...base.units import SECTOR_SIZE
from .fields import (
    TRXI,
    Corners,
    Counts,
    MeshShading,
    ObjectReference,
    Pixels,
    PropertyNumber,
    RecordForm,
    SectorRange,
    SoundSamples,
    Splits,
    Waves,
)
from .kinds import BlockId, FloorEdit, RoomEdit


def _position(code: str = "i", *, is_offset: bool = False) -> tuple[Number, Number, Number]:
    """Return the fields of a position in the world, or of an offset."""
    if is_offset:
        return Number("x", code), Number("y", code), Number("z", code)
    return Number("x", code, Counts.X), Number("y", code, Counts.Y), Number("z", code, Counts.Z)


def _zone_numbers(form: RecordForm) -> int:
    """Two states of the level, with the ground zones and the zone of flyers each."""
    return 2 * (form.game.traits.ground_zones + 1)


_ROOM = Number("room", "h", Counts.ROOM)
_ITEM = Number("item", "h", Counts.ITEM)
_FACE_TYPE = Number("face_type", "i")  # 0 textured quad, 1 textured triangle, 2 and 3 of one color


# Plural nouns, for lists and messages.
FLOOR_EDIT_NAMES: Mapping[int, str] = {
    FloorEdit.PARAMETER: "targets of triggers",
    FloorEdit.ONE_SHOT: "music triggers",
    FloorEdit.FLOOR_DATA: "replaced triggers",
    FloorEdit.MOVE_ROOM: "moved rooms",
    FloorEdit.NEW_ITEM: "new items",
    FloorEdit.ROOM_PROPERTIES: "room properties",
    FloorEdit.TRIGGER_TYPE: "types of triggers",
    FloorEdit.SECTOR: "sectors",
    FloorEdit.CAMERA: "camera triggers",
    FloorEdit.ZONES: "zones of sectors",
    FloorEdit.PORTALS: "openings of sectors",
    FloorEdit.CLIMB: "climbable walls and ceilings",
    FloorEdit.NO_TRIGGER: "removed triggers",
    FloorEdit.SPLIT: "split floors and ceilings",
    FloorEdit.MINE_CART: "mine cart turns",
    FloorEdit.MATERIAL: "floor materials",
    FloorEdit.GROW_ROOM: "larger rooms",
    FloorEdit.SYMBOL: "named targets of triggers",
}

FLOOR_EDITS: Mapping[int, tuple[Field, ...]] = {
    FloorEdit.PARAMETER: (Number("action", "B"), Number("old"), Number("new")),
    FloorEdit.ONE_SHOT: (),
    FloorEdit.FLOOR_DATA: (List("words", "H"),),
    FloorEdit.MOVE_ROOM: (Number("x", "I"), Number("z", "I"), Number("y", "i")),
    FloorEdit.NEW_ITEM: (
        ObjectReference(),
        _ROOM,
        *_position(),
        Number("angle"),
        Number("shade"),
        Number("flags", "H"),
        String("name", since=7),
    ),
    FloorEdit.ROOM_PROPERTIES: (
        Number("flags", "H"),
        Number("reverb", "B", since=8),
        Number("flip_group", "B", since=10, default=255),
    ),
    FloorEdit.TRIGGER_TYPE: (Number("trigger", "B"),),
    FloorEdit.SECTOR: (
        Number("floor_data", "H", Counts.FLOOR_DATA),
        Number("box", "h", Counts.BOX),
        Number("room_below", "h", Counts.ROOM, none=-1),
        Number("floor", "h"),
        Number("room_above", "h", Counts.ROOM, none=-1),
        Number("ceiling", "h"),
    ),
    FloorEdit.CAMERA: (Number("timer", "B"), Number("glide", "B"), *_position("h", is_offset=True)),
    FloorEdit.ZONES: (Row("zones", "h", _zone_numbers),),
    FloorEdit.PORTALS: (
        Number("room_beyond", "h", Counts.ROOM, none=-1),
        Number("room_above", "h", Counts.ROOM, none=-1),
        Number("room_below", "h", Counts.ROOM, none=-1),
    ),
    FloorEdit.CLIMB: (Number("climb", "i"),),  # 1 +z, 2 +x, 4 -z, 8 -x, 16 monkey swing
    FloorEdit.NO_TRIGGER: (),
    FloorEdit.SPLIT: (Splits(),),
    FloorEdit.MINE_CART: (Number("mine_cart", "i"),),  # 0 none, 1 left, 2 right, 3 stop
    FloorEdit.MATERIAL: (Number("material", "B"),),
    FloorEdit.GROW_ROOM: (Number("dx", "H"), Number("dz", "H")),
    FloorEdit.SYMBOL: (Number("action", "B"), Number("old"), Number("symbol")),
}


_SOURCE = (Number("source_room", "h", Counts.ROOM), Number("source_face_type", "i"), Number("source_face"))
ROOM_EDITS: Mapping[int, tuple[Field, ...]] = {
    RoomEdit.TEXTURE: (Number("face"), *_SOURCE),
    RoomEdit.CORNERS: (Number("face"), Many("moves", (Number("corner"), Number("vertex", "H")), "I")),
    RoomEdit.VERTEX: (Number("vertex", "H"), *_position("h", is_offset=True), Number("shade")),
    RoomEdit.TURN: (Number("face"), Number("turns", "B")),
    RoomEdit.NEW_FACE: (Number("source_room", "h", Counts.ROOM), Number("source_face"), Corners()),
    RoomEdit.NEW_VERTEX: (*_position("h", is_offset=True), Number("shade")),
    RoomEdit.NEW_SPRITE: (Number("sprite", "i"), Number("vertex", "H"), Number("image", "H")),
    RoomEdit.NEW_STATIC_MESH: (*_position(), Number("angle"), Number("light", "H"), Number("id", "H")),
    RoomEdit.STATIC_MESH: (Number("static_mesh", "i"), *_position(), Number("angle"), Number("light", "H")),
    RoomEdit.VERTEX_FLAGS: (Number("vertex", "H"), Number("flags", "H")),
    RoomEdit.DOUBLE_SIDED: (Number("face"), Number("double_sided", "B")),
}

_PROPERTY = (
    String("name"),
    Choice(
        "type",
        {
            0: (PropertyNumber(),),
            1: (Number("value", "f"),),
            2: (Number("value", "d"),),
            3: (Number("value", "i"),),
            4: (Row("value", "i", 3),),
            5: (Row("value", "B", 3),),
        },
    ),
)

GAME_TEST = 4
TESTS: Mapping[int, tuple[Field, ...]] = {
    0: (Number("item", "i", Counts.ITEM), ObjectReference(), *_position(), _ROOM, Number("angle")),
    1: (Number("rooms", "i"),),
    2: (
        Number("room", "i", Counts.ROOM),
        Number("x", "i", Counts.X),
        Number("z", "i", Counts.Z),
        Number("bottom", "i", Counts.Y),
        Number("top", "i", Counts.Y),
        Number("x_size", "H"),
        Number("z_size", "H"),
    ),
    3: (
        Number("texture", "i", Counts.TEXTURE),
        Number("attribute", "H"),
        Number("page", "H"),
        Row("corners", "H", 8),
    ),
    GAME_TEST: (Number("game", "i"),),  # from TRXJ 12 on
}
TEST = (Choice("type", TESTS),)


class BlockType(NamedTuple):
    """A type of blocks."""

    name: str  #: a plural noun, for lists and messages.
    #: the fields of one record, or empty if the block is kept as bytes: as sections of levels in TRXJ, which
    #: cannot be decoded without the game and other blocks.
    fields: tuple[Field, ...] = ()
    trxi: tuple[Field, ...] = ()  #: the fields in TRXI, if others.
    #: the element of a block that is kept as bytes in TRXI: its type, or its fields if its size varies.
    element: np.dtype | tuple[Field, ...] | None = None


# In TRXI: meshes with effects of faces, and key frames with angles of 16 bits.
MESH: tuple[Field, ...] = (
    Row("center", "h", 3),
    Number("radius", "i"),
    List("vertices", "h", "h", width=3),
    MeshShading(),
    # of each face: its vertices, texture and effects
    List("quads", "H", "H", width=6),
    List("triangles", "H", "H", width=5),
    List("colored_quads", "H", "H", width=6),
    List("colored_triangles", "H", "H", width=5),
)
FRAME: tuple[Field, ...] = (
    Row("box", "h", 6),  # as in levels: minimum and maximum of x, y, z
    Row("offset", "h", 3),
    List("rotations", "h", "H", width=3),
)


def _sounds(name: str, number: Number) -> BlockType:
    first = (number, Number("volume"), Number("chance"))
    flags, pitch = Number("flags", "H"), Number("pitch", "b", since=6)
    reach = Number("range", "i", since=6, default=10 * SECTOR_SIZE)
    trxi = (*first, pitch, SectorRange(), flags, SoundSamples())
    return BlockType(name, (*first, flags, reach, pitch, Waves()), trxi)


BLOCKS: Mapping[int, BlockType] = {
    BlockId.PALETTES: BlockType("palettes", element=COLOR),
    BlockId.TEXTURE_PAGES: BlockType("texture pages", element=np.dtype((U8, (5 << 16,)))),
    BlockId.OBJECT_TEXTURES: BlockType("object textures", element=OBJECT_TEXTURE_TR4),
    BlockId.SPRITES: BlockType("sprites", element=SPRITE_TEXTURE),
    BlockId.SPRITE_SEQUENCES: BlockType(
        "sprite sequences", (ObjectReference(), Number("length"), Number("first"))
    ),
    BlockId.MESHES: BlockType("meshes", element=MESH),
    BlockId.MESH_POINTERS: BlockType("mesh pointers", element=U32),
    BlockId.STATE_CHANGES: BlockType("state changes", element=STATE_CHANGE),
    BlockId.DISPATCHES: BlockType("dispatches", element=ANIMATION_DISPATCH),
    BlockId.COMMANDS: BlockType("animation commands", element=I16),
    BlockId.MESH_TREES: BlockType("mesh trees", element=np.dtype((I32, (4,)))),
    BlockId.FRAMES: BlockType("frames", element=FRAME),
    BlockId.ANIMATIONS: BlockType("animations", element=ANIMATION_TR4),
    BlockId.OBJECTS: BlockType(
        "objects",
        (
            ObjectReference(),
            Number("mesh_count"),
            Number("first_mesh"),
            Number("tree", "i"),
            Number("frame", "I"),
            Number("animation"),
        ),
    ),
    BlockId.SOUNDS: _sounds("sounds", Number("sound", "h", Counts.SOUND)),
    BlockId.FLOOR: BlockType(
        "floor edits",
        (
            _ROOM,
            Number("x", "H", Counts.SECTOR_X),
            Number("z", "H", Counts.SECTOR_Z),
            Many("edits", (Choice("type", FLOOR_EDITS),), is_content=True),
        ),
    ),
    BlockId.ITEM_POSITIONS: BlockType("item positions", (_ITEM, Number("angle"), *_position(), _ROOM)),
    BlockId.MESH_EDITS: BlockType(
        "mesh edits",
        (
            ObjectReference(),
            Number("mesh"),
            Row("center", "h", 3),
            Number("radius", "i"),
            Many(
                "faces",
                (
                    ObjectReference("source"),
                    Number("source_mesh"),  # negative: a color of the palette
                    _FACE_TYPE,
                    Number("source_face"),
                    List("targets", "h", "I"),
                ),
                "I",
            ),
            Many("vertices", (Number("vertex"), *_position("h", is_offset=True)), "I"),
            Many(
                "effects",
                (_FACE_TYPE, Number("face"), Number("effects", "H"), Number("reflective", "B")),
                "I",
                since=9,
            ),
        ),
    ),
    BlockId.PAGE_EDITS: BlockType(
        "page edits",
        (
            Number("page", "H", Counts.PAGE),
            Number("x", "B"),
            Number("y", "B"),
            Number("width", "H"),
            Number("height", "H"),
            Pixels(),
        ),
    ),
    BlockId.ROOM_SIZES: BlockType(
        "room sizes",
        (
            _ROOM,
            Number("vertices"),
            Number("quads"),
            Number("triangles"),
            Number("sprites"),
            Number("static_meshes", since=3),
            Number("sectors", since=11),
        ),
    ),
    BlockId.ROOM_EDITS: BlockType("room edits", (Choice("type", ROOM_EDITS, between=(_ROOM, _FACE_TYPE)),)),
    BlockId.PORTAL_EDITS: BlockType(
        "portal edits",
        (_ROOM, Number("to_room", "h", Counts.ROOM), Number("portal"), Row("corners", "h", 12)),
    ),
    BlockId.CAMERA_EDITS: BlockType(
        "camera edits", (Number("camera", "h", Counts.CAMERA), *_position(), _ROOM, Number("flags", "H"))
    ),
    BlockId.FRAME_ROTATIONS: BlockType(
        "frame rotations", (ObjectReference(), Number("animation", "i"), Number("rotation", "I"))
    ),
    BlockId.STATIC_MESH_EDITS: BlockType(
        "static mesh edits",
        (
            Number("id", "i"),
            Number("solid", "B"),
            Number("visible", "B"),
            Row("collision_box", "h", 6),
            Row("visibility_box", "h", 6),
        ),
    ),
    BlockId.COMMAND_COUNTS: BlockType(
        "command counts",
        (ObjectReference(), Number("animation", "i"), Number("words", "i"), Number("commands", "i")),
    ),
    BlockId.SPRITE_EDGES: BlockType("sprite edges", (ObjectReference(), Row("edges", "h", 4))),
    BlockId.STATIC_MESHES: BlockType(
        "static meshes",
        (
            Number("id", "i"),
            Number("mesh"),
            Row("visibility_box", "h", 6),
            Row("collision_box", "h", 6),
            Number("flags", "H"),
        ),
    ),
    BlockId.CINEMATIC_FRAMES: BlockType("cinematic frames", element=CINEMATIC_FRAME),
    BlockId.OBJECT_TYPES: BlockType("object types", (ObjectReference(), ObjectReference("becomes"))),
    BlockId.FRAME_EDITS: BlockType(
        "frame edits", (ObjectReference(), Many("frames", (Number("animation", "i"), List("words", "H"))))
    ),
    BlockId.ITEM_FLAGS: BlockType("item flags", (_ITEM, ObjectReference(), Number("flags", "H"))),
    BlockId.ANIMATION_SPEEDS: BlockType(
        "animation speeds", (ObjectReference(), Number("animation", "i"), Number("speed", "i"))
    ),
    BlockId.ANIMATED_TEXTURES: BlockType(
        "animated textures",
        (Number("range", "i", Counts.RANGE), List("textures", "H", counts=Counts.TEXTURE)),
    ),
    BlockId.OBJECT_LINKS: BlockType("object links", (ObjectReference(), ObjectReference("uses"))),
    BlockId.ITEM_NAMES: BlockType("item names", (_ITEM, String("name", most=4096))),
    BlockId.FLYBYS: BlockType(
        "flyby cameras",
        (
            *_position(),
            Number("target_x", "i", Counts.X),
            Number("target_y", "i", Counts.Y),
            Number("target_z", "i", Counts.Z),
            Number("sequence", "B"),
            Number("number", "B"),
            Number("fov", "H"),
            Number("roll"),
            Number("timer", "H"),
            Number("speed", "H"),
            Number("flags", "H"),
            Number("room", "I", Counts.ROOM),
        ),
    ),
    BlockId.PROPERTIES: BlockType(
        "properties",
        (
            Choice("target", {0: (ObjectReference(),), 1: (Number("item", "i", Counts.ITEM),)}),
            Many("properties", _PROPERTY),
        ),
    ),
    BlockId.SYMBOLS: BlockType(
        "symbols",
        (
            # 0 objects, 1 music, 2 samples, 3 states and 4 animations of Lara, 5 item actions
            Number("context", "i"),
            Number("slot", "i"),  # the number that refers to it
            String("name", most=255),
            Number("reserved", "i"),
        ),
    ),
    BlockId.NAMED_SOUNDS: _sounds("named sounds", Number("symbol")),
    BlockId.ADDED_RANGES: BlockType(
        "added animated textures", (List("textures", "H", counts=Counts.TEXTURE),)
    ),
    BlockId.DEMO: BlockType("demo data", element=U32),
}
_UNKNOWN = BlockType("unknown parts")


def block_type(type_: int) -> BlockType:
    """Return what is known of a type of blocks."""
    return BLOCKS.get(type_, _UNKNOWN)


def fields_of(type_: int, form: RecordForm) -> tuple[Field, ...]:
    """Return the fields of one record of a block, empty if it is kept as bytes."""
    block = block_type(type_)
    return block.trxi if block.trxi and form.version >= TRXI else block.fields


# The chunk of each block, and the order of chunks and blocks in new files.
CHUNKS: Mapping[int, tuple[int, ...]] = {
    8: (BlockId.SYMBOLS,),
    0: (BlockId.PALETTES, BlockId.TEXTURE_PAGES),
    1: (BlockId.OBJECT_TEXTURES, BlockId.SPRITES, BlockId.SPRITE_SEQUENCES),
    2: (BlockId.MESH_POINTERS, BlockId.MESHES),
    3: (
        BlockId.STATE_CHANGES,
        BlockId.DISPATCHES,
        BlockId.COMMANDS,
        BlockId.MESH_TREES,
        BlockId.FRAMES,
        BlockId.ANIMATIONS,
    ),
    4: (BlockId.OBJECTS, BlockId.STATIC_MESHES),
    5: (BlockId.SOUNDS, BlockId.NAMED_SOUNDS),
    7: (BlockId.CINEMATIC_FRAMES, BlockId.FLYBYS, BlockId.DEMO),
    6: (
        *(
            BlockId.FLOOR,
            BlockId.ITEM_POSITIONS,
            BlockId.ITEM_FLAGS,
            BlockId.ITEM_NAMES,
            BlockId.MESH_EDITS,
            BlockId.STATIC_MESH_EDITS,
            BlockId.PAGE_EDITS,
            BlockId.ANIMATED_TEXTURES,
            BlockId.ADDED_RANGES,
            BlockId.ROOM_SIZES,
            BlockId.ROOM_EDITS,
            BlockId.PORTAL_EDITS,
            BlockId.CAMERA_EDITS,
            BlockId.FRAME_ROTATIONS,
            BlockId.FRAME_EDITS,
            BlockId.COMMAND_COUNTS,
        ),
        *(
            BlockId.SPRITE_EDGES,
            BlockId.OBJECT_TYPES,
            BlockId.ANIMATION_SPEEDS,
            BlockId.OBJECT_LINKS,
            BlockId.PROPERTIES,
        ),
    ),
}
