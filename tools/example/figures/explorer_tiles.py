"""The tiles of the explorer: face, cloth, leather and felt, painted with light from above."""

from __future__ import annotations

import numpy as np

from ..solids import Tiles
from .paint import Canvas, Color, Point

SKIN: Color = (224, 166, 118)
KHAKI: Color = (200, 168, 112)
TROUSERS: Color = (136, 112, 78)
LEATHER: Color = (146, 90, 48)
BOOTS: Color = (118, 72, 44)
FELT: Color = (146, 116, 78)
HAIR: Color = (64, 42, 30)
SCARF: Color = (190, 52, 36)
SHIRT: Color = (226, 208, 168)
DARK: Color = (34, 22, 18)
BRASS: Color = (226, 178, 78)


def _mirrored(points: list[Point]) -> list[Point]:
    return [(64 - x, y) for x, y in points]


def _face() -> Canvas:
    canvas = Canvas(SKIN).grain(1, (24, 24), 0.03).grain(2, (5, 5), 0.05)
    # Broad shading: darker sides and jaw, lighter cheeks and nose.
    canvas.shade(1 - 0.34 * np.clip((np.abs(canvas.x - 32) - 10) / 20, 0, 1) ** 1.3)
    canvas.shade(1 - 0.25 * np.clip((canvas.y - 54) / 10, 0, 1))
    for side in (1, -1):
        cheek = 32 + side * 12
        canvas.shade(1.1, canvas.ellipse_mask((cheek, 33), (7, 5), 6))
        canvas.paint(canvas.ellipse_mask((cheek + side, 38), (5, 4), 5), (202, 112, 84), 0.35)
        # The socket, the eye with its lid, and the brow.
        eye = 32 + side * 9.2
        canvas.shade(0.76, canvas.ellipse_mask((eye - side, 21), (6.5, 4.6), 4))
        canvas.ellipse((eye, 23.6), (4.5, 2.5), (238, 228, 208))
        canvas.ellipse((eye - side * 0.3, 23.4), (2.3, 2.5), (74, 56, 34))
        canvas.ellipse((eye - side * 0.3, 23.4), (1.2, 1.4), (16, 10, 8))
        canvas.ellipse((eye - 1.1, 22.5), (0.7, 0.7), (255, 250, 240))
        lid = [
            (eye - side * 4.8, 24.2),
            (eye - side * 2.2, 21.4),
            (eye + side * 2, 21.2),
            (eye + side * 5.4, 23.6),
        ]
        canvas.line(lid, 1.7, DARK)
        canvas.line([(eye - side * 3.6, 26.2), (eye + side * 3.6, 26.2)], 0.8, (134, 84, 60), 0.8)
        brow = [(eye - side * 5.2, 17.4), (eye + side * 0.5, 15.6), (eye + side * 6.4, 18.2)]
        canvas.line(brow, 2.2, HAIR)
        # The side of the nose, its wing and the fold to the mouth.
        canvas.shade(0.78, canvas.line_mask([(32 + side * 3.2, 19), (32 + side * 3.6, 39)], 2.2, 2.4))
        canvas.shade(0.62, canvas.ellipse_mask((32 + side * 2.4, 41.2), (1.7, 1.1), 1))
        canvas.shade(0.86, canvas.line_mask([(32 + side * 6, 41), (32 + side * 8.6, 47)], 1.6, 2))
        # Hair over the ears.
        edge = 8.5 + 1.2 * np.sin(canvas.y * 0.16 + 1) + 0.5 * np.sin(canvas.y * 1.1) - canvas.y * 0.05
        away = canvas.x if side < 0 else 64 - canvas.x
        canvas.paint(np.clip((edge + 3 - away) / 3, 0, 1), (120, 78, 56), 0.5)
        canvas.paint(np.clip((edge - away) / 2 + 0.5, 0, 1), HAIR)
    canvas.shade(1.13, canvas.line_mask([(32, 20), (32, 38)], 2, 2.4))
    canvas.shade(1.1, canvas.ellipse_mask((32, 38.5), (2.4, 2), 2))
    canvas.shade(0.8, canvas.line_mask([(29.5, 43), (34.5, 43)], 1, 1.6))
    # The mouth.
    canvas.polygon(
        [(25.6, 49.6), (29.6, 47.6), (32, 48.4), (34.4, 47.6), (38.4, 49.6), (32, 50.4)], (158, 78, 60)
    )
    canvas.ellipse((32, 51.3), (4.8, 1.8), (196, 108, 84))
    canvas.line([(25, 48.9), (28.5, 49.5), (32, 49.9), (35.5, 49.5), (39, 48.9)], 0.9, (92, 40, 32))
    canvas.shade(0.78, canvas.line_mask([(29, 54.6), (35, 54.6)], 1.2, 2.2))
    canvas.shade(1.08, canvas.ellipse_mask((32, 58.5), (4.5, 3), 3))
    # The shadow of the brim of the hat.
    return canvas.shade(0.62 + 0.38 * np.clip((canvas.y - 1) / 11, 0, 1))


