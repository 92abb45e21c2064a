"""Where objects stand in the world."""

from __future__ import annotations

from bpy.types import Object
from mathutils import Matrix


def world_matrix(thing: Object) -> Matrix:
    """Return where an object stands, also where its collection is hidden and Blender doesn't evaluate it.

    Constraints and animation count only where Blender has evaluated the object.
    """
    if thing.constraints or thing.animation_data:
        return thing.matrix_world.copy()
    if thing.parent is None:
        return thing.matrix_basis.copy()
    if thing.parent_type != "OBJECT":
        return thing.matrix_world.copy()
    return world_matrix(thing.parent) @ thing.matrix_parent_inverse @ thing.matrix_basis
