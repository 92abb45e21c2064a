"""The edits of an injection one by one, with the elements that they change.

Some records are properties of sectors, rooms and entities, sounds, cameras and pixels in the scene, and no
edits for users (:data:`LEVEL_DATA`, :func:`is_shown`). Everything that adds models, textures and
animations is one edit, since its parts refer to each other.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from ...base.messages import N_, T, as_message, joined
from ...base.schema.fields import Record
from ...levels.floor.functions import ActionType
from ...levels.injections.kinds import BlockId, FloorEdit, ReferenceKind, RoomEdit
from ...levels.injections.records import FLOOR_EDIT_NAMES, block_type
from ...levels.injections.sectors import SECTOR_EDITS
from ...levels.injections.sounds import has_waves
from ...levels.injections.trxj import Injection, TrxjBlock
from ...levels.views.findings import THE_LEVEL, Element

# Floor edits that the scene shows as properties of sectors and rooms.
LEVEL_DATA = SECTOR_EDITS | {FloorEdit.ROOM_PROPERTIES}
NEW_DATA = frozenset(
    {*range(BlockId.SOUNDS), BlockId.STATIC_MESHES}
)  # blocks whose records refer to each other
_DATA_KEY = "data"
_KEY = "edit"  # in records: its key, which follows the record, and is never written


class Edit(NamedTuple):
    """One edit of an injection."""

    key: str  #: identifies it within its injection.
    label: str  #: what is changed, as a message.
    target: Element  #: the element that is changed. Textures, sounds and animations have their kind, too.
    detail: str  #: the new values, as a message; "" for none.


_FLOOR_LABELS: Mapping[int, str] = {
    FloorEdit.PARAMETER: N_("Target of a trigger"),
    FloorEdit.ONE_SHOT: N_("Music plays once"),
    FloorEdit.FLOOR_DATA: N_("Floor data of a sector"),
    FloorEdit.MOVE_ROOM: N_("Move the room"),
    FloorEdit.NEW_ITEM: N_("New entity"),
    FloorEdit.TRIGGER_TYPE: N_("Type of a trigger"),
    FloorEdit.CAMERA: N_("Camera of a trigger"),
    FloorEdit.ZONES: N_("Zones of a sector"),
    FloorEdit.NO_TRIGGER: N_("Remove a trigger"),
    FloorEdit.MATERIAL: N_("Material of a sector"),
    FloorEdit.GROW_ROOM: N_("Enlarge the room"),
    FloorEdit.SYMBOL: N_("Target of a trigger"),
}
_ROOM_LABELS: Mapping[int, str] = {
    RoomEdit.TEXTURE: N_("Texture of a face"),
    RoomEdit.CORNERS: N_("Corners of a face"),
    RoomEdit.VERTEX: N_("Move a vertex"),
    RoomEdit.TURN: N_("Turn a texture"),
    RoomEdit.NEW_FACE: N_("New face"),
    RoomEdit.NEW_VERTEX: N_("New vertex"),
    RoomEdit.NEW_SPRITE: N_("New sprite"),
    RoomEdit.NEW_STATIC_MESH: N_("New static mesh"),
    RoomEdit.STATIC_MESH: N_("Move a static mesh"),
    RoomEdit.VERTEX_FLAGS: N_("Flags of a vertex"),
    RoomEdit.DOUBLE_SIDED: N_("Double-sided face"),
}
_LABELS: Mapping[int, str] = {
    BlockId.SOUNDS: N_("Sound"),
    BlockId.ITEM_POSITIONS: N_("Move an entity"),
    BlockId.MESH_EDITS: N_("Mesh of a model"),
    BlockId.PORTAL_EDITS: N_("Corners of a portal"),
    BlockId.CAMERA_EDITS: N_("Move a camera"),
    BlockId.FRAME_ROTATIONS: N_("Rotation in a key frame"),
    BlockId.STATIC_MESH_EDITS: N_("Boxes of a static mesh"),
    BlockId.COMMAND_COUNTS: N_("Number of animation commands"),
    BlockId.SPRITE_EDGES: N_("Edges of a sprite"),
    BlockId.CINEMATIC_FRAMES: N_("Frames of the cutscene camera"),
    BlockId.OBJECT_TYPES: N_("Type of a model"),
    BlockId.FRAME_EDITS: N_("Key frames"),
    BlockId.ITEM_FLAGS: N_("Flags of an entity"),
    BlockId.ANIMATION_SPEEDS: N_("Speed of an animation"),
    BlockId.ANIMATED_TEXTURES: N_("Animated texture"),
    BlockId.OBJECT_LINKS: N_("Model that uses the data of another"),
    BlockId.PROPERTIES: N_("Properties"),
    BlockId.SYMBOLS: N_("Name for a free number"),
    BlockId.NAMED_SOUNDS: N_("Sound"),
    BlockId.ADDED_RANGES: N_("Animated texture"),
    BlockId.DEMO: N_("Recorded demo"),
}
_DATA_LABEL = N_("New models, textures and animations")


def is_shown(type_: int, record: Record) -> bool:
    """Return whether the scene shows a record of a block as data of the level: pages, sounds and the like."""
    if type_ == BlockId.SOUNDS:
        return has_waves(record)
    if type_ == BlockId.PROPERTIES:
        return bool(record["target"] == 1 or record["object"]["kind"] == ReferenceKind.MODEL)
    return type_ in (BlockId.ITEM_NAMES, BlockId.PAGE_EDITS, BlockId.FLYBYS)


def shown_records(injection: Injection) -> Iterator[tuple[int, Record]]:
    """Yield the records that the scene shows, each after the type of its block."""
    for block in injection.blocks:
        yield from ((block.type, record) for record in block.records if is_shown(block.type, record))


def tagged(injection: Injection) -> Injection:
    """Return a copy whose records know the key of their edit, also after they are renumbered."""
    new = copy.deepcopy(injection)
    for key, _, record, _ in _records(new):
        record[_KEY] = key
    return new


def counts(injection: Injection) -> Counter[str]:
    """Return how many records of each kind an injection has, by the names of the kinds."""
    result: Counter[str] = Counter()
    for block in injection.blocks:
        if block.type == BlockId.FLOOR:
            edits = (edit for record in block.records for edit in record["edits"])
            result.update(FLOOR_EDIT_NAMES[edit["type"]] for edit in edits)
        else:
            result[block_type(block.type).name] += len(block.records) or block.count
    return +result


def edits_of(injection: Injection) -> list[Edit]:
    """Return all edits of an injection in file order."""
    names = {(each["context"], each["slot"]): each["name"] for each in injection.records(BlockId.SYMBOLS)}
    result = [_edit(names, *each) for each in _records(injection)]
    data = [block for block in injection.blocks if block.type in NEW_DATA]
    if data:
        result.insert(0, Edit(_DATA_KEY, as_message(_DATA_LABEL), THE_LEVEL, _contents(data)))
    return result


def without(injection: Injection, keys: Collection[str]) -> Injection:
    """Return a copy of an injection without some edits."""
    return _filtered(injection, lambda key: key not in keys)


def only(injection: Injection, keys: Collection[str]) -> Injection:
    """Return a copy of an injection with some edits, and without level data."""
    new = _filtered(injection, lambda key: key in keys)
    drop_level_data(new, lambda _record: True)
    return new


def drop_level_data(injection: Injection, is_dropped: Callable[[Record], bool]) -> None:
    """Remove some of the data that the scene shows as that of the level, in place."""
    for type_ in {type_ for type_, _ in shown_records(injection)}:
        records = injection.records(type_)
        injection.replace(
            type_, [each for each in records if not (is_shown(type_, each) and is_dropped(each))]
        )
    floor = injection.records(BlockId.FLOOR)
    for record in floor:
        edits = record["edits"]
        record["edits"] = [each for each in edits if each["type"] not in LEVEL_DATA or not is_dropped(each)]
    injection.replace(BlockId.FLOOR, [record for record in floor if record["edits"]])


def has_level_data(injection: Injection) -> bool:
    """Return whether an injection has data that the scene shows as that of the level."""
    return _level_data(injection) > 0


def _level_data(injection: Injection) -> int:
    floor = sum(edit["type"] in LEVEL_DATA for edit in floor_edits(injection))
    return floor + sum(1 for _ in shown_records(injection))


def floor_edits(injection: Injection) -> Iterator[Record]:
    """Yield the floor edits of an injection, in order."""
    for record in injection.records(BlockId.FLOOR):
        yield from record["edits"]


def count_edits(injection: Injection) -> int:
    """Return the number of edits, including those that the scene shows as data of the level."""
    return len(edits_of(injection)) + _level_data(injection)


def new_items(injection: Injection) -> list[Record]:
    """Return the floor edits that add entities, in order."""
    return [edit for edit in floor_edits(injection) if edit["type"] == FloorEdit.NEW_ITEM]


def key_of(record: Record) -> str:
    """Return the key of a record of a tagged injection, "" for level data."""
    return str(record.get(_KEY, ""))


def _filtered(injection: Injection, is_kept: Callable[[str], bool]) -> Injection:
    new = copy.deepcopy(injection)
    # The list keeps the records alive, so that their ids stay unique.
    removed = [record for key, _, record, _ in _records(new) if not is_kept(record.get(_KEY, key))]
    removed_ids = set(map(id, removed))
    for record in new.records(BlockId.FLOOR):
        record["edits"] = [each for each in record["edits"] if id(each) not in removed_ids]
    for block in new.blocks:
        if block.type in NEW_DATA or block.content is not None:
            if not is_kept(_DATA_KEY if block.type in NEW_DATA else _key(block.type, 0)):
                block.records, block.content, block.count = [], None, 0
        elif block.type == BlockId.FLOOR:
            block.records = [each for each in block.records if each["edits"]]
        else:
            block.records = [each for each in block.records if id(each) not in removed_ids]
    _drop_sizes(new)
    new.remove_empty()
    return new


def _drop_sizes(injection: Injection) -> None:
    """Remove the sizes of rooms that no edit enlarges."""
    rooms = {record["room"] for record in injection.records(BlockId.ROOM_EDITS)}
    for record in injection.records(BlockId.FLOOR):
        if any(edit["type"] == FloorEdit.GROW_ROOM for edit in record["edits"]):
            rooms.add(record["room"])
    for block in injection.blocks:
        if block.type == BlockId.ROOM_SIZES:
            block.records = [each for each in block.records if each["room"] in rooms]


def _key(type_: int, *numbers: int) -> str:
    return ".".join(map(str, (type_, *numbers)))


def _records(injection: Injection) -> Iterator[tuple[str, int, Record, Record]]:
    """Yield the key of each edit with its block's type, its record, and that of its sector."""
    counts: dict[int, int] = {}
    for block in injection.blocks:
        if block.type in NEW_DATA or block.type == BlockId.ROOM_SIZES:
            continue
        if block.content is not None:
            yield _key(block.type, 0), block.type, {}, {}
        for record in block.records:
            number = counts[block.type] = counts.get(block.type, -1) + 1
            if is_shown(block.type, record):
                continue
            if block.type != BlockId.FLOOR:
                yield _key(block.type, number), block.type, record, record
                continue
            for position, edit in enumerate(record["edits"]):
                if edit["type"] not in LEVEL_DATA:
                    yield _key(block.type, number, position), block.type, edit, record


