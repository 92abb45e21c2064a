"""The lines of the catalogue's tables.

An installed extension has all tables in one file, a third smaller (`build.packed_tables`).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


def table_lines(name: str) -> list[str]:
    """Return the lines of a table."""
    path = _FOLDER / f"{name}.txt"
    return (path.read_text(encoding="ascii") if path.is_file() else _packed()[name]).splitlines()


@cache
def _packed() -> dict[str, str]:
    import lzma  # takes a millisecond, and sources do without

    tables: dict[str, str] = json.loads(lzma.decompress((_FOLDER / "tables.json.xz").read_bytes()))
    return tables
