"""Generated scripts and languages of TR4 and TR5, byte by byte as in chapter 12."""

from __future__ import annotations

from struct import pack

# A level with every command of TR4, each with operands that show their order.
ITEM = pack("<7H", 300, 0xFFE0, 0x0400, 0x4000, 0xC000, 0x0010, 2)


def every_command(tr5: bool = False) -> bytes:
    """Return the commands of one level: all that the game supports, its heading in the middle."""
    first_item = 0x92 if tr5 else 0x93
    items = b"".join(bytes([code]) + ITEM for code in range(first_item, first_item + 71))
    load_camera = b"" if tr5 else b"\x91" + pack("<6iB", 1, -2, 3, -4, 5, -6, 255)
    return (
        items
        + b"\x80\x18\x84\x07\x85\x01\x86\x02\x87\x03\x88\x04"
        + load_camera
        + b"\x81\x03" + pack("<HBB", 0x2C1C | 0x0001, 1, 104)
        + b"\x89\x01\x02\x03\xf9\x8a\x04\x05\x06\x07\x8b\xf0\x8c\x02"
        + b"\x8d" + pack("<HhHBBB", 100, -7, 50, 9, 8, 7)
        + b"\x8e\x45" + pack("<i", 0x2200)
        + b"\x8f\x80\x81\x82\x90\x21"
        + (b"\x91\x02\xd9\x01\x02\xda\x03\x04" if tr5 else b"\x92\x02")
        + b"\x83"
    )  # fmt: skip


TITLE_LEVEL = b"\x82" + pack("<HBB", 4, 0, 104) + b"\x83"


def script_file(
    levels: list[bytes] | None = None,
    paths: tuple[bytes, ...] = (b"DATA\\TITLE", b"DATA\\ANGKOR1"),
    *,
    tr5: bool = False,
    options: int = 0x0E,
    languages: bytes = b"ENGLISH.DAT\0FRENCH.DAT\0",
    footer: bytes = b"",
) -> bytes:
    """Return a script with a title and one level."""
    levels = [TITLE_LEVEL, every_command(tr5)] if levels is None else levels
    names = b"".join(path + b"\0" for path in paths)
    offsets = [sum(len(path) + 1 for path in paths[:number]) for number in range(len(paths))]
    extensions = [b".PSX", b".FMV", b".CUT", b"", b".TRC" if tr5 else b".TR4", b".BIK", b".TR4", b""]
    starts = [sum(map(len, levels[:number])) for number in range(len(levels))]
    return b"".join(
        (
            pack("<IIB", options, 18000, 0x55),
            pack("<BBBHH", len(levels), len(paths), 0, len(names), sum(map(len, levels))),
            *(extension.ljust(5, b"\0") for extension in extensions),
            pack(f"<{len(paths)}H", *offsets),
            names,
            pack(f"<{len(levels)}H", *starts),
            *levels,
            languages,
            footer,
        )
    )


def language_file(
    parts: tuple[list[bytes], ...] = (
        [b"Load", b"Angkor Wat", b"Iris", b"Race\nfor it"],
        [b"X"],
        [b"", b"End"],
    ),
    footer: bytes = b"",
) -> bytes:
    """Return strings: generic, of the PSX, of the PC."""
    texts = [text for part in parts for text in part]
    offsets = [sum(len(text) + 1 for text in texts[:number]) for number in range(len(texts))]
    sizes = [sum(len(text) + 1 for text in part) for part in parts]
    return b"".join(
        (
            pack("<6H", *map(len, parts), *sizes),
            pack(f"<{len(texts)}H", *offsets),
            *(bytes(code ^ 0xA5 for code in text) + b"\0" for text in texts),
            footer,
        )
    )


def trng_footer(*chunks: tuple[int, bytes]) -> bytes:
    """Return a footer of TRNG's tools."""
    body = b"NG" + b"".join(pack("<HH", len(data) // 2 + 2, number) + data for number, data in chunks)
    return body + bytes(4) + b"NGLE" + pack("<I", len(body) + 12)


def extra_strings(strings: list[tuple[int, bytes]]) -> bytes:
    """Return the chunk of TRNG's extra strings."""
    pieces = [pack("<H", len(strings))]
    for number, text in strings:
        coded = bytes(code ^ 0xA5 for code in text) + b"\0"
        coded += bytes(len(coded) % 2)
        pieces.append(pack("<HH", number, len(coded) // 2) + coded)
    return b"".join(pieces)
