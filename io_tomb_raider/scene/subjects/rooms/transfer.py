"""Transfer of rooms: flags, light and flip groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from bpy.types import Object

from ....formats.base import T
from ....formats.edits.convert import room_flags, room_light
from ...core.subjects import Kind
from ...core.transfer import Transfer

_LIGHT_FIELDS = ("ambient", "ambient2", "light_mode", "reverb", "water_scheme")
_NO_GROUP = 0


def remap_rooms(transfer: Transfer) -> None:
    """Remap flags, light and flip groups of rooms."""
    lost: dict[str, list[str]] = {}
    source, target = transfer.source, transfer.target
    for obj in transfer.objects(Kind.ROOM):
        alternate = obj.tomb_raider.room.alternate_room
        if alternate is not None and not transfer.has(alternate):
            obj.tomb_raider.room.alternate_room = None
    if not transfer.is_foreign:
        return
    unsteady: list[str] = []
    for obj in transfer.objects(Kind.ROOM):
        settings = obj.tomb_raider.room
        settings.flags, missing = room_flags(settings.flags, source, target)
        for name in missing:
            lost.setdefault(name, []).append(obj.name)
        values: dict[str, Any] = {name: getattr(settings, name) for name in _LIGHT_FIELDS}
        values["color"] = tuple(settings.color)
        if source.traits.has_light_mode and not source.traits.has_color_light and values["light_mode"]:
            unsteady.append(obj.name)
        for name, value in room_light(values, source, target).items():
            setattr(settings, name, value)
    for name, rooms in lost.items():
        text = T("this game has no {name} in rooms, which is removed from", name=name)
        transfer.lose(T("Rooms"), rooms, text)
    text = T("this game has no changing light, so it becomes steady in these rooms")
    transfer.lose(T("Rooms"), unsteady, text)
    _remap_flips(transfer)


def _remap_flips(transfer: Transfer) -> None:
    """Keep only the largest flip group if the game flips all rooms at once."""
    source, target = transfer.source.traits, transfer.target.traits
    rooms = transfer.objects(Kind.ROOM)
    if target.has_flip_groups:
        if not source.has_flip_groups:
            for obj in rooms:
                obj.tomb_raider.room.alternate_group = _NO_GROUP
        return
    if not source.has_flip_groups:
        return
    flipping = [obj for obj in rooms if obj.tomb_raider.room.alternate_room is not None]
    kept = _kept_group(flipping)
    still = []
    for obj in flipping:
        if obj.tomb_raider.room.alternate_group != kept:
            obj.tomb_raider.room.alternate_room = None
            still.append(obj.name)
    for obj in rooms:
        obj.tomb_raider.room.alternate_group = _NO_GROUP
    text = T("this game flips all rooms together: group {kept} is kept, and these no longer flip", kept=kept)
    transfer.lose(T("Rooms"), still, text)


def _kept_group(flipping: Iterable[Object]) -> int:
    """Return the flip group with the most rooms; of equal ones the lowest."""
    counts = Counter(int(obj.tomb_raider.room.alternate_group) for obj in flipping)
    return max(counts, key=lambda group: (counts[group], -group), default=0)


def flip_group_of(transfer: Transfer) -> int | None:
    """Return the only flip group that is kept, or None for all. Call it before rooms are remapped."""
    rooms = transfer.objects(Kind.ROOM)
    if not rooms or transfer.target.traits.has_flip_groups or not transfer.source.traits.has_flip_groups:
        return None
    return _kept_group(obj for obj in rooms if obj.tomb_raider.room.alternate_room is not None)


def clear_room_references(obj: Object) -> None:
    """Clear the references of a room, or of its collision, to other rooms."""
    settings = obj.tomb_raider
    if settings.kind == Kind.ROOM:
        settings.room.alternate_room = None
    elif settings.kind == Kind.COLLISION:
        for entry in settings.collision.rooms:
            entry.room = None
