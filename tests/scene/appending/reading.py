"""What a game reads of a model: how it stands at a key, and what its faces show."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Level
from io_tomb_raider.formats.animations.animations import model_animations
from io_tomb_raider.formats.animations.frames import decode_frames
from io_tomb_raider.formats.animations.rotations import matrices_from_quaternions, quaternions_from_angles
from io_tomb_raider.formats.meshes.meshes import Mesh, decode_meshes
from io_tomb_raider.formats.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.formats.textures.coordinates import RAW_PER_PIXEL
from io_tomb_raider.formats.textures.face_words import mesh_texture_mask, room_texture_mask, texture_index
from io_tomb_raider.formats.textures.level_pages import pages_of
from io_tomb_raider.formats.textures.textiles import decode_pages, expand_palette

Point = tuple[int, ...]


def row_of(level: Level, model: int) -> int:
    """Return which record a model is."""
    (row,) = np.flatnonzero(level.models["id"] == model)
    return int(row)


def poses(level: Level, model: int, animation: int, shares: tuple[float, ...]) -> NDArray[np.float64]:
    """Return where the meshes of a model stand, (keys, meshes, 3, 4), at some shares of an animation."""
    row = row_of(level, model)
    first, count = model_animations(level.models, level.animations)
    assert animation < count[row]
    keys = decode_frames(level.game, level.frames, level.animations, level.models).keys(
        first[row] + animation
    )
    tree = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))[row]
    rows = [round(share * (len(keys.offsets) - 1)) for share in shares]
    turns = matrices_from_quaternions(quaternions_from_angles(keys.angles[rows], np.float64))
    out = np.zeros((len(rows), len(tree), 3, 4))
    for mesh, parent in enumerate(tree.parents.tolist()):
        above = out[:, parent] if parent >= 0 else np.tile(np.eye(3, 4), (len(rows), 1, 1))
        out[:, mesh, :, :3] = above[..., :3] @ turns[:, mesh]
        place = tree.offsets[mesh] if parent >= 0 else keys.offsets[rows]
        place = np.broadcast_to(np.asarray(place, np.float64), (len(rows), 3))
        out[:, mesh, :, 3] = (above[..., :3] @ place[..., None])[..., 0] + above[..., 3]
    return out


def meshes_of(level: Level, model: int) -> list[Mesh]:
    """Return the meshes of a model."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    record = level.models[row_of(level, model)]
    first = int(record["first_mesh"])
    return [block.meshes[each] for each in block.pointers[first : first + int(record["meshes"])]]


def colors(level: Level, mesh: Mesh) -> dict[tuple[Point, ...], NDArray[np.float64]]:
    """Return what every face of a mesh shows near each of its corners, (corners, 3), by these in order.

    Near is a few texels around, as games do not agree on which texel a corner is.
    """
    pages, mask = decode_pages(pages_of(level)), mesh_texture_mask(level.game)
    found: dict[tuple[Point, ...], NDArray[np.float64]] = {}

    def note(face: Any, shown: list[NDArray[np.float64]]) -> None:
        corners = [tuple(mesh.vertices[each].tolist()) for each in face["vertices"]]
        if len(set(corners)) < len(corners):
            return  # a face without an area, of which nothing is seen
        order = sorted(range(len(corners)), key=lambda each: corners[each])
        found[tuple(corners[each] for each in order)] = np.array([shown[each] for each in order])

    for faces, count in ((mesh.quads, 4), (mesh.triangles, 3)):
        for face in faces:
            record = level.object_textures[int(texture_index(face["texture"], mask))]
            page = pages[int(record["page"]) & 0x7FFF, ..., :3]
            corners = record["uv"][:count].astype(np.float64) / RAW_PER_PIXEL
            places = np.rint(corners.mean(axis=0) * 0.4 + corners * 0.6).astype(int)
            low, high = np.ceil(corners.min(axis=0)) + 1, np.floor(corners.max(axis=0)) - 1
            if (low > high).any():  # a single color
                low = high = np.floor(corners.mean(axis=0))
            first = np.clip(places - 3, low, high).astype(int).tolist()
            last = np.clip(places + 3, low, high).astype(int).tolist()
            windows = [page[y : v + 1, x : u + 1] for (x, y), (u, v) in zip(first, last, strict=True)]
            note(face, [window.mean(axis=(0, 1)) for window in windows])
    for faces in (mesh.colored_quads, mesh.colored_triangles):
        for face in faces:
            word = int(face["texture"])
            # With pages of 16 bits, games show the color of the high byte.
            has_two = level.game.traits.has_16bit_pages
            color = level.palette16[word >> 8] if has_two else expand_palette(level.palette)[word & 0xFF]
            note(face, [color[:3].astype(np.float64) for _ in face["vertices"]])
    return found


def textures_in_room(level: Level, room: int) -> set[int]:
    """Return the object textures that faces of a room show."""
    shown = level.rooms[room]
    mask = room_texture_mask(level.game)
    return {int(each) for faces in (shown.quads, shown.triangles) for each in faces["texture"] & mask}
