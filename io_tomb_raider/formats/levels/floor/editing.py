"""Editing floor data: renumbering references, replacing lists, rewriting all lists.

Documentation, chapter 4. Unchanged lists keep their words and their order. A level whose lists do not tile
the array (:func:`.floor_data.parse`) keeps the array, and new lists are appended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ExportError
from ...base.messages import T, Text, about
from .floor_data import INDEX_LIMIT, FloorData, decode, decode_all, encode, list_roles, word_roles
from .functions import ActionType, Function, FunctionType, Slant, Triangulation
from .grammar import END, WordRole

_ENTITY_ACTIONS = (ActionType.OBJECT, ActionType.LOOK_AT)
_CAMERA_ACTIONS = (ActionType.CAMERA, ActionType.SINK)

_Words = Sequence[int] | NDArray[np.int64]


class FloorReferences(NamedTuple):
    """References of floor data to entities, cameras and rooms: (n,) int64 indices of words, ascending.

    The number itself is in bits 0-9 of the word, that of a room in the whole word.
    """

    #: entities that are activated or looked at, or that activate a switch, key or pickup trigger.
    entities: NDArray[np.int64]
    #: cameras and sinks, which share one array. Flybys refer to a sequence, not a camera.
    cameras: NDArray[np.int64]
    uncertain: NDArray[np.int64]  #: TRNG: numbers that may be entities, depending on plugins.
    rooms: NDArray[np.int64]  #: target rooms of portals.


class SectorWarning(NamedTuple):
    """A warning about a sector."""

    room: int  #: the room's index.
    x: int  #: the sector's position.
    z: int  #: likewise.
    text: str  #: the warning.
    removal: bool = False  #: whether a function was removed because its target was deleted.

    @property
    def place(self) -> Text:
        """The name of the sector for users."""
        return T("Room {room:03}, sector ({x}, {z})", room=self.room, x=self.x, z=self.z)

    def __str__(self) -> str:
        return about(self.place, self.text)


class EditedFloor(NamedTuple):
    """Floor data after an edit."""

    words: NDArray[np.uint16]  #: (n,) uint16, the new array.
    sectors: list[NDArray[np.uint16]]  #: per room the new indices, uint16, in the shapes that were given.
    #: (n,) int64: the old index of each word, or -1 for a new one; for data that is stored per word, such as
    #: the plugins of a TRNG footer.
    origins: NDArray[np.int64]
    warnings: list[SectorWarning]  #: removed functions and uncertain references.
    closed: Sequence[tuple[int, int, int]] = ()  #: sectors (room, x, z) that lost their portal to a room.


def find_references(words: NDArray[np.uint16], roles: NDArray[np.uint8]) -> FloorReferences:
    """Find all references in words with known roles (chapters 4.5 and 4.6).

    Args:
        words: (n,) uint16.
        roles: (n,) uint8, a :class:`.floor_data.WordRole` each; see :attr:`.FloorData.roles`.
    """
    kinds = words >> 10 & 0x1F
    actions = roles == WordRole.ACTION
    return FloorReferences(
        np.flatnonzero((roles == WordRole.REFERENCE) | (actions & np.isin(kinds, _ENTITY_ACTIONS))),
        np.flatnonzero(actions & np.isin(kinds, _CAMERA_ACTIONS)),
        np.flatnonzero(roles == WordRole.UNCERTAIN_ACTION),
        1 + np.flatnonzero((roles == WordRole.FUNCTION) & (words & 0x1F == FunctionType.PORTAL)),
    )


def edit(
    data: FloorData,
    sectors: Sequence[NDArray[np.uint16]],
    changes: Mapping[tuple[int, int, int], Sequence[Function]],
) -> EditedFloor:
    """Replace the lists of functions of sectors. All other lists keep their words.

    A list is replaced in place if every sector that uses it changes alike; otherwise new lists are appended.
    For a new level start from ``parse([0])`` and indices of 0.

    Args:
        sectors: per room the sectors' indices, (x_sectors, z_sectors).
        changes: the functions by room, x and z. No functions leave the sector without a list.

    Raises:
        ExportError: if a function does not fit its words or a list begins beyond word 65535.
    """
    change = Change(data)
    users: dict[int, dict[tuple[int, int, int], tuple[int, ...]]] = {}
    for (room, x, z), functions in sorted(changes.items(), key=lambda item: item[0]):
        start = int(sectors[room][x, z])
        users.setdefault(start, {})[room, x, z] = tuple(encode(functions, data.rules))
    counts = np.bincount(np.concatenate([np.zeros(1, np.int64), *(np.ravel(s) for s in sectors)]))
    for start, new_lists in users.items():
        number = change.number(start)
        old = () if start == 0 else None if number is None else tuple(data.words[start : data.ends[number]])
        new_lists = {sector: words for sector, words in new_lists.items() if words != old}
        origins = {words: _followed(data, number, words) for words in new_lists.values()}
        if number is not None and counts[start] == len(new_lists):
            if len(origins) == 1:
                change.replace(number, *origins.popitem())
                continue
            change.replace(number, ())
        added: dict[tuple[int, ...], int] = {(): Change.NO_LIST}
        for sector, words in new_lists.items():
            # Sectors that shared a list still do if they agree; those without one each get their own.
            if words not in added or (start == 0 and words):
                added[words] = change.append(words, origins[words])
            change.moved[sector] = added[words]
    return change.finish(sectors, [])


def rebuild(data: FloorData, sectors: Sequence[NDArray[np.uint16]]) -> EditedFloor:
    """Rewrite all lists from their functions, in the order of rooms and sectors.

    Shared lists stay shared. Unused lists are omitted.

    Raises:
        FormatError: if a list cannot be read.
        ExportError: if a list begins beyond word 65535.
    """
    lists = dict(zip(data.starts.tolist(), decode_all(data), strict=True))
    words = data.words[:1].tolist() or [0]
    origins = [np.zeros(1, dtype=np.int64)]
    new_starts = {0: 0}
    for start in np.concatenate([np.zeros(1, np.int64), *(np.ravel(s) for s in sectors)]).tolist():
        if start not in new_starts:
            new_starts[start] = len(words)
            # Raises for unreadable lists; lists too long for parse() are readable.
            functions = lists.get(start) or decode(data.words, start, data.rules)
            encoded = encode(functions, data.rules)
            origins.append(np.arange(start, start + len(encoded)))
            words += encoded
    _check_limit(max(new_starts.values()))
    table = np.zeros(max(len(data.words), 1), dtype=np.uint16)
    table[list(new_starts)] = list(new_starts.values())
    indices = [table[np.asarray(s)] for s in sectors]
    return EditedFloor(np.array(words, dtype=np.uint16), indices, np.concatenate(origins), [])


def in_order(functions: Iterable[Function]) -> tuple[Function, ...]:
    """Sort functions as the games require: floor shape, ceiling shape, then the others."""
    return tuple(sorted(functions, key=_rank))


def _rank(function: Function) -> int:
    return 1 + int(function.ceiling) if isinstance(function, Slant | Triangulation) else 3


class Change:
    """A new array under construction: lists replaced by index, and lists appended."""

    NO_LIST = -1

    def __init__(self, data: FloorData) -> None:
        self.data = data
        #: (n,) int64: the words of the lists that keep their length.
        self.words = data.words.astype(np.int64)
        #: by room, x and z of a sector: its appended list, or ``NO_LIST``.
        self.moved: dict[tuple[int, int, int], int] = {}
        self._replaced: dict[int, tuple[_Words, NDArray[np.int64]]] = {}
        self._added: list[tuple[_Words, NDArray[np.int64]]] = []
        self._exchanged: dict[int, int] = {}  # the start of a list -> the appended list that replaces it

    def number(self, start: int) -> int | None:
        """Return the index of the list that starts at a word, or None for word 0 and unreadable lists."""
        number = int(np.searchsorted(self.data.starts, start))
        exists = number < len(self.data.starts) and self.data.starts[number] == start
        return number if exists and self.data.ends[number] > start else None

    def replace(self, number: int, words: _Words, origins: NDArray[np.int64] | None = None) -> None:
        """Replace the words of a list: in place if the lists tile the array, otherwise by appending."""
        if self.data.tiles:
            self._replaced[number] = (words, np.full(len(words), -1) if origins is None else origins)
        else:
            start = int(self.data.starts[number])
            self._exchanged[start] = self.append(words, origins) if len(words) else self.NO_LIST

    def append(self, words: _Words, origins: NDArray[np.int64] | None = None) -> int:
        """Append a list and return its index among the appended ones."""
        self._added.append((words, np.full(len(words), -1) if origins is None else origins))
        return len(self._added) - 1

    def finish(self, sectors: Sequence[NDArray[np.uint16]], warnings: list[SectorWarning]) -> EditedFloor:
        """Join the array and set the indices of the sectors."""
        pieces, table = self._old_lists()
        if self._added and not pieces:
            pieces.append(([0], np.full(1, -1)))  # word 0, which means no list
        size = sum(len(words) for words, _ in pieces)
        added = []
        for words, _ in self._added:
            added.append(size)
            size += len(words)
        added.append(0)  # found by NO_LIST
        pieces += self._added
        for start, number in self._exchanged.items():
            table[start] = added[number]
        indices = [table[np.asarray(s, dtype=np.int64)] for s in sectors]
        for (room, x, z), number in self.moved.items():
            indices[room][x, z] = added[number]
        _check_limit(max((int(i.max()) for i in indices if i.size), default=0))
        empty = np.zeros(0, dtype=np.int64)
        return EditedFloor(
            np.concatenate([empty, *(np.asarray(words, np.int64) for words, _ in pieces)]).astype(np.uint16),
            [i.astype(np.uint16) for i in indices],
            np.concatenate([empty, *(origins for _, origins in pieces)]),
            warnings,
        )

    def _old_lists(self) -> tuple[list[tuple[Any, NDArray[np.int64]]], NDArray[np.int64]]:
        """Return the array's new pieces with their origins, and the new index of each old one."""
        starts, ends = self.data.starts, self.data.ends
        size = len(self.words)
        pieces: list[tuple[Any, NDArray[np.int64]]] = []
        table = np.arange(max(size, 1))
        position = shift = 0
        for number, piece in sorted(self._replaced.items(), key=lambda item: item[0]):
            start, end = int(starts[number]), int(ends[number])
            pieces += ((self.words[position:start], np.arange(position, start)), piece)
            table[position : start + 1] += shift
            table[start] = table[start] if len(piece[0]) else 0
            position = end
            shift += len(piece[0]) - (end - start)
        if position < size:
            pieces.append((self.words[position:], np.arange(position, size)))
        table[position:] += shift
        table[0] = 0
        return pieces, table


