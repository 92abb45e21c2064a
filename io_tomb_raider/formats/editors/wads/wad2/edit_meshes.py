"""Export of an edited level's meshes to a WAD2; unedited parts keep fractions, colors and textures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Ints
from ....base.bytes.chunks import Chunk
from ....base.bytes.records import F32
from ....levels.meshes.meshes import Mesh
from ....levels.textures.blending import ADDITIVE_EFFECT, SHINE_EFFECT
from ....levels.textures.face_words import DOUBLE_SIDED
from .edit_textures import TextureEdits
from .level import level_effects
from .meshes import BY_COLORS, BY_NORMALS, MESH, POLYGON, Wad2Mesh, encode_mesh

_SIGNS = np.array([1, -1, 1], F32)
_UNIT = F32.type(1 / 16384)
_DARKEST = 8191
_ADDITIVE = 2
_SHINE_SHIFT, _SHINE_MASK = 2, 63
_WORD_MASK = 0x7FFF


def merge_mesh(
    new: Mesh, old: Mesh | None, origin: Wad2Mesh | None, textures: TextureEdits, name: str
) -> Chunk:
    """Return the chunk of a mesh.

    Args:
        old: the mesh in the original level, or None for a new one.
        origin: the source of ``old`` in the file.
    """
    if old is None or origin is None:
        return encode_mesh(_new_mesh(new, textures, name))
    if origin.chunk is not None and is_same(new, old, textures):
        return origin.chunk
    source = _source(new, old)
    merged = replace(
        origin,
        center=_kept(np.array(new.center), np.array(old.center), origin.center),
        radius=origin.radius if new.radius == old.radius else float(new.radius),
        vertices=_kept(new.vertices, _rows(old.vertices, source), _rows(origin.vertices, source)),
        light_type=_light_type(new, old, origin),
        normals=_normals(new, old, origin, source),
        colors=_colors(new, old, origin, source),
        polygons=_polygons(new, old, origin, source, textures),
    )
    is_identity = np.array_equal(source, np.arange(len(old.vertices)))
    return encode_mesh(merged, origin, None if is_identity else source)


def is_same(new: Mesh, old: Mesh, textures: TextureEdits) -> bool:
    """Return whether a mesh and its textures are unchanged."""
    if new.raw != old.raw or len(new.quads) != len(old.quads):
        return False
    words = np.concatenate([new.quads["texture"], new.triangles["texture"]]) & _WORD_MASK
    return bool((textures.before[words] == words).all())


def _new_mesh(new: Mesh, textures: TextureEdits, name: str) -> Wad2Mesh:
    empty = Wad2Mesh(None, (), **{**MESH.defaults(), "name": name})
    source = np.full(len(new.vertices), -1, np.int64)
    by_colors = new.normals is None and len(new.vertices) > 0
    return replace(
        empty,
        center=(np.array(new.center) * _SIGNS).astype(F32),
        radius=float(new.radius),
        vertices=(new.vertices * _SIGNS).astype(F32),
        light_type=BY_COLORS if by_colors else BY_NORMALS,
        normals=empty.normals if new.normals is None else (new.normals * _SIGNS * _UNIT).astype(F32),
        colors=_gray(new.lights) if by_colors else empty.colors,
        polygons=_polygons(new, None, empty, source, textures),
    )


def _source(new: Mesh, old: Mesh) -> Ints:
    """Return the original of each vertex, (n,), -1 for none.

    By index if the number of vertices is unchanged, else by position.
    """
    if len(new.vertices) == len(old.vertices):
        return np.arange(len(old.vertices))
    positions = np.concatenate([old.vertices, new.vertices]).astype(np.int64)
    _, first, inverse = np.unique(positions, axis=0, return_index=True, return_inverse=True)
    rows = first[inverse.reshape(-1)][len(old.vertices) :]
    return np.where(rows < len(old.vertices), rows, -1)


def _rows(values: NDArray[Any], source: Ints) -> NDArray[Any]:
    """Return the original rows of vertices; those of new ones are arbitrary."""
    if not len(values):
        return np.zeros((len(source), *values.shape[1:]), values.dtype)
    return values[source.clip(0)]


def _kept(new: NDArray[Any], old: NDArray[Any], exact: NDArray[Any]) -> NDArray[np.float32]:
    """Return exact numbers where the rounded ones are unchanged, else the rounded ones."""
    return np.where(new == old, exact, new * _SIGNS).astype(F32)


def _light_type(new: Mesh, old: Mesh, origin: Wad2Mesh) -> int:
    if (new.normals is None) == (old.normals is None):
        return origin.light_type
    return BY_COLORS if new.normals is None else BY_NORMALS


def _normals(new: Mesh, old: Mesh, origin: Wad2Mesh, source: Ints) -> NDArray[np.float32]:
    exists = source >= 0
    if new.normals is None:
        if not len(origin.normals):
            return origin.normals
        return np.where(exists[:, None], _rows(origin.normals, source), (0, 1, 0)).astype(F32)
    is_unchanged = np.zeros(len(source), np.bool_)
    if old.normals is not None:
        is_unchanged = exists & (new.normals == _rows(old.normals, source)).all(axis=1)
        if not len(origin.normals) and is_unchanged.all():
            return origin.normals
    exact = _rows(origin.normals, source) if len(origin.normals) else new.normals * _SIGNS * _UNIT
    return np.where(is_unchanged[:, None], exact, new.normals * _SIGNS * _UNIT).astype(F32)


def _colors(new: Mesh, old: Mesh, origin: Wad2Mesh, source: Ints) -> NDArray[np.float32]:
    exists = source >= 0
    white = np.ones((len(source), 3), F32)
    exact = np.where(exists[:, None], _rows(origin.colors, source), white) if len(origin.colors) else white
    if new.lights is None:
        return exact.astype(F32) if len(origin.colors) else origin.colors
    is_unchanged = np.zeros(len(source), np.bool_)
    if old.lights is not None:
        is_unchanged = exists & (new.lights == _rows(old.lights, source))
        if not len(origin.colors) and is_unchanged.all():
            return origin.colors
    return np.where(is_unchanged[:, None], exact, _gray(new.lights)).astype(F32)


def _gray(lights: NDArray[np.int16] | None) -> NDArray[np.float32]:
    values = np.zeros(0) if lights is None else 1 - lights.astype(np.float64).clip(0, _DARKEST) / _DARKEST
    return values.astype(F32)[:, None].repeat(3, axis=1)


# --- Polygons ----------------------------------------------------------------------------------


def _faces(mesh: Mesh) -> tuple[Ints, Ints, Ints, Ints]:
    """Return corners (p, 4), counts, texture words and effects of a mesh's faces, quads first."""
    quads, triangles = mesh.quads, mesh.triangles
    corners = np.zeros((len(quads) + len(triangles), 4), np.int64)
    corners[: len(quads)] = quads["vertices"]
    corners[len(quads) :, :3] = triangles["vertices"]
    counts = np.repeat([4, 3], [len(quads), len(triangles)])
    words = np.concatenate([quads["texture"], triangles["texture"]]).astype(np.int64)
    effects = np.concatenate([quads["effects"], triangles["effects"]]).astype(np.int64)
    return corners, counts, words, effects


