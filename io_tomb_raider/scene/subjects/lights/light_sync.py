"""Synchronization of the game's values of lights with Blender's own settings.

The typed properties are exported. Edits of them are displayed at once; edits of Blender's settings are taken
over after Blender has evaluated the scene, or by an export before that.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import lru_cache
from typing import Any

import bpy
from bpy.types import Object

from ....formats import Game
from ....formats.levels.lights import FOG, SHADOW, SPOT, SUN, Values, kind_of, new_light, type_of
from ...core.membership import level_of, levels
from ...core.space import world_matrix
from .display import LIGHT_KINDS, LampDisplay, look_of, parts_for, read_display, show
from .edits import read_edits
from .new_values import values_as
from .values import light_values, same_value


def typed_values(game: Game, settings: Any) -> Values:
    """Return the values of a light's typed properties that the game has for its kind."""
    return values_in(settings, _names(game, kind_of(game, {"type": settings.type})))


@lru_cache
def _names(game: Game, kind: str) -> tuple[str, ...]:
    """Return the names of the values that a game has for a kind of light."""
    return tuple(light_values(new_light(game, kind)))


def values_in(settings: Any, names: Any) -> Values:
    """Return the values of a light's typed properties by name."""
    result: Values = {}
    for name in names:
        value = getattr(settings, name)
        result[name] = value if isinstance(value, int | float) else tuple(value)
    return result


def set_values(settings: Any, values: Values) -> None:
    """Set typed properties without updating the display."""
    was_shown = settings.is_shown
    if was_shown:
        settings.is_shown = False
    for name, value in values.items():
        now = getattr(settings, name)
        # Comparing is ten times faster than setting, which sends notifications.
        if (now[:] if isinstance(value, tuple) else now) != value:
            setattr(settings, name, value)
    if was_shown:
        settings.is_shown = True


def show_value(obj: Object, name: str, game: Game, scale: float) -> None:
    """Update the display of one of a light's typed properties. A type also changes the other values."""
    settings = obj.tomb_raider.light
    if name == "type":
        _convert(obj, _shown_kind(obj, game), int(settings.type), game, scale)
    else:
        show(obj, parts_for(look_of(game, typed_values(game, settings), scale), name))


def change_type(obj: Object, number: int, game: Game, scale: float) -> None:
    """Change the type of a light, and its other values to those of its new kind."""
    take_over_edits(obj, game, scale)
    _convert(obj, kind_of(game, {"type": obj.tomb_raider.light.type}), number, game, scale)


def _shown_kind(obj: Object, game: Game) -> str:
    """Return the kind for which a light is displayed; its properties may have another type already."""
    kind = read_display(obj, world_matrix(obj)).kind
    if kind in LIGHT_KINDS:
        return kind
    return SHADOW if kind_of(game, {"type": obj.tomb_raider.light.type}) != SHADOW else FOG


def _convert(obj: Object, old: str, number: int, game: Game, scale: float) -> None:
    settings, kind = obj.tomb_raider.light, kind_of(game, {"type": number})
    values: Values = {"type": number}
    if kind != old and type_of(game, old) is not None:
        typed = values_in(settings, _names(game, old)) | {"type": type_of(game, old)}
        values = values_as(game, typed, kind, read_display(obj, world_matrix(obj)), scale) | values
    set_values(settings, values)
    _show_all(obj, game, scale)


def _show_all(obj: Object, game: Game, scale: float) -> None:
    """Update the display of a light. Lights without a direction keep their rotation."""
    values = typed_values(game, obj.tomb_raider.light)
    display = look_of(game, values, scale)
    if kind_of(game, values) not in (SUN, SPOT):
        display = display._replace(direction=None)
    show(obj, display)


def take_over_edits(obj: Object, game: Game, scale: float) -> bool:
    """Take over edits of Blender's settings into the typed properties; return whether there were any.

    Scenes of older versions did not synchronize both; in these an export finds out which side was edited.
    """
    settings = obj.tomb_raider.light
    if not settings.is_shown:
        return False
    typed = typed_values(game, settings)
    edited = read_edits(game, typed, None, read_display(obj, world_matrix(obj)), scale)
    changes = {
        name: value
        for name, value in edited.items()
        if name not in typed or not same_value(value, typed[name])
    }
    set_values(settings, changes)
    if "type" in changes:
        _show_all(obj, game, scale)
    return bool(changes)


# The displays of lights when both sides agreed, by session uid. Blender reports all lights as changed when
# any object is added.
_agreed: dict[int, LampDisplay] = {}
_edited: set[int] = set()  # lights of which edits were taken over, by session uid


def objects_with(numbers: Container[int]) -> list[Object]:
    """Return the objects in the file that can be edited and have one of some session numbers."""
    objects = bpy.data.objects if numbers else ()
    return [obj for obj in objects if obj.session_uid in numbers and obj.is_editable]


def take_over_restored() -> None:
    """Take over edits after undo or redo, which may restore a step from before they were taken over."""
    lights = objects_with(_edited)
    for obj in lights:
        _agreed.pop(obj.session_uid, None)
    if lights:
        take_over_all(lights)


def take_over_all(lights: Iterable[Object]) -> None:
    """Take over edits of Blender's settings of lights of any levels in the file."""
    roots = levels()
    by_origin = {root.tomb_raider.origin: root for root in roots}
    for obj in lights:
        if _agreed.get(obj.session_uid) == read_display(obj, world_matrix(obj)):
            continue
        origin = obj.tomb_raider.origin
        # A light of a level that is not in the file has the values of its own game until it is adopted.
        root = by_origin.get(origin) or (None if origin else level_of(obj, roots))
        if root is not None:
            if take_over_edits(obj, Game[root.tomb_raider.game], root.tomb_raider.scale):
                _edited.add(obj.session_uid)
            _agreed[obj.session_uid] = read_display(obj, world_matrix(obj))
