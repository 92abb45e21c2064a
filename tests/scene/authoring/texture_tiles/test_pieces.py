"""Tests of pieces of pictures: those that levels use, and those that users choose."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.textures.blending import BlendMode
from io_tomb_raider.scene.authoring.texture_tiles.painting import TileFit, paint, tile_of
from io_tomb_raider.scene.authoring.texture_tiles.pieces import (
    TileThumbnails,
    chosen_area,
    chosen_tile,
    digest,
    level_pieces,
    piece_at,
    whole_pixels,
)
from io_tomb_raider.scene.authoring.texture_tiles.tile import Tile
from io_tomb_raider.scene.pipeline.exporter import exported_object_textures
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.page_levels import user_image
from tests.scene.scenes import changes, exported, import_scene, objects

from .tiled_rooms import is_upright, quads, room, tiles_of

_SIDES = st.integers(1, 5000)
_PLACES = st.floats(-3000, 8000)
_GRIDS = st.sampled_from([1, 16, 32, 64, 128, 256])


@given(st.tuples(_SIDES, _SIDES), st.tuples(_PLACES, _PLACES), st.tuples(_PLACES, _PLACES), _GRIDS)
def test_a_rectangle_reaches_both_points_and_ends_between_cells(
    size: tuple[int, int], start: tuple[float, float], end: tuple[float, float], grid: int
) -> None:
    area = chosen_area(size, start, end, grid)
    for axis in (0, 1):
        low, high = area[axis], area[axis] + area[axis + 2]
        assert 0 <= low < high <= size[axis]
        assert low % grid == 0 and (high % grid == 0 or high == size[axis])
        for point in (start, end):
            # Beyond the picture, the nearest pixel counts.
            pixel = min(max(point[axis], 0), size[axis] - 0.5)
            assert low <= pixel < high
        near = {min(max(int(point[axis] // 1), 0), size[axis] - 1) // grid for point in (start, end)}
        assert -(-(high - low) // grid) == max(near) - min(near) + 1


# Fractions of pixels at which the rectangles of levels begin and end.
@given(
    st.integers(0, 200),
    st.integers(1, 56),
    st.sampled_from([(0, 256), (1, 255), (0, 255), (127, 127), (128, 128)]),
)
def test_areas_within_pixels_are_whole_pixels(left: int, width: int, fractions: tuple[int, int]) -> None:
    low, high = left + fractions[0] / 256, left + width - 1 + fractions[1] / 256
    if high > low:
        assert whole_pixels((low, low, high - low, high - low)) == (left, left, width, width)


@each_game
def test_the_pieces_of_a_level_are_the_tiles_of_its_faces(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    pieces = level_pieces(root)
    areas = [(piece.image, piece.area) for piece in pieces]
    assert len(set(areas)) == len(areas) > 0
    known = {(image, tuple(np.rint(np.array(area) * 256).astype(int))) for image, area in areas}
    seen = 0
    for obj in objects(root, "ROOM"):
        for face in range(len(obj.data.polygons)):
            tile = tile_of(root, obj, face, (0.0, 1.0))
            if tile is not None and tile.image.tomb_raider.kind == "PAGE" and min(tile.area[2:]) >= 1:
                seen += 1
                assert (tile.image, tuple(np.rint(np.array(tile.area) * 256).astype(int))) in known
    assert seen > 5
    # In the order of pages, and from the top.
    order = [(piece.image.tomb_raider.page, round(piece.area[1] * 256)) for piece in pieces]
    assert order == sorted(order)


def test_pieces_of_own_pictures_are_found_and_keep_their_look(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj, (image, _) = room(root), tiles_of(4)
    look = Tile(image, (0, 8, 8, 16), attribute=int(BlendMode.ADDITIVE))
    paint(root, obj, quads(obj.data)[:2], look, TileFit())
    found = [piece for piece in level_pieces(root) if piece.image == image]
    assert [(piece.area, piece.attribute) for piece in found] == [((0, 8, 8, 16), BlendMode.ADDITIVE)]
    # Faces that show more than the picture, and those without a place on it, show no piece of it.
    for face, value in zip(quads(obj.data)[:2], (-0.25, np.nan), strict=True):
        for loop in list(obj.data.polygons[face].loop_indices):
            uv = obj.data.uv_layers.active.uv[loop].vector
            uv.x = value if uv.x == 0 or value != value else uv.x
    assert not [piece for piece in level_pieces(root) if piece.image == image]


@each_game
def test_the_pieces_of_the_file_are_found_without_faces(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    before = {(piece.image, piece.area) for piece in level_pieces(root)}
    for mesh in bpy.data.meshes:
        mesh.clear_geometry()
    assert {(piece.image, piece.area) for piece in level_pieces(root)} == before


def within_pixels(game: Game) -> bytes:
    """Return a sample level whose object textures begin and end within pixels, as in levels of TR3 to TR5."""
    level = read_level(sample_bytes(game))
    records: Any = level.object_textures.copy()
    uv = records["uv"].astype(np.int64)
    used = uv.any(axis=2, keepdims=True)
    uv = np.where(used & (uv & 0xFF > 0), uv & 0xFF00, uv)
    high = uv.max(axis=1, keepdims=True)
    uv = np.where(used, uv - np.where((uv == high) & (uv >= 256), 256, 0) + 127, uv)
    records["uv"] = uv.astype(np.uint16)
    level.object_textures = records
    return level.to_bytes()


@each_game
def test_whole_pixels_of_a_used_piece_need_no_other_object_texture(blender: ModuleType, game: Game) -> None:
    data, done = within_pixels(game), []

    def edit(root: Collection) -> None:
        obj, pieces = room(root), level_pieces(root)
        for face in range(len(obj.data.polygons)):
            tile = tile_of(root, obj, face, (0.0, 1.0))
            if tile is None or not is_upright(obj.data, face) or min(tile.area[2:]) < 1:
                continue
            area = whole_pixels(tile.area)
            assert area != tile.area
            found = chosen_tile(pieces, tile.image, area, is_double_sided=tile.is_double_sided)
            assert np.allclose(found.area, tile.area, atol=1 / 512)
            paint(root, obj, [face], tile._replace(area=found.area), TileFit())
            done.append(face)

    assert changes(data, edit) == [] and len(done) > 3


def test_the_blending_follows_transparent_pixels(blender: ModuleType) -> None:
    texels = np.full((16, 8, 4), 255, np.uint8)
    texels[9, 3, 3] = 0
    image: Any = user_image(texels)
    solid = chosen_tile([], image, (0, 0, 8, 8), is_double_sided=True)
    holes = chosen_tile([], image, (0, 8, 8, 8), is_double_sided=False)
    assert (solid.attribute, solid.is_double_sided) == (BlendMode.OPAQUE, True)
    assert (holes.attribute, holes.is_double_sided) == (BlendMode.COLOR_KEYED, False)


def test_the_smallest_piece_at_a_point_is_found(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    pieces = level_pieces(root)
    for piece in pieces:
        left, top, _, _ = whole_pixels(piece.area)
        found = piece_at(pieces, piece.image, (left + 0.5, top + 0.5))
        assert found is not None and found.area[2] * found.area[3] <= piece.area[2] * piece.area[3]
    assert piece_at(pieces, pieces[0].image, (-1.0, 4.0)) is None


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("turns", range(4))
def test_thumbnails_are_turned_as_faces_show_them(blender: ModuleType, turns: int, mirrored: bool) -> None:
    image, texels = tiles_of(2)
    tile = Tile(image, (0, 4, 8, 12), turns, mirrored)
    crop = TileThumbnails(64).crop(tile)
    assert crop is not None
    height, width = crop.shape[:2]
    assert (width, height) == ((12, 8) if turns % 2 else (8, 12))
    rows, columns = np.indices((height, width))
    places = np.stack([(columns + 0.5) / width, 1 - (rows + 0.5) / height], axis=-1)
    uvs = tile.uvs(places)
    x, y = (uvs[..., 0] * 8).astype(int), ((1 - uvs[..., 1]) * 16).astype(int)
    assert (crop == texels[y, x]).all()


def test_thumbnails_are_square_with_the_tile_in_the_middle(blender: ModuleType) -> None:
    image, texels = tiles_of(2)
    source = TileThumbnails(64)
    crop = source.crop(Tile(image, (0, 0, 8, 16)))
    assert crop is not None
    picture = source.picture(crop)
    assert picture.shape == (64, 64, 4)
    assert not picture[:, :16].any() and not picture[:, 48:].any()
    assert np.allclose(picture[-1, 16] * 255, texels[0, 0]) and np.allclose(
        picture[0, 47] * 255, texels[-1, -1]
    )
    same = source.crop(Tile(image, (0, 0, 8, 16), attribute=1))
    other = source.crop(Tile(image, (0, 8, 8, 8)))
    assert same is not None and other is not None
    assert digest(same) == digest(crop) != digest(other)
    assert source.crop(Tile(image, (0, 99, 8, 8))) is None


@each_game
def test_the_number_of_object_textures_is_that_of_an_export(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    before = exported(root)[0].object_textures
    assert (exported_object_textures(root) == before).all()
    obj, (image, _) = room(root), tiles_of(4)
    for number, face in enumerate(quads(obj.data)[:6]):
        paint(root, obj, [face], Tile(image, (0, number % 4 * 8, 8, 8)), TileFit())
    after = exported(root)[0].object_textures
    assert len(after) > len(before)
    assert (exported_object_textures(root) == after).all()


@each_real_level
def test_real_levels_have_pieces(blender: ModuleType, level_path: Any) -> None:
    root = import_scene(level_path.read_bytes())
    pieces = level_pieces(root)
    level = exported(root)[0]
    assert len(exported_object_textures(root)) == len(level.object_textures)
    assert 20 < len(pieces) <= len(level.object_textures)
    for piece in pieces[::10]:
        area = whole_pixels(piece.area)
        found = chosen_tile(pieces, piece.image, area, is_double_sided=False)
        assert whole_pixels(found.area) == area
        assert TileThumbnails(64).crop(found) is not None
    assert len(bpy.data.images) > 0
