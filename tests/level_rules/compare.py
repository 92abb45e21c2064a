"""Comparison of the product's rules with the second opinion."""

from __future__ import annotations

from io_tomb_raider.formats import Level
from io_tomb_raider.formats.base.errors import FormatError
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.edits.rules.rule import Rule
from io_tomb_raider.formats.edits.rules.rules import RULES
from io_tomb_raider.formats.levels.views.decoded import Decoded

from .opinion import CRASHES, crashes

# Rules of which another check of the product reports a part of the places.
_SHARED = frozenset({"pose of still models", "sprite sequences", "number of bones"})
_BOTH: tuple[Rule, ...] = tuple(
    rule for rule in RULES if rule.name in CRASHES and rule.name not in _SHARED and rule.find is not None
)


def broken_rules(level: Level, rules: tuple[Rule, ...] = _BOTH) -> dict[str, set[int]]:
    """Return the elements that break each of the product's rules, by its name."""
    return {name: places for name, places in _answers(level, rules).items() if places}


def rules_of_readers(level: Level) -> set[str]:
    """Return the names of the product's rules, of any harm, that a level breaks."""
    return set(broken_rules(level, RULES))


def newly_broken(before: Level, after: Level) -> set[str]:
    """Return the names of rules, of any harm, that a level keeps and what is made of it breaks."""
    return rules_of_readers(after) - rules_of_readers(before)


def _answers(level: Level, rules: tuple[Rule, ...]) -> dict[str, set[int] | None]:
    """Return the elements that break each rule, None where records cannot be decoded."""
    checked = Decoded(level, Target.ORIGINAL)
    result: dict[str, set[int] | None] = {}
    for rule in rules:
        try:
            result[rule.name] = {each.obj.number for each in rule.findings(checked)}
        except FormatError:
            result[rule.name] = None
    return result


def disagreements(level: Level) -> list[str]:
    """Return where the two differ: the rule, and the elements that only one of them names.

    Rules of records that the product cannot decode say nothing: its reader refuses such a level.
    """
    ours, theirs = _answers(level, _BOTH), crashes(level)
    result = []
    for name, mine in ours.items():
        yours = theirs.get(name, set())
        if mine is not None and mine != yours:
            result.append(
                f"{name}: only the product says {sorted(mine - yours)}, only the other {sorted(yours - mine)}"
            )
    return result
