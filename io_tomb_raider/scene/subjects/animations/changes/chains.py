"""Preview of chains of animations on NLA tracks: one animation plays, then the next.

The tracks are above all others. The current action has no influence meanwhile, but stays assigned, with its
slot. One track has a strip for each animation. The other moves the armature as the games move entities: by
the speeds of animations, and by their commands that set the position. Exports ignore both tracks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, NlaStrip, NlaTrack, Object, Scene

from ....core.blender import compat
from ..keys.ranges import first_frame, last_frame
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
    """Return what the games play when the state of a dispatch of an action, with a target, is requested.

    The action is left ``now``, if the dispatch allows it, else at its first allowed frame.
    """
    dispatch = action.tomb_raider.dispatches[number]
    leave = now if dispatch.low <= now <= dispatch.high else dispatch.low
    last = min(max(leave - 1, 0), length(action))
    target = target_of(dispatch)
    assert target is not None
    return [Link(action, min(max(start, 0), last), last), *chain_of(target, dispatch.frame)]


@dataclass(frozen=True)
class Route:
    """The way to a wanted state, from the frame that is shown when the state is first wanted."""

    links: list[Link]  #: what plays from that frame on.
    left: int  #: the number of links that play before the first state change.
    is_reached: bool  #: whether an animation of the wanted state follows; else state changes lead elsewhere.

    @property
    def delay(self) -> int:
        """The ticks for which the wanted state has to wait for a range; 0 if it is left at the next tick."""
        return sum(link.frames for link in self.links[: self.left]) - 1


def route_to(action: Action, frame: int, state: int) -> Route | None:
    """Return what the games play when a state is wanted while a frame of an action is shown.

    At each tick the games go to the next frame, and there take the first state change of the state whose
    range has that frame. Without one, the animation goes on, at its end with the next action. The state is
    wanted until an animation is in it.

    Returns:
        The route, or None if no state change of that state can be reached.
    """
    links: list[Link] = []
    left, seen = 0, set[tuple[Action, int]]()
    while action.tomb_raider.state != state:
        if (action, frame) in seen or len(links) >= _LONGEST:
            return None if not left else Route(links, left, is_reached=False)
        seen.add((action, frame))
        end = length(action)
        first = min(max(frame, 0), end)
        leave, target, target_frame = _first_change(action, first, state)
        if target is None:
            links.append(Link(action, first, end))
            action, frame = next_of(action) or action, action.tomb_raider.next_frame
        else:
            links.append(Link(action, first, min(leave - 1, end)))
            left = left or len(links)
            action, frame = target, target_frame
    if not left:
        return None
    return Route([*links, *chain_of(action, frame)], left, is_reached=True)


def _first_change(action: Action, frame: int, state: int) -> tuple[int, Action | None, int]:
    """Return the frame after another at which a state change applies, its target, and the frame there."""
    best: tuple[int, Action | None, int] = (0, None, 0)
    for row in action.tomb_raider.dispatches:
        if row.state != state or row.is_empty:
            continue
        # Ranges are compared before the end is: one may begin at the frame after the last.
        leave = max(row.low, frame + 1)
        target = target_of(row) if leave <= min(row.high, length(action) + 1) else None
        if target is not None and (best[1] is None or leave < best[0]):
            best = leave, target, row.frame
    return best


def wanted_states(links: Iterable[Link]) -> list[tuple[int, str]]:
    """Return the states, with their names, to which state changes of links lead, each once, in order."""
    states: dict[int, str] = {}
    for action in dict.fromkeys(link.action for link in links):
        for row in action.tomb_raider.dispatches:
            if not row.is_empty and row.state not in states and target_of(row) is not None:
                states[row.state] = row.state_name
    return list(states.items())


def positions_of(links: list[Link], scale: float) -> np.ndarray:
    """Return the positions at each frame of a chain that starts at the origin, shape (frames, 3) float64.

    The games add the speed, truncated to whole units, at each frame, and set the position between animations.
    """
    steps: list[np.ndarray] = []
    moved = np.zeros(3)
    for number, link in enumerate(links):
        settings = link.action.tomb_raider
        frames = np.arange(link.first, link.last + 1)
        step = np.zeros((len(frames), 3))
        step[:, 0] = np.floor(settings.lateral_speed + settings.lateral_acceleration * frames)
        step[:, 1] = np.floor(settings.speed + settings.acceleration * frames)
        if not number:
            step[:1] = 0.0
        step[:1] += moved
        steps.append(step)
        moved = np.zeros(3)
        if link.last == length(link.action) and number + 1 < len(links):
            for command in settings.commands:
                if command.command == "POSITION":
                    moved += command.position[:]
    return np.asarray(np.concatenate(steps).cumsum(axis=0) * scale if steps else np.zeros((0, 3)))


# --- Playback ----------------------------------------


def play(armature: Any, scene: Scene, links: list[Link], scale: float, *, moves: bool = True) -> int:
    """Play a chain on an armature in the preview range, from frame 0 on, and return its last frame.

    ``scale`` is in Blender's units per unit of the game.
    """
    stop(armature, scene)
    data = armature.animation_data or armature.animation_data_create()
    _save_state(armature, scene)
    end = _make_tracks(armature, links, scale, moves=moves)
    data.action_influence = 0.0
    _preview(scene, 0, end)
    scene.frame_set(0)
    return end


def _make_tracks(armature: Any, links: list[Link], scale: float, *, moves: bool) -> int:
    """Add the tracks of a chain, and return its last frame."""
    data = armature.animation_data
    track = _new_track(data, _TRACKS[0])
    begin = 0
    for link in links:
        add_strip(track, armature, link, begin)
        begin += link.frames
    if moves:
        _add_motion(_new_track(data, _TRACKS[1]), armature, positions_of(links, scale))
    return begin - 1


def links_of(armature: Object) -> tuple[list[Link], bool]:
    """Return the parts of the chain that an armature plays, from frame 0 on, and whether it moves."""
    links: list[Link] = []
    moves = False
    data = armature.animation_data
    for track in () if data is None else data.nla_tracks:
        if not is_chain_track(track):
            continue
        if track.name.split(".")[0] == _TRACKS[1]:
            moves = True
            continue
        for strip in track.strips:
            action = strip.action
            if action is not None:
                first = round(strip.action_frame_start) - first_frame(action)
                frames = round(strip.frame_end - strip.frame_start + _HALF)
                links.append(Link(action, first, first + frames - 1))
    return links, moves


def link_at(links: Iterable[Link], frame: int) -> tuple[int, int]:
    """Return the part of a chain that is shown at a frame, and the frame of its action; (-1, 0) for none."""
    begin = 0
    for number, link in enumerate(links):
        if begin <= frame < begin + link.frames:
            return number, link.first + frame - begin
        begin += link.frames
    return -1, 0


def want(armature: Any, scene: Scene, state: int, scale: float) -> Route | None:
    """Continue a chain as the games do when a state is wanted at the current frame, and return the route.

    What has been played stays. Without a route, nothing changes.
    """
    links, moves = links_of(armature)
    number, frame = link_at(links, scene.frame_current)
    if number < 0:
        return None
    current = links[number]
    route = route_to(current.action, frame, state)
    if route is None:
        return None
    joined = Link(current.action, current.first, route.links[0].last)
    _remove_tracks(armature)
    links = [*links[:number], joined, *route.links[1:]]
    _preview(scene, 0, _make_tracks(armature, links, scale, moves=moves))
    return route


def stop(armature: Any, scene: Scene) -> None:
    """Remove an armature's chain, and restore the state before it."""
    data, state = armature.animation_data, armature.tomb_raider.chain
    _remove_tracks(armature)
    if not state.is_playing:
        return
    state.is_playing = False
    if data is not None:
        data.action_influence = state.influence
    armature.delta_location = state.delta
    _preview(scene, state.preview_start, state.preview_end)
    scene.use_preview_range = state.use_preview_range
    scene.frame_set(state.frame)


