"""Patches of two levels: the operations that make one of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.messages import T
from ..errors import ExportError
from ..level.level import Level
from ..rooms.rooms import Room
from . import tree
from .align import Hunk, Keys, hunks, mapped, row_bytes, windows
from .align import row_keys as keys_of
from .values import Json, is_spelled, pack, plain

_FEW_ROWS = 16  # set one by one; more are packed by column
_FEW_NUMBERS = 32  # listed; more are packed
_FEW_OLD = 8  # numbers that are listed, not only their digest
_FEW_RECORDS = 4  # inserted ones that are listed
_FEW_HUNKS = 16  # of plain numbers; more are packed with a mask
_SHIFTED = 3  # rows from which on one number is added to them
BESIDE = 8  # rows next to a change by which its place is found
DIGITS = 12  # of a digest

Maps = dict[str, tuple[list[Hunk], int]]


def changes(old: Level, new: Level) -> list[Json]:
    """Return the operations by section, in the order in which they are applied."""
    maps: Maps = {}
    found: list[Json] = []
    pairs: list[tuple[int, int]] = []
    if old.has("rooms"):
        pairs, change = _rooms_list(old, new, maps)
        found += change
    for name in tree.sections(old):
        found += _value(name, tree.get(old, name), tree.get(new, name), maps, {"in": name})
    for one, other in pairs:
        found += _room(old, one, old.rooms[one], new.rooms[other], maps)
    return found


def short(data: bytes | NDArray[Any]) -> str:
    return tree.digest(data)[:DIGITS]


def without(rows: NDArray[Any], follows: tree.Follows) -> NDArray[Any]:
    """Return records with the columns that follow others set to 0."""
    if not follows or not len(rows):
        return rows
    if "" in follows:
        return np.zeros_like(rows)
    rows = rows.copy()
    for name in follows:
        if name in (rows.dtype.names or ()):
            rows[name] = 0
    return rows


def predicted(values: Any, follows: tree.Follows, maps: Maps) -> Any:
    """Return values after the indices among them have moved with their targets."""
    for column, (target, unit) in follows.items():
        if target not in maps or not maps[target][0]:
            continue
        moves, size = maps[target]
        size -= target == "rooms"  # elsewhere, the end is the start of an empty range
        if not isinstance(values, np.ndarray):
            return int(mapped(np.array([values]), moves, size, unit)[0])
        if not column:
            return mapped(values, moves, size, unit).astype(values.dtype)
        values = values.copy()
        values[column] = mapped(values[column], moves, size, unit).astype(values[column].dtype)
    return values


def _value(name: str, old: Any, new: Any, maps: Maps, head: Json) -> Iterator[Json]:
    """Yield the change of a section or field, if there is one."""
    follows = tree.FOLLOWS.get(name, {})
    if not isinstance(old, np.ndarray):
        if predicted(old, follows, maps) != new:
            yield {**head, "from": plain(old), "to": plain(new)}
        return
    made: list[Json] = []
    expected = predicted(old, follows, maps)
    if old.shape[1:] != new.shape[1:] or old.dtype != new.dtype:
        raise ExportError(name, T("wrong number of elements"))  # the patch holds the whole file
    if expected.tobytes() != new.tobytes():
        by_window = old.ndim == 1 and not old.dtype.names
        found = hunks(expected, new, by_window=by_window)
        maps[name] = (
            [each for each in found if each.stop - each.start != each.new_stop - each.new_start],
            len(old),
        )
        made = list(_operations(name, old, expected, new, found))
    if made:
        yield {**head, "of": len(old), "do": made}


def _operations(
    name: str, old: NDArray[Any], expected: NDArray[Any], new: NDArray[Any], found: Sequence[Hunk]
) -> Iterator[Json]:
    follows = tree.FOLLOWS.get(name, {})
    keys = keys_of(old) if name in tree.STREAMS else None
    same: list[Hunk] = []
    records: list[Hunk] = []

    def recorded() -> Iterator[Json]:
        if len(records) > 1 and sum(each.stop - each.start for each in records) > _FEW_ROWS:
            yield _columns(follows, old, expected, new, records)
        else:
            for each in records:
                yield from _fields(follows, old, expected, new, each)
        records.clear()

    def masked() -> Iterator[Json]:
        if len(same) > _FEW_HUNKS:
            start, stop = same[0].start, same[-1].stop
            after = new[same[0].new_start : same[-1].new_stop]
            yield from _mask(
                old[start:stop], after, {"at": start, "count": stop - start, **_beside(keys, start, stop)}
            )
        else:
            for each in same:
                yield replaced(each)
        same.clear()

    def replaced(hunk: Hunk) -> Json:
        before, after = old[hunk.start : hunk.stop], new[hunk.new_start : hunk.new_stop]
        made: Json = {"at": hunk.start, "remove": len(before), "insert": len(after)}
        if old.ndim == 1 and not old.dtype.names and not follows and 0 < len(before) <= _FEW_OLD:
            made["from"] = plain(before)
        elif len(before):
            made["was"] = short(without(before, follows))
        made |= _beside(keys, hunk.start, hunk.stop)
        return {**made, **_rows(after)}

    for hunk in found:
        keeps = hunk.stop - hunk.start == hunk.new_stop - hunk.new_start
        if keeps and old.dtype.names:
            records.append(hunk)
        elif keeps and old.ndim >= 3:
            for page in range(hunk.stop - hunk.start):
                yield from _page(hunk.start + page, old[hunk.start + page], new[hunk.new_start + page])
        elif keeps and old.ndim == 1 and not follows:
            same.append(hunk)
        else:
            yield from masked()
            yield from recorded()
            yield replaced(hunk)
    yield from masked()
    yield from recorded()


def _beside(keys: Keys | None, start: int, stop: int) -> Json:
    """Return keys of the numbers before and after a change."""
    return {} if keys is None else {"beside": list(surroundings(keys, start, stop))}


def surroundings(keys: Keys, start: int, stop: int) -> tuple[str, str]:
    """Return keys of up to eight numbers before and after a range, as hexadecimal digits."""
    before, after = keys[max(start - BESIDE, 0) : start], keys[stop : stop + BESIDE]
    return _key(before), _key(after)


def _key(keys: Keys) -> str:
    return f"{int(windows(keys, len(keys))[0]):016x}" if len(keys) else ""


def _rows(rows: NDArray[Any]) -> Json:
    """Return inserted rows: few are readable, many are packed."""
    if not len(rows):
        return {}
    if rows.dtype.names:
        if len(rows) <= _FEW_RECORDS and is_spelled(rows):
            return {"rows": [{name: plain(row[name]) for name in rows.dtype.names} for row in rows]}
    elif rows.size <= _FEW_NUMBERS and is_spelled(rows):
        return {"rows": plain(rows)}
    return {"data": pack(rows)}


def _differing(old: NDArray[Any], new: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows differ in their bytes, (n,)."""
    return np.asarray((row_bytes(old) != row_bytes(new)).any(axis=1))


