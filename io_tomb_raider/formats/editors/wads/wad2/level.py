"""Conversion of a WAD2 to a TR4 level with its objects and without rooms.

The result is a complete level that can be imported. :class:`Wad2Level` has the source of each part of the
level, so that :mod:`.edit` can export changes and nothing else.

Levels have integers where a WAD2 has floats: positions are rounded to units, angles to the precision of key
frames. Colors of vertices become light, images are packed onto pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.finite import finite
from ....base.arrays.typing import Floats, Ints
from ....base.bytes.chunks import Chunk
from ....base.bytes.records import (
    I16,
    OBJECT_TEXTURE_TR4,
    QUAD_EFFECTS,
    SPRITE_SEQUENCE,
    STATIC_MESH,
    TRIANGLE_EFFECTS,
)
from ....base.errors import ExportError, FormatError
from ....base.games import Game
from ....levels.level.level import Level
from ....levels.meshes.meshes import Mesh, encode_block, encode_mesh
from ....levels.textures.blending import ADDITIVE_EFFECT, SHINE_EFFECT
from ....levels.textures.coordinates import mapping_correction
from ....levels.textures.face_words import DOUBLE_SIDED
from ....levels.textures.object_textures import MOST_TEXTURES, TRIANGLE_BIT
from ....levels.textures.sprites import Sprites, encode_sprites
from ....levels.textures.textiles import PAGE_SIZE, encode_pages16
from ..wad.textures import has_holes
from .animated import add_models
from .meshes import BY_COLORS, POLYGON, Wad2Mesh, check_corners
from .objects import STATIC_FORMS, Wad2Moveable, Wad2Static, decode_moveable, decode_static
from .skins import SkinEdit, Wad2Extras, is_hidden, vertex_pairs
from .textures import Image, Sheet, decode_image, image_tile, lay_out, sprite_numbers, tiles_of
from .wad2 import Wad2

GAME = Game.TR4
_NO_PAGE = 0x7FFF
_DARKEST = 8191
_LUMA = np.array([0.2126, 0.7152, 0.0722])
_NORMAL = 16384.0
_MOST_NORMAL = 1e18  # its square is a float of 32 bits
_COMPILED_NORMAL = np.float32(16300)  # the length of normals in levels of Tomb Editor
_SHINE_SHIFT = 2
_ADDITIVE = 2
_ALPHA_TEST = 1
_RAW = 256


@dataclass(frozen=True, eq=False)
class Wad2Level:
    """A WAD2 and the level that was made from it."""

    wad2: Wad2
    level: Level
    #: moveables, statics: its objects, in the order of the level's models and static meshes.
    moveables: Sequence[Wad2Moveable]
    statics: Sequence[Wad2Static]
    meshes: Sequence[Wad2Mesh]  #: those of all objects, in the order of the level's block of meshes.
    images: Sequence[Image]  #: textures, then sprites.
    textures: int  #: the number of textures among them.
    sheet: Sheet  #: their places on pages. The first tiles are those of polygons.
    sequences: Sequence[tuple[int, Sequence[int]]]  #: the slot of each sprite sequence, and its sprites.
    texture_of: Ints  #: (object textures,) the image of each, -1 for none.
    #: by the number of the moveable, the index of its skin in ``meshes``. The last mesh pointers refer to it.
    skins: Mapping[int, int]

    def extras(self) -> Wad2Extras:
        """Return the skins of its models, and the meshes that they hide.

        Raises:
            FormatError: if they are damaged.
        """
        first = len(self.level.mesh_pointers) - len(self.skins)
        skins = {
            model: SkinEdit(first + place, self.meshes[number].vertices, vertex_pairs(self.meshes[number]))
            for place, (model, number) in enumerate(self.skins.items())
        }
        hidden = {
            int(self.level.models["first_mesh"][model]) + bone: True
            for model in skins
            for bone, mesh in enumerate(self.moveables[model].bone_meshes)
            if is_hidden(self.moveables[model].meshes[mesh])
        }
        return Wad2Extras(hidden=hidden, skins=skins)


def wad2_to_level(wad2: Wad2, *, compiled: bool = False) -> Wad2Level:
    """Return a level of TR4 with the objects of a WAD2, and their sources.

    Args:
        compiled: make the meshes as Tomb Editor does for levels: numbers are cut instead of rounded, faces
            have one side, and equal meshes are stored once. Such a level cannot be exported to the file.

    Raises:
        FormatError: if the file is damaged, or exceeds the limits of a level.
    """
    try:
        return _convert(wad2, compiled=compiled)
    except ExportError as error:
        raise FormatError("WAD2", "what a level of TR4 can hold", str(error)) from None


def _convert(wad2: Wad2, *, compiled: bool) -> Wad2Level:
    moveables = [decode_moveable(part, index) for index, part in _named(wad2, "W2Moveables", "W2Moveable")]
    statics = [decode_static(part) for _, part in _named(wad2, "W2Statics", *STATIC_FORMS)]
    textures = [decode_image(part, index) for index, part in _named(wad2, "W2Textures", "W2Txt")]
    sprites = [decode_image(part, index) for index, part in _named(wad2, "W2Sprites", "W2Spr")]
    sequences = [sprite_numbers(part) for _, part in _named(wad2, "W2SpriteSequences", "W2SpriteSeq")]
    sequences = [
        (slot, [number for number in numbers if 0 <= number < len(sprites)]) for slot, numbers in sequences
    ]
    level = Level.empty(GAME)
    meshes, pointers = add_models(level, moveables, compiled=compiled)
    for static in statics:
        pointers.append(len(meshes) if static.mesh is not None else -1)
        meshes += [static.mesh] if static.mesh is not None else []
    static_pointers = pointers[len(pointers) - len(statics) :]
    skins: dict[int, int] = {}
    for number, moveable in enumerate(moveables if not compiled else ()):
        if moveable.skin is not None:
            skins[number] = len(meshes)
            pointers.append(len(meshes))
            meshes.append(moveable.skin)
    if compiled:
        meshes = [_with_backs(mesh) for mesh in meshes]
    for element, mesh in enumerate(meshes):
        check_corners(mesh, element)
    polygons = np.concatenate([np.zeros(0, POLYGON), *(mesh.polygons for mesh in meshes)])
    low, high = _rectangles(polygons, textures)
    tiles, tile_of = tiles_of(textures, polygons["texture"].astype(np.int64), low, high)
    used = sorted({number for _, numbers in sequences for number in numbers})
    sprite_tiles = [image_tile(len(textures) + number, sprites[number]) for number in used]
    images = [*textures, *sprites]
    sheet = lay_out(images, [*tiles, *sprite_tiles])
    records, words, texture_of = _object_textures(polygons, tile_of, low, high, sheet)
    level.object_textures = records
    _add_meshes(level, meshes, pointers, words, compiled=compiled)
    _add_statics(level, statics, static_pointers, len(skins))
    tile_of_sprite = dict(zip(used, range(len(tiles), len(sheet.tiles)), strict=True))
    _add_sprites(level, sequences, tile_of_sprite, sheet)
    level.room_textiles, level.object_textiles, level.bump_textiles = 0, len(sheet.pages), 0
    level.textiles32 = sheet.pages[..., [2, 1, 0, 3]]
    level.textiles16 = encode_pages16(sheet.pages)
    return Wad2Level(
        wad2, level, moveables, statics, meshes, images, len(textures), sheet, sequences, texture_of, skins
    )


def _named(wad2: Wad2, name: str, *kinds: str) -> Iterator[tuple[int, Chunk]]:
    return enumerate(part for part in wad2.listed(name) if part.name in kinds)


# --- Textures ----------------------------------------------------------------------------------


def _corners(polygons: NDArray[np.void], images: Sequence[Image]) -> Floats:
    """Return the corners of polygons in pixels within their image, (n, 4, 2); triangles repeat the last."""
    uv = finite(polygons["uv"].astype(np.float64))
    uv[:, 3] = np.where((polygons["count"] == 3)[:, None], uv[:, 2], uv[:, 3])
    sizes = np.array([image.pixels.shape[1::-1] for image in images] or [(1, 1)], np.float64)
    texture = polygons["texture"].clip(0, len(sizes) - 1)
    return np.asarray(uv.clip(0, sizes[texture][:, None]))


def _rectangles(polygons: NDArray[np.void], images: Sequence[Image]) -> tuple[Ints, Ints]:
    """Return the first pixel of each polygon and the first one after it, (n, 2) each."""
    uv = _corners(polygons, images)
    low = np.floor(uv.min(axis=1)).astype(np.int64)
    return low, np.maximum(np.ceil(uv.max(axis=1)).astype(np.int64), low + 1)


def _object_textures(
    polygons: NDArray[np.void],
    tile_of: Ints,
    low: Ints,
    high: Ints,
    sheet: Sheet,
) -> tuple[NDArray[np.void], Ints, Ints]:
    """Return object textures, the word of each polygon, and the image of each object texture."""
    images = np.array([tile.image for tile in sheet.tiles] or [0], np.int64)
    exists = tile_of >= 0
    tile = np.where(exists, tile_of, 0)
    pairs = zip(sheet.tiles, sheet.places, strict=True)
    rows = [(each.left, each.top, each.step, *origin) for each, origin in pairs]
    table = np.array(rows or [(0, 0, 1, 0, 0, 0)], np.int64)[tile]
    start, step, page, position = table[:, :2], table[:, 2], table[:, 3], table[:, 4:]
    triangle = polygons["count"] == 3
    raw = _raw(polygons, start, step, position)
    low, high = (position + (pixels - start) // step[:, None] for pixels in (low, high))
    blend = polygons["blend"].astype(np.int64)
    holes = has_holes(page, low, np.maximum(high, low + 1).clip(0, PAGE_SIZE), sheet.pages, exists)
    attribute = np.where(blend > _ADDITIVE, blend.clip(0, 0xFFFF), holes | (blend == _ALPHA_TEST))
    page = np.where(exists, page, _NO_PAGE) | np.where(triangle, TRIANGLE_BIT, 0)
    keys = np.column_stack([page, attribute, raw.reshape(-1, 8), np.where(exists, images[tile], -1)])
    unique, words = np.unique(keys, axis=0, return_inverse=True)
    most = MOST_TEXTURES[GAME]
    if len(unique) > most:
        raise FormatError("W2Polys", f"at most {most} uses of textures", str(len(unique)))
    records = np.zeros(len(unique), OBJECT_TEXTURE_TR4)
    records["page"], records["attribute"] = unique[:, 0], unique[:, 1]
    records["uv"] = unique[:, 2:10].reshape(-1, 4, 2)
    is_triangle = unique[:, 0] & TRIANGLE_BIT != 0
    records["flags"] = mapping_correction(records["uv"], is_triangle, turn=False).kind
    corners = records["uv"].astype(np.int64)
    corners[is_triangle, 3] = corners[is_triangle, 2]
    first = corners.min(axis=1) >> 8
    records["original_u"], records["original_v"] = first.T
    records["width"], records["height"] = ((corners.max(axis=1) >> 8) - first).T
    return records, words.reshape(-1), unique[:, 10]


def _raw(polygons: NDArray[np.void], start: Ints, step: Ints, position: Ints) -> Ints:
    """Return the corners on pages in 1/256 pixel, (n, 4, 2); the fourth one of triangles is 0."""
    uv = finite(polygons["uv"].astype(np.float64))
    triangle = polygons["count"] == 3
    uv[triangle, 3] = uv[triangle, 2]
    on_page = position[:, None] + (uv - start[:, None]) / step[:, None, None]
    raw = np.rint(on_page * _RAW).clip(0, PAGE_SIZE * _RAW).astype(np.int64)
    low, high = raw.min(axis=1, keepdims=True), raw.max(axis=1, keepdims=True)
    # As in levels, the far border is the last fraction of the pixel before it.
    raw[(raw == high) & (raw % _RAW == 0) & (high > low)] -= 1
    raw = raw.clip(0, 0xFFFF)
    raw[triangle, 3] = 0
    return raw


# --- Meshes ------------------------------------------------------------------------------------


def _with_backs(mesh: Wad2Mesh) -> Wad2Mesh:
    """Return a mesh in which each double-sided face is followed by its back, and all have one side."""
    polygons = mesh.polygons.copy()
    is_double = polygons["double_sided"] != 0
    if not is_double.any():
        return mesh
    backs = polygons.copy()
    for name in ("vertices", "uv"):
        is_triangle, is_quad = polygons["count"] == 3, polygons["count"] == 4
        backs[name][is_triangle, :3] = polygons[name][is_triangle, 2::-1]
        backs[name][is_quad] = polygons[name][is_quad, ::-1]
    order = np.concatenate([2 * np.arange(len(polygons)), 2 * np.flatnonzero(is_double) + 1])
    result = np.concatenate([polygons, backs[is_double]])[np.argsort(order)]
    result["double_sided"] = 0
    return replace(mesh, polygons=result)


def level_vertices(mesh: Wad2Mesh, *, compiled: bool = False) -> NDArray[np.int16]:
    """Return the vertices of a mesh for levels, (n, 3) i16, y down."""
    return _integers(mesh.vertices * np.array([1, -1, 1], np.float32), cut=compiled)


def _integers(values: NDArray[np.float32], *, cut: bool) -> NDArray[np.int16]:
    """Return values as integers, rounded or without their fractions."""
    whole = np.trunc(finite(values)) if cut else np.rint(finite(values))
    return whole.clip(-0x8000, 0x7FFF).astype(I16)


def level_normals(mesh: Wad2Mesh, *, compiled: bool = False) -> NDArray[np.int16]:
    """Return the normals of a mesh for levels, (n, 3) i16, computed from its faces if it has none."""
    normals = finite(mesh.normals, _MOST_NORMAL).astype(np.float64)
    if not len(normals):
        normals = _face_normals(mesh)
    normals = normals * (1, -1, 1)
    if compiled:
        return compiled_normals(normals)
    length = np.sqrt((normals**2).sum(axis=1, keepdims=True))
    return _integers((normals / np.where(length > 0, length, 1) * _NORMAL).astype(np.float32), cut=False)


def compiled_normals(normals: Floats) -> NDArray[np.int16]:
    """Return normals (n, 3) of any length as Tomb Editor stores them in levels, calculated with 32 bits."""
    values = normals.astype(np.float32)
    length = np.sqrt((values * values).sum(axis=1, dtype=np.float32, keepdims=True))
    return _integers(values / np.where(length > 0, length, 1) * _COMPILED_NORMAL, cut=True)


def _face_normals(mesh: Wad2Mesh) -> Floats:
    result = np.zeros((len(mesh.vertices), 3))
    corners = mesh.polygons["vertices"]
    points = finite(mesh.vertices.astype(np.float64))[corners[:, :3]]
    normals = np.cross(points[:, 2] - points[:, 0], points[:, 1] - points[:, 0])
    for corner in range(4):
        has_corner = mesh.polygons["count"] > corner
        np.add.at(result, corners[has_corner, corner], normals[has_corner])
    return result


def level_lights(mesh: Wad2Mesh, *, compiled: bool = False) -> NDArray[np.int16]:
    """Return the light of a mesh's vertices for levels, (n,) i16, 0 bright to 8191 dark."""
    if not len(mesh.colors) or (compiled and len(mesh.colors) != len(mesh.vertices)):
        return np.zeros(len(mesh.vertices), I16)
    if compiled:
        brightness = np.minimum(finite(mesh.colors) @ _LUMA.astype(np.float32), np.float32(1))
        return _integers(np.float32(_DARKEST) - brightness * np.float32(_DARKEST), cut=True)
    luma = finite(mesh.colors.astype(np.float64)) @ _LUMA
    return np.rint(_DARKEST * (1 - luma.clip(0, 1))).astype(I16)