# --- Descriptions --------------------------------------------------------------------------------


_Names = Mapping[tuple[int, int], str]  # of symbols, by context and slot


def _edit(names: _Names, key: str, type_: int, record: Record, outer: Record) -> Edit:
    key = record.get(_KEY, key)
    if type_ == BlockId.FLOOR:
        return _floor_edit(names, key, record, outer)
    if type_ == BlockId.ROOM_EDITS:
        label, detail = _ROOM_LABELS[record["type"]], _face_detail(record)
        return Edit(key, as_message(label), Element("room", record["room"]), detail)
    label = as_message(_LABELS.get(type_) or block_type(type_).name)
    details = _detail(type_, record), _name_in(names, record, _SAMPLES)
    return Edit(key, label, _target(record), joined(", ", filter(None, details)))


_OBJECTS, _SAMPLES = 0, 2  # contexts of symbols


def _name_in(names: _Names, record: Record, context: int) -> str:
    """Return the name that a record has in place of a number, "" for none."""
    reference = record.get("object", {})
    if reference.get("kind") == ReferenceKind.SYMBOL:
        return names.get((_OBJECTS, reference["id"]), "")
    if "symbol" not in record:
        return ""
    return names.get((context, record["symbol"]), "")


def _floor_edit(names: _Names, key: str, edit: Record, outer: Record) -> Edit:
    room, x, z = outer["room"], outer["x"], outer["z"]
    kind = edit["type"]
    label, target = as_message(_FLOOR_LABELS[kind]), Element("room", room)
    detail: str = T("sector ({x}, {z})", x=x, z=z)
    if kind == FloorEdit.NEW_ITEM:
        target = Element("room", edit["room"])
        name = _name_in(names, edit, _OBJECTS) or edit["object"]["id"]
        detail = T("type {id} at {place}", id=name, place=_place(edit))
    elif kind in (FloorEdit.MOVE_ROOM, FloorEdit.GROW_ROOM):
        fields = ("x", "y", "z") if kind == FloorEdit.MOVE_ROOM else ("dx", "dz")
        values = [edit[name] for name in fields]
        steps = [value - (1 << 32) if value >= 1 << 31 else value for value in values]
        detail = T("by {place}", place=", ".join(map(str, steps)))
    elif kind in (FloorEdit.PARAMETER, FloorEdit.SYMBOL):
        new = edit["new"] if "new" in edit else _name_of_action(names, edit)
        detail = T("sector ({x}, {z}): {old} becomes {new}", x=x, z=z, old=edit["old"], new=new)
    return Edit(key, label, target, detail)


