"""The tiles of the example level: 64 x 64 pixels of RGBA, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Floats

from .brush import (
    COLUMN,
    ROW,
    SIZE,
    X,
    Y,
    blurred,
    clouds,
    cracks,
    edge_of,
    hollows,
    mixed,
    noise,
    painted,
    soiled,
    step,
)
from .palette import quantized, ramp
from .solids import Tiles

Rect = tuple[float, float, float, float]
# Courses of large blocks: their edges vary, and repeat.
_ASHLAR: Sequence[Rect] = ((0, 0, 38, 31), (38, 0, 26, 31), (-12, 31, 34, 33), (22, 31, 30, 33))
_ASHLAR_2: Sequence[Rect] = (
    (6, 0, 44, 22),
    (50, 0, 20, 22),
    (-8, 22, 30, 42),
    (22, 22, 34, 24),
    (22, 46, 34, 18),
)
_BRICKS: Sequence[Rect] = tuple(
    (column * 21.34 + (10.67 if row % 2 else 0), row * 10.67, 21.34, 10.67)
    for row in range(6)
    for column in range(3)
)
_SLABS: Sequence[Rect] = ((0, 0, 32, 32), (32, 0, 32, 32), (0, 32, 32, 32), (32, 32, 32, 32))
_SLABS_2: Sequence[Rect] = (
    (0, 0, 40, 26),
    (40, 0, 24, 42),
    (0, 26, 18, 38),
    (18, 26, 22, 38),
    (40, 42, 24, 22),
)


def _stone_blocks(
    rects: Sequence[Rect],
    seed: int,
    *,
    name: str = "sand",
    base: float = 0.56,
    joint: float = 1.6,
    round_: float = 4.5,
    chips: float = 3.2,
    varied: float = 0.16,
    cracked: float = 0.8,
) -> tuple[Floats, Floats]:
    """Return the colors and the relief of weathered blocks."""
    warp = chips * np.clip(clouds(seed, 6, 3) - 0.5, 0, None) * 1.7 + 0.7 * noise(seed + 1, 32)
    inside, owner = edge_of(rects, warp)
    random = np.random.default_rng(seed)
    tone = (random.random(len(rects)) - 0.5) * varied
    lean = (random.random((len(rects), 2)) - 0.5) * 0.05
    pillow = 3.2 * np.sqrt(np.clip((inside - joint / 2) / round_, 0, 1))
    face = 1.6 * (clouds(seed + 2, 5, 4) - 0.5) * step(inside, 1, 4)
    pits = -1.6 * step(clouds(seed + 3, 10, 2), 0.66, 0.8) * step(inside, 2, 5)
    split = -2.4 * cracked * cracks(seed + 4) * step(inside, 1, 3)
    height = pillow + face + pits + split + lean[owner, 0] * COLUMN + lean[owner, 1] * ROW
    shade = base + tone[owner] + 0.16 * (clouds(seed + 5, 3, 3) - 0.5) + 0.07 * (noise(seed + 6, 32) - 0.5)
    shade = shade - 0.2 * (1 - step(inside, joint / 2 - 1, joint / 2 + 1.2)) - 0.16 * -split
    colors = painted(name, height, shade)
    # Iron in some of the stone, and cool shadow in joints.
    colors = mixed(
        colors, painted("ochre", height, shade * 0.95), 0.55 * step(clouds(seed + 8, 2, 3), 0.5, 0.85)
    )
    colors = mixed(colors, ramp("shadow", shade * 0.5), 0.4 * (1 - step(inside, -0.4, 1.8)))
    return colors, height


def _mossy(colors: Floats, height: Floats, amount: Floats, seed: int) -> Floats:
    """Return colors on which moss grows, by an amount from 0 to 1 (more in hollows)."""
    tufts = clouds(seed, 8, 3)
    grown = step(amount + 0.85 * (clouds(seed + 1, 5, 4) - 0.5) + 0.16 * hollows(height), 0.45, 0.62)
    moss = painted("moss", 3 * tufts, 0.18 + 0.5 * tufts, relief=0.9)
    rim = step(grown, 0.05, 0.3) * (1 - step(grown, 0.3, 0.9))
    return mixed(colors * (1 - 0.3 * rim)[..., None], moss, grown)


def _island() -> Floats:
    """Return 1 in the middle of the tile and 0 at its edges, so that neighbors show no seam."""
    return np.sin(np.pi * X) * np.sin(np.pi * Y)


def _sandy(colors: Floats, amount: Floats, seed: int) -> Floats:
    drift = step(amount + 0.35 * (clouds(seed, 3, 3) - 0.5), 0.46, 0.6)
    ripples = 1.2 * np.sin(2 * np.pi * (Y * 5 + 0.7 * noise(seed + 1, 3)))
    sand = painted(
        "sand", ripples + noise(seed + 2, 32), 0.66 + 0.1 * (noise(seed + 3, 32) - 0.5), relief=0.35
    )
    rim = step(drift, 0.02, 0.3) * (1 - step(drift, 0.3, 0.9))
    return mixed(colors * (1 - 0.25 * rim)[..., None], sand, drift)


# --- Walls -------------------------------------------------------------------------------------


def _walls() -> dict[str, Floats]:
    blocks, height = _stone_blocks(_ASHLAR, 11)
    other, other_height = _stone_blocks(_ASHLAR_2, 23, base=0.54)
    third, _ = _stone_blocks(_ASHLAR, 37, base=0.52, chips=5.5, cracked=1.6)
    bricks, brick_height = _stone_blocks(
        _BRICKS, 41, name="ochre", base=0.5, joint=1.8, round_=2.6, chips=2, varied=0.3
    )
    dark, dark_height = _stone_blocks(_ASHLAR_2, 53, name="stone", base=0.46, chips=4)
    return {
        "blocks": blocks,
        "blocks_2": other,
        "blocks_cracked": third,
        "blocks_moss": _mossy(blocks, height, 1.02 - 0.85 * Y, 61),
        "blocks_moss_2": _mossy(other, other_height, 0.1 + 0.38 * _island(), 67),
        "blocks_sand": _sandy(soiled(third, 0.2), 0.05 + 0.85 * Y, 71),
        "blocks_base": _mossy(soiled(other, 0.5), other_height, 0.75 * Y - 0.2, 73),
        "bricks": bricks,
        "bricks_moss": _mossy(bricks, brick_height, 0.12 + 0.36 * _island(), 79),
        "dark_blocks": dark,
        "dark_moss": _mossy(dark, dark_height, 0.12 + 0.36 * _island(), 83),
        "plinth": _plinth(),
        "frieze": _frieze(),
        "glyphs": _glyphs(),
        "cornice": _cornice(),
    }


def _bands(edges: Sequence[tuple[float, float]]) -> Floats:
    """Return a relief of horizontal bands: (row in pixels, height), linear between."""
    rows, heights = np.array(edges).T
    return np.interp(ROW + 0.5, rows, heights)


def _weathered(
    height: Floats, seed: int, base: float, name: str = "sand", joints: Sequence[float] = ()
) -> Floats:
    """Return colors of a carved relief with worn edges and vertical joints."""
    for place in joints:
        height = height - 2.2 * (1 - step(np.abs(COLUMN + 0.5 - place - 0.6 * noise(seed, 1, 8)), 0.3, 1.6))
    worn = step(clouds(seed, 4, 3), 0.58, 0.8)
    height = height * (1 - 0.75 * worn) + blurred(height, 6) * 0.75 * worn - 1.4 * worn
    height = height + 0.9 * (clouds(seed + 1, 8, 3) - 0.5) - 1.5 * cracks(seed + 5)
    shade = base + 0.16 * (clouds(seed + 2, 3, 3) - 0.5) + 0.06 * (noise(seed + 3, 32) - 0.5)
    colors = painted(name, height, shade)
    return mixed(colors, painted("ochre", height, shade * 0.9), 0.4 * step(clouds(seed + 4, 2, 3), 0.5, 0.9))


def _plinth() -> Floats:
    height = _bands(((0, 2), (3, 4), (9, 4), (11, 1.5), (15, 1.5), (17, 5), (58, 5), (64, 3)))
    return soiled(_weathered(height, 91, 0.5, joints=(20, 62)), 0.55)


def _cornice() -> Floats:
    # A roll, dentils below it, and a fillet.
    height = _bands(((0, 0), (2, 5), (10, 7), (18, 5), (20, 1), (44, 1), (46, 4), (54, 5), (60, 4), (64, 0)))
    tooth = step(np.abs((COLUMN + 0.5) % 16 - 8), 5.2, 4.2)
    height += 4.5 * np.where((ROW >= 21) & (ROW < 43), tooth, 0)
    return soiled(_weathered(height, 101, 0.6, joints=(40,)), 0.25, 0.1)


def _frieze() -> Floats:
    """A wave of spirals between two fillets."""
    cx, cy = 32.0, 32.0
    dx, dy = COLUMN + 0.5 - cx, ROW + 0.5 - cy
    radius, angle = np.hypot(dx, dy), np.arctan2(dy, dx)
    spiral = np.cos(angle - radius * 0.62)
    inside = step(radius, 22, 20)
    # The tail that joins the next spiral.
    tail = step(np.abs(ROW + 0.5 - (51 - 6 * np.cos(2 * np.pi * X))), 3.6, 2.2) * (1 - inside)
    relief = np.maximum(step(spiral, -0.15, 0.25) * inside, tail)
    height = _bands(((0, 1), (2, 5), (6, 5), (8, 0.5), (56, 0.5), (58, 5), (62, 5), (64, 1))) + 3.6 * relief
    colors = _weathered(height, 111, 0.58, joints=(0.5,))
    ground = (1 - relief) * ((ROW >= 9) & (ROW < 55))
    return mixed(
        colors, ramp("red", 0.42 + 0.2 * clouds(3, 6, 3)), 0.6 * ground * step(clouds(117, 4, 3), 0.3, 0.6)
    )


def _glyphs() -> Floats:
    """Two rows of signs of our own: suns, eyes, waves and steps."""
    height = _bands(((0, 1), (2, 5), (5, 5), (7, 2), (57, 2), (59, 5), (62, 5), (64, 1)))
    cut = np.zeros((SIZE, SIZE))
    for number, (row, column) in enumerate((r, c) for r in range(2) for c in range(3)):
        cy, cx = 20 + row * 24.0, 11 + column * 21.0
        dx, dy = COLUMN + 0.5 - cx, ROW + 0.5 - cy
        radius, angle = np.hypot(dx, dy), np.arctan2(dy, dx)
        sign = {
            0: np.maximum(
                step(radius, 4.4, 3.4),
                step(np.abs(radius - 8), 2.2, 1.2) * step(np.cos(angle * 8), -0.2, 0.3),
            ),
            1: np.maximum(
                step(np.abs(np.abs(dy) + dx * dx / 14 - 4.6), 1.7, 0.8) * step(np.abs(dx), 8.4, 7.6),
                step(radius, 2.6, 1.6),
            ),
            2: step(np.abs(dy - 3 * np.sin(dx * 0.75)), 1.8, 0.8) * step(np.abs(dx), 8.5, 7.5),
            3: step(np.abs(np.abs(dx) + np.round(dy / 4) * 2.4 - 2), 2.4, 1.4) * step(np.abs(dy), 8.5, 7.5),
            4: np.maximum(
                step(np.abs(radius - 6.2), 1.9, 0.9), step(np.abs(dx), 1.7, 0.8) * step(np.abs(dy), 9, 8)
            ),
            5: step(np.maximum(np.abs(dx), np.abs(dy)) % 4.0, 1.4, 0.8)
            * step(np.maximum(np.abs(dx), np.abs(dy)), 8.6, 7.8),
        }[number]
        cut = np.maximum(cut, sign)
    height = height - 3.2 * cut
    colors = _weathered(height, 121, 0.6, joints=(0.5, 42.5))
    return mixed(
        colors, ramp("blue", 0.4 + 0.25 * clouds(4, 6, 3)), 0.5 * cut * step(clouds(127, 4, 3), 0.35, 0.6)
    )


# --- Floors and ceilings -----------------------------------------------------------------------


def _floors() -> dict[str, Floats]:
    slabs, _ = _stone_blocks(_SLABS, 131, base=0.5, joint=1.8, round_=3, cracked=1.4)
    other, other_height = _stone_blocks(_SLABS_2, 137, base=0.48, joint=2, round_=3, chips=4.5)
    dark, dark_height = _stone_blocks(_SLABS, 139, name="stone", base=0.4, joint=2, round_=3)
    return {
        "slabs": slabs,
        "slabs_2": other,
        "slabs_moss": _mossy(other, other_height, 0.12 + 0.36 * _island(), 149),
        "slabs_sand": _sandy(slabs, 0.3 + 0.35 * noise(12, 2), 151),
        "sand_edge": _sandy(other, 1.0 - 1.05 * np.abs(2 * Y - 1) ** 0.8, 157),
        "sand": _sandy(slabs, np.full((SIZE, SIZE), 2.0), 163),
        "pool_floor": _mossy(dark, dark_height, 0.08 + 0.32 * _island(), 167),
        "stair": soiled(
            _weathered(_bands(((0, 0), (1, 5), (7, 6), (10, 2), (64, 2))), 173, 0.55, joints=(31,)), 0.4
        ),
        "coffer": _coffer(),
        "timber": _timber(),
        **_mosaic(),
    }


def _coffer() -> Floats:
    reach = np.maximum(np.abs(COLUMN - 31.5), np.abs(ROW - 31.5))
    height = np.interp(reach, (0, 15, 16, 22, 23, 27, 28, 32), (0, 0, 2.5, 2.5, 5, 5, 7.5, 8))
    dx, dy = COLUMN - 31.5, ROW - 31.5
    radius, angle = np.hypot(dx, dy), np.arctan2(dy, dx)
    height += 3 * step(radius, 12, 10) * (0.4 + 0.6 * np.cos(angle * 8) ** 2) * step(radius, 2, 5) + 3 * step(
        radius, 4, 2
    )
    colors = _weathered(height, 181, 0.42)
    return mixed(colors, ramp("shadow", 0.25 + 0.3 * clouds(5, 4, 3)), 0.5 * step(15.5 - reach, -1, 1))


def _timber() -> Floats:
    grain = clouds(191, 2, 2) * 0.4 + noise(193, 4, 32) * 0.6
    height = _bands(((0, 0), (2, 4), (29, 4), (31, 0), (33, 0), (35, 4), (61, 4), (64, 0))) + 1.6 * grain
    return painted("wood", height, 0.36 + 0.3 * grain, relief=0.9)


def _mosaic() -> dict[str, Floats]:
    """Return a quarter of a sun of 4 x 4 tiles, and its border: tesserae in colored rings."""
    result = {}
    for name, (column, row) in {"center": (0, 0), "side": (1, 0), "corner": (1, 1)}.items():
        # Distances in tiles from the middle of the sun; the quarter is right and below of it.
        result[f"mosaic_{name}"] = _tesserae(X + column, Y + row)
    # The side below is the other side with x and y exchanged: a tile of its own keeps its light.
    result["mosaic_side_2"] = _tesserae(X, Y + 1)
    meander = _meander()
    result["mosaic_border"] = _tiny_stones(np.where(meander > 0.5, 0.0, 1.0))
    return result


def _tesserae(x: Floats, y: Floats) -> Floats:
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    ray = np.abs(((angle / (np.pi / 8) + 0.5) % 1) - 0.5) * 2  # 0 at the middle of rays
    colors = np.zeros((SIZE, SIZE), np.int64)  # index of `_MOSAIC`
    colors[radius < 1.86] = 1
    colors[(radius < 1.7) & (ray > 0.5)] = 2
    colors[(radius < 1.2 + 0.42 * (1 - ray))] = 3
    colors[(radius < 1.08 + 0.26 * (1 - ray))] = 4
    colors[radius < 0.86] = 0
    colors[radius < 0.78] = 5
    wave = 0.56 + 0.06 * np.sin(angle * 16)
    colors[radius < wave] = 3
    colors[radius < wave - 0.09] = 0
    colors[radius < 0.34] = 4
    colors[radius < 0.2] = 2
    edge = np.maximum(np.abs(x), np.abs(y))
    colors[edge > 1.9] = 5
    return _tiny_stones(colors)


_MOSAIC = (("stone", 0.82), ("blue", 0.34), ("blue", 0.6), ("gold", 0.56), ("red", 0.5), ("shadow", 0.3))


def _meander() -> Floats:
    rows = ("00000000", "11111111", "00000001", "11111101", "10000101", "10111101", "10000001", "00000000")
    pattern = np.array([[int(each) for each in row] for row in rows])
    return np.kron(pattern, np.ones((8, 8))).astype(np.float64)


def _tiny_stones(which: NDArray[Any]) -> Floats:
    """Return stones of 4 x 4 pixels of the colors in the middle of each."""
    random = np.random.default_rng(211)
    middle = np.kron(np.asarray(which)[2::4, 2::4], np.ones((4, 4))).astype(np.int64)
    tone = np.kron(random.random((16, 16)) - 0.5, np.ones((4, 4))).astype(np.float64)
    joint = ((COLUMN % 4 == 3) | (ROW % 4 == 3)).astype(np.float64)
    lost = np.kron((random.random((16, 16)) > 0.955).astype(float), np.ones((4, 4)))
    colors = np.zeros((SIZE, SIZE, 3))
    wear = 0.12 * (clouds(213, 3, 3) - 0.5)
    for number, (name, shade) in enumerate(_MOSAIC):
        own = ramp(name, 0.0 * X + shade + 0.16 * tone + wear - 0.14 * joint + 0.05 * (COLUMN % 4 == 0))
        colors = np.where((middle == number)[..., None], own, colors)
    colors = mixed(colors, ramp("rock", 0.36 + 0.2 * clouds(217, 16, 2)), np.maximum(lost, 0.35 * joint))
    return mixed(colors, ramp("sand", 0.0 * X + 0.5 + 0.1 * tone), 0.35 * step(clouds(219, 3, 3), 0.55, 0.8))


# --- Rock and plants ---------------------------------------------------------------------------


def _rock_height(seed: int, stretch: int = 1) -> Floats:
    """Return the relief of rock: facets between ridges."""
    random = np.random.default_rng(seed)
    points = random.random((9 * stretch, 2)) * SIZE
    slopes = (random.random((len(points), 2)) - 0.5) * 0.5
    best = np.full((SIZE, SIZE), np.inf)
    second = best.copy()
    height = np.zeros((SIZE, SIZE))
    warp_x, warp_y = 10 * (clouds(seed + 1, 4, 3) - 0.5), 10 * (clouds(seed + 2, 4, 3) - 0.5)
    for (px, py), (sx, sy) in zip(points, slopes, strict=True):
        dx = (COLUMN + warp_x - px + SIZE / 2) % SIZE - SIZE / 2
        dy = (ROW + warp_y - py + SIZE / 2) % SIZE - SIZE / 2
        far = np.hypot(dx, dy * 1.2)
        nearer = far < best
        second = np.where(nearer, best, np.minimum(second, far))
        height = np.where(nearer, sx * dx + sy * dy + 4, height)
        best = np.where(nearer, far, best)
    ridge = np.clip(second - best, 0, 5)
    return height + 0.7 * ridge + 3.5 * (clouds(seed + 3, 6, 4) - 0.5)


def _rocks() -> dict[str, Floats]:
    first, second = _rock_height(307), _rock_height(331, 2)
    rock = painted("rock", first, 0.47 + 0.2 * (clouds(311, 3, 3) - 0.5), relief=0.6)
    rock = mixed(rock, painted("stone", first, 0.42), 0.6 * step(clouds(313, 2, 2), 0.35, 0.75))
    rock_2 = painted("rock", second, 0.44 + 0.2 * (clouds(317, 3, 3) - 0.5), relief=0.58)
    rock_2 = mixed(rock_2, painted("stone", second, 0.42), 0.6 * step(clouds(319, 2, 2), 0.35, 0.75))
    rock_2 = mixed(rock_2, painted("ochre", second, 0.4), 0.25 * step(clouds(321, 2, 2), 0.5, 0.8))
    pebble = step(noise(335, 9), 0.68, 0.82) + 0.6 * step(noise(339, 15), 0.74, 0.88)
    pebbles_height = 1.6 * pebble + 2.6 * clouds(337, 4, 4)
    dirt = painted("rock", pebbles_height, 0.38 + 0.08 * pebble + 0.14 * (clouds(341, 4, 3) - 0.5))
    dirt = mixed(dirt, painted("sand", pebbles_height, 0.45), 0.5 * step(clouds(343, 3, 3), 0.4, 0.7))
    rubble_height = _rock_height(347, 3) * 1.3
    rubble = painted("sand", rubble_height, 0.5 + 0.2 * (clouds(349, 3, 2) - 0.5), relief=1.1, dirt=1.6)
    tufts = noise(353, 32, 24) * 0.45 + noise(357, 16, 20) * 0.25 + clouds(359, 8, 3) * 0.4
    grass = painted("moss", 2.4 * tufts, 0.16 + 0.4 * tufts, relief=0.7)
    grass = mixed(grass, dirt, step(clouds(361, 3, 3), 0.62, 0.8))
    wet = painted("shadow", first, 0.42 + 0.2 * (clouds(367, 3, 3) - 0.5), relief=1.0)
    return {
        "rock": rock,
        "rock_2": rock_2,
        "rock_moss": _mossy(rock, first, 0.16 + 0.4 * _island(), 371),
        "rock_moss_2": _mossy(rock_2, second, 0.1 + 0.38 * _island(), 373),
        "rock_floor": dirt,
        "rubble": rubble,
        "grass": grass,
        "path_edge": mixed(
            dirt, grass, step(X + 0.7 * (clouds(383, 4, 3) - 0.5) * np.sin(np.pi * X), 0.36, 0.46)
        ),
        "wet_rock": mixed(rock, wet, np.full((SIZE, SIZE), 0.6)),
    }


def _with_alpha(colors: Floats, visible: Floats) -> Floats:
    return np.concatenate([colors, 255.0 * (visible > 0.5)[..., None]], axis=-1)


def _strands(
    seed: int, count: int, width: float, leaves: float, lengths: tuple[float, float], name: str
) -> Floats:
    """Return hanging strands with leaves, with transparency."""
    random = np.random.default_rng(seed)
    colors, visible = np.zeros((SIZE, SIZE, 3)), np.zeros((SIZE, SIZE))
    for _ in range(count):
        start, phase = random.random() * SIZE, random.random() * 6.28
        length = SIZE * random.uniform(*lengths)
        middle = start + 3.5 * np.sin(ROW * 0.11 + phase) + 1.4 * np.sin(ROW * 0.31 + phase * 2)
        away = (COLUMN + 0.5 - middle + SIZE / 2) % SIZE - SIZE / 2
        stem = (np.abs(away) < width * (1.1 - 0.5 * ROW / length)) & (length > ROW)
        shade = 0.35 + 0.3 * random.random() - 0.12 * away / max(width, 1)
        colors = np.where(stem[..., None], ramp("wood", shade + 0 * COLUMN), colors)
        visible = np.maximum(visible, stem)
        for at in np.arange(2, length - 1, 3.4):
            if random.random() > leaves:
                continue
            side = random.choice((-1.0, 1.0))
            size = random.uniform(2.2, 4.0)
            x = start + 3.5 * np.sin(at * 0.11 + phase) + 1.4 * np.sin(at * 0.31 + phase * 2) + side * size
            dx = (COLUMN + 0.5 - x + SIZE / 2) % SIZE - SIZE / 2
            dy = ROW + 0.5 - at - side * dx * 0.35
            leaf = (dx / size) ** 2 + (dy / (size * 0.55)) ** 2 < 1
            shade_leaf = 0.3 + 0.45 * random.random() - 0.06 * dy - 0.2 * (np.abs(dy) < 0.5)
            colors = np.where(leaf[..., None], ramp(name, shade_leaf), colors)
            visible = np.maximum(visible, leaf)
    return _with_alpha(colors, visible)


def _plants() -> dict[str, Floats]:
    fern = _strands(401, 7, 1.0, 0.75, (0.45, 1.0), "moss")
    roots = _strands(409, 8, 2.2, 0.06, (0.5, 1.1), "moss")
    radius = np.hypot(COLUMN - 31.5, ROW - 31.5)
    angle = np.arctan2(ROW - 31.5, COLUMN - 31.5)
    threads = np.maximum(
        (np.abs(((angle / (np.pi / 5) + 0.5 + 0.1 * noise(3, 4)) % 1) - 0.5) * radius * 0.63 < 0.55),
        np.abs((radius + 3.5 * np.cos(angle * 10)) % 8 - 4) < 0.5,
    ) & (radius < 31)
    grass_blades = np.zeros((SIZE, SIZE))
    shades = np.zeros((SIZE, SIZE))
    random = np.random.default_rng(419)
    for _ in range(46):
        x, lean, tall = random.random() * SIZE, random.uniform(-0.35, 0.35), random.uniform(14, 46)
        up = SIZE - ROW - 0.5
        middle = x + lean * up + lean * up * up / 60
        away = np.abs((COLUMN + 0.5 - middle + SIZE / 2) % SIZE - SIZE / 2)
        blade = (away < 1.7 * (1 - up / tall)) & (up < tall)
        shades = np.where(blade, random.uniform(0.25, 0.7) + 0.3 * up / tall, shades)
        grass_blades = np.maximum(grass_blades, blade)
    return {
        "vines": fern,
        "roots": roots,
        "web": _with_alpha(ramp("stone", 0.75 + 0 * X), threads),
        "blades": _with_alpha(ramp("moss", shades), grass_blades),
    }


# --- Water, light, and what is made by hand ------------------------------------------------------


def _waters() -> dict[str, Floats]:
    result = {}
    for number in range(4):
        phase = number * np.pi / 2
        field = np.zeros((SIZE, SIZE))
        for kx, ky, shift in ((1, 2, 0.3), (2, -1, 1.7), (3, 2, 4.1), (-2, 3, 2.2), (4, 1, 5.0)):
            field += np.sin(2 * np.pi * (kx * X + ky * Y) + shift + phase * (1 if kx % 2 else -1))
        lines = 1 - step(np.abs(field), 0.0, 0.9)
        result[f"water_{number}"] = ramp("blue", 0.3 + 0.1 * field / 5 + 0.42 * lines)
        speed = number / 4
        streaks = np.zeros((SIZE, SIZE))
        for seed, cells, weight in ((431, 20, 0.45), (433, 32, 0.35), (439, 8, 0.3)):
            streaks += weight * np.roll(noise(seed, cells, 3), int(speed * SIZE), 0)
        streaks += 0.25 * np.roll(noise(443, 32, 12), int(speed * SIZE), 0)
        water = ramp("blue", 0.3 + 0.66 * step(streaks, 0.4, 1.15))
        result[f"fall_{number}"] = water
        # Added to what is behind: strands that thin out to the right.
        strands = np.clip(1.15 - X - 0.55 * (1 - step(streaks, 0.45, 1.05)), 0, 1)
        result[f"fall_edge_{number}"] = water * (strands * step(1 - X, 0.0, 0.25))[..., None]
    foam = clouds(449, 8, 3)
    result["foam"] = ramp("blue", 0.5 + 0.5 * step(foam, 0.35, 0.75))
    # Spray, which fades to all sides.
    distance = np.hypot(2 * X - 1, 2 * Y - 1)
    result["spray"] = (
        ramp("blue", 0.8 + 0.2 * foam) * ((1 - step(distance, 0.1, 0.98)) * (0.3 + 0.7 * foam))[..., None]
    )
    return result


def _handmade() -> dict[str, Floats]:
    grain = noise(461, 24, 3) * 0.6 + noise(463, 48, 6) * 0.4
    plank = edge_of([(n * 16.0, -SIZE, 16, 4 * SIZE) for n in range(4)])[0]
    nails = np.zeros((SIZE, SIZE))
    for x in (8, 24, 40, 56):
        for y in (8, 56):
            nails = np.maximum(nails, step(np.hypot(COLUMN + 0.5 - x, ROW + 0.5 - y), 2.6, 1.6))
    height = 3 * np.sqrt(np.clip(plank / 3, 0, 1)) + 1.2 * grain
    planks = painted("wood", height, 0.35 + 0.32 * grain)
    bands = step(np.minimum(np.abs(ROW + 0.5 - 8), np.abs(ROW + 0.5 - 56)), 5.5, 4.8)
    iron = painted("stone", 2.5 * bands + 2 * nails, 0.3 + 0.2 * clouds(467, 6, 3))
    door = mixed(planks, mixed(iron, ramp("red", 0.3 + 0.2 * grain), 0.3 * clouds(469, 4, 2)), bands)
    metal = painted("stone", 2 * clouds(471, 4, 3), 0.34 + 0.24 * clouds(473, 5, 3))
    metal = mixed(
        metal, ramp("ochre", 0.3 + 0.3 * clouds(475, 6, 3)), 0.5 * step(clouds(477, 3, 3), 0.45, 0.7)
    )
    shine = 0.5 + 0.3 * np.sin(2 * np.pi * X) * np.cos(2 * np.pi * Y) + 0.2 * (clouds(479, 3, 3) - 0.5)
    gold = painted("gold", 1.5 * clouds(481, 6, 3), shine)
    rings = _bands(((0, 0), (3, 3), (9, 3), (11, 0), (53, 0), (55, 3), (61, 3), (64, 0)))
    gold_band = painted(
        "gold",
        rings
        + 2.5
        * step(np.abs(np.abs((X * 4) % 1 - 0.5) * 28 - np.abs(ROW - 31.5)), 3, 1.5)
        * ((ROW > 12) & (ROW < 52)),
        0.5 + 0.16 * (clouds(487, 4, 3) - 0.5),
    )
    throw = painted(
        "red",
        _bands(((0, 0), (64, 0))) + noise(491, 3, 24),
        0.52 + 0.14 * (clouds(493, 4, 3) - 0.5),
        relief=0.8,
    )
    stripe = step(np.abs(ROW - 20 - 2 * np.sin(2 * np.pi * X * 4)), 4.4, 3.6)
    jar = mixed(
        throw,
        ramp("sand", 0.62 + 0.2 * clouds(497, 5, 3)),
        np.maximum(stripe, step(np.abs(ROW - 32), 1.4, 0.9)),
    )
    drum = _bands(((0, 3), (1, 5), (5, 5), (7, 2.5), (57, 2.5), (59, 5), (63, 5), (64, 3)))
    flutes = 2.2 * np.abs(np.sin(np.pi * X * 5)) * ((ROW > 7) & (ROW < 57))
    column = _weathered(drum + flutes, 503, 0.56)
    drum_2 = _bands(((0, 2), (4, 6), (12, 6), (14, 2), (30, 2), (32, 4), (36, 4), (38, 2), (64, 2)))
    cap = _weathered(
        drum_2 + 3 * step(np.abs(np.abs((X * 4) % 1 - 0.5) * 22 + (ROW - 56) * 0.5), 4.5, 3) * (ROW > 38),
        509,
        0.58,
    )
    # Rings of armor on limbs of stone.
    rings_2 = _bands(
        ((0, 2), (3, 5), (8, 5), (10, 2), (29, 2.5), (32, 5), (38, 5), (40, 2), (58, 2.5), (60, 4), (64, 2))
    )
    torso = _weathered(rings_2 + 1.5 * clouds(511, 4, 3), 513, 0.58, "stone")
    coal = painted("rock", _rock_height(521, 4), 0.2 + 0 * X)
    ember = step(clouds(523, 8, 3), 0.5, 0.8)
    return {
        "planks": planks,
        "door": door,
        "metal": metal,
        "gold": gold,
        "gold_band": gold_band,
        "jar": jar,
        "column": column,
        "capital": cap,
        "statue": torso,
        "mask": _mask(),
        "feathers": _feathers(),
        "coals": mixed(coal, ramp("fire", 0.45 + 0.5 * ember), ember),
    }


def _mask() -> Floats:
    """A face of stone: brows, inlaid eyes, a broad nose, a mouth with fangs; its sides are plain."""
    x, y = np.abs(COLUMN - 31.5), ROW + 0.0
    height = 3.5 * step(26 - x, 0, 6)
    brow = step(np.abs(y - (18 - 0.12 * x)), 3.4, 2.0) * step(x, 25, 22) * step(x, 1.5, 4)
    eye = step(((x - 13) / 8) ** 2 + ((y - 26) / 4.2) ** 2, 1.25, 0.8)
    pupil = step(np.hypot(x - 12.5, y - 26), 3.4, 2.4)
    nose = step(x - 2 - (y - 20) * 0.22, 2.5, 0.5) * step(y, 19, 22) * step(y, 39, 36)
    lips = step(np.abs(np.hypot(x / 1.9, y - 47) - 7.5), 2.2, 1.2) * step(x, 19, 17)
    mouth = step(np.hypot(x / 1.9, y - 47), 6.4, 5.4)
    fang = mouth * step(np.abs((x % 7.0) - 3.5) + (y - 43) * 0.45, 3.2, 2.2) * (y < 50)
    cheek = step(np.hypot((x - 19) / 1.2, y - 39), 6.5, 3.0)
    height = height + 3 * brow - 2 * eye + 4.5 * nose + 3 * lips - 3 * mouth + 3 * fang + 1.6 * cheek
    colors = _weathered(height, 517, 0.58, "stone")
    colors = mixed(colors, ramp("blue", 0.55 + 0 * X), 0.85 * eye)
    colors = mixed(colors, ramp("gold", 0.62 + 0 * X), pupil)
    colors = mixed(colors, ramp("red", 0.3 + 0 * X), 0.8 * mouth * (1 - fang))
    return mixed(colors, ramp("gold", 0.5 + 0 * X), 0.8 * step(np.abs(y - 58), 3.5, 2.5) * step(x, 25, 23))


def _feathers() -> Floats:
    """Feathers side by side, blue and green, with red tips."""
    part = (X * 4) % 1 - 0.5
    barbs = 0.5 + 0.5 * np.sin((Y * 14 - np.abs(part) * 5) * 2 * np.pi)
    height = 2.5 * np.cos(part * np.pi) + 1.0 * barbs
    colors = painted("blue", height, 0.42 + 0.1 * barbs)
    colors = mixed(colors, painted("moss", height, 0.4 + 0.1 * barbs), 1.0 * (np.floor(X * 4) % 2 == 1))
    colors = mixed(
        colors, painted("red", height, 0.5 + 0.1 * barbs), step(0.26 + 0.1 * np.abs(part) - Y, -0.02, 0.03)
    )
    colors = mixed(colors, ramp("gold", 0.55 + 0 * X), step(np.abs(part), 0.06, 0.03) * (Y > 0.2))
    return mixed(colors, ramp("shadow", 0.1 + 0 * X), 0.8 * step(np.abs(part), 0.44, 0.49))


def _flames() -> dict[str, Floats]:
    result = {}
    for number in range(3):
        wave = 3 * np.sin(ROW * 0.22 + number * 2.1) * (1 - Y)
        x = (COLUMN + 0.5 - 32 - wave) / 32
        tall = Y * 1.08
        width = 0.62 * np.sin(np.pi * np.clip(tall, 0, 1) ** 1.35) ** 0.8
        body = 1 - np.abs(x) / np.maximum(width, 1e-3)
        body = body + 0.5 * (np.roll(clouds(541, 6, 3), number * 21, 0) - 0.5)
        colors = ramp("fire", 0.25 + 0.85 * np.clip(body, 0, 1) * (0.35 + 0.65 * Y))
        result[f"flame_{number}"] = _with_alpha(colors, step(body, 0.08, 0.1))
    return result


def _skies() -> dict[str, Floats]:
    cloud = clouds(557, 3, 4)
    leaf = clouds(563, 6, 4)
    sky = ramp("sky", 0.2 + 0.42 * step(cloud, 0.2, 1.0))
    low = ramp("sky", 0.3 + 0.4 * Y)
    crowns = Y + 0.2 * (noise(569, 3) - 0.5) + 0.25 * (clouds(571, 8, 3) - 0.5)
    woods = mixed(
        low,
        ramp("moss", 0.1 + 0.5 * leaf - 0.25 * step(Y, 0.6, 1.0)),
        step(np.maximum(crowns, 4 * Y - 2), 0.5, 0.54),
    )
    beam = step(np.minimum(X, 1 - X), 0.0, 0.5) * (0.32 - 0.26 * Y) * (0.7 + 0.3 * noise(571, 10, 1))
    return {"sky": sky, "sky_low": woods, "beam": ramp("sky", 0.9 + 0 * X) * beam[..., None]}


# Tiles that are bright in sunlight, as TR4 shows none brighter than they are.
_BRIGHT = ("rock", "rock_2", "rock_moss", "rock_moss_2", "rock_floor", "grass", "path_edge")
_GAMMA = 0.76


def draw_tiles() -> Tiles:
    """Return all tiles, with the colors of the palette."""
    drawn = {
        **_walls(), **_floors(), **_rocks(), **_plants(), **_waters(), **_handmade(), **_flames(), **_skies(),
    }  # fmt: skip
    tiles: Tiles = {}
    for name in _BRIGHT:
        drawn[name] = 255 * (np.clip(drawn[name], 0, 255) / 255) ** _GAMMA
    for name, colors in drawn.items():
        pixels = np.full((SIZE, SIZE, 4), 255, np.uint8)
        pixels[..., :3] = quantized(np.clip(colors[..., :3], 0, 255))
        if colors.shape[-1] == 4:
            pixels[..., 3] = colors[..., 3]
            pixels[pixels[..., 3] == 0] = 0
        tiles[name] = pixels
    return tiles