def level_effects(polygons: NDArray[np.void]) -> Ints:
    """Return TR4's effects of faces, (n,)."""
    shine = polygons["shine"].astype(np.int64).clip(0, 63)
    result = np.where(shine > 0, SHINE_EFFECT.mask | shine << _SHINE_SHIFT, 0)
    additive: Ints = np.where(polygons["blend"] == _ADDITIVE, ADDITIVE_EFFECT.mask, 0)
    return result | additive


def level_mesh(mesh: Wad2Mesh, words: Ints, *, compiled: bool = False) -> Mesh:
    """Return a mesh for levels, with these texture words of its polygons."""
    polygons = mesh.polygons
    by_colors = mesh.light_type == BY_COLORS or not len(mesh.vertices)
    if compiled and by_colors:
        polygons = polygons.copy()
        polygons["shine"] = 0
    words = words | np.where(polygons["double_sided"] != 0, DOUBLE_SIDED.mask, 0)
    faces = []
    for count, dtype in ((4, QUAD_EFFECTS), (3, TRIANGLE_EFFECTS)):
        is_chosen = polygons["count"] == count
        records = np.zeros(int(is_chosen.sum()), dtype)
        records["vertices"] = polygons["vertices"][is_chosen, :count]
        records["texture"] = words[is_chosen]
        records["effects"] = level_effects(polygons[is_chosen])
        faces.append(records)
    x, y, z = _integers(mesh.center * np.array([1, -1, 1], np.float32), cut=compiled).tolist()
    radius = finite(np.array(mesh.radius, np.float64))
    return Mesh(
        center=(x, y, z),
        radius=int((np.trunc(radius) if compiled else np.rint(radius)).clip(0, 0x7FFF)),
        flags=0,
        vertices=level_vertices(mesh, compiled=compiled),
        normals=None if by_colors else level_normals(mesh, compiled=compiled),
        lights=level_lights(mesh, compiled=compiled) if by_colors else None,
        quads=faces[0],
        triangles=faces[1],
        colored_quads=np.zeros(0, QUAD_EFFECTS),
        colored_triangles=np.zeros(0, TRIANGLE_EFFECTS),
    )


