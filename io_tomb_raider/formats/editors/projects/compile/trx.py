"""The block of TRX after a level: its sounds, and data that sectors and pages of TR1 and TR2 cannot store."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from ....base.arrays.typing import Records
from ....base.errors import ExportError
from ....base.games import Game
from ....base.messages import T, about
from ....base.schema.fields import Record
from ....edits.convert.palette import best_palette
from ....levels.collision.sectors import Sectors, decode_sectors, sector_name
from ....levels.floor.floor_data import decode
from ....levels.floor.functions import Function
from ....levels.floor.grammar import END
from ....levels.injections.block import put_block
from ....levels.injections.flybys import flyby_edits
from ....levels.injections.kinds import BlockId
from ....levels.injections.pages import page_records
from ....levels.injections.sectors import edits_of, native_sectors, needs_edits
from ....levels.injections.trxj import Injection
from ....levels.level.level import Level
from ....levels.textures.textiles import PageEdit, U8Array, encode_pages8, encode_pages16
from ..geometry.openings import ProjectRooms
from .plan.plan import CompileTarget, Plan
from .rooms.sectors import CompiledSectors, compile_sectors
from .textures.pages import without_alpha

_SHAPES = Game.TR3  # the game whose sectors the engine has
_VERSION = 6  # the lowest that has records of sectors and pages
_WITH_FLYBYS = 9  # as Tomb Editor writes them
_NO_COLORS = np.zeros((0, 3), np.uint8)
_MOST_5_BITS = 31  # of 5 bits


def put_edits(
    level: Level,
    plan: Plan,
    rooms: ProjectRooms,
    sounds: Sequence[Record],
    pages: Sequence[PageEdit],
    flybys: Records,
) -> None:
    """Add the block to a level, which must be complete."""
    injection = Injection(_WITH_FLYBYS if len(flybys) else _VERSION, 0, level.game)
    records = _sector_edits(level, plan, rooms)
    if records:
        injection.replace(BlockId.FLOOR, records)
        plan.log.info(T("{count} sectors with data of TRX", count=len(records)))
    if sounds:
        injection.replace(BlockId.SOUNDS, list(sounds))
    if pages:
        injection.replace(BlockId.PAGE_EDITS, page_records(pages))
    if len(flybys):
        injection.replace(BlockId.FLYBYS, flyby_edits(flybys))
    if records or sounds or pages or len(flybys):
        put_block(level, injection)


def _sector_edits(level: Level, plan: Plan, rooms: ProjectRooms) -> list[Record]:
    """Return the edits of all sectors."""
    shapes = Plan(CompileTarget(_SHAPES, plan.target.engine), plan.rooms, plan.log)
    records: list[Record] = []
    all_sectors = compile_sectors(shapes, rooms)
    for number, (compiled, room) in enumerate(zip(all_sectors, level.rooms, strict=True)):
        full = _decoded(compiled)
        native = native_sectors(full, level.game)
        for index in np.flatnonzero(needs_edits(full, native)).tolist():
            name = sector_name(number, index, room.z_sectors)
            try:
                edits = edits_of(full, native, room.sectors, index, name)
            except ExportError as error:
                plan.log.warn(about(error.subject, error.text))
                continue
            if edits:
                x, z = divmod(index, room.z_sectors)
                records.append({"room": number, "x": x, "z": z, "edits": edits})
    return records


def _decoded(sectors: CompiledSectors) -> Sectors:
    """Return the sectors of a room as arrays, with rooms above and below of any number."""
    words = sectors.words.copy()
    used = np.flatnonzero(sectors.counts)
    words[used, sectors.lasts[used]] |= END
    lists: list[Sequence[Function]] = [()] * len(words)
    decoded: dict[bytes, Sequence[Function]] = {}
    for index in used.tolist():
        row_words = words[index, : sectors.counts[index]]
        key = row_words.tobytes()
        if key not in decoded:
            decoded[key] = decode(np.concatenate([[0], row_words]).astype(np.uint16), 1)
        lists[index] = decoded[key]
    result = decode_sectors(sectors.records, lists, _SHAPES)
    result.room_below, result.room_above = sectors.below, sectors.above
    return result


# --- Pages -------------------------------------------------------------------------------------


class Depth(IntEnum):
    """The color depth that a project chooses for TRX."""

    DEFAULT = 0
    BITS_8 = 1
    BITS_16 = 2
    BITS_32 = 3


# The depths that the pages of a game have without edits.
_GAME_DEPTHS = {Game.TR1: Depth.BITS_8, Game.TR2: Depth.BITS_16, Game.TR3: Depth.BITS_16}


def page_edits_of(picture: U8Array, depth: int, game: Game) -> tuple[PageEdit, ...]:
    """Return the edits that replace all pages of a level by pages of a color depth.

    `picture`: (n, 256, 256, 4) RGBA, the pages in their own colors. `depth`: a number of :class:`Depth`;
    unknown numbers are 32 bits, as in the editor.
    """
    if depth in (Depth.DEFAULT, _GAME_DEPTHS.get(game)):
        return ()
    pages = picture
    flat = without_alpha(picture)
    if depth == Depth.BITS_8:
        pages = _with_palette(flat)
    elif depth == Depth.BITS_16:
        pages = _with_16_bits(flat)
    return tuple(PageEdit(number, 0, 0, page) for number, page in enumerate(pages))


def _with_palette(picture: U8Array) -> U8Array:
    palette = best_palette(picture, _NO_COLORS)
    numbers = encode_pages8(picture, palette)
    result = np.full_like(picture, 255)
    result[..., :3] = palette[numbers] << 2
    result[numbers == 0] = 0
    return result


def _with_16_bits(picture: U8Array) -> U8Array:
    words = encode_pages16(picture)
    result = np.empty_like(picture)
    for channel, shift in enumerate((10, 5, 0)):
        result[..., channel] = (words >> shift & _MOST_5_BITS).astype(np.int64) * 255 // _MOST_5_BITS
    result[..., 3] = np.where(words & 0x8000, 255, 0)
    return result
