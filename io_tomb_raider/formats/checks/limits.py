"""Limits of the original engines, and a check for levels that exceed them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..games import Game
from ..level.decoded import Decoded
from ..level.level import Level
from ..sounds.details import ENGINE_SAMPLES
from ..textures.object_textures import LIMITS
from ..textures.packing import PAGE_LIMITS
from .findings import THE_LEVEL, Element, Finding, Severity

_ROOMS = 255  # sectors store the rooms above and below in a byte, 255 meaning none


class EngineLimits(NamedTuple):
    """The array sizes of a game's original engine; None if only memory limits them."""

    entities: int
    static_meshes: int
    sprites: int | None
    boxes: int
    flybys: int
    room_vertices: int | None = None
    flyby_sequences: int | None = None
    flip_maps: int = 10


ENGINE_LIMITS = {
    Game.TR1: EngineLimits(256, 50, 512, 0x7FFF, 0, 1500),
    Game.TR2: EngineLimits(256, 50, 512, 0x7FFF, 0, 1500),
    Game.TR3: EngineLimits(256, 50, 512, 0x7FF, 0, 1500),
    Game.TR4: EngineLimits(256, 60, None, 0x7FF, 128, flyby_sequences=8),
    Game.TR5: EngineLimits(256, 70, None, 0x7FF, 256, flip_maps=255),
}


def check_limits(checked: Decoded) -> Iterator[Finding]:
    """Find numbers of elements that exceed a limit of the original engine."""
    for what, count, limit in _counts(checked.level):
        if limit is not None and count > limit:
            text = f"there are {count:,} {what}, and the original game has room for {limit:,}"
            yield Finding(f"limit: {what}", Severity.WARNING, THE_LEVEL, text, count=count)
    most = ENGINE_LIMITS[checked.level.game].room_vertices
    for number, room in enumerate(checked.level.rooms):
        count = len(room.vertices)
        if most is not None and count > most:
            text = f"it has {count:,} vertices, and the original game has room for {most:,} in a room"
            yield Finding("limit: vertices", Severity.WARNING, Element("room", number), text, count=count)


def _counts(level: Level) -> Iterator[tuple[str, int, int | None]]:
    game = level.game
    limits = ENGINE_LIMITS[game]
    yield "rooms", len(level.rooms), _ROOMS
    yield "entities", len(level.entities), limits.entities
    yield "sprite pictures", len(level.sprite_textures), limits.sprites
    yield "boxes of the ways of enemies", len(level.boxes), limits.boxes
    yield "object textures", len(level.object_textures), LIMITS[game].engine
    yield "static meshes up to the highest id", _highest(level.static_meshes["id"]), limits.static_meshes
    if level.has("flyby_cameras"):
        yield "flyby cameras", len(level.flyby_cameras), limits.flybys
        highest = _highest(level.flyby_cameras["sequence"])
        yield "flyby sequences up to the highest number", highest, limits.flyby_sequences
    if level.has("sample_indices"):
        yield "samples", len(level.sample_indices), ENGINE_SAMPLES[game]
    pages = level.textiles8 if game.traits.has_palette else level.textiles16
    yield "texture pages", len(pages), PAGE_LIMITS[game]


def _highest(ids: np.ndarray) -> int:
    return int(ids.max()) + 1 if len(ids) else 0
