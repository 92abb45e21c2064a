"""Meshes of the mesh block (documentation, chapter 5) as mesh datablocks, shared as they are in the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Mesh as MeshDatablock
from numpy.typing import NDArray

from ...formats import ExportError, Game
from ...formats.base.colors import gray_to_light, light_to_gray
from ...formats.base.records import MESH_QUAD, MESH_TRIANGLE, QUAD, TRIANGLE
from ...formats.meshes.meshes import Mesh, MeshBlock, bounding_sphere, encode_block, encode_mesh
from ...formats.textures.face_words import mesh_texture_mask
from ..base.context import ExportContext, ImportContext
from ..base.order import ordered
from ..base.space import Space, direction_to_blender, direction_to_file
from ..models.read import bone_children
from ..textures.faces import FaceResolver, TextureView
from ..textures.keys import KeyArray, join_keys
from ..textures.materials import LevelMaterials
from .arrays import (
    EFFECTS,
    LIGHT,
    TEXTURE,
    VERTEX,
    MeshArrays,
    automatic_normals,
    build_mesh,
    holdable,
    join_uvs,
    parked_rows,
    read_mesh,
    turned_over,
)
from .faces import FaceList, split_faces

_NEUTRAL = 128


# --- The way in ----------------------------------------


def mesh_arrays(game: Game, meshes: Sequence[Mesh], textures: TextureView, space: Space) -> list[MeshArrays]:
    """Return meshes of the file as Blender shows them. All are computed at once, then taken apart."""
    if not meshes:
        return []
    counts = np.array([len(mesh.vertices) for mesh in meshes])
    kinds = [_FaceKind(game, kind, meshes, counts, textures) for kind in range(4)]
    positions = space.to_blender(np.concatenate([mesh.vertices for mesh in meshes]))
    ends = np.cumsum(counts).tolist()
    out = []
    for number, (mesh, count, end) in enumerate(zip(meshes, counts.tolist(), ends, strict=True)):
        parts = [part for kind in kinds if (part := kind.of(number)) is not None]
        arrays = MeshArrays(
            positions=positions[end - count : end],
            corners=_join([part.corners.ravel() for part in parts], np.int32),
            sizes=np.repeat(
                np.array([part.corners.shape[1] for part in parts], np.int32),
                [len(part.corners) for part in parts],
            ),
            uvs=join_uvs([part.uvs for part in parts]),
            keys=join_keys([part.keys for part in parts]),
            colors=_colors(mesh),
            point={VERTEX: np.arange(count, dtype=np.int32)},
            face={TEXTURE: _join([part.words for part in parts], np.int32)},
        )
        if any(kind.is_parking(number) for kind in kinds):
            arrays.parked = np.concatenate([kind.parked(number) for kind in kinds])
        if game.traits.has_effects:
            arrays.face[EFFECTS] = _join([part.effects for part in parts], np.int32)
        if mesh.normals is not None and len(mesh.normals) == count:
            arrays.normals = direction_to_blender(mesh.normals)
        elif mesh.lights is not None and len(mesh.lights) == count:
            arrays.point[LIGHT] = mesh.lights.astype(np.int32)
        out.append(arrays)
    return out


class _Faces(NamedTuple):
    """Faces of one kind of one mesh; or of all meshes, one after the other."""

    corners: NDArray[np.int32]
    uvs: NDArray[np.float32]
    keys: KeyArray
    words: NDArray[np.int32]
    effects: NDArray[np.int32]

    def take(self, rows: slice | NDArray[np.bool_]) -> _Faces:
        """Return some of the faces."""
        return _Faces(
            self.corners[rows], self.uvs[rows], self.keys[rows], self.words[rows], self.effects[rows]
        )


class _FaceKind:
    """One of the four lists of faces, of all meshes together."""

    def __init__(
        self, game: Game, kind: int, meshes: Sequence[Mesh], vertices: NDArray[Any], textures: TextureView
    ) -> None:
        self._kind = kind
        lists = [
            (mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles)[kind] for mesh in meshes
        ]
        lengths = np.array([len(faces) for faces in lists])
        # Joining bytes is much faster than joining structured arrays, whose fields NumPy compares.
        joined = b"".join(np.ascontiguousarray(faces).data for faces in lists)
        faces = np.frombuffer(joined, lists[0].dtype) if joined else lists[0][:0]
        corners = faces["vertices"].astype(np.int32)
        has_effects = kind < 2 and game.traits.has_effects
        effects = faces["effects"].astype(np.int32) if has_effects else np.zeros(len(faces), np.int32)
        if kind < 2:
            shown = effects if has_effects else None
            uvs, keys = textures.faces(faces["texture"], corners.shape[1], mesh_texture_mask(game), shown)
        else:
            uvs, keys = textures.colored_faces(faces["texture"], corners.shape[1])
        self._all = _Faces(
            turned_over(corners), turned_over(uvs), keys, faces["texture"].astype(np.int32), effects
        )
        self._fits = holdable(corners, np.repeat(vertices, lengths))
        self._ends = np.cumsum(lengths).tolist()
        self._lengths = lengths.tolist()
        ends = np.cumsum(~self._fits)[np.cumsum(lengths) - 1] if len(faces) else lengths
        self._parking = set(np.flatnonzero(np.diff(ends, prepend=0) * (lengths > 0)).tolist())

    def of(self, number: int) -> _Faces | None:
        """Return the faces of one mesh that Blender can hold, or None where the list is empty."""
        if not self._lengths[number]:
            return None
        rows = slice(self._ends[number] - self._lengths[number], self._ends[number])
        part = self._all.take(rows)
        return part.take(self._fits[rows]) if number in self._parking else part

    def is_parking(self, number: int) -> bool:
        """Tell whether Blender cannot hold some of a mesh's faces."""
        return number in self._parking

    def parked(self, number: int) -> NDArray[np.void]:
        """Return rows for ``MeshArrays.parked`` of one mesh."""
        start, end = self._ends[number] - self._lengths[number], self._ends[number]
        places = np.flatnonzero(~self._fits[start:end])
        corners, _, _, words, effects = (column[start + places] for column in self._all)
        return parked_rows(self._kind, places, turned_over(corners), words, effects, 0)


