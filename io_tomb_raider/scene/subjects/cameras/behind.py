"""A camera that follows Lara from the place of the game's camera."""

from __future__ import annotations

from math import cos, pi, radians, sin

import bpy
from bpy.types import Collection, Object, Scene

from ....formats import ExportError
from ....formats.base import T
from ..entities.entities import lara_of
from .fixed import new_camera
from .looking import DEFAULT_FOV

_NAME = T("Camera behind Lara")
# Units and degrees of the engines' cameras without collisions.
_DISTANCE = 1536
_HEIGHT = 512
_ELEVATION = radians(10)


def orbit_distance(scale: float) -> float:
    """Return the distance of the camera from the point that it looks at, in Blender units."""
    return _DISTANCE * scale


def camera_behind(root: Collection, scene: Scene) -> Object:
    """Set a camera that follows Lara as the scene's camera, and return it; each Lara gets only one.

    It is not in the level's collections, so it is not exported.

    Raises:
        ExportError: if the level has no Lara.
    """
    lara = lara_of(root)
    if lara is None:
        raise ExportError(root.name, T("no entity is Lara"))
    cameras = (child for child in lara.children if child.type == "CAMERA" and child.name.startswith(_NAME))
    camera = next(cameras, None)
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
