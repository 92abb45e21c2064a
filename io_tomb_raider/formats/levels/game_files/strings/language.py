"""ENGLISH.DAT and other languages: the strings of TR4 and TR5, chapter 12.2 of the documentation.

Three lists of strings, generic, PlayStation and PC, numbered consecutively and ciphered except for their
terminating zero bytes; then an optional footer of TRNG's tools. The text format is that of the level editor's
ENGLISH.TXT, each string with its number.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

import numpy as np

from ....base.bytes.cursor import Cursor
from ....base.bytes.records import U16
from ....base.errors import ExportError, TextError
from ....base.messages import T
from ...level.footer import TrngFooter, split_footer
from .string_tables import StringTable
from .text import STRINGS, TextSection, read_bytes, read_strings, show_bytes, show_strings, split_parts
from .trng_text import CIPHER, CIPHER_KEY, SECTIONS, check_cipher, read_footer, show_footer

_HEADER = Struct("<6H")
_PARTS = ("Strings", "PSXStrings", "PCStrings")
_RAW = ("Counts", "Sizes", "Offsets", "Block", "BehindStrings")


class Language:
    """The strings of a language."""

    counts: tuple[int, int, int]  #: the numbers of generic, PSX, and PC strings.
    sizes: tuple[int, int, int]  #: their sizes in bytes, including terminating zeros.
    table: StringTable  #: all strings, numbered as in scripts.
    rest: bytes  #: the bytes after the strings, still ciphered.
    footer: TrngFooter | None  #: TRNG's additions, or None.

    @classmethod
    def of(cls, generic: list[bytes], psx: list[bytes], pc: list[bytes]) -> Language:
        """Return a language with these strings.

        Raises ExportError if there are too many, or one cannot be ciphered.
        """
        language = cls()
        parts = (generic, psx, pc)
        language.table = StringTable.of([*generic, *psx, *pc])
        language.counts = (len(generic), len(psx), len(pc))
        language.sizes = tuple(sum(len(text) + 1 for text in part) for part in parts)  # type: ignore[assignment]
        language.rest, language.footer = b"", None
        if CIPHER_KEY in language.table.block:
            raise ExportError("strings", T("the byte {byte:02X} cannot be ciphered", byte=CIPHER_KEY))
        language.to_bytes()
        return language

    def text(self, number: int) -> str | None:
        """Return a readable string, or None if there is none of this number."""
        return STRINGS.show(self.table.text(number)) if 0 <= number < len(self.table) else None

    def numbers(self) -> dict[str, int]:
        """Return the number of each string by its readable text; of equal ones the first."""
        texts = list(enumerate(STRINGS.show(text) for text in self.table.texts))
        return {text: number for number, text in reversed(texts)}

    def to_bytes(self) -> bytes:
        """Return the file. An unedited file is written byte for byte as it was read.

        Raises:
            ExportError: if a count does not fit.
        """
        for name, values in ((T("counts"), self.counts), (T("sizes"), self.sizes)):
            if max(values) > 0xFFFF:
                raise ExportError(
                    "strings", T("too large {name}", name=name), count=max(values), limit=0xFFFF
                )
        if max(self.table.offsets, default=0) > 0xFFFF:
            count = len(self.table.block)
            raise ExportError("strings", T("too many bytes of strings"), count=count, limit=0xFFFF)
        pieces = (
            _HEADER.pack(*self.counts, *self.sizes),
            np.array(self.table.offsets, U16).tobytes(),
            self.table.block.translate(CIPHER),
            self.rest,
            self.footer.to_bytes() if self.footer else b"",
        )
        return b"".join(pieces)


def read_language(data: bytes) -> Language:
    """Read the strings of TR4 or TR5. Raises FormatError if it is not such a file, or damaged."""
    content, footer = split_footer(data)
    cursor = Cursor(content)
    cursor.section = "header"
    header = cursor.fields(_HEADER)
    language = Language()
    language.counts, language.sizes = header[:3], header[3:]
    cursor.section = "offsets"
    offsets = cursor.array(U16, sum(language.counts))
    cursor.section = "strings"
    size = sum(language.sizes)
    start = cursor.take(size)
    if len(offsets) and int(offsets.max()) >= size:
        element = int(offsets.argmax())
        raise cursor.error(f"an offset below {size}", str(offsets[element]), element=element, offset=start)
    block = content[start : cursor.offset].translate(CIPHER)
    language.table = StringTable(tuple(offsets.tolist()), block)
    language.rest = content[cursor.offset :]
    language.footer = footer
    return language


def language_to_text(language: Language) -> str:
    """Return the strings as text. :func:`text_to_language` compiles it to the same file."""
    lines: list[str] = []
    raw: list[str] = list(show_bytes("BehindStrings", language.rest))
    if _is_plain(language):
        first, texts = 0, language.table.texts
        for name, count in zip(_PARTS, language.counts, strict=True):
            lines += [f"[{name}]", *show_strings(texts[first : first + count], STRINGS, first), ""]
            first += count
    else:
        raw += show_bytes("Counts", np.array(language.counts, U16).tobytes())
        raw += show_bytes("Sizes", np.array(language.sizes, U16).tobytes())
        raw += show_bytes("Offsets", np.array(language.table.offsets, U16).tobytes())
        raw += show_bytes("Block", language.table.block)
    if raw:
        lines += ["[Raw]", *raw, ""]
    lines += show_footer(language.footer)
    return "\n".join(lines).rstrip("\n") + "\n"


def _is_plain(language: Language) -> bool:
    """Return whether offsets, counts and sizes follow from the strings."""
    table = language.table
    if CIPHER_KEY in table.block or not table.is_tight or len(table) != sum(language.counts):
        return False
    ends = np.cumsum([0, *(len(text) + 1 for text in table.texts)])
    lasts = np.cumsum(language.counts)
    return bool(np.array_equal(ends[lasts], np.cumsum(language.sizes)))


def text_to_language(text: str) -> Language:
    """Compile a text. Raises TextError if the text is invalid, or exceeds a limit of the file."""
    parts: dict[str, TextSection] = {}
    footer_parts: list[TextSection] = []
    for part in split_parts(text):
        name = part.name.lower()
        if name in {section.lower() for section in SECTIONS}:
            footer_parts.append(part)
        elif name in parts or name not in {section.lower() for section in (*_PARTS, "Raw")}:
            raise part.error(f"[{part.name}] is here twice, or not a section of a language")
        else:
            parts[name] = part
    raw = read_bytes(parts.get("raw", TextSection("Raw", 1)), _RAW)
    lists: list[list[bytes]] = []
    first = 0
    for name in _PARTS:
        part = parts.get(name.lower(), TextSection(name, 1))
        lists.append(read_strings(part, STRINGS, first, check_cipher))
        first += len(lists[-1])
    if raw["Counts"]:
        language = _raw_language(parts["raw"], raw, lists)
    else:
        language = _compiled(lists, max((part.number for part in parts.values()), default=1))
    language.rest = raw["BehindStrings"]
    language.footer = read_footer(footer_parts)
    return language


def _compiled(lists: list[list[bytes]], line: int) -> Language:
    try:
        return Language.of(*lists)
    except ExportError as error:
        raise TextError(line, str(error)) from None


def _raw_language(part: TextSection, raw: dict[str, bytes], lists: Any) -> Language:
    language = Language()
    if any(lists) or len(raw["Counts"]) != 6 or len(raw["Sizes"]) != 6 or len(raw["Offsets"]) % 2:
        raise part.error("the strings are here and in sections of their own, or damaged")
    language.counts = tuple(np.frombuffer(raw["Counts"], U16).tolist())
    language.sizes = tuple(np.frombuffer(raw["Sizes"], U16).tolist())
    language.table = StringTable(tuple(np.frombuffer(raw["Offsets"], U16).tolist()), raw["Block"])
    return language
