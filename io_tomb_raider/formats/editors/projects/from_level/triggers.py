"""The triggers of a level as those of a project: one for each action, over rectangles of equal sectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....base.games import Game
from ....levels.collision.grid import rectangles
from ....levels.floor.extra import EXTRA_ONCE, EXTRA_TIMER
from ....levels.floor.functions import Action, ActionType, Trigger, TriggerType
from ....levels.views.decoded import Decoded
from ..model.objects import Parameter, ParameterKind, ProjectTrigger
from ..model.parameters import CONDITION, MONKEY, PARAMETER, is_compiled, set_word
from ..model.rooms import ProjectRoom

_MOST_SIGNED = 0x7F
_CODE_BITS = 5
_ALL_BITS = 31

Cell = tuple[int, int]  # x and z of a sector of a room


class ObjectNumbers(NamedTuple):
    """Numbers of objects in a project by their indices in the level."""

    entities: Mapping[int, int]
    cameras: Mapping[int, int]  #: of fixed cameras and sinks, in the level's one table.
    flybys: Mapping[int, int]  #: of the first flyby camera of each sequence.


class LostAction(NamedTuple):
    """An action that a project cannot have."""

    room: int  #: the room's index.
    cell: Cell  #: the sector.
    type: int  #: the type of the action.
    parameter: int  #: its number.
    has_target: bool = False  #: its target exists, but the editor has no such trigger for the game.


class RoomTriggers(NamedTuple):
    """The triggers of a room of a level."""

    #: by sector the triggers of a project, in the order of the level; without number and area.
    cells: dict[Cell, tuple[ProjectTrigger, ...]]
    lost: list[LostAction]  #: actions whose target does not exist.


def room_triggers(decoded: Decoded, index: int, numbers: ObjectNumbers) -> RoomTriggers:
    """Return the triggers of a room of a level in the form of a project."""
    lists = decoded.floor_lists.lists
    start, stop = (int(decoded.grid.starts[each]) for each in (index, index + 1))
    z_sectors = decoded.level.rooms[index].z_sectors
    cache: dict[int, tuple[tuple[ProjectTrigger, ...], tuple[tuple[int, int], ...]]] = {}
    result = RoomTriggers({}, [])
    indices = decoded.indices[start:stop]
    for row in np.flatnonzero(decoded.floor_lists.has_triggers(indices)).tolist():
        number = int(indices[row])
        if number not in cache:
            functions = [each for each in lists[number] if isinstance(each, Trigger)]
            cache[number] = _triggers(
                functions, numbers, decoded.level.game, trng=decoded.level.has_trng_footer
            )
        triggers, lost = cache[number]
        cell = divmod(row, z_sectors)
        if triggers:
            result.cells[cell] = triggers
        result.lost.extend(LostAction(index, cell, *each) for each in lost)
    return result


def without_foreign(
    triggers_of_room: RoomTriggers, index: int, game: Game, *, trng: bool, trx: bool
) -> RoomTriggers:
    """Return the triggers of a room without those that the editor does not compile for the game.

    `index`: of the room. The others: see :func:`..model.parameters.is_compiled`.
    """
    cells, lost = {}, list(triggers_of_room.lost)
    for cell, triggers in triggers_of_room.cells.items():
        kept = tuple(each for each in triggers if is_compiled(each, game, trng=trng, trx=trx))
        if kept:
            cells[cell] = kept
        lost += [
            LostAction(index, cell, each.target_type, int(each.target.value), has_target=True)
            for each in triggers
            if each not in kept
        ]
    return RoomTriggers(cells, lost)


def add_triggers(
    room: ProjectRoom, cells: Mapping[Cell, tuple[ProjectTrigger, ...]], next_number: Callable[[], int]
) -> None:
    """Add the triggers of sectors to a room of a project."""
    for area in rectangles(cells):
        covered = (area.x, area.z, area.x + area.width - 1, area.z + area.depth - 1)
        for trigger in cells[area.x, area.z]:
            room.objects.append(replace(trigger, number=next_number(), area=covered))


def _triggers(
    functions: Iterable[Trigger], numbers: ObjectNumbers, game: Game, *, trng: bool
) -> tuple[tuple[ProjectTrigger, ...], tuple[tuple[int, int], ...]]:
    """Return the triggers of a project for functions, and the type and parameter of lost actions."""
    triggers, lost = [], []
    for function in functions:
        actions = list(function.actions)
        kinds = [_type_of(function, trng=trng)] * len(actions)
        if function.reference is not None:
            actions.insert(0, Action(int(ActionType.OBJECT), function.reference))
            kinds = _only(function.type, 0, len(actions))
        elif trng and function.type == CONDITION and actions:
            kinds = _only(CONDITION, _condition(actions), len(actions))
        for kind, action in zip(kinds, actions, strict=True):
            target = _target(action, numbers)
            if target is None:
                lost.append((action.type, action.parameter))
            else:
                triggers.append(_trigger(kind, function, action, target, game, trng=trng))
    return tuple(triggers), tuple(lost)


def _only(kind: int, index: int, count: int) -> list[int]:
    """Return the types of triggers of which only one has a special type."""
    return [kind if number == index else int(TriggerType.TRIGGER) for number in range(count)]


def _condition(actions: Sequence[Action]) -> int:
    """Return which action is the condition; the editor has no others of this type."""
    return next((index for index, action in enumerate(actions) if action.type == PARAMETER), 0)


def _type_of(function: Trigger, *, trng: bool) -> int:
    if function.type == TriggerType.MONKEY and not trng:
        return MONKEY
    return function.type


def _target(action: Action, numbers: ObjectNumbers) -> Parameter | None:
    """Return the target of an action; None if it does not exist."""
    table: Mapping[int, int] | None = None
    if action.type in (ActionType.OBJECT, ActionType.LOOK_AT):
        table = numbers.entities
    elif action.type in (ActionType.CAMERA, ActionType.SINK):
        table = numbers.cameras
    elif action.type == ActionType.FLYBY:
        table = numbers.flybys
    if table is None:
        return Parameter(ParameterKind.NUMBER, action.parameter)
    number = table.get(action.parameter)
    return None if number is None else Parameter(ParameterKind.OBJECT, number)


def _trigger(
    kind: int, function: Trigger, action: Action, target: Parameter, game: Game, *, trng: bool
) -> ProjectTrigger:
    timer = function.timer - 0x100 if function.timer > _MOST_SIGNED else function.timer
    result = ProjectTrigger(
        0,
        type=kind,
        target_type=action.type,
        target=target,
        timer=Parameter(ParameterKind.NUMBER, timer & 0xFFFF),
        code_bits=function.mask,
        one_shot=function.one_shot,
    )
    word = action.extra
    if trng and kind == CONDITION:
        if action.type == ActionType.OBJECT:
            result.target_type = PARAMETER  # the compiler writes conditions about objects this way
        result.extra = Parameter(ParameterKind.NUMBER, function.mask | function.setup_rest << _CODE_BITS)
        result.code_bits = _ALL_BITS
    elif trng and function.type == CONDITION:
        result.timer, result.code_bits = Parameter(ParameterKind.NUMBER, 0), _ALL_BITS
    set_word(result, word, game, trng=trng)
    if word is None:
        return result
    if action.type == ActionType.CAMERA:
        result.timer = Parameter(ParameterKind.NUMBER, EXTRA_TIMER.of(word))
        result.one_shot = bool(EXTRA_ONCE.of(word))
    elif action.type == ActionType.FLYBY:
        result.one_shot = bool(EXTRA_ONCE.of(word))
    return result
