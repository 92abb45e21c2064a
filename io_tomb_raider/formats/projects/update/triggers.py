"""Edited triggers of a level written into the triggers of a project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace

from ...collision.grid import rectangles
from ..from_level.triggers import Cell, add_triggers
from ..objects import Trigger
from ..rooms import Room

_Cells = Mapping[Cell, tuple[Trigger, ...]]
_Outcome = tuple[Trigger, Trigger] | None  # before and after; None: removed
_SAME: _Outcome = (Trigger(0), Trigger(0))


def update_triggers(
    room: Room,
    before: _Cells,
    after: _Cells,
    origins: Mapping[Cell, Sequence[int]],
    next_number: Callable[[], int],
) -> None:
    """Write the differences between two states of a room's triggers into the room of a project.

    Args:
        room: changed in place.
        before: by sector the triggers of the compiled level.
        after: those of the edited level.
        origins: by sector the numbers of the project's triggers that those before were made from.
        next_number: gives the number of a new object.
    """
    changed = {cell for cell in before.keys() | after.keys() if before.get(cell, ()) != after.get(cell, ())}
    if not changed:
        return
    outcomes: defaultdict[int, dict[Cell, _Outcome]] = defaultdict(dict)
    added: dict[Cell, tuple[Trigger, ...]] = {}
    for cell in changed:
        old, new = before.get(cell, ()), after.get(cell, ())
        pairs, rest = _paired(old, new)
        if rest:
            added[cell] = rest
        for row, number in enumerate(origins.get(cell, ())):
            if row < len(old):
                now = pairs.get(row)
                outcomes[number][cell] = None if now is None else (old[row], now)
    by_number = {each.number: each for each in room.each(Trigger)}
    for number, by_cell in outcomes.items():
        if number in by_number:
            _apply(room, by_number[number], by_cell, next_number)
    add_triggers(room, added, next_number)


def _paired(old: Sequence[Trigger], new: Sequence[Trigger]) -> tuple[dict[int, Trigger], tuple[Trigger, ...]]:
    """Return what each trigger became, by its place, and those that are new."""
    if len(old) == len(new):
        return dict(enumerate(new)), ()
    left = list(new)
    found: dict[int, Trigger] = {}
    for row, trigger in enumerate(old):
        if trigger in left:
            left.remove(trigger)
            found[row] = trigger
    for row, trigger in enumerate(old):
        same = next(
            (
                each
                for each in left
                if (each.target_type, each.target) == (trigger.target_type, trigger.target)
            ),
            None,
        )
        if row not in found and same is not None:
            left.remove(same)
            found[row] = same
    return found, tuple(left)


def _apply(
    room: Room, trigger: Trigger, outcomes: Mapping[Cell, _Outcome], next_number: Callable[[], int]
) -> None:
    """Change a trigger in the sectors that were edited; it is divided if only some of its sectors were."""
    x0, z0, x1, z1 = trigger.area
    cells = {(x, z) for x in range(x0, x1 + 1) for z in range(z0, z1 + 1)}
    groups: list[tuple[_Outcome, set[Cell]]] = []
    for cell in sorted(cells):
        outcome = outcomes.get(cell, _SAME)
        if outcome is not None and outcome[0] == outcome[1]:
            outcome = _SAME  # only other triggers of the sector changed
        group = next((each for each in groups if each[0] == outcome), None)
        if group is None:
            groups.append((outcome, {cell}))
        else:
            group[1].add(cell)
    kept = [(outcome, own) for outcome, own in groups if outcome is not None]
    if not kept:
        room.objects.remove(trigger)
        return
    kept.sort(key=lambda each: (each[0] is not _SAME, -len(each[1])))
    original, at = replace(trigger), room.objects.index(trigger)
    made: list[Trigger] = []
    for outcome, own in kept:
        for area in rectangles(dict.fromkeys(own, 0)):
            covered = (area.x, area.z, area.x + area.width - 1, area.z + area.depth - 1)
            target = trigger if not made else replace(original, number=next_number())
            target.area = covered
            if outcome is not None:
                _set(target, *outcome)
            made.append(target)
    room.objects[at : at + 1] = made


def _set(trigger: Trigger, before: Trigger, after: Trigger) -> None:
    for field in fields(trigger):
        if field.name not in {"number", "area"} and getattr(before, field.name) != getattr(after, field.name):
            setattr(trigger, field.name, getattr(after, field.name))
