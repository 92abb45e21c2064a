"""Edits of animations, and their effect on indices and frame numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints, Records
from ...base.errors import ExportError
from ...base.messages import T
from ..level.level import Level
from .animations import (
    AddedAnimation,
    AnimationCommand,
    AnimationReference,
    StateChange,
    fit_field,
    fit_ticks,
    model_animations,
    ticks,
)
from .frames import EncodedKeys

MAX_ANIMATIONS = 0x7FFF  # dispatches store 15 bits


@dataclass(frozen=True, eq=False)
class AnimationTables:
    """The records of a level's animations, named as the attributes of `Level`."""

    animations: Records
    state_changes: Records
    animation_dispatches: Records
    animation_commands: NDArray[np.int16]
    frames: NDArray[np.uint16]
    models: Records

    @classmethod
    def of(cls, level: Level) -> AnimationTables:
        """Return the tables of a level."""
        return cls(**{field.name: getattr(level, field.name) for field in fields(cls)})

    def store(self, level: Level) -> list[str]:
        """Set the tables of a level; return the names of those that were replaced."""
        names = [field.name for field in fields(self)]
        changed = [name for name in names if getattr(level, name) is not getattr(self, name)]
        for name in changed:
            setattr(level, name, getattr(self, name))
        return changed


@dataclass(frozen=True, eq=False)
class AnimationEdit:
    """The changes of an animation. None keeps the old value; in a new animation it is 0."""

    frames: EncodedKeys | None = None  #: the key frames, words and size.
    frame_rate: int | None = None  #: ticks per key frame; 1 in a new animation.
    ticks: int | None = None  #: the length, last frame minus first frame.
    state: int | None = None  #: the state of the animation.
    #: speed, acceleration, lateral_speed, lateral_acceleration: 16.16 fixed point numbers, as integers.
    speed: int | None = None
    acceleration: int | None = None
    lateral_speed: int | None = None
    lateral_acceleration: int | None = None
    #: an index before all edits, or a new animation. By default a new animation repeats.
    next_animation: AnimationReference | None = None
    next_frame: int | None = None  #: in ticks from the first frame of the next animation.
    state_changes: tuple[StateChange, ...] | None = None  #: all state changes, see `StateChange`.
    #: all commands, frames in ticks from the animation's first frame.
    commands: tuple[AnimationCommand, ...] | None = None
    name: str = ""  #: the name of the animation in errors.


@dataclass(frozen=True, eq=False)
class EditedAnimation:
    """A changed or new animation."""

    index: int  #: its new index.
    old: int | None  #: its old index, None for a new animation.
    edit: AnimationEdit
    name: str

    def set_fields(self, animations: Records, **values: int) -> None:
        """Set fields of its record among the new ones. Raises ExportError if a value does not fit."""
        for field, value in values.items():
            animations[field][self.index] = fit_field(value, animations.dtype, field, self.name)