def _hair() -> Canvas:
    canvas = Canvas(HAIR).grain(3, (40, 3), 0.3).grain(4, (20, 5), 0.2)
    canvas.shade(0.7 + 0.75 * np.exp(-(((canvas.y - 30 - 3 * np.sin(canvas.x * 0.35)) / 9) ** 2)))
    for x in range(2, 64, 5):
        canvas.shade(0.72, canvas.line_mask([(x, 0), (x + 1.5, 30), (x - 1, 64)], 0.8, 1.2))
    return canvas.shade(1 - 0.5 * np.clip((canvas.y - 48) / 16, 0, 1)).shade(
        0.6 + 0.4 * np.clip(canvas.y / 14, 0, 1)
    )


def _neck() -> Canvas:
    canvas = Canvas(SKIN).grain(5, (20, 20), 0.04)
    return canvas.fall_off(0.62, 0.8)


def _cloth(color: Color, seed: int) -> Canvas:
    return Canvas(color).weave(seed, 0.06)


def _button(canvas: Canvas, x: float, y: float, radius: float = 1.3) -> None:
    canvas.shade(0.55, canvas.ellipse_mask((x + 0.5, y + 0.7), (radius + 0.5, radius + 0.5)))
    canvas.ellipse((x, y), (radius, radius), (104, 72, 42))
    canvas.ellipse((x - 0.4, y - 0.4), (0.5, 0.5), (190, 150, 96))


def _pocket(canvas: Canvas, left: float, top: float, right: float, bottom: float) -> None:
    canvas.shade(1.07, canvas.polygon_mask([(left, top), (right, top), (right, bottom), (left, bottom)]))
    canvas.seam([(left, top), (left, bottom), (right, bottom), (right, top)], 0.34)
    flap = [(left - 0.7, top), (left - 0.7, top + 4), ((left + right) / 2, top + 6.4), (right + 0.7, top + 4)]
    flap.append((right + 0.7, top))
    canvas.shade(0.7, canvas.line_mask([(x, y + 1.2) for x, y in flap[1:4]], 1.6, 1.4))
    canvas.shade(1.12, canvas.polygon_mask(flap))
    canvas.seam(flap[1:4], 0.4)
    canvas.shade(1.25, canvas.line_mask([(left - 0.5, top), (right + 0.5, top)], 0.8))
    _button(canvas, (left + right) / 2, top + 4, 1.1)


def _strap(canvas: Canvas, start: Point, end: Point) -> None:
    canvas.shade(
        0.6, canvas.line_mask([(start[0] + 0.8, start[1] + 1.4), (end[0] + 0.8, end[1] + 1.4)], 6.4, 2)
    )
    mask = canvas.line_mask([start, end], 5)
    canvas.paint(mask, LEATHER)
    canvas.shade(
        1.25, canvas.line_mask([(start[0] + 0.9, start[1] - 1.2), (end[0] + 0.9, end[1] - 1.2)], 0.9)
    )
    canvas.shade(0.7, canvas.line_mask([(start[0] - 0.9, start[1] + 1.2), (end[0] - 0.9, end[1] + 1.2)], 0.8))


