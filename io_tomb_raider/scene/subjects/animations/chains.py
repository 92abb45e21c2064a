"""Chains of animations, to be watched: one plays, then what follows it, on NLA tracks of their own.

The tracks lie above all others, and the action in use has no influence meanwhile; it stays in use, with
its slot. One track holds a strip for each animation. The other moves the armature as games move what plays
the animations: by their speeds, and by their commands that set the position. Exports know neither.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import floor
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, NlaTrack, Object, Scene
from mathutils import Vector

from ...core import compat
from .commands import first_frame, last_frame
from .transitions import next_of, target_of

_TRACKS = ("Tomb Raider Chain", "Tomb Raider Chain Motion")
_LONGEST = 32  # animations in a chain
_HALF = 0.5  # frames: strips must not touch, since the earlier one would hide the first frame of the next


@dataclass(frozen=True)
class Link:
    """A part of a chain: an action from one frame to another, both counted from its start and played."""

    action: Action
    first: int
    last: int

    @property
    def frames(self) -> int:
        """How many frames it plays."""
        return self.last - self.first + 1


def is_chain_track(track: NlaTrack) -> bool:
    """Tell whether an NLA track was made to watch a chain. One that the user has renamed is the user's."""
    return track.name.split(".")[0] in _TRACKS


def is_playing(armature: Object) -> bool:
    """Tell whether an armature plays a chain, or still has to get back what was put aside for one."""
    data = armature.animation_data
    has_tracks = data is not None and any(is_chain_track(track) for track in data.nla_tracks)
    return has_tracks or bool(armature.tomb_raider.chain.is_playing)


# --- What plays ----------------------------------------


def length(action: Action) -> int:
    """Return the last frame of an action, counted from its start."""
    return max(last_frame(action) - first_frame(action), 0)


def chain_of(action: Action, start: int = 0) -> list[Link]:
    """Return what games play from a frame of an action on, up to the end of the second round of its loop."""
    links: list[Link] = []
    played: Counter[tuple[Action, int]] = Counter()
    while played[action, start] < 2 and len(links) < _LONGEST:
        played[action, start] += 1
        first = min(max(start, 0), length(action))
        links.append(Link(action, first, length(action)))
        action, start = next_of(action) or action, action.tomb_raider.next_frame
    return links


def chain_through(action: Action, number: int, start: int = 0, now: int = 0) -> list[Link]:
    """Return what games play when a state is wanted that one of an action's dispatches leads to.

    Args:
        action: plays first.
        number: of the dispatch; it must lead to an action.
        start: the frame that the action begins at.
        now: where to leave the action, if the dispatch allows it there, else where it first does.
    """
    dispatch = action.tomb_raider.dispatches[number]
    leave = now if dispatch.low <= now <= dispatch.high else dispatch.low
    last = min(max(leave - 1, 0), length(action))
    target = target_of(dispatch)
    assert target is not None
    return [Link(action, min(max(start, 0), last), last), *chain_of(target, dispatch.frame)]


def places_of(links: list[Link], scale: float) -> np.ndarray:
    """Return where a model that starts at the origin is at each frame of a chain, shape (frames, 3) float64.

    Games add the speed, cut to whole units, as they come to a frame, and set the position between animations.
    """
    places: list[Any] = []
    place = Vector((0.0, 0.0, 0.0))
    for number, link in enumerate(links):
        settings = link.action.tomb_raider
        for frame in range(link.first, link.last + 1):
            if places:
                place += Vector(
                    (
                        floor(settings.lateral_speed + settings.lateral_acceleration * frame),
                        floor(settings.speed + settings.acceleration * frame),
                        0,
                    )
                )
            places.append(place.copy())
        if link.last == length(link.action) and number + 1 < len(links):
            for command in settings.commands:
                if command.command == "POSITION":
                    place += Vector(command.position)
    return np.array([tuple(each) for each in places]) * scale


# --- Playing ----------------------------------------


