"""Edits of sectors for TRX in exports: those of the level's block, and those that collision has made."""

from __future__ import annotations

from ....formats.base import Record
from ....formats.levels.collision import Uprights, native_uprights
from ....formats.levels.injections import renumbered
from ...core.context import ExportContext
from ...core.stages import Product
from .location.plan import RoomPlan

# Of an export: by number of the room and place, all edits of the sectors of changed rooms.
SECTOR_EDITS: Product[dict[int, dict[int, list[Record]]]] = Product("SECTOR_EDITS", dict)


def original_edits(context: ExportContext, plan: RoomPlan, number: int) -> dict[int, list[Record]]:
    """Return the edits of sectors of a room in the level's block, by place in the exported room."""
    source = plan.sources[number]
    edits = {} if source < 0 else context.decoded.sector_edits.get(source, {})
    if not edits:
        return {}
    before, after = context.original.rooms[source], context.level.rooms[number]
    result: dict[int, list[Record]] = {}
    for place, records in edits.items():
        x, z = divmod(place, before.z_sectors)
        if x < after.x_sectors and z < after.z_sectors:
            result[x * after.z_sectors + z] = renumbered(records, plan.number)
    return result


def exported_uprights(context: ExportContext, plan: RoomPlan) -> Uprights:
    """Return the rooms below and above all sectors of the exported level, with those that only edits name."""
    rooms = context.level.rooms
    result = native_uprights(rooms)
    changed, start = SECTOR_EDITS.of(context), 0
    for number, room in enumerate(rooms):
        edits = changed[number] if number in changed else original_edits(context, plan, number)
        for place, records in edits.items():
            for edit in records:
                for name, column in (("room_below", result.below), ("room_above", result.above)):
                    if name in edit:
                        column[start + place] = edit[name]
        start += len(room.sectors)
    return result


def close_edited(context: ExportContext, plan: RoomPlan, number: int, place: int, name: str) -> None:
    """Close an opening, ``room_below`` or ``room_above`` of a sector, that only edits name."""
    all_edits = SECTOR_EDITS.of(context)
    changed = all_edits.get(number)
    edits = original_edits(context, plan, number) if changed is None else changed
    if not any(edit.get(name, -1) >= 0 for edit in edits.get(place, ())):
        return
    edits[place] = [edit | {name: -1} if name in edit else edit for edit in edits[place]]
    all_edits[number] = edits
