"""Sprites (documentation, chapters 3.2.3 and 5.6): the library of sprite textures, and sprites of rooms.

Games turn sprites to the camera. In the scene a sprite is a quad that faces the front view.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import bpy
import numpy as np
from bpy.types import Material, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, Level
from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.level import page_count
from ....formats.levels.textures import (
    PAGE_SIZE,
    RAW_PER_PIXEL,
    BlendMode,
    FaceTextures,
    Sprites,
    decode_sprites,
    encode_sprites,
)
from ...core.context import ExportContext, ImportContext
from ...core.record_fields import take_over, warn_of_unwritten_shape
from ...core.space import Space, checked
from ...core.stages import ROOMS, SPRITE_QUADS, ExportStage, ImportStage, Product, RoomObjects, Steps
from ...core.subjects import Kind
from ..meshes.arrays import UV_MAP, MeshArrays, build_mesh
from ..meshes.layers import shown_uv_map
from ..meshes.read import read_mesh
from ..object_textures.faces import FACE_USERS, RESOLVED, FaceResolver, ResolvedFaces
from ..rooms.location.where import WHEREABOUTS, Whereabouts
from ..textures.keys import MaterialKey, key_array, key_tuples
from ..textures.materials import MATERIALS, LevelMaterials, MaterialKeys
from ..textures.user_images import PictureRequest
from .room_sprites import RoomSprites, import_room_sprites
from .sequences import NO_SEQUENCE, SpritePlan, plan_sprites, sequence_of

_UNITS_PER_PIXEL = 8  # shown size in TR4 and TR5, where the file has no size
_NEUTRAL = (128, 128, 128, 255)

# --- Import ----------------------------------------


def _key(page: int) -> MaterialKey:
    return MaterialKey("PAGE", page, BlendMode.COLOR_KEYED, True, 0)


def sprite_keys(level: Level) -> set[MaterialKey]:
    """Return the material keys of the level's sprites."""
    return {_key(page) for page in np.unique(level.sprite_textures["page"]).tolist()}


class Quads(NamedTuple):
    """Quads of sprite textures in Blender, n rows, corners counterclockwise from the lower left."""

    positions: NDArray[np.float32]  #: (n, 4, 3) float32.
    uvs: NDArray[np.float32]  #: (n, 4, 2) float32.
    keys: list[MaterialKey]  #: the material of each.


def sprite_quads(level: Level, space: Space) -> Quads:
    """Return the quads of all sprite textures of a level."""
    sprites = decode_sprites(level.sprite_textures, level.game)
    half = sprites.rect[:, 2:] * _UNITS_PER_PIXEL // 2
    sides = np.concatenate([-half, half], axis=1) if sprites.sides is None else sprites.sides
    left, top, right, bottom = sides.T
    zero = np.zeros_like(left)
    corners = [(left, bottom, zero), (right, bottom, zero), (right, top, zero), (left, top, zero)]
    positions = space.to_blender(np.array(corners).transpose(2, 0, 1))
    x, y, width, height = sprites.rect.T
    u0, u1, v0, v1 = x, x + width, PAGE_SIZE - y - height, PAGE_SIZE - y
    uvs = np.array([(u0, v0), (u1, v0), (u1, v1), (u0, v1)]).transpose(2, 0, 1) / PAGE_SIZE
    keys = {page: _key(page) for page in np.unique(sprites.page).tolist()}
    return Quads(positions, uvs.astype(np.float32), [keys[page] for page in sprites.page.tolist()])


def import_sprites(context: ImportContext, rooms: RoomObjects, materials: LevelMaterials) -> dict[int, Mesh]:
    """Make the library of sprite textures, and a quad for every sprite of a room; return quads by texture."""
    context.root.tomb_raider.imported |= {"SPRITES"}
    result = _import_library(context, materials)
    import_room_sprites(context, rooms, result)
    return result


def _import_library(context: ImportContext, materials: LevelMaterials) -> dict[int, Mesh]:
    result: dict[int, Mesh] = {}
    templates: dict[MaterialKey, Mesh] = {}
    library = context.collection("Sprites", Kind.SPRITES)
    sequences, rooms = sequence_of(context.level), context.level.rooms
    left = min((int(room.x) for room in rooms), default=0)
    front = min((int(room.z) for room in rooms), default=0) - 6 * SECTOR_SIZE
    quads = sprite_quads(context.level, context.space)
    origins = np.zeros((len(quads.keys), 3), np.int64)
    origins[:, 0], origins[:, 2] = left + np.arange(len(origins)) * SECTOR_SIZE, front
    for texture, (key, location) in enumerate(
        zip(quads.keys, context.space.to_blender(origins).tolist(), strict=True)
    ):
        identity, position = sequences.get(texture, (NO_SEQUENCE, 0))
        name = f"Sprite Texture {texture}"
        if texture in sequences:
            name = f"{context.names.sprite(identity)} {position}"
        positions, uvs, material = quads.positions[texture], quads.uvs[texture], materials[key]
        if key in templates:
            mesh = _copy_quad(templates[key], name, positions, uvs)
        else:
            mesh = templates[key] = _new_quad(name, positions, uvs, key, material)
        obj = bpy.data.objects.new(name, mesh)
        obj.location = location
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.SPRITE_TEXTURE, texture
        properties = settings.sprite
        properties.texture, properties.sequence, properties.place = texture, identity, position
        library.objects.link(obj)
        result[texture] = mesh
    return result


