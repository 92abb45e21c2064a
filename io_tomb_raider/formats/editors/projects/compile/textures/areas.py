"""Textures of faces as areas of images: which faces share one, and which areas are packed together.

Corners are in pixels of an image, from its upper left. Rectangles are left, top, right, bottom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.columns import Columns
from .....base.arrays.distinct import distinct_rows, equal_rows
from .....base.arrays.typing import Bools, Floats, Ints
from .....levels.textures.textiles import PAGE_SIZE
from ...model.settings import AnimatedSet, AnimationFrame

UV_ROTATE = (2, 3, 4)  # types of animated sets: UV rotate, river rotate, half rotate
_FRAMES, _P_FRAMES = 0, 1
_NEAR = 5.0  # pixels between the corners of a face and those of a frame
# Corners of a quad that a frame shows: itself, then its triangles.
_VARIANTS = ((0, 1, 2, 3), (0, 1, 2), (0, 2, 3), (0, 1, 3), (1, 2, 3))


@dataclass(frozen=True, eq=False)
class TextureRequests(Columns):
    """The textures of faces, one row each."""

    image: Ints  #: (n,) int64, the number of the level texture.
    #: (n, 4, 2) float64, or float32 until they are distinct; the fourth corner of triangles is ignored.
    corners: Annotated[Floats, 4, 2]
    #: (n, 2, 2) likewise, start and end of the area that is packed whole, 0 for none.
    parent: Annotated[Floats, 2, 2]
    triangle: Bools  #: (n,) bool.
    blend: Ints  #: (n,) int64, the blend mode.

    def distinct(self) -> tuple[TextureRequests, Ints]:
        """Return the distinct textures in order, as float64, and the number of each row among them, (n,)."""
        count = len(self.image)
        corners, parent = (np.ascontiguousarray(each) for each in (self.corners, self.parent))
        columns = [
            self.image,
            self.triangle.astype(np.int64),
            self.blend,
            *corners.reshape(count, 8).view(np.int64).T,
            *parent.reshape(count, 4).view(np.int64).T,
        ]
        first, number = equal_rows(columns)
        rows = self.take(first)
        corners, parent = rows.corners.astype(np.float64), rows.parent.astype(np.float64)
        return replace(rows, corners=corners, parent=parent), number

    def mirrored(self) -> TextureRequests:
        """Return the textures of the faces' other sides, whose vertices are in reverse order."""
        order = np.where(self.triangle[:, None], [2, 1, 0, 0], [3, 2, 1, 0])
        return replace(self, corners=np.take_along_axis(self.corners, order[:, :, None], axis=1))

    def rectangles(self) -> Floats:
        """Return the rectangle of each face, (n, 4)."""
        used = as_quads(self.corners, self.triangle)
        return np.concatenate([used.min(axis=1), used.max(axis=1)], axis=1)


def as_quads(corners: NDArray[Any], triangle: Bools) -> NDArray[Any]:
    """Return corners (n, 4, 2) in which triangles repeat the third corner."""
    return np.where(triangle[:, None, None], corners[:, [0, 1, 2, 2]], corners)


def signed_areas(corners: Floats) -> Floats:
    """Return twice the areas of faces (n, k, 2), (n,), with opposite signs for opposite directions."""
    following = np.roll(corners, -1, axis=1)
    return np.asarray(
        ((following[..., 0] - corners[..., 0]) * (following[..., 1] + corners[..., 1])).sum(axis=1)
    )


# --- Sharing -----------------------------------------------------------------------------------


class Shared(NamedTuple):
    """Faces with the same texture, apart from the corner with which they begin."""

    group: Ints  #: (n,) the group of each face.
    start: Ints  #: (n,) the corner of each face that is the first of its group's common order.
    first: Ints  #: (g,) a face of each group.


