"""Ghosts: poses of a model at other ticks, as the triangles of one mesh.

They are computed from the keys of actions and the constraints of a control rig, without others, and are never
a data-block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray

from ....formats.base import Floats
from ...core.blender import compat
from ...subjects.animations.keys.action_curves import ActionKeys
from ...subjects.animations.keys.constraints import ArrayPoses
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose, read_key_poses
from ..control_rig.seen import posing_limbs
from .body import Body
from .timeline import Timeline

BEHIND, AHEAD = (0.9, 0.12, 0.1), (0.12, 0.75, 0.2)
PREVIEW, DROPPED = (0.15, 0.4, 1.0), (1.0, 0.75, 0.05)
_NEAR, _FAR = 0.5, 0.15  # opacity of the nearest and the farthest ghost
_MOST_DROPPED = 6
_ELSEWHERE = 2.0  # units by which the game's pose differs visibly
_ON_KEY = 0.05  # ticks
_LIGHT = np.array([0.35, -0.5, 0.79])


@dataclass(frozen=True, eq=False)
class Ghost:
    """One pose."""

    points: Floats  #: (n, 3), vertices in the space of the armature.
    color: tuple[float, float, float, float]  #: red, green, blue, opacity.
    triangles: NDArray[np.int64]  #: those of the body that are drawn, (t, 3).


class GhostMaker:
    """Makes ghosts of one model at one time; what it reads is read once."""

    def __init__(self, armature: Object, settings: Any, frame: float, scale: float) -> None:
        """Store what to draw.

        Args:
            armature: the armature that shows the model.
            settings: ``TombRaiderWatching``.
            frame: the current frame of the scene.
            scale: Blender units per unit of the games.
        """
        self._armature, self._settings, self._scale = armature, settings, scale
        self._frame = frame
        self._rest = RestPose.of(armature)
        self._body = Body.of(armature, self._rest)
        self._timeline = Timeline.of(armature)

    def all(self) -> list[Ghost]:
        """Return the ghosts that the settings ask for, the farthest first."""
        if self._timeline is None or not len(self._body.triangles):
            return []
        settings = self._settings
        result = self.around(settings.before, settings.after, settings.step) if settings.ghosts else []
        if settings.ticks:
            result += self.dropped() if settings.dropped else []
            result += self.preview()
        return result

    def around(self, before: int, after: int, step: int) -> list[Ghost]:
        """Return ghosts of the ticks around the current frame."""
        now = int(self._frame)
        places = [-number for number in range(before, 0, -1)] + list(range(after, 0, -1))
        wanted = [(place, now + place * step) for place in places]
        wanted = [(place, frame) for place, frame in wanted if self._shown(frame) is not None]
        points = self._posed([frame for _, frame in wanted])
        points += self._moved([frame for _, frame in wanted])[:, None]
        ghosts = []
        for (place, _), each in zip(wanted, points, strict=True):
            most = before if place < 0 else after
            part = (abs(place) - 1) / max(most - 1, 1)
            color = BEHIND if place < 0 else AHEAD
            ghosts.append(Ghost(each, (*color, _NEAR + (_FAR - _NEAR) * part), self._body.triangles))
        return ghosts

    def preview(self) -> list[Ghost]:
        """Return the triangles where the games show the current tick elsewhere than Blender."""
        found = self._current()
        if found is None:
            return []
        action, inside = found
        shown, played = self._bodies(action, np.array([inside])), self._as_played(action, inside)
        apart = np.linalg.norm(played - shown, axis=-1)[0] > _ELSEWHERE * self._scale
        triangles = self._body.triangles[apart[self._body.triangles].any(axis=1)]
        return [Ghost(played[0], (*PREVIEW, 0.8), triangles)] if len(triangles) else []

    def _as_played(self, action: Action, frame: float) -> Floats:
        """Return the vertices that games show at a frame of an action, (1, n, 3)."""
        start, rate, count = key_frames_at_rate(action, self._settings.rate)
        frames = start + rate * np.arange(count)
        place = float(np.clip((frame - start) / rate, 0, count - 1))
        first = int(place)
        keys = frames[first : first + 2]
        poses = self._poses(action, keys.astype(float))
        at = frames[first] if self._settings.is_stepped else start + place * rate
        return self._of(poses.at(np.array([at])))

    def dropped(self) -> list[Ghost]:
        """Return the poses of the nearest keys that are at no key frame of the previewed rate."""
        found = self._current()
        if found is None:
            return []
        action, inside = found
        frames = dropped_keys(action, self._armature, self._rest, self._settings.rate)
        frames = np.sort(frames[np.argsort(np.abs(frames - inside), kind="stable")[:_MOST_DROPPED]])
        return [
            Ghost(points, (*DROPPED, 0.3), self._body.triangles) for points in self._bodies(action, frames)
        ]

    # --- Poses ----------------------------------------

    def _shown(self, frame: int) -> tuple[Action, int] | None:
        return None if self._timeline is None else self._timeline.shown(frame)

    def _current(self) -> tuple[Action, float] | None:
        """Return the action of the current frame and the frame in it, with its fraction."""
        found = self._shown(int(self._frame))
        return None if found is None else (found[0], found[1] + self._frame % 1)

    def _posed(self, frames: Sequence[int]) -> Floats:
        """Return the vertices at k frames of the scene, (k, n, 3)."""
        result = np.empty((len(frames), len(self._body.points), 3))
        groups: dict[Action, list[tuple[int, int]]] = {}
        for number, frame in enumerate(frames):
            found = self._shown(frame)
            assert found is not None
            groups.setdefault(found[0], []).append((number, found[1]))
        for action, members in groups.items():
            numbers, inside = np.array(members).T
            times, back = np.unique(inside, return_inverse=True)
            result[numbers] = self._bodies(action, times.astype(float))[back.ravel()]
        return result

    def _bodies(self, action: Action, frames: Floats) -> Floats:
        """Return the vertices at k frames of an action as Blender shows them, (k, n, 3)."""
        return self._of(self._poses(action, frames))

    def _poses(self, action: Action, frames: Floats) -> KeyPoses:
        """Return the poses of an action at k frames, as its control rig gives them if it follows one."""
        if posing_limbs(action, self._armature) and self._rig is not None:
            (posed,) = self._rig.poses([(ActionKeys(action, self._armature), frames)])
            if posed is not None:
                matrices, turns = posed
                return KeyPoses(frames, *self._rest.local(turns, matrices[:, 0, :3, 3]))
        return shown_poses(action, self._armature, self._rest, frames)

    @cached_property
    def _rig(self) -> ArrayPoses | None:
        """The constraints of the control rig; None if only Blender can evaluate them."""
        return ArrayPoses.of(self._armature, self._rest.names)

    def _of(self, poses: KeyPoses) -> Floats:
        return self._body.posed(*self._rest.pose(poses.turns, poses.places))

    def _moved(self, frames: Sequence[int]) -> Floats:
        """Return how far the model is at k frames from where it is now, (k, 3) in the armature's space."""
        timeline = self._timeline
        if timeline is None or not frames or not (timeline.moves or self._settings.spread):
            return np.zeros((len(frames), 3))
        places = timeline.positions()
        ticks = np.clip(np.array([*frames, int(self._frame)]) - timeline.start, 0, len(places) - 1)
        return np.asarray((places[ticks[:-1]] - places[ticks[-1]]) * self._scale)


