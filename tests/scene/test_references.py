"""References of floor data, which are kept if objects are added, deleted or reordered.

Objects are identified by their values, not by their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, Level, Room, read_level
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Portal, Trigger
from io_tomb_raider.formats.levels.floor.grammar import RETAIL_RULES, Rules
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.games import each_game
from tests.real_levels import each_real_level, skip_without
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from .scenes import copy_of, export_scene, import_scene, objects
from .subjects.triggers.sample_triggers import FREE, box_at, sample_with, triggers_of, trng_level

Meaning = dict[Hashable, list[Any]]

ENTITY_ACTIONS = (ActionType.OBJECT, ActionType.LOOK_AT)
CAMERA_ACTIONS = (ActionType.CAMERA, ActionType.SINK)


def differing_functions(one: Meaning, other: Meaning) -> list[Any]:
    """Return the functions that differ, without the long names of their rooms."""
    return [
        (one.get(place), other.get(place)) for place in {*one, *other} if one.get(place) != other.get(place)
    ]


class Meanings:
    """The meaning of the floor data of a level, in values of objects instead of numbers."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.rooms = [self._room_key(room) for room in level.rooms]

    def _room_key(self, room: Room) -> Hashable:
        heights = room.sectors["floor"].tobytes(), room.sectors["ceiling"].tobytes()
        return room.x, room.z, room.x_sectors, room.z_sectors, heights, room.alternate_room >= 0

    def entity(self, number: int) -> Hashable:
        """Return the type and position of an entity, or an unknown number itself."""
        entities = self.level.entities
        if number >= len(entities):
            return number
        return tuple(int(entities[name][number]) for name in ("type", "x", "y", "z", "angle"))

    def camera(self, number: int) -> Hashable:
        """Return the position of a camera or sink, or an unknown number itself."""
        cameras = self.level.cameras
        if number >= len(cameras):
            return number
        return tuple(int(cameras[axis][number]) for axis in "xyz")

    def sequence(self, number: int) -> Hashable:
        """Return the positions of the flyby cameras of a sequence."""
        records = self.level.flyby_cameras
        return tuple(
            tuple(int(each[axis]) for axis in "xyz") for each in records if each["sequence"] == number
        )

    def action(self, action: Action) -> Any:
        """Return an action with the values of its target."""
        if action.type in ENTITY_ACTIONS:
            return action.type, self.entity(action.parameter)
        if action.type in CAMERA_ACTIONS:
            return action.type, self.camera(action.parameter), action.extra
        if action.type == ActionType.FLYBY and hasattr(self.level, "flyby_cameras"):
            return action.type, self.sequence(action.parameter), action.extra
        return action

    def of(self) -> Meaning:
        """Return the functions of all sectors by room and position."""
        rules = Rules(trng=True) if self.level.has_trng_footer else RETAIL_RULES
        found: Meaning = {}
        for key, room in zip(self.rooms, self.level.rooms, strict=True):
            for place, index in enumerate(room.sectors["floor_data"].tolist()):
                if index:
                    functions = decode(self.level.floor_data, index, rules)
                    found.setdefault((key, place), []).extend(map(self._function, functions))
        return found

    def _function(self, function: Any) -> Any:
        if isinstance(function, Portal):
            return "portal", self.rooms[function.room]
        if not isinstance(function, Trigger):
            return function
        setup = function.type, function.timer, function.one_shot, function.mask
        source = None if function.reference is None else self.entity(function.reference)
        return "trigger", setup, source, [self.action(action) for action in function.actions]


def meaning(level: Level) -> Meaning:
    return Meanings(level).of()


def without(before: Meaning, gone: Hashable) -> Meaning:
    """Return floor data without the actions on a deleted object."""
    left: Meaning = {}
    for place, functions in before.items():
        kept: list[Any] = []
        for function in functions:
            if isinstance(function, tuple) and function[0] == "trigger":
                _, setup, source, actions = function
                actions = [each for each in actions if isinstance(each, Action) or each[1] != gone]
                if source == gone or not actions:
                    continue
                function = "trigger", setup, source, actions
            kept.append(function)
        if kept:
            left[place] = kept
    return left


def delete_entity(level: Level, root: Collection) -> Meaning:
    number = len(level.entities) // 2
    gone = Meanings(level).entity(number)
    bpy.data.objects.remove(objects(root, "ENTITY")[number])
    return without(meaning(level), gone)


def delete_first_entity(level: Level, root: Collection) -> Meaning:
    gone = Meanings(level).entity(0)
    bpy.data.objects.remove(objects(root, "ENTITY")[0])
    return without(meaning(level), gone)


def add_entity(level: Level, root: Collection) -> Meaning:
    copy_of(objects(root, "ENTITY")[0]).location.x += 0.25
    return meaning(level)


def put_entities_in_another_order(level: Level, root: Collection) -> Meaning:
    objs = objects(root, "ENTITY")
    objs[0].tomb_raider.index, objs[-1].tomb_raider.index = len(objs) - 1, 0
    return meaning(level)


def delete_camera(level: Level, root: Collection) -> Meaning:
    if not len(level.cameras):
        return meaning(level)
    gone = Meanings(level).camera(0)
    objs = [*objects(root, "CAMERA"), *objects(root, "SINK")]
    bpy.data.objects.remove(next(obj for obj in objs if obj.tomb_raider.index == 0))
    return without(meaning(level), gone)


def add_camera(level: Level, root: Collection) -> Meaning:
    for obj in [*objects(root, "CAMERA"), *objects(root, "SINK")][:1]:
        copy_of(obj).location.x += 0.25
    return meaning(level)


