"""Animations of a model and the transitions between them, and their places in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from bpy.types import Action, Object

from ...subjects.animations.changes.transitions import Transitions
from ...subjects.animations.showing import own_animations

NONE = -1
BEGIN_WIDTH, BEGIN_LEFT = 170.0, 190.0  # of the node where links end, beside the other
WIDTH, _GAP, _MARGIN = 240.0, 60.0, 120.0
_HEADER, _ROW = 90.0, 22.0
_HIGHEST, _HIGHEST_FRAME = 5000.0, 1700.0
_COLLAPSED = 45.0  # height of a collapsed node
_MOST_IN_COLUMN = 12


class GraphAnimation(NamedTuple):
    """The transitions of one animation."""

    state: int  #: the number of its state.
    next: int  #: the number of the next animation in the graph, NONE for itself or one outside.
    rows: tuple[tuple[int, int], ...]  #: state and target of each state change.

    @property
    def targets(self) -> list[int]:
        """The numbers of the animations that follow it, NONE for others."""
        return [self.next, *(target for _, target in self.rows)]

    @property
    def signature(self) -> str:
        """A text that differs where nodes and links differ."""
        rows = " ".join(f"{state}:{target}" for state, target in self.rows)
        return f"{self.state} {self.next} {rows}"


@dataclass(frozen=True)
class Graph:
    """The animations of a model in the order of the file."""

    actions: list[Action]
    animations: list[GraphAnimation]

    @classmethod
    def of(cls, model: Object) -> Graph:
        """Return the graph of a model."""
        actions = own_animations(model)
        number = {action: place for place, action in enumerate(actions)}
        number_of: Any = number.get
        transitions = Transitions()
        animations = []
        for action in actions:
            settings = action.tomb_raider
            targets = transitions.targets(action)
            rows = tuple(
                (row.state, number_of(target, NONE))
                for row, target in zip(settings.dispatches, targets, strict=True)
            )
            animations.append(GraphAnimation(settings.state, number_of(transitions.next(action), NONE), rows))
        return cls(actions, animations)

    @property
    def signature(self) -> str:
        """A text that differs where the trees of two graphs differ."""
        return "|".join(each.signature for each in self.animations)

    @cached_property
    def states(self) -> dict[int, list[int]]:
        """The numbers of the animations of each state, the states in the order in which they are reached."""
        members: dict[int, list[int]] = {}
        for number, each in enumerate(self.animations):
            members.setdefault(each.state, []).append(number)
        result: dict[int, list[int]] = {}
        for start in members:
            waiting = [start]
            while waiting:
                state = waiting.pop(0)
                if state in result:
                    continue
                result[state] = members[state]
                for number in members[state]:
                    each = self.animations[number]
                    waiting += [self.animations[target].state for target in each.targets if target >= 0]
        return result

    def around(self, focus: int) -> tuple[list[int], list[int]]:
        """Return the animations that lead to one, and those that it leads to and that do not lead back."""
        before = [n for n, each in enumerate(self.animations) if n != focus and focus in each.targets]
        after = dict.fromkeys(self.animations[focus].targets)
        return before, [n for n in after if n not in (focus, NONE) and n not in before]

    def shown(self, focus: int) -> list[int]:
        """Return the animations that a tree has: those around one, or all for NONE."""
        if focus == NONE:
            return list(range(len(self.animations)))
        before, after = self.around(focus)
        return sorted({focus, *before, *after})

    def places_around(self, focus: int) -> dict[int, tuple[float, float]]:
        """Return the places of the shown animations: those before on the left, those after on the right."""
        result = {focus: (0.0, 0.0)}
        step = BEGIN_LEFT + WIDTH + _GAP
        for side, numbers in zip((-1, 1), self.around(focus), strict=True):
            rows = min(len(numbers), _MOST_IN_COLUMN)
            for place, number in enumerate(numbers):
                column, row = divmod(place, _MOST_IN_COLUMN)
                x = side * (column + 1) * step
                result[number] = x, _COLLAPSED * ((rows - 1) / 2 - row) - _HEADER / 2
        return result

    def places(self) -> list[tuple[float, float]]:
        """Return the place of each animation: states in columns, in the order in which they are reached."""
        result = [(0.0, 0.0)] * len(self.animations)
        left = top = 0.0
        widest = 0.0
        for members in self.states.values():
            heights = [_HEADER + _ROW * (len(self.animations[number].rows) + 3) for number in members]
            columns, tallest = _columns(heights)
            width = len(set(columns)) * (BEGIN_LEFT + WIDTH + _GAP)
            if top and top + tallest > _HIGHEST:
                left, top, widest = left + widest + _MARGIN, 0.0, 0.0
            below: dict[int, float] = {}
            for number, column, height in zip(members, columns, heights, strict=True):
                x = left + BEGIN_LEFT + column * (BEGIN_LEFT + WIDTH + _GAP)
                result[number] = x, -(top + below.get(column, 0.0))
                below[column] = below.get(column, 0.0) + height
            top, widest = top + tallest + _MARGIN, max(widest, width)
        return result


def _columns(heights: Sequence[float]) -> tuple[list[int], float]:
    """Return the column of each node of a state, and the height of the tallest column."""
    columns, tallest, height, column = [], 0.0, 0.0, 0
    for each in heights:
        if height and height + each > _HIGHEST_FRAME:
            column, height = column + 1, 0.0
        columns.append(column)
        height += each
        tallest = max(tallest, height)
    return columns, tallest
