"""The meshes of rooms as arrays, ready for Blender. Those of many rooms are worked out at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...formats import Game, Level, Room
from ...formats.base.bits import join_records
from ...formats.base.colors import argb_to_bytes, light_to_gray, rgb555_to_bytes
from ...formats.rooms.geometry import FaceSet, decode_faces, vertex_layers
from ...formats.textures.face_words import room_texture_mask
from ..base.space import Space, direction_to_blender
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
from ..textures.view import TextureView


def rooms_arrays(
    level: Level, rooms: Sequence[Room], textures: TextureView, space: Space
) -> list[MeshArrays]:
    """Return the meshes of some of a level's rooms as Blender shows them, relative to each room's object."""
    if not rooms:
        return []
    game = level.game
    counts = np.array([len(room.vertices) for room in rooms], np.int64)
    decoded = [decode_faces(game, room) for room in rooms]
    words = (TEXTURE, EFFECTS, LAYER) if game.traits.has_room_layers else (TEXTURE,)
    lists = [_face_list(game, kind, [faces[kind] for faces in decoded], textures) for kind in (0, 1)]
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


def _face_list(game: Game, kind: int, lists: Sequence[FaceSet], textures: TextureView) -> FaceList:
    """Return the quads, or the triangles, of all rooms together."""
    listed = FaceSet(
        *(
            np.concatenate([getattr(faces, name) for faces in lists])
            for name in ("corners", "texture", "effects", "layer")
        )
    )
    uvs, keys = textures.faces(listed.texture, listed.corners.shape[1], room_texture_mask(game))
    return FaceList(kind, ShownFaces.of(listed, uvs, keys), np.array(list(map(len, lists)), np.int64))


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
    """Return the colors of vertices, as the file has them, in bytes, (n, 3)."""
    return argb_to_bytes(raw) if game.traits.has_room_layers else rgb555_to_bytes(raw)


def _normals(game: Game, vertices: NDArray[np.void]) -> NDArray[np.float32] | None:
    if not game.traits.has_room_layers:
        return None
    return direction_to_blender(np.stack([vertices[name] for name in ("nx", "ny", "nz")], axis=1))
