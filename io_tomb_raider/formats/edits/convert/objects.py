"""Object files, which are read as levels of TR4, as levels of the other games."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.records import (
    ANIMATION_RECORD,
    MESH_QUAD,
    MESH_TRIANGLE,
    MODEL_RECORD,
    OBJECT_TEXTURE_RECORD,
    QUAD,
    TRIANGLE,
    U16,
)
from ...base.games import Game
from ...levels.animations.animations import NO_ANIMATION
from ...levels.animations.frames import decode_frames, encode_frames
from ...levels.level.level import Level
from ...levels.level.level_pages import pages_of
from ...levels.meshes.meshes import decode_meshes, encode_block, encode_mesh
from ...levels.textures.blending import ADDITIVE_EFFECT, BlendMode, most_blending
from ...levels.textures.coordinates import snap_to_pixels
from ...levels.textures.face_words import is_double_sided, mesh_texture_mask, texture_index
from ...levels.textures.object_textures import decode_object_textures
from ...levels.textures.sprites import Sprites, decode_sprites, encode_sprites
from ...levels.textures.textiles import decode_pages
from .pages import PageImages, level_of_pages

_SOURCE = Game.TR4
_SAME = (
    "mesh_trees",
    "state_changes",
    "animation_dispatches",
    "animation_commands",
    "static_meshes",
    "sprite_sequences",
)
_DRAWN = 2  # of static meshes: games that read the flags draw nothing without it
_UNITS = 8  # of a pixel of a sprite: object files have no size
_DOUBLE_SIDED = 0x8000


def objects_for_game(level: Level, game: Game) -> Level:
    """Return the objects of a level of TR4 without rooms as a level of another game.

    Shine and lateral speed are lost in games without them. Sounds are not included.

    Raises:
        ExportError: if the game cannot store them.
        FormatError: if meshes are damaged.
    """
    if game is _SOURCE:
        return level
    pages = decode_pages(pages_of(level))
    result = level_of_pages(game, _SOURCE, PageImages(pages, level.room_textiles, level.object_textiles))
    if game.traits.has_32bit_pages:
        result.room_textiles, result.object_textiles = 0, len(pages) or len(result.textiles32)
    for name in _SAME:
        setattr(result, name, getattr(level, name))
    if game.traits.has_static_mesh_flags:
        result.static_meshes = result.static_meshes.copy()
        result.static_meshes["flags"] |= _DRAWN
    result.models = _with_fields(level.models, MODEL_RECORD[game])
    result.animations = _with_fields(level.animations, ANIMATION_RECORD[game])
    result.animated_textures = level.animated_textures
    _put_meshes(result, level)
    _put_frames(result, level)
    sprites = decode_sprites(level.sprite_textures, _SOURCE)
    width, height = (sprites.rect[:, 2:] * _UNITS).T
    sides = np.stack([-(width // 2), -height, width // 2, np.zeros_like(width)], axis=1)
    result.sprite_textures = encode_sprites(Sprites(sprites.page, sprites.rect, sides), game)
    return result


def _with_fields(records: NDArray[np.void], dtype: np.dtype) -> NDArray[np.void]:
    """Return records of another type with the fields that both have."""
    result = np.zeros(len(records), dtype)
    for name in set(dtype.names or ()) & set(records.dtype.names or ()):
        result[name] = records[name]
    return result


class _Textures:
    """The object textures of a game, with those that meshes need in addition."""

    def __init__(self, level: Level, game: Game) -> None:
        self._game = game
        self._decoded = decode_object_textures(level.object_textures, _SOURCE)
        records = _with_fields(level.object_textures, OBJECT_TEXTURE_RECORD[game])
        if not game.traits.has_texture_flags:
            raw = snap_to_pixels(level.object_textures["uv"], self._decoded.triangle, game)
            raw[self._decoded.triangle, 3] = 0
            records["uv"] = raw
            records["page"] = self._decoded.page
            records["attribute"] = np.minimum(self._decoded.attribute, most_blending(game))
        self.records = [records]
        self._numbers: dict[tuple[int, bool, bool], int] = {}
        self._count = len(records)

    def number(self, index: int, *, additive: bool, reverse: bool) -> int:
        """Return the number of a texture as an additive one, or with its corners in reverse order."""
        key = index, additive, reverse
        if key not in self._numbers:
            self._numbers[key] = self._count
            record = self.records[0][index : index + 1].copy()
            if additive:
                record["attribute"] = BlendMode.ADDITIVE
            if reverse:
                order = [2, 1, 0, 3] if self._decoded.triangle[index] else [3, 2, 1, 0]
                record["uv"] = record["uv"][:, order]
            self.records.append(record)
            self._count += 1
        return self._numbers[key]


def _put_meshes(result: Level, level: Level) -> None:
    game = result.game
    block = decode_meshes(_SOURCE, level.mesh_data, level.mesh_pointers)
    textures = _Textures(level, game)
    count = len(level.object_textures)
    encoded = []
    for number, mesh in enumerate(block.meshes):
        converted = replace(
            mesh,
            quads=_faces(game, mesh.quads, textures, MESH_QUAD[game], count),
            triangles=_faces(game, mesh.triangles, textures, MESH_TRIANGLE[game], count),
            colored_quads=np.zeros(0, QUAD),
            colored_triangles=np.zeros(0, TRIANGLE),
            raw=b"",
        )
        encoded.append(encode_mesh(game, converted, f"mesh {number}"))
    result.mesh_data, result.mesh_pointers = encode_block(encoded, block.pointers)
    result.object_textures = np.concatenate(textures.records)


def _faces(
    game: Game, faces: NDArray[np.void], textures: _Textures, dtype: np.dtype, count: int
) -> NDArray[np.void]:
    """Return faces of meshes with their texture words; in TR1 and TR2, both sides of double-sided ones."""
    result = _with_fields(faces, dtype)
    if game.traits.has_effects:
        return result
    mask = mesh_texture_mask(_SOURCE)
    index, both = texture_index(faces["texture"], mask), is_double_sided(faces["texture"], mask)
    additive = ADDITIVE_EFFECT.of(faces["effects"].astype(np.int64)) != 0
    additive &= game.traits.has_additive_blending & (index < count)
    words = index.copy()
    for row in np.flatnonzero(additive).tolist():
        words[row] = textures.number(int(index[row]), additive=True, reverse=False)
    if game.traits.has_double_sided_faces:
        result["texture"] = words | np.where(both, _DOUBLE_SIDED, 0)
        return result
    result["texture"] = words
    rows = np.flatnonzero(both & (index < count))
    backs = result[rows].copy()
    backs["vertices"] = backs["vertices"][:, ::-1]
    backs["texture"] = [textures.number(int(each), additive=False, reverse=True) for each in index[rows]]
    return np.concatenate([result, backs])


def _put_frames(result: Level, level: Level) -> None:
    """Set the frames; equal ones that animations share stay shared."""
    game = result.game
    if game.traits.single_axis_bits == _SOURCE.traits.single_axis_bits:
        result.frames = level.frames
        return
    keys = decode_frames(_SOURCE, level.frames, level.animations, level.models)
    pieces: list[NDArray[np.uint16]] = []
    starts: dict[tuple[int, int, int], tuple[int, int]] = {}
    by_offset: dict[int, int] = {}
    size = 0
    for number in range(len(level.animations)):
        original = keys.keys(number)
        offset = int(level.animations["frame_offset"][number])
        key = offset, len(original), original.angles.shape[1]
        if key not in starts:
            # Kinds and padding are those of another precision.
            plain = type(original)(original.boxes, original.offsets, original.angles)
            frames = encode_frames(game, plain, subject=f"animation {number}")
            starts[key] = 2 * size, frames.frame_size
            by_offset.setdefault(offset, 2 * size)
            pieces.append(frames.words)
            size += len(frames.words)
        result.animations["frame_offset"][number], result.animations["frame_size"][number] = starts[key]
    result.frames = np.concatenate([np.zeros(0, U16), *pieces])
    has_animation = result.models["animation"] != NO_ANIMATION
    result.models["frame_offset"] = [
        by_offset.get(offset, 0) for offset in level.models["frame_offset"].tolist()
    ]
    first = result.models["animation"][has_animation].astype(np.int64)
    exists = first < len(result.animations)
    rows = np.flatnonzero(has_animation)[exists]
    result.models["frame_offset"][rows] = result.animations["frame_offset"][first[exists]]
