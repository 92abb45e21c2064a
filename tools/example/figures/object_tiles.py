"""The tiles of the objects: carved stone, gold, bronze, wood and linen."""

from __future__ import annotations

import numpy as np

from io_tomb_raider.formats.base.arrays.typing import Floats

from ..solids import Tiles
from .paint import SIZE, Canvas, Color, smooth_noise

STONE: Color = (164, 142, 106)
# Darker than gold looks: the lights above it brighten it.
GOLD: Color = (186, 128, 34)
_GLINT: Color = (228, 186, 96)
BRONZE: Color = (150, 106, 50)
WOOD: Color = (118, 80, 46)
IRON: Color = (64, 58, 56)
MOSS: Color = (74, 84, 36)


def _stone(seed: int, color: Color = STONE) -> Canvas:
    canvas = Canvas(color).grain(seed, (40, 40), 0.1).grain(seed + 1, (16, 16), 0.1)
    canvas.grain(seed + 2, (5, 5), 0.12)
    pits = np.clip(smooth_noise(seed + 3, (30, 30)) * 3 - 1.5, 0, 1)
    return canvas.shade(1 - 0.35 * pits)


def _edge(distance: Floats, soft: float = 1.4) -> Floats:
    """Return 1 inside of a shape, 0 outside, by the distance to its edge in pixels (positive inside)."""
    return np.clip(distance / soft + 0.5, 0, 1)


def _rectangle(canvas: Canvas, left: float, top: float, right: float, bottom: float) -> Floats:
    inside = np.minimum(
        np.minimum(canvas.x - left, right - canvas.x), np.minimum(canvas.y - top, bottom - canvas.y)
    )
    return _edge(inside)


def _disk(canvas: Canvas, x: float, y: float, radius: float, squash: float = 1.0) -> Floats:
    return _edge(radius - np.hypot(canvas.x - x, (canvas.y - y) / squash))


def _door_relief(canvas: Canvas) -> Floats:
    """Return the height of the left half of the door's relief, which is 64 x 192 pixels."""
    x, y = canvas.x, canvas.y
    height = np.zeros_like(x)
    # The frame, with a groove in it.
    for low, high, level in ((0.0, 9.0, 2.0), (3.5, 5.5, -1.4)):
        outer = np.minimum(np.minimum(x, y), 192 - y)
        height += level * _edge(np.minimum(outer - low, high - outer))
    # The sun: a disk with rays that end in a ring.
    away, angle = np.hypot(x - 64, y - 40), np.arctan2(y - 40, x - 64)
    rays = np.cos(angle * 12)
    height += 1.8 * _edge(np.minimum(away - 15, 26 - away)) * _edge(rays * 2.4)
    height += 2.2 * _edge(13 - away) - 1.2 * _edge(np.minimum(away - 8.4, 10 - away))
    height += 1.4 * _edge(np.minimum(away - 28, 31 - away))
    # The corner of the sun's panel.
    height += 1.5 * _disk(canvas, 20, 20, 5) - 1.2 * _disk(canvas, 20, 20, 2.2)
    # Two ledges, between which the mask is.
    for top in (74, 142):
        height += 2.0 * _rectangle(canvas, 9, top, 70, top + 5)
    # The mask: forehead, brow, eye, nose, cheek and teeth.
    face = np.maximum(np.abs(x - 64) / 44, np.abs(y - 110) / 27)
    height += 1.6 * _edge((1 - face) * 30)
    for number in range(5):
        left = 24 + number * 8
        height += 1.1 * _rectangle(canvas, left, 84.5, left + 5.6, 90)
    brow = y - 96 - 0.0035 * (x - 44) ** 2 * 2.2
    height += 1.8 * _edge(np.minimum(2.4 - np.abs(brow), np.minimum(x - 26, 59 - x)))
    height += 2.0 * _disk(canvas, 44, 105, 7.5, 0.75) - 2.6 * _disk(canvas, 44, 105, 5.4, 0.7)
    height += 2.0 * _disk(canvas, 44, 105, 2.6)
    height += 2.0 * _edge(np.minimum((y - 92) * 0.3 + 2.6 - np.abs(x - 64), 121 - y))
    height += 1.4 * _disk(canvas, 60, 118, 4)
    height -= 2.4 * _rectangle(canvas, 34, 124, 70, 133)
    for number in range(5):
        tooth = 35.5 + number * 6
        height += 2.2 * _rectangle(canvas, tooth, 124, tooth + 4.4, 129.6)
    height += 1.8 * _disk(canvas, 19, 106, 6) - 1.6 * _disk(canvas, 19, 106, 3)
    # Stairs and a winding band below.
    for step in range(4):
        height += 1.3 * _rectangle(canvas, 16 + step * 12, 172 - step * 6.5, 70, 184)
    # The middle of the door.
    return height - 3.0 * _edge(x - 62.8, 0.8)


