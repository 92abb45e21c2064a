"""Rewriting state changes and dispatches of edited animations.

Documentation: chapters 6.2.4 and 6.2.5.
"""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Bools, Ints, Records
from ...base.bytes.splice import (
    Insert,
    Splice,
    block_position,
    coverage,
    fit_indices,
    outside_ranges,
    ranges_of,
    shared_value,
    sums_over_ranges,
)
from ...base.errors import ExportError
from ...base.messages import T
from .animations import StateChange, decode_state_changes, encode_dispatches, encode_state_changes
from .plan import AnimationEdit, AnimationPlan, AnimationTables, EditedAnimation

_Written = list[tuple[EditedAnimation, tuple[StateChange, ...]]]


def write_state_changes(
    plan: AnimationPlan, tables: AnimationTables, animations: Records
) -> tuple[Records, Records]:
    """Return the new state changes and dispatches, and set their indices in the new animation records.

    Entries that only edited animations used are removed; their new entries take the same position.
    """
    old, changes, dispatches = tables.animations, tables.state_changes, tables.animation_dispatches
    first, count = ranges_of(old, "first_state_change", "state_changes")
    d_first, d_count = ranges_of(changes, "first_dispatch", "dispatches")
    written, readers = _writers_and_readers(plan, tables)
    used = coverage(first[readers], count[readers], len(changes)) > 0
    removed = (coverage(first[~readers], count[~readers], len(changes)) > 0) & ~used
    d_used = coverage(d_first[~removed], d_count[~removed], len(dispatches)) > 0
    d_removed = (coverage(d_first[removed], d_count[removed], len(dispatches)) > 0) & ~d_used
    rows = _move_dispatches(plan, tables, readers, used)

    # A block must not be inserted within a range that is still used.
    free = outside_ranges(first[readers], count[readers], len(changes))
    d_free = outside_ranges(d_first[~removed], d_count[~removed], len(dispatches))
    inserts = []
    for edited, block in written:
        start = stop = len(dispatches)
        if edited.old is not None and count[edited.old] and first[edited.old] < len(changes):
            span = slice(int(first[edited.old]), int(first[edited.old] + count[edited.old]))
            start, stop = int(d_first[span][0]), int((d_first + d_count)[span][-1])
        position = block_position(d_free, start, stop, d_used)
        inserts.append(Insert(position, edited.index, _encode_block(plan, edited, block)))
    d_splice = Splice(rows, d_removed, inserts)
    inserts = []
    for edited, block in written:
        start = len(changes) if edited.old is None else int(first[edited.old])
        stop = start + (0 if edited.old is None else int(count[edited.old]))
        position = block_position(free, start, stop, used)
        records = encode_state_changes(block, d_splice.starts[edited.index], edited.name)
        inserts.append(Insert(position, edited.index, records))
    moved = changes.copy()
    moved["first_dispatch"] = fit_indices(d_splice.move(d_first), d_first, "dispatches")
    splice = Splice(moved, removed, inserts)

    stays = readers & plan.keep
    firsts = fit_indices(splice.move(first[stays]), first[stays], T("state changes"))
    animations["first_state_change"][plan.new_index[stays]] = firsts
    for edited, block in written:
        first_change = splice.starts[edited.index]
        edited.set_fields(animations, state_changes=len(block), first_state_change=first_change)
    return splice.array, d_splice.array


def _writers_and_readers(plan: AnimationPlan, tables: AnimationTables) -> tuple[_Written, Bools]:
    """Return the animations that get new state changes, and a mask of the old animations that keep theirs.

    Frames in dispatches are relative to the animation that has them. If animations share a dispatch and only
    some of them move, those get copies.
    """
    written: _Written = []
    readers = plan.keep.copy()
    for each in plan.edited:
        if each.edit.state_changes is not None or each.old is None:
            written.append((each, each.edit.state_changes or ()))
            if each.old is not None:
                readers[each.old] = False
    while plan.shift.any():
        parted = np.flatnonzero(_disagree(plan, tables, readers) & (plan.shift != 0))
        if not len(parted):
            break
        readers[parted] = False
        for index in parted.tolist():
            shared = decode_state_changes(
                tables.animations, tables.state_changes, tables.animation_dispatches, index
            )
            mover = EditedAnimation(int(plan.new_index[index]), index, AnimationEdit(), plan.name(index))
            written.append((mover, shared))
    return written, readers


