"""Packing by hand: numbers next to their names, as plain little-endian structures.

A :class:`Table` is an array of structures, a :class:`Section` a piece of a file. Both have their bytes, made
only by `struct.pack`, and the values that a reader must return.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from struct import calcsize, pack
from typing import Any

Number = int | float


class Table:
    """An array of structures, each row the numbers of one, in the order of the file.

    Args:
        code: the format of one structure in the notation of `struct`; spaces are ignored.
        names: the names of its fields in their order. ``target:3`` is a field of three numbers, ``uv:4x2``
            one of four pairs.
        rows: the numbers, nested in any way.
    """

    def __init__(self, code: str, names: str, *rows: Sequence[Any]) -> None:
        self.code = "<" + code.replace(" ", "")
        self.rows = [tuple(_flat(row)) for row in rows]
        self.shapes: dict[str, tuple[int, ...]] = {}
        for name in names.split():
            name, _, shape = name.partition(":")
            self.shapes[name] = tuple(int(size) for size in shape.split("x")) if shape else ()

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def content(self) -> bytes:
        return b"".join(pack(self.code, *row) for row in self.rows)

    @property
    def size(self) -> int:
        """The bytes of one structure."""
        return calcsize(self.code)

    def column(self, name: str) -> list[Any]:
        """Return the values of a field in all rows, nested like the field."""
        start = 0
        for other, shape in self.shapes.items():
            if other == name:
                break
            start += prod(shape)
        shape = self.shapes[name]
        return [_shaped(row[start : start + prod(shape)], shape) for row in self.rows]

    def owners(self) -> list[str]:
        """Return the field names of the numbers of a row."""
        return [name for name, shape in self.shapes.items() for _ in range(prod(shape))]

    def codes(self) -> list[str]:
        """Return the codes of the numbers of a row: "3hH" is h, h, h and H."""
        found = re.findall(r"(\d*)([a-zA-Z])", self.code)
        return [code for times, code in found for _ in range(int(times or 1))]


def _flat(row: Iterable[Any]) -> Iterable[Number]:
    for each in row:
        if isinstance(each, int | float):
            yield each
        else:
            yield from _flat(each)


def _shaped(numbers: Sequence[Number], shape: tuple[int, ...]) -> Any:
    if not shape:
        return numbers[0]
    if len(shape) == 1:
        return list(numbers)
    step = prod(shape[1:])
    return [_shaped(numbers[at : at + step], shape[1:]) for at in range(0, len(numbers), step)]


@dataclass(frozen=True)
class Grid:
    """A large array of plain numbers: its shape, and its numbers as bytes."""

    shape: tuple[int, ...]
    content: bytes = field(repr=False)

    def __len__(self) -> int:
        return self.shape[0]


@dataclass(frozen=True)
class Section:
    """A piece of a file.

    Attributes:
        name: the attribute of a reader for it, "" if there is none.
        content: its bytes.
        value: the expected value of the attribute: a number, a list of numbers, a :class:`Table`, a
            :class:`Grid`, or a list of rooms, each a list of sections.
    """

    name: str
    content: bytes = field(repr=False)
    value: Any = None


Room = list[Section]


def number(code: str, name: str, value: int) -> Section:
    """Return one number."""
    return Section(name, pack("<" + code, value), value)


def numbers(code: str, **values: int) -> list[Section]:
    """Return several numbers with one code."""
    return [number(one, name, value) for one, (name, value) in zip(code, values.items(), strict=True)]


def listed(code: str, name: str, values: Sequence[int]) -> Section:
    """Return numbers without a count in front."""
    return Section(name, pack(f"<{len(values)}{code}", *values), list(values))


def fixed(name: str, value: Table | Grid) -> Section:
    """Return structures without a count in front."""
    return Section(name, value.content, value)


def counted(count: str, name: str, value: Table | Grid | Sequence[int], code: str = "") -> Section:
    """Return a count, then as many structures, or as many numbers of the code."""
    front = pack("<" + count, len(value))
    if isinstance(value, Table | Grid):
        return Section(name, front + value.content, value)
    return Section(name, front + pack(f"<{len(value)}{code}", *value), list(value))


def mark(content: bytes) -> Section:
    """Return constant bytes, which are no attribute."""
    return Section("", content)


def rooms(count: str, every: Sequence[Room]) -> Section:
    """Return a count, then the rooms."""
    return Section("rooms", pack("<" + count, len(every)) + b"".join(map(joined, every)), list(every))


def joined(sections: Iterable[Section]) -> bytes:
    return b"".join(section.content for section in sections)


def chunk(sections: Iterable[Section], level: int) -> bytes:
    """Return a compressed chunk of TR4 and TR5: its size, its size when compressed, and a zlib stream."""
    content = joined(sections)
    stream = zlib.compress(content, level)
    return pack("<II", len(content), len(stream)) + stream


def fraction(whole: int, part: int) -> int:
    """Return a `fixed` of chapter 2.2.1: 65536ths, with the signed integer part in the upper half."""
    return whole * 65536 + part
