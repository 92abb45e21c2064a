"""Conversion of room meshes to faces with vertex indices of the whole room, and back.

TR1 to TR4 store them that way. TR5 divides rooms into layers, whose faces count from the layer's first
vertex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.columns import Columns
from ...base.bytes.bits import join_records
from ...base.bytes.records import LAYER_TR5, ROOM_QUAD, ROOM_TRIANGLE
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T
from .rooms import Room


@dataclass(eq=False)
class FaceSet(Columns):
    """Faces of one kind, in file order."""

    corners: NDArray[np.int32]  #: (n, 3 or 4) int32, indices of the room's vertices.
    texture: NDArray[np.uint16]  #: (n,) uint16, the raw texture word.
    effects: NDArray[np.uint16]  #: (n,) uint16, TR5's extra word; zeros elsewhere.
    layer: NDArray[np.int32]  #: (n,) int32, the layer in TR5; zeros elsewhere.


def decode_faces(game: Game, room: Room) -> tuple[FaceSet, FaceSet]:
    """Return a room's quads and triangles. Corners are not checked against the number of vertices."""
    return decode_rooms_faces(game, [room])


def decode_rooms_faces(game: Game, rooms: Sequence[Room]) -> tuple[FaceSet, FaceSet]:
    """Return the quads and the triangles of rooms, at least one, as :func:`decode_faces` does.

    Corners and layers are counted within the room.
    """
    quads = join_records([room.quads for room in rooms])
    triangles = join_records([room.triangles for room in rooms])
    if not game.traits.has_room_layers:
        return _plain(quads), _plain(triangles)
    layers = [room.layers["vertices"].astype(np.int64) for room in rooms]
    starts = np.concatenate([vertices.cumsum() - vertices for vertices in layers])
    numbers = np.concatenate([np.arange(len(vertices), dtype=np.int32) for vertices in layers])
    counts = join_records([room.layers for room in rooms])
    return (
        _layered(quads, counts["quads"], starts, numbers),
        _layered(triangles, counts["triangles"], starts, numbers),
    )


def _plain(faces: NDArray[np.void]) -> FaceSet:
    count = len(faces)
    none = np.zeros(count, np.uint16), np.zeros(count, np.int32)
    return FaceSet(faces["vertices"].astype(np.int32), faces["texture"], *none)


def _layered(
    faces: NDArray[np.void], counts: NDArray[Any], starts: NDArray[np.int64], numbers: NDArray[np.int32]
) -> FaceSet:
    layer_of = np.repeat(np.arange(len(counts)), counts)
    corners = faces["vertices"].astype(np.int32) + starts[layer_of, None].astype(np.int32)
    return FaceSet(corners, faces["texture"], faces["effects"], numbers[layer_of])


def vertex_layers(room: Room) -> NDArray[np.int32]:
    """Return the layer of each vertex of a TR5 room, shape (n,)."""
    return np.repeat(np.arange(len(room.layers), dtype=np.int32), room.layers["vertices"])


