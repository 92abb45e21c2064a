"""Removing, joining and reordering the elements of a level's lists, with all references to them.

References of floor data and of edits for TRX are not changed: rooms, entities and cameras have tools of their
own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...base.bytes.bits import join_records
from ...base.bytes.splice import coverage
from ...base.messages import Text
from ...levels.level.level import Level
from ...levels.meshes.meshes import Mesh, encode_block, encode_mesh
from ...levels.rooms.rooms import Room
from ...levels.views.decoded import Decoded
from .references import NONE, REFERENCES, Records, Reference, tables

PAGE_FORMS = ("textiles8", "textiles16", "textiles32")
TooLarge = tuple[str | Text, Text]


def references_to(target: str) -> Iterator[tuple[str, Reference]]:
    """Yield the references to a list, with the names of their tables."""
    for name, references in REFERENCES.items():
        for each in references:
            if each.target == target and not each.by_id:
                yield name, each


# --- Elements that records refer to ----------------------------------------


def used(level: Level, target: str, *names: str) -> Bools:
    """Return the elements of a list to which any records of some tables refer, (n,)."""
    decoded = Decoded(level)
    kept = {each.name: np.ones(len(each.records), np.bool_) for each in tables(decoded, names)}
    kept[target] = np.zeros(size(level, target), np.bool_)
    extend(decoded, kept)
    return kept[target]


def extend(decoded: Decoded, kept: MutableMapping[str, Bools]) -> None:
    """Add to the kept elements of lists those to which kept records refer, until none is missing.

    Args:
        kept: (n,) which elements are kept, by the names of tables; others are not considered.
    """
    game = decoded.level.game
    records = {each.name: each.records for each in tables(decoded, kept)}
    pending = list(records)
    while pending:
        name = pending.pop()
        rows = records[name][kept[name]]
        for reference in REFERENCES.get(name, ()):
            if reference.target not in kept or reference.by_id:
                continue
            first, count = reference.ranges(game, rows)
            exists = (first >= 0) & reference.refers(decoded, rows)
            is_kept = kept[reference.target]
            is_used = is_kept | (coverage(first[exists], count[exists], len(is_kept)) > 0)
            if not np.array_equal(is_used, is_kept):
                kept[reference.target] = is_used
                if reference.target in records:
                    pending.append(reference.target)


# --- New numbers ----------------------------------------


def renumber(
    level: Level, target: str, numbers: Ints, beyond: int = 0, too_large: TooLarge | None = None
) -> None:
    """Change the numbers of the elements of a list in all records that refer to them.

    Args:
        level: changed. Its arrays are replaced, never written to.
        numbers: (n,) the new number of each element; one more for the end of the list, which ranges may name.
        beyond: is added to the numbers of elements that do not exist, which thus stay beyond the end.
        too_large: subject and problem of the error if a number does not fit.

    Raises:
        ExportError: if a number does not fit its field.
        FormatError: if meshes are damaged, and faces refer to the list.
    """
    decoded = Decoded(level)
    faces: dict[str, Reference] = {}
    for name, reference in references_to(target):
        if name.startswith("mesh."):
            faces[name.removeprefix("mesh.")] = reference
        elif name == "rooms":
            _renumber_rooms(level, reference, numbers, beyond)
        elif name.startswith("room."):
            _renumber_in_rooms(decoded, name.removeprefix("room."), reference, numbers, beyond, too_large)
        elif name in vars(level):
            records = getattr(level, name)
            setattr(level, name, renumbered(decoded, records, reference, numbers, beyond, too_large))
    if faces:
        _renumber_meshes(level, faces, numbers, beyond, too_large)


def renumbered(
    decoded: Decoded,
    records: NDArray[Any],
    reference: Reference,
    numbers: Ints,
    beyond: int = 0,
    too_large: TooLarge | None = None,
) -> NDArray[Any]:
    """Return records with other numbers in one field, see :func:`renumber`; the same if none changes."""
    game, values = decoded.level.game, reference.column(records)
    old = reference.numbers(game, values)
    inside = (old >= 0) & (old < len(numbers))
    largest = reference.largest(game, values.dtype)
    new = np.where(old >= len(numbers), np.minimum(old + beyond, np.maximum(old, largest)), old)
    new[inside] = numbers[old[inside]]
    if reference.rows is not None:
        new = np.where(reference.refers(decoded, records), new, NONE)
    new_values = reference.with_numbers(game, values, new, too_large)
    if not reference.field or new_values is values:
        return new_values if not reference.field else records
    records = records.copy()
    records[reference.field] = new_values
    return records


def _renumber_rooms(level: Level, reference: Reference, numbers: Ints, beyond: int) -> None:
    old = np.array([getattr(room, reference.field) for room in level.rooms], np.int64)
    new = renumbered(Decoded(level), old, reference._replace(field=""), numbers, beyond)
    for room, value in zip(level.rooms, new.tolist(), strict=True):
        setattr(room, reference.field, value)


def _renumber_in_rooms(
    decoded: Decoded, name: str, reference: Reference, numbers: Ints, beyond: int, too_large: TooLarge | None
) -> None:
    rooms = [room for room in decoded.level.rooms if name in vars(room)]
    if not rooms:
        return
    parts = [getattr(room, name) for room in rooms]
    old = join_records(parts)
    new = renumbered(decoded, old, reference, numbers, beyond, too_large)
    if new is not old:
        _put_parts(rooms, name, parts, new)


def _put_parts(objects: Sequence[Room | Mesh], name: str, old: Sequence[Records], new: Records) -> None:
    """Replace the records of rooms or meshes, given the old ones and the new ones of all."""
    ends = np.cumsum([len(part) for part in old])
    for each, part in zip(objects, np.split(new, ends[:-1]), strict=True):
        setattr(each, name, part)


def _renumber_meshes(
    level: Level, faces: Mapping[str, Reference], numbers: Ints, beyond: int, too_large: TooLarge | None
) -> None:
    decoded = Decoded(level)
    meshes = decoded.meshes.meshes
    is_changed = False
    for name, reference in faces.items():
        parts = [getattr(mesh, name) for mesh in meshes]
        old = join_records(parts) if parts else np.zeros(0)
        new = renumbered(decoded, old, reference, numbers, beyond, too_large) if len(old) else old
        if new is not old:
            is_changed = True
            _put_parts(meshes, name, parts, new)
    if is_changed:
        encoded = [encode_mesh(level.game, mesh, f"mesh {number}") for number, mesh in enumerate(meshes)]
        level.mesh_data, level.mesh_pointers = encode_block(encoded, decoded.meshes.pointers)


# --- Lists ----------------------------------------


def forms(level: Level, target: str) -> list[str]:
    """Return the sections that hold the elements of a list: several for pages."""
    return [name for name in (PAGE_FORMS if target == "pages" else (target,)) if name in vars(level)]


def size(level: Level, target: str) -> int:
    """Return the number of elements of a list."""
    return len(getattr(level, forms(level, target)[0]))


def positions(is_kept: Bools) -> Ints:
    """Return the number of each element after others were removed, and of the end, (n + 1,).

    Removed elements get the number of the next one, so that ranges keep their start.
    """
    return np.append(0, np.cumsum(is_kept))


def remove(level: Level, target: str, is_kept: Bools) -> None:
    """Remove the other elements of a list, and renumber all references to it."""
    if is_kept.all():
        return
    renumber(level, target, positions(is_kept))
    for name in forms(level, target):
        setattr(level, name, getattr(level, name)[is_kept])


def sort(level: Level, target: str, order: Ints) -> None:
    """Sort a list and renumber all references to it.

    Args:
        order: (n,) the old number of each element.
    """
    renumber(level, target, np.argsort(order))
    for name in forms(level, target):
        setattr(level, name, getattr(level, name)[order])


def join(level: Level, piece: Level, targets: Sequence[str], too_large: TooLarge | None = None) -> None:
    """Append lists of a piece to those of a level; the piece's references to them follow.

    Args:
        piece: a level of the same game; its references are renumbered, also those of other lists.
        too_large: subject and problem of the error if a number does not fit.

    Raises:
        ExportError: if a number does not fit its field.
    """
    for target in targets:
        before, count = size(level, target), size(piece, target)
        renumber(piece, target, np.arange(before, before + count + 1), before, too_large)
    for name in (name for target in targets for name in forms(level, target)):
        setattr(level, name, np.concatenate([getattr(level, name), getattr(piece, name)]))
