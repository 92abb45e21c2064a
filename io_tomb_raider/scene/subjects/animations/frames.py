"""Export of key frames: poses of actions as rotations, offsets and boxes of a level."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ....formats.base import T
from ....formats.levels.animations import (
    Z_AXIS,
    EncodedKeys,
    Keys,
    angles_from_quaternions,
    closest_angles,
    encode_all,
    quaternions_from_angles,
)
from ....formats.levels.meshes import MeshBlock, decode_meshes
from ....formats.levels.models import posed_boxes
from ...core.context import ExportContext
from ...core.space import checked, whole
from ..models.poses import positions_to_file, rotations_to_file
from ..models.read import Rig
from .baking import poses_at
from .keys.action_curves import ActionCurves
from .keys.boxes import apply_edits
from .keys.timing import Timing


class ActionMotion(NamedTuple):
    """An action whose key frames are encoded."""

    action: Action
    curves: ActionCurves
    timing: Timing
    old: Keys  #: the key frames that it was made from.
    old_rate: int  #: their ticks per key.
    rebuild: bool  #: encode them even if they are unchanged.


class _Poses(NamedTuple):
    """The poses of actions at their keys."""

    angles: NDArray[np.uint16]  #: (keys, bones, 3) as the level stores them.
    positions: NDArray[np.int64]  #: (keys, 3), likewise.
    same: NDArray[np.bool_]  #: (keys,) whether they are those of the old key at this time.

    def of(self, rows: slice) -> _Poses:
        """Return the poses at some of the keys."""
        return _Poses(self.angles[rows], self.positions[rows], self.same[rows])


class FrameExport:
    """Encodes the key frames of actions."""

    def __init__(self, context: ExportContext) -> None:
        self._context = context
        self._vertices: dict[int, list[NDArray[np.int16]]] = {}

    def original_keys(self, rig: Rig, index: int | None) -> Keys:
        """Return the key frames of an animation, with a rotation for every bone of the scene's model."""
        bones = len(rig.names)
        if index is None:
            return Keys(
                np.zeros((0, 6), np.int16), np.zeros((0, 3), np.int16), np.zeros((0, bones, 3), np.uint16)
            )
        keys = self._context.original_keys.keys(index)
        if rig.has_original_bones():
            return keys
        # Index -1, of new bones, selects the last column, which is zero.
        angles = np.pad(keys.angles, ((0, 0), (0, 1), (0, 0)))[:, rig.columns]
        assert keys.kinds is not None  # always set for decoded keys
        kinds = np.pad(keys.kinds, ((0, 0), (0, 1)), constant_values=Z_AXIS)[:, rig.columns]
        return Keys(keys.boxes, keys.offsets, angles, kinds)

    def encode(self, rig: Rig, motions: Sequence[ActionMotion]) -> list[EncodedKeys | None]:
        """Encode the key frames of actions of a model, None where they are unchanged.

        A key frame with the same pose as the old one at its time keeps the original encoding of its
        rotations, and its box unless the model's boxes follow its meshes.
        """
        result: list[EncodedKeys | None] = [None] * len(motions)
        chosen = [place for place, each in enumerate(motions) if rig.names and each.timing.keys]
        if not chosen:
            return result
        keyed = [motions[place] for place in chosen]
        for motion in keyed:
            motion.curves.warn_of_unsupported(motion.action.name, self._context.report)
        sources = [_sources(each.timing, len(each.old), each.old_rate) for each in keyed]
        all_poses = self._poses(rig, keyed, sources)
        all_boxes = self._boxes(rig, keyed, sources, all_poses)
        changed: dict[int, Keys] = {}
        end = 0
        for place, motion, source in zip(chosen, keyed, sources, strict=True):
            rows, end = slice(end, end + len(source)), end + len(source)
            boxes, poses = all_boxes[rows], all_poses.of(rows)
            apply_edits(motion.action, motion.timing.times, boxes, self._context.report)
            is_old = self._are_old(rig, motion, source, poses.same)
            if not (is_old and np.array_equal(boxes, motion.old.boxes)):
                changed[place] = self._keys(motion, source, boxes, poses)
        names = [motions[place].action.name for place in changed]
        encoded = encode_all(self._context.original.game, list(changed.values()), names)
        for place, each in zip(changed, encoded, strict=True):
            result[place] = each
        return result

    def _are_old(
        self, rig: Rig, motion: ActionMotion, source: NDArray[np.int64], same: NDArray[np.bool_]
    ) -> bool:
        """Return whether the poses are the old key frames."""
        return bool(
            motion.timing.keys == len(motion.old)
            and same.all()
            and rig.has_original_bones()
            and not motion.rebuild
            and (source == np.arange(len(source))).all()
        )

    def _boxes(
        self,
        rig: Rig,
        motions: Sequence[ActionMotion],
        sources: Sequence[NDArray[np.int64]],
        poses: _Poses,
    ) -> NDArray[np.int64]:
        """Return the boxes of all key frames: the old ones, or those around the meshes."""
        boxes = _old(sources, [each.old.boxes for each in motions]).astype(np.int64)
        fitted = ~poses.same | rig.armature.tomb_raider.model.fit_boxes
        if fitted.any():
            rotations = quaternions_from_angles(poses.angles[fitted], np.float64)
            vertices = self._model_vertices(rig)
            boxes[fitted] = posed_boxes(rig.tree, rotations, poses.positions[fitted], vertices)
        return boxes

    @staticmethod
    def _keys(
        motion: ActionMotion, source: NDArray[np.int64], boxes: NDArray[np.int64], poses: _Poses
    ) -> Keys:
        """Return the key frames of an action, with the encoding of the old ones where they are the same."""
        old, bones, has_source = motion.old, poses.angles.shape[1], source >= 0
        # Old key frames may have rotations that the model has no bones for.
        angles = np.zeros((len(source), old.angles.shape[1], 3), np.uint16)
        angles[has_source] = old.angles[source[has_source]]
        angles[:, :bones] = poses.angles
        kinds = np.full(angles.shape[:2], Z_AXIS, np.uint8)
        if old.kinds is not None:
            kinds[has_source] = old.kinds[source[has_source]]
        counts = np.full(len(source), angles.shape[1])
        if old.counts is not None:
            counts[:] = bones
            counts[poses.same] = old.counts[source[poses.same]]
        return Keys(boxes, poses.positions, angles, kinds, counts, old.padding, old.frame_size)

    def _poses(
        self, rig: Rig, motions: Sequence[ActionMotion], sources: Sequence[NDArray[np.int64]]
    ) -> _Poses:
        """Return the poses of actions at their key frames, one action after the other."""
        context, bones = self._context, len(rig.names)
        sampled = poses_at([(motion.curves, motion.timing.times) for motion in motions])
        all_rotations, all_locations = (np.concatenate(each) for each in zip(*sampled, strict=True))
        if not (np.isfinite(all_rotations).all() and np.isfinite(all_locations).all()):
            for motion, (rotations, locations) in zip(motions, sampled, strict=True):
                checked(rotations, motion.action.name, T("the rotation of a bone at a key"))
                checked(locations, motion.action.name, T("the position of a bone at a key"))
        exact = positions_to_file(all_locations, rig.frames[0], rig.head, context.space)
        positions = whole(exact)
        has_source = np.concatenate(sources) >= 0
        old_angles = _old(sources, [each.old.angles[:, :bones] for each in motions])
        turns = rotations_to_file(all_rotations, rig.frames)
        angles = angles_from_quaternions(
            turns,
            context.original.game.traits.single_axis_bits,
            hints=None if context.rebuild else old_angles,
            subject=rig.name,
        )
        is_evaluated = [each.curves.is_evaluated for each in motions]
        angles = closest_angles(
            *(angles, turns, rig.tree.parents, rig.tree.offsets, positions - exact),
            whole_limbs=np.repeat(is_evaluated, [len(source) for source in sources]),
        )
        same = has_source & (angles == old_angles).all(axis=(1, 2))
        same &= (positions == _old(sources, [each.old.offsets for each in motions])).all(axis=1)
        return _Poses(angles, positions, same)

    def _model_vertices(self, rig: Rig) -> list[NDArray[np.int16]]:
        """Return the vertices of a model's meshes as they are exported."""
        if rig.model not in self._vertices:
            context, level = self._context, self._context.level
            block = context.original_meshes
            if level.mesh_data is not context.original.mesh_data:
                block = self._written_meshes
            first = int(level.models["first_mesh"][rig.model])
            numbers = block.pointers[first : first + len(rig.names)].tolist()
            self._vertices[rig.model] = [block.meshes[number].vertices for number in numbers]
        return self._vertices[rig.model]

    @cached_property
    def _written_meshes(self) -> MeshBlock:
        level = self._context.level
        return decode_meshes(level.game, level.mesh_data, level.mesh_pointers)


def _sources(timing: Timing, count: int, old_rate: int) -> NDArray[np.int64]:
    """Return the index of the old key at the time of each key, -1 for none."""
    source = timing.times / max(old_rate, 1)
    number = np.rint(source).astype(np.int64)
    aligned = (np.abs(source - number) < 1e-3) & bool(old_rate)
    return np.where(aligned & (number >= 0) & (number < count), number, -1)


def _old(sources: Sequence[NDArray[np.int64]], values: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return what the old keys of actions have, one action after the other; 0 for keys without an old one."""
    rows = [np.append(each, np.zeros((1, *each.shape[1:]), each.dtype), axis=0) for each in values]
    return np.concatenate([each[source] for each, source in zip(rows, sources, strict=True)])
