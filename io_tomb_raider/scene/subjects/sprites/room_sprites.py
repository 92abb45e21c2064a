"""Sprites of rooms (documentation, chapter 3.2.3): quads of the library at vertices of their room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....catalogue import Catalogue
from ....formats import ExportError, Room
from ....formats.base import ROOM_SPRITE, T, put
from ...core.context import ExportContext, ImportContext
from ...core.membership import members_of
from ...core.record_fields import take_over, world_point
from ...core.space import whole
from ...core.stages import RoomObjects
from ...core.subjects import Kind
from ..rooms.location.listed import RoomLists, put_in_room
from ..rooms.location.where import Whereabouts
from .facing import turn_sprite

_VERTEX_LIMIT = 0xFFFF


def import_room_sprites(context: ImportContext, rooms: RoomObjects, library: Mapping[int, Mesh]) -> None:
    """Make an object for every sprite of a room. `library`: the quads of the library by sprite texture."""
    index = 0
    for number, room in enumerate(context.level.rooms[: len(rooms.objects)]):
        if not len(room.sprites):
            continue
        vertices, textures = room.sprites["vertex"].tolist(), room.sprites["texture"].tolist()
        for vertex, texture, location in zip(vertices, textures, _places(context, room), strict=True):
            put_in_room(rooms, _new_sprite(library.get(texture), index, vertex, texture), number, location)
            index += 1


def _places(context: ImportContext, room: Room) -> list[list[float]]:
    """Return the positions of sprites; those whose vertex does not exist are at the room's origin."""
    vertex = room.sprites["vertex"]
    positions = np.append(np.stack([room.vertices[axis] for axis in "xyz"], axis=1), np.zeros((1, 3)), axis=0)
    return context.space.to_blender(positions[np.minimum(vertex, len(room.vertices))]).tolist()


def _new_sprite(mesh: Mesh | None, index: int, vertex: int, texture: int) -> Object:
    name = f"Sprite {index}" if mesh is None else Catalogue.numbered(mesh.name, index)
    obj = bpy.data.objects.new(name, mesh)
    settings = obj.tomb_raider
    settings.kind, settings.index = Kind.SPRITE, index
    properties = settings.sprite
    properties.vertex, properties.texture = vertex, texture
    return obj


def adopt_sprite(root: Collection, obj: Object) -> bool:
    """Make an object with a picture of the sprite library a sprite of a room; return whether it is one."""
    pictures = (each for each in members_of(root, Kind.SPRITE_TEXTURE) if each != obj)
    settings = obj.tomb_raider
    # Duplicates of a picture have their own mesh.
    number = settings.index if settings.kind == Kind.SPRITE_TEXTURE and settings.index >= 0 else None
    matches = (each for each in pictures if each.data == obj.data or each.tomb_raider.index == number)
    picture = next(matches, None)
    if picture is None:
        return False
    settings.kind, settings.index, settings.origin = Kind.SPRITE, -1, root.tomb_raider.origin
    settings.sprite.texture = max(picture.tomb_raider.index, 0)
    settings.sprite.vertex = -1
    turn_sprite(obj, root.tomb_raider.level.sprites_face_camera)
    return True


