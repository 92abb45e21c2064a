"""Sprites (documentation, chapters 3.2.3 and 5.6): the library of their pictures, and sprites of rooms.

A sprite always faces the camera. In the scene it is a quad that faces the front view.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object
from numpy.typing import NDArray

from ..formats import ExportError, Game, Level
from ..formats.records import ROOM_SPRITE
from ..formats.sprites import Sprites, decode_sprites, encode_sprites
from .context import ExportContext, ImportContext, world_matrix
from .materials import ATTRIBUTE_COLOR_KEYED, MaterialKey
from .mesh_data import UV_MAP, MeshArrays, build_mesh, code_of, key_of, read_mesh
from .record_fields import put, take_over, world_point
from .room_things import RoomThings, place_in_room
from .space import Space

_SECTOR = 1024
_UNITS_PER_PIXEL = 8  # of pictures whose size in the world only the engine knows (TR4, TR5)
_PAGE = 256
_NEUTRAL = (128, 128, 128, 255)
_VERTEX_LIMIT = 0xFFFF

# --- The way in ----------------------------------------


def _key(page: int) -> MaterialKey:
    return MaterialKey("PAGE", page, ATTRIBUTE_COLOR_KEYED, True, 0)


def sprite_keys(level: Level) -> set[MaterialKey]:
    """Return the materials that the level's sprites need."""
    return {_key(page) for page in np.unique(level.sprite_textures["page"]).tolist()}


class Quads(NamedTuple):
    """Sprite textures as Blender shows them, n rows, corners from the lower left on.

    Attributes:
        positions: (n, 4, 3) float32.
        uvs: (n, 4, 2) float32.
        keys: the material of each.
    """

    positions: NDArray[np.float32]
    uvs: NDArray[np.float32]
    keys: list[MaterialKey]


def sprite_quads(level: Level, space: Space) -> Quads:
    """Return the quads of all sprite textures of a level."""
    sprites = decode_sprites(level.sprite_textures, level.game)
    sides = _default_sides(sprites) if sprites.sides is None else sprites.sides
    left, top, right, bottom = sides.T
    zero = np.zeros_like(left)
    corners = [(left, bottom, zero), (right, bottom, zero), (right, top, zero), (left, top, zero)]
    positions = space.to_blender(np.array(corners).transpose(2, 0, 1))
    x, y, width, height = sprites.rect.T
    u0, u1, v0, v1 = x, x + width, _PAGE - y - height, _PAGE - y
    uvs = np.array([(u0, v0), (u1, v0), (u1, v1), (u0, v1)]).transpose(2, 0, 1) / _PAGE
    keys = {page: _key(page) for page in np.unique(sprites.page).tolist()}
    return Quads(positions, uvs.astype(np.float32), [keys[page] for page in sprites.page.tolist()])


def _default_sides(sprites: Sprites) -> NDArray[np.int64]:
    half = sprites.rect[:, 2:] * _UNITS_PER_PIXEL // 2
    return np.concatenate([-half, half], axis=1)


def sequence_of(level: Level) -> dict[int, tuple[int, int]]:
    """Return for every sprite texture that a sequence shows: the sequence's id, and its place there."""
    found: dict[int, tuple[int, int]] = {}
    for identity, negative, first in level.sprite_sequences.tolist():
        shown = range(first, min(first - negative, len(level.sprite_textures)))
        for place, texture in enumerate(shown):
            found.setdefault(texture, (identity, place))
    return found


def import_sprites(context: ImportContext) -> None:
    """Make the library of sprite textures, and a quad for every sprite of a room."""
    context.root.tomb_raider.imported |= {"SPRITES"}
    _import_library(context)
    index = 0
    for number, room in enumerate(context.level.rooms[: len(context.rooms)]):
        for record in room.sprites:
            _import_sprite(context, number, index, int(record["vertex"]), int(record["texture"]))
            index += 1


