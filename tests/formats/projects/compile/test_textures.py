"""Textures of rooms on the pages of levels: what a game would draw on each face."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.projects.compile.textures import (
    Refusal,
    RoomTextures,
    TextureRequests,
    add_room_textures,
)
from io_tomb_raider.formats.targets import Target
from io_tomb_raider.formats.textures.coordinates import QUAD_MOVES, TRIANGLE_MOVES
from io_tomb_raider.formats.textures.level_pages import pages_of
from io_tomb_raider.formats.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.textures.textiles import decode_pages
from tests.games import each_game

Corners = Sequence[tuple[float, float]]
_ZERO = [[0, 0], [0, 0]]
_QUAD = [(0, 0), (64, 0), (64, 64), (0, 64)]


def noise(width: int, height: int, seed: int = 1) -> NDArray[np.uint8]:
    """Return an opaque image of random pixels that all games can store."""
    random = np.random.default_rng(seed)
    image = np.full((height, width, 4), 255, np.uint8)
    # Few colors, so that a palette has all of them.
    image[..., :3] = random.integers(0, 4, (height, width, 3)) * 8 * 8
    return image


def turned(corners: Corners, turn: int) -> Corners:
    return [*corners[turn:], *corners[:turn]]


def moved(corners: Corners, x: float, y: float) -> Corners:
    return [(left + x, top + y) for left, top in corners]


def requests(*faces: Corners, image: Any = 1, blend: Any = 0, parent: Any = None) -> TextureRequests:
    count = len(faces)
    corners = np.zeros((count, 4, 2))
    for row, face in enumerate(faces):
        corners[row, : len(face)] = face
        corners[row, len(face) :] = face[-1]
    return TextureRequests(
        np.broadcast_to(image, count).astype(np.int64),
        corners,
        np.array([_ZERO] * count if parent is None else parent, np.float64),
        np.array([len(face) == 3 for face in faces], np.bool_),
        np.broadcast_to(blend, count).astype(np.int64),
    )


def drawn_corners(level: Level, index: int) -> NDArray[np.float64]:
    """Return the corners of an object texture as a game draws them, in pixels of the page."""
    record = level.object_textures[index]
    triangle = bool(decode_object_textures(level.object_textures, level.game).triangle[index])
    raw = record["uv"][: 3 if triangle else 4].astype(np.int64)
    corners = (raw >> 8) + (raw & 255) / 255
    if level.game.traits.has_texture_flags:
        moves = TRIANGLE_MOVES if triangle else QUAD_MOVES
        corners = corners + moves[int(record["flags"]) & 7] / 2
    if level.game is Game.TR3:
        corners = corners + 0.5
    return np.asarray(corners)


def check(
    level: Level,
    asked: TextureRequests,
    found: RoomTextures,
    images: dict[int, NDArray[np.uint8]],
    *,
    padded: bool = True,
) -> None:
    """Check that each face shows its area of its image."""
    pages = decode_pages(pages_of(level)._replace(opaque=None))
    decoded = decode_object_textures(level.object_textures, level.game)
    for row, index in enumerate(found.index.tolist()):
        corners = drawn_corners(level, index)
        count = 3 if asked.triangle[row] else 4
        assert len(corners) == count
        wanted = np.roll(asked.corners[row, :count], -int(found.turn[row]), axis=0)
        offset = corners - wanted
        # All corners are moved by the same whole pixels, but for the precision of files. Those of textures
        # without padding are half a pixel inside.
        place = np.rint(offset.mean(axis=0))
        assert np.abs(offset - place).max() < (0.01 if padded else 0.51)
        low = np.floor(wanted.min(axis=0)).astype(int)
        high = np.ceil(wanted.max(axis=0)).astype(int)
        on_page = np.concatenate([low, high]) + np.tile(place.astype(int), 2)
        left, top, right, bottom = on_page.tolist()
        shown = pages[decoded.page[index], top:bottom, left:right]
        expected = images[int(asked.image[row])][low[1] : high[1], low[0] : high[0]]
        assert shown.shape == expected.shape
        visible = expected[..., 3] == 255
        assert (shown[..., 3] == expected[..., 3]).all()
        if level.game is not Game.TR1:
            assert (np.abs(shown.astype(int) - expected)[visible] < 8).all()


@each_game
def test_faces_show_their_areas(game: Game) -> None:
    level = Level.empty(game)
    images = {1: noise(256, 512), 7: noise(100, 70, 2)}
    asked = requests(
        _QUAD,
        turned(_QUAD, 1),
        moved(_QUAD[:3], 64, 0),
        moved(_QUAD[::-1], 128, 448),
        [(10, 20), (43, 20), (43, 31), (10, 31)],
        [(0, 0), (100, 0), (100, 70), (0, 70)],
        image=[1, 1, 1, 1, 7, 7],
    )
    found = add_room_textures(level, asked, images)
    assert found.index.tolist() == [0, 0, 1, 2, 3, 4]
    assert found.turn.tolist()[:2] == [0, 3]
    check(level, asked, found, images)
    assert Level.to_bytes(level)


_POINTS = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda each: (each[0] * 8, each[1] * 8))


@st.composite
def areas(draw: Any) -> list[tuple[int, Corners, int, list[list[int]]]]:
    """Return faces: image, corners, blend mode and parent."""
    faces = []
    for _ in range(draw(st.integers(1, 12))):
        left, top = draw(_POINTS)
        right, bottom = left + 8 * draw(st.integers(1, 8)), top + 8 * draw(st.integers(1, 8))
        corners: Corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        corners = turned(corners, draw(st.integers(0, 3)))
        corners = corners[::-1] if draw(st.booleans()) else corners
        corners = corners[:3] if draw(st.booleans()) else corners
        has_parent = draw(st.integers(0, 3)) == 0
        parent = [[left // 16 * 16, top // 16 * 16], [right + 8, bottom + 16]] if has_parent else _ZERO
        faces.append((draw(st.integers(1, 2)), corners, draw(st.integers(0, 2)), parent))
    return faces


@settings(max_examples=40, deadline=None)
@given(areas(), st.sampled_from(Game), st.sampled_from([0, 1, 8]))
def test_all_faces_show_their_areas(faces: Any, game: Game, padding: int) -> None:
    level = Level.empty(game)
    images = {1: noise(192, 192), 2: noise(192, 192, 5)}
    images[2][:40, :70] = 0
    asked = requests(
        *(face[1] for face in faces),
        image=[face[0] for face in faces],
        blend=[face[2] for face in faces],
        parent=[face[3] for face in faces],
    )
    found = add_room_textures(level, asked, images, padding=padding)
    check(level, asked, found, images, padded=padding > 0)
    # The same textures share, whatever their first corner; others do not.
    keys: dict[object, int] = {}
    for row, (image, corners, blend, _) in enumerate(faces):
        key = image, blend, min(tuple(turned(corners, turn)) for turn in range(len(corners)))
        assert keys.setdefault(key, found.index[row]) == found.index[row]
    assert len(set(keys.values())) == len(keys) == len(level.object_textures)
    # Numbers are given in the order of the faces.
    assert list(dict.fromkeys(found.index.tolist())) == list(range(len(keys)))


# --- Coordinates -------------------------------------------------------------------------------


def stored(game: Game, corners: Corners, padding: int = 8, size: int = 64) -> list[list[int]]:
    """Return the stored corners of a texture at the upper left of a page."""
    level = Level.empty(game)
    add_room_textures(level, requests(corners), {1: noise(size, size)}, padding=padding)
    return level.object_textures["uv"][0].tolist()


def test_corners_are_stored_by_the_game_s_rules() -> None:
    low, high = 8 << 8, 72 << 8
    assert stored(Game.TR2, _QUAD) == [[low, low], [high, low], [high, high], [low, high]]
    # Half a pixel less: 127 of 255.
    low, high = (7 << 8) + 127, (71 << 8) + 127
    assert stored(Game.TR3, _QUAD) == [[low, low], [high, low], [high, high], [low, high]]
    # TR4 moves corners inwards by half a pixel.
    low, high = (7 << 8) + 127, (72 << 8) + 127
    assert stored(Game.TR4, _QUAD) == [[low, low], [high, low], [high, high], [low, high]]
    # Shape 1 moves the corners left and down, left and up, right and down.
    expected = [[(8 << 8) + 127, low], [high, (8 << 8) + 127], [(71 << 8) + 127, (71 << 8) + 127], [0, 0]]
    assert stored(Game.TR5, _QUAD[:3]) == expected


def test_corners_without_padding_are_half_a_pixel_inside() -> None:
    low, high = 127, (63 << 8) + 127
    assert stored(Game.TR1, _QUAD, 0) == [[low, low], [high, low], [high, high], [low, high]]
    # Inwards by half a pixel, and outwards against the engine.
    assert stored(Game.TR4, _QUAD, 0) == [[0, 0], [64 << 8, 0], [64 << 8, 64 << 8], [0, 64 << 8]]
    whole = [(0, 0), (256, 0), (256, 256), (0, 256)]
    assert stored(Game.TR2, whole, 8, 256)[2] == [(255 << 8) + 127] * 2
    assert stored(Game.TR3, whole, 8, 256)[2] == [(255 << 8) + 127] * 2


@pytest.mark.parametrize(
    ("corners", "shape", "first"),
    [
        (_QUAD, 0, (0, 0)),
        (_QUAD[::-1], 1, (64, 0)),
        ([(0, 0), (64, 0), (0, 64)], 0, (0, 0)),
        ([(0, 0), (64, 0), (64, 64)], 1, (0, 0)),
        ([(64, 0), (64, 64), (0, 64)], 2, (64, 0)),
        ([(0, 64), (0, 0), (64, 64)], 3, (0, 0)),
        ([(64, 0), (0, 0), (64, 64)], 4, (64, 0)),
        ([(0, 0), (0, 64), (64, 0)], 5, (64, 0)),
        ([(0, 64), (64, 64), (0, 0)], 6, (0, 0)),
        ([(64, 64), (64, 0), (0, 64)], 7, (64, 0)),
    ],
)
def test_shapes_of_tr4(corners: Corners, shape: int, first: tuple[int, int]) -> None:
    for turn in range(len(corners)):
        level = Level.empty(Game.TR4)
        face = turned(corners, turn)
        found = add_room_textures(level, requests(face), {1: noise(64, 64)})
        (record,) = level.object_textures
        assert int(record["flags"]) == 0x8000 | shape
        assert bool(record["page"] & 0x8000) is (len(corners) == 3)
        # It begins at the top, and the last corner is below.
        assert tuple(face[int(found.turn[0])]) == first
        if len(corners) == 4:
            assert (record["width"], record["height"]) == ((65 << 8) - 1, (65 << 8) - 1)


# --- Blending ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "target", "expected"),
    [
        (Game.TR1, Target.ORIGINAL, [0, 1, 1, 1, 1]),
        (Game.TR2, Target.ORIGINAL, [0, 1, 1, 1, 1]),
        (Game.TR2, Target.TRX, [0, 1, 2, 2, 1]),
        (Game.TR3, Target.ORIGINAL, [0, 1, 2, 2, 1]),
        (Game.TR4, Target.ORIGINAL, [0, 1, 2, 9, 1]),
        (Game.TR5, Target.ORIGINAL, [0, 1, 2, 2, 1]),
    ],
)
def test_blend_modes(game: Game, target: Target, expected: list[int]) -> None:
    level = Level.empty(game)
    image = noise(64, 128)
    image[100, 3, 3] = 254
    faces = [_QUAD, _QUAD, _QUAD, _QUAD, moved(_QUAD, 0, 64)]
    add_room_textures(level, requests(*faces, blend=[0, 1, 2, 9, 0]), {1: image}, target=target)
    assert level.object_textures["attribute"].tolist() == expected


def test_a_transparent_pixel_of_the_parent_area_makes_its_faces_transparent() -> None:
    image = noise(64, 64)
    image[60, 60] = 0
    corner = [(0, 0), (16, 0), (16, 16), (0, 16)]
    level = Level.empty(Game.TR4)
    add_room_textures(level, requests(corner), {1: image})
    parents = [[[0, 0], [64, 64]]] * 3
    add_room_textures(level, requests(*[corner] * 3, parent=parents, blend=[0, 1, 2]), {1: image})
    assert level.object_textures["attribute"].tolist() == [0, 1, 1, 2]


# --- Areas -------------------------------------------------------------------------------------


def page_of(level: Level) -> NDArray[np.uint8]:
    return decode_pages(pages_of(level)._replace(opaque=None))[0]


def test_inner_areas_are_packed_with_outer_ones() -> None:
    inner = moved([(0, 0), (16, 0), (16, 16), (0, 16)], 8, 8)
    for faces in ((_QUAD, inner), (inner, _QUAD)):
        level = Level.empty(Game.TR4)
        image = noise(64, 64)
        add_room_textures(level, requests(*faces), {1: image}, padding=4)
        assert (page_of(level)[..., 3] > 0).sum() == 72 * 72
        corners = [drawn_corners(level, index).min(axis=0) for index in (0, 1)]
        assert np.abs(corners[0] - corners[1]) == pytest.approx([8, 8], abs=0.01)


def test_equal_pixels_are_packed_once() -> None:
    level = Level.empty(Game.TR4)
    image = noise(64, 64)
    both = np.concatenate([image, image], axis=1)
    found = add_room_textures(level, requests(_QUAD, moved(_QUAD, 64, 0)), {1: both}, padding=4)
    assert found.index.tolist() == [0, 1]
    assert (page_of(level)[..., 3] > 0).sum() == 72 * 72
    assert level.object_textures["uv"][0].tolist() == level.object_textures["uv"][1].tolist()


def test_padding_repeats_the_border() -> None:
    level = Level.empty(Game.TR4)
    image = noise(64, 64)
    add_room_textures(level, requests(_QUAD), {1: image}, padding=3)
    page = page_of(level)
    assert (page[:70, :70] == np.pad(image, ((3, 3), (3, 3), (0, 0)), mode="edge")).all()
    assert not page[70:].any()
    assert not page[:, 70:].any()


def test_padding_is_as_wide_as_the_page_allows() -> None:
    level = Level.empty(Game.TR4)
    image = noise(251, 256)
    add_room_textures(level, requests([(0, 0), (251, 0), (251, 256), (0, 256)]), {1: image}, padding=8)
    assert (page_of(level) == np.pad(image, ((0, 0), (2, 3), (0, 0)), mode="edge")).all()


def test_parent_areas_are_packed_whole() -> None:
    level = Level.empty(Game.TR4)
    image = noise(128, 64)
    corner = [(0, 0), (16, 0), (16, 16), (0, 16)]
    parents = [_ZERO, [[0, 0], [128, 64]]]
    add_room_textures(level, requests(corner, turned(corner, 2), parent=parents), {1: image}, padding=0)
    assert (page_of(level)[:64, :128] == image).all()


# --- Faces without a texture -------------------------------------------------------------------


def test_faces_that_are_left_out() -> None:
    level = Level.empty(Game.TR4)
    asked = requests(
        _QUAD,
        moved(_QUAD, -1, 0),
        moved(_QUAD, 0, 450),
        _QUAD,
        [(0, 0), (16, 0), (16, 257), (0, 257)],
        [(0, 0), (16, 0), (16, 256.5), (0, 256.5)],
        [(0, 0), (float("nan"), 0), (16, 16), (0, 16)],
        image=[1, 1, 1, 2, 1, 1, 1],
    )
    found = add_room_textures(level, asked, {1: noise(256, 512)})
    assert found.refused.tolist() == [
        Refusal.NONE,
        Refusal.OUTSIDE,
        Refusal.OUTSIDE,
        Refusal.MISSING,
        Refusal.TOO_LARGE,
        Refusal.TOO_LARGE,
        Refusal.OUTSIDE,
    ]
    assert found.index.tolist() == [0, -1, -1, -1, -1, -1, -1]


def test_a_level_without_faces_stays() -> None:
    level = Level.empty(Game.TR4)
    before = level.to_bytes()
    found = add_room_textures(level, requests(), {1: noise(64, 64)})
    assert len(found.index) == 0
    add_room_textures(level, requests(_QUAD), {})
    assert level.to_bytes() == before
