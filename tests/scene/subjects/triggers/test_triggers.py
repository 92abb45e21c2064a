"""Triggers: import, and exported changes of edits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import radians
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Euler

from docs.games import ENGINES, trigger_table
from io_tomb_raider.catalogue import names
from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.levels.floor.floor_data import decode, encode
from io_tomb_raider.formats.levels.floor.functions import Action, Death, Function, Trigger, TriggerType
from io_tomb_raider.formats.levels.level.footer import FLOOR_DATA_PLUGINS, split_footer
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.level_visibility import show_part
from io_tomb_raider.scene.core.space import world_matrix
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.triggers.values import action_items, trigger_name, type_items
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level, export_result

from ...scenes import UNIT, changes, copy_of, export_scene, import_anew, import_scene, objects
from .sample_triggers import (
    DOOR,
    FREE,
    GUARD,
    PAD,
    SECTOR,
    SWITCH,
    WOLF,
    Place,
    box_at,
    functions_of,
    rules_of,
    sample_with,
    triggers_of,
    trng_level,
    with_functions,
)


def test_the_free_sector_is_free(blender: ModuleType) -> None:
    for game in Game:
        level = read_level(sample_bytes(game))
        assert FREE not in functions_of(level)
        assert level.rooms[0].sectors["floor"][FREE[1] * level.rooms[0].z_sectors + FREE[2]] != -127


@each_game
def test_every_trigger_of_a_level_stands_on_its_sectors(blender: ModuleType, game: Game) -> None:
    # The floor of a sector is above the bottom of its room.
    data = with_functions(sample_bytes(game), {FREE: [PAD]}, floor=-3)
    level, root = read_level(data), import_scene(data)
    bpy.context.view_layer.update()
    found = triggers_of(level)
    assert len(objects(root, "TRIGGER")) == sum(map(len, found.values()))
    for (number, x, z), (trigger, *_) in found.items():
        obj, room = box_at(root, (number, x, z)), level.rooms[number]
        floor = int(room.sectors["floor"][x * room.z_sectors + z]) * 256
        middle = (room.x + x * 1024 + 512, room.z + z * 1024 + 512, -floor + 128)
        here: Any = world_matrix(obj).translation
        assert np.allclose(here, np.array(middle) * UNIT)
        assert obj.empty_display_type == "CUBE"
        assert obj.empty_display_size * obj.scale.x == 512 * UNIT
        assert [home.tomb_raider.kind for home in obj.users_collection] == ["TRIGGERS"]
        settings = obj.tomb_raider.trigger
        assert (settings.type, settings.mask, settings.one_shot) == (
            trigger.type,
            trigger.mask,
            trigger.one_shot,
        )
        assert [each.type for each in settings.actions] == [each.type for each in trigger.actions]


@each_game
def test_actions_have_their_entities_as_targets(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_with(game))
    actions = box_at(root, FREE).tomb_raider.trigger.actions
    entities = objects(root, "ENTITY")
    assert [actions[row].target for row in (0, 2)] == [entities[WOLF], entities[DOOR]]
    assert (actions[1].kind, actions[1].number) == ("SOUNDTRACK", 9)


def actions_of(root: Collection) -> Any:
    return box_at(root, FREE).tomb_raider.trigger.actions


def settings_of(root: Collection) -> Any:
    return box_at(root, FREE).tomb_raider.trigger


def add_action(kind: int, **values: Any) -> Callable[[Collection], None]:
    def edit(root: Collection) -> None:
        action = actions_of(root).add()
        action.type = kind
        for name, value in values.items():
            setattr(action, name, objects(root, "ENTITY")[value] if name == "target" else value)

    return edit


def set_to(**values: Any) -> Callable[[Collection], None]:
    def edit(root: Collection) -> None:
        for name, value in values.items():
            setattr(settings_of(root), name, objects(root, "ENTITY")[value] if name == "source" else value)

    return edit


def set_action(row: int, **values: Any) -> Callable[[Collection], None]:
    def edit(root: Collection) -> None:
        action = actions_of(root)[row]
        for name, value in values.items():
            setattr(action, name, objects(root, "ENTITY")[value] if name == "target" else value)

    return edit


def more(*actions: Action) -> Trigger:
    return replace(PAD, actions=(*PAD.actions, *actions))


FIRST, SECOND, THIRD = PAD.actions
EDITS: dict[str, tuple[Callable[[Collection], Any], Trigger]] = {
    "timer": (set_to(timer=7), replace(PAD, timer=7)),
    "longest timer": (set_to(timer=255), replace(PAD, timer=255)),
    "no timer": (set_to(timer=0), replace(PAD, timer=0)),
    "one shot": (set_to(one_shot=True), replace(PAD, one_shot=True)),
    "mask": (set_to(mask=31), replace(PAD, mask=31)),
    "mask by its switches": (set_to(activation=(False, True, True, False, False)), replace(PAD, mask=6)),
    "switch": (set_to(type=2, source=SWITCH), replace(PAD, type=TriggerType.SWITCH, reference=SWITCH)),
    "key": (set_to(kind="KEY", source=DOOR), replace(PAD, type=TriggerType.KEY, reference=DOOR)),
    "pickup": (set_to(kind="PICKUP", source=GUARD), replace(PAD, type=TriggerType.PICKUP, reference=GUARD)),
    "unknown type": (set_to(type=99), replace(PAD, type=99)),
    "activate": (add_action(0, target=GUARD), more(Action(0, GUARD))),
    "look at": (add_action(6, target=GUARD), more(Action(6, GUARD))),
    "flip map": (add_action(3, number=2), more(Action(3, 2))),
    "flip on": (add_action(4, number=3), more(Action(4, 3))),
    "flip off": (add_action(5, number=1), more(Action(5, 1))),
    "end level": (add_action(7, number=4), more(Action(7, 4))),
    "track": (add_action(8, number=1023), more(Action(8, 1023))),
    "flipeffect": (add_action(9, number=12), more(Action(9, 12))),
    "secret": (add_action(10, number=2), more(Action(10, 2))),
    "clear bodies": (add_action(11), more(Action(11, 0))),
    "camera that never was": (add_action(1, raw_target=70), more(Action(1, 70, 0))),
    "camera for a time": (
        add_action(1, raw_target=70, timer=9, once=True, move=31),
        more(Action(1, 70, 9 | 0x100 | 31 << 9)),
    ),
    "sink that never was": (add_action(2, raw_target=71), more(Action(2, 71))),
    "unknown action": (add_action(31, number=5), more(Action(31, 5))),
    "other target": (set_action(0, target=GUARD), replace(PAD, actions=(Action(0, GUARD), SECOND, THIRD))),
    "other number": (set_action(1, number=3), replace(PAD, actions=(FIRST, Action(8, 3), THIRD))),
    "other action": (
        set_action(1, kind="SECRET", number=3),
        replace(PAD, actions=(FIRST, Action(10, 3), THIRD)),
    ),
    "removed": (lambda root: actions_of(root).remove(1), replace(PAD, actions=(FIRST, THIRD))),
    "removed first": (lambda root: actions_of(root).remove(0), replace(PAD, actions=(SECOND, THIRD))),
    "removed last": (lambda root: actions_of(root).remove(2), replace(PAD, actions=(FIRST, SECOND))),
    "moved": (lambda root: actions_of(root).move(2, 0), replace(PAD, actions=(THIRD, FIRST, SECOND))),
}
LATER_EDITS: dict[str, tuple[Game, Callable[[Collection], Any], Trigger]] = {
    "negative timer": (Game.TR4, set_to(timer=-3), replace(PAD, timer=253)),
    "flyby": (Game.TR4, add_action(12, number=0, once=True), more(Action(12, 0, 0x100))),
    "cutscene": (Game.TR4, add_action(13, number=21), more(Action(13, 21))),
}


def only_the_free_sector_changes(game: Game, edit: Callable[[Collection], Any], wanted: Trigger) -> None:
    data = sample_with(game)
    root = import_scene(data)
    edit(root)
    level = export_scene(root)
    assert differences(read_level(data), level) == [functions_path(read_level(data), FREE)]
    assert triggers_of(level) == {**triggers_of(read_level(data)), FREE: (wanted,)}


def functions_path(level: Level, place: Place) -> tuple[Any, ...]:
    room, x, z = place
    return ("rooms", room, "sectors", x * level.rooms[room].z_sectors + z, "functions")


@each_game
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_changes_its_trigger_alone(blender: ModuleType, game: Game, name: str) -> None:
    only_the_free_sector_changes(game, *EDITS[name])


@each_game
@pytest.mark.parametrize("name", LATER_EDITS)
def test_an_edit_that_later_games_know_changes_its_trigger_alone(
    blender: ModuleType, game: Game, name: str
) -> None:
    since, edit, wanted = LATER_EDITS[name]
    if game >= since:
        only_the_free_sector_changes(game, edit, wanted)
    else:
        assert {"FLYBY", "CUTSCENE"}.isdisjoint(item[0] for item in action_items(game))


@pytest.mark.parametrize("game", [Game.TR1, Game.TR5])
def test_triggers_on_walls_or_rotated_are_reported(blender: ModuleType, game: Game) -> None:
    data = sample_with(game)
    root = import_scene(data)
    obj = box_at(root, FREE)
    obj.rotation_euler.z = radians(90)
    assert not export_level(root)[1].warnings
    obj.rotation_euler.z = radians(30)
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert report.warnings == [
        f"{obj.name}: it is rotated, but triggers cover whole sectors: it covers 1 by 1 of them; "
        "clear its rotation (Alt+R)"
    ]
    obj.rotation_euler.z = 0
    obj.location.x = obj.location.y = 0.5 * SECTOR  # the corner of the room
    level, report = export_level(root)
    assert report.warnings == [
        f"{obj.name}: it is on a wall, where it is never set off: move it onto the floor"
    ]
    assert triggers_of(read_level(level.to_bytes()))[FREE[0], 0, 0] == (PAD,)
    # Triggers on walls that the file has are kept without a warning.
    on_a_wall = import_anew(sample_with(game, place=(FREE[0], 0, 0)))
    assert not export_level(on_a_wall)[1].warnings


def test_names_of_triggers_are_those_of_their_kinds(blender: ModuleType) -> None:
    pairs = [(0, "Trigger"), (1, "Pad Trigger"), (6, "Antipad"), (9, "Antitrigger")]
    assert [trigger_name(number, Game.TR4) for number, _ in pairs] == [name for _, name in pairs]


def point_at(kind: int, target: tuple[str, int], **values: Any) -> Callable[[Collection], None]:
    def edit(root: Collection) -> None:
        action = actions_of(root).add()
        action.type, action.target = kind, objects(root, target[0])[target[1]]
        for name, value in values.items():
            setattr(action, name, value)

    return edit


CAMERA_EDITS: dict[str, tuple[Game, Callable[[Collection], Any], Trigger]] = {
    "camera": (Game.TR1, point_at(1, ("CAMERA", 1), timer=3, move=2), more(Action(1, 1, 3 | 2 << 9))),
    "look through a sink": (Game.TR1, point_at(1, ("SINK", 0)), more(Action(1, 2, 0))),
    "sink": (Game.TR1, point_at(2, ("SINK", 0)), more(Action(2, 2))),
    "flyby": (Game.TR4, point_at(12, ("FLYBY", 7), number=0), more(Action(12, 1, 0))),
}


@each_game
@pytest.mark.parametrize("name", CAMERA_EDITS)
def test_cameras_sinks_and_flybys_are_targets(blender: ModuleType, game: Game, name: str) -> None:
    since, edit, wanted = CAMERA_EDITS[name]
    if game >= since:
        only_the_free_sector_changes(game, edit, wanted)
    else:
        assert objects(import_scene(sample_bytes(game)), "FLYBY") == []


def test_the_camera_s_extra_word_is_shown_in_parts(blender: ModuleType) -> None:
    trigger = Trigger(0, actions=(Action(1, 0, 8 | 0x100 | 17 << 9 | 0x4000), Action(3, 1)))
    root = import_scene(sample_with(Game.TR2, trigger))
    action = actions_of(root)[0]
    assert (action.target, action.timer, action.once, action.move) == (
        objects(root, "CAMERA")[0],
        8,
        True,
        17,
    )
    action.timer, action.once, action.move = 255, False, 1
    (found,) = triggers_of(export_scene(root))[FREE]
    assert found.actions == (Action(1, 0, 255 | 1 << 9 | 0x4000), Action(3, 1))


def test_a_flyby_action_is_removed_with_the_last_camera_of_its_sequence(blender: ModuleType) -> None:
    trigger = Trigger(0, actions=(Action(12, 1, 0x100), Action(10, 2), Action(12, 40, 0)))
    root = import_scene(sample_with(Game.TR4, trigger))
    first, *others = [obj for obj in objects(root, "FLYBY") if obj.tomb_raider.flyby.sequence == 1]
    assert actions_of(root)[0].target == first
    bpy.data.objects.remove(first)
    assert triggers_of(export_scene(root))[FREE] == (trigger,)
    for obj in others:
        bpy.data.objects.remove(obj)
    # Targets that never existed need no warning.
    assert triggers_of(export_scene(root))[FREE] == (replace(trigger, actions=trigger.actions[1:]),)


@each_game
def test_every_type_that_the_game_knows_can_be_chosen(blender: ModuleType, game: Game) -> None:
    data = sample_with(game)
    counts = {Game.TR1: 9, Game.TR2: 10, Game.TR3: 10, Game.TR4: 13, Game.TR5: 17}
    items = [item for item in type_items(game) if item[0] != "OTHER"]
    assert [item[3] for item in items] == list(range(counts[game]))
    root = import_scene(data)
    settings = settings_of(root)
    for name, _, _, number in items:
        settings.kind, settings.source = name, objects(root, "ENTITY")[SWITCH]
        found = triggers_of(export_scene(root))[FREE][0]
        refers = name in ("SWITCH", "KEY", "PICKUP")
        assert found == replace(PAD, type=number, reference=SWITCH if refers else None)
        assert settings.kind == name
    with pytest.raises(TypeError):
        settings.kind = "CLIMB" if game < Game.TR5 else "NONE"


@pytest.mark.parametrize("target", list(Target))
@each_game
def test_the_list_the_check_and_the_page_agree_on_types(
    blender: ModuleType, game: Game, target: Target
) -> None:
    if target is Target.TRX and not game.traits.has_trx:
        return
    root = import_scene(sample_with(game))
    root.tomb_raider.engine = target.name
    settings = settings_of(root)
    heading, rows = trigger_table(game)
    column = heading.index(ENGINES[target])
    listed = {row[0] for row in rows if row[column]}
    for kind in TriggerType:
        settings.type, settings.source = int(kind), objects(root, "ENTITY")[SWITCH]
        is_known = settings.kind == kind.name
        warned = [note for note in check_scene(root) if "does not support" in note.text]
        assert is_known == (not warned) == (names(game).trigger(kind) in listed), kind


@each_game
def test_every_action_that_the_game_knows_can_be_chosen(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_with(game))
    items = [item for item in action_items(game) if item[0] != "OTHER"]
    assert [item[3] for item in items] == list(range(12 if game < Game.TR4 else 14))
    action = actions_of(root)[1]
    for name, _, _, number in items:
        action.kind = name
        action.raw_target = 3
        action.target = objects(root, "ENTITY")[GUARD] if name in ("OBJECT", "LOOK_AT") else None
        found = triggers_of(export_scene(root))[FREE][0].actions[1]
        assert found.type == number
        assert (found.extra is None) == (name not in ("CAMERA", "FLYBY"))


@each_game
def test_triggers_of_all_kinds_come_back_byte_for_byte(blender: ModuleType, game: Game) -> None:
    random = np.random.default_rng(int(game))
    everything = [
        Trigger(
            kind, timer=int(random.integers(256)), one_shot=bool(kind % 2), mask=kind % 32, actions=(action,)
        )
        for kind, action in zip(
            [*range(2), *range(5, 20), 100, 127, *range(5, 18)],
            [Action(each, int(random.integers(1024)), 77 if each in (1, 12) else None) for each in range(32)],
            strict=False,
        )
    ]
    everything += [
        Trigger(2, reference=1023),
        Trigger(3, reference=3, actions=(Action(0, 900),), rest=0xE0, setup_rest=3, reference_rest=21),
        Trigger(4, actions=(Action(5, 1),)),
        Trigger(0, actions=(Action(1, 3, 0x7FFF, stray_end=False), Action(12, 2))),
    ]
    level = read_level(sample_bytes(game))
    room = max(range(len(level.rooms)), key=lambda number: len(level.rooms[number].sectors))
    places = [(room, *divmod(each, level.rooms[room].z_sectors)) for each in range(len(everything))]
    lists: dict[Place, list[Function]] = {
        place: [Death(), each, Trigger(8, actions=(Action(0, 1),))]
        for place, each in zip(places, everything, strict=True)
    }
    data = with_functions(sample_bytes(game), lists)
    root = import_scene(data)
    result = export_result(root)
    assert result.level.to_bytes() == data
    assert not result.rebuilt and not result.report.warnings
    assert functions_of(export_scene(root, rebuild=True)) == functions_of(read_level(data))


def test_triggers_of_alternate_rooms_are_hidden_with_them(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    alternates = {obj.tomb_raider.room.alternate_room for obj in objects(root, "ROOM")} - {None}
    assert alternates
    layer: Any = bpy.context.view_layer
    show_part(root, layer, "TRIGGERS", True)
    hidden = {obj for obj in objects(root, "TRIGGER") if not obj.visible_get()}
    assert hidden == {obj for obj in objects(root, "TRIGGER") if obj.parent in alternates} != set()


def test_equal_triggers_side_by_side_are_one_box(blender: ModuleType) -> None:
    places = [(0, x, z) for x in (4, 5) for z in (1, 2, 3)]
    lists: dict[Place, list[Function]] = {place: [PAD] for place in places}
    data = with_functions(sample_bytes(Game.TR2), lists)
    root = import_scene(data)
    boxes = {box_at(root, place) for place in places}
    assert len(boxes) == 1
    assert tuple(boxes.pop().scale)[:2] == (2, 3)
    assert export_scene(root).to_bytes() == data


def test_a_box_is_moved_scaled_and_turned_in_steps_of_sectors(blender: ModuleType) -> None:
    data = sample_with(Game.TR3)

    def sectors(edit: Callable[[Any], Any]) -> set[Place]:
        root = import_scene(data)
        edit(box_at(root, FREE))
        bpy.context.view_layer.update()
        found = triggers_of(export_scene(root))
        assert {place: each for place, each in found.items() if each != (PAD,)} == triggers_of(
            read_level(sample_bytes(Game.TR3))
        )
        return {place for place, each in found.items() if each == (PAD,)}

    def move(*steps: float) -> Callable[[Any], None]:
        def edit(obj: Any) -> None:
            for axis, step in enumerate(steps):
                obj.location[axis] += step * SECTOR

        return edit

    def resize(x: float, y: float) -> Callable[[Any], None]:
        def edit(obj: Any) -> None:
            obj.scale[0], obj.scale[1] = x, y

        return edit

    def turn(obj: Any) -> None:
        obj.scale.x = 3
        obj.rotation_euler = Euler((0, 0, np.pi / 2))

    assert sectors(move(1, 0)) == {(0, 5, 3)}
    assert sectors(move(-1, 1)) == {(0, 3, 4)}
    assert sectors(move(0.4, -0.4)) == {FREE}
    assert sectors(move(0, 0, 0.5)) == {FREE}
    assert sectors(resize(3, 1)) == {(0, 3, 3), (0, 4, 3), (0, 5, 3)}
    assert sectors(resize(1.2, 0.3)) == {FREE}
    assert sectors(turn) == {(0, 4, 2), (0, 4, 3), (0, 4, 4)}


def test_a_box_that_is_moved_to_another_room_goes_to_its_sectors(blender: ModuleType) -> None:
    data = sample_with(Game.TR4)
    level, root = read_level(data), import_scene(data)
    number = next(
        number
        for number, room in enumerate(level.rooms)
        if room.x >= level.rooms[0].x + (level.rooms[0].x_sectors - 2) * 1024
    )
    room = level.rooms[number]
    sector = next(
        place
        for place in range(room.z_sectors + 1, len(room.sectors))
        if room.sectors["floor"][place] != -127 and not room.sectors["floor_data"][place]
    )
    x, z = divmod(sector, room.z_sectors)
    obj = box_at(root, FREE)
    height = -(int(room.sectors["floor"][sector]) * 256 - 128)
    world = np.array([room.x + x * 1024 + 512, room.z + z * 1024 + 512, height]) * UNIT
    bpy.context.view_layer.update()
    matrix = obj.matrix_world.copy()
    matrix.translation = world.tolist()
    obj.matrix_world = matrix
    bpy.context.view_layer.update()
    found = triggers_of(export_scene(root))
    assert FREE not in found
    assert found[number, x, z] == (PAD,)


@each_game
def test_copies_are_new_triggers_and_deleted_ones_go(blender: ModuleType, game: Game) -> None:
    data = sample_with(game)
    root = import_scene(data)
    obj = box_at(root, FREE)
    copy_of(obj).location.y -= SECTOR
    expected = {**triggers_of(read_level(data)), (0, 4, 2): (PAD,)}
    assert triggers_of(export_scene(root)) == expected
    bpy.data.objects.remove(obj)
    del expected[FREE]
    assert triggers_of(export_scene(root)) == expected


@each_game
def test_a_level_without_its_triggers_keeps_all_other_functions(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for obj in objects(root, "TRIGGER"):
        bpy.data.objects.remove(obj)
    level = export_scene(root)
    assert triggers_of(level) == {}
    before = functions_of(read_level(data))
    left = {
        place: rest
        for place, functions in before.items()
        if (rest := tuple(each for each in functions if not isinstance(each, Trigger)))
    }
    assert functions_of(level) == left


def test_sectors_that_share_a_list_part_when_one_of_them_changes(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR1))
    place = FREE[1] * level.rooms[0].z_sectors + FREE[2]
    words = encode([Death(), PAD])
    for at in (place, place + 1, place + 3):  # with a gap, for two boxes
        level.rooms[0].sectors = level.rooms[0].sectors.copy()
        level.rooms[0].sectors["floor_data"][at] = len(level.floor_data)
    level.floor_data = np.concatenate([level.floor_data, np.array(words, np.uint16)])
    data = level.to_bytes()
    root = import_scene(data)
    assert export_scene(root).to_bytes() == data
    settings_of(root).timer = 9
    found = export_scene(root)
    changed = functions_of(found)
    for at in (3, 4):
        assert changed[0, 4, at] == (Death(), replace(PAD, timer=9))
    assert changed[0, 4, 6] == (Death(), PAD)
    # The data of other sectors do not move.
    assert np.array_equal(found.floor_data[: len(level.floor_data)], level.floor_data)
    indices = found.rooms[0].sectors["floor_data"]
    assert indices[place] == indices[place + 1] == len(level.floor_data)


def test_shared_and_invalid_lists_are_kept(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR1))
    z = level.rooms[0].z_sectors
    start = len(level.floor_data)
    # The second list begins within the first; the third is invalid.
    words = [*encode([Death(), PAD]), 0x801F, 0x0004]
    level.floor_data = np.concatenate([level.floor_data, np.array(words, np.uint16)])
    level.rooms[0].sectors = level.rooms[0].sectors.copy()
    for at, index in ((3, start), (4, start + 1), (5, start + len(words) - 2)):
        level.rooms[0].sectors["floor_data"][4 * z + at] = index
    data = level.to_bytes()
    root = import_scene(data)
    result = export_result(root)
    assert result.level.to_bytes() == data
    assert not result.rebuilt
    settings_of(root).timer = 77
    found = export_scene(root)
    assert np.array_equal(found.floor_data[: len(level.floor_data)], level.floor_data)
    assert found.rooms[0].sectors["floor_data"][4 * z + 5] == start + len(words) - 2
    lists = [decode(found.floor_data, int(found.rooms[0].sectors["floor_data"][4 * z + at])) for at in (3, 4)]
    assert lists == [(Death(), replace(PAD, timer=77)), (replace(PAD, timer=77),)]


def test_damaged_floor_data_is_kept_and_cannot_be_edited(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR2))
    level.rooms[0].sectors = level.rooms[0].sectors.copy()
    level.rooms[0].sectors["floor_data"][7] = 60000
    data = level.to_bytes()
    made = import_level(data)
    assert any("floor data is damaged" in text for text in made.report.warnings)
    assert objects(made.root, "TRIGGER") == []
    assert export_scene(made.root).to_bytes() == data
    bpy.data.objects.remove(objects(made.root, "ENTITY")[WOLF])
    with pytest.raises(ExportError, match="damaged"):
        export_level(made.root)


def test_numbers_without_an_object_are_kept(blender: ModuleType) -> None:
    strange = Trigger(
        TriggerType.SWITCH, reference=900, actions=(Action(0, 901), Action(6, 902), Action(1, 903, 5))
    )
    data = sample_with(Game.TR3, strange)
    root = import_scene(data)
    settings = settings_of(root)
    assert (settings.source, settings.raw_source) == (None, 900)
    assert [each.raw_target for each in settings.actions] == [901, 902, 903]
    assert export_scene(root).to_bytes() == data
    settings.timer = 4
    assert triggers_of(export_scene(root))[FREE] == (replace(strange, timer=4),)


def test_actions_on_deleted_objects_are_left_out_with_a_warning(blender: ModuleType) -> None:
    data = sample_with(Game.TR1)
    root = import_scene(data)
    wolf, name = objects(root, "ENTITY")[WOLF], box_at(root, FREE).name
    for collection in wolf.users_collection:  # like Delete in Blender: triggers still point at it
        collection.objects.unlink(wolf)
    level, report = export_level(root)
    assert triggers_of(read_level(level.to_bytes()))[FREE] == (
        replace(PAD, actions=(SECOND, Action(0, DOOR - 1))),
    )
    assert [text for text in report.warnings if text.startswith(name)] == [
        f"{name}: its action object has no target, so it is left out ({wolf.name} is no entity of the level)"
    ]
    assert not [text for text in report.warnings if text.startswith("Room")]


def test_a_trigger_without_actions_is_left_out_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_with(Game.TR1))
    name = box_at(root, FREE).name
    actions_of(root).clear()
    level, report = export_level(root)
    assert FREE not in triggers_of(level)
    assert f"{name}: it has no action, so it is left out" in report.warnings


def test_a_switch_trigger_without_an_entity_is_left_out_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_with(Game.TR1))
    name = box_at(root, FREE).name
    settings_of(root).kind = "SWITCH"
    level, report = export_level(root)
    assert FREE not in triggers_of(level)
    assert f"{name}: it has no entity that sets it off, so it is left out" in report.warnings


def test_two_triggers_on_a_sector_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_with(Game.TR1))
    made = copy_of(box_at(root, FREE))
    made.tomb_raider.trigger.timer = 1
    level, report = export_level(root)
    assert triggers_of(level)[FREE] == (PAD, replace(PAD, timer=1))
    assert any(text.startswith(made.name) and "shares a sector" in text for text in report.warnings)


def test_a_trigger_in_no_room_is_left_out_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_with(Game.TR1))
    obj = box_at(root, FREE)
    obj.location.x = 1e5
    level, report = export_level(root)
    assert FREE not in triggers_of(level)
    assert report.warnings == [
        f"{obj.name}: it is in no room, so it is left out: move it onto the floor of one"
    ]
    obj.location.x = float("nan")
    with pytest.raises(ExportError, match="is not a number"):
        export_level(root)


def test_a_trigger_that_reaches_out_of_its_room_is_cut_off(blender: ModuleType) -> None:
    root = import_scene(sample_with(Game.TR1))
    obj = box_at(root, FREE)
    obj.scale.y = 99
    level, report = export_level(root)
    rows = range(level.rooms[0].z_sectors)
    assert all(PAD in triggers_of(level)[0, 4, z] for z in rows)
    assert any(text.startswith(obj.name) and "extends beyond" in text for text in report.warnings)


def test_entities_with_too_high_numbers_are_an_error(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR2))
    level.entities = np.concatenate([level.entities, np.repeat(level.entities[:1], 1020)])
    root = import_scene(level.to_bytes())
    obj = objects(root, "TRIGGER")[0]
    action = obj.tomb_raider.trigger.actions.add()
    action.type, action.target = 0, objects(root, "ENTITY")[1024]
    with pytest.raises(ExportError, match="too high") as caught:
        export_level(root)
    assert (caught.value.subject, caught.value.count, caught.value.limit) == (obj.name, 1024, 1023)


@each_game
def test_without_triggers_in_the_scene_the_file_s_stay(blender: ModuleType, game: Game) -> None:
    data = sample_with(game)
    root = import_level(data, ImportOptions(triggers=False)).root
    assert objects(root, "TRIGGER") == []
    bpy.data.objects.remove(objects(root, "ENTITY")[WOLF])
    found = triggers_of(export_scene(root))
    assert found[FREE] == (replace(PAD, actions=(SECOND, Action(0, DOOR - 1))),)
    assert found.keys() < triggers_of(read_level(data)).keys()  # some had no other action


def test_rooms_are_needed_for_triggers(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_level(data, ImportOptions(rooms=False)).root
    assert objects(root, "TRIGGER") == []
    assert export_scene(root).to_bytes() == data


def test_triggers_stand_alone_where_entities_are_not_imported(blender: ModuleType) -> None:
    data = sample_with(Game.TR1)
    root = import_level(data, ImportOptions(entities=False)).root
    assert [each.raw_target for each in actions_of(root)] == [WOLF, -1, DOOR]
    assert export_scene(root).to_bytes() == data
    settings_of(root).timer = 1
    assert triggers_of(export_scene(root))[FREE] == (replace(PAD, timer=1),)


def test_damaged_rooms_keep_their_triggers(blender: ModuleType) -> None:
    level = read_level(sample_with(Game.TR1))
    room = level.rooms[0]
    room.y_top = room.y_bottom = 0x7FFFFFFF
    room.x = room.z = 0x7FFFFC01
    data = level.to_bytes()
    root = import_scene(data)
    assert triggers_of(export_scene(root)) == triggers_of(level)


def plugins_of(level: Level) -> list[int]:
    """Return the plugin number of each word of floor data."""
    footer = split_footer(level.footer.tobytes())[1]
    assert footer is not None
    payload, words = footer.get(FLOOR_DATA_PLUGINS), len(level.floor_data)
    assert payload is not None
    assert len(payload) == words + words % 2
    return list(payload[:words])


def plugins_by_place(level: Level) -> dict[Place, list[int]]:
    """Return the plugin numbers of the words of every sector's list, by room, x and z."""
    found, plugins = {}, plugins_of(level)
    for place, functions in functions_of(level).items():
        room = level.rooms[place[0]]
        start = int(room.sectors["floor_data"][place[1] * room.z_sectors + place[2]])
        found[place] = plugins[start : start + len(encode(functions, rules_of(level)))]
    return found


