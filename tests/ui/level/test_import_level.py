"""Tests of the import operator for levels."""

from __future__ import annotations

import os
import sys
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import FormatError, Game, read_level
from io_tomb_raider.scene.pipeline import importer
from io_tomb_raider.scene.subjects.animations import actions
from io_tomb_raider.scene.subjects.models import steps as model_steps
from io_tomb_raider.scene.subjects.rooms import rooms
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, sample_bytes
from tests.scene.scenes import objects

from ..user_actions import (
    add_cube,
    add_object,
    export_file,
    fails,
    import_file,
    import_sample,
    levels,
    sample_file,
)

each_sample = pytest.mark.parametrize("sample", SAMPLES)


def import_fails(path: Path | str) -> str:
    """Import a file that is no level; return the report."""
    return fails(bpy.ops.import_scene.tomb_raider, filepath=str(path))


# --- Content --------------------------------------------------------------------------------------


@each_sample
def test_every_kind_of_level_goes_in_and_out_byte_for_byte(
    blender: ModuleType, tmp_path: Path, sample: str
) -> None:
    path = sample_file(tmp_path, sample)
    root = import_file(path)
    assert root.name == path.name
    assert root.tomb_raider.source == path.name
    assert root.tomb_raider.game == SAMPLES[sample][0].name
    assert root.name in bpy.context.scene.collection.children
    assert export_file(tmp_path / "out") == path.read_bytes()


@each_real_level
def test_real_levels_go_in_and_out_byte_for_byte(
    blender: ModuleType, tmp_path: Path, level_path: Path
) -> None:
    import_file(level_path)
    assert export_file(tmp_path / "out") == level_path.read_bytes()


KINDS = {
    "rooms": {"ROOM", "LIGHT", "PLACEMENT", "SPRITE", "PORTAL", "COLLISION", "TRIGGER", "SKY"},
    "portals": {"PORTAL"},
    "collision": {"COLLISION"},
    "triggers": {"TRIGGER"},
    "cameras": {"CAMERA", "SINK", "FLYBY"},
    "sounds": {"SOUND_SOURCE"},
    "pathfinding": {"BOXES"},
    "lights": {"LIGHT"},
    "models": {"MODEL", "MODEL_MESH", "SKY"},
    "static_meshes": {"STATIC_MESH", "PLACEMENT"},
    "entities": {"ENTITY", "AI_OBJECT"},
    "sprites": {"SPRITE", "SPRITE_TEXTURE"},
}


@pytest.mark.parametrize("option", KINDS)
def test_subjects_that_are_left_out_are_exported_but_not_in_the_scene(
    blender: ModuleType, tmp_path: Path, option: str
) -> None:
    path = sample_file(tmp_path, "tr4")
    everything = {obj.tomb_raider.kind for obj in import_file(path).all_objects}
    root = import_file(path, **{option: False})
    found = {obj.tomb_raider.kind for obj in root.all_objects}
    assert everything - found == KINDS[option]
    assert export_file(tmp_path / "out", collection=root.name) == path.read_bytes()


SWITCHES = (*KINDS, "animations")
_FOUR_OF_SIX = list(combinations(range(6), 4))
# Pairwise choices: any two switches occur both on, both off, and each alone. There is a column for each
# switch, with four of six on, and one choice in which all are off.
CHOICES = [
    *zip(*([row in on for row in range(6)] for on in _FOUR_OF_SIX[: len(SWITCHES)]), strict=True),
    (False,) * len(SWITCHES),
]


@pytest.mark.parametrize("choice", CHOICES, ids=range(len(CHOICES)))
@pytest.mark.parametrize("game", ["tr1", "tr2", "tr3", "tr4", "tr5"])
def test_any_two_objects_can_be_left_out_together_or_one_without_the_other(
    blender: ModuleType, tmp_path: Path, game: str, choice: tuple[bool, ...]
) -> None:
    path = sample_file(tmp_path, game)
    import_file(path, **dict(zip(SWITCHES, choice, strict=True)))
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_choices_contain_all_pairs_of_values() -> None:
    for one, other in combinations(zip(*CHOICES, strict=True), 2):
        assert len(set(zip(one, other, strict=True))) == 4