def shown_poses(action: Action, armature: Object, rest: RestPose, frames: Floats) -> KeyPoses:
    """Return the poses of an action at k frames as Blender's curves have them, (k,)."""
    if not _is_straight(action, armature):
        return read_key_poses(action, armature, rest, frames.tolist())  # curve by curve
    keys = read_key_poses(action, armature, rest)
    if not len(keys.frames):
        return read_key_poses(action, armature, rest, frames.tolist())
    last = len(keys.frames) - 1
    after = np.clip(np.searchsorted(keys.frames, frames), min(1, last), last)
    before = np.maximum(after - 1, 0)
    length = np.maximum(keys.frames[after] - keys.frames[before], 1e-9)
    part = np.clip((frames - keys.frames[before]) / length, 0.0, 1.0)[:, None]
    places = keys.places[before] * (1 - part) + keys.places[after] * part
    turns = keys.turns[before] * (1 - part[..., None]) + keys.turns[after] * part[..., None]
    return KeyPoses(frames, turns / np.linalg.norm(turns, axis=-1, keepdims=True), places)


def _is_straight(action: Action, armature: Object) -> bool:
    """Return whether all curves of an action have the same number of keys, linear ones, and no modifiers."""
    channels = compat.find_channels(action, armature)
    curves: Any = () if channels is None else channels.fcurves
    count = len(curves[0].keyframe_points) if len(curves) else 0
    kinds = np.empty(count, np.uint8)
    for curve in curves:
        points = curve.keyframe_points
        if len(points) != count or len(curve.modifiers):
            return False
        points.foreach_get("interpolation", kinds)
        if (kinds[:-1] != compat.LINEAR).any():
            return False
    return count > 0


def key_frames_at_rate(action: Action, rate: int) -> tuple[int, int, int]:
    """Return the first key frame of an action at a rate, the rate, and the number of key frames.

    Args:
        rate: ticks per key; 0 for its own.
    """
    from ...subjects.animations.changes.chains import length
    from ...subjects.animations.keys.ranges import first_frame

    rate = rate or int(action.tomb_raider.frame_rate)
    return first_frame(action), rate, -(-length(action) // rate) + 1


def dropped_keys(action: Action, armature: Object, rest: RestPose | None, rate: int) -> Floats:
    """Return the frames with keys of an action that are at no key frame of a rate, 0 for its own."""
    start, rate, _ = key_frames_at_rate(action, rate)
    frames = read_key_poses(action, armature, rest).frames
    place = (frames - start) / rate
    return np.asarray(frames[np.abs(place - np.rint(place)) * rate > _ON_KEY], float)


def triangles_of(ghosts: Sequence[Ghost], matrix: Floats) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the corners of the triangles of ghosts in the world, and their colors.

    Args:
        ghosts: drawn in this order.
        matrix: (4, 4), the world matrix of the armature.

    Returns:
        (3 t, 3) float32, and (3 t, 4) float32, shaded by the direction of each triangle.
    """
    positions: list[Floats] = [np.zeros((0, 3))]
    colors: list[Floats] = [np.zeros((0, 4))]
    for ghost in ghosts:
        corners = (ghost.points @ matrix[:3, :3].T + matrix[:3, 3])[ghost.triangles]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(normals, axis=1)
        facing = normals @ _LIGHT / np.where(lengths > 0, lengths, 1.0)
        shaded = np.tile(np.array(ghost.color), (len(corners), 1))
        shaded[:, :3] *= (0.7 + 0.3 * facing)[:, None]
        positions.append(corners.reshape(-1, 3))
        colors.append(np.repeat(shaded, 3, axis=0))
    return np.concatenate(positions).astype(np.float32), np.concatenate(colors).astype(np.float32)
