"""Check Level: the findings, their names and severities, and that the scene is unchanged."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.core.space import world_matrix
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.pipeline.checks.fixes import FIXES
from io_tomb_raider.scene.pipeline.checks.notes import Note, clear, keep, objects_of_note, of_report
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import import_anew, import_scene, objects, worth_telling


def portal_values(level: Level) -> list[list[tuple[int, frozenset[tuple[int, ...]], tuple[int, ...]]]]:
    """Return where the portals of each room lead, their corners, and which way they face."""
    return [
        sorted(
            (
                int(each["room"]),
                frozenset(map(tuple, each["vertices"].tolist())),
                tuple(each["normal"].tolist()),
            )
            for each in room.portals
        )
        for room in level.rooms
    ]


@each_game
def test_findings_name_their_object_and_those_of_the_file_are_information(
    blender: ModuleType, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    assert worth_telling(root) == []
    portal, room = objects(root, "PORTAL")[1], objects(root, "ROOM")[1]
    portal.data.flip_normals()
    (note,) = worth_telling(root)
    assert (note.severity, note.subject, note.fix) == ("WARNING", portal.name, "flip_portal")
    assert note.place is not None
    at = world_matrix(portal).translation  # hidden objects have no other place
    assert all(abs(one - other) < 0.01 for one, other in zip(note.place, at, strict=True))
    assert portal.tomb_raider.portal.room.name in note.text and "flip it" in note.text
    FIXES["flip_portal"].run(root, portal.name, None)
    assert worth_telling(root) == []
    assert export_level(root)[0].to_bytes() == data
    # A deleted twin of a portal is restored unchanged.
    twin = next(
        each
        for each in objects(root, "PORTAL")
        if each.parent == portal.tomb_raider.portal.room and each.tomb_raider.portal.room == portal.parent
    )
    bpy.data.objects.remove(twin)
    (note,) = worth_telling(root)
    assert (note.severity, note.subject, note.fix) == ("WARNING", portal.name, "add_twin")
    FIXES["add_twin"].run(root, portal.name, None)
    assert worth_telling(root) == []
    assert portal_values(export_level(root)[0]) == portal_values(read_level(data))
    # What the export tells by itself is told once.
    portal.location.x += 4
    notes = worth_telling(root)
    assert [note.subject for note in notes].count(room.name) <= 1
    assert sum("none back" in each.text or "no portal back" in each.text for each in notes) <= 2


def test_errors_of_an_export_are_listed_before_its_warnings(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    room = objects(root, "ROOM")[0]
    room.data.vertices[0].co.x += 1000
    entity = objects(root, "ENTITY")[1]
    entity.scale = (2, 2, 2)
    first, *others = worth_telling(root)
    assert first.severity == "ERROR" and first.subject == room.name
    assert "32767" in first.text and not first.text.startswith(room.name)
    assert all(each.severity == "WARNING" for each in others)


def test_a_trigger_without_effect_is_called_by_its_own_name(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    trigger = objects(root, "TRIGGER")[0]
    action = trigger.tomb_raider.trigger.actions[0]
    action.type, action.target, action.raw_target = 0, None, 1000
    notes = worth_telling(root)
    assert [note.subject for note in notes] == [trigger.name]
    assert "entity 1000" in notes[0].text
    assert objects_of_note(root, notes[0].subject) == [trigger]


def test_objects_are_found_by_names_of_objects_meshes_materials_and_actions(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    room = objects(root, "ROOM")[0]
    assert objects_of_note(root, room.name) == [room]
    assert objects_of_note(root, room.data.name) == [room]
    material = room.data.materials[0]
    assert room in objects_of_note(root, material.name)
    model = objects(root, "MODEL")[0]
    action: Any = bpy.data.actions.new("My Action")
    model.animation_data_create().action = action
    assert objects_of_note(root, "My Action") == [model]
    assert objects_of_note(root, "nothing of that name") == []


@pytest.mark.parametrize("catalog", ["9999, O_SNOW_MAN", "9999, snow_man", "9998, snow_man"])
def test_slots_of_the_mods_catalog_are_no_findings(blender: ModuleType, tmp_path: Path, catalog: str) -> None:
    (tmp_path / "catalog_objects.csv").write_text(catalog)
    path = tmp_path / "cave.phd"
    path.write_bytes(sample_bytes(Game.TR1))
    root: Any = import_level(path).root
    root.tomb_raider.engine = "TRX"
    obj: Any = objects(root, "ENTITY")[1]
    obj.instance_collection, obj.tomb_raider.entity.type = None, 9999
    unknown = [note for note in check_scene(root) if "TRX does not know its slot, 9999" in note.text]
    assert len(unknown) == catalog.startswith("9998")


def test_findings_replace_the_previous_ones(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    report = Report()
    report.warn("Room 1", "one: two")
    report.warn("Room 1", "one: two")
    keep(root, "Export", [*of_report(report), Note("ERROR", "A", "b", (1.0, 2.0, 3.0), "flip_portal")])
    keep(root, "Export", [*of_report(report), Note("ERROR", "A", "b", (1.0, 2.0, 3.0), "flip_portal")])
    found = [(each.severity, each.subject, each.text, each.fix) for each in root.tomb_raider.findings]
    assert found == [("WARNING", "Room 1", "one: two", ""), ("ERROR", "A", "b", "flip_portal")]
    assert tuple(root.tomb_raider.findings[1].place) == (1.0, 2.0, 3.0)
    clear(root)
    assert not root.tomb_raider.findings and root.tomb_raider.findings_of == ""


@each_real_level
def test_untouched_real_levels_have_no_warnings_of_their_own(blender: ModuleType, level_path: Path) -> None:
    root = import_level(level_path).root
    notes = check_scene(root)
    assert [note for note in notes if note.severity != "INFO"] == []
    assert len({re.sub(r"\d+", "", note.text) for note in notes}) <= 10  # the list is short enough to be read
    assert export_level(root)[0].to_bytes() == level_path.read_bytes() == read_level(level_path).to_bytes()


def test_faults_of_the_file_are_recognized_after_renumbering(blender: ModuleType) -> None:
    """The sample's triggers flip a group without rooms; deleting a room changes the numbers of others."""
    root = import_scene(sample_bytes(Game.TR4))
    old = [note.subject for note in check_scene(root) if "flips rooms" in note.text]
    assert old and all(note.severity == "INFO" for note in check_scene(root))
    bpy.data.objects.remove(objects(root, "ROOM")[0])
    notes = [note for note in check_scene(root) if "flips rooms" in note.text]
    assert notes and {note.severity for note in notes} == {"INFO"}
    assert {note.subject for note in notes} <= set(old)


