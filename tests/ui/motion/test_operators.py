"""Operators and the panel of motions: what users click, and what is exported then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.ui.motion import operators as motion
from io_tomb_raider.ui.motion.panels import VIEW3D_PT_tomb_raider_motion
from io_tomb_raider.ui.motion.retargeting import TOMB_RAIDER_OT_retarget
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.authoring.motion.conventions import Convention, Respelled
from tests.scene.authoring.motion.reading import degrees_between, joints_of, limb_directions, ticks_of
from tests.scene.authoring.motion.recordings import CMU, MIXAMO, Recording
from tests.scene.rig_tools import armature, show_library, with_joints
from tests.scene.scenes import export_scene, import_scene, objects

from ..recorder import shown
from ..stepping import ESC, RUNNING, TICK, Window, pressed
from ..user_actions import export_file, import_sample

# In long runs, importers crashed Blender 4.2.
pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]
BONES = {
    "Thigh": "thigh",
    "Calf": "calf",
    "Foot": "foot",
    "Upper Arm": "arm",
    "Lower Arm": "elbow",
    "Hand": "hand",
}
NUMBER = 12  # Lara's next animation


def with_lara(folder: Path, game: Game = Game.TR1) -> tuple[Any, Any]:
    """Import a sample with Lara's entity active; return the level and her armature."""
    root = import_sample(folder, game)
    lara = next(each for each in objects(root, "ENTITY") if each.name.startswith("Lara"))
    bpy.context.view_layer.objects.active = lara
    return root, armature(root)


def settings() -> Any:
    return bpy.context.scene.tomb_raider.motion


@each_game
def test_a_motion_becomes_an_animation_of_lara(game: Game, tmp_path: Path) -> None:
    _, model = with_lara(tmp_path, game)
    path = Recording(rate=60.0).save(tmp_path / "walk.bvh")
    assert bpy.ops.tomb_raider.import_motion(filepath=str(path)) == {"FINISHED"}
    action = bpy.data.actions["walk"]
    assert action.tomb_raider.model == model and ticks_of(action) == 46
    assert action.tomb_raider.speed in (13, 14)
    assert action in [row.action for row in model.tomb_raider.model.animations]  # it is saved
    assert (settings().rows[0].bone, settings().rows[0].source) == ("Hips", MIXAMO["hips"])
    scene = bpy.context.scene
    assert scene.use_preview_range and scene.frame_preview_end == 45
    assert not [
        each for each in bpy.data.objects if each.tomb_raider.kind == "NONE" and each.type == "ARMATURE"
    ]
    level = export_scene(objects_root())
    before = read_level(sample_bytes(game))
    assert len(level.animations) == len(before.animations) + 1
    assert int(level.animations["speed"][NUMBER]) >> 16 in (13, 14)


def objects_root() -> Any:
    return next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")


def test_several_files_become_several_animations(tmp_path: Path) -> None:
    with_lara(tmp_path)
    for name in ("one", "two"):
        Recording(seconds=0.5).save(tmp_path / f"{name}.bvh")
    files = [{"name": "one.bvh"}, {"name": "two.bvh"}]
    bpy.ops.tomb_raider.import_motion(directory=str(tmp_path), files=files)
    assert {"one", "two"} <= set(bpy.data.actions.keys())


def test_the_animation_in_use_gets_the_motion(tmp_path: Path) -> None:
    _, model = with_lara(tmp_path)
    bpy.ops.tomb_raider.play_animation(action="Lara 011 Stand still")
    action = bpy.data.actions["Lara 011 Stand still"]
    state, count = action.tomb_raider.state, len(bpy.data.actions)
    path = Recording(seconds=1.0).save(tmp_path / "walk.bvh")
    bpy.ops.tomb_raider.import_motion(filepath=str(path), onto="IN_USE", path="OFFSETS")
    assert ticks_of(action) == 31 and action.tomb_raider.state == state and len(bpy.data.actions) == count
    hips = joints_of(action, model)["Hips"]
    assert (hips[-1] - hips[0])[1] == pytest.approx(9 * 45, abs=5)


def test_a_motion_is_no_edit_to_spread(tmp_path: Path) -> None:
    root, model = with_lara(tmp_path)
    show_library(root)
    bpy.context.view_layer.objects.active = model
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(0)
    path = Recording(seconds=2.5).save(tmp_path / "walk.bvh")
    bpy.ops.tomb_raider.import_motion(filepath=str(path), onto="IN_USE")
    bpy.context.view_layer.update()
    assert model.mode == "POSE"
    assert bpy.ops.tomb_raider.spread_edit() == {"CANCELLED"}
    assert bpy.ops.tomb_raider.find_loop() == {"FINISHED"}
    assert bpy.ops.tomb_raider.spread_edit() == {"CANCELLED"}


