"""Conversion of texture pages to another game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.games import Game
from ...levels.level.level import Level
from ...levels.textures.light_map import make_light_map
from ...levels.textures.textiles import (
    U8Array,
    encode_pages8,
    encode_pages16,
    encode_pages32,
    expand_palette,
)
from .palette import best_palette


@dataclass(frozen=True)
class PageImages:
    """The texture pages and palettes of a level."""

    pages: U8Array  #: (n, 256, 256, 4) uint8 RGBA, the texture pages.
    #: rooms, objects, bumped: the numbers of pages of rooms, of objects, and of bumps with their height maps,
    #: in this order (TR4, TR5).
    rooms: int = 0
    objects: int = 0
    bumped: int = 0
    #: (k, 256, 256, 4) uint8 RGBA, font and sky, preceded by the environment map in TR5.
    misc: U8Array | None = None
    palette: U8Array | None = None  #: (256, 3) uint8 of 8-bit pages, or None.
    #: (256, 3) uint8, 8 bits per component: the palette of flat-colored faces, or None.
    colors: U8Array | None = None
    used: tuple[int, ...] = ()  #: (m,) entries of ``colors`` that faces use.


def level_of_pages(game: Game, source: Game, pictures: PageImages) -> Level:
    """Return a level with only the converted texture pages of a level of another game.

    Pages keep their numbers. Height maps, the last pages, are omitted for games without them.
    """
    level, traits = Level.empty(game), game.traits
    pages = pictures.pages
    if not traits.has_bump:
        pages = pages[: len(pages) - pictures.bumped // 2]
    if not len(pages):
        pages = np.zeros((1, 256, 256, 4), np.uint8)
    if traits.has_palette:
        level.palette = _palette(game, source, pictures, pages)
        level.light_map = make_light_map(level.palette)
        level.textiles8 = encode_pages8(pages, level.palette)
    if traits.has_16bit_pages:
        level.textiles16 = encode_pages16(pages)
    if traits.has_palette and traits.has_16bit_pages:
        colors = expand_palette(level.palette) if pictures.colors is None else pictures.colors
        level.palette16 = np.pad(colors, ((0, 0), (0, 1)))
    if traits.has_32bit_pages:
        level.textiles32 = encode_pages32(pages)
        level.room_textiles, level.object_textiles = len(pages), 0
        if source.traits.has_bump:
            level.room_textiles, level.object_textiles = pictures.rooms, pictures.objects
            level.bump_textiles = pictures.bumped
        level.misc_textiles32 = _misc(level.misc_textiles32, pictures)
    return level


def _palette(game: Game, source: Game, pictures: PageImages, pages: U8Array) -> U8Array:
    if pictures.palette is not None and not source.traits.has_16bit_pages:
        return pictures.palette  # its pages have no other colors
    colors = np.zeros((0, 3), np.uint8)
    if pictures.colors is not None and not game.traits.has_16bit_pages:
        colors = pictures.colors[list(pictures.used)]
    return best_palette(pages, colors)


def _misc(empty: U8Array, pictures: PageImages) -> U8Array:
    """Return font and sky, which are last, preceded by the other pages of the game."""
    if pictures.misc is None:
        return empty
    converted = encode_pages32(pictures.misc)[-min(len(empty), len(pictures.misc)) :]
    return np.concatenate([empty[: len(empty) - len(converted)], converted])