def _add_meshes(
    level: Level,
    meshes: Sequence[Wad2Mesh],
    pointers: Sequence[int],
    words: Ints,
    *,
    compiled: bool,
) -> None:
    ends = np.cumsum([len(mesh.polygons) for mesh in meshes], dtype=np.int64)
    parts = np.split(words, ends[:-1]) if meshes else []
    encoded = [
        encode_mesh(GAME, level_mesh(mesh, part, compiled=compiled), f"mesh {number} ({mesh.name})")
        for number, (mesh, part) in enumerate(zip(meshes, parts, strict=True))
    ]
    indices = [each for each in pointers if each >= 0]
    if compiled:
        numbers: dict[bytes, int] = {}
        indices = [numbers.setdefault(encoded[each], len(numbers)) for each in indices]
        encoded = list(numbers)
    level.mesh_data, level.mesh_pointers = encode_block(encoded, np.array(indices, np.int32))


# --- Static meshes and sprites -----------------------------------------------------------------


def level_box(ends: NDArray[np.float32]) -> list[int]:
    """Return a box (2, 3) for levels: the ends of x, of y and of z, y down, the lower number first."""
    turned = _integers(ends * np.array([1, -1, 1], np.float32), cut=False)
    return [int(value) for value in np.sort(turned, axis=0).T.reshape(-1)]


