"""Meshes of the mesh block (documentation, chapter 5) as mesh data, shared as in the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from bpy.types import Mesh as MeshDatablock
from bpy.types import Object
from numpy.typing import NDArray

from ....formats import Game
from ....formats.base import (
    I16,
    MESH_QUAD,
    MESH_TRIANGLE,
    QUAD,
    TRIANGLE,
    T,
    gray_to_light,
    join_records,
    light_to_gray,
)
from ....formats.levels.meshes import Mesh, bounding_sphere, encode_block, encode_mesh
from ....formats.levels.rooms import FaceSet
from ....formats.levels.textures import mesh_texture_mask
from ...core.blender.material_slots import shared_materials
from ...core.context import ExportContext, ImportContext
from ...core.level_uid import is_foreign
from ...core.order import ordered
from ...core.space import Space, checked, direction_to_blender, direction_to_file
from ...core.subjects import Kind
from ..meshes.arrays import EFFECTS, LIGHT, TEXTURE, VERTEX, MeshArrays, ShownFaces, build_meshes
from ..meshes.layers import Shades, gray_shades, warn_of_colors
from ..meshes.lists import FaceList, MeshFaces
from ..meshes.normals import NORMAL_LENGTH, automatic_normals
from ..meshes.placed import warn_of_lost_doubles
from ..meshes.read import read_mesh
from ..object_textures.faces import (
    COLORED_QUADS,
    COLORED_TRIANGLES,
    QUADS,
    TRIANGLES,
    FaceResolver,
    ResolvedFaces,
    TexturedFaces,
)
from ..object_textures.mesh_faces import mesh_faces
from ..object_textures.view import TextureView
from ..textures.materials import LevelMaterials
from .read import ModelPlan, bone_children
from .seams import Seams

_NEUTRAL = 128
_IMPORTED = (_NEUTRAL, _NEUTRAL, _NEUTRAL, 255)
_FILLED = ((0, 0, 0, 0), (255, 255, 255, 255))  # Blender's colors of new vertices
_NO_LIGHTS = np.zeros(0, I16)
_SHADES = Shades(gray_shades, lambda point: light_to_gray(point[LIGHT])[:, None] if LIGHT in point else None)
_LISTS = (QUADS, TRIANGLES, COLORED_QUADS, COLORED_TRIANGLES)


# --- Import ----------------------------------------


def mesh_arrays(game: Game, meshes: Sequence[Mesh], textures: TextureView, space: Space) -> list[MeshArrays]:
    """Return the arrays of meshes of the file, computed for all together."""
    if not meshes:
        return []
    counts = np.array([len(mesh.vertices) for mesh in meshes])
    words = (TEXTURE, EFFECTS) if game.traits.has_effects else (TEXTURE,)
    faces = MeshFaces([_face_list(game, kind, meshes, textures) for kind in _LISTS], counts, words)
    positions = space.to_blender(np.concatenate([mesh.vertices for mesh in meshes]))
    colors, normals = _colors(meshes), _normals(meshes)
    ends = np.cumsum(counts).tolist()
    numbers = np.arange(counts.max(), dtype=np.int32)
    out = []
    for number, (mesh, count, end) in enumerate(zip(meshes, counts.tolist(), ends, strict=True)):
        rows = slice(end - count, end)
        arrays = faces.arrays(number, positions[rows], colors[rows], {VERTEX: numbers[:count]})
        if mesh.normals is not None and len(mesh.normals) == count:
            arrays.normals = normals[rows]
        elif mesh.lights is not None and len(mesh.lights) == count:
            arrays.point[LIGHT] = mesh.lights.astype(np.int32)
        out.append(arrays)
    return out


def _face_list(game: Game, kind: int, meshes: Sequence[Mesh], textures: TextureView) -> FaceList:
    """Return one of the four lists of faces, for all meshes."""
    lists = [
        (mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles)[kind] for mesh in meshes
    ]
    faces = join_records(lists)
    corners, zeros = faces["vertices"].astype(np.int32), np.zeros(len(faces), np.int32)
    effects = faces["effects"] if "effects" in (faces.dtype.names or ()) else zeros
    listed = FaceSet(corners, faces["texture"].astype(np.int32), effects.astype(np.int32), zeros)
    if kind in (QUADS, TRIANGLES):
        texture_effects = effects if game.traits.has_effects else None
        mask = mesh_texture_mask(game)
        uvs, keys = textures.faces(listed.texture, corners.shape[1], mask, texture_effects, turned=True)
    else:
        uvs, keys = textures.colored_faces(listed.texture, corners.shape[1])
    return FaceList(kind, ShownFaces.of(listed, uvs, keys), np.array(list(map(len, lists)), np.int64))


def _colors(meshes: Sequence[Mesh]) -> NDArray[np.uint8]:
    """Return the colors of the vertices of all meshes, (n, 4)."""
    counts = [len(mesh.vertices) for mesh in meshes]
    lights = [
        mesh.lights if mesh.lights is not None and len(mesh.lights) == count else None
        for mesh, count in zip(meshes, counts, strict=True)
    ]
    gray = np.full(sum(counts), _NEUTRAL, np.uint8)
    is_lit = np.repeat([each is not None for each in lights], counts)
    gray[is_lit] = light_to_gray(np.concatenate([_NO_LIGHTS, *(each for each in lights if each is not None)]))
    colors = np.full((len(gray), 4), 255, np.uint8)
    colors[:, :3] = gray[:, None]
    return colors


def _normals(meshes: Sequence[Mesh]) -> NDArray[np.float32]:
    """Return the normals of the vertices of all meshes, (n, 3); 0 if a mesh does not have one per vertex."""
    parts = [
        mesh.normals
        if mesh.normals is not None and len(mesh.normals) == len(mesh.vertices)
        else np.zeros((len(mesh.vertices), 3), I16)
        for mesh in meshes
    ]
    return direction_to_blender(np.concatenate(parts))


def import_meshes(
    context: ImportContext, arrays: list[MeshArrays], materials: LevelMaterials
) -> dict[int, MeshDatablock]:
    """Make mesh data for every mesh of the block, and return them by their index."""
    result: dict[int, MeshDatablock] = {}
    names = [f"Mesh {number:03}" for number in range(len(arrays))]
    built = build_meshes(names, arrays, materials)
    for number, (mesh, datablock) in enumerate(zip(context.meshes.meshes, built, strict=True)):
        settings = datablock.tomb_raider
        settings.index = number
        settings.center = mesh.center
        settings.radius, settings.flags = mesh.radius, mesh.flags
        result[number] = datablock
    return result


# --- Export ----------------------------------------


@dataclass(eq=False)
class _Changed:
    """A mesh to encode. Without mesh data, no object in the scene shows it."""

    number: int
    name: str
    datablock: MeshDatablock | None
    arrays: MeshArrays
    faces: TexturedFaces
    original: Mesh | None

    @property
    def sphere(self) -> tuple[tuple[int, int, int], int, int]:
        """The collision sphere and the flags."""
        source = self.datablock.tomb_raider if self.datablock is not None else self.original
        x, y, z = source.center
        return (x, y, z), source.radius, source.flags


class MeshNumbers(NamedTuple):
    """Numbers of meshes, before they are exported."""

    of: Mapping[MeshDatablock, int]  #: the index of every shown mesh in the exported mesh block.
    pointers: Sequence[int]  #: for every entry of ``mesh_pointers`` the index of its mesh in that block.
    #: for every mesh in use the objects of models and of the library that show it.
    users: Mapping[MeshDatablock, Sequence[Object]]


def number_meshes(context: ExportContext, models: ModelPlan) -> MeshNumbers:
    """Number all meshes in use: those of the file keep their index, new ones are after them.

    Meshes that only unexported models use are ignored.
    """
    block = context.original_meshes
    used = _mesh_users(context, models)
    numbers: dict[MeshDatablock, int] = {}
    count = len(block.meshes)
    foreign = {datablock for datablock in used if is_foreign(datablock, context.root)}
    new = [(datablock, -1) for datablock, _ in ordered(foreign)]  # their index is that of another file
    for datablock, index in ordered(used.keys() - foreign) + new:
        numbers[datablock] = index if 0 <= index < len(block.meshes) else count
        count += numbers[datablock] == count
    return MeshNumbers(numbers, block.pointers.tolist(), used)


def _mesh_users(context: ExportContext, models: ModelPlan) -> dict[MeshDatablock, list[Object]]:
    """Return the meshes in use, with the objects of models and of the library that show each, by model."""
    objects = [
        obj
        for kind in (Kind.MODEL_MESH, *((Kind.SKIN,) if context.with_skins else ()), Kind.STATIC_MESH)
        for obj, _ in context.objects(kind)
        if obj.parent not in models.refused
    ]
    children = bone_children((obj for obj, _ in models.kept), context.level_objects.with_bone_children)
    used: dict[MeshDatablock, list[Object]] = {}
    order = {armature: index for index, (armature, _) in enumerate(models.kept)}
    by_model = sorted(children, key=lambda bone: order[bone[0]])
    for obj in dict.fromkeys((*(part for bone in by_model for part in children[bone]), *objects)):
        mesh = context.shown.of(obj)
        if mesh is not None:
            used.setdefault(mesh, []).append(obj)
    return used


class MeshExport:
    """Export of the mesh block; a :class:`~..object_textures.faces.FaceUser`."""

    def __init__(self, context: ExportContext, numbers: MeshNumbers) -> None:
        self.context = context
        self._numbers, self._users = numbers.of, numbers.users
        self._changed: list[_Changed] = []
        self.pointers: dict[Object, int] = {}  # an index of ``mesh_pointers`` for each object, at the end

    def collect(self, resolver: FaceResolver) -> None:
        """Read all meshes in use, and collect those that differ from the file's."""
        context, block = self.context, self.context.original_meshes
        all_expected = mesh_arrays(context.original.game, block.meshes, resolver.view, context.space)
        seams = Seams(context, self._users)
        for datablock, number in self._numbers.items():
            is_temporary = context.shown.is_made(datablock)
            materials = None if is_temporary else shared_materials(self._users[datablock], context.report)
            shades = _SHADES if LIGHT in datablock.attributes else None
            mesh = read_mesh(datablock, resolver.material_keys, materials, shades)
            name = self._users[datablock][0].name
            context.report.warn_all(name, mesh.notes)
            is_new = number >= len(block.meshes)
            if not is_new:
                warn_of_lost_doubles(name, mesh, all_expected[number], context.report)
            if is_new or context.rebuild or not self._is_same(datablock, mesh, number, all_expected[number]):
                original = None if is_new else block.meshes[number]
                mesh = seams.ordered(datablock, name, mesh, original)
                self._add_changed(resolver, number, name, datablock, mesh)
        seams.check()
        if context.rebuild:
            # The rebuilt list of object textures has new indices.
            for number in sorted(set(range(len(block.meshes))) - set(self._numbers.values())):
                self._add_changed(resolver, number, f"Mesh {number:03}", None, all_expected[number])

    def _add_changed(
        self,
        resolver: FaceResolver,
        number: int,
        name: str,
        datablock: MeshDatablock | None,
        arrays: MeshArrays,
    ) -> None:
        meshes = self.context.original_meshes.meshes
        faces = mesh_faces(name, arrays, resolver.view, self.context.report, room=False)
        resolver.add(faces)
        original = meshes[number] if number < len(meshes) else None
        self._changed.append(_Changed(number, name, datablock, arrays, faces, original))

    def _is_same(
        self, datablock: MeshDatablock, arrays: MeshArrays, number: int, expected: MeshArrays
    ) -> bool:
        original = self.context.original_meshes.meshes[number]
        settings = datablock.tomb_raider
        sphere = (*settings.center, settings.radius, settings.flags)
        if sphere != (*original.center, original.radius, original.flags):
            return False
        return arrays.equals(expected)

    def finish(self, resolved: ResolvedFaces, pointers: Sequence[int]) -> None:
        """Encode the changed meshes, and replace the level's block if it differs.

        Args:
            pointers: for every entry of ``mesh_pointers`` the index of its mesh in the block.
        """
        context, block = self.context, self.context.original_meshes
        # Meshes that no object shows are kept.
        encoded = [mesh.raw for mesh in block.meshes]
        encoded += [b""] * sum(number >= len(encoded) for number in self._numbers.values())
        for changed in self._changed:
            content = encode_mesh(context.original.game, self._encode(changed, resolved), changed.name)
            # The padding after a mesh may have any value; an equal mesh keeps it.
            raw = changed.original.raw if changed.original is not None else None
            if raw is not None and raw[: len(content) - 2] == content[:-2] and len(raw) == len(content):
                content = raw if content[-2:] == b"\0\0" else content
            encoded[changed.number] = content
        first = {number: pointer for pointer, number in reversed([*enumerate(pointers)])}
        self.pointers = {
            obj: first[self._numbers[mesh]]
            for mesh, objects in self._users.items()
            for obj in objects
            if self._numbers[mesh] in first
        }
        differing = sum(mesh.raw != new for mesh, new in zip(block.meshes, encoded, strict=False))
        differing += len(encoded) - len(block.meshes)
        context.rebuilt.count("meshes", differing)
        moved = list(pointers) != block.pointers.tolist()
        if differing or moved:
            level = context.level
            level.mesh_data, level.mesh_pointers = encode_block(encoded, np.array(pointers, np.int32))

    def _encode(self, changed: _Changed, resolved: ResolvedFaces) -> Mesh:
        game, name, arrays = self.context.original.game, changed.name, changed.arrays
        vertices = self.context.space.to_file_int16(arrays.positions, name, "a vertex")
        normals, lights = self._shading(changed)
        center, radius, flags = changed.sphere
        if changed.original is None and not radius:
            center, radius = bounding_sphere(vertices)
        dtypes = (MESH_QUAD[game], MESH_TRIANGLE[game], QUAD, TRIANGLE)
        quads, triangles, colored_quads, colored_triangles = (
            _records(resolved.listed(changed.faces, kind), dtype)
            for kind, dtype in zip(_LISTS, dtypes, strict=True)
        )
        return Mesh(
            center=center,
            radius=radius,
            flags=flags,
            vertices=vertices,
            normals=normals,
            lights=lights,
            quads=quads,
            triangles=triangles,
            colored_quads=colored_quads,
            colored_triangles=colored_triangles,
        )

    def _shading(self, changed: _Changed) -> tuple[NDArray[np.int16] | None, NDArray[np.int16] | None]:
        """Return normals or lights of a mesh's vertices, whichever it has."""
        arrays = changed.arrays
        if LIGHT in arrays.point:
            warn_of_colors(changed.name, arrays.colors, self.context.report)
            return None, lights_of(arrays).astype(np.int16)
        if (arrays.colors[:, :3] != arrays.colors[:1, :1]).any() and _is_painted(arrays):
            text = T("painted light is lost: the mesh has normals, and the game lights it by them")
            self.context.report.warn(changed.name, text)
        if arrays.normals is not None:
            stored = checked(arrays.normals, changed.name, "a normal")
            return np.rint(direction_to_file(stored)).clip(-32768, 32767).astype(np.int16), None
        normals = automatic_normals(arrays)
        return np.rint(direction_to_file(normals) * NORMAL_LENGTH).astype(np.int16), None


