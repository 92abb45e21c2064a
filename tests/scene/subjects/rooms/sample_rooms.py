"""Rooms of the sample levels, and the check of rooms whose numbers change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import bmesh
import bpy
from bpy.types import Collection

from io_tomb_raider.formats import Level
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import Portal
from io_tomb_raider.formats.levels.floor.grammar import RETAIL_RULES, Rules
from io_tomb_raider.scene.subjects.rooms.location.plan import plan_rooms
from io_tomb_raider.scene.subjects.rooms.location.where import Whereabouts

from ...scenes import UNIT, objects, room_object

HALL, CORRIDOR, WATER, FLOODED = range(4)
SECTOR = 1024 * UNIT


def imported_room(root: Collection, number: int) -> Any:
    """Return the imported object of a room, not a copy of it."""
    found = [obj for obj in objects(root, "ROOM") if obj.tomb_raider.index == number]
    return min(found, key=lambda obj: len(obj.name))


def room_map(count: int, deleted: Sequence[int] = ()) -> list[int]:
    """Return the new number of every old room, -1 for deleted ones."""
    left = [number for number in range(count) if number not in deleted]
    return [left.index(number) if number in left else -1 for number in range(count)]


def mapped(numbers: list[int], old: int) -> int:
    return numbers[old] if 0 <= old < len(numbers) else old


def assert_rooms_mean_the_same(
    old: Level, new: Level, numbers: list[int], copies: Sequence[int] = (), sinks: Sequence[int] = ()
) -> None:
    """Assert that everything that refers to a room refers to the same room after an edit.

    Args:
        numbers: the new number of every old room.
        copies: the old rooms that the new ones at the end are copies of.
    """
    sources = [old_number for old_number, number in enumerate(numbers) if number >= 0] + list(copies)
    assert len(new.rooms) == len(sources)
    rules = Rules(trng=True) if old.has_trng_footer else RETAIL_RULES
    for number, source in enumerate(sources):
        before, after = old.rooms[source], new.rooms[number]
        # Rooms of one alternate room would flip with it all: copies have none.
        is_copy = number >= len(sources) - len(copies)
        assert after.alternate_room == (-1 if is_copy else mapped(numbers, before.alternate_room))
        stay = [p for p in before.portals if mapped(numbers, int(p["room"])) >= 0]
        assert [mapped(numbers, int(p["room"])) for p in stay] == after.portals["room"].tolist()
        assert [p["vertices"].tolist() for p in stay] == after.portals["vertices"].tolist()
        for name in ("room_below", "room_above"):
            expected = [mapped(numbers, r) if r != 255 else 255 for r in before.sectors[name].tolist()]
            assert [255 if r < 0 else r for r in expected] == after.sectors[name].tolist()
        for one, two in zip(before.sectors, after.sectors, strict=True):
            functions = decode(old.floor_data, int(one["floor_data"]), rules)
            wanted = [
                replace(f, room=mapped(numbers, f.room)) if isinstance(f, Portal) else f for f in functions
            ]
            closed = any(isinstance(f, Portal) and f.room < 0 for f in wanted)
            wanted = [f for f in wanted if not isinstance(f, Portal) or f.room >= 0]
            assert decode(new.floor_data, int(two["floor_data"]), rules) == tuple(wanted)
            expected_heights = (-127, -127) if closed else (int(one["floor"]), int(one["ceiling"]))
            assert (int(two["floor"]), int(two["ceiling"])) == expected_heights
    for section in ("entities", "ai_objects", "flyby_cameras", "cameras"):
        if not hasattr(old, section):
            continue
        one, two = getattr(old, section), getattr(new, section)
        assert len(one) == len(two)
        for row, (a, b) in enumerate(zip(one["room"].tolist(), two["room"].tolist(), strict=True)):
            is_sink = section == "cameras" and row in sinks
            if is_sink or mapped(numbers, a) >= 0:
                assert b == (a if is_sink else mapped(numbers, a)), (section, row)
            else:
                assert 0 <= b < len(new.rooms)


def portals_of(root: Collection, number: int) -> list[Any]:
    return [obj for obj in objects(root, "PORTAL") if obj.parent == room_object(root, number)]


def portal_to(root: Collection, number: int, other: int) -> Any:
    """Return the portal of one room to another."""
    target = room_object(root, other)
    return next(obj for obj in portals_of(root, number) if obj.tomb_raider.portal.room == target)


def separate(obj: Any, wanted: Any) -> Any:
    """Separate the faces whose centers pass a test into an object, as P > Selection does; return it."""
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    before = set(bpy.data.objects)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(obj.data)
    for face in edited.faces:
        face.select_set(bool(wanted(face.calc_center_median())))
    bmesh.update_edit_mesh(obj.data)
    assert bpy.ops.mesh.separate(type="SELECTED") == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    (made,) = set(bpy.data.objects) - before
    return made


def beyond(sectors: float) -> Any:
    """Return a test for places beyond a number of sectors along x."""
    return lambda middle: middle.x > sectors * SECTOR


def whereabouts(level: Level) -> Whereabouts:
    """Return where places of a level are, as exports look it up."""
    plan = plan_rooms([], len(level.rooms), {}, imported=False)
    return Whereabouts(bpy.data.collections.new("Rooms"), plan, level.rooms)