def _jacket_front() -> Canvas:
    canvas = _cloth(KHAKI, 10)
    # The shirt in the opening, and the lapels.
    canvas.polygon([(25, 0), (39, 0), (33, 21), (31, 21)], SHIRT)
    canvas.shade(0.7, canvas.line_mask([(32, 6), (32, 21)], 0.9))
    for side in (1, -1):
        lapel: list[Point] = [
            (32 + side * 6, 4),
            (32 + side * 12, 8),
            (32 + side * 9, 14),
            (32 + side * 0.6, 24),
        ]
        canvas.shade(0.62, canvas.line_mask([(x + side * 0.6, y + 1.2) for x, y in lapel[1:]], 1.6, 1.6))
        canvas.shade(1.1, canvas.polygon_mask(lapel))
        canvas.seam([lapel[1], lapel[2], lapel[3]], 0.3)
        canvas.seam([lapel[0], lapel[3]], 0.4)
        # Folds from the armpits, and at the waist.
        canvas.fold([(32 + side * 30, 24), (32 + side * 20, 20), (32 + side * 14, 20)], 4, 0.2)
        canvas.fold([(32 + side * 30, 40), (32 + side * 22, 44)], 4, 0.22)
        canvas.fold([(32 + side * 28, 52), (32 + side * 16, 56), (32 + side * 8, 55)], 3.6, 0.24)
        canvas.fold([(32 + side * 22, 60), (32 + side * 10, 62)], 3, 0.22)
        _pocket(canvas, *((10, 24, 23, 37) if side < 0 else (41, 24, 54, 37)))
    canvas.seam([(32, 23), (32.6, 64)], 0.42)
    canvas.shade(0.82, canvas.line_mask([(34, 24), (34.5, 64)], 2.4, 2.4))
    for y in (29, 40, 51):
        _button(canvas, 30, y)
    _strap(canvas, (8, 3), (61, 60))
    canvas.round_off(32, 34, 0.42)
    # The shadow of the scarf above, and of the arms at the sides.
    return canvas.shade(0.72 + 0.28 * np.clip((canvas.y - 1) / 6, 0, 1)).shade(
        1 - 0.16 * np.clip((canvas.y - 44) / 20, 0, 1)
    )


def _jacket_back() -> Canvas:
    canvas = _cloth(KHAKI, 20)
    # The yoke, and the pleat below it.
    canvas.seam([(2, 20), (32, 23), (62, 20)], 0.36)
    canvas.shade(0.8, canvas.line_mask([(2, 21.5), (32, 24.5), (62, 21.5)], 1.6, 2))
    for x in (29, 35):
        canvas.seam([(x, 24), (x, 60)], 0.26)
    for side in (1, -1):
        canvas.fold([(32 + side * 28, 30), (32 + side * 16, 34)], 4, 0.22)
        canvas.fold([(32 + side * 29, 44), (32 + side * 14, 50)], 4, 0.24)
        canvas.fold([(32 + side * 26, 56), (32 + side * 8, 59)], 3.4, 0.25)
    _strap(canvas, (56, 3), (3, 60))
    canvas.round_off(32, 34, 0.42)
    return canvas.shade(0.72 + 0.28 * np.clip((canvas.y - 1) / 6, 0, 1)).shade(
        1 - 0.16 * np.clip((canvas.y - 44) / 20, 0, 1)
    )


