"""JSON5 texts, and edits of them that keep all other bytes: comments, spaces, line ends, forms of numbers.

:func:`parse` returns the tree of a text with the place of each value. :func:`edited` replaces a value; the
text of all parts that are equal in both values is kept.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
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

    #: start, end: its place in the text, in characters.
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


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, at: int, problem: str) -> TextError:
        return TextError(self.text.count("\n", 0, at) + 1, problem)

    def skip(self, at: int) -> int:
        """Return the place after spaces and comments."""
        match = _TRIVIA.match(self.text, at)
        return at if match is None else match.end()

    def value(self, at: int, depth: int) -> Node:
        text = self.text
        first = text[at : at + 1]
        if depth > _DEEPEST:
            raise self.error(at, T("this is nested too deeply"))
        if first == "{":
            return self.object(at, depth)
        if first == "[":
            return self.list(at, depth)
        if first in ('"', "'"):
            content, end = self.string(at)
            return Node(at, end, content)
        word = _NAME.match(text, at)
        if word is not None and word[0] in _WORDS:
            return Node(at, word.end(), _WORDS[word[0]])
        number = _NUMBER.match(text, at)
        if number is None:
            raise self.error(at, T("a value is needed here"))
        return Node(at, number.end(), self.number(number[0], at))

    def number(self, shown: str, at: int) -> int | float:
        digits = shown.lstrip("+-")
        sign = -1 if shown[0] == "-" else 1
        if digits[:2].lower() == "0x":
            return sign * int(digits, 16)
        if digits.isdigit():
            if len(digits) > 40:  # int() refuses some thousands
                raise self.error(at, T("this number is too long"))
            return sign * int(digits)
        return sign * float({"Infinity": "inf", "NaN": "nan"}.get(digits, digits))

    def string(self, at: int) -> tuple[str, int]:
        """Return a string and the place after it."""
        text, quote, place = self.text, self.text[at], at + 1
        pieces: list[str] = []
        while True:
            plain = _PLAIN[quote].match(text, place)
            if plain is not None:
                pieces.append(plain[0])
                place = plain.end()
            if text[place : place + 1] == quote:
                return "".join(pieces), place + 1
            if text[place : place + 1] != "\\":
                raise self.error(at, T("the string has no end"))
            code = text[place + 1 : place + 2]
            place += 2
            if code in ("x", "u"):
                size = 2 if code == "x" else 4
                digits = text[place : place + size]
                if not re.fullmatch(rf"[0-9a-fA-F]{{{size}}}", digits):
                    raise self.error(place, T("{digits!r} is no character's number", digits=digits))
                pieces.append(chr(int(digits, 16)))
                place += size
            elif code == "\r":
                place += text[place : place + 1] == "\n"  # a line break that is not part of the string
            elif code not in ("\n", "\u2028", "\u2029"):
                pieces.append(_ESCAPES.get(code, code))

    def object(self, at: int, depth: int) -> Node:
        members: list[Member] = []
        place = self.skip(at + 1)
        while self.text[place : place + 1] != "}":
            start = place
            if self.text[place : place + 1] in ('"', "'"):
                name, place = self.string(place)
            else:
                match = _NAME.match(self.text, place)
                if match is None:
                    raise self.error(place, T("a name or a closing bracket is needed here"))
                name, place = match[0], match.end()
            place = self.skip(place)
            if self.text[place : place + 1] != ":":
                raise self.error(place, T("a colon is needed here"))
            node = self.value(self.skip(place + 1), depth + 1)
            members.append(Member(start, _joined(name), node))
            place = self.next(node.end, "}")
        value = {each.name: each.node.value for each in members}
        return Node(at, place + 1, value, members=tuple(members))

    def list(self, at: int, depth: int) -> Node:
        items: list[Node] = []
        place = self.skip(at + 1)
        while self.text[place : place + 1] != "]":
            items.append(self.value(place, depth + 1))
            place = self.next(items[-1].end, "]")
        return Node(at, place + 1, [each.value for each in items], items=tuple(items))

    def next(self, at: int, closing: str) -> int:
        """Return the place of the next element, or of the closing bracket."""
        place = self.skip(at)
        if self.text[place : place + 1] == ",":
            return self.skip(place + 1)
        if self.text[place : place + 1] != closing:
            raise self.error(place, T("a comma or a closing bracket is needed here"))
        return place


def _joined(text: str) -> str:
    """Return a text in which surrogates, as escapes may give them, are one character each."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# --- Edits ----------------------------------------