def _remove_tracks(armature: Any) -> None:
    """Remove the tracks of a chain, and the actions that were made for it."""
    data = armature.animation_data
    for track in [] if data is None else [each for each in data.nla_tracks if is_chain_track(each)]:
        helpers = [strip.action for strip in track.strips if strip.action is not None]
        data.nla_tracks.remove(track)
        for action in helpers:
            if action.tomb_raider.is_helper and not action.users:
                bpy.data.actions.remove(action)


def _save_state(armature: Object, scene: Scene) -> None:
    state = armature.tomb_raider.chain
    state.is_playing = True
    state.influence = armature.animation_data.action_influence
    state.delta = armature.delta_location
    state.use_preview_range = scene.use_preview_range
    state.preview_start, state.preview_end = scene.frame_preview_start, scene.frame_preview_end
    state.frame = scene.frame_current


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


def add_strip(track: NlaTrack, user: Object, link: Link, begin: int) -> NlaStrip:
    """Add the strip of a part of a chain to a track that is free from a frame on."""
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
    return strip


def _add_motion(track: NlaTrack, armature: Object, positions: np.ndarray) -> None:
    """Move an armature along positions, frame by frame, by its delta location, which exports ignore."""
    action = bpy.data.actions.new(_TRACKS[1])
    action.tomb_raider.is_helper = True
    channels = compat.make_channels(action, armature)
    maker = compat.CurveMaker()
    try:
        group = channels.groups.new(_TRACKS[1])
        frames = np.arange(len(positions))
        for index, offset in enumerate(armature.tomb_raider.chain.delta):  # without the motion
            keys = np.stack((frames, positions[:, index] + offset), axis=1).astype(np.float32)
            maker.make(channels, "delta_location", index, group, keys.ravel())
    finally:
        maker.close()
    strip = track.strips.new(action.name, 0, action)
    strip.extrapolation, strip.use_auto_blend = "HOLD_FORWARD", False
    compat.assign_strip_slot(strip, armature)
