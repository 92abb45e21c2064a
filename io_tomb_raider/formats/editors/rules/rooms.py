"""Rules of the rooms of projects, of their sectors and faces."""

from __future__ import annotations

from collections import Counter
from math import isfinite

import numpy as np

from ...base.arrays.typing import Bools
from ...base.messages import N_
from ...edits.rules.rule import Harm
from ..projects.model.objects import Positioned
from ..projects.model.project import MOST_ROOMS
from ..projects.model.rooms import ProjectRoom
from ..projects.model.settings import NO_TEXTURE
from ..projects.model.shape import MOST_SPLITS, Diagonal, SectorSurface
from .view import ALL_TARGETS, CheckedProject, rule

_LEAST_SECTORS = 3
_MOST_NUMBER = 1023


def _too_many(checked: CheckedProject) -> list[int]:
    return list(range(MOST_ROOMS, len(checked.rooms)))


def _small(checked: CheckedProject) -> list[int]:
    return [
        room.number
        for room in checked.rooms
        if min(room.shape.x_sectors, room.shape.z_sectors) < _LEAST_SECTORS
    ]


def _numbers(checked: CheckedProject) -> list[int]:
    counts = Counter(room.number for room in checked.rooms)
    return [number for number, count in counts.items() if count > 1 or not 0 <= number <= _MOST_NUMBER]


def _not_numbers(checked: CheckedProject) -> list[int]:
    return [
        room.number
        for room in checked.rooms
        for obj in room.each(Positioned)
        if not all(map(isfinite, obj.position))
    ]


def _missing_alternates(checked: CheckedProject) -> list[int]:
    return [
        room.number
        for room in checked.rooms
        if room.alternate is not None and room.alternate[1] not in checked.by_number
    ]


def _shared_alternates(checked: CheckedProject) -> list[int]:
    flips = [room.alternate[1] for room in checked.rooms if room.alternate is not None]
    counts = Counter(flips)
    return [number for number in flips if counts[number] > 1 and number in checked.by_number]


def _chained_alternates(checked: CheckedProject) -> list[int]:
    return [
        room.number for room in checked.rooms if room.alternate is not None and room.number in checked.base
    ]


def _unlike_alternates(checked: CheckedProject) -> list[int]:
    def place(room: ProjectRoom) -> tuple[int, ...]:
        return room.x, room.z, room.shape.x_sectors, room.shape.z_sectors

    return [base.number for base, flip in checked.pairs if place(base) != place(flip)]


def _surfaces(room: ProjectRoom) -> tuple[SectorSurface, SectorSurface]:
    return room.shape.floor, room.shape.ceiling


def _diagonals(checked: CheckedProject) -> list[int]:
    return [
        room.number
        for room in checked.rooms
        for surface in _surfaces(room)
        for _ in range(np.count_nonzero((surface.diagonal < 0) | (surface.diagonal > Diagonal.XNZN)))
    ]


def _many_splits(checked: CheckedProject) -> list[int]:
    return [
        room.number
        for room in checked.rooms
        for surface in _surfaces(room)
        for _ in range(np.count_nonzero(surface.split_count > MOST_SPLITS))
    ]


def _crossed(checked: CheckedProject) -> list[int]:
    result = []
    for room in checked.rooms:
        is_crossed = (room.shape.floor.heights > room.shape.ceiling.heights).any(axis=-1)
        result += [room.number] * int(np.count_nonzero(is_crossed & ~room.shape.wall))
    return result


def _unordered_splits(surface: SectorSurface, sign: int) -> Bools:
    """Return for each sector, (z, x), whether its splits of a side are in another order than the editor's."""
    count = np.clip(surface.split_count, 0, MOST_SPLITS)
    exists = np.arange(1, MOST_SPLITS) < count[..., None]
    steps = sign * np.diff(surface.splits, axis=2)
    return np.asarray(((steps > 0).any(axis=-1) & exists).any(axis=-1), np.bool_)


def _splits(checked: CheckedProject) -> list[int]:
    return [
        room.number
        for room in checked.rooms
        for surface, sign in zip(_surfaces(room), (1, -1), strict=True)
        for _ in range(np.count_nonzero(_unordered_splits(surface, sign)))
    ]


def _faces_without_texture(checked: CheckedProject) -> list[int]:
    numbers = [NO_TEXTURE, *(each.number for each in checked.project.settings.textures)]
    return [
        room.number
        for room in checked.rooms
        for _ in range(np.count_nonzero(~np.isin(room.shape.faces["texture"], numbers)))
    ]


def _empty_faces(checked: CheckedProject) -> list[int]:
    result = []
    for room in checked.rooms:
        faces = room.shape.faces[room.shape.faces["texture"] != NO_TEXTURE]
        u, v = faces["corners"][..., 0], faces["corners"][..., 1]
        areas = u * np.roll(v, -1, axis=1) - np.roll(u, -1, axis=1) * v
        result += [room.number] * int(np.count_nonzero(areas.sum(axis=1) == 0))
    return result


RULES = (
    rule(
        "number of rooms",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor drops {count} rooms: a project can have 1024"),
        _too_many,
    ),
    rule(
        "least room",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor drops it: a room has at least 3 by 3 sectors"),
        _small,
        "room",
    ),
    rule(
        "numbers of rooms",
        Harm.WRONG,
        ALL_TARGETS,
        N_("Tomb Editor gives it another number: another room has it, or it is not within 0 to 1023"),
        _numbers,
        "room",
    ),
    rule(
        "position of objects",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor drops {count} of its objects: their positions are no numbers"),
        _not_numbers,
        "room",
    ),
    rule(
        "alternate room missing",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor forgets its alternate room: there is no such room"),
        _missing_alternates,
        "room",
    ),
    rule(
        "alternate room shared",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor keeps it as alternate room of one room only: it is that of {count} rooms"),
        _shared_alternates,
        "room",
    ),
    rule(
        "alternate room of an alternate room",
        Harm.WRONG,
        ALL_TARGETS,
        N_("Tomb Editor shows wrong rooms: it is an alternate room, and has one"),
        _chained_alternates,
        "room",
    ),
    rule(
        "place of alternate rooms",
        Harm.CRASH,
        ALL_TARGETS,
        N_("Tomb Editor fails: its alternate room has another place or size"),
        _unlike_alternates,
        "room",
    ),
    rule(
        "diagonal of a sector",
        Harm.CRASH,
        ALL_TARGETS,
        N_("Tomb Editor does not open the project to its end: {count} of its sectors have unknown diagonals"),
        _diagonals,
        "room",
    ),
    rule(
        "number of splits",
        Harm.CRASH,
        ALL_TARGETS,
        N_("Tomb Editor fails: {count} of its sectors have more than 8 splits on a wall"),
        _many_splits,
        "room",
    ),
    rule(
        "floor above ceiling",
        Harm.COSMETIC,
        ALL_TARGETS,
        N_("Tomb Editor moves the floor on the next edit: it is above the ceiling in {count} sectors"),
        _crossed,
        "room",
    ),
    rule(
        "order of splits",
        Harm.COSMETIC,
        ALL_TARGETS,
        N_("Tomb Editor moves splits of walls on the next edit: they are not in order in {count} sectors"),
        _splits,
        "room",
    ),
    rule(
        "textures of faces",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor makes {count} of its faces invisible: their textures do not exist"),
        _faces_without_texture,
        "room",
    ),
    rule(
        "area of textures",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor makes {count} of its faces invisible: their textures have no area"),
        _empty_faces,
        "room",
    ),
)
