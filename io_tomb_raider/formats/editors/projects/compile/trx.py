"""The block of TRX after a level: its sounds, and what sectors and pages of TR1 and TR2 cannot store."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....base.errors import ExportError
from ....base.games import Game
from ....base.messages import T, about
from ....base.schema.fields import Record
from ....levels.collision.sectors import Sectors, decode_sectors, sector_name
from ....levels.floor.floor_data import decode
from ....levels.floor.functions import Function
from ....levels.floor.grammar import END
from ....levels.injections.block import put_block
from ....levels.injections.pages import page_records
from ....levels.injections.records import FLOOR, PAGES, SOUNDS
from ....levels.injections.sectors import edits_of, native_sectors
from ....levels.injections.trxj import Injection
from ....levels.level.level import Level
from ....levels.textures.textiles import PageEdit
from ..geometry.openings import ProjectRooms
from .plan.plan import CompileTarget, Plan
from .rooms.sectors import CompiledSectors, compile_sectors

_SHAPES = Game.TR3  # the game whose sectors the engine has
_VERSION = 6  # the lowest that has records of sectors and pages


def put_edits(
    level: Level, plan: Plan, rooms: ProjectRooms, sounds: Sequence[Record], pages: Sequence[PageEdit] = ()
) -> None:
    """Add the block to a level, which must be complete.

    Args:
        level: changed.
        plan: its rooms.
        rooms: the same.
        pages: edits of its texture pages.
    """
    injection = Injection(_VERSION, 0, level.game)
    records = _sector_edits(level, plan, rooms)
    if records:
        injection.replace(FLOOR, records)
        plan.log.info(T("{count} sectors with data of TRX", count=len(records)))
    if sounds:
        injection.replace(SOUNDS, list(sounds))
    if pages:
        injection.replace(PAGES, page_records(pages))
    if records or sounds or pages:
        put_block(level, injection)


def _sector_edits(level: Level, plan: Plan, rooms: ProjectRooms) -> list[Record]:
    """Return the edits of all sectors."""
    shapes = Plan(CompileTarget(_SHAPES, plan.target.engine), plan.rooms, plan.log)
    records: list[Record] = []
    every = compile_sectors(shapes, rooms)
    for number, (own, made) in enumerate(zip(every, level.rooms, strict=True)):
        full = _decoded(own)
        native = native_sectors(full, level.game)
        for place in np.flatnonzero(_needs_edits(full, native)).tolist():
            name = sector_name(number, place, made.z_sectors)
            try:
                edits = edits_of(full, native, made.sectors, place, name)
            except ExportError as error:
                plan.log.warn(about(error.subject, error.text))
                continue
            if edits:
                x, z = divmod(place, made.z_sectors)
                records.append({"room": number, "x": x, "z": z, "edits": edits})
    return records


def _decoded(sectors: CompiledSectors) -> Sectors:
    """Return the sectors of a room as arrays, with rooms above and below of any number."""
    words = sectors.words.copy()
    used = np.flatnonzero(sectors.counts)
    words[used, sectors.lasts[used]] |= END
    lists: list[Sequence[Function]] = [()] * len(words)
    known: dict[bytes, Sequence[Function]] = {}
    for place in used.tolist():
        own = words[place, : sectors.counts[place]]
        key = own.tobytes()
        if key not in known:
            known[key] = decode(np.concatenate([[0], own]).astype(np.uint16), 1)
        lists[place] = known[key]
    result = decode_sectors(sectors.records, lists, _SHAPES)
    result.room_below, result.room_above = sectors.below, sectors.above
    return result


def _needs_edits(full: Sectors, native: Sectors) -> np.ndarray:
    differs = (full.floor.split != native.floor.split) | (full.ceiling.split != native.ceiling.split)
    for name in ("room_below", "room_above", "climb", "monkey_swing", "deferred", "beetle"):
        differs |= getattr(full, name) != getattr(native, name)
    return differs
