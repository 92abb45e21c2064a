"""Animated textures of a project in a level, and their settings in TRNG's footer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np

from .....base.arrays.typing import Floats, Ints
from .....levels.level.footer import TrngFooter
from .....levels.level.level import Level
from .....levels.textures.animated import decode_animated, encode_animated
from .....levels.textures.textiles import U8Array
from ...model.settings import TILE, AnimatedSet
from .areas import UV_ROTATE, Areas, FrameSequence

# Chunks of TRNG's footer.
ANIMATIONS = 0x8002
REMAPPED_TILES = 0x8018
_MOST_GROUPS = 40  # animated textures that TRNG has settings for
_KINDS = {1: 0x4000, 2: 0x8000, 3: 0xA000, 4: 0xC000}  # by the type of the set
_MOST_SPEED, _MOST_TIME, _USUAL_SPEED = 31, 0x1FFF, 16
_ANIMATION_HEAD, _TILE_SIZE = Struct("<BBH"), Struct("<H")


class TextureAnimation(NamedTuple):
    """An animated texture of a level: its set, and its object textures in order."""

    source: AnimatedSet
    frames: Sequence[int]


def moves_frames(sequence: FrameSequence) -> bool:
    """Return whether an animated texture shows one frame after the other. Those that rotate come first."""
    return not sequence.variant.rotates


def frame_areas(sequence: FrameSequence) -> Areas:
    """Return the areas of the frames of an animated texture, which may overlap."""
    areas = Areas(overlap=True)
    variant = sequence.variant
    for number, image, corners in zip(
        sequence.records, variant.images.tolist(), variant.corners, strict=True
    ):
        areas.add(number, image, [*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist()], None)
    return areas


def add_animations(level: Level, sequences: Sequence[FrameSequence], numbers: Ints) -> list[TextureAnimation]:
    """Add animated textures to a level; rotating ones come first. Return them in the order of the level.

    `numbers`: the object texture of each record.
    """
    if not sequences:
        return []
    ordered = sorted(sequences, key=moves_frames)
    result = [TextureAnimation(each.variant.source, numbers[each.records].tolist()) for each in ordered]
    moving = [each for each in result if each.source.type in UV_ROTATE]
    static = result[len(moving) :]
    old, split = decode_animated(level.animated_textures).groups, level.uv_rotates
    parts = (old[:split], [each.frames for each in moving], old[split:], [each.frames for each in static])
    level.animated_textures = encode_animated(
        [list(frames) for part in parts for frames in part], level.animated_textures
    )
    if level.game.traits.has_scrolling_textures:
        level.uv_rotates += len(moving)
    return result


def animation_origins(
    level: Level, animations: Sequence[TextureAnimation], sets: Sequence[AnimatedSet]
) -> list[int]:
    """Return the set of each animated texture of a level, -1 for those of object files."""
    sources = {each.frames[0]: each.source for each in animations}
    shown_sources = [sources.get(group[0]) for group in decode_animated(level.animated_textures).groups]
    return [
        next((index for index, each in enumerate(sets) if each is source), -1) for source in shown_sources
    ]


def with_animations(
    footer: TrngFooter, level: Level, animations: Sequence[TextureAnimation], sets: Sequence[AnimatedSet]
) -> TrngFooter:
    """Return TRNG's footer with the settings of the level's animated textures."""
    groups = decode_animated(level.animated_textures).groups[:_MOST_GROUPS]
    origins = animation_origins(level, animations, sets)[:_MOST_GROUPS]
    numbers = [max(origin, 0) for origin in origins]
    words = np.zeros((3, _MOST_GROUPS), "<u2")
    words[0, : len(groups)] = [0 if origin < 0 else _animation_word(sets[origin]) for origin in origins]
    words[1:, : len(groups)] = numbers  # the first and the last frame, as the texture file's tile
    head = _ANIMATION_HEAD.pack(1, min(level.uv_rotates, 0xFF), len(groups))
    footer = footer.with_chunk(ANIMATIONS, head + words.tobytes() + _TILE_SIZE.pack(TILE))
    if not groups:
        return footer
    pairs = [(number, frame) for number, group in zip(numbers, groups, strict=True) for frame in group]
    table = np.array([(len(pairs), 0), *pairs], "<u2").ravel()
    return footer.with_chunk(REMAPPED_TILES, np.delete(table, 1).tobytes())


def _animation_word(source: AnimatedSet) -> int:
    """Return the settings of an animated set: the time of a frame, or kind and speed of a rotation."""
    kind = _KINDS.get(source.type, 0)
    if source.type in UV_ROTATE:
        speed = 0 if source.fps > _MOST_SPEED else max(round(source.fps), 0)  # 0 is the highest
        return kind | speed << 8 | source.uv_rotate & 0xFF
    return kind or min(max(round(1000 / (source.fps or _USUAL_SPEED)), 0), _MOST_TIME)


class SimilarFrames:
    """The frames of animated sets by their pixels, which faces of models may show.

    `foreign`: the numbers of images of models.
    """

    def __init__(
        self, sets: Sequence[AnimatedSet], images: Mapping[int, U8Array], foreign: Collection[int]
    ) -> None:
        self._images, self._foreign = images, frozenset(foreign)
        self._frames: dict[tuple[float, float], list[tuple[int, Floats]]] = {}
        for frame in (frame for each in sets for frame in each.frames) if foreign else ():
            corners = np.array(frame.corners, np.float64)
            low, size = corners.min(axis=0), np.ptp(corners, axis=0)
            if frame.texture in images:
                self._frames.setdefault(_size_key(size), []).append((frame.texture, low))

    def areas(self, image: int, corners: Floats) -> Iterator[tuple[int, Floats]]:
        """Return the images, and the corners (k, 2) there, where a face would show the same pixels."""
        if image not in self._foreign:
            return
        low, size = corners.min(axis=0), np.ptp(corners, axis=0)
        pixels = _part(self._images[image], low, size)
        for texture, start in self._frames.get(_size_key(size), ()):
            if np.array_equal(pixels, _part(self._images[texture], start, size)):
                yield texture, corners - low + start


def _size_key(size: Floats) -> tuple[float, float]:
    width, height = np.round(size, 2).tolist()  # of models to a hundredth of a pixel
    return width, height


def _part(image: U8Array, low: Floats, size: Floats) -> U8Array:
    (x, y), (width, height) = np.round(low, 2).astype(int).tolist(), np.round(size, 2).astype(int).tolist()
    return image[y : y + height, x : x + width]
