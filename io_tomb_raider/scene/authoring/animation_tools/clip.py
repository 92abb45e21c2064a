"""An animation as the tools edit it: its poses by ticks from its start, and what follows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import Floats, T
from ...core.blender import compat
from ...core.membership import level_of
from ...core.reporting.report import first_few
from ...core.space import Space
from ...subjects.animations.changes.chains import length
from ...subjects.animations.changes.transitions import next_of
from ...subjects.animations.keys.action_curves import ActionCurves
from ...subjects.animations.keys.boxes import edited_boxes, known_boxes, replace_boxes
from ...subjects.animations.keys.curves import moved_bone
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose, continuous, read_key_poses
from ...subjects.animations.keys.ranges import first_frame, set_range
from ..control_rig.parts import rig_limbs
from ..control_rig.seen import posing_limbs, seen_keys, seen_poses, write_poses

MOST_RATE = 255  # ticks per key
_ON_TICK = 1e-3


@dataclass(frozen=True, eq=False)
class Clip:
    """An animation with its poses; all frames count from its start."""

    action: Action
    armature: Object  #: the armature of its model.
    rest: RestPose  #: the rest pose of the model.
    poses: KeyPoses  #: the poses at its keys; if curves bend between keys, also at all ticks.
    start: int  #: the frame of the action at which it starts.
    rate: int  #: ticks per key.
    last: int  #: its last tick.
    is_straight: bool  #: whether curves are linear between their keys.

    @property
    def ticks(self) -> int:
        """How long it plays."""
        return self.last + 1

    @property
    def spare_keys(self) -> int:
        """The number of keys after the one that the last tick needs; negative if some are missing."""
        return len(self.poses.frames) - key_count(self.last, self.rate)

    def sample(self, frames: Floats) -> KeyPoses:
        """Return the poses at frames, as the curves show them."""
        found = seen_poses(self.action, self.armature, self.rest, (frames + self.start).tolist())
        return found.moved(frames)


def key_count(last: int, rate: int) -> int:
    """Return the number of key frames of an animation, the last one at its last tick or after it."""
    return -(-last // rate) + 1


def grid(last: int, rate: int) -> Floats:
    """Return the frames of an animation's key frames, (n,)."""
    return np.arange(key_count(last, rate), dtype=np.float64) * rate


def model_of(action: Action, armature: Object) -> Object:
    """Return the armature of an action's model; that of a figure shows actions of another model."""
    found: Object | None = action.tomb_raider.model
    return armature if found is None else found


def space_of(armature: Object) -> Space:
    """Return the space of a model's level."""
    level = level_of(armature)
    return Space() if level is None else Space.of(level)


def read_clip(action: Action, armature: Object, rest: RestPose | None = None) -> Clip:
    """Return an animation.

    Args:
        armature: the armature that shows it.
        rest: the rest pose of its model, if known.

    Raises:
        ExportError: if it has no keys, or keys of bones that are none of the model's.
    """
    model = model_of(action, armature)
    rest = RestPose.of(model) if rest is None else rest
    controls = _control_bones(action, model, rest)
    if controls:
        text = T("it is posed by bones that users have added ({controls})", controls=first_few(controls, 2))
        raise ExportError(action.name, T("{text}: bake it first", text=text))
    start, last = first_frame(action), length(action)
    if posing_limbs(action, model):
        poses, is_straight = seen_keys(action, model, rest)
    else:
        curves = ActionCurves(action, model, rest.paths)
        frames, is_straight = curves.key_frames(), curves.are_straight()
        if len(frames) and not is_straight:
            frames = np.unique(np.concatenate([frames, start + np.arange(last + 1.0)]))
        poses = read_key_poses(action, model, rest, frames.tolist())
    if not len(poses.frames):
        raise ExportError(action.name, T("it has no keys"))
    rate = int(np.clip(action.tomb_raider.frame_rate, 1, MOST_RATE))
    return Clip(action, model, rest, poses.moved(poses.frames - start), start, rate, last, is_straight)


def _control_bones(action: Action, model: Any, rest: RestPose) -> list[str]:
    """Return the names of posed bones that are neither the model's nor controls of its rig."""
    channels = compat.find_channels(action, model)
    known = {*rest.names, *rest.old_names, *(name for limb in rig_limbs(model) for name in limb.controls())}
    moved = {moved_bone(curve.data_path) for curve in (() if channels is None else channels.fcurves)}
    return [bone.name for bone in model.data.bones if bone.name not in known and bone.name in moved]