def _add_statics(level: Level, statics: Sequence[Wad2Static], pointers: Sequence[int], skins: int) -> None:
    mesh = len(level.mesh_pointers) - skins - sum(each >= 0 for each in pointers)
    rows: list[tuple[object, ...]] = []
    for static, pointer in zip(statics, pointers, strict=True):
        if pointer < 0:
            raise FormatError("W2Statics", "a mesh", "none", element=len(rows))
        boxes = [level_box(ends) for ends in static.boxes]
        rows.append((static.id, mesh, *boxes, static.flags & 0xFFFF))
        mesh += 1
    level.static_meshes = np.array(rows, STATIC_MESH)


def _add_sprites(
    level: Level, sequences: Sequence[tuple[int, Sequence[int]]], tile_of_sprite: dict[int, int], sheet: Sheet
) -> None:
    """Add the sprites of each sequence consecutively, as levels require."""
    tiles = [tile_of_sprite[number] for _, numbers in sequences for number in numbers]
    rects = [(*sheet.places[tile, 1:].tolist(), *sheet.tiles[tile].size) for tile in tiles]
    pages = sheet.places[tiles, 0] if tiles else np.zeros(0, np.int64)
    sprites = Sprites(pages, np.array(rects, np.int64).reshape(-1, 4), None)
    level.sprite_textures = encode_sprites(sprites, GAME)
    first = np.cumsum([0, *(len(numbers) for _, numbers in sequences)]).tolist()
    rows = [(slot, -len(numbers), start) for (slot, numbers), start in zip(sequences, first, strict=False)]
    level.sprite_sequences = np.array(rows, SPRITE_SEQUENCE)
