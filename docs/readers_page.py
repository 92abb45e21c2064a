"""The page of the manual that lists all rules of readers.

python -m docs.readers_page
"""

from __future__ import annotations

from pathlib import Path

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.edits.rules.rule import READERS, Rule
from io_tomb_raider.formats.edits.rules.rules import CHAPTERS

PAGE = Path(__file__).parent / "readers.md"
_HEAD = """# Rules of engines and editors

Engines and editors require more of a level than its format. This page lists these rules for developers of
level editors and converters: they were read from the sources of the readers, and levels of the games keep
them.

- *Check Level* and `check` report levels that break them ([Check Level](check.md)). What the imported file
  already breaks is information only.
- "crash": the reader ends, hangs or reads other memory. "missing": something is not drawn, heard or opened.
  "wrong": another picture, sound or move. "cosmetic": single pixels, or a warning; information only.
- "it" and "its" are the element: the room, model, mesh or entity. `{count}` is a number.
- A rule with * is found by another check of the same meaning, such as those of limits and references.
- Levels for TRX need not keep rules of the original game only.

## Readers

| reader | state of its sources |
|---|---|
"""


def page() -> str:
    """Return the text of the page."""
    text = _HEAD + "".join(f"| {name} | {state} |\n" for name, state in READERS.items())
    for chapter, rules in CHAPTERS.items():
        text += f"\n## {chapter}\n\n| rule | games | what | readers | what happens, and the remedy |\n"
        text += "|---|---|---|---|---|\n" + "".join(map(_row, rules))
    return text


def _row(rule: Rule) -> str:
    games = (
        "all"
        if rule.games == frozenset(Game)
        else ", ".join(game.name for game in Game if game in rule.games)
    )
    games += "" if rule.holds_in_trng else ", not TRNG"
    name = rule.name + ("" if rule.find is not None else " *")
    harm = rule.harm.name.lower()
    readers = "all" if rule.readers == tuple(READERS) else ", ".join(rule.readers)
    return f"| {name} | {games} | {harm} | {readers} | {rule.text} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
