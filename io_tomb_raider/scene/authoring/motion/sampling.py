"""Poses of any armature in an action, sampled at the games' ticks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object, Scene
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import Floats, T
from ....formats.levels.animations import matrices_from_quaternions
from ...core.blender import compat
from ...subjects.animations.keys.geometry import quaternions
from ...subjects.animations.keys.key_poses import slerp
from ...subjects.animations.keys.ranges import first_frame, has_automatic_range, last_frame
from .paths import ground_covered
from .skeletons import OF_LEVELS, Skeleton, rotations

TICKS = 30  # per second
LONGEST = 20_000  # frames of a clip: minutes of any recording
_COPY = re.compile(r"\.\d{3}$")
_ON_FRAME = 1e-2
_SAME_RATE = 2e-3  # files round the time of a frame: 0.0333 s are 30 per second
_RATES = (24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 240)


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses of the b bones of an armature at n times."""

    turns: Floats  #: (n, b, 3, 3), rotations of the bones' axes, along the axes of the world.
    heads: Floats  #: (n, b, 3), joints, along the axes of the world.

    def __len__(self) -> int:
        return len(self.turns)

    def part(self, start: int, end: int) -> Motion:
        """Return the poses from one to another, both included."""
        return Motion(self.turns[start : end + 1], self.heads[start : end + 1])

    def turned(self, turn: Floats) -> Motion:
        """Return the poses rotated as a whole, by a (3, 3) rotation."""
        return Motion(turn @ self.turns, self.heads @ turn.T)

    def at(self, times: Floats) -> Motion:
        """Return the poses between others, (t,): rotations on the shortest arc, joints along a line."""
        last = len(self) - 1
        before = np.clip(np.floor(times + 1e-6).astype(int), 0, last)
        after = np.minimum(before + 1, last)
        share = np.clip(times - before, 0.0, 1.0)[:, None]
        if not (share > 1e-6).any():
            return Motion(self.turns[before], self.heads[before])
        one, other = quaternions(self.turns[before]), quaternions(self.turns[after])
        heads = self.heads[before] * (1 - share[..., None]) + self.heads[after] * share[..., None]
        return Motion(matrices_from_quaternions(slerp(one, other, share)), heads)


def frame_rate(scene: Scene | None) -> float:
    """Return the frames per second of a scene, 30 without one."""
    if scene is None:
        return float(TICKS)
    found = scene.render.fps / scene.render.fps_base
    return next((float(rate) for rate in _RATES if abs(found / rate - 1) < _SAME_RATE), float(found))


def rate_of(armature: Object) -> float:
    """Return the frames per second of an armature's actions: those of its scene, a model's are ticks."""
    if armature.tomb_raider.kind in OF_LEVELS:
        return float(TICKS)
    scenes: Any = armature.users_scene
    current = bpy.context.scene
    return frame_rate(current if current in scenes or not scenes else scenes[0])


def actions_played(armature: Object) -> list[Action]:
    """Return the actions of an armature: those in use, and those that importers created for it."""
    data = armature.animation_data
    used: list[Any] = []
    if data is not None:
        used = [data.action, *(strip.action for track in data.nla_tracks for strip in track.strips)]
    mine = f"OB{armature.name}"
    for action in bpy.data.actions:
        slots = [slot.identifier for slot in getattr(action, "slots", ())]
        is_free = action.tomb_raider.model is None and not action.tomb_raider.is_helper
        if is_free and (mine in slots or action.name.startswith(f"{armature.name}|")):
            used.append(action)
    return [each for each in dict.fromkeys(used) if each is not None]


def plain_name(action: Action, armature: Object) -> str:
    """Return the name of an animation without additions by importers."""
    data: Any = armature.animation_data
    for track in data.nla_tracks if data is not None else ():
        # glTF: Blender versions append different suffixes to the track's name.
        if track.name and action.name.startswith(track.name) and action in [s.action for s in track.strips]:
            return str(track.name)
    # FBX: armature, animation and layer.
    name = action.name.removeprefix(f"{armature.name}|").partition("|")[0]
    return _COPY.sub("", name)


def span_of(action: Action, user: Object) -> tuple[float, float]:
    """Return the first and last frame of an action: its Manual Frame Range, else the range of its keys."""
    if action.use_frame_range:
        end = float(last_frame(action)) if has_automatic_range(action) else action.frame_end
        return float(action.frame_start), float(max(end, action.frame_start))
    ends = [curve.range() for curve in _curves(action, user) if len(curve.keyframe_points)]
    if not ends:
        return 0.0, 0.0
    first, last = min(each[0] for each in ends), max(each[1] for each in ends)
    return _whole(first), _whole(last)


def _whole(frame: float) -> float:
    return float(round(frame)) if abs(frame - round(frame)) < _ON_FRAME else float(frame)


