"""The place of the game's camera behind Lara, and a camera that follows her from there."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, pi, radians, sin

import bpy
import numpy as np
from bpy.types import Collection, Object, Scene
from mathutils import Matrix, Vector

from ....formats import ExportError
from ....formats.base.messages import T
from ...core.space import world_matrix
from ..entities.entities import lara_of
from ..meshes.placed import world_corners
from .fixed import new_camera
from .looking import DEFAULT_FOV

_NAME = T("Camera behind Lara")
# Units and degrees of the engines' cameras without collisions.
_DISTANCE = 1536
_HEIGHT = 512
_ELEVATION = radians(10)
_NEAREST = 512  # units from the point that is looked at
_FROM_WALL = 128


def eye_behind(lara: Object, rooms: Iterable[Object], scale: float) -> tuple[Matrix, float]:
    """Return the matrix of an eye behind Lara in world space, and the distance to orbit at.

    Like the game's camera, the eye is not behind walls.

    Args:
        lara: the entity.
        rooms: rooms with vertices; hidden ones are ignored.
        scale: Blender units per unit of the game.
    """
    matrix = world_matrix(lara)
    place = Matrix.Translation(matrix.translation[:]) @ matrix.to_quaternion().to_matrix().to_4x4()
    turn = (place @ Matrix.Rotation(pi / 2 - _ELEVATION, 4, "X")).to_3x3()
    target = place @ Vector((0.0, 0.0, _HEIGHT * scale))
    back = turn @ Vector((0.0, 0.0, 1.0))
    distance = orbit_distance(scale)
    for room in _rooms_along(rooms, target, target + back * distance):
        own = world_matrix(room).inverted_safe()
        hit, point, _, _ = room.ray_cast(own @ target, own.to_3x3() @ back, distance=distance)
        if hit:
            distance = min(distance, (world_matrix(room) @ point - target).length - _FROM_WALL * scale)
    distance = max(distance, _NEAREST * scale)
    return Matrix.Translation((target + back * distance)[:]) @ turn.to_4x4(), distance


def orbit_distance(scale: float) -> float:
    """Return the distance of the camera from the point that it looks at, in Blender units."""
    return _DISTANCE * scale


def _rooms_along(rooms: Iterable[Object], start: Vector, end: Vector) -> list[Object]:
    """Return the visible rooms whose boxes touch the box around a line: a ray takes time in each room."""
    seen = [room for room in rooms if room.visible_get()]
    corners = world_corners(seen)
    ends = np.array([start, end])
    low, high = ends.min(axis=0), ends.max(axis=0)
    is_near = ((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1) if seen else ()
    return [room for room, near in zip(seen, is_near, strict=True) if near]


def camera_behind(root: Collection, scene: Scene) -> Object:
    """Set a camera that follows Lara as the scene's camera, and return it; each Lara gets only one.

    It is not in the level's collections, so it is not exported.

    Raises:
        ExportError: if the level has no Lara.
    """
    lara = lara_of(root)
    if lara is None:
        raise ExportError(root.name, T("no entity is Lara"))
    found = (child for child in lara.children if child.type == "CAMERA" and child.name.startswith(_NAME))
    camera = next(found, None)
    scale = root.tomb_raider.scale
    if camera is None:
        camera = bpy.data.objects.new(_NAME, new_camera(_NAME, DEFAULT_FOV, scale))
        camera.parent = lara
    if camera.name not in scene.collection.objects:
        scene.collection.objects.link(camera)
    back, up = _DISTANCE * cos(_ELEVATION), _HEIGHT + _DISTANCE * sin(_ELEVATION)
    camera.location = (0.0, -back * scale, up * scale)
    camera.rotation_euler = (pi / 2 - _ELEVATION, 0.0, 0.0)
    scene.camera = camera
    return camera
