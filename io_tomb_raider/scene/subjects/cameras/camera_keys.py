"""Camera actions with a key for every frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ...core.blender import compat

# The path of a property, the index in its array, and a value for each frame.
Channel = tuple[str, int, NDArray[Any]]


def vector(path: str, values: NDArray[Any]) -> list[Channel]:
    """Return the channels of a vector property; ``values`` is (n frames, components)."""
    return [(path, part, values[:, part]) for part in range(values.shape[1])]


def animate(
    maker: compat.CurveMaker, user: Any, channels: Sequence[Channel], groups: Sequence[str] = ()
) -> Action:
    """Assign a new action with a linear key for every frame to an object or its data, from frame 0 on.

    ``groups`` has the group of each channel; by default all are in one.
    """
    count = len(channels[0][2])
    action = bpy.data.actions.new(user.name)
    action.use_frame_range = True
    action.frame_start, action.frame_end = 0, max(count - 1, 0)
    owner = compat.make_channels(action, user)
    groups = groups or [user.name] * len(channels)
    by_name = {name: owner.groups.new(name) for name in dict.fromkeys(groups)}
    keys = np.empty((count, 2), np.float32)
    keys[:, 0] = np.arange(count)
    for (path, index, values), group in zip(channels, groups, strict=True):
        keys[:, 1] = values
        maker.make(owner, path, index, by_name[group], keys.ravel())
    compat.assign_action(user, action)
    return action
