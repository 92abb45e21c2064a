"""Rows of bytes of different lengths, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_LEB = 10  # bytes of a number
_OF_ONE_BYTE = (np.arange(256) & 0x7F ^ 0x40) - 0x40  # the numbers, with the sign of bit 6
_OF_TWO_BYTES = (np.arange(1 << 15) & 0x3FFF ^ 0x2000) - 0x2000  # likewise, of bit 13


@dataclass(frozen=True)
class Ragged:
    """Rows of bytes."""

    data: NDArray[np.uint8]  #: (total,) uint8: the rows, one after the other.
    lengths: NDArray[np.int64]  #: (n,) int64: their lengths.

    @property
    def starts(self) -> NDArray[np.int64]:
        """(n,) int64: the offsets of the rows."""
        return np.cumsum(self.lengths) - self.lengths

    @classmethod
    def matrix(cls, rows: NDArray[np.uint8]) -> Ragged:
        """Return rows (n, length) of one length."""
        return cls(np.ascontiguousarray(rows).reshape(-1), np.full(len(rows), rows.shape[1], np.int64))

    @classmethod
    def repeated(cls, row: bytes, count: int) -> Ragged:
        """Return equal rows."""
        return cls.matrix(np.broadcast_to(np.frombuffer(row, np.uint8), (count, len(row))))

    def take(self, order: NDArray[np.int64]) -> Ragged:
        """Return some rows in an order."""
        lengths = self.lengths[order]
        shifts = self.starts[order] - (np.cumsum(lengths) - lengths)
        return Ragged(self.data[np.repeat(shifts, lengths) + np.arange(lengths.sum())], lengths)

    def merged(self, counts: NDArray[np.int64]) -> Ragged:
        """Return longer rows: each joins the next `counts` (n,) of these."""
        ends = np.append(0, np.cumsum(self.lengths))[np.append(0, np.cumsum(counts))]
        return Ragged(self.data, np.diff(ends))

    def rows(self) -> list[bytes]:
        """Return the rows."""
        data, ends = self.data.tobytes(), np.cumsum(self.lengths).tolist()
        return [data[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)] if ends else []


def stacked(*parts: Ragged) -> Ragged:
    """Return the rows of all parts, one part after the other."""
    return Ragged(
        np.concatenate([each.data for each in parts]), np.concatenate([each.lengths for each in parts])
    )


def joined(*parts: Ragged) -> Ragged:
    """Return rows that join the rows of parts with the same number of rows."""
    count = len(parts[0].lengths)
    order = np.arange(count * len(parts)).reshape(len(parts), count).T.reshape(-1)
    return stacked(*parts).take(order).merged(np.full(count, len(parts)))


def leb_rows(values: NDArray[np.int64], width: int = 0) -> Ragged:
    """Return numbers (n,) as signed LEB128, as few bytes as possible, but at least `width`."""
    rest = values.astype(np.int64)
    rows = np.zeros((len(rest), _MOST_LEB), np.uint8)
    lengths = np.zeros(len(rest), np.int64)
    for index in range(_MOST_LEB):
        byte = rest & 0x7F
        rest >>= 7
        ends = (rest == -(byte >> 6)) & (index + 1 >= width) & (lengths == 0)
        more = (lengths == 0) & ~ends
        rows[:, index] = byte | np.where(more, 0x80, 0)
        lengths[ends] = index + 1
        if not more.any():
            break
    return Ragged(rows[np.arange(_MOST_LEB) < lengths[:, None]], lengths)


def read_lebs(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read `count` signed LEB128 numbers at each of several offsets (n,).

    A number that does not end in ten bytes ends there. The data must extend beyond the offsets by as many
    bytes as the numbers can have.

    Returns:
        The numbers (n, count) int64, and the offsets after them (n,).
    """
    values = np.zeros((len(offsets), count), np.int64)
    offsets = offsets.copy()
    for column in range(count):
        byte = data[offsets]
        offsets += 1
        values[:, column] = _OF_ONE_BYTE[byte]
        rows = np.flatnonzero(byte >= 0x80)
        if not len(rows):
            continue
        second = data[offsets[rows]]
        values[rows, column] = _OF_TWO_BYTES[(byte[rows] & 0x7F) | second.astype(np.int16) << 7]
        longer = second >= 0x80
        offsets[rows] += ~longer
        if longer.any():
            rows = rows[longer]
            values[rows, column], offsets[rows] = _read_long(data, byte[rows], offsets[rows])
    return values, offsets


def _read_long(
    data: NDArray[np.uint8], first: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return numbers (n,) of more than one byte, and the offsets after them, given the first bytes."""
    value, last = first.astype(np.int64) & 0x7F, first.astype(np.int64)
    bits = np.full(len(offsets), 7)
    rows = np.arange(len(offsets))
    for index in range(1, _MOST_LEB):
        if not len(rows):
            break
        byte = data[offsets[rows]].astype(np.int64)
        value[rows] |= (byte & 0x7F) << (7 * index)
        offsets[rows] += 1
        bits[rows] += 7
        last[rows] = byte
        rows = rows[byte >= 0x80]
    negative = (last & 0x40 != 0) & (bits < 64)
    return value - np.where(negative, np.int64(1) << np.minimum(bits, 63), 0), offsets
