"""Rules of style: words that texts do not use, and where they are used all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

# What is no prose: blocks and spans of code, comments, targets of links, placeholders.
_CODE = re.compile(
    r"^```.*?^```|^(?: {4}|\t).*?$|`[^`\n]*`|<!--.*?-->|\]\([^)\n]*\)|\{\w*\}", re.DOTALL | re.MULTILINE
)
# Lines of lists may be indented as far as code.
_LIST = re.compile(r"^\s*(?:[-*]|\d+\.) ")


class Rule(NamedTuple):
    """A pattern of words, and the advice what to write."""

    pattern: re.Pattern[str]
    advice: str


class Hit(NamedTuple):
    """A place that breaks a rule; lines count from 1."""

    line: int
    words: str
    advice: str


def read_rules(path: Path) -> list[Rule]:
    """Read a file of rules. Raises ValueError for a line that is no rule."""
    rules = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        pattern, arrow, advice = line.partition(" -> ")
        if not arrow or not advice:
            raise ValueError(f"{path.name}: {line!r} is no rule `pattern -> advice`")
        words = pattern.replace(" ", r"\s+")
        rules.append(Rule(re.compile(rf"\b(?:{words})(?!\w)", re.IGNORECASE), advice))
    return rules


def hits(text: str, rules: Sequence[Rule]) -> Iterator[Hit]:
    """Yield the places of a text that break a rule, by rule."""
    prose = _CODE.sub(_blank, text)
    for rule in rules:
        for found in rule.pattern.finditer(prose):
            words = " ".join(found[0].split())
            yield Hit(prose.count("\n", 0, found.start()) + 1, words, rule.advice)


def _blank(code: re.Match[str]) -> str:
    """Return spaces in place of code, and its line breaks."""
    if _LIST.match(code[0]):
        return code[0]
    return re.sub(r"[^\n]", " ", code[0])
