"""Tests of animated textures that a user edits in an opened project."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection, Object

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.levels.textures.png import encode_png
from tests.formats.editors.projects.animated_samples import (
    animated_project,
    animated_set,
    picture,
    tile_corners,
)
from tests.formats.editors.projects.compile.compile_samples import IMAGE
from tests.scene.scenes import objects

from ..user_actions import edit_faces, levels

_CHOICES = [(0, 0, False), (4, 0, False), (8, 0, False), (9, 0, False)]


@pytest.fixture
def root(blender: ModuleType, tmp_path: Path) -> Collection:
    """Return the level of a project with two animated sets, imported by the menu."""
    sets = [animated_set("Water", [0, 1, 2], fps=10), animated_set("Fire", [4, 5], repeat=2)]
    project = animated_project(Game.TR4, tmp_path, sets, _CHOICES)
    (tmp_path / IMAGE).write_bytes(encode_png(picture(tmp_path / IMAGE)))
    path = tmp_path / "made.prj2"
    path.write_bytes(project.to_bytes())
    assert bpy.ops.import_scene.tomb_raider_project(filepath=str(path)) == {"FINISHED"}
    (made,) = levels()
    return made


def _export(folder: Path) -> Project:
    path = folder / "out.prj2"
    assert bpy.ops.export_scene.tomb_raider_project(filepath=str(path)) == {"FINISHED"}
    return read_project(path)


def _tiles(project: Project) -> dict[str, list[tuple[int, int]]]:
    known = {tile_corners(tile): tile for tile in range(16)}
    return {
        each.name: [(known.get(frame.corners, -1), frame.repeat) for frame in each.frames]
        for each in project.settings.animated_sets
    }


def _static_faces(room: Object) -> list[int]:
    """Return the quads of a room that play no animated texture, by what they show."""
    mesh = room.data
    layer = mesh.uv_layers.active.uv
    found: dict[tuple[float, ...], int] = {}
    for face in mesh.polygons:
        material = mesh.materials[face.material_index]
        if len(face.vertices) == 4 and not material.tomb_raider.animation:
            uv = np.array([layer[loop].vector for loop in face.loop_indices])
            found.setdefault(tuple(uv.mean(axis=0).round(3).tolist()), face.index)
    return list(found.values())


def test_an_unedited_project_with_animated_textures_keeps_its_bytes(root: Collection, tmp_path: Path) -> None:
    _export(tmp_path)
    assert (tmp_path / "out.prj2").read_bytes() == (tmp_path / "made.prj2").read_bytes()


def test_moved_and_removed_frames_are_saved(root: Collection, tmp_path: Path) -> None:
    room = objects(root, "ROOM")[0]
    bpy.context.view_layer.objects.active = room
    settings = root.tomb_raider.animated
    settings.active = 0
    settings.groups[0].active_frame = 2
    assert bpy.ops.tomb_raider.move_texture_frame(direction="UP") == {"FINISHED"}
    settings.active = 1
    settings.groups[1].active_frame = 0
    assert bpy.ops.tomb_raider.remove_texture_frame() == {"FINISHED"}
    project = _export(tmp_path)
    assert _tiles(project) == {"Water": [(0, 1), (2, 1), (1, 1)], "Fire": [(4, 1), (5, 1)]}
    assert project.settings.animated_sets[0].fps == 10
    assert not list(tmp_path.glob("*_edited.png"))


def test_a_new_animated_texture_is_a_new_set(root: Collection, tmp_path: Path) -> None:
    room = objects(root, "ROOM")[0]
    first, second = _static_faces(room)[:2]
    edit_faces(room, first)
    assert bpy.ops.tomb_raider.add_animated_texture() == {"FINISHED"}
    assert bpy.ops.tomb_raider.add_texture_frames() == {"FINISHED"}
    assert bpy.ops.tomb_raider.play_on_faces() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    edit_faces(room, second)
    assert bpy.ops.tomb_raider.add_texture_frames() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    found = _tiles(_export(tmp_path))
    assert list(found) == ["Water", "Fire", "Animated 0"]
    assert sorted(found["Animated 0"]) == [(8, 1), (9, 1)]
    assert not list(tmp_path.glob("*_edited.png"))


def test_a_removed_animated_texture_is_no_set(root: Collection, tmp_path: Path) -> None:
    bpy.context.view_layer.objects.active = objects(root, "ROOM")[0]
    settings = root.tomb_raider.animated
    # The water has three frames, and one animated texture for each kind of face.
    while water := [at for at, group in enumerate(settings.groups) if len({*_places(group)}) == 3]:
        settings.active = water[0]
        assert bpy.ops.tomb_raider.remove_animated_texture() == {"FINISHED"}
    assert len(settings.groups)
    assert _tiles(_export(tmp_path)) == {"Fire": [(4, 2), (5, 1)]}


def _places(group: Any) -> list[tuple[float, ...]]:
    return [tuple(frame.corners) for frame in group.frames]
