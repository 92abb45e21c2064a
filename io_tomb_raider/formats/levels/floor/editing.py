"""Editing floor data: renumbering references, replacing lists, rewriting all lists.

Documentation, chapter 4. Unchanged lists keep their words and their order. A level whose lists do not tile
the array (:func:`.floor_data.parse`) keeps the array, and new lists are appended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.errors import ExportError
from ...base.messages import T, Text, about, as_message, plural
from .floor_data import INDEX_LIMIT, PARAMETER_LIMIT, FloorData, decode, decode_all, encode, list_roles
from .follow import followed
from .functions import ActionType, Function, FunctionType, Slant, Triangulation, TriggerType
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


def remap(
    data: FloorData,
    sectors: Sequence[NDArray[np.uint16]],
    entity_map: ArrayLike,
    camera_map: ArrayLike,
    room_map: ArrayLike = (),
) -> EditedFloor:
    """Renumber entities, cameras and rooms, and remove references to deleted ones.

    An action on a deleted target is removed. A trigger is removed with its last action, or with the switch,
    keyhole or pickup that activates it. A portal to a deleted room is removed. A number that was already out
    of range is kept.

    Args:
        data: the parsed floor data.
        sectors: per room the sectors' indices, (x_sectors, z_sectors).
        entity_map: (old entities,) the new index of each entity, -1 if it was deleted.
        camera_map: (old cameras,) likewise of cameras and sinks.
        room_map: (old rooms,) likewise of rooms; an empty map keeps all numbers.

    Raises:
        ExportError: if a new number is above 1023 or a list begins beyond word 65535.
    """
    change = _Change(data)
    maps = (np.asarray(each, np.int64) for each in (entity_map, camera_map, room_map))
    remapper = _Remapper(data, sectors, *maps)
    if remapper.same_entities and remapper.same_cameras and remapper.same_rooms:
        return change.finish(sectors, [])
    if data.tiles:
        change.words, dead = remapper.renumbered(0, len(data.words), data.roles)
        hit = np.searchsorted(data.starts, sorted(dead), side="right") - 1
        for number in np.unique(hit).tolist():
            span = slice(data.starts[number], data.ends[number])
            kept, words = remapper.without(change.words[span], data.roles[span], span.start, dead)
            change.replace(number, words, kept)
    else:
        for number, (start, end) in enumerate(zip(data.starts.tolist(), data.ends.tolist(), strict=True)):
            roles = list_roles(data, number)
            renumbered, dead = remapper.renumbered(start, end, roles)
            kept, words = remapper.without(renumbered, roles, start, dead)
            if dead or not np.array_equal(renumbered, data.words[start:end]):
                change.replace(number, words, kept)
    return change.finish(sectors, remapper.warnings())._replace(closed=remapper.closed())


class _Remapper:
    """The maps of numbers, and the notes on their use."""

    def __init__(
        self,
        data: FloorData,
        sectors: Sequence[NDArray[np.uint16]],
        entities: NDArray[np.int64],
        cameras: NDArray[np.int64],
        rooms: NDArray[np.int64],
    ) -> None:
        self.data = data
        self.sectors = sectors
        self.entities = entities
        self.cameras = cameras
        self.rooms = rooms
        self.same_entities = np.array_equal(entities, np.arange(len(entities)))
        self.same_cameras = np.array_equal(cameras, np.arange(len(cameras)))
        self.same_rooms = np.array_equal(rooms, np.arange(len(rooms)))
        # A word of a list, a note on that list, and whether a function was removed from it.
        self.notes: list[tuple[int, str, bool]] = []
        self._closed: set[int] = set()  # starts of lists that lost a portal

    def renumbered(
        self, first: int, end: int, roles: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int64], dict[int, str]]:
        """Return the words of a span with new numbers, and the deleted targets by index in the array."""
        words = self.data.words[first:end].astype(np.int64)
        found = find_references(self.data.words[first:end], roles)
        dead: dict[int, str] = {}
        for places, mapping, is_same, what in (
            (found.entities, self.entities, self.same_entities, "entity"),
            (found.cameras, self.cameras, self.same_cameras, "camera"),
        ):
            old = words[places] & PARAMETER_LIMIT
            new, known = _mapped(old, mapping)
            if new.size and new.max() > PARAMETER_LIMIT:
                raise self._too_high(first + int(places[new.argmax()]), what, int(new.max()))
            gone = new < 0
            words[places] = words[places] & ~PARAMETER_LIMIT | np.where(gone, old, new)
            dead.update(
                (place, T("{what} {number}", what=as_message(what), number=n))
                for place, n in _pairs(first + places, old, gone)
            )
            if not is_same:
                for place, number in _pairs(first + places, old, ~known):
                    self.notes.append(
                        (
                            place,
                            T(
                                "{what} {number} never existed; the number is unchanged",
                                what=as_message(what),
                                number=number,
                            ),
                            False,
                        )
                    )
        old = words[found.rooms]
        new, _ = _mapped(old, self.rooms)
        gone = new < 0
        words[found.rooms] = np.where(gone, old, new)
        dead.update((place, T("room {n}", n=n)) for place, n in _pairs(first + found.rooms, old, gone))
        self._closed.update(map(self._start, (first + found.rooms[gone]).tolist()))
        old = words[found.uncertain] & PARAMETER_LIMIT
        changed = _mapped(old, self.entities)[0] != old
        for place, number in _pairs(first + found.uncertain, old, changed):
            text = T(
                "the number {number} is unchanged, but TRNG may use it for an entity with a new number",
                number=number,
            )
            self.notes.append((place, text, False))
        return words, dead

    def _too_high(self, place: int, what: str, number: int) -> ExportError:
        users = self._users(self._start(place))
        subject = SectorWarning(*users[0], "").place if users else T("floor data")
        return ExportError(
            subject,
            T("a trigger names {what} {number}", what=as_message(what), number=number),
            count=number,
            limit=PARAMETER_LIMIT,
        )

    def without(
        self, words: NDArray[np.int64], roles: NDArray[np.uint8], start: int, dead: Mapping[int, str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Remove references to deleted targets from one list.

        Returns:
            The indices in the array of the remaining words, and those words with the new end marks.
        """
        words = words.copy()
        kept: list[int] = []
        firsts = np.flatnonzero(roles == WordRole.FUNCTION).tolist()
        last = -1  # the first word of the last remaining function
        for first, stop in zip(firsts, [*firsts[1:], len(words)], strict=True):
            hit = [place for place in range(first, stop) if start + place in dead]
            left = list(range(first, stop))
            if hit:
                left = self._remaining(words, roles, left, hit, start, dead)
                words[left[-1:]] |= END
            last = first if left else last
            kept += left
        if last >= 0:
            words[last] |= END
        places = np.array(kept, dtype=np.int64)
        return start + places, words[places]

    def _remaining(
        self,
        words: NDArray[np.int64],
        roles: NDArray[np.uint8],
        places: Sequence[int],
        hit: Sequence[int],
        start: int,
        dead: Mapping[int, str],
    ) -> list[int]:
        """Return the positions of the remaining words of a function: none if the function is removed."""
        if roles[hit[0]] == WordRole.OPERAND:
            return []  # a portal to a deleted room: no warning needed
        if roles[hit[0]] == WordRole.REFERENCE:
            kind = TriggerType(int(words[places[0]]) >> 8 & 0x7F).name.lower()
            text = T(
                "the {kind} trigger was removed with {dead}", kind=as_message(kind), dead=dead[start + hit[0]]
            )
            self.notes.append((start + hit[0], text, True))
            return []
        for place in hit:
            text = T("the action on {dead} was removed with it", dead=dead[start + place])
            self.notes.append((start + place, text, True))
        gone = {
            *hit,
            *(place + 1 for place in hit if place < places[-1] and roles[place + 1] == WordRole.EXTRA),
        }
        left = [place for place in places if place not in gone]
        if not np.isin(roles[left], (WordRole.ACTION, WordRole.UNCERTAIN_ACTION)).any():
            text = T("the trigger was removed, because it has no actions left")
            self.notes.append((start + hit[0], text, True))
            return []
        return left

    def warnings(self) -> list[SectorWarning]:
        """Return the notes on lists as warnings about the sectors that use them. Unused lists have none."""
        places = {start: self._users(start) for start in {self._start(place) for place, *_ in self.notes}}
        warnings = []
        for place, text, removal in self.notes:
            users = places[self._start(place)]
            if users:
                others = len(users) - 1
                if others:
                    text = plural(
                        "{text} (and on {count} more sector)",
                        "{text} (and on {count} more sectors)",
                        others,
                        text=text,
                    )
                warnings.append(SectorWarning(*users[0], text, removal))
        return sorted(warnings, key=lambda warning: warning[:3])

    def closed(self) -> list[tuple[int, int, int]]:
        """Return the sectors that lost a portal to a room."""
        return sorted(user for start in self._closed for user in self._users(start))

    def _start(self, place: int) -> int:
        return int(self.data.starts[np.searchsorted(self.data.starts, place, side="right") - 1])

    def _users(self, start: int) -> list[tuple[int, int, int]]:
        return [
            (room, x, z)
            for room, indices in enumerate(self.sectors)
            for x, z in np.argwhere(indices == start).tolist()
        ]


