"""Lights have their values twice, as the game's and as Blender's own: an edit of one is one of the other.

The typed properties are what is written. What is edited there is shown at once; what is edited on Blender's
side is taken over when Blender has worked out the scene, and by exports where nobody has looked in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from bpy.types import Object

from ....formats import Game
from ....formats.lights.lights import Values, kind_of, new_light
from ...core.members import level_of, levels
from ...core.space import world_matrix
from .display import LampDisplay, look_of, part_of, read_edits, seen, show
from .values import light_values, same_value


def typed_values(game: Game, settings: Any) -> Values:
    """Return the values that a light's typed properties hold, of those that the game has for its kind."""
    return values_in(settings, _names(game, kind_of(game, {"type": settings.type})))


@lru_cache
def _names(game: Game, kind: str) -> tuple[str, ...]:
    """Return the names of the values that a game has for a kind of lights."""
    return tuple(light_values(new_light(game, kind)))


def values_in(settings: Any, names: Any) -> Values:
    """Return the values of these names that a light's typed properties hold."""
    found: Values = {}
    for name in names:
        value = getattr(settings, name)
        found[name] = value if isinstance(value, int | float) else tuple(value)
    return found


def set_values(settings: Any, values: Values) -> None:
    """Set typed properties. They are not shown by that."""
    was_shown = settings.is_shown
    if was_shown:
        settings.is_shown = False
    for name, value in values.items():
        now = getattr(settings, name)
        # Blender tells of whatever is set: that takes ten times as long as to ask.
        if (now[:] if isinstance(value, tuple) else now) != value:
            setattr(settings, name, value)
    if was_shown:
        settings.is_shown = True


def show_value(obj: Object, name: str, game: Game, scale: float) -> None:
    """Show what one of a light's typed properties says, where Blender's side says something else."""
    show(obj, part_of(look_of(game, typed_values(game, obj.tomb_raider.light), scale), name))


def take_over_edits(obj: Object, game: Game, scale: float) -> bool:
    """Take what was edited on Blender's side over into the typed properties. Tells whether anything was.

    Scenes of older versions did not keep the two sides the same; there an export finds out which was edited.
    """
    settings = obj.tomb_raider.light
    if not settings.is_shown:
        return False
    typed = typed_values(game, settings)
    edited = read_edits(game, typed, None, seen(obj, world_matrix(obj)), scale)
    found = {name: value for name, value in edited.items() if not same_value(value, typed[name])}
    set_values(settings, found)
    return bool(found)


# What lights looked like when both sides agreed, by the numbers that objects have in a session. Blender names
# all lights as changed where one object was added anywhere.
_agreed: dict[int, LampDisplay] = {}


def take_over_all(lights: Iterable[Object]) -> None:
    """Take over what was edited on Blender's side of lights of any levels."""
    roots = levels()
    by_origin = {root.tomb_raider.origin: root for root in roots}
    for obj in lights:
        if _agreed.get(obj.session_uid) == seen(obj, world_matrix(obj)):
            continue
        root = by_origin.get(obj.tomb_raider.origin) or level_of(obj, roots)
        if root is not None:
            take_over_edits(obj, Game[root.tomb_raider.game], root.tomb_raider.scale)
            _agreed[obj.session_uid] = seen(obj, world_matrix(obj))
