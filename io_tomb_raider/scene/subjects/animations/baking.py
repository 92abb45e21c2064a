"""Poses evaluated by Blender, for armatures with constraints, inverse kinematics or drivers.

They are evaluated on a copy of the armature in a temporary scene, so that the user's scene and poses without
keys are not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Object, Scene
from numpy.typing import NDArray

from ....formats.base import Floats, T
from ....formats.levels.animations import matrices_from_quaternions
from ...core.reporting.report import Report
from ...core.space import Space, direction_to_file
from ..models.poses import CONJUGATE, multiply, relative_turns
from ..models.read import Rig
from .effects import default_of, owner_of
from .keys.action_curves import ActionCurves, ActionKeys
from .keys.curves import BonePaths, moved_bone
from .keys.stage import Player, isolated_copy

_MAX_OFFSET = 1.0  # units
_MAX_SCALING = 1e-2
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)
# Smaller differences from an action's own keys are the solver's: a third of the finest step in TR4 and TR5.
_SAME_TURN = np.radians(0.1)
_SAME_PLACE = 0.25  # units


@dataclass(frozen=True, eq=False)
class Baker:
    """Evaluator of a model's actions, valid within :func:`baking`."""

    rig: Rig  #: the model.
    scene: Scene  #: the temporary scene, with the copy as its only object.
    copy: Object  #: the copy of the model's armature.
    space: Space  #: the level's space.
    #: the data paths of all curves besides those of the model's own bones, in any of its actions.
    keyed: frozenset[str] = frozenset()
    _warned: set[str] = field(default_factory=set)

    def poses(self, actions: Sequence[tuple[ActionKeys, Floats]], report: Report) -> tuple[Floats, Floats]:
        """Return the poses of the m bones in actions, one after the other, at n times altogether.

        See :meth:`.keys.action_curves.ActionCurves.poses`.
        """
        poses = self._player.poses(self.rig.names, actions)
        matrices, turns = (np.concatenate(each) for each in zip(*poses, strict=True))
        subjects = np.repeat([keys.action.name for keys, _ in actions], [len(times) for _, times in actions])
        return self._local(turns, matrices, subjects, report)

    @cached_property
    def _player(self) -> Player:
        return Player(self.scene, self.copy, self.rig.armature, self._reset)

    def _reset(self) -> None:
        """Reset what other actions have left. Poses and properties that none has keys of stay."""
        moved = {moved_bone(path) for path in self.keyed} | set(self.rig.names)
        bones: Any = self.copy.pose.bones
        for bone in bones:
            if bone.name in moved:
                bone.location, bone.scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
                bone.rotation_quaternion, bone.rotation_euler = _UPRIGHT, (0.0, 0.0, 0.0)
                bone.rotation_axis_angle = (0.0, 0.0, 1.0, 0.0)
        for path in self.keyed:
            owner, name = owner_of(self.copy, path)
            if owner is not None and name in owner:
                owner[name] = type(owner[name])(default_of(self.copy, path))
            elif path.endswith(".influence"):
                with suppress(ValueError):  # the constraint may have been deleted
                    self.copy.path_resolve(path.rpartition(".")[0]).influence = 0.0
        self.copy.update_tag()  # for properties, Blender does not notice it

    def _local(
        self, turns: Floats, matrices: Floats, subjects: NDArray[np.str_], report: Report
    ) -> tuple[Floats, Floats]:
        """Convert poses in the armature's space to rotations relative to the parents, in the bones' axes.

        ``subjects`` (n,) are the names of the actions that they are from.
        """
        bones = self.copy.data.bones
        rests = np.array([bones[name].matrix_local.to_quaternion()[:] for name in self.rig.names])
        heads = np.array([bones[name].head_local[:] for name in self.rig.names])
        whole = multiply(turns, np.broadcast_to(rests * CONJUGATE, turns.shape))
        parents, positions = self.rig.tree.parents, matrices[..., :3, 3]
        children = np.flatnonzero(parents >= 0)
        above = parents[children]
        arms = np.einsum(
            "nbij,bj->nbi", matrices_from_quaternions(whole[:, above]), heads[children] - heads[above]
        )
        offsets = np.abs(positions[:, above] + arms - positions[:, children]).max(axis=2, initial=0)
        sizes = np.abs(np.linalg.norm(matrices[..., :3, :3], axis=-2) - 1).max(axis=2, initial=0)
        self._warn(offsets > _MAX_OFFSET * self.space.scale, children, "move", subjects, report)
        self._warn(sizes > _MAX_SCALING, np.arange(len(parents)), T("change the size of"), subjects, report)
        frames, local = self.rig.frames, relative_turns(whole, parents)
        local[..., 1:] = np.einsum("bij,nbj->nbi", frames, direction_to_file(local[..., 1:]))
        return local, direction_to_file(positions[:, 0] - heads[0]) @ frames[0].T

    def _warn(
        self,
        is_wrong: NDArray[np.bool_],
        numbers: NDArray[np.int64],
        effect: str,
        subjects: NDArray[np.str_],
        report: Report,
    ) -> None:
        """Warn of wrong poses (n, k) of k bones with some numbers, once for each bone."""
        for column in np.flatnonzero(is_wrong.any(axis=0)).tolist():
            number, subject = int(numbers[column]), str(subjects[is_wrong[:, column].argmax()])
            text = T(
                "constraints or drivers {what} the bone {names}", what=effect, names=self.rig.names[number]
            )
            if text not in self._warned:
                report.warn(
                    subject,
                    T("{text}, which animations of the game cannot do; it is not exported", text=text),
                )
                self._warned.add(text)