def _mapped(
    old: NDArray[np.int64], mapping: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return new numbers, and which of the old ones are in the map. The others are unchanged."""
    known = old < len(mapping)
    new = old.copy()
    new[known] = mapping[old[known]]
    return new, known


def _pairs(
    places: NDArray[np.int64], numbers: NDArray[np.int64], where: NDArray[np.bool_]
) -> Iterable[tuple[int, int]]:
    return zip(places[where].tolist(), numbers[where].tolist(), strict=True)


def edit(
    data: FloorData,
    sectors: Sequence[NDArray[np.uint16]],
    changes: Mapping[tuple[int, int, int], Sequence[Function]],
) -> EditedFloor:
    """Replace the lists of functions of sectors. All other lists keep their words.

    A list is replaced in place if every sector that uses it changes alike; otherwise new lists are appended.
    For a new level start from ``parse([0])`` and indices of 0.

    Args:
        data: the parsed floor data.
        sectors: per room the sectors' indices, (x_sectors, z_sectors).
        changes: the functions by room, x and z. No functions leave the sector without a list.

    Raises:
        ExportError: if a function does not fit its words or a list begins beyond word 65535.
    """
    change = _Change(data)
    users: dict[int, dict[tuple[int, int, int], tuple[int, ...]]] = {}
    for (room, x, z), functions in sorted(changes.items(), key=lambda item: item[0]):
        start = int(sectors[room][x, z])
        users.setdefault(start, {})[room, x, z] = tuple(encode(functions, data.rules))
    counts = np.bincount(np.concatenate([np.zeros(1, np.int64), *(np.ravel(s) for s in sectors)]))
    for start, wanted in users.items():
        number = change.number(start)
        old = () if start == 0 else None if number is None else tuple(data.words[start : data.ends[number]])
        wanted = {place: words for place, words in wanted.items() if words != old}
        origins = {words: followed(data, number, words) for words in wanted.values()}
        if number is not None and counts[start] == len(wanted):
            if len(origins) == 1:
                change.replace(number, *origins.popitem())
                continue
            change.replace(number, ())
        added: dict[tuple[int, ...], int] = {(): _Change.NO_LIST}
        for place, words in wanted.items():
            # Sectors that shared a list still do if they agree; those without one each get their own.
            if words not in added or (start == 0 and words):
                added[words] = change.append(words, origins[words])
            change.moved[place] = added[words]
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
    places = {0: 0}
    for start in np.concatenate([np.zeros(1, np.int64), *(np.ravel(s) for s in sectors)]).tolist():
        if start not in places:
            places[start] = len(words)
            # Raises for unreadable lists; lists too long for parse() are readable.
            functions = lists.get(start) or decode(data.words, start, data.rules)
            again = encode(functions, data.rules)
            origins.append(np.arange(start, start + len(again)))
            words += again
    _check_limit(max(places.values()))
    table = np.zeros(max(len(data.words), 1), dtype=np.uint16)
    table[list(places)] = list(places.values())
    indices = [table[np.asarray(s)] for s in sectors]
    return EditedFloor(np.array(words, dtype=np.uint16), indices, np.concatenate(origins), [])


def in_order(functions: Iterable[Function]) -> tuple[Function, ...]:
    """Sort functions as the games require: floor shape, ceiling shape, then the others."""
    return tuple(sorted(functions, key=_rank))


def _rank(function: Function) -> int:
    return 1 + int(function.ceiling) if isinstance(function, Slant | Triangulation) else 3


class _Change:
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
        known = number < len(self.data.starts) and self.data.starts[number] == start
        return number if known and self.data.ends[number] > start else None

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
        for start, place in self._exchanged.items():
            table[start] = added[place]
        indices = [table[np.asarray(s, dtype=np.int64)] for s in sectors]
        for (room, x, z), place in self.moved.items():
            indices[room][x, z] = added[place]
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
        here = shift = 0
        for number, piece in sorted(self._replaced.items(), key=lambda item: item[0]):
            start, end = int(starts[number]), int(ends[number])
            pieces += ((self.words[here:start], np.arange(here, start)), piece)
            table[here : start + 1] += shift
            table[start] = table[start] if len(piece[0]) else 0
            here = end
            shift += len(piece[0]) - (end - start)
        if here < size:
            pieces.append((self.words[here:], np.arange(here, size)))
        table[here:] += shift
        table[0] = 0
        return pieces, table


def _check_limit(start: int) -> None:
    if start > INDEX_LIMIT:
        raise ExportError(
            T("floor data"), T("a list starts at too high a position"), count=start, limit=INDEX_LIMIT
        )