def _fields(
    follows: tree.Follows, old: NDArray[Any], expected: NDArray[Any], new: NDArray[Any], hunk: Hunk
) -> Iterator[Json]:
    """Yield the changes of records in place."""
    was, before, after = (
        old[hunk.start : hunk.stop],
        expected[hunk.start : hunk.stop],
        new[hunk.new_start : hunk.new_stop],
    )
    names = [name for name in old.dtype.names or () if _differing(before[name], after[name]).any()]
    count = len(was)
    if count >= _SHIFTED and all(_is_shifted(before[name], after[name]) for name in names):
        by = {name: int(after[name][0]) - int(before[name][0]) for name in names}
        yield {"at": hunk.start, "count": count, "add": by, "was": short(without(was, follows))}
    elif count > _FEW_ROWS or not is_spelled(was) or not is_spelled(after):
        yield _columns(follows, old, expected, new, [hunk])
    else:
        for row in range(count):
            changed = {
                name: [plain(was[name][row]), plain(after[name][row])]
                for name in names
                if before[name][row].tobytes() != after[name][row].tobytes()
            }
            identity = short(without(was[row : row + 1], follows))
            yield {"at": hunk.start + row, "set": changed, "row": identity}


def _columns(
    follows: tree.Follows, old: NDArray[Any], expected: NDArray[Any], new: NDArray[Any], found: Sequence[Hunk]
) -> Json:
    """Return the change of many records: the fields that change in any of them."""
    start, count = found[0].start, found[-1].stop - found[0].start
    chosen = np.zeros(count, bool)
    for each in found:
        chosen[each.start - start : each.stop - start] = True
    was, before = old[start : start + count][chosen], expected[start : start + count][chosen]
    after = new[found[0].new_start : found[0].new_start + count][chosen]
    names = [name for name in old.dtype.names or () if _differing(before[name], after[name]).any()]
    checked = [was[name] for name in names if name not in follows]
    mask = {} if chosen.all() else {"mask": pack(np.packbits(chosen))}
    return {
        "at": start,
        "count": count,
        "fields": names,
        **mask,
        "was": short(b"".join(np.ascontiguousarray(each).tobytes() for each in checked)),
        "data": pack(b"".join(np.ascontiguousarray(after[name]).tobytes() for name in names)),
    }


def _is_shifted(before: NDArray[Any], after: NDArray[Any]) -> bool:
    """Return whether one integer was added to all rows."""
    if before.ndim != 1 or before.dtype.kind not in "iu":
        return False
    difference = after.astype(np.int64) - before.astype(np.int64)
    return bool((difference == difference[0]).all())


