"""Packing of users' pictures into texture pages.

Images of any size are cut into the tiles that faces use; tiles are packed into free places of pages or on new
pages. A material without an image becomes a small tile of its color.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Image, Material
from numpy.typing import NDArray

from ....formats import Game
from ....formats.base import T, joined
from ....formats.levels.textures import (
    PAGE_SIZE,
    Beyond,
    BlendMode,
    CutImage,
    FaceTextures,
    Placements,
    cut_image,
    outside_page,
    pack,
    place_corners,
)
from .coordinates import coordinates_of
from .materials import image_node, user_attribute, user_color
from .pages import PageSet
from .pixels import read_pixels, warn_of_half_transparent, with_holes

_OPAQUE_ALPHA = 128
_FLAT_SIDE = 4  # pixels: TR5 uses whole pixels, and moves corners inwards
_FLAT_UV = np.array([(0, 1), (1, 1), (1, 0), (0, 0)], np.float32)
_WITHIN: Beyond = "REPEAT"
_SUBJECT = T("textures of your own")


@dataclass(frozen=True, eq=False)
class PictureRequest:
    """A picture or color of the user's, and faces of one object that show it."""

    key: Hashable  #: the key of the result.
    subject: str  #: the object's name, for errors; for colors also the name of their tile.
    uv: NDArray[np.float32]  #: (n, 4, 2) float32, Blender's; the fourth corner of triangles is ignored.
    triangle: NDArray[np.bool_]  #: (n,) bool.
    image: Image | None = None  #: the picture, or None for a color.
    color: tuple[int, int, int] = (0, 0, 0)  #: the color, screen values.
    attribute: int | None = None  #: the blend mode, or None if the texels decide.
    beyond: Beyond = "REPEAT"  #: the extension of the picture beyond its edge.
    bump: int = 0  #: the bump level of the picture's height map, 0 without one.

    @classmethod
    def of(
        cls,
        key: Hashable,
        subject: str,
        material: Material,
        uv: NDArray[np.float32],
        triangle: NDArray[np.bool_],
        game: Game,
    ) -> PictureRequest:
        """Return the request of faces with a user's material."""
        node = image_node(material)
        image = None if node is None else node.image
        color = user_color(material) if image is None else (0, 0, 0)
        beyond = coordinates_of(node).extension
        bump = bump_of(image, material.tomb_raider.bump, game)
        return cls(key, subject, uv, triangle, image, color, user_attribute(material, game), beyond, bump)


def bump_of(image: Image | None, level: int, game: Game) -> int:
    """Return ``level`` if the game shows a height map of the picture, else 0."""
    has_heights = game.traits.has_bump and image is not None and image.tomb_raider.heights is not None
    return level if has_heights else 0


