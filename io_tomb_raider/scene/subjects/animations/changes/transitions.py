"""Transitions between animations, stored as numbers of rows in lists of the model.

Pointers from action to action would form cycles. Whenever Blender opens a file, or searches for unused data,
it follows the references between data-blocks; up to 5.0 it follows every path through cycles separately,
which never ends for the state machine of a real level. So models point at actions, and actions only at
models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bpy.types import Action, Object

NOWHERE = -1
_OTHERS = -2  # the number of the first row of a model's others, which count down


def _lists_of(home: Object) -> tuple[Any, Any]:
    """Return the two lists of a model: its own animations, and other targets of their transitions."""
    settings = home.tomb_raider.model
    return settings.animations, settings.others


def next_of(action: Action) -> Action | None:
    """Return the next action of an action, or None if it repeats itself."""
    settings = action.tomb_raider
    return _action_at(settings.home, settings.next_number)


def target_of(dispatch: Any) -> Action | None:
    """Return the target of a state change of an action, or None if that is no action."""
    return _action_at(dispatch.id_data.tomb_raider.home, dispatch.number)


def _action_at(home: Object | None, number: int) -> Action | None:
    if home is None or number == NOWHERE:
        return None
    row = _row(_lists_of(home), number)
    return None if row is None else row.action


def _row(lists: tuple[Any, Any], number: int) -> Any:
    """Return the row with a number in the two lists of a model, or None."""
    rows, index = lists[number < 0], _OTHERS - number if number < 0 else number
    return rows[index] if index < len(rows) else None


class Transitions:
    """Lookup of transitions of many actions; the lists of each model are read once."""

    def __init__(self) -> None:
        self._cache: dict[Object, tuple[list[Action | None], list[Action | None]]] = {}

    def next(self, action: Action) -> Action | None:
        """Return :func:`next_of` an action."""
        settings = action.tomb_raider
        return self._action(settings.home, settings.next_number)

    def targets(self, action: Action) -> list[Action | None]:
        """Return :func:`target_of` each state change of an action."""
        settings = action.tomb_raider
        home = settings.home
        return [self._action(home, each.number) for each in settings.dispatches]

    def _action(self, home: Object | None, number: int) -> Action | None:
        if home is None or number == NOWHERE:
            return None
        if home not in self._cache:
            animations, others = ([row.action for row in rows] for rows in _lists_of(home))
            self._cache[home] = animations, others
        result: Action | None = _row(self._cache[home], number)
        return result


def set_next(action: Action, following: Action | None) -> None:
    """Set the next action of an action; None makes it repeat itself."""
    action.tomb_raider.next_number = _number(action, following)


def set_target(dispatch: Any, target: Action | None) -> None:
    """Set the target of a state change of an action, or None."""
    dispatch.number = _number(dispatch.id_data, target)


def drop_broken_transitions(action: Action) -> None:
    """Remove the state changes of an action whose targets were not copied with it."""
    dispatches = action.tomb_raider.dispatches
    for index in reversed(range(len(dispatches))):
        if target_of(dispatches[index]) is None and not dispatches[index].is_empty:
            dispatches.remove(index)


class TransitionNumbers:
    """The numbers of actions in the lists of a model, looked up once."""

    def __init__(self, home: Object) -> None:
        animations, self._others = _lists_of(home)
        self._cache: dict[Action | None, int] = {None: NOWHERE}
        for index, row in enumerate(animations):
            self._cache.setdefault(row.action, index)
        for index, row in enumerate(self._others):
            self._cache.setdefault(row.action, _OTHERS - index)

    def of(self, action: Action | None) -> int:
        """Return the number of an action, which is added to the model's list if it is missing."""
        if action not in self._cache:
            self._cache[action] = _OTHERS - len(self._others)
            self._others.add().action = action
        return self._cache[action]


def _number(action: Action, target: Action | None) -> int:
    """Return the number of another action in the lists that an action's numbers refer to."""
    if target is None:
        return NOWHERE
    settings: Any = action.tomb_raider
    if settings.home is None:
        settings.home = settings.model or target.tomb_raider.model
    return NOWHERE if settings.home is None else TransitionNumbers(settings.home).of(target)


class ImportedActions:
    """The actions of all animations of a level, with their numbers in the lists of their models."""

    def __init__(self, actions: Mapping[int, Action], models: Iterable[range]) -> None:
        """Store the actions by animation, and the animations of each model, in the order of its list."""
        self.actions = actions
        self._ranges = {index: each for each in models for index in each}

    def number(self, index: int, target: int) -> int:
        """Return the number by which an animation's action refers to that of another animation."""
        animations = self._ranges[index]
        if target in animations:
            return target - animations.start
        return _number(self.actions[index], self.actions.get(target))


def is_only_target(action: Action, home: Object) -> bool:
    """Return whether a model uses an action only as a target of its animations' transitions."""
    animations, others = _lists_of(home)
    if all(row.action != action for row in others) or any(row.action == action for row in animations):
        return False
    data = home.animation_data
    if data is None:
        return True
    strips = (strip for track in data.nla_tracks for strip in track.strips)
    return data.action != action and all(strip.action != action for strip in strips)
