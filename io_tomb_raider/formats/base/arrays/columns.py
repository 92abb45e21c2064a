"""Tables of arrays: dataclasses whose fields are columns, with a row for each element."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Self, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray


class Columns:
    """Base of tables: dataclasses whose fields are arrays with the same number of rows, in the same order.

    A field may also be another table with as many rows, None for a column that the table does not have, and a
    single value for all rows. ``Annotated[Floats, 4, 3]`` declares the shape of a row.
    """

    def __post_init__(self) -> None:
        """Check the shapes.

        Raises ValueError if columns have different numbers of rows, or rows of another shape.
        """
        count = None
        for name, (_, shape) in _columns(type(self)).items():
            value = getattr(self, name)
            if not isinstance(value, np.ndarray | Columns):
                continue
            if count is None:
                count = len(value)
            elif len(value) != count:
                raise ValueError(f"{type(self).__name__}: {len(value)} rows of {name}, not {count}")
            if shape and value.shape[1:] != shape:  # type: ignore[union-attr]
                raise ValueError(f"{type(self).__name__}: rows of {name} are {value.shape[1:]}, not {shape}")  # type: ignore[union-attr]

    def __len__(self) -> int:
        values = (getattr(self, name) for name in _columns(type(self)))
        return next(len(value) for value in values if isinstance(value, np.ndarray | Columns))

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Self:
        """Return some of the rows: by index, in this order, by a mask, or a slice."""
        return type(self)(*(_rows(getattr(self, name), rows) for name in _columns(type(self))))

    def differs(self, other: Self) -> NDArray[np.bool_]:
        """Return which rows differ from those of another table of as many rows, (n,) bool."""
        result = np.zeros(len(self), np.bool_)
        for name in _columns(type(self)):
            value, others = getattr(self, name), getattr(other, name)
            if isinstance(value, Columns):
                result |= value.differs(others)
            elif isinstance(value, np.ndarray):
                result |= (value != others).any(axis=tuple(range(1, value.ndim)))
        return result

    @classmethod
    def join(cls, tables: Iterable[Self]) -> Self:
        """Return the rows of several tables, one table after the other; see :meth:`empty` for none.

        A column that one of them does not have is missing. Single values are those of the first table.
        """
        parts = list(tables)
        if len(parts) < 2:
            return parts[0] if parts else cls.empty()
        return cls(*(_joined([getattr(part, name) for part in parts]) for name in _columns(cls)))

    @classmethod
    def joined_column(cls, tables: Iterable[Self], name: str) -> NDArray[Any]:
        """Return one column of what :meth:`join` returns; the others are not copied."""
        column: NDArray[Any] = _joined(
            [getattr(part, name) for part in tables] or [getattr(cls.empty(), name)]
        )
        return column

    @classmethod
    def empty(cls) -> Self:
        """Return a table without rows. Fields with a default have it."""
        defaults = vars(cls)
        return cls(*(defaults.get(name, _empty(*column)) for name, column in _columns(cls).items()))


def _rows(value: Any, rows: Any) -> Any:
    if isinstance(value, Columns):
        return value.take(rows)
    return value[rows] if isinstance(value, np.ndarray) else value


def _joined(values: list[Any]) -> Any:
    first = values[0]
    if any(value is None for value in values):
        return None
    if isinstance(first, Columns):
        return type(first).join(values)
    return np.concatenate(values) if isinstance(first, np.ndarray) else first


def _empty(kind: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(kind, UnionType):
        return None
    if isinstance(kind, type) and issubclass(kind, Columns):
        return kind.empty()
    return np.zeros((0, *shape), kind)


_cache: dict[Any, dict[str, tuple[Any, tuple[int, ...]]]] = {}


def _columns(table: Any) -> dict[str, tuple[Any, tuple[int, ...]]]:
    """Return the columns of a table: the type of numbers, or the inner table, and the shape of a row."""
    if table in _cache:
        return _cache[table]
    result = {}
    for name, hint in get_type_hints(table, include_extras=True).items():
        shape: tuple[int, ...] = ()
        if get_origin(hint) is Annotated:
            hint, *extents = get_args(hint)
            shape = tuple(extents)
        if get_origin(hint) is np.ndarray:  # of a shape, and dtype[number]
            hint = get_args(get_args(hint)[1])[0]
        result[name] = (hint, shape)
    _cache[table] = result
    return result
