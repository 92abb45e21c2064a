"""The text format of all scripts: sections, lines of ``Key= value``, and lines that are strings.

It is the format of the level editors' own SCRIPT.TXT and ENGLISH.TXT: a section begins with its name in
brackets, a semicolon begins a comment, numbers are decimal or, with a dollar sign, hexadecimal.
Bytes without a character are written as ``<0A>``; there are no other escapes, so paths keep their
backslashes. Only strings of TR4 and TR5 also have ``\\\\n`` and ``\\\\t``, as builders write them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ....base.errors import TextError
from ....base.messages import T

_HEX_PER_LINE = 32
_ESCAPE = re.compile(r"<([0-9A-F]{2})>")
_NUMBERED = re.compile(r"(\d+):\s?(.*)", re.DOTALL)
_PLAIN = frozenset(range(0x20, 0x7F)) - {ord(";")}


class Charset:
    """Lossless conversion of the bytes of a game's strings to text, and back."""

    def __init__(self, letters: dict[int, str], *, line_breaks: bool) -> None:
        """Use these letters for bytes above 0x7F, and maybe escapes for line breaks and tabs."""
        self._characters = {code: chr(code) for code in _PLAIN} | letters
        self._codes = {character: code for code, character in self._characters.items()}
        self._marks = {0x0A: "\\n", 0x09: "\\t"} if line_breaks else {}

    def show(self, content: bytes) -> str:
        """Return the text of a string, escaped at its ends where reading would strip it."""
        last = len(content) - 1
        pieces = []
        for index, code in enumerate(content):
            after = content[index + 1 : index + 4]
            character = self._characters.get(code)
            if (
                character is None
                or (code == 0x20 and index in (0, last))
                or (code == 0x5C and self._marks and after[:1] in (b"n", b"t"))
                or (code == 0x3C and _ESCAPE.match("<" + after.decode("latin-1")))
            ):
                character = self._marks.get(code, f"<{code:02X}>")
            pieces.append(character)
        return "".join(pieces)

    def name(self, content: bytes) -> str:
        """Return a string as a display name: on one line, without unknown characters."""
        text = "".join(";" if code == 0x3B else self._characters.get(code, " ") for code in content)
        return " ".join(text.split())

    def read(self, line: int, text: str) -> bytes:
        """Return the string of a text. Raises TextError if it has a character that the game cannot show."""
        pieces: list[int] = []
        position = 0
        marks = {mark: code for code, mark in self._marks.items()}
        while position < len(text):
            escape = _ESCAPE.match(text, position)
            if escape:
                pieces.append(int(escape[1], 16))
                position = escape.end()
            elif text[position : position + 2] in marks:
                pieces.append(marks[text[position : position + 2]])
                position += 2
            elif text[position] in self._codes:
                pieces.append(self._codes[text[position]])
                position += 1
            else:
                character = text[position]
                problem = T(
                    "the game has no character {character!r}; write its byte as <8F>", character=character
                )
                raise TextError(line, problem)
        return bytes(pieces)


# TR2 and TR3 write accents as pairs of plain characters; they have no letters above 0x7F.
PLAIN = Charset({}, line_breaks=False)

# The bytes that TR4 and TR5 draw as in DOS (code page 437); they draw no others.
LETTERS = {
    code: bytes([code]).decode("cp437")
    for code in b"\x80\x81\x82\x83\x84\x85\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x90\x93\x94\x95\x96\x97\x98\x99"
    b"\x9a\xa0\xa1\xa2\xa3\xa4\xa5\xa8\xad"
}
STRINGS = Charset(LETTERS, line_breaks=True)
PATHS = Charset(LETTERS, line_breaks=False)


@dataclass(frozen=True)
class Line:
    """One nonempty line without its comment."""

    number: int  #: its number in the text, from 1.
    content: str  #: its content, stripped.

    def pair(self) -> tuple[str, str]:
        """Split ``Key= value``. A line without the sign is a key with an empty value."""
        key, _, value = self.content.partition("=")
        return key.strip(), value.strip()

    def numbered(self) -> tuple[int | None, str]:
        """Split ``12: string``. A line that does not begin with a number is a string."""
        match = _NUMBERED.fullmatch(self.content)
        return (int(match[1]), match[2].rstrip()) if match else (None, self.content)

    def error(self, problem: str) -> TextError:
        return TextError(self.number, problem)

    def integer(self, text: str, low: int, high: int) -> int:
        """Read a number in a range, both ends included.

        Raises TextError if it is not a number, or out of range.
        """
        digits = text.strip().removeprefix("-")
        sign = -1 if text.strip().startswith("-") else 1
        try:
            value = sign * (int(digits[1:], 16) if digits.startswith("$") else int(digits))
        except ValueError:
            raise self.error(T("{text!r} is not a number", text=text.strip())) from None
        if not low <= value <= high:
            raise self.error(f"{value} is not between {low} and {high}")
        return value

    def integers(self, text: str, ranges: Iterable[tuple[int, int]]) -> list[int]:
        """Read numbers separated by commas, one in each range."""
        limits = list(ranges)
        fields = text.split(",") if text else []
        if len(fields) != len(limits):
            raise self.error(f"{len(limits)} values are needed here, not {len(fields)}")
        return [self.integer(digits, *limit) for digits, limit in zip(fields, limits, strict=True)]

    def switch(self, text: str) -> bool:
        """Read ENABLED or DISABLED."""
        states = {"ENABLED": True, "DISABLED": False}
        if text.upper() not in states:
            raise self.error(f"ENABLED or DISABLED is needed here, not {text!r}")
        return states[text.upper()]

    def hexadecimal(self, text: str) -> bytes:
        """Read bytes of two digits each."""
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise self.error("these are not bytes of two hexadecimal digits each") from None


