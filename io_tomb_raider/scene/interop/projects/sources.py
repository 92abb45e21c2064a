"""Sources of the parts of an exported scene in the level that was compiled from its project."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ....formats import Level
from ....formats.editors.projects import UNKNOWN, Project, Sink, Sources
from ...core.order import ordered
from ...core.reporting.results import ExportResult
from ...core.subjects import Kind

_OF_LEVEL = ("entities", "ai_objects", "cameras", "flyby_cameras", "sound_sources")
_OF_ROOMS = ("static_meshes", "lights", "fog_bulbs")


def sources_of(exported: ExportResult, before: Level) -> Sources:
    """Return what the parts of an exported scene were.

    Args:
        before: the level that was compiled from the project.
    """
    level = exported.level
    rooms = [exported.written["room", number].source for number in range(len(level.rooms))]
    objects: defaultdict[str, dict[Object, int]] = defaultdict(dict)
    copied: dict[int, int] = {}
    starts = {name: _starts(level, name) for name in _OF_ROOMS}
    for obj, place in exported.places.items():
        if place.section == "rooms" and obj.tomb_raider.kind == Kind.ROOM:
            if place.number < len(rooms) and rooms[place.number] < 0:
                copied[place.number] = int(obj.tomb_raider.index)
        elif place.room < 0 and place.section in _OF_LEVEL:
            objects[place.section][obj] = place.number
        elif place.section in _OF_ROOMS and 0 <= place.room < len(rooms):
            objects[place.section][obj] = place.number + int(starts[place.section][place.room])
    records = {}
    for name in (*_OF_LEVEL, *_OF_ROOMS):
        # The index of fog bulbs counts on from the lights.
        first = int(_starts(before, "lights")[-1]) if name == "fog_bulbs" else 0
        count = int(starts[name][-1]) if name in starts else len(getattr(level, name, ()))
        column = np.full(count, UNKNOWN)
        for obj, source in ordered(objects[name]):
            if objects[name][obj] < count:
                column[objects[name][obj]] = max(source - first, -1)
        records[name] = column
    return Sources(np.array(rooms, np.int64), copied, records, sinks_of(exported))


def sinks_of(exported: ExportResult) -> NDArray[np.bool_] | None:
    """Return which entries of an exported table of cameras are sinks; None if not all are in the scene."""
    count = len(exported.level.cameras)
    kinds = {
        place.number: obj.tomb_raider.kind == Kind.SINK
        for obj, place in exported.places.items()
        if place.section == "cameras"
    }
    if sorted(kinds) != list(range(count)):
        return None
    return np.array([kinds[number] for number in range(count)], np.bool_)


def sinks_of_project(project: Project, cameras: list[int]) -> frozenset[int]:
    """Return which entries of the table of cameras of a compiled project are sinks.

    Args:
        cameras: the numbers of its objects that the entries were made from.
    """
    numbers = {each.number for _, each in project.objects() if isinstance(each, Sink)}
    return frozenset(index for index, number in enumerate(cameras) if number in numbers)


def _starts(level: Level, name: str) -> NDArray[np.int64]:
    """Return the place of the first record of each room in the lists of all rooms, and the number of all."""
    return np.cumsum([0, *(len(getattr(room, name)) for room in level.rooms)])
