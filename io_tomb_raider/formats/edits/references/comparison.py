"""Readable differences between two levels, by section and element.

Values that only move when other sections change size are ignored: sectors are compared by the content of
their floor data, meshes one by one, and offsets are omitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools
from ...base.errors import FormatError
from ...levels.floor.lists import FloorLists
from ...levels.level.level import Level
from ...levels.meshes.meshes import Mesh, decode_meshes
from ...levels.rooms.rooms import Room
from .references import REFERENCES


class Difference(NamedTuple):
    """One difference between two levels."""

    section: str  #: the section of the file, or ``level`` for the whole level.
    element: int  #: the element of the section, -1 for the whole section.
    text: str  #: a description of the difference.


# Attributes that are not sections, and sections that are compared by meaning.
_NO_SECTIONS = frozenset({"game", "variant", "layout", "streams", "ends_at"})
_BY_MEANING = frozenset({"rooms", "floor_data", "mesh_data", "mesh_pointers"})
_PAGES = frozenset({"textiles8", "textiles16", "textiles32", "misc_textiles32"})
_ROOM_BY_MEANING = frozenset(
    {"sectors", "x_sectors", "z_sectors", "geometry_words", "layers", "header", "block"}
)
# Numbers of these elements have no meaning for users: they move when the lists change size.
_NAMELESS = frozenset(
    {"mesh_pointers", "mesh_trees", "frames", "state_changes", "animation_dispatches", "animation_commands"}
)
_OF_LAYOUT = frozenset({"frame_size"})
_MOST_FIELDS = 6  # named per element


def differences(old: Level, new: Level) -> Iterator[Difference]:
    """Yield all differences, in file order. Raises FormatError if the meshes of a level are damaged."""
    if old.game is not new.game or old.variant is not new.variant:
        names = [f"{level.game.name} ({level.variant.value})" for level in (old, new)]
        yield Difference("level", -1, f"{names[0]} became {names[1]}")
        return
    for name in _names(old, new, _NO_SECTIONS):
        before, after = getattr(old, name, None), getattr(new, name, None)
        if before is None or after is None:
            yield Difference(name, -1, "is gone" if after is None else "is new")
        elif name == "rooms":
            yield from _rooms(old, new)
        elif name == "mesh_data":
            yield from _meshes(old, new)
        elif name in _PAGES:
            yield from _pages(name, before, after)
        elif name not in _BY_MEANING:
            yield from _values(name, before, after, _moving(name))


def _moving(section: str) -> frozenset[str]:
    """Return the fields of a section that change although no element was edited."""
    return _OF_LAYOUT.union(each.field for each in REFERENCES.get(section, ()) if each.target in _NAMELESS)


def _names(old: object, new: object, but: frozenset[str]) -> list[str]:
    return [name for name in {**vars(old), **vars(new)} if name not in but]


def _number(before: int, after: int) -> str:
    """Return how many more or fewer elements there are, as text."""
    growth = after - before
    return f"{abs(growth)} {'more' if growth > 0 else 'fewer'}: {after} instead of {before}"


def _values(section: str, old: Any, new: Any, ignored: frozenset[str]) -> Iterator[Difference]:
    """Compare records by field, words by number of differing ones, and numbers by value."""
    if not isinstance(old, np.ndarray):
        if old != new:
            are_numbers = isinstance(old, int | float) and isinstance(new, int | float)
            yield Difference(section, -1, f"{new} instead of {old}" if are_numbers else "differs")
        return
    if old is new:
        return
    if len(old) != len(new):
        yield Difference(section, -1, _number(len(old), len(new)))
    if old.dtype != new.dtype or old.shape[1:] != new.shape[1:]:
        yield Difference(section, -1, "has another layout")
        return
    shared = min(len(old), len(new))
    if not old.dtype.names:
        count = int(_unequal(old[:shared], new[:shared]).sum())
        if count:
            yield Difference(section, -1, f"{count} of {shared} values differ")
        return
    texts_of: dict[int, list[str]] = {}
    for name in old.dtype.names:
        if name not in ignored:
            for row in np.flatnonzero(_unequal(old[name][:shared], new[name][:shared])).tolist():
                texts_of.setdefault(row, []).append(_field(name, old[row], new[row]))
    for row, parts in sorted(texts_of.items()):
        rest = f" and {len(parts) - _MOST_FIELDS} more" if len(parts) > _MOST_FIELDS else ""
        yield Difference(section, row, ", ".join(parts[:_MOST_FIELDS]) + rest)


def _unequal(old: NDArray[Any], new: NDArray[Any]) -> Bools:
    """Return which rows differ, (n,)."""
    unequal = old != new
    if np.issubdtype(old.dtype, np.floating):
        unequal &= ~(np.isnan(old) & np.isnan(new))
    return np.asarray(unequal.reshape(len(old), -1).any(axis=1) if len(old) else np.zeros(0, bool))


def _field(name: str, old: Any, new: Any) -> str:
    noun = name.replace("_", " ")
    return noun if np.ndim(old[name]) else f"{noun} {new[name].item()} instead of {old[name].item()}"


def _pages(name: str, old: NDArray[Any], new: NDArray[Any]) -> Iterator[Difference]:
    if len(old) != len(new):
        yield Difference(name, -1, _number(len(old), len(new)))
    for page in range(min(len(old), len(new))):
        count = int((old[page] != new[page]).reshape(256 * 256, -1).any(axis=1).sum())
        if count:
            yield Difference(name, page, f"{count} pixels differ")


# --- Rooms ----------------------------------------


def _rooms(old: Level, new: Level) -> Iterator[Difference]:
    if len(old.rooms) != len(new.rooms):
        yield Difference("rooms", -1, _number(len(old.rooms), len(new.rooms)))
    lists = [_lists(level) for level in (old, new)]
    for number, (before, after) in enumerate(zip(old.rooms, new.rooms, strict=False)):
        parts = []
        for name in _names(before, after, _ROOM_BY_MEANING):
            noun = name.replace("_", " ")
            values = getattr(before, name, None), getattr(after, name, None)
            items = list(_values(noun, *values, frozenset()))
            if len(items) == 1 and items[0].element < 0:
                parts.append(f"{noun}: {items[0].text}")
            elif items:
                # Vertices, faces and lights are numerous: give only their count.
                whole = [each.text for each in items if each.element < 0]
                count = sum(each.element >= 0 for each in items)
                parts.append(f"{noun}: {', '.join([*whole, f'{count} differ'])}")
        sectors = _sectors(before, after, lists)
        if sectors:
            parts.append(sectors)
        if parts:
            yield Difference("rooms", number, "; ".join(parts))


def _lists(level: Level) -> FloorLists | None:
    """Return the lists of floor data, or None without any, or if they are too damaged to be separated."""
    if not hasattr(level, "floor_data"):
        return None
    try:
        return FloorLists.read(level)
    except FormatError:
        return None


def _sectors(before: Room, after: Room, lists: Sequence[FloorLists | None]) -> str:
    size, new_size = ((room.x_sectors, room.z_sectors) for room in (before, after))
    if size != new_size:
        return f"{new_size[0]} by {new_size[1]} sectors instead of {size[0]} by {size[1]}"
    is_reshaped = np.zeros(len(before.sectors), bool)
    for name in before.sectors.dtype.names or ():
        if name != "floor_data":
            is_reshaped |= before.sectors[name] != after.sectors[name]
    old, new = lists
    acts = np.zeros(len(is_reshaped), bool)
    if old is not None and new is not None:
        functions = old.of(before.sectors["floor_data"]), new.of(after.sectors["floor_data"])
        acts[:] = [one != other for one, other in zip(*functions, strict=True)]
    texts = (
        (int(is_reshaped.sum()), "other heights, boxes or openings"),
        (int(acts.sum()), "other triggers, slopes or marks"),
    )
    return ", ".join(
        f"{count} {'sector has' if count == 1 else 'sectors have'} {text}" for count, text in texts if count
    )


# --- Meshes ----------------------------------------


def _meshes(old: Level, new: Level) -> Iterator[Difference]:
    old_block, new_block = (
        decode_meshes(each.game, each.mesh_data, each.mesh_pointers) for each in (old, new)
    )
    if len(old_block.meshes) != len(new_block.meshes):
        yield Difference("meshes", -1, _number(len(old_block.meshes), len(new_block.meshes)))
    for number, (old_mesh, new_mesh) in enumerate(zip(old_block.meshes, new_block.meshes, strict=False)):
        if old_mesh.raw != new_mesh.raw:
            parts = list(_mesh(old_mesh, new_mesh))
            if parts:
                yield Difference("meshes", number, "; ".join(parts))


def _mesh(old: Mesh, new: Mesh) -> Iterator[str]:
    for name in _names(old, new, frozenset({"raw"})):
        noun, before, after = name.replace("_", " "), getattr(old, name), getattr(new, name)
        if before is None or after is None:
            if before is not after:
                yield f"{noun} {'are gone' if after is None else 'are new'}"
            continue
        if not isinstance(before, np.ndarray):
            if before != after:
                yield f"{noun} {after} instead of {before}"
            continue
        if len(before) != len(after):
            yield f"{noun}: {_number(len(before), len(after))}"
            continue
        count = sum(each.element >= 0 for each in _values(noun, before, after, frozenset()))
        count = count or int(not before.dtype.names and _unequal(before, after).sum())
        if count:
            yield f"{noun}: {count} differ"
