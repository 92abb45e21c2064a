"""Random floor data of all kinds."""

from __future__ import annotations

from hypothesis import strategies as st

from io_tomb_raider.formats.levels.floor.functions import (
    Action,
    Beetle,
    Climb,
    Death,
    Deferred,
    Function,
    MonkeySwing,
    Portal,
    Slant,
    Triangulation,
    Trigger,
    TriggerType,
)
from io_tomb_raider.formats.levels.floor.grammar import Rules

TRNG = Rules(trng=True)
RESTS = st.integers(0, 0x3FF).map(lambda bits: bits << 5)
NIBBLES = st.integers(0, 15)


@st.composite
def actions(draw: st.DrawFn, rules: Rules = Rules()) -> Action:  # noqa: B008
    kind = draw(st.integers(0, 31))
    extra = draw(st.integers(0, 0x7FFF)) if kind in rules.extra_types else None
    stray = rules.always_extra and extra is not None and draw(st.booleans())
    return Action(kind, draw(st.integers(0, 1023)), extra, stray)


@st.composite
def triggers(draw: st.DrawFn, rules: Rules = Rules()) -> Trigger:  # noqa: B008
    kind = draw(st.integers(0, 0x7F) | st.sampled_from([2, 3, 4, 12]))
    refers = kind in (TriggerType.SWITCH, TriggerType.KEY, TriggerType.PICKUP)
    done = draw(st.lists(actions(rules), min_size=0 if refers else 1, max_size=4))
    if done and not rules.always_extra and done[-1].extra is not None and draw(st.booleans()):
        done[-1] = Action(done[-1].type, done[-1].parameter)  # the short form of the TRLE's converter
    return Trigger(
        type=kind,
        timer=draw(st.integers(0, 255)),
        one_shot=draw(st.booleans()),
        mask=draw(st.integers(0, 31)),
        reference=draw(st.integers(0, 1023)) if refers else None,
        actions=tuple(done),
        rest=draw(st.integers(0, 7)) << 5,
        setup_rest=draw(st.integers(0, 3)),
        reference_rest=draw(st.integers(0, 31)) if refers and kind != TriggerType.PICKUP else 0,
    )


def functions(rules: Rules = Rules()) -> st.SearchStrategy[Function]:  # noqa: B008
    slopes = st.integers(-128, 127)
    heights = st.integers(-16, 15)
    return st.one_of(
        st.builds(Portal, st.integers(0, 0xFFFF), RESTS),
        st.builds(Slant, st.booleans(), slopes, slopes, RESTS),
        st.builds(
            Triangulation, st.integers(7, 18), heights, heights, st.tuples(NIBBLES, NIBBLES, NIBBLES, NIBBLES)
        ),
        st.builds(Climb, NIBBLES, RESTS.map(lambda bits: bits & 0x70E0)),
        *(st.builds(kind, RESTS) for kind in (Death, MonkeySwing, Deferred, Beetle)),
        triggers(rules),
    )


def lists(rules: Rules = Rules()) -> st.SearchStrategy[list[Function]]:  # noqa: B008
    return st.lists(functions(rules), min_size=1, max_size=5)
