"""The triggers of a level as those of a project: one for each action, over rectangles of equal sectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ...collision.grid import rectangles
from ...floor.extra import EXTRA_ONCE, EXTRA_TIMER
from ...floor.functions import Action, ActionType, TriggerType
from ...floor.functions import Trigger as LevelTrigger
from ...level.decoded import Decoded
from ..objects import NO_OBJECT, Parameter, ParameterKind, Trigger
from ..rooms import Room

# Types whose first target is the object that activates them.
_BY_OBJECT = (TriggerType.SWITCH, TriggerType.KEY, TriggerType.PICKUP)
_FLIPS = (ActionType.FLIP_MAP, ActionType.FLIP_ON, ActionType.FLIP_OFF)
_MOST_SIGNED = 0x7F


class Numbers(NamedTuple):
    """Numbers of objects in a project by their indices in the level.

    Attributes:
        entities: of entities.
        cameras: of fixed cameras and sinks, in the level's one table.
        flybys: of the first flyby camera of each sequence.
    """

    entities: Mapping[int, int]
    cameras: Mapping[int, int]
    flybys: Mapping[int, int]


class LostAction(NamedTuple):
    """An action that a project cannot have.

    Attributes:
        room: the room's index.
        cell: the sector, x and z.
        type: the type of the action.
        parameter: its number.
    """

    room: int
    cell: tuple[int, int]
    type: int
    parameter: int


def add_triggers(
    decoded: Decoded, index: int, room: Room, numbers: Numbers, next_number: Callable[[], int]
) -> list[LostAction]:
    """Add the triggers of a room of a level to that of a project.

    Returns:
        The actions whose target does not exist.
    """
    found: dict[tuple[int, int], tuple[LevelTrigger, ...]] = {}
    lists = decoded.floor_lists
    start = int(decoded.grid.starts[index])
    z_sectors = decoded.level.rooms[index].z_sectors
    by_list: dict[int, tuple[LevelTrigger, ...]] = {}
    for place, list_index in enumerate(decoded.indices[start : int(decoded.grid.starts[index + 1])].tolist()):
        if not list_index:
            continue
        if list_index not in by_list:
            functions = lists.lists[list_index]
            by_list[list_index] = tuple(each for each in functions if isinstance(each, LevelTrigger))
        if by_list[list_index]:
            found[divmod(place, z_sectors)] = by_list[list_index]
    lost = []
    for area in rectangles(found):
        cells = (area.x, area.z, area.x + area.width - 1, area.z + area.depth - 1)
        for trigger in found[area.x, area.z]:
            for part in _parts(trigger):
                target = _target(part, numbers)
                if target is None:
                    lost.append(LostAction(index, (area.x, area.z), part.type, part.parameter))
                    continue
                room.objects.append(_trigger(next_number(), cells, trigger, part, target))
    return lost


class _Part(NamedTuple):
    """One action of a trigger, or the object that activates it."""

    type: int
    parameter: int
    trigger_type: int
    timer: int
    one_shot: bool
    extra: int | None


def _parts(trigger: LevelTrigger) -> list[_Part]:
    parts = []
    timer = trigger.timer - 0x100 if trigger.timer > _MOST_SIGNED else trigger.timer
    if trigger.reference is not None:
        parts.append(_Part(ActionType.OBJECT, trigger.reference, trigger.type, timer, trigger.one_shot, None))
    others = int(TriggerType.TRIGGER) if trigger.reference is not None else trigger.type
    for action in trigger.actions:
        parts.append(_of_action(action, others, timer, trigger.one_shot))
    return parts


def _of_action(action: Action, trigger_type: int, timer: int, one_shot: bool) -> _Part:
    if action.type == ActionType.CAMERA and action.extra is not None:
        timer, one_shot = EXTRA_TIMER.of(action.extra), bool(EXTRA_ONCE.of(action.extra))
    if action.type == ActionType.FLYBY and action.extra is not None:
        one_shot = bool(EXTRA_ONCE.of(action.extra))
    return _Part(action.type, action.parameter, trigger_type, timer, one_shot, action.extra)


def _target(part: _Part, numbers: Numbers) -> Parameter | None:
    """Return the target of an action; None if it does not exist."""
    tables: defaultdict[int, Mapping[int, int] | None] = defaultdict(lambda: None)
    tables.update(
        {
            ActionType.OBJECT: numbers.entities,
            ActionType.LOOK_AT: numbers.entities,
            ActionType.CAMERA: numbers.cameras,
            ActionType.SINK: numbers.cameras,
            ActionType.FLYBY: numbers.flybys,
        }
    )
    table = tables[part.type]
    if table is None:
        return Parameter(ParameterKind.NUMBER, part.parameter)
    number = table.get(part.parameter, NO_OBJECT)
    return None if number == NO_OBJECT else Parameter(ParameterKind.OBJECT, number)


def _trigger(
    number: int, cells: tuple[int, int, int, int], trigger: LevelTrigger, part: _Part, target: Parameter
) -> Trigger:
    return Trigger(
        number,
        cells,
        type=part.trigger_type,
        target_type=part.type,
        target=target,
        timer=Parameter(ParameterKind.NUMBER, part.timer & 0xFFFF),
        code_bits=trigger.mask,
        one_shot=part.one_shot,
    )
