"""The catalogue of TRNG: its flipeffects, actions and conditions, with the meaning of their values.

The file has sections of lines with a number, a name and the meanings of up to two values, separated by
tabs. A meaning is a label, or a label, a bar and the kind of the value: the name of another section, whose
lines are values and their names, or "slot", "entity", "sound" or "track".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from .tables import table_lines

_NOTHING: Mapping[int, str] = MappingProxyType({})


class Meaning(NamedTuple):
    """The meaning of a value."""

    label: str  #: what it is.
    #: the name of its list of values, or "slot", "entity", "sound", "track"; "" for plain numbers.
    kind: str = ""


class Effect(NamedTuple):
    """A flipeffect, an action or a condition."""

    name: str
    #: the meaning of the first value of a flipeffect (the low byte), of the value of an action, and of the
    #: parameter of a condition; None if it is not used.
    first: Meaning | None = None
    #: the meaning of the second value of a flipeffect, and of the value of a condition; or None.
    second: Meaning | None = None


class Trng(NamedTuple):
    """The catalogue, by number."""

    flipeffects: Mapping[int, Effect]  #: those that TRNG adds to the game's own.
    actions: Mapping[int, Effect]  #: actions on objects.
    conditions: Mapping[int, Effect]  #: conditions of triggers.
    values: Mapping[str, Mapping[int, str]]  #: lists of values by their name.

    def named(self, meaning: Meaning | None) -> Mapping[int, str]:
        """Return the names of a value by number; none if it has no list."""
        return _NOTHING if meaning is None else self.values.get(meaning.kind, _NOTHING)


@cache
def trng() -> Trng:
    """Return the catalogue, cached."""
    sections: dict[str, dict[int, list[str]]] = {}
    section: dict[int, list[str]] = {}
    for line in table_lines("trng"):
        if line.startswith("["):
            section = sections.setdefault(line[1:-1], {})
        elif line:
            number, *columns = line.split("\t")
            section[int(number)] = columns
    kinds = ("flipeffect", "action", "condition")
    flipeffects, actions, conditions = (
        MappingProxyType({number: _effect(*columns) for number, columns in sections[kind].items()})
        for kind in kinds
    )
    values = {
        name: MappingProxyType({number: columns[0] for number, columns in rows.items()})
        for name, rows in sections.items()
        if name not in kinds
    }
    return Trng(flipeffects, actions, conditions, MappingProxyType(values))


def _effect(name: str, *meanings: str) -> Effect:
    return Effect(name, *(Meaning(*each.split("|")) for each in meanings))


def effect_names(effects: Mapping[int, Effect]) -> dict[int, str]:
    """Return the names of flipeffects, actions or conditions by number."""
    return {number: effect.name for number, effect in effects.items()}
