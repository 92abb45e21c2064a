"""Messages with named arguments, which the interface can translate.

A message is plain English text for everything that does not translate: errors, reports, the command line. It
also keeps its template and arguments, as gettext needs them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, SupportsFloat

_PACKED = '{"template":'
_PLACEHOLDER = re.compile(r"\{\w+(?:![rs])?(?::[\d.,]{0,4}[a-z]?)?\}|\{\{|\}\}")  # in templates of files


class Text(str):
    """A message in English."""

    __slots__ = ("template", "values")

    template: str  #: the text that translations are looked up by, with placeholders such as ``{count}``.
    #: its arguments by name: other messages, numbers, or names that are never translated.
    values: dict[str, Any]

    def __new__(cls, template: str, values: dict[str, Any]) -> Text:
        result = super().__new__(cls, template.format_map(values) if values else template)
        result.template, result.values = template, values
        return result

    def __reduce__(self) -> tuple[type[Text], tuple[str, dict[str, Any]]]:
        return Text, (self.template, self.values)

    def __str__(self) -> str:
        """Return the message itself, so that the text of an exception is a message, too."""
        return self

    def __add__(self, other: str) -> Text:
        return Text("{first}{second}", {"first": self, "second": other})

    def __radd__(self, other: str) -> Text:
        return Text("{first}{second}", {"first": other, "second": self})

    def mapped(self, change: Callable[[Any], Any]) -> Text:
        """Return this message with changed arguments, also within the messages among them."""
        values = {
            name: value.mapped(change) if isinstance(value, Text) else change(value)
            for name, value in self.values.items()
        }
        return Text(self.template, values)


_ABOUT = "{subject}: {problem}"


def T(template: str, /, **values: str | SupportsFloat) -> Text:  # noqa: N802 (as short as gettext's name)
    """Return a message.

    Args:
        template: a literal, in which ``{name}`` or ``{name:g}`` stands for an argument. Without arguments,
            braces stand for themselves.
        values: the arguments: other messages, numbers, or names that are never translated.
    """
    return Text(template, values)


def N_(template: str, /) -> str:  # noqa: N802 (the name that gettext uses)
    """Mark a template in a table, from which :class:`Text` makes messages later."""
    return template


def plural(singular: str, many: str, count: int, /, **values: str | SupportsFloat) -> Text:
    """Return a message that depends on a number, which its templates may contain as ``{count}``."""
    return Text(singular if count == 1 else many, {"count": count, **values})


def as_message(text: str, /) -> Text:
    """Return a label or noun from a table as a message. The texts of tables are extracted separately."""
    return text if isinstance(text, Text) else Text(text, {})


def about(subject: str, problem: str) -> Text:
    """Return a message about an object or file, whose name is not translated."""
    return Text(_ABOUT, {"subject": subject, "problem": problem})


def without_subject(text: str, subject: str) -> str:
    """Return the second part of a message that :func:`about` made about a subject, others unchanged."""
    if isinstance(text, Text) and text.template == _ABOUT and text.values["subject"] == subject:
        return str(text.values["problem"])
    return text


def outline(text: str) -> str:
    """Return what messages of one kind have in common: the templates of a message and of those within it."""
    if not isinstance(text, Text):
        return text
    return "\n".join(
        [text.template, *(outline(each) for each in text.values.values() if isinstance(each, Text))]
    )


def joined(separator: str, texts: Iterable[str]) -> str:
    """Return texts in one, as ``separator.join`` does. Messages among them stay messages."""
    parts = list(texts)
    if not any(isinstance(part, Text) for part in (separator, *parts)):
        return separator.join(parts)
    values: dict[str, Any] = {f"part{number}": part for number, part in enumerate(parts)}
    placeholders = [f"{{{name}}}" for name in values]
    return Text("{separator}".join(placeholders), {**values, "separator": separator})


def pack(text: str) -> str:
    """Return a text in a form that can be stored, from which :func:`unpack` restores messages.

    Messages without arguments are stored as they are: a translation finds them by their text.
    """
    has_values = isinstance(text, Text) and text.values
    return json.dumps(_packed(text), ensure_ascii=False) if has_values else text


def _packed(value: Any) -> Any:
    if isinstance(value, Text):
        values = {name: _packed(each) for name, each in value.values.items()}
        return {"template": value.template, "values": values}
    if isinstance(value, bool | int | float):
        return value
    item = getattr(value, "item", None)  # numbers of NumPy
    return _packed(item()) if item is not None else str.__str__(str(value))


def unpack(stored: str) -> str:
    """Return the text that :func:`pack` packed. Other texts, as of older files, are returned unchanged.

    Placeholders of templates reach neither attributes nor great widths, since files may come from anywhere.
    """
    if not stored.startswith(_PACKED):
        return stored
    try:
        return _unpacked(json.loads(stored))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return stored


def _unpacked(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    template = str(value["template"])
    if not {"{", "}"}.isdisjoint(_PLACEHOLDER.sub("", template)):
        raise ValueError(template)
    return Text(template, {name: _unpacked(each) for name, each in value["values"].items()})