def test_levels_of_trng_keep_their_extra_words_and_plugins(blender: ModuleType) -> None:
    data = trng_level()
    root = import_scene(data)
    assert [each.extra for each in actions_of(root)] == [0x101, 0x22, 0]
    condition = box_at(root, (0, 5, 3)).tomb_raider.trigger
    # Numbers of conditions may not be entities.
    assert (condition.actions[0].target, condition.actions[0].raw_target) == (None, 6)
    assert export_scene(root).to_bytes() == data
    before = read_level(data)
    actions_of(root).remove(1)
    after = export_scene(root)
    effect = triggers_of(before)[FREE][0]
    assert triggers_of(after)[FREE] == (replace(effect, actions=(effect.actions[0], effect.actions[2])),)
    # Head and setup of the trigger, and three actions with extra words, of which the second is removed.
    expected = plugins_by_place(before)
    assert len(expected[FREE]) == len(set(expected[FREE])) == 7
    del expected[FREE][4:6]
    assert plugins_by_place(after) == expected
    rebuilt = export_scene(root, rebuild=True)
    assert functions_of(rebuilt) == functions_of(after)
    assert plugins_by_place(rebuilt) == expected


def test_new_actions_of_trng_have_their_extra_words(blender: ModuleType) -> None:
    root = import_scene(trng_level())
    add_action(9, number=4)(root)
    assert triggers_of(export_scene(root))[FREE][0].actions[-1] == Action(9, 4, 0)


def test_only_the_edited_words_are_counted(blender: ModuleType) -> None:
    root = import_scene(sample_with(Game.TR1))
    settings_of(root).timer = 9
    assert export_result(root).rebuilt.summary() == "changed 1 word of floor data"


@each_game
def test_an_untouched_trigger_is_no_change(blender: ModuleType, game: Game) -> None:
    assert changes(sample_with(game), lambda root: None) == []
