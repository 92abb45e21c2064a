"""JSON5 texts, and edits of them that keep all other bytes: comments, spaces, line ends, forms of numbers.

:func:`parse` returns the tree of a text with the place of each value. :func:`edited` replaces a value; the
text of all parts that are equal in both values is kept.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from ....base.errors import TextError
from ....base.messages import T

_DEEPEST = 100  # levels of nesting, far below the limit of recursion
_TRIVIA = re.compile(r"(?:[\s\ufeff]|//[^\n\r\u2028\u2029]*|/\*(?s:.*?)\*/)*")
_LINE_REST = re.compile(r"(?:[^\S\n\r\u2028\u2029]|/\*(?s:.*?)\*/)*(?://[^\n\r\u2028\u2029]*)?")
_INDENT = re.compile(r"[^\S\n\r\u2028\u2029]*")
_NAME = re.compile(r"(?:[^\W\d]|\$)(?:\w|[$\u200c\u200d])*")
_NUMBER = re.compile(
    r"[+-]?(?:Infinity|NaN|0[xX][0-9a-fA-F]+|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$.])",
    re.ASCII,
)
_PLAIN = {quote: re.compile(rf"[^\\{quote}\n\r]*") for quote in "\"'"}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_WORDS = {"true": True, "false": False, "null": None}

# Values: objects, lists, strings, numbers, True, False, None.
Value = Any


@dataclass(frozen=True)
class Node:
    """A value in a text."""

    #: start, end: its position in the text, in characters.
    start: int
    end: int
    value: Value  #: the value; that of an object or list without their nodes, as for Python's json.
    #: of an object, in order; a name may occur more than once, and the last one counts.
    members: tuple[Member, ...] = ()
    items: tuple[Node, ...] = ()  #: of a list.

    def get(self, name: str) -> Node | None:
        """Return the value of an object's member, or None without one."""
        return next((each.node for each in reversed(self.members) if each.name == name), None)


class Member(NamedTuple):
    """A member of an object: the start of its name, its name and its value."""

    start: int
    name: str
    node: Node


def parse(text: str) -> Node:
    """Return the tree of a JSON5 text. Raises TextError if it is no JSON5."""
    parser = _Parser(text)
    node = parser.value(parser.skip(0), 0)
    end = parser.skip(node.end)
    if end < len(text):
        raise parser.error(end, T("only one value is possible here"))
    return node


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Return the end of a pattern that begins at a position, or the position itself."""
    match = pattern.match(text, position)
    return position if match is None else match.end()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, position: int, problem: str) -> TextError:
        return TextError(self.text.count("\n", 0, position) + 1, problem)

    def skip(self, position: int) -> int:
        """Return the position after spaces and comments."""
        return _end(_TRIVIA, self.text, position)

    def value(self, position: int, depth: int) -> Node:
        text = self.text
        first = text[position : position + 1]
        if depth > _DEEPEST:
            raise self.error(position, T("this is nested too deeply"))
        if first == "{":
            return self.object(position, depth)
        if first == "[":
            return self.list(position, depth)
        if first in ('"', "'"):
            content, end = self.string(position)
            return Node(position, end, content)
        word = _NAME.match(text, position)
        if word is not None and word[0] in _WORDS:
            return Node(position, word.end(), _WORDS[word[0]])
        number = _NUMBER.match(text, position)
        if number is None:
            raise self.error(position, T("a value is needed here"))
        return Node(position, number.end(), self.number(number[0], position))

    def number(self, text: str, position: int) -> int | float:
        digits = text.lstrip("+-")
        sign = -1 if text[0] == "-" else 1
        if digits[:2].lower() == "0x":
            return sign * int(digits, 16)
        if digits.isdigit():
            if len(digits) > 40:  # int() refuses some thousands
                raise self.error(position, T("this number is too long"))
            return sign * int(digits)
        return sign * float({"Infinity": "inf", "NaN": "nan"}.get(digits, digits))

    def string(self, start: int) -> tuple[str, int]:
        """Return a string and the position after it."""
        text, quote, position = self.text, self.text[start], start + 1
        pieces: list[str] = []
        while True:
            plain = _PLAIN[quote].match(text, position)
            if plain is not None:
                pieces.append(plain[0])
                position = plain.end()
            if text[position : position + 1] == quote:
                return "".join(pieces), position + 1
            if text[position : position + 1] != "\\":
                raise self.error(start, T("the string has no end"))
            code = text[position + 1 : position + 2]
            position += 2
            if code in ("x", "u"):
                size = 2 if code == "x" else 4
                digits = text[position : position + size]
                if not re.fullmatch(rf"[0-9a-fA-F]{{{size}}}", digits):
                    raise self.error(position, T("{digits!r} is no character's number", digits=digits))
                pieces.append(chr(int(digits, 16)))
                position += size
            elif code == "\r":
                # A line break that is not part of the string.
                position += text[position : position + 1] == "\n"
            elif code not in ("\n", "\u2028", "\u2029"):
                pieces.append(_ESCAPES.get(code, code))

    def object(self, start: int, depth: int) -> Node:
        members: list[Member] = []
        position = self.skip(start + 1)
        while self.text[position : position + 1] != "}":
            name_start = position
            if self.text[position : position + 1] in ('"', "'"):
                name, position = self.string(position)
            else:
                match = _NAME.match(self.text, position)
                if match is None:
                    raise self.error(position, T("a name or a closing bracket is needed here"))
                name, position = match[0], match.end()
            position = self.skip(position)
            if self.text[position : position + 1] != ":":
                raise self.error(position, T("a colon is needed here"))
            node = self.value(self.skip(position + 1), depth + 1)
            members.append(Member(name_start, _joined(name), node))
            position = self.next(node.end, "}")
        value = {member.name: member.node.value for member in members}
        return Node(start, position + 1, value, members=tuple(members))

    def list(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        position = self.skip(start + 1)
        while self.text[position : position + 1] != "]":
            items.append(self.value(position, depth + 1))
            position = self.next(items[-1].end, "]")
        return Node(start, position + 1, [item.value for item in items], items=tuple(items))

    def next(self, position: int, closing: str) -> int:
        """Return the position of the next element, or of the closing bracket."""
        position = self.skip(position)
        if self.text[position : position + 1] == ",":
            return self.skip(position + 1)
        if self.text[position : position + 1] != closing:
            raise self.error(position, T("a comma or a closing bracket is needed here"))
        return position


def _joined(text: str) -> str:
    """Return a text in which surrogates, as escapes may give them, are one character each."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# --- Edits ----------------------------------------


