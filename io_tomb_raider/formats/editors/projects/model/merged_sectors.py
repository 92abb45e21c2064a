"""Lists of a project's sectors in which unchanged chunks stay as they are."""

from __future__ import annotations

from collections import defaultdict
from hashlib import sha256

import numpy as np

from ....base.arrays.typing import Bools, Records
from ....base.bytes.chunks import END, Chunk, inside, leb_bytes, read_chunks
from ....base.bytes.cursor import Cursor
from ....base.schema.chunks import with_parts, woven
from .sectors import (
    FACE_TEXTURED,
    FACES,
    FLAGS,
    HEAD,
    SECTOR,
    SECTOR_WIDTH,
    SPLITS,
    SURFACE_FORMS,
    TODAY,
    by_sector,
    flag_values,
    sector_bodies,
    sector_list,
)
from .shape import FACE, MOST_SPLITS, RoomShape

# By the name of a chunk, the chunk of today's form with the same part of a sector.
_SLOTS = {
    chr(FLAGS): FLAGS,
    **{chr(name): FACE_TEXTURED for name in FACES},
    **{chr(form.heights[side]): TODAY.heights[side] for form in SURFACE_FORMS for side in (0, 1)},
    **{chr(form.splits[side]): SPLITS[side] for form in SURFACE_FORMS if form.splits for side in (0, 1)},
}


def digest_of(shape: RoomShape) -> bytes:
    """Return a digest of all that files store of sectors, to compare them without decoding them again."""
    result = sha256()
    values = [flag_values(shape), shape.faces]
    for surface in (shape.floor, shape.ceiling):
        used = np.arange(MOST_SPLITS) < surface.split_count[..., None]
        values += [surface.x_equals_z, surface.diagonal, surface.heights, used, surface.splits[used]]
    for each in values:
        result.update(b"%d " * each.ndim % each.shape)
        result.update(np.ascontiguousarray(each).data)
    return result.digest()


def merged_list(shape: RoomShape, old: RoomShape, body: bytes) -> bytes:
    """Return the content of the list of a room's sectors after the shape may have changed.

    Chunks of unchanged sectors, surfaces and faces stay as they are. `old`, `body`: the old sectors, and
    their content.
    """
    if old is shape:
        return body
    if old.wall.shape != shape.wall.shape:
        return sector_list(shape)
    changes = _changes(old, shape)
    changed = np.logical_or.reduce(list(changes.values()))
    if not changed.any():
        return body
    cursor = Cursor(body)
    parts = read_chunks(cursor)
    numbers = [int.from_bytes(part.body[:4], "little") if part.name == SECTOR else -1 for part in parts]
    last = dict(zip(numbers, range(len(parts)), strict=True))
    faces = by_sector(old.faces), by_sector(shape.faces)
    bodies, old_bodies = sector_bodies(shape).rows(), sector_bodies(old).rows()
    new_parts = list(parts)
    for number in np.flatnonzero(changed).tolist():
        if number not in last:
            new_parts.append(Chunk(SECTOR, b"", HEAD + leb_bytes(0, SECTOR_WIDTH)).with_body(bodies[number]))
            continue
        part = parts[last[number]]
        if part.body == old_bodies[number]:  # today's form: the fast way to the same result
            new_parts[last[number]] = part.with_body(bodies[number])
            continue
        names = {name for name, rows in changes.items() if rows[number]}
        keys = [_face_keys(each, number) for each in faces]
        new_parts[last[number]] = _merged_sector(part, bodies[number], names, *keys)
    return b"".join([*(part.to_bytes() for part in new_parts), END, body[cursor.offset :]])


def _changes(old: RoomShape, new: RoomShape) -> dict[int, Bools]:
    """Return by today's chunks which sectors changed, (z * x,) each; faces are one of them."""
    changes = {FLAGS: (flag_values(old) != flag_values(new)).reshape(-1)}
    for side, (before, after) in enumerate(((old.floor, new.floor), (old.ceiling, new.ceiling))):
        differs = (before.x_equals_z != after.x_equals_z) | (before.diagonal != after.diagonal)
        differs |= (before.heights != after.heights).any(axis=2)
        changes[TODAY.heights[side]] = differs.reshape(-1)
        used = np.arange(MOST_SPLITS) < after.split_count[..., None]
        splits = ((before.splits != after.splits).any(axis=3) & used).any(axis=2)
        changes[SPLITS[side]] = (splits | (before.split_count != after.split_count)).reshape(-1)
    faces = by_sector(old.faces), by_sector(new.faces)
    counts = [np.bincount(each["sector"], minlength=old.wall.size) for each in faces]
    changed = counts[0] != counts[1]
    before, after = (each[~changed[each["sector"]]] for each in faces)
    changed[before["sector"][_raw(before) != _raw(after)]] = True
    changes[FACE_TEXTURED] = changed
    return changes


def _raw(faces: Records) -> Records:
    """Return faces (n,) as bytes, to compare them."""
    return np.ascontiguousarray(faces).view(np.dtype((np.void, FACE.itemsize)))


def _face_keys(faces: Records, number: int) -> list[bytes]:
    """Return the faces of a sector among faces sorted by sectors."""
    first, end = np.searchsorted(faces["sector"], (number, number + 1))
    return [face.tobytes() for face in faces[first:end]]


def _merged_sector(
    chunk: Chunk, body: bytes, changed: set[int], old_faces: list[bytes], new_faces: list[bytes]
) -> Chunk:
    """Return the chunk of a sector with its changed parts in today's form.

    `body`: its whole content in today's form. `changed`: the names of today's chunks that changed.
    """
    cursor, fresh_cursor = inside(chunk), Cursor(body)
    cursor.take(4)
    fresh_cursor.take(4)
    parts, fresh = read_chunks(cursor), read_chunks(fresh_cursor)
    slots = [_SLOTS.get(part.name, -1) for part in parts]
    for oldest, heights, splits in zip(SURFACE_FORMS[0].heights, TODAY.heights, SPLITS, strict=True):
        if changed & {heights, splits} and chr(oldest) in (part.name for part in parts):
            changed |= {heights, splits}
    pending = {_SLOTS[part.name]: part for part in fresh if _SLOTS[part.name] in changed - {FACE_TEXTURED}}
    first_face = next((index for index, slot in enumerate(slots) if slot == FACE_TEXTURED), len(parts))
    result: list[Chunk] = []
    for slot, part in zip(slots[:first_face], parts, strict=False):
        for missing in [name for name in pending if name < slot and name not in slots]:
            result.append(pending.pop(missing))
        if slot not in changed:
            result.append(part)
        elif slot in pending:
            result.append(pending.pop(slot))
    result += pending.values()
    rest = zip(slots[first_face:], parts[first_face:], strict=True)
    tail = [part for slot, part in rest if slot not in changed or slot == FACE_TEXTURED]
    if FACE_TEXTURED in changed:
        old = [part for slot, part in zip(slots, parts, strict=True) if slot == FACE_TEXTURED]
        new = [part for part in fresh if _SLOTS[part.name] == FACE_TEXTURED]
        unused: dict[bytes, list[Chunk]] = defaultdict(list)
        for key, part in zip(old_faces, old, strict=True):
            unused[key].append(part)
        pairs: list[tuple[Chunk | None, Chunk]] = []
        for key, part in zip(new_faces, new, strict=True):
            same = unused[key].pop(0) if unused[key] else None
            pairs.append((same, same or part))
        tail = woven(tail, pairs, {id(part) for part in old})
    return with_parts(chunk, chunk.body[:4], [*result, *tail], chunk.body[cursor.offset :])