def test_the_figure_that_is_seen_shows_laras_animations(tmp_path: Path) -> None:
    """In TR4 the game draws Lara's skin, and moves it by Lara's animations."""
    root = import_scene(with_joints())
    skin = next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 8)
    show_library(root)
    bpy.context.view_layer.objects.active = skin
    path = Recording(seconds=0.5).save(tmp_path / "walk.bvh")
    bpy.ops.tomb_raider.import_motion(filepath=str(path))
    action = bpy.data.actions["walk"]
    assert action.tomb_raider.model.tomb_raider.model.id == 0
    assert skin.animation_data.action == action


def test_a_kept_skeleton_can_be_retargeted_with_other_bones(tmp_path: Path) -> None:
    _, model = with_lara(tmp_path)
    path = Recording(names=CMU, seconds=0.5).save(tmp_path / "walk.bvh")
    bpy.ops.tomb_raider.import_motion(filepath=str(path), keep=True)
    source = settings().source
    assert source is not None and source.type == "ARMATURE" and source.name in bpy.context.scene.objects
    assert {row.bone: row.source for row in settings().rows} == {
        "Hips": CMU["hips"],
        "Torso": CMU["chest"],
        "Head": CMU["head"],
        **{f"{bone}.{side}": CMU[f"{joint}.{side}"] for side in "LR" for bone, joint in BONES.items()},
    }
    for row in settings().rows:
        if row.bone.startswith(("Thigh", "Calf", "Foot")):
            row.source = ""
    before = set(bpy.data.actions)
    assert bpy.ops.tomb_raider.retarget(bones="LISTED", size=0.08) == {"FINISHED"}
    (made,) = set(bpy.data.actions) - before
    joints = joints_of(made, model)
    apart = joints["Foot.L"] - joints["Hips"]
    leg = np.linalg.norm(apart, axis=1)
    assert np.ptp(leg) < 0.01  # legs hang as at rest
    bpy.ops.tomb_raider.list_bones()
    assert all(row.source for row in settings().rows)


def test_a_skeleton_that_is_not_recognized_stays_with_its_bones_to_choose(tmp_path: Path) -> None:
    _, model = with_lara(tmp_path)
    names = {joint: f"node{number}q" for number, joint in enumerate(CMU)}
    recording = Recording(names=names, seconds=0.5)
    path = recording.save(tmp_path / "walk.bvh")
    with pytest.raises(RuntimeError, match="choose them in the list Bones of the panel Motion"):
        bpy.ops.tomb_raider.import_motion(filepath=str(path))
    source, rows = settings().source, settings().rows
    assert source.name in bpy.context.scene.objects and len(bpy.data.scenes) == 1
    assert [row.bone for row in rows] == [bone.name for bone in model.data.bones]
    assert not any(row.source for row in rows)
    joints = {"Hips": "hips", "Torso": "chest", "Head": "head"}
    for bone, joint in BONES.items():
        joints |= {f"{bone}.{side}": f"{joint}.{side}" for side in "LR"}
    for row in rows:
        row.source = names[joints[row.bone]]
    before = set(bpy.data.actions)
    assert bpy.ops.tomb_raider.retarget(bones="LISTED") == {"FINISHED"}
    (made,) = set(bpy.data.actions) - before
    found = limb_directions(joints_of(made, model))
    wanted = [recording.direction(tick / 30, "Calf", "L") for tick in range(ticks_of(made))]
    assert degrees_between(found["Calf.L"], np.array(wanted)).max() < 1.0


def test_recognized_axes_and_size_are_shown_and_can_be_changed(tmp_path: Path) -> None:
    with_lara(tmp_path)
    recording = Respelled(seconds=0.5, convention=Convention(up="Z"))
    path = recording.save(tmp_path / "walk.bvh")
    bpy.ops.tomb_raider.import_motion(filepath=str(path))
    panel = shown(VIEW3D_PT_tomb_raider_motion, object=bpy.context.object, mode="POSE")
    assert "Up axis Z, forward: as at rest" in panel.labels and "Size 0.0879, 15 bones" in panel.labels
    bpy.ops.tomb_raider.import_motion(filepath=str(path), up="Y", keep=True)
    assert settings().found_up == "Y"
    bpy.ops.tomb_raider.import_motion(filepath=str(path), keep=True)
    assert settings().found_up == "Z"
    bpy.ops.tomb_raider.retarget()  # kept skeletons are upright
    assert settings().found_up == "Z" and settings().found_name == settings().source.name


def test_another_model_is_a_source(tmp_path: Path) -> None:
    root, _ = with_lara(tmp_path)
    other = armature(root, 1)
    assert bpy.ops.tomb_raider.retarget(source=other.name, motion="") == {"FINISHED"}
    assert settings().source == other