class _Splice(NamedTuple):
    start: int
    end: int
    text: str


def edited(text: str, node: Node, value: Value) -> str:
    """Return a text with another value; the text of equal parts of both values is unchanged.

    Args:
        node: the value in it.
        value: the new value.
    """
    pieces: list[str] = []
    place = 0
    for splice in sorted(_changes(text, node, value), key=lambda each: (each.start, each.end)):
        pieces += (text[place : max(place, splice.start)], splice.text)
        place = max(place, splice.end)
    return "".join((*pieces, text[place:]))


def is_same(one: Value, other: Value) -> bool:
    """Return whether two values are equal. 1 and 1.0 are, 1 and True are not."""
    return _key(one) == _key(other)


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


def _changes(text: str, node: Node, value: Value) -> Iterator[_Splice]:
    if is_same(node.value, value):
        return
    if isinstance(value, Mapping) and isinstance(node.value, dict):
        yield from _object_changes(text, node, value)
    elif isinstance(value, list | tuple) and isinstance(node.value, list):
        yield from _list_changes(text, node, value)
    else:
        yield _Splice(node.start, node.end, dumped(value, _indent_of(text, node.start)))


def _object_changes(text: str, node: Node, value: Mapping[str, Value]) -> Iterator[_Splice]:
    spans = [_Span(each.start, each.node.end) for each in node.members]
    last = {each.name: place for place, each in enumerate(node.members)}
    gone = {place for place, each in enumerate(node.members) if each.name not in value}
    for name, place in last.items():
        if name in value:
            yield from _changes(text, node.members[place].node, value[name])
    container = _Container(text, node, spans)
    new = {name: each for name, each in value.items() if name not in last}
    yield from container.without(gone, has_new=bool(new))
    indent = container.indent
    yield from container.with_new(
        len(spans), [f"{_string(name)}: {dumped(each, indent)}" for name, each in new.items()], gone
    )


def _list_changes(text: str, node: Node, value: Sequence[Value]) -> Iterator[_Splice]:
    container = _Container(text, node, [_Span(each.start, each.end) for each in node.items])
    old, new = [_key(each) for each in node.value], [_key(each) for each in value]
    gone: set[int] = set()
    added: list[tuple[int, list[str]]] = []
    for kind, first, end, new_first, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        both = min(end - first, new_end - new_first)
        for place in range(both):
            yield from _changes(text, node.items[first + place], value[new_first + place])
        gone.update(range(first + both, end))
        texts = [dumped(each, container.indent) for each in value[new_first + both : new_end]]
        if texts:
            added.append((first + both, texts))
    yield from container.without(gone, has_new=bool(added))
    for place, texts in added:
        yield from container.with_new(place, texts, gone)


class _Span(NamedTuple):
    start: int
    end: int


