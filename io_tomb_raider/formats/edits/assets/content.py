"""Digests of the pieces of a level by content, independent of names and table indices.

Pieces of two levels have the same digest if a game would show, move and play them alike, whatever numbers
their meshes, textures, pages and animations have in their files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import FormatError
from ...levels.animations.animations import StateChange, decode_commands, decode_state_changes
from ...levels.level.level import Level
from ...levels.meshes.meshes import Mesh
from ...levels.sounds.details import run_of
from ...levels.sounds.samples import SampleStorage, sample_storage, sample_waves
from ...levels.textures.coordinates import RAW_PER_PIXEL
from ...levels.textures.face_words import (
    color_index,
    is_double_sided,
    mesh_texture_mask,
    room_texture_mask,
    texture_index,
)
from ...levels.textures.sprites import decode_sprites
from ...levels.views.decoded import Decoded

_PAGE = 0x7FFF  # of a page word: its highest bit marks triangles
_NAMELESS = frozenset({"page", "uv"})  # fields of object textures that only give their position
_OWN_OF_ANIMATION = frozenset(
    {"frame_rate", "state", "speed", "acceleration", "lateral_speed", "lateral_acceleration"}
)


class Contents:
    """The digests of the pieces of one level, each computed on demand."""

    def __init__(self, level: Level) -> None:
        self._level, self._decoded = level, Decoded(level)
        self._textures: dict[int, bytes] = {}
        self._meshes: dict[int, bytes] = {}

    def digest(self, kind: str, number: int) -> str:
        """Return the digest of a piece.

        Args:
            kind: "model", "static", "sprite", "sound" or "room".
            number: its id, or the number of the sound or room. Of duplicate ids the first is used.

        Raises:
            FormatError: if data that it refers to is damaged.
        """
        parts: dict[str, Callable[[int], Iterable[Any]]] = {
            "model": self._model,
            "static": self._static_mesh,
            "sprite": self._sprite,
            "sound": self._sound,
            "room": self._room,
        }
        return _digest(kind, self._level.game.name, *parts[kind](number)).hex()

    @cached_property
    def _waves(self) -> list[bytes]:
        return sample_waves(self._level)

    # --- Models

    def _model(self, number: int) -> Iterable[Any]:
        level = self._level
        row = _first(level.models["id"], number)
        record = level.models[row]
        tree = self._decoded.mesh_trees[row]
        yield from (tree.parents, tree.offsets, tree.flags)
        first = int(record["first_mesh"])
        for pointer in range(first, first + int(record["meshes"])):
            yield self._mesh(pointer)
        start, count = (int(each[row]) for each in self._decoded.model_animations)
        for animation in range(start, start + count) if start >= 0 else ():
            yield from self._animation(animation, start, count)

    def _mesh(self, pointer: int) -> bytes:
        block = self._decoded.meshes
        if pointer >= len(block.pointers):
            raise FormatError("mesh_pointers", f"an entry {pointer}", f"{len(block.pointers)} entries")
        index = int(block.pointers[pointer])
        if index not in self._meshes:
            self._meshes[index] = _digest(*self._mesh_parts(block.meshes[index]))
        return self._meshes[index]

    def _mesh_parts(self, mesh: Mesh) -> Iterable[Any]:
        game, mask = self._level.game, mesh_texture_mask(self._level.game)
        yield from (mesh.center, mesh.radius, mesh.flags, mesh.vertices, mesh.normals, mesh.lights)
        for faces in (mesh.quads, mesh.triangles):
            yield from self._faces(faces, mask)
            if "effects" in (faces.dtype.names or ()):
                yield faces["effects"]
        for faces in (mesh.colored_quads, mesh.colored_triangles):
            yield faces["vertices"]
            if len(faces):
                index = np.minimum(color_index(faces["texture"], game), len(self._decoded.colors) - 1)
                yield self._decoded.colors[index]

    def _faces(self, faces: NDArray[Any], mask: int) -> Iterable[Any]:
        yield faces["vertices"]
        yield is_double_sided(faces["texture"], mask)
        for index in texture_index(faces["texture"], mask).tolist():
            yield self._texture(index)

    def _texture(self, index: int) -> bytes:
        """Return the digest of an object texture: its texels, its corners on them, its blending."""
        records = self._level.object_textures
        if index >= len(records):
            return b"missing"
        if index not in self._textures:
            self._textures[index] = _digest(*self._texture_parts(records[index]))
        return self._textures[index]

    def _texture_parts(self, record: np.void) -> Iterable[Any]:
        names = [name for name in record.dtype.names or () if name not in _NAMELESS]
        yield [int(record[name]) for name in names]
        page, uv = int(record["page"]), record["uv"].astype(np.int64)
        yield page & ~_PAGE
        used = uv[uv.any(axis=1)] if uv.any() else uv  # triangles have no fourth corner
        low, high = used.min(axis=0) // RAW_PER_PIXEL, used.max(axis=0) // RAW_PER_PIXEL
        yield np.where(uv.any(axis=1)[:, None], uv - low * RAW_PER_PIXEL, 0)
        if page & _PAGE < len(self._decoded.texels):
            yield self._decoded.texels[page & _PAGE][low[1] : high[1] + 1, low[0] : high[0] + 1]

    # --- Animations

    def _animation(self, number: int, start: int, count: int) -> Iterable[Any]:
        level, record = self._level, self._level.animations[number]
        yield [int(record[each]) for each in sorted(_OWN_OF_ANIMATION.intersection(record.dtype.names))]
        first = int(record["first_frame"])
        yield int(record["last_frame"]) - first
        yield self._target(int(record["next_animation"]), int(record["next_frame"]), start, count)
        changes = decode_state_changes(
            level.animations, level.state_changes, level.animation_dispatches, number
        )
        yield [self._change(each, start, count) for each in changes]
        commands = decode_commands(
            level.animation_commands, int(record["first_command"]), int(record["commands"]), first_frame=first
        )
        yield [(each.type, each.operands) for each in commands]
        keys = self._decoded.keys.keys(number)
        yield from (keys.boxes, keys.offsets, keys.angles)

    def _change(self, change: StateChange, start: int, count: int) -> Any:
        transitions = [
            (each.low, each.high, self._target(each.next_animation, each.next_frame, start, count))
            for each in change.dispatches
            if isinstance(each.next_animation, int)
        ]
        return change.state, transitions

    def _target(self, animation: int, frame: int, start: int, count: int) -> tuple[int, int]:
        """Return an animation and its frame relative to the model's own; (-1, 0) for other models'."""
        if not start <= animation < start + count:
            return -1, 0
        return animation - start, frame - int(self._level.animations["first_frame"][animation])

    # --- Other pieces

    def _static_mesh(self, number: int) -> Iterable[Any]:
        level = self._level
        record = level.static_meshes[_first(level.static_meshes["id"], number)]
        yield self._mesh(int(record["mesh"]))
        yield from (record["visibility_box"], record["collision_box"], int(record["flags"]))

    def _sprite(self, number: int) -> Iterable[Any]:
        level = self._level
        record = level.sprite_sequences[_first(level.sprite_sequences["id"], number)]
        first = max(int(record["first"]), 0)
        end = max(first - int(record["negative_length"]), first)
        sprites = decode_sprites(level.sprite_textures[first:end], level.game)
        for row in range(len(sprites)):
            left, top, width, height = sprites.rect[row].tolist()
            page = int(sprites.page[row])
            if page < len(self._decoded.texels):
                yield self._decoded.texels[page][top : top + height, left : left + width]
            yield None if sprites.sides is None else sprites.sides[row]

    def _sound(self, number: int) -> Iterable[Any]:
        level = self._level
        record = level.sound_details[int(level.sound_map[number])]
        yield number  # games give it a meaning by its number
        names = [each for each in record.dtype.names or () if each not in ("sample", "first_sample")]
        yield [int(record[each]) for each in names]
        in_main_sfx = sample_storage(level) is SampleStorage.MAIN_SFX
        for index in run_of(record):
            if in_main_sfx:
                yield int(level.sample_indices[index]) if index < len(level.sample_indices) else -1
            else:
                yield self._waves[index] if index < len(self._waves) else b""

    def _room(self, number: int) -> Iterable[Any]:
        room, mask = self._level.rooms[number], room_texture_mask(self._level.game)
        yield from (room.x_sectors, room.z_sectors, room.flags, room.vertices, room.lights)
        for faces in (room.quads, room.triangles):
            yield from self._faces(faces, mask)
        yield from (room.sectors["floor"], room.sectors["ceiling"])
        yield from (room.static_meshes, room.sprites)


def _first(column: NDArray[Any], number: int) -> int:
    return int(np.flatnonzero(column == number)[0])


def _digest(*parts: Any) -> bytes:
    """Return the digest of arrays, bytes, and values with a unique repr."""
    digest = sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            type_ = part.dtype.str if part.dtype.names is None else part.dtype.descr
            digest.update(repr((type_, part.shape)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            data = part if isinstance(part, bytes) else repr(part).encode()
            digest.update(b"%d:" % len(data))
            digest.update(data)
    return digest.digest()
