"""Shots of cutscenes: cameras that markers of the timeline switch to, and what each of them looks at.

A marker with a bound camera is a cut, as in Blender: its camera shows the frames up to the next such marker.
Before the first one, the camera of that one is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from bpy.types import Object, Scene
from numpy.typing import NDArray

from ....formats.base import Floats
from ....formats.levels.animations import matrices_from_quaternions
from ...core.blender import compat
from ...core.subjects import Kind

_TARGETS = (Kind.CUTSCENE_TARGET, Kind.CINEMATIC_TARGET)


def cuts_to(scene: Scene, cameras: Iterable[Object]) -> list[tuple[int, Object]]:
    """Return the cuts to some cameras, as frames and cameras, in the order of their frames."""
    known = {*cameras}
    markers = [(each.frame, each.camera) for each in scene.timeline_markers if each.camera in known]
    return sorted(markers, key=lambda cut: cut[0])


def cameras_at(cuts: Sequence[tuple[int, Object]], times: NDArray[Any]) -> list[Object]:
    """Return the camera that is shown at each of some frames; there must be a cut."""
    frames = np.array([frame for frame, _ in cuts])
    places = np.maximum(np.searchsorted(frames, np.asarray(times), side="right") - 1, 0)
    return [cuts[place][1] for place in places.tolist()]


def aims_at_target(constraint: Any) -> bool:
    """Return whether a constraint points a camera at its target, and nothing else."""
    target = constraint.target if constraint.type == "TRACK_TO" else None
    return target is not None and target.tomb_raider.kind in _TARGETS and constraint.influence == 1.0


def aim_of(camera: Object) -> Object | None:
    """Return the target that a camera looks at; None if something else turns it, or moves it after that."""
    active = [each for each in camera.constraints if not each.mute and not is_roll(each)]
    last: Any = active[-1] if active else None
    return last.target if last is not None and aims_at_target(last) and not _fades(camera) else None


def is_roll(constraint: Any) -> bool:
    """Return whether a constraint rolls the camera of a cutscene level by its property."""
    return constraint.type == "TRANSFORM" and constraint.name == "Roll"


def _fades(camera: Object) -> bool:
    """Return whether the influence of a constraint may change in the course of time."""
    data = camera.animation_data
    paths = {*curve_paths_of(camera), *(curve.data_path for curve in (data.drivers if data else ()))}
    return any(path.startswith("constraints") and path.endswith("influence") for path in paths)


def curve_paths_of(obj: Object) -> set[str]:
    """Return the data paths of an object's unmuted curves."""
    data = obj.animation_data
    if data is None or data.action is None:
        return set()
    channels = compat.find_channels(data.action, obj)
    return {curve.data_path for curve in (channels.fcurves if channels is not None else ()) if not curve.mute}


def axes_of(turns: Floats) -> tuple[Floats, Floats]:
    """Return the directions ahead and to the right, (n, 3) each, of cameras with rotations (n, 4)."""
    axes = matrices_from_quaternions(turns)
    return -axes[..., 2], axes[..., 0]


def rolls_of(turns: Floats) -> Floats:
    """Return the angles, (n,), by which cameras are rolled about their view from upright, in radians."""
    ahead, right = axes_of(turns)
    level = np.cross(ahead, (0.0, 0.0, 1.0))
    up = np.cross(level, ahead)
    return np.asarray(np.arctan2((right * up).sum(axis=1), (right * level).sum(axis=1)), np.float64)
