"""``.trw``: an animation as WADMerger 1.90 exports it. Little endian, numbers as in levels of TR4."""

from __future__ import annotations

from struct import Struct

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Floats, Ints
from ...base.bytes.cursor import Cursor
from ...base.bytes.records import I16, I32, U8, U16, U32
from ...base.errors import ENDS_EARLY, ExportError, FormatError
from ...base.messages import T, as_message
from ...levels.animations.key_places import HEAD_WORDS
from .animation import AnimationFile, FileCommand, FileDispatch, FileStateChange

_VERSION, _KIND = 190, 5  # version 170 is a raw copy of a WAD, which no program reads
_FIXED = 65536
_STEP = 64  # 1/65536 turns per unit of the angles
_FILLING = 10  # bytes after the counts of a state change
_FILLING_DISPATCH = 4  # bytes more per dispatch, after the dispatches

# Fields named "unused…" are read by no program.
_HEADER = np.dtype(
    [
        ("version", U32),
        ("kind", U32),
        ("unused", U32),
        ("frame_rate", U8),
        ("frame_size", U8),  # words per key as in a level
        ("state", U16),
        ("speeds", I32, (4,)),  # speed, acceleration, and both sideways, 16.16 fixed point
        ("first_frame", U16),
        ("last_frame", U16),
        ("next_animation", I16),  # relative to its own number
        ("next_frame", U16),
        ("state_changes", U16),
        ("unused_changes", U16),
        ("unused_commands", U16),
        ("unused2", U16),
        ("minus_one", I32),
        ("commands", U16),
    ]
)
_COMMAND = np.dtype([("type", U16), ("parameters", I16, (3,))])
_COUNTS = np.dtype([("frame_words", U32), ("frames", U32), ("keys", U32)])
_KEY = np.dtype([("box", I16, (3, 2)), ("offset", I16, (3,)), ("bones", U16)])
_ANGLES = np.dtype((I16, (3,)))
_STATE_CHANGE = np.dtype([("state", U16), ("dispatches", U16), ("unused", U16), ("filling", U8, (_FILLING,))])
_DISPATCH = np.dtype([("low", U16), ("high", U16), ("next_animation", I16), ("next_frame", U16)])
_WORD = Struct("<H")


def _key_type(bones: int) -> np.dtype:
    return np.dtype([*((name, _KEY[name]) for name in _KEY.names or ()), ("angles", I16, (bones, 3))])


def read_trw(data: bytes) -> AnimationFile:
    """Decode a ``.trw``.

    State changes that do not end with the file are left out, as in other programs.

    Raises:
        FormatError: if it is none, or damaged.
    """
    cursor = Cursor(data)
    cursor.section = "header"
    header = cursor.array(_HEADER, 1)[0]
    if header["version"] != _VERSION or header["kind"] != _KIND:
        found = f"version {header['version']}, kind {header['kind']}"
        raise cursor.error(f"version {_VERSION}, kind {_KIND}", found, offset=0)
    cursor.section = "commands"
    commands = cursor.array(_COMMAND, int(header["commands"]))
    keys = _read_keys(cursor)
    rate, count = int(header["frame_rate"]), len(keys)
    last = int(header["last_frame"]) - int(header["first_frame"])
    problems: tuple[str, ...] = ()
    try:
        changes = _read_changes(cursor, int(header["state_changes"]))
        if cursor.remaining:
            raise cursor.error("the end of the file", f"{cursor.remaining} more bytes")
    except FormatError as error:
        changes, problems = (), (f"its state changes are damaged and left out ({error})",)
    return AnimationFile(
        name="",
        state=int(header["state"]),
        frame_rate=rate,
        last_frame=last if last >= 0 else _ticks(count, rate),
        next_animation=int(header["next_animation"]),
        next_frame=int(header["next_frame"]),
        velocities=_velocities(header["speeds"], _ticks(count, rate)),
        boxes=keys["box"].astype(np.float64).transpose(0, 2, 1),
        offsets=keys["offset"].astype(np.float64),
        angles=keys["angles"].astype(np.float64) * _STEP,
        state_changes=changes,
        commands=tuple(FileCommand(int(each["type"]), *each["parameters"].tolist()) for each in commands),
        is_relative=True,
        problems=problems,
    )


def _read_keys(cursor: Cursor) -> NDArray[np.void]:
    cursor.section = "keys"
    count = int(cursor.array(_COUNTS, 1)[0]["keys"])
    if not count:
        raise cursor.error("at least one key", "none", offset=cursor.offset - 4)
    if cursor.remaining < _KEY.itemsize:
        raise cursor.too_short(_KEY.itemsize, element=0)
    (bones,) = _WORD.unpack_from(cursor.data, cursor.offset + _KEY.itemsize - _WORD.size)
    dtype = _key_type(bones)
    available = cursor.remaining // dtype.itemsize
    keys = np.frombuffer(cursor.data, dtype, min(count, available), cursor.offset)
    differing = np.flatnonzero(keys["bones"] != bones)
    if len(differing):
        row = int(differing[0])
        found = str(int(keys["bones"][row]))
        offset = cursor.offset + row * dtype.itemsize + _KEY.itemsize - _WORD.size
        raise cursor.error(f"{bones} angles as in the first key", found, element=row, offset=offset)
    if available < count:
        sizes, problem = (cursor.remaining, count * dtype.itemsize), ENDS_EARLY
        raise cursor.error(f"{count} keys", str(available), element=available, problem=problem, sizes=sizes)
    cursor.take(count * dtype.itemsize)
    return keys


