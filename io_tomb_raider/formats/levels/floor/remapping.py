"""New numbers of entities, cameras and rooms in floor data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.errors import ExportError
from ...base.messages import T, as_message, plural
from .editing import Change, EditedFloor, SectorWarning, find_references
from .floor_data import PARAMETER_LIMIT, FloorData, list_roles
from .functions import TriggerType
from .grammar import END, WordRole


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
    change = Change(data)
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