def _door(row: int) -> Canvas:
    canvas = _stone(200 + 10 * row)
    canvas.y = canvas.y + SIZE * row
    height = _door_relief(canvas) + 0.35 * smooth_noise(240 + row, (18, 18))
    canvas.carve(height, 0.3)
    # Sockets of the mask's eyes are red; the sun keeps some of its gold.
    away = np.hypot(canvas.x - 64, canvas.y - 40)
    worn = np.clip(smooth_noise(250 + row, (12, 12)) * 2 + 0.9, 0, 1)
    canvas.paint(_edge(13 - away) * worn, (206, 150, 52), 0.55)
    canvas.paint(_edge(31 - away) * _edge(away - 28) * worn, (206, 150, 52), 0.4)
    canvas.paint(_disk(canvas, 44, 105, 4.6, 0.75) * worn, (150, 48, 32), 0.6)
    # Dirt runs down, and moss grows at the bottom.
    streaks = np.clip(smooth_noise(260, (22, 2)) * 1.4 - 0.3, 0, 1)
    canvas.shade(1 - 0.28 * streaks)
    grown = np.clip((canvas.y - 168) / 24 + 0.8 * smooth_noise(270 + row, (12, 12)), 0, 1)
    canvas.paint(grown * (canvas.y > 150), MOSS, 0.5)
    return canvas.shade(1.06 - 0.22 * canvas.y / 192)


def _door_side() -> Canvas:
    canvas = _stone(280)
    height = 1.6 * _rectangle(canvas, 4, -4, 60, 68) + 0.5 * smooth_noise(284, (16, 16))
    return canvas.carve(height, 0.35).shade(0.8)


def _switch() -> Canvas:
    canvas = _stone(300)
    height = 2.4 * (1 - _rectangle(canvas, 5, 4, 59, 60)) + 1.2 * (1 - _rectangle(canvas, 9, 7, 55, 57))
    away = np.hypot(canvas.x - 32, (canvas.y - 32) * 1.25)
    height += 1.6 * _edge(np.minimum(20 - away, away - 16))
    angle = np.arctan2((canvas.y - 32) * 1.25, canvas.x - 32)
    height += 1.3 * _edge(np.minimum(15 - away, away - 10)) * _edge(np.cos(angle * 10) * 2)
    slot = np.minimum(4.6 - np.abs(canvas.x - 32), 16 - np.abs(canvas.y - 32))
    height -= 5 * _edge(slot)
    for x, y in ((12, 11), (52, 11), (12, 53), (52, 53)):
        height += 1.6 * _disk(canvas, x, y, 2.6)
    canvas.carve(height + 0.4 * smooth_noise(304, (18, 18)), 0.3)
    canvas.paint(_edge(np.minimum(20 - away, away - 16)), (196, 140, 50), 0.5)
    canvas.shade(1 - 0.75 * _edge(slot))
    grown = np.clip((canvas.y - 52) / 12 + 0.8 * smooth_noise(306, (12, 12)), 0, 1)
    return canvas.paint(grown * (canvas.y > 44), MOSS, 0.45)


def _metal(color: Color, seed: int, light: Color) -> Canvas:
    """Paint polished metal: dark above and below, with a bright band."""
    canvas = Canvas(color).grain(seed, (10, 10), 0.1).grain(seed + 1, (40, 40), 0.05)
    shine = np.exp(-(((canvas.y - 18) / 8) ** 2)) + 0.5 * np.exp(-(((canvas.y - 52) / 7) ** 2))
    canvas.paint(shine, light, 0.65)
    return canvas.shade(0.72 + 0.36 * np.clip(1 - np.abs(canvas.y - 24) / 40, 0, 1))


def _bronze() -> Canvas:
    canvas = _metal(BRONZE, 320, (238, 196, 112))
    patina = np.clip(smooth_noise(322, (9, 9)) * 2 - 0.8, 0, 1)
    return canvas.paint(patina, (78, 116, 92), 0.5)


def _gold(seed: int = 330) -> Canvas:
    return _metal(GOLD, seed, _GLINT).shade(0.9)


