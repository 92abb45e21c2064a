"""Levels without some faces of their rooms, to compare the remaining ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ....base.arrays.typing import Ints
from ....base.games import Game
from ....levels.rooms.geometry import FaceSet, decode_faces, encode_faces, encode_layers, vertex_layers
from ....levels.rooms.rooms import Room
from ....levels.views.decoded import Decoded


class FaceRows(NamedTuple):
    """Faces of a room, as rows of its quads and its triangles, int64."""

    quads: Ints
    triangles: Ints

    @classmethod
    def joined(cls, parts: Iterable[FaceRows]) -> FaceRows:
        """Return the faces of several parts."""
        none = np.zeros(0, np.int64)
        listed = list(parts)
        return cls(
            np.concatenate([none, *(each.quads for each in listed)]),
            np.concatenate([none, *(each.triangles for each in listed)]),
        )


def level_without(decoded: Decoded, faces: Mapping[int, FaceRows]) -> Decoded:
    """Return a level without some faces, by room, and without the vertices that only these have."""
    chosen = {number: rows for number, rows in faces.items() if len(rows.quads) or len(rows.triangles)}
    if not chosen:
        return decoded
    level = decoded.level.copy()
    for number, rows in chosen.items():
        _remove(level.game, level.rooms[number], rows)
    return Decoded(level, decoded.target)


def _remove(game: Game, room: Room, rows: FaceRows) -> None:
    before = decode_faces(game, room)
    kept: list[FaceSet] = []
    used, removed = (np.zeros(len(room.vertices), np.bool_) for _ in range(2))
    for faces, removed_rows in zip(before, rows, strict=True):
        stays = np.ones(len(faces), np.bool_)
        stays[removed_rows[removed_rows < len(stays)]] = False  # add-ons may have removed faces
        kept.append(faces.take(np.flatnonzero(stays)))
        for corners, marks in ((faces.corners[stays], used), (faces.corners[~stays], removed)):
            marks[corners[(corners >= 0) & (corners < len(marks))]] = True
    sprites = room.sprites["vertex"].astype(np.int64)
    used[sprites[sprites < len(used)]] = True
    stays = used | ~removed
    number = np.append(np.cumsum(stays) - 1, -1)
    quads, triangles = (
        FaceSet(number[faces.corners].astype(np.int32), faces.texture, faces.effects, faces.layer)
        for faces in kept
    )
    if len(sprites):
        room.sprites = room.sprites.copy()
        room.sprites["vertex"] = number[sprites.clip(0, len(used))]
    if not game.traits.has_room_layers:
        room.vertices = room.vertices[stays]
        room.quads, room.triangles = encode_faces(game, quads, triangles)
        return
    layer = vertex_layers(room)[stays]
    layered = encode_layers(
        room.vertices[stays], layer, quads, triangles, room.layers, np.flatnonzero(stays).astype(np.int32)
    )
    room.vertices, room.quads, room.triangles = layered.vertices, layered.quads, layered.triangles
    room.layers = layered.layers
