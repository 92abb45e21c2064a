"""Hashes of all properties of the data-blocks in the open file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
        "keyconfigs",  # thousands of keys, which belong to the program
        "uv_sculpt",  # Blender 4.2 crashes when its brushes are read
        *(
            "uv_layer_clone",
            "uv_layer_stencil",
        ),  # of texture painting, chosen by Blender 4.2 when meshes are evaluated
    }
)
_NUMBERS: dict[str, Any] = {"BOOLEAN": np.bool_, "INT": np.int64, "FLOAT": np.float64, "ENUM": np.int32}
_MANY = 8  # minimum length for reading whole arrays

# By type: the properties, each with its type if it is an array or a collection.
_FieldsByType = dict[str, list[tuple[str, str]]]


def data_blocks() -> dict[tuple[str, str], dict[str, str]]:
    """Return a hash of every property of every data-block, by the data-block's type and full name."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    fields: _FieldsByType = {}
    for block in every_id():
        _Hashes(block, fields).add_to(found.setdefault((block.bl_rna.identifier, block.name_full), {}))
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
    """Hashes of one data-block.

    Args:
        block: the data-block.
        fields: what is known about types of data so far; listing properties takes most of the time.
    """

    def __init__(self, block: ID, fields: _FieldsByType) -> None:
        self._block, self._known = block, fields
        self._seen: set[tuple[str, int]] = set()

    def add_to(self, found: dict[str, str]) -> None:
        found["session_uid"] = str(self._block.session_uid)
        if isinstance(
            self._block, bpy.types.Screen
        ):  # Blender 4.2 crashes when editors without a window are read
            return
        for name, value in self._fields(self._block):
            hashed = blake2b(digest_size=16)
            self._feed(hashed.update, value)
            found[name] = hashed.hexdigest()

    def _fields(self, struct: Any) -> Iterator[tuple[str, Any]]:
        rna = struct.bl_rna
        names = self._known.get(rna.identifier)
        if names is None:
            names = self._known[rna.identifier] = [
                (each.identifier, each.type if _is_many(each) else "")
                for each in rna.properties
                if each.identifier not in _DERIVED
            ]
        for name, kind in names:
            try:
                value = getattr(struct, name)
            except (AttributeError, RuntimeError, ValueError):  # the value is not available now
                continue
            yield name, _Many(value, kind) if kind else value
        try:
            keys = list(struct.keys())
        except (AttributeError, TypeError):  # it cannot store custom properties
            return
        # Last: in Blender 4.2, reading a property that is a group stores an empty one.
        for key in keys:
            yield f'["{key}"]', _stored(struct[key])

    def _feed(self, add: Callable[[bytes], None], value: Any) -> None:
        if isinstance(value, _Many):
            self._feed_many(add, value)
        elif isinstance(value, ID):
            add(f"{value.bl_rna.identifier} {value.session_uid}".encode())
        elif isinstance(value, bpy.types.bpy_struct):
            mark = (value.bl_rna.identifier, value.as_pointer())
            if mark not in self._seen:
                self._seen.add(mark)
                for name, inner in self._fields(value):
                    add(name.encode())
                    self._feed(add, inner)
        else:
            add(repr(value).encode())

    def _feed_many(self, add: Callable[[bytes], None], many: _Many) -> None:
        values = many.values
        add(str(len(values)).encode())
        if many.type != "COLLECTION":
            add(_array(values, many.type))
            return
        first = next(iter(values), None)
        fields = [] if first is None or len(values) < _MANY else _plain_fields(first)
        for field in fields:
            add(field.identifier.encode())
            add(_column(values, field))
        for each in () if fields else values:
            self._feed(add, each)


def _is_many(field: Any) -> bool:
    return bool(getattr(field, "is_array", False)) or field.type == "COLLECTION"


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
