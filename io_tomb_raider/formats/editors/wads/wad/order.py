"""The order that readers of WADs require: models by number, their animations and key frames alike.

A model stores the start of its animations, not their number: they end at those of the next model.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays.typing import Ints
from ....edits.references.renumbering import renumber, sort
from ....levels.animations.animations import animation_models, model_animations
from ....levels.animations.key_places import find_keys
from ....levels.level.level import Level


def in_model_order(level: Level) -> Level:
    """Return a level whose models, animations and key frames are in the order of a WAD.

    Args:
        level: a level of TR4; it is returned itself if the order is right.
    """
    rows = np.argsort(level.models["id"], kind="stable")
    first, count = model_animations(level.models, level.animations)
    spans = [np.arange(first[row], first[row] + count[row]) for row in rows if first[row] >= 0]
    owned = np.concatenate([np.zeros(0, np.int64), *spans]).astype(np.int64)
    _, rows_of_owned = np.unique(owned, return_index=True)
    owned = owned[np.sort(rows_of_owned)]  # shared ones once
    unowned = np.setdiff1d(np.arange(len(level.animations)), owned)
    order = np.concatenate([unowned, owned])
    in_order = np.array_equal(order, np.arange(len(order))) and np.array_equal(rows, np.arange(len(rows)))
    offsets = level.animations["frame_offset"][order].astype(np.int64)
    if in_order and (np.diff(offsets) >= 0).all():
        return level
    result = level.copy()
    words = _sort_frames(result, order)
    renumber(result, "frames", words)
    sort(result, "animations", order)
    result.models = result.models[rows]
    return result


def _sort_frames(level: Level, order: Ints) -> Ints:
    """Sort key frames by the order of animations; return the new position of each old word.

    Words that belong to no key frame stay after the frames before them.
    """
    frames = level.frames
    owned = animation_models(level.models, level.animations) >= 0
    keys = find_keys(level.game, frames, level.animations, owned)
    claiming = np.flatnonzero(owned & (keys.key_counts > 0))
    starts = np.unique(np.append(level.animations["frame_offset"][claiming].astype(np.int64) // 2, 0))
    ends = np.append(starts, len(frames))[1:]
    offsets = level.animations["frame_offset"][order].astype(np.int64) // 2
    is_claim = np.isin(order, claiming)
    blocks = np.searchsorted(starts, offsets[is_claim], side="right") - 1
    _, first = np.unique(blocks, return_index=True)
    sequence = blocks[np.sort(first)]
    unclaimed = np.setdiff1d(np.arange(len(starts)), sequence)
    sequence = np.concatenate([unclaimed[unclaimed == 0], sequence, unclaimed[unclaimed != 0]])
    pieces = [np.arange(starts[block], ends[block]) for block in sequence]
    source = np.concatenate([np.zeros(0, np.int64), *pieces]).astype(np.int64)
    level.frames = frames[source]
    result = np.zeros(len(frames) + 1, np.int64)
    result[source] = np.arange(len(source))
    result[-1] = len(frames)
    return result
