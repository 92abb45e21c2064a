"""Watching a flyby sequence as a game flies it, by a camera that is no part of the level."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.animations.rotations import continuous_quaternions
from ....formats.base.records import FLYBY_CAMERA
from ....formats.cameras.splines import CUT_TARGET, Flight, cuts, fly, looks_at_lara, tracks_entity
from ...core import compat
from ...core.members import home_of, members_of
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ..entities.entities import lara_of
from .camera_keys import animate, vector
from .fixed import new_camera
from .flybys import read_flyby
from .looking import lens_of_fov, look_rotations


def sequence_of(root: Collection, number: int) -> list[Object]:
    """Return the cameras of a level's flyby sequence in the order in which they are flown past."""
    things = [thing for thing in members_of(root, Kind.FLYBY) if thing.tomb_raider.flyby.sequence == number]
    return sorted(things, key=lambda thing: (thing.tomb_raider.flyby.number, thing.tomb_raider.index))


def preview_flyby(root: Collection, number: int) -> tuple[Object, int]:
    """Fly a camera along a sequence as the game does, from frame 0 on; it takes the last preview's place.

    Returns:
        The camera, and how many frames it flies.

    Raises:
        ExportError: where there is no such sequence, or a value in it does not fit the file.
    """
    things = sequence_of(root, number)
    if not things:
        raise ExportError(root.name, f"it has no flyby sequence {number}")
    space = Space.of(root)
    flight = fly(_records(root, things, space), Game[root.tomb_raider.game])
    camera = _camera(root, things, space)
    turns = look_rotations(flight.positions, flight.targets, flight.rolls)
    quaternions = np.array([Matrix(each.tolist()).to_quaternion()[:] for each in turns])
    channels = vector("location", space.to_blender(flight.positions))
    channels += vector("rotation_quaternion", continuous_quaternions(quaternions))
    maker = compat.CurveMaker()
    try:
        animate(maker, camera, channels)
        animate(maker, camera.data, [("lens", 0, _lenses(flight, camera))])
    finally:
        maker.close()
    return camera, len(flight)


def _lenses(flight: Flight, camera: Any) -> NDArray[np.float64]:
    return lens_of_fov(flight.fovs, camera.data.sensor_width)


def _records(root: Collection, things: list[Object], space: Space) -> NDArray[np.void]:
    """Return what the cameras of a sequence say, with what they look at in the scene in place of targets."""
    records = np.zeros(len(things), FLYBY_CAMERA)
    lara, game = lara_of(root), Game[root.tomb_raider.game]
    for row, thing in enumerate(things):
        record, settings = records[row], thing.tomb_raider.flyby
        read_flyby(thing, world_matrix(thing), record, None, space, rebuild=True)
        if cuts(settings.flags) and settings.cut_to in things:
            record["timer"] = CUT_TARGET.fit(things.index(settings.cut_to))
        watched = settings.tracks if tracks_entity(game, settings.flags) else None
        if looks_at_lara(things[0].tomb_raider.flyby.flags):
            watched = lara
        if watched is not None:
            record["target"] = space.to_file_int(np.array(world_matrix(watched).translation), watched.name)
    return records


def _camera(root: Collection, things: list[Object], space: Space) -> Object:
    """Return a camera without animation: that of the last preview of these cameras, or a new one."""
    known = {thing.tomb_raider.flyby.preview for thing in things} - {None}
    camera = next((thing for thing in known if thing.type == "CAMERA"), None)
    if camera is None:
        name = f"Flyby {things[0].tomb_raider.flyby.sequence} Preview"
        camera = bpy.data.objects.new(name, new_camera(name, 0x4000, space.scale))
        home_of(root, Kind.CAMERAS).objects.link(camera)
    camera.rotation_mode = "QUATERNION"
    for user in (camera, camera.data):
        data = user.animation_data
        if data is not None and data.action is not None:
            bpy.data.actions.remove(data.action)
    for thing in things:
        thing.tomb_raider.flyby.preview = camera
    return camera
