"""References between the records of a level, declared by field, and a check of all of them.

The integer fields of :mod:`..base.records` that are not declared here are judged by another check, refuse to
be decoded, or refer to nothing: a test lists them, so that a new field has to be declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..animations.animations import NO_ANIMATION
from ..base.bits import join_records
from ..base.messages import T
from ..base.typing import Ints
from ..cameras.fixed import find_sinks
from ..collision.sectors import split_boxes
from ..floor.lists import camera_uses
from ..games import SamplePlace
from ..level.decoded import Decoded
from ..level.level import section_noun
from ..pathfinding.overlaps import list_starts, listed_boxes
from ..sounds.details import SAMPLES
from ..textures.animated import animated_places
from ..textures.face_words import mesh_texture_mask, room_texture_mask
from ..textures.level_pages import page_count
from ..textures.object_textures import PAGE_MASK
from .findings import OTHER, THE_LEVEL, Element, Finding, Severity, grouped

_NONE = -(1 << 40)  # refers to nothing


class Table(NamedTuple):
    """The records of one section, of all rooms or of all meshes.

    Attributes:
        name: the section's name; ``room.`` or ``mesh.`` and the name within rooms or meshes.
        records: (n,) the records, or plain numbers.
        owner: (n,) the number of the room or mesh of each record; None for sections of the level.
    """

    name: str
    records: NDArray[Any]
    owner: Ints | None = None


Read = Callable[[Decoded, Table], Ints]


class Reference(NamedTuple):
    """What a field refers to.

    Attributes:
        field: the field; "" for sections of plain numbers.
        target: a key of :data:`TARGETS`.
        none: values that refer to nothing.
        read: returns the numbers of the targets, (n,) or (n, k), if the field has others.
        length: the field with the number of targets from there on; "" for one.
        as_length: returns that number, if the field has another.
        severity: of a number that does not exist.
        needs_base: whether a room has to exist while no rooms are flipped.
        by_id: whether the number is the ``id`` of the target and not its place.
    """

    field: str
    target: str
    none: tuple[int, ...] = ()
    read: Read | None = None
    length: str = ""
    as_length: Callable[[Ints], Ints] = lambda length: length
    severity: Severity = Severity.ERROR
    needs_base: bool = False
    by_id: bool = False

    def numbers(self, checked: Decoded, table: Table) -> Ints:
        """Return the numbers of the targets, (n, k), of ranges the last; :data:`_NONE` for none."""
        if self.read is not None:
            values = self.read(checked, table)
        else:
            values = (table.records[self.field] if self.field else table.records).astype(np.int64)
        values = np.where(np.isin(values, self.none), _NONE, values)
        if self.length:
            counts = self.as_length(table.records[self.length].astype(np.int64))
            values = np.where(counts > 0, values + counts - 1, _NONE)
        return values if values.ndim == 2 else values[:, None]


def tables(checked: Decoded) -> Iterator[Table]:
    """Yield the records of all sections of a level."""
    level = checked.level
    for name, records in vars(level).items():
        if isinstance(records, np.ndarray):
            yield Table(name, records)
    if level.rooms:
        numbers = {name: value for name, value in vars(level.rooms[0]).items() if isinstance(value, int)}
        rooms = np.zeros(len(level.rooms), [(name, np.int64) for name in numbers])
        for name in numbers:
            rooms[name] = [getattr(room, name) for room in level.rooms]
        yield Table("rooms", rooms)
    for kind, objects in (("room", level.rooms), ("mesh", checked.meshes.meshes)):
        for name in vars(objects[0]) if objects else ():
            parts = [getattr(each, name) for each in objects]
            if all(isinstance(each, np.ndarray) and each.dtype.names for each in parts):
                owner = np.repeat(np.arange(len(parts)), list(map(len, parts)))
                yield Table(f"{kind}.{name}", join_records(parts), owner)


# --- Numbers in fields ----------------------------------------


def _texture(checked: Decoded, table: Table) -> Ints:
    of = room_texture_mask if table.name.startswith("room") else mesh_texture_mask
    return table.records["texture"].astype(np.int64) & of(checked.level.game)


def _box(checked: Decoded, table: Table) -> Ints:
    return split_boxes(table.records["box"], checked.level.game)[0].astype(np.int64)


def _page(checked: Decoded, table: Table) -> Ints:
    mask = PAGE_MASK if checked.level.game.traits.has_texture_flags else 0xFFFF
    return table.records["page"].astype(np.int64) & mask


def _frame(checked: Decoded, table: Table) -> Ints:
    offset = table.records["frame_offset"].astype(np.int64) // 2
    # What has no frames may begin at the end.
    return np.where(offset == len(checked.level.frames), _NONE, offset)


def _first_animation(_: Decoded, table: Table) -> Ints:
    animation = table.records["animation"].astype(np.int64)
    return np.where((table.records["meshes"] == 0) & (animation == 0), _NONE, animation)


def _animated(_: Decoded, table: Table) -> Ints:
    return table.records[animated_places(table.records)].astype(np.int64)


def _sample_start(checked: Decoded, table: Table) -> Ints:
    in_block = checked.level.game.traits.samples is SamplePlace.IN_BLOCK
    return table.records.astype(np.int64)[: None if in_block else 0]


def _of_sinks(field: str, *, wanted: bool) -> Read:
    def read(checked: Decoded, table: Table) -> Ints:
        uses = camera_uses(checked.floor_lists.with_triggers())
        sinks = find_sinks(checked.level, *uses)
        return np.where(sinks == wanted, table.records[field].astype(np.int64), _NONE)

    return read


# --- Declarations ----------------------------------------

_FACES = (Reference("vertices", "vertices"), Reference("texture", "object_textures", read=_texture))
_COLORED = (Reference("vertices", "vertices"),)
_IS_HARMLESS = Severity.INFO  # real levels have such numbers, and engines ignore them
_ROOM = Reference("room", "rooms", needs_base=True)

REFERENCES: Mapping[str, tuple[Reference, ...]] = {
    "rooms": (Reference("alternate_room", "rooms", (-1,)),),
    "room.quads": _FACES,
    "room.triangles": _FACES,
    "room.sprites": (Reference("vertex", "vertices"), Reference("texture", "sprite_textures")),
    "room.sectors": (Reference("box", "boxes", (-1,), _box),),
    # The library is searched for an id.
    "room.static_meshes": (Reference("static_mesh", "static_meshes", severity=Severity.WARNING, by_id=True),),
    "mesh.quads": _FACES,
    "mesh.triangles": _FACES,
    "mesh.colored_quads": _COLORED,
    "mesh.colored_triangles": _COLORED,
    "models": (
        Reference("first_mesh", "mesh_pointers", length="meshes"),
        Reference("mesh_tree", "mesh_trees", length="meshes", as_length=lambda meshes: 4 * (meshes - 1)),
        Reference("frame_offset", "frames", read=_frame),
        Reference("animation", "animations", (NO_ANIMATION,), _first_animation),
    ),
    "static_meshes": (Reference("mesh", "mesh_pointers"),),
    "animations": (
        Reference("frame_offset", "frames", read=_frame),
        Reference("next_animation", "animations"),
        Reference("first_state_change", "state_changes", length="state_changes"),
        Reference("first_command", "animation_commands", length="commands", severity=_IS_HARMLESS),
    ),
    "state_changes": (
        Reference("first_dispatch", "animation_dispatches", length="dispatches", severity=_IS_HARMLESS),
    ),
    "animation_dispatches": (Reference("next_animation", "animations"),),
    "object_textures": (Reference("page", "pages", read=_page),),
    "animated_textures": (Reference("", "object_textures", read=_animated),),
    "sprite_textures": (Reference("page", "pages"),),
    "sprite_sequences": (
        Reference("first", "sprite_textures", length="negative_length", as_length=lambda length: -length),
    ),
    "cameras": (
        _ROOM._replace(read=_of_sinks("room", wanted=False)),
        Reference("flags", "boxes", read=_of_sinks("flags", wanted=True)),
    ),
    "flyby_cameras": (_ROOM,),
    "entities": (_ROOM,),
    "ai_objects": (_ROOM, Reference("box", "boxes", (-1,), severity=Severity.WARNING)),
    "boxes": (Reference("overlap", "overlaps", (-1,), lambda c, t: list_starts(c.level.game, t.records)),),
    "overlaps": (Reference("", "boxes", read=lambda c, t: listed_boxes(c.level.game, t.records)),),
    "sound_sources": (Reference("sound", "sound_map"),),
    "sound_map": (Reference("", "sound_details", (-1,), severity=Severity.WARNING),),
    "sound_details": (
        Reference("sample", "samples", length="flags", as_length=SAMPLES.of, severity=_IS_HARMLESS),
    ),
    "sample_indices": (Reference("", "sample_data", read=_sample_start),),
}


def _vertices(checked: Decoded, table: Table) -> int | Ints:
    """Return the number of vertices that each face or sprite can use, (n,)."""
    rooms, kind = checked.level.rooms, table.name.partition(".")[2]
    if not table.name.startswith("room"):
        counts = [len(mesh.vertices) for mesh in checked.meshes.meshes]
    elif checked.level.game.traits.has_room_layers and kind != "sprites":
        # Faces count from the first vertex of their layer.
        layers = join_records([room.layers for room in rooms])
        return np.repeat(layers["vertices"].astype(np.int64), layers[kind])
    else:
        counts = [len(room.vertices) for room in rooms]
    assert table.owner is not None
    return np.array(counts, np.int64)[table.owner]


def _sample_number(checked: Decoded, _: Table) -> int:
    level = checked.level
    return len(level.sample_indices) if level.has("sample_indices") else level.sample_count


def _size(name: str) -> Callable[[Decoded, Table], int | Ints]:
    return lambda checked, _: len(getattr(checked.level, name, ()))


# The number of targets: of all records alike, or for each record.
TARGETS: Mapping[str, Callable[[Decoded, Table], int | Ints]] = {
    "pages": lambda checked, _: page_count(checked.level),
    "vertices": _vertices,
    "samples": _sample_number,
    **{
        name: _size(name)
        for name in (
            *("rooms", "boxes", "overlaps", "mesh_pointers", "mesh_trees", "frames"),
            *("animations", "state_changes", "animation_dispatches", "animation_commands"),
            *("object_textures", "sprite_textures", "static_meshes", "sound_map", "sound_details"),
            "sample_data",
        )
    },
}

# --- Check ----------------------------------------

_ELEMENTS = {"rooms": "room", "entities": "entity", "cameras": "camera", "models": "model"}


def check_references(checked: Decoded) -> Iterator[Finding]:
    """Find numbers in records that refer to nothing, and rooms that exist only while rooms are flipped."""
    flipped = {room.alternate_room for room in checked.level.rooms} - {-1}
    for table in tables(checked):
        for reference in REFERENCES.get(table.name, ()):
            numbers = reference.numbers(checked, table)
            yield from _of_missing(table, reference, numbers, _is_missing(checked, table, reference, numbers))
            if reference.needs_base:
                yield from _of_flipped(table, numbers, np.isin(numbers, list(flipped)))


def _is_missing(checked: Decoded, table: Table, reference: Reference, numbers: Ints) -> NDArray[np.bool_]:
    if reference.by_id:
        return ~np.isin(numbers, getattr(checked.level, reference.target)["id"].astype(np.int64))
    count = np.reshape(TARGETS[reference.target](checked, table), (-1, 1))
    return (numbers != _NONE) & ((numbers < 0) | (numbers >= count))


def _of_missing(
    table: Table, reference: Reference, numbers: Ints, missing: NDArray[np.bool_]
) -> Iterator[Finding]:
    check, noun = f"{table.name}.{reference.field}", table.name.rpartition(".")[2]
    for obj, rows in _by_element(table, np.flatnonzero(missing.any(axis=1))):
        row, count = int(rows[0]), len(rows)
        value = int(numbers[row][missing[row]][0])
        target = section_noun(reference.target, 1)
        if obj.kind not in _ELEMENTS.values() or table.owner is not None:
            found, targets = section_noun(noun, count), section_noun(reference.target, 2)
            text = T(
                "{row} {index} refers to {kind} {number}, which does not exist",
                row=found,
                index=row,
                kind=target,
                number=value,
            )
            if count > 1:
                text = T(
                    "{count} {rows} refer to {kinds} that do not exist, the first to {kind} {number}",
                    count=count,
                    rows=found,
                    kinds=targets,
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
        yield Finding(check, reference.severity, obj, text, count=count, place=_place(table, row))


def _of_flipped(table: Table, numbers: Ints, flipped: NDArray[np.bool_]) -> Iterator[Finding]:
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
        for (number,), some in grouped(table.owner[rows]):
            yield Element(kind, number), rows[some]
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
