"""The order of models and of their meshes, mesh trees, animations and key frames in a level.

The original games name meshes and animations of Lara by number, counted from the first of the level, and
OpenTomb counts the animations of a model up to those of the next one. So models are sorted by their ids, and
everything that they own has the same order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints
from ..animations.animations import NO_ANIMATION, model_animations
from ..level.level import Level
from ..meshes.meshes import decode_meshes, encode_block
from .mesh_trees import NODE_WORDS


class NewNumbers(NamedTuple):
    """The new numbers of models, and of entries of ``mesh_pointers``; animations keep theirs in the model."""

    models: Ints
    pointers: Ints


def has_order(models: NDArray[np.void]) -> bool:
    """Return whether models are in the order of their ids."""
    return bool((np.diff(models["id"].astype(np.int64)) >= 0).all())


def sort_models(level: Level) -> NewNumbers:
    """Sort the models of a level by id, and lay out what they own in the same order, in place.

    A level that has this order already keeps its sections.
    """
    rows = np.argsort(level.models["id"], kind="stable")
    numbers = NewNumbers(np.argsort(rows), np.arange(len(level.mesh_pointers)))
    models = level.models[rows]
    level.models = models
    animations = models["animation"].astype(np.int64)
    is_sorted = (np.diff(animations[animations != NO_ANIMATION]) >= 0).all()
    owned = models["meshes"] > 0
    if is_sorted and (np.diff(models["first_mesh"][owned].astype(np.int64)) >= 0).all():
        return numbers
    level.models = models.copy()
    pointers = _sort_meshes(level)
    _sort_trees(level)
    _sort_animations(level)
    return numbers._replace(pointers=pointers)


def _sort_meshes(level: Level) -> Ints:
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    models, statics = level.models, level.static_meshes.copy()
    first, counts = (models[name].astype(np.int64) for name in ("first_mesh", "meshes"))
    entries, starts, _ = _in_order(first, counts, len(block.pointers))
    has_meshes = counts > 0
    models["first_mesh"][has_meshes] = starts[has_meshes]
    new_numbers = np.full(len(block.pointers) + 1, len(block.pointers), np.int64)
    new_numbers[entries[::-1]] = np.arange(len(entries))[::-1]
    numbers = np.minimum(statics["mesh"].astype(np.int64), len(block.pointers))
    exists = numbers < len(block.pointers)
    statics["mesh"][exists] = new_numbers[numbers[exists]]
    level.static_meshes = statics
    level.mesh_data, level.mesh_pointers = encode_block(
        [mesh.raw for mesh in block.meshes], block.pointers[entries]
    )
    return new_numbers


def _sort_trees(level: Level) -> None:
    first = level.models["mesh_tree"].astype(np.int64)
    counts = NODE_WORDS * np.maximum(level.models["meshes"].astype(np.int64) - 1, 0)
    entries, starts, _ = _in_order(first, counts, len(level.mesh_trees))
    has_nodes = counts > 0
    level.models["mesh_tree"][has_nodes] = starts[has_nodes]
    level.models["mesh_tree"][~has_nodes] = 0
    level.mesh_trees = level.mesh_trees[entries]


def _sort_animations(level: Level) -> Ints:
    """Sort animations and what they refer to; return the new number of each."""
    models, count = level.models, len(level.animations)
    first, counts = model_animations(models, level.animations)
    has_animations = counts > 0
    entries, starts, new_numbers = _in_order(first, counts, count)
    models["animation"][has_animations] = starts[has_animations]
    animations, dispatches = level.animations[entries], level.animation_dispatches.copy()
    for records in (animations, dispatches):
        following = records["next_animation"].astype(np.int64)
        exists = (following >= 0) & (following < count)
        records["next_animation"][exists] = new_numbers[following[exists]]
    level.animation_dispatches = dispatches
    _sort_frames(level, animations, has_animations)
    level.animations = animations
    return new_numbers


def _sort_frames(level: Level, animations: NDArray[np.void], has_animations: NDArray[np.bool_]) -> None:
    """Put the key frames into the order of the animations; those that animations share stay shared."""
    models, size = level.models, 2 * len(level.frames)
    offsets = np.minimum(animations["frame_offset"].astype(np.int64), size)
    model_offsets = np.minimum(models["frame_offset"].astype(np.int64), size)
    bounds = np.unique(np.concatenate([[0, size], offsets, model_offsets]))
    lengths = np.diff(np.append(bounds, size))
    row = np.searchsorted(bounds, offsets)
    # In the order of the animations, then what only models without animations use.
    used, first_rows = np.unique(row, return_index=True)
    order = np.concatenate([used[np.argsort(first_rows)], np.setdiff1d(np.arange(len(bounds)), used)])
    new_offsets = np.empty(len(order), np.int64)
    new_offsets[order] = np.cumsum(lengths[order]) - lengths[order]
    ends = bounds + lengths
    words = [level.frames[bounds[index] // 2 : ends[index] // 2] for index in order.tolist()]
    level.frames = np.concatenate([level.frames[:0], *words])
    animations["frame_offset"] = new_offsets[row]
    models["frame_offset"] = new_offsets[np.searchsorted(bounds, model_offsets)]
    first = models["animation"][has_animations].astype(np.int64)
    models["frame_offset"][has_animations] = animations["frame_offset"][first]


def _in_order(first: Ints, counts: Ints, size: int) -> tuple[Ints, Ints, Ints]:
    """Return entries in the order of their owners.

    Args:
        first, counts: (owners,) the range of each owner; equal and overlapping ones stay shared if possible.
        size: the number of entries.

    Returns:
        (n,) the old number of each new entry, (owners,) the new start of each range, and (size,) the new
        number of each entry.
    """
    pieces: list[Ints] = []
    starts = np.zeros(len(first), np.int64)
    known_starts: dict[tuple[int, int], int] = {}
    total = 0
    for owner, (start, count) in enumerate(zip(first.tolist(), counts.tolist(), strict=True)):
        key = start, count
        if count <= 0 or start < 0:
            continue
        if key not in known_starts:
            known_starts[key] = total
            pieces.append(np.arange(start, min(start + count, size)))
            total += len(pieces[-1])
        starts[owner] = known_starts[key]
    is_used = np.zeros(size, np.bool_)
    for piece in pieces:
        is_used[piece] = True
    entries = np.concatenate([*pieces, np.flatnonzero(~is_used)]).astype(np.int64)
    new_numbers = np.zeros(size, np.int64)
    new_numbers[entries[::-1]] = np.arange(len(entries))[::-1]
    return entries, starts, new_numbers
