"""Tests of texture regions: selecting all faces that show one, and replacing its pixels."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.scene.authoring.texture_regions.regions import (
    faces_showing,
    level_meshes,
    piece_of,
    replace_piece,
    resampled,
)
from io_tomb_raider.ui.textures import panels
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.page_levels import user_image
from tests.scene.scenes import import_scene, objects

from ..recorder import draw
from ..user_actions import export_file, import_file, import_sample, sample_file, select, write_image


def pick(obj: Any, face: int) -> None:
    """Make a face active, in edit mode."""
    select(obj)
    obj.data.polygons.active = face
    bpy.ops.object.mode_set(mode="EDIT")


@each_game
def test_a_texture_is_replaced_for_all_faces_that_show_it(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = sample_file(tmp_path, game)
    root, before = import_file(path), read_level(path.read_bytes())
    room: Any = objects(root, "ROOM")[0]
    piece: Any = piece_of(room.data, 0)
    users = {obj.name: len(faces_showing(mesh, piece)) for mesh, obj in level_meshes(root)}
    assert users[room.name] >= 1
    pick(room, 0)
    shown = draw(panels.VIEW3D_PT_tomb_raider_faces, object=room)
    assert shown is not None and piece.image.name in shown.labels
    picture = write_image(tmp_path / "red.png", (16, 8), (1.0, 0.0, 0.0, 1.0))
    assert bpy.ops.tomb_raider.replace_texture(filepath=str(picture)) == {"FINISHED"}
    assert bpy.context.mode == "OBJECT" and "red.png" not in bpy.data.images
    # A page is painted, and nothing else differs.
    after = read_level(export_file(tmp_path / "out"))
    number = piece.image.tomb_raider.page
    old, new = (decode_pages(pages_of(level))[number] for level in (before, after))
    rows = slice(256 - piece.top, 256 - piece.bottom)
    inside = new[rows, piece.left : piece.right]
    # The palette of TR1 has no purer red.
    assert (inside[..., :1].astype(int) - inside[..., 1:3] > 100).all()
    same = (old == new).all(axis=-1)
    same[rows, piece.left : piece.right] = True
    assert same.all()
    assert len(after.object_textures) == len(before.object_textures)


def test_the_top_of_a_picture_is_up(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    piece: Any = piece_of(objects(root, "ROOM")[0].data, 0)
    texels = np.zeros((piece.size[1], piece.size[0], 4), np.uint8)
    texels[..., 3], texels[0, :, 0] = 255, 255
    replace_piece(piece, user_image(texels))
    page: Any = piece.image
    rows = np.array(page.pixels).reshape(page.size[1], page.size[0], 4)[::-1]
    top = page.size[1] - piece.top
    shown = rows[top : top + piece.size[1], piece.left : piece.right, 0]
    assert (shown[0] == 1).all() and not shown[1:].any()


def test_undo_and_redo_restore_the_replaced_texture(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr2")
    root = import_file(path)
    room: Any = objects(root, "ROOM")[0]
    piece: Any = piece_of(room.data, 0)
    page = piece.image.name
    pick(room, 0)
    picture = write_image(tmp_path / "red.png", (16, 8), (1.0, 0.0, 0.0, 1.0))

    def pixels() -> Any:
        return np.array(bpy.data.images[page].pixels)

    before = pixels()
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.tomb_raider.replace_texture(filepath=str(picture)) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="after")
    replaced = pixels()
    assert (replaced != before).any()
    bpy.ops.ed.undo()
    assert (pixels() == before).all()
    assert export_file(tmp_path / "undone") == path.read_bytes()
    bpy.ops.ed.redo()
    assert (pixels() == replaced).all()


def test_faces_of_one_texture_are_selected(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr3")
    room: Any = objects(root, "ROOM")[0]
    piece: Any = piece_of(room.data, 0)
    wanted = set(faces_showing(room.data, piece).tolist())
    assert 0 in wanted and len(wanted) < len(room.data.polygons)
    pick(room, 0)
    assert bpy.ops.tomb_raider.select_same_texture() == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert {face.index for face in room.data.polygons if face.select} == wanted
    assert room.data.polygons.active == 0
    assert not bpy.ops.tomb_raider.select_same_texture.poll()
    assert not bpy.ops.tomb_raider.replace_texture.poll()


def test_files_that_are_no_image_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    (tmp_path / "text.png").write_text("no image")
    pick(objects(root, "ROOM")[0], 0)
    with pytest.raises(RuntimeError, match=r"no image that Blender can open|the image has no pixels"):
        bpy.ops.tomb_raider.replace_texture(filepath=str(tmp_path / "text.png"))


def test_pictures_are_resampled_by_means() -> None:
    pixels = np.zeros((2, 4, 4), np.uint8)
    pixels[..., 3] = 255
    pixels[0, :, 0] = (0, 100, 200, 40)
    smaller = resampled(pixels, 2, 1)
    assert smaller[0, :, 0].tolist() == [25, 60]
    assert (resampled(pixels, 8, 2)[0, ::2, 0] == pixels[0, :, 0]).all()
    pixels[0, 1, 3] = 0  # transparent pixels do not contribute to colors
    assert resampled(pixels[:1], 2, 1)[0, 0].tolist() == [0, 0, 0, 128]
