"""Sprites in rooms, which TR1 and TR2 have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .....base.arrays.typing import Records
from .....base.bytes.records import ROOM_SPRITE
from .....base.games import Game
from .....base.messages import about, plural
from ...light.shades import pack_shades
from ...model.objects import Sprite
from ...model.rooms import ProjectRoom
from ..plan.log import Log
from ..rooms.mesh import MeshPart, level_positions


class CompiledSprites(NamedTuple):
    """The sprites of a room."""

    part: MeshPart  #: a vertex for each, without faces.
    records: Records  #: (n,) the sprites, with their vertices numbered from 0.

    def moved(self, vertices: int) -> Records:
        """Return the records in a room whose last vertices are those of sprites."""
        records = self.records.copy()
        records["vertex"] += vertices - len(records)
        return records


def room_sprites_of(
    game: Game, room: ProjectRoom, sequences: Mapping[int, tuple[int, int]], log: Log
) -> CompiledSprites:
    """Return the sprites of a room. Those that no object file has are omitted.

    `sequences`: by slot, the first sprite of a sequence, and their number.
    """
    sprites = [
        sprite for sprite in room.each(Sprite) if 0 <= sprite.frame < sequences.get(sprite.slot, (0, 0))[1]
    ]
    lost = sum(1 for _ in room.each(Sprite)) - len(sprites)
    if lost and sequences:
        log.warn(
            about(
                room.name,
                plural(
                    "a sprite is omitted, since no object file has it",
                    "{count} sprites are omitted, since no object file has them",
                    lost,
                ),
            )
        )
    positions = level_positions(
        room, np.array([sprite.position for sprite in sprites], np.float64).reshape(-1, 3)
    )
    # The editor exchanges red and blue before it takes the brightness.
    colors = np.array([sprite.color[::-1] for sprite in sprites], np.float64).reshape(-1, 3)
    records = np.zeros(len(sprites), ROOM_SPRITE)
    records["vertex"] = np.arange(len(sprites))
    for row, sprite in enumerate(sprites):
        records["texture"][row] = sequences[sprite.slot][0] + sprite.frame
    quads, triangles = np.zeros((0, 4), np.int64), np.zeros((0, 3), np.int64)
    words, origins = np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
    none = np.zeros(len(sprites), np.int64)
    part = MeshPart(
        positions, pack_shades(game, colors), quads, triangles, words, words, none, origins, origins,
        np.zeros(positions.shape),
    )  # fmt: skip
    return CompiledSprites(part, records)
