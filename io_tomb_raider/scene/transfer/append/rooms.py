"""Moves of rooms with their objects between levels of the scene.

The objects show models, static meshes and sprites of the target level. References to rooms and objects that
are not moved are removed and reported.
"""

from __future__ import annotations

from collections.abc import Collection as Some
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Vector

from ....formats import Level
from ....formats.base import CLICK, LARA, SECTOR_SIZE, T, as_message
from ...core.membership import home_of, members, members_of
from ...core.reporting.report import first_few
from ...core.subjects import SUBJECTS, Kind, subject_of_kind
from ...core.transfer import NumberMaps, Transfer
from ...subjects.entities.entities import lara_of
from ...subjects.entities.shown import show_type
from ...subjects.entities.transfer import entity_type
from ...subjects.meshes.placed import rooms_with_vertices, world_corners
from ...subjects.portals.room_tools import new_room_collection
from ...subjects.rooms.location.inhabitants import own_room, rooms_of_inhabitants
from ...subjects.sprites.sequences import first_quad, sequence_of
from ..engine.contents import Piece

_NAMED = 6  # objects in one warning
_HOMES = {
    kind.identifier: subject.collections[0]
    for subject in SUBJECTS
    for kind in subject.objects
    if subject.collections
}
_HOMES.update(AI_OBJECT=_HOMES[Kind.ENTITY], FLYBY=_HOMES[Kind.CAMERA])
# Kinds in the collections of their rooms.
_LISTED = frozenset({Kind.IMPORTED_GEOMETRY, Kind.LIGHT, Kind.PLACEMENT, Kind.SPRITE})


def with_alternates(level: Level, rooms: Iterable[int]) -> list[int]:
    """Return rooms with their alternate rooms, sorted."""
    result = set(rooms)
    waiting = list(result)
    while waiting:
        other = int(level.rooms[waiting.pop()].alternate_room)
        if 0 <= other < len(level.rooms) and other not in result:
            result.add(other)
            waiting.append(other)
    return sorted(result)


def shown_in(level: Level, rooms: Sequence[int], available: Sequence[Piece]) -> list[Piece]:
    """Return the models, static meshes and sprites of a file that objects in some rooms show."""
    types = set(level.entities["type"][np.isin(level.entities["room"], rooms)].tolist()) - {LARA}
    textures = {each for room in rooms for each in level.rooms[room].sprites["texture"].tolist()}
    sequences = sequence_of(level)
    numbers = {
        "model": types,
        "static": {
            each for room in rooms for each in level.rooms[room].static_meshes["static_mesh"].tolist()
        },
        "sprite": types | {sequences[each][0] for each in textures if each in sequences},
    }
    return [each for each in available if each.number in numbers.get(each.kind, ())]


