"""The file of the example, and the digest of the sources that it was made from."""

from __future__ import annotations

import hashlib
import lzma
from pathlib import Path

import numpy as np

from io_tomb_raider.formats import Level

SOURCES = Path(__file__).parent


def sources_digest() -> str:
    """Return the digest of all modules that make the example."""
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(path.relative_to(SOURCES).as_posix().encode())
        digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


def file_digest(path: Path) -> str:
    """Return the digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def packed(level: Level) -> bytes:
    """Return a level as the extension stores it: :func:`example_of` makes what is left out.

    Left out is the second form of its pages; the first has its squares of 64 pixels one after the other.
    """
    pages = level.textiles32
    level.textiles32 = pages.reshape(-1, 4, 64, 4, 64, 4).swapaxes(2, 3).reshape(pages.shape)
    level.textiles16 = np.zeros_like(level.textiles16)
    level.streams.clear()
    level.compression = 0
    options = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "pb": 0}
    return lzma.compress(level.to_bytes(), filters=[options])


def write_example(target: Path) -> int:
    """Build the example and write it, with the digests of its sources and of the file; return its size."""
    from .assemble import build

    content = packed(build())
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    (SOURCES / "digests.txt").write_text(f"{sources_digest()}\n{file_digest(target)}\n", encoding="ascii")
    return len(content)
