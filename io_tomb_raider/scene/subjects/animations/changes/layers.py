"""Layers: poses that are added to an animation while they are made.

The animation plays on an NLA track, and Blender combines the model's action, the layer, with it. So a layer
has keys of changes only. An animation keeps its layer while another one is shown. Exports ignore layers.
"""

from __future__ import annotations

from typing import Any

from bpy.types import Action, NlaTrack, Object

from ....core.blender import compat
from ..keys.ranges import first_frame
from . import chains

_TRACK = "Tomb Raider Layer"


def is_layer_track(track: NlaTrack) -> bool:
    """Return whether an NLA track was made for a layer. Renamed tracks belong to the user."""
    return track.name.split(".")[0] == _TRACK


def is_helper_track(track: NlaTrack) -> bool:
    """Return whether an NLA track was made for a layer or a chain of animations, and is never exported."""
    return is_layer_track(track) or chains.is_chain_track(track)


def layered_action(armature: Object) -> Action | None:
    """Return the animation below the layer that an armature shows, None without a layer."""
    data = armature.animation_data
    for track in () if data is None else data.nla_tracks:
        if is_layer_track(track):
            actions = [strip.action for strip in track.strips if strip.action is not None]
            if actions and data.action is not None and actions[0].tomb_raider.layer == data.action:
                return actions[0]
    return None


def is_layered(action: Action) -> bool:
    """Return whether an animation has a layer with keys."""
    layer = action.tomb_raider.layer
    channels = None if layer is None else compat.find_channels(layer, action.tomb_raider.model)
    return channels is not None and any(len(curve.keyframe_points) for curve in channels.fcurves)


def action_in_use(armature: Object | None) -> Action | None:
    """Return the action of an armature; with a layer, the animation below it."""
    data = None if armature is None else armature.animation_data
    return None if armature is None or data is None else layered_action(armature) or data.action


def assign_layered(armature: Any, action: Action) -> None:
    """Assign an animation to an armature, with its layer if it has one."""
    remove_tracks(armature)
    layer = action.tomb_raider.layer
    compat.assign_action(armature, action)
    if layer is None:
        return
    data = armature.animation_data
    track = data.nla_tracks.new()
    track.name = _TRACK
    link = chains.Link(action, 0, chains.length(action))
    strip = chains.add_strip(track, armature, link, first_frame(action))
    strip.extrapolation = "HOLD"
    compat.assign_as(armature, layer, armature)
    data.use_nla, data.action_blend_type, data.action_extrapolation = True, "COMBINE", "HOLD"


def remove_tracks(armature: Object) -> bool:
    """Remove the tracks of layers from an armature, and return whether there were any."""
    data = armature.animation_data
    tracks = [] if data is None else [track for track in data.nla_tracks if is_layer_track(track)]
    for track in tracks:
        data.nla_tracks.remove(track)
    if tracks:
        data.action_blend_type = "REPLACE"
    return bool(tracks)


def drop_unused_tracks(armature: Object) -> bool:
    """Remove the tracks of a layer where another action was assigned, and return whether there were any.

    Makes no data-block, so handlers may call it.
    """
    return layered_action(armature) is None and remove_tracks(armature)
