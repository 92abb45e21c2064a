"""Placement of an imported level next to the others in its scene, by a whole number of sectors.

The level's root collection stores the offset, which exports subtract (:class:`..core.space.Space`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np
from bpy.types import Collection, Object, Scene
from mathutils import Vector
from numpy.typing import NDArray

from ...formats.base import SECTOR_SIZE
from ..core.membership import is_level, members
from ..core.space import has_finite_place
from ..core.subjects import Kind
from ..subjects.meshes.placed import rooms_with_vertices, world_corners

_REACH = 1 << 31  # units of the game: objects farther away, or at no finite place, are ignored
_GAP = 16  # sectors between two levels, libraries included


def place_next_to_levels(scene: Scene, root: Collection) -> bool:
    """Move a level that was just imported past the scene's other levels. Return whether there are any."""
    boxes = [_box(each) for each in _levels_in(scene.collection) if each != root]
    if not boxes:
        return False
    sector = SECTOR_SIZE * root.tomb_raider.scale
    low, high = _box(root)[0], max(box[1][1] for box in boxes)
    aside = min(box[0][0] for box in boxes) - low[0]
    behind = high - low[1] + _GAP * sector
    move(root, Vector((round(aside / sector) * sector, ceil(behind / sector) * sector, 0.0)))
    return True


def _levels_in(collection: Collection) -> Iterator[Collection]:
    """Yield the levels in a collection, at any depth, but not within other levels."""
    for home in collection.children:
        if is_level(home):
            yield home
        else:
            yield from _levels_in(home)


def move(root: Collection, offset: Vector) -> None:
    """Move a whole level, including its libraries, by a vector in Blender units."""
    for obj in members(root):
        if _has_own_place(obj):
            obj.location += offset
    for home in dict.fromkeys(root.children_recursive):  # Lara's figures contain other models' collections
        if home.tomb_raider.kind == Kind.MODEL:
            home.instance_offset += offset
    root.tomb_raider.offset += offset


def _has_own_place(obj: Object) -> bool:
    """Return whether an object's place does not follow another object."""
    return obj.parent is None and not any(each.type == "CHILD_OF" for each in obj.constraints)


def _box(root: Collection) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bounds, (2,) each, of a level on the ground: of rooms and unparented objects."""
    # Most objects are children of rooms or models and within their bounds: skip them.
    parents = {obj: obj.parent for obj in members(root)}
    handles = {each for each in set(parents.values()) if each is None or each.tomb_raider.kind == Kind.NONE}
    objects = [obj for obj, parent in parents.items() if parent in handles]
    rooms = [room for room in rooms_with_vertices(objects) if has_finite_place(room)]
    reach = _REACH * root.tomb_raider.scale
    found = np.concatenate((world_corners(rooms).reshape(-1, 3)[:, :2], _outermost(objects, reach)))
    found = found[(np.abs(found) <= reach).all(axis=1)]
    if not len(found):
        return np.zeros(2), np.zeros(2)
    return found.min(axis=0), found.max(axis=0)


def _outermost(objects: Sequence[Object], reach: float) -> NDArray[np.float64]:
    """Return the places on the ground, (n, 2), of the outermost objects besides rooms."""
    places = np.array([obj.location[:2] for obj in objects], np.float64).reshape(-1, 2)
    near = (np.abs(places) <= reach).all(axis=1)
    if not near.all():
        places, objects = places[near], [objects[number] for number in np.flatnonzero(near)]
    orders = np.argsort(np.concatenate((places, -places), axis=1), axis=0).T.tolist()
    # From the outermost inward, as checking objects takes time.
    ends = (next((number for number in order if _is_bounding(objects[number])), None) for order in orders)
    return places[[number for number in ends if number is not None]]


def _is_bounding(obj: Object) -> bool:
    """Return whether an object's own place counts for the bounds; rooms have vertices instead."""
    return obj.tomb_raider.kind != Kind.ROOM and _has_own_place(obj)
