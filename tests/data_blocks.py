"""Hashes of all properties of the data-blocks in the open file."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np
from bpy.types import ID

# Values that evaluation stores, or that derive from other properties: they are in no file and no undo step.
# Reading the transform of a hidden object with constraints makes Blender store it.
_DERIVED = frozenset(
    {
        *("rna_type", "depsgraph", "use_nodes", "is_evaluated", "original", "is_updated"),
        *("matrix_world", "matrix_local", "bound_box", "dimensions"),
        *("vertex_selection", "edge_selection", "pin"),  # Blender 4.2 creates these on access
        "uv_sculpt",  # Blender 4.2 crashes when its brushes are read
        *(
            "uv_layer_clone",
            "uv_layer_stencil",
        ),  # of texture painting, chosen by Blender 4.2 when meshes are evaluated
    }
)
_NUMBERS: dict[str, Any] = {"BOOLEAN": np.bool_, "INT": np.int64, "FLOAT": np.float64, "ENUM": np.int32}
_MANY = 8  # minimum length for reading whole arrays


def data_blocks() -> dict[tuple[str, str], dict[str, str]]:
    """Return a hash of every property of every data-block, by the data-block's type and full name."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for block in every_id():
        _Hashes(block).add_to(found.setdefault((block.bl_rna.identifier, block.name_full), {}))
    return found


def changed(
    before: dict[tuple[str, str], dict[str, str]], after: dict[tuple[str, str], dict[str, str]]
) -> list[str]:
    """Return the differences of two results of :func:`data_blocks`: data-blocks and properties."""
    lines = [f"{' '.join(key)} is new" for key in after if key not in before]
    lines += [f"{' '.join(key)} is gone" for key in before if key not in after]
    for key in before.keys() & after.keys():
        one, other = before[key], after[key]
        names = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
        lines += [f"{' '.join(key)}: {name}" for name in names]
    return sorted(lines)


def every_id() -> Iterator[ID]:
    """Yield all data-blocks of the file."""
    for field in bpy.data.bl_rna.properties:
        if field.type == "COLLECTION":
            yield from getattr(bpy.data, field.identifier)


class _Hashes:
    """Hashes of one data-block."""

    def __init__(self, block: ID) -> None:
        self._block = block
        self._seen: set[tuple[str, int]] = set()

    def add_to(self, found: dict[str, str]) -> None:
        found["session_uid"] = str(self._block.session_uid)
        if isinstance(
            self._block, bpy.types.Screen
        ):  # Blender 4.2 crashes when editors without a window are read
            return
        for name, value in self._fields(self._block):
            hashed = blake2b(digest_size=16)
            for part in self._parts(value):
                hashed.update(part)
            found[name] = hashed.hexdigest()

    def _fields(self, struct: Any) -> Iterator[tuple[str, Any]]:
        for field in struct.bl_rna.properties:
            if field.identifier in _DERIVED:
                continue
            try:
                value = getattr(struct, field.identifier)
            except (AttributeError, RuntimeError, ValueError):  # the value is not available now
                continue
            if getattr(field, "is_array", False) or field.type == "COLLECTION":
                value = _Many(value, field.type)
            yield field.identifier, value
        try:
            keys = list(struct.keys())
        except (AttributeError, TypeError):  # it cannot store custom properties
            return
        for key in keys:
            yield f'["{key}"]', _stored(struct[key])

    def _parts(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, _Many):
            yield from self._many(value)
        elif isinstance(value, ID):
            yield f"{value.bl_rna.identifier} {value.session_uid}".encode()
        elif isinstance(value, bpy.types.bpy_struct):
            mark = (value.bl_rna.identifier, value.as_pointer())
            if mark not in self._seen:
                self._seen.add(mark)
                for name, inner in self._fields(value):
                    yield name.encode()
                    yield from self._parts(inner)
        else:
            yield repr(value).encode()

    def _many(self, many: _Many) -> Iterator[bytes]:
        values = many.values
        yield str(len(values)).encode()
        if many.type != "COLLECTION":
            yield _array(values, many.type)
            return
        first = next(iter(values), None)
        fields = [] if first is None else _plain_fields(first)
        if len(values) >= _MANY and fields:
            for field in fields:
                yield field.identifier.encode()
                yield _column(values, field)
            return
        for each in values:
            yield from self._parts(each)


class _Many:
    """An array or collection property."""

    def __init__(self, values: Any, kind: str) -> None:
        self.values, self.type = values, kind


def _plain_fields(struct: Any) -> list[Any]:
    """Return the properties of an element if all are numeric, or else an empty list."""
    fields = [each for each in struct.bl_rna.properties if each.identifier not in _DERIVED]
    is_plain = not isinstance(struct, ID) and all(
        each.type in _NUMBERS and not getattr(each, "is_enum_flag", False) for each in fields
    )
    return fields if is_plain else []


def _column(values: Any, field: Any) -> bytes:
    if field.identifier == "vertices":  # the length depends on the face
        return repr([each.vertices[:] for each in values]).encode()
    array = np.empty(len(values) * max(getattr(field, "array_length", 1), 1), _NUMBERS[field.type])
    values.foreach_get(field.identifier, array)
    return array.tobytes()


def _array(values: Any, kind: str) -> bytes:
    if kind in _NUMBERS and hasattr(values, "foreach_get"):
        array = np.empty(len(values), np.float32 if kind == "FLOAT" else _NUMBERS[kind])
        try:
            values.foreach_get(array)
        except (RuntimeError, TypeError):
            return repr(list(values)).encode()
        return array.tobytes()
    return repr([tuple(each) if hasattr(each, "__len__") else each for each in values]).encode()


def _stored(value: Any) -> Any:
    """Return a custom property as plain values."""
    for convert in ("to_dict", "to_list"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value
