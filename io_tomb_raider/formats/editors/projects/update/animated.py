"""Edited animated textures written into the animated sets of a project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ....base.arrays.typing import Bools, Floats, Ints
from ..compile.textures.areas import shown_frames
from ..from_level.rooms.animated import (
    AnimatedTexture,
    apply_settings,
    corner_tuple,
    joined_frames,
    quads_of,
    shows,
)
from ..model.settings import AnimatedSet, AnimationFrame

Animations = Sequence[AnimatedTexture | None]
# Returns where corners (n, 4, 2) in the image of all pages are: whether in an image of the project (n,), the
# numbers of the textures (n,), and the corners there.
Locate = Callable[[Floats], tuple[Bools, Ints, Floats]]
IsPainted = Callable[[Floats], Bools]

_NONE = -1


def update_animated_sets(
    sets: list[AnimatedSet],
    before: Animations,
    after: Animations,
    origins: Sequence[int],
    locate: Locate,
    is_painted: IsPainted,
) -> bool:
    """Write the differences between animated textures into animated sets.

    Args:
        sets: of the project; changed in place. Sets whose animated textures are the same stay as they are.
        before, after: the animated textures of the compiled and of the edited level.
        origins: the set of each animated texture before, -1 for those of object files.
        locate: finds corners in the project's images.
        is_painted: finds corners whose pixels were edited.

    Returns:
        Whether all edits are saved; those of object files are not.
    """
    painted = [each is not None and bool(is_painted(each.corners).any()) for each in after]
    if _keys(before) == _keys(after) and not any(painted):
        return True
    partner = _pairs(before, after)
    frames = _Frames(sets, before, origins, locate, is_painted)

    def differs(row: int) -> bool:
        other = partner[row]
        return other == _NONE or painted[other] or _differ(before[row], after[other])

    is_saved, removed = True, []
    for number, source in enumerate(sets):
        rows = [row for row, origin in enumerate(origins) if origin == number and row < len(before)]
        edited = [after[partner[row]] for row in rows if partner[row] != _NONE]
        if rows and not edited:
            removed.append(source)
        changed = [row for row in rows if partner[row] != _NONE and differs(row)]
        # Quads show all corners of a frame.
        changed.sort(key=lambda row: frames.is_triangle(row))
        if changed:
            _change(source, changed[0], after[partner[changed[0]]], before, frames)
    for row in partner:
        if (row >= len(origins) or origins[row] == _NONE) and differs(row):
            is_saved = False
    sets[:] = [source for source in sets if not any(source is each for each in removed)]
    paired = set(partner.values())
    _add(sets, [each for row, each in enumerate(after) if row not in paired], frames)
    return is_saved


def _keys(animations: Animations) -> list[object]:
    return [None if each is None else (each.key, each.word) for each in animations]


def _differ(a: AnimatedTexture | None, b: AnimatedTexture | None) -> bool:
    return _keys([a]) != _keys([b])


def _pairs(before: Animations, after: Animations) -> dict[int, int]:
    """Return for each animated texture before its index after, -1 if it was removed."""
    partner = dict.fromkeys(range(len(before)), _NONE)
    free = list(range(len(after)))
    for row, each in enumerate(before):
        same = next((other for other in free if not _differ(each, after[other])), None)
        if same is not None:
            partner[row] = same
            free.remove(same)
    scores = []
    for row, each in enumerate(before):
        if partner[row] == _NONE and each is not None:
            frame_keys = set(each.frame_keys())
            for other in free:
                edited = after[other]
                common = 0 if edited is None else len(frame_keys & set(edited.frame_keys()))
                if common:
                    scores.append((-common, abs(row - other), row, other))
    for _, _, row, other in sorted(scores):
        if partner[row] == _NONE and other in free:
            partner[row] = other
            free.remove(other)
    return partner


class _ShownFrame(NamedTuple):
    """A frame of a set as an animated texture shows it."""

    frame: AnimationFrame
    order: list[int]  #: the corner of the frame that each corner of the animated texture is.


class _Frames:
    """The frames of a project's sets by the frames of the level."""

    def __init__(
        self,
        sets: Sequence[AnimatedSet],
        before: Animations,
        origins: Sequence[int],
        locate: Locate,
        is_painted: IsPainted,
    ) -> None:
        self._before, self._locate, self._is_painted = before, locate, is_painted
        self._by_row: list[dict[bytes, _ShownFrame]] = []
        self._all: dict[bytes, AnimationFrame] = {}
        for row, animation in enumerate(before):
            frames: dict[bytes, _ShownFrame] = {}
            origin = origins[row] if row < len(origins) else _NONE
            if animation is not None and 0 <= origin < len(sets):
                set_frames = shown_frames(sets[origin])
                for key, corners, frame in zip(
                    animation.frame_keys(), animation.corners, set_frames, strict=False
                ):
                    frames.setdefault(key, _ShownFrame(frame, _order(corners, np.array(frame.corners))))
            self._by_row.append(frames)
            for key, each in frames.items():
                self._all.setdefault(key, each.frame)

    def is_triangle(self, row: int) -> bool:
        animation = self._before[row]
        return animation is None or animation.corners.shape[1] == 3

    def located(self, animation: AnimatedTexture) -> tuple[Bools, Ints, Floats, Floats]:
        """Return the frames of an animated texture in the project's images.

        Returns:
            (f,) whether they are in an image, (f,) the texture, (f, 4, 2) their quads, and (f, k, 2) their
            own corners.
        """
        quads = quads_of(animation.corners)
        exists, textures, located = self._locate(quads)
        return exists, textures, located, animation.corners + (located - quads).mean(axis=1, keepdims=True)

    def of(self, row: int, animation: AnimatedTexture) -> list[AnimationFrame]:
        """Return the frames of an edited animated texture in the form of its set."""
        frames = self._by_row[row]
        order = next(iter(frames.values())).order if frames else []
        is_ordered = len(set(order)) == animation.corners.shape[1]
        result = []
        keys, painted = animation.frame_keys(), self._is_painted(animation.corners)
        rows = zip(keys, painted, *self.located(animation), strict=True)
        for key, is_painted, exists, texture, quad, corners in rows:
            if key in frames and not is_painted:
                frame = frames[key].frame
            elif not exists and key in self._all and not is_painted:
                frame = self._all[key]
            else:
                corners_of_frame = _in_order(corners, order) if is_ordered else quad
                frame = AnimationFrame(int(texture), corner_tuple(corners_of_frame))
            result.append(AnimationFrame(frame.texture, frame.corners))
        return result


