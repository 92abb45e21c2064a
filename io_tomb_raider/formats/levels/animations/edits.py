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
from .animations import NO_ANIMATION, AddedAnimation, fit_field
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
        tables: the records.
        edits: the edits by index of the animation.
        added: new animations by index of the model, each with its frames.
        deleted: indices of animations to delete.

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
    same = {}
    for each in fields(tables):
        old, new = getattr(tables, each.name), getattr(result, each.name)
        if len(new) == len(old) and new.tobytes() == old.tobytes():
            same[each.name] = old
    return replace(result, **same)


def _write_fields(plan: AnimationPlan, old: Records) -> Records:
    """Return new animation records, with their frame numbers and the fields that refer to nothing."""
    new = np.zeros(plan.total, old.dtype)
    kept = plan.place[plan.keep]
    new[kept] = old[plan.keep]
    new["first_frame"][kept] = plan.first_frames[plan.keep]
    new["last_frame"][kept] = (plan.first_frames + plan.ticks)[plan.keep]
    for each in plan.edited:
        values = {name: getattr(each.edit, name) for name in _PLAIN_FIELDS}
        if each.old is None:
            first = plan.first_frame(each)
            values |= {"first_frame": first, "last_frame": first + (each.edit.ticks or 0)}
            values["frame_rate"] = 1 if each.edit.frame_rate is None else each.edit.frame_rate
        for name, value in values.items():
            if value is not None and name in (new.dtype.names or ()):
                new[name][each.index] = fit_field(value, new.dtype, name, each.name)
            elif value:
                raise ExportError(
                    each.name,
                    T("this game's animations have no {name}", name=as_message(name.replace("_", " "))),
                )
    return new


def _write_next(plan: AnimationPlan, old: Records, new: Records) -> None:
    """Write the next animation and frame of each animation."""
    target, frame = (old[name].astype(np.int64) for name in ("next_animation", "next_frame"))
    redirected = np.zeros(len(old), bool)
    for each in plan.changed:
        redirected[each.old] = each.edit.next_animation is not None
    known = target < len(old)
    lost = known & plan.keep & ~redirected
    lost[known] &= ~plan.keep[target[known]]
    for loser in np.flatnonzero(lost).tolist():
        plan.resolve(int(target[loser]), 0, plan.name(loser))  # raises
    index, number = plan.follow(target, frame)
    number = np.where((number >= 0) & (number <= 0xFFFF), number, frame)
    kept = plan.place[plan.keep]
    new["next_animation"][kept] = index[plan.keep]
    new["next_frame"][kept] = number[plan.keep]
    for each in plan.edited:
        reference, relative = each.edit.next_animation, each.edit.next_frame or 0
        if each.old is not None and reference is None:
            if each.edit.next_frame is None:
                continue
            reference = int(target[each.old])
        if reference is None:
            found = each.index, plan.first_frame(each) + relative
        else:
            found = plan.resolve(reference, relative, each.name)
        new["next_animation"][each.index] = fit_field(found[0], new.dtype, "next_animation", each.name)
        new["next_frame"][each.index] = fit_field(found[1], new.dtype, "next_frame", each.name)


def _write_models(
    plan: AnimationPlan, tables: AnimationTables, animations: Records, frames: Splice
) -> Records:
    """Return new model records, with their first animations and frame offsets.

    A model without animations has a frame offset, too: it follows those frames.
    """
    models = tables.models.copy()
    offset = models["frame_offset"].astype(np.int64)
    even = (offset % 2 == 0) & (offset > 0)
    models["frame_offset"] = np.where(even, 2 * frames.move(np.where(even, offset // 2, 0)), offset)
    has = plan.first >= 0
    old_offsets = np.zeros(len(models), np.int64)
    old_offsets[has] = tables.animations["frame_offset"][plan.first[has]]
    for model in np.flatnonzero(has).tolist():
        members = plan.members(model)
        if len(members):
            models["animation"][model] = plan.place[members[0]]
        else:
            models["animation"][model] = plan.added.get(AddedAnimation(model, 0), NO_ANIMATION)
    for reference, index in plan.added.items():
        if not has[reference.model] and reference.position == 0:
            models["animation"][reference.model] = index
    begun = np.zeros(len(models), bool)
    begun[[reference.model for reference in plan.added]] = True
    follows = np.where(has, old_offsets == offset, begun)
    follows &= models["animation"] != NO_ANIMATION
    models["frame_offset"][follows] = animations["frame_offset"][models["animation"][follows]]
    return models
