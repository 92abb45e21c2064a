"""Textures of rooms on the pages of levels: what a game would draw on each face."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.editors.projects.compile.textures.textures import Refusal, add_room_textures
from tests.games import each_game

from .faces import NO_PARENT, QUAD, Corners, check, drawn_corners, moved, noise, page_of, requests, turned


@each_game
def test_faces_show_their_areas(game: Game) -> None:
    level = Level.empty(game)
    images = {1: noise(256, 512), 7: noise(100, 70, 2)}
    asked = requests(
        QUAD,
        turned(QUAD, 1),
        moved(QUAD[:3], 64, 0),
        moved(QUAD[::-1], 128, 448),
        [(10, 20), (43, 20), (43, 31), (10, 31)],
        [(0, 0), (100, 0), (100, 70), (0, 70)],
        image=[1, 1, 1, 1, 7, 7],
    )
    found = add_room_textures(level, asked, images)
    assert found.index.tolist() == [0, 0, 1, 2, 3, 4]
    assert found.turn.tolist()[:2] == [0, 3]
    check(level, asked, found, images)
    assert Level.to_bytes(level)


def test_the_other_side_of_a_face_has_its_corners_in_reverse_order() -> None:
    asked = requests(QUAD, QUAD[:3]).mirrored()
    assert asked.corners[0].tolist() == [list(corner) for corner in QUAD[::-1]]
    assert asked.corners[1, :3].tolist() == [list(corner) for corner in QUAD[2::-1]]


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
        parent = [[left // 16 * 16, top // 16 * 16], [right + 8, bottom + 16]] if has_parent else NO_PARENT
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
    # The same textures share, whatever their first corner, and there are no equal records.
    keys: dict[object, int] = {}
    for row, (image, corners, blend, _) in enumerate(faces):
        key = image, blend, min(tuple(turned(corners, turn)) for turn in range(len(corners)))
        assert keys.setdefault(key, found.index[row]) == found.index[row]
    assert len(np.unique(level.object_textures)) == len(level.object_textures)
    # Numbers are given in the order of the faces.
    assert list(dict.fromkeys(found.index.tolist())) == list(range(len(level.object_textures)))


# --- Coordinates -------------------------------------------------------------------------------


def stored(game: Game, corners: Corners, padding: int = 8, size: int = 64) -> list[list[int]]:
    """Return the stored corners of a texture at the upper left of a page."""
    level = Level.empty(game)
    add_room_textures(level, requests(corners), {1: noise(size, size)}, padding=padding)
    return level.object_textures["uv"][0].tolist()


def test_corners_are_stored_by_the_game_s_rules() -> None:
    low, high = 8 << 8, 72 << 8
    assert stored(Game.TR1, QUAD) == [[low, low], [high, low], [high, high], [low, high]]
    # The fractions by which TR2 and TR3 move corners inwards.
    low, high = (8 << 8) + 1, (72 << 8) - 1
    for game in (Game.TR2, Game.TR3):
        assert stored(game, QUAD) == [[low, low], [high, low], [high, high], [low, high]]
    # TR4 moves corners inwards by half a pixel.
    low, high = (7 << 8) + 127, (72 << 8) + 127
    assert stored(Game.TR4, QUAD) == [[low, low], [high, low], [high, high], [low, high]]
    # Shape 1 begins at the right angle, and moves corners left and down, left and up, right and down.
    expected = [[high, low], [high, high], [low, low], [0, 0]]
    assert stored(Game.TR5, QUAD[:3]) == expected


def test_corners_without_padding_are_half_a_pixel_inside() -> None:
    low, high = 127, (63 << 8) + 127
    assert stored(Game.TR1, QUAD, 0) == [[low, low], [high, low], [high, high], [low, high]]
    # Inwards by half a pixel, and outwards against the engine.
    assert stored(Game.TR4, QUAD, 0) == [[0, 0], [64 << 8, 0], [64 << 8, 64 << 8], [0, 64 << 8]]
    whole = [(0, 0), (256, 0), (256, 256), (0, 256)]
    for game in (Game.TR2, Game.TR3):
        assert stored(game, whole, 8, 256)[2] == [(255 << 8) + 254] * 2


@pytest.mark.parametrize(
    ("corners", "shape", "first"),
    [
        (QUAD, 0, (0, 0)),
        (QUAD[::-1], 1, (64, 0)),
        ([(0, 0), (64, 0), (0, 64)], 0, (0, 0)),
        ([(0, 0), (64, 0), (64, 64)], 1, (64, 0)),
        ([(64, 0), (64, 64), (0, 64)], 2, (64, 64)),
        ([(0, 64), (0, 0), (64, 64)], 3, (0, 64)),
        ([(64, 0), (0, 0), (64, 64)], 4, (64, 0)),
        ([(0, 0), (0, 64), (64, 0)], 5, (0, 0)),
        ([(0, 64), (64, 64), (0, 0)], 6, (0, 64)),
        ([(64, 64), (64, 0), (0, 64)], 7, (64, 64)),
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
        # Quads begin at the top, and the last corner is below; triangles begin at the right angle.
        assert tuple(face[int(found.turn[0])]) == first
        if len(corners) == 4:
            # Sizes are numbers with fractions, as the editor writes them.
            sizes = np.array([record["width"], record["height"]], "<u4").view("<f4")
            assert sizes.tolist() == [(65 << 8) - 1, (65 << 8) - 1]


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
    faces = [QUAD, QUAD, QUAD, QUAD, moved(QUAD, 0, 64)]
    found = add_room_textures(level, requests(*faces, blend=[0, 1, 2, 9, 0]), {1: image}, target=target)
    assert level.object_textures["attribute"][found.index].tolist() == expected


def test_a_transparent_pixel_of_the_parent_area_makes_its_faces_transparent() -> None:
    image = noise(64, 64)
    image[60, 60] = 0
    corner = [(0, 0), (16, 0), (16, 16), (0, 16)]
    level = Level.empty(Game.TR4)
    add_room_textures(level, requests(corner), {1: image})
    parents = [[[0, 0], [64, 64]]] * 3
    found = add_room_textures(level, requests(*[corner] * 3, parent=parents, blend=[0, 1, 2]), {1: image})
    assert found.index.tolist() == [1, 1, 2] and level.object_textures["attribute"].tolist() == [0, 1, 2]


# --- Areas -------------------------------------------------------------------------------------


def test_inner_areas_are_packed_with_outer_ones() -> None:
    inner = moved([(0, 0), (16, 0), (16, 16), (0, 16)], 8, 8)
    for faces in ((QUAD, inner), (inner, QUAD)):
        level = Level.empty(Game.TR4)
        image = noise(64, 64)
        add_room_textures(level, requests(*faces), {1: image}, padding=4)
        assert (page_of(level)[..., 3] > 0).sum() == 72 * 72
        corners = [drawn_corners(level, index).min(axis=0) for index in (0, 1)]
        assert np.abs(corners[0] - corners[1]) == pytest.approx([8, 8], abs=0.01)


def test_equal_pixels_are_packed_and_written_once() -> None:
    level = Level.empty(Game.TR4)
    image = noise(64, 64)
    both = np.concatenate([image, image], axis=1)
    asked = requests(QUAD, moved(QUAD, 64, 0), QUAD[:3], turned(moved(QUAD, 64, 0), 1))
    found = add_room_textures(level, asked, {1: both}, padding=4)
    assert found.index.tolist() == [0, 0, 1, 0]
    assert len(level.object_textures) == 2
    assert (page_of(level)[..., 3] > 0).sum() == 72 * 72
    check(level, asked, found, {1: both})


def test_padding_repeats_the_border() -> None:
    level = Level.empty(Game.TR4)
    image = noise(64, 64)
    add_room_textures(level, requests(QUAD), {1: image}, padding=3)
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
    parents = [NO_PARENT, [[0, 0], [128, 64]]]
    add_room_textures(level, requests(corner, turned(corner, 2), parent=parents), {1: image}, padding=0)
    assert (page_of(level)[:64, :128] == image).all()


# --- Faces without a texture -------------------------------------------------------------------


def test_faces_that_are_left_out() -> None:
    level = Level.empty(Game.TR4)
    asked = requests(
        QUAD,
        moved(QUAD, -1, 0),
        moved(QUAD, 0, 450),
        QUAD,
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


def test_a_level_without_faces_is_unchanged() -> None:
    level = Level.empty(Game.TR4)
    before = level.to_bytes()
    found = add_room_textures(level, requests(), {1: noise(64, 64)})
    assert len(found.index) == 0
    add_room_textures(level, requests(QUAD), {})
    assert level.to_bytes() == before
