"""State changes and dispatches (documentation, chapters 6.2.4 and 6.2.5) as rows of actions.

A row is one dispatch: when a state is wanted, between two frames, go to an action's frame. The rows of one
state make up its state change. What this cannot say of a real file has a switch in the row: states that
lead nowhere, and state changes that the file keeps apart though their state is the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bpy.types import Action

from ....formats import Level
from ....formats.animations.animations import AnimationReference, Dispatch, StateChange, decode_state_changes
from ...core.report import Report
from .references import AnimationReferences
from .transitions import NOWHERE, ImportedActions, Transitions


class DispatchRow(NamedTuple):
    """A dispatch as its action has it, but the target as an animation; -1 for none."""

    state: int
    low: int = 0
    high: int = 0
    target: AnimationReference = NOWHERE
    frame: int = 0
    is_empty: bool = False
    is_separate: bool = False


def rows_of(level: Level, animation: int) -> list[DispatchRow]:
    """Return the rows of an animation of a level."""
    rows: list[DispatchRow] = []
    seen: set[int] = set()
    changes = decode_state_changes(
        level.animations, level.state_changes, level.animation_dispatches, animation
    )
    for change in changes:
        state, first = change.state, len(rows)
        for each in change.dispatches:
            rows.append(DispatchRow(state, each.low, each.high, each.next_animation, each.next_frame))
        if not change.dispatches:
            rows.append(DispatchRow(state, is_empty=True))
        if state in seen:
            rows[first] = rows[first]._replace(is_separate=True)
        seen.add(state)
    return rows


def state_changes_of(rows: Iterable[DispatchRow]) -> tuple[StateChange, ...]:
    """Return what rows make up: the way back of `rows_of`."""
    groups: list[tuple[int, list[Dispatch]]] = []
    current: dict[int, list[Dispatch]] = {}
    for row in rows:
        if row.is_separate or row.state not in current:
            current[row.state] = []
            groups.append((row.state, current[row.state]))
        if not row.is_empty:
            current[row.state].append(Dispatch(row.low, row.high, row.target, row.frame))
    return tuple(StateChange(state, tuple(dispatches)) for state, dispatches in groups)


def import_state_changes(level: Level, action: Action, index: int, actions: ImportedActions) -> None:
    """Give an action the rows of an animation; ``actions`` are those of all animations."""
    dispatches = action.tomb_raider.dispatches
    for row in rows_of(level, index):
        made = dispatches.add()
        made.state = row.state
        if row.is_separate:
            made.is_separate = True
        if row.is_empty:
            made.is_empty = True
            continue
        made.low, made.high, made.frame = row.low, row.high, row.frame
        assert isinstance(row.target, int)  # as of all animations of a file
        number = actions.number(index, row.target)
        if number != NOWHERE:
            made.number = number
        else:
            made.target = row.target


class StateChangeExport:
    """Finds what differs about the state changes of actions."""

    def __init__(
        self, level: Level, references: AnimationReferences, leads: Transitions, report: Report
    ) -> None:
        """Compare with a level.

        Args:
            level: the original.
            references: what actions are written as.
            leads: what actions lead to.
            report: where warnings go.
        """
        self._level = level
        self._references = references
        self._leads = leads
        self._report = report

    def rows(self, action: Action) -> list[DispatchRow]:
        """Return the rows of an action that lead somewhere.

        Raises:
            ExportError: where one leads to what is no animation of the level.
        """
        rows: list[DispatchRow] = []
        for each, other in zip(action.tomb_raider.dispatches, self._leads.targets(action), strict=True):
            marks = {"is_empty": each.is_empty, "is_separate": each.is_separate}
            if each.is_empty:
                rows.append(DispatchRow(each.state, **marks))
                continue
            target: AnimationReference = each.target
            if other is not None:
                role = f"what state {each.state} leads to"
                target = self._references.require(other, action.name, role)
            elif each.target == NOWHERE:
                text = f"frames {each.low} to {each.high} lead to no action for state {each.state}: left out"
                self._report.warn(action.name, text)
                continue
            rows.append(DispatchRow(each.state, each.low, each.high, target, each.frame, **marks))
        return rows

    def changes(self, action: Action, index: int, *, rebuild: bool = False) -> tuple[StateChange, ...] | None:
        """Return the state changes of an action, or None where they are an original animation's.

        Args:
            action: the action.
            index: of its animation.
            rebuild: return them also where they are the same, unless there are none.
        """
        rows, old = self.rows(action), rows_of(self._level, index)
        if rows == old and not (rebuild and rows):
            return None
        return state_changes_of(rows)

    def targets(self, action: Action) -> set[int]:
        """Return the animations of the original that rows of an action lead to by number, or by a twin."""
        led = zip(action.tomb_raider.dispatches, self._leads.targets(action), strict=True)
        rows = [(each.target, other) for each, other in led if not each.is_empty]
        found = {target for target, other in rows if other is None}
        twins = {self._references.twin_of(other) for _, other in rows}
        return found | {each for each in twins if each is not None}
