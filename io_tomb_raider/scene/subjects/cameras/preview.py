"""Preview of flyby sequences as the game plays them, by a camera that is not part of the level."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import FLYBY_CAMERA, T
from ....formats.levels.animations import continuous_quaternions
from ....formats.levels.cameras import CUT_TARGET, cuts, fly, looks_at_lara, tracks_entity
from ...core.blender import compat
from ...core.membership import home_of, members_of
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ..entities.entities import lara_of
from .camera_keys import animate, vector
from .fixed import new_camera
from .flybys import read_flyby
from .looking import lens_of_fov, look_rotations


def sequence_of(root: Collection, number: int) -> list[Object]:
    """Return the cameras of a level's flyby sequence in the order of the flight."""
    objects = [obj for obj in members_of(root, Kind.FLYBY) if obj.tomb_raider.flyby.sequence == number]
    return sorted(objects, key=lambda obj: (obj.tomb_raider.flyby.number, obj.tomb_raider.index))


def preview_flyby(root: Collection, number: int) -> tuple[Object, int]:
    """Animate a camera along a sequence as the game does, from frame 0 on, replacing the last preview.

    Returns:
        The camera, and the number of frames.

    Raises:
        ExportError: if there is no such sequence, or one of its values does not fit the file.
    """
    objects = sequence_of(root, number)
    if not objects:
        raise ExportError(root.name, T("it has no flyby sequence {number}", number=number))
    space = Space.of(root)
    flight = fly(_records(root, objects, space), Game[root.tomb_raider.game])
    camera = _camera(root, objects, space)
    data: Any = camera.data
    turns = look_rotations(flight.positions, flight.targets, flight.rolls)
    quaternions = np.array([Matrix(each.tolist()).to_quaternion()[:] for each in turns])
    channels = vector("location", space.to_blender(flight.positions))
    channels += vector("rotation_quaternion", continuous_quaternions(quaternions))
    maker = compat.CurveMaker()
    try:
        animate(maker, camera, channels)
        animate(maker, data, [("lens", 0, lens_of_fov(flight.fovs, data.sensor_width))])
    finally:
        maker.close()
    return camera, len(flight)


def _records(root: Collection, objects: list[Object], space: Space) -> NDArray[np.void]:
    """Return the records of a sequence's cameras, with tracked objects as their targets."""
    records = np.zeros(len(objects), FLYBY_CAMERA)
    lara, game = lara_of(root), Game[root.tomb_raider.game]
    for row, obj in enumerate(objects):
        record, settings = records[row], obj.tomb_raider.flyby
        read_flyby(obj, world_matrix(obj), record, None, space, rebuild=True)
        if cuts(settings.flags) and settings.cut_to in objects:
            record["timer"] = CUT_TARGET.fit(objects.index(settings.cut_to))
        watched = settings.tracks if tracks_entity(game, settings.flags) else None
        if looks_at_lara(objects[0].tomb_raider.flyby.flags):
            watched = lara
        if watched is not None:
            record["target"] = space.to_file_int(np.array(world_matrix(watched).translation), watched.name)
    return records


def _camera(root: Collection, objects: list[Object], space: Space) -> Object:
    """Return a camera without animation: the last preview camera of these cameras, or a new one."""
    previews = {obj.tomb_raider.flyby.preview for obj in objects} - {None}
    camera = next((obj for obj in previews if obj.type == "CAMERA"), None)
    if camera is None:
        name = f"Flyby {objects[0].tomb_raider.flyby.sequence} Preview"
        camera = bpy.data.objects.new(name, new_camera(name, 0x4000, space.scale))
        home_of(root, Kind.CAMERAS).objects.link(camera)
    camera.rotation_mode = "QUATERNION"
    for user in (camera, camera.data):
        data = user.animation_data
        if data is not None and data.action is not None:
            bpy.data.actions.remove(data.action)
    for obj in objects:
        obj.tomb_raider.flyby.preview = camera
    return camera
