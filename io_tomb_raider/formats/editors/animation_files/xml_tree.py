"""A small, bounded reader of XML as a tree of elements with their lines.

Documents with a DOCTYPE are refused, so entities cannot expand. Comments and elements of other names are
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from ...base.errors import DAMAGED, ENDS_EARLY, FormatError
from ...base.texts import MARKS

_DECLARATION = re.compile(r"<\?xml\s[^>]*?\?>")
_ENCODING = re.compile(r"encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_SINGLE_BYTES = {"iso-8859-1": "latin-1", "latin1": "latin-1", "windows-1252": "cp1252", "cp1252": "cp1252"}
_DEEPEST = 16
_MOST_TEXT = 4096  # characters in one element
_SHOWN = 40


@dataclass
class XmlText:
    """A decoded file."""

    content: str  #: its text, without the mark.
    encoding: str  #: Python's name of its encoding.
    mark: bytes  #: the byte order mark, or b"".

    def offset(self, position: int) -> int:
        """Return the byte of the file at a byte of the content in UTF-8."""
        if self.encoding == "utf-8":
            return len(self.mark) + position
        before = self.content.encode("utf-8")[:position].decode("utf-8", "ignore")
        return len(self.mark) + len(before.encode(self.encoding))


def decode_text(data: bytes) -> XmlText:
    """Decode a file in UTF-8 or UTF-16, or in the encoding of one byte that it declares.

    A declaration of UTF-16 is ignored: .NET writes it to texts that are saved in UTF-8.

    Raises:
        FormatError: if it is none of these.
    """
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return XmlText(_decoded(data[len(mark) :], encoding, len(mark)), encoding, mark)
    if data[:2] == b"<\0":
        return XmlText(_decoded(data, "utf-16-le", 0), "utf-16-le", b"")
    if data[:2] == b"\0<":
        return XmlText(_decoded(data, "utf-16-be", 0), "utf-16-be", b"")
    declared = _ENCODING.search(data[:200].decode("latin-1"))
    name = "" if declared is None else declared[1].lower()
    encoding = "utf-8"
    if name in _SINGLE_BYTES:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            encoding = _SINGLE_BYTES[name]
    return XmlText(_decoded(data, encoding, 0), encoding, b"")


def _decoded(data: bytes, encoding: str, start: int) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        found = data[error.start : error.end].hex(" ")
        offset = start + error.start
        name = encoding.upper().removesuffix("-LE").removesuffix("-BE")
        raise FormatError("text", f"text in {name}", f"bytes {found}", offset=offset) from None


@dataclass(slots=True)
class XmlElement:
    """An element."""

    tag: str
    line: int  #: from 1.
    place: int  #: the byte of its start in the content in UTF-8.
    text: str = ""  #: its text without that of its children.
    children: list[XmlElement] = field(default_factory=list)  #: its children with known names.
    attributes: dict[str, str] = field(default_factory=dict)
    end: int = 0  #: the byte of its end tag, or after its tag if that ends it.


class Document:
    """A parsed file."""

    def __init__(self, data: bytes, names: Collection[str], most_elements: int) -> None:
        """Parse a file.

        Args:
            names: of elements to keep.

        Raises:
            FormatError: if it is no XML, has a DOCTYPE, or exceeds a limit.
        """
        self.text = decode_text(data)
        self._names, self._left = names, most_elements
        self._most = most_elements
        self._open: list[XmlElement] = []
        self._skipped = 0
        self._roots: list[XmlElement] = []
        parser: Any = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._data
        self._parser = parser
        content = self.text.content
        declaration = _DECLARATION.match(content)
        if declaration is not None:  # blanks instead keep lines and bytes
            content = " " * len(declaration[0].encode()) + content[declaration.end() :]
        try:
            # surrogatepass: a lone half of a pair is then an error of the parser, with its line.
            parser.Parse(content.encode("utf-8", "surrogatepass"), True)
        except expat.ExpatError as error:
            self._raise_syntax(error)
        (self.root,) = self._roots  # the parser demands exactly one

    # --- Handlers

    def _doctype(self, *_: Any) -> NoReturn:
        raise self._error("DOCTYPE", "no DOCTYPE", "one")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        depth = len(self._open) + self._skipped
        if depth >= _DEEPEST:
            raise self._error(tag, f"at most {_DEEPEST} elements inside each other", "more")
        self._left -= 1
        if self._left < 0:
            raise self._error(tag, f"at most {self._most} elements", "more")
        if self._skipped or (self._open and tag not in self._names):
            self._skipped += 1
            return
        line, place = self._parser.CurrentLineNumber, self._parser.CurrentByteIndex
        element = XmlElement(tag, line, place, attributes=attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._roots.append(element)
        self._open.append(element)

    def _end(self, _tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
        else:
            self._open.pop().end = self._parser.CurrentByteIndex

    def _data(self, data: str) -> None:
        if self._skipped or not self._open:
            return
        element = self._open[-1]
        if not element.children:
            if len(element.text) + len(data) > _MOST_TEXT:
                raise self._error(element.tag, f"at most {_MOST_TEXT} characters", "more")
            element.text += data

    # --- Errors

    def _error(self, section: str, expected: str, found: str) -> FormatError:
        position, line = self._parser.CurrentByteIndex, self._parser.CurrentLineNumber
        return FormatError(section, expected, found, offset=self.text.offset(position), line=line)

    def _raise_syntax(self, error: expat.ExpatError) -> NoReturn:
        reason = expat.ErrorString(error.code) or "no XML"
        tags = "/".join(element.tag for element in self._open) or "text"
        is_cut = self._parser.CurrentByteIndex >= len(self.text.content.encode("utf-8", "surrogatepass"))
        raise FormatError(
            tags,
            "XML",
            reason,
            offset=self.text.offset(max(self._parser.CurrentByteIndex, 0)),
            line=error.lineno,
            problem=ENDS_EARLY if is_cut else DAMAGED,
        ) from None

    def error(
        self, element: XmlElement, expected: str, found: str, *, number: int | None = None
    ) -> FormatError:
        """Return a FormatError at an element; ``number`` is its index in a list."""
        excerpt = found if len(found) <= _SHOWN else f"{found[:_SHOWN]}…"
        return FormatError(
            element.tag,
            expected,
            excerpt or "nothing",
            element=number,
            offset=self.text.offset(element.place),
            line=element.line,
        )

    # --- Elements

    def find(self, element: XmlElement, tag: str) -> XmlElement | None:
        """Return the child of a name, or None.

        Raises:
            FormatError: if there are several.
        """
        children = [each for each in element.children if each.tag == tag]
        if len(children) > 1:
            raise self.error(children[1], f"one {tag} in {element.tag}", "another one")
        return children[0] if children else None

    def require(self, element: XmlElement, tag: str) -> XmlElement:
        """Return the child of a name.

        Raises:
            FormatError: if there is none, or there are several.
        """
        result = self.find(element, tag)
        if result is None:
            raise self.error(element, f"an element {tag}", "none")
        return result

    def each(self, element: XmlElement | None, tag: str) -> Iterator[XmlElement]:
        """Yield the children of a name of an element; none of a missing element."""
        for child in () if element is None else element.children:
            if child.tag == tag:
                yield child
