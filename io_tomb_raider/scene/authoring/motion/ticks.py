"""Animations tick by tick, as games play them: poses, and where the model has moved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object

from ....formats import ExportError
from ....formats.base import Floats, T
from ....formats.levels.animations import matrices_from_quaternions
from ...subjects.animations.changes.transitions import next_of
from ...subjects.animations.keys.geometry import quaternions
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose
from ...subjects.animations.keys.ranges import first_frame, last_frame
from ...subjects.models.bones import is_actor
from ..control_rig.seen import seen_poses, write_poses
from .keys import Tolerance, store_poses
from .paths import Speeds, covered, ground_covered, scale_of, speeds_of
from .skeletons import Skeleton
from .soles import feet_of

_FASTER = 1.5  # times the fastest step inside
_SEAM = 4.0  # units


@dataclass(eq=False)
class Ticks:
    """An animation of a model at its n ticks."""

    #: action, model: the animation, and the armature of the model.
    action: Action
    model: Object
    #: rest, skeleton: the model at rest.
    rest: RestPose
    skeleton: Skeleton
    whole: Floats  #: (n, m, 3, 3), orientations of its bones.
    heads: Floats  #: (n, m, 3), joints, with the way that the game moves the model, in Blender's units.
    speeds: Speeds  #: the speed of the animation.
    scale: float  #: Blender units per unit of the game.
    is_loop: bool  #: whether the animation follows itself, without a jump.

    @classmethod
    def of(cls, action: Action, model: Object) -> Ticks:
        """Read an animation. Raises ExportError if it has no keys."""
        rest, start = RestPose.of(model), first_frame(action)
        poses = seen_poses(action, model, rest)
        if not len(poses.frames):
            raise ExportError(action.name, T("it has no keys"))
        count = max(last_frame(action) - start, 0) + 1
        poses = poses.at(start + np.arange(count, dtype=float))
        turns, heads = rest.pose(poses.turns, poses.places)
        speeds, scale = speeds_of(action), scale_of(model)
        following = next_of(action)
        follows_itself = following in (None, action) and not is_actor(model)
        result = cls(
            action,
            model,
            rest,
            Skeleton.of(model),
            matrices_from_quaternions(turns),
            heads,
            speeds,
            scale,
            is_loop=False,
        )
        result.heads += result.way[:, None]
        result.is_loop = follows_itself and result.has_no_seam()
        return result

    def __len__(self) -> int:
        return len(self.whole)

    @property
    def way(self) -> Floats:
        """How far the model has been moved beside its bones, (n, 3), in Blender's units."""
        if is_actor(self.model):
            return ground_covered(self.action, self.model, len(self))
        way = np.zeros((len(self), 3))
        way[:, 1] = covered(self.speeds, len(self)) * self.scale
        return way

    @property
    def feet(self) -> list[int]:
        """The bones of the feet, the left one first."""
        return feet_of(self.skeleton)

    def require_feet(self) -> list[int]:
        """Return both feet. Raises ExportError if the model has no two legs with known names."""
        if len(self.feet) < 2:
            names = "Thigh.L, Calf.L, Foot.L, Thigh.R, Calf.R, Foot.R"
            raise ExportError(
                self.model.name, T("its legs are unknown: name their bones {names}", names=names)
            )
        return self.feet

    def has_no_seam(self) -> bool:
        """Return whether the first pose follows the last one no faster than poses within the animation."""
        around = self.around()[1] / self.scale
        steps = np.linalg.norm(np.diff(around[: len(self) + 1], axis=0), axis=2).max(axis=1)
        inside = float(steps[:-1].max()) if len(steps) > 1 else 0.0
        return bool(steps[-1] < _FASTER * inside + _SEAM)

    def around(self) -> tuple[Floats, Floats]:
        """Return a loop three times in a row, orientations and joints: the second time is the loop."""
        way = np.zeros(3)
        way[1] = (covered(self.speeds, len(self) + 1)[-1]) * self.scale
        heads = np.concatenate([self.heads + turn * way for turn in (-1, 0, 1)])
        return np.concatenate([self.whole] * 3), heads

    def store(self, tolerance: Tolerance, rate: int = 0) -> None:
        """Write the poses and the speed to the action, from frame 0 on; those of an actor where they were."""
        turns, locations = self.rest.local(quaternions(self.whole), self.heads[:, 0] - self.way)
        poses = KeyPoses(np.arange(len(self), dtype=float), turns, locations)
        if is_actor(self.model):
            start = first_frame(self.action)
            write_poses(self.action, self.model, poses.moved(poses.frames + start), self.rest)
            return
        store_poses(self.action, self.model, poses, rate, tolerance, self.scale)
        self.action.tomb_raider.speed, self.action.tomb_raider.acceleration = self.speeds
