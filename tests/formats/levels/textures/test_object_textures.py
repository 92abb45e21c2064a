"""Object textures: exact coordinates, sharing of records, and corners that every engine draws correctly."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats.base.bytes.records import OBJECT_TEXTURE_RECORD
from io_tomb_raider.formats.base.errors import ExportError
from io_tomb_raider.formats.base.games import Game
from io_tomb_raider.formats.levels.level.level import read_level
from io_tomb_raider.formats.levels.textures import object_textures
from io_tomb_raider.formats.levels.textures.coordinates import (
    mapping_correction,
    outside_page,
    raw_to_uv,
    snap_to_pixels,
    turn_corners,
    uv_to_raw,
)
from io_tomb_raider.formats.levels.textures.object_textures import (
    FaceTextures,
    ObjectTextureTable,
    decode_object_textures,
)
from tests.games import each_game

from ....real_levels import each_real_level

LATE = [Game.TR4, Game.TR5]

# A rectangle in all orientations: clockwise from the upper left, rotated, and mirrored.
CORNERS = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
WAYS = [np.roll(CORNERS, turn, axis=0) for turn in range(4)]
WAYS += [np.roll(CORNERS[::-1], turn, axis=0) for turn in range(4)]


def faces_from_raw(
    raw: Any, triangle: bool | Sequence[bool] = False, page: int = 0, attribute: int = 0
) -> FaceTextures:
    """Return faces of one page from raw corners, ``(n, 4, 2)``."""
    raw = np.asarray(raw).astype(np.uint16).reshape(-1, 4, 2)
    full = np.zeros(len(raw), np.int64)
    return FaceTextures(full + page, full + attribute, raw, np.broadcast_to(triangle, len(raw)).copy())


def rectangles(left: int, top: int, right: int, bottom: int) -> NDArray[np.uint16]:
    """Return a rectangle between pixel borders in all eight orientations, as clipped raw corners."""
    low, high = np.array([left, top]), np.array([right, bottom])
    return uv_to_raw(raw_to_uv(np.array([(low + way * (high - low)) * 256 for way in WAYS])))


def empty_table(game: Game) -> ObjectTextureTable:
    return ObjectTextureTable(np.zeros(0, OBJECT_TEXTURE_RECORD[game]), game)


def sampled_pixels(records: NDArray[np.void], game: Game) -> NDArray[np.float64]:
    """What an engine samples at the corners of each record, in pixels: ``(n, 4, 2)``.

    TR1-3 round the fraction to all or nothing by its highest bit and move half a pixel to the left or up for
    all, to the right or down for nothing: both end at the center of the pixel. TR4-5 move each corner by its
    mapping correction; TR5 discards fractions first.
    """
    raw = records["uv"].astype(np.float64)
    at: NDArray[np.float64] = raw / 65535 * 256 if game == Game.TR4 else raw // 256
    if game < Game.TR4:
        return at + 0.5
    for row, record in enumerate(records):
        kind = int(record["flags"]) & 7
        triangle = record["page"] & 0x8000
        moves = [*TRIANGLE_MOVES[kind], (0, 0)] if triangle else QUAD_MOVES[kind]
        at[row] += np.array(moves) / 2
    return at


# Written down corner by corner, as "upper left first, then ...", independently of the code under test.
UL, UR, LR, LL = (1, 1), (-1, 1), (-1, -1), (1, -1)
QUAD_MOVES = {0: [UL, UR, LR, LL], 1: [UR, UL, LL, LR]}
TRIANGLE_MOVES = {
    0: [UL, UR, LL],
    1: [UR, LR, UL],
    2: [LR, LL, UR],
    3: [LL, UL, LR],
    4: [UR, UL, LR],
    5: [UL, LL, UR],
    6: [LL, LR, UL],
    7: [LR, UR, LL],
}


# --- Coordinates ---------------------------------------------------------------------------------


def test_every_coordinate_survives_the_way_to_blender() -> None:
    raw = np.stack([np.arange(65536), np.arange(65536)[::-1]], axis=-1).astype(np.uint16)
    uv = raw_to_uv(raw)
    assert uv.dtype == np.float32
    assert (uv_to_raw(uv) == raw).all()


def test_blender_counts_from_the_lower_left() -> None:
    assert raw_to_uv(np.array([[0, 0], [0x8000, 0x4000]])).tolist() == [[0, 1], [0.5, 0.75]]


def test_coordinates_beyond_the_page_are_clipped_and_can_be_asked_for() -> None:
    uv = np.zeros((3, 4, 2), np.float32)
    uv[0, 1] = (1.0, 1.0)
    uv[1, 3] = (1.5, -2.0)
    uv[2, 3] = (1.5, -2.0)
    raw = uv_to_raw(uv)
    assert raw[0, 1].tolist() == [0xFFFF, 0] and raw[1, 3].tolist() == [0xFFFF, 0xFFFF]
    assert outside_page(uv, np.array([False, False, True])).tolist() == [False, True, False]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_coordinates_that_are_no_numbers_are_refused(value: float) -> None:
    uv = np.zeros((5, 4, 2), np.float32)
    uv[3, 1, 0] = value
    with pytest.raises(ExportError, match=r"room 7.*not numbers: 1"):
        uv_to_raw(uv, "room 7")


# --- Corners of new faces ------------------------------------------------------------------------

SPAN = st.integers(0, 255).flatmap(lambda low: st.tuples(st.just(low), st.integers(low + 1, 256)))


@each_game
@pytest.mark.parametrize("triangle", [False, True])
@given(x=SPAN, y=SPAN)
def test_engines_draw_the_texels_between_the_borders(
    game: Game, triangle: bool, x: tuple[int, int], y: tuple[int, int]
) -> None:
    table = empty_table(game)
    faces = faces_from_raw(rectangles(x[0], y[0], x[1], y[1]), triangle)
    assignment = table.find_or_add(faces)
    corners = 3 if triangle else 4
    at = sampled_pixels(table.records[assignment.index], game)[:, :corners]
    low, high = np.array([x[0], y[0]]), np.array([x[1], y[1]])
    # Rotated with the face, every corner is drawn from the center of the pixel in its own corner.
    order = (np.arange(corners) + assignment.rotation[:, None]) % corners
    side = np.array(WAYS)[np.arange(8)[:, None], order]
    wanted = np.where(side == 0, low + 0.5, high - 0.5)
    if game < Game.TR5:
        assert (abs(at - wanted) <= 0.02).all()
        return
    # TR5 ignores the last fraction, so it ends a pixel earlier. That is within the texture, except for one
    # that is only the last column or row of a page: no coordinate lies beyond it.
    assert (abs(at - wanted) <= 1).all()
    inside = (at > low) & (at < high)
    assert inside[..., low < 255].all()


@each_game
def test_new_corners_follow_the_games_own_levels(game: Game) -> None:
    raw = snap_to_pixels(rectangles(64, 128, 128, 192)[:1], np.zeros(1, np.bool_), game)
    first = 1 if game < Game.TR4 else 0
    left, top, right, bottom = 64 * 256 + first, 128 * 256 + first, 127 * 256 + 255, 191 * 256 + 255
    assert raw[0].tolist() == [[left, top], [right, top], [right, bottom], [left, bottom]]


@each_game
def test_corners_inside_pixels_are_not_snapped(game: Game) -> None:
    raw = np.array([[(300, 300), (700, 310), (699, 777), (290, 800)]], np.uint16)
    assert (snap_to_pixels(raw, np.zeros(1, np.bool_), game) == raw).all()


def test_the_fourth_corner_of_a_triangle_is_ignored() -> None:
    raw = rectangles(8, 8, 16, 16)[:1]
    raw[0, 3] = (0xFF00, 0xFF00)
    table = empty_table(Game.TR1)
    table.find_or_add(faces_from_raw(raw, True))
    assert table.records["uv"][0].tolist() == [[2049, 2049], [4095, 2049], [4095, 4095], [0, 0]]


@pytest.mark.parametrize("triangle", [False, True])
def test_mapping_corrections_fit_all_orientations_of_faces(triangle: bool) -> None:
    raw = rectangles(10, 20, 30, 60)
    mask = np.full(8, triangle)
    kind, rotation = mapping_correction(raw, mask)
    turned = turn_corners(raw, mask, rotation)
    moves = TRIANGLE_MOVES if triangle else QUAD_MOVES
    count = 3 if triangle else 4
    low, high = np.array([2560, 5120]), np.array([7680, 15360])
    for corners, one in zip(turned[:, :count], kind.tolist(), strict=True):
        inwards = np.where(corners == low, 1, np.where(corners == high, -1, 0))
        assert inwards.tolist() == [list(move) for move in moves[one]]
    assert len(np.unique(kind)) == (8 if triangle else 2)


@given(st.integers(0, 99))
def test_turning_keeps_the_face(seed: int) -> None:
    random = np.random.default_rng(seed)
    corners = random.integers(0, 9, (6, 4, 2))
    triangle = random.random(6) < 0.5
    rotation = random.integers(0, 3, 6)
    turned = turn_corners(corners, triangle, rotation)
    for before, after, is_triangle, by in zip(corners, turned, triangle, rotation, strict=True):
        count = 3 if is_triangle else 4
        assert (np.roll(before[:count], -by, axis=0) == after[:count]).all()
        assert (before[count:] == after[count:]).all()


# --- The table -----------------------------------------------------------------------------------


def random_records(game: Game, count: int, seed: int) -> NDArray[np.void]:
    """Return records with many equal textures among them."""
    random = np.random.default_rng(seed)
    records = np.zeros(count, OBJECT_TEXTURE_RECORD[game])
    records["attribute"] = random.integers(0, 3, count)
    records["page"] = random.integers(0, 2, count)
    records["uv"] = random.integers(0, 2, (count, 4, 2)) * 0x3F7F
    if game >= Game.TR4:
        records["page"] |= (random.integers(0, 2, count) << 15).astype(np.uint16)
        records["flags"] = random.integers(0, 8, count) | random.integers(0, 3, count) << 9
        records["width"] = random.integers(0, 1 << 32, count, np.uint32)
    return records


def as_faces(records: NDArray[np.void], game: Game) -> FaceTextures:
    decoded = decode_object_textures(records, game)
    return FaceTextures(decoded.page, decoded.attribute, uv_to_raw(decoded.uv), decoded.triangle)


@each_game
@given(count=st.integers(0, 60), seed=st.integers(0, 999))
def test_untouched_faces_keep_their_records(game: Game, count: int, seed: int) -> None:
    records = random_records(game, count, seed)
    table = ObjectTextureTable(records, game)
    assignment = table.find_or_add(as_faces(records, game), np.arange(count))
    assert assignment.index.tolist() == list(range(count))
    assert not assignment.rotation.any()
    assert table.records is records and table.added == 0


@each_game
@given(count=st.integers(1, 60), seed=st.integers(0, 999))
def test_without_a_hint_the_lowest_record_that_agrees_is_found(game: Game, count: int, seed: int) -> None:
    records = random_records(game, count, seed)
    table = ObjectTextureTable(records, game)
    faces = as_faces(records, game)
    index = table.find_or_add(faces).index
    assert table.added == 0
    assert (index <= np.arange(count)).all()
    corners = np.where(faces.triangle, 3, 4)
    for face, found in enumerate(index.tolist()):
        assert (records["uv"][found, : corners[face]] == faces.raw[face, : corners[face]]).all()
        agreeing = [
            other
            for other in range(found)
            if records["attribute"][other] == faces.attribute[face]
            and records["page"][other] == records["page"][face]
            and (records["uv"][other, : corners[face]] == faces.raw[face, : corners[face]]).all()
        ]
        assert not agreeing


def test_a_hint_that_no_longer_agrees_is_ignored() -> None:
    table = empty_table(Game.TR2)
    faces = faces_from_raw(np.concatenate([rectangles(0, 0, 8, 8)[:1], rectangles(8, 0, 16, 8)[:1]]))
    index = table.find_or_add(faces).index
    swapped = faces.take(np.array([1, 0, 0, 0]))
    hints = np.array([index[0], -1, 99999, index[0]])
    assert table.find_or_add(swapped, hints).index.tolist() == [index[1], index[0], index[0], index[0]]
    assert len(table) == 2


@each_game
def test_a_hint_is_kept_among_equal_records(game: Game) -> None:
    records = np.zeros(3, OBJECT_TEXTURE_RECORD[game])
    records["uv"] = rectangles(3, 4, 5, 6)[0]
    assert ObjectTextureTable(records, game).find_or_add(
        as_faces(records, game), [2, 1, 7]
    ).index.tolist() == [2, 1, 0]


@each_game
@given(count=st.integers(1, 40), seed=st.integers(0, 999))
def test_new_faces_get_records_that_show_them(game: Game, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    old = random_records(game, 20, seed)
    table = ObjectTextureTable(old, game)
    full = random.integers(0, 3, (2, count))
    raw = random.integers(0, 3, (count, 4, 2)).astype(np.uint16) * np.uint16(0x1234) + np.uint16(0x0101)
    faces = FaceTextures(full[0], full[1], raw, random.random(count) < 0.5)
    assignment = table.find_or_add(faces)
    records = table.records
    assert records[:20].tobytes() == old.tobytes()
    shown = decode_object_textures(records[assignment.index], game)
    assert (shown.page == faces.page).all() and (shown.attribute == faces.attribute).all()
    wanted = turn_corners(raw, faces.triangle, assignment.rotation)
    used = ~(faces.triangle[:, None] & (np.arange(4) == 3))
    assert (records["uv"][assignment.index][used] == wanted[used]).all()
    if game >= Game.TR4:
        assert (shown.triangle == faces.triangle).all()
    else:
        assert not assignment.rotation.any()
    # Another search adds nothing, and nothing was added twice.
    added = table.added
    again = table.find_or_add(faces)
    assert table.added == added <= count
    assert (again.index <= assignment.index).all()
    assert len(np.unique(records[20:])) == added


@each_game
def test_equal_new_faces_share_a_record(game: Game) -> None:
    table = empty_table(game)
    raw = rectangles(0, 0, 64, 64)[[0, 0, 0]]
    assert table.find_or_add(faces_from_raw(raw)).index.tolist() == [0, 0, 0]
    # A face drawn exactly between the borders has what was added for it, however it is asked for.
    assert table.find_or_add(faces_from_raw(table.records["uv"])).index.tolist() == [0]
    assert table.added == 1


def test_quads_and_triangles_share_records_in_the_first_games_only() -> None:
    for game in Game:
        table = empty_table(game)
        raw = snap_to_pixels(rectangles(0, 0, 64, 64)[[0, 0]], np.zeros(2, np.bool_), game)
        quad = table.find_or_add(faces_from_raw(raw[:1])).index[0]
        triangle = table.find_or_add(faces_from_raw(raw[1:], True)).index[0]
        assert (quad == triangle) == (game < Game.TR4)


def test_records_with_different_page_or_attribute_are_distinct() -> None:
    table = empty_table(Game.TR3)
    raw = rectangles(0, 0, 64, 64)[0]
    found = [
        table.find_or_add(faces_from_raw(raw, page=p, attribute=a)).index[0]
        for p in (0, 1)
        for a in (0, 1, 2)
    ]
    assert found == list(range(6))


@pytest.mark.parametrize("game", LATE)
def test_new_records_of_the_last_games(game: Game) -> None:
    table = empty_table(game)
    two, three = np.array([2]), np.array([3])
    table.find_or_add(
        FaceTextures(three, two, rectangles(16, 32, 48, 96)[4:5], np.array([True]), bump=two, room=True)
    )
    table.find_or_add(faces_from_raw(rectangles(16, 32, 48, 96)[0]))
    triangle, quad = table.records
    assert triangle["page"] == 3 | 0x8000 and quad["page"] == 0
    assert triangle["flags"] >> 9 == 2 | 1 << 6 and quad["flags"] == 0
    shift = 16 if game == Game.TR5 else 0
    for record in (triangle, quad):
        assert (record["original_u"], record["original_v"]) == (16, 32)
        assert (record["width"], record["height"]) == (31 << shift, 63 << shift)


@pytest.mark.parametrize("game", LATE)
def test_records_with_different_bump_levels_are_distinct(game: Game) -> None:
    table = empty_table(game)
    plain = faces_from_raw(rectangles(0, 0, 64, 64)[0])
    bumped = [
        FaceTextures(plain.page, plain.attribute, plain.raw, plain.triangle, bump=np.array([level]))
        for level in (1, 2)
    ]
    indices = [table.find_or_add(face).index[0] for face in (*bumped, plain, bumped[1])]
    assert indices == [0, 1, 0, 1]


@pytest.mark.parametrize("game", LATE)
def test_faces_of_an_animated_texture_find_its_frames_only(game: Game) -> None:
    one, other = rectangles(0, 0, 64, 64), rectangles(64, 0, 128, 64)
    table = empty_table(game)
    none = np.zeros(1, np.int64)
    # Next to one without animation: page, attribute, corners, bump level, group.
    frames = [
        (0, 0, one, 0, 1),
        (0, 0, other, 0, 1),
        (1, 0, other, 0, 2),
        (0, 2, one, 0, 1),
        (0, 0, one, 3, 1),
    ]
    for page, attribute, raw, bump, group in [(0, 0, one, 0, 0), *frames]:
        quad = faces_from_raw(raw[0], page=page, attribute=attribute)
        table.seed(replace(quad, bump=none + bump, group=none + group))
    asked = [
        (one[0], 0, 0, 0, 1, 1),
        (other[0], 0, 0, 0, 1, 2),
        (one[0], 0, 2, 0, 1, 4),
        (one[0], 0, 0, 3, 1, 5),
        (one[0], 0, 1, 0, 1, 1),  # the nearest to a blend mode that no frame has
        (one[0] + 256, 0, 0, 0, 1, 1),
        (one[0] + 257, 0, 0, 0, 1, -1),
        (other[0], 1, 0, 0, 2, 3),
        (other[0], 0, 0, 0, 2, -1),
        (one[0], 0, 0, 0, 0, -1),
        (one[0], 0, 0, 0, 3, -1),
    ]
    raw = np.array([row[0] for row in asked], np.uint16)
    page, attribute, bump, group, expected = np.array([row[1:] for row in asked], np.int64).T
    quads = np.zeros(len(asked), np.bool_)
    faces = FaceTextures(page, attribute, raw, quads, bump=bump, group=group)
    assert table.find_in_groups(faces).index.tolist() == expected.tolist()
    assert (table.find_in_groups(replace(faces, triangle=~quads)).index == -1).all()
    assert (table.find_in_groups(replace(faces, group=None)).index == -1).all()
    # However a face is laid, it is told with which corner to begin: one that mirrors the frame shows it not.
    turned = replace(faces_from_raw(one), group=np.ones(8, np.int64))
    found = table.find_in_groups(turned)
    assert found.index.tolist() == [1] * 4 + [-1] * 4
    corners = turn_corners(turned.raw, turned.triangle, found.rotation)[:4]
    assert (corners == table.records["uv"][1]).all()


@each_game
def test_too_many_are_refused(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(object_textures.MOST_TEXTURES, game, 8)
    new = faces_from_raw(np.stack([rectangles(n, 0, n + 1, 1)[0] for n in range(9)]))
    table = empty_table(game)
    with pytest.raises(ExportError) as caught:
        table.find_or_add(new, subject="Lara")
    assert (caught.value.subject, caught.value.count, caught.value.limit) == ("Lara", 9, 8)
    assert len(table) == 0
    table.find_or_add(new.take(np.arange(8)))
    assert len(table) == 8


def test_the_largest_numbers_in_faces() -> None:
    assert [object_textures.MOST_TEXTURES[game] for game in Game] == [65535, 65535, 32767, 32767, 16383]


# --- Real levels ---------------------------------------------------------------------------------


@each_real_level
def test_real_object_textures_survive(level_path: Path) -> None:
    level = read_level(level_path)
    records, game = level.object_textures, level.game
    faces = as_faces(records, game)
    assert (faces.raw == records["uv"]).all()
    table = ObjectTextureTable(records, game)
    assert (table.find_or_add(faces, np.arange(len(records))).index == np.arange(len(records))).all()
    found = table.find_or_add(faces).index
    assert table.records is records
    used = ~(faces.triangle[:, None] & (np.arange(4) == 3))
    assert (records["uv"][found][used] == records["uv"][used]).all()


@each_real_level
def test_real_mapping_corrections_are_understood(level_path: Path) -> None:
    level = read_level(level_path)
    if level.game < Game.TR4:
        return
    decoded = decode_object_textures(level.object_textures, level.game)
    kind = mapping_correction(level.object_textures["uv"], decoded.triangle).kind
    agreeing = kind == decoded.flags & 7
    assert agreeing[~decoded.triangle].all()
    # Triangles without a right angle are ambiguous.
    assert agreeing[decoded.triangle].mean() > 0.99
