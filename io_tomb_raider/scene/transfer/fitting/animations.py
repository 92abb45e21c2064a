"""Animations of models whose joints have moved, fitted to the new joints.

Limbs keep their rotations, and the game its distances: speeds and ways stay. So only the height of the hips
follows the length of the legs, and legs may bend a little for feet to be where they were.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from bpy.types import Action, Collection, Object
from numpy.typing import NDArray

from ....catalogue import idle_animation, names
from ....formats import Game
from ....formats.base import Floats, T
from ....formats.levels.animations import matrices_from_quaternions
from ...authoring.motion.fitting import Fit
from ...authoring.motion.retarget import Contact, can_keep_contact, depth_at_rest, keep_contact
from ...authoring.motion.skeletons import Skeleton
from ...authoring.motion.soles import feet_of
from ...core.reporting.report import Report
from ...core.space import Space
from ...subjects.animations.keys.boxes import edit_boxes, known_boxes
from ...subjects.animations.keys.geometry import quaternions
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose, read_key_poses, write_key_poses
from ...subjects.animations.showing import own_animations
from ...subjects.models.bones import ANIMATED_JOINTS, rest_joints, store_joints, stored_joints
from .joints import original_joints, refuse_rig

_SAME = 0.5  # units
_SAME_TURN = 1e-5  # parts of quaternions
_SAME_PLACE = 1e-6  # Blender units
_STANDS = 0.3  # of a leg: ankles of a model that stands are lower


@dataclass
class FittedAnimations:
    """The result of fitting animations."""

    actions: list[Action] = field(default_factory=list)  #: the animations that changed.
    legs: float = 1.0  #: the length of the legs by the former one.
    worst: float = 0.0  #: the largest distance of a foot on the floor from its place, in units.


def fit_animations(
    root: Collection, models: Iterable[Object], report: Report, *, contact: bool = True
) -> FittedAnimations:
    """Fit the animations of models to joints that have moved since they were made.

    Animations of models whose joints are the same do not change.

    Args:
        root: the level.
        models: armatures that share the joints, first the one that stands by itself.
        report: receives warnings.
        contact: whether legs bend so that feet are exactly where they were on the floor, and hands as far
            from the shoulders, in proportion.

    Raises:
        ExportError: if a model has a control rig.
    """
    result, depth = FittedAnimations(), 0.0
    found = [fit for model in models if (fit := _Fitting.of(root, model)) is not None]
    for fit in found:
        refuse_rig(fit.model)
    for fit in found:
        if not can_keep_contact(fit.fit):
            report.warn(fit.model.name, T("its legs are unknown, so its animations stay as they are"))
            continue
        depth = depth or fit.standing_depth()
        fit.fit_all(depth, result, contact=contact)
        store_joints(fit.model, ANIMATED_JOINTS, fit.now)
    return result


@dataclass(frozen=True, eq=False)
class _Fitting:
    """A model with other joints than those that its animations were made for."""

    root: Collection
    model: Object
    space: Space
    now: Floats  #: (m, 3), its joints, see :mod:`.joints`.
    rest: RestPose
    old_rest: RestPose  #: the rest pose with the former joints.
    fit: Fit  #: from the former skeleton to the present one.

    @classmethod
    def of(cls, root: Collection, model: Object) -> _Fitting | None:
        """Return the fitting of a model, None if its joints are the same."""
        space = Space.of(root)
        before = stored_joints(model, ANIMATED_JOINTS)
        before = original_joints(root, model) if before is None else before
        now = rest_joints(model, space)
        if before is None or np.abs(now - before).max() < _SAME:
            return None
        rest = RestPose.of(model)
        old_rest = replace(rest, heads=rest.heads[0] + space.to_blender(before).astype(float))
        target = Skeleton.of(model)
        source = target.posed(target.turns, old_rest.heads)
        bones = np.arange(len(rest.names))
        fit = Fit(source, target, bones, chosen_size=1.0, same_pose=True)
        return cls(root, model, space, now, rest, old_rest, fit)

    def standing_depth(self) -> float:
        """Return how far soles are below the ankles of the former joints, in Blender units.

        That is the height of the ankles as the model stands idle, since its former meshes may be gone.
        """
        actions, number = own_animations(self.model), int(self.model.tomb_raider.model.id)
        game = Game[self.root.tomb_raider.game]
        feet = feet_of(self.fit.target)
        if actions:
            states = [int(each.tomb_raider.state) for each in actions]
            idle = actions[idle_animation(game, number, states, names(game).known("state", number))]
            poses = read_key_poses(idle, self.model, self.rest)
            if len(poses.frames):
                heads = self.old_rest.pose(poses.turns[:1], poses.places[:1])[1]
                height = float(heads[0, feet, 2].mean())
                if 0.0 < height < _STANDS * self.fit.source.leg_length():
                    return height
        # Vertices stay where they are at rest.
        moved = self.old_rest.heads[feet, 2] - self.rest.heads[feet, 2]
        return depth_at_rest(self.fit.target, self.model) + float(moved.mean())

    def fit_all(self, old_depth: float, result: FittedAnimations, *, contact: bool) -> None:
        """Fit all animations of the model."""
        depth = depth_at_rest(self.fit.target, self.model)
        result.legs = self.fit.target.leg_length() / self.fit.source.leg_length()
        for action in own_animations(self.model):
            poses = read_key_poses(action, self.model, self.rest)
            if not len(poses.frames):
                continue
            fitted, worst = self._fitted(action, poses, old_depth, depth, contact=contact)
            result.worst = max(result.worst, worst / self.space.scale)
            changed = np.abs(fitted.turns - poses.turns).max(axis=(0, 2)) > 0.0
            if not changed.any() and np.abs(fitted.places - poses.places).max() < _SAME_PLACE:
                continue
            bones = {name for name, is_changed in zip(self.rest.names, changed, strict=True) if is_changed}
            write_key_poses(action, self.model, fitted, self.rest, {*bones, self.rest.names[0]})
            self._fit_boxes(action, poses, fitted, old_depth, depth)
            result.actions.append(action)

    def _fitted(
        self, action: Action, poses: KeyPoses, old_depth: float, depth: float, *, contact: bool
    ) -> tuple[KeyPoses, float]:
        """Return the fitted poses, and how far feet on the floor are from their places at most."""
        turns, joints = self.old_rest.pose(poses.turns, poses.places)
        whole = matrices_from_quaternions(turns)
        heads = self.rest.pose(poses.turns, poses.places)[1]
        floor = _floor(action, joints[:, 0, 2], self.space.scale)
        joints[..., 2] -= floor[:, None]
        feet = feet_of(self.fit.target)
        reached = Contact(
            joints=joints,
            soles=joints[:, feet, 2] - old_depth,
            depths=np.full((len(joints), len(feet)), depth),
            source_depth=old_depth,
            depth=depth,
            size=1.0,
        )
        worst = keep_contact(self.fit, reached, whole, heads, bends=contact)
        heads[..., 2] += floor[:, None]
        local, places = self.rest.local(quaternions(whole), heads[:, 0])
        local = np.where((local * poses.turns).sum(axis=-1, keepdims=True) < 0, -local, local)
        is_same = np.abs(local - poses.turns).max(axis=(0, 2)) < _SAME_TURN
        return replace(poses, turns=np.where(is_same[:, None], poses.turns, local), places=places), worst

    def _fit_boxes(
        self, action: Action, before: KeyPoses, after: KeyPoses, old_depth: float, depth: float
    ) -> None:
        """Move each side of the boxes of key frames as far as the outermost joint on that side."""
        boxes = known_boxes(action)
        frames = np.array(sorted(boxes), float)
        if not len(frames) or self.model.tomb_raider.model.fit_boxes:
            return
        old = self._extents(self.old_rest, before.at(frames), old_depth)
        new = self._extents(self.rest, after.at(frames), depth)
        moved = np.rint(new - old).astype(int)
        edit_boxes(
            action,
            {
                int(frame): tuple((np.array(boxes[int(frame)]) + way).tolist())
                for frame, way in zip(frames.tolist(), moved, strict=True)
                if way.any()
            },
        )

    def _extents(self, rest: RestPose, poses: KeyPoses, depth: float) -> NDArray[Any]:
        """Return the boxes around joints and soles in units of the file, (n, 6), in the order of boxes."""
        heads = rest.pose(poses.turns, poses.places)[1]
        soles = heads[:, feet_of(self.fit.target)] - (0.0, 0.0, depth)
        points = self.space.to_file(np.concatenate([heads, soles], axis=1), self.model.name, "a bone")
        return np.stack([points.min(axis=1), points.max(axis=1)], axis=-1).reshape(len(points), 6)


def _floor(action: Any, hips: Floats, scale: float) -> Floats:
    """Return the height of the floor below a model in its poses, (n,), in Blender units.

    An animation that ends with *Set Position* climbs from one floor to another as the hips rise.
    """
    rows = (each for each in action.tomb_raider.commands if each.command == "POSITION")
    climbed = sum(int(each.position[2]) for each in rows) * scale
    way = hips[-1] - hips[0]
    if not climbed or climbed * way <= 0:
        return np.zeros(len(hips))
    return np.asarray(climbed * np.clip((hips - hips[0]) / way, 0.0, 1.0), float)