def _order(corners: Floats, frame: Floats) -> list[int]:
    """Return which corner of a frame (4, 2) each corner that is shown (3 or 4, 2) is."""
    offset = (corners - corners.min(axis=0))[:, None] - (frame - frame.min(axis=0))
    return np.abs(offset).sum(axis=2).argmin(axis=1).tolist()


def _in_order(corners: Floats, order: Sequence[int]) -> Floats:
    """Return corners (3 or 4, 2) in the order of a frame, (4, 2); a triangle is completed."""
    quad = np.zeros((4, 2))
    quad[list(order)] = corners
    for missing in set(range(4)) - set(order):
        quad[missing] = quad[missing - 1] + quad[(missing + 1) % 4] - quad[(missing + 2) % 4]
    return quad


def _change(
    source: AnimatedSet, row: int, after: AnimatedTexture | None, before: Animations, frames: _Frames
) -> None:
    """Write an edited animated texture into its set."""
    old = before[row]
    if old is None or after is None:
        return
    new_frames = frames.of(row, after)
    if [(each.texture, each.corners) for each in new_frames] != [
        (each.texture, each.corners) for each in shown_frames(source)
    ]:
        source.frames = joined_frames(new_frames)
    if old.rotates != after.rotates:
        apply_settings(source, after._replace(word=None))
    if old.word != after.word:
        apply_settings(source, after)


def _add(sets: list[AnimatedSet], added: Sequence[AnimatedTexture | None], frames: _Frames) -> None:
    """Add new animated textures as sets; those that show a set in another way are a part of it."""
    new = [each for each in added if each is not None and each.moves]
    for animation in sorted(new, key=lambda each: each.corners.shape[1] == 3):
        _, textures, quads, corners = frames.located(animation)
        if any(shows(each, animation, textures.tolist(), corners) for each in sets):
            continue
        source = AnimatedSet(_free_name(sets))
        apply_settings(source, animation)
        source.frames = joined_frames(
            AnimationFrame(texture, corner_tuple(quad))
            for texture, quad in zip(textures.tolist(), quads, strict=True)
        )
        sets.append(source)


def _free_name(sets: Sequence[AnimatedSet]) -> str:
    names = {each.name for each in sets}
    return next(name for number in range(len(sets) + 1) if (name := f"Animated {number}") not in names)