def _trapdoor() -> Canvas:
    canvas = Canvas(WOOD)
    for plank in range(5):
        left = plank * 12.8
        inside = (canvas.x >= left) & (canvas.x < left + 12.8)
        tone = (1.0, 0.86, 1.08, 0.92, 1.02)[plank]
        grain = smooth_noise(340 + plank, (40, 3)) * 0.16 + smooth_noise(350 + plank, (64, 8)) * 0.08
        canvas.shade(np.where(inside, tone * (1 + grain), 1.0))
        gap = np.abs(canvas.x - left)
        canvas.shade(1 - 0.72 * np.clip(1.3 - gap, 0, 1))
        canvas.shade(1 + 0.22 * np.clip(1 - np.abs(canvas.x - left - 2), 0, 1))
    canvas.ellipse((19, 40), (1.6, 2.6), (62, 38, 22), 0.8).ellipse((46, 22), (1.4, 2.2), (62, 38, 22), 0.8)
    for y in (12, 52):
        canvas.shade(0.55, canvas.line_mask([(0, y + 5), (64, y + 5)], 2, 2.4))
        band = np.clip(4 - np.abs(canvas.y - y) + 0.5, 0, 1)
        canvas.paint(band, IRON)
        canvas.shade(1 + 0.24 * smooth_noise(360, (24, 24)), band)
        canvas.shade(1.5, canvas.line_mask([(0, y - 3.2), (64, y - 3.2)], 1))
        rust = np.clip(smooth_noise(362, (12, 12)) * 2 - 0.4, 0, 1)
        canvas.paint(band * rust, (112, 62, 34), 0.6)
        for x in (6.4, 19.2, 32, 44.8, 57.6):
            canvas.ellipse((x, y), (1.7, 1.7), (104, 96, 92)).ellipse(
                (x - 0.5, y - 0.6), (0.6, 0.6), (196, 188, 176)
            )
            canvas.shade(0.6, canvas.line_mask([(x - 1, y + 2), (x + 1, y + 2)], 0.8, 1))
    ring = np.abs(np.hypot(canvas.x - 32, canvas.y - 32) - 6)
    canvas.shade(0.55, np.clip(2 - np.abs(np.hypot(canvas.x - 33, canvas.y - 34) - 6), 0, 1))
    canvas.paint(np.clip(1.7 - ring, 0, 1), (92, 84, 80))
    canvas.shade(
        1.5, np.clip(1 - np.abs(np.hypot(canvas.x - 32, canvas.y - 32) - 6.6), 0, 1) * (canvas.y < 32)
    )
    rim = np.minimum(np.minimum(canvas.x, 64 - canvas.x), np.minimum(canvas.y, 64 - canvas.y))
    return canvas.shade(0.6 + 0.4 * np.clip(rim / 2.4, 0, 1))


def _idol_face() -> Canvas:
    canvas = Canvas(GOLD).grain(370, (10, 10), 0.06)
    height = np.zeros_like(canvas.x)
    for side in (-1, 1):
        x = 32 + side * 10
        height += 1.8 * _disk(canvas, x, 27, 7, 0.62) - 2.6 * _edge(0.9 - np.abs(canvas.y - 27.6)) * _disk(
            canvas, x, 27, 6
        )
        brow = canvas.y - 19 - 0.03 * (canvas.x - x + side * 2) ** 2
        height += 1.8 * _edge(np.minimum(1.8 - np.abs(brow), 8.4 - np.abs(canvas.x - x)))
        height += 2.2 * _disk(canvas, 32 + side * 27, 34, 6) - 2.2 * _disk(canvas, 32 + side * 27, 34, 3)
        height += 1.2 * _disk(canvas, 32 + side * 4, 41, 3)
    height += 2.2 * _edge(np.minimum((canvas.y - 18) * 0.16 + 1.8 - np.abs(canvas.x - 32), 43 - canvas.y))
    height += 1.8 * _disk(canvas, 32, 51, 10, 0.5) - 3.2 * _disk(canvas, 32, 51, 7.4, 0.36)
    for x in (28, 32, 36):
        height += 2.0 * _rectangle(canvas, x - 1.5, 48, x + 1.5, 51)
    height += 2.0 * (_edge(np.minimum(canvas.y - 4, 11 - canvas.y)))
    for x in range(4, 64, 8):
        height += 1.4 * _disk(canvas, x, 7.5, 2.2)
    canvas.carve(height, 0.34)
    canvas.paint(np.clip(height / 6, 0, 1), _GLINT, 0.35)
    return canvas.shade(0.86).round_off(32, 36, 0.34)


