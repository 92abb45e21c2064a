"""Repair of floor data: lists that do not end, and triggers that games cannot run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.errors import FormatError
from ...base.messages import T, plural
from ...levels.floor.editing import edit
from ...levels.floor.floor_data import Functions, decode_all, parse
from ...levels.floor.functions import Action, ActionType, Function, Portal, Trigger
from ...levels.floor.grammar import END, Grammar, Rules
from ...levels.level.level import Level
from ...levels.views.findings import Element
from .changes import Repairs

_LONGEST = 1 << 12  # functions of one list
_OF_ENTITIES = (ActionType.OBJECT, ActionType.LOOK_AT)
_OF_CAMERAS = (ActionType.CAMERA, ActionType.SINK)


def lists(repairs: Repairs) -> None:
    """Repair indices of sectors after the end of the floor data, and lists without an end."""
    level = repairs.level
    count = len(level.floor_data)
    for number, room in enumerate(level.rooms):
        is_outside = room.sectors["floor_data"] >= max(count, 1)
        if is_outside.any():
            repairs.set(room, "sectors", is_outside, "floor_data", 0)
            text = plural(
                "a sector pointed past the end of the floor data. It has no floor data now",
                "{count} sectors pointed past the end of the floor data. They have no floor data now",
                int(is_outside.sum()),
            )
            repairs.add(text, Element("room", number), int(is_outside.sum()))
    _end_lists(repairs)


def _end_lists(repairs: Repairs) -> None:
    level = repairs.level
    data = parse(level.floor_data, _indices(level), trng=level.has_trng_footer)
    for start in data.starts[data.ends == data.starts].tolist():
        last = _last_function(np.asarray(level.floor_data), start, data.rules)
        if last is not None:
            repairs.set(level, "floor_data", [last], "", level.floor_data[last] | END)
        for number, room in enumerate(level.rooms):
            rows = room.sectors["floor_data"] == start
            if rows.any():
                if last is None:
                    repairs.set(room, "sectors", rows, "floor_data", 0)
                text = T("the floor data of a sector did not end. What can be read was kept")
                repairs.add(text, Element("room", number), int(rows.sum()))


def _last_function(words: NDArray[np.uint16], start: int, rules: Rules) -> int | None:
    """Return the index of the last readable function of a list, or None."""
    list_words = words[start:]
    after = Grammar(list_words, rules).after
    offset, last = 0, None
    for _ in range(_LONGEST):
        following = int(after[offset]) if offset < len(list_words) else offset
        if following == offset or following > len(list_words):
            break
        last, offset = start + offset, following
    return last


def _indices(level: Level) -> list[NDArray[np.uint16]]:
    return [room.sectors["floor_data"].reshape(room.x_sectors, room.z_sectors) for room in level.rooms]


def triggers(repairs: Repairs) -> None:
    """Remove wall portals to missing rooms, second triggers, and actions on missing elements."""
    level = repairs.level
    indices = _indices(level)
    try:
        data = parse(level.floor_data, indices, trng=level.has_trng_footer)
    except FormatError:  # the repair of lists was left out
        return
    by_start = dict(zip(data.starts.tolist(), decode_all(data), strict=True))
    judge = _Judge(level)
    repaired_lists = {start: judge.repaired(functions) for start, functions in by_start.items()}
    changes: dict[tuple[int, int, int], Functions] = {}
    for number, room in enumerate(indices):
        counts: Counter[str] = Counter()
        for x, z in np.argwhere(room > 0).tolist():
            functions, texts = repaired_lists[int(room[x, z])]
            if texts:
                changes[number, x, z] = functions
                counts.update(texts)
        for text, count in counts.items():
            repairs.add(text, Element("room", number), count)
    if changes:
        edited = edit(data, indices, changes)
        level.floor_data = edited.words
        for room_, new_indices in zip(level.rooms, edited.sectors, strict=True):
            repairs.set(
                room_, "sectors", np.ones(len(room_.sectors), bool), "floor_data", new_indices.ravel()
            )


class _Judge:
    """Decides which functions remain."""

    def __init__(self, level: Level) -> None:
        self._rooms = len(level.rooms)
        self._entities, self._cameras = len(level.entities), len(level.cameras)
        self._is_trng = level.has_trng_footer

    def repaired(self, functions: Sequence[Function]) -> tuple[Functions, list[str]]:
        """Return the remaining functions, and what was done."""
        result: list[Function] = []
        texts: list[str] = []
        has_trigger = False
        for function in functions:
            if isinstance(function, Portal) and function.room >= self._rooms:
                texts.append(
                    T("a wall opened to room {room}, which does not exist. It is closed", room=function.room)
                )
            elif not isinstance(function, Trigger):
                result.append(function)
            elif has_trigger and not self._is_trng:
                texts.append(T("a sector had several triggers. The first one was kept"))
            else:
                trigger = self._trigger(function, texts)
                if trigger is not None:
                    result.append(trigger)
                    has_trigger = True
        return tuple(result), texts

    def _trigger(self, trigger: Trigger, texts: list[str]) -> Trigger | None:
        if trigger.reference is not None and trigger.reference >= self._entities:
            texts.append(
                T(
                    "entity {number} sets a trigger off, and does not exist. The trigger was removed",
                    number=trigger.reference,
                )
            )
            return None
        actions = tuple(action for action in trigger.actions if not self._is_missing(action))
        for action in trigger.actions:
            if self._is_missing(action):
                noun = T("entity") if action.type in _OF_ENTITIES else T("camera or sink")
                texts.append(
                    T(
                        "a trigger acted on {what} {number}, which does not exist. The action was removed",
                        what=noun,
                        number=action.parameter,
                    )
                )
        if trigger.actions and not actions:
            return None
        return trigger if actions == trigger.actions else replace(trigger, actions=actions)

    def _is_missing(self, action: Action) -> bool:
        if action.type in _OF_ENTITIES:
            return action.parameter >= self._entities
        return action.type in _OF_CAMERAS and action.parameter >= self._cameras