def shared(requests: TextureRequests) -> Shared:
    """Group faces whose corners are equal in some cyclic order."""
    count = len(requests.image)
    if not count:
        none = np.zeros(0, np.int64)
        return Shared(none, none, none)
    codes = distinct_rows(requests.corners.reshape(-1, 2).T)[1].reshape(count, 4)
    codes[requests.triangle, 3] = -1
    size = np.where(requests.triangle, 3, 4)
    start = _least_turn(codes, size)
    order = np.arange(4)
    source = np.where(order < size[:, None], (order + start[:, None]) % size[:, None], order)
    turned = codes[np.arange(count)[:, None], source]
    first, group = distinct_rows((requests.image, requests.blend, *turned.T))
    return Shared(group, start, first)


def _least_turn(codes: Ints, size: Ints) -> Ints:
    """Return the first corner of the order (n, 4) that comes first of all cyclic ones, (n,)."""
    best, result = codes.copy(), np.zeros(len(codes), np.int64)
    order = np.arange(4)
    for turn in (1, 2, 3):
        source = np.where(order < size[:, None], (order + turn) % size[:, None], order)
        turned = np.take_along_axis(codes, source, axis=1)
        less, equal = np.zeros(len(codes), np.bool_), turn < size
        for corner in range(4):
            less |= equal & (turned[:, corner] < best[:, corner])
            equal &= turned[:, corner] == best[:, corner]
        best[less], result[less] = turned[less], turn
    return result


def top_corner(corners: Floats) -> int:
    """Return the corner (of (k, 2)) with which a texture begins: at its top, the next one below.

    Of two at the top, it is the one after the other in the order of corners, seen from the last.
    """
    heights = corners[:, 1].tolist()
    count, top = len(heights), min(heights)
    start = next(turn % count for turn in range(count, 0, -1) if heights[turn % count] == top)
    before = (start - 1) % count
    return before if heights[before] == top else start


def middle_corner(corners: Floats) -> int:
    """Return the corner of a triangle (3, 2) nearest to its middle: that of a right angle, if it has one."""
    away = corners - corners.mean(axis=0)
    return int((away**2).sum(axis=1).argmin())


# --- Areas that are packed whole ---------------------------------------------------------------