def _curves(action: Action, user: Object) -> Any:
    channels = compat.find_channels(action, user)
    return () if channels is None else channels.fcurves


def _is_on_frames(action: Action, user: Object) -> bool:
    """Return whether all keys are at whole frames, as those of recordings."""
    for curve in _curves(action, user):
        keys = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", keys)
        if np.abs(keys[::2] - np.rint(keys[::2])).max(initial=0.0) > _ON_FRAME:
            return False
    return True


class Sampler:
    """Samples the actions of an armature, in a scene with a copy of it.

    Args:
        scene, copy: see :func:`~...subjects.animations.keys.stage.isolated_copy`.
        source: the armature.
        skeleton: its skeleton.
    """

    def __init__(self, scene: Scene, copy: Object, source: Object, skeleton: Skeleton) -> None:
        scene.view_layers[0].update()
        self._scene, self._copy, self._source, self._skeleton = scene, copy, source, skeleton
        # Bones without keys are as the file, or the user, has posed them; models have keys for all bones.
        is_model = source.tomb_raider.kind in OF_LEVELS
        self._basis = {
            bone.name: Matrix() if is_model else bone.matrix_basis.copy() for bone in source.pose.bones
        }

    def ticks(self, action: Action, rate: float, span: tuple[float, float] | None = None) -> Motion:
        """Return the poses of an action at the games' ticks, with constraints.

        Where the action has keys at its frames only, as recordings have, rotations between them are on the
        shortest arc.

        Args:
            action: an action of the armature.
            rate: its frames per second.
            span: first and last frame, by default those of the action.

        Raises:
            ExportError: if the action has too many frames.
        """
        start, end = span_of(action, self._source) if span is None else span
        seconds = (end - start) / rate
        ticks = max(int(np.floor(seconds * TICKS + 0.5)), int(seconds > 0))
        # The last pose is kept: half a tick at most is added or left out.
        times = np.minimum(np.arange(ticks + 1) * (rate / TICKS), end - start)
        if not _is_on_frames(action, self._source) or not (start.is_integer() and end.is_integer()):
            return self.frames(action, start + times)
        every = self.frames(action, start + np.arange(int(end - start) + 1, dtype=float))
        return every.at(times)

    def frames(self, action: Action, frames: NDArray[np.floating]) -> Motion:
        """Return the poses of an action at some frames, which may be between two."""
        if len(frames) > LONGEST:
            text = T("the animation has too many frames: choose its first and last frame")
            raise ExportError(action.name, text, count=len(frames), limit=LONGEST)
        scene, copy, source = self._scene, self._copy, self._source
        for bone in copy.pose.bones:
            bone.matrix_basis = self._basis[bone.name]
        compat.assign_as(copy, action, source)
        found = np.empty((len(frames), len(self._skeleton.names), 4, 4))
        places = np.empty((len(frames), 4, 4))
        for row, frame in enumerate(frames.tolist()):  # Blender evaluates one frame at a time
            scene.frame_set(int(frame // 1), subframe=frame % 1)
            graph: Any = scene.view_layers[0].depsgraph
            shown: Any = copy.evaluated_get(graph)
            bones = shown.pose.bones
            found[row] = [bones[name].matrix for name in self._skeleton.names]
            places[row] = shown.matrix_world
        is_model = source.tomb_raider.kind in OF_LEVELS
        if is_model:  # models lie at any place of the library
            places[:] = np.eye(4)
        world = places[:, None] @ found
        heads = world[..., :3, 3]
        if is_model:
            heads = heads + _ground_at(action, source, frames)[:, None]
        return Motion(rotations(world[..., :3, :3]), heads)


def _ground_at(action: Action, model: Object, frames: NDArray[np.floating]) -> Floats:
    """Return how far the game has moved a model at some frames of an animation, (n, 3)."""
    start = first_frame(action)
    numbers = np.clip(np.rint(frames).astype(int) - start, 0, None)
    return ground_covered(action, model, int(numbers.max(initial=0)) + 1)[numbers]


def starts_at_rest(motion: Motion, skeleton: Skeleton, bones: Sequence[int]) -> bool:
    """Return whether the first frame is the rest pose and the second one is not, as in many recordings."""
    chosen = [each for each in bones if each >= 0]
    if len(motion) < 3 or not chosen:
        return False
    from_rest = motion.turns[:3, chosen] @ skeleton.turns[chosen].swapaxes(-1, -2)
    # Relative to the first bone, which may be anywhere.
    angles = np.degrees(np.arccos(np.clip((np.trace(from_rest, axis1=-2, axis2=-1) - 1) / 2, -1, 1)))
    moved = angles.max(axis=1)
    return bool(moved[0] < 2.0 and moved[1] > 15.0 and abs(moved[2] - moved[1]) < moved[1] / 2)