def _polygons(
    new: Mesh, old: Mesh | None, origin: Wad2Mesh, source: Ints, textures: TextureEdits
) -> NDArray[np.void]:
    corners, counts, words, effects = _faces(new)
    rows = np.zeros(len(corners), POLYGON)
    old_rows = np.full(len(corners), -1, np.int64)
    if old is not None:
        old_rows = _origins(new, old, origin, source)
        rows[old_rows >= 0] = origin.polygons[old_rows[old_rows >= 0]]
        rows["old"][old_rows < 0] = origin.polygons["old"].any()
    rows["count"], rows["vertices"] = counts, corners
    exists = old_rows >= 0
    numbers = words & _WORD_MASK
    same_texture, same_effects = np.zeros((2, len(rows)), np.bool_)
    if old is not None:
        old_words = _by_polygon(_faces(old)[2], origin)
        same_texture[exists] = textures.before[numbers[exists]] == old_words[old_rows[exists]] & _WORD_MASK
        same_effects[exists] = effects[exists] == level_effects(origin.polygons[old_rows[exists]])
    for row in np.flatnonzero(~same_texture).tolist():  # each looks up the image of its texture
        part = textures.shown(int(numbers[row]))
        rows["texture"][row], rows["area"][row] = part.texture, 0
        rows["uv"][row] = part.uv
        rows["blend"][row] = part.attribute if part.attribute >= _ADDITIVE else 0
    rows["uv"][counts == 3, 3] = 0
    shine = np.where(effects & SHINE_EFFECT.mask, effects >> _SHINE_SHIFT & _SHINE_MASK, 0)
    rows["shine"] = np.where(same_effects, rows["shine"], shine)
    additive = effects & ADDITIVE_EFFECT.mask != 0
    blend = np.where(
        additive, _ADDITIVE, np.where(same_texture & (rows["blend"] == _ADDITIVE), 0, rows["blend"])
    )
    rows["blend"] = np.where(same_texture & same_effects, rows["blend"], blend)
    rows["double_sided"] = words & DOUBLE_SIDED.mask != 0
    order = np.argsort(np.where(exists, old_rows, len(origin.polygons) + len(rows)), kind="stable")
    return rows[order]


def _by_polygon(values: Ints, origin: Wad2Mesh) -> Ints:
    """Return values of a level mesh's faces, quads first, in the order of their original polygons."""
    result = np.zeros(len(values), np.int64)
    count = origin.polygons["count"]
    result[np.concatenate([np.flatnonzero(count == 4), np.flatnonzero(count == 3)])] = values
    return result


def _origins(new: Mesh, old: Mesh, origin: Wad2Mesh, source: Ints) -> Ints:
    """Return the original polygon of each face, quads first, -1 for new ones.

    By index if the number of faces is unchanged, else by corners.
    """
    count = origin.polygons["count"]
    rows = np.concatenate([np.flatnonzero(count == 4), np.flatnonzero(count == 3)])
    if len(new.quads) == len(old.quads) and len(new.triangles) == len(old.triangles):
        return rows
    corners, counts, _, _ = _faces(new)
    old_corners = np.where(
        np.arange(4) < counts[:, None], _rows(source, corners.reshape(-1)).reshape(-1, 4), 0
    )
    old_corners[(corners >= len(source)).any(axis=1)] = -1
    corners_before, old_counts, _, _ = _faces(old)
    rows_of: dict[bytes, list[int]] = {}
    for polygon, key in zip(rows.tolist(), np.column_stack([corners_before, old_counts]), strict=True):
        rows_of.setdefault(key.tobytes(), []).append(polygon)
    result = np.full(len(corners), -1, np.int64)
    for row, key in enumerate(np.column_stack([old_corners, counts])):  # equal faces are used in order
        unused = rows_of.get(key.tobytes())
        if unused:
            result[row] = unused.pop(0)
    return result
