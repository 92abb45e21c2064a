"""Meshes of levels and WADs as Tomb Editor stores them in levels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .....base.arrays.typing import Ints, Records
from .....levels.level.level import Level
from .....levels.meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from .....levels.textures.animated import decode_animated
from .....levels.textures.face_words import is_double_sided, mesh_texture_mask, texture_index
from .....levels.textures.object_textures import decode_object_textures
from ....wads.wad2.level import compiled_normals


def compiled_meshes(level: Level) -> Level:
    """Return a level with the editor's normals of meshes, no flags, faces with one side, and no duplicates.

    Object textures have no duplicates either, unless animated textures name them by number. The given level
    is not modified.

    Raises:
        FormatError: if meshes are damaged.
        ExportError: if there are too many faces.
    """
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    textures = _Textures(level)
    blocks: dict[bytes, int] = {}
    numbers = []
    for number, mesh in enumerate(block.meshes):
        compiled = replace(
            mesh,
            flags=0,
            normals=None if mesh.normals is None else compiled_normals(mesh.normals.astype(np.float64)),
            quads=textures.with_backs(textures.shared(mesh.quads)),
            triangles=textures.with_backs(textures.shared(mesh.triangles)),
        )
        changed = compiled if _differs(compiled, mesh) else mesh
        encoded = encode_mesh(level.game, changed, f"mesh {number}") if changed is compiled else mesh.raw
        numbers.append(blocks.setdefault(encoded, len(blocks)))
    result = level.copy()
    pointers = np.array(numbers, np.int32)[block.pointers] if numbers else block.pointers
    result.mesh_data, result.mesh_pointers = encode_block(list(blocks), pointers)
    result.object_textures = textures.records()
    return result


def _differs(mesh: Mesh, other: Mesh) -> bool:
    if other.flags or len(mesh.quads) != len(other.quads) or len(mesh.triangles) != len(other.triangles):
        return True
    for a, b in ((mesh.quads, other.quads), (mesh.triangles, other.triangles)):
        if not np.array_equal(a["texture"], b["texture"]):
            return True
    if mesh.normals is None or other.normals is None:
        return False
    return not np.array_equal(mesh.normals, other.normals)


class _Textures:
    """The object textures of a level, with mirrored ones for the backs of faces."""

    def __init__(self, level: Level) -> None:
        self._has_backs = level.game.traits.has_double_sided_faces
        self._mask = mesh_texture_mask(level.game)
        self._records = level.object_textures
        self._shared: Ints | None = None
        if len(self._records) and not decode_animated(level.animated_textures).groups:
            first, numbers = np.unique(self._records, return_index=True, return_inverse=True)[1:]
            if len(first) < len(self._records):
                order = np.argsort(first)
                self._shared = np.argsort(order)[numbers.reshape(-1)]
                self._records = self._records[first[order]]
        self._is_triangle = decode_object_textures(self._records, level.game).triangle
        self._added: list[Records] = []
        self._mirrors: dict[int, int] = {}
        self._numbers: dict[bytes, int] = {}

    def records(self) -> Records:
        """Return all object textures."""
        return np.concatenate([self._records, *self._added])

    def shared(self, faces: Records) -> Records:
        """Return faces of a mesh with the first of equal object textures."""
        if self._shared is None or not len(faces):
            return faces
        index = texture_index(faces["texture"], self._mask)
        in_range = index < len(self._shared)
        result = faces.copy()
        word = faces["texture"].astype(np.int64)
        word = (word & ~self._mask) | self._shared[np.where(in_range, index, 0)]
        result["texture"] = np.where(in_range, word, faces["texture"])
        return result

    def with_backs(self, faces: Records) -> Records:
        """Return faces of a mesh in which each double-sided one is followed by its back."""
        if not self._has_backs or not len(faces):
            return faces
        index = texture_index(faces["texture"], self._mask)
        has_back = is_double_sided(faces["texture"], self._mask) & (index < len(self._records))
        if not has_back.any():
            return faces
        fronts = faces.copy()
        fronts["texture"] = np.where(has_back, index, faces["texture"])
        backs = fronts[has_back]
        backs["vertices"] = backs["vertices"][:, ::-1]
        backs["texture"] = [self._mirror(each) for each in index[has_back].tolist()]
        order = np.concatenate([2 * np.arange(len(fronts)), 2 * np.flatnonzero(has_back) + 1])
        return np.concatenate([fronts, backs])[np.argsort(order)]

    def _mirror(self, number: int) -> int:
        """Return the number of an object texture with its corners in reverse order."""
        if number not in self._mirrors:
            record = self._records[number : number + 1].copy()
            order = [2, 1, 0, 3] if self._is_triangle[number] else [3, 2, 1, 0]
            record["uv"] = record["uv"][:, order]
            if not self._numbers:
                self._numbers = {each.tobytes(): index for index, each in enumerate(self._records)}
            count = len(self._records) + len(self._added)
            self._mirrors[number] = self._numbers.setdefault(record.tobytes(), count)
            if self._mirrors[number] == count:
                self._added.append(record)
        return self._mirrors[number]