def _hips() -> Canvas:
    canvas = _cloth(KHAKI, 30)
    for top, front in ((0, True), (32, False)):
        for side in (1, -1):
            canvas.fold([(32 + side * 10, top + 10), (32 + side * 13, top + 26)], 3, 0.22)
            canvas.fold([(32 + side * 24, top + 10), (32 + side * 26, top + 22)], 3, 0.24)
            if front:
                _pocket(canvas, *((9, top + 14, 22, top + 28) if side < 0 else (42, top + 14, 55, top + 28)))
        if front:
            canvas.seam([(32, top + 9), (32.5, top + 32)], 0.45)
            canvas.shade(0.8, canvas.line_mask([(34, top + 9), (35, top + 32)], 2.4, 2.4))
        else:
            canvas.seam([(32, top + 11), (32, top + 32)], 0.5)
            canvas.shade(0.8, canvas.line_mask([(32.8, top + 14), (34, top + 32)], 2, 2.4))
        belt = canvas.polygon_mask([(0, top), (64, top), (64, top + 8.6), (0, top + 8.6)])
        canvas.shade(0.6, canvas.line_mask([(0, top + 9.4), (64, top + 9.4)], 2.4, 2.6))
        canvas.paint(belt, (84, 50, 30))
        canvas.shade(1.3, canvas.line_mask([(0, top + 1.4), (64, top + 1.4)], 0.9))
        canvas.shade(0.7, canvas.line_mask([(0, top + 7.6), (64, top + 7.6)], 0.9))
        if front:
            canvas.polygon([(27, top + 0.6), (37, top + 0.6), (37, top + 8.2), (27, top + 8.2)], BRASS)
            canvas.polygon([(29, top + 2.4), (35, top + 2.4), (35, top + 6.4), (29, top + 6.4)], (66, 38, 24))
            canvas.line([(32, top + 4.4), (37, top + 4.4)], 1.1, BRASS)
            canvas.shade(0.7, canvas.line_mask([(27, top + 8.4), (37, top + 8.4)], 0.9))
        canvas.shade(0.72, canvas.line_mask([(0, top + 31.6), (64, top + 31.6)], 1.2, 1.6))
        canvas.seam([(0, top + 28.6), (64, top + 28.6)], 0.22)
    return canvas.round_off(32, 34, 0.36)


def _trousers() -> Canvas:
    """Paint a leg: the back is at the edges, the front in the middle, the outer side at 16."""
    canvas = _cloth(TROUSERS, 40)
    for x in (16, 48):
        canvas.seam([(x, 0), (x, 64)], 0.3)
    canvas.fold([(22, 6), (34, 10), (44, 5)], 4, 0.26)
    canvas.fold([(24, 14), (34, 19), (46, 13)], 4, 0.22)
    canvas.fold([(20, 30), (30, 26), (36, 27)], 4, 0.18)
    canvas.fold([(46, 34), (40, 40), (30, 42)], 4, 0.18)
    canvas.fold([(22, 52), (32, 56), (44, 51)], 3.4, 0.3)
    canvas.fold([(4, 44), (12, 50)], 4, 0.24)
    canvas.fold([(58, 46), (50, 54)], 4, 0.24)
    canvas.fold([(2, 58), (14, 61)], 3, 0.3)
    canvas.shade(1.14, canvas.ellipse_mask((32, 34), (9, 24), 10))
    canvas.shade(1.1, canvas.ellipse_mask((16, 20), (6, 16), 7))
    canvas.round_off(30, 36, 0.32)
    # Between the legs it is darker.
    canvas.shade(1 - 0.3 * np.exp(-(((canvas.x - 48) / 8) ** 2)))
    return canvas.shade(0.78 + 0.22 * np.clip(canvas.y / 9, 0, 1)).fall_off(1.04, 0.92)


