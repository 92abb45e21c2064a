"""Records of a level as objects of a project: the inverse of their compilation.

Values that a level rounds or does not store are chosen so that they compile to the same record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import acos, asin, atan2, degrees
from typing import Any, TypeVar

import numpy as np

from .....base.bytes.colors import DARKEST, split_tint
from .....base.games import Game
from .....base.units import SECTOR_SIZE
from .....edits.rules.needs import pickups
from .....levels.lights import lights as level_lights
from .....levels.lights.lights import FOG, SHADOW, SPOT, SUN, decode_light, kind_of
from ...compile.objects.placed import target_of_flyby
from ...light.light import direction_of
from ...model.objects import (
    WHITE,
    Camera,
    Flyby,
    Light,
    LightKind,
    Moveable,
    Sink,
    SoundSource,
    Sprite,
    Static,
    Vector,
)
from ...model.rooms import ProjectRoom

_Turned = TypeVar("_Turned", Light, Flyby)

UNTINTED = 0xFFFF
_TURN, _STEPS = 360.0, 65536
_NEUTRAL_TINT = 16
_CODE_BITS, _AI_CODE_BITS = 9, 1
_CLEAR_BODY, _INVISIBLE = 0x80, 0x100
# Games that read another bit than the one which the editor writes.
_OTHER_CLEAR_BODY = {Game.TR2: 0x8000, Game.TR3: 0x8000}
_SPEED = 655
_MODES = {0: 0, 1: 1, 2: 0, 3: 2}  # by the two lowest flags of a camera
_GLIDE_OUT = 4
_IN_BASE, _IN_ALTERNATE = 0x80, 0x40
_ALWAYS, _BASE, _ALTERNATE = range(3)
_SHADE_STEPS, _SHADE_SHIFT, _HALF = 255, 5, 0.5
_FULL = 255
_LIGHT_STEPS = 128  # of a color of 1
_FOG_STEPS = 65535
_KINDS = {
    level_lights.POINT: LightKind.POINT,
    SHADOW: LightKind.SHADOW,
    SPOT: LightKind.SPOT,
    SUN: LightKind.SUN,
    FOG: LightKind.FOG_BULB,
}


def position_in(room: ProjectRoom, record: Any) -> Vector:
    """Return the position of a record of a level in a project's room."""
    return (
        float(record["x"]) - room.x * SECTOR_SIZE,
        -float(record["y"]) - room.y,
        float(record["z"]) - room.z * SECTOR_SIZE,
    )


def angle_of(value: int) -> float:
    """Return an angle in degrees."""
    return (int(value) & 0xFFFF) * _TURN / _STEPS


def color_of_tint(game: Game, tint: int) -> Vector:
    """Return the color of an object's tint."""
    tint = int(tint) & 0xFFFF
    if game.traits.has_color_light:
        red, green, blue = (part / _NEUTRAL_TINT for part in split_tint(tint))
        return red, green, blue
    return (gray_of(tint),) * 3


def gray_of(shade: int) -> float:
    """Return the brightness of uncolored light, 0 bright to 8191 dark.

    It is in the middle of those that the compiler, which cuts fractions, makes to the same shade.
    """
    step = min(max(int(shade), 0), DARKEST) >> _SHADE_SHIFT
    return max(2 * (1 - (step + _HALF) / _SHADE_STEPS), 0.0)


def model_of(game: Game, slot: int) -> int:
    """Return the slot of an item's model in the inventory by that of its sprite; other slots stay."""
    return next((model for model, sprite in pickups(game).items() if sprite == slot), slot)


def moveable(game: Game, room: ProjectRoom, record: Any, number: int) -> Moveable:
    """Return the object of an entity."""
    flags, tint = int(record["flags"]), int(record["intensity"]) & 0xFFFF
    names = record.dtype.names or ()
    ocb = int(record["ocb"]) if "ocb" in names else 0
    return Moveable(
        number,
        position_in(room, record),
        slot=model_of(game, int(record["type"]) & 0xFFFF),
        y=angle_of(record["angle"]),
        ocb=ocb,
        code_bits=flags >> _CODE_BITS & 31,
        clear_body=bool(flags & clear_body_bits(game)),
        invisible=bool(flags & _INVISIBLE),
        color=WHITE if tint == UNTINTED else color_of_tint(game, tint),
    )


