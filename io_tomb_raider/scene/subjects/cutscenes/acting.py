"""Animations of models played by actors of cutscenes: strips of the NLA editor, and the path of the actor.

Strips pose the bones. The path, keys of the object's location at every frame, is what the games add: the
speeds of animations, and their commands that set the position.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Collection, Object, Scene
from numpy.typing import NDArray

from ...core.blender import compat
from ...core.subjects import Kind
from ..animations.changes.chains import Link, add_strip, length, positions_of
from ..animations.changes.layers import is_helper_track
from ..animations.changes.transitions import next_of
from ..animations.keys.ranges import first_frame

_TRACK = "Animations"
_HALF = 0.5  # frames between strips, see `chains`
_NEAR = 0.25  # frames


def add_animation(
    actor: Object, action: Action, begin: int, scale: float, *, count: int = 1, moves: bool = True
) -> int:
    """Add an animation of its model to an actor from a frame on, and return the last frame.

    It starts where the actor is at that frame, into the direction that it has in the current frame. A larger
    count adds the animations that follow it in the game, too. Keys of the actor's bones override it.
    """
    links = links_from(action, count)
    before = _link_before(actor, begin)
    positions = positions_of(links, scale) if before is None else positions_of([before, *links], scale)[1:]
    if not moves:
        positions[:] = 0.0
    _add_strips(actor, links, begin)
    _key_path(actor, begin, positions)
    return begin + len(positions) - 1


def links_from(action: Action, count: int) -> list[Link]:
    """Return an animation and those that follow it in the game, count in all."""
    links: list[Link] = []
    start = 0
    for _ in range(count):
        links.append(Link(action, min(max(start, 0), length(action)), length(action)))
        action, start = next_of(action) or action, action.tomb_raider.next_frame
    return links


def _link_before(actor: Object, begin: int) -> Link | None:
    """Return the last frame of the animation that ends just before a frame, if it plays to its end."""
    for strip in _strips(actor):
        action = strip.action
        if action is None or abs(strip.frame_end + _HALF - begin) > _NEAR:
            continue
        last = length(action)
        if abs(strip.action_frame_end + _HALF - first_frame(action) - last - 1) < _NEAR:
            return Link(action, last, last)
    return None


def _strips(actor: Object) -> list[Any]:
    data = actor.animation_data
    tracks = [] if data is None else [each for each in data.nla_tracks if not is_helper_track(each)]
    return [strip for track in tracks for strip in track.strips]


def _add_strips(actor: Object, links: list[Link], begin: int) -> None:
    """Add strips after those of the uppermost track, or on a new track above it."""
    data: Any = actor.animation_data_create()
    is_last = all(strip.frame_end < begin for strip in _strips(actor))
    track = data.nla_tracks[-1] if len(data.nla_tracks) and is_last else None
    if track is None or track.lock or track.name.split(".")[0] != _TRACK:
        track = data.nla_tracks.new()
        track.name = _TRACK
    for link in links:
        strip = add_strip(track, actor, link, begin)
        # A strip that holds its last pose would hide later ones on tracks below.
        strip.extrapolation = "HOLD_FORWARD" if is_last else "NOTHING"
        begin += link.frames


def _key_path(actor: Object, begin: int, positions: NDArray[np.float64]) -> None:
    """Key the location of an actor at every frame, along positions relative to its own."""
    data: Any = actor.animation_data
    action = data.action
    if action is None:
        action = bpy.data.actions.new(f"{actor.name} Path")
    channels = compat.find_channels(action, actor) or compat.make_channels(action, actor)
    if data.action is None:
        compat.assign_action(actor, action)
    turn = np.array(actor.matrix_basis.to_quaternion().to_matrix())
    frames = begin + np.arange(len(positions))
    for index, steps in enumerate((positions @ turn.T).T):
        curve = channels.fcurves.find("location", index=index)
        start = actor.location[index] if curve is None or curve.is_empty else curve.evaluate(begin)
        if curve is None:
            curve = channels.fcurves.new("location", index=index)
        points = curve.keyframe_points
        for point in reversed([each for each in points if frames[0] <= each.co.x <= frames[-1]]):
            points.remove(point, fast=True)
        for frame, value in zip(frames.tolist(), (start + steps).tolist(), strict=True):
            points.insert(frame, value, options={"FAST"}).interpolation = "LINEAR"
        curve.update()


def extend_for(actor: Object, scene: Scene, last: int) -> None:
    """Extend the cutscene of an actor, and the scene, to a frame."""
    for collection in actor.users_collection:
        if collection.tomb_raider.kind == Kind.CUTSCENE:
            extend(collection, scene, last)


def extend(collection: Collection, scene: Scene, last: int) -> None:
    """Extend a cutscene, and the scene, to a frame."""
    for camera in collection.objects:
        data = camera.animation_data
        action = None if data is None else data.action
        if camera.tomb_raider.kind == Kind.CUTSCENE_CAMERA and action is not None and action.use_frame_range:
            action.frame_end = max(action.frame_end, last)
    scene.frame_end = max(scene.frame_end, last)
