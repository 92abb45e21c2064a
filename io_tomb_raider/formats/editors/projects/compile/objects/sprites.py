"""Sprites in rooms, which TR1 and TR2 have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.bytes.records import ROOM_SPRITE
from .....base.games import Game
from .....base.messages import about, plural
from ...light.shades import pack_shades
from ...model.objects import Sprite
from ...model.rooms import ProjectRoom
from ..plan.log import Log
from ..rooms.mesh import MeshPart, level_places


class CompiledSprites(NamedTuple):
    """The sprites of a room."""

    part: MeshPart  #: a vertex for each, without faces.
    records: NDArray[np.void]  #: (n,) the sprites, with their vertices numbered from 0.

    def moved(self, vertices: int) -> NDArray[np.void]:
        """Return the records in a room whose last vertices are those of sprites."""
        records = self.records.copy()
        records["vertex"] += vertices - len(records)
        return records


def room_sprites_of(
    game: Game, room: ProjectRoom, sequences: Mapping[int, tuple[int, int]], log: Log
) -> CompiledSprites:
    """Return the sprites of a room. Those that no object file has are omitted.

    Args:
        sequences: by slot, the first sprite of a sequence, and their number.
        log: of the compilation.
    """
    known = [each for each in room.each(Sprite) if 0 <= each.frame < sequences.get(each.slot, (0, 0))[1]]
    lost = sum(1 for _ in room.each(Sprite)) - len(known)
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
    places = level_places(room, np.array([each.position for each in known], np.float64).reshape(-1, 3))
    # The editor exchanges red and blue before it takes the brightness.
    colors = np.array([each.color[::-1] for each in known], np.float64).reshape(-1, 3)
    records = np.zeros(len(known), ROOM_SPRITE)
    records["vertex"] = np.arange(len(known))
    for row, each in enumerate(known):
        records["texture"][row] = sequences[each.slot][0] + each.frame
    quads, triangles = np.zeros((0, 4), np.int64), np.zeros((0, 3), np.int64)
    words, origins = np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
    none = np.zeros(len(known), np.int64)
    part = MeshPart(
        places, pack_shades(game, colors), quads, triangles, words, words, none, origins, origins,
        np.zeros(places.shape),
    )  # fmt: skip
    return CompiledSprites(part, records)