def _new_quad(
    name: str, positions: NDArray[np.float32], uvs: NDArray[np.float32], key: MaterialKey, material: Material
) -> Mesh:
    arrays = MeshArrays(
        positions=positions,
        corners=np.arange(4, dtype=np.int32),
        sizes=np.array([4], np.int32),
        uvs=uvs,
        keys=key_array([key]),
        colors=np.tile(np.array(_NEUTRAL, np.uint8), (4, 1)),
        point={},
        face={},
    )
    return build_mesh(name, arrays, {key: material})


def _copy_quad(template: Mesh, name: str, positions: NDArray[np.float32], uvs: NDArray[np.float32]) -> Mesh:
    """Copy a quad with the same material, which is twice as fast as making one."""
    mesh = cast(Mesh, template.copy())
    mesh.name = name
    # Not by the attribute: copies would keep the bounds of the template.
    mesh.vertices.foreach_set("co", positions.ravel())
    mesh.attributes[UV_MAP].data.foreach_set("vector", uvs.ravel())
    mesh.update()
    return mesh


# --- Export ----------------------------------------


class SpriteExport:
    """Export of sprites; a :class:`~..object_textures.faces.FaceUser`."""

    def __init__(self, context: ExportContext) -> None:
        self.context = context
        self._plan: SpritePlan | None = None
        self._described: dict[Object, _Described] = {}

    def collect(self, resolver: FaceResolver) -> None:
        """Read the library, and add users' pictures to the resolver.

        Raises:
            ExportError: where a sprite's quad is no upright rectangle with a picture.
        """
        if "SPRITES" not in self.context.root.tomb_raider.imported:
            return
        self._plan = plan = plan_sprites(self.context)
        objects = list(zip(plan.order, plan.source, strict=True))
        for obj in _edited(self.context, objects, resolver.material_keys):
            content = self._described[obj] = _describe(self.context, obj, resolver.material_keys)
            if content.material is not None:
                game, material, uv = self.context.original.game, content.material, content.uv
                quad = np.zeros(1, np.bool_)
                resolver.request(PictureRequest.of(obj, obj.name, material, uv, quad, game))
            else:
                resolver.reserve(content.page, content.rect)

    def finish(self, resolved: ResolvedFaces, where: Whereabouts) -> None:
        """Write the library and the sprites of rooms.

        Raises:
            ExportError: where the vertices of sprites do not fit a room.
        """
        context, plan = self.context, self._plan
        if plan is None:
            return
        self._write_library(plan, resolved)
        before = context.original.sprite_sequences
        context.level.sprite_sequences = take_over(context, "sprite_sequences", before, plan.records)
        sprites = context.objects(Kind.SPRITE)
        if not context.original.game.traits.has_room_sprites:
            for obj, _ in sprites:
                context.report.warn(obj.name, T("rooms of this game have no sprites, so it is left out"))
            return
        textures: dict[Any, int] = {}
        for row, obj in enumerate(plan.order):
            textures.setdefault(obj.data, row)
        textures.pop(None, None)
        writer = RoomSprites(context, where, textures, plan.numbers)
        if where.numbers:
            writer.run()
        else:
            writer.keep()

    def _write_library(self, plan: SpritePlan, resolved: ResolvedFaces) -> None:
        context = self.context
        original, game = context.original.sprite_textures, context.original.game
        old = decode_sprites(original, game)
        count = len(plan.order)
        templates = np.zeros(count, original.dtype)
        page, rect = np.zeros(count, np.int64), np.zeros((count, 4), np.int64)
        sides = None if old.sides is None else np.zeros((count, 4), np.int64)
        for row, (obj, source) in enumerate(zip(plan.order, plan.source, strict=True)):
            warn_of_unwritten_shape(context, obj)
            context.note_place(obj, "sprite_textures", row)
            if source >= 0:
                templates[row], page[row], rect[row] = original[source], old.page[source], old.rect[source]
                if sides is not None and old.sides is not None:
                    sides[row] = old.sides[source]
            if obj in self._described:
                content = self._described[obj]
                page[row], rect[row] = content.page, content.rect
                if content.page < 0:
                    page[row], rect[row] = _packed(resolved.picture(obj))
                if sides is not None:
                    sides[row] = content.sides
        records = encode_sprites(Sprites(page, rect, sides), game, templates)
        context.level.sprite_textures = take_over(context, "sprite_textures", original, records)


