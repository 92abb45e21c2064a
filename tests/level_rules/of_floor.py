"""Rules of floor data."""

from __future__ import annotations

from .raw import Places, Raw, crash

_FLOOR, _CEILING = (2, 7, 8, 11, 12, 13, 14), (3, 9, 10, 15, 16, 17, 18)
SLOPES = _FLOOR + _CEILING
_LAST_FUNCTION = {1: 5, 2: 6, 3: 21, 4: 21, 5: 21}
_FLIP_EFFECTS = {1: 17, 2: 32, 3: 60, 4: 47, 5: 59}
_FLIP_EFFECT = 9


def _rank(kind: int) -> int:
    """Return the place of a function in its list: floor, ceiling, portal, and the rest."""
    return 0 if kind in _FLOOR else 1 if kind in _CEILING else 2 if kind == 1 else 3


@crash("function order")
def function_order(raw: Raw) -> Places:
    for number in range(len(raw.level.rooms)):
        for _, _, record in raw.sectors(number):
            ranks = [_rank(each.kind) for each in raw.functions(record)]
            if ranks != sorted(ranks):
                yield number


@crash("functions")
def functions(raw: Raw) -> Places:
    for number in range(len(raw.level.rooms)):
        for _, _, record in raw.sectors(number):
            listed = raw.list_of(record)
            if listed is None or any(each.kind > _LAST_FUNCTION[raw.game] for each in listed):
                yield number


@crash("actions of a trigger")
def actions_of_a_trigger(raw: Raw) -> Places:
    yield from (number for number, trigger in raw.triggers if len(trigger.actions) > 32)


@crash("flip effects", in_trng=False)
def flip_effects(raw: Raw) -> Places:
    limit = _FLIP_EFFECTS[raw.game]
    for number, trigger in raw.triggers:
        if any(kind == _FLIP_EFFECT and effect >= limit for kind, effect in trigger.actions):
            yield number
