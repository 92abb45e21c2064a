"""The animated textures of a level as animated sets of a project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Floats
from .....levels.level.footer import footer_of
from .....levels.textures.animated import decode_animated
from .....levels.views.decoded import Decoded
from ...compile.textures.animated import ANIMATIONS
from ...compile.textures.areas import UV_ROTATE, variants_of
from ...model.settings import AnimatedSet, AnimationFrame, Corners
from .textures import level_textures

_UV_ROTATE, _P_FRAMES, _FRAMES = 2, 1, 0
_IMAGE = 0  # the number of the image of all pages
_SAME = 1.0  # pixels by which corners of the same frame may differ
# The words of TRNG's footer: kinds in the highest bits.
_WORDS_AT, _KINDS = 4, {0x8000: 2, 0xA000: 3, 0xC000: 4}
_KIND_BITS, _P_BIT, _SPEED_BITS, _TIME_BITS = 0xE000, 0x4000, 0x1F, 0x1FFF
_USUAL, _HIGHEST = 16.0, 32.0  # frames in a second


class AnimatedTexture(NamedTuple):
    """An animated texture of a level."""

    corners: Floats  #: (f, 3 or 4, 2), the corners of each frame in pixels of the image of all pages.
    rotates: bool  #: whether its pixels move, not its frames.
    word: int | None = None  #: its settings in TRNG's footer, None without.

    @property
    def key(self) -> tuple[object, ...]:
        """A key of the shown image."""
        return self.rotates, self.corners.shape[1], self.corners.tobytes()

    @property
    def moves(self) -> bool:
        """Whether it shows more than one picture. The editor ignores others."""
        return self.rotates or len(self.corners) > 1

    def frame_keys(self) -> list[bytes]:
        """Return what each frame shows."""
        return [frame.tobytes() for frame in self.corners]


def animations_of(decoded: Decoded) -> list[AnimatedTexture | None]:
    """Return the animated textures of a level; None for those with frames that do not exist."""
    level = decoded.level
    table, corners = decoded.once(level_textures)
    rotating = level.uv_rotates if level.game.traits.has_scrolling_textures else 0
    words = animation_words(decoded)
    result: list[AnimatedTexture | None] = []
    for number, frames in enumerate(decode_animated(level.animated_textures).groups):
        if not frames or max(frames) >= len(corners):
            result.append(None)
            continue
        count = 3 if table.triangle[frames].any() else 4
        word = words[number] if number < len(words) else None
        result.append(AnimatedTexture(corners[frames, :count], number < rotating, word))
    return result


def animation_words(decoded: Decoded) -> list[int]:
    """Return the settings of animated textures in TRNG's footer."""
    footer = footer_of(decoded.level)
    chunk = None if footer is None else footer.get(ANIMATIONS)
    if chunk is None or len(chunk) < _WORDS_AT:
        return []
    count = min(int.from_bytes(chunk[2:_WORDS_AT], "little"), (len(chunk) - _WORDS_AT) // 2)
    return np.frombuffer(chunk, "<u2", count, _WORDS_AT).tolist()


def apply_settings(source: AnimatedSet, animation: AnimatedTexture) -> None:
    """Set the kind and speed of an animated set as a level has them."""
    if animation.rotates != (source.type in UV_ROTATE):
        source.type = _UV_ROTATE if animation.rotates else _FRAMES
    word = animation.word
    if word is None:
        return
    if animation.rotates:
        source.type = _KINDS.get(word & _KIND_BITS, _UV_ROTATE)
        source.fps = float(word >> 8 & _SPEED_BITS) or _HIGHEST  # 0 is the highest
        source.uv_rotate = (word & 0xFF ^ 0x80) - 0x80
    elif word & _P_BIT:
        source.type = _P_FRAMES
    else:
        time = word & _TIME_BITS
        source.type, source.fps = _FRAMES, 1000 / time if time else _USUAL


# --- Sets --------------------------------------------------------------------------------------


def completed_quads(corners: Floats) -> Floats:
    """Return triangles (f, 3, 2) as the quads (f, 4, 2) that they are halves of."""
    first = corners[0]
    lengths = ((np.roll(first, -1, axis=0) - np.roll(first, -2, axis=0)) ** 2).sum(axis=1)
    ordered = np.roll(corners, -int(lengths.argmax()), axis=1)  # the corner opposite to the longest side
    corner, after, before = ordered[:, 0], ordered[:, 1], ordered[:, 2]
    return np.stack([corner, after, after + before - corner, before], axis=1)


def quads_of(corners: Floats) -> Floats:
    """Return the frames of an animated texture as quads, (f, 4, 2)."""
    return completed_quads(corners) if corners.shape[1] == 3 else corners


def corner_tuple(corners: Floats) -> Corners:
    """Return the corners of a quad as those of a project's area."""
    first, second, third, fourth = [(x, y) for x, y in corners.tolist()]
    return first, second, third, fourth


def joined_frames(frames: Iterable[AnimationFrame]) -> list[AnimationFrame]:
    """Return frames in which equal neighbors are one that is repeated."""
    result: list[AnimationFrame] = []
    for frame in frames:
        last = result[-1] if result else None
        if last is not None and (last.texture, last.corners) == (frame.texture, frame.corners):
            result[-1] = AnimationFrame(last.texture, last.corners, last.repeat + frame.repeat)
        else:
            result.append(frame)
    return result


def shows(source: AnimatedSet, animation: AnimatedTexture, textures: Sequence[int], corners: Floats) -> bool:
    """Return whether faces that show an animated set can have an animated texture.

    `textures`, `corners`: the textures of the animation's frames, and the frames (f, k, 2) in their images.
    """
    if animation.rotates != (source.type in UV_ROTATE):
        return False
    count = corners.shape[1]
    for variant in variants_of(source):
        if variant.corners.shape != corners.shape or variant.images.tolist() != list(textures):
            continue
        turns = np.stack([np.roll(variant.corners, turn, axis=1) for turn in range(count)])
        if (np.abs(turns - corners) <= _SAME).all(axis=(2, 3)).any(axis=0).all():
            return True
    return False


def animated_sets(decoded: Decoded) -> list[AnimatedSet]:
    """Return the animated textures of a level as sets with frames in the image of all pages.

    Animated textures that show the same frames as quads, triangles or mirrored ones are one set.
    """
    numbered = enumerate(animations_of(decoded))
    moving = [(number, each) for number, each in numbered if each is not None and each.moves]
    sets: dict[int, AnimatedSet] = {}
    # Quads show all corners of a frame.
    for number, animation in sorted(moving, key=lambda each: (each[1].corners.shape[1] == 3, each[0])):
        textures = [_IMAGE] * len(animation.corners)
        if any(shows(source, animation, textures, animation.corners) for source in sets.values()):
            continue
        source = AnimatedSet(f"Animated {number}")
        apply_settings(source, animation)
        source.frames = joined_frames(
            AnimationFrame(_IMAGE, corner_tuple(quad)) for quad in quads_of(animation.corners)
        )
        sets[number] = source
    return [sets[number] for number in sorted(sets)]


def whole_tiles(decoded: Decoded, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the image of all pages with rotating frames at their full height.

    A level has them at half their height, twice; the editor makes that of the image.
    """
    result = image
    for animation in animations_of(decoded):
        if animation is None or not animation.rotates:
            continue
        for frame in animation.corners:
            left, top = np.floor(frame.min(axis=0)).astype(int).tolist()
            right, bottom = np.ceil(frame.max(axis=0)).astype(int).tolist()
            half = (bottom - top) // 2
            upper = image[top : top + half, left:right]
            if half and np.array_equal(upper, image[top + half : top + 2 * half, left:right]):
                result = image.copy() if result is image else result
                result[top : top + 2 * half, left:right] = np.repeat(upper, 2, axis=0)
    return result
