"""Generated texture pages of the sample levels.

A page is an array (256, 256, 4) of R, G, B, A and holds 16 tiles of 64 x 64 pixels. The tiles show
their orientation: walls have the letter of the view direction (N is
+z, E is +x), signs an F, slopes chevrons that point uphill.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Pixels

TILE = 64
PAGE = 256

Color = tuple[int, int, int]

_GLYPHS = {
    "N": ("X...X", "XX..X", "X.X.X", "X.X.X", "X..XX", "X...X", "X...X"),
    "E": ("XXXXX", "X....", "X....", "XXXX.", "X....", "X....", "XXXXX"),
    "S": (".XXXX", "X....", "X....", ".XXX.", "....X", "....X", "XXXX."),
    "W": ("X...X", "X...X", "X...X", "X.X.X", "X.X.X", "XX.XX", "X...X"),
    "F": ("XXXXX", "X....", "X....", "XXXX.", "X....", "X....", "X...."),
    "L": ("X....", "X....", "X....", "X....", "X....", "X....", "XXXXX"),
    "R": ("XXXX.", "X...X", "X...X", "XXXX.", "X.X..", "X..X.", "X...X"),
    "^": ("..X..", ".XXX.", "XXXXX", "..X..", "..X..", "..X..", "..X.."),
    "+": (".....", "..X..", "..X..", "XXXXX", "..X..", "..X..", "....."),
}

_Y, _X = np.mgrid[0:TILE, 0:TILE]

CREAM = (238, 226, 190)
# The flat colors of faces without a texture, and of the swatches that replace them from TR4 on.
COLORS: dict[str, Color] = {
    "red": (200, 48, 40),
    "green": (56, 160, 64),
    "leather": (104, 64, 32),
    "steel": (120, 128, 140),
    "brass": (208, 168, 64),
    "ink": (28, 26, 34),
    "bone": (232, 220, 196),
    "moss": (64, 96, 48),
}


def _flat(color: Color, seed: int = 0, grain: int = 10) -> Pixels:
    """Return a tile of one color with a little noise."""
    noise = np.random.default_rng(seed).integers(-grain, grain + 1, (TILE, TILE, 1))
    tile = np.full((TILE, TILE, 4), (*color, 255), np.uint8)
    tile[..., :3] = np.clip(tile[..., :3] + noise, 0, 255)
    return tile


def _where(tile: Pixels, mask: NDArray[np.bool_], color: Color | tuple[int, int, int, int]) -> Pixels:
    tile[mask] = (*color, 255) if len(color) == 3 else color
    return tile


def _shade(tile: Pixels, factor: NDArray[np.float64]) -> Pixels:
    tile[..., :3] = np.clip(tile[..., :3] * factor[..., None], 0, 255)
    return tile


def _stamp(tile: Pixels, glyph: str, scale: int, x: int, y: int, color: Color) -> Pixels:
    """Draw a letter, 5 x 7 points of ``scale`` pixels, with its top left corner at (x, y)."""
    points = np.array([[point == "X" for point in row] for row in _GLYPHS[glyph]])
    mask = np.kron(points, np.ones((scale, scale), bool)).astype(bool)
    area = tile[y : y + mask.shape[0], x : x + mask.shape[1]]
    area[mask] = (*color, 255)
    return tile


def _bricks(color: Color, seed: int) -> Pixels:
    tile = _flat(color, seed)
    row = _Y // 16
    joints = (_Y % 16 == 15) | ((_X + 16 * (row % 2)) % 32 == 31)
    lit = (_Y % 16 == 0) | ((_X + 16 * (row % 2)) % 32 == 0)
    tone = np.random.default_rng(seed).uniform(0.86, 1.08, (4, 3))[row, ((_X + 16 * (row % 2)) // 32)]
    return _shade(tile, tone * np.where(joints, 0.5, 1.0) * np.where(lit, 1.15, 1.0))


def _wall(letter: str, color: Color, seed: int) -> Pixels:
    tile = _stamp(_bricks(color, seed), letter, 5, 20, 22, (24, 20, 20))
    return _stamp(_stamp(tile, letter, 5, 19, 21, CREAM), "^", 2, 27, 4, CREAM)


def _floor() -> Pixels:
    checks = ((_X // 16 + _Y // 16) % 2).astype(bool)
    tile = _where(_flat((150, 138, 118), 11, 6), checks, (104, 92, 82))
    _shade(tile, np.where((_X % 16 == 0) | (_Y % 16 == 0), 0.8, 1.0))
    return _stamp(tile, "F", 2, 3, 1, CREAM)


def _planks() -> Pixels:
    grain = 1 + 0.12 * np.sin(_X * 0.35 + 2 * np.sin(_Y / 16 * np.pi + _X // 16))
    return _shade(_flat((140, 96, 52), 12, 6), grain * np.where(_X % 16 == 0, 0.55, 1.0))


def _stone() -> Pixels:
    return _shade(_flat((118, 112, 108), 13, 12), np.where((_Y % 32 == 0) | (_X % 32 == 0), 0.6, 1.0))


def _slope() -> Pixels:
    chevrons = (_Y - np.abs(_X - 32)) % 32 < 8
    return _where(_flat((96, 104, 120), 14, 6), chevrons, (220, 180, 72))


def _ceiling() -> Pixels:
    rim = (_X < 3) | (_Y < 3) | (_X > 60) | (_Y > 60)
    tile = _shade(_flat((84, 78, 96), 15, 8), np.where(rim, 0.6, 1.0))
    return _where(tile, (_X - 32) ** 2 + (_Y - 32) ** 2 < 90, (150, 140, 120))


def _water(phase: float) -> Pixels:
    turn = 2 * np.pi / TILE
    waves = (
        np.sin(2 * turn * _X + phase) + np.sin(3 * turn * _Y - phase) + np.sin(turn * (_X + _Y) + 2 * phase)
    )
    shine = np.clip(0.75 + 0.2 * waves + 0.6 * (waves > 1.8), 0.3, 1.9)
    return _shade(_flat((48, 120, 150), 16, 3), shine)


def _sand() -> Pixels:
    return _shade(_flat((176, 158, 112), 17, 12), 1 + 0.12 * np.sin((_Y + 4 * np.sin(_X / 10)) / 3))


def _grate() -> Pixels:
    """Return a tile of bars with transparent texels between them."""
    tile = _shade(_flat(COLORS["steel"], 18, 8), np.where(_X % 16 < 2, 1.3, 0.85))
    return _where(tile, (_X % 16 > 5) & (_Y % 32 > 5), (0, 0, 0, 0))


def _glow() -> Pixels:
    """Return a tile of bright rings on black, for additive blending."""
    distance = np.hypot(_X - 31.5, _Y - 31.5)
    ring = np.clip(1 - distance / 32, 0, 1) * (0.55 + 0.45 * np.cos(distance / 2.2))
    return _shade(_flat((110, 220, 255), 19, 0), ring)


def _sign() -> Pixels:
    tile = _where(_flat((44, 60, 96), 20, 4), (_X < 3) | (_Y < 3) | (_X > 60) | (_Y > 60), CREAM)
    _where(tile, (_X < 12) & (_Y < 12), COLORS["red"])
    _where(tile, (_X > 51) & (_Y < 12), COLORS["green"])
    return _stamp(tile, "F", 6, 18, 11, CREAM)


SKIN = (222, 170, 130)
HAIR = (86, 48, 24)


def _face() -> Pixels:
    tile = _where(_flat(SKIN, 30, 4), (_Y < 14) | ((_Y < 22) & (np.abs(_X - 32) > 18)), HAIR)
    for left in (14, 38):
        _where(tile, (_Y > 25) & (_Y < 33) & (_X >= left) & (_X < left + 12), (250, 250, 250))
        _where(tile, (_Y > 25) & (_Y < 33) & (_X >= left + 4) & (_X < left + 9), (50, 30, 20))
        _where(tile, (_Y > 20) & (_Y < 24) & (_X >= left) & (_X < left + 12), HAIR)
    _where(tile, (_Y > 32) & (_Y < 42) & (np.abs(_X - 31) < 3), (196, 140, 104))
    return _where(tile, (_Y > 46) & (_Y < 52) & (np.abs(_X - 31.5) < 10 - (_Y - 46)), (180, 60, 60))


def _hair() -> Pixels:
    return _shade(_flat(HAIR, 31, 6), 1 + 0.25 * np.sin(_X * 0.8 + _Y * 0.1))


def _shirt() -> Pixels:
    tile = _shade(_flat((40, 150, 150), 32, 5), 1 + 0.1 * np.cos((_X - 32) / 8))
    return _where(tile, (_Y < 10) & (np.abs(_X - 32) < 14 - _Y), SKIN)


def _backpack() -> Pixels:
    tile = _where(_flat((110, 80, 48), 33, 8), (np.abs(np.abs(_X - 32) - 18) < 3), (70, 46, 26))
    return _where(tile, (_Y > 30) & (_Y < 36) & (np.abs(_X - 32) < 8), COLORS["brass"])


def _sleeve(letter: str, color: Color) -> Pixels:
    return _stamp(_flat(color, 34, 5), letter, 6, 18, 11, CREAM)


def _shorts() -> Pixels:
    tile = _flat((124, 92, 60), 35, 6)
    _where(tile, _Y < 8, (60, 40, 24))
    return _where(tile, (_Y < 8) & (np.abs(_X - 32) < 5), COLORS["brass"])


def _boots() -> Pixels:
    return _where(_flat((70, 44, 26), 36, 6), _Y > 52, (30, 24, 20))


def _fur() -> Pixels:
    hairs = np.random.default_rng(37).uniform(0.7, 1.2, (TILE // 4, TILE)).repeat(4, 0)
    return _shade(_flat((110, 102, 96), 37, 6), hairs)


def _muzzle() -> Pixels:
    tile = _fur()
    for left in (12, 42):
        _where(tile, (_Y > 14) & (_Y < 24) & (_X >= left) & (_X < left + 10), (240, 200, 40))
        _where(tile, (_Y > 14) & (_Y < 24) & (_X >= left + 4) & (_X < left + 6), (20, 16, 16))
    _where(tile, (_Y > 28) & (_Y < 38) & (np.abs(_X - 32) < 8), (24, 20, 22))
    _where(tile, (_Y > 44) & (_Y < 58) & (np.abs(_X - 32) < 20), (120, 30, 34))
    return _where(
        tile, (_Y > 44) & (_Y < 45 + np.abs((_X % 10) - 5) * 2) & (np.abs(_X - 32) < 20), COLORS["bone"]
    )


def _door() -> Pixels:
    tile = _shade(_planks(), np.where((_Y % 28 > 10) & (_Y % 28 < 16), 0.5, 1.0))
    return _where(tile, (_X - 52) ** 2 + (_Y - 34) ** 2 < 20, COLORS["brass"])


def _plate() -> Pixels:
    tile = _where(_flat(COLORS["steel"], 38, 5), (np.abs(_X - 32) < 5) & (_Y > 8) & (_Y < 56), COLORS["ink"])
    return _where(tile, (_Y < 6) & (np.abs(_X - 32) < 8), COLORS["green"])


def _handle() -> Pixels:
    return _where(_flat(COLORS["leather"], 39, 5), _Y < 16, COLORS["red"])


def _crate() -> Pixels:
    tile = _planks()
    beams = (np.abs(_X - _Y) < 5) | (_X < 7) | (_Y < 7) | (_X > 56) | (_Y > 56)
    _where(tile, beams, (172, 124, 70))
    return _stamp(tile, "^", 3, 40, 8, COLORS["red"])


def _lamp() -> Pixels:
    return _shade(_flat((255, 224, 150), 40, 4), 1.1 - 0.5 * np.abs(_X - 31.5) / 32)


def _plant() -> Pixels:
    tile = np.zeros((TILE, TILE, 4), np.uint8)
    for lean in (-0.8, -0.4, 0.05, 0.5, 0.9):
        middle = 32 + lean * (TILE - _Y) * (1 - _Y / 160)
        blade = (np.abs(_X - middle) < _Y / 16) & (_Y > 10 + 14 * abs(lean))
        _where(tile, blade, (50, int(120 + 60 * lean * lean), 44))
    return _where(tile, (_Y > 56) & (np.abs(_X - 32) < 12), (90, 60, 40))


def _flame(phase: float) -> Pixels:
    tile = np.zeros((TILE, TILE, 4), np.uint8)
    sway = 5 * np.sin(_Y / 9 + phase)
    for width, color in ((15, (200, 70, 20)), (10, (250, 150, 30)), (5, (255, 240, 150))):
        height = (_Y - 8 - (15 - width)) / 56
        _where(
            tile,
            (height > 0) & (np.abs(_X - 32 - sway * (1 - height)) < width * np.sqrt(np.clip(height, 0, 1))),
            color,
        )
    return tile


def _medikit() -> Pixels:
    tile = _flat((236, 236, 230), 41, 3)
    return _stamp(tile, "+", 8, 12, 4, COLORS["red"])


def _medikit_sprite() -> Pixels:
    tile = np.zeros((TILE, TILE, 4), np.uint8)
    body = (_X > 8) & (_X < 56) & (_Y > 18) & (_Y < 58)
    _where(tile, body, (236, 236, 230))
    _where(tile, body & ((_X < 12) | (_Y > 54)), (170, 170, 168))
    _where(tile, (np.abs(_X - 32) < 8) & (_Y > 10) & (_Y <= 18), (60, 60, 60))
    return _stamp(tile, "+", 5, 20, 20, COLORS["red"])


def _sky(letter: str) -> Pixels:
    tile = _flat((90, 140, 210), 42, 0)
    _shade(tile, 0.7 + 0.5 * _Y / TILE)
    _where(tile, _Y > 50 + 6 * np.sin(_X / 64 * 2 * np.pi), (70, 84, 70))
    return _stamp(tile, letter, 2, 27, 8, CREAM) if letter else tile


def _swatches() -> Pixels:
    """Return a tile of the flat colors, each a square of 16 x 16 pixels."""
    tile = np.zeros((TILE, TILE, 4), np.uint8)
    for index, color in enumerate(COLORS.values()):
        _where(tile, (_X // 16 == index % 4) & (_Y // 16 == index // 4), color)
    return _where(tile, _Y >= 32, (128, 128, 128))


# The tiles of the pages, row by row.
PAGES: tuple[dict[str, Callable[[], Pixels]], ...] = (
    {
        "wall_n": lambda: _wall("N", (70, 96, 160), 1),
        "wall_e": lambda: _wall("E", (176, 132, 60), 2),
        "wall_s": lambda: _wall("S", (150, 70, 58), 3),
        "wall_w": lambda: _wall("W", (84, 132, 76), 4),
        "floor": _floor,
        "planks": _planks,
        "stone": _stone,
        "slope": _slope,
        "ceiling": _ceiling,
        "water0": lambda: _water(0.0),
        "water1": lambda: _water(2.1),
        "water2": lambda: _water(4.2),
        "sand": _sand,
        "grate": _grate,
        "glow": _glow,
        "sign": _sign,
    },
    {
        "face": _face,
        "hair": _hair,
        "skin": lambda: _flat(SKIN, 29, 5),
        "shirt": _shirt,
        "backpack": _backpack,
        "left": lambda: _sleeve("L", (48, 140, 60)),
        "right": lambda: _sleeve("R", (180, 50, 44)),
        "shorts": _shorts,
        "boots": _boots,
        "fur": _fur,
        "muzzle": _muzzle,
        "door": _door,
        "plate": _plate,
        "handle": _handle,
        "crate": _crate,
        "lamp": _lamp,
    },
    {
        "plant": _plant,
        "flame0": lambda: _flame(0.0),
        "flame1": lambda: _flame(2.0),
        "medikit": _medikit,
        "medikit_sprite": _medikit_sprite,
        "sky_n": lambda: _sky("N"),
        "sky_e": lambda: _sky("E"),
        "sky_s": lambda: _sky("S"),
        "sky_w": lambda: _sky("W"),
        "sky_top": lambda: _flat((60, 100, 180), 43, 2),
        "swatches": _swatches,
        "rubble": lambda: _flat((120, 104, 88), 44, 22),
    },
    # From TR4 on: a page whose height map is the page after it.
    {"bumps": lambda: _bricks((120, 116, 128), 45)},
)


def tile_place(name: str) -> tuple[int, int, int]:
    """Return the page of a tile and the pixel of its top left corner, (page, x, y)."""
    for page, tiles in enumerate(PAGES):
        if name in tiles:
            row, column = divmod(list(tiles).index(name), PAGE // TILE)
            return page, column * TILE, row * TILE
    raise KeyError(name)


def _page(tiles: dict[str, Callable[[], Pixels]]) -> Pixels:
    page = np.zeros((PAGE, PAGE, 4), np.uint8)
    for name, draw in tiles.items():
        _, x, y = tile_place(name)
        page[y : y + TILE, x : x + TILE] = draw()
    return page


def draw_pages(with_bumps: bool) -> Pixels:
    """Return all pages, (n, 256, 256, 4) R, G, B, A: three, and perhaps a bumped one with its height map."""
    pages = [_page(tiles) for tiles in PAGES[:3]]
    if with_bumps:
        bumped = _page(PAGES[3])
        heights = bumped.copy()
        heights[..., :3] = bumped[..., :3].mean(-1, keepdims=True)
        pages += [bumped, heights]
    return np.stack(pages)


def draw_misc_pages(count: int) -> Pixels:
    """Return the miscellaneous pages, (count, 256, 256, 4): a font and a sky, before them a shine."""
    font = np.zeros((PAGE, PAGE, 4), np.uint8)
    for index, glyph in enumerate(_GLYPHS):
        tile = np.zeros((TILE, TILE, 4), np.uint8)
        x, y = index % 4 * TILE, index // 4 * TILE
        font[y : y + TILE, x : x + TILE] = _stamp(tile, glyph, 6, 17, 11, CREAM)
    y, x = np.mgrid[0:PAGE, 0:PAGE]
    clouds = np.clip(np.sin(x / 20) + np.sin(y / 33 + x / 50), 0, 1)[..., None]
    sky = np.full((PAGE, PAGE, 4), 255, np.uint8)
    sky[..., :3] = (90, 140, 210) + clouds * (120, 90, 40)
    shine = np.full((PAGE, PAGE, 4), 255, np.uint8)
    shine[..., :3] = np.clip(255 - np.hypot(x - 128, y - 128) * 2, 0, 255)[..., None]
    return np.stack([shine, font, sky][-count:])