def _name_of_action(names: _Names, edit: Record) -> str:
    """Return the name that an action of a trigger gets as its target."""
    contexts = {ActionType.SOUNDTRACK: 1, ActionType.FLIPEFFECT: 5}
    return names.get((contexts.get(edit["action"], -1), edit["symbol"]), str(edit["symbol"]))


def _place(record: Record) -> str:
    return f"{record['x']}, {record['y']}, {record['z']}"


def _face_detail(record: Record) -> str:
    is_triangle = record["face_type"] % 2
    if "face" in record:
        number = record["face"]
        return T("triangle {number}", number=number) if is_triangle else T("quad {number}", number=number)
    if record["type"] in (2, 9):
        return T("vertex {number}", number=record["vertex"])
    if record["type"] == 8:
        return T("number {number} to {place}", number=record["static_mesh"], place=_place(record))
    if record["type"] in (5, 7):
        return T("at {place}", place=_place(record))
    return ""


# Fields with the number of an element, and its kind.
_TARGETS = {
    "item": "entity",
    "camera": "camera",
    "room": "room",
    "sound": "sound",
    "range": "animated texture",
}


def _target(record: Record) -> Element:
    for name, kind in _TARGETS.items():
        if name in record:
            return Element(kind, record[name])
    if "object" in record:
        reference = record["object"]
        if reference["kind"] == ReferenceKind.SYMBOL:
            return THE_LEVEL
        kinds = {ReferenceKind.MODEL: "model", ReferenceKind.STATIC_MESH: "static mesh type"}
        return Element(kinds.get(reference["kind"], "sprite"), reference["id"])
    return Element("static mesh type", record["id"]) if "id" in record else THE_LEVEL


