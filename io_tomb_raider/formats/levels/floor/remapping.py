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
        sectors: per room the sectors' indices, (x_sectors, z_sectors).
        entity_map: (old entities,) the new index of each entity, -1 if it was deleted.
        camera_map: (old cameras,) likewise of cameras and sinks.
        room_map: (old rooms,) likewise of rooms; an empty map keeps all numbers.

    Raises:
        ExportError: if a new number is above 1023 or a list begins beyond word 65535.
    """
    change = Change(data)
    maps = (np.asarray(mapping, np.int64) for mapping in (entity_map, camera_map, room_map))
    remapper = _Remapper(data, sectors, *maps)
    if remapper.same_entities and remapper.same_cameras and remapper.same_rooms:
        return change.finish(sectors, [])
    if data.tiles:
        change.words, deleted = remapper.renumbered(0, len(data.words), data.roles)
        hit = np.searchsorted(data.starts, sorted(deleted), side="right") - 1
        for number in np.unique(hit).tolist():
            span = slice(data.starts[number], data.ends[number])
            origins, words = remapper.without(change.words[span], data.roles[span], span.start, deleted)
            change.replace(number, words, origins)
    else:
        for number, (start, end) in enumerate(zip(data.starts.tolist(), data.ends.tolist(), strict=True)):
            roles = list_roles(data, number)
            renumbered, deleted = remapper.renumbered(start, end, roles)
            origins, words = remapper.without(renumbered, roles, start, deleted)
            if deleted or not np.array_equal(renumbered, data.words[start:end]):
                change.replace(number, words, origins)
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
        references = find_references(self.data.words[first:end], roles)
        deleted: dict[int, str] = {}
        for indices, mapping, is_same, noun in (
            (references.entities, self.entities, self.same_entities, "entity"),
            (references.cameras, self.cameras, self.same_cameras, "camera"),
        ):
            old = words[indices] & PARAMETER_LIMIT
            new, is_mapped = _mapped(old, mapping)
            if new.size and new.max() > PARAMETER_LIMIT:
                raise self._too_high(first + int(indices[new.argmax()]), noun, int(new.max()))
            is_deleted = new < 0
            words[indices] = words[indices] & ~PARAMETER_LIMIT | np.where(is_deleted, old, new)
            deleted.update(
                (index, T("{what} {number}", what=as_message(noun), number=n))
                for index, n in _pairs(first + indices, old, is_deleted)
            )
            if not is_same:
                for index, number in _pairs(first + indices, old, ~is_mapped):
                    text = T(
                        "{what} {number} never existed; the number is unchanged",
                        what=as_message(noun),
                        number=number,
                    )
                    self.notes.append((index, text, False))
        old = words[references.rooms]
        new, _ = _mapped(old, self.rooms)
        is_deleted = new < 0
        words[references.rooms] = np.where(is_deleted, old, new)
        deleted.update(
            (index, T("room {n}", n=n)) for index, n in _pairs(first + references.rooms, old, is_deleted)
        )
        self._closed.update(map(self._start, (first + references.rooms[is_deleted]).tolist()))
        old = words[references.uncertain] & PARAMETER_LIMIT
        changed = _mapped(old, self.entities)[0] != old
        for index, number in _pairs(first + references.uncertain, old, changed):
            text = T(
                "the number {number} is unchanged, but TRNG may use it for an entity with a new number",
                number=number,
            )
            self.notes.append((index, text, False))
        return words, deleted

    def _too_high(self, index: int, noun: str, number: int) -> ExportError:
        users = self._users(self._start(index))
        subject = SectorWarning(*users[0], "").place if users else T("floor data")
        return ExportError(
            subject,
            T("a trigger names {what} {number}", what=as_message(noun), number=number),
            count=number,
            limit=PARAMETER_LIMIT,
        )

    def without(
        self, words: NDArray[np.int64], roles: NDArray[np.uint8], start: int, deleted: Mapping[int, str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Remove references to deleted targets from one list.

        Returns:
            The indices in the array of the remaining words, and those words with the new end marks.
        """
        words = words.copy()
        remaining: list[int] = []
        firsts = np.flatnonzero(roles == WordRole.FUNCTION).tolist()
        last = -1  # the first word of the last remaining function
        for first, stop in zip(firsts, [*firsts[1:], len(words)], strict=True):
            hit = [index for index in range(first, stop) if start + index in deleted]
            function_words = list(range(first, stop))
            if hit:
                function_words = self._remaining(words, roles, function_words, hit, start, deleted)
                words[function_words[-1:]] |= END
            last = first if function_words else last
            remaining += function_words
        if last >= 0:
            words[last] |= END
        indices = np.array(remaining, dtype=np.int64)
        return start + indices, words[indices]

    def _remaining(
        self,
        words: NDArray[np.int64],
        roles: NDArray[np.uint8],
        indices: Sequence[int],
        hit: Sequence[int],
        start: int,
        deleted: Mapping[int, str],
    ) -> list[int]:
        """Return the indices of the remaining words of a function: none if the function is removed."""
        if roles[hit[0]] == WordRole.OPERAND:
            return []  # a portal to a deleted room: no warning needed
        if roles[hit[0]] == WordRole.REFERENCE:
            kind = TriggerType(int(words[indices[0]]) >> 8 & 0x7F).name.lower()
            text = T(
                "the {kind} trigger was removed with {dead}",
                kind=as_message(kind),
                dead=deleted[start + hit[0]],
            )
            self.notes.append((start + hit[0], text, True))
            return []
        for index in hit:
            text = T("the action on {dead} was removed with it", dead=deleted[start + index])
            self.notes.append((start + index, text, True))
        removed = {
            *hit,
            *(index + 1 for index in hit if index < indices[-1] and roles[index + 1] == WordRole.EXTRA),
        }
        remaining = [index for index in indices if index not in removed]
        if not np.isin(roles[remaining], (WordRole.ACTION, WordRole.UNCERTAIN_ACTION)).any():
            text = T("the trigger was removed, because it has no actions left")
            self.notes.append((start + hit[0], text, True))
            return []
        return remaining

    def warnings(self) -> list[SectorWarning]:
        """Return the notes on lists as warnings about the sectors that use them. Unused lists have none."""
        users_of = {start: self._users(start) for start in {self._start(index) for index, *_ in self.notes}}
        warnings = []
        for index, text, removal in self.notes:
            users = users_of[self._start(index)]
            if users:
                more = len(users) - 1
                if more:
                    text = plural(
                        "{text} (and on {count} more sector)",
                        "{text} (and on {count} more sectors)",
                        more,
                        text=text,
                    )
                warnings.append(SectorWarning(*users[0], text, removal))
        return sorted(warnings, key=lambda warning: warning[:3])

    def closed(self) -> list[tuple[int, int, int]]:
        """Return the sectors that lost a portal to a room."""
        return sorted(user for start in self._closed for user in self._users(start))

    def _start(self, index: int) -> int:
        return int(self.data.starts[np.searchsorted(self.data.starts, index, side="right") - 1])

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
    is_mapped = old < len(mapping)
    new = old.copy()
    new[is_mapped] = mapping[old[is_mapped]]
    return new, is_mapped


def _pairs(
    indices: NDArray[np.int64], numbers: NDArray[np.int64], mask: NDArray[np.bool_]
) -> Iterable[tuple[int, int]]:
    return zip(indices[mask].tolist(), numbers[mask].tolist(), strict=True)