def _import_library(context: ImportContext) -> None:
    library = context.collection("Sprites", "SPRITES")
    sequences, rooms = sequence_of(context.level), context.level.rooms
    left = min((int(room.x) for room in rooms), default=0)
    front = min((int(room.z) for room in rooms), default=0) - 6 * _SECTOR
    quads = sprite_quads(context.level, context.space)
    for texture, key in enumerate(quads.keys):
        name = f"Sprite Texture {texture}"
        if texture in sequences:
            identity, place = sequences[texture]
            name = f"{context.names.sprite(identity)} {place}"
        positions, uvs, material = quads.positions[texture], quads.uvs[texture], context.materials[key]
        first = context.sprite_meshes.get(0)
        mesh = (
            _new_quad(name, positions, uvs, key, material)
            if first is None
            else _copy_quad(first, name, positions, uvs, material)
        )
        thing = bpy.data.objects.new(name, mesh)
        thing.location = context.space.to_blender([left + texture * _SECTOR, 0, front]).tolist()
        settings = thing.tomb_raider
        settings.kind, settings.index, settings.sprite.texture = "SPRITE_TEXTURE", texture, texture
        library.objects.link(thing)
        context.sprite_meshes[texture] = mesh


def _new_quad(
    name: str,
    positions: NDArray[np.float32],
    uvs: NDArray[np.float32],
    key: MaterialKey,
    material: Material,
) -> Mesh:
    arrays = MeshArrays(
        positions=positions,
        corners=np.arange(4, dtype=np.int32),
        sizes=np.array([4], np.int32),
        uvs=uvs,
        keys=np.array([code_of(key)], np.int64),
        colors=np.tile(np.array(_NEUTRAL, np.uint8), (4, 1)),
        point={},
        face={},
    )
    return build_mesh(name, arrays, {key: material})


def _copy_quad(
    first: Mesh, name: str, positions: NDArray[np.float32], uvs: NDArray[np.float32], material: Material
) -> Mesh:
    """Make a quad from another one, in half the time that a new one takes."""
    mesh: Mesh = first.copy()  # type: ignore[assignment]
    mesh.name = name
    mesh.attributes["position"].data.foreach_set("vector", positions.ravel())
    mesh.attributes[UV_MAP].data.foreach_set("vector", uvs.ravel())
    mesh.materials[0] = material
    mesh.update()
    return mesh


def _import_sprite(context: ImportContext, number: int, index: int, vertex: int, texture: int) -> None:
    room, mesh = context.level.rooms[number], context.sprite_meshes.get(texture)
    label = f"Sprite {index}" if mesh is None else f"{mesh.name} {index}"
    thing = bpy.data.objects.new(label, mesh)
    # Where the vertex does not exist, the room's origin has to do.
    place = _position(room.vertices[vertex]) if vertex < len(room.vertices) else np.zeros(3)
    place_in_room(context, thing, number, place + np.array((room.x, 0, room.z)))
    settings = thing.tomb_raider
    settings.kind, settings.index = "SPRITE", index
    settings.sprite.vertex, settings.sprite.texture = vertex, texture


def _position(vertex: Any) -> NDArray[np.int64]:
    return np.array([vertex[axis] for axis in "xyz"], np.int64)


# --- The way back ----------------------------------------


def export_sprites(context: ExportContext) -> None:
    """Write the sprite textures, and the sprites of rooms once the rooms' vertices are written.

    Raises:
        ExportError: where a sprite's quad is no upright rectangle of a page, or a room cannot hold the
            vertices that its sprites need.
    """
    if "SPRITES" not in context.root.tomb_raider.imported:
        return
    _export_library(context)
    sprites = context.objects("SPRITE")
    if context.original.game is Game.TR5:
        for thing, _ in sprites:
            context.report.warn(thing.name, "rooms of this game have no sprites, so it is left out")
    elif context.room_numbers:
        _RoomSprites(context).run()


