"""Triggers that Tomb Editor compiles: their types, targets and parameters.

The editor omits a trigger without a warning if its parameters differ from those in its catalog of flip
effects, actions and conditions: an unused parameter has to be none, and not the number 0.
"""

from __future__ import annotations

from ....base.games import Game
from ....levels.floor.functions import ActionType, TriggerType
from .objects import Parameter, ParameterKind, ProjectTrigger

# Types of triggers in projects that levels number otherwise.
CONDITION, MONKEY = 12, 17
# Kinds of targets beyond those of levels.
LOOK_AT, FLIP_EFFECT, ACTION_NG, FLYBY, PARAMETER, FMV, TIMER_FIELD = 6, 9, 11, 12, 13, 14, 15

_BYTE = 0xFF
_NONE = Parameter(ParameterKind.NONE)


def _numbers(ranges: str) -> frozenset[int]:
    """Return the numbers of ranges: "1 3-5" are 1, 3, 4 and 5."""
    ends = (each.split("-") for each in ranges.split())
    return frozenset(number for each in ends for number in range(int(each[0]), int(each[-1]) + 1))


# The games whose flip effects are in the editor's catalog: these, those without a timer, and those with an
# extra parameter.
_WITH_CATALOG = frozenset({Game.TR4})
_EFFECTS = _numbers("1-2 4-5 7-8 10-12 14-17 26 28 30-31 44-411")
_WITHOUT_TIMER = _numbers(
    "1-2 4-5 7-8 11-12 14-17 26 31 44 46 55 61-62 67 69 74 76 83 92-93 101 103 114 120 202 213 215-216 "
    "218 223 225 298-302 348 351 356 365 368 380 384 392"
)
_WITH_EXTRA = _numbers(
    "48 50-51 53-54 64-66 68 77-80 82 85 87-88 90-91 94 98-100 102 105-112 115-119 123-124 129 131-146 "
    "150 152-155 158 191 193 195-196 201 203 205-210 214 217 219 222 228-229 231-235 238-240 242-264 "
    "266-270 279-282 290-291 293-296 303 305-331 333-334 336-342 346-347 349-350 354-355 357 359 "
    "363-364 366 369 381-383 385-390 393 397-402 411"
)
_ACTIONS_WITHOUT_EXTRA = _numbers("28 42 46-47 54 60-62 77-78 85 94-95")
_CONDITIONS_WITHOUT_EXTRA = _numbers("1-2 15-19 26-28 30-31 33-35 46-48 56-59 81 85-92")


def is_compiled(trigger: ProjectTrigger, game: Game, *, trng: bool, trx: bool = False) -> bool:
    """Return whether the editor compiles a trigger with its type and target for a game, TRNG, or TRX."""
    traits, kind, target = game.traits, trigger.type, trigger.target_type
    if kind == CONDITION or target == PARAMETER:
        return trng and kind == CONDITION and target == PARAMETER
    if target in (ACTION_NG, FMV, TIMER_FIELD):
        has_target = trng
    else:
        has_target = target <= ActionType.SECRET or (target == FLYBY and (traits.has_flybys or trx))
    if kind == MONKEY:
        return has_target and traits.has_flybys and not trng
    return has_target and kind <= max(traits.last_trigger_type, TriggerType.ANTITRIGGER)


def has_parameters(trigger: ProjectTrigger, game: Game, *, trng: bool) -> tuple[bool, bool]:
    """Return whether the editor compiles a trigger only with a timer, and only with an extra parameter.

    The target and the timer of the trigger count.
    """
    number = trigger.target.value
    if trigger.target_type == FLIP_EFFECT and game in _WITH_CATALOG:
        has_timer = number in _EFFECTS and number not in _WITHOUT_TIMER
        return has_timer, trng and number in _WITH_EXTRA
    if trng and trigger.target_type == ACTION_NG:
        return True, trigger.timer.value not in _ACTIONS_WITHOUT_EXTRA
    if trng and trigger.type == CONDITION:
        return True, trigger.timer.value not in _CONDITIONS_WITHOUT_EXTRA
    return trigger.target_type != TIMER_FIELD, False


def set_word(trigger: ProjectTrigger, word: int | None, game: Game, *, trng: bool) -> None:
    """Set the timer and the extra parameter of an action that has parameters of its own.

    `trigger`: with its type and target, and the timer and setup of its function; changed in place. `word`:
    the word after the action, None without.
    """
    if trigger.target_type == FLIP_EFFECT and game in _WITH_CATALOG:
        number = trigger.target.value
        if number not in _EFFECTS or number in _WITHOUT_TIMER:
            trigger.timer = _NONE
        elif word is not None and trng:
            has_extra = number in _WITH_EXTRA
            trigger.timer = _number(word & _BYTE if has_extra else word)
            trigger.extra = _number(word >> 8) if has_extra else _NONE
        elif trng and number in _WITH_EXTRA:
            trigger.extra = _number(0)
    elif trng and trigger.target_type == ACTION_NG:
        number = (word or 0) & _BYTE
        trigger.timer = _number(number)
        trigger.extra = _NONE if number in _ACTIONS_WITHOUT_EXTRA else _number((word or 0) >> 8)
    elif trng and trigger.target_type == TIMER_FIELD:
        trigger.timer = trigger.extra = _NONE
    elif trng and trigger.type == CONDITION and int(trigger.timer.value) in _CONDITIONS_WITHOUT_EXTRA:
        trigger.extra = _NONE


def _number(value: int) -> Parameter:
    return Parameter(ParameterKind.NUMBER, value)
