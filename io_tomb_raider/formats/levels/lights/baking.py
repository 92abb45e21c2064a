"""Vertex light of rooms as level compilers compute it, and its encoding in files.

Brightness 1 leaves a texture unchanged; 2 is the maximum of files. Positions are in the file's units and
axes. The visibility of rays is an argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Floats
from ...base.bytes.colors import FULL_RGB555, gray_to_light, light_to_gray
from ...base.games import Game
from .lights import POINT, SHADOW, SPOT, SUN, Values
from .shading import EXPONENT_TR3, Triple, half_angle, source_of

NORMAL = 128  # of 255: brightness 1
_FULL = 255
_STEPS = 8192  # of intensities
_EDGE = 64  # distance before its end at which a light stops
_USUAL_INNER = 1024  # distance of full intensity for lights whose files do not store it
_DARKEST = 8160  # written by compilers: 255 steps of 32
_STEP = 5  # bits: 32
_LUMINANCE = np.array((0.2126, 0.7152, 0.0722))
_WITHOUT_NORMAL = 0.5  # factor of suns and spots: an object is lit by them from one side
_ROUNDING = 1e-6  # error bound of sums of 64-bit floats


class BakedLight(NamedTuple):
    """A light with the parameters for baking."""

    kind: str  #: POINT, SUN, SPOT or SHADOW; other kinds shine equally on all faces.
    place: Floats  #: (3,), its position.
    color: Floats  #: (3,), 1 normal.
    intensity: float  #: of the color, 1 normal; negative for shadows.
    inner: float | Floats  #: the distance of full intensity.
    outer: float | Floats  #: the distance at which it ends.
    direction: Floats  #: (3,), the unit vector towards a sun, or against the beam of a spot.
    inner_cosine: float = 1.0  #: of the angle of a spot's full intensity.
    outer_cosine: float = -1.0  #: of the angle at which it ends.


def baked_light(game: Game, values: Values, place: Floats) -> BakedLight | None:
    """Return a room light from its values of ``decode_light``; None if it gives no light.

    Files do not store all parameters: the inner range of points of TR1 to TR3, and of spots of TR5, is the
    default of level editors.
    """
    x, y, z = place.tolist()
    source = source_of(game, values, (x, y, z))
    if source is None:
        return None
    traits = game.traits
    color = np.array(source.color) * (_FULL / NORMAL if traits.has_light_types else 1.0)
    outer = source.reach if traits.has_light_ranges else 2.0 * source.reach
    if not traits.has_light_ranges or (source.kind == SPOT and "length" not in values):
        inner = min(float(_USUAL_INNER), outer)
    else:
        inner = float(values["length"]) if source.kind == SPOT else source.inner
    return BakedLight(
        source.kind,
        place,
        color,
        -source.strength if source.kind == SHADOW else source.strength,
        inner,
        outer,
        np.array(source.direction),
        cos(half_angle(float(values["inner"]))) if source.kind == SPOT else 1.0,
        source.cosine,
    )


def arriving(light: BakedLight, places: Floats) -> Floats:
    """Return the unobstructed fraction of a light at positions (p, 3), (p,), 0 to 1.

    Of points, each position can have its own light: with `place` (p, 3), and `inner` and `outer` (p,).
    """
    if light.kind == SUN:
        return np.ones(len(places))
    to_light = light.place - places
    x, y, z = to_light.T
    distance = np.sqrt(x * x + y * y + z * z)  # a reduction of three numbers is slow
    fraction = np.clip((light.outer - distance) / np.maximum(light.outer - light.inner, 1e-9), 0, 1)
    fraction[distance + _EDGE > light.outer] = 0
    if light.kind == SPOT:
        cosine = (to_light @ light.direction) / np.maximum(distance, 1e-9)
        width = light.outer_cosine - light.inner_cosine
        blend = (cosine - light.inner_cosine) / width if width else np.zeros(len(places))
        fraction *= np.where(cosine >= light.outer_cosine, 1 - np.clip(blend, 0, 1), 0)
    return np.asarray(fraction)


def facing(light: BakedLight, normals: Floats) -> Floats:
    """Return the fraction of a light on faces with unit normals (c, 3), (c,), 0 to 1.

    On rooms, points and shadows affect all faces equally.
    """
    if light.kind not in (SUN, SPOT):
        return np.ones(len(normals))
    return np.clip(normals @ light.direction, 0, 1)


def bake(
    places: Floats,
    rows: NDArray[np.int64],
    normals: Floats,
    lights: Sequence[BakedLight],
    free: Floats,
    ambient: Floats,
) -> Floats:
    """Return the brightness (p, 3) of positions: the mean over all triangle corners there.

    Args:
        places: (p, 3).
        rows: (c,), the position of each triangle corner.
        normals: (c, 3), the unit normals of the triangles. Positions without corners are lit like objects
            without normals.
        free: (p, l), the unoccluded fraction of the rays between positions and lights.
        ambient: (3,), brightness from all sides.
    """
    isolated = np.flatnonzero(np.bincount(rows, minlength=len(places)) == 0)
    turned = np.zeros((len(rows) + len(isolated), len(lights)))
    reached = np.zeros((len(places), len(lights)))
    for number, light in enumerate(lights):
        aside = 1.0 if light.kind in (POINT, SHADOW) else _WITHOUT_NORMAL
        turned[:, number] = np.concatenate([facing(light, normals), np.full(len(isolated), aside)])
        reached[:, number] = arriving(light, places) * free[:, number]
    return lit(np.concatenate([rows, isolated]), lights, reached, turned, ambient)


def brightness(lights: Sequence[BakedLight], arrived: Floats, ambient: Floats) -> Floats:
    """Return the brightness (n, 3), given the fraction of each light that arrives, (n, l)."""
    total = np.tile(np.asarray(ambient, np.float64), (len(arrived), 1))
    for number, light in enumerate(lights):
        # Suns and spots are not rounded.
        is_whole = light.kind in (POINT, SHADOW)
        intensity = np.trunc(light.intensity * _STEPS) / _STEPS if is_whole else light.intensity
        total += (arrived[:, number] * intensity)[:, None] * light.color
    return np.maximum(total, 0, out=total)


def lit(
    rows: NDArray[np.int64], lights: Sequence[BakedLight], reached: Floats, turned: Floats, ambient: Floats
) -> Floats:
    """Return the brightness (p, 3) of positions: the mean over all corners there.

    Args:
        rows: (c,), the position of each corner; all have at least one.
        reached: (p, l), the fraction of each light that arrives at positions.
        turned: (c, l), the fraction by the angle of incidence at corners.
        ambient: (3,), brightness from all sides.
    """
    total = brightness(lights, reached[rows] * turned, ambient)
    counts = np.bincount(rows, minlength=len(reached))
    sums = [np.bincount(rows, part, minlength=len(reached)) for part in total.T]
    return np.asarray(np.stack(sums, axis=1) / counts[:, None])


# --- Encoding --------------------------------------------------------------------------------------


def pack_light(game: Game, brightness: Floats) -> NDArray[np.int32]:
    """Return brightness (n, 3) as vertices of rooms and placed meshes store it.

    Returns:
        (n, 1), 0 bright to 8160 dark in steps of 32 (TR1, TR2); or red, green and blue, (n, 3), in 5 bits
            (TR3, TR4) or 8 (TR5).
    """
    if not game.traits.has_color_light:
        return pack_gray(brightness)[:, None]
    half, full = (NORMAL, _FULL) if game.traits.has_room_layers else (NORMAL // 8, FULL_RGB555)
    return np.clip(np.floor(half * brightness + 0.5 + _ROUNDING), 0, full).astype(np.int32)


def pack_tint(brightness: Floats) -> NDArray[np.int32]:
    """Return brightness (n, 3) as tints of placed static meshes (TR3 to TR5), 5 bits each."""
    return np.clip(np.floor(16 * brightness + 0.5 + _ROUNDING), 0, FULL_RGB555).astype(np.int32)


def pack_gray(brightness: Floats) -> NDArray[np.int32]:
    """Return brightness (n, 3) as uncolored light, (n,), 0 bright to 8160 dark in steps of 32."""
    half = np.clip(brightness @ _LUMINANCE / 2, 0, 1)
    return np.floor(_FULL * (1 - half) + _ROUNDING).astype(np.int32) << _STEP


def shown_light(game: Game, packed: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return packed light, see :func:`pack_light`, as screen colors (n, 3)."""
    if not game.traits.has_color_light:
        return np.repeat(light_to_gray(packed), 3, axis=1)
    return (packed if game.traits.has_room_layers else packed << 3).astype(np.uint8)


