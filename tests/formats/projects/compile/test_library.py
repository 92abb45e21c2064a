"""Tests of the objects of compiled projects: from several files, merged static meshes, imported geometry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError, Game, Level, read_level, write_level
from io_tomb_raider.formats.animations.frames import decode_frames
from io_tomb_raider.formats.appending.cut import PieceChoice, cut_to
from io_tomb_raider.formats.appending.join import join_objects
from io_tomb_raider.formats.checks.check import check_level
from io_tomb_raider.formats.checks.findings import Severity
from io_tomb_raider.formats.meshes.meshes import decode_meshes
from io_tomb_raider.formats.projects.compile.resources import load_obj
from io_tomb_raider.formats.projects.objects import ImportedGeometry, Moveable, Static
from io_tomb_raider.formats.projects.settings import ImportedModel, MergedStatic
from io_tomb_raider.formats.textures.face_words import mesh_texture_mask
from io_tomb_raider.formats.textures.packing import object_texture_rects
from tests.sample_levels import sample_level

from .compile_samples import IMAGE, OBJ, compiled, lara, plain_room, project_of, texture_all, written


def texels(level: Level, mesh: int) -> list[bytes]:
    """Return the pixels that each quad of a mesh shows."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    words = block.meshes[int(block.pointers[mesh])].quads["texture"].astype(np.int64)
    rects = object_texture_rects(level.object_textures, level.game)[words & mesh_texture_mask(level.game)]
    pages = level.textiles32 if level.game.traits.has_32bit_pages else level.textiles8
    return [pages[page, y : y + h, x : x + w].tobytes() for page, x, y, w, h in rects.tolist()]


@pytest.mark.parametrize("game", list(Game), ids=lambda game: game.name)
def test_joined_objects_are_as_before(game: Game) -> None:
    source = sample_level(game)
    first, *others = source.models["id"].tolist()
    level = cut_to(source, PieceChoice(frozenset({first}), frozenset(), frozenset()))
    join_objects(level, cut_to(source, PieceChoice(frozenset(others), None, None)))
    assert level.models["id"].tolist() == [first, *others]
    assert len(level.static_meshes) == len(source.static_meshes)
    assert np.array_equal(level.sprite_sequences["id"], source.sprite_sequences["id"])
    keys, before = (
        decode_frames(game, each.frames, each.animations, each.models) for each in (level, source)
    )
    for row, model in enumerate(source.models):
        own = level.models[row]
        for mesh in range(int(model["meshes"])):
            assert texels(level, int(own["first_mesh"]) + mesh) == texels(
                source, int(model["first_mesh"]) + mesh
            )
        if model["animation"] != 0xFFFF and model["meshes"]:
            one, other = keys.keys(int(own["animation"])), before.keys(int(model["animation"]))
            assert np.array_equal(one.angles, other.angles)
    sizes = [np.ptp(each.sprite_sequences["first"]) for each in (level, source)]
    assert sizes[0] == sizes[1]


