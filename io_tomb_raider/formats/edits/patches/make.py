"""Patches of two levels: the operations that make one of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools
from ...base.errors import ExportError, FormatError
from ...base.games import Game
from ...base.messages import T
from ...levels.level.level import Level
from ...levels.rooms.rooms import Room
from ...levels.views.decoded import Decoded
from ..references.references import Reference
from . import tree
from .align import Hunk, Keys, hunks, mapped, refined, row_bytes, windows
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
Follows = Sequence[Reference]


def changes(old: Level, new: Level) -> list[Json]:
    """Return the operations by section, in the order in which they are applied."""
    maps: Maps = {}
    result: list[Json] = []
    pairs: list[tuple[int, int]] = []
    decoded = Decoded(old)
    if old.has("rooms"):
        pairs, change = _rooms_list(old, new, maps)
        result += change
    names = tree.sections(old)
    spans: dict[str, list[Hunk] | None] = {}
    # References in a circle: those to later sections are ignored where rows are compared for the first time.
    later = set(names)
    for name in names:
        ahead = [each for each in tree.follows(name) if tree.section_of(each.target, old) in later]
        aligned = _aligned(decoded, name, tree.get(old, name), tree.get(new, name), maps, ahead)
        spans[name] = None if ahead else aligned
        later.discard(name)
    for name in names:
        values = tree.get(old, name), tree.get(new, name)
        result += _value(decoded, name, *values, maps, spans[name], {"in": name})
    for number, new_number in pairs:
        result += _room(decoded, number, old.rooms[number], new.rooms[new_number], maps)
    return result


def short(data: bytes | NDArray[Any]) -> str:
    return tree.digest(data)[:DIGITS]


def without(rows: NDArray[Any], follows: Follows, game: Game) -> NDArray[Any]:
    """Return records with the numbers that follow others set to 0."""
    if not follows or not len(rows):
        return rows
    rows = rows.copy()
    for each in follows:
        if not each.field:
            rows[:] = each.cleared(game, rows)
        elif each.field in (rows.dtype.names or ()):
            rows[each.field] = each.cleared(game, rows[each.field])
    return rows


def predicted(values: Any, follows: Follows, maps: Maps, decoded: Decoded) -> Any:
    """Return values after the numbers among them have moved with their targets."""
    game = decoded.level.game
    for each in follows:
        target = tree.section_of(each.target, decoded.level)
        if target not in maps or not maps[target][0]:
            continue
        moves, size = maps[target]
        size -= target == "rooms"  # elsewhere, the end is the start of an empty range
        rows = values if isinstance(values, np.ndarray) else np.array([values])
        column = each.column(rows)
        old = each.numbers(game, column)
        new = np.where(_refers(each, decoded, rows), mapped(old, moves, size), old)
        column = each.with_numbers(game, column, new)
        if not isinstance(values, np.ndarray):
            values = int(column[0])
        elif not each.field:
            values = column
        else:
            values = values.copy()
            values[each.field] = column
    return values


def _refers(reference: Reference, decoded: Decoded, rows: NDArray[Any]) -> Bools | bool:
    if reference.rows is None:
        return True
    try:
        return reference.refers(decoded, rows)
    except FormatError:  # floor data is too damaged
        return True


def _aligned(
    decoded: Decoded, path: str, old: Any, new: Any, maps: Maps, ahead: Sequence[Reference] = ()
) -> list[Hunk]:
    """Return where a section or field differs after numbers have moved, and note its rows that move.

    Args:
        maps: the rows of sections that move.
        ahead: references whose targets are not among them yet, and which are ignored.
    """
    if not isinstance(old, np.ndarray):
        return []
    if old.shape[1:] != new.shape[1:] or old.dtype != new.dtype:
        raise ExportError(path, T("wrong number of elements"))  # the patch holds the whole file
    follows = tree.follows(path)
    expected = predicted(old, [each for each in follows if each not in ahead], maps, decoded)
    if expected.tobytes() == new.tobytes():
        return []
    game = decoded.level.game
    before, after = without(expected, ahead, game), without(new, ahead, game)
    result = hunks(before, after, by_window=old.ndim == 1 and not old.dtype.names)
    moves = [hunk for hunk in result if hunk.stop - hunk.start != hunk.new_stop - hunk.new_start]
    maps[path] = moves, len(old)
    return result


def _value(
    decoded: Decoded, path: str, old: Any, new: Any, maps: Maps, spans: Sequence[Hunk] | None, head: Json
) -> Iterator[Json]:
    """Yield the change of a section or field, if there is one.

    Args:
        maps: the rows of all sections that move.
        spans: where it differs; None if only the rows that move are known.
        head: the first values of the change.
    """
    expected = predicted(old, tree.follows(path), maps, decoded)
    if not isinstance(old, np.ndarray):
        if expected != new:
            yield {**head, "from": plain(old), "to": plain(new)}
        return
    if expected.tobytes() == new.tobytes():
        return
    if spans is None:
        spans = refined(maps[path][0] if path in maps else [], expected, new)
    operations = list(_operations(decoded, path, old, expected, new, spans))
    if operations:
        yield {**head, "of": len(old), "do": operations}


def _operations(
    decoded: Decoded,
    path: str,
    old: NDArray[Any],
    expected: NDArray[Any],
    new: NDArray[Any],
    spans: Sequence[Hunk],
) -> Iterator[Json]:
    game = decoded.level.game
    follows = tree.follows(path)
    is_placed = path in tree.STREAMS or (tree.is_movable(path) and old.dtype.names)
    keys = keys_of(without(old, follows, game)) if is_placed else None
    replaced_numbers: list[Hunk] = []
    records: list[Hunk] = []

    def recorded() -> Iterator[Json]:
        if len(records) > 1 and sum(hunk.stop - hunk.start for hunk in records) > _FEW_ROWS:
            yield _columns(path, old, expected, new, records)
        else:
            for hunk in records:
                yield from _fields(game, path, old, expected, new, hunk)
        records.clear()

    def masked() -> Iterator[Json]:
        if len(replaced_numbers) > _FEW_HUNKS:
            start, stop = replaced_numbers[0].start, replaced_numbers[-1].stop
            after = new[replaced_numbers[0].new_start : replaced_numbers[-1].new_stop]
            yield from _mask(
                old[start:stop], after, {"at": start, "count": stop - start, **_beside(keys, start, stop)}
            )
        else:
            yield from map(replaced, replaced_numbers)
        replaced_numbers.clear()

    def replaced(hunk: Hunk) -> Json:
        before, after = old[hunk.start : hunk.stop], new[hunk.new_start : hunk.new_stop]
        operation: Json = {"at": hunk.start, "remove": len(before), "insert": len(after)}
        if old.ndim == 1 and not old.dtype.names and not follows and 0 < len(before) <= _FEW_OLD:
            operation["from"] = plain(before)
        elif len(before):
            operation["was"] = short(without(before, follows, game))
        return {**operation, **_beside(keys, hunk.start, hunk.stop), **_rows(after)}

    for hunk in spans:
        keeps = hunk.stop - hunk.start == hunk.new_stop - hunk.new_start
        if keeps and old.dtype.names:
            records.append(hunk)
        elif keeps and old.ndim >= 3:
            for page in range(hunk.stop - hunk.start):
                yield from _page(hunk.start + page, old[hunk.start + page], new[hunk.new_start + page])
        elif keeps and old.ndim == 1 and not follows:
            replaced_numbers.append(hunk)
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


def _differing(old: NDArray[Any], new: NDArray[Any]) -> Bools:
    """Return which rows differ in their bytes, (n,)."""
    return np.asarray((row_bytes(old) != row_bytes(new)).any(axis=1))


def _fields(
    game: Game, path: str, old: NDArray[Any], expected: NDArray[Any], new: NDArray[Any], hunk: Hunk
) -> Iterator[Json]:
    """Yield the changes of records in place."""
    follows = tree.follows(path)
    was, before = old[hunk.start : hunk.stop], expected[hunk.start : hunk.stop]
    after = new[hunk.new_start : hunk.new_stop]
    names = [name for name in old.dtype.names or () if _differing(before[name], after[name]).any()]
    count = len(was)
    if count >= _SHIFTED and all(_is_shifted(before[name], after[name]) for name in names):
        steps = {name: int(after[name][0]) - int(before[name][0]) for name in names}
        yield {"at": hunk.start, "count": count, "add": steps, "was": short(without(was, follows, game))}
    elif count > _FEW_ROWS or not is_spelled(was) or not is_spelled(after):
        yield _columns(path, old, expected, new, [hunk])
    else:
        for row in range(count):
            changed = {
                name: [plain(was[name][row]), plain(after[name][row])]
                for name in names
                if before[name][row].tobytes() != after[name][row].tobytes()
            }
            identity = short(without(was[row : row + 1], follows, game))
            yield {"at": hunk.start + row, "set": changed, "row": identity}


def _columns(
    path: str, old: NDArray[Any], expected: NDArray[Any], new: NDArray[Any], spans: Sequence[Hunk]
) -> Json:
    """Return the change of many records: the fields that change in any of them."""
    start, count = spans[0].start, spans[-1].stop - spans[0].start
    is_chosen = np.zeros(count, bool)
    for each in spans:
        is_chosen[each.start - start : each.stop - start] = True
    was, before = old[start : start + count][is_chosen], expected[start : start + count][is_chosen]
    after = new[spans[0].new_start : spans[0].new_start + count][is_chosen]
    names = [name for name in old.dtype.names or () if _differing(before[name], after[name]).any()]
    follows = {each.field for each in tree.follows(path)}
    checked = [was[name] for name in names if name not in follows]
    mask = {} if is_chosen.all() else {"mask": pack(np.packbits(is_chosen))}
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
    old_keys, new_keys = (
        np.array([_signature(room) for room in level.rooms], np.uint64) for level in (old, new)
    )
    spans: list[Hunk] = []
    if len(old_keys) != len(new_keys):
        for start, stop, new_start, new_stop in hunks(old_keys, new_keys, by_window=False):
            shared = min(stop - start, new_stop - new_start)
            if stop - start != new_stop - new_start:
                spans.append(Hunk(start + shared, stop, new_start + shared, new_stop))
    maps["rooms"] = (spans, len(old_keys))
    removed = {number for each in spans for number in range(each.start, each.stop)}
    inserted = {number for each in spans for number in range(each.new_start, each.new_stop)}
    kept = (number for number in range(len(old_keys)) if number not in removed)
    kept_new = (number for number in range(len(new_keys)) if number not in inserted)
    pairs = list(zip(kept, kept_new, strict=True))
    operations: list[Json] = []
    for start, stop, new_start, new_stop in spans:
        rooms = [tree.room_bytes(new, new.rooms[each]) for each in range(new_start, new_stop)]
        head: Json = {"at": start, "remove": stop - start, "insert": new_stop - new_start}
        if stop > start:
            head["was"] = rooms_digest(old.rooms[start:stop], old.game)
        if rooms:
            head["rooms"] = [{"size": len(each), "data": pack(each)} for each in rooms]
        operations.append(head)
    return pairs, [{"in": "rooms", "of": len(old_keys), "do": operations}] if operations else []


def _signature(room: Room) -> int:
    """Return a key by which a room is recognized whatever is edited in it, apart from its mesh."""
    corner = np.array([room.x, room.z], np.int64)
    content = corner.tobytes() + room.vertices.tobytes() + room.quads.tobytes()
    return int(tree.digest(content)[:16], 16)


def rooms_digest(rooms: Sequence[Room], game: Game, version: int = tree.VERSION) -> str:
    """Return the digest of rooms, apart from their numbers of other parts."""
    parts: list[bytes] = []
    for room in rooms:
        for name in tree.fields(room):
            value, follows = tree.get(room, name), tree.follows(f"rooms.{name}", version)
            if isinstance(value, np.ndarray):
                parts.append(np.ascontiguousarray(without(value, follows, game)).tobytes())
            elif not follows:
                parts.append(repr(value).encode())
    return short(b"".join(parts))


def _room(decoded: Decoded, number: int, old: Room, new: Room, maps: Maps) -> Iterator[Json]:
    """Yield the changes of a room."""
    result: list[Json] = []
    for name in tree.fields(old):
        path, values = f"rooms.{name}", (tree.get(old, name), tree.get(new, name))
        head = {"in": "rooms", "room": number, "field": name}
        spans = _aligned(decoded, path, *values, dict(maps))
        result += _value(decoded, path, *values, maps, spans, head)
    if "geometry_words" in vars(old):
        # Edited rooms get the true number, unchanged ones keep theirs.
        (stored, words), (new_stored, new_words) = old.geometry_words, new.geometry_words
        written = stored if words == new_words else new_words
        if written != new_stored or (not stored) != (not new_stored):
            head = {"in": "rooms", "room": number, "field": "geometry_words"}
            result.append({**head, "from": [stored, words], "to": [new_stored, new_words]})
    if new.block is not None and old.block is not None:
        rebuilt = new.copy()
        rebuilt.block, rebuilt.header = (None if result else old.block), old.header
        if tree.room_bytes(decoded.level, rebuilt) != bytes(new.block):
            head = {"in": "rooms", "room": number, "was": short(bytes(old.block))}
            result = [{**head, "size": len(new.block), "whole": pack(bytes(new.block))}]
    yield from result