def _export_library(context: ExportContext) -> None:
    original, game = context.original.sprite_textures, context.original.game
    before = decode_sprites(original, game)
    things = context.objects("SPRITE_TEXTURE")
    known = range(len(original))
    if len({index for _, index in things if index in known}) < len(original):
        context.report.warn("Sprites", "sprite textures that are no more in the scene are kept as they were")
    added = [thing for thing, index in things if index not in known]
    room = ((0, len(added)), (0, 0))
    page, rect = np.pad(before.page, room[0]), np.pad(before.rect, room)
    sides = None if before.sides is None else np.pad(before.sides, room)
    for thing, index in _edited(context, things):
        row = index if index in known else len(original) + added.index(thing)
        page[row], rect[row], shown = _describe(context, thing)
        if sides is not None:
            sides[row] = shown
    records = encode_sprites(Sprites(page, rect, sides), game, original)
    context.level.sprite_textures = take_over(context, "sprite_textures", original, records)


def _edited(context: ExportContext, things: list[tuple[Object, int]]) -> list[tuple[Object, int]]:
    """Return those sprite textures that do not look as the file's do."""
    expected = sprite_quads(context.original, context.space)
    position, uv = np.empty((4, 3), np.float32), np.empty((4, 2), np.float32)
    edited = []
    for thing, index in things:
        mesh = thing.data
        same = 0 <= index < len(expected.keys) and isinstance(mesh, Mesh) and _is_quad(mesh)
        if same and isinstance(mesh, Mesh):
            mesh.attributes["position"].data.foreach_get("vector", position.ravel())
            mesh.uv_layers.active.uv.foreach_get("vector", uv.ravel())
            same = (
                np.array_equal(position, expected.positions[index])
                and np.array_equal(uv, expected.uvs[index])
                and mesh.materials[0] is not None
                and context.material_keys[mesh.materials[0]] == expected.keys[index]
            )
        if not same:
            edited.append((thing, index))
    return edited


def _is_quad(mesh: Mesh) -> bool:
    """Tell whether a mesh is put together like the quads of the library."""
    counts = len(mesh.vertices), len(mesh.polygons), len(mesh.loops), len(mesh.materials)
    if counts != (4, 1, 4, 1) or mesh.uv_layers.active is None:
        return False
    return [corner.vertex_index for corner in mesh.loops] == [0, 1, 2, 3]


def _describe(context: ExportContext, thing: Object) -> tuple[int, Any, Any]:
    """Return the page, the rectangle of pixels and the sides in the world that a quad shows."""
    if not isinstance(thing.data, Mesh):
        raise ExportError(thing.name, "a sprite texture has to be a mesh")
    arrays = read_mesh(thing.data, context.material_keys)
    if arrays.sizes.tolist() != [4] or len(arrays.positions) != 4:
        raise ExportError(thing.name, "a sprite texture has to be one rectangle")
    code = int(arrays.keys[0])
    if code < 0 or key_of(code).kind != "PAGE":
        raise ExportError(thing.name, "its material shows no texture page of the level")
    pixels = np.column_stack((arrays.uvs[:, 0], 1 - arrays.uvs[:, 1])).astype(np.float64) * _PAGE
    low, high = np.rint(pixels.min(axis=0)), np.rint(pixels.max(axis=0))
    points = np.rint(context.space.to_file(arrays.positions))[arrays.corners]
    least, greatest = points.min(axis=0), points.max(axis=0)
    # Each corner has to be the corner of both rectangles, right side right and up side up.
    in_texture = np.abs(
        (pixels - low) / np.maximum(high - low, 1) - (points - least)[:, :2] / _extent(least, greatest)
    )
    if not in_texture.max() < 0.1:
        raise ExportError(
            thing.name, "a sprite texture has to be an upright rectangle, not turned or mirrored"
        )
    rect = np.concatenate([low, high - low]).astype(np.int64)
    return key_of(code).page, rect, np.array([least[0], least[1], greatest[0], greatest[1]], np.int64)


