"""Append of textures of another file: user pictures, which are packed if faces show them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.edits.append.textures import Texture, textures_of
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.animated import decode_animated
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.subjects.object_textures.animation_tools import play_on
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level
from tests.scene.subjects.textures.face_pictures import show_in_first_room

from ...scenes import export_scene, import_scene, objects
from .appending import append_from
from .reading import textures_in_room

NEAR = 12  # 16-bit pages hold 32 steps of each color, and palettes 256 colors


def texture_colors(level: Level, texture: Texture, frame: int = 0) -> NDArray[np.float64]:
    """Return what a texture of a level shows, (h, w, 3)."""
    page, left, top, right, bottom = texture.frames[frame].box
    return decode_pages(pages_of(level))[page, top:bottom, left:right, :3].astype(np.float64)


def new_textures(old: Level, new: Level) -> list[Texture]:
    """Return the pieces of a level that another one has not."""
    there = {(each.name, texture_colors(old, each).tobytes()) for each in textures_of(old)}
    return [
        each
        for each in textures_of(new)
        if each.number >= 0 and (each.name, texture_colors(new, each).tobytes()) not in there
    ]


@pytest.mark.parametrize(
    ("source", "game"),
    [
        *((game, game) for game in Game),
        (Game.TR1, Game.TR4),
        (Game.TR4, Game.TR1),
        (Game.TR2, Game.TR5),
        (Game.TR5, Game.TR3),
    ],
)
def test_a_piece_is_shown_as_in_its_file(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    there = read_level(sample_bytes(source))
    (wanted,) = (each for each in textures_of(there) if each.name == "Page 00 64 x 64 at 64 192 Alpha")
    got = append_from(root, tmp_path, source, textures=str(wanted.number))
    assert (got.pieces["texture"], got.objects, len(got.materials)) == (1, [], 1)
    assert got.materials[0].name.endswith(wanted.name)
    # Unused textures are not exported.
    assert export_scene(root).to_bytes() == data
    show_in_first_room(root, got.materials[0])
    old, new = read_level(data), export_scene(root)
    (made,) = new_textures(old, new)
    assert made.frames[0].attribute == 1
    assert texture_colors(new, made).shape == texture_colors(there, wanted).shape
    box = wanted.frames[0].box
    opaque = decode_pages(pages_of(there))[box.page, box.top : box.bottom, box.left : box.right, 3] > 0
    assert np.abs(texture_colors(new, made) - texture_colors(there, wanted))[opaque].max() <= NEAR
    changed = {path[0] for path in differences(old, new)}
    assert changed <= {"rooms", "object_textures", "textiles8", "textiles16", "textiles32", "object_textiles"}


@each_game
def test_a_page_is_appended_whole_and_only_its_used_part_exported(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    got = append_from(root, tmp_path, Game.TR1, textures="Page 00, page 01")
    assert got.pieces["texture"] == 2
    show_in_first_room(root, got.materials[0])
    mesh = objects(root, "ROOM")[0].data
    layer = mesh.uv_layers.active.uv
    face = next(each for each in mesh.polygons if each.material_index == len(mesh.materials) - 1)
    for loop in face.loop_indices:
        layer[loop].vector *= 0.25
    old, new = read_level(data), export_scene(root)
    (made,) = new_textures(old, new)
    there = read_level(sample_bytes(Game.TR1))
    (like,) = (each for each in textures_of(there) if each.name == "Page 00 64 x 64 at 0 192")
    assert np.abs(texture_colors(new, made) - texture_colors(there, like)).max() <= NEAR
    assert (
        sum(path[2] for path in differences(old, new) if path[0] == "textiles16" and path[1] != "count")
        <= 4096
    )


@each_game
@pytest.mark.parametrize("source", [Game.TR1, Game.TR4])
def test_an_animated_texture_plays_on_faces(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    got = append_from(root, tmp_path, source, textures="Animated Texture 0")
    (material,) = got.materials
    group = root.tomb_raider.animated.groups[-1]
    assert material.tomb_raider.animation == group.uid
    # No face plays it, so it is not exported.
    level, report = export_level(root)
    assert read_level(level.to_bytes()).to_bytes() == data
    assert any("no face plays it" in text for text in report.warnings)
    mesh = objects(root, "ROOM")[0].data
    quad = next(each.index for each in mesh.polygons if each.loop_total == 4)
    play_on(root, group, mesh, np.array([quad]))
    there, old, new = read_level(sample_bytes(source)), read_level(data), export_scene(root)
    (before, *_), after = textures_of(there), [each for each in textures_of(new) if each.is_animated]
    count = len(decode_animated(old.animated_textures).groups)
    assert len(after) == count + 1
    made = after[-1]
    assert len(made.frames) == len(before.frames) > 1
    for number in range(len(made.frames)):
        assert np.abs(texture_colors(new, made, number) - texture_colors(there, before, number)).max() <= NEAR
    # The face plays it.
    playing = decode_animated(new.animated_textures).groups[-1][0]
    assert playing in textures_in_room(new, 0)


def test_additive_textures_become_color_keyed_in_games_without_them(
    blender: ModuleType, tmp_path: Path
) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    got = append_from(root, tmp_path, Game.TR4, textures="Page 00 64 x 64 at 64 128 Additive")
    assert got.materials[0].tomb_raider.attribute == 1
    (text,) = got.report.warnings
    assert text.endswith("this game does not support this blending, and draws them in the closest way")
    with pytest.raises(ExportError, match="Its textures are Animated Texture 0, Page 00, "):
        append_from(root, tmp_path, Game.TR1, textures="Wallpaper")


def test_unused_appended_materials_are_saved(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    got = append_from(root, tmp_path, Game.TR3, textures="Page 01*")
    names = [each.name for each in got.materials]
    assert len(names) > 4
    path = tmp_path / "saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert set(names) <= {each.name for each in bpy.data.materials}
    assert all(user.image.packed_file for name in names for user in _textures(bpy.data.materials[name]))


def _textures(material: Any) -> list[Any]:
    from io_tomb_raider.scene.core.blender.compat import material_nodes

    return [each for each in material_nodes(material).nodes if each.bl_idname == "ShaderNodeTexImage"]
