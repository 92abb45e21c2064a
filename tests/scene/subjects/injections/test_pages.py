"""Pages in 32-bit color of levels for TRX: shown, painted, and kept where nobody paints."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.injections.block import has_block
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.formats.levels.textures.sprites import decode_sprites
from io_tomb_raider.formats.levels.textures.textiles import (
    PageEdit,
    decode_pages,
    encode_edits,
    encode_pages,
)
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.core.original import load
from tests.formats.levels.injections.samples import page
from tests.real_levels import LEVEL_SUFFIXES, real_injections
from tests.sample_levels import sample_bytes

from ...page_levels import paint, pixels, textured, user_image
from ...scenes import exported, import_anew, import_scene, objects
from .blocks import GAMES, block_of, sample

each_game = pytest.mark.parametrize("game", GAMES)
BLUE = (10, 20, 250, 255)
ODD = (251, 3, 129, 255)  # in no palette, and in no 15-bit color
SOFT = (251, 3, 129, 90)


def image(number: int) -> Any:
    images: Any = bpy.data.images
    return next(each for each in images if (each.tomb_raider.kind, each.tomb_raider.page) == ("PAGE", number))


def records(level: Level) -> list[dict[str, Any]]:
    return block_of(level).records(BlockId.PAGE_EDITS) if len(level.footer) else []


def picture(record: dict[str, Any]) -> Any:
    return np.frombuffer(record["pixels"], np.uint8).reshape(record["height"], record["width"], 4)


@each_game
def test_pages_show_their_true_colors(blender: ModuleType, game: Game) -> None:
    data = sample(game, (BlockId.PAGE_EDITS, 1, page(0, BLUE)))
    root = import_scene(data)
    assert (pixels(image(0)) == BLUE).all()
    assert exported(root)[0].to_bytes() == data


@each_game
def test_the_last_edit_of_a_pixel_counts(blender: ModuleType, game: Game) -> None:
    edits = (
        PageEdit(0, 0, 0, np.full((256, 256, 4), BLUE, np.uint8)),
        PageEdit(0, 4, 6, np.full((2, 3, 4), ODD, np.uint8)),
    )
    pages = Decoded(read_level(sample_bytes(game))).pages._replace(edits=edits, opaque=None)
    shown = decode_pages(pages)[0]
    assert (shown[6:8, 4:7] == ODD).all() and (shown[8, 4] == BLUE).all() and (shown[6, 7] == BLUE).all()


@each_game
def test_a_color_that_the_page_cannot_hold_is_an_edit(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    paint(image(0), 3, 5, ODD)
    paint(image(0), 6, 7, SOFT)
    level, warnings = exported(root)
    (record,) = records(level)
    assert [record[name] for name in ("page", "x", "y", "width", "height")] == [0, 3, 5, 4, 3]
    assert tuple(picture(record)[0, 0]) == ODD and tuple(picture(record)[2, 3]) == SOFT
    assert block_of(level).version == 6 and not warnings
    again = import_anew(level.to_bytes())
    assert tuple(pixels(image(0))[5, 3]) == ODD
    assert exported(again)[0].to_bytes() == level.to_bytes()


@each_game
def test_pixels_of_the_original_in_an_edit_keep_their_look(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    before = load(root)
    assert before is not None
    for x in (3, 200):
        paint(image(0), x, 5, ODD)
    (record,) = records(exported(root)[0])
    assert (picture(record)[0, 1:-1] == before.texels[0, 5, 4:200]).all()


@each_game
def test_a_color_of_the_page_needs_no_edit(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    shown = pixels(image(0))
    one, other = np.argwhere((shown != shown[0, 0]).any(axis=2) & (shown[..., 3] == 255))[[0, -1]].tolist()
    paint(image(0), one[1], one[0], tuple(shown[other[0], other[1]].tolist()))
    assert not records(exported(root)[0])


@each_game
def test_the_original_game_gets_the_nearest_color(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "ORIGINAL"
    paint(image(0), 3, 5, ODD)
    level, _ = exported(root)
    assert not len(level.footer)
    native = level.textiles8 if game is Game.TR1 else level.textiles16
    before = read_level(sample_bytes(game))
    then = before.textiles8 if game is Game.TR1 else before.textiles16
    assert (native != then).sum() == 1


@each_game
def test_painting_keeps_the_other_pages(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample(game, (BlockId.PAGE_EDITS, 2, page(0, BLUE) + page(0, ODD))))
    paint(image(0), 3, 5, BLUE)
    level, _ = exported(root)
    one, other = map(picture, records(level))
    assert tuple(other[5, 3]) == BLUE and (other[6:] == ODD).all()
    native, before = (Decoded(each).pages for each in (level, read_level(sample_bytes(game))))
    assert (native.textiles8 != before.textiles8).sum() <= 1
    assert (one[6:] == BLUE).all()


def test_undone_paint_gives_the_same_bytes(blender: ModuleType) -> None:
    data = sample(Game.TR1, (BlockId.PAGE_EDITS, 1, page(0, BLUE)))
    root = import_scene(data)
    paint(image(0), 3, 5, ODD)
    assert exported(root)[0].to_bytes() != data
    paint(image(0), 3, 5, BLUE)
    assert exported(root)[0].to_bytes() == data


@each_game
def test_scenes_that_show_the_pages_below_keep_the_edits(blender: ModuleType, game: Game) -> None:
    plain = Decoded(read_level(sample_bytes(game))).pages
    root: Any = import_scene(sample(game, (BlockId.PAGE_EDITS, 1, page(0, BLUE))))
    old = image(0)
    old.pixels.foreach_set((decode_pages(plain)[0][::-1] / 255).astype(np.float32).ravel())
    old.update()
    old.tomb_raider.shows_edits = False
    paint(old, 3, 5, ODD)
    (record,) = records(exported(root)[0])
    found = picture(record)
    assert tuple(found[5, 3]) == ODD and (found[6:] == BLUE).all()


@each_game
def test_rebuilt_levels_keep_pages_below_edits(blender: ModuleType, game: Game) -> None:
    data = sample(game, (BlockId.PAGE_EDITS, 1, page(0, BLUE)))
    root = import_scene(data)
    level, _ = exported(root, rebuild=True)
    before = read_level(data)
    assert level.textiles8.tobytes() == before.textiles8.tobytes()
    assert level.footer.tobytes() == before.footer.tobytes()


@each_game
@pytest.mark.parametrize("engine", ["TRX", "ORIGINAL"])
def test_own_pictures_keep_their_colors_and_alpha(blender: ModuleType, game: Game, engine: str) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = engine
    texels = np.random.default_rng(5).integers(0, 256, (24, 40, 4), np.uint8)
    texels[..., 3] = np.where(np.arange(40) < 10, 100, 255)
    obj = objects(root, "SPRITE_TEXTURE")[1]
    obj.data.materials[0] = textured(user_image(texels))
    for corner, uv in zip(obj.data.uv_layers.active.data, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
        corner.uv = uv
    level, warnings = exported(root)
    sprites = decode_sprites(level.sprite_textures, game)
    left, top, width, height = sprites.rect[1].tolist()
    drawn = Decoded(level).texels[sprites.page[1], top : top + height, left : left + width]
    assert (drawn == texels).all() == (engine == "TRX")
    assert any("half transparent" in each for each in warnings) == (engine == "ORIGINAL")


_COLORS = st.tuples(*[st.integers(0, 255)] * 4)
_SPOTS = st.lists(st.tuples(st.integers(0, 255), st.integers(0, 255), _COLORS), min_size=1, max_size=8)


@pytest.mark.once
@given(_SPOTS, st.sampled_from(GAMES), st.booleans())
def test_edits_show_every_painted_color(
    spots: list[tuple[int, int, Any]], game: Game, is_edited: bool
) -> None:
    edits = (PageEdit(0, 100, 50, np.full((90, 80, 4), BLUE, np.uint8)),) if is_edited else ()
    pages = Decoded(read_level(sample_bytes(game))).pages._replace(edits=edits)
    wanted = decode_pages(pages)
    for x, y, color in spots:
        wanted[0, y, x] = color
    encoded = encode_pages(wanted, pages)
    made = encode_edits(wanted, pages, encoded, is_true_color=True)
    shown = decode_pages(encoded._replace(edits=made, opaque=None))
    visible = wanted[..., 3] > 0
    painted = np.zeros(visible.shape, bool)
    for x, y, _ in spots:
        painted[0, y, x] = True
    assert (shown[painted & visible] == wanted[painted & visible]).all()
    assert (shown[painted & ~visible][:, 3] == 0).all()
    before = decode_pages(pages._replace(opaque=None))
    assert (shown[~painted] == before[~painted]).all()


_LEVELS = [each for each in real_injections() if each.suffix.lower() in LEVEL_SUFFIXES]


@pytest.mark.parametrize("path", _LEVELS, ids=[each.name for each in _LEVELS])
def test_real_pages_are_shown_and_painted(blender: ModuleType, path: Any) -> None:
    data = path.read_bytes()
    before = read_level(data)
    root: Any = import_anew(data)
    if not len(Decoded(before).texels) or (has_block(before) and Decoded(before).injection is None):
        pytest.skip("it has no pages, or its block is damaged")
    root.tomb_raider.engine = "TRX"
    paint(image(0), 3, 5, ODD)
    level, _ = exported(root)
    again = Decoded(level).texels
    assert tuple(again[0, 5, 3]) == ODD
    assert (again != Decoded(before).texels).any(axis=-1).sum() <= 1