def test_the_first_file_with_a_slot_wins(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    project = project_of([room], Game.TR4, tmp_path)
    source = read_level(tmp_path / project.settings.wads[0])
    enemy = int(source.models["id"][1])
    cut = cut_to(source, PieceChoice(frozenset({enemy}), frozenset(), frozenset()))
    cut.models["mesh_tree"] = 0
    other = tmp_path / "enemy.tr4"
    write_level(cut, other)
    room.objects += [lara(), Moveable(1, (1536, 0, 1536), slot=enemy)]
    project.settings.wads.insert(0, other.name)
    made = compiled(project, tmp_path)
    level = written(made.level)
    assert sorted(level.models["id"].tolist()) == sorted(source.models["id"].tolist())
    assert level.models["id"].tolist() == sorted(level.models["id"].tolist())
    assert int(level.models["first_mesh"][level.models["id"] == enemy][0]) == 0  # meshes of the first file
    assert [each.text for each in check_level(level) if each.severity is Severity.ERROR] == []
    assert [str(line.text) for line in made.log.lines[:2]] == [
        "Objects of enemy.tr4",
        "Objects of objects.tr4",
    ]


def test_lara_has_the_skeleton_of_her_body(tmp_path: Path) -> None:
    project = project_of([plain_room(0)], Game.TR4, tmp_path)
    level = read_level(tmp_path / project.settings.wads[0])
    lara_model = next(each for each in level.models if each["id"] == 0)
    joints = 4 * (int(lara_model["meshes"]) - 1)
    assert joints > 0
    body = lara_model.copy()
    body["id"], body["mesh_tree"] = 8, len(level.mesh_trees)
    own = level.mesh_trees[int(lara_model["mesh_tree"]) :][:joints].reshape(-1, 4)
    longer = own.copy()
    longer[:, 0], longer[:, 1:] = 3, longer[:, 1:] + 7
    level.models = np.append(level.models, body)
    level.mesh_trees = np.concatenate([level.mesh_trees, longer.ravel()])
    (tmp_path / project.settings.wads[0]).write_bytes(level.to_bytes())
    made = written(compiled(project, tmp_path).level)
    trees = {
        int(each["id"]): made.mesh_trees[int(each["mesh_tree"]) :][:joints].reshape(-1, 4)
        for each in made.models
    }
    assert (trees[8] == longer).all()
    assert (trees[0][:, 1:] == longer[:, 1:]).all() and (trees[0][:, 0] == own[:, 0]).all()


def test_objects_of_other_games_are_reported(tmp_path: Path) -> None:
    project = project_of([plain_room(0)], Game.TR4, tmp_path)
    write_level(sample_level(Game.TR2), tmp_path / "other.tr2")
    (tmp_path / "bad.wad").write_bytes(b"bad")
    project.settings.wads += ["other.tr2", "bad.wad", "lost.wad"]
    warnings = compiled(project, tmp_path).log.warnings
    assert any(each.startswith("other.tr2: ") for each in warnings)
    assert any(each.startswith("bad.wad: ") for each in warnings)
    assert any(each.startswith("lost.wad: ") for each in warnings)


def test_selected_sounds_only(tmp_path: Path) -> None:
    room = plain_room(0)
    project = project_of([room], Game.TR4, tmp_path)
    source = read_level(tmp_path / project.settings.wads[0])
    every = np.flatnonzero(source.sound_map >= 0)
    assert len(compiled(project, tmp_path).level.sound_details) == len(source.sound_details)
    project.settings.selected_sounds = [int(every[0]), 369]
    made = compiled(project, tmp_path)
    assert made.level.sound_map[every[0]] >= 0 and len(made.level.sound_details) < len(source.sound_details)
    assert any("one selected sound" in each for each in made.log.warnings)


def test_merged_static_meshes_become_part_of_the_room(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    project = project_of([room], Game.TR4, tmp_path)
    source = read_level(tmp_path / project.settings.wads[0])
    slot, mesh = int(source.static_meshes["id"][0]), int(source.static_meshes["mesh"][0])
    room.objects += [lara(), Static(1, (2048, 256, 3072), slot=slot, y=90.0)]
    before = compiled(project, tmp_path).level
    project.settings.merged_statics = [MergedStatic(slot)]
    made = compiled(project, tmp_path)
    level = written(made.level)
    block = decode_meshes(Game.TR4, source.mesh_data, source.mesh_pointers)
    own = block.meshes[int(block.pointers[mesh])]
    start = len(before.rooms[0].vertices)
    vertices = level.rooms[0].vertices
    assert len(vertices) == start + len(own.vertices)
    x, y, z = (int(part) for part in own.vertices[0])
    assert [int(vertices[axis][start]) for axis in "xyz"] == [2048 + z, -256 + y, 3072 - x]
    assert len(level.rooms[0].quads) == len(before.rooms[0].quads) + len(own.quads)
    assert (made.origin.quads[0][len(before.rooms[0].quads) :] == -1).all()
    assert len(level.rooms[0].static_meshes) == 1  # it keeps its collision
    after = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers)
    row = int(np.flatnonzero(level.static_meshes["id"] == slot)[0])
    assert len(after.meshes[int(after.pointers[int(level.static_meshes["mesh"][row])])].vertices) == 0
    assert [each.text for each in check_level(level) if each.severity is Severity.ERROR] == []


MTL = f"newmtl wall\nmap_Kd {IMAGE}\n"


@pytest.fixture
def obj(tmp_path: Path) -> Path:
    (tmp_path / "model.mtl").write_text(MTL)
    (tmp_path / "model.obj").write_text(OBJ)
    return tmp_path / "model.obj"


def test_imported_geometry_becomes_part_of_the_room(obj: Path, tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    room.objects += [
        lara(),
        ImportedGeometry(1, (2048, 256, 2048), model=5, scale=2.0, color=(0.5, 0.5, 0.5)),
    ]
    project = project_of([room], Game.TR4, tmp_path)
    project.settings.imported_geometries = [ImportedModel(5, "model", obj.name)]
    made = compiled(project, tmp_path)
    level = written(made.level)
    assert made.log.warnings == []
    faces = level.rooms[0].triangles
    assert len(faces) == 2 and (made.origin.triangles[0] == -1).all()
    vertices = level.rooms[0].vertices[faces["vertices"]]
    points = np.stack([vertices[axis].astype(np.int64) for axis in "xyz"], axis=-1)
    assert points.reshape(-1, 3).min(axis=0).tolist() == [2048, -256 - 1024, 2048]
    assert points.reshape(-1, 3).max(axis=0).tolist() == [3072, -256, 2048]
    # The editor turns z round, and keeps the order of corners: the face is seen from the other side.
    across = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    assert (across[:, 2] < 0).all()
    colors = level.rooms[0].vertices["color"][np.unique(faces["vertices"])]
    assert set(colors.tolist()) == {2 << 10 | 2 << 5 | 2}  # a quarter of a half of 16
    assert [each.text for each in check_level(level) if each.severity is Severity.ERROR] == []


def test_missing_models_are_reported(tmp_path: Path) -> None:
    room = plain_room(0)
    room.objects += [lara(), ImportedGeometry(1, model=5), ImportedGeometry(2, model=-1)]
    project = project_of([room], Game.TR4, tmp_path)
    project.settings.imported_geometries = [ImportedModel(5, "model", "lost.obj")]
    made = compiled(project, tmp_path)
    assert any("Room0" in each and "model" in each for each in made.log.warnings)
    assert [each.path for each in made.missing] == ["lost.obj"]


def test_models_have_colors_and_normals(tmp_path: Path) -> None:
    path = tmp_path / "a.obj"
    path.write_text("v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nvn 0 0 1\nf 1//1 2//1 -1//-1\n")
    model = load_obj(path)
    assert model.triangles.tolist() == [[0, 1, 2]] and model.colors is not None and model.normals is not None
    assert model.colors.tolist() == (2 * np.eye(3)).tolist() and model.normals[0, 0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("text", ["f 1 2 3", "v a b c", "v 0 0 0\nf 1/9 1/9 1/9", "v 0 0\n", "f"])
def test_damaged_models_are_errors(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.obj"
    path.write_text(text)
    if text == "f":
        assert len(load_obj(path).triangles) == 0
        return
    with pytest.raises(FormatError):
        load_obj(path)
