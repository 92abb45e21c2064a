"""Bounded reading from a buffer: nothing is taken that the file does not hold."""

from __future__ import annotations

from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DAMAGED, ENDS_EARLY, FormatError

_MOST = 1 << 30  # bytes: what claims more is no file that was cut


class Cursor:
    """A place in a buffer, which moves on as sections are read.

    Attributes:
        data: the whole buffer.
        offset: the byte that is read next.
        section: the name of the section that is being read, for errors.
        inside: the name of the chunk that the buffer was inflated from, or of the list that is being
            read element by element, or an empty string.
        element: the index in that list.
    """

    __slots__ = ("data", "element", "inside", "offset", "section")

    def __init__(self, data: bytes | memoryview, offset: int = 0, inside: str = "") -> None:
        self.data = data
        self.offset = offset
        self.inside = inside
        self.section = ""
        self.element: int | None = None

    @property
    def remaining(self) -> int:
        return len(self.data) - self.offset

    def error(
        self,
        expected: str,
        found: str,
        *,
        element: int | None = None,
        offset: int | None = None,
        problem: str = DAMAGED,
        sizes: tuple[int, int] | None = None,
    ) -> FormatError:
        """Return the error to raise for what stands at this place (or at ``offset``)."""
        name = f"{self.inside}/{self.section}" if self.inside else self.section
        at = self.offset if offset is None else offset
        if element is None:
            element = self.element
        return FormatError(name, expected, found, element=element, offset=at, problem=problem, sizes=sizes)

    def too_short(self, size: int, expected: str = "", *, element: int | None = None) -> FormatError:
        """Return the error to raise where fewer than ``size`` bytes are left, which are ``expected``."""
        wanted, found = expected or f"{size} more bytes", f"{self.remaining} bytes"
        if size > _MOST:
            return self.error(wanted, found, element=element)
        sizes = (self.remaining, size)
        return self.error(wanted, found, element=element, problem=ENDS_EARLY, sizes=sizes)

    def take(self, size: int, element: int | None = None) -> int:
        """Move on by ``size`` bytes and return where they begin.

        Raises:
            FormatError: where the file ends before them.
        """
        start = self.offset
        if size > len(self.data) - start:
            raise self.too_short(size, element=element)
        self.offset = start + size
        return start

    def fields(self, layout: Struct, element: int | None = None) -> tuple[Any, ...]:
        """Read one packed structure of plain numbers."""
        return layout.unpack_from(self.data, self.take(layout.size, element))

    def array(self, dtype: np.dtype, count: int, element: int | None = None) -> NDArray[Any]:
        """Read ``count`` elements as a read-only view of the buffer, shape (count, …)."""
        start = self.take(count * dtype.itemsize, element)
        if dtype.subdtype is None:
            return np.frombuffer(self.data, dtype, count, start)
        base, shape = dtype.subdtype
        flat = np.frombuffer(self.data, base, count * dtype.itemsize // base.itemsize, start)
        return flat.reshape(count, *shape)