def _boot() -> Canvas:
    """Paint the calf: the trousers end in a tall boot with laces in front."""
    canvas = _cloth(TROUSERS, 50)
    canvas.fold([(20, 4), (32, 7), (44, 3)], 3, 0.3)
    canvas.fold([(4, 8), (18, 10)], 3, 0.3)
    canvas.fold([(26, 11), (50, 10)], 3, 0.3)
    top = 14.0
    shaft = np.clip(canvas.y - top + 0.5, 0, 1)
    canvas.paint(shaft, BOOTS)
    leather = Canvas(BOOTS).grain(52, (20, 12), 0.12).grain(53, (64, 64), 0.05).grain(54, (5, 4), 0.12)
    canvas.colors = np.where(shaft[..., None] > 0.5, leather.colors, canvas.colors)
    canvas.shade(0.6, canvas.line_mask([(0, top - 0.8), (64, top - 0.8)], 1.4, 1.6))
    canvas.shade(1.3, canvas.line_mask([(0, top + 1), (64, top + 1)], 1.2))
    canvas.shade(0.6, canvas.line_mask([(0, top + 5), (64, top + 5)], 1))
    canvas.seam([(16, 19), (16, 64)], 0.3)
    canvas.seam([(48, 19), (48, 64)], 0.3)
    # The tongue, eyelets and laces.
    canvas.shade(0.72, canvas.line_mask([(32, 22), (32, 64)], 5, 1.5))
    for number, y in enumerate(range(22, 62, 6)):
        for side in (1, -1):
            canvas.ellipse((32 + side * 4.4, y), (0.9, 0.9), BRASS)
        ends = ((27.8, y), (36.2, y + 6)), ((36.2, y), (27.8, y + 6))
        for start, end in ends:
            canvas.line([start, end], 1.1, (196, 164, 112), 0.95)
        del number
    canvas.shade(1.22, canvas.line_mask([(23, 24), (22.5, 54)], 3, 3.4))
    for y in (54, 58, 62):
        canvas.fold([(2, y), (14, y + 1.6), (22, y)], 2.4, 0.24)
        canvas.fold([(62, y), (50, y + 1.6), (42, y)], 2.4, 0.24)
    canvas.shade(1 - 0.22 * np.exp(-(((canvas.x - 48) / 8) ** 2)))
    return canvas.round_off(30, 36, 0.34)


def _foot() -> Canvas:
    """Paint the boot's foot: heel at the left, toes at the right; the top 14 rows are the instep."""
    canvas = Canvas(BOOTS).grain(60, (20, 12), 0.12).grain(61, (64, 64), 0.05)
    canvas.shade(1.12, canvas.polygon_mask([(0, 0), (64, 0), (64, 14), (0, 14)]))
    for x in (26, 32, 38):
        canvas.line([(x, 3), (x + 4, 11)], 1.1, (196, 164, 112))
        canvas.line([(x + 4, 3), (x, 11)], 1.1, (196, 164, 112))
    # The toe cap with its seam, the counter of the heel, creases between them.
    canvas.shade(1.2, canvas.ellipse_mask((56, 24), (8, 7), 6))
    canvas.seam([(46, 0), (46, 30), (43, 52)], 0.4)
    canvas.seam([(16, 16), (18, 36), (14, 52)], 0.36)
    for x in (36, 40):
        canvas.fold([(x, 14), (x - 2, 30)], 2.6, 0.24)
    canvas.shade(1 - 0.3 * np.clip((canvas.y - 30) / 22, 0, 1))
    # The welt and the sole.
    canvas.paint(np.clip(canvas.y - 51, 0, 1), (52, 34, 24))
    canvas.shade(1.5, canvas.line_mask([(0, 52.2), (64, 52.2)], 1.4))
    heel = canvas.polygon_mask([(0, 54), (19, 54), (17, 64), (0, 64)])
    return canvas.paint(heel, DARK, 0.6)


def _sole() -> Canvas:
    canvas = Canvas((58, 40, 28)).grain(63, (24, 24), 0.15)
    for x in range(4, 64, 6):
        canvas.shade(0.6, canvas.line_mask([(x, 4), (x, 60)], 2, 1))
    return canvas


def _satchel() -> Canvas:
    """Paint the side of the satchel: a flap with two buckled straps."""
    canvas = Canvas(LEATHER).grain(70, (16, 16), 0.12).grain(71, (48, 48), 0.06)
    canvas.fall_off(1.06, 0.78)
    flap: list[Point] = [(0, 0), (64, 0), (64, 30), (54, 38), (10, 38), (0, 30)]
    canvas.shade(0.55, canvas.line_mask([(0, 33), (10, 41), (54, 41), (64, 33)], 3, 3))
    canvas.shade(1.16, canvas.polygon_mask(flap))
    canvas.seam([(0, 30), (10, 38), (54, 38), (64, 30)], 0.5)
    canvas.line([(2, 28), (11, 35.4), (53, 35.4), (62, 28)], 0.8, (206, 164, 106), 0.6)
    for x in (16, 48):
        canvas.shade(0.6, canvas.line_mask([(x + 1, 8), (x + 1, 52)], 6.4, 1.8))
        canvas.line([(x, 4), (x, 52)], 5, (84, 48, 28))
        canvas.shade(1.3, canvas.line_mask([(x - 1.6, 4), (x - 1.6, 52)], 0.8))
        canvas.polygon([(x - 4, 40), (x + 4, 40), (x + 4, 47), (x - 4, 47)], BRASS)
        canvas.polygon([(x - 2, 42), (x + 2, 42), (x + 2, 45), (x - 2, 45)], (84, 48, 28))
    rim = np.minimum.reduce([canvas.x, 64 - canvas.x, canvas.y + 6, 64 - canvas.y])
    return canvas.shade(0.6 + 0.4 * np.clip(rim / 4, 0, 1))


