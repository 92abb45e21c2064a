"""Triggers of a project as functions of floor data."""

from __future__ import annotations

from collections.abc import Sequence

from .....base.messages import T, about
from .....levels.floor.extra import EXTRA_MOVE, EXTRA_ONCE, EXTRA_TIMER
from .....levels.floor.functions import Action, ActionType, Trigger, TriggerType
from ...model.objects import (
    Camera,
    Flyby,
    Moveable,
    Parameter,
    ParameterKind,
    PlacedObject,
    ProjectTrigger,
    Sink,
    Static,
)
from ...model.parameters import (
    ACTION_NG,
    CONDITION,
    FLIP_EFFECT,
    FLYBY,
    LOOK_AT,
    MONKEY,
    PARAMETER,
    TIMER_FIELD,
)
from ...model.rooms import ProjectRoom
from ..plan.plan import Plan

# What a target must be. Other targets are numbers, or rooms and objects of TRNG.
TARGET_CLASSES: dict[int, type[PlacedObject]] = {
    ActionType.OBJECT: Moveable,
    ActionType.CAMERA: Camera,
    ActionType.SINK: Sink,
    LOOK_AT: Moveable,
    FLYBY: Flyby,
}
_NEEDLESS = (ACTION_NG, PARAMETER, TIMER_FIELD)  # these can do without a target
_SNIPER = 2  # a camera that does not move on
_TEN_TARGETS = (16, 17)
_REFERRING = (TriggerType.SWITCH, TriggerType.KEY, TriggerType.PICKUP)
# One of these leads the list of a sector.
_LEADING = frozenset(
    {
        CONDITION,
        TriggerType.SWITCH,
        TriggerType.KEY,
        TriggerType.HEAVY,
        TriggerType.HEAVY_ANTITRIGGER,
        TriggerType.HEAVY_SWITCH,
        TriggerType.PICKUP,
    }
)
_LAST_OLD_EFFECT = 46  # flip effects of TR4; others are TRNG's
_PARAMETER = 0x3FF


