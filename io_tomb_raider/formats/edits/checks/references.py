"""A check of all references between the records of a level."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.arrays.typing import Bools, Ints
from ...base.messages import T
from ...levels.level.level import section_noun
from ...levels.views.decoded import Decoded
from ...levels.views.findings import OTHER, THE_LEVEL, Element, Finding, Severity, grouped
from ..references.references import REFERENCES, Reference, Table, missing_targets, tables

# Other checks judge these fields, or damage of them is found when a level is decoded.
JUDGED_ELSEWHERE = frozenset(
    {
        "entities.type",
        "mesh_pointers.",
        "room.portals.room",
        "room.sectors.floor_data",
        "room.sectors.room_above",
        "room.sectors.room_below",
    }
)
# Missing targets are errors, except for those that engines ignore.
_SEVERITIES = {
    "ai_objects.box": Severity.WARNING,
    "animations.first_command": Severity.INFO,
    "room.static_meshes.static_mesh": Severity.WARNING,
    "sound_details.sample": Severity.INFO,
    "sound_map.": Severity.WARNING,
    "state_changes.first_dispatch": Severity.INFO,
}
# Objects in rooms, which have to exist while no rooms are flipped.
_OBJECTS = frozenset({"ai_objects", "cameras", "entities", "flyby_cameras"})
_ELEMENTS = {"rooms": "room", "entities": "entity", "cameras": "camera", "models": "model"}


def severity(table: str, reference: Reference) -> Severity:
    """Return the severity of a missing target."""
    return _SEVERITIES.get(f"{table}.{reference.field}", Severity.ERROR)


def check_references(checked: Decoded) -> Iterator[Finding]:
    """Find numbers in records that refer to nothing, and rooms that exist only while rooms are flipped."""
    flipped = {room.alternate_room for room in checked.level.rooms} - {-1}
    for table in tables(checked):
        for reference in REFERENCES.get(table.name, ()):
            if f"{table.name}.{reference.field}" in JUDGED_ELSEWHERE:
                continue
            numbers, missing = missing_targets(checked, table, reference)
            yield from _of_missing(checked, table, reference, numbers, missing)
            if table.name in _OBJECTS and reference.target == "rooms":
                yield from _of_flipped(table, numbers, np.isin(numbers, list(flipped)))


def _of_missing(
    checked: Decoded, table: Table, reference: Reference, numbers: Ints, missing: Bools
) -> Iterator[Finding]:
    check, noun = f"{table.name}.{reference.field}", table.name.rpartition(".")[2]
    for obj, rows in _by_element(table, np.flatnonzero(missing.any(axis=1))):
        row, count = int(rows[0]), len(rows)
        value = int(numbers[row][missing[row]][0])
        target = section_noun(reference.target, 1)
        if obj.kind not in _ELEMENTS.values() or table.owner is not None:
            nouns, target_nouns = section_noun(noun, count), section_noun(reference.target, 2)
            # Of plain numbers, only references count.
            index = row if reference.field else int(reference.refers(checked, table.records)[:row].sum())
            text = T(
                "{row} {index} refers to {kind} {number}, which does not exist",
                row=nouns,
                index=index,
                kind=target,
                number=value,
            )
            if count > 1:
                text = T(
                    "{count} {rows} refer to {kinds} that do not exist, the first to {kind} {number}",
                    count=count,
                    rows=nouns,
                    kinds=target_nouns,
                    kind=target,
                    number=value,
                )
            elif table.owner is not None:
                text = T(
                    "one of its {rows} refers to {kind} {number}, which does not exist",
                    rows=section_noun(noun, 2),
                    kind=target,
                    number=value,
                )
        else:
            text = T("it refers to {kind} {number}, which does not exist", kind=target, number=value)
        yield Finding(
            check, severity(table.name, reference), obj, text, count=count, place=_place(table, row)
        )


def _of_flipped(table: Table, numbers: Ints, flipped: Bools) -> Iterator[Finding]:
    for obj, rows in _by_element(table, np.flatnonzero(flipped.any(axis=1))):
        others = (Element("room", int(numbers[rows[0], 0])),)
        text = T(
            "it is in {other}, which exists only while rooms are flipped. Put it into the other room",
            other=OTHER,
        )
        place = _place(table, int(rows[0]))
        yield Finding("flipped room", Severity.WARNING, obj, text, others, place=place)


def _by_element(table: Table, rows: Ints) -> Iterator[tuple[Element, Ints]]:
    """Yield the elements that rows of a table belong to, each with its rows."""
    if table.owner is not None:
        kind = table.name.partition(".")[0]
        for (number,), indices in grouped(table.owner[rows]):
            yield Element(kind, number), rows[indices]
    elif table.name in _ELEMENTS:
        for row in rows.tolist():
            number = int(table.records["id"][row]) if table.name == "models" else row
            yield Element(_ELEMENTS[table.name], number), np.array([row])
    elif len(rows):
        yield THE_LEVEL, rows


def _place(table: Table, row: int) -> tuple[float, float, float] | None:
    names = table.records.dtype.names or ()
    if "x" not in names or ("room" not in names and "static_mesh" not in names):
        return None
    x, y, z = (float(table.records[name][row]) for name in "xyz")
    return x, y, z
