"""Suspension of depsgraph handlers during bulk changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_suspensions: list[bool] = []


@contextmanager
def handlers_suspended() -> Iterator[None]:
    """Ignore additions and changes in depsgraph handlers, which Blender also calls for those of imports."""
    _suspensions.append(True)
    try:
        yield
    finally:
        _suspensions.pop()


def handlers_active() -> bool:
    """Return whether handlers process additions and changes."""
    return not _suspensions
