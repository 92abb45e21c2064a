"""Generated scripts of TR2 and TR3: every build of the game, and stale bytes as in real ones."""

from __future__ import annotations

from struct import pack

from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import PC, GameflowVariant


def table(texts: list[bytes], key: int) -> bytes:
    """Return a string table as in chapter 11.1.1, written without the code under test."""
    block = b"".join(text + b"\0" for text in texts)
    offsets = [sum(len(text) + 1 for text in texts[:number]) for number in range(len(texts))]
    return pack(f"<{len(texts)}HH", *offsets, len(block)) + bytes(code ^ key for code in block)


def gameflow_file(
    variant: GameflowVariant = PC, *, flags: int = 0x300, key: int = 0xA6, rest: bytes = b"", names: int = 89
) -> bytes:
    """Return a script with two levels, two films, a cutscene and a demo, field by field."""
    used = key if flags & 0x100 else 0
    sequences = [
        (3, 0, 9),
        (12, 0, 10, 33, 18, 1, 18, 1015, 4, 0, 5, 0, 6, 9),
        (28, 1, 2, 4, 1, 99, 7, 7),
    ]
    words = [word for sequence in sequences for word in sequence]
    offsets = [2 * sum(map(len, sequences[:number])) for number in range(len(sequences))]
    options = (
        pack("<4iI2i", 0x500, -1, 0x500, 1, 9000, 0x402, 0x12345)
        + bytes(36)
        + pack("<8H", 2, 1, 1, 2, 1, 1, 64, 0xFFFF)
        + bytes(32)
        + pack("<H", flags)
        + bytes(range(6))
        + pack("<BBH", key, 2, 47)
        + bytes(4)
    )
    names_of_items = 4 + (6 if variant.extras else 0) + 2 + 4
    parts = [
        pack("<I", 3),
        (b"Made up; script\0stale").ljust(256, b"\0"),
        pack("<H", len(options)) + options,
        table([b"The Wall", b" Venice "], used),
        table([b"pix\\wall.pcx"], used),
        table([b"data\\title.tr2"], used),
        table([b"fmv\\logo.rpl", b"fmv\\LOGO.rpl"], used),
        table([b"data\\wall.tr2", b"data\\boat.tr2"], used),
        table([b"data\\cut1.tr2"], used),
        pack(f"<{len(offsets)}H", *offsets),
        pack(f"<H{len(words)}H", 2 * len(words), *words),
        pack("<H", 1),
        pack("<4I", 0, 100, 5, 0xFFFFFFFF) if variant.psx else b"",
        pack("<H", names),
        table([b"Game \x8f%d <0A> \\n" % number for number in range(names)], used),
        table([b"Platform"] * variant.platform_strings, used),
        *(table([b"P1", b"Item %d" % number], used) for number in range(names_of_items)),
        rest,
    ]
    return b"".join(parts)
