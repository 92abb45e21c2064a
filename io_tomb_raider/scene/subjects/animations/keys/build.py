"""Construction of a model's actions with their curves.

All but the first action are copies, because that is the fastest way in Blender.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray

from ....core.blender import compat
from .curves import curve_paths
from .level_curves import ModelCurves


def build_actions(
    names: Sequence[str], armature: Object, bones: Sequence[str], curves: ModelCurves
) -> list[Action]:
    """Make an action for each animation of a model, with linear keys and a frame range."""
    counts = np.diff(curves.begins) if len(curves.rows) else np.zeros(len(names), np.int64)
    actions: dict[int, Action] = {}
    source: Any = None
    last = 0
    # In ascending order of keys, so that a copy only needs its additional keys.
    for number in np.argsort(counts, kind="stable").tolist():
        count = int(counts[number])
        if source is None:
            action = bpy.data.actions.new(names[number])
            # Copies have these values too.
            action.tomb_raider.model = action.tomb_raider.home = armature
            action.use_frame_range = True
            channels = compat.make_channels(action, armature)
            if count:
                _make_curves(channels, bones)
        else:
            action = source.copy()
            action.name = names[number]
            channels = compat.find_channels(action, armature)
        actions[number] = action
        if count:
            _set_keys(channels, curves.of(number), count - last)
            source, last = action, count
    return [actions[number] for number in range(len(names))]


def set_curves(action: Action, armature: Object, bones: Sequence[str], rows: NDArray[np.float32]) -> None:
    """Replace the keys of an action for the bones of its model by :attr:`~.level_curves.ModelCurves.rows`."""
    channels = compat.find_channels(action, armature) or compat.make_channels(action, armature)
    channels.fcurves.clear()
    for group in list(channels.groups):
        channels.groups.remove(group)
    _make_curves(channels, bones)
    _set_keys(channels, rows, rows.shape[1] // 2)


def _make_curves(channels: Any, bones: Sequence[str]) -> None:
    """Make curves without keys for bones."""
    groups = {name: channels.groups.new(name) for name in bones}
    owners = [*(bones[0] for _ in range(3)), *(name for name in bones for _ in range(4))]
    for (path, part), owner in zip(curve_paths(bones), owners, strict=True):
        channels.fcurves.new(path, index=part).group = groups[owner]


def _set_keys(channels: Any, rows: NDArray[np.float32], missing: int) -> None:
    """Set the keys of curves, after adding the missing ones."""
    linear = np.full(rows.shape[1] // 2, compat.LINEAR, np.uint8)
    # Blender accepts keys curve by curve only. They are sorted and linear, so update() is not needed.
    for curve, row in zip(channels.fcurves, rows, strict=True):
        points = curve.keyframe_points
        if missing:
            points.add(missing)
            points.foreach_set("interpolation", linear)
        points.foreach_set("co", row)
