"""Check for triggers without effect: on walls, without actions, or with missing targets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ..base.messages import T
from ..floor.functions import Action, ActionType, Triangulation, Trigger, TriggerType
from ..level.decoded import Decoded
from ..targets import actions_of, last_trigger_type, limits_of
from .findings import Element, Finding, Severity
from .limits import target_of

_ENTITY_ACTIONS = (ActionType.OBJECT, ActionType.LOOK_AT)
_CAMERA_ACTIONS = (ActionType.CAMERA, ActionType.SINK)
_FLIPS = (ActionType.FLIP_MAP, ActionType.FLIP_ON, ActionType.FLIP_OFF)


def check_triggers(checked: Decoded) -> Iterator[Finding]:
    """Find triggers that have no effect, or not the intended one."""
    lists = checked.floor_lists
    judge = _Judge(checked)
    # Only sectors with triggers, and each fault once per room: a trigger covers many sectors.
    found: dict[tuple[int, str], list[int]] = {}
    places = np.flatnonzero(lists.has_triggers(checked.indices))
    for sector, functions in zip(places.tolist(), lists.of(checked.indices[places]), strict=True):
        # A floor of triangles can be open in one of them only.
        has_triangles = any(isinstance(each, Triangulation) and not each.ceiling for each in functions)
        is_over_opening = not has_triangles and bool(checked.sectors.room_below[sector] >= 0)
        for function in functions:
            if isinstance(function, Trigger):
                for fault in judge.faults(function, sector, is_over_opening=is_over_opening):
                    found.setdefault((int(checked.grid.room[sector]), fault), []).append(sector)
    for (room, fault), sectors in found.items():
        place = checked.middle(sectors[0])
        text = fault if len(sectors) == 1 else T("{fault} ({count} sectors)", fault=fault, count=len(sectors))
        obj = Element("trigger", room)
        yield Finding(f"trigger: {fault}", Severity.WARNING, obj, text, count=len(sectors), place=place)


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

    def faults(self, trigger: Trigger, sector: int, *, is_over_opening: bool) -> Iterator[str]:
        """Yield the faults of a trigger on a sector."""
        if is_over_opening:
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
            what = T("camera") if kind == ActionType.CAMERA else T("sink")
            yield T(
                "a trigger that names {what} {number}, but there are only {count}",
                what=what,
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