def _check_limit(start: int) -> None:
    if start > INDEX_LIMIT:
        raise ExportError(
            T("floor data"), T("a list starts at too high a position"), count=start, limit=INDEX_LIMIT
        )


def _followed(data: FloorData, number: int | None, words: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the index of the old word that each word of a list's replacement matches, -1 for new ones."""
    origins = np.full(len(words), -1)
    if number is None:
        return origins
    start = int(data.starts[number])
    old_roles, roles = list_roles(data, number).tolist(), word_roles(words, data.rules).tolist()
    old_words = data.words[start : data.ends[number]].tolist()
    # Ignore the end mark, which moves when a function follows.
    old = [(role, word & ~END) for role, word in zip(old_roles, old_words, strict=True)]
    new = [(role, word & ~END) for role, word in zip(roles, words, strict=True)]
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for old_index, new_index in zip(range(i, i_end), range(j, j_end), strict=False):
            if tag != "equal" and not _is_same_but_for_values(old[old_index], new[new_index]):
                break
            origins[new_index] = start + old_index
    return origins


def _is_same_but_for_values(old: tuple[int, int], new: tuple[int, int]) -> bool:
    """Return whether two words, each with its role, are of the same kind, whatever their number."""
    if old[0] in (WordRole.ACTION, WordRole.UNCERTAIN_ACTION):
        return old[0] == new[0] and old[1] >> 10 == new[1] >> 10
    return old[0] == new[0] and (old[0] != WordRole.FUNCTION or old[1] & 0x1F == new[1] & 0x1F)
