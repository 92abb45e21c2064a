"""Triggers of a project as functions of floor data."""

from __future__ import annotations

from collections.abc import Sequence

from ...base.messages import T, about
from ...floor.extra import EXTRA_MOVE, EXTRA_ONCE, EXTRA_TIMER
from ...floor.functions import Action, ActionType, TriggerType
from ...floor.functions import Trigger as FloorTrigger
from ..objects import Camera, Flyby, Moveable, Parameter, ParameterKind, Sink, Static, Trigger
from ..rooms import Room
from .plan import Plan

# Types of triggers in projects that levels number otherwise.
CONDITION, MONKEY = 12, 17
# Kinds of targets beyond those of levels.
LOOK_AT, CAMERA, FLYBY, PARAMETER, TIMER_FIELD = 6, 1, 12, 13, 15
FLIP_EFFECT, ACTION_NG = 9, 11
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
_LAST = (LOOK_AT, CAMERA)  # targets at the end of a list
_LAST_OLD_EFFECT = 46  # flip effects of TR4; others are TRNG's
_PARAMETER = 0x3FF


class TriggerLists:
    """The triggers of rooms by sector.

    Args:
        plan: the numbers of objects.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._made: dict[tuple[int, ...], tuple[FloorTrigger | None, tuple[int, ...]]] = {}

    def of(self, room: Room) -> dict[tuple[int, int], tuple[FloorTrigger, tuple[int, ...]]]:
        """Return the trigger of each sector (z, x) of a room, and the numbers of its triggers in order."""
        border = room.shape.border | (room.shape.wall & (room.shape.floor.diagonal == 0))
        found: dict[tuple[int, int], list[Trigger]] = {}
        for trigger in room.each(Trigger):
            x0, z0, x1, z1 = trigger.area
            for z in range(max(min(z0, z1), 0), min(max(z0, z1) + 1, room.shape.z_sectors)):
                for x in range(max(min(x0, x1), 0), min(max(x0, x1) + 1, room.shape.x_sectors)):
                    if not border[z, x]:
                        found.setdefault((z, x), []).append(trigger)
        made = {}
        for place, triggers in sorted(found.items(), key=lambda each: each[0][::-1]):
            key = tuple(each.number for each in triggers)
            if key not in self._made:
                self._made[key] = self._list(triggers, room)
            function, order = self._made[key]
            if function is not None:
                made[place] = function, order
        return made

    def _list(self, triggers: Sequence[Trigger], room: Room) -> tuple[FloorTrigger | None, tuple[int, ...]]:
        """Return the function of all triggers of a sector, None if it has no effect."""
        known = [(each, self._action(each, room)) for each in sorted_triggers(triggers)]
        usable = [(each, action) for each, action in known if action is not None]
        # Without the object of a switch, nothing sets off the others.
        if not usable or (usable[0][0] is not known[0][0] and known[0][0].type in _REFERRING):
            return None, ()
        first, action = usable[0]
        refers = first.type in _REFERRING and action.type == ActionType.OBJECT
        actions = [each for _, each in (usable[1:] if refers else usable)]
        if first.type in _REFERRING and not actions:
            return None, ()
        timer, mask, rest = self._setup(first)
        kind = TriggerType.MONKEY if first.type in (CONDITION, MONKEY) else first.type
        function = FloorTrigger(
            type=int(kind),
            timer=timer,
            one_shot=first.one_shot,
            mask=mask,
            reference=action.parameter if refers else None,
            actions=tuple(actions),
            setup_rest=rest,
        )
        return function, tuple(each.number for each, _ in usable)

    def _setup(self, first: Trigger) -> tuple[int, int, int]:
        """Return timer, code bits and the two bits above them."""
        timer = _number(first.timer) & 0xFF
        if self._plan.target.trng and first.type == CONDITION:
            extra = _number(first.extra)
            return timer, extra & 31, extra >> 5 & 3
        if self._plan.target.trng and first.target_type == FLIP_EFFECT:
            is_new = _number(first.target) > _LAST_OLD_EFFECT or _number(first.plugin) > 0
            timer = 0 if is_new else timer
        return timer, first.code_bits & 31, 0

    def _action(self, trigger: Trigger, room: Room) -> Action | None:
        """Return a trigger's action, None with a warning if there is none."""
        plan, kind = self._plan, trigger.target_type
        traits = plan.target.game.traits
        last = TIMER_FIELD if plan.target.trng else traits.last_action
        highest = TriggerType.CLIMB if plan.target.trng else traits.last_trigger_type
        problem = ""
        target = None
        if kind in _TEN_TARGETS:
            problem = T("a trigger that runs events is for TombEngine only and is omitted")
        elif kind > last or (kind == ACTION_NG and traits.has_trng and not plan.target.trng):
            problem = T(
                "a trigger has an action that the game does not have ({kind}) and is omitted", kind=kind
            )
        elif (TriggerType.MONKEY if trigger.type == MONKEY else trigger.type) > highest:
            problem = T(
                "a trigger has a type that the game does not have ({kind}) and is omitted", kind=trigger.type
            )
        else:
            target = self._target(trigger)
        if target is None:
            problem = problem or T("the object of a trigger does not exist, so the trigger is omitted")
            plan.log.warn(about(room.name, problem))
            return None
        number = kind
        if kind == PARAMETER:
            number = ActionType.OBJECT if trigger.target.kind == ParameterKind.OBJECT else PARAMETER
        return Action(int(number), target & _PARAMETER, self._extra(trigger))

    def _extra(self, trigger: Trigger) -> int | None:
        """Return the extra word of an action, None without."""
        kind, timer, extra = trigger.target_type, _number(trigger.timer), _number(trigger.extra)
        word = EXTRA_ONCE.put(0, int(trigger.one_shot))
        if kind == CAMERA:
            camera = self._plan.objects.get(_object(trigger.target))
            move = camera.move_timer if isinstance(camera, Camera) else 0
            return EXTRA_MOVE.put(EXTRA_TIMER.put(word, timer & 0xFF), EXTRA_MOVE.fit(move))
        if kind == FLYBY and self._plan.target.game.traits.has_flybys:
            return word
        if self._plan.target.trng and kind in (FLIP_EFFECT, ACTION_NG):
            has_extra = trigger.extra.kind != ParameterKind.NONE
            value = timer & 0xFF | extra << 8 if has_extra or kind == ACTION_NG else timer
            return value & 0x7FFF
        return None

    def _target(self, trigger: Trigger) -> int | None:
        """Return the number that an action acts on, None if it does not exist."""
        plan, target = self._plan, trigger.target
        if target.kind == ParameterKind.NONE:
            return 0
        if target.kind == ParameterKind.STRING:
            return None
        if target.kind == ParameterKind.ROOM:
            return plan.index.get(int(target.value))
        if target.kind == ParameterKind.NUMBER:
            return int(target.value)
        obj = plan.objects.get(int(target.value))
        if isinstance(obj, Moveable):
            return plan.items.get(obj.number)
        if isinstance(obj, Camera | Sink):
            return plan.cameras.get(obj.number)
        if isinstance(obj, Flyby):
            return obj.sequence
        if isinstance(obj, Static):
            return plan.script_id(obj)
        return None


def sorted_triggers(triggers: Sequence[Trigger]) -> list[Trigger]:
    """Return the triggers of a sector in the order of the level: first that which decides when they act."""
    first = next((each for each in triggers if each.type in _LEADING), triggers[0])
    others = [each for each in triggers if each is not first]
    return [first, *sorted(others, key=lambda each: each.target_type in _LAST)]


def _number(parameter: Parameter) -> int:
    return int(parameter.value) if parameter.kind == ParameterKind.NUMBER else 0


def _object(parameter: Parameter) -> int:
    return int(parameter.value) if parameter.kind == ParameterKind.OBJECT else -1


def plugin_of(trigger: Trigger) -> int:
    """Return the number of the TRNG plugin of a trigger's condition or action, 0 for TRNG itself."""
    return _number(trigger.plugin) & 0xFF
