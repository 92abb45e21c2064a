"""Tests of the operators and panels of cutscenes: import, export, and new ones."""

from __future__ import annotations

import wave
import zlib
from pathlib import Path
from struct import pack
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.cutscenes.cutscenes import read_cutscene
from io_tomb_raider.formats.levels.cutscenes.cutseq import read_cutseq
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.cutscenes.sound import find_audio
from io_tomb_raider.ui.cutscenes import actors, panels
from io_tomb_raider.ui.cutscenes import operators as ui
from tests.formats.levels.cutscenes.samples import Sample, cutseq_file
from tests.scene.scenes import objects as level_objects
from tests.scene.subjects.cutscenes.sample_cutscenes import FRAMES, cutscene_of, set_key

from ..recorder import draw
from ..user_actions import fails, import_sample, sample_file

FILES = {"CUTSEQ.PAK": 30, "CUTSEQ.BIN": 44, "DEMO.PAK": 4}


def cutseq(folder: Path, name: str = "CUTSEQ.BIN", **cutscenes: bytes) -> Path:
    """Write a file with the cutscenes 1 and 3, and the given ones, named n2, n12, …"""
    content = {1: Sample(1).data, 3: cutscene_of(Game.TR4).to_bytes()}
    content |= {int(key[1:]): data for key, data in cutscenes.items()}
    data = cutseq_file(content, FILES[name])
    path = folder / name
    path.write_bytes(pack("<I", len(data)) + zlib.compress(data, 4) if name.endswith("PAK") else data)
    return path


def import_with_cutscene(folder: Path, path: Path, number: int = 3, **options: Any) -> Any:
    """Import a level, and a cutscene as the menu does."""
    root = import_sample(folder, "tr4")
    return root, import_cutscene(root, path, number, **options)


def import_cutscene(root: Any, path: Path, number: int, **options: Any) -> Any:
    before = set(ui.cutscenes_of(root))
    done = bpy.ops.import_scene.tomb_raider_cutscene(filepath=str(path), number=number, **options)
    assert done == {"FINISHED"}
    (made,) = set(ui.cutscenes_of(root)) - before
    return made


def export(path: Path, **options: Any) -> bytes:
    assert bpy.ops.export_scene.tomb_raider_cutscenes(filepath=str(path), **options) == {"FINISHED"}
    return path.read_bytes()


def part(collection: Any, kind: str) -> Any:
    return next(each for each in collection.all_objects if each.tomb_raider.kind == f"CUTSCENE_{kind}")


@pytest.mark.parametrize("name", FILES)
def test_files_of_untouched_cutscenes_stay_byte_for_byte(
    blender: ModuleType, tmp_path: Path, name: str
) -> None:
    path = cutseq(tmp_path, name)
    before = path.read_bytes()
    root, made = import_with_cutscene(tmp_path, path)
    import_cutscene(root, path, 1)
    assert made.name == "Cutscene 03"
    assert made.tomb_raider.cutscene.source == str(path)
    assert export(path) == before
    # A new file is made from the one that the cutscenes were imported from.
    assert export(tmp_path / "NEW.PAK") == before


@pytest.mark.parametrize("name", FILES)
def test_an_edit_changes_one_cutscene_of_the_file(blender: ModuleType, tmp_path: Path, name: str) -> None:
    path = cutseq(tmp_path, name)
    before = read_cutseq(path.read_bytes())
    _, made = import_with_cutscene(tmp_path, path)
    set_key(part(made, "CAMERA"), "location", 2, 5, 2.0)
    after = read_cutseq(export(path))
    assert (after.pak is None) == (before.pak is None)
    assert len(after.spans) == len(before.spans)
    assert after.bytes_of(1) == before.bytes_of(1)
    assert after.cutscene(3).camera[5].tolist()[1] == -512
    assert (after.cutscene(3).camera[6:] == before.cutscene(3).camera[6:]).all()


