"""Corruption of values stored in a .blend file, including values that users cannot set.

A *spot* is one stored value. Spots are found by RNA declarations, not by a list of names, so new properties
are corrupted, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import bpy
import numpy as np

from tests.scene.rig_tools import curves

_HOMES = (
    *("objects", "meshes", "armatures", "actions", "materials"),
    *("images", "sounds", "texts", "collections"),
)
_OF_KINDS = ("objects", "collections")
_INTEGERS = (-(1 << 31), -32769, -2, -1, 0, 1, 255, 256, 32767, 65536, 1 << 24, (1 << 31) - 1)
_FLOATS = (float("nan"), float("inf"), float("-inf"), 3e38, -3e38, 1e-40, 0.0, 65536.0)
_TEXTS = (
    "",
    "\n\t\r\x1b[31m\x7f",
    "x" * 100_000,
    "../../..",
    "\u202e\ufeff\u6f22\U0001f600",
    "%s {0} {}",
    "1",
)
_SIZES = (0, 1, 2, 300)  # lengths of lists
_HINTS = "tr_"  # prefix of attributes and ID properties
_EVERY = 13  # one of so many values gets another type
_KINDS = ("INT", "FLOAT", "FLOAT_VECTOR", "BOOLEAN")  # types of attributes
_FIELDS: dict[str, tuple[str, int, type]] = {
    "INT": ("value", 1, np.int32),
    "FLOAT": ("value", 1, np.float32),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color", 4, np.float32),
}


class Spot(NamedTuple):
    """A stored value: its kind, its owner, and a function that replaces it, selected by a number."""

    kind: str
    owner: Any
    corrupt: Callable[[int], object]


def spots() -> dict[str, list[Spot]]:
    """Return every stored value of the extension in the open file, by kind."""
    found: dict[str, list[Spot]] = {}
    for spot in _spots():
        found.setdefault(spot.kind, []).append(spot)
    return found


def _spots() -> Iterator[Spot]:
    for home in _HOMES:
        for owner in getattr(bpy.data, home):
            kind = f"{home}.{owner.tomb_raider.kind}" if home in _OF_KINDS else home
            yield from _of_datablock(kind, owner)
    for armature in bpy.data.armatures:
        for bone in armature.bones:
            yield from _of_group("bones", bone, bone.tomb_raider)
    for obj in bpy.data.objects:
        kind = f"objects.{obj.tomb_raider.kind}"
        for name in ("location", "scale", "rotation_euler", "rotation_quaternion"):
            yield Spot(f"{kind}.{name}", obj, partial(_corrupt_vector, obj, name))
        yield Spot(f"{kind}.parent", obj, partial(_corrupt_pointer, obj, "parent"))
    for mesh in bpy.data.meshes:
        yield Spot("meshes.materials", mesh, partial(_drop_materials, mesh))
        for name in [each.name for each in mesh.attributes if not each.name.startswith(".")]:
            yield Spot(f"meshes.attributes.{name}", mesh, partial(_corrupt_attribute, mesh, name))
    for action in bpy.data.actions:
        yield Spot("actions.curves", action, partial(_corrupt_key_frame, action))


def _of_datablock(kind: str, owner: Any) -> Iterator[Spot]:
    yield Spot(f"{kind}.name", owner, partial(_rename, owner))
    if hasattr(owner, "tomb_raider"):
        yield from _of_group(kind, owner, owner.tomb_raider)
    for key, _ in owner.items():
        if key.startswith(_HINTS):
            yield Spot(f"{kind}.{key}", owner, partial(_corrupt_key, owner, key))


def _of_group(kind: str, owner: Any, group: Any) -> Iterator[Spot]:
    for field in group.bl_rna.properties:
        name = f"{kind}.{field.identifier}"
        if field.identifier in ("rna_type", "name"):
            continue
        within = getattr(group, field.identifier)
        if isinstance(within, bpy.types.PropertyGroup):
            if _is_stored(within):  # most objects store only values of their own kind
                yield from _of_group(name, owner, within)
        elif field.type == "COLLECTION":
            yield Spot(name, owner, partial(_resize, within))
            for each in within:
                yield from _of_group(name, owner, each)
        elif field.type == "POINTER":
            yield Spot(name, owner, partial(_corrupt_pointer, group, field.identifier))
        else:
            yield Spot(name, owner, partial(_corrupt_field, group, field.identifier))


def _is_stored(group: Any) -> bool:
    """Return whether a group stores any values, and not only defaults."""
    stored = group.bl_system_properties_get() if hasattr(group, "bl_system_properties_get") else group
    return stored is not None and _has_values(
        stored.to_dict() if hasattr(stored, "to_dict") else dict(stored)
    )


def _has_values(stored: dict[str, Any]) -> bool:
    return any(_has_values(each) if isinstance(each, dict) else True for each in stored.values())


# --- Replacement values --------------------------------------------------------------------------------


def _rename(owner: Any, number: int) -> None:
    owner.name = _TEXTS[number % len(_TEXTS)]


def _corrupt_key(owner: Any, key: str, number: int) -> None:
    old = owner.get(key)
    whole = bytes(old) if isinstance(old, bytes) else b"\x78\x9c damaged beyond repair"
    flipped = whole[:20] + bytes([whole[20] ^ 255]) + whole[21:] if len(whole) > 20 else b""
    values = (None, 5, "text", 1.5, [1, 2, 3], {"a": 1}, b"\0", whole[: len(whole) // 2], whole * 2, flipped)
    value = values[number % len(values)]
    if old is not None:
        del owner[key]  # values overwritten in place are lost
    if value is not None:
        owner[key] = value


def _corrupt_field(group: Any, name: str, number: int) -> None:
    """Store a value outside the limits that Blender enforces."""
    field = group.bl_rna.properties[name]
    if number % _EVERY == _EVERY - 1:
        group[name] = ("of another type", 1.5, {"a": 1})[number // _EVERY % 3]
        return
    known: dict[str, tuple[Any, ...]] = {
        "INT": _INTEGERS,
        "FLOAT": _FLOATS,
        "BOOLEAN": (0, 1, 2),
        "STRING": _TEXTS,
    }
    # Enumerations are stored as numbers: every second value is a valid choice, if there is one.
    values = known.get(field.type) or (_INTEGERS if number % 2 else range(12))
    value = values[number // (1 if field.type in known else 2) % len(values)]
    group[name] = [value] * field.array_length if getattr(field, "is_array", False) else value


def _corrupt_pointer(group: Any, name: str, number: int) -> None:
    """Set a pointer to None or to any data-block of its type."""
    kind = group.bl_rna.properties[name].fixed_type
    homes = (each for each in bpy.types.BlendData.bl_rna.properties if each.type == "COLLECTION")
    home = next((each.identifier for each in homes if each.fixed_type == kind), None)
    found = [None, *(getattr(bpy.data, home) if home else ())]
    setattr(group, name, found[number % len(found)])


def _resize(held: Any, number: int) -> None:
    size = _SIZES[number % len(_SIZES)]
    while len(held) > size:
        held.remove(len(held) - 1)
    while len(held) < size:
        held.add()


def _corrupt_vector(obj: Any, name: str, number: int) -> None:
    values = list(getattr(obj, name))
    values[number % len(values)] = _FLOATS[number % len(_FLOATS)]
    setattr(obj, name, values)


def _drop_materials(mesh: Any, number: int) -> None:
    if number % 2 and mesh.materials:
        mesh.materials.pop()
    else:
        mesh.materials.clear()


def _corrupt_attribute(mesh: Any, name: str, number: int) -> None:
    attribute = mesh.attributes.get(name)
    if number % 5 == 4 and not attribute.is_required:
        domain = attribute.domain
        mesh.attributes.remove(attribute)
        if number % 2:
            mesh.attributes.new(name, _KINDS[number // 10 % len(_KINDS)], domain)
        return
    if attribute.data_type not in _FIELDS or not len(attribute.data):
        return
    field, width, kind = _FIELDS[attribute.data_type]
    values: Any = np.empty(len(attribute.data) * width, kind)
    attribute.data.foreach_get(field, values)
    chosen: tuple[float, ...] = _INTEGERS if kind is np.int32 else _FLOATS
    values[number % len(values) if number % 3 else slice(None)] = chosen[number % len(chosen)]
    attribute.data.foreach_set(field, values)


def _corrupt_key_frame(action: Any, number: int) -> None:
    found = list(curves(action))
    if found:
        curve = found[number % len(found)]
        key = curve.keyframe_points[number % len(curve.keyframe_points)]
        key.co[number // 2 % 2] = _FLOATS[number % len(_FLOATS)]
        curve.update()