def _extent(least: NDArray[np.float64], greatest: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(greatest - least, 1)[:2]


class _RoomSprites:
    """Writes the sprites of rooms, which stand at vertices of their room's mesh."""

    def __init__(self, context: ExportContext) -> None:
        self.context = context
        self.things = RoomThings(context, "sprites")
        self.textures = {
            thing.data: thing.tomb_raider.sprite.texture
            for thing, index in reversed(context.objects("SPRITE_TEXTURE"))
            if index >= 0 and thing.data is not None
        }
        self.vertices = {number: room.vertices for number, room in enumerate(context.level.rooms)}
        self.added: dict[int, list[Any]] = {}

    def run(self) -> None:
        for thing, index in self.things.present("SPRITE"):
            self._add(thing, index)
        rooms, sources = self.context.original.rooms, self.context.room_plan.sources
        for number, records in self.things.finish("sprites", 0xFFFF).items():
            room = self.context.level.rooms[number]
            before = room.sprites if sources[number] < 0 else rooms[sources[number]].sprites
            room.sprites = take_over(self.context, "room_sprites", before, records)
        for number, added in self.added.items():
            room = self.context.level.rooms[number]
            room.vertices = np.concatenate([room.vertices, np.array(added, room.vertices.dtype)])
            self.context.report.count("rooms")

    def _add(self, thing: Object, index: int) -> None:
        matrix = world_matrix(thing)
        if any(abs(abs(part) - 1) > 1e-3 for part in matrix.to_scale()):
            self.context.report.warn(
                thing.name, "it is scaled, but the game shows it in the size of its texture"
            )
        world = world_point(self.context, matrix)
        number = self.things.room_of(thing, world)
        room = self.context.level.rooms[number]
        place = np.rint(world - (room.x, 0, room.z)).astype(np.int64)
        original = self.things.original(thing.tomb_raider.index)
        record = self.things.start(thing, np.zeros(1, ROOM_SPRITE)[0])
        put(record, "texture", self._texture(thing, original), thing.name)
        came_from = self.things.room(thing.tomb_raider.index)
        vertex = self._vertex(number, place, thing, came_from)
        if vertex is not None:
            put(record, "vertex", vertex, thing.name)
        self.things.keep(number, index, record)

    def _texture(self, thing: Object, original: Any | None) -> int:
        """Return the texture that a sprite shows: the property, if it was edited, else that of its mesh."""
        typed = int(thing.tomb_raider.sprite.texture)
        if original is not None and typed != int(original["texture"]):
            return typed
        return typed if thing.data is None else self.textures.get(thing.data, typed)

    def _vertex(self, number: int, place: NDArray[np.int64], thing: Object, came_from: int) -> int | None:
        """Return the vertex at a place, a new one if need be; None for one that never was and stays."""
        vertices, hint = self.vertices[number], int(thing.tomb_raider.sprite.vertex)
        same = np.ones(len(vertices), np.bool_)
        for axis, part in zip("xyz", place.tolist(), strict=True):
            same &= vertices[axis] == part
        found = np.flatnonzero(same)
        before = self.context.original.rooms[came_from].vertices if came_from >= 0 else vertices[:0]
        if len(found):
            if 0 <= hint < len(before):
                alike = found[vertices[found] == before[hint]]
                found = alike if len(alike) else found
            return hint if hint in found else int(found[0])
        if came_from == self.context.room_plan.sources[number] and hint >= len(before) and not place.any():
            return None
        return self._new_vertex(number, place, thing)

    def _new_vertex(self, number: int, place: NDArray[np.int64], thing: Object) -> int:
        """Add a vertex to a room, lit like the nearest one."""
        vertices, added = self.vertices[number], self.added.setdefault(number, [])
        for row, vertex in enumerate(added):
            if (_position(vertex) == place).all():
                return len(vertices) + row
        if len(vertices) + len(added) >= _VERTEX_LIMIT:
            count = len(vertices) + len(added) + 1
            name = self.context.room_plan.name(number)
            raise ExportError(name, "too many vertices", count=count, limit=_VERTEX_LIMIT)
        vertex = np.zeros(1, vertices.dtype)
        if len(vertices):
            points = np.stack([vertices[axis] for axis in "xyz"], axis=1).astype(np.int64)
            vertex[0] = vertices[((points - place) ** 2).sum(axis=1).argmin()]
        for axis, part in zip("xyz", place.tolist(), strict=True):
            put(vertex[0], axis, part, thing.name, "position in the room")
        added.append(vertex[0])
        return len(vertices) + len(added) - 1
