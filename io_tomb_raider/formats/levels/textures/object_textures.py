"""Object textures: conversion of records to page, blend mode and UVs of corners, and back (chapter 9.3).

Faces refer to a record, and many faces share one. `ObjectTextureTable` finds the record of each face, and
adds missing records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.arrays.columns import Columns
from ...base.arrays.typing import Bools, Ints
from ...base.bytes.bits import Bits
from ...base.bytes.records import OBJECT_TEXTURE_RECORD
from ...base.errors import ExportError
from ...base.games import Game
from .coordinates import RAW_PER_PIXEL, RawUVs, mapping_correction, raw_to_uv, snap_to_pixels, turn_corners

# The maximum number of object textures that faces can refer to.
MOST_TEXTURES = {
    Game.TR1: 0xFFFF,
    Game.TR2: 0xFFFF,
    Game.TR3: 0x7FFF,  # bit 15 of a face's texture marks double-sided faces from TR3 on
    Game.TR4: 0x7FFF,
    Game.TR5: 0x3FFF,  # room faces use bit 14, too
}

TRIANGLE_BIT = 0x8000  # of ``page``, TR4-5
PAGE_MASK = 0x7FFF
BUMP = Bits(9, 2)  # of ``flags``, TR4-5: the level, 0 for none
ROOM = Bits(15)  # of ``flags``

TOO_MANY = "there are more object textures than a level holds"


# --- Decoding ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ObjectTextures:
    """Decoded object textures, one row each."""

    page: Ints  #: ``(n,)`` texture page.
    attribute: Ints  #: ``(n,)`` blend mode: 0 opaque, 1 color-keyed, 2 additive, ...
    uv: NDArray[np.float32]  #: ``(n, 4, 2)`` float32 in Blender's convention.
    triangle: Bools  #: ``(n,)`` made for triangles; in TR1-3 a convention that is not binding.
    flags: Ints  #: ``(n,)`` of TR4-5 (mapping correction, bump level, room), else 0.

    @property
    def bump(self) -> Ints:
        """``(n,)`` the bump level, 0 to 3."""
        return BUMP.of(self.flags)

    @property
    def room(self) -> Bools:
        """``(n,)`` whether made for faces of rooms."""
        return ROOM.of(self.flags) != 0


def decode_object_textures(records: NDArray[np.void], game: Game) -> ObjectTextures:
    """Convert object texture records to `ObjectTextures`."""
    page = records["page"].astype(np.int64)
    if game.traits.has_texture_flags:
        triangle = page & TRIANGLE_BIT != 0
        page &= PAGE_MASK
        flags = records["flags"].astype(np.int64)
    else:
        triangle = (records["uv"][:, 3] == 0).all(axis=-1)
        flags = np.zeros(len(records), np.int64)
    uv = raw_to_uv(records["uv"])
    return ObjectTextures(page, records["attribute"].astype(np.int64), uv, triangle, flags)


# --- Encoding ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FaceTextures(Columns):
    """The textures that faces need, one row each."""

    page: Ints  #: ``(n,)`` texture page.
    attribute: Ints  #: ``(n,)`` blend mode.
    #: ``(n, 4, 2)`` u16 raw coordinates; the fourth corner of triangles is ignored.
    raw: Annotated[RawUVs, 4, 2]
    triangle: Bools  #: ``(n,)`` bool.
    bump: Ints | None = None  #: bump level 0 to 3 of each face, ``(n,)`` (TR4-5), or None for any.
    room: Bools | bool = False  #: whether the faces belong to rooms, ``(n,)`` or one for all (TR4-5).
    #: label of the animated texture that faces show, ``(n,)``, 0 for none; None if no face has one.
    group: Ints | None = None

    @property
    def bump_flags(self) -> Ints:
        """``(n,)`` the bump levels as bits of ``flags``."""
        none = np.zeros(len(self), np.int64)
        return none if self.bump is None else BUMP.put(none, self.bump)


@dataclass(frozen=True)
class Assignment:
    """The record of each face, and the corner with which the face must begin."""

    index: Ints  #: ``(n,)`` object texture.
    rotation: Ints  #: ``(n,)`` see `Mapping`; 0 except for new textures of TR4-5.


class ObjectTextureTable:
    """The object textures of a level, with search by content and addition of missing ones.

    Existing records never move or change, so the indices in faces and animated textures stay valid. The
    engines animate records, not faces: a record of an animated texture is only used for faces that show it.
    """

    def __init__(self, records: NDArray[np.void], game: Game, groups: Ints | None = None) -> None:
        """Start with the level's records; ``records`` is not changed.

        ``groups`` labels records of animated textures, ``(n,)``, 0 for all others.
        """
        self.game = game
        self._original = records
        self._added: list[NDArray[np.void]] = []
        self._groups = [np.zeros(len(records), np.int64) if groups is None else groups]
        self._limit = MOST_TEXTURES[game]

    @property
    def records(self) -> NDArray[np.void]:
        """All records: the original array itself if nothing was added."""
        return np.concatenate([self._original, *self._added]) if self._added else self._original

    def __len__(self) -> int:
        return len(self._original) + sum(len(records) for records in self._added)

    @property
    def added(self) -> int:
        """The number of new records."""
        return len(self) - len(self._original)

    def agrees(self, faces: FaceTextures, index: ArrayLike) -> Bools:
        """Return whether each face matches the record at ``index`` ``(n,)``; invalid indices do not match."""
        index = np.asarray(index, np.int64)
        inside = (index >= 0) & (index < len(self))
        records = self.records
        result = np.zeros(len(faces), np.bool_)
        rows = np.flatnonzero(inside)
        if len(rows):
            subset = faces.take(rows)
            groups = np.concatenate(self._groups)[index[rows]]
            has_bump = subset.bump is not None
            record_keys = self._keys_of_records(records[index[rows]], groups, subset.triangle, has_bump)
            result[rows] = (record_keys == self._keys_of_faces(subset)).all(axis=1)
        return result

    def find(self, faces: FaceTextures) -> Ints:
        """Return the lowest index of an exactly matching record for each face, or -1: ``(n,)``."""
        result = np.full(len(faces), -1, np.int64)
        records = self.records
        face_keys = self._keys_of_faces(faces)
        for triangle in (False, True):
            rows = np.flatnonzero(faces.triangle == triangle)
            if len(rows) and len(records):
                triangles = np.full(len(records), triangle)
                groups = np.concatenate(self._groups)
                record_keys = self._keys_of_records(records, groups, triangles, faces.bump is not None)
                first = _first_equal(np.concatenate([record_keys, face_keys[rows]]))[len(record_keys) :]
                result[rows] = np.where(first < len(record_keys), first, -1)
        return result

    def seed(self, faces: FaceTextures, subject: str = "object textures") -> Ints:
        """Append a record for each row, even if equal ones exist, and return their indices.

        For textures that must exist even if no face uses them. Corners are unchanged. Raises ExportError as
        :meth:`find_or_add`.
        """
        start, count = len(self), len(self) + len(faces)
        if not len(faces):
            return np.zeros(0, np.int64)
        if count > self._limit:
            raise ExportError(subject, TOO_MANY, count=count, limit=self._limit)
        kind = np.zeros(len(faces), np.int64)
        if self.game.traits.has_texture_flags:
            kind, _ = mapping_correction(faces.raw, faces.triangle, turn=False)
        self._append(self._make(faces, kind), faces)
        return np.arange(start, count)

    def _append(self, records: NDArray[np.void], faces: FaceTextures) -> None:
        self._added.append(records)
        self._groups.append(np.zeros(len(faces), np.int64) if faces.group is None else faces.group)

    def find_in_groups(self, faces: FaceTextures) -> Assignment:
        """Return the record of its animated texture for each face, or -1, and the first corner.

        Corners may differ from the record's by up to a pixel, since users snap them to pixel borders. A face
        may begin with any corner. Blend mode and bump level only decide between records that fit equally.
        """
        index = np.full(len(faces), -1, np.int64)
        rotation = np.zeros(len(faces), np.int64)
        if faces.group is None:
            return Assignment(index, rotation)
        records, groups = self.records, np.concatenate(self._groups)
        decoded = decode_object_textures(records, self.game)
        bump = decoded.bump
        for label in np.unique(faces.group[faces.group > 0]).tolist():
            members = np.flatnonzero(groups == label)
            for row in np.flatnonzero(faces.group == label).tolist() if len(members) else ():
                corners = 3 if faces.triangle[row] else 4
                fits = members[decoded.page[members] == faces.page[row]]
                fits = fits[decoded.triangle[fits] == faces.triangle[row]]
                if not len(fits):
                    continue
                order = (np.arange(corners) + np.arange(corners)[:, None]) % corners
                turned = faces.raw[row, order].astype(np.int64)
                corner_uvs = records["uv"][fits, :corners].astype(np.int64)
                distance = np.abs(turned[None] - corner_uvs[:, None]).max(axis=(2, 3)).astype(np.float64)
                differs = decoded.attribute[fits] != faces.attribute[row]
                if faces.bump is not None:
                    differs = differs | (bump[fits] != faces.bump[row])
                best, turn = divmod(int((distance + 0.5 * differs[:, None]).argmin()), corners)
                if distance[best, turn] <= RAW_PER_PIXEL:
                    index[row], rotation[row] = fits[best], turn
        return Assignment(index, rotation)

    def find_or_add(
        self,
        faces: FaceTextures,
        hints: ArrayLike | None = None,
        subject: str = "object textures",
        *,
        exact: bool = False,
    ) -> Assignment:
        """Return the record of each face; missing records are added, equal ones once.

        A face keeps its hint if that still matches, else it gets the lowest exactly matching record. Only
        then are its corners adapted to the game's convention (`snap_to_pixels`, `mapping_correction`).

        Args:
            hints: ``(n,)`` original index of each face, -1 for none.
            exact: keep new corners unchanged, for faces whose textures are from a file.

        Raises:
            ExportError: if there are more object textures than faces can refer to.
        """
        index = np.full(len(faces), -1, np.int64)
        rotation = np.zeros(len(faces), np.int64)
        if hints is not None:
            hinted = np.asarray(hints, np.int64)
            index = np.where(self.agrees(faces, hinted), hinted, -1)
        missing = np.flatnonzero(index < 0)
        index[missing] = self.find(faces.take(missing))
        missing = missing[index[missing] < 0]
        if not len(missing):
            return Assignment(index, rotation)
        new, kind, rotation[missing] = self._by_convention(faces.take(missing), exact)
        matches = self.find(new)
        absent = np.flatnonzero(matches < 0)
        if len(absent):
            matches[absent] = self._add(new.take(absent), kind[absent], subject)
        index[missing] = matches
        return Assignment(index, rotation)

    def _by_convention(self, faces: FaceTextures, exact: bool) -> tuple[FaceTextures, Ints, Ints]:
        """Return new faces with corners by the game's convention, their mapping correction and rotation."""
        raw = faces.raw.copy() if exact else snap_to_pixels(faces.raw, faces.triangle, self.game)
        kind = rotation = np.zeros(len(faces), np.int64)
        if self.game.traits.has_texture_flags:
            kind, rotation = mapping_correction(raw, faces.triangle, turn=not exact)
            raw = turn_corners(raw, faces.triangle, rotation)
        raw[faces.triangle, 3] = 0
        return replace(faces, raw=raw), kind, rotation

    def _add(self, faces: FaceTextures, kind: Ints, subject: str) -> Ints:
        """Append missing records; return the index of each face's record."""
        unique, inverse = np.unique(_first_equal(self._keys_of_faces(faces)), return_inverse=True)
        count = len(self) + len(unique)
        if count > self._limit:
            raise ExportError(subject, TOO_MANY, count=count, limit=self._limit)
        start, subset = len(self), faces.take(unique)
        self._append(self._make(subset, kind[unique]), subset)
        return start + inverse.reshape(-1)

    def _make(self, faces: FaceTextures, kind: Ints) -> NDArray[np.void]:
        records = np.zeros(len(faces), OBJECT_TEXTURE_RECORD[self.game])
        records["attribute"] = faces.attribute
        records["page"] = faces.page
        records["uv"] = faces.raw
        if not self.game.traits.has_texture_flags:
            return records
        records["page"] |= np.where(faces.triangle, TRIANGLE_BIT, 0).astype(np.uint16)
        records["flags"] = kind | faces.bump_flags | np.where(faces.room, ROOM.mask, 0)
        # The engines ignore these fields. The original position was that in the builder's own picture.
        used = np.where(faces.triangle[:, None, None], faces.raw[:, [0, 1, 2, 2]], faces.raw).astype(np.int64)
        low, size = used.min(axis=1), np.ptp(used, axis=1)
        records["original_u"], records["original_v"] = (low >> 8).T
        last_pixel = (-(-size // 256) - 1).clip(0)
        shift = 16 if self.game.traits.has_fixed_sizes else 0
        records["width"], records["height"] = (last_pixel << shift).T
        return records

    def _keys_of_faces(self, faces: FaceTextures) -> NDArray[np.uint64]:
        page = faces.page.astype(np.int64)
        if self.game.traits.has_texture_flags:
            page = page | np.where(faces.triangle, TRIANGLE_BIT, 0)
        group = np.zeros(len(faces), np.int64) if faces.group is None else faces.group
        return _keys(faces.attribute, page, faces.bump_flags, group, faces.raw, faces.triangle)

    def _keys_of_records(
        self, records: NDArray[np.void], groups: Ints, triangle: Bools, with_bump: bool
    ) -> NDArray[np.uint64]:
        bump = np.zeros(len(records), np.int64)
        if with_bump and self.game.traits.has_bump:
            bump = BUMP.only(records["flags"].astype(np.int64))
        return _keys(records["attribute"], records["page"], bump, groups, records["uv"], triangle)


def _keys(
    attribute: NDArray[np.integer],
    page: NDArray[np.integer],
    bump: NDArray[np.integer],
    group: NDArray[np.integer],
    raw: NDArray[np.integer],
    triangle: Bools,
) -> NDArray[np.uint64]:
    """Return ``(n, 3)`` u64 keys of textures: equal keys mean equal textures."""
    words = np.zeros((len(raw), 12), np.uint16)
    words[:, 0], words[:, 1], words[:, 2], words[:, 3] = attribute, page, bump, group
    words[:, 4:] = np.where((triangle[:, None]) & (np.arange(8) >= 6), 0, raw.reshape(-1, 8))
    return words.view(np.uint64)


def _first_equal(keys: NDArray[np.uint64]) -> Ints:
    """Return for each row ``(n, k)`` the index of the first row equal to it."""
    order = np.lexsort(keys.T)  # stable, so equal rows stay in their order
    ordered = keys[order]
    starts = np.ones(len(keys), np.bool_)
    starts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    result = np.empty(len(keys), np.int64)
    result[order] = order[starts][np.cumsum(starts) - 1]
    return result