class RoomSprites:
    """Export of sprites of rooms, which are at vertices of their room's mesh."""

    def __init__(
        self, context: ExportContext, where: Whereabouts, textures: dict[Any, int], numbers: NDArray[np.int64]
    ) -> None:
        """Prepare the export.

        Args:
            textures: the sprite texture of each quad of the library.
            numbers: (sprite textures,) the new numbers of those of the original, -1 if deleted.
        """
        self.context = context
        self.plan = where.plan
        self.objects = RoomLists(context, where, "sprites")
        self.textures, self.numbers = textures, numbers
        self.vertices = {number: room.vertices for number, room in enumerate(context.level.rooms)}
        self.added: dict[int, list[np.void]] = {}
        self.numbers_of_added: dict[tuple[int, ...], int] = {}  # by room and place

    def run(self) -> None:
        for obj, index in self.objects.present(Kind.SPRITE):
            self._add(obj, index)
        rooms, sources = self.context.original.rooms, self.plan.sources
        for number, records in self.objects.finish("sprites", 0xFFFF).items():
            room = self.context.level.rooms[number]
            before = room.sprites if sources[number] < 0 else rooms[sources[number]].sprites
            room.sprites = take_over(self.context, "room_sprites", before, records)
        for number, added in self.added.items():
            room = self.context.level.rooms[number]
            room.vertices = np.concatenate([room.vertices, np.array(added, room.vertices.dtype)])
            self.context.rebuilt.count("rooms")

    def _add(self, obj: Object, index: int) -> None:
        matrix = self.context.space.matrix_of(obj)
        if any(abs(abs(part) - 1) > 1e-3 for part in matrix.to_scale()):
            text = T("it is scaled, but the game shows it in the size of its texture")
            self.context.report.warn(obj.name, text)
        world = world_point(self.context, obj, matrix)
        number = self.objects.room_of(obj, world)
        room = self.context.level.rooms[number]
        position = whole(world - (room.x, 0, room.z))
        if self._is_out_of_reach(obj, number, position):
            text = T("it is too far from all rooms, so it is left out: move it into one")
            self.context.report.warn(obj.name, text)
            return
        original = self.objects.original(obj.tomb_raider.index)
        record = self.objects.start(obj.tomb_raider.index)
        if record is None:
            record = np.zeros(1, ROOM_SPRITE)[0]
        put(record, "texture", self._texture(obj, original), obj.name)
        source = self.objects.room(obj.tomb_raider.index)
        vertex = self._vertex(number, position, obj, source)
        if vertex is not None:
            put(record, "vertex", vertex, obj.name)
        self.objects.keep(number, index, record, obj)

    def _is_out_of_reach(self, obj: Object, number: int, position: NDArray[np.int64]) -> bool:
        """Return whether a sprite was moved to where its room cannot have a vertex."""
        fields = (self.vertices[number].dtype[axis] for axis in "xyz")
        fits = [
            field.kind != "i" or np.iinfo(field).min <= part <= np.iinfo(field).max
            for field, part in zip(fields, position.tolist(), strict=True)
        ]
        where = self.objects.where
        return not all(fits) and not where.diagnose(where.room_of(obj))

    def _texture(self, obj: Object, original: np.void | None) -> int:
        """Return the texture of a sprite: its property if edited, else that of its mesh."""
        number = int(obj.tomb_raider.sprite.texture)
        if obj.data is None or (original is not None and number != int(original["texture"])):
            return self._numbered(obj, number, original)
        texture = self.textures.get(obj.data)
        return self._numbered(obj, number, original) if texture is None else texture

    def _numbered(self, obj: Object, texture: int, original: np.void | None) -> int:
        """Return the new number of a sprite texture; an invalid number of the file is kept."""
        if not 0 <= texture < len(self.numbers):
            if original is None or texture != int(original["texture"]):
                problem = T("its sprite texture is not one of the level's")
                raise ExportError(obj.name, problem, count=texture, limit=len(self.numbers) - 1)
            return texture
        if self.numbers[texture] < 0:
            raise ExportError(obj.name, T("its sprite texture was deleted"))
        return int(self.numbers[texture])

    def keep(self) -> None:
        """Renumber the textures of sprites that are not in the scene."""
        for room in self.context.level.rooms:
            texture = room.sprites["texture"].astype(np.int64)
            is_valid = texture < len(self.numbers)
            new = np.where(is_valid, self.numbers[np.where(is_valid, texture, 0)], texture)
            if (new < 0).any():
                raise ExportError(T("Sprites"), T("rooms show sprite textures that were deleted"))
            if (new != texture).any():
                room.sprites = room.sprites.copy()
                room.sprites["texture"] = new
                self.context.rebuilt.count("room_sprites", int((new != texture).sum()))

    def _vertex(self, number: int, position: NDArray[np.int64], obj: Object, source: int) -> int | None:
        """Return the vertex at a point, a new one if needed; None to keep an invalid one of the file."""
        vertices, hint = self.vertices[number], int(obj.tomb_raider.sprite.vertex)
        is_same = np.ones(len(vertices), np.bool_)
        for axis, part in zip("xyz", position.tolist(), strict=True):
            is_same &= vertices[axis] == part
        matches = np.flatnonzero(is_same)
        old_vertices = self.context.original.rooms[source].vertices if source >= 0 else vertices[:0]
        if len(matches):
            if 0 <= hint < len(old_vertices):
                identical = matches[vertices[matches] == old_vertices[hint]]
                matches = identical if len(identical) else matches
            return hint if hint in matches else int(matches[0])
        if source == self.plan.sources[number] and hint >= len(old_vertices) and not position.any():
            return None
        return self._new_vertex(number, position, obj)

    def _new_vertex(self, number: int, position: NDArray[np.int64], obj: Object) -> int:
        """Add a vertex to a room, lit like the nearest one."""
        vertices, added = self.vertices[number], self.added.setdefault(number, [])
        key = (number, *position.tolist())
        if key in self.numbers_of_added:
            return self.numbers_of_added[key]
        row = len(vertices) + len(added)
        if row >= _VERTEX_LIMIT:
            name = self.plan.name(number)
            raise ExportError(name, T("too many vertices"), count=row + 1, limit=_VERTEX_LIMIT)
        vertex = np.zeros(1, vertices.dtype)
        if len(vertices):
            points = np.stack([vertices[axis] for axis in "xyz"], axis=1).astype(np.int64)
            vertex[0] = vertices[((points - position) ** 2).sum(axis=1).argmin()]
        for axis, part in zip("xyz", key[1:], strict=True):
            put(vertex[0], axis, part, obj.name, T("position in the room"))
        self.numbers_of_added[key] = row
        added.append(vertex[0])
        return row