def _detail(type_: int, record: Record) -> str:
    if type_ == BlockId.SYMBOLS:
        return str(record["name"])
    if type_ in (BlockId.ITEM_POSITIONS, BlockId.CAMERA_EDITS):
        return T("at {place}", place=_place(record))
    if type_ == BlockId.MESH_EDITS:
        return T("mesh {number}", number=record["mesh"])
    if type_ == BlockId.PORTAL_EDITS:
        return T("to room {room}", room=record["to_room"])
    if "animation" in record:
        return T("animation {number}", number=record["animation"])
    if type_ == BlockId.ITEM_FLAGS:
        return f"0x{record['flags']:04X}"
    if type_ in (BlockId.OBJECT_TYPES, BlockId.OBJECT_LINKS):
        return T("with {id}", id=record["becomes" if type_ == BlockId.OBJECT_TYPES else "uses"]["id"])
    if type_ == BlockId.PROPERTIES:
        return ", ".join(each["name"] for each in record["properties"])
    return ""


def _contents(blocks: list[TrxjBlock]) -> str:
    counts: Counter[str] = Counter()
    for block in blocks:
        counts[block_type(block.type).name] += len(block)
    return joined(
        ", ", (T("{name} ({count})", name=as_message(name), count=count) for name, count in counts.items())
    )
