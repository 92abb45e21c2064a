"""Repair of the edits for TRX after the end of a level."""

from __future__ import annotations

import numpy as np

from ...base.errors import FormatError
from ...base.messages import T, as_message, joined
from ...base.schema.fields import NewNumber, Record
from ...levels.injections.block import put_block, read_block
from ...levels.injections.fields import Counts
from ...levels.injections.trxj import Injection
from ...levels.level.level import Level
from ..injections.edits import new_items
from .changes import Repairs

_ROOM_EDITS, _PORTAL_EDITS, _MOVE_STATIC_MESH = 22, 23, 8


def edits(repairs: Repairs) -> None:
    """Remove edits of elements that do not exist, and renumber those of lists that repairs made shorter.

    The engine does not guard all of them. Earlier repairs have to be complete.
    """
    level = repairs.level
    try:
        injection = read_block(level)
    except FormatError:
        return  # kept as it is: nothing is known about it
    if injection is None:
        return
    new, removed = injection.renumbered(_numbers(level, injection))
    removed_count = _follow_lists(repairs, new)
    total = sum(removed.values()) + removed_count
    if not put_block(level, new):
        return
    if not total:
        repairs.add(T("edits for TRX had numbers of elements that do not exist or moved. They were adjusted"))
        return
    names = [T("{name} ({count})", name=as_message(name), count=count) for name, count in removed.items()]
    if removed_count:
        names.append(T("{name} ({count})", name=T("portals and static meshes"), count=removed_count))
    text = T(
        "edits for TRX changed elements that do not exist. They were removed: {edits}",
        edits=joined(", ", names),
    )
    repairs.add(text, count=total)


def _numbers(level: Level, injection: Injection) -> dict[Counts, NewNumber]:
    def below(count: int) -> NewNumber:
        return lambda number, _: number if 0 <= number < count else None

    return {
        Counts.ROOM: below(len(level.rooms)),
        Counts.ITEM: below(len(level.entities) + len(new_items(injection))),
        Counts.CAMERA: below(len(level.cameras)),
        Counts.PAGE: below(len(level.textiles8)),
        Counts.SECTOR_X: lambda number, outer: _inside(level, outer, number, "x_sectors"),
        Counts.SECTOR_Z: lambda number, outer: _inside(level, outer, number, "z_sectors"),
    }


def _inside(level: Level, outer: Record, number: int, name: str) -> int | None:
    """Return the number of a sector if the room has it. Rooms that do not exist are removed anyway."""
    room = outer["room"]
    exists = 0 <= room < len(level.rooms) and number < getattr(level.rooms[room], name)
    return number if exists else None


def _follow_lists(repairs: Repairs, injection: Injection) -> int:
    """Renumber edits of portals and static meshes of rooms; return the number of removed ones."""
    removed_count = 0
    for type_, renumber in ((_ROOM_EDITS, _static_mesh), (_PORTAL_EDITS, _portal)):
        records = injection.records(type_)
        kept = [record for record in records if renumber(repairs, record)]
        removed_count += len(records) - len(kept)
        injection.replace(type_, kept)
    return removed_count


def _static_mesh(repairs: Repairs, record: Record) -> bool:
    rows = repairs.kept.get((record["room"], "static_meshes"))
    if record["type"] != _MOVE_STATIC_MESH or rows is None:
        return True
    new_rows = np.flatnonzero(rows == record["static_mesh"])
    if len(new_rows):
        record["static_mesh"] = int(new_rows[0])
    return bool(len(new_rows))


def _portal(repairs: Repairs, record: Record) -> bool:
    """Renumber a portal among those to the same room."""
    rows = repairs.kept.get((record["room"], "portals"))
    old = repairs.portals.get(record["room"])
    if rows is None or old is None:
        return True
    old_rows = np.flatnonzero(old == record["to_room"])
    if not 0 <= record["portal"] < len(old_rows):
        return True
    kept_rows = [row for row in rows.tolist() if old[row] == record["to_room"]]
    if old_rows[record["portal"]] not in kept_rows:
        return False
    record["portal"] = kept_rows.index(int(old_rows[record["portal"]]))
    return True
