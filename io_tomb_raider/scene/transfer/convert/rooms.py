"""Rooms of a converted level, with their lights, placed static meshes, sprites and portals."""

from __future__ import annotations

from collections import Counter
from typing import Any

from bpy.types import Object

from ....formats.base.colors import FULL_RGB555
from ....formats.converting.lights import light_values_of, neutral_light
from ....formats.converting.rooms import placed_light, room_flags, room_light
from ....formats.lights.lights import new_light
from ...subjects.lights.display import LIGHT_KINDS, look_of, show
from ...subjects.lights.light_sync import set_values, take_over_edits, typed_values
from ...subjects.lights.values import light_values
from .conversion import Conversion

_LIGHT_FIELDS = ("ambient", "ambient2", "light_mode", "reverb", "water_scheme")
_NO_GROUP = 0


def convert_rooms(conversion: Conversion) -> None:
    """Let rooms say what they are in the words of the game."""
    lost: dict[str, list[str]] = {}
    source, target = conversion.source, conversion.target
    modes: list[str] = []
    for thing in conversion.things("ROOM"):
        settings = thing.tomb_raider.room
        settings.flags, missed = room_flags(settings.flags, source, target)
        for name in missed:
            lost.setdefault(name, []).append(thing.name)
        values: dict[str, Any] = {name: getattr(settings, name) for name in _LIGHT_FIELDS}
        values["color"] = tuple(settings.color)
        if source.traits.has_light_mode and not source.traits.has_color_light and values["light_mode"]:
            modes.append(thing.name)
        for name, value in room_light(values, source, target).items():
            setattr(settings, name, value)
    for name, rooms in lost.items():
        conversion.lose("Rooms", rooms, f"this game has no {name} in rooms, which is lost in")
    conversion.lose("Rooms", modes, "this game does not change light by itself, so it stays as it is in")
    _convert_flips(conversion)


def _convert_flips(conversion: Conversion) -> None:
    """Keep one group of rooms that flip where a game flips all at once, that with most rooms."""
    source, target = conversion.source.traits, conversion.target.traits
    rooms = conversion.things("ROOM")
    if target.has_flip_groups:
        if not source.has_flip_groups:
            for thing in rooms:
                thing.tomb_raider.room.alternate_group = _NO_GROUP
        return
    if not source.has_flip_groups:
        return
    flipping = [thing for thing in rooms if thing.tomb_raider.room.alternate_room is not None]
    groups = Counter(int(thing.tomb_raider.room.alternate_group) for thing in flipping)
    kept = kept_group(groups)
    still = []
    for thing in flipping:
        if thing.tomb_raider.room.alternate_group != kept:
            thing.tomb_raider.room.alternate_room = None
            still.append(thing.name)
    for thing in rooms:
        thing.tomb_raider.room.alternate_group = _NO_GROUP
    text = f"this game flips all rooms at once: group {kept} is kept, and these do not flip any more"
    conversion.lose("Rooms", still, text)


def kept_group(groups: Counter[int]) -> int:
    """Return which group of rooms stays where only one can."""
    return max(groups, key=lambda group: (groups[group], -group), default=0)


def flip_group_of(conversion: Conversion) -> int | None:
    """Return the only group of rooms that flips in the game, before rooms are converted; None for all."""
    if conversion.target.traits.has_flip_groups or not conversion.source.traits.has_flip_groups:
        return None
    rooms = (thing.tomb_raider.room for thing in conversion.things("ROOM"))
    return kept_group(Counter(int(each.alternate_group) for each in rooms if each.alternate_room is not None))


# --- Lights ----------------------------------------


def convert_lights(conversion: Conversion) -> None:
    """Let lights shine as the game can."""
    source, target, scale = conversion.source, conversion.target, conversion.root.tomb_raider.scale
    gone: dict[str, list[Object]] = {}
    gray: list[str] = []
    for thing in conversion.things("LIGHT"):
        take_over_edits(thing, source, scale)
        settings = thing.tomb_raider.light
        neutral = neutral_light(source, typed_values(source, settings))
        values = light_values_of(target, neutral)
        if values is None:
            gone.setdefault(neutral.kind, []).append(thing)
            continue
        if not target.traits.has_light_types and min(neutral.color) != max(neutral.color):
            gray.append(thing.name)
        names = light_values(new_light(target, neutral.kind))
        settings.is_shown = False
        set_values(settings, {**names, **{name: each for name, each in values.items() if name in names}})
        if neutral.kind in LIGHT_KINDS:
            show(thing, look_of(target, typed_values(target, settings), scale))
        settings.is_shown = True
    for kind, things in gone.items():
        conversion.lose("Lights", [thing.name for thing in things], f"this game has no {kind.lower()} lights")
        conversion.remove(things)
    conversion.lose("Lights", gray, "lights of this game have no color, so they are white, and as bright")


# --- What stands in rooms ----------------------------------------


def convert_placements(conversion: Conversion) -> None:
    """Let placed static meshes be as bright as they were."""
    for thing in conversion.things("PLACEMENT"):
        settings = thing.tomb_raider.placement
        red, green, blue = (round(part * FULL_RGB555) for part in settings.color)
        intensity, second, parts = placed_light(
            settings.intensity,
            settings.intensity2,
            (red, green, blue),
            conversion.source,
            conversion.target,
        )
        settings.intensity, settings.intensity2 = intensity, second
        settings.color = [part / FULL_RGB555 for part in parts]


def convert_room_sprites(conversion: Conversion) -> None:
    """Take sprites out of rooms where a game has none there."""
    if conversion.target.traits.has_room_layers:
        sprites = conversion.things("SPRITE")
        conversion.lose("Sprites", [each.name for each in sprites], "rooms of this game have no sprites")
        conversion.remove(sprites)


def convert_portals(conversion: Conversion) -> None:
    """Take portals away that lead to rooms which the file did not have."""
    lost = [each for each in conversion.things("PORTAL") if each.tomb_raider.portal.room is None]
    conversion.lose("Portals", [each.name for each in lost], "they lead to no room")
    conversion.remove(lost)