def whole(rectangle: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the smallest rectangle of whole pixels around one. Points and lines get the next pixel."""
    left, top, right, bottom = rectangle
    x, y = float(np.floor(left)), float(np.floor(top))
    return x, y, max(float(np.ceil(right)), x + 1), max(float(np.ceil(bottom)), y + 1)


def _around(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float, float]:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _fits(rectangle: Sequence[float]) -> bool:
    return rectangle[2] - rectangle[0] <= PAGE_SIZE and rectangle[3] - rectangle[1] <= PAGE_SIZE


@dataclass(eq=False)
class _ImageAreas:
    """The areas of an image in the order in which they were made; joined ones are not a number."""

    #: (m, 4), the first ``count`` rows are used.
    boxes: Floats = field(default_factory=lambda: np.full((16, 4), np.nan))
    count: int = 0
    members: list[list[int]] = field(default_factory=list)  #: the records in each area.

    def add(self, box: Sequence[float], members: list[int]) -> int:
        if self.count == len(self.boxes):
            self.boxes = np.concatenate([self.boxes, np.full_like(self.boxes, np.nan)])
        self.boxes[self.count] = box
        self.members.append(members)
        self.count += 1
        return self.count - 1


class TextureArea(NamedTuple):
    """An area of an image that is packed whole."""

    image: int  #: the number of the level texture.
    box: Ints  #: (4,) int64, its rectangle.
    members: Sequence[int]  #: the records in it.


class Areas:
    """Areas of images, to which textures are added one by one.

    A texture inside an area becomes a part of it; areas inside a texture become parts of its area. `overlap`:
    whether overlapping areas are joined.
    """

    def __init__(self, *, overlap: bool = False) -> None:
        self._overlap = overlap
        self._images: dict[int, _ImageAreas] = {}
        self._order: list[tuple[int, int]] = []
        self._areas: dict[int, tuple[int, int]] = {}

    def add(self, record: int, image: int, box: Sequence[float], parent: Sequence[float] | None) -> None:
        """Add a texture with its rectangle. `parent`: the area around it that is packed whole."""
        areas = self._images.setdefault(image, _ImageAreas())
        holder = self._holder(areas, box)
        if holder is not None:
            areas.members[holder].append(record)
            if not _contains(areas.boxes[holder], box):
                areas.boxes[holder] = whole(_around(areas.boxes[holder], box))
            self._areas[record] = image, holder
            return
        area = whole(box)
        inner = self._inside(areas, area)
        if parent is not None and _fits(_around(whole(parent), area)):
            area = _around(whole(parent), area)
        members = [record]
        for number in inner:
            area = _around(area, areas.boxes[number].tolist())
            members += areas.members[number]
            areas.boxes[number], areas.members[number] = np.nan, []
        number = areas.add(area, members)
        self._order.append((image, number))
        self._areas |= dict.fromkeys(members, (image, number))

    def grow(self, record: int, parent: Sequence[float]) -> None:
        """Enlarge the area of a texture to another one, if that contains it."""
        image, number = self._areas[record]
        areas = self._images[image]
        box = whole(parent)
        if _fits(box) and _contains(box, areas.boxes[number]):
            areas.boxes[number] = box

    def __iter__(self) -> Iterator[TextureArea]:
        for image, number in self._order:
            areas = self._images[image]
            if areas.members[number]:
                yield TextureArea(image, areas.boxes[number].astype(np.int64), areas.members[number])

    def _holder(self, areas: _ImageAreas, box: Sequence[float]) -> int | None:
        """Return the first area that holds a texture, or that may be enlarged to do so."""
        boxes = areas.boxes[: areas.count]
        low, high = np.array(box[:2]), np.array(box[2:])
        holds = ((boxes[:, :2] <= low) & (boxes[:, 2:] >= high)).all(axis=1)
        if self._overlap:
            meets = (np.minimum(boxes[:, 2:], high) > np.maximum(boxes[:, :2], low)).all(axis=1)
            size = np.ceil(np.maximum(boxes[:, 2:], high)) - np.floor(np.minimum(boxes[:, :2], low))
            holds |= meets & (size <= PAGE_SIZE).all(axis=1)
        return int(holds.argmax()) if holds.any() else None

    @staticmethod
    def _inside(areas: _ImageAreas, box: Sequence[float]) -> list[int]:
        boxes = areas.boxes[: areas.count]
        inside = ((boxes[:, :2] >= box[:2]) & (boxes[:, 2:] <= box[2:])).all(axis=1)
        return np.flatnonzero(inside).tolist()


def _contains(outer: Sequence[float] | Floats, inner: Sequence[float] | Floats) -> bool:
    return bool(
        outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
    )


# --- Animated sets -----------------------------------------------------------------------------


@dataclass(eq=False)
class AnimationVariant:
    """A way in which faces show the frames of an animated set: as quads or triangles, or mirrored."""

    source: AnimatedSet
    images: Ints  #: (f,) of each frame.
    corners: Floats  #: (f, 3 or 4, 2) of each frame.

    @property
    def rotates(self) -> bool:
        """Whether the pixels move, not the frames."""
        return self.source.type in UV_ROTATE

    @property
    def boxes(self) -> Floats:
        """The rectangles of the frames, (f, 4)."""
        return np.concatenate([self.corners.min(axis=1), self.corners.max(axis=1)], axis=1)

    @cached_property
    def _turned(self) -> Floats:
        """All frames (turns * f, k, 2) by turn: a face that begins with another corner has its corners so."""
        count = self.corners.shape[1]
        return np.stack([np.roll(self.corners, turn, axis=1) for turn in range(count)])

    def find(self, image: int, corners: Floats) -> tuple[int, int] | None:
        """Return the frame of a face (k, 2), and the corner with which the face must begin, or None."""
        if len(corners) != self.corners.shape[1]:
            return None
        near = (np.abs(self._turned - corners) <= _NEAR).all(axis=(2, 3)) & (self.images == image)
        if not near.any():
            return None
        frame = int(near.any(axis=0).argmax())
        return frame, int(near[:, frame].argmax())


@dataclass(eq=False)
class FrameSequence:
    """The frames of an animated set that faces of a kind use."""

    variant: AnimationVariant  #: the frames.
    blend: int  #: the blend mode.
    first: int  #: the record of the first frame; the others follow it.

    @property
    def records(self) -> range:
        """The records of the frames, in order."""
        return range(self.first, self.first + len(self.variant.images))


class Animations:
    """The animated sets of a level. A set gets a sequence for each variant that a face uses.

    `completes`: whether triangles of rotating sets become quads (TR4, TR5).
    """

    def __init__(self, sets: Iterable[AnimatedSet], *, completes: bool) -> None:
        self._variants = [variant for each in sets for variant in variants_of(each)]
        #: the images and the rectangles of the frames of all variants, (f,) and (f, 4).
        self._images = np.concatenate([each.images for each in self._variants] or [np.zeros(0, np.int64)])
        self._boxes = np.concatenate([each.boxes for each in self._variants] or [np.zeros((0, 4))])
        self._completes = completes
        self.sequences: list[FrameSequence] = []

    def find(self, image: int, corners: Floats, blend: int, free: int) -> tuple[int, int, bool] | None:
        """Return the record of a face, the corner with which it must begin, and whether it becomes a quad.

        Return None if the face shows no frame.

        Args:
            corners: (3 or 4, 2).
            free: the record of the first frame, if a sequence is added.
        """
        if not self._variants:
            return None
        # Most faces show no frame: corners are near those of a frame only if their rectangles are.
        box = np.concatenate([corners.min(axis=0), corners.max(axis=0)])
        if not ((np.abs(self._boxes - box) <= _NEAR).all(axis=1) & (self._images == image)).any():
            return None
        as_quad = completed(corners) if self._completes and len(corners) == 3 else None
        for sequence in self.sequences:
            frame_and_turn = self._in(sequence.variant, image, corners, as_quad)
            if frame_and_turn is not None and sequence.blend == blend:
                frame, turn = frame_and_turn
                return sequence.first + frame, turn, len(corners) == 3 and self._is_quad(sequence.variant)
        for variant in self._variants:
            if self._in(variant, image, corners, as_quad) is not None:
                self.sequences.append(FrameSequence(variant, blend, free))
                return self.find(image, corners, blend, free)
        return None

    def _is_quad(self, variant: AnimationVariant) -> bool:
        return self._completes and variant.rotates

    def _in(
        self, variant: AnimationVariant, image: int, corners: Floats, as_quad: Floats | None
    ) -> tuple[int, int] | None:
        whole_face = as_quad if as_quad is not None and self._is_quad(variant) else corners
        return variant.find(image, whole_face)


def completed(corners: Floats) -> Floats | None:
    """Return a triangle with the corner of its rectangle that it lacks, (4, 2); None if it has all."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    present = set(map(tuple, corners.tolist()))
    all_corners = [(low[0], low[1]), (high[0], low[1]), (low[0], high[1]), (high[0], high[1])]
    missing = next((each for each in all_corners if each not in present), None)
    return None if missing is None else np.concatenate([corners, [missing]])


def shown_frames(source: AnimatedSet) -> list[AnimationFrame]:
    """Return the frames of an animated set in order, each as often as it is repeated."""
    return [frame for frame in source.frames for _ in range(max(frame.repeat, 1))]


def variants_of(source: AnimatedSet) -> Iterator[AnimationVariant]:
    """Return the ways in which faces show an animated set, none if it does not move."""
    frames = shown_frames(source)
    rotates = source.type in UV_ROTATE
    is_shown = rotates or source.type == _P_FRAMES or (source.type == _FRAMES and bool(source.fps))
    if not is_shown or not frames or (source.type == _FRAMES and len(source.frames) < 2):
        return
    images = np.array([frame.texture for frame in frames])
    corners = np.array([frame.corners for frame in frames], np.float64)
    for mirrored in (False, True):
        for variant in _VARIANTS:
            order = list(variant[::-1] if mirrored else variant)
            variant_corners = corners[:, order]
            if rotates:
                starts = [top_corner(each) for each in variant_corners]
                variant_corners = np.stack(
                    [
                        np.roll(each, -start, axis=0)
                        for each, start in zip(variant_corners, starts, strict=True)
                    ]
                )
            yield AnimationVariant(source, images, variant_corners)
