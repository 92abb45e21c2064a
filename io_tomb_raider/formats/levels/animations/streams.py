"""Rewriting commands and frames of edited animations (documentation, chapters 6.2.6 and 6.2.7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
from ...base.games import Game
from ...base.messages import T
from .animations import COMMAND_OPERANDS, FRAME_COMMANDS, AnimationCommand, decode_commands, encode_commands
from .plan import AnimationEdit, AnimationPlan, AnimationTables, EditedAnimation

# --- Commands ------------------------------------------------------------------------------------


def write_commands(
    game: Game, plan: AnimationPlan, tables: AnimationTables, animations: Records
) -> NDArray[np.int16]:
    """Return the new stream of commands, and set the positions of commands in the new animation records."""
    stream = tables.animation_commands
    first, _ = ranges_of(tables.animations, "first_command", "commands")
    words = _list_lengths(tables)
    written, readers = _writers_and_readers(plan, tables, words)
    used = coverage(first[readers], words[readers], len(stream)) > 0
    removed = (coverage(first[~readers], words[~readers], len(stream)) > 0) & ~used
    moved = _move_frames(plan, tables, readers, words)
    free = outside_ranges(first[readers], words[readers], len(stream))
    has_filler = game.traits.has_even_streams and len(stream) > 0 and not used[-1] and not removed[-1]
    inserts = []
    for edited, commands in written:
        start = len(stream) - has_filler if edited.old is None else int(first[edited.old])
        stop = start + (0 if edited.old is None else int(words[edited.old]))
        position = block_position(free, start, stop, used)
        block = encode_commands(commands, first_frame=plan.first_frame(edited), subject=edited.name)
        inserts.append(Insert(position, edited.index, block))
    if game.traits.has_even_streams and free[-1] == len(stream):
        # Otherwise a list would continue after the end.
        _keep_even(removed, inserts, moved, has_filler)
    splice = Splice(moved, removed, inserts)
    stays = readers & plan.keep
    firsts = fit_indices(splice.move(first[stays]), first[stays], T("animation commands"))
    animations["first_command"][plan.new_index[stays]] = firsts
    for edited, commands in written:
        edited.set_fields(animations, commands=len(commands), first_command=splice.starts[edited.index])
    return splice.array


def _next_commands(stream: NDArray[np.int16]) -> Ints:
    """Return for each word, and the end, where the next command would begin if one began there.

    One more position, beyond the end, is the end of lists that are longer than the stream.
    """
    operands = np.zeros(len(stream), np.int64)
    for kind, number in COMMAND_OPERANDS.items():
        operands[stream == kind] = number
    following = np.arange(1, len(stream) + 1) + operands
    beyond = len(stream) + 1
    return np.append(np.where(following > len(stream), beyond, following), [beyond, beyond])


def _list_lengths(tables: AnimationTables) -> Ints:
    """Return the number of words of each animation's list of commands.

    A list beyond the end of the stream has one word more than exist. The lists are followed by pointer
    doubling, since garbage counts may be large.
    """
    first, count = ranges_of(tables.animations, "first_command", "commands")
    size = len(tables.animation_commands)
    start = np.minimum(first, size)
    position, jump = start.copy(), _next_commands(tables.animation_commands)
    for bit in range(16):
        steps = (count >> bit & 1).astype(bool)
        position[steps] = jump[position[steps]]
        jump = jump[jump]
    return position - start


def _frame_words(tables: AnimationTables, readers: Bools) -> Ints:
    """Return the words that hold the frames of the readers' sounds and effects."""
    stream = tables.animation_commands
    first, count = ranges_of(tables.animations, "first_command", "commands")
    jump = _next_commands(stream)
    begins = np.zeros(len(stream) + 1, bool)
    position, remaining = first[readers], count[readers]
    while True:  # once per command of the longest list
        is_active = (remaining > 0) & (position < len(stream))
        if not is_active.any():
            break
        position, remaining = position[is_active], remaining[is_active] - 1
        begins[position] = True
        position = jump[position]
    positions = np.flatnonzero(begins[:-1])
    positions = positions[np.isin(stream[positions], FRAME_COMMANDS)]
    return positions[positions + 2 < len(stream)] + 1


def _writers_and_readers(
    plan: AnimationPlan, tables: AnimationTables, words: Ints
) -> tuple[list[tuple[EditedAnimation, tuple[AnimationCommand, ...]]], Bools]:
    """Return the animations that get new commands, and a mask of the old animations that keep theirs.

    If animations share a list and only some of them move, those get copies.
    """
    written = []
    readers = plan.keep.copy()
    for each in plan.edited:
        if each.edit.commands is not None or each.old is None:
            written.append((each, each.edit.commands or ()))
            if each.old is not None:
                readers[each.old] = False
    if plan.shift.any():
        first, count = ranges_of(tables.animations, "first_command", "commands")
        size = len(tables.animation_commands)
        _, clash = shared_value(first[readers], words[readers], size, plan.shift[readers])
        disagree = readers & (plan.shift != 0) & (sums_over_ranges(first, words, clash) > 0)
        readers &= ~disagree
        for index in np.flatnonzero(disagree).tolist():
            base = int(tables.animations["first_frame"][index])
            commands = decode_commands(
                tables.animation_commands, int(first[index]), int(count[index]), first_frame=base
            )
            mover = EditedAnimation(int(plan.new_index[index]), index, AnimationEdit(), plan.name(index))
            written.append((mover, commands))
    return written, readers


