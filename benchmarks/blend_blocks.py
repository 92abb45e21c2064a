"""Sizes of the blocks of a .blend file, by data-block and structure.

An uncompressed file is a sequence of blocks, each with a head: a code, its size, and the number and count of
its structures. The block ``DNA1`` has their names. Blocks of the code ``DATA`` belong to the data-block
before them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Block(NamedTuple):
    """One block: the code of its data-block, such as ``OB``, its structures, and its size in bytes."""

    owner: str
    kind: str
    size: int


def blocks_of(path: Path) -> list[Block]:
    """Return all blocks of an uncompressed file; their sizes include heads."""
    data = path.read_bytes()
    found = list(_heads(data))
    names = next(_struct_names(data[at : at + size]) for code, at, size, _ in found if code == "DNA1")
    result, owner = [], ""
    for code, _, size, kind in found:
        owner = owner if code == "DATA" else code
        result.append(Block(owner, names[kind], size + _head(data).size))
    return result


# Names for users, by data-block code and structure name; the first match is used.
_SUBJECTS = (
    ("keys", "AC", "BezTriple"),
    ("properties", "", "IDProperty"),
    ("curves", "AC", ""),
    ("meshes", "ME", ""),
    ("objects", "OB", ""),
    ("original", "GR", ""),
    ("sounds", "SO", ""),
    ("materials", "MA", ""),
    ("materials", "NT", ""),
    ("lights", "LA", ""),
    ("images", "IM", ""),
)


def subjects_of(path: Path) -> dict[str, int]:
    """Return the bytes of a file by subject; ``other`` is the rest, including that of an empty file."""
    found = {subject: 0 for subject, _, _ in _SUBJECTS} | {"other": 0}
    for block in blocks_of(path):
        fits = (
            subject
            for subject, owner, kind in _SUBJECTS
            if owner in ("", block.owner) and kind in ("", block.kind)
        )
        found[next(fits, "other")] += block.size
    return found


def _head(data: bytes) -> struct.Struct:
    """Return the structure of block heads, which changed in Blender 5.0."""
    return struct.Struct("<4siQqq" if data[7:9].isdigit() else "<4siQii")


def _heads(data: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Yield the code of each block, the offset of its content, its size, and the number of its structure."""
    assert data.startswith(b"BLENDER"), "a compressed file, or none of Blender's"
    is_new = data[7:9].isdigit()
    head = _head(data)
    at = int(data[7:9]) if is_new else 12
    while at < len(data):
        if is_new:
            raw, kind, _, size, _ = head.unpack_from(data, at)
        else:
            raw, size, _, kind, _ = head.unpack_from(data, at)
        code = raw.rstrip(b"\0").decode()
        yield code, at + head.size, size, kind
        if code == "ENDB":
            return
        at += head.size + size


def _struct_names(dna: bytes) -> list[str]:
    """Return the names of the structures that ``DNA1`` declares, by number."""
    at = 4

    def part(tag: bytes) -> int:
        nonlocal at
        at = (at + 3) // 4 * 4
        assert dna[at : at + 4] == tag
        count: int = struct.unpack_from("<i", dna, at + 4)[0]
        at += 8
        return count

    def texts(count: int) -> list[str]:
        nonlocal at
        found = []
        for _ in range(count):
            end = dna.index(b"\0", at)
            found.append(dna[at:end].decode())
            at = end + 1
        return found

    texts(part(b"NAME"))
    types = texts(part(b"TYPE"))
    at = (at + 3) // 4 * 4 + 4 + 2 * len(types)  # the sizes of types, TLEN
    found = []
    for _ in range(part(b"STRC")):
        kind, fields = struct.unpack_from("<HH", dna, at)
        found.append(types[kind])
        at += 4 + 4 * fields
    return found
