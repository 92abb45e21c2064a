"""Mesh arrays of rooms for Blender, computed for many rooms at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....formats import Game, Level, Room
from ....formats.base import argb_to_bytes, join_records, light_to_gray, rgb555_to_bytes
from ....formats.levels.rooms import FaceSet, decode_rooms_faces, vertex_layers
from ....formats.levels.textures import room_texture_mask
from ...core.space import Space, direction_to_blender
from ..meshes.arrays import (
    EFFECTS,
    LAYER,
    LIGHT,
    LIGHT2,
    RAW_COLOR,
    TEXTURE,
    VERTEX,
    VERTEX_FLAGS,
    MeshArrays,
    ShownFaces,
)
from ..meshes.lists import FaceList, MeshFaces
from ..object_textures.view import TextureView


def rooms_arrays(
    level: Level, rooms: Sequence[Room], textures: TextureView, space: Space
) -> list[MeshArrays]:
    """Return the meshes of rooms of a level in Blender's form, each relative to its room's object."""
    if not rooms:
        return []
    game = level.game
    counts = np.array([len(room.vertices) for room in rooms], np.int64)
    words = (TEXTURE, EFFECTS, LAYER) if game.traits.has_room_layers else (TEXTURE,)
    quads, triangles = decode_rooms_faces(game, rooms)
    lists = [
        _face_list(game, 0, quads, [len(room.quads) for room in rooms], textures),
        _face_list(game, 1, triangles, [len(room.triangles) for room in rooms], textures),
    ]
    faces = MeshFaces(lists, counts, words)
    vertices = join_records([room.vertices for room in rooms])
    positions = space.to_blender(np.stack([vertices[name] for name in "xyz"], axis=1))
    numbers = np.arange(counts.max(), dtype=np.int32)
    hints, colors, normals = _vertex_hints(game, vertices), _colors(game, vertices), _normals(game, vertices)
    made = []
    for number, (room, end) in enumerate(zip(rooms, np.cumsum(counts).tolist(), strict=True)):
        count = len(room.vertices)
        own = slice(end - count, end)
        point = {VERTEX: numbers[:count], **{name: values[own] for name, values in hints.items()}}
        if game.traits.has_room_layers:
            point[LAYER] = vertex_layers(room)
        arrays = faces.arrays(number, positions[own], colors[own], point)
        if normals is not None:
            arrays.normals = normals[own]
        made.append(arrays)
    return made


def _face_list(
    game: Game, kind: int, listed: FaceSet, counts: Sequence[int], textures: TextureView
) -> FaceList:
    """Return the quads or triangles of all rooms; ``counts`` are the numbers per room."""
    words, corners = listed.texture, listed.corners.shape[1]
    uvs, keys = textures.faces(words, corners, room_texture_mask(game), turned=True)
    return FaceList(kind, ShownFaces.of(listed, uvs, keys), np.array(counts, np.int64))


def _vertex_hints(game: Game, vertices: NDArray[np.void]) -> dict[str, NDArray[np.int32]]:
    traits = game.traits
    hints: dict[str, NDArray[np.int32]] = {}
    if traits.has_vertex_light:
        hints[LIGHT] = vertices["light"].astype(np.int32)
    if traits.has_second_light:
        hints[LIGHT2] = vertices["light2"].astype(np.int32)
    if traits.has_vertex_attributes:
        hints[VERTEX_FLAGS] = vertices["attributes"].astype(np.int32)
    if traits.has_color_light:
        hints[RAW_COLOR] = vertices["color"].astype(np.uint32).astype(np.int32)
    return hints


def _colors(game: Game, vertices: NDArray[np.void]) -> NDArray[np.uint8]:
    colors = np.full((len(vertices), 4), 255, np.uint8)
    if not game.traits.has_color_light:
        colors[:, :3] = light_to_gray(vertices["light"])[:, None]
    else:
        colors[:, :3] = shown_colors(game, vertices["color"])
    return colors


def shown_colors(game: Game, raw: NDArray[Any]) -> NDArray[np.uint8]:
    """Return raw vertex colors of the file as bytes, (n, 3)."""
    return argb_to_bytes(raw) if game.traits.has_room_layers else rgb555_to_bytes(raw)


def _normals(game: Game, vertices: NDArray[np.void]) -> NDArray[np.float32] | None:
    if not game.traits.has_room_layers:
        return None
    return direction_to_blender(np.stack([vertices[name] for name in ("nx", "ny", "nz")], axis=1))