def _leather() -> Canvas:
    canvas = Canvas(LEATHER).grain(74, (16, 16), 0.14).grain(75, (48, 48), 0.06).fall_off(1.0, 0.72)
    for y in (2, 38, 42, 62):
        canvas.seam([(0, y), (64, y)], 0.35)
    return canvas


def _scarf() -> Canvas:
    canvas = Canvas(SCARF).weave(80, 0.05)
    for number in range(9):
        x = number * 8 - 4
        canvas.fold([(x, 2), (x + 8, 18), (x + 5, 34), (x + 12, 50)], 5, 0.3)
    for y in (50, 54):
        canvas.line([(0, y), (64, y)], 1.6, (224, 172, 92), 0.85)
    for x in range(0, 64, 3):
        canvas.shade(0.55, canvas.line_mask([(x, 58), (x, 64)], 0.9))
    return canvas.fall_off(1.06, 0.84)


def _sleeve() -> Canvas:
    canvas = _cloth(KHAKI, 90)
    folds: tuple[tuple[list[Point], float], ...] = (
        ([(4, 10), (16, 14), (28, 9)], 4.0),
        ([(36, 12), (48, 17), (60, 12)], 4.0),
        ([(12, 28), (22, 32), (34, 27)], 4.0),
        ([(44, 30), (54, 34), (62, 30)], 4.0),
        ([(2, 44), (12, 40), (22, 43)], 3.6),
        ([(26, 50), (38, 45), (50, 49)], 3.6),
        ([(6, 56), (20, 60), (34, 56)], 3.2),
        ([(40, 60), (52, 57), (62, 60)], 3.2),
    )
    for points, width in folds:
        canvas.fold(points, width, 0.24)
    canvas.seam([(0, 6), (64, 6)], 0.3)
    canvas.shade(1 - 0.36 * np.exp(-(((canvas.x - 48) / 9) ** 2)))
    return canvas.shade(1.12, canvas.ellipse_mask((18, 16), (10, 14), 10)).fall_off(1.0, 0.9)


def _forearm() -> Canvas:
    """Paint a rolled-up sleeve, the skin, and a band of leather."""
    canvas = Canvas(SKIN).grain(95, (20, 20), 0.04).grain(96, (5, 5), 0.06)
    canvas.shade(1.08, canvas.ellipse_mask((20, 34), (7, 14), 7))
    canvas.shade(1 - 0.34 * np.exp(-(((canvas.x - 48) / 10) ** 2)))
    canvas.shade(1 - 0.2 * np.clip((np.abs(canvas.x - 24) - 12) / 20, 0, 1))
    cuff = _cloth(KHAKI, 97)
    cuff.fold([(4, 4), (20, 7), (36, 3)], 3, 0.3).fold([(34, 10), (50, 7), (62, 10)], 3, 0.3)
    cuff.shade(1 - 0.3 * np.exp(-(((cuff.x - 48) / 10) ** 2)))
    cuff.shade(0.6, cuff.line_mask([(0, 12.4), (64, 12.4)], 1.2, 1.2))
    cuff.shade(1.16, cuff.line_mask([(0, 15), (64, 15)], 3, 2))
    canvas.colors = np.where(canvas.y[..., None] < 20.5, cuff.colors, canvas.colors)
    canvas.shade(0.5, canvas.line_mask([(0, 21.6), (64, 21.6)], 2, 3))
    band = np.clip(canvas.y - 47, 0, 1) * np.clip(58 - canvas.y, 0, 1)
    canvas.paint(band, (92, 54, 32))
    canvas.shade(1.3, canvas.line_mask([(0, 48.4), (64, 48.4)], 0.9))
    canvas.shade(0.6, canvas.line_mask([(0, 58.6), (64, 58.6)], 1, 1.4))
    return canvas.polygon([(18, 49), (26, 49), (26, 56), (18, 56)], BRASS).polygon(
        [(20, 51), (24, 51), (24, 54), (20, 54)], (80, 46, 28)
    )