class TextSplice(NamedTuple):
    """A part of a text, and its new text."""

    start: int
    end: int
    text: str


def edited(text: str, node: Node, value: Value) -> str:
    """Return a text with another value of a node; the text of equal parts of both values is unchanged."""
    return spliced(text, _changes(text, node, value))


def spliced(text: str, splices: Iterable[TextSplice]) -> str:
    """Return a text with other texts in some parts."""
    pieces: list[str] = []
    position = 0
    for splice in sorted(splices, key=lambda change: (change.start, change.end)):
        pieces += (text[position : max(position, splice.start)], splice.text)
        position = max(position, splice.end)
    return "".join((*pieces, text[position:]))


def is_same(first: Value, second: Value) -> bool:
    """Return whether two values are equal. 1 and 1.0 are, 1 and True are not."""
    return _key(first) == _key(second)


def _key(value: Value) -> object:
    if isinstance(value, Mapping):
        return "object", frozenset((name, _key(each)) for name, each in value.items())
    if isinstance(value, list | tuple):
        return "list", tuple(map(_key, value))
    if isinstance(value, bool) or value is None:
        return "word", value
    if isinstance(value, float) and math.isnan(value):
        return "number", "nan"
    return "string" if isinstance(value, str) else "number", value


def _changes(text: str, node: Node, value: Value) -> Iterator[TextSplice]:
    if is_same(node.value, value):
        return
    if isinstance(value, Mapping) and isinstance(node.value, dict):
        yield from _object_changes(text, node, value)
    elif isinstance(value, list | tuple) and isinstance(node.value, list):
        yield from _list_changes(text, node, value)
    else:
        yield TextSplice(node.start, node.end, dumped(value, _indent_of(text, node.start)))


def _object_changes(text: str, node: Node, value: Mapping[str, Value]) -> Iterator[TextSplice]:
    spans = [_Span(each.start, each.node.end) for each in node.members]
    last = {each.name: index for index, each in enumerate(node.members)}
    removed = {index for index, each in enumerate(node.members) if each.name not in value}
    for name, index in last.items():
        if name in value:
            yield from _changes(text, node.members[index].node, value[name])
    container = _Container(text, node, spans)
    new = {name: each for name, each in value.items() if name not in last}
    yield from container.without(removed, has_new=bool(new))
    indent = container.indent
    yield from container.with_new(
        len(spans), [f"{_string(name)}: {dumped(each, indent)}" for name, each in new.items()], removed
    )


def _list_changes(text: str, node: Node, value: Sequence[Value]) -> Iterator[TextSplice]:
    container = _Container(text, node, [_Span(each.start, each.end) for each in node.items])
    old, new = [_key(each) for each in node.value], [_key(each) for each in value]
    removed: set[int] = set()
    added: list[tuple[int, list[str]]] = []
    for tag, first, end, new_first, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        shared = min(end - first, new_end - new_first)
        for index in range(shared):
            yield from _changes(text, node.items[first + index], value[new_first + index])
        removed.update(range(first + shared, end))
        texts = [dumped(each, container.indent) for each in value[new_first + shared : new_end]]
        if texts:
            added.append((first + shared, texts))
    yield from container.without(removed, has_new=bool(added))
    for index, texts in added:
        yield from container.with_new(index, texts, removed)


