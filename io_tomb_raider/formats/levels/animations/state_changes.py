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
from .animations import StateChange, decode_state_changes, encode_dispatches, encode_state_changes, fit_field
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
    held = coverage(first[readers], count[readers], len(changes)) > 0
    gone = (coverage(first[~readers], count[~readers], len(changes)) > 0) & ~held
    d_kept = coverage(d_first[~gone], d_count[~gone], len(dispatches)) > 0
    d_gone = (coverage(d_first[gone], d_count[gone], len(dispatches)) > 0) & ~d_kept
    rows = _move_dispatches(plan, tables, readers, held)

    # A block must not be inserted within a range that is still used.
    free = outside_ranges(first[readers], count[readers], len(changes))
    d_free = outside_ranges(d_first[~gone], d_count[~gone], len(dispatches))
    inserts = []
    for each, block in written:
        start = stop = len(dispatches)
        if each.old is not None and count[each.old] and first[each.old] < len(changes):
            own = slice(int(first[each.old]), int(first[each.old] + count[each.old]))
            start, stop = int(d_first[own][0]), int((d_first + d_count)[own][-1])
        at = block_position(d_free, start, stop, d_kept)
        inserts.append(Insert(at, each.index, _encode_block(plan, each, block)))
    d_splice = Splice(rows, d_gone, inserts)
    inserts = []
    for each, block in written:
        start = len(changes) if each.old is None else int(first[each.old])
        at = block_position(free, start, start + (0 if each.old is None else int(count[each.old])), held)
        records = encode_state_changes(block, d_splice.starts[each.index], each.name)
        inserts.append(Insert(at, each.index, records))
    moved = changes.copy()
    moved["first_dispatch"] = fit_indices(d_splice.move(d_first), d_first, "dispatches")
    splice = Splice(moved, gone, inserts)

    kept = readers & plan.keep
    places = fit_indices(splice.move(first[kept]), first[kept], T("state changes"))
    animations["first_state_change"][plan.place[kept]] = places
    for each, block in written:
        values = {"state_changes": len(block), "first_state_change": splice.starts[each.index]}
        for name, value in values.items():
            animations[name][each.index] = fit_field(value, animations.dtype, name, each.name)
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
            edited = EditedAnimation(int(plan.place[index]), index, AnimationEdit(), plan.name(index))
            written.append((edited, shared))
    return written, readers


def _shifts(plan: AnimationPlan, tables: AnimationTables, readers: Bools) -> tuple[Ints, Ints, Ints]:
    """Return the offset of each dispatch, and 1 for each state change and dispatch whose readers disagree."""
    first, count = ranges_of(tables.animations, "first_state_change", "state_changes")
    d_first, d_count = ranges_of(tables.state_changes, "first_dispatch", "dispatches")
    size, d_size = len(tables.state_changes), len(tables.animation_dispatches)
    held = coverage(first[readers], count[readers], size) > 0
    shift, clash = shared_value(first[readers], count[readers], size, plan.shift[readers])
    d_shift, d_clash = shared_value(d_first[held], d_count[held], d_size, shift[held])
    return d_shift, clash, d_clash


def _disagree(plan: AnimationPlan, tables: AnimationTables, readers: Bools) -> Bools:
    """Return which readers share a state change or dispatch with one that moves differently."""
    _, clash, d_clash = _shifts(plan, tables, readers)
    d_first, d_count = ranges_of(tables.state_changes, "first_dispatch", "dispatches")
    first, count = ranges_of(tables.animations, "first_state_change", "state_changes")
    clash = clash + sums_over_ranges(d_first, d_count, d_clash)
    return readers & (sums_over_ranges(first, count, clash) > 0)


def _move_dispatches(plan: AnimationPlan, tables: AnimationTables, readers: Bools, held: Bools) -> Records:
    """Return the old dispatches with the new numbers of frames and animations."""
    rows = tables.animation_dispatches.copy()
    d_first, d_count = ranges_of(tables.state_changes, "first_dispatch", "dispatches")
    used = coverage(d_first[held], d_count[held], len(rows)) > 0
    shift, _, _ = _shifts(plan, tables, readers)
    problem = T("a frame of a state change is too high for the game")
    target = rows["next_animation"].astype(np.int64) & 0xFFFF
    known = target < len(plan.keep)
    lost = known & used
    lost[known] &= ~plan.keep[target[known]]
    for dispatch in np.flatnonzero(lost).tolist():
        change = np.flatnonzero(held & (d_first <= dispatch) & (dispatch < d_first + d_count))[0]
        first, count = ranges_of(tables.animations, "first_state_change", "state_changes")
        user = np.flatnonzero(readers & (first <= change) & (change < first + count))[0]
        plan.resolve(int(target[dispatch]), 0, plan.name(int(user)))  # raises
    index, frame = plan.follow(target, rows["next_frame"].astype(np.int64))
    for name, values in (
        ("low", rows["low"] + shift),
        ("high", rows["high"] + shift),
        ("next_frame", frame),
    ):
        wrong = used & (values != rows[name]) & ((values < -0x8000) | (values > 0x7FFF))
        if wrong.any():
            raise ExportError(T("state changes"), problem, count=int(values[wrong][0]), limit=0x7FFF)
        rows[name] = np.where((values < -0x8000) | (values > 0x7FFF), rows[name], values)
    rows["next_animation"] = index.astype(np.uint16).view(np.int16)
    return rows


def _encode_block(plan: AnimationPlan, each: EditedAnimation, block: tuple[StateChange, ...]) -> Records:
    dispatches = [dispatch for change in block for dispatch in change.dispatches]
    targets = [plan.resolve(item.next_animation, item.next_frame, each.name) for item in dispatches]
    return encode_dispatches(dispatches, plan.first_frame(each), targets, each.name)
