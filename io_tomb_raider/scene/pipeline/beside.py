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
    for child in collection.children:
        if is_level(child):
            yield child
        else:
            yield from _levels_in(child)


def move(root: Collection, offset: Vector) -> None:
    """Move a whole level, including its libraries, by a vector in Blender units."""
    for obj in members(root):
        if _has_own_place(obj):
            obj.location += offset
    for collection in dict.fromkeys(
        root.children_recursive
    ):  # Lara's figures contain other models' collections
        if collection.tomb_raider.kind == Kind.MODEL:
            collection.instance_offset += offset
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
    points = np.concatenate((world_corners(rooms).reshape(-1, 3)[:, :2], _outermost(objects, reach)))
    points = points[(np.abs(points) <= reach).all(axis=1)]
    if not len(points):
        return np.zeros(2), np.zeros(2)
    return points.min(axis=0), points.max(axis=0)


def _outermost(objects: Sequence[Object], reach: float) -> NDArray[np.float64]:
    """Return the places on the ground, (n, 2), of the outermost objects besides rooms."""
    positions = np.array([obj.location[:2] for obj in objects], np.float64).reshape(-1, 2)
    is_near = (np.abs(positions) <= reach).all(axis=1)
    if not is_near.all():
        positions, objects = positions[is_near], [objects[index] for index in np.flatnonzero(is_near)]
    orders = np.argsort(np.concatenate((positions, -positions), axis=1), axis=0).T.tolist()
    # From the outermost inward, as checking objects takes time.
    ends = (next((index for index in order if _is_bounding(objects[index])), None) for order in orders)
    return positions[[index for index in ends if index is not None]]


def _is_bounding(obj: Object) -> bool:
    """Return whether an object's own place counts for the bounds; rooms have vertices instead."""
    return obj.tomb_raider.kind != Kind.ROOM and _has_own_place(obj)