class _Described(NamedTuple):
    """The content of a quad of the library."""

    page: int  #: the texture page, -1 for users' pictures.
    rect: NDArray[np.int64]  #: (4,) left, top, width, height in pixels of the page.
    sides: NDArray[np.int64]  #: (4,) left, top, right, bottom around the sprite's position in world units.
    material: Material | None  #: the user's material, None for pages.
    uv: NDArray[np.float32]  #: (1, 4, 2) float32.


def _packed(picture: FaceTextures) -> tuple[int, NDArray[np.int64]]:
    """Return the page and the rectangle in pixels of a packed picture."""
    pixels = picture.raw[0] / RAW_PER_PIXEL
    low, high = np.rint(pixels.min(axis=0)), np.rint(pixels.max(axis=0))
    return int(picture.page[0]), np.concatenate([low, high - low]).astype(np.int64)


def _edited(
    context: ExportContext, objects: list[tuple[Object, int]], material_keys: MaterialKeys
) -> list[Object]:
    """Return the sprite textures that differ from those of the file."""
    expected = sprite_quads(context.original, context.space)
    position, uv = np.empty((4, 3), np.float32), np.empty((4, 2), np.float32)
    edited = []
    for obj, index in objects:
        mesh = context.shown.of(obj)
        is_same = 0 <= index < len(expected.keys) and mesh is not None and _is_quad(mesh)
        if is_same and mesh is not None:
            mesh.attributes["position"].data.foreach_get("vector", position.ravel())
            layer = shown_uv_map(mesh)
            layer.uv.foreach_get("vector", uv.ravel())
            (material,) = context.shown.materials(obj)
            is_same = (
                np.array_equal(position, expected.positions[index])
                and np.array_equal(uv, expected.uvs[index])
                and material is not None
                and material_keys[material] == expected.keys[index]
                and material_keys.coordinates(material).is_plain
            )
        if not is_same:
            edited.append(obj)
    return edited


def _is_quad(mesh: Mesh) -> bool:
    """Return whether a mesh has the topology of an imported quad."""
    counts = len(mesh.vertices), len(mesh.polygons), len(mesh.loops), len(mesh.materials)
    if counts != (4, 1, 4, 1) or shown_uv_map(mesh) is None:
        return False
    return [corner.vertex_index for corner in mesh.loops] == [0, 1, 2, 3]


def _describe(context: ExportContext, obj: Object, material_keys: MaterialKeys) -> _Described:
    mesh = context.shown.of(obj)
    if mesh is None:
        raise ExportError(obj.name, T("a sprite texture must be a mesh"))
    arrays = read_mesh(mesh, material_keys, context.shown.materials(obj))
    context.report.warn_all(obj.name, arrays.notes)
    if arrays.sizes.tolist() != [4] or len(arrays.positions) != 4:
        raise ExportError(obj.name, T("a sprite texture must be one rectangle"))
    key = key_tuples(arrays.keys)[0]
    if key.kind not in ("PAGE", "OWN") or (
        key.kind == "PAGE" and not 0 <= key.page < page_count(context.original)
    ):
        raise ExportError(obj.name, T("its material shows no picture"))
    checked(arrays.uvs, obj.name, T("a corner of its UV map"))
    pixels = np.column_stack((arrays.uvs[:, 0], 1 - arrays.uvs[:, 1])).astype(np.float64) * PAGE_SIZE
    low, high = np.rint(pixels.min(axis=0)), np.rint(pixels.max(axis=0))
    points = np.rint(context.space.to_file(arrays.positions, obj.name, "a vertex"))[arrays.corners]
    # Corners of the quad and of the UVs have to correspond.
    offset = np.abs(_share(pixels) - _share(points[:, :2]))
    if not offset.max() < 0.1:
        problem = T("a sprite texture must be an upright rectangle, not rotated or mirrored")
        raise ExportError(obj.name, problem)
    return _Described(
        page=key.page if key.kind == "PAGE" else -1,
        rect=np.concatenate([low, high - low]).astype(np.int64),
        sides=np.concatenate([points.min(axis=0)[:2], points.max(axis=0)[:2]]).astype(np.int64),
        material=arrays.own_materials[key.page] if key.kind == "OWN" else None,
        uv=arrays.uvs[None],
    )


def _share(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points relative to their bounding rectangle, 0 to 1."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (points - low) / np.maximum(high - low, 1e-6)


_EXPORT: Product[SpriteExport] = Product("_EXPORT")


def _import(context: ImportContext) -> None:
    SPRITE_QUADS.set(context, import_sprites(context, ROOMS.of(context), MATERIALS.of(context)))


def _collect(context: ExportContext) -> None:
    export = SpriteExport(context)
    _EXPORT.set(context, export)
    FACE_USERS.of(context).append(export)


def _export(context: ExportContext) -> None:
    _EXPORT.of(context).finish(RESOLVED.of(context), WHEREABOUTS.of(context))


STEPS = Steps({ImportStage.LIBRARY: _import}, {ExportStage.FACES: _collect, ExportStage.TARGETS: _export})