@dataclass(eq=False)
class _Source:
    """A picture and all requests of it; ``has_magenta`` if holes replace its magenta."""

    name: str
    picture: NDArray[np.uint8]
    requests: list[PictureRequest]
    is_flat: bool
    heights: NDArray[np.uint8] | None = None
    has_magenta: bool = False

    def cut(self) -> CutImage:
        """Cut the picture into tiles."""
        return self._cut(self.picture)

    def cut_heights(self) -> list[NDArray[np.uint8]]:
        """Return the tiles of the height map, cut like those of the picture."""
        assert self.heights is not None
        sizes = zip(self.picture.shape[:2], self.heights.shape[:2], strict=True)
        rows, columns = (np.arange(new) * old // new for new, old in sizes)
        return self._cut(self.heights[np.ix_(rows, columns)]).tiles

    def _cut(self, picture: NDArray[np.uint8]) -> CutImage:
        uv = np.concatenate([each.uv for each in self.requests])
        triangle = np.concatenate([each.triangle for each in self.requests])
        if self.is_flat:
            uv = np.broadcast_to(_FLAT_UV, uv.shape)
        return cut_image(picture, uv, triangle, self.name, self.requests[0].beyond)


def pack_pictures(
    pages: PageSet, requests: Sequence[PictureRequest], reserved: Iterable[NDArray[np.int64]] = ()
) -> dict[Hashable, FaceTextures]:
    """Place users' pictures on texture pages; each image is read once.

    Reserved boxes are kept, as those from :func:`pixel_boxes`. Return the textures of the faces of every
    request by key; new pages are numbered after the original's.

    Raises:
        ExportError: where an image cannot be read, UVs are not finite, or there are not enough pages.
    """
    sources = _sources([each for each in requests if len(each.uv)])
    result = {each.key: _no_textures() for each in requests}
    if not sources:
        return result
    flat_sources = [each for each in sources if each.heights is None]
    if flat_sources:
        cuts = [source.cut() for source in flat_sources]
        occupied = pages.occupied(reserved)
        placements = pack(_sizes(cuts), occupied, pages=pages.fillable, subject=_SUBJECT)
        pages.place([tile for cut in cuts for tile in cut.tiles], placements)
        _finish(pages, result, flat_sources, cuts, placements)
    bumped_sources = [each for each in sources if each.heights is not None]
    if bumped_sources:
        # Only new pages: existing ones have no height maps with free places.
        cuts = [source.cut() for source in bumped_sources]
        no_pixels = np.zeros((0, PAGE_SIZE, PAGE_SIZE), np.bool_)
        placements = pack(_sizes(cuts), no_pixels, subject=_SUBJECT)
        heights = [tile for source in bumped_sources for tile in source.cut_heights()]
        pages.place_bumped([tile for cut in cuts for tile in cut.tiles], heights, placements)
        _finish(pages, result, bumped_sources, cuts, placements, pages.count)
    return result


def _sizes(cuts: Iterable[CutImage]) -> NDArray[np.int64]:
    return np.concatenate([cut.sizes for cut in cuts])


def _finish(
    pages: PageSet,
    result: dict[Hashable, FaceTextures],
    sources: Sequence[_Source],
    cuts: Sequence[CutImage],
    placements: Placements,
    first_page: int = 0,
) -> None:
    """Add the results of packed sources to ``result``; pages count from ``first_page``."""
    first_tile = 0
    for source, cut in zip(sources, cuts, strict=True):
        _warn_of_losses(pages, source, cut)
        page, raw = place_corners(cut, placements, first_tile)
        first_tile += len(cut.tiles)
        _assign(result, source, cut, page + first_page, raw)


def _no_textures() -> FaceTextures:
    none = np.zeros(0, np.int64)
    return FaceTextures(none, none, np.zeros((0, 4, 2), np.uint16), np.zeros(0, np.bool_))


def _sources(requests: list[PictureRequest]) -> list[_Source]:
    """Return requests grouped by picture, in order of first use."""
    sources: dict[Hashable, _Source] = {}
    pictures: dict[Image, tuple[NDArray[np.uint8], NDArray[np.uint8]]] = {}
    reliefs: dict[Image, NDArray[np.uint8]] = {}
    for request in requests:
        image = request.image
        if image is not None:
            if image not in pictures:
                pixels = read_pixels(image)
                pictures[image] = pixels, with_holes(pixels)
            plain, keyed = pictures[image]
            has_magenta = keyed is not plain and request.attribute != BlendMode.OPAQUE
            # Faces inside ignore the extension, so that animated faces share the tiles of their frames.
            beyond = request.beyond if outside_page(request.uv, request.triangle).any() else _WITHIN
            heights = image.tomb_raider.heights if request.bump else None
            if heights is not None and heights not in reliefs:
                reliefs[heights] = read_pixels(heights, as_data=True)
            relief = None if heights is None else reliefs[heights]
            picture = keyed if has_magenta else plain
            source = _Source(image.name, picture, [], False, relief, has_magenta)
            sources.setdefault((image, beyond, heights, has_magenta), source).requests.append(request)
            continue
        color = request.color
        if color not in sources:
            picture = np.full((_FLAT_SIDE, _FLAT_SIDE, 4), 255, np.uint8)
            picture[..., :3] = color
            sources[color] = _Source(request.subject, picture, [], True)
        sources[color].requests.append(request)
    return list(sources.values())


def _warn_of_losses(pages: PageSet, source: _Source, cut: CutImage) -> None:
    """Warn of shrunk tiles, other tiles of UDIM images, and half-transparent pixels."""
    users = joined(", ", dict.fromkeys(request.subject for request in source.requests))
    shrunk = cut.scale.min(axis=1) if len(cut.scale) else np.ones(1)
    smallest = int(shrunk.argmin())
    if shrunk[smallest] < 1:
        new_size = cut.sizes[smallest]
        width, height = np.rint(new_size / cut.scale[smallest]).astype(np.int64).tolist()
        pages.report.warn(
            source.name,
            T(
                "a face shows {width} by {height} of its pixels, and a page holds {most} by {most2}: "
                "shrunk to {new_width} by {new_height} on {users}; divide the faces, or show less of "
                "it on each",
                width=width,
                height=height,
                most=PAGE_SIZE,
                most2=PAGE_SIZE,
                new_width=new_size[0],
                new_height=new_size[1],
                users=users,
            ),
        )
    if source.has_magenta:
        count = sum(int((tile[..., 3] == 0).sum()) for tile in cut.tiles)
        text = T(
            "{count} of its pixels are magenta (255, 0, 255) and become holes, as in old tile sets: choose "
            "Opaque in Blending to keep them",
            count=count,
        )
        if count:
            pages.report.warn(source.name, text)
    image = source.requests[0].image
    if image is not None and image.source == "TILED":
        uv = np.concatenate([each.uv for each in source.requests])
        triangle = np.concatenate([each.triangle for each in source.requests])
        count = int(outside_page(uv, triangle).sum())
        if count:
            text = T(
                "only its first tile is exported, and {count} faces of {users} show others",
                count=count,
                users=users,
            )
            pages.report.warn(source.name, T("{text}: give them materials with their own images", text=text))
    if not pages.is_true_color and any(
        request.attribute != BlendMode.ADDITIVE for request in source.requests
    ):
        warn_of_half_transparent(pages.report, source.name, [tile[..., 3] for tile in cut.tiles])


def _assign(
    result: dict[Hashable, FaceTextures],
    source: _Source,
    cut: CutImage,
    page: NDArray[np.int64],
    raw: NDArray[np.uint16],
) -> None:
    """Add the results of the requests of a source to ``result``."""
    by_texels = np.where(_show_holes(cut), BlendMode.COLOR_KEYED, BlendMode.OPAQUE).astype(np.int64)
    start = 0
    for request in source.requests:
        rows = slice(start, start + len(request.uv))
        start = rows.stop
        attribute = by_texels[rows].copy()
        if request.attribute is not None:
            attribute[:] = request.attribute
        bump = np.full(len(request.uv), request.bump, np.int64)
        result[request.key] = FaceTextures(page[rows], attribute, raw[rows], request.triangle, bump)


def _show_holes(cut: CutImage) -> NDArray[np.bool_]:
    """Return whether each face has transparent texels in the box around its corners, (n,)."""
    result = np.zeros(len(cut.tile), np.bool_)
    for number, tile in enumerate(cut.tiles):
        holes = tile[..., 3] < _OPAQUE_ALPHA
        if not holes.any():
            continue
        rows = np.flatnonzero(cut.tile == number)
        corners = cut.corners[rows]
        left, top = np.floor(corners.min(axis=1)).astype(np.int64).T
        right, bottom = np.ceil(corners.max(axis=1)).astype(np.int64).T
        sums = np.zeros((holes.shape[0] + 1, holes.shape[1] + 1), np.int64)
        sums[1:, 1:] = holes.cumsum(axis=0).cumsum(axis=1)
        result[rows] = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left] > 0
    return result


def pixel_boxes(
    page: NDArray[np.integer], uv: NDArray[np.float32], triangle: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the boxes of pixels around faces, (n, 5): page, left, top, width, height.

    UVs, (n, 4, 2), may be beyond the page; the fourth corner of triangles is ignored.
    """
    corners = np.nan_to_num(uv.astype(np.float64), nan=0.0, posinf=1.0, neginf=0.0)
    corners[triangle, 3] = corners[triangle, 2]
    pixels = (corners * (1, -1) + (0, 1)).clip(0, 1) * PAGE_SIZE
    low = np.floor(pixels.min(axis=1)).astype(np.int64)
    high = np.ceil(pixels.max(axis=1)).astype(np.int64)
    return np.column_stack([page, low, np.maximum(high - low, 1)])