def test_a_second_level_is_placed_next_to_the_first_on_request(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    places = [objects(import_file(path, beside=beside), "ROOM")[0].location for beside in (True, True, False)]
    assert places[0] == places[2] != places[1]


def test_without_animations_models_have_none_but_the_export_has(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr3")
    root = import_file(path, animations=False)
    assert not any(action.tomb_raider.model for action in bpy.data.actions)
    assert objects(root, "MODEL")
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_the_scale_is_the_users(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path)
    small, large = import_file(path), import_file(path, scale=1 / 128, beside=False)
    for one, other in zip(objects(small, "ROOM"), objects(large, "ROOM"), strict=True):
        assert other.location == one.location * 4
        assert other.data.vertices[0].co == one.data.vertices[0].co * 4
    for root in (small, large):
        assert export_file(tmp_path / "out", collection=root.name) == path.read_bytes()


@pytest.mark.parametrize("scale", [1 / 1000, 1.0, 0.0123])
def test_any_scale_comes_back_to_the_same_bytes(blender: ModuleType, tmp_path: Path, scale: float) -> None:
    path = sample_file(tmp_path, "tr5")
    import_file(path, scale=scale)
    assert export_file(tmp_path / "out") == path.read_bytes()


def test_the_scene_is_set_up_unless_disabled(blender: ModuleType, tmp_path: Path) -> None:
    scene: Any = bpy.context.scene
    path = sample_file(tmp_path)
    scene.render.fps, scene.view_settings.view_transform = 25, "Filmic"
    import_file(path, set_up_scene=False)
    assert (scene.render.fps, scene.view_settings.view_transform) == (25, "Filmic")
    import_file(path)
    assert (scene.render.fps, scene.render.fps_base) == (30, 1)
    assert scene.view_settings.view_transform == "Standard"


# --- Several files --------------------------------------------------------------------------------


def test_several_files_are_imported_in_one_go(blender: ModuleType, tmp_path: Path) -> None:
    paths = [sample_file(tmp_path, sample) for sample in ("tr1", "tr3", "tr5")]
    files = [{"name": path.name} for path in paths]
    assert bpy.ops.import_scene.tomb_raider(directory=str(tmp_path), files=files) == {"FINISHED"}
    assert {root.name for root in levels()} == {path.name for path in paths}
    for path in paths:
        assert export_file(tmp_path / "out", collection=path.name) == path.read_bytes()


def test_a_damaged_file_among_several_does_not_stop_the_others(blender: ModuleType, tmp_path: Path) -> None:
    first, last = sample_file(tmp_path, "tr1"), sample_file(tmp_path, "tr4")
    (tmp_path / "broken.tr2").write_bytes(sample_bytes(Game.TR2)[:5000])
    files = [{"name": name} for name in (first.name, "broken.tr2", last.name)]
    with pytest.raises(RuntimeError, match=r"Error: broken\.tr2 was not imported: the file ends too early"):
        bpy.ops.import_scene.tomb_raider(directory=str(tmp_path), files=files)
    assert {root.name for root in levels()} == {first.name, last.name}


def test_files_dropped_on_the_viewport_are_imported(blender: ModuleType, tmp_path: Path) -> None:
    """Suffixes may be in upper case."""
    paths = [sample_file(tmp_path, "tr1", "LEVEL1.PHD"), sample_file(tmp_path, "tr5", "b.TrC")]
    window = bpy.context.window
    area = next(each for each in window.screen.areas if each.type == "VIEW_3D")
    with bpy.context.temp_override(window=window, area=area, region=area.regions[-1]):
        files = [{"name": path.name} for path in paths]
        bpy.ops.wm.drop_import_file("INVOKE_DEFAULT", directory=f"{tmp_path}{os.sep}", files=files)
    assert {root.name for root in levels()} == {"LEVEL1.PHD", "b.TrC"}


def test_the_same_level_twice_is_two_levels(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path)
    first, second = import_file(path), import_file(path)
    assert first.name != second.name
    assert first.tomb_raider.source == second.tomb_raider.source == path.name
    assert not set(first.all_objects) & set(second.all_objects)
    assert not {obj.data for obj in first.all_objects if obj.data} & {
        obj.data for obj in second.all_objects if obj.data
    }
    for root in (first, second):
        assert export_file(tmp_path / "out", collection=root.name) == path.read_bytes()


# --- The user's mode, selection and names ---------------------------------------------------------

MODES: list[Any] = ["EDIT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"]


@pytest.mark.parametrize("mode", MODES)
def test_import_works_from_any_mode_and_keeps_edits(blender: ModuleType, tmp_path: Path, mode: Any) -> None:
    cube = add_cube()
    bpy.ops.object.mode_set(mode=mode)
    if mode == "EDIT":
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
    root = import_sample(tmp_path)
    # In object mode, since the undo of other modes could not take the import back.
    assert bpy.context.mode == "OBJECT" and cube.mode == "OBJECT"
    assert bpy.context.selected_objects == [objects(root, "ENTITY")[0]]
    assert len(cube.data.polygons) == (24 if mode == "EDIT" else 6)
    assert objects(root, "MODEL")[0].pose.bones


def test_import_works_from_pose_mode_and_edit_mode_of_an_armature(
    blender: ModuleType, tmp_path: Path
) -> None:
    rig = add_object("Rig", bpy.data.armatures.new("Rig"))
    for mode in ("POSE", "EDIT"):
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode=mode)
        if mode == "EDIT":
            rig.data.edit_bones.new("Bone").tail = (0, 0, 1)
        import_sample(tmp_path)
        assert (bpy.context.mode, rig.mode) == ("OBJECT", "OBJECT")
    assert len(rig.data.bones) == 1


def test_import_works_while_several_objects_are_edited(blender: ModuleType, tmp_path: Path) -> None:
    cubes = [add_cube("One"), add_cube("Two")]
    bpy.ops.object.mode_set(mode="EDIT")
    assert {cube.mode for cube in cubes} == {"EDIT"}
    import_sample(tmp_path)
    assert {cube.mode for cube in cubes} == {"OBJECT"}


@pytest.mark.parametrize("mode", MODES)
def test_a_failing_import_leaves_the_user_in_the_mode(blender: ModuleType, tmp_path: Path, mode: Any) -> None:
    add_cube()
    bpy.ops.object.mode_set(mode=mode)
    (tmp_path / "broken.phd").write_bytes(sample_bytes(Game.TR1)[:-5000])
    import_fails(tmp_path / "broken.phd")


def test_import_works_without_an_active_object(blender: ModuleType, tmp_path: Path) -> None:
    add_cube()
    bpy.context.view_layer.objects.active = None
    root = import_sample(tmp_path)
    assert bpy.context.selected_objects == [bpy.context.object] == [objects(root, "ENTITY")[0]]
    # The properties editor shows the level.
    assert bpy.context.view_layer.active_layer_collection.collection == root


def test_import_works_with_the_active_object_hidden(blender: ModuleType, tmp_path: Path) -> None:
    add_cube().hide_set(True)
    assert objects(import_sample(tmp_path), "ROOM")


NAMES = [
    "two words.phd",
    "häß lich 塔.PHD",
    "x" * 196 + ".phd",
    "ä" * 100 + ".phd",
    "%s {0} <b>.phd",
    "no suffix",
    pytest.param("two\nlines.phd", marks=pytest.mark.skipif(os.name == "nt", reason="no such names there")),
]


@pytest.mark.parametrize("name", NAMES)
def test_files_may_have_any_name(blender: ModuleType, tmp_path: Path, name: str) -> None:
    path = sample_file(tmp_path, name=name)
    root = import_file(path)
    assert root.tomb_raider.source == name.replace("\n", "_")
    assert root.name and "\n" not in root.name
    assert export_file(path, collection=root.name) == sample_bytes(Game.TR1)
    path.unlink()
    assert "\n" not in import_fails(path).strip()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are text")
def test_files_may_have_names_that_are_no_text(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, name=os.fsdecode(b"\xff\xfe.phd"))
    assert import_file(path).name == "??.phd"
    path.unlink()
    assert "??.phd was not imported" in import_fails(path)


# --- Invalid files --------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", ["tr1", "tr2", "tr3", "tr4", "tr4-early", "tr5"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9, 0.999])
def test_a_cut_off_file_is_reported_in_plain_words(
    blender: ModuleType, tmp_path: Path, sample: str, share: float
) -> None:
    path = sample_file(tmp_path, sample)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    text = import_fails(path)
    assert f"{path.name} was not imported: the file ends too early" in text
    assert "expected" in text and "found" in text


def test_a_truncated_file_is_reported_with_its_section_and_size(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    data = path.read_bytes()
    level = read_level(data)
    quads = level.rooms[0].quads
    place = data.index(quads.tobytes())
    path.write_bytes(data[: place + 1234])
    words = f"1,234 of {len(quads) * 10:,} bytes of the quads of room 0 (in rooms/quads, element 0, at byte"
    assert len(quads) * 10 > 1234
    assert f"{path.name} was not imported: the file ends too early: {words}" in import_fails(path)


STRANGERS = {
    "empty": (b"", "this is no Tomb Raider level (in version, at byte 0: expected a level file"),
    "text": (b"This is not a level at all.\n" * 100, "this is no Tomb Raider level (in version"),
    "zeros": (bytes(100_000), "this is no Tomb Raider level (in version"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(1000), "this is a picture: use Open in the Image Editor"),
    "PlayStation": (b"\x10\x20\0\0pBAV" + bytes(1000), "this is a level of the PlayStation: open"),
    "remastered": (b"TRX4" + bytes(1000), "this is a level of the remastered games: open"),
    "protected": (b"TR4c" + b"\xa5" * 10_000, "this level is protected by its builder"),
    "zlib": (b"\x78\x9c" + b"\xff" * 1000, "the file is damaged (in"),
}


@pytest.mark.parametrize("stranger", STRANGERS)
def test_files_that_are_no_level_are_reported(blender: ModuleType, tmp_path: Path, stranger: str) -> None:
    content, words = STRANGERS[stranger]
    path = tmp_path / f"{stranger}.tr4"
    path.write_bytes(content)
    assert f"{path.name} was not imported: {words}" in import_fails(path)


def test_a_missing_file_and_a_folder_are_reported(blender: ModuleType, tmp_path: Path) -> None:
    assert "nowhere.phd was not imported: No such file or directory" in import_fails(tmp_path / "nowhere.phd")
    assert "was not imported: " in import_fails(tmp_path)
    assert "No level was chosen to import" in import_fails("")


@pytest.mark.parametrize(
    ("module", "step"),
    [
        (importer, "import_images"),
        (rooms, "import_rooms"),
        (model_steps, "import_models"),
        (actions, "import_actions"),
    ],
)
def test_an_error_late_in_an_import_leaves_nothing_behind(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, step: str
) -> None:
    """Also where the collection is in the scene already, and beside another level."""
    import_sample(tmp_path, "tr2", set_up_scene=False)
    work = getattr(module, step)

    def fail(*arguments: Any) -> None:
        work(*arguments)
        raise FormatError("frames", "angles", "nonsense", element=3, offset=77)

    monkeypatch.setattr(module, step, fail)
    text = import_fails(sample_file(tmp_path, "tr1"))
    assert "in frames, element 3, at byte 77: expected angles, found nonsense" in text


def test_warnings_are_reported_with_the_files_name(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    work = rooms.import_rooms

    def warn(context: Any, *arguments: Any) -> Any:
        context.report.warn("Room 3", "it is strange")
        return work(context, *arguments)

    monkeypatch.setattr(rooms, "import_rooms", warn)
    import_sample(tmp_path, "tr4")
    told = capfd.readouterr().out
    assert "angkor1.tr4: Room 3: it is strange" in told
    assert "angkor1.tr4: 4 rooms" in told and "(warnings: 1, see the Info editor)" in told
