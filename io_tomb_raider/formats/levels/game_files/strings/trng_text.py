"""Conversion of the footer of TRNG's tools to sections of a script's or language's text, and back.

The meaning of most chunks is known only to TRNG. ``[TRNG]`` has the chunks: ``Chunk= $800B``, then its
payload in lines ``Data=``; ``[TRNGEnd]`` has the bytes after the last, if not four zero bytes. TRNG's extra
strings, in the footer of a language, are ``[ExtraNG]`` as in its own texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct

from ....base.errors import TextError
from ....base.messages import T
from ...level.footer import FooterChunk, TrngFooter
from .text import STRINGS, Line, TextSection, show_bytes, show_pair

EXTRA_STRINGS = 0x800A
SECTIONS = ("TRNG", "TRNGEnd", "ExtraNG")

_MOST_BYTES = 2 * 0xFFFF - 4
_COUNT = Struct("<H")
_STRING = Struct("<HH")  # number, size in 16-bit words
CIPHER_KEY = 0xA5
# Zero bytes are not ciphered. A byte that the key turns into zero would end its string in the games, so it is
# not allowed; in existing files it is kept.
CIPHER = bytes(code if code in (0, CIPHER_KEY) else code ^ CIPHER_KEY for code in range(256))


def decode_extra_strings(payload: bytes) -> list[tuple[int, bytes]] | None:
    """Return the numbers and strings of the chunk of extra strings, or None if it has another form.

    The chunk is a count, then for each string its number, its size in words, and the string, ciphered except
    for the zero bytes that terminate it and make its size even.
    """
    if len(payload) < _COUNT.size:
        return None
    position = _COUNT.size
    strings: list[tuple[int, bytes]] = []
    for _ in range(_COUNT.unpack_from(payload)[0]):
        if len(payload) - position < _STRING.size:
            return None
        number, words = _STRING.unpack_from(payload, position)
        position += _STRING.size
        content = payload[position : position + 2 * words].translate(CIPHER)
        strings.append((number, content.partition(b"\0")[0]))
        position += 2 * words
        if CIPHER_KEY in strings[-1][1]:
            return None
    return strings if encode_extra_strings(strings) == payload else None


def encode_extra_strings(strings: Sequence[tuple[int, bytes]]) -> bytes:
    """Return the chunk of extra strings."""
    pieces = [_COUNT.pack(len(strings))]
    for number, text in strings:
        content = text + bytes(2 - len(text) % 2)
        pieces += (_STRING.pack(number, len(content) // 2), content.translate(CIPHER))
    return b"".join(pieces)


def check_cipher(line: Line, text: bytes) -> None:
    """Raise a TextError for a string with the byte whose cipher would end it."""
    if CIPHER_KEY in text:
        letter = bytes([CIPHER_KEY]).decode("cp437")
        raise line.error(f"the games cannot hold {letter!r} (byte {CIPHER_KEY:02X}) in a string")


def show_footer(footer: TrngFooter | None) -> Iterator[str]:
    """Yield the lines of a footer, none without one."""
    if footer is None:
        return
    extra = decode_extra_strings(footer.get(EXTRA_STRINGS) or b"")
    is_shown = extra is None
    yield "[TRNG]"
    for chunk in footer.chunks:
        yield show_pair("Chunk", f"${chunk.id:04X}")
        if chunk.id == EXTRA_STRINGS and not is_shown:
            is_shown = True
            continue
        yield from show_bytes("Data", chunk.payload)
    if footer.rest != TrngFooter().rest:
        yield from ("", "[TRNGEnd]")
        yield from show_bytes("Data", footer.rest)
    if extra is not None:
        yield from ("", "[ExtraNG]")
        yield from (f"{number}: {STRINGS.show(text)}".rstrip() for number, text in extra)


def read_footer(parts: Iterable[TextSection]) -> TrngFooter | None:
    """Read the sections of a footer; return None if there are none.

    Raises TextError if a line is invalid, or a chunk too large.
    """
    by_name: dict[str, TextSection] = {}
    for part in parts:
        if part.name.lower() in by_name:
            raise part.error(f"[{part.name}] is here twice")
        by_name[part.name.lower()] = part
    if not by_name:
        return None
    chunks = _read_chunks(by_name["trng"]) if "trng" in by_name else []
    if "extrang" in by_name:
        payload = encode_extra_strings(_read_extra_strings(by_name["extrang"]))
        _check_size(by_name["extrang"], EXTRA_STRINGS, payload)
        empty = (index for index, chunk in enumerate(chunks) if chunk == FooterChunk(EXTRA_STRINGS, b""))
        index = next(empty, len(chunks))
        chunks[index : index + 1] = [FooterChunk(EXTRA_STRINGS, payload)]
    rest = TrngFooter().rest
    if "trngend" in by_name:
        rest = b"".join(_read_data(line) for line in by_name["trngend"].lines)
    return TrngFooter(tuple(chunks), rest)


def _read_chunks(part: TextSection) -> list[FooterChunk]:
    chunks: list[tuple[int, list[bytes]]] = []
    for line in part.lines:
        key, value = line.pair()
        if key.lower() == "chunk":
            chunks.append((line.integer(value, 0, 0xFFFF), []))
        elif not chunks:
            raise line.error("a chunk begins with Chunk= and its number")
        else:
            chunks[-1][1].append(_read_data(line))
    result = [FooterChunk(number, b"".join(pieces)) for number, pieces in chunks]
    for chunk in result:
        _check_size(part, chunk.id, chunk.payload)
    return result


def _read_data(line: Line) -> bytes:
    key, value = line.pair()
    if key.lower() != "data":
        raise line.error(f"{key!r} is not known here")
    return line.hexadecimal(value)


def _read_extra_strings(part: TextSection) -> list[tuple[int, bytes]]:
    strings: list[tuple[int, bytes]] = []
    for line in part.lines:
        number, text = line.numbered()
        if number is None or number > 0xFFFF:
            raise line.error("an extra string begins with its number, as in 12: Old Key")
        content = STRINGS.read(line.number, text)
        check_cipher(line, content)
        if 0 in content:
            raise line.error("a string cannot hold the byte 00, which ends it")
        strings.append((number, content))
    if len(strings) > 0xFFFF:
        raise TextError(
            part.number, T("there are {count} extra strings, more than 65535", count=len(strings))
        )
    return strings


def _check_size(part: TextSection, number: int, payload: bytes) -> None:
    if len(payload) > _MOST_BYTES or len(payload) % 2:
        limits = f"an even number is needed, at most {_MOST_BYTES}"
        raise part.error(f"chunk ${number:04X} has {len(payload)} bytes: {limits}")
