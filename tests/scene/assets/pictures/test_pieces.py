"""Small pictures of objects without a scene: exact texels, and models in their standing pose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.catalogue.outfits import HOLSTERS, JOINTS, WELDED
from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.games import LARA
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.sprites import decode_sprites
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.assets.pictures.pieces import SIZE, PiecePictures
from io_tomb_raider.scene.assets.pictures.solids import ObjectFaces
from io_tomb_raider.scene.transfer.engine.contents import pieces_of, textures_in
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id
from tests.scene.transfer.lara_levels import level_with_outfit

Pixels = NDArray[np.float32]


def picture_of(level: Level, kind: str, number: int) -> Pixels:
    found = PiecePictures(level).picture(kind, number)
    assert found is not None and found.shape == (SIZE, SIZE, 4) and found.dtype == np.float32
    return found[::-1]  # top row first


def extent(found: Pixels) -> tuple[int, int]:
    """Return the width and the height of the visible part."""
    rows, columns = (np.flatnonzero(found[..., 3].any(axis=axis)) for axis in (1, 0))
    return int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1


@each_game
def test_every_piece_of_a_level_has_a_picture(game: Game) -> None:
    level = read_level(sample_bytes(game))
    pictures = PiecePictures(level)
    in_the_file = game is Game.TR1 or game.traits.has_32bit_pages
    for piece in [*pieces_of(level), *textures_in(level)]:
        found = pictures.picture(piece.kind, piece.number)
        is_empty = piece.kind == "room" and not len(level.rooms[piece.number].vertices)
        assert (found is None) == (is_empty or (piece.kind == "sound" and not in_the_file)), piece
        if found is not None:
            assert 0 <= found.min() and found.max() <= 1 and found[..., 3].any(), piece
            assert not found[found[..., 3] == 0].any(), piece


@each_game
def test_models_are_drawn_upright(game: Game) -> None:
    """Lara is taller than wide, and her head at the top is narrower."""
    level = read_level(sample_bytes(game))
    found = picture_of(level, "model", 0)
    width, height = extent(found)
    assert height > 1.5 * width and height > 0.85 * SIZE
    rows = np.flatnonzero(found[..., 3].any(axis=1))
    head, all_of_her = found[rows[0] : rows[0] + height // 12], found[rows]
    assert (head[..., 3] > 0).any(axis=0).sum() < 0.7 * (all_of_her[..., 3] > 0).any(axis=0).sum()


@each_game
def test_a_model_is_drawn_as_its_first_frame_has_it(game: Game) -> None:
    level = read_level(sample_bytes(game))
    enemy = model_id(game, "enemy")
    before = picture_of(level, "model", enemy)
    level.frames = level.frames.copy()
    row = int(np.flatnonzero(level.models["id"] == enemy)[0])
    assert level.models["animation"][row] < len(level.animations)
    place = int(level.animations["frame_offset"][level.models["animation"][row]]) // 2
    # The last words of a key are rotations, which change the picture.
    size = int(level.animations["frame_size"][level.models["animation"][row]]) or 12
    level.frames[place + 10 : place + size] ^= 0x0155
    assert np.abs(picture_of(level, "model", enemy) - before).max() > 0.1


@each_game
def test_sprites_are_their_own_texels(game: Game) -> None:
    level = read_level(sample_bytes(game))
    pages = decode_pages(pages_of(level)._replace(opaque=None)).astype(np.float32) / 255
    sprites = decode_sprites(level.sprite_textures, level.game)
    for record in level.sprite_sequences:
        place = int(record["first"])
        left, top, width, height = sprites.rect[place].tolist()
        texels = pages[sprites.page[place], top : top + height, left : left + width]
        found = picture_of(level, "sprite", int(record["id"]))
        scale = SIZE // max(width, height)
        assert scale * max(width, height) == SIZE  # so that each texel is whole pixels
        shown = np.repeat(np.repeat(texels, scale, axis=0), scale, axis=1)
        y, x = (SIZE - shown.shape[0]) // 2, (SIZE - shown.shape[1]) // 2
        there = found[y : y + shown.shape[0], x : x + shown.shape[1]]
        assert np.abs(there - shown)[shown[..., 3] > 0].max() < 0.01
        assert np.array_equal(there[..., 3] > 0, shown[..., 3] > 0)


def test_damaged_static_meshes_have_no_picture() -> None:
    level = read_level(sample_bytes(Game.TR2))
    level.static_meshes = level.static_meshes.copy()
    level.static_meshes["mesh"] = 0xFFF0
    number = int(level.static_meshes["id"][0])
    assert PiecePictures(level).picture("static", number) is None


@each_real_level
def test_real_models_have_pictures(level_path: Path) -> None:
    level = read_level(level_path)
    if not level.has("models"):
        pytest.skip("a file of texture pages only")
    pictures = PiecePictures(level)
    shown = [
        pictures.picture(each.kind, each.number)
        for each in pieces_of(level)
        if each.kind in ("model", "static", "sprite")
    ]
    assert sum(each is not None for each in shown) > 0.6 * len(shown)


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_lara_has_her_joints_and_holsters(game: Game) -> None:
    """As the game draws her; each part is drawn where her limbs are in her standing pose."""

    def faces(*left_out: int) -> NDArray[np.float64]:
        level = level_with_outfit(game)
        level.models = level.models[~np.isin(level.models["id"], left_out)]
        return ObjectFaces(Decoded(level)).model(LARA).points

    holsters, joints = list(HOLSTERS[game].values()), JOINTS[game]
    bare = faces(joints, *holsters)
    with_joints, with_holsters = faces(*holsters), faces(joints)
    assert (len(with_joints) - len(bare)) % len(WELDED) == 0 < len(with_joints) - len(bare)
    assert len(with_holsters) > len(bare) and len(faces()) == len(with_joints) + len(with_holsters) - len(
        bare
    )
    low, high = bare.min(axis=(0, 1)) - 60, bare.max(axis=(0, 1)) + 60
    assert ((faces() >= low) & (faces() <= high)).all()
    empty = faces(joints, HOLSTERS[game][1])  # the level has no pistols
    assert len(empty) > len(bare)
