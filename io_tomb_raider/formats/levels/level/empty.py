"""Empty levels: every section that a game's loader expects, with minimal content.

Counts are 0 and fixed-size tables are neutral: no sound has samples, the palette covers all colors, and there
are pages for the first pictures (documentation, chapters 8.2, 9.2 and 10).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.bytes.records import I16, SOUND_MAP_SIZE, TEXTILE8, TEXTILE16, TEXTILE32, U8, U16
from ...base.games import Game
from ...base.schema.fields import Field
from ...base.schema.sections import Array, Compressed, Counted, Fields, Remainder, SameCount, Sized
from ..rooms.rooms import Rooms
from ..rooms.rooms_tr5 import RoomsTR5
from ..textures.light_map import even_palette, make_light_map
from ..textures.textiles import expand_palette
from .layouts import DemoAndSoundMap, Layout, MeshData, Samples, Zones

_MISC_PAGES = {Game.TR4: 2, Game.TR5: 3}  # font and sky, preceded by an environment map in TR5
_PADDING = 6  # bytes after the sounds of TR4 and TR5
_UNSET = {Game.TR4: 0, Game.TR5: 0xCD}  # the byte that fills padding


def fill_empty(level: Any, game: Game, layout: Layout) -> None:
    """Give a :class:`~.level.Level` all sections of the game's retail layout except the version."""
    for section in layout:
        _fill(level, section)
    level.floor_data = np.zeros(1, U16)  # sectors without floor data point to the first word
    level.animated_textures = np.zeros(1, U16)  # the number of groups
    level.sound_map = np.full(SOUND_MAP_SIZE[game], -1, I16)
    traits = game.traits
    pages = 1
    if traits.has_palette:
        level.palette = even_palette()
        level.light_map = make_light_map(level.palette)
        level.textiles8 = np.zeros((pages, *TEXTILE8.shape), U8)
        if traits.has_16bit_pages:
            level.palette16 = np.pad(expand_palette(level.palette), ((0, 0), (0, 1)))
    if traits.has_32bit_pages:
        pages = 2
        level.room_textiles = level.object_textiles = 1
        level.textiles32 = np.zeros((pages, *TEXTILE32.shape), U8)
        level.misc_textiles32 = np.zeros((_MISC_PAGES[game], *TEXTILE32.shape), U8)
        level.filler = np.full(_PADDING, _UNSET[game], U8)
    if traits.has_16bit_pages:
        level.textiles16 = np.zeros((pages, *TEXTILE16.shape), U16)


def _fill(level: Any, section: Field) -> None:
    """Set the attributes of one section of a layout: numbers to 0, lists to empty arrays."""
    match section:
        case Fields():
            level.__dict__.update(dict.fromkeys(section.names, 0))
        case Counted() | Remainder() | SameCount():
            setattr(level, section.name, _array(section.dtype, 0))
        case Array(count=int(count)):
            setattr(level, section.name, _array(section.dtype, count))
        case Compressed() | Sized():
            for inner in section.sections:
                _fill(level, inner)
        case Rooms() | RoomsTR5():
            level.rooms = []
        case MeshData():
            level.mesh_data = _array(U8, 0)
        case Zones():
            level.zones = np.zeros((2, section.kinds, 0), U16)
        case DemoAndSoundMap():
            level.demo_data = _array(U8, 0)
        case Samples():
            level.sample_count, level.samples = 0, _array(U8, 0)
        case _:  # markers, checks and ends have no attributes
            pass


def _array(dtype: np.dtype, count: int) -> Any:
    base, shape = dtype.subdtype or (dtype, ())
    return np.zeros((count, *shape), base)
