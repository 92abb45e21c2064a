"""The bones of a model that are left and right of each other."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...subjects.animations.keys.key_poses import RestPose

_MIRRORED = 0.3  # of a bone's distance from its parent: how far artists were off from the mirrored bone
_FLIP = np.array([-1.0, 1.0, 1.0])


def partners_of(rest: RestPose) -> NDArray[np.int64]:
    """Return for each of a model's m bones the number of that on the other side, else its own, (m,).

    Bones are pairs by their names, as for Blender's X-mirror: ``Foot.L`` and ``Foot.R``. Others are pairs if
    their parents are, or are one bone, if they mirror each other at rest, and as many bones hang on each.
    """
    numbers = {name: number for number, name in enumerate(rest.names)}
    named = [numbers.get(bpy.utils.flip_name(name), numbers[name]) for name in rest.names]
    result = np.array(named, np.int64)
    parents = rest.parents.tolist()
    sizes = np.ones(len(parents), np.int64)
    for bone in reversed(range(len(parents))):
        if parents[bone] >= 0:
            sizes[parents[bone]] += sizes[bone]
    free = {bone for bone in range(len(parents)) if result[bone] == bone}
    for bone, parent in enumerate(parents):
        if bone not in free or parent < 0:
            continue
        among = [each for each in free if parents[each] == result[parent] and sizes[each] == sizes[bone]]
        if not among:
            continue
        mirrored = rest.heads[bone] * _FLIP
        apart = np.linalg.norm(rest.heads[among] - mirrored, axis=1)
        other = among[int(np.argmin(apart))]
        arm = np.linalg.norm(rest.heads[bone] - rest.heads[parent])
        if other != bone and apart.min() <= _MIRRORED * arm:
            result[bone], result[other] = other, bone
            free -= {bone, other}
    return result