def encode_faces(game: Game, quads: FaceSet, triangles: FaceSet) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Return face records of TR1 to TR4 rooms.

    Raises ExportError if a corner's index does not fit 16 bits.
    """
    return _records(quads, ROOM_QUAD[game]), _records(triangles, ROOM_TRIANGLE[game])


def _records(faces: FaceSet, dtype: np.dtype) -> NDArray[np.void]:
    if faces.corners.size and int(faces.corners.max()) > 0xFFFF:
        count = int(faces.corners.max()) + 1
        raise ExportError(T("room"), T("too many vertices"), count=count, limit=0x10000)
    records = np.zeros(len(faces.corners), dtype)
    records["vertices"] = faces.corners
    records["texture"] = faces.texture
    if "effects" in (dtype.names or ()):
        records["effects"] = faces.effects
    return records


@dataclass(eq=False)
class LayeredGeometry:
    """The result of :func:`encode_layers`: the four arrays of a TR5 room, and the sources of vertices."""

    vertices: NDArray[np.void]
    quads: NDArray[np.void]
    triangles: NDArray[np.void]
    layers: NDArray[np.void]
    source: NDArray[np.int64]  #: (n,) int64, for each written vertex the index of the given vertex.


def encode_layers(
    vertices: NDArray[np.void],
    vertex_layer: NDArray[np.int32],
    quads: FaceSet,
    triangles: FaceSet,
    originals: NDArray[Any] | None = None,
    numbers: NDArray[np.int32] | None = None,
) -> LayeredGeometry:
    """Divide the mesh of a TR5 room into layers.

    Vertices are grouped by layer and keep their order within it. A vertex that faces of several layers use is
    written in each of them. Bounds are recomputed. Water and shore counts are those of the original layers
    that still have these vertices at their places. In others, vertices that were water or shore are written
    first, as the game counts them.

    Args:
        vertices: (n,) TR5 room vertices.
        vertex_layer: (n,) the layer of each vertex.
        quads, triangles: faces with indices of the whole room, and their layer.
        originals: the original layers, for fields that are not derived.
        numbers: (n,) the vertex of the original room that each vertex was, -1 for new ones.
    """
    parts = (quads, triangles)
    highest = [int(a.max()) for a in (vertex_layer, quads.layer, triangles.layer) if len(a)]
    count = max([len(originals) if originals is not None else 1, *[h + 1 for h in highest]])
    total = len(vertices)
    keys = _vertex_keys(vertex_layer, parts)
    layer_of, source = np.divmod(keys, max(total, 1))
    vertices_of = np.bincount(layer_of, minlength=count)
    starts = np.concatenate(([0], np.cumsum(vertices_of)))[:-1]
    layers = np.zeros(count, LAYER_TR5)
    if originals is not None:
        layers[: len(originals)] = originals
    is_changed = layers["vertices"] != vertices_of
    rank = np.full(len(keys), _REST)
    if originals is not None and numbers is not None:
        ranks = _ranks(originals, numbers)[source]
        expected = _ranks_at(layers, layer_of, np.arange(len(keys)) - starts[layer_of])
        is_changed |= np.bincount(layer_of, ranks != expected, count) > 0  # others are at the places of these
        for name, faces in (("quads", quads), ("triangles", triangles)):
            is_changed |= layers[name] != np.bincount(faces.layer, minlength=count)
        rank[:] = np.where(is_changed[layer_of], ranks, _REST)
    order = np.lexsort((source, rank, layer_of))
    if len(vertices_of) and vertices_of.max() > 0xFFFF:
        problem = T("too many vertices in a layer")
        raise ExportError(T("room"), problem, count=int(vertices_of.max()), limit=0xFFFF)
    layer_vertices = _LayerVertices(keys, rank, np.argsort(order), starts, total)
    encoded = [
        layer_vertices.encode(faces, dtype)
        for faces, dtype in zip(parts, (ROOM_QUAD[Game.TR5], ROOM_TRIANGLE[Game.TR5]), strict=True)
    ]
    source = source[order]
    written = vertices[source]
    layers["vertices"], layers["quads"], layers["triangles"] = vertices_of, *(each.counts for each in encoded)
    wet, shore = (np.bincount(layer_of, rank == each, count).astype(np.int64) for each in (_WATER, _SHORE))
    for name, counts in zip(_WATER_COUNTS, (wet, shore, *(each.wet for each in encoded)), strict=True):
        layers[name] = np.where(is_changed, counts, layers[name])
    _set_bounds(layers, written, starts)
    return LayeredGeometry(written, encoded[0].records, encoded[1].records, layers, source)


# Vertices of a layer in the order of the file.
_WATER, _SHORE, _REST = range(3)


def _vertex_keys(vertex_layer: NDArray[np.int32], parts: Sequence[FaceSet]) -> NDArray[np.int64]:
    """Return sorted keys of the vertices of all layers, layer * total + vertex.

    A vertex is in its own layer, and in those of its faces.
    """
    total = len(vertex_layer)
    keys = [vertex_layer.astype(np.int64) * total + np.arange(total)]
    keys += [(f.layer[:, None].astype(np.int64) * total + f.corners).reshape(-1) for f in parts]
    return np.unique(np.concatenate(keys))


class _LayeredFaces(NamedTuple):
    """Faces by layer: their records, and by layer how many there are, and how many are in water."""

    records: NDArray[np.void]
    counts: NDArray[np.int64]
    wet: NDArray[np.int64]


class _LayerVertices(NamedTuple):
    """The vertices of all layers."""

    keys: NDArray[np.int64]  #: (n,) sorted: layer * total + vertex.
    rank: NDArray[np.int64]  #: (n,) their rank in the order of the file, such as _WATER.
    position: NDArray[np.int64]  #: (n,) their index among the written vertices.
    starts: NDArray[np.int64]  #: by layer, its first written vertex.
    total: int  #: the vertices of the room.

    def encode(self, faces: FaceSet, dtype: np.dtype) -> _LayeredFaces:
        """Return faces by layer, those in water first."""
        layer = faces.layer[:, None].astype(np.int64)
        rows = np.searchsorted(self.keys, layer * self.total + faces.corners)
        is_wet = (self.rank[rows] == _WATER).any(axis=1)
        order, count = np.lexsort((~is_wet, faces.layer)), len(self.starts)
        layers = faces.layer[order]
        records = np.zeros(len(order), dtype)
        records["vertices"] = self.position[rows[order]] - self.starts[layers, None]
        records["texture"], records["effects"] = faces.texture[order], faces.effects[order]
        wet = np.bincount(layers, is_wet[order], count).astype(np.int64)
        return _LayeredFaces(records, np.bincount(layers, minlength=count), wet)


_WATER_COUNTS = ("water_vertices", "shore_vertices", "water_quads", "water_triangles")


def _ranks(originals: NDArray[np.void], numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return whether vertices were water, shore or neither in the original layers, (n,)."""
    counts = originals["vertices"].astype(np.int64)
    layer_of = np.repeat(np.arange(len(originals)), counts)
    within = np.arange(len(layer_of)) - (counts.cumsum() - counts)[layer_of]
    ranks = _ranks_at(originals, layer_of, within)
    exists = (numbers >= 0) & (numbers < len(ranks))
    return np.where(exists, np.append(ranks, _REST)[np.where(exists, numbers, -1)], _REST)


def _set_bounds(layers: NDArray[np.void], vertices: NDArray[np.void], starts: NDArray[np.int64]) -> None:
    filled = np.flatnonzero(layers["vertices"])
    if not len(filled):
        return
    for axis, name in enumerate("xyz"):
        # Empty layers have no vertices, so the starts of the others divide the array correctly.
        layers["bounds"][filled, axis] = np.minimum.reduceat(vertices[name], starts[filled])
        layers["bounds"][filled, axis + 3] = np.maximum.reduceat(vertices[name], starts[filled])


def _ranks_at(
    layers: NDArray[np.void], layer_of: NDArray[np.int64], within: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return whether the vertices at positions within layers are water, shore or neither, (n,)."""
    water, shore = (layers[name].astype(np.int64)[layer_of] for name in ("water_vertices", "shore_vertices"))
    return (within >= water) * 1 + (within >= water + shore)
