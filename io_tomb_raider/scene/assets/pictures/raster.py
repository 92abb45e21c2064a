"""A software rasterizer for small pictures: orthographic, with a depth buffer and textures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ....formats.base import Columns, Pixels
from ....formats.levels.textures import BlendMode

FLAT = -1  # the page of faces without texels
_MARGIN = 0.04  # of the picture, on each side
_SHADOW = 0.6
_MOST_PLACES = 1 << 21  # pixels within the bounds of all faces; these take a quarter of a second
_OPAQUE = 128  # the alpha from which texels are visible
_SLACK = 1e-6  # of barycentric coordinates, so that faces leave no gaps


@dataclass(frozen=True, eq=False)
class RasterFaces(Columns):
    """Triangles and their textures."""

    #: (n, 3, 3) float64, corners in the files' axes: x right, y down, z forward.
    points: Annotated[NDArray[np.float64], 3, 3]
    #: (n, 3, 2) float64, corners in pixels of the page, from the top left. Beyond its edges, it repeats.
    texels: Annotated[NDArray[np.float64], 3, 2]
    page: NDArray[np.int64]  #: (n,) int64, or FLAT.
    blending: NDArray[np.int64]  #: (n,) int64, blend modes of object textures.
    color: Annotated[NDArray[np.float64], 3, 3]  #: (n, 3, 3) float64, factors of texels at corners.
    has_back: NDArray[np.bool_]  #: (n,) whether faces are visible from behind.


@dataclass(frozen=True, eq=False)
class _Fragments(Columns):
    """Fragments: one row per face and covered pixel."""

    face: NDArray[np.int64]  #: (k,) the face.
    pixel: NDArray[np.int64]  #: (k,) row by row from the top left.
    depth: NDArray[np.float64]  #: (k,) the distance from the viewer.
    shares: Annotated[NDArray[np.float64], 3]  #: (k, 3) barycentric coordinates.


def draw_faces(
    faces: RasterFaces,
    pages: Sequence[Pixels] | Pixels,
    direction: tuple[float, float, float],
    size: int,
    *,
    shadow: float = _SHADOW,
) -> Pixels | None:
    """Draw visible faces, scaled to fill the picture.

    Args:
        pages: (height, width, 4) uint8 each, top row first.
        direction: of the view, in the files' axes.
        size: of the picture in pixels, in both directions.
        shadow: brightness of faces parallel to the light.

    Returns:
        (size, size, 4) uint8, top row first, with transparency; None if nothing is visible.
    """
    axes = _axes(direction)
    projected = faces.points @ axes.T
    if not len(faces.points) or not np.isfinite(projected).all():
        return None
    low, high = projected.reshape(-1, 3).min(axis=0), projected.reshape(-1, 3).max(axis=0)
    reach = float((high - low)[:2].max())
    if reach <= 0:
        return None
    projected[..., :2] = (projected[..., :2] - (low + high)[:2] / 2) / reach * (1 - 2 * _MARGIN) + 0.5
    edges = projected[:, 1:, :2] - projected[:, :1, :2]
    area = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0]
    # The last one of several at the same place is drawn.
    front = np.concatenate([np.flatnonzero(faces.has_back & (area < 0)), np.flatnonzero(area > 0)])
    if not len(front):
        return None
    side = size
    while _spans(projected[front], side)[1] > _MOST_PLACES:
        side //= 2  # for very many large faces draw a coarse picture in time
    fragments = _covered(projected[front], side)
    front_faces = faces.take(front)
    picture = _painted(front_faces, fragments, pages, _brightness(front_faces, axes, shadow), side)
    if not picture[..., 3].any():
        return None
    rows = np.arange(size) * side // size
    return picture[np.ix_(rows, rows)]


def _axes(direction: tuple[float, float, float]) -> NDArray[np.float64]:
    """Return the directions right, down and away of a view, (3, 3)."""
    away = np.array(direction, np.float64)
    away /= np.linalg.norm(away)
    down = np.array([0.0, 1.0, 0.0]) if abs(away[1]) < 0.999 else np.array([0.0, 0.0, -1.0])
    down -= away * (down @ away)
    down /= np.linalg.norm(down)
    return np.array([np.cross(down, away), down, away])


def _spans(projected: NDArray[np.float64], size: int) -> tuple[NDArray[np.int64], int]:
    """Return left, top, width and height in pixels of each face's bounds, (n, 4), and their total area."""
    low = np.clip(np.floor(projected[..., :2].min(axis=1) * size), 0, size - 1).astype(np.int64)
    high = np.clip(np.ceil(projected[..., :2].max(axis=1) * size), 1, size).astype(np.int64)
    extent = np.maximum(high - low, 1)
    return np.concatenate([low, extent], axis=1), int(extent.prod(axis=1).sum())


