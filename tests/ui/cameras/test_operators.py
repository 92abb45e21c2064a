"""Tests of the operators and panels of cameras: exports of new ones, and previews."""

from __future__ import annotations

from math import tau
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from mathutils import Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.cameras.splines import fly
from io_tomb_raider.ui import level_panels as level_panels
from io_tomb_raider.ui.cameras import panels as cameras
from io_tomb_raider.ui.entities import panels as entities
from tests.games import each_game
from tests.scene.scenes import UNIT, objects

from ..recorder import draw
from ..user_actions import export_file, import_sample

each_flying_game = pytest.mark.parametrize("game", [Game.TR4, Game.TR5])


def facing(obj: Any) -> Any:
    """Return the z axis of an object in world space, opposite to a camera's view."""
    matrix: Any = obj.matrix_world
    return matrix.col[2].to_3d()


def exported_level(folder: Path) -> Any:
    return read_level(export_file(folder / "out"))


def activate(obj: Any) -> None:
    bpy.context.view_layer.objects.active = obj


def shown_names(panel: Any, **context: Any) -> set[str]:
    layout = draw(panel, **context)
    assert layout is not None
    return set(layout.names)


# --- Adding ----------------------------------------


def add(kind: str, root: Any) -> Any:
    bpy.context.scene.cursor.location = Vector((5632, 4608, 256)) * UNIT  # in the hall
    assert bpy.ops.tomb_raider.add_camera(kind=kind, collection=root.name) == {"FINISHED"}
    return bpy.context.object


