"""Poses and faces of models as a game reads them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Level
from io_tomb_raider.formats.levels.animations.animations import model_animations
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.animations.rotations import (
    matrices_from_quaternions,
    quaternions_from_angles,
)
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.formats.levels.textures.blending import BlendMode
from io_tomb_raider.formats.levels.textures.coordinates import RAW_PER_PIXEL
from io_tomb_raider.formats.levels.textures.face_words import (
    mesh_texture_mask,
    room_texture_mask,
    texture_index,
)
from io_tomb_raider.formats.levels.textures.textiles import decode_pages, encode_pages8, expand_palette

Point = tuple[int, ...]


def row_of(level: Level, model: int) -> int:
    """Return the row of a model."""
    (row,) = np.flatnonzero(level.models["id"] == model)
    return int(row)


def has_keys(level: Level, model: int, animation: int) -> bool:
    """Return whether an animation of a model has any keys."""
    first, _ = model_animations(level.models, level.animations)
    decoded = decode_frames(level.game, level.frames, level.animations, level.models)
    return bool(len(decoded.keys(first[row_of(level, model)] + animation).offsets))


def poses(level: Level, model: int, animation: int, shares: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the matrices of the meshes of a model, (keys, meshes, 3, 4), at fractions of an animation."""
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


def model_meshes(level: Level, model: int) -> list[Mesh]:
    """Return the meshes of a model."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    record = level.models[row_of(level, model)]
    first = int(record["first_mesh"])
    return [block.meshes[each] for each in block.pointers[first : first + int(record["meshes"])]]


class Shown(NamedTuple):
    """The texture or color of a face.

    Attributes:
        uv: (corners, 2) in texels of the page, in the order of its corners' places.
        page: the page, -1 for a single color.
        attribute: the blend mode.
        color: the single color, (3,).
    """

    uv: NDArray[np.float64]
    page: int
    attribute: int
    color: NDArray[np.float64]


def shown_faces(level: Level, mesh: Mesh) -> dict[tuple[Point, ...], list[Shown]]:
    """Return what every face of a mesh shows, by its corners in order; faces without an area are left out."""
    mask = mesh_texture_mask(level.game)
    found: dict[tuple[Point, ...], list[Shown]] = {}

    def note(face: Any, uv: NDArray[np.float64], page: int, attribute: int, color: Any) -> None:
        corners = [tuple(mesh.vertices[each].tolist()) for each in face["vertices"]]
        if len(set(corners)) < len(corners):
            return
        order = sorted(range(len(corners)), key=lambda each: corners[each])
        shown = Shown(uv[order], page, attribute, np.asarray(color, np.float64)[:3])
        found.setdefault(tuple(corners[each] for each in order), []).append(shown)

    for faces, count in ((mesh.quads, 4), (mesh.triangles, 3)):
        for face in faces:
            record = level.object_textures[int(texture_index(face["texture"], mask))]
            uv = record["uv"][:count].astype(np.float64) / RAW_PER_PIXEL
            note(face, uv, int(record["page"]) & 0x7FFF, int(record["attribute"]), (0, 0, 0))
    for faces in (mesh.colored_quads, mesh.colored_triangles):
        for face in faces:
            word = int(face["texture"])
            # With pages of 16 bits, games show the color of the high byte.
            has_two = level.game.traits.has_16bit_pages
            color = level.palette16[word >> 8] if has_two else expand_palette(level.palette)[word & 0xFF]
            note(face, np.zeros((len(face["vertices"]), 2)), -1, BlendMode.OPAQUE, color)
    return found


def away(one: Shown, other: Shown, pages: tuple[NDArray[np.uint8], NDArray[np.uint8]]) -> float:
    """Return the greatest color difference of two faces, sampled all over them.

    The nearest color of the neighboring texels counts, as games round texel positions differently.

    Args:
        one, other: the textures of the faces.
        pages: the pages of both levels, (n, 256, 256, 4).
    """
    count = len(one.uv)
    weights = [np.full((1, count), 1 / count)]
    weights += [share * np.eye(count) + (1 - share) / count for share in (0.4, 0.7)]
    places = np.concatenate(weights)
    wanted = _texels(one, places @ one.uv, pages[0], 1)
    found = _texels(other, places @ other.uv, pages[1], 0)
    return float(np.abs(wanted - found[:, :1]).max(axis=-1).min(axis=1).max())


def _texels(
    shown: Shown, places: NDArray[np.float64], pages: NDArray[np.uint8], around: int
) -> NDArray[np.float64]:
    """Return the texels at and around places of a page, (places, texels, 4); transparent ones are black."""
    if shown.page < 0:
        return np.broadcast_to(np.append(shown.color, 255.0), (len(places), 1, 4))
    steps = np.arange(-around, around + 1)
    aside = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    # Texels next to the area of the face belong to other textures.
    low, high = np.floor(shown.uv.min(axis=0)), np.ceil(shown.uv.max(axis=0)) - 1
    at = np.clip(np.floor(places)[:, None] + aside, low, np.maximum(low, high)).astype(int)
    texels: NDArray[np.float64] = pages[shown.page, at[..., 1], at[..., 0]].astype(np.float64)
    if shown.attribute == BlendMode.OPAQUE:
        texels[..., 3] = 255
    texels[texels[..., 3] < 128] = 0
    return texels


def _in_palette(shown: Shown, level: Level, known: NDArray[np.uint8]) -> Shown:
    """Return the texture of a face with its single color replaced by the nearest of a palette."""
    if shown.page >= 0:
        return shown
    pixel = np.append(shown.color, 255).astype(np.uint8).reshape(1, 1, 1, 4)
    return shown._replace(color=known[encode_pages8(pixel, level.palette)[0, 0, 0]].astype(np.float64))


def other_faces(
    there: Level,
    before: Mesh,
    here: Level,
    after: Mesh,
    pages: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None,
) -> tuple[int, float]:
    """Return the number of faces that only one mesh has, and the greatest color difference of the others.

    Args:
        there, before: a level, and a mesh of it.
        here, after: another level, and a mesh of it.
        pages: the pages of both, possibly in other colors; None to decode them.
    """
    shown, drawn = shown_faces(there, before), shown_faces(here, after)
    if not here.game.traits.has_16bit_pages:
        known = expand_palette(here.palette)
        shown = {key: [_in_palette(each, here, known) for each in faces] for key, faces in shown.items()}
    if {key: len(each) for key, each in shown.items()} != {key: len(each) for key, each in drawn.items()}:
        return len(shown.keys() ^ drawn.keys()) or 1, 0.0
    both = pages or (decode_pages(pages_of(there)), decode_pages(pages_of(here)))
    # Faces with the same corners may be in any order.
    worst = [
        max(min(away(one, other, both) for other in drawn[key]) for one in each)
        for key, each in shown.items()
    ]
    return 0, max(worst, default=0.0)


def textures_in_room(level: Level, room: int) -> set[int]:
    """Return the object textures of the faces of a room."""
    shown = level.rooms[room]
    mask = room_texture_mask(level.game)
    return {int(each) for faces in (shown.quads, shown.triangles) for each in faces["texture"] & mask}
