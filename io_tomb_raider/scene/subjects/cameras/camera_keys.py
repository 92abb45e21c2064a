"""Actions with a key for every frame: what films move cameras by."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ...core import compat

# A property's path, the index of its part, and a value for each frame.
Channel = tuple[str, int, NDArray[Any]]


def vector(path: str, values: NDArray[Any]) -> list[Channel]:
    """Return the channels of a property of several parts; ``values`` is (n frames, parts)."""
    return [(path, part, values[:, part]) for part in range(values.shape[1])]


def animate(maker: compat.CurveMaker, user: Any, channels: list[Channel]) -> Action:
    """Give an object or its data a new action with a linear key for every frame, from frame 0 on.

    Args:
        maker: of curves.
        user: what is animated.
        channels: at least one, all of the same length.
    """
    count = len(channels[0][2])
    action = bpy.data.actions.new(user.name)
    action.use_frame_range = True
    action.frame_start, action.frame_end = 0, max(count - 1, 0)
    home = compat.make_channels(action, user)
    group = home.groups.new(user.name)
    keys = np.empty((count, 2), np.float32)
    keys[:, 0] = np.arange(count)
    for path, index, values in channels:
        keys[:, 1] = values
        maker.make(home, path, index, group, keys.ravel())
    compat.assign_action(user, action)
    return action
