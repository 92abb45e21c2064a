"""Textures of a project's rooms: from areas of images to object textures and pages of a level."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from .....base.arrays.distinct import distinct_rows
from .....base.arrays.typing import Bools, Floats, Ints, Records
from .....base.bytes.records import OBJECT_TEXTURE_RECORD
from .....base.errors import ExportError
from .....base.games import Game
from .....base.messages import T
from .....base.targets import Target
from .....levels.level.level import Level
from .....levels.textures.blending import BlendMode
from .....levels.textures.object_textures import BUMP, MOST_TEXTURES, ROOM, TOO_MANY, TRIANGLE_BIT
from .....levels.textures.textiles import PAGE_SIZE, U8Array, clear_magenta
from .....levels.textures.tiles import cut_box
from ...model.settings import TILE, AnimatedSet, LevelTexture
from .animated import SimilarFrames, TextureAnimation, add_animations, frame_areas, moves_frames
from .areas import (
    UV_ROTATE,
    Animations,
    Areas,
    FrameSequence,
    Shared,
    TextureArea,
    TextureRequests,
    middle_corner,
    shared,
    top_corner,
)
from .pages import (
    PageTile,
    add_tiles,
    has_transparency,
    height_map,
    set_sizes,
    shape_numbers,
    squeezed,
    stored_corners,
)

_FOLDED_WIDTH = 512


# --- Images ------------------------------------------------------------------------------------


def fold_image(image: U8Array) -> U8Array:
    """Return an image of 512 pixels' width as one of 256; others stay.

    Each 64 rows become 128: the left half, and the right half below it.
    """
    if image.shape[1] != _FOLDED_WIDTH:
        return image
    height = image.shape[0]
    rows = -(-height // TILE)
    padded = np.pad(image, ((0, rows * TILE - height), (0, 0), (0, 0)))
    halves = padded.reshape(rows, TILE, 2, _FOLDED_WIDTH // 2, 4).swapaxes(1, 2)
    return halves.reshape(-1, _FOLDED_WIDTH // 2, 4)


def level_image(texture: LevelTexture, image: U8Array) -> U8Array:
    """Return the image of a level texture as faces see it, from (h, w, 4) RGBA of its file."""
    if texture.cut_512:
        image = fold_image(image)
    return clear_magenta(image) if texture.magenta else image


# --- Faces that have no texture ----------------------------------------------------------------


class Refusal(IntEnum):
    """Why a face is left out of a level."""

    NONE = 0
    MISSING = 1  # its image is missing
    OUTSIDE = 2  # its corners are outside of the image
    TOO_LARGE = 3  # its corners are more than a page apart


def refusals(requests: TextureRequests, images: Mapping[int, U8Array]) -> Ints:
    """Return which faces are left out, (n,) of :class:`Refusal`."""
    numbers = np.array(sorted(images), np.int64)
    boxes = requests.rectangles()
    result = np.zeros(len(boxes), np.int64)
    finite = np.logical_and.reduce(np.isfinite(boxes), axis=1)
    rectangles = np.where(finite[:, None], boxes, 0)
    size = np.ceil(rectangles[:, 2:]) - np.floor(rectangles[:, :2])
    result[(size > PAGE_SIZE).any(axis=1)] = Refusal.TOO_LARGE
    exists = np.isin(requests.image, numbers)
    if len(numbers):
        sizes = np.array([images[number].shape[1::-1] for number in numbers.tolist()], np.float64)
        image_size = sizes[np.searchsorted(numbers, requests.image).clip(0, len(numbers) - 1)]
        outside: Bools = (rectangles[:, :2] < 0).any(axis=1) | (rectangles[:, 2:] > image_size).any(axis=1)
        result[outside | ~finite] = Refusal.OUTSIDE
    result[~exists] = Refusal.MISSING
    return result


# --- Object textures ---------------------------------------------------------------------------


@dataclass
class RoomTextures:
    """The textures of faces in a level."""

    index: Ints  #: (n,) the object texture of each face, -1 for faces that are left out.
    turn: Ints  #: (n,) the corner with which each face must begin: new corner k is old (k + turn) % corners.
    #: (n,) triangles that become quads by repeating their third vertex, before they are turned.
    as_quad: Bools
    refused: Ints  #: (n,) why faces are left out, see :class:`Refusal`.
    animations: list[TextureAnimation] = field(default_factory=list)  #: the level's new animated textures.
    #: (k, 8) what the new pages show: page, left, top, width, height, and the number of the level texture
    #: with left and top in its image. Rotating ones are at half their height, twice.
    areas: Ints = field(default_factory=lambda: np.zeros((0, 8), np.int64))
    #: (n, 256, 256, 4) uint8 RGBA, all pages with the colors of the images, or None without faces.
    picture: U8Array | None = None


def add_room_textures(
    level: Level,
    requests: TextureRequests,
    images: Mapping[int, U8Array],
    textures: Sequence[LevelTexture] = (),
    sets: Sequence[AnimatedSet] = (),
    *,
    bump_images: Mapping[int, U8Array] | None = None,
    padding: int = 8,
    dither: bool = False,
    largest_first: bool = False,
    foreign: Collection[int] = (),
    target: Target = Target.ORIGINAL,
) -> RoomTextures:
    """Add the textures of faces of rooms to a level: object textures, pages and animated textures.

    Equal textures are added once, whatever the corner with which faces begin.

    Args:
        requests: the textures of the faces, in order.
        images: the image of each level texture, see :func:`level_image`.
        textures: the level textures, for bumps.
        bump_images: the images of bumps by level texture.
        padding: the pixels around each texture on its page.
        dither: whether 16-bit pages are dithered.
        largest_first: place large areas on pages before small ones.
        foreign: the numbers of images of models whose faces are animated if they show the pixels of a frame.

    Raises:
        ExportError: if there are more object textures or pages than a level can have.
    """
    distinct, number = requests.distinct()
    refused = refusals(distinct, images)
    result = RoomTextures(
        np.full(len(refused), -1), np.zeros_like(refused), np.zeros(len(refused), np.bool_), refused
    )
    rows = np.flatnonzero(refused == Refusal.NONE)
    if len(rows):
        table = _Table(level, sets, SimilarFrames(sets, images, foreign))
        record, result.turn[rows], result.as_quad[rows] = table.assign(distinct.take(rows))
        bumps = _Bumps(level, textures, images, bump_images or {})
        numbers, result.areas, result.picture = _add_records(
            level, table, images, bumps,
            padding=padding, dither=dither, largest_first=largest_first, target=target,
        )  # fmt: skip
        result.index[rows] = numbers[record]
        result.animations = add_animations(level, table.animations.sequences, numbers)
    for name in ("index", "turn", "as_quad", "refused"):
        setattr(result, name, getattr(result, name)[number])
    set_sizes(level)
    return result


class _Record(NamedTuple):
    """A new object texture: corners (3 or 4, 2) in pixels of the image."""

    image: int
    corners: Floats
    blend: int


class _Table:
    """The new object textures of a level."""

    def __init__(self, level: Level, sets: Sequence[AnimatedSet], similar: SimilarFrames) -> None:
        self._similar = similar
        self.records: list[_Record] = []
        self.areas = Areas()
        self._completes = level.game.traits.has_scrolling_textures
        self._has_corner_order = level.game.traits.has_texture_flags
        self.animations = Animations(sets, completes=self._completes)
        self._has_rotating = any(each.type in UV_ROTATE for each in sets)
        self._has_sets = bool(sets)
        # By group: its record, and the corner of the common order with which the record begins.
        self._groups: dict[int, tuple[int, int]] = {}

    def assign(self, requests: TextureRequests) -> tuple[Ints, Ints, Bools]:
        """Return the record of each face, its first corner, and whether it becomes a quad."""
        groups = shared(requests)
        parents = requests.parent.reshape(-1, 4).copy()
        size = parents[:, 2:] - parents[:, :2]
        parents[~((size > 0) & (size <= PAGE_SIZE)).all(axis=1)] = 0
        # Faces with the same group, order and parent get the same record; they are assigned in their order.
        order = groups.start if self._has_rotating and self._completes else 0 * groups.start
        first, combination = distinct_rows((groups.group, order, *parents.T))
        assignments = np.zeros((len(first), 4), np.int64)
        boxes = requests.rectangles()
        for number in np.argsort(first).tolist():
            row = int(first[number])
            parent = parents[row].tolist()
            assignments[number] = self._find(requests, groups, row, boxes[row].tolist(), parent)
        record, turn, is_common, as_quad = assignments[combination].T
        count = np.where(requests.triangle & (as_quad == 0), 3, 4)
        turn = np.where(is_common, turn + groups.start, turn) % count
        return record, turn, as_quad.astype(np.bool_)

    def _find(
        self, requests: TextureRequests, groups: Shared, row: int, box: list[float], parent: list[float]
    ) -> tuple[int, int, bool, bool]:
        """Return the record of a face, its first corner, and whether it becomes a quad.

        The first corner is that of the face, or counts in the common order of its group if the third value
        is true.
        """
        count = 3 if requests.triangle[row] else 4
        corners = requests.corners[row, :count]
        image, blend = int(requests.image[row]), int(requests.blend[row])
        start = int(groups.start[row])
        if self._has_sets:
            count_before = len(self.animations.sequences)
            frame_record = self.animations.find(image, corners, blend, len(self.records))
            for texture, moved_corners in (
                () if frame_record is not None else self._similar.areas(image, corners)
            ):
                frame_record = self.animations.find(texture, moved_corners, blend, len(self.records))
                if frame_record is not None:
                    break
            for sequence in self.animations.sequences[count_before:]:
                frames = zip(sequence.variant.images.tolist(), sequence.variant.corners, strict=True)
                self.records += [_Record(each, frame, blend) for each, frame in frames]
            if frame_record is not None:
                record, turn, as_quad = frame_record
                return (record, turn, False, True) if as_quad else (record, turn - start, True, False)
        group = int(groups.group[row])
        if group not in self._groups:
            # The engines know the corners of triangles from the one at the right angle.
            is_known = count == 3 and self._has_corner_order
            first = middle_corner(corners) if is_known else top_corner(corners)
            self._groups[group] = len(self.records), first - start
            self.areas.add(len(self.records), image, box, parent if any(parent) else None)
            self.records.append(_Record(image, corners[[*range(first, count), *range(first)]], blend))
        record, turn = self._groups[group]
        if any(parent):
            self.areas.grow(record, parent)
        return record, turn, True, False


# --- Bumps -------------------------------------------------------------------------------------


class _Bumps:
    """The bump levels of areas of images (TR4, TR5)."""

    def __init__(
        self,
        level: Level,
        textures: Sequence[LevelTexture],
        images: Mapping[int, U8Array],
        bump_images: Mapping[int, U8Array],
    ) -> None:
        self._textures = {each.number: each for each in textures} if level.game.traits.has_bump else {}
        # Images of another size than the texture do not count.
        self._images = {
            number: image
            for number, image in bump_images.items()
            if number in images and images[number].shape[:2] == image.shape[:2]
        }

    def level(self, area: TextureArea) -> int:
        """Return the bump level of an area, 0 for none."""
        texture = self._textures.get(area.image)
        if texture is None:
            return 0
        if texture.bump_path:
            return int(area.image in self._images)
        x, y = ((area.box[:2] + area.box[2:]) / 2 // TILE).astype(np.int64).tolist()
        height, width = texture.bumps.shape
        return min(int(texture.bumps[y, x]), 3) if 0 <= y < height and 0 <= x < width else 0

    def heights(self, area: TextureArea, tile: U8Array) -> U8Array | None:
        """Return the height map of the tile of an area, or None."""
        level = self.level(area)
        if not level:
            return None
        if area.image in self._images and self._textures[area.image].bump_path:
            return cut_box(self._images[area.image], area.box)
        return height_map(tile, level)


# --- Records and pages -------------------------------------------------------------------------


def _add_records(
    level: Level,
    table: _Table,
    images: Mapping[int, U8Array],
    bumps: _Bumps,
    *,
    padding: int,
    dither: bool,
    largest_first: bool,
    target: Target,
) -> tuple[Ints, Ints, U8Array]:
    """Add object textures and their pages to a level.

    Returns:
        The object texture of each record, what the pages show, and all their colors.

    Raises:
        ExportError: if there are more object textures or pages than a level can have.
    """
    count, game = len(table.records), level.game
    areas = _cut_areas(table, images, bumps, squeezes=game.traits.has_scrolling_textures)
    layout = add_tiles(level, areas.tiles, padding, dither=dither, largest_first=largest_first)
    triangle = np.array([len(record.corners) == 3 for record in table.records], np.bool_)
    corners = np.zeros((count, 4, 2))
    for row, record in enumerate(table.records):
        corners[row, : len(record.corners)] = record.corners
    corners = (corners - areas.corner[:, None]).astype(np.float32)
    corners[triangle, 3] = 0
    blend = np.array([record.blend for record in table.records], np.int64)
    blend[areas.clear & (blend < BlendMode.ADDITIVE)] = BlendMode.COLOR_KEYED
    records = np.zeros(count, OBJECT_TEXTURE_RECORD[game])
    records["attribute"] = np.minimum(blend, _most_blending(game, target))
    records["page"] = layout.page[areas.tile_of]
    shapes = shape_numbers(corners.astype(np.float64), triangle)
    positions = corners + layout.position[areas.tile_of][:, None].astype(np.float32)
    stored = stored_corners(game, positions, triangle, layout.padded[areas.tile_of], shapes)
    records["uv"] = stored
    if game.traits.has_texture_flags:
        records["page"] |= np.where(triangle, TRIANGLE_BIT, 0).astype(np.uint16)
        records["flags"] = shapes | BUMP.put(np.zeros(count, np.int64), areas.bump) | ROOM.mask
    kept, numbers = _distinct(records, table.animations.sequences)
    numbers += len(level.object_textures)
    level.object_textures = np.concatenate([level.object_textures, records[kept]])
    if len(level.object_textures) > MOST_TEXTURES[game]:
        number, most = len(level.object_textures), MOST_TEXTURES[game]
        raise ExportError(T("object textures"), TOO_MANY, count=number, limit=most)
    rows = areas.shown
    shown = np.column_stack([layout.page[rows[:, 0]], layout.position[rows[:, 0]], rows[:, 1:]])
    return numbers, shown.astype(np.int64), layout.picture


class _CutAreas(NamedTuple):
    """The areas of images that object textures show, as tiles; equal areas are one tile."""

    tiles: list[PageTile]  #: without duplicates.
    tile_of: Ints  #: (n,) the tile of each record.
    corner: Floats  #: (n, 2) its left and top in the image.
    bump: Ints  #: (n,) the level of its bump.
    clear: Bools  #: (n,) whether it has transparent pixels.
    shown: Ints  #: (k, 6) by area: tile, width, height, image, left, top.


def _cut_areas(table: _Table, images: Mapping[int, U8Array], bumps: _Bumps, *, squeezes: bool) -> _CutAreas:
    """Cut the areas of records from their images, those of rotating textures squeezed if needed."""
    areas = [(area, False) for area in table.areas]
    for sequence in sorted(table.animations.sequences, key=moves_frames):
        areas += [(area, sequence.variant.rotates) for area in frame_areas(sequence)]
    numbers: dict[tuple[object, ...], int] = {}
    tiles: list[PageTile] = []
    count = len(table.records)
    tile_of, corner = np.zeros(count, np.int64), np.zeros((count, 2))
    bump, clear = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    shown: list[tuple[int, ...]] = []
    for area, rotates in areas:
        pixels = cut_box(images[area.image], area.box)
        pixels = squeezed(pixels) if rotates and squeezes else pixels
        heights = bumps.heights(area, pixels)
        key = pixels.shape, pixels.tobytes(), None if heights is None else heights.tobytes()
        if key not in numbers:
            numbers[key] = len(tiles)
            tiles.append(PageTile(pixels, heights))
        left, top, right, bottom = area.box.tolist()
        shown.append((numbers[key], right - left, bottom - top, area.image, left, top))
        members = list(area.members)
        tile_of[members], corner[members] = numbers[key], area.box[:2]
        bump[members], clear[members] = bumps.level(area), has_transparency(pixels)
    return _CutAreas(tiles, tile_of, corner, bump, clear, np.array(shown, np.int64).reshape(-1, 6))


def _distinct(records: Records, sequences: Sequence[FrameSequence]) -> tuple[Bools, Ints]:
    """Return which records are kept, and by record its number among these.

    Records of areas with the same pixels are equal, so the first of them is kept. Frames of animated textures
    are all kept: they are consecutive, and a face that shows the number of a frame is animated.
    """
    is_static = np.ones(len(records), np.bool_)
    for sequence in sequences:
        is_static[sequence.records] = False
    rows = np.arange(len(records))
    first, index = np.unique(records[is_static], return_index=True, return_inverse=True)[1:]
    rows[is_static] = rows[is_static][first[index.reshape(-1)]]
    kept: Bools = rows == np.arange(len(records))
    return kept, (np.cumsum(kept) - 1)[rows]


def _most_blending(game: Game, target: Target) -> int:
    """Return the highest blend mode of an engine."""
    if game.traits.has_trng:
        return 0xFFFF  # TRNG has more modes
    is_known = game.traits.has_additive_blending or target is Target.TRX
    return BlendMode.ADDITIVE if is_known else BlendMode.COLOR_KEYED