def test_all_animations_of_another_game_are_retargeted_with_what_they_do(tmp_path: Path) -> None:
    root, model = with_lara(tmp_path, Game.TR4)
    entity, before = bpy.context.object, set(bpy.data.actions)
    other = armature(import_sample(tmp_path, Game.TR3))
    bpy.context.view_layer.objects.active = entity
    old = len(export_scene(root).animations)
    known = set(bpy.data.actions)
    assert bpy.ops.tomb_raider.retarget(source=other.name, every=True) == {"FINISHED"}
    made = sorted(set(bpy.data.actions) - known, key=lambda action: action.name)
    assert [action.name for action in made][::11] == ["Lara 012 Run", "Lara 023 Stand still"]
    assert {action.tomb_raider.model for action in made} == {model} and before < known
    run = made[0].tomb_raider
    assert run.speed == 47 and {event.name for event in run.events} == {
        *("Lara feet", "Footprint, left foot", "Footprint, right foot")
    }
    assert [row.action for row in run.dispatches] == [made[each].name for each in (10, 8, 7, 9)]
    assert len(export_scene(root).animations) == old + len(made)
    text = "choose one motion"
    with pytest.raises(RuntimeError, match=text):
        bpy.ops.tomb_raider.retarget(source=other.name, every=True, onto="IN_USE")


def test_esc_between_animations_leaves_the_model_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, model = with_lara(tmp_path, Game.TR4)
    entity = bpy.context.object
    other = armature(import_sample(tmp_path, Game.TR3))
    bpy.context.view_layer.objects.active = entity
    before, known, rows = export_scene(root), set(bpy.data.actions), model.tomb_raider.model.animations
    count, options = len(rows), bpy.ops.tomb_raider.retarget.get_rna_type().properties
    values = {each.identifier: each.default for each in options if hasattr(each, "default")}
    given = values | {"source": other.name, "every": True}
    tool, window = pressed(monkeypatch, TOMB_RAIDER_OT_retarget, **given), Window()
    assert tool.execute(window) == RUNNING
    texts = [each for each in window.texts if each]
    assert texts[-1].startswith("Retarget: 0 of ") and texts[-1].endswith("Esc: cancel")
    assert [tool.modal(window, TICK) for _ in range(2)] == [RUNNING] * 2
    assert len(rows) == count + 8 and len(bpy.data.actions) == len(known) + 8
    assert tool.modal(window, ESC) == {"CANCELLED"}
    assert len(rows) == count and set(bpy.data.actions) == known
    assert export_scene(root).to_bytes() == before.to_bytes()


def test_the_animation_in_use_keeps_its_sounds(tmp_path: Path) -> None:
    root, _ = with_lara(tmp_path)
    action = bpy.data.actions["Lara 011 Stand still"]
    bpy.ops.tomb_raider.retarget(source=armature(root, 1).name, motion="")
    bpy.context.object.instance_collection.tomb_raider.model.animation_data.action = action
    before = [event.name for event in action.tomb_raider.events]
    assert bpy.ops.tomb_raider.retarget(source=armature(root, 1).name, onto="IN_USE") == {"FINISHED"}
    assert [event.name for event in action.tomb_raider.events] == before


def test_loops_feet_and_footsteps_of_the_animation_in_use(tmp_path: Path) -> None:
    with_lara(tmp_path)
    path = Recording(seconds=2.5, rate=60.0).save(tmp_path / "walk.bvh")
    bpy.ops.tomb_raider.import_motion(filepath=str(path))
    action = bpy.data.actions["walk"]
    assert bpy.ops.tomb_raider.find_loop() == {"FINISHED"} and ticks_of(action) == 30
    assert bpy.ops.tomb_raider.plant_feet(slow=10.0) == {"FINISHED"}
    assert bpy.ops.tomb_raider.footsteps(sound=0) == {"FINISHED"}
    assert len(action.pose_markers) == 2
    export_file(tmp_path / "out.phd")
    level = read_level(tmp_path / "out.phd")
    assert int(level.animations["next_animation"][NUMBER]) == NUMBER
    assert int(level.animations["last_frame"][NUMBER] - level.animations["first_frame"][NUMBER]) == 29


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bpy.ops.tomb_raider.import_motion(filepath=""), "No file was chosen"),
        (lambda: bpy.ops.tomb_raider.import_motion(filepath="/no.bvh"), "there is no such file"),
        (lambda: bpy.ops.tomb_raider.import_motion(filepath="/no.txt"), "motions are read from these files"),
        (lambda: bpy.ops.tomb_raider.retarget(source="Nobody"), "Choose the armature with the motion"),
        (lambda: bpy.ops.tomb_raider.retarget(source="Wolf", motion="Nothing"), "Wolf has no such action"),
        (lambda: bpy.ops.tomb_raider.find_loop(shortest=400, longest=401), "shorter than the shortest loop"),
        (lambda: bpy.ops.tomb_raider.footsteps(), "choose the number of a sound"),
    ],
)
def test_invalid_motions_are_refused_and_change_nothing(call: Any, words: str, tmp_path: Path) -> None:
    root, _ = with_lara(tmp_path)
    bpy.ops.tomb_raider.play_animation(action="Lara 011 Stand still")
    for each in bpy.data.actions:
        each.tomb_raider.events.clear()
    before = {each.name for each in bpy.data.actions}
    with pytest.raises(RuntimeError, match=words):
        call()
    assert {each.name for each in bpy.data.actions} == before and len(bpy.data.scenes) == 1
    assert root


