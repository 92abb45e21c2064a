"""Lights of the sample levels in the records of each game, and the light of room vertices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import FOG_BULB_TR5, ROOM_LIGHT

from .plan import CLICK, SECTOR, Light, RoomPlan

_KINDS = {
    Game.TR1: ("point",),
    Game.TR2: ("point",),
    Game.TR3: ("point", "sun"),
    Game.TR4: ("sun", "point", "spot", "shadow", "fog"),
    Game.TR5: ("sun", "point", "spot", "shadow"),
}
_FULL = 8191


def shine(room: RoomPlan, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the light of a room's lights at points of the room, (n, 3), 0 to 1."""
    colors = np.tile(np.array(room.ambient), (len(points), 1))
    for light in room.lights:
        if light.kind in ("point", "spot"):
            x, z, y = light.place
            distance = np.linalg.norm(points - (x * SECTOR, y * CLICK, z * SECTOR), axis=1)
            strength = np.clip((light.outer - distance) / (light.outer - light.inner), 0, 1) ** 1.3
            colors += strength[:, None] * np.array(light.color) * 0.8
    return np.clip(colors, 0, 1)


def build_lights(game: Game, room: RoomPlan) -> NDArray[Any]:
    """Return the lights of a room of the kinds that the game has, without fog bulbs of TR5."""
    lights = [light for light in room.lights if light.kind in _KINDS[game]]
    out = np.zeros(len(lights), ROOM_LIGHT[game])
    for record, light in zip(out, lights, strict=True):
        for name, value in _fields(game, room, light).items():
            record[name] = value
    return out


def _position(room: RoomPlan, light: Light) -> tuple[int, int, int]:
    (x, z, y), origin = light.place, room.origin
    return round((x + origin[0]) * SECTOR), round(y * CLICK), round((z + origin[1]) * SECTOR)


def _fields(game: Game, room: RoomPlan, light: Light) -> dict[str, Any]:
    position = _position(room, light)
    common = dict(zip("xyz", position, strict=True))
    strength = round(max(light.color) * _FULL)
    if game <= Game.TR2:
        return (
            common
            | {"intensity": strength, "falloff": light.outer}
            | ({"intensity2": strength, "falloff2": light.outer} if game is Game.TR2 else {})
        )
    kind = {"sun": 0, "point": 1, "spot": 2, "shadow": 3, "fog": 4}[light.kind]
    bytes_of_color = [round(channel * 255) for channel in light.color]
    direction = np.array(light.direction)
    if game is Game.TR3:
        is_sun = light.kind == "sun"
        parameters = (
            [round(axis * 16384) for axis in light.direction] + [0]
            if is_sun
            else [strength, 0, light.outer, 0]
        )
        return common | {"color": bytes_of_color, "type": int(is_sun), "parameters": parameters}
    if game is Game.TR4:
        spot = {"length": 4096.0, "cutoff": 6144.0, "inner": 20.0, "outer": 40.0} if kind == 2 else {}
        reach = {"inner": float(light.inner), "outer": float(light.outer), "length": 7168.0, "cutoff": 6144.0}
        intensity = strength | 0xFF
        return (
            common
            | {"color": bytes_of_color, "type": kind, "intensity": intensity, "direction": direction}
            | (reach | spot)
        )
    return common | _fields_tr5(light, kind, position, direction)


def _fields_tr5(
    light: Light, kind: int, position: tuple[int, int, int], direction: NDArray[np.float64]
) -> dict[str, Any]:
    is_spot = kind == 2
    angles = {"inner_angle": np.radians(20) * 2, "outer_angle": np.radians(40) * 2, "range": light.outer}
    cone = {"inner": np.cos(np.radians(20)), "outer": np.cos(np.radians(40))}
    reach = {"inner": 0.0 if kind == 0 else light.inner, "outer": 0.0 if kind == 0 else light.outer}
    directed = direction if kind in (0, 2) else np.zeros(3)
    return {
        "color": light.color,
        "shadow": 0x7F if kind == 3 else 0xCDCDCDCD,
        **(cone | angles if is_spot else reach),
        "direction": directed,
        "position": position,
        "direction2": np.trunc(directed * 16384),
        "type": kind,
        "filler": 0xCD,
    }


def build_fog_bulbs(room: RoomPlan) -> NDArray[Any]:
    """Return TR5's fog bulbs of a room."""
    bulbs = [light for light in room.lights if light.kind == "fog"]
    rows = [(*_position(room, bulb), bulb.outer, float(bulb.outer) ** 2, 0.5, bulb.color) for bulb in bulbs]
    return np.array(rows, FOG_BULB_TR5)