def _move_frames(
    plan: AnimationPlan, tables: AnimationTables, readers: Bools, words: Ints
) -> NDArray[np.int16]:
    """Return the old stream with the new frame numbers of sounds and effects."""
    moved = tables.animation_commands.copy()
    if not plan.shift.any():
        return moved
    first, _ = ranges_of(tables.animations, "first_command", "commands")
    shift, _ = shared_value(first[readers], words[readers], len(moved), plan.shift[readers])
    positions = _frame_words(tables, readers)
    values = moved[positions] + shift[positions]
    is_wrong = (shift[positions] != 0) & ((values < -0x8000) | (values > 0x7FFF))
    if is_wrong.any():
        problem = T("a frame of a sound or effect is too high for the game")
        raise ExportError(T("animation commands"), problem, count=int(values[is_wrong][0]), limit=0x7FFF)
    moved[positions] = values
    return moved


def _keep_even(removed: Bools, inserts: list[Insert], array: NDArray, has_filler: bool) -> None:
    """Remove or add the filler that pads TR5's commands and frames to an even number of words."""
    length = len(array) - int(removed.sum()) + sum(len(insert.block) for insert in inserts)
    if len(array) % 2 or length % 2 == 0:
        return
    if has_filler:
        removed[-1] = True
    else:
        last = max((insert.order for insert in inserts), default=0) + 1
        inserts.append(Insert(len(array), last, np.zeros(1, array.dtype)))


# --- Frames --------------------------------------------------------------------------------------


def write_frames(game: Game, plan: AnimationPlan, tables: AnimationTables, animations: Records) -> Splice:
    """Return the new frames, and set their offsets and sizes in the new animation records.

    Old frames keep their order; new ones are inserted in the order of the animations. The old frames of an
    edited animation are removed unless another animation shares them.
    """
    old, frames = tables.animations, tables.frames
    offset = old["frame_offset"].astype(np.int64)
    valid = (offset % 2 == 0) & (offset <= 2 * len(frames))
    word = np.where(valid, offset // 2, 0)
    claims = valid & (word < len(frames)) & ((old["frame_size"] != 0) | (not game.traits.has_packed_frames))
    written = [edited for edited in plan.edited if edited.old is None or edited.edit.frames is not None]
    leaving = ~plan.keep
    leaving[[edited.old for edited in written if edited.old is not None]] = True
    starts = np.unique(word[claims])
    sizes = old["frame_size"].astype(np.int64)
    filler = _filler(word, claims, sizes, len(frames)) if game.traits.has_even_streams else 0
    ends = np.append(starts, len(frames) - filler)
    removed = np.zeros(len(frames), bool)
    if len(starts):
        stays = np.isin(starts, word[claims & ~leaving])
        removed[starts[0] : ends[-1]] = np.repeat(~stays, np.diff(ends))
    positions = _block_positions(plan, written, word, valid, claims & ~leaving, claims, ends)
    inserts = []
    for edited, position in zip(written, positions, strict=True):
        block = frames[:0] if edited.edit.frames is None else edited.edit.frames.words
        inserts.append(Insert(position, edited.index, block))
    if game.traits.has_even_streams:
        _keep_even(removed, inserts, frames, filler > 0)
    splice = Splice(frames, removed, inserts)
    stay = valid & ~leaving
    animations["frame_offset"][plan.new_index[stay]] = 2 * splice.move(word[stay])
    for edited in written:
        size = 0 if edited.edit.frames is None else edited.edit.frames.frame_size
        edited.set_fields(animations, frame_offset=2 * splice.starts[edited.index], frame_size=size)
    return splice


def _filler(word: Ints, claims: Bools, size: Ints, end: int) -> int:
    """Return the number of words after the last frames."""
    claiming = np.flatnonzero(claims)
    if not len(claiming):
        return 0
    last = claiming[word[claiming] == word[claiming].max()][-1]
    return int((end - word[last]) % size[last])


def _block_positions(
    plan: AnimationPlan,
    written: list[EditedAnimation],
    word: Ints,
    valid: Bools,
    staying: Bools,
    claims: Bools,
    ends: Ints,
) -> list[int]:
    """Return where new frames are inserted, in old words.

    Those of an old animation are inserted at its old offset, after frames there that earlier animations keep;
    those of a new animation after the frames of the animation before it.
    """
    old_index = np.full(plan.total, -1, np.int64)
    old_index[plan.new_index[plan.keep]] = np.flatnonzero(plan.keep)
    new_positions: dict[int, int] = {}
    for edited in written:
        before = edited.index - 1
        if edited.old is not None and valid[edited.old]:
            is_shared = staying & (word == word[edited.old])
            earlier = bool(is_shared[: edited.old].any())
            index = int(np.searchsorted(ends, word[edited.old], side="right" if earlier else "left"))
        elif before < 0:
            new_positions[edited.index] = 0
            continue
        elif before in new_positions:
            new_positions[edited.index] = new_positions[before]
            continue
        elif valid[old_index[before]]:
            last = old_index[before]
            index = int(np.searchsorted(ends, word[last], side="right" if claims[last] else "left"))
        else:
            index = len(ends)
        new_positions[edited.index] = int(ends[min(index, len(ends) - 1)])
    return [new_positions[edited.index] for edited in written]
