"""The file of the example, and the digest of the sources that it was made from."""

from __future__ import annotations

import hashlib
from pathlib import Path

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


def write_example(target: Path) -> int:
    """Build the example and write it, with the digests of its sources and of the file; return its size."""
    from .assemble import build

    content = build().to_bytes()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    (SOURCES / "digests.txt").write_text(f"{sources_digest()}\n{file_digest(target)}\n", encoding="ascii")
    return len(content)
