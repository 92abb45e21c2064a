"""The bones of a model that are left and right of each other."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...subjects.animations.key_poses import RestPose


def partners_of(armature: Object, rest: RestPose) -> NDArray[np.int64]:
    """Return for each of a model's m bones the number of that on the other side, else its own, (m,).

    Bones are pairs by their names, as for Blender's X-mirror: ``Foot.L`` and ``Foot.R``.
    """
    numbers = {name: number for number, name in enumerate(rest.names)}
    return np.array([numbers.get(bpy.utils.flip_name(name), numbers[name]) for name in rest.names], np.int64)
