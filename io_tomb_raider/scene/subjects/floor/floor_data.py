"""Export of floor data (documentation, chapter 4).

Floor data is one array for the whole level, shared by several subjects: entities, cameras and rooms have
their numbers in it, collision its slants and marks, and triggers are part of it. An export has one
:class:`FloorExport`, which is created with the new numbers; then the subjects replace functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError, FormatError
from ....formats.base import T
from ....formats.levels.floor import (
    FloorLists,
    Function,
    Functions,
    Rules,
    edit,
    parse,
    rebuild,
    remap,
    sector_indices,
    wall_of,
)
from ....formats.levels.level import footer_of, move_floor_data_plugins, put_footer
from ...core.context import ExportContext
from ...core.stages import Product


class FloorExport:
    """The floor data of one export.

    It begins as the file's floor data with the new numbers of rooms, entities and cameras. Functions are read
    and replaced by the numbers of exported rooms: a copy of a room starts with the lists of its original.
    :meth:`finish` writes the changes.

    Raises:
        ExportError: in all methods, if the original floor data is damaged.
    """

    def __init__(
        self,
        context: ExportContext,
        rooms: NDArray[np.int64],
        entities: NDArray[np.int64],
        cameras: NDArray[np.int64],
    ) -> None:
        """Store the exported number of each record of the original, -1 if it was deleted."""
        self._context = context
        self._rooms, self._entities, self._cameras = rooms, entities, cameras
        self._base: _Base | None = None
        self._replaced: dict[int, dict[int, Functions]] = {}

    @property
    def rules(self) -> Rules:
        """The rules by which the level's lists are read and written."""
        return self._prepared().lists.data.rules

    @property
    def closed(self) -> Sequence[tuple[int, int, int]]:
        """Sectors (room, x, z) of exported rooms whose portal led to a deleted room."""
        return self._prepared().closed

    @property
    def has_replaced(self) -> bool:
        """Whether functions of any sector differ from the file, apart from numbers."""
        return any(self._replaced.values())

    def functions(self, room_number: int) -> list[Functions]:
        """Return the functions of every sector of an exported room, with the numbers of this export.

        Lists that cannot be read are empty here; the file's words are kept unless the list is replaced.
        """
        base = self._prepared()
        result = base.functions(room_number)
        replaced = self._replaced.get(room_number)
        if replaced:
            result = [replaced.get(index, functions) for index, functions in enumerate(result)]
        return result

    def with_triggers(self) -> list[dict[int, Functions]]:
        """Return per exported room the functions of sectors, by index of the sector.

        These are all sectors with triggers, and all whose functions were replaced.
        """
        base = self._prepared()
        words = [each.ravel() for each in base.sectors]
        sectors = [np.flatnonzero(base.lists.has_triggers(each)) for each in words]
        chosen = [each[indices] for each, indices in zip(words, sectors, strict=True)]
        functions = iter(base.lists.of(np.concatenate([np.zeros(0, np.uint16), *chosen])))
        result = [dict(zip(each.tolist(), islice(functions, len(each)), strict=True)) for each in sectors]
        for number, replaced in self._replaced.items():
            result[number] |= replaced
        return result

    def walls(self, room_number: int) -> NDArray[np.int32]:
        """Return the target rooms of the wall portals of a room's sectors, (n,); -1 for none."""
        base = self._prepared()
        result = base.lists.walls(base.sectors[room_number])
        for sector, functions in self._replaced.get(room_number, {}).items():
            result[sector] = wall_of(functions)
        return result

    def replace(self, room_number: int, sector: int, functions: Sequence[Function]) -> None:
        """Replace the functions of a sector; no-op if they are equal."""
        if tuple(functions) != self._prepared().functions(room_number)[sector]:
            self._replaced.setdefault(room_number, {})[sector] = tuple(functions)
        elif room_number in self._replaced:
            self._replaced[room_number].pop(sector, None)

    def finish(self) -> None:
        """Write the floor data, the indices of sectors, and the entries of a TRNG footer for each word.

        Raises:
            ExportError: if something has to change, but the original is damaged; if a function does not fit
                its words, or there are more words than sectors can point at.
        """
        context = self._context
        is_needed = self._base is not None or self.has_replaced or not self._keeps_numbers()
        if not is_needed and not context.rebuild:
            return
        try:
            base = self._prepared()
        except ExportError:
            if is_needed:
                raise
            return  # unreadable floor data cannot be rebuilt
        words, sectors, origins = base.words, base.sectors, base.origins
        changes = {
            (number, *divmod(sector, context.level.rooms[number].z_sectors)): functions
            for number, replaced in self._replaced.items()
            for sector, functions in replaced.items()
        }
        if changes:
            edited = edit(base.lists.data, sectors, changes)
            words, sectors, origins = edited.words, edited.sectors, _composed(edited.origins, origins)
        if context.rebuild:
            words, sectors, origins = _rebuilt(words, sectors, origins, trng=base.lists.data.rules.trng)
        self._write(words, sectors, origins)

    def _keeps_numbers(self) -> bool:
        maps = (self._rooms, self._entities, self._cameras)
        return all(np.array_equal(each, np.arange(len(each))) for each in maps)

    def _prepared(self) -> _Base:
        if self._base is None:
            try:
                self._base = self._make_base()
            except FormatError as error:
                raise ExportError(
                    T("floor data"),
                    T("it cannot be changed, because it is damaged ({error})", error=str(error)),
                ) from None
        return self._base

    def _make_base(self) -> _Base:
        context = self._context
        before = context.decoded.floor_lists
        sectors = sector_indices(context.level.rooms)
        if self._keeps_numbers():
            return _Base(before, sectors, np.arange(len(before.data.words)))
        edited = remap(before.data, sectors, self._entities, self._cameras, self._rooms)
        are_moved = not np.array_equal(self._entities, np.arange(len(self._entities)))
        if context.original.has_trng_footer and are_moved:
            text = T("their numbers changed; update the level's TRNG script if it uses them")
            context.report.warn(T("Entities"), text)
        # Triggers in the scene drop actions on deleted objects themselves, with their own warning.
        in_scene = "TRIGGERS" in context.root.tomb_raider.imported
        for warning in edited.warnings:
            if not (warning.removal and in_scene):
                context.report.warn(warning.place, warning.text)
        after = FloorLists(parse(edited.words, edited.sectors, trng=before.data.rules.trng))
        return _Base(after, list(edited.sectors), edited.origins, list(edited.closed))

    def _write(
        self, words: NDArray[np.uint16], sectors: list[NDArray[np.uint16]], origins: NDArray[np.int64]
    ) -> None:
        context = self._context
        level, before = context.level, context.original.floor_data
        for room, indices in zip(level.rooms, sectors, strict=True):
            if not np.array_equal(room.sectors["floor_data"], indices.ravel()):
                room.sectors = room.sectors.copy()
                room.sectors["floor_data"] = indices.ravel()
        if np.array_equal(words, before):
            return
        context.rebuilt.count("floor_data", _differing(words, origins, before))
        level.floor_data = words
        footer = footer_of(level)
        if footer is not None:
            put_footer(level, move_floor_data_plugins(footer, len(before), origins))


