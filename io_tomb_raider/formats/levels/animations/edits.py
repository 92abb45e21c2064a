"""Changing, adding and deleting animations in the records of a level, including all references to them.

Unrelated data stay bit for bit, including the garbage of real levels: references beyond the records, command
lists beyond the stream, orphans. Documentation: chapter 6.2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace

import numpy as np

from ...base.arrays.typing import Records
from ...base.bytes.splice import Splice
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T, as_message
from .animations import NO_ANIMATION, AddedAnimation
from .plan import AnimationEdit, AnimationPlan, AnimationTables
from .state_changes import write_state_changes
from .streams import write_commands, write_frames

_PLAIN_FIELDS = ("frame_rate", "state", "speed", "acceleration", "lateral_speed", "lateral_acceleration")


def edit_animations(
    game: Game,
    tables: AnimationTables,
    edits: Mapping[int, AnimationEdit] | None = None,
    *,
    added: Mapping[int, Sequence[AnimationEdit]] | None = None,
    deleted: Collection[int] = (),
) -> AnimationTables:
    """Apply edits to the animations of a level.

    Frame numbers count through the animations of a model: when an animation changes its length, later ones
    move with all references to them. A reference to a frame that was cut off is clamped to the last frame.
    New animations are inserted after those of their model. Shared records are copied if an edit makes them
    differ.

    Args:
        edits: by index of the animation.
        added: new animations by index of the model, each with its frames.

    Returns:
        New tables. An unchanged array is the same object as the input.

    Raises:
        ExportError: if a number does not fit its field, there are too many animations, or a deleted animation
            is still referenced.
    """
    plan = AnimationPlan(tables.animations, tables.models, edits or {}, added or {}, deleted)
    animations = _write_fields(plan, tables.animations)
    _write_next(plan, tables.animations, animations)
    changes, dispatches = write_state_changes(plan, tables, animations)
    commands = write_commands(game, plan, tables, animations)
    frames = write_frames(game, plan, tables, animations)
    models = _write_models(plan, tables, animations, frames)
    result = AnimationTables(animations, changes, dispatches, commands, frames.array, models)
    unchanged = {}
    for field in fields(tables):
        old, new = getattr(tables, field.name), getattr(result, field.name)
        if len(new) == len(old) and new.tobytes() == old.tobytes():
            unchanged[field.name] = old
    return replace(result, **unchanged)


def _write_fields(plan: AnimationPlan, old: Records) -> Records:
    """Return new animation records, with their frame numbers and the fields that refer to nothing."""
    new = np.zeros(plan.total, old.dtype)
    kept = plan.new_index[plan.keep]
    new[kept] = old[plan.keep]
    new["first_frame"][kept] = plan.first_frames[plan.keep]
    new["last_frame"][kept] = (plan.first_frames + plan.ticks)[plan.keep]
    for edited in plan.edited:
        values = {name: getattr(edited.edit, name) for name in _PLAIN_FIELDS}
        if edited.old is None:
            first = plan.first_frame(edited)
            values |= {"first_frame": first, "last_frame": first + (edited.edit.ticks or 0)}
            values["frame_rate"] = 1 if edited.edit.frame_rate is None else edited.edit.frame_rate
        for name, value in values.items():
            if value is not None and name in (new.dtype.names or ()):
                edited.set_fields(new, **{name: value})
            elif value:
                label = as_message(name.replace("_", " "))
                raise ExportError(edited.name, T("this game's animations have no {name}", name=label))
    return new


def _write_next(plan: AnimationPlan, old: Records, new: Records) -> None:
    """Write the next animation and frame of each animation."""
    target, frame = (old[name].astype(np.int64) for name in ("next_animation", "next_frame"))
    redirected = np.zeros(len(old), bool)
    for edited in plan.changed:
        redirected[edited.old] = edited.edit.next_animation is not None
    exists = target < len(old)
    is_lost = exists & plan.keep & ~redirected
    is_lost[exists] &= ~plan.keep[target[exists]]
    for user in np.flatnonzero(is_lost).tolist():
        plan.resolve(int(target[user]), 0, plan.name(user))  # raises
    new_target, new_frame = plan.follow(target, frame)
    new_frame = np.where((new_frame >= 0) & (new_frame <= 0xFFFF), new_frame, frame)
    kept = plan.new_index[plan.keep]
    new["next_animation"][kept] = new_target[plan.keep]
    new["next_frame"][kept] = new_frame[plan.keep]
    for edited in plan.edited:
        reference, relative = edited.edit.next_animation, edited.edit.next_frame or 0
        if edited.old is not None and reference is None:
            if edited.edit.next_frame is None:
                continue
            reference = int(target[edited.old])
        if reference is None:
            index, number = edited.index, plan.first_frame(edited) + relative
        else:
            index, number = plan.resolve(reference, relative, edited.name)
        edited.set_fields(new, next_animation=index, next_frame=number)


def _write_models(
    plan: AnimationPlan, tables: AnimationTables, animations: Records, frames: Splice
) -> Records:
    """Return new model records, with their first animations and frame offsets.

    A model without animations has a frame offset, too: it follows those frames.
    """
    models = tables.models.copy()
    offset = models["frame_offset"].astype(np.int64)
    is_even = (offset % 2 == 0) & (offset > 0)
    models["frame_offset"] = np.where(is_even, 2 * frames.move(np.where(is_even, offset // 2, 0)), offset)
    has_animations = plan.first >= 0
    old_offsets = np.zeros(len(models), np.int64)
    old_offsets[has_animations] = tables.animations["frame_offset"][plan.first[has_animations]]
    for model in np.flatnonzero(has_animations).tolist():
        members = plan.members(model)
        if len(members):
            models["animation"][model] = plan.new_index[members[0]]
        else:
            models["animation"][model] = plan.added.get(AddedAnimation(model, 0), NO_ANIMATION)
    for reference, index in plan.added.items():
        if not has_animations[reference.model] and reference.position == 0:
            models["animation"][reference.model] = index
    is_new = np.zeros(len(models), bool)
    is_new[[reference.model for reference in plan.added]] = True
    is_moved = np.where(has_animations, old_offsets == offset, is_new)
    is_moved &= models["animation"] != NO_ANIMATION
    models["frame_offset"][is_moved] = animations["frame_offset"][models["animation"][is_moved]]
    return models
