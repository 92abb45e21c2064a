"""Sprite sequences (documentation, chapter 5.7): runs of sprite textures with an id."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats import ExportError, Level
from ....formats.base import SPRITE_SEQUENCE, T
from ...core.context import ExportContext
from ...core.membership import members_of
from ...core.subjects import Kind

NO_SEQUENCE = -1
_LONGEST = 0x8000
_SUBJECT = "Sprites"


def sequence_of(level: Level) -> dict[int, tuple[int, int]]:
    """Return sequence id and position of each sprite texture that is in a sequence."""
    result: dict[int, tuple[int, int]] = {}
    for identity, negative, first in level.sprite_sequences.tolist():
        textures = range(first, min(first - negative, len(level.sprite_textures)))
        for position, texture in enumerate(textures):
            result.setdefault(texture, (identity, position))
    return result


def _is_plain(level: Level) -> bool:
    """Return whether ids are unique, and sequences are valid and do not overlap."""
    rows = level.sprite_sequences.tolist()
    count = len(level.sprite_textures)
    textures = [texture for _, negative, first in rows for texture in range(first, first - negative)]
    is_valid = all(negative <= 0 and first >= 0 for _, negative, first in rows)
    is_valid &= max(textures, default=-1) < count
    return is_valid and len(textures) == len(set(textures)) and len(rows) == len({row[0] for row in rows})


class SpritePlan(NamedTuple):
    """Plan of the exported library of sprites."""

    order: list[Object]  #: the object of every sprite texture.
    source: list[int]  #: the original sprite texture of each, or -1.
    records: NDArray[np.void]  #: the sequences.
    numbers: NDArray[np.int64]  #: (sprite textures,) the new numbers of those of the original, -1 if deleted.


def plan_sprites(context: ExportContext) -> SpritePlan:
    """Return the plan of the sprite textures and sequences to write.

    Raises:
        ExportError: where sequences were changed, but those of the file overlap, or one is too long.
    """
    original = context.original
    count = len(original.sprite_textures)
    objects = [(obj, index if index < count else -1) for obj, index in context.objects(Kind.SPRITE_TEXTURE)]
    old = sequence_of(original)
    sequences = {obj: _wanted(obj, index, old) for obj, index in objects}
    old_objects = [obj for obj, index in objects if index >= 0]
    is_same = len(old_objects) == count and all(
        sequences[obj] == old.get(index, (NO_SEQUENCE, 0)) if index >= 0 else sequences[obj][0] == NO_SEQUENCE
        for obj, index in objects
    )
    if is_same:
        order, source = [obj for obj, _ in objects], [index for _, index in objects]
        return SpritePlan(order, source, original.sprite_sequences, np.arange(count, dtype=np.int64))
    if not _is_plain(original):
        problem = T("the sprite sequences of the file overlap, so they cannot be changed")
        raise ExportError(_SUBJECT, problem)
    return _changed(context, objects, sequences, old)


def _wanted(obj: Object, index: int, old: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return sequence id and position of a sprite texture."""
    settings = obj.tomb_raider.sprite
    # Scenes older than these properties keep the values of the file.
    if not settings.is_property_set("sequence"):
        return old.get(index, (NO_SEQUENCE, 0))
    if settings.sequence == NO_SEQUENCE:
        return NO_SEQUENCE, 0
    return settings.sequence, settings.place


def _changed(
    context: ExportContext,
    objects: list[tuple[Object, int]],
    sequences: dict[Object, tuple[int, int]],
    old: dict[int, tuple[int, int]],
) -> SpritePlan:
    original = context.original
    members: dict[int, list[Object]] = {}
    # The sort is stable, so that originals precede their copies.
    for obj, _ in sorted(objects, key=lambda entry: sequences[entry[0]][1]):
        if sequences[obj][0] != NO_SEQUENCE:
            members.setdefault(sequences[obj][0], []).append(obj)
    by_index = {index: obj for obj, index in objects if index >= 0}
    order: list[Object] = []
    starts: dict[int, int] = {}

    def append(identity: int) -> None:
        starts[identity] = len(order)
        order.extend(members[identity])

    for texture in range(len(original.sprite_textures)):
        identity = old.get(texture, (NO_SEQUENCE, 0))[0]
        if identity != NO_SEQUENCE and identity in members and identity not in starts:
            append(identity)
        loose = by_index.get(texture)
        if identity == NO_SEQUENCE and loose is not None and sequences[loose][0] == NO_SEQUENCE:
            order.append(loose)
    for identity in sorted(set(members) - set(starts)):
        append(identity)
    placed = set(order)
    order += [obj for obj, _ in objects if obj not in placed]
    index_of = dict(objects)
    numbers = np.full(len(original.sprite_textures), -1, np.int64)
    for row, placed_object in enumerate(order):
        if index_of[placed_object] >= 0:
            numbers[index_of[placed_object]] = row
    _warn_of_missing(context, set(members))
    return SpritePlan(order, [index_of[obj] for obj in order], _records(original, members, starts), numbers)


def _records(level: Level, members: dict[int, list[Object]], starts: dict[int, int]) -> NDArray[np.void]:
    """Return the sequences: those of the file in their order, then new ones by id."""
    rows = []
    for identity, negative, first in level.sprite_sequences.tolist():
        if identity in members:
            rows.append((identity, -len(members[identity]), starts[identity]))
        elif not negative:
            rows.append((identity, negative, first))
    ids = level.sprite_sequences["id"].tolist()
    rows += [(each, -len(members[each]), starts[each]) for each in sorted(set(members) - set(ids))]
    if ids == sorted(ids):
        rows.sort(key=lambda row: row[0])
    longest = max((len(each) for each in members.values()), default=0)
    if longest > _LONGEST:
        raise ExportError(_SUBJECT, T("a sprite sequence is too long"), count=longest, limit=_LONGEST)
    return np.array(rows, SPRITE_SEQUENCE)


def _warn_of_missing(context: ExportContext, ids: set[int]) -> None:
    """Warn of entities whose sprite sequence was deleted."""
    deleted = set(context.original.sprite_sequences["id"].tolist()) - ids
    for obj, _ in context.objects(Kind.ENTITY):
        if obj.instance_collection is None and obj.tomb_raider.entity.type in deleted:
            context.report.warn(obj.name, T("its sprite sequence was deleted"))


def first_pictures(context: ExportContext) -> dict[Any, int]:
    """Return sprite sequence ids by their first quad of the library."""
    count = len(context.original.sprite_textures)
    old = sequence_of(context.original)
    firsts: dict[int, tuple[int, Object]] = {}
    for obj, index in context.objects(Kind.SPRITE_TEXTURE):
        identity, position = _wanted(obj, index if index < count else -1, old)
        if identity != NO_SEQUENCE and (identity not in firsts or position < firsts[identity][0]):
            firsts[identity] = position, obj
    result: dict[Any, int] = {}
    for identity, (_, obj) in firsts.items():
        if obj.data is not None:
            result.setdefault(obj.data, identity)
    return result


def first_quad(root: Collection, identity: int) -> Mesh | None:
    """Return the first quad of a sprite sequence, or None."""
    pictures = members_of(root, Kind.SPRITE_TEXTURE)
    objects = [obj for obj in pictures if obj.tomb_raider.sprite.sequence == identity]
    first = min(objects, key=lambda obj: obj.tomb_raider.sprite.place, default=None)
    return first.data if first is not None and isinstance(first.data, Mesh) else None