class _Container:
    """An object or list whose elements are removed, or get new ones after them."""

    def __init__(self, text: str, node: Node, spans: Sequence[_Span]) -> None:
        self.text, self.node, self.spans = text, node, spans
        inner = text[node.start : node.end]
        self.line_break = "\r\n" if "\r\n" in text else "\n"
        own = _indent_of(text, node.start)
        self.is_tall = any(_starts_line(text, each.start) for each in spans) or (not spans and "\n" in inner)
        starts = (each.start for each in spans if _starts_line(text, each.start))
        first = next(starts, None)
        self.indent = own + _unit(text) if first is None else _indent_of(text, first)
        self.own = own

    def _after(self, place: int) -> tuple[int, bool]:
        """Return the place after an element and its comma, and whether it has a comma."""
        end = self.spans[place].end
        match = _TRIVIA.match(self.text, end)
        comma = end if match is None else match.end()
        if self.text[comma : comma + 1] == ",":
            return comma + 1, True
        return end, False

    def without(self, gone: set[int], *, has_new: bool) -> Iterator[_Splice]:
        """Yield the changes that remove elements, with the rest of lines that they alone are on."""
        tail = len(self.spans)
        while tail - 1 in gone and not self.is_tall and not has_new:
            tail -= 1
        for place in sorted(gone):
            start = self.spans[place].start
            end, has_comma = self._after(place)
            if place == tail > 0 and not self._after(len(self.spans) - 1)[1]:
                # The comma before the last elements goes, too, unless a comment follows it.
                comma = self._after(place - 1)[0]
                start = start if self.text[comma:start].strip() else comma - 1
            elif has_new and place == len(self.spans) - 1 > 0 and not (has_comma or self.is_tall):
                before = self._after(place - 1)[0]  # new elements follow there
                start = start if self.text[before:start].strip() else before
            if _starts_line(self.text, self.spans[place].start):
                rest = _LINE_REST.match(self.text, end)
                line_end = end if rest is None else rest.end()
                if line_end < len(self.text) and self.text[line_end] in "\r\n":
                    end = line_end + (2 if self.text.startswith("\r\n", line_end) else 1)
                    start -= len(_indent_of(self.text, self.spans[place].start))
            elif has_comma:
                end += len(self.text[end:]) - len(self.text[end:].lstrip(" \t"))
            yield _Splice(start, end, "")

    def with_new(self, place: int, texts: Sequence[str], gone: set[int]) -> Iterator[_Splice]:
        """Yield the changes that add elements before the one at a place, which may be after the last."""
        if not texts:
            return
        before = next((each for each in range(place - 1, -1, -1) if each not in gone), None)
        lead = f"{self.line_break}{self.indent}"
        if before is None:
            # At the start: after the bracket.
            at = self.node.start + 1
            is_only = len(gone) == len(self.spans)
            if self.is_tall:
                rest = _LINE_REST.match(self.text, at)
                at = at if rest is None else rest.end()
                yield _Splice(at, at, "".join(f"{lead}{each}," for each in texts))
            else:
                yield _Splice(at, at, ", ".join(texts) + ("" if is_only else ", "))
            return
        at, has_comma = self._after(before)
        if not has_comma:
            yield _Splice(at, at, ",")
        if self.is_tall:
            rest = _LINE_REST.match(self.text, at)
            line_end = at if rest is None else rest.end()
            if self.text[line_end : line_end + 1] in ("\r", "\n"):
                at = line_end
        lead = lead if self.is_tall else " "
        follows = any(each not in gone for each in range(before + 1, len(self.spans)))
        joined = ",".join(f"{lead}{each}" for each in texts)
        ends_with_comma = self._after(len(self.spans) - 1)[1]
        yield _Splice(at, at, joined + ("," if follows or ends_with_comma else ""))


def _starts_line(text: str, at: int) -> bool:
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return start > 0 and not text[start:at].strip()


def _indent_of(text: str, at: int) -> str:
    """Return the spaces at the start of a place's line."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    match = _INDENT.match(text, start, at)
    return "" if match is None else match[0]


def _unit(text: str) -> str:
    """Return what a text indents by."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "    "


def dumped(value: Value, indent: str = "") -> str:
    """Return the text of a value: on one line, except lists of objects, and objects with such lists.

    Args:
        indent: the spaces at the start of its line.
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
    shown = json.dumps(value, ensure_ascii=False)
    return shown.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
