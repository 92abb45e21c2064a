"""Camera actions with a key for every frame."""

from __future__ import annotations

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


def animate(maker: compat.CurveMaker, user: Any, channels: list[Channel]) -> Action:
    """Assign a new action with a linear key for every frame to an object or its data, from frame 0 on.

    Args:
        maker: makes the curves.
        user: the animated object or data.
        channels: at least one, all of the same length.
    """
    count = len(channels[0][2])
    action = bpy.data.actions.new(user.name)
    action.use_frame_range = True
    action.frame_start, action.frame_end = 0, max(count - 1, 0)
    owner = compat.make_channels(action, user)
    group = owner.groups.new(user.name)
    keys = np.empty((count, 2), np.float32)
    keys[:, 0] = np.arange(count)
    for path, index, values in channels:
        keys[:, 1] = values
        maker.make(owner, path, index, group, keys.ravel())
    compat.assign_action(user, action)
    return action