def test_a_portal_to_a_room_that_is_not_there_can_be_deleted(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR4))
    room = level.rooms[0]
    room.portals = room.portals.copy()
    room.portals["room"][0] = 200
    root = import_scene(level.to_bytes())
    (note,) = [each for each in check_scene(root) if each.fix == "delete_portal"]
    assert note.subject in {obj.name for obj in objects(root, "PORTAL")}
    FIXES["delete_portal"].run(root, note.subject, None)
    assert not [each for each in check_scene(root) if each.fix == "delete_portal"]
    assert len(export_level(root)[0].rooms[0].portals) == len(room.portals) - 1
    with pytest.raises(ExportError, match="no longer exists"):
        FIXES["delete_portal"].run(root, note.subject, None)


@each_game
def test_cameras_and_entities_in_a_room_that_exists_only_while_flipped_are_found(
    blender: ModuleType, game: Game
) -> None:
    data = sample_bytes(game)
    pair = next(room for room in read_level(data).rooms if room.alternate_room >= 0)
    root = import_scene(data)
    flipped, camera = objects(root, "ROOM")[pair.alternate_room], objects(root, "CAMERA")[0]
    camera.tomb_raider.camera.room = flipped
    entity = objects(root, "ENTITY")[1]
    entity.parent = None
    entity.location = flipped.matrix_world @ flipped.data.vertices[0].co
    entity.tomb_raider.entity.room = flipped
    text = f"it is in {flipped.name}, which exists only while rooms are flipped. Put it into the other room"
    assert {note.subject for note in worth_telling(root) if note.text == text} == {camera.name, entity.name}


@each_game
def test_a_damaged_file_that_is_imported_lists_its_missing_numbers(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    level.object_textures = level.object_textures.copy()
    level.object_textures["page"][3] = 2047
    root = import_scene(level.to_bytes())
    text = "object texture 3 refers to page 2047, which does not exist"
    assert text in [note.text for note in check_scene(root)]


@each_game
def test_moved_entities_above_the_floor_are_always_reported(blender: ModuleType, game: Game) -> None:
    """Most enemies of TR2 are invisible until they are activated, many of them in the air."""

    def in_the_air(root: Any) -> list[tuple[str, str]]:
        return [(note.severity, note.subject) for note in check_scene(root) if "above the floor" in note.text]

    wolf = 1
    for flags, severity in ((0x100, None), (0, "INFO")):
        level = read_level(sample_bytes(game))
        level.entities = level.entities.copy()
        level.entities["y"][wolf] -= 640
        level.entities["flags"][wolf] = flags
        root = import_scene(level.to_bytes())
        obj: Any = objects(root, "ENTITY")[wolf]
        assert in_the_air(root) == ([(severity, obj.name)] if severity else [])
        obj.location.z += 1
        bpy.context.view_layer.update()
        assert in_the_air(root) == [("WARNING", obj.name)]
        obj.location.z -= 1 + 640 / 512
        bpy.context.view_layer.update()
        assert in_the_air(root) == []


def test_an_edited_model_with_an_unedited_distant_model_is_information(
    blender: ModuleType,
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    near, far = objects(root, "MODEL")[1:3]
    near.tomb_raider.model.id, far.tomb_raider.model.id = 35, 36  # skeletons
    root = import_anew(export_level(root)[0].to_bytes())
    by_id = {each.tomb_raider.model.id: each for each in objects(root, "MODEL")}

    def told() -> list[str]:
        return [note.subject for note in check_scene(root) if "shown from afar" in note.text]

    def edit(number: int) -> None:
        mesh: Any = next(
            each for each in by_id[number].children if each.type == "MESH" and each.data.vertices
        )
        mesh.data.vertices[0].co.x += 0.25

    assert told() == []
    edit(35)
    assert told() == [by_id[35].name]
    edit(36)
    assert told() == []
