"""Writing of translation files, and the placeholders of their texts."""

from __future__ import annotations

from pathlib import Path
from string import Formatter


def write_texts(path: Path, texts: dict[str, str], head: str) -> None:
    """Write a file of texts, starting with a comment."""
    lines = [*(f"# {line}".rstrip() for line in head.splitlines()), 'msgid ""', 'msgstr ""']
    lines.append('"Content-Type: text/plain; charset=UTF-8\\n"')
    for text, translation in texts.items():
        lines += ["", f'msgid "{_escaped(text)}"', f'msgstr "{_escaped(translation)}"']
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def placeholders(text: str) -> set[str]:
    """Return the placeholders of a template, such as ``count`` or ``speed:g``.

    Raises:
        ValueError: braces do not match.
    """
    result = set()
    for _, name, form, conversion in Formatter().parse(text):
        if name is not None:
            result.add(name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else ""))
    return result
