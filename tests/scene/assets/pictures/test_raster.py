"""The rasterizer: the nearest front face, upright, with its texels, in time."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.levels.textures.blending import BlendMode
from io_tomb_raider.scene.assets.pictures.raster import FLAT, RasterFaces, draw_faces

NORTH = (0.0, 0.0, 1.0)  # forward
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
# Clockwise from the upper left, as in files for faces that face south.
SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))
SIZE = 64


def square(
    z: float, color: tuple[int, ...] = WHITE, scale: float = 1.0, mode: int = 0, page: int = FLAT
) -> RasterFaces:
    """Return two triangles that face south: a square around the middle, seen when looking north."""
    corners = np.array([(x * scale, y * scale, z) for x, y in SQUARE], np.float64)
    texels = np.array([((x + 1) * 128, (y + 1) * 128) for x, y in SQUARE], np.float64)
    turns = np.array([[0, 1, 2], [0, 2, 3]])
    page_and_mode = np.full(2, page), np.full(2, mode)
    colors = np.full((2, 3, 3), color) / 255
    return RasterFaces(corners[turns], texels[turns], *page_and_mode, colors, np.zeros(2, np.bool_))


def joined(*parts: RasterFaces) -> RasterFaces:
    return RasterFaces.join(parts)


def draw(faces: RasterFaces, pages: NDArray[np.uint8] | None = None, size: int = SIZE) -> NDArray[np.uint8]:
    found = draw_faces(faces, np.zeros((0, 256, 256, 4), np.uint8) if pages is None else pages, NORTH, size)
    assert found is not None and found.shape == (size, size, 4) and found.dtype == np.uint8
    return found


def hue(pixel: NDArray[np.uint8]) -> tuple[int, ...]:
    """Return the color of a pixel without its brightness."""
    assert pixel[3] == 255
    return tuple(255 * int(each > 100) for each in pixel[:3])


def test_the_nearest_face_is_seen_and_those_that_face_away_are_not() -> None:
    for parts in ((square(0, RED), square(-1, GREEN, 0.5)), (square(-1, GREEN, 0.5), square(0, RED))):
        found = draw(joined(*parts))
        assert hue(found[32, 32]) == GREEN and hue(found[8, 8]) == RED
        assert not found[0].any() and not found[:, -1].any()  # the margin
    back = replace(square(-1, BLUE), points=square(-1).points[:, ::-1])
    assert hue(draw(joined(square(0, RED), back))[32, 32]) == RED
    assert draw_faces(back, np.zeros((0, 256, 256, 4), np.uint8), NORTH, SIZE) is None


def test_texels_are_drawn_with_the_orientation_and_colors_of_the_page() -> None:
    page = np.zeros((1, 256, 256, 4), np.uint8)
    for place, color in zip(np.ndindex(2, 2), (RED, GREEN, BLUE, WHITE), strict=True):
        top, left = place[0] * 128, place[1] * 128
        page[0, top : top + 128, left : left + 128] = (*color, 255)
    found = draw(square(0, page=0), page)
    corners = [found[16, 16], found[16, 48], found[48, 16], found[48, 48]]
    assert [hue(each) for each in corners] == [RED, GREEN, BLUE, WHITE]
    assert (found[8:56, 8:56, 3] == 255).all()  # no gap between two faces


def test_blend_modes_are_drawn_as_in_the_game() -> None:
    page = np.zeros((1, 256, 256, 4), np.uint8)
    page[0, :128] = (*GREEN, 255)
    keyed = square(-1, mode=BlendMode.COLOR_KEYED, page=0)
    found = draw(joined(square(0, RED), keyed), page)
    assert hue(found[16, 32]) == GREEN and hue(found[48, 32]) == RED
    alone = draw(keyed, page)
    assert hue(alone[16, 32]) == GREEN and not alone[40:].any()
    opaque = draw(joined(square(0, RED), square(-1, page=0)), page)
    assert not opaque[48, 32, :3].any()  # engines draw all texels of opaque faces
    glow = draw(joined(square(0, RED), square(-1, mode=BlendMode.ADDITIVE, page=0)), page)
    assert hue(glow[16, 32]) == (255, 255, 0) and hue(glow[48, 32]) == RED
    hidden = draw(joined(square(0, RED), square(1, mode=BlendMode.ADDITIVE, page=0)), page)
    assert hue(hidden[16, 32]) == RED


def test_from_above_north_is_up() -> None:
    """A floor whose north half is red."""
    points = np.array([(-1, 0, 1), (1, 0, 1), (1, 0, 0), (-1, 0, 0)], np.float64)
    turns = np.array([[0, 1, 2], [0, 2, 3]])
    north = replace(square(0, RED), points=points[turns])
    south = replace(square(0, BLUE), points=(points - (0, 0, 1))[turns])
    found = draw_faces(joined(north, south), np.zeros((0, 256, 256, 4), np.uint8), (0.0, 1.0, 0.0), SIZE)
    assert found is not None
    assert hue(found[16, 32]) == RED and hue(found[48, 32]) == BLUE


def test_faces_without_number_are_drawn_in_time() -> None:
    many = joined(*[square(each, RED if each else GREEN) for each in range(2000)])
    start = monotonic()
    found = draw(many, size=256)
    assert monotonic() - start < 5
    assert hue(found[128, 128]) == GREEN
    lost = replace(square(0), points=np.full((2, 3, 3), np.nan))
    assert draw_faces(lost, np.zeros((0, 256, 256, 4), np.uint8), NORTH, SIZE) is None
    point = replace(square(0), points=np.ones((2, 3, 3)))
    assert draw_faces(point, np.zeros((0, 256, 256, 4), np.uint8), NORTH, SIZE) is None