def test_tools_are_off_without_a_model(blender: ModuleType) -> None:
    for name in ("import_motion", "retarget", "list_bones", "find_loop", "plant_feet", "footsteps"):
        assert not getattr(bpy.ops.tomb_raider, name).poll()


def test_recordings_can_be_dropped_where_a_model_is_active(tmp_path: Path) -> None:
    with_lara(tmp_path)
    handler: Any = motion.IO_FH_tomb_raider_motion

    def accepts(kind: str, obj: Any, mode: str = "OBJECT") -> bool:
        context = SimpleNamespace(area=SimpleNamespace(type=kind), object=obj, mode=mode)
        return bool(handler.poll_drop(context))

    lara = bpy.context.view_layer.objects.active
    assert accepts("VIEW_3D", lara) and not accepts("OUTLINER", lara)
    assert not accepts("VIEW_3D", None)  # Blender's own import alone
    assert not accepts("VIEW_3D", lara, "EDIT_MESH") and not handler.poll_drop(SimpleNamespace(area=None))
    assert handler.bl_file_extensions == ".bvh"


# --- Panel and presets ----------------------------------------


@pytest.fixture(autouse=True)
def label() -> Iterator[None]:
    """Restore the menu's label, which Blender replaces by the name of the chosen preset."""
    menu: Any = bpy.types.TOMB_RAIDER_MT_motion_presets
    before = menu.bl_label
    yield
    menu.bl_label = before


def test_the_panel_shows_the_bones(tmp_path: Path) -> None:
    with_lara(tmp_path)
    path = Recording(seconds=0.2).save(tmp_path / "walk.bvh")
    bpy.ops.tomb_raider.import_motion(filepath=str(path))
    layout = shown(VIEW3D_PT_tomb_raider_motion, object=bpy.context.object, mode="POSE")
    assert layout.lists == ["rows"] and len(layout.rows) == 15
    names = {name for name, _ in layout.operators}
    assert {"tomb_raider.retarget", "tomb_raider.find_loop", "tomb_raider.plant_feet"} <= names


@pytest.mark.parametrize("name", ["Mixamo", "CMU", "Rokoko", "Unreal"])
def test_presets_of_the_extension_list_all_bones_of_lara(name: str, tmp_path: Path) -> None:
    _, model = with_lara(tmp_path)
    paths = [Path(folder) / f"{name}.py" for folder in bpy.utils.preset_paths("tomb_raider/motion")]
    (path,) = [each for each in paths if each.exists()]
    bpy.ops.script.execute_preset(filepath=str(path), menu_idname="TOMB_RAIDER_MT_motion_presets")
    rows = {row.bone: row.source for row in settings().rows}
    assert set(rows) == {bone.name for bone in model.data.bones} and len(set(rows.values())) == 15
    if name == "Mixamo":
        assert rows["Calf.L"] == MIXAMO["calf.L"] and rows["Upper Arm.R"] == MIXAMO["arm.R"]


def test_bones_are_saved_as_a_preset_and_come_back(tmp_path: Path) -> None:
    with_lara(tmp_path)
    path = Recording(names=CMU, seconds=0.2).save(tmp_path / "walk.bvh")
    bpy.ops.tomb_raider.import_motion(filepath=str(path))
    wanted = [(row.bone, row.source) for row in settings().rows]
    assert bpy.ops.tomb_raider.motion_preset(name="My Studio") == {"FINISHED"}
    (saved,) = [
        each
        for folder in bpy.utils.preset_paths("tomb_raider/motion")
        for each in Path(folder).glob("My_Studio.py")
    ]
    settings().rows.clear()
    bpy.ops.script.execute_preset(filepath=str(saved), menu_idname="TOMB_RAIDER_MT_motion_presets")
    assert [(row.bone, row.source) for row in settings().rows] == wanted
    assert bpy.ops.tomb_raider.motion_preset(name="My Studio", remove_name=True) == {"FINISHED"}
    assert not saved.exists()
