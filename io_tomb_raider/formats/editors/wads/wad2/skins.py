"""Skins of a WAD2's moveables: one mesh of the whole model, whose vertices follow up to four bones each.

The vertices are where the bones place them at rest. Engines bend a skin linearly, and divide weights by their
sum, so only their ratios count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Ints
from ....base.bytes.chunks import Chunk, children, find, inside, read_chunks, replaced
from ....base.bytes.records import F32, I32
from ....base.schema.chunks import NUMBER
from .animations import AnimationExtras
from .chunks import CONTEXT, WRITER, parent, value_in
from .meshes import Wad2Mesh, decode_mesh, encode_mesh

SKIN = "W2MovSkin"
_HIDDEN, _WEIGHTS, _WEIGHT = "W2MeshVisible", "W2VrtWghts", "W2VrtWght"
MOST_PAIRS = 4
PAIR = np.dtype([("bone", I32), ("weight", F32)])
_LEAST = 1 / 255  # levels hold weights in bytes
_AFTER_WEIGHTS = ("W2VrtAttr", "W2MeshLightType", _HIDDEN, "W2Polys")


class SkinEdit(NamedTuple):
    """The skin of a model to write."""

    pointer: int  #: its mesh, an index of ``mesh_pointers`` of the edited level.
    vertices: NDArray[np.float32]  #: (n, 3) float32, exact, in the axes of WAD2.
    pairs: NDArray[np.void]  #: (n, 4) PAIR.


class TexturePath(NamedTuple):
    """The name of a texture, and the path of its image from the file; "" if it is inside only."""

    name: str
    path: str


@dataclass(frozen=True)
class Wad2Extras:
    """The data of a scene that levels lack. What has no entry stays as in the file."""

    #: by the number of the model, and of the animation within it.
    animations: Mapping[tuple[int, int], AnimationExtras] = field(default_factory=dict)
    #: by an index of ``mesh_pointers``, whether the mesh is hidden while a skin is drawn.
    hidden: Mapping[int, bool] = field(default_factory=dict)
    skins: Mapping[int, SkinEdit | None] = field(default_factory=dict)  #: by the number of the model.
    textures: Mapping[int, TexturePath] = field(default_factory=dict)  #: by their number in the file.


def skin_of(parts: Sequence[Chunk]) -> Wad2Mesh | None:
    """Return the skin among the chunks of a moveable. Raises FormatError if it is damaged."""
    chunk = find(parts, SKIN)
    mesh = None if chunk is None else find(children(chunk)[1], "W2Mesh")
    return None if mesh is None else decode_mesh(mesh)


def vertex_pairs(mesh: Wad2Mesh) -> NDArray[np.void]:
    """Return the bones and weights of a mesh's vertices, (n, 4) PAIR; zeros without one per vertex.

    Raises:
        FormatError: if they are damaged.
    """
    part, count = find(mesh.parts, _WEIGHTS), len(mesh.vertices)
    rows = [] if part is None else [each for each in read_chunks(inside(part)) if each.name == _WEIGHT]
    if len(rows) != count:
        return np.zeros((count, MOST_PAIRS), PAIR)
    return np.array([inside(each).array(PAIR, MOST_PAIRS) for each in rows], PAIR).reshape(-1, MOST_PAIRS)


def weights_of(pairs: NDArray[np.void], bones: int) -> NDArray[np.float32]:
    """Return the weights of vertices for each bone, (n, bones) float32, at most 1.

    Vertices without valid weights follow the first bone, as in engines.
    """
    result = np.zeros((len(pairs), max(bones, 1)), F32)
    weights = np.nan_to_num(pairs["weight"], nan=0.0, posinf=0.0, neginf=0.0).clip(0)
    is_valid = (weights > 0) & (pairs["bone"] >= 0) & (pairs["bone"] < bones)
    rows, columns = np.nonzero(is_valid)
    np.add.at(result, (rows, pairs["bone"][rows, columns]), weights[rows, columns])
    result[~is_valid.any(axis=1), 0] = 1
    return np.asarray(result / np.maximum(result.max(axis=1, keepdims=True), 1), F32)


def pairs_of(weights: NDArray[np.float32]) -> NDArray[np.void]:
    """Return the bones and weights to write for weights (n, bones): the four largest, strongest first."""
    result = np.zeros((len(weights), MOST_PAIRS), PAIR)
    order = np.argsort(-weights, axis=1, kind="stable")[:, :MOST_PAIRS]
    values = np.take_along_axis(weights, order, axis=1).astype(np.float64)
    values /= np.maximum(weights.sum(axis=1, dtype=np.float64, keepdims=True), 1e-12)
    values[values < _LEAST] = 0
    values /= np.maximum(values.sum(axis=1, keepdims=True), 1e-12)
    count = order.shape[1]
    result["bone"][:, :count] = np.where(values > 0, order, 0)
    result["weight"][:, :count] = values
    result["weight"][~(values > 0).any(axis=1), 0] = 1
    return result


def is_hidden(mesh: Wad2Mesh) -> bool:
    """Return whether a mesh is hidden while a skin is drawn. Raises FormatError if that is damaged."""
    return bool(value_in(mesh.parts, _HIDDEN, NUMBER, 0))


def with_hidden(chunk: Chunk, *, hidden: bool) -> Chunk:
    """Return a mesh that is hidden or not while a skin is drawn."""
    parts = read_chunks(inside(chunk))
    if bool(value_in(parts, _HIDDEN, NUMBER, 0)) == hidden:
        return chunk
    return parent(chunk.name, replaced(parts, NUMBER.new_chunk(_HIDDEN, int(hidden), CONTEXT), ["W2Polys"]))


def encode_skin(chunk: Chunk, edit: SkinEdit) -> Chunk:
    """Return a skin around a mesh, with exact positions and weights; equal ones keep their chunks."""
    mesh = decode_mesh(chunk)
    if not np.array_equal(mesh.vertices, edit.vertices):
        chunk = encode_mesh(replace(mesh, vertices=edit.vertices), mesh)
        mesh = decode_mesh(chunk)
    if not np.array_equal(vertex_pairs(mesh), edit.pairs):
        rows = (WRITER.parent(_WEIGHT, (), row.tobytes()) for row in edit.pairs)
        chunk = parent(chunk.name, replaced(mesh.parts, parent(_WEIGHTS, rows), _AFTER_WEIGHTS))
    return parent(SKIN, [chunk])


def matching(pairs: NDArray[np.void], columns: Ints) -> NDArray[np.void]:
    """Return the pairs of a file with the new numbers of its bones; those of deleted bones have no weight.

    Args:
        columns: the original number of each bone, -1 for new ones.
    """
    size = max([*pairs["bone"].max(initial=0).reshape(1).tolist(), *columns.tolist()]) + 1
    numbers = np.full(size, -1, np.int64)
    numbers[columns[columns >= 0]] = np.flatnonzero(columns >= 0)
    exists = (pairs["bone"] >= 0) & (pairs["weight"] > 0)
    new = np.where(exists, numbers[pairs["bone"].clip(0)], pairs["bone"])
    result = pairs.copy()
    result["bone"] = new.clip(0)
    result["weight"][exists & (new < 0)] = 0
    return result
