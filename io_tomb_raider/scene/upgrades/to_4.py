"""To version 4: a level has a number of its own, and all its things know whose they are."""

from __future__ import annotations

from random import SystemRandom

import bpy
from bpy.types import Collection

from .stored import objects_of, stored, storing

_MOST = (1 << 31) - 1


def upgrade(root: Collection) -> None:
    """Give a level a number, and its objects, their meshes and its models' actions with it.

    Copies of one level's scene in a file, each with its own root, come to be levels of their own.
    """
    number = SystemRandom().randint(1, _MOST)
    storing(root)["origin"] = number
    things = objects_of(root)
    for thing in things:
        storing(thing)["origin"] = number
        if thing.data is not None and thing.type == "MESH":
            storing(thing.data)["origin"] = number
    models = set(things)
    for action in bpy.data.actions:
        if stored(action).get("model") in models:
            storing(action)["origin"] = number