class _Span(NamedTuple):
    start: int
    end: int


class _Container:
    """An object or list whose elements are removed, or get new ones after them."""

    def __init__(self, text: str, node: Node, spans: Sequence[_Span]) -> None:
        self.text, self.node, self.spans = text, node, spans
        inner = text[node.start : node.end]
        self.line_break = "\r\n" if "\r\n" in text else "\n"
        outer_indent = _indent_of(text, node.start)
        self.is_tall = any(_starts_line(text, span.start) for span in spans) or (not spans and "\n" in inner)
        first = next((span.start for span in spans if _starts_line(text, span.start)), None)
        self.indent = outer_indent + _unit(text) if first is None else _indent_of(text, first)

    def _after(self, index: int) -> tuple[int, bool]:
        """Return the position after an element and its comma, and whether it has a comma."""
        end = self.spans[index].end
        comma = _end(_TRIVIA, self.text, end)
        if self.text[comma : comma + 1] == ",":
            return comma + 1, True
        return end, False

    def without(self, removed: set[int], *, has_new: bool) -> Iterator[TextSplice]:
        """Yield the changes that remove elements, with the rest of lines that they alone are on."""
        tail = len(self.spans)
        while tail - 1 in removed and not self.is_tall and not has_new:
            tail -= 1
        for index in sorted(removed):
            start = self.spans[index].start
            end, has_comma = self._after(index)
            if index == tail > 0 and not self._after(len(self.spans) - 1)[1]:
                # The comma before the last elements goes, too, unless a comment follows it.
                comma = self._after(index - 1)[0]
                start = start if self.text[comma:start].strip() else comma - 1
            elif has_new and index == len(self.spans) - 1 > 0 and not (has_comma or self.is_tall):
                before = self._after(index - 1)[0]  # new elements follow there
                start = start if self.text[before:start].strip() else before
            if _starts_line(self.text, self.spans[index].start):
                line_end = _end(_LINE_REST, self.text, end)
                if line_end < len(self.text) and self.text[line_end] in "\r\n":
                    end = line_end + (2 if self.text.startswith("\r\n", line_end) else 1)
                    start -= len(_indent_of(self.text, self.spans[index].start))
            elif has_comma:
                end += len(self.text[end:]) - len(self.text[end:].lstrip(" \t"))
            yield TextSplice(start, end, "")

    def with_new(self, index: int, texts: Sequence[str], removed: set[int]) -> Iterator[TextSplice]:
        """Yield the changes that add elements before the one of an index, which may be after the last."""
        if not texts:
            return
        before = next((each for each in range(index - 1, -1, -1) if each not in removed), None)
        lead = f"{self.line_break}{self.indent}"
        if before is None:
            # At the start: after the bracket.
            position = self.node.start + 1
            is_only = len(removed) == len(self.spans)
            if self.is_tall:
                position = _end(_LINE_REST, self.text, position)
                yield TextSplice(position, position, "".join(f"{lead}{each}," for each in texts))
            else:
                yield TextSplice(position, position, ", ".join(texts) + ("" if is_only else ", "))
            return
        position, has_comma = self._after(before)
        if not has_comma:
            yield TextSplice(position, position, ",")
        if self.is_tall:
            line_end = _end(_LINE_REST, self.text, position)
            if self.text[line_end : line_end + 1] in ("\r", "\n"):
                position = line_end
        lead = lead if self.is_tall else " "
        follows = any(each not in removed for each in range(before + 1, len(self.spans)))
        joined = ",".join(f"{lead}{each}" for each in texts)
        ends_with_comma = self._after(len(self.spans) - 1)[1]
        yield TextSplice(position, position, joined + ("," if follows or ends_with_comma else ""))


def _line_start(text: str, position: int) -> int:
    return max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1


def _starts_line(text: str, position: int) -> bool:
    start = _line_start(text, position)
    return start > 0 and not text[start:position].strip()


def _indent_of(text: str, position: int) -> str:
    """Return the spaces at the start of a position's line."""
    match = _INDENT.match(text, _line_start(text, position), position)
    return "" if match is None else match[0]


def _unit(text: str) -> str:
    """Return what a text indents by."""
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match else "    "


def dumped(value: Value, indent: str = "") -> str:
    """Return the text of a value: on one line, except lists of objects, and objects with such lists.

    The indent is that of its first line.
    """
    inner = indent + "    "
    if isinstance(value, Mapping):
        parts = [f"{_string(name)}: {dumped(each, inner)}" for name, each in value.items()]
        if any("\n" in each for each in parts):
            return "{\n" + "".join(f"{inner}{each},\n" for each in parts) + indent + "}"
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list | tuple):
        parts = [dumped(each, inner) for each in value]
        if any(isinstance(each, Mapping) for each in value):
            return "[\n" + "".join(f"{inner}{each},\n" for each in parts) + indent + "]"
        return "[" + ", ".join(parts) + "]"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return json.dumps(value)


def _string(value: str) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