def _shifts(plan: AnimationPlan, tables: AnimationTables, readers: Bools) -> tuple[Ints, Ints, Ints]:
    """Return the offset of each dispatch, and 1 for each state change and dispatch whose readers disagree."""
    first, count = ranges_of(tables.animations, "first_state_change", "state_changes")
    d_first, d_count = ranges_of(tables.state_changes, "first_dispatch", "dispatches")
    size, d_size = len(tables.state_changes), len(tables.animation_dispatches)
    used = coverage(first[readers], count[readers], size) > 0
    shift, clash = shared_value(first[readers], count[readers], size, plan.shift[readers])
    d_shift, d_clash = shared_value(d_first[used], d_count[used], d_size, shift[used])
    return d_shift, clash, d_clash


def _disagree(plan: AnimationPlan, tables: AnimationTables, readers: Bools) -> Bools:
    """Return which readers share a state change or dispatch with one that moves differently."""
    _, clash, d_clash = _shifts(plan, tables, readers)
    d_first, d_count = ranges_of(tables.state_changes, "first_dispatch", "dispatches")
    first, count = ranges_of(tables.animations, "first_state_change", "state_changes")
    clash = clash + sums_over_ranges(d_first, d_count, d_clash)
    return readers & (sums_over_ranges(first, count, clash) > 0)


def _move_dispatches(plan: AnimationPlan, tables: AnimationTables, readers: Bools, used: Bools) -> Records:
    """Return the old dispatches with the new numbers of frames and animations."""
    rows = tables.animation_dispatches.copy()
    d_first, d_count = ranges_of(tables.state_changes, "first_dispatch", "dispatches")
    is_used = coverage(d_first[used], d_count[used], len(rows)) > 0
    shift, _, _ = _shifts(plan, tables, readers)
    problem = T("a frame of a state change is too high for the game")
    target = rows["next_animation"].astype(np.int64) & 0xFFFF
    exists = target < len(plan.keep)
    is_lost = exists & is_used
    is_lost[exists] &= ~plan.keep[target[exists]]
    for dispatch in np.flatnonzero(is_lost).tolist():
        change = np.flatnonzero(used & (d_first <= dispatch) & (dispatch < d_first + d_count))[0]
        first, count = ranges_of(tables.animations, "first_state_change", "state_changes")
        user = np.flatnonzero(readers & (first <= change) & (change < first + count))[0]
        plan.resolve(int(target[dispatch]), 0, plan.name(int(user)))  # raises
    index, frame = plan.follow(target, rows["next_frame"].astype(np.int64))
    moved = {"low": rows["low"] + shift, "high": rows["high"] + shift, "next_frame": frame}
    for name, values in moved.items():
        is_outside = (values < -0x8000) | (values > 0x7FFF)
        is_wrong = is_used & is_outside & (values != rows[name])
        if is_wrong.any():
            raise ExportError(T("state changes"), problem, count=int(values[is_wrong][0]), limit=0x7FFF)
        rows[name] = np.where(is_outside, rows[name], values)
    rows["next_animation"] = index.astype(np.uint16).view(np.int16)
    return rows


def _encode_block(plan: AnimationPlan, edited: EditedAnimation, block: tuple[StateChange, ...]) -> Records:
    dispatches = [dispatch for change in block for dispatch in change.dispatches]
    targets = [plan.resolve(item.next_animation, item.next_frame, edited.name) for item in dispatches]
    return encode_dispatches(dispatches, plan.first_frame(edited), targets, edited.name)
