"""Mesh arrays of rooms: from levels, for many rooms at once, and their vertices in exports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError, Game, Level, Room
from ....formats.base import (
    ROOM_VERTEX,
    T,
    alpha_of,
    argb_to_bytes,
    bytes_to_argb,
    bytes_to_rgb555,
    gray_to_light,
    join_records,
    light_to_gray,
    rgb555_to_bytes,
)
from ....formats.levels.rooms import UNSET, FaceSet, attribute_words, decode_rooms_faces, vertex_layers
from ....formats.levels.textures import room_texture_mask
from ...core.reporting.report import Report
from ...core.space import Space, checked, direction_to_blender, direction_to_file
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
from ..meshes.layers import Shades, gray_shades, warn_of_colors
from ..meshes.lists import FaceList, MeshFaces
from ..meshes.normals import automatic_normals
from ..object_textures.view import TextureView
from .diagnosis import explained


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
    result = []
    for number, (room, end) in enumerate(zip(rooms, np.cumsum(counts).tolist(), strict=True)):
        count = len(room.vertices)
        rows = slice(end - count, end)
        point = {VERTEX: numbers[:count], **{name: values[rows] for name, values in hints.items()}}
        if game.traits.has_room_layers:
            point[LAYER] = vertex_layers(room)
        arrays = faces.arrays(number, positions[rows], colors[rows], point)
        if normals is not None:
            arrays.normals = normals[rows]
        result.append(arrays)
    return result


def _face_list(
    game: Game, kind: int, faces: FaceSet, counts: Sequence[int], textures: TextureView
) -> FaceList:
    """Return the quads or triangles of all rooms; ``counts`` are the numbers per room."""
    words, corners = faces.texture, faces.corners.shape[1]
    uvs, keys = textures.faces(words, corners, room_texture_mask(game), turned=True)
    return FaceList(kind, ShownFaces.of(faces, uvs, keys), np.array(counts, np.int64))


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


def room_vertices(
    arrays: MeshArrays, name: str, game: Game, space: Space, report: Report, cause: str
) -> NDArray[np.void]:
    """Return the vertices of a room's mesh as records of a level; warn of lost colors and attributes.

    ``cause`` is the change of its object that may explain errors, "" for none.

    Raises:
        ExportError: if a vertex is too far from the room's corner.
    """
    vertices = np.zeros(len(arrays.positions), ROOM_VERTEX[game])
    points: NDArray[Any]
    try:
        if game.traits.has_room_layers:
            points = space.to_file(arrays.positions, name, "a vertex")
            # Original levels have whole units, but the file can hold others.
            whole = np.rint(points)
            points = np.where(np.abs(points - whole) < 1e-3, whole, points)
        else:
            points = space.to_file_int16(arrays.positions, name, "a vertex")
    except ExportError as error:
        raise explained(error, cause) from None
    for axis, field in enumerate("xyz"):
        vertices[field] = points[:, axis]
    if not game.traits.has_color_light:
        warn_of_colors(name, arrays.colors, report)
    _write_light(game, arrays, vertices)
    _put_attributes(vertices, arrays.point.get(VERTEX_FLAGS), game, name, report)
    if game.traits.has_room_layers:
        normals = arrays.normals
        if normals is None:
            normals = automatic_normals(arrays)
        for axis, field in enumerate(("nx", "ny", "nz")):
            vertices[field] = direction_to_file(checked(normals, name, "a normal"))[:, axis]
    return vertices


def _put_attributes(
    vertices: NDArray[np.void], words: NDArray[np.int32] | None, game: Game, name: str, report: Report
) -> None:
    """Write vertex attributes, by default those of new vertices; warn of dropped ones of another game."""
    unset = np.full(len(vertices), UNSET, np.int32)
    words = attribute_words(unset if words is None else words, game)
    if "attributes" in (vertices.dtype.names or ()):
        vertices["attributes"] = words
    elif words.any():
        text = T(
            "{count} of its vertices have attributes of another game, which are left out",
            count=int((words != 0).sum()),
        )
        report.warn(name, text)


def room_shades(game: Game) -> Shades:
    """Return the conversion of vertex colors of a game's rooms."""
    if not game.traits.has_color_light:
        return Shades(gray_shades, lambda point: _grays(point[LIGHT]) if LIGHT in point else None)
    to_raw = bytes_to_argb if game.traits.has_room_layers else bytes_to_rgb555
    return Shades(to_raw, lambda point: _stored_rgb(game, point[RAW_COLOR]) if RAW_COLOR in point else None)


def _grays(light: NDArray[np.int32]) -> NDArray[np.uint8]:
    return light_to_gray(light)[:, None].repeat(3, axis=1)


def _stored_rgb(game: Game, raw: NDArray[np.int32]) -> NDArray[np.uint8]:
    return shown_colors(game, raw.astype(np.uint32).astype(np.int64))


def _write_light(game: Game, arrays: MeshArrays, vertices: NDArray[np.void]) -> None:
    """Set vertex light: stored values where they match the displayed colors, else converted colors."""
    colors = arrays.colors[:, :3]
    point = arrays.point
    zeros = np.zeros(len(vertices), np.int32)
    if not game.traits.has_color_light:
        gray = np.rint(colors.mean(axis=1)).astype(np.uint8)
        stored = point.get(LIGHT, zeros)
        is_same = light_to_gray(stored) == gray if LIGHT in point else zeros.astype(bool)
        vertices["light"] = np.where(is_same, stored, gray_to_light(gray))
        if game.traits.has_second_light:
            vertices["light2"] = np.where(is_same, point.get(LIGHT2, stored), vertices["light"])
        return
    raw = point.get(RAW_COLOR, zeros).astype(np.uint32).astype(np.int64)
    is_same = (shown_colors(game, raw) == colors).all(axis=1) if RAW_COLOR in point else zeros.astype(bool)
    if game.traits.has_room_layers:
        vertices["color"] = np.where(is_same, raw, bytes_to_argb(colors, np.where(raw, alpha_of(raw), 0xFF)))
        return
    vertices["color"] = np.where(is_same, raw, bytes_to_rgb555(colors))
    # Engines ignore this word; it repeats the color in most levels.
    light = point.get(LIGHT, zeros)
    vertices["light"] = np.where(is_same, light, vertices["color"].astype(np.int32))
