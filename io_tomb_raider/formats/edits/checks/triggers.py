"""Check for triggers without effect: on walls, without actions, or with missing targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from ...base.messages import T
from ...base.targets import limits_of
from ...levels.floor.functions import (
    Action,
    ActionType,
    Function,
    Triangulation,
    Trigger,
    TriggerType,
    actions_of,
    last_trigger_type,
)
from ...levels.views.decoded import Decoded
from ...levels.views.findings import Element, Finding, Severity
from ..rules.limits import target_of

_ENTITY_ACTIONS = (ActionType.OBJECT, ActionType.LOOK_AT)
_CAMERA_ACTIONS = (ActionType.CAMERA, ActionType.SINK)
_FLIPS = (ActionType.FLIP_MAP, ActionType.FLIP_ON, ActionType.FLIP_OFF)


def check_triggers(checked: Decoded) -> Iterator[Finding]:
    """Find triggers that have no effect, or not the intended one."""
    yield from find_faults(checked, _Judge(checked).faults)


Fault = tuple[str, tuple[Element, ...]]  # the text, and the elements that it names


def find_faults(
    checked: Decoded, faults: Callable[[Trigger, int, Sequence[Function]], Iterable[Fault]]
) -> Iterator[Finding]:
    """Yield a finding for each fault of triggers, once per room: a trigger covers many sectors.

    Args:
        faults: returns the faults of a trigger, its sector and the functions of that.
    """
    lists = checked.floor_lists
    sectors_of: dict[tuple[int, Fault], list[int]] = {}
    trigger_sectors = np.flatnonzero(lists.has_triggers(checked.indices))
    lists_there = lists.of(checked.indices[trigger_sectors])
    for sector, functions in zip(trigger_sectors.tolist(), lists_there, strict=True):
        for function in functions:
            if isinstance(function, Trigger):
                for fault in faults(function, sector, functions):
                    sectors_of.setdefault((int(checked.grid.room[sector]), fault), []).append(sector)
    for (room, (name, others)), sectors in sectors_of.items():
        place = checked.middle(sectors[0])
        text = name if len(sectors) == 1 else T("{fault} ({count} sectors)", fault=name, count=len(sectors))
        obj, check = Element("trigger", room), f"trigger: {name}"
        yield Finding(check, Severity.WARNING, obj, text, others, count=len(sectors), place=place)


def check_looks(checked: Decoded) -> Iterator[Finding]:
    """Find triggers that look at an entity after their camera (chapter 4.6.7)."""

    def faults(trigger: Trigger, _sector: int, _functions: Sequence[Function]) -> Iterator[Fault]:
        kinds = [action.type for action in trigger.actions]
        if ActionType.CAMERA in kinds and ActionType.LOOK_AT in kinds[kinds.index(ActionType.CAMERA) :]:
            yield T("a trigger whose action Look at comes after Camera. Move it up, before the camera"), ()

    return find_faults(checked, faults)


class _Judge:
    """Checks triggers against the elements of a level."""

    def __init__(self, checked: Decoded) -> None:
        self._checked = checked
        level = checked.level
        self._traits, self._is_trng = level.game.traits, level.has_trng_footer
        self._entities, self._cameras = len(level.entities), len(level.cameras)
        self._open = checked.is_open | (checked.sectors.portal >= 0)
        self._known = frozenset(map(int, TriggerType))
        target = target_of(checked)
        self._actions = frozenset(map(int, actions_of(level.game, target)))
        self._flip_maps = limits_of(target, level.game).flip_maps
        self._last_type = last_trigger_type(level.game, target)

    @cached_property
    def _sequences(self) -> set[int]:
        return set(self._checked.flybys["sequence"].tolist())

    @cached_property
    def _groups(self) -> set[int]:
        """The groups of flip maps; games without groups flip all rooms at once."""
        rooms = [room for room in self._checked.level.rooms if room.alternate_room >= 0]
        return {int(room.alternate_group) if self._traits.has_flip_groups else 0 for room in rooms}

    def faults(self, trigger: Trigger, sector: int, functions: Sequence[Function]) -> Iterator[Fault]:
        """Yield the faults of a trigger on a sector with some functions."""
        return ((text, ()) for text in self._texts(trigger, sector, functions))

    def _texts(self, trigger: Trigger, sector: int, functions: Sequence[Function]) -> Iterator[str]:
        # A floor of triangles can be open in one of them only.
        has_triangles = any(isinstance(each, Triangulation) and not each.ceiling for each in functions)
        if not has_triangles and self._checked.sectors.room_below[sector] >= 0:
            yield T("a trigger over an open floor, where it is never set off. Put it into the room below")
        if not self._open[sector]:
            yield T("a trigger on a wall, where it is never set off")
        if not trigger.actions:
            yield T("a trigger without an action")
        if not self._is_trng and trigger.type > self._last_type:
            yield T("a trigger of the kind {kind}, which the game does not support", kind=trigger.type)
        if trigger.reference is not None and trigger.reference >= self._entities:
            yield T(
                "a trigger set off by entity {number}, but there are only {count}",
                number=trigger.reference,
                count=self._entities,
            )
        for action in trigger.actions:
            yield from self._of_action(action)

    def _of_action(self, action: Action) -> Iterator[str]:
        number, kind = action.parameter, action.type
        if kind in _ENTITY_ACTIONS and number >= self._entities:
            yield T(
                "a trigger that acts on entity {number}, but there are only {count}",
                number=number,
                count=self._entities,
            )
        elif kind in _CAMERA_ACTIONS and number >= self._cameras:
            noun = T("camera") if kind == ActionType.CAMERA else T("sink")
            yield T(
                "a trigger that names {what} {number}, but there are only {count}",
                what=noun,
                number=number,
                count=self._cameras,
            )
        elif kind == ActionType.FLYBY and kind in self._actions:
            if number not in self._sequences:
                yield T("a trigger that starts flyby {number}, which has no cameras", number=number)
        elif kind in _FLIPS and number >= self._flip_maps:
            yield T(
                "a trigger with flip map {number}, and the original game supports {limit}",
                number=number,
                limit=self._flip_maps,
            )
        elif kind in _FLIPS and not self._flips(number):
            yield T(
                "a trigger that flips rooms ({number}), but no room has an alternate room for that",
                number=number,
            )
        elif kind not in self._actions and not self._is_trng:
            yield T("a trigger with an action {kind}, which the game does not support", kind=kind)

    def _flips(self, number: int) -> bool:
        return number in self._groups if self._traits.has_flip_groups else bool(self._groups)
