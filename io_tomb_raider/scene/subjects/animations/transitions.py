"""Which animations an animation leads to: rows of its model's lists, by number.

Pointers from action to action would make circles. Whenever Blender opens a file, or looks for unused data,
it follows the ways through datablocks that use one another, and up to 5.0 every way through circles by
itself: with the state machine of a real level it never comes to an end. So models point at actions, and
actions at models only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bpy.types import Action, Object

NOWHERE = -1
_OTHERS = -2  # the number of the first of a model's others, which count downward


def _lists_of(home: Object) -> tuple[Any, Any]:
    """Return what a model has rows for: its own animations, and others that they lead to."""
    settings = home.tomb_raider.model
    return settings.animations, settings.others


def next_of(action: Action) -> Action | None:
    """Return what plays after an action, None where it repeats itself."""
    settings = action.tomb_raider
    return _found(settings.home, settings.next_number)


def target_of(dispatch: Any) -> Action | None:
    """Return what a state change of an action leads to, None where that is no action."""
    return _found(dispatch.id_data.tomb_raider.home, dispatch.number)


def _found(home: Object | None, number: int) -> Action | None:
    if home is None or number == NOWHERE:
        return None
    row = _row(_lists_of(home), number)
    return None if row is None else row.action


def _row(lists: tuple[Any, Any], number: int) -> Any:
    """Return what has a number in the two lists of a model, None where nothing has."""
    rows, place = lists[number < 0], _OTHERS - number if number < 0 else number
    return rows[place] if place < len(rows) else None


class Transitions:
    """Finds what many animations lead to: the lists of each model are read once."""

    def __init__(self) -> None:
        self._known: dict[Object, tuple[list[Action | None], list[Action | None]]] = {}

    def next(self, action: Action) -> Action | None:
        """Return :func:`next_of` an action."""
        settings = action.tomb_raider
        return self._found(settings.home, settings.next_number)

    def targets(self, action: Action) -> list[Action | None]:
        """Return :func:`target_of` each state change of an action."""
        settings = action.tomb_raider
        home = settings.home
        return [self._found(home, each.number) for each in settings.dispatches]

    def _found(self, home: Object | None, number: int) -> Action | None:
        if home is None or number == NOWHERE:
            return None
        if home not in self._known:
            own, others = ([row.action for row in rows] for rows in _lists_of(home))
            self._known[home] = own, others
        found: Action | None = _row(self._known[home], number)
        return found


def set_next(action: Action, other: Action | None) -> None:
    """Let another action play after one; none lets it repeat itself."""
    action.tomb_raider.next_number = _number(action, other)


def set_target(dispatch: Any, other: Action | None) -> None:
    """Let a state change of an action lead to another one, or to none."""
    dispatch.number = _number(dispatch.id_data, other)


def drop_broken_transitions(action: Action) -> None:
    """Drop the state changes of an action whose targets have stayed behind."""
    ways = action.tomb_raider.dispatches
    for place in reversed(range(len(ways))):
        if target_of(ways[place]) is None and not ways[place].is_empty:
            ways.remove(place)


class TransitionNumbers:
    """The numbers of actions in the lists of a model, looked up once."""

    def __init__(self, home: Object) -> None:
        own, self._others = _lists_of(home)
        self._known: dict[Action | None, int] = {None: NOWHERE}
        for place, row in enumerate(own):
            self._known.setdefault(row.action, place)
        for place, row in enumerate(self._others):
            self._known.setdefault(row.action, _OTHERS - place)

    def of(self, action: Action | None) -> int:
        """Return the number of an action, which the model lists from now on."""
        if action not in self._known:
            self._known[action] = _OTHERS - len(self._others)
            self._others.add().action = action
        return self._known[action]


def _number(action: Action, other: Action | None) -> int:
    """Return the number of an action in the lists that another one's numbers are of."""
    if other is None:
        return NOWHERE
    settings: Any = action.tomb_raider
    if settings.home is None:
        settings.home = settings.model or other.tomb_raider.model
    return NOWHERE if settings.home is None else TransitionNumbers(settings.home).of(other)


class ImportedActions:
    """The actions of all animations of a level, by the numbers that the lists of their models give them."""

    def __init__(self, actions: Mapping[int, Action], models: Iterable[range]) -> None:
        """Know them.

        Args:
            actions: by index of their animation.
            models: the animations of each model, all of which have actions that its list has in this order.
        """
        self.actions = actions
        self._own = {index: each for each in models for index in each}

    def number(self, index: int, target: int) -> int:
        """Return the number for the action of an animation by which it leads to that of another one."""
        own = self._own[index]
        if target in own:
            return target - own.start
        return _number(self.actions[index], self.actions.get(target))


def is_only_led_to(action: Action, home: Object) -> bool:
    """Tell whether a model uses an action as one that its animations lead to, and nothing else does there."""
    own, others = _lists_of(home)
    if all(row.action != action for row in others) or any(row.action == action for row in own):
        return False
    data = home.animation_data
    if data is None:
        return True
    strips = (strip for track in data.nla_tracks for strip in track.strips)
    return data.action != action and all(strip.action != action for strip in strips)