def _read_changes(cursor: Cursor, count: int) -> tuple[FileStateChange, ...]:
    cursor.section = T("state changes")
    result = []
    for number in range(count):
        record = cursor.array(_STATE_CHANGE, 1, number)[0]
        rows = cursor.array(_DISPATCH, int(record["dispatches"]), number)
        cursor.take(_FILLING + _FILLING_DISPATCH * len(rows), number)
        dispatches = tuple(FileDispatch(*row) for row in rows.tolist())
        result.append(FileStateChange(int(record["state"]), dispatches))
    return tuple(result)


def _ticks(keys: int, rate: int) -> int:
    return max(keys - 1, 0) * rate


def _velocities(speeds: NDArray[np.int32], ticks: int) -> Floats:
    speed, growth, lateral, lateral_growth = (speeds / _FIXED).tolist()
    return np.array([speed, speed + growth * ticks, lateral, lateral + lateral_growth * ticks])


def write_trw(animation: AnimationFile) -> bytes:
    """Encode an animation as WADMerger's format. Fractions of positions and angles are rounded.

    Raises:
        ExportError: if a number does not fit, it has no key, or numbers of animations are not relative.
    """
    name = animation.name
    if not animation.is_relative:
        raise ExportError(name, T("its next animations are not relative to its number"))
    if not animation.keys:
        raise ExportError(name, T("it has no key frames"))
    count, bones, rate = animation.keys, animation.bones, animation.frame_rate
    words = HEAD_WORDS + 1 + 2 * bones
    header = np.zeros(1, _HEADER)
    ticks = max(_ticks(count, rate), 1)
    start, end, lateral, lateral_end = animation.velocities.tolist()
    speeds = (start, (end - start) / ticks, lateral, (lateral_end - lateral) / ticks)
    values = {
        "version": _VERSION,
        "kind": _KIND,
        "frame_rate": rate,
        "frame_size": min(words, 0xFF),
        "state": animation.state,
        "speeds": np.rint(np.array(speeds) * _FIXED),
        "last_frame": animation.last_frame,
        "next_animation": animation.next_animation,
        "next_frame": animation.next_frame,
        "state_changes": len(animation.state_changes),
        "unused_commands": len(animation.commands),
        "minus_one": -1,
        "commands": len(animation.commands),
    }
    for field, value in values.items():
        header[field] = _fit(value, _HEADER[field].base, name, field)
    commands = np.zeros(len(animation.commands), _COMMAND)
    for row, command in zip(commands, animation.commands, strict=True):
        row["type"] = _fit(command.type, U16, name, "type of a command")
        row["parameters"] = _fit(command[1:], I16, name, "parameter of a command")
    counts = np.array([(words * count, max(animation.last_frame, 0) + 1, count)], _COUNTS)
    keys = np.zeros(count, _key_type(bones))
    keys["box"] = _fit(animation.boxes.transpose(0, 2, 1), I16, name, "box")
    keys["offset"] = _fit(animation.offsets, I16, name, "offset")
    keys["bones"] = _fit(bones, U16, name, "number of bones")
    turns = np.rint(animation.angles / _STEP)
    is_wide = (turns < -0x8000) | (turns > 0x7FFF)
    keys["angles"] = np.where(is_wide, turns % 1024, turns)
    parts = [each.tobytes() for each in (header, commands, counts, keys)]
    return b"".join([*parts, *(_write_change(change, name) for change in animation.state_changes)])


def _write_change(change: FileStateChange, name: str) -> bytes:
    count = len(change.dispatches)
    record = np.zeros(1, _STATE_CHANGE)
    record["state"] = _fit(change.state, U16, name, "state")
    record["dispatches"] = _fit(count, U16, name, "number of dispatches")
    rows = np.zeros(count, _DISPATCH)
    for row, dispatch in zip(rows, change.dispatches, strict=True):
        for field, value in zip(_DISPATCH.names or (), dispatch, strict=False):
            row[field] = _fit(value, _DISPATCH[field], name, field)
    return record.tobytes() + rows.tobytes() + bytes(_FILLING + _FILLING_DISPATCH * count)


def _fit(value: object, dtype: np.dtype, name: str, field: str) -> Ints:
    """Return numbers as integers, if they fit a field."""
    numbers = np.rint(np.asarray(value, np.float64))
    bounds = np.iinfo(dtype)
    is_outside = ~((numbers >= bounds.min) & (numbers <= bounds.max))
    if is_outside.any():
        count = float(np.nan_to_num(numbers[is_outside].ravel()[0]))
        text = T("the {field} does not fit a .trw", field=as_message(field.replace("_", " ")))
        raise ExportError(name, text, count=int(np.clip(count, -1e15, 1e15)), limit=int(bounds.max))
    return numbers.astype(np.int64)