@dataclass(eq=False)
class _Base:
    """The floor data of the original with the numbers of the export, before functions are replaced."""

    lists: FloorLists
    #: indices of the sectors of each exported room, (x_sectors, z_sectors).
    sectors: list[NDArray[np.uint16]]
    origins: NDArray[np.int64]  #: (n,) the word of the original that each word was, -1 for none.
    #: (room, x, z) of sectors whose portal led to a deleted room.
    closed: Sequence[tuple[int, int, int]] = ()
    _functions: dict[int, list[Functions]] = field(default_factory=dict)

    @property
    def words(self) -> NDArray[np.uint16]:
        """The floor data array."""
        return self.lists.data.words

    def functions(self, room_number: int) -> list[Functions]:
        """Return the functions of every sector of a room."""
        if room_number not in self._functions:
            self._functions[room_number] = self.lists.of(self.sectors[room_number])
        return self._functions[room_number]


def _rebuilt(
    words: NDArray[np.uint16], sectors: list[NDArray[np.uint16]], origins: NDArray[np.int64], *, trng: bool
) -> tuple[NDArray[np.uint16], list[NDArray[np.uint16]], NDArray[np.int64]]:
    """Rebuild all lists; return the arguments unchanged if a list cannot be read."""
    try:
        edited = rebuild(parse(words, sectors, trng=trng), sectors)
    except FormatError:
        return words, sectors, origins
    return edited.words, list(edited.sectors), _composed(edited.origins, origins)


def _composed(later: NDArray[np.int64], earlier: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the origins of words over two successive changes, -1 for new words."""
    return np.append(earlier, -1)[later]


def _differing(words: NDArray[np.uint16], origins: NDArray[np.int64], before: NDArray[np.uint16]) -> int:
    """Return how many words were added, changed or removed."""
    is_kept = origins >= 0
    changed = int((words[is_kept] != before[origins[is_kept]]).sum())
    # All but one of the copies of a word count as new.
    distinct = len(np.unique(origins[is_kept]))
    return changed + len(words) + len(before) - 2 * distinct


FLOOR: Product[FloorExport] = Product("FLOOR")