@dataclass
class TextSection:
    """A section of a text: its name as written, the line of its heading, and its lines."""

    name: str
    number: int
    lines: list[Line] = field(default_factory=list)

    def error(self, problem: str) -> TextError:
        return TextError(self.number, problem)

    def pairs(self, known: Iterable[str]) -> dict[str, tuple[Line, str]]:
        """Return each key, as ``known`` spells it, with its line and its value; keys must be unique.

        Raises TextError if a key is unknown or repeated.
        """
        names = {name.lower(): name for name in known}
        result: dict[str, tuple[Line, str]] = {}
        for line in self.lines:
            key, value = line.pair()
            name = names.get(key.lower())
            if name is None:
                raise line.error(f"{key!r} is not known in [{self.name}]")
            if name in result:
                raise line.error(f"{name} is here twice, first in line {result[name][0].number}")
            result[name] = (line, value)
        return result


def split_parts(text: str) -> Iterator[TextSection]:
    """Yield the sections of a text.

    Raises TextError if there is text before the first section, or a heading is not closed.
    """
    part: TextSection | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        content = raw.partition(";")[0].strip()
        if not content:
            continue
        if content.startswith("[") and content.endswith("]"):
            if part is not None:
                yield part
            part = TextSection(content[1:-1].strip(), number)
        elif part is None:
            raise TextError(number, T("a section such as [Options] must come first"))
        else:
            part.lines.append(Line(number, content))
    if part is not None:
        yield part


def show_switch(state: int | bool) -> str:
    return "ENABLED" if state else "DISABLED"


def show_pair(key: str, value: object, comment: str = "") -> str:
    """Return a line ``Key= value``. Unprintable characters of the comment become spaces."""
    printable = "".join(character if character.isprintable() else " " for character in comment)
    return f"{key}= {value}" + (f" ; {printable}" if comment else "")


def show_bytes(key: str, content: bytes) -> Iterator[str]:
    """Yield lines of bytes, none for no bytes; :func:`read_bytes` joins them."""
    for start in range(0, len(content), _HEX_PER_LINE):
        yield f"{key}= {content[start : start + _HEX_PER_LINE].hex(' ')}"


def read_bytes(part: TextSection, keys: Iterable[str]) -> dict[str, bytes]:
    """Read a section of bytes with repeated keys; all ``keys`` are in the result."""
    names = {key.lower(): key for key in keys}
    result: dict[str, list[bytes]] = {key: [] for key in names.values()}
    for line in part.lines:
        key, value = line.pair()
        if key.lower() not in names:
            raise line.error(f"{key!r} is not known in [{part.name}]")
        result[names[key.lower()]].append(line.hexadecimal(value))
    return {key: b"".join(pieces) for key, pieces in result.items()}


def show_strings(texts: Iterable[bytes], charset: Charset, first: int = 0) -> Iterator[str]:
    """Yield a line ``12: string`` for each string."""
    for number, text in enumerate(texts, first):
        yield f"{number}: {charset.show(text)}".rstrip()


def read_strings(
    part: TextSection, charset: Charset, first: int = 0, check: Callable[[Line, bytes], None] | None = None
) -> list[bytes]:
    """Read a section that is a list of strings, numbered or not.

    Raises TextError if a number is not the next one.
    """
    texts: list[bytes] = []
    for line in part.lines:
        number, text = line.numbered()
        if number is not None and number != first + len(texts):
            raise line.error(f"string {first + len(texts)} is next, not {number}")
        content = charset.read(line.number, text)
        if 0 in content:
            raise line.error("a string cannot hold the byte 00, which ends it")
        if check is not None:
            check(line, content)
        texts.append(content)
    return texts
