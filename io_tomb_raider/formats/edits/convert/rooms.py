"""Conversion of room properties, and of the light of placed objects (chapters 3.2 and 3.4).

Light is converted by its effect on a texture: in all games half brightness leaves it unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.colors import DARKEST, FULL_RGB555, put_tint, split_tint
from ...base.games import Game
from .lights import luma

_SHADE_STEP = 256  # light units of TR1 and TR2 per step of a 5-bit component
_BYTE_STEP = 32  # likewise of 8 bits
_USUAL_REVERB = 2
_PLAIN_LIGHT = 4096  # of meshes and placed objects in TR1 and TR2: leaves a texture as it is

# The flags of rooms, and the games in which they have the same meaning.
_LATER, _ALL = frozenset(tuple(Game)[2:]), frozenset(Game)
_FLAGS = {
    0x01: ("water", _ALL),
    0x08: ("sky", _ALL - {Game.TR1}),
    0x20: ("wind", _ALL - {Game.TR1}),
    0x40: ("inside", _LATER),
    0x80: ("no lens flare", frozenset({Game.TR4, Game.TR5})),
    0x100: ("caustics", _LATER),
    0x200: ("reflections", _LATER),
}
_QUICKSAND = (0x80, "quicksand", Game.TR3)


def room_flags(flags: int, source: Game, target: Game) -> tuple[int, list[str]]:
    """Return a room's flags for another game, and the names of unsupported flags."""
    result, lost = 0, []
    for bit, (name, games) in _FLAGS.items():
        if flags & bit and source in games:
            if target in games:
                result |= bit
            elif name in ("sky", "wind"):
                lost.append(name)
    if source is _QUICKSAND[2] and flags & _QUICKSAND[0]:
        lost.append(_QUICKSAND[1])
    return result, lost


def shade_of(component: float) -> int:
    """Return the light of TR1 to TR3, 0 bright to 8191 dark, for a brightness in 8 bits."""
    return min(max(round((256 - component) * _BYTE_STEP), 0), DARKEST)


def brightness_of(shade: int) -> int:
    """Return the brightness in 8 bits, 128 neutral, for a light of TR1 to TR3."""
    return min(max(round((DARKEST + 1 - min(max(shade, 0), DARKEST)) / _BYTE_STEP), 0), 255)


def room_light(values: dict[str, Any], source: Game, target: Game) -> dict[str, Any]:
    """Return a room's typed values for another game.

    Args:
        values: the values in the scene: ``ambient``, 0 bright to 8191 dark; ``color``, four components from 0
            to 1; ``light_mode``, ``reverb``, ``water_scheme``.
    """
    result = dict(values)
    if source.traits.has_room_color and not target.traits.has_room_color:
        result["ambient"] = shade_of(luma(values["color"]) * 255)
    elif target.traits.has_room_color and not source.traits.has_room_color:
        part = brightness_of(values["ambient"]) / 255
        result["color"] = (part, part, part, 1.0)
    result["ambient2"] = result["ambient"]
    if not (source.traits.has_light_mode and target.traits.has_light_mode and source is target):
        result["light_mode"] = 0
    if target.traits.has_reverb and not source.traits.has_reverb:
        result["reverb"], result["water_scheme"] = _USUAL_REVERB, 0
    return result


def tint_parts(intensity: int) -> tuple[int, int, int]:
    """Return the tint, three components of 0 to 31, that is equivalent to a light of TR1 and TR2."""
    shade = min(max(intensity, 0), DARKEST)
    part = min(round((DARKEST + 1 - shade) / _SHADE_STEP), FULL_RGB555)
    return part, part, part


def intensity_of(parts: tuple[float, float, float]) -> int:
    """Return the light of TR1 and TR2 that is equivalent to a tint, three components of 0 to 31."""
    return min(max(DARKEST + 1 - round(luma(parts) * _SHADE_STEP), 0), DARKEST)


def mesh_light(light: NDArray[Any], source: Game, target: Game) -> NDArray[np.int32]:
    """Return the light of a mesh's vertices, (n,), for another game, 0 bright to 8191 dark.

    TR1 and TR2 add it to the light of the object, and 4096 of both leaves a texture as it is. Later games
    multiply it by the tint, and 0 leaves a texture as it is. A light L of these shows 1 - L / 8192 of a
    texture, a light m of those (8192 - m) / 4096. Both are equal for m = 4096 + L / 2. Later games
    cannot show a texture brighter than it is, so brighter light of TR1 and TR2 becomes 0.
    """
    values = light.astype(np.int32)
    if source.traits.has_color_light == target.traits.has_color_light:
        return values
    converted = 2 * (values - _PLAIN_LIGHT) if target.traits.has_color_light else _PLAIN_LIGHT + values // 2
    return converted.clip(0, DARKEST)


def _shown_part(light: float | None) -> float:
    """Return how much of a texture a mesh shows by its light, the mean in TR1 and TR2; see `mesh_light`."""
    if light is None:
        return 1.0
    return min(max((DARKEST + 1 - light) / _PLAIN_LIGHT, 1 / FULL_RGB555), 1.0)


def placed_light(
    intensity: int,
    intensity2: int,
    parts: tuple[int, int, int],
    source: Game,
    target: Game,
    light: float | None = None,
) -> tuple[int, int, tuple[int, int, int]]:
    """Return the light of a placed static mesh: both words, and its tint in components of 0 to 31.

    A tint t, where 1 is plain, multiplies the part p of the texture that the mesh shows, and a light v adds
    (4096 - v) / 4096 to it. Both show the same at the mean light of the mesh for (4096 - v) / 4096 =
    (t - 1) * p.

    Args:
        intensity: 0 bright to 8191 dark (TR1, TR2).
        parts: the tint (TR3 to TR5).
        light: the mean light of the mesh as TR1 and TR2 store it, or None if it has normals.
    """
    part = _shown_part(light)
    if target.traits.has_color_light:
        if not source.traits.has_color_light:
            shade = min(max(intensity, 0), DARKEST)
            parts = tint_parts(round(_PLAIN_LIGHT + (shade - _PLAIN_LIGHT) / part))
        keeps_second = (
            source.traits.has_color_light and source.traits.has_room_layers is target.traits.has_room_layers
        )
        return intensity, intensity2 if keeps_second else int(target.traits.has_room_layers), parts
    if source.traits.has_color_light:
        plain = intensity_of(parts)
        intensity = min(max(round(_PLAIN_LIGHT + (plain - _PLAIN_LIGHT) * part), 0), DARKEST)
    return intensity, intensity, parts


def entity_light(intensity: int, source: Game, target: Game) -> int:
    """Return the light of an entity; negative values mean the light of its room in all games.

    Args:
        intensity: 0 bright to 8191 dark (TR1, TR2), or a tint.
    """
    if not 0 <= intensity <= 0x7FFF or source.traits.has_color_light == target.traits.has_color_light:
        return intensity if intensity <= 0x7FFF else -1
    if target.traits.has_color_light:
        return put_tint(0, tint_parts(intensity))
    return intensity_of(split_tint(intensity))
