"""Bit fields of words, and signed and unsigned integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from ..errors import ExportError
from ..messages import T, as_message

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Integer = TypeVar("_Integer", bound=np.integer)


class Bits:
    """A bit field of a word. Words are integers or arrays of any shape."""

    __slots__ = ("count", "first")

    def __init__(self, first: int, count: int = 1) -> None:
        self.first = first  #: the lowest bit.
        self.count = count  #: the number of bits.

    @property
    def largest(self) -> int:
        """The largest value of the field."""
        return (1 << self.count) - 1

    @property
    def mask(self) -> int:
        """The word in which only the bits of the field are set."""
        return self.largest << self.first

    @overload
    def of(self, word: int) -> int: ...

    @overload
    def of(self, word: NDArray[_Integer]) -> NDArray[_Integer]: ...

    def of(self, word: Any) -> Any:
        """Return the value of the field in a word."""
        return word >> self.first & self.largest

    @overload
    def only(self, word: int) -> int: ...

    @overload
    def only(self, word: NDArray[_Integer]) -> NDArray[_Integer]: ...

    def only(self, word: Any) -> Any:
        """Return the word with all bits outside the field cleared."""
        return word & self.mask

    @overload
    def put(self, word: int, value: int) -> int: ...

    @overload
    def put(self, word: NDArray[_Integer], value: NDArray[Any] | int) -> NDArray[_Integer]: ...

    def put(self, word: Any, value: Any) -> Any:
        """Return the word with another value in the field. The value must fit; other bits stay."""
        if isinstance(word, np.ndarray):
            value = np.asarray(value).astype(word.dtype)
        return word ^ (word & self.mask) | value << self.first

    @overload
    def fit(self, value: int) -> int: ...

    @overload
    def fit(self, value: NDArray[_Integer]) -> NDArray[_Integer]: ...

    def fit(self, value: Any) -> Any:
        """Return the value cut to the field's bits; negative values become their two's complement."""
        return value & self.largest


@overload
def signed(value: int, bits: int) -> int: ...


@overload
def signed(value: NDArray[_Integer], bits: int) -> NDArray[_Integer]: ...


def signed(value: Any, bits: int) -> Any:
    """Return the signed number, or array of numbers, with the same ``bits`` lowest bits."""
    half = 1 << bits - 1
    return (value & 2 * half - 1 ^ half) - half


def unsigned(value: int, bits: int) -> int:
    """Return the unsigned number with the same ``bits`` lowest bits."""
    return value & (1 << bits) - 1


def put(record: np.void, field: str, value: int, subject: str, what: str = "") -> None:
    """Set an integer field. Unsigned 32-bit fields accept signed numbers, see :func:`signed`.

    Args:
        subject: the name of the object that the record describes, for errors.
        what: the name of the field in errors, by default ``field``.

    Raises:
        ExportError: if the value does not fit.
    """
    info = np.iinfo(record.dtype[field])
    if info.bits == 32 and info.min == 0:
        value = unsigned(value, 32)
    if not info.min <= value <= info.max:
        problem = T("its {field} does not fit the file", field=as_message(what or field))
        limit = int(info.max if value > 0 else info.min)
        raise ExportError(subject, problem, count=value, limit=limit)
    record[field] = value


def join_records(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays of records of one type, at least one, as one array (n,).

    Joining bytes is much faster than joining structured arrays, whose fields NumPy compares.
    """
    joined = b"".join([part.tobytes() for part in parts])  # describing the fields of each takes far longer
    return np.frombuffer(joined, parts[0].dtype) if joined else parts[0][:0]


def count_differing(first: NDArray[Any], second: NDArray[Any]) -> int:
    """Return how many elements of two arrays of the same type and length differ in any byte."""
    shape = len(first), first.dtype.itemsize
    a, b = (np.ascontiguousarray(each).view(np.uint8).reshape(shape) for each in (first, second))
    return int((a != b).any(axis=1).sum())
