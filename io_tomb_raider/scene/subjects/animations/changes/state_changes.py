"""State changes and dispatches (documentation, chapters 6.2.4 and 6.2.5) as rows of actions.

A row is one dispatch: when a state is requested between two frames, continue at a frame of another action.
The rows of one state form its state change. Files may also have state changes without dispatches, and
separate state changes of the same state; a row has a switch for each of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from bpy.types import Action

from .....formats import Level
from .....formats.base import T
from .....formats.levels.animations import AnimationReference, Dispatch, StateChange, decode_state_changes
from ....core.reporting.report import Report
from .references import AnimationReferences
from .transitions import NOWHERE, ImportedActions, Transitions


class DispatchRow(NamedTuple):
    """A dispatch as in its action, but with an animation as the target; -1 for none."""

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
    """Return the state changes that rows form, as the inverse of `rows_of`."""
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
    """Add the rows of an animation to its action; ``actions`` has the actions of all animations."""
    dispatches = action.tomb_raider.dispatches
    for row in rows_of(level, index):
        dispatch = dispatches.add()
        dispatch.state = row.state
        if row.is_separate:
            dispatch.is_separate = True
        if row.is_empty:
            dispatch.is_empty = True
            continue
        dispatch.low, dispatch.high, dispatch.frame = row.low, row.high, row.frame
        assert isinstance(row.target, int)  # as in all animations of a file
        number = actions.number(index, row.target)
        if number != NOWHERE:
            dispatch.number = number
        else:
            dispatch.target = row.target


def no_target_text(row: Any) -> str:
    """Return the warning about a row of an action without a target."""
    return T(
        "frames {low} to {high} have no target for state {state}: left out",
        low=row.low,
        high=row.high,
        state=row.state,
    )


class StateChangeExport:
    """Comparison of the state changes of actions with the original."""

    def __init__(
        self, level: Level, references: AnimationReferences, transitions: Transitions, report: Report
    ) -> None:
        """Prepare the comparison with a level."""
        self._level = level
        self._references = references
        self._transitions = transitions
        self._report = report
        self.read: dict[Action, list[DispatchRow]] = {}  # by the actions that were compared so far

    def rows(self, action: Action) -> list[DispatchRow]:
        """Return the rows of an action, without those that have no target.

        Raises:
            ExportError: if a target is no animation of the level.
        """
        rows: list[DispatchRow] = []
        self.read[action] = rows
        targets = self._transitions.targets(action)
        for each, target_action in zip(action.tomb_raider.dispatches, targets, strict=True):
            marks = {"is_empty": each.is_empty, "is_separate": each.is_separate}
            if each.is_empty:
                rows.append(DispatchRow(each.state, **marks))
                continue
            target: AnimationReference = each.target
            if target_action is not None:
                role = T("the target of state {state}", state=each.state)
                target = self._references.require(target_action, action.name, role)
            elif each.target == NOWHERE:
                self._report.warn(action.name, no_target_text(each))
                continue
            rows.append(DispatchRow(each.state, each.low, each.high, target, each.frame, **marks))
        return rows

    def changes(self, action: Action, index: int, *, rebuild: bool = False) -> tuple[StateChange, ...] | None:
        """Return the state changes of an action, or None if they equal an original animation's.

        A rebuild returns equal ones too, unless there are none.
        """
        rows, old = self.rows(action), rows_of(self._level, index)
        if rows == old and not (rebuild and rows):
            return None
        return state_changes_of(rows)

    def targets(self, action: Action) -> set[int]:
        """Return the animations of the original that are targets of an action by number, or by a twin."""
        pairs = zip(action.tomb_raider.dispatches, self._transitions.targets(action), strict=True)
        rows = [(each.target, target_action) for each, target_action in pairs if not each.is_empty]
        numbers = {target for target, target_action in rows if target_action is None}
        twins = {self._references.twin_of(target_action) for _, target_action in rows}
        return numbers | {each for each in twins if each is not None}