@contextmanager
def baking(rig: Rig, armature: Object, space: Space, keyed: Iterable[str]) -> Iterator[Baker]:
    """Make a copy of an armature that evaluates a model's actions, and remove it at the end.

    The armature is the model's, or that of a model that is drawn in its place and has the same bones.
    """
    with isolated_copy(armature) as (scene, copy):
        retarget_copy(copy, armature)
        yield Baker(rig, scene, copy, space, frozenset(keyed))


class BakedCurves(ActionCurves):
    """An action of a model as constraints and drivers pose it.

    The poses of its own curves are kept where these are as good as equal, so bones that nothing acts on keep
    their keys.
    """

    is_evaluated = True

    def __init__(self, keys: ActionKeys, baker: Baker, bones: BonePaths, report: Report) -> None:
        keys.read_all()
        super().__init__(keys.action, baker.rig.armature, bones, keys)
        self.baker, self._report = baker, report

    @cached_property
    def _control_frames(self) -> Floats:
        """The frames at which a control has a key, each once, ascending."""
        return self.keys.frames(self._split.controls)

    def key_frames(self) -> Floats:
        """Return the frames at which a bone or a control has a key, or a setting changes."""
        changing = [number for number in self._split.switches if self.keys.counts[number] > 1]
        frames = self.keys.frames(changing)
        return np.unique(np.concatenate([super().key_frames(), self._control_frames, frames]))

    def span(self) -> tuple[float, float] | None:
        """Return the first and the last frame with a key of a bone or a control, or None without keys."""
        ends = [
            *(super().span() or ()),
            *self._control_frames[:1].tolist(),
            *self._control_frames[-1:].tolist(),
        ]
        return (min(ends), max(ends)) if ends else None

    def poses(self, times: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the evaluated pose of the m bones at n times, or that of the curves where it is the same."""
        return self.all_poses([(self, times)])[0]

    @staticmethod
    def all_poses(baked: Sequence[tuple[BakedCurves, Floats]]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Return the poses of actions of one model, each at some times."""
        own = [super(BakedCurves, curves).poses(times) for curves, times in baked]
        own_turns, own_locations = (np.concatenate(each) for each in zip(*own, strict=True))
        baker, report = baked[0][0].baker, baked[0][0]._report
        turns, locations = baker.poses([(curves.keys, times) for curves, times in baked], report)
        size = np.maximum(np.linalg.norm(own_turns, axis=-1, keepdims=True), 1e-12)
        difference = multiply(own_turns / size * CONJUGATE, turns)
        keeps_turn = 2 * np.linalg.norm(difference[..., 1:], axis=-1) < _SAME_TURN
        distances = np.abs(own_locations - locations).max(axis=-1)
        keeps_location = distances < _SAME_PLACE * baker.space.scale
        ends = np.cumsum([len(times) for _, times in baked])[:-1]
        turns = np.where(keeps_turn[..., None], own_turns, turns)
        locations = np.where(keeps_location[:, None], own_locations, locations)
        return list(zip(np.split(turns, ends), np.split(locations, ends), strict=True))


def poses_at(
    actions: Sequence[tuple[ActionCurves, Floats]],
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return the poses of actions of one model, each at some times; those of constraints all at once."""
    baked = [(curves, times) for curves, times in actions if isinstance(curves, BakedCurves)]
    evaluated = iter(BakedCurves.all_poses(baked) if baked else ())
    return [
        next(evaluated) if isinstance(curves, BakedCurves) else curves.poses(times)
        for curves, times in actions
    ]


def retarget_copy(copy: Object, armature: Object) -> None:
    """Retarget constraints and drivers of a copied armature from the original to the copy."""
    for bone in copy.pose.bones:
        for constraint in bone.constraints:
            for holder in (constraint, *getattr(constraint, "targets", ())):
                for name in ("target", "pole_target"):
                    if getattr(holder, name, None) == armature:
                        setattr(holder, name, copy)
    data = copy.animation_data
    for curve in data.drivers if data is not None else ():
        for variable in curve.driver.variables if curve.driver is not None else ():
            for target in variable.targets:
                if target.id == armature:
                    target.id = copy
