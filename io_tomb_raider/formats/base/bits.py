"""Words that hold several objects: runs of bits with a name, and numbers with and without a sign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from ..errors import ExportError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Integer = TypeVar("_Integer", bound=np.integer)


class Bits:
    """A run of bits of a word that means something by itself. Words are numbers, or arrays of any shape.

    Attributes:
        first: its lowest bit.
        count: how many bits there are.
    """

    __slots__ = ("count", "first")

    def __init__(self, first: int, count: int = 1) -> None:
        self.first, self.count = first, count

    @property
    def largest(self) -> int:
        """The largest number that the bits can hold."""
        return (1 << self.count) - 1

    @property
    def mask(self) -> int:
        """A word in which just these bits are set."""
        return self.largest << self.first

    @overload
    def of(self, word: int) -> int: ...

    @overload
    def of(self, word: NDArray[_Integer]) -> NDArray[_Integer]: ...

    def of(self, word: Any) -> Any:
        """Return the number that the bits of a word hold."""
        return word >> self.first & self.largest

    @overload
    def only(self, word: int) -> int: ...

    @overload
    def only(self, word: NDArray[_Integer]) -> NDArray[_Integer]: ...

    def only(self, word: Any) -> Any:
        """Return a word that has these bits where they are, and no others."""
        return word & self.mask

    @overload
    def put(self, word: int, value: int) -> int: ...

    @overload
    def put(self, word: NDArray[_Integer], value: NDArray[Any] | int) -> NDArray[_Integer]: ...

    def put(self, word: Any, value: Any) -> Any:
        """Return a word whose bits hold another number, which must fit; all other bits are what they were."""
        if isinstance(word, np.ndarray):
            value = np.asarray(value).astype(word.dtype)
        return word ^ (word & self.mask) | value << self.first

    @overload
    def fit(self, value: int) -> int: ...

    @overload
    def fit(self, value: NDArray[_Integer]) -> NDArray[_Integer]: ...

    def fit(self, value: Any) -> Any:
        """Return what the bits can hold of a number: negative ones come out as their two's complement."""
        return value & self.largest


@overload
def signed(value: int, bits: int) -> int: ...


@overload
def signed(value: NDArray[_Integer], bits: int) -> NDArray[_Integer]: ...


def signed(value: Any, bits: int) -> Any:
    """Return the number, or an array of numbers, with a sign that has the same ``bits`` lowest bits."""
    half = 1 << bits - 1
    return (value & 2 * half - 1 ^ half) - half


def unsigned(value: int, bits: int) -> int:
    """Return the number without a sign that has the same ``bits`` lowest bits."""
    return value & (1 << bits) - 1


def put(record: np.void, field: str, value: int, subject: str, what: str = "") -> None:
    """Set an integer field. Fields of 32 bits without a sign take numbers with one, see :func:`signed`.

    Args:
        record: one element of a structured array.
        field: the field's name.
        value: a whole number.
        subject: the name of what the record stands for, for errors.
        what: what to call the field in errors, by default its name.

    Raises:
        ExportError: where the value does not fit.
    """
    info = np.iinfo(record.dtype[field])
    if info.bits == 32 and info.min == 0:
        value = unsigned(value, 32)
    if not info.min <= value <= info.max:
        limit = int(info.max if value > 0 else info.min)
        raise ExportError(subject, f"its {what or field} does not fit the file", count=value, limit=limit)
    record[field] = value


def join_records(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays of records of one type as one array, (n,).

    Joining their bytes is much faster than joining structured arrays, whose fields NumPy compares.

    Args:
        parts: at least one.
    """
    joined = b"".join([part.tobytes() for part in parts])  # to describe the fields of each takes far longer
    return np.frombuffer(joined, parts[0].dtype) if joined else parts[0][:0]


def count_differing(one: NDArray[Any], other: NDArray[Any]) -> int:
    """Return how many elements of two arrays of the same type and length differ, byte for byte."""
    shape = len(one), one.dtype.itemsize
    a, b = (np.ascontiguousarray(each).view(np.uint8).reshape(shape) for each in (one, other))
    return int((a != b).any(axis=1).sum())