def packed_light(game: Game, colors: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return screen colors (n, 3) as packed light: the inverse of :func:`shown_light`."""
    if not game.traits.has_color_light:
        gray = np.rint(colors.mean(axis=1)).astype(np.uint8)
        return gray_to_light(gray)[:, None]
    if game.traits.has_room_layers:
        return colors.astype(np.int32)
    return np.minimum((colors.astype(np.int32) + 4) >> 3, FULL_RGB555)


def ambient_brightness(game: Game, ambient: int | Triple) -> Floats:
    """Return the brightness (3,) of a room's ambient light: a number, or a color, 1 full."""
    if isinstance(ambient, int) or not game.traits.has_room_color:
        return np.full(3, 2 * (1 - min(max(float(np.mean(ambient)), 0), _DARKEST) / _DARKEST))
    return np.array(ambient, np.float64) * (_FULL / NORMAL)


def brightness_for(game: Game, factor: Floats) -> Floats:
    """Return the brightness at which a game multiplies textures by a factor, any shape.

    The inverse of :func:`~.shading.texture_factor`, without the limits of files.
    """
    if game.traits.has_light_curve:
        return np.asarray(2 * (np.maximum(factor, 0) * 255 / 256) ** (1 / EXPONENT_TR3))
    return np.asarray(factor)
