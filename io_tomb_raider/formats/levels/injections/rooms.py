"""Edits of an injection that are properties of rooms: flags, reverberation, and the group of a flip map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.bytes.bits import Bits
from ...base.games import Game
from ...base.schema.fields import Record
from ..level.level import Level
from .kinds import BlockId, FloorEdit
from .trxj import Injection

# By number of the room: its edit, or None to remove it.
RoomEdits = Mapping[int, Record | None]
_FLAGS = Bits(0, 8)  # those that the edit sets: all of the engine's
_DAMAGE, _COLD = 2, 4  # stored in edits only
SAME_GROUP = 255
MOST_GROUP = 9


def room_edits(level: Level, injection: Injection | None) -> dict[int, Record]:
    """Return the properties of rooms in a level's injection."""
    return {
        record["room"]: edit
        for record in ([] if injection is None else injection.records(BlockId.FLOOR))
        for edit in record["edits"]
        if edit["type"] == FloorEdit.ROOM_PROPERTIES and 0 <= record["room"] < len(level.rooms)
    }


def with_edit(values: dict[str, Any], edit: Record | None) -> dict[str, Any]:
    """Return the values of a room (``flags``, ``reverb``, ``alternate_group``) as the engine sees them.

    Args:
        values: those of the level; games lack some.
        edit: the edit of the room, if it has one.
    """
    if edit is None:
        return values
    result = values | {"flags": int(_FLAGS.put(values["flags"], _FLAGS.of(edit["flags"])))}
    if "reverb" in edit:
        result["reverb"] = edit["reverb"]
    if edit.get("flip_group", SAME_GROUP) != SAME_GROUP:
        result["alternate_group"] = edit["flip_group"]
    return result


def edit_of(
    values: Mapping[str, Any], before: Mapping[str, Any], game: Game
) -> tuple[dict[str, Any], Record | None]:
    """Return the values that a level stores for TRX, and the edit of the others, None if it needs none.

    Args:
        values: those of the room as the engine shall see them.
        before: those that the level stores now. The bits of damage and cold are kept, and the group of games
            without such groups: they may have no meaning there.
    """
    in_edits = (_DAMAGE | _COLD) & ~before["flags"]
    stored = dict(values) | {"flags": values["flags"] & ~in_edits}
    group = SAME_GROUP
    if not game.traits.has_flip_groups:
        stored["alternate_group"] = before["alternate_group"]
        if values["alternate_group"] != before["alternate_group"]:
            group = values["alternate_group"]
    needs_edit = values["flags"] & in_edits or group != SAME_GROUP
    if not needs_edit and (game.traits.has_reverb or not values["reverb"]):
        return stored, None
    edit = {
        "type": FloorEdit.ROOM_PROPERTIES,
        "flags": int(_FLAGS.of(values["flags"])),
        "reverb": values["reverb"],
        "flip_group": group,
    }
    return stored, edit
