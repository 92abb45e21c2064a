"""Static meshes that become a part of the meshes of their rooms."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from ...base.colors import DARKEST
from ...games import Game
from ...level.level import Level
from ...meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from ...textures.face_words import is_double_sided, mesh_texture_mask, texture_index
from ..light import mesh_shades
from ..objects import Static
from ..rooms import Room
from ..settings import MergedStatic
from ..shades import pack_shades
from .mesh import NO_ORIGIN, MeshPart, level_places
from .plan import Plan

Floats = NDArray[np.float64]

MOVES, GLOWS = 0x2000, 0x4000  # of vertices
_HALF = 0.5
_DOUBLE_SIDED = 0x8000


@dataclass(frozen=True, eq=False)
class MergedMeshes:
    """The meshes of merged static meshes by slot, and how they are merged."""

    meshes: Mapping[int, Mesh]
    options: Mapping[int, MergedStatic]


def merged_meshes(level: Level, wanted: Sequence[MergedStatic]) -> MergedMeshes:
    """Return the meshes of static meshes that become a part of rooms.

    Args:
        level: the library; the meshes are as in its files.
        wanted: the slots, of which those without a mesh are omitted.
    """
    options = {each.slot: each for each in wanted}
    rows = {int(record["id"]): int(record["mesh"]) for record in level.static_meshes}
    if not options.keys() & rows.keys():
        return MergedMeshes({}, {})
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    found = {
        slot: block.meshes[int(block.pointers[rows[slot]])]
        for slot in options
        if slot in rows and rows[slot] < len(block.pointers)
    }
    return MergedMeshes(found, options)


def empty_merged(level: Level, slots: Collection[int]) -> None:
    """Replace the meshes of static meshes by one without faces; their boxes stay.

    Args:
        level: the library; changed.
        slots: the slots.
    """
    which = np.isin(level.static_meshes["id"], list(slots))
    if not which.any():
        return
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    some = block.meshes[int(block.pointers[int(level.static_meshes["mesh"][which][0])])]
    blank = replace(
        some,
        vertices=some.vertices[:0],
        normals=None,
        lights=np.zeros(0, np.int16),
        quads=some.quads[:0],
        triangles=some.triangles[:0],
        colored_quads=some.colored_quads[:0],
        colored_triangles=some.colored_triangles[:0],
    )
    encoded = [*(mesh.raw for mesh in block.meshes), encode_mesh(level.game, blank)]
    pointers = np.append(block.pointers, len(block.meshes)).astype(np.int32)
    level.mesh_data, level.mesh_pointers = encode_block(encoded, pointers)
    level.static_meshes = level.static_meshes.copy()
    level.static_meshes["mesh"][which] = len(pointers) - 1


def merge_statics(plan: Plan, room: Room, merged: MergedMeshes, *, wide: bool) -> list[MeshPart]:
    """Return the merged static meshes of a room, in the order of its objects."""
    return [
        _part(
            plan.target.game, room, static, merged.meshes[static.slot], merged.options[static.slot], wide=wide
        )
        for static in room.each(Static)
        if static.slot in merged.meshes
    ]


def _part(
    game: Game, room: Room, static: Static, mesh: Mesh, options: MergedStatic, *, wide: bool
) -> MeshPart:
    turn = radians(static.y)
    # As precise as the editor is, since positions are cut.
    points = _turned(mesh.vertices.astype(np.float32) * np.float32((1, -1, 1)), turn)
    points = (points + np.float32(static.position)).astype(np.float64)
    normals = _turned(_normals(mesh) * (1, -1, 1), turn)
    luma = np.ones(len(points))
    if mesh.normals is None and mesh.lights is not None:
        luma = 1 - np.clip(mesh.lights.astype(np.float64) / DARKEST, 0, 1)
    ambient = static.color if options.tint_is_ambient else room.ambient
    shades = mesh_shades(room, points, normals, ambient)
    attributes = np.zeros(len(points), np.int64)
    if options.shades_are_effects and game.traits.has_color_light:
        attributes = np.where(luma < _HALF, MOVES, np.where(luma < 1, GLOWS, 0))
    elif not options.clear_shades:
        shades = shades * luma[:, None]
    if not options.tint_is_ambient:
        shades = shades * np.array(static.color)
    places = level_places(room, points)
    mask = mesh_texture_mask(game)
    quads, triangles = (
        (faces["vertices"].astype(np.int64), _words(faces["texture"], mask))
        for faces in (mesh.quads, mesh.triangles)
    )
    packed = pack_shades(game, shades, wide=wide)
    quads, triangles = (_with_area(*each) for each in (quads, triangles))
    none = [np.full((len(faces[0]), 2), NO_ORIGIN) for faces in (quads, triangles)]
    return MeshPart(
        places, packed, quads[0], triangles[0], quads[1], triangles[1], attributes, *none,
        np.zeros_like(points),
    )  # fmt: skip


def _with_area(
    faces: NDArray[np.int64], words: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the faces (n, k) that have at least three corners, with their words."""
    ordered = np.sort(faces, axis=1)
    rows = np.flatnonzero((ordered[:, 1:] != ordered[:, :-1]).sum(axis=1) >= 2)
    return faces[rows], words[rows]


def _words(words: NDArray[np.uint16], mask: int) -> NDArray[np.int64]:
    return texture_index(words, mask) | np.where(is_double_sided(words, mask), _DOUBLE_SIDED, 0)


def _turned(points: Floats, turn: float) -> Floats:
    """Return points turned around the vertical, from z to x, with their precision."""
    x, y, z = points.T
    cosine, sine = (points.dtype.type(each(np.float32(turn))) for each in (cos, sin))
    return np.stack([x * cosine + z * sine, y, z * cosine - x * sine], axis=1)


def _normals(mesh: Mesh) -> Floats:
    """Return unit normals of vertices (v, 3), of the faces around them where the mesh has none."""
    if mesh.normals is not None and len(mesh.normals) == len(mesh.vertices):
        normals = mesh.normals.astype(np.float64)
    else:
        normals = np.zeros((len(mesh.vertices), 3))
        points = mesh.vertices.astype(np.float64)
        for faces in (mesh.quads["vertices"], mesh.triangles["vertices"]):
            corners = points[faces[:, :3].astype(np.int64)]
            # With y downwards, the product points to the back of faces.
            across = np.cross(corners[:, 2] - corners[:, 0], corners[:, 1] - corners[:, 0])
            for corner in range(faces.shape[1]):
                np.add.at(normals, faces[:, corner].astype(np.int64), across)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return normals / np.where(length > 0, length, 1)
