"""Tests of the meshes of object files in compiled levels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.editors.projects.compile.objects.compiled_meshes import compiled_meshes
from io_tomb_raider.formats.editors.wads.wad2.animated import add_models
from io_tomb_raider.formats.editors.wads.wad2.level import compiled_normals, wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.wad2 import read_wad2
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes, encode_block, encode_mesh
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from tests.sample_levels import sample_level
from tests.wad2_samples import sample_wad2

from .compile_samples import compiled, lara, plain_room, project_of, texture_all, written


def meshes(level: Level) -> list[Mesh]:
    """Return the meshes of a level by pointer."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    return [block.meshes[each] for each in block.pointers]


def test_numbers_of_meshes_are_cut() -> None:
    plain, own = (
        meshes(wad2_to_level(read_wad2(sample_wad2()), compiled=each).level) for each in (False, True)
    )
    # The file has -100.25, 50.5, -30; y points down in levels.
    assert plain[0].vertices[0].tolist() == [-100, -50, -30] and own[0].vertices[0].tolist() == [
        -100,
        -50,
        -30,
    ]
    assert plain[0].radius == 121 and own[0].radius == 120
    assert plain[0].normals is not None and own[0].normals is not None
    assert plain[0].normals[0].tolist() == [0, -16384, 0] and own[0].normals[0].tolist() == [0, -16300, 0]
    assert compiled_normals(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])).tolist() == [
        [11525, 11525, 0],
        [0, 0, 0],
    ]


def test_double_sided_faces_are_two_faces() -> None:
    level = wad2_to_level(read_wad2(sample_wad2()), compiled=True).level
    body = meshes(level)[0]
    assert len(body.quads) == 3 and not (body.quads["texture"] & 0x8000).any()
    front, back = body.quads[1:]
    assert back["vertices"].tolist() == front["vertices"][::-1].tolist()
    uv = level.object_textures["uv"][[int(front["texture"]), int(back["texture"])]]
    assert (uv[1] == uv[0][::-1]).all()
    assert int(body.triangles["effects"][0]) & 2 == 2
    # Shine has no effect on meshes with colors, so there is none.
    plant = meshes(level)[3]
    assert plant.normals is None and not (plant.triangles["effects"] & 2).any()


def test_animations_end_with_their_key_frames() -> None:
    (body, *_) = wad2_to_level(read_wad2(sample_wad2())).moveables
    animation = next(each for each in body.animations if len(each.offsets))
    boxes = animation.boxes.copy()
    boxes[0, :, 0] = -10.75, 20.75
    head = animation.head._replace(last_frame=999, frame_rate=3)
    changed = replace(animation, head=head, boxes=boxes, angles=np.zeros_like(animation.angles))
    plain, own = Level.empty(Game.TR4), Level.empty(Game.TR4)
    for level, compiled_ in ((plain, False), (own, True)):
        add_models(level, [replace(body, animations=[changed])], compiled=compiled_)
    keys = len(animation.offsets)
    assert int(plain.animations["last_frame"][0]) == 999
    assert int(own.animations["last_frame"][0]) == 3 * (keys - 1)
    assert plain.frames[:2].astype(np.int16).tolist() == [-11, 21]
    assert own.frames[:2].astype(np.int16).tolist() == [-10, 20]
    # No rotation is one about x, in the editor.
    assert int(own.frames[9]) == 0x4000 and int(plain.frames[9]) == 0xC000


def test_compiled_levels_have_the_meshes_of_their_wads(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    room.objects.append(lara())
    project = project_of([room], Game.TR4, tmp_path)
    (tmp_path / "own.wad2").write_bytes(sample_wad2())
    project.settings.wads = ["own.wad2"]
    level = written(compiled(project, tmp_path).level)
    edited = written(compiled(project, tmp_path, keep=True).level)
    assert sum(len(mesh.quads) for mesh in meshes(level)) > sum(len(mesh.quads) for mesh in meshes(edited))
    assert any((mesh.quads["texture"] & 0x8000).any() for mesh in meshes(edited))


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_meshes_of_levels(game: Game) -> None:
    level = sample_level(game)
    block = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    chosen = next(
        place for place, mesh in enumerate(block.meshes) if len(mesh.quads) and mesh.normals is not None
    )
    mesh = block.meshes[chosen]
    quads = mesh.quads.copy()
    quads["texture"][0] |= 0x8000
    mesh.quads, mesh.flags = quads, 1
    encoded = [encode_mesh(game, each) if each is mesh else each.raw for each in block.meshes]
    # The same mesh twice.
    pointers = np.append(block.pointers, len(encoded)).astype(np.int32)
    level.mesh_data, level.mesh_pointers = encode_block([*encoded, encoded[chosen]], pointers)
    made = compiled_meshes(level)
    found = meshes(read_level(made.to_bytes(), name="level"))
    own = found[int(np.flatnonzero(block.pointers == chosen)[0])]
    assert len(own.quads) == len(quads) + 1 and not (own.quads["texture"] & 0x8000).any()
    front, back = own.quads[:2]
    assert back["vertices"].tolist() == front["vertices"][::-1].tolist()
    textures = decode_object_textures(made.object_textures, game)
    assert len(made.object_textures) == len(level.object_textures) + 1
    assert (
        made.object_textures["uv"][int(back["texture"])]
        == made.object_textures["uv"][int(front["texture"])][::-1]
    ).all()
    assert not textures.triangle[int(back["texture"])]
    assert own.normals is not None and own.flags == 0
    length = np.linalg.norm(own.normals.astype(np.float64), axis=1)
    assert (np.abs(length[length > 0] - 16300) < 3).all()
    assert made.mesh_pointers[-1] == made.mesh_pointers[int(np.flatnonzero(block.pointers == chosen)[0])]


def test_flags_of_static_meshes_follow_from_their_boxes(tmp_path: Path) -> None:
    room = plain_room(0)
    texture_all([room])
    room.objects.append(lara())
    project = project_of([room], Game.TR2, tmp_path)
    level = read_level(tmp_path / project.settings.wads[0])
    level.static_meshes = level.static_meshes.copy()
    assert len(level.static_meshes) >= 2
    level.static_meshes["flags"] = 0
    level.static_meshes["collision_box"][0] = 0
    level.static_meshes["collision_box"][1] = 1
    level.static_meshes["visibility_box"][0] = 1
    level.static_meshes["visibility_box"][1] = 0
    (tmp_path / project.settings.wads[0]).write_bytes(level.to_bytes())
    order = np.argsort(level.static_meshes["id"], kind="stable").tolist()
    flags = compiled(project, tmp_path).level.static_meshes["flags"]
    assert (int(flags[order.index(0)]), int(flags[order.index(1)])) == (3, 0)
