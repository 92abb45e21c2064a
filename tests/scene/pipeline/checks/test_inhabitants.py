"""Findings that depend on what entities are: enemies, switches, items and doors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.catalogue import names
from io_tomb_raider.catalogue.roles import (
    Role,
    acts_untriggered,
    carries,
    has_fixed_place,
    is_on_floor,
    role_of,
)
from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.views.findings import Element, Finding
from io_tomb_raider.scene.pipeline.checks.fixes import FIXES
from io_tomb_raider.scene.pipeline.checks.inhabitants import check_with_roles
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes, sample_level
from tests.scene.exporting import export_level

from ...scenes import import_scene, objects, worth_telling

LARA, WOLF, GUARD, SWITCH, DOOR, MEDIKIT = range(6)  # entities of the sample
HALL, CORRIDOR = range(2)


def of_roles(level: Level) -> list[Finding]:
    """Return the findings that depend on the roles of entities."""
    return check_with_roles(level)[len(check_level(level)) :]


def found(level: Level) -> list[tuple[str, int]]:
    findings = of_roles(level)
    assert all(each.obj.kind == "entity" and each.severity for each in findings)
    return [(each.check, each.obj.number) for each in findings]


def moved(game: Game, number: int, **shift: int) -> Level:
    """Return the sample with one entity moved."""
    level = sample_level(game)
    level.entities = level.entities.copy()
    for axis, distance in shift.items():
        level.entities[axis][number] += distance
    return level


@each_game
def test_entities_in_the_air_or_in_walls_are_found_if_they_belong_on_the_floor(game: Game) -> None:
    assert found(sample_level(game)) == []
    for number in (WOLF, GUARD, SWITCH):
        assert found(moved(game, number, y=-256)) == []  # a click is nothing to look at
        assert found(moved(game, number, y=-300)) == [("in the air", number)]
        assert found(moved(game, number, y=300)) == [("in a wall", number)]
    assert found(moved(game, LARA, y=-2048)) == []  # she falls when the level starts
    (finding,) = of_roles(moved(game, WOLF, y=-640))
    floor = sample_level(game).entities[WOLF]
    assert finding.place == tuple(float(floor[axis]) for axis in "xyz")
    assert finding.text == "it is 2.5 clicks above the floor. Move it down"
    # Above the pool the floor is in the room below.
    over_pool = moved(game, WOLF, x=1024, z=-2048)
    assert found(over_pool) == [("in the air", WOLF)]
    over_pool.entities["y"][WOLF] = 9 * 256
    assert found(over_pool) == []
    wall = moved(game, WOLF, x=-2 * 1024)
    wall.entities["x"][WOLF] = wall.rooms[HALL].x + 512
    assert found(wall) == [("in a wall", WOLF)]
    # What is outside of its own room is another check's, also where a different room is.
    outside = moved(game, WOLF)
    for axis in "xyz":
        outside.entities[axis][WOLF] = outside.entities[axis][GUARD]
    outside.entities["y"][WOLF] -= 640
    assert found(outside) == []
    outside.entities["room"][WOLF] = CORRIDOR
    assert found(outside) == [("in the air", WOLF)]
    invisible = moved(game, WOLF, y=-640)
    invisible.entities["flags"][WOLF] = 0x100
    assert found(invisible) == []  # appears when it is activated, and falls down


@each_game
def test_flyers_and_entities_on_blocks_are_no_finding(game: Game) -> None:
    numbers = [number for number in range(600) if role_of(game, number) is Role.ENEMY]
    bird = next((each for each in numbers if not is_on_floor(game, each)), None)
    assert bird is not None
    level = moved(game, GUARD, y=-600)
    level.entities["type"][GUARD] = bird
    assert found(level) == []
    level = moved(game, SWITCH, y=-1024)
    block = next(each for each in range(600) if carries(game, each))
    assert found(level) == [("in the air", SWITCH)]
    level.entities["type"][MEDIKIT] = block
    for axis in "xz":
        level.entities[axis][MEDIKIT] = level.entities[axis][SWITCH]
    assert found(level) == []
    types = sample_level(game).entities["type"].tolist()
    item = next(row for row, number in enumerate(types) if role_of(game, number) is Role.PICKUP)
    items = moved(game, item, y=-1024)
    assert found(items) == ([("in the air", item)] if game < Game.TR4 else [])
    for axis in "xz":
        items.entities[axis][item] = items.entities[axis][WOLF]
    assert found(items) == []  # the wolf has it


@each_game
def test_enemies_that_no_trigger_activates_are_found(game: Game) -> None:
    level = sample_level(game)
    level.floor_data = level.floor_data[:1]
    for room in level.rooms:
        room.sectors = room.sectors.copy()
        room.sectors["floor_data"] = 0
    assert found(level) == [("never activated", WOLF), ("never activated", GUARD)]
    level.entities = level.entities.copy()
    level.entities["flags"][WOLF] = 0x3E00
    level.entities["type"][GUARD] = next(
        each for each in range(600) if role_of(game, each) is Role.ENEMY and acts_untriggered(game, each)
    )
    assert found(level) == []


@each_game
def test_a_door_over_a_part_of_its_opening_is_found_until_the_rest_is_closed(game: Game) -> None:
    level = sample_level(game)
    corridor = level.rooms[CORRIDOR]
    corridor.sectors = corridor.sectors.copy()
    depth = corridor.z_sectors
    for x in (0, 1):
        corridor.sectors[x * depth + 2] = corridor.sectors[x * depth + 1]
    (finding,) = of_roles(level)
    assert (finding.check, finding.obj) == ("partial door", Element("entity", DOOR))
    assert finding.text.startswith("it closes only a part") and finding.others == (Element("room", HALL),)
    before = level.entities
    level.entities = np.concatenate([before, before[DOOR : DOOR + 1]])
    level.entities["z"][-1] += 1024
    assert found(level) == []
    level.entities["y"][-1] += 10_000  # in another story
    assert ("partial door", DOOR) in found(level)
    level.entities = before.copy()
    corridor.static_meshes = corridor.static_meshes[:1].copy()
    for axis in "xz":
        corridor.static_meshes[axis] = before[axis][DOOR]
    corridor.static_meshes["z"] += 1024
    assert found(level) == []
    corridor.static_meshes["z"] += 2048
    assert found(level) == [("partial door", DOOR)]


@each_game
def test_a_door_next_to_an_opening_of_its_width_is_found_with_the_place_to_go(game: Game) -> None:
    for shift in (300, -300, 600):
        level = moved(game, DOOR, z=shift)
        if level.entities["z"][DOOR] // 1024 != sample_level(game).entities["z"][DOOR] // 1024:
            continue
        (finding,) = of_roles(level)
        assert (finding.check, finding.obj) == ("misplaced door", Element("entity", DOOR))
        assert finding.place == tuple(float(sample_level(game).entities[DOOR][axis]) for axis in "xyz")
    assert found(moved(game, DOOR, z=100)) == []  # the gap is not seen


@pytest.mark.once
def test_the_catalogue_knows_how_enemies_move() -> None:
    def known(game: Game, ask: Callable[[Game, int], bool]) -> set[str]:
        numbers = (number for number in range(600) if role_of(game, number) is Role.ENEMY)
        return {names(game).entity(number) for number in numbers if ask(game, number)}

    assert {"Wolf", "Bear", "Rat (on land)", "T-Rex"} <= known(Game.TR1, is_on_floor)
    assert not {"Bat", "Crocodile (in water)", "Natla (winged)"} & known(Game.TR1, is_on_floor)
    assert {"Doberman", "Yeti"} <= known(Game.TR2, is_on_floor)
    assert not {"Eagle", "Shark", "Scuba diver", "Barracuda"} & known(Game.TR2, is_on_floor)
    assert not {"Vulture", "Killer whale", "Hanging raptor"} & known(Game.TR3, is_on_floor)
    assert {"Raptor spawn point", "Piranhas"} <= known(Game.TR3, acts_untriggered)
    assert not {"Harpy", "Hammerhead", "Bat"} & known(Game.TR4, is_on_floor)
    assert {"Locust emitter", "Horse"} <= known(Game.TR4, acts_untriggered)
    assert not {"Gunship", "Lagoon witch"} & known(Game.TR5, is_on_floor)
    assert "Spider generator" in known(Game.TR5, acts_untriggered)
    assert not has_fixed_place(Game.TR1, 83)  # save crystals float


@each_real_level
def test_real_levels_have_only_enemies_without_a_trigger(level_path: Path) -> None:
    """But for enemies without a trigger in levels that only show them."""
    level = read_level(level_path)
    if level.has("models"):
        assert {check for check, _ in found(level)} <= {"never activated"}
        rooms = {each.check for each in check_level(level)}
        assert not rooms & {"inside out", "water and air"}


def _flip_room(root: Any) -> Any:
    room = objects(root, "ROOM")[HALL]
    room.data.flip_normals()
    return room


def _lift(root: Any) -> Any:
    wolf = objects(root, "ENTITY")[WOLF]
    wolf.location.z += 2
    return wolf


def _shift_door(root: Any) -> Any:
    door = objects(root, "ENTITY")[DOOR]
    door.location.y += 300 / 512
    return door


def _tilt(root: Any) -> Any:
    wolf = objects(root, "ENTITY")[WOLF]
    wolf.rotation_euler.x = 0.3
    return wolf


def _mirror(root: Any) -> Any:
    door = objects(root, "ENTITY")[DOOR]
    around: Any = bpy.data.objects.new("Around", None)
    root.objects.link(around)
    around.rotation_euler = (0.5, 1.0, 1.5)
    bpy.context.view_layer.update()
    matrix = door.matrix_world.copy()
    door.parent, door.matrix_parent_inverse = around, around.matrix_world.inverted()
    door.matrix_basis = matrix
    door.scale.z = -1
    return door


def _scale_static_mesh(root: Any) -> Any:
    placed = objects(root, "PLACEMENT")[0]
    placed.scale = (1, 2, 3)
    return placed


@each_game
@pytest.mark.parametrize(
    ("edit", "fix"),
    [
        (_flip_room, "flip_room"),
        (_lift, "put_down"),
        (_shift_door, "move_door"),
        (_tilt, "as_in_game"),
        (_mirror, "as_in_game"),
        (_scale_static_mesh, "as_in_game"),
    ],
)
def test_a_fix_restores_the_file(
    blender: ModuleType, game: Game, edit: Callable[[Any], Any], fix: str
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = edit(root)
    # Flipped faces of animated textures are mirrored, which is told, too.
    (note,) = [each for each in worth_telling(root) if each.fix]
    assert (note.severity, note.subject, note.fix) == ("WARNING", obj.name, fix)
    FIXES[fix].run(root, note.subject, note.place)
    assert worth_telling(root) == []
    assert export_level(root)[0].to_bytes() == data


def test_objects_rotated_by_a_constraint_are_not_fixed(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    wolf, guard = objects(root, "ENTITY")[WOLF], objects(root, "ENTITY")[GUARD]
    wolf.constraints.new("COPY_ROTATION").target = guard
    with pytest.raises(ExportError, match="Remove them"):
        FIXES["as_in_game"].run(root, wolf.name, None)


@each_game
def test_an_entity_with_a_turned_parent_is_put_down(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    wolf: Any = objects(root, "ENTITY")[WOLF]
    before = wolf.location.copy()
    around: Any = bpy.data.objects.new("Around", None)
    root.objects.link(around)
    around.rotation_euler, around.scale = (0.5, 1.0, 1.5), (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    matrix = wolf.matrix_world.copy()
    matrix.translation = before + Vector((0, 0, 2))
    wolf.parent, wolf.matrix_parent_inverse = around, around.matrix_world.inverted()
    wolf.matrix_basis = matrix
    (note,) = [each for each in worth_telling(root) if each.fix]
    FIXES["put_down"].run(root, wolf.name, note.place)
    bpy.context.view_layer.update()
    assert (wolf.matrix_world.translation - before).length < 1e-3


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_a_mesh_that_may_not_shine_stops_shining(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = next(each for each in objects(root, "STATIC_MESH") if "tr_light" in each.data.attributes)
    effects = obj.data.attributes.get("tr_effects") or obj.data.attributes.new("tr_effects", "INT", "FACE")
    for face in effects.data:
        face.value |= 2
    (note,) = [each for each in worth_telling(root) if each.fix]
    assert (note.severity, note.fix) == ("ERROR", "remove_shine")
    FIXES["remove_shine"].run(root, note.subject, note.place)
    assert worth_telling(root) == []


@each_game
def test_water_next_to_air_names_the_portal(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    hall = objects(root, "ROOM")[HALL]
    hall.tomb_raider.room.has_water = True
    portal = next(
        each
        for each in objects(root, "PORTAL")
        if each.parent == hall and each.tomb_raider.portal.room == objects(root, "ROOM")[CORRIDOR]
    )
    notes = [each for each in worth_telling(root) if "water ends at it" in each.text]
    assert [each.subject for each in notes] == [portal.name]


@each_game
def test_a_deleted_bone_is_reported_with_its_name(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    lara: Any = objects(root, "MODEL")[0]
    bpy.context.scene.collection.objects.link(lara)
    bpy.context.view_layer.objects.active = lara
    bpy.ops.object.mode_set(mode="EDIT")
    lara.data.edit_bones.remove(lara.data.edit_bones["Head"])
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.collection.objects.unlink(lara)
    other, note = worth_telling(root)
    assert "15 meshes" in other.text
    assert (note.severity, note.subject) == ("WARNING", lara.name)
    assert note.text.startswith("bones were deleted, so their meshes are left out: Head.")


@each_game
def test_triggers_with_a_source_of_another_role_are_found(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    entities = objects(root, "ENTITY")
    trigger = objects(root, "TRIGGER")[0]
    settings = trigger.tomb_raider.trigger
    for kind, wanted in (("SWITCH", Role.SWITCH), ("PICKUP", Role.PICKUP), ("KEY", Role.KEYHOLE)):
        for number in (LARA, SWITCH, DOOR, MEDIKIT):
            settings.kind, settings.source = kind, entities[number]
            notes = [note for note in worth_telling(root) if "sets off, which is no" in note.text]
            role = role_of(game, entities[number].tomb_raider.entity.type)
            is_wrong = number == LARA or role not in (wanted, Role.OTHER)
            assert [note.subject for note in notes] == ([trigger.name] if is_wrong else [])
            assert all(entities[number].name in note.text for note in notes)
