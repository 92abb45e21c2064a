"""Tests of the objects of compiled projects: from several files, merged static meshes, imported geometry."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError, Game, Level, read_level, write_level
from io_tomb_raider.formats.editors.projects.compile.objects.compiled_meshes import compiled_meshes
from io_tomb_raider.formats.editors.projects.compile.plan.resources import load_obj
from io_tomb_raider.formats.editors.projects.model.objects import (
    ImportedGeometry,
    Moveable,
    Static,
)
from io_tomb_raider.formats.editors.projects.model.settings import (
    AnimatedSet,
    AnimationFrame,
    ImportedModel,
    MergedStatic,
)
from io_tomb_raider.formats.editors.projects.model.shape import Face, SectorSide
from io_tomb_raider.formats.edits.append.cut import PieceChoice, cut_to
from io_tomb_raider.formats.edits.append.join import join_objects
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes, encode_block, encode_mesh
from io_tomb_raider.formats.levels.textures.face_words import mesh_texture_mask
from io_tomb_raider.formats.levels.textures.packing import object_texture_rects
from io_tomb_raider.formats.levels.views.findings import Severity
from tests.sample_levels import sample_level
from tests.wad2_samples import sample_wad2

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
    # The games name Lara's meshes and animations by number, whatever file comes first.
    assert [int(level.models[name][0]) for name in ("id", "first_mesh", "mesh_tree", "animation")] == [0] * 4
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


def test_see_through_materials_are_blended(tmp_path: Path) -> None:
    (tmp_path / "a.mtl").write_text("newmtl a\nd 0.5\nnewmtl b\nTr 0.5\nnewmtl c\nd 1\nTr x\n")
    faces = "".join(f"usemtl {name}\nf 1 2 3\n" for name in "abc")
    (tmp_path / "a.obj").write_text(f"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n{faces}")
    assert load_obj(tmp_path / "a.obj").additive == [True, True, False]


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


def test_imported_geometry_shares_vertices_by_place(obj: Path, tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    # Its first corner is that of a sector: the vertex there keeps the light of the room.
    placed = ImportedGeometry(1, (2048, 0, 2048), model=5, scale=2.0, lighting=3, color=(1.0, 1.0, 1.0))
    room.objects += [lara(), placed]
    project = project_of([room], Game.TR4, tmp_path)
    project.settings.imported_geometries = [ImportedModel(5, "model", obj.name)]
    alone = compiled(project_of([plain_room(0)], Game.TR4, tmp_path), tmp_path).level
    assert len(alone.rooms[0].vertices) == 0
    level = written(compiled(project, tmp_path).level)
    vertices = level.rooms[0].vertices
    own = len(vertices) - 2  # two of its four corners are those of the room
    corners = vertices[level.rooms[0].triangles["vertices"]]
    at_own = level.rooms[0].triangles["vertices"] < own
    assert set(corners["color"][at_own].tolist()) == {4 << 10 | 4 << 5 | 4}
    assert set(corners["color"][~at_own].tolist()) == {16 << 10 | 16 << 5 | 16}
    placed.sharp_edges = True
    vertices = written(compiled(project, tmp_path).level).rooms[0].vertices
    # Each corner of the three triangles, of which one has no area.
    assert len(vertices) == own + 9


def test_positions_of_objects_are_cut(obj: Path, tmp_path: Path) -> None:
    room = plain_room(0, y=100)
    room.objects += [lara(), ImportedGeometry(1, (2048.9, 0.9, 2048.9), model=5, sharp_edges=True)]
    project = project_of([room], Game.TR4, tmp_path)
    project.settings.imported_geometries = [ImportedModel(5, "model", obj.name)]
    vertices = compiled(project, tmp_path).level.rooms[0].vertices
    low = [int(vertices[axis].min()) for axis in "xyz"]
    high = [int(vertices[axis].max()) for axis in "xyz"]
    # -(100 + 0.9) and -(100 + 512.9) without their fractions.
    assert (low, high) == ([2048, -612, 2048], [2048 + 512, -100, 2048])


def test_a_turned_object_stays_on_whole_positions(obj: Path, tmp_path: Path) -> None:
    room = plain_room(0)
    room.objects += [lara(), ImportedGeometry(1, (2048, 0, 2048), model=5, y=90.0, sharp_edges=True)]
    project = project_of([room], Game.TR4, tmp_path)
    project.settings.imported_geometries = [ImportedModel(5, "model", obj.name)]
    vertices = compiled(project, tmp_path).level.rooms[0].vertices
    assert set(vertices["x"].tolist()) == {2048} and set(vertices["z"].tolist()) == {2048, 2048 - 512}


def test_vertices_are_in_the_order_of_faces_not_of_textures(tmp_path: Path) -> None:
    rooms = [plain_room(0, size=(3, 3)), plain_room(1, x=7, size=(3, 3))]
    texture_all(rooms)
    # The textures of one room start with another corner, so that they are turned.
    rooms[1].shape.faces["corners"] = np.roll(rooms[1].shape.faces["corners"], 2, axis=1)
    level = compiled(project_of(rooms, Game.TR4, tmp_path), tmp_path).level
    straight, turned = level.rooms
    assert straight.vertices.tolist() == turned.vertices.tolist()
    assert (straight.quads["vertices"] != turned.quads["vertices"]).any()
    assert (np.sort(straight.quads["vertices"]) == np.sort(turned.quads["vertices"])).all()


def test_vertices_of_tr5_have_the_normal_of_their_last_face(tmp_path: Path) -> None:
    room = plain_room(0, size=(3, 3))
    texture_all([room])
    faces = room.shape.faces
    floor = faces[faces["face"] == Face.FLOOR]
    wall = faces[(faces["face"] == Face.MIDDLE + SectorSide.POSITIVE_X)]
    room.shape.faces = np.concatenate([wall, floor])
    vertices = compiled(project_of([room], Game.TR5, tmp_path), tmp_path).level.rooms[0].vertices
    normals = np.stack([vertices[name] for name in ("nx", "ny", "nz")], axis=1)
    on_floor = vertices["y"] == 0
    # y of normals is as in projects, upwards; the wall is seen from higher x.
    assert normals[on_floor].tolist() == [[0, 1, 0]] * 4
    assert normals[~on_floor].tolist() == [[1, 0, 0]] * 2


def with_plant(folder: Path, game: Game, options: MergedStatic) -> Level:
    """Return a level with a static mesh of a WAD2 that is merged."""
    room = plain_room(0)
    room.objects.append(Static(1, (2048, 256, 3072), slot=options.slot))
    project = project_of([room], game, folder)
    (folder / "plant.wad2").write_bytes(sample_wad2())
    project.settings.wads, project.settings.merged_statics = ["plant.wad2"], [options]
    return written(compiled(project, folder).level)


def test_merged_meshes_of_a_wad2_keep_their_fractions_colors_and_effects(tmp_path: Path) -> None:
    room = with_plant(tmp_path, Game.TR4, MergedStatic(50)).rooms[0]
    vertices = room.vertices
    assert vertices["x"].tolist() == [1947, 2148, 2148, 1948]
    assert vertices["y"].tolist() == [-306, -306, -206, -205]
    assert vertices["z"].tolist() == [3042, 3041, 3102, 3102]
    # A quarter of 16, by the brightness of each color: 1, 0.4295, 0, 0.438.
    assert (vertices["color"] & 31).tolist() == [4, 2, 0, 2]
    # The first one does not glow.
    assert vertices["attributes"].tolist() == [0x2000, *[0x6000] * 3]
    assert room.triangles["vertices"].tolist() == [[1, 2, 0]]  # from the right angle of its texture
    assert [sorted(face) for face in room.quads["vertices"].tolist()] == [[0, 1, 2, 3]] * 2
    assert (room.quads["texture"] >> 15).tolist() == [0, 1]


def test_merged_meshes_can_clear_shades_or_take_them_as_effects(tmp_path: Path) -> None:
    vertices = with_plant(tmp_path, Game.TR4, MergedStatic(50, clear_shades=True)).rooms[0].vertices
    assert (vertices["color"] & 31).tolist() == [4] * 4
    vertices = with_plant(tmp_path, Game.TR4, MergedStatic(50, shades_are_effects=True)).rooms[0].vertices
    assert (vertices["color"] & 31).tolist() == [4] * 4
    assert vertices["attributes"].tolist() == [0, 0x2000, 0x2000, 0x2000]


def test_textures_of_merged_meshes_are_those_of_rooms(tmp_path: Path) -> None:
    level = with_plant(tmp_path, Game.TR4, MergedStatic(50))
    room = level.rooms[0]
    used = np.concatenate([room.quads["texture"], room.triangles["texture"]]) & 0x7FFF
    records = level.object_textures[used]
    assert (records["flags"] >> 15 == 1).all()
    quads = level.object_textures[room.quads["texture"] & 0x7FFF]
    assert quads["attribute"].tolist() == [2, 0]


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
def test_merged_meshes_of_old_games_have_both_sides(game: Game, tmp_path: Path) -> None:
    room = with_plant(tmp_path, game, MergedStatic(50)).rooms[0]
    first, front, back = room.quads["vertices"].tolist()
    assert front in [(face * 2)[at : at + 4] for face in ([3, 2, 1, 0],) for at in range(4)]
    assert back in [(face * 2)[at : at + 4] for face in ([0, 1, 2, 3],) for at in range(4)]
    assert (room.quads["texture"] >> 15 == 0).all() and sorted(first) == [0, 1, 2, 3]


def test_equal_object_textures_of_object_files_are_written_once(tmp_path: Path) -> None:
    rooms = [plain_room(0)]
    rooms[0].objects.append(lara())
    project = project_of(rooms, Game.TR4, tmp_path)
    wad = tmp_path / project.settings.wads[0]
    level = read_level(wad)
    count = len(level.object_textures)
    level.animated_textures = np.zeros(1, level.animated_textures.dtype)
    plain = compiled_meshes(level)
    level.object_textures = np.concatenate([level.object_textures, level.object_textures])
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    encoded = []
    for number, mesh in enumerate(block.meshes):
        quads = mesh.quads.copy()
        quads["texture"] += np.uint16(count)
        encoded.append(encode_mesh(level.game, replace(mesh, quads=quads), f"mesh {number}"))
    level.mesh_data, level.mesh_pointers = encode_block(encoded, block.pointers)
    made = compiled_meshes(level)
    assert len(np.unique(made.object_textures)) == len(made.object_textures)
    assert [texels(made, mesh) for mesh in range(len(made.mesh_pointers))] == [
        texels(plain, mesh) for mesh in range(len(plain.mesh_pointers))
    ]


def test_animated_textures_without_a_name_are_numbered(tmp_path: Path) -> None:
    project = project_of([plain_room(0)], Game.TR4, tmp_path)
    corners = ((0.0, 64.0), (0.0, 0.0), (64.0, 0.0), (64.0, 64.0))
    frames = [AnimationFrame(9, corners), AnimationFrame(9, corners)]
    project.settings.animated_sets += [AnimatedSet("Fire", frames=frames), AnimatedSet("", frames=frames)]
    told = [str(each) for each in compiled(project, tmp_path).log.warnings if "is omitted" in str(each)]
    assert [each.split(":")[0] for each in told] == ["Fire", "Animated texture 2"]
