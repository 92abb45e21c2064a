"""Users' images on texture pages: a face shows the same part of the page as of the image."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats.base.errors import ExportError
from io_tomb_raider.formats.levels.textures.packing import Placements, pack
from io_tomb_raider.formats.levels.textures.tiles import (
    CutImage,
    cut_image,
    draw_tiles,
    place_corners,
    share_boxes,
)

U8Array = NDArray[np.uint8]


def random_picture(width: int, height: int, seed: int = 1) -> U8Array:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 4), np.uint8)


def uv_of(pixels: NDArray[np.floating], image: U8Array) -> NDArray[np.float64]:
    """Return Blender's UVs of pixel coordinates from the top left of an image."""
    height, width = image.shape[:2]
    return np.asarray(pixels, np.float64) / (width, -height) + (0, 1)


def rectangle(left: float, top: float, right: float, bottom: float) -> list[tuple[float, float]]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def quads(*corners: list[tuple[float, float]]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    return np.array(corners, np.float64), np.zeros(len(corners), np.bool_)


def on_pages(
    cut: CutImage, pages: int = 0
) -> tuple[U8Array, NDArray[np.int64], NDArray[np.uint16], Placements]:
    placed = pack(cut.sizes, np.zeros((pages, 256, 256), np.bool_))
    images = draw_tiles(np.zeros((pages, 256, 256, 4), np.uint8), cut.tiles, placed)
    return images, *place_corners(cut, placed), placed


# --- Content of faces ----------------------------------------------------------------------------

BORDERS = st.integers(-300, 300).flatmap(lambda low: st.tuples(st.just(low), st.integers(low + 1, low + 40)))


@given(
    st.lists(st.tuples(BORDERS, BORDERS), min_size=1, max_size=8),
    st.integers(1, 90),
    st.integers(1, 90),
    st.booleans(),
)
def test_pages_show_the_pixels_of_the_image(
    faces: list[tuple[tuple[int, int], tuple[int, int]]], width: int, height: int, triangles: bool
) -> None:
    image = random_picture(width, height)
    pixels, triangle = quads(*[rectangle(x[0], y[0], x[1], y[1]) for x, y in faces])
    triangle |= triangles
    cut = cut_image(image, uv_of(pixels, image), triangle)
    pages, page, raw, _ = on_pages(cut)
    assert (cut.scale == 1).all()
    for face, (x, y) in enumerate(faces):
        shown = raw[face, :3] if triangles else raw[face]
        left, top = (shown.min(axis=0) // 256).tolist()
        # The last border of a page has no coordinate, only the last fraction before it.
        right, bottom = (-(-shown.max(axis=0).astype(int) // 256)).tolist()
        assert (right - left, bottom - top) == (x[1] - x[0], y[1] - y[0])
        rows, columns = np.arange(y[0], y[1]) % height, np.arange(x[0], x[1]) % width
        assert (pages[page[face], top:bottom, left:right] == image[rows[:, None], columns]).all()


def test_corners_keep_their_order_and_fractions() -> None:
    image = random_picture(100, 100)
    corners = [(10.5, 20.25), (30.0, 20.0), (25.125, 40.0), (12.0, 33.0)]
    cut = cut_image(image, uv_of(np.array([corners]), image), np.array([False]))
    assert cut.tiles[0].shape == (20, 20, 4)
    assert np.allclose(cut.corners[0], np.array(corners) - (10, 20), atol=1e-9)
    _, _, raw, placed = on_pages(cut)
    assert np.allclose(raw[0] / 256, np.array(corners) - (10, 20) + placed.position[0])


def test_the_fourth_corner_of_a_triangle_is_ignored() -> None:
    image = random_picture(64, 64)
    corners = np.array([[(0, 0), (8, 0), (8, 8), (np.nan, 1e9)]])
    cut = cut_image(image, uv_of(corners, image), np.array([True]))
    assert cut.sizes.tolist() == [[8, 8]]
    assert (cut.corners[0, 3] == cut.corners[0, 2]).all()


def test_repetitions_share_their_tile() -> None:
    image = random_picture(32, 32)
    pixels, triangle = quads(rectangle(4, 4, 12, 12), rectangle(36, 4, 44, 12), rectangle(-28, -60, -20, -52))
    cut = cut_image(image, uv_of(pixels, image), triangle)
    assert len(cut.tiles) == 1 and cut.tile.tolist() == [0, 0, 0]
    assert (cut.corners == cut.corners[0]).all()


def test_a_face_that_repeats_the_image_gets_it_repeated() -> None:
    image = random_picture(16, 8)
    cut = cut_image(image, uv_of(np.array([rectangle(0, 0, 48, 16)]), image), np.array([False]))
    assert (cut.tiles[0] == np.tile(image, (2, 3, 1))).all()


def test_corners_close_to_a_pixel_border_are_snapped() -> None:
    image = random_picture(100, 60)
    exact = uv_of(np.array([rectangle(10, 10, 20, 20)]), image)
    cut = cut_image(image, exact.astype(np.float32) + np.float32(1e-7), np.array([False]))
    assert cut.sizes.tolist() == [[10, 10]]
    assert cut.corners[0].tolist() == [[0, 0], [10, 0], [10, 10], [0, 10]]


def test_faces_without_extent_show_a_pixel() -> None:
    image = random_picture(10, 10)
    cut = cut_image(image, uv_of(np.full((1, 4, 2), 5.0), image), np.array([False]))
    assert cut.sizes.tolist() == [[1, 1]]
    assert (cut.tiles[0][0, 0] == image[5, 5]).all()


def test_an_image_without_faces_needs_no_tile() -> None:
    cut = cut_image(random_picture(10, 10), np.zeros((0, 4, 2)), np.zeros(0, np.bool_))
    assert cut.tiles == [] and cut.sizes.shape == (0, 2)
    pages, page, raw, _ = on_pages(cut)
    assert len(pages) == len(page) == len(raw) == 0


def test_images_follow_each_other_in_the_placements() -> None:
    images = [random_picture(20, 20, 1), random_picture(30, 30, 2)]
    cuts = [
        cut_image(image, uv_of(np.array([rectangle(1, 1, 9, 9)]), image), np.array([False]))
        for image in images
    ]
    placed = pack(np.concatenate([cut.sizes for cut in cuts]), np.zeros((1, 256, 256), np.bool_))
    pages = draw_tiles(np.zeros((1, 256, 256, 4), np.uint8), [t for cut in cuts for t in cut.tiles], placed)
    for first, (image, cut) in enumerate(zip(images, cuts, strict=True)):
        page, raw = place_corners(cut, placed, first)
        left, top = raw[0, 0] // 256
        assert (pages[page[0], top : top + 8, left : left + 8] == image[1:9, 1:9]).all()


# --- Drawing -------------------------------------------------------------------------------------


def test_drawing_leaves_the_rest_alone_and_repeats_the_edge_around_a_tile() -> None:
    tile = random_picture(5, 3)
    old = random_picture(256, 256, 2)[None]
    placed = Placements(np.array([0]), np.array([[100, 50]]), np.array([[1, 2]]), 2, 1)
    pages = draw_tiles(old, [tile], placed)
    assert pages.shape == (2, 256, 256, 4) and not pages[1].any()
    assert (pages[0, 48:55, 99:106] == np.pad(tile, ((2, 2), (1, 1), (0, 0)), mode="edge")).all()
    outside = np.ones((256, 256), np.bool_)
    outside[48:55, 99:106] = False
    assert (pages[0][outside] == old[0][outside]).all()


# --- Sharing -------------------------------------------------------------------------------------


@given(st.lists(st.tuples(*[st.integers(0, 200)] * 2, *[st.integers(1, 400)] * 2), max_size=30))
def test_every_box_is_inside_its_shared_box(rows: list[tuple[int, ...]]) -> None:
    boxes = np.array(rows, np.int64).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]
    shared, owner = share_boxes(boxes)
    assert (shared[owner, :2] <= boxes[:, :2]).all() and (shared[owner, 2:] >= boxes[:, 2:]).all()
    area = (shared[:, 2:] - shared[:, :2]).prod(axis=1).sum()
    assert area <= (np.unique(boxes, axis=0)[:, 2:] - np.unique(boxes, axis=0)[:, :2]).prod(axis=1).sum()
    # Joining never makes a tile that must be shrunk.
    given_size = (boxes[:, 2:] - boxes[:, :2]).max(axis=0, initial=0)
    assert ((shared[:, 2:] - shared[:, :2]).max(axis=0, initial=0) <= np.maximum(given_size, 254)).all()


def test_overlapping_and_adjoining_boxes_share() -> None:
    boxes = np.array([(0, 0, 64, 64), (32, 0, 96, 64), (10, 10, 20, 20), (96, 0, 128, 64), (200, 0, 210, 10)])
    shared, owner = share_boxes(boxes)
    assert shared[owner[0]].tolist() == [0, 0, 128, 64]
    assert len(shared) == 2 and len(set(owner[:4].tolist())) == 1


def test_boxes_that_would_waste_room_stay_apart() -> None:
    shared, owner = share_boxes(np.array([(0, 0, 200, 4), (0, 0, 4, 200)]))
    assert len(shared) == 2 and owner[0] != owner[1]


# --- Shrinking -----------------------------------------------------------------------------------


def test_a_large_image_is_averaged_down() -> None:
    image = random_picture(1024, 512)
    image[..., 3] = 255
    cut = cut_image(image, uv_of(np.array([rectangle(0, 0, 1024, 512)]), image), np.array([False]))
    assert cut.scale.tolist() == [[0.25, 0.5]]
    assert cut.corners[0].tolist() == [[0, 0], [256, 0], [256, 256], [0, 256]]
    mean = image.reshape(256, 2, 256, 4, 4).mean(axis=(1, 3))
    assert abs(cut.tiles[0] - mean).max() <= 0.51


@given(st.integers(257, 700), st.integers(1, 400))
def test_shrinking_keeps_the_mean_color(width: int, height: int) -> None:
    image = random_picture(width, height)
    image[..., 3] = 255
    cut = cut_image(image, uv_of(np.array([rectangle(0, 0, width, height)]), image), np.array([False]))
    assert cut.tiles[0].shape == (min(height, 256), 256, 4)
    assert abs(cut.tiles[0].mean(axis=(0, 1)) - image.mean(axis=(0, 1))).max() < 0.5


def test_only_the_long_side_shrinks() -> None:
    image = np.repeat(random_picture(1, 10), 1000, axis=1)
    cut = cut_image(image, uv_of(np.array([rectangle(0, 0, 1000, 10)]), image), np.array([False]))
    assert (cut.tiles[0][..., 3] == image[:, :256, 3]).all()
    opaque = image[:, 0, 3] > 0
    assert (cut.tiles[0][opaque] == image[opaque, :256]).all()


def test_transparent_pixels_are_excluded_from_the_average() -> None:
    image = np.zeros((2, 512, 4), np.uint8)
    image[:, ::2] = (200, 100, 50, 255)
    image[:, 1::2] = (0, 255, 0, 0)
    cut = cut_image(image, uv_of(np.array([rectangle(0, 0, 512, 2)]), image), np.array([False]))
    assert np.unique(cut.tiles[0].reshape(-1, 4), axis=0).tolist() == [[200, 100, 50, 128]]


# --- Errors --------------------------------------------------------------------------------------


def test_coordinates_that_are_no_numbers_are_refused() -> None:
    uv = np.zeros((3, 4, 2))
    uv[1, 2] = np.nan
    with pytest.raises(ExportError, match=r"bricks: .*not numbers: 1"):
        cut_image(random_picture(4, 4), uv, np.zeros(3, np.bool_), "bricks")


def test_an_image_without_pixels_is_refused() -> None:
    with pytest.raises(ExportError, match="bricks: the image has no pixels"):
        cut_image(np.zeros((0, 4, 4), np.uint8), np.zeros((0, 4, 2)), np.zeros(0, np.bool_), "bricks")
