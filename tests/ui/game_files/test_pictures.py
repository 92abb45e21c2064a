"""Tests of pictures of PAK files as images: byte-identical if untouched, exact if painted, in both sizes."""

from __future__ import annotations

import zlib
from pathlib import Path
from struct import pack
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats.levels.cutscenes.pak import LOGO, SCREEN, PictureKind, decode_picture, read_pak
from io_tomb_raider.ui.textures import image_panels as image_panel
from tests.real_levels import real_files

from ..recorder import draw
from ..user_actions import fails

each_kind = pytest.mark.parametrize("kind", [LOGO, SCREEN], ids=["logo", "screen"])


def picture_file(folder: Path, kind: PictureKind, level: int = 3) -> Path:
    """Write a picture with random pixels, compressed differently than by the extension."""
    content = np.random.default_rng(1).integers(0, 256, kind.size, np.uint8).tobytes()
    path = folder / "pic.PAK"
    path.write_bytes(pack("<I", kind.size) + zlib.compress(content, level))
    return path


def import_picture(path: Path) -> Any:
    before = set(bpy.data.images)
    assert bpy.ops.import_image.tomb_raider_picture(filepath=str(path)) == {"FINISHED"}
    (image,) = set(bpy.data.images) - before
    return image


def export_picture(path: Path, image: Any) -> bytes:
    assert bpy.ops.export_image.tomb_raider_picture(filepath=str(path), image=image.name) == {"FINISHED"}
    return path.read_bytes()


def pixels_of(image: Any) -> np.ndarray:
    """Return the pixels of an image, top row first, as bytes."""
    values = np.empty(image.size[0] * image.size[1] * image.channels, np.float32)
    image.pixels.foreach_get(values)
    shape = image.size[1], image.size[0], image.channels
    return np.rint(values.reshape(shape)[::-1, :, :3] * 255).astype(np.uint8)


@each_kind
def test_untouched_pictures_come_back_byte_for_byte(
    blender: ModuleType, tmp_path: Path, kind: PictureKind
) -> None:
    path = picture_file(tmp_path, kind)
    image = import_picture(path)
    assert tuple(image.size) == (kind.width, kind.height)
    assert image.packed_file is not None
    assert image.tomb_raider.kind == "PICTURE"
    assert np.array_equal(pixels_of(image), decode_picture(read_pak(path.read_bytes()).content))
    assert export_picture(tmp_path / "out.PAK", image) == path.read_bytes()


@each_kind
def test_pictures_survive_saving_and_loading(blender: ModuleType, tmp_path: Path, kind: PictureKind) -> None:
    path = picture_file(tmp_path, kind)
    name = import_picture(path).name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert export_picture(tmp_path / "out.PAK", bpy.data.images[name]) == path.read_bytes()


@each_kind
def test_only_painted_pixels_change(blender: ModuleType, tmp_path: Path, kind: PictureKind) -> None:
    path = picture_file(tmp_path, kind)
    image = import_picture(path)
    values = np.empty(image.size[0] * image.size[1] * image.channels, np.float32)
    image.pixels.foreach_get(values)
    grid = values.reshape(image.size[1], image.size[0], image.channels)
    grid[-1 - 7, 11, :3] = (1.0, 0.0, 1.0)  # row 7 from the top
    image.pixels.foreach_set(values)
    before = read_pak(path.read_bytes()).content
    after = read_pak(export_picture(tmp_path / "out.PAK", image)).content
    size = kind.pixel_size
    differing = np.flatnonzero(np.frombuffer(before, np.uint8) != np.frombuffer(after, np.uint8)) // size
    assert set(differing.tolist()) == {7 * kind.width + 11}
    assert decode_picture(after)[7, 11].tolist() == [255, 0, 255]


@each_kind
def test_images_of_the_users_become_pictures(blender: ModuleType, tmp_path: Path, kind: PictureKind) -> None:
    image: Any = bpy.data.images.new("Mine", kind.width, kind.height, alpha=True)
    values = np.zeros((kind.height, kind.width, 4), np.float32)
    values[0] = (1, 1, 1, 1)  # the lowest row
    values[1] = (1, 1, 1, 0.5)
    image.pixels.foreach_set(values.ravel())
    shown = decode_picture(read_pak(export_picture(tmp_path / "new.PAK", image)).content)
    assert (shown[-1] == 255).all()
    assert np.abs(shown[-2].astype(int) - 128).max() <= 8
    assert (shown[:-2] == 0).all()


def test_files_that_are_no_picture_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "bad.PAK"
    images = len(bpy.data.images)
    for content, text in (
        (b"", "this is a file of cutscenes"),  # as far as its suffix says
        (pack("<I", 9) + zlib.compress(bytes(9)), "this is a file of cutscenes"),
        (picture_file(tmp_path, LOGO).read_bytes()[:-9], "a zlib stream"),
    ):
        path.write_bytes(content)
        assert text in fails(bpy.ops.import_image.tomb_raider_picture, filepath=str(path))
    assert "No such file" in fails(
        bpy.ops.import_image.tomb_raider_picture, filepath=str(tmp_path / "none.PAK")
    )
    assert len(bpy.data.images) == images


def test_invalid_images_are_refused_and_the_file_is_kept(blender: ModuleType, tmp_path: Path) -> None:
    path = picture_file(tmp_path, LOGO)
    before = path.read_bytes()
    small: Any = bpy.data.images.new("Small", 64, 64)
    export = bpy.ops.export_image.tomb_raider_picture
    text = fails(export, filepath=str(path), image=small.name)
    assert "Small: is 64 by 64 pixels, and the games have 512 by 256 or 640 by 480" in text
    assert "there is no such image" in fails(export, filepath=str(path), image="Nothing")
    assert "there is no such image" in fails(export, filepath=str(path))
    assert path.read_bytes() == before


def test_the_image_panel_names_the_kind_of_picture(blender: ModuleType, tmp_path: Path) -> None:
    image = import_picture(picture_file(tmp_path, LOGO))
    layout = draw(image_panel.IMAGE_PT_tomb_raider, edit_image=image)
    assert layout is not None
    assert layout.labels == ["Picture"]


@pytest.mark.parametrize("path", real_files(".pak"), ids=lambda path: path.name)
def test_real_pictures_come_back_byte_for_byte(blender: ModuleType, tmp_path: Path, path: Path) -> None:
    assert export_picture(tmp_path / "out.PAK", import_picture(path)) == path.read_bytes()
