"""The graph of a level: for every field that names elements of another list, which ones.

This is the only declaration. Checks, repairs, patches, kits, imports into other levels and the order of WADs
use it: :mod:`.renumbering` changes numbers and removes records, :mod:`.comparison` ignores numbers that only
moved. Integer fields of :mod:`...base.bytes.records` that are not declared here refer to nothing: a test
lists them, so that a new field has to be declared.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...base.bytes.bits import Bits, join_records
from ...base.errors import ExportError
from ...base.games import Game, SamplePlace
from ...base.messages import Text
from ...levels.animations.animations import NO_ANIMATION
from ...levels.cameras.fixed import find_sinks
from ...levels.collision.sectors import BOX_11, NO_ROOM
from ...levels.floor.lists import camera_uses
from ...levels.level.level_pages import page_count
from ...levels.meshes.meshes import Mesh
from ...levels.pathfinding.overlaps import LIST_START, NONE_11
from ...levels.rooms.rooms import Room
from ...levels.sounds.details import SAMPLES
from ...levels.textures.animated import animated_places
from ...levels.textures.face_words import mesh_texture_mask, room_texture_mask
from ...levels.textures.object_textures import PAGE_MASK
from ...levels.views.decoded import Decoded

Records = NDArray[Any]
NONE = -(1 << 40)  # refers to nothing
MESH_FACES = ("mesh.quads", "mesh.triangles", "mesh.colored_quads", "mesh.colored_triangles")
ALL_SET = -1  # a number that refers to nothing: all bits of the field are set


class Table(NamedTuple):
    """The records of one section, of all rooms or of all meshes."""

    name: str  #: the section's name; ``room.`` or ``mesh.`` and the name within rooms or meshes.
    records: Records  #: (n,) the records, or plain numbers.
    #: (n,) the number of the room or mesh of each record; None for sections of the level.
    owner: Ints | None = None


class Reference(NamedTuple):
    """What a field refers to."""

    field: str  #: the field; "" for sections of plain numbers.
    #: a section; ``pages``, in all forms; ``samples``, wherever the game stores them; ``vertices`` of the
    #: same room or mesh.
    target: str
    #: numbers that refer to nothing, or a function that returns them.
    none: tuple[int, ...] | Callable[[Game], tuple[int, ...]] = ()
    #: returns the bits that hold the number, if others hold something else.
    bits: Callable[[Game], Bits] | None = None
    unit: int = 1  #: what the number counts per element of the target.
    length: str = ""  #: the field with the number of targets from there on; "" for one.
    #: returns that number, if the field has another.
    as_length: Callable[[Ints], Ints] = lambda length: length
    may_end: bool = False  #: whether the end of the target may be named.
    by_id: bool = False  #: whether the number is the ``id`` of the target and not its place.
    #: returns which records refer to the target, if not all do: a mask (n,), or places.
    rows: Callable[[Decoded, Records], NDArray[Any]] | None = None

    def column(self, records: Records) -> Records:
        """Return the field of records, (n,) or (n, k)."""
        return records[self.field] if self.field else records

    def refers(self, decoded: Decoded, records: Records) -> Bools:
        """Return which records refer to the target, (n,)."""
        if self.rows is None:
            return np.ones(len(records), np.bool_)
        result = np.zeros(len(records), np.bool_)
        result[self.rows(decoded, records)] = True
        return result

    def numbers(self, game: Game, values: Records) -> Ints:
        """Return the numbers of targets in values of the field, of ranges the first; or :data:`NONE`."""
        result = values.astype(np.int64)
        bits = None if self.bits is None else self.bits(game)
        result = bits.of(result) if bits else result // self.unit
        none = self.none(game) if callable(self.none) else self.none
        if bits and ALL_SET in none:
            none = (*none, bits.largest)
        return np.where(np.isin(result, none), NONE, result) if none else result

    def with_numbers(
        self, game: Game, values: Records, new: Ints, too_large: tuple[str | Text, Text] | None = None
    ) -> Records:
        """Return values of the field with other numbers of targets; other bits stay.

        Args:
            new: the numbers; :data:`NONE` where the values stay.
            too_large: subject and problem of the error if a number does not fit; without them its lowest bits
                are stored.

        Raises:
            ExportError: if a number does not fit the field.
        """
        old = self.numbers(game, values)
        changed = (new != old) & (new != NONE) & (old != NONE)
        if not changed.any():
            return values
        result, bits = values.copy(), None if self.bits is None else self.bits(game)
        if bits:
            result[changed] = bits.put(values[changed], bits.fit(new[changed]))
        else:
            raw = values[changed].astype(np.int64) + (new - old)[changed] * self.unit
            result[changed] = raw.astype(values.dtype)
        limit = self.largest(game, values.dtype)
        if too_large is not None and int(new[changed].max()) > limit:
            raise ExportError(*too_large, limit=limit)
        return result

    def largest(self, game: Game, dtype: np.dtype) -> int:
        """Return the largest number that the field can hold."""
        return int(np.iinfo(dtype).max) // self.unit if self.bits is None else self.bits(game).largest

    def cleared(self, game: Game, values: Records) -> Records:
        """Return values of the field with the number 0; other bits stay."""
        return np.zeros_like(values) if self.bits is None else self.bits(game).put(values, 0)

    def ranges(self, game: Game, records: Records) -> tuple[Ints, Ints]:
        """Return the first target of each record and their number, (n,) or (n, k); 0 for none."""
        first = self.numbers(game, self.column(records))
        count = np.ones(first.shape, np.int64)
        if self.length:
            count = np.maximum(self.as_length(records[self.length].astype(np.int64)), 0)
        return first, np.where(first == NONE, 0, count)


def tables(decoded: Decoded, names: Container[str] | None = None) -> Iterator[Table]:
    """Yield the records of the sections of a level, of all or of some names. Some need no meshes."""
    level = decoded.level
    for name, records in vars(level).items():
        if isinstance(records, np.ndarray) and (names is None or name in names):
            yield Table(name, records)
    rooms = level.rooms if level.has("rooms") else []
    if rooms and (names is None or "rooms" in names):
        fields = [name for name, value in vars(rooms[0]).items() if isinstance(value, int)]
        numbers = np.zeros(len(rooms), [(name, np.int64) for name in fields])
        for name in fields:
            numbers[name] = [getattr(room, name) for room in rooms]
        yield Table("rooms", numbers)
    yield from _lists("room", rooms, names)
    if names is None or any(name in names for name in MESH_FACES):
        yield from _lists("mesh", decoded.meshes.meshes, names)


def _lists(kind: str, objects: Sequence[Room | Mesh], names: Container[str] | None) -> Iterator[Table]:
    for name in vars(objects[0]) if objects else ():
        if names is not None and f"{kind}.{name}" not in names:
            continue
        parts = [getattr(each, name) for each in objects]
        if all(isinstance(each, np.ndarray) and each.dtype.names for each in parts):
            owner = np.repeat(np.arange(len(parts)), list(map(len, parts)))
            yield Table(f"{kind}.{name}", join_records(parts), owner)


# --- Bits and rows ----------------------------------------


def _room_texture(game: Game) -> Bits:
    return Bits(0, room_texture_mask(game).bit_length())


def _mesh_texture(game: Game) -> Bits:
    return Bits(0, mesh_texture_mask(game).bit_length())


def _page(game: Game) -> Bits:
    return Bits(0, (PAGE_MASK if game.traits.has_texture_flags else 0xFFFF).bit_length())


def _box(game: Game) -> Bits:
    return BOX_11 if game.traits.has_materials else Bits(0, 16)


def _listed_box(game: Game) -> Bits:
    return Bits(0, 11 if game.traits.has_materials else 15)


def _no_list(game: Game) -> tuple[int, ...]:
    return (ALL_SET, NONE_11) if game.traits.has_materials else (ALL_SET,)


def _has_meshes_or_animation(_: Decoded, models: Records) -> Bools:
    return (models["meshes"] > 0) | (models["animation"] > 0)


def _sinks(decoded: Decoded, cameras: Records) -> Bools:
    if cameras is not decoded.level.cameras:
        raise ValueError("only the cameras of the level itself can be told apart from sinks")
    return decoded.once(lambda each: find_sinks(each.level, *camera_uses(each.floor_lists.with_triggers())))


def _in_block(decoded: Decoded, indices: Records) -> Bools:
    return np.full(len(indices), decoded.level.game.traits.samples is SamplePlace.IN_BLOCK, np.bool_)


# --- Declarations ----------------------------------------

_ROOM = Reference("room", "rooms")
_VERTICES = Reference("vertices", "vertices")
_ROOM_FACES = (_VERTICES, Reference("texture", "object_textures", bits=_room_texture))
_MESH_FACES = (_VERTICES, Reference("texture", "object_textures", bits=_mesh_texture))

REFERENCES: Mapping[str, tuple[Reference, ...]] = {
    "rooms": (Reference("alternate_room", "rooms", (-1,)),),
    "room.quads": _ROOM_FACES,
    "room.triangles": _ROOM_FACES,
    "room.sprites": (Reference("vertex", "vertices"), Reference("texture", "sprite_textures")),
    "room.portals": (_ROOM,),
    "room.sectors": (
        Reference("box", "boxes", (ALL_SET,), _box),
        Reference("floor_data", "floor_data", (0,)),
        Reference("room_below", "rooms", (NO_ROOM,)),
        Reference("room_above", "rooms", (NO_ROOM,)),
    ),
    # The library is searched for an id.
    "room.static_meshes": (Reference("static_mesh", "static_meshes", by_id=True),),
    "mesh.quads": _MESH_FACES,
    "mesh.triangles": _MESH_FACES,
    "mesh.colored_quads": (_VERTICES,),
    "mesh.colored_triangles": (_VERTICES,),
    "mesh_pointers": (Reference("", "mesh_data"),),
    "models": (
        Reference("first_mesh", "mesh_pointers", length="meshes"),
        Reference("mesh_tree", "mesh_trees", length="meshes", as_length=lambda meshes: 4 * (meshes - 1)),
        Reference("frame_offset", "frames", unit=2, may_end=True),
        Reference("animation", "animations", (NO_ANIMATION,), rows=_has_meshes_or_animation),
    ),
    "static_meshes": (Reference("mesh", "mesh_pointers"),),
    "animations": (
        Reference("frame_offset", "frames", unit=2, may_end=True),
        Reference("next_animation", "animations"),
        Reference("first_state_change", "state_changes", length="state_changes"),
        Reference("first_command", "animation_commands", length="commands"),
    ),
    "state_changes": (Reference("first_dispatch", "animation_dispatches", length="dispatches"),),
    "animation_dispatches": (Reference("next_animation", "animations"),),
    "object_textures": (Reference("page", "pages", bits=_page),),
    "animated_textures": (Reference("", "object_textures", rows=lambda _, words: animated_places(words)),),
    "sprite_textures": (Reference("page", "pages"),),
    "sprite_sequences": (
        Reference("first", "sprite_textures", length="negative_length", as_length=lambda length: -length),
    ),
    "cameras": (
        _ROOM._replace(rows=lambda decoded, cameras: ~_sinks(decoded, cameras)),
        Reference("flags", "boxes", rows=_sinks),
    ),
    "flyby_cameras": (_ROOM,),
    "entities": (_ROOM, Reference("type", "models", by_id=True)),
    "ai_objects": (_ROOM, Reference("box", "boxes", (-1,))),
    "boxes": (Reference("overlap", "overlaps", _no_list, lambda _: LIST_START),),
    "overlaps": (Reference("", "boxes", bits=_listed_box),),
    "sound_sources": (Reference("sound", "sound_map"),),
    "sound_map": (Reference("", "sound_details", (-1,)),),
    "sound_details": (Reference("sample", "samples", length="flags", as_length=SAMPLES.of),),
    "sample_indices": (Reference("", "sample_data", rows=_in_block),),
}
# The lists that words of floor data refer to; :mod:`...levels.floor` decodes them.
FLOOR_DATA_TARGETS = ("rooms", "entities", "cameras", "flyby_cameras")


# --- Missing targets ----------------------------------------


def target_count(decoded: Decoded, table: Table, target: str) -> int | Ints:
    """Return the number of elements that records can refer to: of all records alike, or for each record."""
    level = decoded.level
    if target == "pages":
        return page_count(level)
    if target == "vertices":
        return _vertices(decoded, table)
    if target == "samples":
        return len(level.sample_indices) if level.has("sample_indices") else level.sample_count
    return len(getattr(level, target, ()))


def _vertices(decoded: Decoded, table: Table) -> Ints:
    """Return the number of vertices that each face or sprite can use, (n,)."""
    rooms, kind = decoded.level.rooms, table.name.partition(".")[2]
    if not table.name.startswith("room"):
        counts = [len(mesh.vertices) for mesh in decoded.meshes.meshes]
    elif decoded.level.game.traits.has_room_layers and kind != "sprites":
        # Faces count from the first vertex of their layer.
        layers = join_records([room.layers for room in rooms])
        return np.repeat(layers["vertices"].astype(np.int64), layers[kind])
    else:
        counts = [len(room.vertices) for room in rooms]
    assert table.owner is not None
    return np.array(counts, np.int64)[table.owner]


def missing_targets(decoded: Decoded, table: Table, reference: Reference) -> tuple[Ints, Bools]:
    """Return the numbers of a field, of ranges the last, and which of them do not exist, (n, k) each."""
    numbers, counts = reference.ranges(decoded.level.game, table.records)
    numbers = np.where(counts > 0, numbers + counts - 1, NONE)
    refers = reference.refers(decoded, table.records)
    numbers = numbers if numbers.ndim == 2 else numbers[:, None]
    numbers[~refers] = NONE
    if reference.by_id:
        ids = getattr(decoded.level, reference.target)["id"].astype(np.int64)
        return numbers, (numbers != NONE) & ~np.isin(numbers, ids)
    count = np.reshape(target_count(decoded, table, reference.target), (-1, 1)) + reference.may_end
    return numbers, (numbers != NONE) & ((numbers < 0) | (numbers >= count))