def _covered(projected: NDArray[np.float64], size: int) -> _Fragments:
    """Return the fragments of triangles, (n, 3, 3), with coordinates from 0 to 1."""
    spans, _ = _spans(projected, size)
    projected = projected * (size, size, 1)
    counts = spans[:, 2] * spans[:, 3]
    face = np.repeat(np.arange(len(projected)), counts)
    offset = np.arange(len(face)) - np.repeat(np.cumsum(counts) - counts, counts)
    y, x = np.divmod(offset, spans[face, 2])
    x, y = x + spans[face, 0], y + spans[face, 1]
    corner = projected[:, 0]
    one, two = projected[:, 1, :2] - corner[:, :2], projected[:, 2, :2] - corner[:, :2]
    area = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    to_x, to_y = x + 0.5 - corner[face, 0], y + 0.5 - corner[face, 1]
    second = (to_x * (two[:, 1] / area)[face]) - to_y * (two[:, 0] / area)[face]
    third = to_y * (one[:, 0] / area)[face] - to_x * (one[:, 1] / area)[face]
    inside = np.flatnonzero((second >= -_SLACK) & (third >= -_SLACK) & (second + third <= 1 + _SLACK))
    face, second, third = face[inside], second[inside], third[inside]
    shares = np.stack([1 - second - third, second, third], axis=1).clip(0)
    depth = np.einsum("kc,kc->k", shares, projected[face, :, 2])
    return _Fragments(face, (y * size + x)[inside], depth, shares)


def _painted(
    faces: RasterFaces,
    fragments: _Fragments,
    pages: Sequence[Pixels] | Pixels,
    brightness: NDArray[np.float64],
    size: int,
) -> Pixels:
    modes = faces.blending[fragments.face]
    is_additive = modes == BlendMode.ADDITIVE
    is_solid = ~is_additive
    keyed = np.flatnonzero(is_solid & (modes != BlendMode.OPAQUE))
    is_solid[keyed] = _texels(faces, fragments.take(keyed), pages)[:, 3] >= _OPAQUE
    solid = fragments.take(is_solid)
    order = np.argsort(-solid.depth, kind="stable")
    nearest = np.full(size * size, -1)
    nearest[solid.pixel[order]] = order  # the last assignment to a pixel is the nearest
    visible = solid.take(nearest[nearest >= 0])
    result = np.zeros((size * size, 4))
    result[visible.pixel, :3] = _texels(faces, visible, pages)[:, :3] * brightness[visible.face, None]
    result[visible.pixel, 3] = 255
    glow = fragments.take(is_additive)
    if len(glow.face):
        depths = np.full(size * size, np.inf)
        depths[visible.pixel] = visible.depth
        glow = glow.take(glow.depth < depths[glow.pixel])
        light = _texels(faces, glow, pages)
        for channel in range(3):
            result[:, channel] += np.bincount(glow.pixel, light[:, channel], size * size)
        result[:, 3] = np.maximum(result[:, 3], result[:, :3].max(axis=1))
    return np.rint(result).clip(0, 255).astype(np.uint8).reshape(size, size, 4)


def _texels(
    faces: RasterFaces, fragments: _Fragments, pages: Sequence[Pixels] | Pixels
) -> NDArray[np.float64]:
    """Return the color of fragments, (k, 4) float64 up to 255."""
    position = np.floor(np.einsum("kc,kcx->kx", fragments.shares, faces.texels[fragments.face]))
    x, y = position.astype(np.int64).T
    page = faces.page[fragments.face]
    result = np.full((len(page), 4), 255.0)
    for number in np.unique(page).tolist():
        if 0 <= number < len(pages):
            texels, rows = pages[number], np.flatnonzero(page == number)
            result[rows] = texels[y[rows] % texels.shape[0], x[rows] % texels.shape[1]]
    result[:, :3] *= np.einsum("kc,kcx->kx", fragments.shares, faces.color[fragments.face])
    return result


def _brightness(faces: RasterFaces, axes: NDArray[np.float64], shadow: float) -> NDArray[np.float64]:
    """Return the brightness of faces, (n,), in a light from the upper left of the viewer."""
    normals = np.cross(faces.points[:, 1] - faces.points[:, 0], faces.points[:, 2] - faces.points[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    right, down, away = axes
    light = 0.4 * right + 0.5 * down + away
    light /= np.linalg.norm(light)
    return shadow + (1 - shadow) * np.abs(normals @ light)