def do_all_at_once(level: Level, root: Collection) -> Meaning:
    number = len(level.entities) // 2
    keys = Meanings(level)
    entity, left = objects(root, "ENTITY")[number], without(meaning(level), keys.entity(number))
    if len(level.cameras):
        left = without(left, keys.camera(0))
        delete_camera(level, root)
    add_entity(level, root)
    add_camera(level, root)
    bpy.data.objects.remove(entity)
    return left


EDITS: list[Callable[[Level, Collection], Meaning]] = [
    delete_entity,
    delete_first_entity,
    add_entity,
    put_entities_in_another_order,
    delete_camera,
    add_camera,
    do_all_at_once,
]
each_edit = pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
with_triggers = pytest.mark.parametrize("triggers", [True, False], ids=["in scene", "not in scene"])


@each_game
@pytest.mark.parametrize(
    ("edit", "triggers"),
    # Without triggers in the scene, an entity is only known by its index, which that edit changes.
    [
        pytest.param(edit, triggers, id=f"{edit.__name__}, triggers {'' if triggers else 'not '}in scene")
        for edit in EDITS
        for triggers in (True, False)
        if triggers or edit is not put_entities_in_another_order
    ],
)
def test_references_of_samples_are_kept_after_edits(
    blender: ModuleType, game: Game, edit: Callable[..., Meaning], triggers: bool
) -> None:
    data = sample_with(game)
    root = import_level(data, ImportOptions(triggers=triggers)).root
    expected = edit(read_level(data), root)
    assert differing_functions(meaning(export_scene(root)), expected) == []


@each_real_level
@each_edit
def test_references_of_real_levels_hold(
    blender: ModuleType, level_path: Path, edit: Callable[..., Meaning]
) -> None:
    level = read_level(level_path.read_bytes())
    if "entit" in edit.__name__ or edit is do_all_at_once:
        skip_without(level.entities)
    root = import_level(level_path).root
    expected = edit(level, root)
    assert differing_functions(meaning(export_scene(root)), expected) == []


@each_edit
def test_references_of_trng_hold(blender: ModuleType, edit: Callable[..., Meaning]) -> None:
    data = trng_level()
    before = read_level(data)
    root = import_scene(data)
    expected = edit(before, root)
    # The number of a condition may not be an entity, so it is kept.
    uncertain = triggers_of(before)[0, 5, 3][0].actions[0]
    exported = export_scene(root)
    assert triggers_of(exported)[0, 5, 3][0].actions[0] == uncertain
    place = (Meanings(before).rooms[0], 5 * before.rooms[0].z_sectors + 3)
    found = meaning(exported)
    expected.pop(place, None)
    found.pop(place)
    assert differing_functions(found, expected) == []


@each_game
@with_triggers
def test_portals_and_triggers_follow_added_rooms(blender: ModuleType, game: Game, triggers: bool) -> None:
    data = sample_with(game)
    level = read_level(data)
    root = import_level(data, ImportOptions(triggers=triggers)).root
    room = objects(root, "ROOM")[1]
    made = copy_of(room)
    made.data = room.data.copy()
    made.location.x += 64
    exported = export_scene(root)
    assert len(exported.rooms) == len(level.rooms) + 1
    found, before = meaning(exported), meaning(level)
    assert {place: each for place, each in found.items() if place in before} == before
    others = [each for place, functions in found.items() if place not in before for each in functions]
    # A copy of a room only has triggers of the scene, and none were copied.
    assert any(each[0] == "trigger" for each in others if isinstance(each, tuple)) == (not triggers)


@each_game
@with_triggers
def test_portals_and_triggers_follow_deleted_rooms(blender: ModuleType, game: Game, triggers: bool) -> None:
    data = sample_with(game)
    level = read_level(data)
    root = import_level(data, ImportOptions(triggers=triggers)).root
    number = 2
    key = Meanings(level).rooms[number]
    collection = next(iter(objects(root, "ROOM")[number].users_collection))
    for obj in list(collection.objects):
        bpy.data.objects.remove(obj)
    for obj in objects(root, "COLLISION") + objects(root, "PORTAL"):
        if obj.parent is None:
            bpy.data.objects.remove(obj)
    entities = [
        obj for obj in objects(root, "ENTITY") if level.entities["room"][obj.tomb_raider.index] == number
    ]
    left = {place: each for place, each in meaning(level).items() if place[0] != key}  # type: ignore[index]
    for obj in entities:
        left = without(left, Meanings(level).entity(obj.tomb_raider.index))
        bpy.data.objects.remove(obj)
    exported = export_scene(root)
    assert len(exported.rooms) == len(level.rooms) - 1
    expected = {
        place: kept
        for place, functions in left.items()
        if (kept := [f for f in functions if f != ("portal", key)])
    }
    assert differing_functions(meaning(exported), expected) == []


def test_a_deleted_room_takes_its_triggers_along(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    level, _ = export_level(root)
    number = next(place[0] for place in triggers_of(level) if place[0] not in (0, 3))
    names = [obj.name for obj in objects(root, "TRIGGER") if obj.parent == objects(root, "ROOM")[number]]
    assert names
    bpy.data.objects.remove(objects(root, "ROOM")[number])
    level, report = export_level(root)
    assert {
        name for name in names if f"{name}: its room was deleted, so it is left out" in report.warnings
    } == {*names}


@each_game
def test_triggers_of_moved_rooms_stay_on_their_sectors(blender: ModuleType, game: Game) -> None:
    data = sample_with(game)
    root = import_scene(data)
    for obj in objects(root, "ROOM"):
        obj.location.x += 8
    bpy.context.view_layer.update()
    assert triggers_of(export_scene(root)) == triggers_of(read_level(data))
    assert box_at(root, FREE) is not None