def _hand() -> Canvas:
    """Paint a hand: its back at 16, the thumb's side at 32, the palm at 48."""
    canvas = Canvas(SKIN).grain(98, (20, 20), 0.04)
    canvas.shade(1 - 0.22 * np.exp(-(((canvas.x - 50) / 12) ** 2)))
    for middle in (16, 48):
        for step in (-6, 0, 6):
            canvas.shade(0.5, canvas.line_mask([(middle + step * 0.8, 32), (middle + step, 64)], 1.3, 1.3))
        for step in (-9, -3, 3, 9):
            canvas.shade(1.14, canvas.ellipse_mask((middle + step * 0.9, 30), (2, 2.4), 2))
            canvas.shade(0.8, canvas.line_mask([(middle + step - 2, 45), (middle + step + 2, 45)], 0.9, 1))
    return canvas.fall_off(0.96, 0.86)


def _hat() -> Canvas:
    canvas = Canvas(FELT).grain(100, (32, 32), 0.08).grain(101, (8, 6), 0.12).grain(102, (64, 64), 0.05)
    canvas.shade(1.16 - 0.3 * canvas.y / 64)
    canvas.fold([(30, 4), (32, 20), (31, 34)], 6, 0.26)
    canvas.fold([(6, 10), (10, 26)], 5, 0.2).fold([(54, 8), (52, 28)], 5, 0.2)
    # The ribbon.
    band = np.clip(canvas.y - 41, 0, 1)
    canvas.shade(0.7, canvas.line_mask([(0, 40), (64, 40)], 2, 2.4))
    canvas.paint(band, (70, 34, 26))
    canvas.shade(1.35, canvas.line_mask([(0, 43), (64, 43)], 1.2))
    canvas.polygon([(12, 41), (19, 41), (19, 64), (12, 64)], (98, 46, 32)).seam([(19, 41), (19, 64)], 0.5)
    return canvas.shade(0.62 + 0.38 * np.clip((64 - canvas.y) / 9, 0, 1))


def _brim() -> Canvas:
    """Paint the upper side of the brim, from the crown to the edge, and its lower side back to the crown."""
    canvas = Canvas(FELT).grain(110, (32, 32), 0.08).grain(111, (10, 6), 0.12).grain(112, (64, 64), 0.05)
    upper = np.clip(32.5 - canvas.y, 0, 1)
    canvas.shade(0.66 + 0.5 * np.clip(canvas.y / 30, 0, 1), upper)
    canvas.shade(0.56 - 0.2 * np.clip((canvas.y - 34) / 30, 0, 1), 1 - upper)
    canvas.shade(1.3, canvas.line_mask([(0, 30.8), (64, 30.8)], 1.2))
    canvas.seam([(0, 27.5), (64, 27.5)], 0.3)
    return canvas


def tiles() -> Tiles:
    """Return all tiles by name."""
    return {
        "face": _face().tile(),
        "hair": _hair().tile(),
        "neck": _neck().tile(),
        "jacket_front": _jacket_front().tile(),
        "jacket_back": _jacket_back().tile(),
        "hips": _hips().tile(),
        "trousers": _trousers().tile(),
        "boot": _boot().tile(),
        "foot": _foot().tile(),
        "sole": _sole().tile(),
        "satchel": _satchel().tile(),
        "leather": _leather().tile(),
        "scarf": _scarf().tile(),
        "sleeve": _sleeve().tile(),
        "forearm": _forearm().tile(),
        "hand": _hand().tile(),
        "hat": _hat().tile(),
        "brim": _brim().tile(),
    }
