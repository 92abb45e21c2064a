"""Detection of a level's water textures, from faces between a room and one with water below it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints
from ...base.units import CLICK
from ...levels.level.level import Level
from ...levels.level.level_pages import page_count, pages_of
from ...levels.rooms.geometry import decode_faces
from ...levels.rooms.rooms import WATER, Room
from ...levels.textures.animated import decode_animated
from ...levels.textures.blending import BlendMode
from ...levels.textures.coordinates import RAW_PER_PIXEL
from ...levels.textures.face_words import room_texture_mask, texture_index
from ...levels.textures.object_textures import decode_object_textures
from ...levels.textures.textiles import PAGE_SIZE, decode_pages

_NEAR = np.array([1.0, CLICK / 2, 1.0])  # faces may be a little above or below their portal
_MOST = 64  # pictures: damaged files may refer to any number of them


class WaterLook(NamedTuple):
    """The water texture."""

    pictures: NDArray[np.uint8]  #: (n, h, w, 4) uint8 RGBA, in playback order; one without animation.
    attribute: int  #: the blend mode of the first one.


def find_water(level: Level) -> WaterLook | None:
    """Return the most frequent texture of faces in portals to a room with water below.

    Only transparent or animated faces count: others are floors.
    """
    if not level.has("rooms") or not level.has("object_textures") or not page_count(level):
        return None
    count = len(level.object_textures)
    indices = [_surface(level, number, room) for number, room in enumerate(level.rooms)]
    index = np.concatenate([np.zeros(0, np.int64), *indices])
    decoded = decode_object_textures(level.object_textures, level.game)
    groups = [
        [each for each in group if each < count] for group in decode_animated(level.animated_textures).groups
    ]
    animated = {each: group for group in reversed(groups) for each in group}
    index = index[index < count]
    is_water = np.isin(index, list(animated)) | (decoded.attribute[index] > BlendMode.OPAQUE)
    index = index[is_water & ~decoded.triangle[index]]
    if not len(index):
        return None
    texture = int(np.bincount(index).argmax())
    return _cut_out(
        level, animated.get(texture, [texture])[:_MOST], decoded.page, int(decoded.attribute[texture])
    )


def _surface(level: Level, number: int, room: Room) -> Ints:
    """Return the object textures of a room's quads in the portals of the water surface."""
    quads, _ = decode_faces(level.game, room)
    indices = [np.zeros(0, np.int64)]
    if not len(quads) or not len(room.vertices) or quads.corners.max() >= len(room.vertices):
        return indices[0]
    corners = np.stack([room.vertices[axis].astype(np.float64) for axis in "xyz"], axis=1)[quads.corners]
    for portal in room.portals:
        target = int(portal["room"])
        if target >= len(level.rooms) or not portal["normal"][1]:
            continue
        if (room.flags ^ level.rooms[target].flags) & WATER:
            low, high = portal["vertices"].min(axis=0) - _NEAR, portal["vertices"].max(axis=0) + _NEAR
            words = quads.texture[((corners >= low) & (corners <= high)).all(axis=(1, 2))]
            indices.append(texture_index(words, room_texture_mask(level.game)))
    return np.concatenate(indices)


def _cut_out(level: Level, textures: list[int], pages: NDArray[Any], attribute: int) -> WaterLook | None:
    """Return the pictures of object textures, all as large as the first one."""
    uv = level.object_textures["uv"][textures].astype(np.int64)
    low = uv.min(axis=1) // RAW_PER_PIXEL
    width, height = (-(-uv[0].max(axis=0) // RAW_PER_PIXEL) - low[0]).tolist()
    if not 0 < width <= PAGE_SIZE or not 0 < height <= PAGE_SIZE:
        return None
    page_numbers = pages[textures]
    low = np.clip(low, 0, (PAGE_SIZE - width, PAGE_SIZE - height))
    if page_numbers.min() < 0 or page_numbers.max() >= page_count(level):
        return None
    decoded = decode_pages(pages_of(level))
    pictures = [
        decoded[page, y : y + height, x : x + width]
        for page, (x, y) in zip(page_numbers.tolist(), low.tolist(), strict=True)
    ]
    return WaterLook(np.stack(pictures), attribute)
