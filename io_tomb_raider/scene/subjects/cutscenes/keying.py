"""Keys of all bones of actors, which tools for poses need. They give exactly what was seen before."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ...core.blender import compat
from ..animations.changes.chains import is_chain_track
from ..animations.keys.curves import bone_path, rotation_channel
from ..models.bones import own_bones


def _tracks(actor: Object) -> list[Any]:
    data = actor.animation_data
    tracks: Any = () if data is None else data.nla_tracks
    return [each for each in tracks if not each.mute and len(each.strips) and not is_chain_track(each)]


def _rotation(actor: Any, name: str) -> str:
    return rotation_channel(actor.pose.bones[name].rotation_mode)


def has_all_keys(actor: Object) -> bool:
    """Return whether the action of an actor has keys of all its bones."""
    data = actor.animation_data
    channels = None if data is None or data.action is None else compat.find_channels(data.action, actor)
    paths = {curve.data_path for curve in (() if channels is None else channels.fcurves)}
    names = [bone.name for bone in own_bones(actor)]
    return all(f"{bone_path(name)}.{_rotation(actor, name)}" in paths for name in names)


def key_all_bones(actor: Any, scene: Scene) -> Action:
    """Return the action of an actor, with keys of all its bones.

    A pose without keys gets one at the first frame of the scene. Strips of the NLA editor are baked to keys
    at every frame, and muted.

    Raises:
        ExportError: if strips pose an actor that is hidden, so that Blender does not evaluate it.
    """
    tracks = _tracks(actor)
    if tracks and not actor.visible_get():
        raise ExportError(actor.name, T("it is hidden, so its strips cannot be baked: show it first"))
    data = actor.animation_data_create()
    action = data.action
    if action is None:
        action = bpy.data.actions.new(actor.name)
        compat.make_channels(action, actor)
        compat.assign_action(actor, action)
    channels = compat.find_channels(action, actor) or compat.make_channels(action, actor)
    present = {curve.data_path for curve in channels.fcurves}
    names = [bone.name for bone in own_bones(actor)]
    wanted = [(name, _rotation(actor, name)) for name in names] + [(name, "location") for name in names[:1]]
    missing = [each for each in wanted if f"{bone_path(each[0])}.{each[1]}" not in present]
    if missing:
        frames = _frames(actor, tracks, scene)
        _add(actor, channels, missing, frames, _seen(actor, missing, frames, scene))
    for track in tracks:
        track.mute = True
    return action


def _frames(actor: Any, tracks: list[Any], scene: Scene) -> NDArray[np.int64]:
    """Return the frames that need keys: the first one, with strips all of the scene and of the strips."""
    strips = [strip for track in tracks for strip in track.strips]
    first = int(min([scene.frame_start, *(np.floor(strip.frame_start) for strip in strips)]))
    last = int(max([scene.frame_end, *(np.ceil(strip.frame_end) for strip in strips)]))
    return np.arange(first, last + 1 if strips else first + 1)


def _seen(
    actor: Any, wanted: list[tuple[str, str]], frames: NDArray[np.int64], scene: Scene
) -> list[NDArray[np.float32]]:
    """Return the values of properties of bones at n frames, (n, width) each."""
    if len(frames) == 1:
        return [np.array([getattr(actor.pose.bones[name], path)[:]], np.float32) for name, path in wanted]
    rows: list[list[Any]] = [[] for _ in wanted]
    before = scene.frame_current, scene.frame_subframe
    try:
        for frame in frames.tolist():
            scene.frame_set(frame)
            posed = actor.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
            for row, (name, path) in zip(rows, wanted, strict=True):
                row.append(getattr(posed[name], path)[:])
    finally:
        scene.frame_set(before[0], subframe=before[1])
    return [np.array(row, np.float32) for row in rows]


def _add(
    actor: Object,
    channels: Any,
    wanted: list[tuple[str, str]],
    frames: NDArray[np.int64],
    values: list[NDArray[np.float32]],
) -> None:
    """Add curves of properties of bones."""
    maker = compat.CurveMaker()
    try:
        for (name, path), rows in zip(wanted, values, strict=True):
            group = channels.groups.get(name) or channels.groups.new(name)
            for index, row in enumerate(rows.T):
                keys = np.stack([frames.astype(np.float32), row], axis=1).ravel()
                maker.make(channels, f"{bone_path(name)}.{path}", index, group, keys)
    finally:
        maker.close()
