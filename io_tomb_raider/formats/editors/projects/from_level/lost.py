"""Values that objects of a level lose in a project, by room, in words."""

from __future__ import annotations

from collections import Counter, defaultdict

from ....base.messages import plural
from ....base.units import SECTOR_SIZE
from ....levels.rooms.rooms import Room
from ..compile.objects.library import library_contents
from .rooms.parts import LevelParts
from .rooms.placed import UNTINTED, clear_body_bits, mode_of, model_of

_FLAGS = 0x3F80  # of entities that a project has: code bits, clear body, invisible
_LOCKED = 2
_LIGHT, _BODY, _FLAG, _OUTSIDE, _MOVE = range(5)


def lost_values(parts: LevelParts) -> dict[int, list[str]]:
    """Return the losses of the entities and cameras of each room, as messages without its name."""
    level, game = parts.level, parts.game
    lit = library_contents(level, ()).static_light
    losses: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for record in level.entities:
        number = int(record["room"])
        room = number if 0 <= number < len(level.rooms) else 0
        flags = int(record["flags"]) & 0xFFFF
        has_light = int(record["intensity"]) & 0xFFFF != UNTINTED
        is_item = model_of(game, int(record["type"])) not in lit
        clears = bool(flags & clear_body_bits(game) & ~_FLAGS)
        losses[room][_LIGHT] += has_light and is_item
        losses[room][_BODY] += clears
        losses[room][_FLAG] += bool(flags & ~_FLAGS & ~clear_body_bits(game))
        losses[room][_OUTSIDE] += room != number or not _is_in(level.rooms[room], record)
    for row, moves in parts.camera_moves.items():
        if row < len(level.cameras) and not parts.is_sink[row]:
            record = level.cameras[row]
            number = int(record["room"])
            room = number if 0 <= number < len(level.rooms) else 0
            is_locked = mode_of(record) == _LOCKED
            losses[room][_MOVE] += len(set(moves)) > 1 or (is_locked and any(moves))
    return {
        number: [_text(kind, counts[kind]) for kind in sorted(counts) if counts[kind]]
        for number, counts in losses.items()
    }


def _is_in(room: Room, record: object) -> bool:
    x, z = (int(record[axis]) - getattr(room, axis) for axis in "xz")  # type: ignore[index]
    return 0 <= x < room.x_sectors * SECTOR_SIZE and 0 <= z < room.z_sectors * SECTOR_SIZE


def _text(kind: int, count: int) -> str:
    """Return what is lost of a number of objects of a room."""
    if kind == _LIGHT:
        return plural(
            "one of its entities has a light of its own, which the editor keeps only for models that are lit "
            "by colors of vertices",
            "{count} of its entities have a light of their own, which the editor keeps only for models that "
            "are lit by colors of vertices",
            count,
        )
    if kind == _BODY:
        return plural(
            "one of its entities has Clear Body, which the editor writes in another way than the game",
            "{count} of its entities have Clear Body, which the editor writes in another way than the game",
            count,
        )
    if kind == _FLAG:
        return plural(
            "one of its entities has flags that the editor does not have",
            "{count} of its entities have flags that the editor does not have",
            count,
        )
    if kind == _OUTSIDE:
        return plural(
            "one of its entities is outside of the room, where it has no sectors: it stays there",
            "{count} of its entities are outside of the room, where it has no sectors: they stay there",
            count,
        )
    return plural(
        "triggers move to one of its cameras in several times, or it is locked: the editor has one time "
        "for a camera, and none for a locked one",
        "triggers move to {count} of its cameras in several times, or they are locked: the editor has one "
        "time for a camera, and none for a locked one",
        count,
    )