def play(armature: Any, scene: Scene, links: list[Link], scale: float, *, moves: bool = True) -> int:
    """Play a chain on an armature in the preview range, from frame 0 on, and return its last frame.

    Args:
        armature: its pose must have been built.
        scene: whose preview range is set.
        links: what plays.
        scale: Blender units per unit of the game.
        moves: whether the armature moves, too.
    """
    stop(armature, scene)
    data = armature.animation_data or armature.animation_data_create()
    _put_aside(armature, scene)
    track = _new_track(data, _TRACKS[0])
    begin = 0
    for link in links:
        _add_strip(track, armature, link, begin)
        begin += link.frames
    if moves:
        _add_motion(_new_track(data, _TRACKS[1]), armature, places_of(links, scale))
    data.action_influence = 0.0
    _preview(scene, 0, begin - 1)
    scene.frame_set(0)
    return begin - 1


def stop(armature: Any, scene: Scene) -> None:
    """Remove an armature's chain, and put back what was put aside for it."""
    data, kept = armature.animation_data, armature.tomb_raider.chain
    if data is not None:
        for track in [track for track in data.nla_tracks if is_chain_track(track)]:
            helpers = [strip.action for strip in track.strips if strip.action is not None]
            data.nla_tracks.remove(track)
            for action in helpers:
                if action.tomb_raider.is_helper and not action.users:
                    bpy.data.actions.remove(action)
    if not kept.is_playing:
        return
    kept.is_playing = False
    if data is not None:
        data.action_influence = kept.influence
    armature.delta_location = kept.delta
    _preview(scene, kept.preview_start, kept.preview_end)
    scene.use_preview_range = kept.use_preview_range
    scene.frame_set(kept.frame)


def _put_aside(armature: Object, scene: Scene) -> None:
    kept = armature.tomb_raider.chain
    kept.is_playing = True
    kept.influence = armature.animation_data.action_influence
    kept.delta = armature.delta_location
    kept.use_preview_range = scene.use_preview_range
    kept.preview_start, kept.preview_end = scene.frame_preview_start, scene.frame_preview_end
    kept.frame = scene.frame_current


def _preview(scene: Scene, start: int, end: int) -> None:
    """Set the preview range. Blender keeps its start before its end, and forgets both where it is off."""
    scene.use_preview_range = True
    scene.frame_preview_start = start
    scene.frame_preview_end = end
    scene.frame_preview_start = start


def _new_track(data: Any, name: str) -> NlaTrack:
    track = data.nla_tracks.new()
    track.name = name
    return track


def _add_strip(track: NlaTrack, user: Object, link: Link, begin: int) -> None:
    strip = track.strips.new(link.action.name, begin, link.action)
    start = first_frame(link.action) + link.first
    strip.use_auto_blend = False
    strip.blend_type = "REPLACE"
    strip.extrapolation = "HOLD_FORWARD"
    strip.use_sync_length = False
    strip.scale = strip.repeat = 1.0
    strip.frame_end = begin + link.frames - _HALF
    strip.action_frame_start, strip.action_frame_end = start, start + link.frames - _HALF
    strip.frame_start, strip.frame_end = begin, begin + link.frames - _HALF
    compat.assign_strip_slot(strip, user)


def _add_motion(track: NlaTrack, armature: Object, places: np.ndarray) -> None:
    """Move an armature, by an offset that exports don't look at, along places frame by frame."""
    action = bpy.data.actions.new(_TRACKS[1])
    action.tomb_raider.is_helper = True
    channels = compat.make_channels(action, armature)
    maker = compat.CurveMaker()
    try:
        group = channels.groups.new(_TRACKS[1])
        frames = np.arange(len(places))
        for index, offset in enumerate(armature.delta_location[:]):
            keys = np.stack((frames, places[:, index] + offset), axis=1).astype(np.float32)
            maker.make(channels, "delta_location", index, group, keys.ravel())
    finally:
        maker.close()
    strip = track.strips.new(action.name, 0, action)
    strip.extrapolation, strip.use_auto_blend = "HOLD_FORWARD", False
    compat.assign_strip_slot(strip, armature)
