"""A camera that sees Lara as the game's does: behind her, a little above, looking over her."""

from __future__ import annotations

from math import cos, pi, radians, sin

import bpy
from bpy.types import Collection, Object, Scene

from ....formats import ExportError
from ..entities.entities import lara_of
from .fixed import new_camera
from .looking import DEFAULT_FOV

_NAME = "Camera behind Lara"
# Units and degrees, as the engines' cameras have them while nothing else moves them.
_DISTANCE = 1536
_HEIGHT = 512
_ELEVATION = radians(10)


def camera_behind(root: Collection, scene: Scene) -> Object:
    """Make the scene's camera one behind Lara, which follows her, and return it; made once for each Lara.

    It stands beside the level, so it is nothing of it and is not exported.

    Raises:
        ExportError: where the level has no Lara.
    """
    lara = lara_of(root)
    if lara is None:
        raise ExportError(root.name, "no entity is Lara")
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
