"""Where the bytes of a .blend file go: its blocks by the datablock that they belong to and by their kind.

A file that is not compressed is a row of blocks, each with a head: a code, its size, and which structures are
in it, and how many. Their names stand in the block ``DNA1``. Blocks of the code ``DATA`` belong to the
datablock before them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Block(NamedTuple):
    """One block: the code of its datablock, such as ``OB``, its structures, and its bytes."""

    owner: str
    kind: str
    size: int


def blocks_of(path: Path) -> list[Block]:
    """Return all blocks of a file that is not compressed, heads included in their sizes."""
    data = path.read_bytes()
    found = list(_heads(data))
    names = next(_struct_names(data[at : at + size]) for code, at, size, _ in found if code == "DNA1")
    result, owner = [], ""
    for code, _, size, kind in found:
        owner = owner if code == "DATA" else code
        result.append(Block(owner, names[kind], size + _head(data).size))
    return result


# What users would call it, by the code of the datablock and the name of the structures, the first that fits.
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
    """Return the bytes of a file by subjects; ``other`` is the rest, such as what an empty file has."""
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
    """Return the form of the heads of blocks, which is another one from Blender 5.0 on."""
    return struct.Struct("<4siQqq" if data[7:9].isdigit() else "<4siQii")


def _heads(data: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Yield of each block its code, where its content begins, its size, and the kind of its structures."""
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
    """Return the names of the structures that ``DNA1`` declares, by their number."""
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
    at = (at + 3) // 4 * 4 + 4 + 2 * len(types)  # the lengths of types, TLEN
    found = []
    for _ in range(part(b"STRC")):
        kind, fields = struct.unpack_from("<HH", dna, at)
        found.append(types[kind])
        at += 4 + 4 * fields
    return found