def _is_painted(arrays: MeshArrays) -> bool:
    """Return whether vertices have other colors than imports give, and Blender gives to new vertices."""
    numbers = arrays.point.get(VERTEX, np.zeros(0, np.int32))
    is_old = np.zeros(len(arrays.colors), np.bool_)
    is_old[np.unique(numbers, return_index=True)[1]] = True  # new vertices repeat a number, such as 0
    is_blank = (arrays.colors == _IMPORTED).all(axis=1)
    for color in _FILLED:
        is_blank |= ~is_old & (arrays.colors == color).all(axis=1)
    return not is_blank.all()


def _records(faces: FaceSet, dtype: np.dtype) -> NDArray[np.void]:
    records = np.zeros(len(faces), dtype)
    records["vertices"], records["texture"] = faces.corners, faces.texture
    if "effects" in (dtype.names or ()):
        records["effects"] = faces.effects
    return records


def lights_of(arrays: MeshArrays) -> NDArray[np.int32]:
    """Return every vertex's light: the stored one if it matches the displayed color, else the color's."""
    stored, gray = arrays.point[LIGHT], np.rint(arrays.colors[:, :3].mean(axis=1)).astype(np.uint8)
    return np.where(light_to_gray(stored) == gray, stored, gray_to_light(gray))
