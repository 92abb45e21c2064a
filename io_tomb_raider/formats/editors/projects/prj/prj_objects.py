"""Objects and triggers of projects of the old level editor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....base.units import SECTOR_SIZE, TURN
from ..model.objects import (
    NO_OBJECT,
    Camera,
    Flyby,
    Light,
    LightKind,
    Moveable,
    Parameter,
    ParameterKind,
    PlacedObject,
    ProjectTrigger,
    Sink,
    SoundSource,
    Static,
    Vector,
)
from ..model.rooms import ProjectRoom
from .prj import (
    CAMERA,
    EFFECT,
    FIXED_CAMERA,
    FLYBY,
    FOG_BULB,
    LIGHT_RECORD,
    LIGHTS,
    MOVEABLE,
    OBJECT,
    POINT,
    SHADOW,
    SINK,
    SOUND,
    SPOT,
    STATIC,
    SUN,
    TRIGGER,
    Prj,
    PrjRoom,
)

COLOR = 128  # of normal light


@dataclass(eq=False)
class Conversion:
    """The state of a conversion."""

    prj: Prj
    #: rooms, converted: by number, the rooms of the file, whose sectors may be changed, and of the project.
    rooms: dict[int, PrjRoom]
    converted: dict[int, ProjectRoom]
    partners: dict[int, int] = field(default_factory=dict)  #: the rooms of flip pairs, by each other.
    bases: dict[int, int] = field(default_factory=dict)  #: the base rooms of alternate rooms.
    numbers: dict[int, int] = field(default_factory=dict)  #: the numbers of objects by those of the file.
    kinds: dict[int, type[PlacedObject]] = field(default_factory=dict)  #: their classes by those of the file.
    #: records of portals by their numbers; of equal numbers, the first.
    portals: dict[int, np.void] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)  #: their rooms, by their numbers.
    next_number: int = 0
    flip_effects: int = 0  #: the number of flip effects that were left out.
    unknown_objects: int = 0  #: the number of objects that were left out.

    def new_number(self) -> int:
        self.next_number += 1
        return self.next_number - 1


def record_area(record: np.void, bounds: tuple[int, int, int, int]) -> tuple[int, int, int, int] | None:
    """Return the area of a record within bounds, or None."""
    x, z = int(record["x"]), int(record["z"])
    x0, z0 = max(x, bounds[0]), max(z, bounds[1])
    x1 = min(x + int(record["x_sectors"]) - 1, bounds[2])
    z1 = min(z + int(record["z_sectors"]) - 1, bounds[3])
    return (x0, z0, x1, z1) if x0 <= x1 and z0 <= z1 else None


_FIRST_STATIC = 465  # of the slots of objects
_INVISIBLE, _CLEAR_BODY, _CODE_BITS = 1, 0x80, 31
_TINT_LEVELS = 16


def convert_record(state: Conversion, room: PrjRoom, number: int, record: np.void) -> Iterator[PlacedObject]:
    """Yield the object of a record, if it has one."""
    kind = int(record["type"])
    if kind == TRIGGER:
        trigger = _convert_trigger(state, room, number, record)
        if trigger is not None:
            yield trigger
        return
    if kind in LIGHTS and record.dtype != LIGHT_RECORD:
        return  # a stray light among objects
    obj = _convert_object(state, number, record) if kind == OBJECT else _CONVERTERS[kind](number, record)
    if obj is not None:
        x, y, z = (float(each) for each in record["position"])
        obj.position = x, -y - state.converted[room.number].y, z
        yield obj


def _convert_object(state: Conversion, number: int, record: np.void) -> Moveable | Static | None:
    slot = int(record["slot"])
    slots = state.prj.slots
    kind = slots[slot].kind if slot < len(slots) else 0
    if not kind:
        kind = MOVEABLE if slot < _FIRST_STATIC else STATIC
    y = float(int(record["facing"]) % TURN * 360 / TURN)
    ocb, color = int(record["d"]), _tint(int(record["c"]))
    if kind == STATIC and slot >= _FIRST_STATIC:
        return Static(number, slot=slot - _FIRST_STATIC, y=y, ocb=ocb, color=color)
    if kind != MOVEABLE:
        state.unknown_objects += 1
        return None
    bits = int(record["a"])
    return Moveable(
        number,
        slot=slot,
        y=y,
        ocb=ocb,
        invisible=bool(bits & _INVISIBLE),
        clear_body=bool(bits & _CLEAR_BODY),
        code_bits=bits >> 1 & _CODE_BITS,
        color=color,
    )


def _tint(word: int) -> Vector:
    levels = (word >> shift & 31 for shift in (0, 5, 10))
    red, green, blue = ((level + 0.375) / _TINT_LEVELS if level else 0.0 for level in levels)
    return red, green, blue


_LIGHT_KINDS = {
    POINT: LightKind.POINT,
    SHADOW: LightKind.SHADOW,
    SUN: LightKind.SUN,
    EFFECT: LightKind.EFFECT,
    SPOT: LightKind.SPOT,
    FOG_BULB: LightKind.FOG_BULB,
}
_INTENSITY = 8192
_MOST_RANGE, _MOST_ANGLE = 1e6, 1e4


def _finite(value: Any, most: float) -> float:
    """Return a number of a file between limits; 0 for none."""
    number = float(value)
    return min(max(number, -most), most) if np.isfinite(number) else 0.0


def _direction(x: float, y: float) -> tuple[float, float]:
    """Return angles with x between -90 and 90, and y from 0 to 360."""
    x = (x + 180) % 360 - 180
    if not -90 < x <= 90:
        x, y = (180 if x > 0 else -180) - x, y + 180
    return x, y % 360


def _convert_light(number: int, record: np.void) -> Light:
    kind = _LIGHT_KINDS[int(record["type"])]
    red, green, blue = (int(each) / COLOR for each in record["color"])
    is_fog = kind == LightKind.FOG_BULB
    x, y = _direction(-_finite(record["pitch"], _MOST_ANGLE), _finite(record["yaw"], _MOST_ANGLE) + 180)
    result = Light(
        number,
        kind=int(kind),
        x=x,
        y=y,
        intensity=int(record["intensity"]) / _INTENSITY,
        color=(red, green, blue),
        obstructed=not is_fog,
        dynamic=bool(record["on"]) and kind != LightKind.EFFECT,
        static=not is_fog,
        imported_geometry=not is_fog,
    )
    inner, outer, length, cutoff = (
        _finite(record[name], _MOST_RANGE) for name in ("inner", "outer", "length", "cutoff")
    )
    result.inner_range, result.outer_range = inner / SECTOR_SIZE, outer / SECTOR_SIZE
    if kind == LightKind.SPOT:
        result.inner_angle, result.outer_angle = inner, outer
        result.inner_range, result.outer_range = length / SECTOR_SIZE, cutoff / SECTOR_SIZE
    elif is_fog:
        result.intensity, result.color = red, (1.0, 1.0, 1.0)
    return result


def _convert_sound(number: int, record: np.void) -> SoundSource:
    return SoundSource(number, sound=int(record["slot"]))


def _convert_sink(number: int, record: np.void) -> Sink:
    return Sink(number, strength=int(record["a"]) // 2)


def _convert_camera(number: int, record: np.void) -> Camera:
    return Camera(number, mode=int(record["type"] == FIXED_CAMERA))


_SPEED = 655
_MOST_PITCH, _MOST_FIELD = 90, 180  # of flybys, in the new editor


def _convert_flyby(number: int, record: np.void) -> Flyby:
    word = int(record["slot"])
    return Flyby(
        number,
        y=float((int(record["facing"]) + 180) % 360),
        x=float(min(max(-int(record["b"]), -_MOST_PITCH), _MOST_PITCH)),
        roll=float(int(record["roll"]) % 360),
        speed=int(record["c"]) / _SPEED,
        field_of_view=float(min(word & 0xFF, _MOST_FIELD)),
        flags=int(record["d"]) & 0xFFFF,
        index=word >> 8 & 31,
        sequence=word >> 13,
        timer=int(record["a"]),
    )


_CONVERTERS: dict[int, Callable[[int, np.void], Any]] = {
    **dict.fromkeys(LIGHTS, _convert_light),
    SOUND: _convert_sound,
    SINK: _convert_sink,
    CAMERA: _convert_camera,
    FIXED_CAMERA: _convert_camera,
    FLYBY: _convert_flyby,
}


_TO_OBJECT, _TO_CAMERA, _TO_SINK, _LOOK_AT = 0, 1, 2, 6
_FLIP_EFFECT, _ACTION, _TO_FLYBY, _PARAMETER = 9, 11, 12, 13
_OBJECT_TARGETS = (_TO_OBJECT, _TO_CAMERA, _TO_SINK, _LOOK_AT, _TO_FLYBY)
_TARGETS_OF: dict[type[PlacedObject], int] = {Camera: _TO_CAMERA, Sink: _TO_SINK, Flyby: _TO_FLYBY}
_CONDITION = 12
_MOST_OLD_FLIP_EFFECT = 46  # those of the game; others are of TRNG
_COLLISION_EFFECTS = range(310, 331)
_ONE_SHOT = 1


def _convert_trigger(state: Conversion, room: PrjRoom, number: int, record: np.void) -> ProjectTrigger | None:
    shape = state.converted[room.number].shape
    area = record_area(record, (1, 1, shape.x_sectors - 2, shape.z_sectors - 2))
    if area is None:
        return None
    is_ng = state.prj.chunks is not None
    kind, target_type = int(record["trigger"]), int(record["target_type"])
    target, timer, flags = int(record["target"]), int(record["timer"]), int(record["trigger_flags"])
    if is_ng and target_type == _FLIP_EFFECT and target in _COLLISION_EFFECTS:
        state.flip_effects += 1
        return None
    result = ProjectTrigger(
        number,
        area,
        type=kind,
        target_type=target_type,
        target=Parameter(ParameterKind.NUMBER, target),
        timer=Parameter(ParameterKind.NUMBER, timer),
        code_bits=~(flags >> 1) & _CODE_BITS,
        one_shot=bool(flags & _ONE_SHOT),
    )
    if target_type in _OBJECT_TARGETS or (is_ng and target_type == _ACTION):
        result.target = Parameter(ParameterKind.OBJECT, state.numbers.get(target, NO_OBJECT))
        kind_of_target = state.kinds.get(target, Moveable)
        if target_type == _TO_OBJECT:
            result.target_type = _TARGETS_OF.get(kind_of_target, target_type)
    if is_ng and kind == _CONDITION:
        result.target_type = _PARAMETER
        result.timer, result.extra = split_timer(timer & 0xFF | result.code_bits << 8)
        result.code_bits = _CODE_BITS
    elif is_ng and (
        target_type == _ACTION or (target_type == _FLIP_EFFECT and target > _MOST_OLD_FLIP_EFFECT)
    ):
        result.timer, result.extra = split_timer(timer)
    return result


def split_timer(timer: int) -> tuple[Parameter, Parameter]:
    """Return the timer of a trigger of TRNG as two parameters."""
    return Parameter(ParameterKind.NUMBER, timer & 0xFF), Parameter(ParameterKind.NUMBER, timer >> 8)
