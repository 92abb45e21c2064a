"""Much that is made at once, which nobody has to look at as it comes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_under_way: list[bool] = []


@contextmanager
def handlers_suspended() -> Iterator[None]:
    """Let what is added and changed for a while be: what an import makes is complete, and lit at its end.

    Blender tells of it as of anything that a person does.
    """
    _under_way.append(True)
    try:
        yield
    finally:
        _under_way.pop()


def handlers_active() -> bool:
    """Tell whether what is added and changed now has to be looked at."""
    return not _under_way