class AnimationPlan:
    """The new indices and frame numbers of animations. Arrays are by old index of the animation."""

    def __init__(
        self,
        animations: Records,
        models: Records,
        edits: Mapping[int, AnimationEdit],
        added: Mapping[int, Sequence[AnimationEdit]],
        deleted: Collection[int],
    ) -> None:
        self._edits = edits
        self._animations = animations
        unknown = [index for index in (*edits, *deleted) if not 0 <= index < len(animations)]
        if unknown:
            raise ExportError(T("animation {number}", number=unknown[0]), T("there is no such animation"))
        self.keep = np.ones(len(animations), bool)  #: False for deleted animations.
        self.keep[list(deleted)] = False
        #: the old range of animations of each model, see `model_animations`.
        self.first, self.count = model_animations(models, animations)
        #: the new index of each old animation, for a deleted one that of the animation after it; and the new
        #: index of each new animation.
        self.new_index, self.added, new = self._arrange(added)
        self.total = int(np.count_nonzero(self.keep)) + len(new)  #: the new number of animations.
        if new and self.total > MAX_ANIMATIONS:
            raise ExportError("level", T("too many animations"), count=self.total, limit=MAX_ANIMATIONS)
        #: the changed animations.
        self.changed = [
            EditedAnimation(int(self.new_index[index]), index, edit, self.name(index))
            for index, edit in edits.items()
            if self.keep[index]
        ]
        #: all changed and new animations, by new index.
        self.edited = sorted([*self.changed, *new], key=lambda edited: edited.index)
        self.old_ticks = ticks(animations)  #: the old lengths.
        self.ticks = self._new_ticks()  #: the new lengths.
        self.shift = self._shifts()  #: the offset that is added to frame numbers.
        self.first_frames = self._first_frames()  #: the new first frames.
        self._added_first = self._number_added()

    def name(self, index: int) -> str:
        """Return the name of an old animation for errors."""
        edit = self._edits.get(index)
        return (edit.name if edit else "") or f"animation {index}"

    def _arrange(
        self, added: Mapping[int, Sequence[AnimationEdit]]
    ) -> tuple[Ints, dict[AddedAnimation, int], list[EditedAnimation]]:
        """Return the new indices of old animations, those of new animations, and the edited animations.

        A model's new animations follow its old ones, or, without any, precede those of the next model that
        has some: the first animations of models ascend in model order.
        """
        has = self.first >= 0
        insertions = []
        for model, edits in added.items():
            later = np.flatnonzero(has[model + 1 :]) + model + 1
            position = len(self.keep) if not len(later) else int(self.first[later[0]])
            if has[model]:
                position = int(self.first[model] + self.count[model])
            if len(edits):
                insertions.append((position, not has[model], model))
        inserted = np.zeros(len(self.keep) + 1, np.int64)
        kept_before = np.append(0, np.cumsum(self.keep))
        indices: dict[AddedAnimation, int] = {}
        new: list[EditedAnimation] = []
        for position, _, model in sorted(insertions):
            for number, edit in enumerate(added[model]):
                index = int(kept_before[position]) + len(new)
                indices[AddedAnimation(model, number)] = index
                name = edit.name or f"new animation {number} of model {model}"
                new.append(EditedAnimation(index, None, edit, name))
            inserted[position] += len(added[model])
        return kept_before[:-1] + np.cumsum(inserted)[:-1], indices, new

    def _new_ticks(self) -> Ints:
        """Return the new lengths of old animations."""
        lengths = self.old_ticks.copy()
        for index, edit in self._edits.items():
            if edit.ticks is not None:
                lengths[index] = fit_ticks(edit.ticks, self.name(index))
        return lengths

    def _shifts(self) -> Ints:
        """Return the offset of the frame numbers of old animations."""
        first, last = (self._animations[name].astype(np.int64) for name in ("first_frame", "last_frame"))
        growth = np.where(self.keep, self.ticks - self.old_ticks, -self.old_ticks - 1)
        shift = np.zeros(len(self.keep), np.int64)
        ends = np.append(np.unique(self.first[self.first >= 0]), len(self.keep))
        for index in np.flatnonzero(growth).tolist():
            end = int(ends[np.searchsorted(ends, index, side="right")])
            is_later = first[index + 1 : end] > last[index]  # some tools number every animation from 0
            shift[index + 1 : end][is_later] += growth[index]
        return shift

    def _first_frames(self) -> Ints:
        """Return the new first frames of old animations."""
        first_frames = self._animations["first_frame"].astype(np.int64) + self.shift
        for name, values in ((T("first"), first_frames), (T("last"), first_frames + self.ticks)):
            wrong = np.flatnonzero(self.keep & ((values < 0) | (values > 0xFFFF)))
            if len(wrong):
                problem = T(
                    "its {name} frame is too high for the game, which counts frames over all animations "
                    "of a model",
                    name=name,
                )
                count = int(values[wrong[0]])
                raise ExportError(self.name(int(wrong[0])), problem, count=count, limit=0xFFFF)
        return first_frames

    def _number_added(self) -> dict[int, int]:
        """Return the first frames of new animations: after the animation before."""
        first_frames: dict[int, int] = {}
        lengths = {edited.index: max(edited.edit.ticks or 0, 0) for edited in self.edited}
        ends = np.maximum(self.first_frames, self.first_frames + self.ticks) + 1
        for reference, index in self.added.items():
            if reference.position:
                start = first_frames[index - 1] + lengths[index - 1] + 1
            else:
                start = int(ends[self.members(reference.model)].max(initial=0))
            first_frames[index] = start
        return first_frames

    def members(self, model: int) -> Ints:
        """Return the old animations of a model that are not deleted."""
        members = np.arange(self.first[model], self.first[model] + self.count[model])
        return members[self.keep[members]]

    def first_frame(self, edited: EditedAnimation) -> int:
        """Return the first frame of a changed or new animation."""
        return self._added_first[edited.index] if edited.old is None else int(self.first_frames[edited.old])

    def resolve(self, reference: AnimationReference, frame: int, user: str) -> tuple[int, int]:
        """Return the new index and frame for a reference in an edit.

        Args:
            frame: relative to that animation.
            user: the name of the referring animation in errors.

        Returns:
            The new index, and the file's number of the frame. References beyond all animations stay.

        Raises:
            ExportError: if the animation is deleted, or not among the new ones.
        """
        if isinstance(reference, AddedAnimation):
            if reference not in self.added:
                raise ExportError(user, T("it refers to a new animation that does not exist"))
            index = self.added[reference]
            return index, self._added_first[index] + frame
        if not 0 <= reference < len(self.keep):
            return reference, frame
        if not self.keep[reference]:
            raise ExportError(
                self.name(reference), T("it cannot be deleted while {user} refers to it", user=user)
            )
        if self.ticks[reference] < frame <= self.old_ticks[reference]:
            frame = max(int(self.ticks[reference]), 0)
        return int(self.new_index[reference]), int(self.first_frames[reference]) + frame

    def follow(self, targets: Ints, frames: Ints) -> tuple[Ints, Ints]:
        """Return the new indices and frames for old references.

        A frame that was cut off becomes the last of its animation. References beyond all animations stay.
        """
        exists = targets < len(self.keep)
        if not exists.any():
            return targets, frames
        index = np.where(exists, targets, 0)
        relative = frames - self._animations["first_frame"][index].astype(np.int64)
        lengths = self.ticks[index]
        is_cut = (relative > lengths) & (relative <= self.old_ticks[index])
        moved = frames + self.shift[index] + np.where(is_cut, np.maximum(lengths, 0) - relative, 0)
        new_index = np.minimum(self.new_index[index], max(self.total - 1, 0))
        return np.where(exists, new_index, targets), np.where(exists, moved, frames)
