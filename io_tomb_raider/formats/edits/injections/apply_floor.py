"""Floor edits, baked into a level as the engine makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ...base.errors import FormatError
from ...base.messages import T
from ...base.schema.fields import Record
from ...base.units import CLICK
from ...levels.collision.sectors import NO_ROOM, split_boxes
from ...levels.collision.surfaces import WALL
from ...levels.floor.extra import EXTRA_MOVE, EXTRA_TIMER
from ...levels.floor.floor_data import Functions, decode
from ...levels.floor.functions import ActionType, Climb, Function, MonkeySwing, Portal, Trigger
from ...levels.floor.grammar import REFERRING_TRIGGERS
from ...levels.injections.kinds import FloorEdit
from .baking import Baking, NotAppliedError, engine_only

_NO_BOX = 0xFFFF
_MOST_SECTORS = 1 << 8  # to a side of a room


def apply_floor_edit(baking: Baking, record: Record, edit: Record) -> None:
    """Bake a floor edit.

    Args:
        record: the record with the room and the sector.

    Raises:
        NotAppliedError: if the level cannot hold it, or lacks its element.
        ExportError: if a value does not fit.
    """
    handler = _KINDS.get(edit["type"])
    if handler is None:
        raise engine_only()
    handler(baking, record, edit)


def _at(record: Record) -> tuple[int, int, int]:
    return record["room"], record["x"], record["z"]


def _triggers(baking: Baking, record: Record, change: Callable[[Trigger], Trigger | None]) -> None:
    """Change the triggers of a sector. None removes one."""
    functions = baking.functions(*_at(record))
    if not any(isinstance(each, Trigger) for each in functions):
        raise NotAppliedError(T("its sector has no trigger"))
    result = [change(each) if isinstance(each, Trigger) else each for each in functions]
    baking.put_functions(*_at(record), [each for each in result if each is not None])


def _parameter(baking: Baking, record: Record, edit: Record) -> None:
    is_done = False

    def change(trigger: Trigger) -> Trigger:
        nonlocal is_done
        actions = list(trigger.actions)
        for number, action in enumerate(actions):
            if not is_done and (action.type, action.parameter) == (edit["action"], edit["old"]):
                actions[number], is_done = replace(action, parameter=edit["new"]), True
        return replace(trigger, actions=tuple(actions))

    _triggers(baking, record, change)
    if not is_done:
        raise NotAppliedError(T("its trigger has no such action"))


def _one_shot(baking: Baking, record: Record, edit: Record) -> None:
    _triggers(
        baking,
        record,
        lambda trigger: (
            replace(trigger, one_shot=True)
            if any(action.type == ActionType.SOUNDTRACK for action in trigger.actions)
            else trigger
        ),
    )


def _floor_data(baking: Baking, record: Record, edit: Record) -> None:
    functions: Functions = ()
    if edit["words"]:
        try:
            functions = decode(np.array([0, *edit["words"]], np.uint16), 1)
        except FormatError:
            raise NotAppliedError(T("its floor data cannot be read")) from None
    baking.put_functions(*_at(record), functions)


def _move_room(baking: Baking, record: Record, edit: Record) -> None:
    room, level = baking.room(record["room"]), baking.level
    x, z = (int(np.uint32(edit[name]).astype(np.int32)) for name in "xz")
    y = edit["y"]
    room.x, room.z = room.x + x, room.z + z
    items = baking.own(level, "entities")
    inside = items["room"] == record["room"]
    for axis, step in zip("xyz", (x, y, z), strict=True):
        items[axis][inside] += step
    if not y:
        return
    if not -0x8000 <= y < 0x8000 or not -0x80 <= y // CLICK < 0x80:
        raise OverflowError  # NumPy before 2.0 wraps it
    room.y_bottom, room.y_top = room.y_bottom + y, room.y_top + y
    baking.own(room, "vertices")["y"] += np.int16(y)
    sectors = baking.own(room, "sectors")
    open_ = sectors["floor"] != WALL
    for name in ("floor", "ceiling"):
        sectors[name][open_] += np.int8(y // CLICK)


def _new_item(baking: Baking, record: Record, edit: Record) -> None:
    baking.room(edit["room"])
    baking.append(
        baking.level,
        "entities",
        type=edit["object"]["id"],
        room=edit["room"],
        x=edit["x"],
        y=edit["y"],
        z=edit["z"],
        angle=edit["angle"],
        intensity=edit["shade"],
        intensity2=edit["shade"],
        flags=edit["flags"],
    )


def _trigger_type(baking: Baking, record: Record, edit: Record) -> None:
    def change(trigger: Trigger) -> Trigger:
        if edit["trigger"] not in REFERRING_TRIGGERS:
            return replace(trigger, type=edit["trigger"], reference=None, reference_rest=0)
        if trigger.reference is None:
            raise NotAppliedError(T("its new type needs an entity that sets it off, so it stays an edit"))
        return replace(trigger, type=edit["trigger"])

    _triggers(baking, record, change)


def _camera(baking: Baking, record: Record, edit: Record) -> None:
    cameras = baking.own(baking.level, "cameras")
    camera_numbers: set[int] = set()

    def change(trigger: Trigger) -> Trigger:
        actions = list(trigger.actions)
        for number, action in enumerate(actions):
            if action.type == ActionType.CAMERA:
                extra = EXTRA_TIMER.put(action.extra or 0, edit["timer"])
                actions[number] = replace(action, extra=int(EXTRA_MOVE.put(extra, edit["glide"])))
                camera_numbers.add(action.parameter)
        return replace(trigger, actions=tuple(actions))

    _triggers(baking, record, change)
    for number in camera_numbers:
        row = baking.row("cameras", number, T("camera"))
        for axis in "xyz":
            cameras[axis][row] += edit[axis]


def _zones(baking: Baking, record: Record, edit: Record) -> None:
    index = baking.sector(*_at(record))
    level = baking.level
    sectors = baking.room(record["room"]).sectors[index : index + 1]
    box = int(split_boxes(sectors["box"], level.game)[0][0])
    if not 0 <= box < level.zones.shape[-1]:
        raise NotAppliedError(T("its sector has no box"))
    zones = baking.own(level, "zones")
    zones[:, :, box] = np.array(edit["zones"], np.int16).astype(np.uint16).reshape(zones.shape[:2])


def _no_trigger(baking: Baking, record: Record, edit: Record) -> None:
    _triggers(baking, record, lambda trigger: None)


def _material(baking: Baking, record: Record, edit: Record) -> None:
    if not baking.level.game.traits.has_materials:
        raise NotAppliedError(T("the game has no materials of floors"))
    index = baking.sector(*_at(record))
    sectors = baking.own(baking.room(record["room"]), "sectors")
    sectors["box"][index] = (int(sectors["box"][index]) & 0xFFF0) | (edit["material"] & 0xF)


def _grow_room(baking: Baking, record: Record, edit: Record) -> None:
    baking.flush_functions()
    room = baking.room(record["room"])
    old = room.sectors.reshape(room.x_sectors, room.z_sectors)
    size = room.x_sectors + edit["dx"], room.z_sectors + edit["dz"]
    if max(size) > _MOST_SECTORS:
        raise NotAppliedError(T("the room would be more than {count} sectors wide", count=_MOST_SECTORS))
    new = np.zeros(size, old.dtype)
    new["box"], new["room_below"], new["room_above"] = _NO_BOX, NO_ROOM, NO_ROOM
    new["floor"] = new["ceiling"] = WALL
    new[: room.x_sectors, : room.z_sectors] = old
    room.x_sectors, room.z_sectors = new.shape
    baking.put(room, "sectors", new.reshape(-1))


# --- Properties of sectors and rooms, which the level's block can hold, too ------------------------


def _rooms(record: Record, *names: str) -> dict[str, int]:
    """Return numbers of rooms as sectors store them."""
    numbers = {name: record[name] for name in names}
    if max(numbers.values()) >= NO_ROOM:
        raise NotAppliedError(T("sectors of the original game cannot open to rooms above 254"))
    return {name: NO_ROOM if number < 0 else number for name, number in numbers.items()}


def _sector(baking: Baking, record: Record, edit: Record) -> None:
    index, rooms = baking.sector(*_at(record)), _rooms(edit, "room_below", "room_above")
    sectors = baking.own(baking.room(record["room"]), "sectors")
    for name, number in rooms.items():
        sectors[name][index] = number
    for name in ("floor", "ceiling"):
        sectors[name][index] = edit[name] // CLICK
    if not baking.level.game.traits.has_materials:  # there the engine takes another form of the number
        sectors["box"][index] = edit["box"] & 0xFFFF


def _portals(baking: Baking, record: Record, edit: Record) -> None:
    index, rooms = baking.sector(*_at(record)), _rooms(edit, "room_below", "room_above")
    functions: list[Function] = [
        each for each in baking.functions(*_at(record)) if not isinstance(each, Portal)
    ]
    if edit["room_beyond"] >= 0:
        functions.insert(0, Portal(edit["room_beyond"]))
    baking.put_functions(*_at(record), functions)
    sectors = baking.own(baking.room(record["room"]), "sectors")
    for name, number in rooms.items():
        sectors[name][index] = number


def _climb(baking: Baking, record: Record, edit: Record) -> None:
    traits = baking.level.game.traits
    monkey = bool(edit["climb"] & _MONKEY_SWING)
    sides = edit["climb"] & (_MONKEY_SWING - 1)
    if (sides and not traits.has_climbable_walls) or (monkey and not traits.has_sector_marks):
        raise NotAppliedError(T("the original game cannot hold it, so it stays an edit"))
    functions: list[Function] = [
        each for each in baking.functions(*_at(record)) if not isinstance(each, Climb | MonkeySwing)
    ]
    functions += [Climb(sides)] if sides else []
    functions += [MonkeySwing()] if monkey else []
    baking.put_functions(*_at(record), functions)


def _room_properties(baking: Baking, record: Record, edit: Record) -> None:
    room, traits = baking.room(record["room"]), baking.level.game.traits
    group = edit.get("flip_group", _SAME_GROUP)
    reverb = edit.get("reverb", 0)
    if edit["flags"] & _ONLY_IN_EDITS or group != _SAME_GROUP or (reverb and not traits.has_reverb):
        raise NotAppliedError(T("the original game cannot hold it, so it stays an edit"))
    room.flags = (room.flags & ~0xFF) | (edit["flags"] & 0xFF)
    if traits.has_reverb and "reverb" in edit:
        room.reverb = reverb


_MONKEY_SWING = 16
_ONLY_IN_EDITS = 2 | 4  # flags of damage and cold
_SAME_GROUP = 255


_KINDS: Mapping[int, Callable[[Baking, Record, Record], None]] = {
    FloorEdit.PARAMETER: _parameter,
    FloorEdit.ONE_SHOT: _one_shot,
    FloorEdit.FLOOR_DATA: _floor_data,
    FloorEdit.MOVE_ROOM: _move_room,
    FloorEdit.NEW_ITEM: _new_item,
    FloorEdit.TRIGGER_TYPE: _trigger_type,
    FloorEdit.CAMERA: _camera,
    FloorEdit.ZONES: _zones,
    FloorEdit.NO_TRIGGER: _no_trigger,
    FloorEdit.MATERIAL: _material,
    FloorEdit.GROW_ROOM: _grow_room,
    FloorEdit.SECTOR: _sector,
    FloorEdit.PORTALS: _portals,
    FloorEdit.CLIMB: _climb,
    FloorEdit.ROOM_PROPERTIES: _room_properties,
}