def clear_body_bits(game: Game) -> int:
    """Return the flags of entities that remove their bodies after death: the editor's, and the game's."""
    return _CLEAR_BODY | _OTHER_CLEAR_BODY.get(game, 0)


def ai_object(room: ProjectRoom, record: Any, number: int) -> Moveable:
    """Return the object of an AI object."""
    return Moveable(
        number,
        position_in(room, record),
        slot=int(record["type"]),
        y=angle_of(record["angle"]),
        ocb=int(record["ocb"]),
        code_bits=int(record["flags"]) >> _AI_CODE_BITS & 31,
    )


def static(game: Game, room: ProjectRoom, record: Any, number: int, *, trng: bool) -> Static:
    """Return the object of a placed static mesh."""
    names = record.dtype.names or ()
    return Static(
        number,
        position_in(room, record),
        slot=int(record["static_mesh"]),
        y=angle_of(record["angle"]),
        ocb=int(record["unused"].astype(np.int16)) if trng and "unused" in names else 0,
        color=color_of_tint(game, record["color" if "color" in names else "intensity"]),
    )


def camera(room: ProjectRoom, record: Any, number: int) -> Camera:
    """Return the object of a fixed camera."""
    glides = bool(int(record["flags"]) & _GLIDE_OUT)
    return Camera(number, position_in(room, record), mode=mode_of(record), glide_out=glides)


def mode_of(record: Any) -> int:
    """Return the mode of a fixed camera."""
    return _MODES[int(record["flags"]) & 3]


def sink(room: ProjectRoom, record: Any, number: int) -> Sink:
    """Return the object of a current."""
    return Sink(number, position_in(room, record), strength=int(record["room"]))


def sound_source(room: ProjectRoom, record: Any, number: int) -> SoundSource:
    """Return the object of a sound source."""
    flags = int(record["flags"]) & (_IN_BASE | _IN_ALTERNATE)
    mode = {_IN_BASE: _BASE, _IN_ALTERNATE: _ALTERNATE}.get(flags, _ALWAYS)
    return SoundSource(number, position_in(room, record), sound=int(record["sound"]), play_mode=mode)


def flyby(room: ProjectRoom, record: Any, number: int) -> Flyby:
    """Return the object of a flyby camera."""
    position = np.array([record[axis] for axis in "xyz"], np.float64)
    target = record["target"].astype(np.float64)
    ahead = target - position
    flat = float(np.hypot(ahead[0], ahead[2]))
    turn, up = degrees(atan2(ahead[0], ahead[2])) % _TURN, degrees(atan2(-ahead[1], flat))
    flat_flyby = Flyby(
        number,
        position_in(room, record),
        roll=-angle_of(record["roll"]) % _TURN,
        speed=int(record["speed"]) / _SPEED,
        field_of_view=angle_of(record["fov"]),
        flags=int(record["flags"]),
        index=int(record["index"]),
        sequence=int(record["sequence"]),
        timer=int(record["timer"]),
    )

    def error(each: Flyby) -> float:
        x, y, z = target_of_flyby(each)
        point = np.rint([room.x * SECTOR_SIZE + x, -room.y - y, room.z * SECTOR_SIZE + z])
        return float(np.abs(point - target).max())

    return _with_angles(flat_flyby, turn, up, error)


def sprite(game: Game, room: ProjectRoom, vertex: Any, slot: int, frame: int, number: int) -> Sprite:
    """Return the object of a sprite of a room, at one of the room's vertices."""
    position = (float(vertex["x"]), -float(vertex["y"]) - room.y, float(vertex["z"]))
    color = WHITE if game.traits.has_color_light else (gray_of(vertex["light"]),) * 3
    return Sprite(number, position, slot=slot, frame=frame, color=color)


