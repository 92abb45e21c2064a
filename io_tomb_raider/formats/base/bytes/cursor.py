"""Bounded reading from a buffer: every read is checked against the size of the file."""

from __future__ import annotations

from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DAMAGED, ENDS_EARLY, FormatError

_MOST = 1 << 30  # bytes; a larger size is a damaged count, not a truncated file


class Cursor:
    """A position in a buffer that advances as sections are read."""

    __slots__ = ("data", "element", "inside", "offset", "section")

    def __init__(self, data: bytes | memoryview, offset: int = 0, inside: str = "") -> None:
        self.data = data  #: the whole buffer.
        self.offset = offset  #: the offset of the next byte to read.
        #: the name of the chunk that the buffer was inflated from, or of the list that is being read element
        #: by element, or an empty string.
        self.inside = inside
        self.section = ""  #: the name of the section that is being read, for errors.
        self.element: int | None = None  #: the index in that list.

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
        """Return a FormatError for this place or for ``offset``."""
        name = f"{self.inside}/{self.section}" if self.inside else self.section
        offset = self.offset if offset is None else offset
        if element is None:
            element = self.element
        return FormatError(
            name, expected, found, element=element, offset=offset, problem=problem, sizes=sizes
        )

    def too_short(self, size: int, expected: str = "", *, element: int | None = None) -> FormatError:
        """Return the error for a buffer with fewer than ``size`` bytes left, described by ``expected``."""
        description, actual = expected or f"{size} more bytes", f"{self.remaining} bytes"
        if size > _MOST:
            return self.error(description, actual, element=element)
        sizes = (self.remaining, size)
        return self.error(description, actual, element=element, problem=ENDS_EARLY, sizes=sizes)

    def take(self, size: int, element: int | None = None) -> int:
        """Advance by ``size`` bytes and return the offset of the first.

        Raises FormatError if the file ends before.
        """
        start = self.offset
        if size > len(self.data) - start:
            raise self.too_short(size, element=element)
        self.offset = start + size
        return start

    def content(self, size: int) -> bytes:
        """Read bytes."""
        start = self.take(size)
        return bytes(self.data[start : self.offset])

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