@each_game
def test_added_cameras_and_sinks_are_exported(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    add("CAMERA", root)
    sink = add("SINK", root)
    sink.tomb_raider.sink.strength = 9
    camera, current = exported_level(tmp_path).cameras[-2:]  # in the order in which they were added
    assert [int(camera[axis]) for axis in "xyz"] == [5632, -256, 4608]
    assert (camera["room"], camera["flags"], current["room"]) == (0, 0, 9)


@each_flying_game
def test_an_added_flyby_follows_the_active_one(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    activate(objects(root, "FLYBY")[2])
    made = add("FLYBY", root)
    assert (made.tomb_raider.flyby.sequence, made.tomb_raider.flyby.number) == (0, 6)
    record = exported_level(tmp_path).flyby_cameras[6]
    assert (record["sequence"], record["index"], record["fov"], record["speed"]) == (0, 6, 14560, 655)
    assert record["target"].tolist() == [5632, -256, 4608 + 1024]
    activate(None)
    assert add("FLYBY", root).tomb_raider.flyby.sequence == 2


@each_flying_game
def test_an_added_ai_object_is_a_start_position(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    assert add("AI_OBJECT", root).name == "Lara start position 2"
    assert exported_level(tmp_path).ai_objects["type"][-1] == (406 if game is Game.TR4 else 386)


def test_a_cutscene_can_be_added_where_there_is_none(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR2)
    with pytest.raises(RuntimeError, match="a level can have only one"):
        bpy.ops.tomb_raider.add_camera(kind="CINEMATIC", collection=root.name)
    bpy.data.objects.remove(objects(root, "CINEMATIC")[0])
    add("CINEMATIC", root)
    frames = exported_level(tmp_path).cinematic_frames
    assert len(frames) == 30
    assert frames["fov"].tolist() == [14560] * 30


@pytest.mark.parametrize(
    ("game", "kind"), [(Game.TR3, "FLYBY"), (Game.TR1, "AI_OBJECT"), (Game.TR4, "CINEMATIC")]
)
def test_objects_that_the_game_lacks_cannot_be_added(
    blender: ModuleType, tmp_path: Path, game: Game, kind: str
) -> None:
    root = import_sample(tmp_path, game)
    with pytest.raises(RuntimeError, match="its game does not have such objects"):
        bpy.ops.tomb_raider.add_camera(kind=kind, collection=root.name)


def test_cameras_cannot_be_added_if_they_were_not_imported(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1, cameras=False)
    with pytest.raises(RuntimeError, match="left out when the level was imported"):
        bpy.ops.tomb_raider.add_camera(kind="SINK", collection=root.name)


# --- Previews ----------------------------------------


@each_flying_game
def test_a_preview_flies_as_the_game_does(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    level = read_level(next(tmp_path.iterdir()))
    objects(root, "FLYBY")[0].tomb_raider.flyby.follows_lara = False
    flight = fly(level.flyby_cameras[:6], game)
    activate(objects(root, "FLYBY")[4])
    assert bpy.ops.tomb_raider.preview_flyby() == {"FINISHED"}
    scene = bpy.context.scene
    camera = scene.camera
    assert (scene.frame_preview_start, scene.frame_preview_end) == (0, len(flight) - 1)
    for frame in (0, 77, 250, len(flight) - 1):
        scene.frame_set(frame)
        x, y, z = flight.positions[frame]
        place = Vector((x, z, -y)) * UNIT
        assert (camera.matrix_world.translation - place).length < 1e-4
        x, y, z = flight.targets[frame]
        toward = Vector((x, z, -y)) * UNIT - place
        assert (-facing(camera)).angle(toward) < 1e-3
        assert camera.data.angle_x == pytest.approx(flight.fovs[frame] / 65536 * tau, abs=1e-4)


def test_a_preview_is_not_exported_and_is_replaced_by_the_next(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    data = next(tmp_path.iterdir()).read_bytes()
    counts = []
    for obj in objects(root, "FLYBY")[:2]:
        activate(obj)
        bpy.ops.tomb_raider.preview_flyby()
        counts.append((len(bpy.data.objects), len(bpy.data.actions), len(bpy.data.cameras)))
    assert counts[0] == counts[1]
    assert export_file(tmp_path / "out") == data


def test_a_preview_follows_edits_and_looks_at_lara(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR5)
    flybys = objects(root, "FLYBY")
    for obj in flybys[:6]:
        obj.tomb_raider.flyby.speed = 6550
    flybys[0].tomb_raider.flyby.looks_at_lara = True
    activate(flybys[0])
    bpy.ops.tomb_raider.preview_flyby()
    scene = bpy.context.scene
    assert scene.frame_preview_end < 60
    scene.frame_set(20)
    lara = next(obj for obj in objects(root, "ENTITY") if obj.tomb_raider.entity.type == 0)
    toward = lara.matrix_world.translation - scene.camera.matrix_world.translation
    assert (-facing(scene.camera)).angle(toward) < 1e-3


def test_a_cutscene_is_watched_through_its_camera(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1)
    camera = objects(root, "CINEMATIC")[0]
    activate(camera)
    assert bpy.ops.tomb_raider.watch_cutscene() == {"FINISHED"}
    scene = bpy.context.scene
    assert scene.camera == camera
    assert (scene.frame_preview_start, scene.frame_preview_end) == (0, 59)


def test_operators_need_their_camera(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    activate(objects(root, "CAMERA")[0])
    assert not bpy.ops.tomb_raider.preview_flyby.poll()
    assert not bpy.ops.tomb_raider.watch_cutscene.poll()


# --- Panels ----------------------------------------


@each_game
def test_cameras_and_sinks_show_their_fields(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    camera, sink = objects(root, "CAMERA")[0], objects(root, "SINK")[0]
    names = shown_names(cameras.OBJECT_PT_tomb_raider_camera, object=camera)
    assert names == {"room", "is_persistent", "flags", *(["is_sniper"] if game is Game.TR5 else [])}
    assert shown_names(cameras.OBJECT_PT_tomb_raider_sink, object=sink) == {"strength", "box"}


def test_flybys_show_the_flags_of_their_game(blender: ModuleType, tmp_path: Path) -> None:
    found = {}
    for game in (Game.TR4, Game.TR5):
        obj = objects(import_sample(tmp_path, game), "FLYBY")[0]
        found[game] = shown_names(cameras.OBJECT_PT_tomb_raider_flyby, object=obj)
        assert {"sequence", "number", "speed", "distance", "room", "timer", "flags"} <= found[game]
    assert found[Game.TR4] - found[Game.TR5] == {"looks_at_start", "tracks_entity", "stops"}
    assert found[Game.TR5] - found[Game.TR4] == {"hides_lara", "vignette", "shakes", "fades_in", "fades_out"}


def test_all_flags_of_flybys_are_switches(blender: ModuleType, tmp_path: Path) -> None:
    obj = objects(import_sample(tmp_path, Game.TR5), "FLYBY")[0]
    settings = obj.tomb_raider.flyby
    settings.flags = 0
    for name in shown_names(cameras.OBJECT_PT_tomb_raider_flyby, object=obj):
        if isinstance(getattr(settings, name, None), bool):
            setattr(settings, name, True)
    assert settings.flags == 0xFFFF


def test_panels_show_the_target_of_a_cut(blender: ModuleType, tmp_path: Path) -> None:
    obj = objects(import_sample(tmp_path, Game.TR4), "FLYBY")[0]
    obj.tomb_raider.flyby.cuts = True
    assert "cut_to" in shown_names(cameras.OBJECT_PT_tomb_raider_flyby, object=obj)
    obj.tomb_raider.flyby.flags = 2
    assert "tracks" in shown_names(cameras.OBJECT_PT_tomb_raider_flyby, object=obj)


def test_cutscene_cameras_and_ai_objects_show_their_fields(blender: ModuleType, tmp_path: Path) -> None:
    camera = objects(import_sample(tmp_path, Game.TR1), "CINEMATIC")[0]
    assert shown_names(cameras.OBJECT_PT_tomb_raider_cinematic, object=camera) == {"target", "roll"}
    mark = objects(import_sample(tmp_path, Game.TR4), "AI_OBJECT")[0]
    names = shown_names(entities.OBJECT_PT_tomb_raider_ai_object, object=mark)
    assert names == {"type_name", "type", "ocb", "room", "activation", "flags", "box"}


@each_game
def test_levels_show_the_settings_of_their_game(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    layout = draw(level_panels.COLLECTION_PT_tomb_raider_settings, collection=root)
    assert layout is not None
    own = {"lara", "lara_type", "weather", "weather_type"} if game is Game.TR5 else set()
    has_demo = game <= Game.TR3  # the sample levels of these games have one
    demo = {"has_demo", "demo_room", "demo_place", "demo_angle"} if has_demo else set()
    assert set(layout.names) == {"number", *own, *demo}
    assert ("Demo of 30 frames, 1 seconds" in layout.labels) == has_demo


def test_menus_list_the_kinds_of_the_game(blender: ModuleType) -> None:
    from io_tomb_raider.ui.cameras.operators import kinds_of

    offered = {game: [kind[0] for kind in kinds_of(game)] for game in Game}
    assert offered[Game.TR3] == ["CAMERA", "SINK", "CINEMATIC", "AI_OBJECT"]
    assert offered[Game.TR4] == offered[Game.TR5] == ["CAMERA", "SINK", "FLYBY", "AI_OBJECT"]
    assert offered[Game.TR1] == offered[Game.TR2] == ["CAMERA", "SINK", "CINEMATIC"]
