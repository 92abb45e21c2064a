"""Edited triggers of a level written into the triggers of a project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import NamedTuple

from ....levels.collision.grid import rectangles
from ..from_level.triggers import Cell, add_triggers
from ..model.objects import ProjectTrigger
from ..model.rooms import ProjectRoom

_Cells = Mapping[Cell, tuple[ProjectTrigger, ...]]
_Outcome = tuple[ProjectTrigger, ProjectTrigger] | None  # before and after; None: removed
_SAME: _Outcome = (ProjectTrigger(0), ProjectTrigger(0))


class RoomChange(NamedTuple):
    """The triggers of a room before and after."""

    room: ProjectRoom  #: of the project.
    before: _Cells  #: by sector the triggers of the compiled level.
    after: _Cells  #: those of the edited level.
    #: by sector the numbers of the project's triggers that those before were made from.
    origins: Mapping[Cell, Sequence[int]]


class _Changes:
    """The changed triggers of a room."""

    def __init__(self, change: RoomChange) -> None:
        self.room = change.room  #: of the project.
        #: by number of a trigger, its outcome in each sector that changed.
        self.outcomes: defaultdict[int, dict[Cell, _Outcome]] = defaultdict(dict)
        #: by number of a trigger, the trigger as it was in the sectors that no longer have it.
        self.gone: defaultdict[int, dict[Cell, ProjectTrigger]] = defaultdict(dict)
        self.added: dict[Cell, list[ProjectTrigger]] = {}  #: by sector the triggers that are new there.
        before, after = change.before, change.after
        for cell in sorted(before.keys() | after.keys()):
            old, new = before.get(cell, ()), after.get(cell, ())
            if old == new:
                continue
            paired, rest = _paired(old, new)
            if rest:
                self.added[cell] = list(rest)
            for row, number in enumerate(change.origins.get(cell, ())):
                if row < len(old):
                    new_trigger = paired.get(row)
                    self.outcomes[number][cell] = None if new_trigger is None else (old[row], new_trigger)
                    if new_trigger is None:
                        self.gone[number][cell] = old[row]

    def stays(self, number: int) -> bool:
        """Return whether a trigger is in a sector of the room."""
        trigger = next((each for each in self.room.each(ProjectTrigger) if each.number == number), None)
        if trigger is None or any(outcome is not None for outcome in self.outcomes[number].values()):
            return True
        return not set(_cells(trigger)) <= self.gone[number].keys()

    def claim(self, number: int, old: ProjectTrigger, others: _Changes, *, alike: bool) -> bool:
        """Match a removed trigger with one that was added in a room; return whether there is one.

        `others`: the changes of that room. `alike`: it may have other values, but the same target.
        """
        claimed = False
        for cell, triggers in others.added.items():
            for each in triggers:
                is_it = _is_alike(each, old) if alike else each == old
                if is_it and (others is not self or cell not in self.outcomes[number]):
                    if others is not self and not claimed:
                        self.outcomes[number].clear()
                    self.outcomes[number][cell] = (old, each)
                    triggers.remove(each)
                    claimed = True
                    break
        return claimed


def update_triggers(
    changes: Sequence[RoomChange],
    next_number: Callable[[], int],
    is_compiled: Callable[[ProjectTrigger], bool],
) -> list[tuple[ProjectRoom, ProjectTrigger]]:
    """Write the differences between two states of all triggers into the rooms of a project.

    A trigger that was moved keeps its number and the values that a level does not store.

    Args:
        changes: by room; the rooms are changed in place.
        next_number: returns the number of a new object.
        is_compiled: whether the editor compiles a new trigger.

    Returns:
        The new triggers that the editor does not compile, which are omitted.
    """
    rooms = [_Changes(each) for each in changes]
    homes: dict[int, ProjectRoom] = {}
    for alike in (False, True):
        for each in rooms:
            for number, cells in each.gone.items():
                old = next(iter(cells.values()))
                if number not in homes and not (alike and each.stays(number)):
                    each.claim(number, old, each, alike=alike)
        for each in rooms:
            for number, cells in each.gone.items():
                old = next(iter(cells.values()))
                if number not in homes and not each.stays(number):
                    home = next(
                        (other.room for other in rooms if each.claim(number, old, other, alike=alike)), None
                    )
                    if home is not None:
                        homes[number] = home
    lost: list[tuple[ProjectRoom, ProjectTrigger]] = []
    for each in rooms:
        by_number = {trigger.number: trigger for trigger in each.room.each(ProjectTrigger)}
        for number, by_cell in each.outcomes.items():
            if number in by_number and number not in homes:
                _apply(each.room, by_number[number], by_cell, next_number)
    for each in rooms:
        by_number = {trigger.number: trigger for trigger in each.room.each(ProjectTrigger)}
        for number in each.outcomes:
            if number in by_number and number in homes:
                trigger, home = by_number[number], homes[number]
                each.room.objects.remove(trigger)
                home.objects.append(trigger)
                x, z = next(iter(each.outcomes[number]))
                trigger.area = (x, z, x, z)
                _apply(home, trigger, each.outcomes[number], next_number)
        rest = {cell: tuple(filter(is_compiled, triggers)) for cell, triggers in each.added.items()}
        lost += [
            (each.room, trigger)
            for triggers in each.added.values()
            for trigger in triggers
            if not is_compiled(trigger)
        ]
        add_triggers(each.room, {cell: triggers for cell, triggers in rest.items() if triggers}, next_number)
    return lost


def _is_alike(a: ProjectTrigger, b: ProjectTrigger) -> bool:
    return (a.type, a.target_type, a.target) == (b.type, b.target_type, b.target)


def _cells(trigger: ProjectTrigger) -> list[Cell]:
    x0, z0, x1, z1 = trigger.area
    return [(x, z) for x in range(x0, x1 + 1) for z in range(z0, z1 + 1)]


def _paired(
    old: Sequence[ProjectTrigger], new: Sequence[ProjectTrigger]
) -> tuple[dict[int, ProjectTrigger], tuple[ProjectTrigger, ...]]:
    """Return the new state of each old trigger, by its index, and the added triggers."""
    if len(old) == len(new):
        return dict(enumerate(new)), ()
    remaining = list(new)
    result: dict[int, ProjectTrigger] = {}
    for row, trigger in enumerate(old):
        if trigger in remaining:
            remaining.remove(trigger)
            result[row] = trigger
    for row, trigger in enumerate(old):
        same = next(
            (
                each
                for each in remaining
                if (each.target_type, each.target) == (trigger.target_type, trigger.target)
            ),
            None,
        )
        if row not in result and same is not None:
            remaining.remove(same)
            result[row] = same
    return result, tuple(remaining)


def _apply(
    room: ProjectRoom,
    trigger: ProjectTrigger,
    outcomes: Mapping[Cell, _Outcome],
    next_number: Callable[[], int],
) -> None:
    """Change a trigger in the sectors that were edited; it is divided if only some of its sectors were."""
    cells = {*_cells(trigger), *(cell for cell, outcome in outcomes.items() if outcome is not None)}
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
    kept = [(outcome, group_cells) for outcome, group_cells in groups if outcome is not None]
    if not kept:
        room.objects.remove(trigger)
        return
    kept.sort(key=lambda each: (each[0] is not _SAME, -len(each[1])))
    original, index = replace(trigger), room.objects.index(trigger)
    parts: list[ProjectTrigger] = []
    for outcome, group_cells in kept:
        for area in rectangles(dict.fromkeys(group_cells, 0)):
            covered = (area.x, area.z, area.x + area.width - 1, area.z + area.depth - 1)
            target = trigger if not parts else replace(original, number=next_number())
            target.area = covered
            if outcome is not None:
                _set(target, *outcome)
            parts.append(target)
    room.objects[index : index + 1] = parts


def _set(trigger: ProjectTrigger, before: ProjectTrigger, after: ProjectTrigger) -> None:
    for field in fields(trigger):
        if field.name not in {"number", "area"} and getattr(before, field.name) != getattr(after, field.name):
            setattr(trigger, field.name, getattr(after, field.name))
