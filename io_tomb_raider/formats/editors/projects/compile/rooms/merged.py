"""Static meshes that become a part of the meshes of their rooms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import cos, radians, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.finite import finite
from .....base.arrays.typing import Bools, Floats, Ints, Pixels
from .....base.bytes.colors import DARKEST
from .....base.games import Game
from .....levels.level.level import Level
from .....levels.level.level_pages import pages_of
from .....levels.meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from .....levels.textures.blending import ADDITIVE_EFFECT
from .....levels.textures.face_words import is_double_sided, mesh_texture_mask, texture_index
from .....levels.textures.object_textures import decode_object_textures
from .....levels.textures.textiles import PAGE_SIZE, decode_pages
from ....wads.wad2.level import Wad2Level, level_normals
from ....wads.wad2.meshes import Wad2Mesh, vertex_effects
from ...light.light import mesh_shades
from ...light.shades import pack_shades
from ...model.objects import Static
from ...model.rooms import ProjectRoom
from ...model.settings import MergedStatic
from ..plan.plan import Plan
from ..plan.resources import ObjectSource
from .mesh import NO_ORIGIN, AddedMesh, RoomMesh, level_positions

MOVES, GLOWS = 0x2000, 0x4000  # of vertices
_HALF = 0.5
_ADDITIVE = 2
_LUMINANCE = np.array((0.2126, 0.7152, 0.0722))


@dataclass(frozen=True, eq=False)
class _Shape:
    """The mesh of a static mesh, with y upwards."""

    points: NDArray[np.float32]  #: (v, 3) float32.
    normals: Floats  #: (v, 3) unit vectors.
    luma: Floats  #: (v,) the brightness of its vertex colors, 1 without.
    effects: Ints  #: (v,) the effects that its file gives to vertices.
    count: Ints  #: (f,) 3 or 4 corners.
    vertices: Ints  #: (f, 4); triangles repeat the third.
    image: Ints  #: (f,) the number of an image, -1 for none.
    corners: NDArray[np.float32]  #: (f, 4, 2) float32 in pixels of the image.
    parents: NDArray[np.float32]  #: (f, 2, 2) float32, the areas that are packed whole.
    blend: Ints  #: (f,).
    double_sided: Bools  #: (f,) bool.


@dataclass(eq=False)
class MergedMeshes:
    """The meshes of merged static meshes by slot, and how they are merged."""

    shapes: dict[int, _Shape] = field(default_factory=dict)
    options: Mapping[int, MergedStatic] = field(default_factory=dict)
    images: dict[int, Pixels] = field(default_factory=dict)  #: by number, the pixels that they show.


def merged_meshes(
    game: Game, sources: Sequence[ObjectSource], wanted: Sequence[MergedStatic], first: int
) -> MergedMeshes:
    """Return the meshes of static meshes that become a part of rooms.

    Args:
        sources: object files and levels, of which the first that has a slot counts. Levels of other games do
            not count.
        wanted: the slots, of which those without a mesh are omitted.
        first: the number of the first image.

    Raises:
        FormatError: if meshes are damaged.
    """
    result = MergedMeshes(options={each.slot: each for each in wanted})
    remaining = set(result.options)
    for source in sources:
        if source.level.game is not game and not source.is_object_file:
            continue
        slots = remaining & set(source.level.static_meshes["id"].tolist())
        remaining -= slots
        if not slots:
            continue
        number = first + len(result.images)
        make = _of_level if source.wad2 is None else _of_wad2
        for slot, shape in make(source, slots, number, result.images):
            result.shapes[slot] = shape
    return result


def _of_wad2(
    source: ObjectSource, slots: Collection[int], first: int, images: dict[int, Pixels]
) -> Iterator[tuple[int, _Shape]]:
    library = source.wad2
    assert library is not None
    textures = library.images[: library.textures]
    images.update((first + number, image.pixels) for number, image in enumerate(textures))
    seen: set[int] = set()
    for static in library.statics:
        if static.id in slots and static.id not in seen and static.mesh is not None:
            yield static.id, _wad2_shape(library, static.mesh, first)
        seen.add(static.id)


def _wad2_shape(library: Wad2Level, mesh: Wad2Mesh, first: int) -> _Shape:
    polygons = mesh.polygons
    count, texture = polygons["count"].astype(np.int64), polygons["texture"].astype(np.int64)
    single = count == 3
    exists = (texture >= 0) & (texture < library.textures)
    sizes = np.array([image.pixels.shape[1::-1] for image in library.images] or [(1, 1)], np.float32)
    corners = finite(polygons["uv"]).clip(0, sizes[np.where(exists, texture, 0)][:, None])
    vertices = polygons["vertices"].astype(np.int64)
    for values in (corners, vertices):
        values[single, 3] = values[single, 2]
    glow, move = vertex_effects(mesh).T
    return _Shape(
        finite(mesh.vertices),
        _units(level_normals(mesh) * np.array((1.0, -1.0, 1.0))),
        finite(mesh.colors) @ _LUMINANCE if len(mesh.colors) else np.ones(len(mesh.vertices)),
        np.where(move > 0, MOVES, 0) | np.where(glow > 0, GLOWS, 0),
        count,
        vertices,
        np.where(exists, texture + first, -1),
        corners,
        finite(polygons["area"]),
        polygons["blend"].astype(np.int64),
        polygons["double_sided"] != 0,
    )


def _of_level(
    source: ObjectSource, slots: Collection[int], first: int, images: dict[int, Pixels]
) -> Iterator[tuple[int, _Shape]]:
    level = source.level
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    pages = decode_pages(pages_of(level))
    textures = decode_object_textures(level.object_textures, level.game)
    corners = np.rint(textures.uv.astype(np.float64) * PAGE_SIZE)
    corners[..., 1] = PAGE_SIZE - corners[..., 1]
    numbers: dict[int, int] = {}
    for record in level.static_meshes:
        pointer = int(record["mesh"])
        if int(record["id"]) not in slots or pointer >= len(block.pointers):
            continue
        mesh = block.meshes[int(block.pointers[pointer])]
        shape = _level_shape(level, mesh)
        face_corners = np.zeros((len(shape.image), 4, 2), np.float32)
        image = np.full(len(shape.image), -1)
        for row, index in enumerate(shape.image.tolist()):  # faces of few meshes
            if not 0 <= index < len(corners) or not 0 <= textures.page[index] < len(pages):
                continue
            texture_corners = corners[index, : 3 if shape.count[row] == 3 else 4]
            low, high = (
                texture_corners.min(axis=0).astype(np.int64),
                texture_corners.max(axis=0).astype(np.int64),
            )
            if index not in numbers:
                numbers[index] = first + len(numbers)
                area = pages[textures.page[index], low[1] : high[1], low[0] : high[0]]
                images[numbers[index]] = area if area.size else np.zeros((1, 1, 4), np.uint8)
            image[row], face_corners[row, : len(texture_corners)] = numbers[index], texture_corners - low
        face_corners[shape.count == 3, 3] = face_corners[shape.count == 3, 2]
        yield int(record["id"]), replace(shape, image=image, corners=face_corners)


def _level_shape(level: Level, mesh: Mesh) -> _Shape:
    """Return a mesh whose images are object textures."""
    mask = mesh_texture_mask(level.game)
    faces = [(4, mesh.quads), (3, mesh.triangles)]
    vertices, blend = [], []
    for count, records in faces:
        face_vertices = records["vertices"].astype(np.int64)
        vertices.append(face_vertices if count == 4 else face_vertices[:, [0, 1, 2, 2]])
        has_effects = "effects" in (records.dtype.names or ())
        effects = records["effects"].astype(np.int64) if has_effects else np.zeros(len(records), np.int64)
        blend.append(np.where(ADDITIVE_EFFECT.of(effects) != 0, _ADDITIVE, 0))
    words = np.concatenate([records["texture"] for _, records in faces])
    total = len(words)
    luma = np.ones(len(mesh.vertices))
    if mesh.normals is None and mesh.lights is not None:
        luma = 1 - np.clip(mesh.lights.astype(np.float64) / DARKEST, 0, 1)
    return _Shape(
        mesh.vertices.astype(np.float32) * np.array((1, -1, 1), np.float32),
        _normals(mesh) * (1, -1, 1),
        luma,
        np.zeros(len(mesh.vertices), np.int64),
        np.repeat([4, 3], [len(records) for _, records in faces]),
        np.concatenate(vertices),
        texture_index(words, mask),
        np.zeros((total, 4, 2), np.float32),
        np.zeros((total, 2, 2), np.float32),
        np.concatenate(blend),
        is_double_sided(words, mask),
    )


def without_merged(sources: Sequence[ObjectSource], slots: Collection[int]) -> list[ObjectSource]:
    """Return object files in which the meshes of merged static meshes have no faces; their boxes stay."""
    return [replace(source, level=_without_meshes(source.level, slots)) for source in sources]


def _without_meshes(level: Level, slots: Collection[int]) -> Level:
    is_merged = np.isin(level.static_meshes["id"], list(slots))
    if not is_merged.any():
        return level
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    sample = block.meshes[int(block.pointers[int(level.static_meshes["mesh"][is_merged][0])])]
    blank = replace(
        sample,
        vertices=sample.vertices[:0],
        normals=None,
        lights=np.zeros(0, np.int16),
        quads=sample.quads[:0],
        triangles=sample.triangles[:0],
        colored_quads=sample.colored_quads[:0],
        colored_triangles=sample.colored_triangles[:0],
    )
    statics = level.static_meshes.copy()
    used = np.zeros(len(block.pointers), np.bool_)
    used[statics["mesh"][~is_merged & (statics["mesh"] < len(used))]] = True
    for model in level.models:  # some hundreds
        first = int(model["first_mesh"])
        used[first : first + int(model["meshes"])] = True
    is_unused = np.zeros(len(used), np.bool_)
    is_unused[statics["mesh"][is_merged & (statics["mesh"] < len(used))]] = True
    meshes = np.append(np.where(is_unused & ~used, len(block.meshes), block.pointers), len(block.meshes))
    encoded = [*(mesh.raw for mesh in block.meshes), encode_mesh(level.game, blank)]
    kept, number = np.unique(meshes, return_inverse=True)
    result = level.copy()
    result.mesh_data, result.mesh_pointers = encode_block(
        [encoded[each] for each in kept.tolist()], number.reshape(-1).astype(np.int32)
    )
    statics["mesh"][is_merged] = len(used)
    result.static_meshes = statics
    return result


def merge_statics(plan: Plan, room: ProjectRoom, merged: MergedMeshes, *, wide: bool) -> list[AddedMesh]:
    """Return the merged static meshes of a room, in the order of its objects."""
    game = plan.target.game
    return [
        _added(game, room, static, merged.shapes[static.slot], merged.options[static.slot], wide=wide)
        for static in room.each(Static)
        if static.slot in merged.shapes
    ]


def _added(
    game: Game, room: ProjectRoom, static: Static, shape: _Shape, options: MergedStatic, *, wide: bool
) -> AddedMesh:
    turn = radians(static.y)
    # As precise as the editor is, since positions are cut.
    points = (_turned(shape.points, turn) + np.array(static.position, np.float32)).astype(np.float64)
    normals = _turned(shape.normals, turn)
    ambient = static.color if options.tint_is_ambient else room.ambient
    shades = mesh_shades(room, points, normals, ambient)
    effects = np.zeros(len(points), np.int64)
    if options.shades_are_effects and game.traits.has_color_light:
        effects = np.where(shape.luma < _HALF, MOVES, np.where(shape.luma < 1, GLOWS, 0))
    else:
        effects = shape.effects if game.traits.has_color_light else effects
        shades = shades if options.clear_shades else shades * shape.luma[:, None]
    if not options.tint_is_ambient:
        shades = shades * np.array(static.color)
    positions = level_positions(room, points)
    packed = pack_shades(game, shades, wide=wide)
    rows = np.flatnonzero(_has_area(shape) & (shape.image >= 0))
    vertices = shape.vertices[rows]
    mesh = RoomMesh(
        positions[vertices],
        shape.count[rows],
        packed[vertices],
        shape.image[rows],
        shape.corners[rows],
        shape.parents[rows],
        shape.blend[rows],
        shape.double_sided[rows],
        np.full((len(rows), 2), NO_ORIGIN),
        vertices,
    )
    return AddedMesh(mesh, positions, packed, effects, True)


def _has_area(shape: _Shape) -> Bools:
    """Return which faces have at least three different corners."""
    ordered = np.sort(shape.vertices, axis=1)
    return np.asarray((ordered[:, 1:] != ordered[:, :-1]).sum(axis=1) >= 2)


def _turned(points: NDArray[Any], turn: float) -> NDArray[Any]:
    """Return points turned around the vertical, from z to x, with their precision."""
    x, y, z = points.T
    cosine, sine = (points.dtype.type(each(np.float32(turn))) for each in (cos, sin))
    return np.stack([x * cosine + z * sine, y, z * cosine - x * sine], axis=1)


def _normals(mesh: Mesh) -> Floats:
    """Return unit normals of vertices (v, 3), of the faces around them where the mesh has none."""
    if mesh.normals is not None and len(mesh.normals) == len(mesh.vertices):
        return _units(mesh.normals.astype(np.float64))
    normals = np.zeros((len(mesh.vertices), 3))
    points = mesh.vertices.astype(np.float64)
    for faces in (mesh.quads["vertices"], mesh.triangles["vertices"]):
        corners = points[faces[:, :3].astype(np.int64)]
        # With y downwards, the product points to the back of faces.
        across = np.cross(corners[:, 2] - corners[:, 0], corners[:, 1] - corners[:, 0])
        for corner in range(faces.shape[1]):
            np.add.at(normals, faces[:, corner].astype(np.int64), across)
    return _units(normals)


def _units(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1))