def write_clip(clip: Clip, poses: KeyPoses, *, last: int | None = None, rate: int | None = None) -> None:
    """Replace the keys of an animation.

    Args:
        clip: the animation.
        poses: its new poses, at frames from its start.
        last, rate: its new last tick, and ticks per key.
    """
    action, last = clip.action, clip.last if last is None else last
    ready = KeyPoses(poses.frames + clip.start, continuous(poses.turns), poses.places)
    write_poses(action, clip.armature, ready, clip.rest)
    set_length(action, clip.start, last)
    if rate is not None:
        action.tomb_raider.frame_rate = rate


def set_length(action: Action, start: int, last: int) -> None:
    """Set the first frame and the last tick of an animation; keys alone set them where they suffice."""
    span = tuple(action.curve_frame_range[:])
    if action.use_frame_range or span != (start, start + last):
        set_range(action, start, start + last)


def move_boxes(clip: Clip, sources: dict[int, int], *, is_new: bool = False) -> None:
    """Move the boxes of key frames to other frames, with their poses.

    Args:
        clip: the animation as it was.
        sources: the frame where a key frame's box was, by the frame of the key frame, from the start.
        is_new: whether it is no longer the animation of the file.
    """
    start, boxes = clip.start, boxes_of(clip)
    found = {to + start: boxes[at + start] for to, at in sources.items() if at + start in boxes}
    replace_boxes(clip.action, found, is_new=is_new)


def boxes_of(clip: Clip) -> dict[int, tuple[int, ...]]:
    """Return the boxes that the tools keep: only the user's where exports fit all others."""
    is_fitted = clip.armature.tomb_raider.model.fit_boxes
    return edited_boxes(clip.action) if is_fitted else known_boxes(clip.action)


def nearest(frames: Floats, wanted: Floats) -> NDArray[np.int64]:
    """Return the indices of the frames, ascending, that are nearest to others."""
    after = np.clip(np.searchsorted(frames, wanted), 0, len(frames) - 1)
    before = np.maximum(after - 1, 0)
    is_before = np.abs(frames[before] - wanted) <= np.abs(frames[after] - wanted)
    return np.where(is_before, before, after)


# --- What follows ----------------------------------------


def follows_itself(action: Action) -> bool:
    """Return whether an animation repeats itself."""
    return next_of(action) in (None, action)


def loop_of(clip: Clip) -> tuple[int, int] | None:
    """Return the first frame and the length in ticks of a repeating animation's loop, or None."""
    found = loop_frames(clip.action)
    return None if found is None else (found[0] - clip.start, found[1])


def loop_frames(action: Action) -> tuple[int, int] | None:
    """Return the first frame of the action and the length in ticks of its loop, or None."""
    first = int(action.tomb_raider.next_frame)
    if not follows_itself(action) or not 0 <= first <= length(action):
        return None
    return first_frame(action) + first, length(action) + 1 - first


def end_offset(action: Action, space: Space) -> Floats:
    """Return how far the commands at an animation's end move the model, (3,) in Blender's units."""
    rows = [row.position[:] for row in action.tomb_raider.commands if row.command == "POSITION"]
    return np.asarray(rows, float).reshape(-1, 3).sum(axis=0) * space.scale


def following_pose(clip: Clip) -> KeyPoses | None:
    """Return the pose that games show after the last tick, relative to where the animation was, or None.

    Its frame is that after the last tick. None if the next animation has no keys.
    """
    following, poses = next_of(clip.action) or clip.action, clip.poses
    frame = float(clip.action.tomb_raider.next_frame)
    if following != clip.action:
        other = seen_poses(following, clip.armature, clip.rest)
        poses = other.moved(other.frames - first_frame(following))
    if not len(poses.frames):
        return None
    found = poses.at(np.array([frame]))
    offset = end_offset(clip.action, space_of(clip.armature))
    return KeyPoses(np.array([clip.ticks], float), found.turns, shifted(found.places, offset, clip.rest))


def joined(poses: KeyPoses, others: KeyPoses) -> KeyPoses:
    """Return poses followed by others at later frames."""
    return KeyPoses(
        np.concatenate([poses.frames, others.frames]),
        np.concatenate([poses.turns, others.turns]),
        np.concatenate([poses.places, others.places]),
    )


def shifted(places: Floats, offset: Floats, rest: RestPose) -> Floats:
    """Return locations (n, 3) of the first bone, moved by an offset (3,) in the armature's space."""
    from ....formats.levels.animations import matrices_from_quaternions

    return np.asarray(places + offset @ matrices_from_quaternions(rest.turns[0]), float)


def is_on_tick(frames: Floats) -> bool:
    """Return whether all frames are whole."""
    return bool((np.abs(np.rint(frames) - frames) < _ON_TICK).all())
