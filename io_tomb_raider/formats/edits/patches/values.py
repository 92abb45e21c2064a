"""Values of patches: numbers, rows and packed bytes as JSON, and their validation."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...base.errors import FormatError

Json = Any  # what the module json returns
_Value = TypeVar("_Value")
_MOST = 1 << 30
_MOST_EXPANSION = 1040  # of deflate


class Reader:
    """Checked access to the values of one operation."""

    def __init__(self, value: Json, place: str) -> None:
        self.place = place  #: where it is in the patch, for errors.
        if not isinstance(value, dict):
            raise self.error("an object", value)
        self.value: dict[str, Json] = value

    def error(self, expected: str, found: object) -> FormatError:
        """Return the error about a value."""
        return FormatError(self.place, expected, repr(found)[:60])

    def has(self, name: str) -> bool:
        return name in self.value

    def number(self, name: str, least: int = 0, most: int = _MOST) -> int:
        """Return an integer."""
        result = self.value.get(name)
        if type(result) is not int or not least <= result <= most:
            raise self.error(f"a number from {least} to {most} ({name})", result)
        return result

    def text(self, name: str) -> str:
        return self._value(name, str, "a text")

    def items(self, name: str) -> list[Json]:
        return self._value(name, list, "a list")

    def table(self, name: str) -> dict[str, Json]:
        return self._value(name, dict, "an object")

    def _value(self, name: str, type_: type[_Value], noun: str) -> _Value:
        result = self.value.get(name)
        if not isinstance(result, type_):
            raise self.error(f"{noun} ({name})", result)
        return result

    def data(self, name: str, size: int) -> bytes:
        """Return packed bytes of a known size."""
        text = self.text(name)
        if size > _MOST or size > _MOST_EXPANSION * (len(text) + 8):
            raise self.error(f"{size} packed bytes ({name})", f"{len(text)} characters")
        try:
            packed = base64.b64decode(text, validate=True)
            inflater = zlib.decompressobj()
            content = inflater.decompress(packed, size + 1)
        except (binascii.Error, ValueError, zlib.error) as error:
            raise self.error(f"packed bytes ({name})", str(error)) from None
        if len(content) != size or not inflater.eof:
            raise self.error(f"{size} packed bytes ({name})", f"{len(content)} bytes")
        return content

    def array(self, name: str, dtype: np.dtype, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return packed elements."""
        size = math.prod(shape) * dtype.itemsize
        return np.frombuffer(self.data(name, size), dtype).reshape(shape)

    def numbers(self, value: Json, dtype: np.dtype, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return plain numbers, as nested lists hold them."""
        flat: list[Json] = []
        self._flatten(value, shape, flat)
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            wrong = (each for each in flat if type(each) is not int or not limits.min <= each <= limits.max)
        else:
            wrong = (each for each in flat if type(each) not in (int, float) or abs(each) > 1e300)
        for each in wrong:
            raise self.error(f"numbers of the type {dtype}", each)
        with np.errstate(over="ignore"):
            return np.array(flat, dtype).reshape(shape)

    def _flatten(self, value: Json, shape: tuple[int, ...], flat: list[Json]) -> None:
        if not shape:
            flat.append(value)
            return
        if not isinstance(value, list) or len(value) != shape[0]:
            raise self.error(f"a list of {shape[0]}", value)
        for each in value:
            self._flatten(each, shape[1:], flat)


def pack(data: bytes | NDArray[Any]) -> str:
    """Return bytes as text: compressed, in base64."""
    content = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()
    return base64.b64encode(zlib.compress(content, 9)).decode("ascii")


def plain(value: Any) -> Json:
    """Return numbers of NumPy as JSON."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def is_spelled(value: NDArray[Any]) -> bool:
    """Return whether numbers keep all bits as JSON: not all kinds of NaN do."""
    if value.dtype.names:
        return all(is_spelled(value[name]) for name in value.dtype.names)
    return value.dtype.kind in "iu" or bool(np.isfinite(value).all())
