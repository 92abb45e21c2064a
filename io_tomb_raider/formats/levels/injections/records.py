"""The blocks of injections, and their records.

Sources: the engine and its tools; versions of a record are those of the TRXJ container.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from ...base.schema.fields import Choice, Field, List, Many, Number, Row, String
from ...base.units import SECTOR_SIZE
from .fields import Corners, Counts, ObjectReference, Pixels, PropertyNumber, RecordForm, Splits, Waves


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
}

_SOURCE = (Number("source_room", "h", Counts.ROOM), Number("source_face_type", "i"), Number("source_face"))
ROOM_EDITS: Mapping[int, tuple[Field, ...]] = {
    0: (Number("face"), *_SOURCE),
    1: (Number("face"), Many("moves", (Number("corner"), Number("vertex", "H")), "I")),
    2: (Number("vertex", "H"), *_position("h", is_offset=True), Number("shade")),
    3: (Number("face"), Number("turns", "B")),
    4: (Number("source_room", "h", Counts.ROOM), Number("source_face"), Corners()),
    5: (*_position("h", is_offset=True), Number("shade")),
    6: (Number("sprite", "i"), Number("vertex", "H"), Number("image", "H")),
    7: (*_position(), Number("angle"), Number("light", "H"), Number("id", "H")),
    8: (Number("static_mesh", "i"), *_position(), Number("angle"), Number("light", "H")),
    9: (Number("vertex", "H"), Number("flags", "H")),
    10: (Number("face"), Number("double_sided", "B")),
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
}
TEST = (Choice("type", TESTS),)


class BlockType(NamedTuple):
    """A type of blocks."""

    name: str  #: a plural noun, for lists and messages.
    fields: tuple[Field, ...] = ()  #: the fields of one record, or empty if the block is kept as bytes.


FLOOR = 17
SOUNDS = 14
PAGES = 20
ITEM_NAMES = 37
FLYBYS = 38
PROPERTIES = 39

BLOCKS: Mapping[int, BlockType] = {
    0: BlockType("palettes"),
    1: BlockType("texture pages"),
    2: BlockType("object textures"),
    3: BlockType("sprites"),
    4: BlockType("sprite sequences", (ObjectReference(), Number("length"), Number("first"))),
    5: BlockType("meshes"),
    6: BlockType("mesh pointers"),
    7: BlockType("state changes"),
    8: BlockType("dispatches"),
    9: BlockType("animation commands"),
    10: BlockType("mesh trees"),
    11: BlockType("frames"),
    12: BlockType("animations"),
    13: BlockType(
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
    SOUNDS: BlockType(
        "sounds",
        (
            Number("sound", "h", Counts.SOUND),
            Number("volume"),
            Number("chance"),
            Number("flags", "H"),
            Number("range", "i", since=6, default=10 * SECTOR_SIZE),
            Number("pitch", "b", since=6),
            Waves(),
        ),
    ),
    FLOOR: BlockType(
        "floor edits",
        (
            _ROOM,
            Number("x", "H", Counts.SECTOR_X),
            Number("z", "H", Counts.SECTOR_Z),
            Many("edits", (Choice("type", FLOOR_EDITS),), is_content=True),
        ),
    ),
    18: BlockType("item positions", (_ITEM, Number("angle"), *_position(), _ROOM)),
    19: BlockType(
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
    PAGES: BlockType(
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
    21: BlockType(
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
    22: BlockType("room edits", (Choice("type", ROOM_EDITS, between=(_ROOM, _FACE_TYPE)),)),
    23: BlockType(
        "portal edits",
        (_ROOM, Number("to_room", "h", Counts.ROOM), Number("portal"), Row("corners", "h", 12)),
    ),
    24: BlockType(
        "camera edits", (Number("camera", "h", Counts.CAMERA), *_position(), _ROOM, Number("flags", "H"))
    ),
    25: BlockType("frame rotations", (ObjectReference(), Number("animation", "i"), Number("rotation", "I"))),
    26: BlockType(
        "static mesh edits",
        (
            Number("id", "i"),
            Number("solid", "B"),
            Number("visible", "B"),
            Row("collision_box", "h", 6),
            Row("visibility_box", "h", 6),
        ),
    ),
    27: BlockType(
        "command counts",
        (ObjectReference(), Number("animation", "i"), Number("words", "i"), Number("commands", "i")),
    ),
    28: BlockType("sprite edges", (ObjectReference(), Row("edges", "h", 4))),
    29: BlockType(
        "static meshes",
        (
            Number("id", "i"),
            Number("mesh"),
            Row("visibility_box", "h", 6),
            Row("collision_box", "h", 6),
            Number("flags", "H"),
        ),
    ),
    30: BlockType("cinematic frames"),
    31: BlockType("object types", (ObjectReference(), ObjectReference("becomes"))),
    32: BlockType(
        "frame edits", (ObjectReference(), Many("frames", (Number("animation", "i"), List("words", "H"))))
    ),
    33: BlockType("item flags", (_ITEM, ObjectReference(), Number("flags", "H"))),
    34: BlockType("animation speeds", (ObjectReference(), Number("animation", "i"), Number("speed", "i"))),
    35: BlockType(
        "animated textures",
        (Number("range", "i", Counts.RANGE), List("textures", "H", counts=Counts.TEXTURE)),
    ),
    36: BlockType("object links", (ObjectReference(), ObjectReference("uses"))),
    ITEM_NAMES: BlockType("item names", (_ITEM, String("name", most=4096))),
    FLYBYS: BlockType(
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
    PROPERTIES: BlockType(
        "properties",
        (
            Choice("target", {0: (ObjectReference(),), 1: (Number("item", "i", Counts.ITEM),)}),
            Many("properties", _PROPERTY),
        ),
    ),
}

# The chunk of each block, and the order of chunks and blocks in new files.
CHUNKS: Mapping[int, tuple[int, ...]] = {
    0: (0, 1),
    1: (2, 3, 4),
    2: (6, 5),
    3: (7, 8, 9, 10, 11, 12),
    4: (13, 29),
    5: (SOUNDS,),
    7: (30, FLYBYS),
    6: (FLOOR, 18, 19, PAGES, *range(21, 29), *range(31, 38), PROPERTIES),
}