def _join(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def _colors(mesh: Mesh) -> NDArray[np.uint8]:
    colors = np.full((len(mesh.vertices), 4), (_NEUTRAL, _NEUTRAL, _NEUTRAL, 255), np.uint8)
    if mesh.lights is not None and len(mesh.lights) == len(colors):
        colors[:, :3] = light_to_gray(mesh.lights)[:, None]
    return colors


def import_meshes(
    context: ImportContext, arrays: list[MeshArrays], materials: LevelMaterials
) -> dict[int, MeshDatablock]:
    """Make a datablock for every mesh of the block, and return them by their index there.

    Args:
        context: the import.
        arrays: what :func:`mesh_arrays` gave for each mesh.
        materials: what faces have.
    """
    made: dict[int, MeshDatablock] = {}
    for number, (mesh, data) in enumerate(zip(context.meshes.meshes, arrays, strict=True)):
        datablock = build_mesh(f"Mesh {number:03}", data, materials)
        settings = datablock.tomb_raider
        settings.index = number
        settings.center = mesh.center
        settings.radius, settings.flags = mesh.radius, mesh.flags
        made[number] = datablock
    return made


# --- The way back ----------------------------------------


@dataclass(eq=False)
class _Changed:
    """A mesh that is encoded anew. Without a datablock, it is one that nothing in the scene shows."""

    number: int
    name: str
    datablock: MeshDatablock | None
    arrays: MeshArrays
    faces: FaceList
    original: Mesh | None

    @property
    def sphere(self) -> tuple[tuple[int, int, int], int, int]:
        """The collision sphere and the flags."""
        source = self.datablock.tomb_raider if self.datablock is not None else self.original
        x, y, z = source.center
        return (x, y, z), source.radius, source.flags


class MeshNumbers(NamedTuple):
    """How meshes are referred to, before they are written.

    Attributes:
        of: for every mesh datablock in use its index in the mesh block that is written.
        pointers: for every entry of ``mesh_pointers`` the index of its mesh in that block.
    """

    of: Mapping[MeshDatablock, int]
    pointers: Sequence[int]


class MeshExport:
    """Writes the mesh block: first :meth:`collect`, then the resolver's work, then :meth:`finish`."""

    def __init__(self, context: ExportContext, resolver: FaceResolver) -> None:
        self.context = context
        self.resolver = resolver
        self._numbers: dict[MeshDatablock, int] = {}
        self._encoded: list[bytes] = []
        self._expected: list[MeshArrays] = []
        self._changed: list[_Changed] = []

    def collect(self) -> MeshNumbers:
        """Read all meshes in use, number them, and find those that differ from the file's."""
        context = self.context
        block: MeshBlock = context.original_meshes
        things = [thing for kind in ("MODEL_MESH", "STATIC_MESH") for thing, _ in context.objects(kind)]
        hanging = bone_children(thing for thing, _ in context.objects("MODEL"))
        used: set[MeshDatablock] = set()
        for thing in (*things, *(part for parts in hanging.values() for part in parts)):
            data: Any = thing.data
            if isinstance(data, MeshDatablock):
                used.add(data)
        self._expected = mesh_arrays(context.original.game, block.meshes, self.resolver.view, context.space)
        # Meshes that nothing in the scene shows are kept as they are.
        self._encoded = [mesh.raw for mesh in block.meshes]
        for datablock, index in ordered(used):
            if 0 <= index < len(block.meshes):
                self._collect(datablock, index, block.meshes[index])
            else:
                self._encoded.append(b"")
                self._collect(datablock, len(self._encoded) - 1, None)
        if context.rebuild:
            # What their faces show moves to other places in the list of object textures.
            for number in sorted(set(range(len(block.meshes))) - set(self._numbers.values())):
                self._note(number, f"Mesh {number:03}", None, self._expected[number], block)
        return MeshNumbers(self._numbers, block.pointers.tolist())

    def _collect(self, datablock: MeshDatablock, number: int, original: Mesh | None) -> None:
        context = self.context
        self._numbers[datablock] = number
        found = read_mesh(datablock, self.resolver.material_keys)
        if original is not None and not context.rebuild and self._is_same(datablock, found, number):
            return
        self._note(number, datablock.name, datablock, found, context.original_meshes)

    def _note(
        self, number: int, name: str, datablock: MeshDatablock | None, arrays: MeshArrays, block: MeshBlock
    ) -> None:
        game = self.context.original.game
        faces = split_faces(
            name,
            arrays,
            mask=mesh_texture_mask(game),
            room=False,
            has_effects=game.traits.has_effects,
            has_colors=game.traits.has_colored_faces,
        )
        faces.note(self.resolver)
        original = block.meshes[number] if number < len(block.meshes) else None
        self._changed.append(_Changed(number, name, datablock, arrays, faces, original))

    def _is_same(self, datablock: MeshDatablock, found: MeshArrays, number: int) -> bool:
        original = self.context.original_meshes.meshes[number]
        settings = datablock.tomb_raider
        sphere = (*settings.center, settings.radius, settings.flags)
        if sphere != (*original.center, original.radius, original.flags):
            return False
        return found.equals(self._expected[number])

    def finish(self, pointers: Sequence[int]) -> None:
        """Encode the changed meshes, and replace the level's block where anything differs.

        Args:
            pointers: for every entry of ``mesh_pointers`` the index of its mesh in the block.
        """
        context, block = self.context, self.context.original_meshes
        for changed in self._changed:
            content = encode_mesh(context.original.game, self._encode(changed), changed.name)
            # The gap behind a mesh may hold anything; an equal mesh keeps it.
            raw = changed.original.raw if changed.original is not None else None
            if raw is not None and raw[: len(content) - 2] == content[:-2] and len(raw) == len(content):
                content = raw if content[-2:] == b"\0\0" else content
            self._encoded[changed.number] = content
        differing = sum(mesh.raw != new for mesh, new in zip(block.meshes, self._encoded, strict=False))
        differing += len(self._encoded) - len(block.meshes)
        context.report.count("meshes", differing)
        moved = list(pointers) != block.pointers.tolist()
        if differing or moved:
            level = context.level
            level.mesh_data, level.mesh_pointers = encode_block(self._encoded, np.array(pointers, np.int32))

    def _encode(self, changed: _Changed) -> Mesh:
        game, name, arrays = self.context.original.game, changed.name, changed.arrays
        vertices = to_int16(self.context.space.to_file_int(arrays.positions), name, "a vertex")
        normals, lights = self._shading(changed)
        center, radius, flags = changed.sphere
        if changed.original is None and not radius:
            center, radius = bounding_sphere(vertices)
        quads, triangles, colored_quads, colored_triangles = changed.faces.records(
            MESH_QUAD[game], MESH_TRIANGLE[game], QUAD, TRIANGLE
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
            return None, lights_of(arrays).astype(np.int16)
        if len(arrays.colors) and (arrays.colors[:, :3] != arrays.colors[0, 0]).any():
            text = "painted light is lost: the mesh has normals, and the game lights it"
            self.context.report.warn(changed.name, text)
        if arrays.normals is not None:
            return np.rint(direction_to_file(arrays.normals)).clip(-32768, 32767).astype(np.int16), None
        normals = automatic_normals(arrays.positions, arrays.corners, arrays.sizes)
        return np.rint(direction_to_file(normals) * _NORMAL_LENGTH).astype(np.int16), None


_NORMAL_LENGTH = 16300


def lights_of(arrays: MeshArrays) -> NDArray[np.int32]:
    """Return every vertex's light: the stored one where it still looks as displayed, else the displayed."""
    stored, shown = arrays.point[LIGHT], np.rint(arrays.colors[:, :3].mean(axis=1)).astype(np.uint8)
    return np.where(light_to_gray(stored) == shown, stored, gray_to_light(shown))


def to_int16(points: NDArray[np.int64], name: str, what: str) -> NDArray[Any]:
    """Check and convert coordinates.

    Raises:
        ExportError: where one does not fit 16 bits.
    """
    if points.size and max(-int(points.min()) - 1, int(points.max())) > 0x7FFF:
        worst = int(points.flat[np.abs(points).argmax()])
        raise ExportError(name, f"{what} is too far from the origin", count=worst, limit=0x7FFF)
    return points.astype(np.int16)
