"""Tutorials as steps with code, and their execution in Blender."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from . import screen

FOLDER = Path(__file__).parent.parent.parent / "docs" / "tutorials"
_BLOCK = re.compile(
    r'<details markdown="1">\s*<summary>In Python</summary>\s*```python\n(.*?)```\s*</details>', re.DOTALL
)


@dataclass(frozen=True)
class Step:
    """A step of a tutorial: its text, the equivalent code, and the code's line number."""

    text: str
    code: str
    line: int


def steps_of(page: str) -> list[Step]:
    """Return the steps of a page. Text after the last code block is a step without code."""
    content = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    steps, end = [], 0
    for block in _BLOCK.finditer(content):
        line = content.count("\n", 0, block.start(1))
        steps.append(Step(content[end : block.start()], block.group(1), line))
        end = block.end()
    assert steps and "```python" not in content[end:], f"{page} has code that is in no step"
    return [*steps, Step(content[end:], "", 0)]


def run(page: str, instead: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run a tutorial in the current folder, step by step; return the names that its code defines.

    Every name that a step marks must be on the screen, before the step or after it.
    Args:
        page: its name.
        instead: replacements in its code for a level of another game; each key must occur.
    """
    names: dict[str, Any] = {"bpy": bpy}
    before = screen.seen_now()
    steps = steps_of(page)
    assert all(any(each in step.code for step in steps) for each in instead or {})
    for step in steps:
        code = "\n" * step.line + step.code
        for words, others in (instead or {}).items():
            code = code.replace(words, others)
        exec(compile(code, str(FOLDER / f"{page}.md"), "exec"), names)
        after = screen.seen_now()
        unknown = screen.unknown_words(list(screen.marked(step.text)), before | after)
        assert not unknown, f"{page}: not to be seen: {unknown}"
        before = after
    return names
