"""Upgrade to version 1: levels store which subjects were imported."""

from __future__ import annotations

import bpy
from bpy.types import Collection

from .stored import kind_of, objects_of, stored, storing

_MODEL = 2
_ANIMATIONS = 64
# The bit of the subject by the number of the objects' kind.
_SUBJECTS = {
    _MODEL: 32,
    4: 1,  # static meshes
    5: 2,  # placed static meshes
    6: 16,  # entities
    7: 4,  # lights
    8: 8,  # sprites
    9: 8,  # pictures of sprite sequences
}


def upgrade(root: Collection) -> None:
    """Store the subjects with objects in the scene."""
    objects = objects_of(root)
    subjects = 0
    for kind in {kind_of(obj) for obj in objects}:
        subjects |= _SUBJECTS.get(kind, 0)
    models = {obj for obj in objects if kind_of(obj) == _MODEL}
    if any(stored(action).get("model") in models for action in bpy.data.actions):
        subjects |= _ANIMATIONS
    storing(root)["imported"] = stored(root).get("imported", 0) | subjects
