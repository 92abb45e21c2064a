"""3D views follow a model that a chain moves. Cameras do not: they are part of the level."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.types import Object, Scene
from mathutils import Vector


class _Followed:
    """The followed model at the last frame, by its session number, since undo replaces data-blocks."""

    uid = 0
    place = Vector((0.0, 0.0, 0.0))


def follow(scene: Scene, *_args: object) -> None:
    """Move the views of a scene as far as the active model has moved; handler of frame changes."""
    if scene.tomb_raider.watching.motion != "FOLLOW" or bpy.app.is_job_running("RENDER"):
        _Followed.uid = 0
        return
    from ...scene.subjects.animations import is_playing
    from ...scene.subjects.models import armature_of_model

    armature = armature_of_model(bpy.context.object)
    plays = armature is not None and is_playing(armature)
    if armature is None or not (plays or armature.session_uid == _Followed.uid):
        _Followed.uid = 0
        return
    place = armature.matrix_world.translation.copy()
    if armature.session_uid == _Followed.uid:
        move_views(views_of(scene), place - _Followed.place)
    # One frame after the chain counts: stopping it puts the model back.
    _Followed.uid, _Followed.place = armature.session_uid if plays else 0, place


def views_of(scene: Scene) -> list[Any]:
    """Return the regions of all 3D views that show a scene."""
    windows: Iterable[Any] = bpy.context.window_manager.windows
    areas = [area for window in windows if window.scene == scene for area in window.screen.areas]
    return [area.spaces.active.region_3d for area in areas if area.type == "VIEW_3D"]


def move_views(regions: Iterable[Any], by: Vector) -> None:
    """Move views, except those through a camera."""
    for region in regions:
        if region.view_perspective != "CAMERA" and by.length > 0:
            region.view_location = region.view_location + by


def playing_armature(obj: Object | None) -> Object | None:
    """Return the armature of an object's model if it plays a chain, or None."""
    from ...scene.subjects.animations import is_playing
    from ...scene.subjects.models import armature_of_model

    armature = armature_of_model(obj)
    return armature if armature is not None and is_playing(armature) else None