class TriggerLists:
    """The triggers of rooms by sector."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        flybys = (each for room in plan.rooms for each in room.each(Flyby))
        self._flybys = {each.number: index for index, each in enumerate(flybys)}
        self._lists: dict[tuple[int, ...], tuple[Trigger | None, tuple[int, ...]]] = {}

    def of(self, room: ProjectRoom) -> dict[tuple[int, int], tuple[Trigger, tuple[int, ...]]]:
        """Return the trigger of each sector (z, x) of a room, and the numbers of its triggers in order."""
        border = room.shape.border | (room.shape.wall & (room.shape.floor.diagonal == 0))
        by_sector: dict[tuple[int, int], list[ProjectTrigger]] = {}
        for trigger in room.each(ProjectTrigger):
            x0, z0, x1, z1 = trigger.area
            for z in range(max(min(z0, z1), 0), min(max(z0, z1) + 1, room.shape.z_sectors)):
                for x in range(max(min(x0, x1), 0), min(max(x0, x1) + 1, room.shape.x_sectors)):
                    if not border[z, x]:
                        by_sector.setdefault((z, x), []).append(trigger)
        result = {}
        for sector, triggers in sorted(by_sector.items(), key=lambda each: each[0][::-1]):
            key = tuple(each.number for each in triggers)
            if key not in self._lists:
                self._lists[key] = self._list(triggers, room)
            function, order = self._lists[key]
            if function is not None:
                result[sector] = function, order
        return result

    def _list(
        self, triggers: Sequence[ProjectTrigger], room: ProjectRoom
    ) -> tuple[Trigger | None, tuple[int, ...]]:
        """Return the function of all triggers of a sector, None if it has no effect."""
        valid = [each for each in triggers if self._is_valid(each, room)]
        # The object of a switch alone triggers nothing.
        if not valid or (len(valid) == 1 and valid[0].type in _REFERRING):
            return None, ()
        pairs = [(each, self._action(each, room)) for each in sorted_triggers(valid)]
        usable = [(each, action) for each, action in pairs if action is not None]
        # Without the object of a switch, nothing triggers the others.
        if not usable or (usable[0][0] is not pairs[0][0] and pairs[0][0].type in _REFERRING):
            return None, ()
        first, action = usable[0]
        refers = first.type in _REFERRING and action.type == ActionType.OBJECT
        actions = [each for _, each in (usable[1:] if refers else usable)]
        if not actions:
            return None, ()
        timer, mask, rest = self._setup(first)
        kind = TriggerType.MONKEY if first.type in (CONDITION, MONKEY) else first.type
        function = Trigger(
            type=int(kind),
            timer=timer,
            one_shot=first.one_shot,
            mask=mask,
            reference=action.parameter if refers else None,
            actions=tuple(actions),
            setup_rest=rest,
        )
        return function, tuple(each.number for each, _ in usable)

    def _setup(self, first: ProjectTrigger) -> tuple[int, int, int]:
        """Return timer, code bits and the two bits above them."""
        timer = self._value(first.timer, 0xFF) or 0
        if self._plan.target.trng and first.type == CONDITION:
            extra = self._value(first.extra, 0xFF) or 0
            return timer, extra & 31, extra >> 5 & 3
        if self._plan.target.trng and first.target_type == FLIP_EFFECT:
            is_new = _number(first.target) > _LAST_OLD_EFFECT or _number(first.plugin) > 0
            timer = 0 if is_new else timer
        return timer, first.code_bits & 31, 0

    def _is_valid(self, trigger: ProjectTrigger, room: ProjectRoom) -> bool:
        """Return whether the editor compiles a trigger for the target; otherwise warn."""
        plan, kind, target = self._plan, trigger.target_type, trigger.target
        problem = ""
        if kind in _TEN_TARGETS:
            problem = T("a trigger that runs events is for TombEngine only and is omitted")
        elif not self._has_action(kind):
            problem = T(
                "a trigger has an action that the game does not have ({kind}) and is omitted", kind=kind
            )
        elif not self._has_type(trigger.type):
            problem = T(
                "a trigger has a type that the game does not have ({kind}) and is omitted", kind=trigger.type
            )
        elif not self._fits(kind, target):
            problem = T("the object of a trigger does not exist, so the trigger is omitted")
        if problem:
            plan.log.warn(about(room.name, problem))
        return not problem

    def _has_action(self, kind: int) -> bool:
        """Return whether the game has an action. Those that only the editor lacks come from levels."""
        target = self._plan.target
        if target.trng:
            return kind <= TIMER_FIELD
        if kind == FLYBY:
            return target.has_flybys
        return kind <= target.game.traits.last_action and not (
            kind == ACTION_NG and target.game.traits.has_trng
        )

    def _has_type(self, kind: int) -> bool:
        target = self._plan.target
        last = TriggerType.CLIMB if target.trng else target.game.traits.last_trigger_type
        if kind == CONDITION:
            return target.trng
        # TRNG has conditions in the place of monkey swings.
        return last >= TriggerType.MONKEY and not target.trng if kind == MONKEY else kind <= last

    def _fits(self, kind: int, target: Parameter) -> bool:
        if target.kind == ParameterKind.NONE:
            return kind in _NEEDLESS
        expected = TARGET_CLASSES.get(kind)
        return expected is None or isinstance(self._plan.objects.get(_object(target)), expected)

    def _action(self, trigger: ProjectTrigger, room: ProjectRoom) -> Action | None:
        """Return a trigger's action, None with a warning if its target does not exist."""
        plan, kind = self._plan, trigger.target_type
        target = self._target(trigger)
        if target is None:
            plan.log.warn(
                about(room.name, T("the object of a trigger does not exist, so the trigger is omitted"))
            )
            return None
        number = kind
        if kind == PARAMETER:
            number = ActionType.OBJECT if trigger.target.kind == ParameterKind.OBJECT else PARAMETER
        return Action(int(number), target, self._extra(trigger))

    def _extra(self, trigger: ProjectTrigger) -> int | None:
        """Return the extra word of an action, None without."""
        kind = trigger.target_type
        word = EXTRA_ONCE.put(0, int(trigger.one_shot))
        if kind == ActionType.CAMERA:
            camera = self._plan.objects.get(_object(trigger.target))
            move = camera.move_timer if isinstance(camera, Camera) and camera.mode != _SNIPER else 0
            timer = self._value(trigger.timer, 0xFF) or 0
            return EXTRA_MOVE.put(EXTRA_TIMER.put(word, timer), EXTRA_MOVE.fit(move))
        if kind == FLYBY:
            return word
        if self._plan.target.trng and kind in (FLIP_EFFECT, ACTION_NG):
            has_extra = trigger.extra.kind != ParameterKind.NONE
            if not has_extra and kind != ACTION_NG:
                return (self._value(trigger.timer, 0xFFFF) or 0) & 0x7FFF
            timer, extra = (self._value(each, 0xFF) or 0 for each in (trigger.timer, trigger.extra))
            return (timer | extra << 8) & 0x7FFF
        return None

    def _target(self, trigger: ProjectTrigger) -> int | None:
        """Return the number that an action acts on, None if it does not exist."""
        obj = self._plan.objects.get(_object(trigger.target))
        if trigger.target_type == FLYBY and isinstance(obj, Flyby):
            return obj.sequence & _PARAMETER
        return self._value(trigger.target, _PARAMETER)

    def _value(self, parameter: Parameter, most: int) -> int | None:
        """Return a parameter as a number, 0 if it is too large, None if it does not exist."""
        plan = self._plan
        if parameter.kind == ParameterKind.NONE:
            return 0
        if parameter.kind == ParameterKind.STRING:
            return None
        if parameter.kind == ParameterKind.NUMBER:
            return int(parameter.value) & most
        if parameter.kind == ParameterKind.ROOM:
            number = plan.index.get(int(parameter.value))
        else:
            number = self._number_of(plan.objects.get(int(parameter.value)))
        return 0 if number is not None and number > most else number

    def _number_of(self, obj: PlacedObject | None) -> int | None:
        """Return the number of an object in the level."""
        if isinstance(obj, Moveable):
            return self._plan.items.get(obj.number)
        if isinstance(obj, Camera | Sink):
            return self._plan.cameras.get(obj.number)
        if isinstance(obj, Flyby):
            return self._flybys[obj.number]
        if isinstance(obj, Static):
            return self._plan.script_id(obj)
        return None


def sorted_triggers(triggers: Sequence[ProjectTrigger]) -> list[ProjectTrigger]:
    """Return the triggers of a sector in the order of the level: first the one that decides when they act."""
    first = next((each for each in triggers if each.type in _LEADING), triggers[0])
    others = [each for each in triggers if each is not first]
    # Cameras are at the end, and their targets after them.
    order = {ActionType.CAMERA: 1, LOOK_AT: 2}
    return [first, *sorted(others, key=lambda each: order.get(each.target_type, 0))]


def _number(parameter: Parameter) -> int:
    return int(parameter.value) if parameter.kind == ParameterKind.NUMBER else 0


def _object(parameter: Parameter) -> int:
    return int(parameter.value) if parameter.kind == ParameterKind.OBJECT else -1


def plugin_of(trigger: ProjectTrigger) -> int:
    """Return the number of the TRNG plugin of a trigger's condition or action, 0 for TRNG itself."""
    return _number(trigger.plugin) & 0xFF
