"""Rows of collections that lists show."""

from __future__ import annotations

from typing import Any


def remove_row(rows: Any, index: int) -> int:
    """Remove a row, and return the index of the row that becomes active; 0 without rows."""
    rows.remove(index)
    return max(0, min(index, len(rows) - 1))


def move_row(rows: Any, index: int, step: int) -> int | None:
    """Move a row by a step of 1 or -1, and return its new index, or None if it cannot be moved."""
    target = index + step
    if not (0 <= index < len(rows) and 0 <= target < len(rows)):
        return None
    rows.move(index, target)
    return target