def _page(number: int, old: NDArray[Any], new: NDArray[Any]) -> Iterator[Json]:
    """Yield the change of a texture page: a rectangle, and which of its texels changed."""
    differs = (old != new).reshape(*old.shape[:2], -1).any(axis=2)
    rows, columns = (np.flatnonzero(differs.any(axis=axis)) for axis in (1, 0))
    if len(rows):
        y, x = int(rows[0]), int(columns[0])
        height, width = int(rows[-1]) + 1 - y, int(columns[-1]) + 1 - x
        box = slice(y, y + height), slice(x, x + width)
        head = {"at": number, "rectangle": [x, y, width, height]}
        yield from _mask(old[box].reshape(-1, *old.shape[2:]), new[box].reshape(-1, *old.shape[2:]), head)


def _mask(old: NDArray[Any], new: NDArray[Any], head: Json) -> Iterator[Json]:
    """Yield the change of many elements among unchanged ones."""
    differs = (old != new).reshape(len(old), -1).any(axis=1)
    mask = {} if differs.all() else {"mask": pack(np.packbits(differs))}
    yield {**head, **mask, "was": short(old[differs]), "data": pack(new[differs])}


# --- Rooms ----------------------------------------


def _rooms_list(old: Level, new: Level, maps: Maps) -> tuple[list[tuple[int, int]], list[Json]]:
    """Return which rooms correspond, and the rooms that are removed and inserted."""
    one, other = (np.array([_signature(room) for room in level.rooms], np.uint64) for level in (old, new))
    found: list[Hunk] = []
    if len(one) != len(other):
        for start, stop, new_start, new_stop in hunks(one, other, by_window=False):
            shared = min(stop - start, new_stop - new_start)
            if stop - start != new_stop - new_start:
                found.append(Hunk(start + shared, stop, new_start + shared, new_stop))
    maps["rooms"] = (found, len(one))
    removed = {number for each in found for number in range(each.start, each.stop)}
    inserted = {number for each in found for number in range(each.new_start, each.new_stop)}
    pairs = list(
        zip(
            (number for number in range(len(one)) if number not in removed),
            (number for number in range(len(other)) if number not in inserted),
            strict=True,
        )
    )
    made: list[Json] = []
    for start, stop, new_start, new_stop in found:
        added = [tree.room_bytes(new, new.rooms[each]) for each in range(new_start, new_stop)]
        head: Json = {"at": start, "remove": stop - start, "insert": new_stop - new_start}
        if stop > start:
            head["was"] = rooms_digest(old.rooms[start:stop])
        if added:
            head["rooms"] = [{"size": len(each), "data": pack(each)} for each in added]
        made.append(head)
    return pairs, [{"in": "rooms", "of": len(one), "do": made}] if made else []


def _signature(room: Room) -> int:
    """Return a key by which a room is recognized whatever is edited in it, apart from its mesh."""
    content = b"".join(
        (np.array([room.x, room.z], np.int64).tobytes(), room.vertices.tobytes(), room.quads.tobytes())
    )
    return int(tree.digest(content)[:16], 16)


def rooms_digest(rooms: Sequence[Room]) -> str:
    """Return the digest of rooms, apart from their indices of other parts."""
    parts: list[bytes] = []
    for room in rooms:
        for name in tree.fields(room):
            value, follows = tree.get(room, name), tree.FOLLOWS.get(f"rooms.{name}", {})
            if isinstance(value, np.ndarray):
                parts.append(np.ascontiguousarray(without(value, follows)).tobytes())
            elif not follows:
                parts.append(repr(value).encode())
    return short(b"".join(parts))


def _room(level: Level, number: int, old: Room, new: Room, maps: Maps) -> Iterator[Json]:
    """Yield the changes of a room."""
    made: list[Json] = []
    for name in tree.fields(old):
        head = {"in": "rooms", "room": number, "field": name}
        made += _value(f"rooms.{name}", tree.get(old, name), tree.get(new, name), dict(maps), head)
    if "geometry_words" in vars(old):
        # Edited rooms get the true number, unchanged ones keep theirs.
        (stored, words), (new_stored, new_words) = old.geometry_words, new.geometry_words
        written = stored if words == new_words else new_words
        if written != new_stored or (not stored) != (not new_stored):
            made.append(
                {
                    "in": "rooms",
                    "room": number,
                    "field": "geometry_words",
                    "from": [stored, words],
                    "to": [new_stored, new_words],
                }
            )
    if new.block is not None and old.block is not None:
        rebuilt = new.copy()
        rebuilt.block, rebuilt.header = (None if made else old.block), old.header
        if tree.room_bytes(level, rebuilt) != bytes(new.block):
            was = short(bytes(old.block))
            size = len(new.block)
            made = [
                {"in": "rooms", "room": number, "was": was, "size": size, "whole": pack(bytes(new.block))}
            ]
    yield from made