def _idol_body() -> Canvas:
    canvas = Canvas(GOLD).grain(380, (10, 10), 0.06)
    height = np.zeros_like(canvas.x)
    for radius in (14, 20):
        away = np.hypot(canvas.x - 32, canvas.y + 2)
        height += 1.6 * _edge(np.minimum(away - radius, radius + 4 - away))
    for angle in np.linspace(0.2, np.pi - 0.2, 8):
        height += 1.6 * _disk(canvas, 32 + 27 * float(np.cos(angle)), -2 + 27 * float(np.sin(angle)), 2.2)
    height += 1.8 * _disk(canvas, 32, 40, 8) - 1.6 * _disk(canvas, 32, 40, 4.5)
    height += 1.6 * _edge(np.minimum(canvas.y - 52, 58 - canvas.y))
    for x in range(4, 64, 8):
        height -= 1.6 * _rectangle(canvas, x - 1, 53, x + 1, 57)
    canvas.carve(height, 0.34)
    canvas.paint(_disk(canvas, 32, 40, 4), (40, 120, 104), 0.85)
    canvas.ellipse((31, 38.6), (1.2, 1.2), (176, 226, 206))
    return canvas.shade(0.86).round_off(32, 36, 0.4).fall_off(1.02, 0.8)


def _idol_back() -> Canvas:
    """Paint the back of head and body: hair in rows, and a knotted cord."""
    canvas = Canvas(GOLD).grain(385, (10, 10), 0.06)
    height = np.zeros_like(canvas.x)
    for row, y in enumerate(range(8, 64, 9)):
        for x in range(-8, 72, 8):
            height += 1.5 * _disk(canvas, x + 4 * (row % 2), y, 3.2, 1.2)
    canvas.carve(height, 0.28)
    canvas.paint(np.clip(height / 6, 0, 1), _GLINT, 0.3)
    return canvas.shade(0.86).round_off(32, 36, 0.38).fall_off(1.02, 0.86)


def _idol_base() -> Canvas:
    canvas = _stone(390, (120, 112, 100))
    height = 1.6 * _edge(10 - canvas.y) + 1.8 * _edge(canvas.y - 50)
    cell = canvas.x % 16
    key = np.maximum(np.abs(cell - 8), np.abs(canvas.y - 30) * 0.55)
    height += 1.6 * _edge(np.minimum(7 - key, key - 4)) + 1.6 * _edge(2 - key)
    return canvas.carve(height + 0.4 * smooth_noise(394, (16, 16)), 0.34).fall_off(1.05, 0.75)


def _medikit() -> Canvas:
    canvas = Canvas((196, 168, 120)).weave(400, 0.06)
    canvas.fold([(6, 50), (20, 54), (30, 49)], 4, 0.2).fold([(40, 52), (56, 48)], 4, 0.2)
    canvas.shade(0.6, canvas.line_mask([(0, 24.6), (64, 24.6)], 2, 2.4))
    canvas.seam([(0, 23), (64, 23)], 0.4)
    canvas.shade(1.1, canvas.polygon_mask([(0, 0), (64, 0), (64, 23), (0, 23)]))
    for x in (12, 52):
        canvas.line([(x, 0), (x, 34)], 5, (112, 66, 36))
        canvas.polygon([(x - 3.4, 26), (x + 3.4, 26), (x + 3.4, 31), (x - 3.4, 31)], (226, 178, 78))
        canvas.polygon([(x - 1.6, 27.4), (x + 1.6, 27.4), (x + 1.6, 29.6), (x - 1.6, 29.6)], (90, 54, 30))
    canvas.shade(0.7, canvas.ellipse_mask((32.6, 38), (14, 14)))
    canvas.ellipse((32, 37), (13.4, 13.4), (236, 226, 200))
    for points in ([(32, 28), (32, 46)], [(23, 37), (41, 37)]):
        canvas.line(points, 6.4, (60, 118, 62), 1.0, 0.5)
    rim = np.minimum(np.minimum(canvas.x, 64 - canvas.x), 64 - canvas.y)
    return canvas.shade(0.66 + 0.34 * np.clip(rim / 4, 0, 1))


def _bandage() -> Canvas:
    canvas = Canvas((226, 212, 182)).weave(410, 0.06)
    for y in range(2, 64, 6):
        canvas.shade(0.8, canvas.line_mask([(0, y), (64, y + 4)], 0.9, 1.2))
    return canvas.round_off(32, 40, 0.3)


def tiles() -> Tiles:
    """Return all tiles by name."""
    return {
        "door_top": _door(0).tile(),
        "door_middle": _door(1).tile(),
        "door_bottom": _door(2).tile(),
        "door_side": _door_side().tile(),
        "switch": _switch().tile(),
        "bronze": _bronze().tile(),
        "trapdoor": _trapdoor().tile(),
        "gold": _gold().tile(),
        "idol_face": _idol_face().tile(),
        "idol_body": _idol_body().tile(),
        "idol_back": _idol_back().tile(),
        "idol_base": _idol_base().tile(),
        "medikit": _medikit().tile(),
        "bandage": _bandage().tile(),
    }