def test_one_cutscene_alone_can_be_exported_and_moved_to_another_number(
    blender: ModuleType, tmp_path: Path
) -> None:
    path = cutseq(tmp_path)
    before = read_cutseq(path.read_bytes())
    root, made = import_with_cutscene(tmp_path, path)
    other = import_cutscene(root, path, 1)
    set_key(part(other, "CAMERA"), "location", 0, 0, 0.25)
    made.tomb_raider.cutscene.number = 20
    after = read_cutseq(export(path, collection=made.name))
    assert after.numbers == [1, 3, 20]
    assert after.bytes_of(1) == before.bytes_of(1)
    assert after.bytes_of(20) == after.bytes_of(3) == before.bytes_of(3)


def test_a_file_with_one_cutscene_needs_no_number(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "one.bin"
    path.write_bytes(cutseq_file({2: cutscene_of(Game.TR4).to_bytes()}, 4))
    _, made = import_with_cutscene(tmp_path, path, number=0)
    assert made.tomb_raider.cutscene.number == 2


def test_all_cutscenes_of_a_file_are_offered(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    path = cutseq(tmp_path, n7=b"\xff" * 24)
    offered = ui.list_cutscenes(read_cutseq(path.read_bytes()), root)
    assert [(key, number) for key, _, _, number in offered] == [("1", 1), ("3", 3), ("7", 7)]
    assert offered[1][1] == "3: 1 s, Lara, Dog"
    assert offered[1][2] == f"{FRAMES} frames, audio track 5"
    assert offered[2][1] == "7: damaged"
    ui._offered_items[:] = offered
    choose = bpy.ops.tomb_raider.choose_cutscene
    assert choose(filepath=str(path), number="3", collection=root.name) == {"FINISHED"}
    assert [each.tomb_raider.cutscene.number for each in ui.cutscenes_of(root)] == [3]


def test_invalid_imports_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    operator = bpy.ops.import_scene.tomb_raider_cutscene
    path = cutseq(tmp_path, n7=b"\xff" * 24)
    assert "Import the level that plays the cutscene first" in _poll_message(operator, path)
    import_sample(tmp_path, "tr4")
    assert "Choose a number: CUTSEQ.BIN has the cutscenes 1, 3, 7" in fails(operator, filepath=str(path))
    text = fails(operator, filepath=str(path), number=9)
    assert "Cutscene 9: the file has the cutscenes 1, 3, 7" in text
    assert "in cutscene 7" in fails(operator, filepath=str(path), number=7)
    bad = tmp_path / "bad.bin"
    bad.write_bytes(b"nothing")
    assert "expected" in fails(operator, filepath=str(bad), number=1)
    assert "No such file" in fails(operator, filepath=str(tmp_path / "none.bin"), number=1)


def _poll_message(operator: Any, path: Path) -> str:
    with pytest.raises(RuntimeError) as caught:
        operator(filepath=str(path), number=3)
    return str(caught.value)


def test_levels_of_other_games_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr2")
    operator = bpy.ops.import_scene.tomb_raider_cutscene
    text = fails(operator, filepath=str(cutseq(tmp_path)), number=3)
    assert "only levels of TR4 and TR5" in text


def test_invalid_exports_are_refused_and_the_file_is_kept(blender: ModuleType, tmp_path: Path) -> None:
    path = cutseq(tmp_path)
    before = path.read_bytes()
    root, made = import_with_cutscene(tmp_path, path)
    operator = bpy.ops.export_scene.tomb_raider_cutscenes
    other = import_cutscene(root, path, 3)
    assert "it has the number 3, as" in fails(operator, filepath=str(path))
    other.tomb_raider.cutscene.number = 50
    text = fails(operator, filepath=str(path))
    assert "cutscenes: too large a number: 50 (the limit is 44)" in text
    other.tomb_raider.cutscene.number = 5
    bpy.data.objects.remove(part(other, "CAMERA"))
    assert "it has no camera" in fails(operator, filepath=str(path))
    assert "no cutscene or level has this name" in fails(operator, filepath=str(path), collection="X")
    level = sample_file(tmp_path, "tr2")
    assert "expected" in fails(operator, filepath=str(level), collection=made.name)
    assert path.read_bytes() == before


def test_export_works_from_pose_mode_and_comes_back_to_it(blender: ModuleType, tmp_path: Path) -> None:
    path = cutseq(tmp_path)
    before = path.read_bytes()
    _, made = import_with_cutscene(tmp_path, path)
    bpy.context.view_layer.objects.active = part(made, "ACTOR")
    bpy.ops.object.mode_set(mode="POSE")
    assert export(path) == before
    assert bpy.context.mode == "POSE"


def test_panels_show_cutscenes_and_actors(blender: ModuleType, tmp_path: Path) -> None:
    _, made = import_with_cutscene(tmp_path, cutseq(tmp_path))
    layout = draw(panels.COLLECTION_PT_tomb_raider_cutscene, collection=made)
    assert layout is not None
    assert layout.fields == ["number", "audio_track", "quarter_turns"]
    assert layout.labels == [f"{FRAMES} frames when it was imported"]
    assert {name for name, _ in layout.operators} == {
        "export_scene.tomb_raider_cutscenes",
        "tomb_raider.add_actors",
        "tomb_raider.cut_to_camera",
        "tomb_raider.set_cutscene_sound",
    }
    lara = part(made, "ACTOR")
    layout = draw(panels.OBJECT_PT_tomb_raider_actor, object=lara)
    assert layout is not None
    assert layout.names == ["model"]
    lara.tomb_raider.actor.model = None
    layout = draw(panels.OBJECT_PT_tomb_raider_actor, object=lara)
    assert layout is not None
    assert layout.fields == ["model", "slot"]
    assert lara.tomb_raider.actor.slot_name == "Lara"
    assert draw(panels.OBJECT_PT_tomb_raider_actor, object=part(made, "CAMERA")) is None


def test_a_new_cutscene_is_made_of_selected_objects(blender: ModuleType, tmp_path: Path) -> None:
    path = cutseq(tmp_path)
    root, _ = import_with_cutscene(tmp_path, path, number=1, set_up_scene=False)
    bpy.ops.object.select_all(action="DESELECT")
    lara = next(each for each in level_objects(root, "ENTITY") if each.tomb_raider.entity.type == 0)
    lara.select_set(True)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 45
    assert bpy.ops.tomb_raider.new_cutscene() == {"FINISHED"}
    first, made = ui.cutscenes_of(root)
    assert (first.tomb_raider.cutscene.number, made.tomb_raider.cutscene.number) == (1, 2)
    others = [each for each in level_objects(root, "ENTITY") if each.instance_collection is not None]
    lara.select_set(False)
    next(each for each in others if each != lara).select_set(True)
    assert bpy.ops.tomb_raider.add_actors(collection=made.name) == {"FINISHED"}
    cutscene = read_cutseq(export(path)).cutscene(2)
    assert cutscene.num_frames == 45
    assert len(cutscene.actors) == 2
    assert cutscene.actors[0].slot == 0
    assert read_cutscene(cutscene.to_bytes()).num_frames == 45


def test_actors_play_animations_of_their_models(blender: ModuleType, tmp_path: Path) -> None:
    path = cutseq(tmp_path)
    root, imported = import_with_cutscene(tmp_path, path, number=1, set_up_scene=False)
    bpy.ops.object.select_all(action="DESELECT")
    entities = level_objects(root, "ENTITY")
    next(each for each in entities if each.tomb_raider.entity.type == 0).select_set(True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, 3
    bpy.ops.tomb_raider.new_cutscene(number=2)
    made = next(each for each in ui.cutscenes_of(root) if each.tomb_raider.cutscene.number == 2)
    lara = part(made, "ACTOR")
    operator = bpy.ops.tomb_raider.add_actor_animation
    bpy.context.view_layer.objects.active = part(made, "CAMERA")
    assert not operator.poll()
    bpy.context.view_layer.objects.active = lara
    layout = draw(panels.OBJECT_PT_tomb_raider_actor, object=lara)
    assert layout is not None
    assert {name for name, _ in layout.operators} == {
        "tomb_raider.animate_model",
        "tomb_raider.add_actor_animation",
    }
    model = lara.tomb_raider.actor.model
    run = next(each for each in bpy.data.actions if each.tomb_raider.model == model)
    assert actors._search(None, bpy.context, run.name[-3:].upper())[0] == run.name
    scene.frame_set(2)
    assert "Choose an animation of Lara" in fails(operator, animation="Nothing")
    assert operator(animation=run.name) == {"FINISHED"}
    first = scene.frame_current
    assert operator(animation=run.name, count=2) == {"FINISHED"}
    assert scene.frame_current - first == 2 * (first - 2) and scene.frame_end == scene.frame_current - 1
    assert [round(strip.frame_start) for strip in lara.animation_data.nla_tracks[0].strips] == [
        *(2, first, 2 * first - 2)
    ]
    assert read_cutseq(export(path)).cutscene(2).num_frames == scene.frame_current
    assert actors._unbaked(run, model) == []
    actor = part(imported, "ACTOR")
    bpy.context.view_layer.objects.active = actor
    before = len(actor.animation_data.nla_tracks)
    assert operator(animation=run.name) == {"FINISHED"}  # as keys
    assert len(actor.animation_data.nla_tracks) == before


def test_without_lara_there_is_no_cutscene(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    bpy.ops.object.select_all(action="DESELECT")
    others = [each for each in level_objects(root, "ENTITY") if each.instance_collection is not None]
    next(each for each in others if each.tomb_raider.entity.type).select_set(True)
    assert "Lara must be one of its actors" in fails(bpy.ops.tomb_raider.new_cutscene)


def test_the_active_cutscene_is_that_of_the_active_object(blender: ModuleType, tmp_path: Path) -> None:
    _, made = import_with_cutscene(tmp_path, cutseq(tmp_path))
    bpy.context.view_layer.objects.active = part(made, "CAMERA")
    assert ui.active_cutscene(bpy.context) == made
    nothing: Any = SimpleNamespace(
        view_layer=SimpleNamespace(objects=SimpleNamespace(active=None)), collection=None
    )
    assert ui.active_cutscene(nothing) is None


@pytest.mark.parametrize(("sample", "name", "size"), [("tr4", "CUTSEQ.PAK", 30), ("tr5", "CUTSEQ.BIN", 44)])
def test_a_new_file_has_the_cutscenes_of_the_scene(
    blender: ModuleType,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    sample: str,
    name: str,
    size: int,
) -> None:
    root = import_sample(tmp_path, sample)
    bpy.ops.object.select_all(action="DESELECT")
    lara = next(each for each in level_objects(root, "ENTITY") if each.tomb_raider.entity.type == 0)
    lara.select_set(True)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 45
    assert bpy.ops.tomb_raider.new_cutscene(number=7) == {"FINISHED"}
    (made,) = ui.cutscenes_of(root)
    assert Path(ui._suggested_path([made])) == tmp_path / name
    data = export(tmp_path / name)
    assert "has only the cutscenes of this scene" in capfd.readouterr().out
    cutseq = read_cutseq(data)
    assert cutseq.numbers == [7] and len(cutseq.spans) == size
    assert (cutseq.pak is not None) == (sample == "tr4") and cutseq.spans[6].offset == 2048
    assert cutseq.cutscene(7).num_frames == 45
    assert export(tmp_path / name) == data  # now it exists
    made.tomb_raider.cutscene.number = size + 1
    text = fails(bpy.ops.export_scene.tomb_raider_cutscenes, filepath=str(tmp_path / "other.bin"))
    assert f"too large a number: {size + 1} (the limit is {size})" in text


def test_the_example_gets_a_cutscene_and_a_file_from_nothing(blender: ModuleType, tmp_path: Path) -> None:
    assert bpy.ops.tomb_raider.example(game="TR5") == {"FINISHED"}
    bpy.ops.object.select_all(action="DESELECT")
    entities = [each for each in bpy.data.objects if each.tomb_raider.kind == "ENTITY"]
    shown = [each for each in entities if each.instance_collection is not None]
    flyer = next(each for each in shown if len(each.instance_collection.tomb_raider.model.data.bones) == 5)
    for actor in (flyer, bpy.data.objects["Lara 0"]):
        actor.select_set(True)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 20
    assert bpy.ops.tomb_raider.new_cutscene() == {"FINISHED"}
    cutscene = read_cutseq(export(tmp_path / "CUTSEQ.BIN")).cutscene(1)
    assert [len(actor.rotations[0]) for actor in cutscene.actors] == [15, 5]
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    again = import_cutscene(root, tmp_path / "CUTSEQ.BIN", 1)
    assert read_cutseq(export(tmp_path / "again.bin", collection=again.name)).bytes_of(1) == (
        read_cutseq((tmp_path / "CUTSEQ.BIN").read_bytes()).bytes_of(1)
    )


# --- Shots and sound ----------------------------------------


def test_a_cut_to_a_new_camera_is_a_marker(blender: ModuleType, tmp_path: Path) -> None:
    _, made = import_with_cutscene(tmp_path, cutseq(tmp_path))
    camera = part(made, "CAMERA")
    bpy.context.view_layer.objects.active = camera
    bpy.context.scene.frame_set(10)
    bpy.context.view_layer.update()
    assert bpy.ops.tomb_raider.cut_to_camera() == {"FINISHED"}
    shot = bpy.context.object
    assert shot != camera and shot == bpy.context.scene.camera and shot.name in made.objects
    assert [(each.frame, each.camera) for each in bpy.context.scene.timeline_markers] == [
        *((0, camera), (10, shot))
    ]
    assert (shot.matrix_world.translation - camera.matrix_world.translation).length < 1e-4
    assert bpy.ops.tomb_raider.cut_to_camera() == {"FINISHED"}  # at the same frame: replaces the cut
    assert len(bpy.context.scene.timeline_markers) == 2
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.scene.camera = bpy.context.view_layer.objects.active = None
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection
    assert not bpy.ops.tomb_raider.cut_to_camera.poll()


def wave_file(path: Path, seconds: float = 1.0) -> Path:
    path.parent.mkdir(exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 11025, 0, "NONE", ""))
        file.writeframes(bytes(2 * round(11025 * seconds)))
    return path


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="built without sound")
def test_a_sound_plays_in_step_and_keeps_its_offset(blender: ModuleType, tmp_path: Path) -> None:
    _, made = import_with_cutscene(tmp_path, cutseq(tmp_path))
    bpy.context.view_layer.objects.active = part(made, "CAMERA")
    scene: Any = bpy.context.scene
    scene.sync_mode = "NONE"
    operator = bpy.ops.tomb_raider.set_cutscene_sound
    assert operator(filepath=str(wave_file(tmp_path / "one.wav"))) == {"FINISHED"}
    (strip,) = compat.strips_of(scene)
    assert (strip.type, round(compat.strip_start(strip)), scene.sync_mode) == ("SOUND", 0, "AUDIO_SYNC")
    assert scene.render.fps == 30
    setattr(strip, "content_start" if hasattr(strip, "content_start") else "frame_start", 5)
    assert operator(filepath=str(wave_file(tmp_path / "two.wav", 2.0))) == {"FINISHED"}
    (strip,) = compat.strips_of(scene)
    assert round(compat.strip_start(strip)) == 5
    assert Path(strip.sound.filepath).name == "two.wav"
    bad = tmp_path / "bad.wav"
    bad.write_bytes(b"no sound")
    assert "no sound that Blender can play" in fails(operator, filepath=str(bad))
    assert len(compat.strips_of(scene)) == 1


@pytest.mark.parametrize(
    ("sample", "name", "beside"),
    [
        ("tr4", "015_voncroy14.wav", ".."),  # the game's file of track 4
        ("tr4", "004.ogg", "."),
        ("tr5", "004.wav", ".."),
    ],
)
def test_the_sound_of_the_game_is_offered(
    blender: ModuleType, tmp_path: Path, sample: str, name: str, beside: str
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    root = import_sample(folder, sample)
    bpy.ops.object.select_all(action="DESELECT")
    next(each for each in level_objects(root, "ENTITY") if each.tomb_raider.entity.type == 0).select_set(True)
    bpy.ops.tomb_raider.new_cutscene()
    (made,) = ui.cutscenes_of(root)
    made.tomb_raider.cutscene.audio_track = 4
    assert find_audio(made) is None
    for other in (name, "040_a_ii.wav", "4_readme.txt", "044.wav"):
        wave_file(folder / beside / "Audio" / other)
    found = find_audio(made)
    assert found is not None and found.name == name
    made.tomb_raider.cutscene.audio_track = -1
    assert find_audio(made) is None
