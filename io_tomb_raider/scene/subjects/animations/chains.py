"""Preview of chains of animations on NLA tracks: one animation plays, then the next.

The tracks are above all others. The current action has no influence meanwhile, but stays assigned, with its
slot. One track has a strip for each animation. The other moves the armature as the games move entities: by
the speeds of animations, and by their commands that set the position. Exports ignore both tracks.
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
_HALF = 0.5  # frames: strips must not touch, or the earlier one hides the first frame of the next


@dataclass(frozen=True)
class Link:
    """A part of a chain: an action from one frame to another, inclusive, counted from its start."""

    action: Action
    first: int
    last: int

    @property
    def frames(self) -> int:
        """The number of frames."""
        return self.last - self.first + 1


def is_chain_track(track: NlaTrack) -> bool:
    """Return whether an NLA track was made to preview a chain. Renamed tracks belong to the user."""
    return track.name.split(".")[0] in _TRACKS


def is_playing(armature: Object) -> bool:
    """Return whether an armature plays a chain, or still has to be restored after one."""
    data = armature.animation_data
    has_tracks = data is not None and any(is_chain_track(track) for track in data.nla_tracks)
    return has_tracks or bool(armature.tomb_raider.chain.is_playing)


# --- Links ----------------------------------------


def length(action: Action) -> int:
    """Return the last frame of an action, counted from its start."""
    return max(last_frame(action) - first_frame(action), 0)


def chain_of(action: Action, start: int = 0) -> list[Link]:
    """Return what the games play from a frame of an action on, until its loop has played twice."""
    links: list[Link] = []
    played: Counter[tuple[Action, int]] = Counter()
    while played[action, start] < 2 and len(links) < _LONGEST:
        played[action, start] += 1
        first = min(max(start, 0), length(action))
        links.append(Link(action, first, length(action)))
        action, start = next_of(action) or action, action.tomb_raider.next_frame
    return links


def chain_through(action: Action, number: int, start: int = 0, now: int = 0) -> list[Link]:
    """Return what the games play when the state of one of an action's dispatches is requested.

    Args:
        action: the first action.
        number: the index of the dispatch, which must have a target.
        start: the first frame of the action.
        now: the frame at which to leave the action, if the dispatch allows it, else its first allowed frame.
    """
    dispatch = action.tomb_raider.dispatches[number]
    leave = now if dispatch.low <= now <= dispatch.high else dispatch.low
    last = min(max(leave - 1, 0), length(action))
    target = target_of(dispatch)
    assert target is not None
    return [Link(action, min(max(start, 0), last), last), *chain_of(target, dispatch.frame)]


def positions_of(links: list[Link], scale: float) -> np.ndarray:
    """Return the positions at each frame of a chain that starts at the origin, shape (frames, 3) float64.

    The games add the speed, truncated to whole units, at each frame, and set the position between animations.
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


# --- Playback ----------------------------------------


def play(armature: Any, scene: Scene, links: list[Link], scale: float, *, moves: bool = True) -> int:
    """Play a chain on an armature in the preview range, from frame 0 on, and return its last frame.

    Args:
        armature: an armature with a pose.
        scene: its preview range is set.
        links: the parts of the chain.
        scale: Blender units per unit of the game.
        moves: whether the armature moves too.
    """
    stop(armature, scene)
    data = armature.animation_data or armature.animation_data_create()
    _save_state(armature, scene)
    track = _new_track(data, _TRACKS[0])
    begin = 0
    for link in links:
        _add_strip(track, armature, link, begin)
        begin += link.frames
    if moves:
        _add_motion(_new_track(data, _TRACKS[1]), armature, positions_of(links, scale))
    data.action_influence = 0.0
    _preview(scene, 0, begin - 1)
    scene.frame_set(0)
    return begin - 1


def stop(armature: Any, scene: Scene) -> None:
    """Remove an armature's chain, and restore the state before it."""
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


def _save_state(armature: Object, scene: Scene) -> None:
    kept = armature.tomb_raider.chain
    kept.is_playing = True
    kept.influence = armature.animation_data.action_influence
    kept.delta = armature.delta_location
    kept.use_preview_range = scene.use_preview_range
    kept.preview_start, kept.preview_end = scene.frame_preview_start, scene.frame_preview_end
    kept.frame = scene.frame_current


def _preview(scene: Scene, start: int, end: int) -> None:
    """Set the preview range. Blender keeps start <= end, and discards both values while it is off."""
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
    """Move an armature along positions, frame by frame, by its delta location, which exports ignore."""
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
