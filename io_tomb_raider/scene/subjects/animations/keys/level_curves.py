"""Curves of a level's key frames, as imports make them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....formats.levels.animations import LevelKeys
from ....core.space import Space
from ...models.poses import positions_to_blender, turns_to_blender

# Number of values per batch of rows, such that they stay in the processor's cache.
_AT_ONCE = 1 << 17


@dataclass(frozen=True, eq=False)
class ModelCurves:
    """All key frames of a model's animations as rows of keys."""

    #: (3 + 4 m, 2 n) float32 for m bones and the n keys of all its animations; (0, 2 n) without bones.
    rows: NDArray[np.float32]
    begins: NDArray[np.int64]  #: (a + 1,), the first key of each of the a animations, and n.

    def of(self, number: int) -> NDArray[np.float32]:
        """Return the rows of one of the animations."""
        return self.part(self.rows, number)

    def part(self, rows: NDArray[np.float32], number: int) -> NDArray[np.float32]:
        """Return the part of other rows that belongs to one of the animations."""
        return rows[:, 2 * self.begins[number] : 2 * self.begins[number + 1]]


class ModelAtRest(NamedTuple):
    """Parameters of a model's curves besides its key frames."""

    animations: range  #: the model's animations.
    frames: NDArray[np.float64]  #: (m, 3, 3), see :mod:`...models.poses`.
    head: NDArray[Any]  #: (3,), head of the first bone in the rest pose, in the file's units.


def level_curves(
    keys: LevelKeys, models: Sequence[ModelAtRest], rates: NDArray[Any], space: Space
) -> Iterator[ModelCurves]:
    """Convert the key frames of models' animations to curves, in batches of models.

    ``rates`` has the ticks per key of all animations of the level.
    """
    batch: list[tuple[ModelAtRest, ModelCurves]] = []
    size = 0
    for model in models:
        batch.append((model, _location_curves(keys, model, rates, space)))
        size += batch[-1][1].rows.size
        if size > _AT_ONCE or model is models[-1]:
            _add_rotations(keys, [each for each in batch if each[1].rows.size])
            yield from (curves for _, curves in batch)
            batch, size = [], 0


def _location_curves(keys: LevelKeys, model: ModelAtRest, rates: NDArray[Any], space: Space) -> ModelCurves:
    """Return a model's curves with the frames of all keys and locations, but without rotations."""
    animations, bones = slice(model.animations.start, model.animations.stop), len(model.frames)
    counts = keys.key_counts[animations]
    begins = np.append(0, np.cumsum(counts))
    total = int(begins[-1])
    rows = np.empty((3 + 4 * bones if bones else 0, total, 2), np.float32)
    if rows.size:
        rate = np.maximum(rates[animations].astype(np.int64), 1)
        rows[:, :, 0] = (np.arange(total) - np.repeat(begins[:-1], counts)) * np.repeat(rate, counts)
        first = int(keys.first_keys[animations.start])
        offsets = keys.offsets[first : first + total]
        rows[:3, :, 1] = positions_to_blender(offsets, model.frames[0], model.head, space).T
    return ModelCurves(rows.reshape(len(rows), 2 * total), begins)


def _add_rotations(keys: LevelKeys, models: Sequence[tuple[ModelAtRest, ModelCurves]]) -> None:
    """Set the rotations of models' curves."""
    if not models:
        return
    shapes = [(len(model.frames), int(curves.begins[-1])) for model, curves in models]
    ends = np.cumsum([bones * total for bones, total in shapes]).tolist()
    angles = np.empty((3, ends[-1]), np.uint16)
    starts = []
    for (model, curves), (bones, total), end in zip(models, shapes, ends, strict=True):
        first = end - bones * total
        turns = angles[:, first:end].reshape(3, bones, total)
        turns[...] = _all_angles(keys, model.animations, total, bones).transpose(2, 1, 0)
        begins = curves.begins[:-1][np.diff(curves.begins) > 0]
        starts.append((np.arange(first, end, total)[:, None] + begins).ravel())
    frames = np.concatenate([model.frames for model, _ in models])
    lengths = np.repeat(*np.array(shapes).T[::-1])
    parts = turns_to_blender(angles, frames, lengths, np.concatenate(starts))
    for (_, curves), (bones, total), end in zip(models, shapes, ends, strict=True):
        rows = curves.rows[3:].reshape(bones, 4, total, 2)
        rows[..., 1] = parts[:, end - bones * total : end].reshape(4, bones, total).swapaxes(0, 1)


def _all_angles(keys: LevelKeys, animations: range, total: int, bones: int) -> NDArray[Any]:
    """Return the angles of all key frames of some animations, (total, bones, 3)."""
    first = int(keys.first_keys[animations.start])
    if (keys.rotation_counts[first : first + total] == bones).all():
        start = int(keys.first_rotations[first])
        return keys.angles[start : start + total * bones].reshape(total, bones, 3)
    return np.concatenate([_columns(keys.keys(index).angles, bones) for index in animations])


def _columns(angles: NDArray[Any], bones: int) -> NDArray[Any]:
    """Return angles with exactly one rotation per bone, padded with zeros or truncated."""
    if angles.shape[1] >= bones:
        return angles[:, :bones]
    return np.pad(angles, ((0, 0), (0, bones - angles.shape[1]), (0, 0)))
