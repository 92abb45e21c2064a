"""The model whose animation is watched: that of the active object, where it is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from bpy.types import Context, Object

from ...scene.core import Kind
from ..base.active import active_scene
from ..base.levels import level_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Watched(NamedTuple):
    """A model as it is seen."""

    armature: Object  #: the armature that shows it.
    #: (4, 4), from the armature's space to the world, at the entity if that is active.
    matrix: NDArray[np.float64]
    scale: float  #: Blender units per unit of the games.


def watching(context: Context) -> Any:
    """Return the settings of the overlays."""
    return active_scene(context).tomb_raider.watching


def watched(context: Context) -> Watched | None:
    """Return the model of the active object, or None if it has none or is hidden."""
    from ...scene.authoring.animation_views import seen_armature
    from ...scene.subjects.models import posed_armature, to_library

    obj = context.object
    armature = posed_armature(obj)
    if obj is None or armature is None or not obj.visible_get():
        return None
    if obj.tomb_raider.kind == Kind.ENTITY:
        armature = seen_armature(armature)
        matrix = to_library(obj).inverted_safe() @ armature.matrix_world
    else:
        matrix = armature.matrix_world
    level = level_of(armature)
    return Watched(armature, np.array(matrix), 1 / 512 if level is None else level.tomb_raider.scale)
