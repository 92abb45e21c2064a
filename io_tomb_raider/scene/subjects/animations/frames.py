"""Export of key frames: poses of actions as rotations, offsets and boxes of a level."""

from __future__ import annotations

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
    encode_frames,
    quaternions_from_angles,
)
from ....formats.levels.meshes import MeshBlock, decode_meshes
from ....formats.levels.models import posed_boxes
from ...core.context import ExportContext
from ...core.space import checked, whole
from ..models.poses import positions_to_file, rotations_to_file
from ..models.read import Rig
from .keys.boxes import apply_edits, edited_boxes
from .keys.curves import ActionCurves
from .keys.timing import Timing


class _Poses(NamedTuple):
    """The poses of an action at its keys."""

    angles: NDArray[Any]  #: (keys, bones, 3) as the level stores them.
    positions: NDArray[np.int64]  #: (keys, 3), likewise.
    same: NDArray[np.bool_]  #: (keys,) whether they are those of the old key at this time.


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

    def encode(
        self,
        rig: Rig,
        action: Action,
        curves: ActionCurves,
        timing: Timing,
        old: Keys,
        old_rate: int,
        *,
        rebuild: bool = False,
    ) -> EncodedKeys | None:
        """Encode the key frames of an action, or return None if they are unchanged.

        A key frame with the same pose as the old one at its time keeps the original encoding of its
        rotations, and its box unless the model's boxes follow its meshes.
        """
        context, bones = self._context, len(rig.names)
        if not bones or not timing.keys:
            return None
        curves.warn_of_unsupported(action.name, context.report)
        source = _sources(timing, len(old), old_rate)
        poses = self._poses(rig, action, curves, timing.times, old, source)
        same = poses.same
        is_old = timing.keys == len(old) and same.all() and rig.has_original_bones() and not rebuild
        is_old = is_old and bool((source == np.arange(len(source))).all())
        is_fitted = rig.armature.tomb_raider.model.fit_boxes
        if is_old and not is_fitted and not edited_boxes(action):
            return None
        boxes = np.zeros((timing.keys, 6), np.int64)
        boxes[same] = old.boxes[source[same]]
        fitted = ~same | is_fitted
        boxes[fitted] = posed_boxes(
            rig.tree,
            quaternions_from_angles(poses.angles[fitted, :bones], np.float64),
            poses.positions[fitted],
            self._model_vertices(rig),
        )
        apply_edits(action, timing.times, boxes, context.report)
        if is_old and np.array_equal(boxes, old.boxes):
            return None
        kinds, has_source = np.full(poses.angles.shape[:2], Z_AXIS, np.uint8), source >= 0
        if old.kinds is not None:
            kinds[has_source] = old.kinds[source[has_source]]
        counts = np.full(timing.keys, poses.angles.shape[1])
        if old.counts is not None:
            counts[:] = bones
            counts[same] = old.counts[source[same]]
        keys = Keys(boxes, poses.positions, poses.angles, kinds, counts, old.padding, old.frame_size)
        return encode_frames(context.original.game, keys, subject=action.name)

    def _poses(
        self,
        rig: Rig,
        action: Action,
        curves: ActionCurves,
        times: NDArray[np.float64],
        old: Keys,
        source: NDArray[np.int64],
    ) -> _Poses:
        """Return the poses of an action at some times, given the old key of each."""
        context, bones, has_source = self._context, len(rig.names), source >= 0
        rotations, locations = curves.poses(times)
        checked(rotations, action.name, T("the rotation of a bone at a key"))
        checked(locations, action.name, T("the position of a bone at a key"))
        exact = positions_to_file(locations, rig.frames[0], rig.head, context.space)
        positions = whole(exact)
        old_angles = old.angles[source] if len(old) else np.zeros((len(source), bones, 3), np.uint16)
        old_angles[~has_source] = 0
        angles, turns = old_angles.copy(), rotations_to_file(rotations, rig.frames)
        angles[:, :bones] = angles_from_quaternions(
            turns,
            context.original.game.traits.single_axis_bits,
            hints=None if context.rebuild else old_angles[:, :bones],
            subject=action.name,
        )
        angles[:, :bones] = closest_angles(
            *(angles[:, :bones], turns, rig.tree.parents, rig.tree.offsets, positions - exact),
            whole_limbs=curves.is_evaluated,
        )
        same = has_source & (angles == old_angles).all(axis=(1, 2))
        same[same] = (positions[same] == old.offsets[source[same]]).all(axis=1)
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