def light(game: Game, room: ProjectRoom, record: Any, number: int) -> Light:
    """Return the object of a light, or of a fog bulb of TR5. It shines on objects only."""
    values = decode_light(record)
    kind = _KINDS[kind_of(game, values)]
    color: Vector = WHITE
    if "color" in values:
        red, green, blue = (part * _FULL / _LIGHT_STEPS for part in values["color"])
        color = (red, green, blue)
    intensity = _intensity(game, values, kind)
    result = Light(
        number,
        position_in(room, record),
        kind=kind,
        intensity=-intensity if kind == LightKind.SHADOW else intensity,
        color=color,
        static=False,
        obstructed=False,
        imported_geometry=False,
    )
    if kind == LightKind.FOG_BULB and not game.traits.has_fog_bulb_list:
        length = float(record["length"]) if "length" in (record.dtype.names or ()) else 0.0
        same = round(length * _LIGHT_STEPS) == round(max(color) * _LIGHT_STEPS)
        result = replace(result, intensity=length if same else max(color), color=WHITE)
    if kind in (LightKind.SUN, LightKind.SPOT) and "direction" in values:
        x, y, z = values["direction"]
        result = _directed(result, (-x, -y, -z) if game.traits.has_beam_directions else (x, y, z))
    if kind == LightKind.SPOT:
        lengths = (values["length"], values["cutoff"]) if "cutoff" in values else (0.0, values["range"])
        return replace(
            result,
            inner_angle=degrees(acos(min(max(values["inner"], -1.0), 1.0))),
            outer_angle=degrees(acos(min(max(values["outer"], -1.0), 1.0))),
            inner_range=lengths[0] / SECTOR_SIZE,
            outer_range=lengths[1] / SECTOR_SIZE,
        )
    if "falloff" in values and kind != LightKind.SUN:
        return replace(result, inner_range=0.0, outer_range=(2 * values["falloff"] + 0.5) / SECTOR_SIZE)
    if "outer" in values and kind != LightKind.SUN:
        return replace(
            result,
            inner_range=values.get("inner", 0.0) / SECTOR_SIZE,
            outer_range=values["outer"] / SECTOR_SIZE,
        )
    return result


def _intensity(game: Game, values: dict[str, Any], kind: LightKind) -> float:
    if "density" in values:
        return float(values["density"]) / _FOG_STEPS
    if "intensity" in values and not (kind == LightKind.SUN and not game.traits.has_light_ranges):
        # The compiler cuts fractions.
        return (int(values["intensity"]) + 0.5) / DARKEST
    if kind == LightKind.SHADOW and "shadow" in values:
        return (int(values["shadow"]) + 0.5) / _FULL
    return 1.0


def _directed(light: Light, direction: tuple[float, float, float]) -> Light:
    """Return a light that shines in the direction of a level's record."""
    length = float(np.linalg.norm(direction)) or 1.0
    x, y, z = (-direction[0] / length, direction[1] / length, -direction[2] / length)
    turn, up = degrees(atan2(x, z)) % _TURN, degrees(asin(min(max(y, -1.0), 1.0)))
    target = np.array((-direction[0], direction[1], -direction[2]), np.float32)

    def error(light: Light) -> tuple[float, int]:
        difference = np.abs(np.array(direction_of(light), np.float32) - target)
        return float(difference.max()), int(np.count_nonzero(difference))

    return _with_angles(light, turn, up, error)


def _with_angles(obj: _Turned, turn: float, up: float, error: Callable[[_Turned], Any]) -> _Turned:
    """Return an object with the angles that give its record, as projects store them, in single precision.

    Of those near the exact ones, the first with the least error is taken. Rounded ones, which users enter,
    come first.
    """
    candidates = [(round(turn, digits), round(up, digits)) for digits in range(7)]
    candidates += product(_near(turn), _near(up))
    return min(
        (
            replace(obj, y=float(np.float32(candidate_y)), x=float(np.float32(candidate_x)))
            for candidate_y, candidate_x in candidates
        ),
        key=error,
    )


def _near(angle: float) -> list[float]:
    """Return an angle in single precision, and the next smaller and greater ones."""
    single = np.float32(angle)
    return [
        float(each)
        for each in (
            single,
            np.nextafter(single, np.float32(-np.inf)),
            np.nextafter(single, np.float32(np.inf)),
        )
    ]