class RoomMove:
    """A move of rooms from one level of the scene to another."""

    def __init__(self, transfer: Transfer, source: Collection) -> None:
        """Start without rooms. `transfer`: the transfer to the target level."""
        self._transfer, self._root, self._source = transfer, transfer.root, source
        self._report = transfer.report
        self.objects: list[Object] = []  #: the moved objects, the rooms first.
        self._skipped: dict[str, list[str]] = {}
        self._removed: list[Object] = []

    def run(self, rooms: Some[int], numbers: NumberMaps, place: Vector | None) -> None:
        """Move rooms with the objects in them.

        Args:
            rooms: their numbers in the source level.
            numbers: by kind, the numbers in the target level by those in the source level.
            place: the target for the middle of their floor, in world space; None to keep their place.
        """
        selected = members_of(self._source, Kind.ROOM)
        selected = [each for each in selected if each.tomb_raider.index in rooms and self._has_shape(each)]
        moved = self._movable(selected)
        self._transfer.numbers = numbers
        offset = self._offset(selected, place)
        self._read_library()
        self._move(moved, offset)
        for obj in moved:
            self._relink(obj, numbers)
        self.objects = [each for each in moved if each not in self._removed]
        bpy.data.batch_remove(self._removed)
        for reason, names in self._skipped.items():
            self._report.warn(
                T("Rooms"), T("{reason}: {names}", reason=reason, names=first_few(sorted(names), _NAMED))
            )

    # --- Which objects, and where

    def _movable(self, rooms: Sequence[Object]) -> list[Object]:
        """Return rooms and the objects in them that can be moved."""
        inside = set(rooms)
        room_of = rooms_of_inhabitants(self._source)
        has_lara = lara_of(self._root) is not None
        result = list(rooms)
        for obj in members(self._source):
            kind = obj.tomb_raider.kind
            if obj in inside or kind in (Kind.NONE, Kind.ROOM):
                continue
            room = own_room(obj)  # a room among its parents has priority
            room = room_of.get(obj) if room is None else room
            if room not in inside:
                continue
            if kind == Kind.ENTITY and obj.tomb_raider.entity.type == LARA and has_lara:
                self._skip(T("the level keeps its own Lara"), obj)
            elif self._can_move(obj):
                result.append(obj)
        return result

    def _has_shape(self, room: Object) -> bool:
        if isinstance(room.data, Mesh) and len(room.data.vertices):
            return True
        self._skip(T("rooms without vertices are not copied"), room)
        return False

    def _can_move(self, obj: Object) -> bool:
        subject = subject_of_kind(obj.tomb_raider.kind)
        if subject.number and subject.identifier not in self._root.tomb_raider.imported:
            what = subject.label.lower()
            self._skip(
                T(
                    "{what} were left out when the level was imported, so these are not copied",
                    what=as_message(what),
                ),
                obj,
            )
            return False
        return True

    def _skip(self, reason: str, obj: Object) -> None:
        self._skipped.setdefault(reason, []).append(obj.name)

    def _offset(self, rooms: Sequence[Object], place: Vector | None) -> Vector:
        """Return the offset of rooms: whole sectors horizontally, and whole clicks vertically."""
        offset = Vector(self._root.tomb_raider.offset) - Vector(self._source.tomb_raider.offset)
        with_vertices = rooms_with_vertices(rooms)
        if place is None or not with_vertices:
            return offset
        scale = self._root.tomb_raider.scale
        corners = world_corners(with_vertices).reshape(-1, 3)
        low, high = corners.min(axis=0), corners.max(axis=0)
        middle = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
        steps = np.array([SECTOR_SIZE, SECTOR_SIZE, CLICK]) * scale
        shift = np.rint((np.array(place) - middle - offset) / steps)
        # Coordinates of games are positive.
        minimum = np.ceil((np.array(self._source.tomb_raider.offset)[:2] - low[:2]) / steps[:2] + 1)
        shift[:2] = np.maximum(shift[:2], minimum)
        return offset + Vector((shift * steps).tolist())

    # --- Move

    def _move(self, objects: Sequence[Object], offset: Vector) -> None:
        room_collections: dict[Object, Collection] = {}
        for obj in objects:
            if obj.tomb_raider.kind == Kind.ROOM:
                room_collections[obj] = new_room_collection(self._root, obj.name)
        for obj in objects:
            kind = obj.tomb_raider.kind
            for collection in obj.users_collection:
                collection.objects.unlink(obj)
            if kind == Kind.ROOM:
                target = room_collections[obj]
            elif kind in _LISTED and obj.parent in room_collections:
                target = room_collections[obj.parent]
            else:
                target = home_of(self._root, _HOMES[kind].identifier)
            target.objects.link(obj)
            if obj.parent is None:
                obj.location += offset

    # --- References

    def _relink(self, obj: Object, numbers: NumberMaps) -> None:
        """Relink an object to the library of the level, or remove it if that has no match."""
        kind = obj.tomb_raider.kind
        if kind == Kind.ENTITY:
            self._relink_entity(obj)
        elif kind == Kind.PLACEMENT:
            self._relink_placement(obj, numbers["static"])
        elif kind == Kind.SPRITE:
            self._relink_sprite(obj, numbers["sprite"])

    def _drop(self, reason: str, obj: Object) -> None:
        self._skip(reason, obj)
        self._removed.append(obj)

    def _relink_entity(self, obj: Object) -> None:
        settings = obj.tomb_raider.entity
        new, note = entity_type(self._transfer, int(settings.type))
        if new is None:
            self._drop(T("this game has no counterpart, so they are not copied"), obj)
            return
        self._report.warn_all(obj.name, [note] if note else [])
        if isinstance(obj.data, Mesh):
            obj.data = first_quad(self._root, new) or obj.data
        else:
            obj.instance_collection = None
        settings.type = new
        show_type(obj)

    def _relink_placement(self, obj: Object, numbers: Mapping[int, int | None]) -> None:
        settings = obj.tomb_raider.placement
        shown = settings.static_mesh
        if shown is not None and shown in self._statics.values():
            return  # it was moved, too
        old = settings.id if shown is None else shown.tomb_raider.static_mesh.id
        replacement = self._statics.get(numbers.get(old))
        if replacement is None:
            self._drop(T("their static meshes are missing, so they are not copied"), obj)
            return
        settings.static_mesh = replacement
        if obj.data is not None:
            obj.data = replacement.data

    def _relink_sprite(self, obj: Object, numbers: Mapping[int, int | None]) -> None:
        if obj.data in self._pictures.values():
            return  # it was moved, too
        picture = self._source_pictures.get(obj.data)
        replacement = None
        if picture is not None:
            replacement = self._pictures.get((numbers.get(picture.sequence), picture.place))
        if replacement is None:
            self._drop(T("their pictures are missing, so they are not copied"), obj)
        else:
            obj.data = replacement

    def _read_library(self) -> None:
        """Look up the library of the target level, and the pictures that are left in the source level."""
        statics, pictures = (members_of(self._root, kind) for kind in (Kind.STATIC_MESH, Kind.SPRITE_TEXTURE))
        self._statics: dict[int | None, Object] = {each.tomb_raider.static_mesh.id: each for each in statics}
        self._pictures: dict[tuple[int | None, int], Any] = {
            (each.tomb_raider.sprite.sequence, each.tomb_raider.sprite.place): each.data for each in pictures
        }
        self._source_pictures = {
            each.data: each.tomb_raider.sprite for each in members_of(self._source, Kind.SPRITE_TEXTURE)
        }


def sounds_at(objects: Iterable[Object]) -> set[int]:
    """Return the numbers of the sounds of sound sources among objects."""
    return {
        int(each.tomb_raider.sound_source.sound)
        for each in objects
        if each.tomb_raider.kind == Kind.SOUND_SOURCE
    }
