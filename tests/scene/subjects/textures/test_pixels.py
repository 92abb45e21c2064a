"""Conversion of images of all kinds to bytes."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError
from io_tomb_raider.scene.subjects.textures import pixels
from io_tomb_raider.scene.subjects.textures.pixels import read_pixels

from ...page_levels import user_image


def float_image(blender: ModuleType, pixel: tuple[float, float, float, float], is_data: bool = False) -> Any:
    image = blender.data.images.new("Float", 2, 1, alpha=True, float_buffer=True, is_data=is_data)
    image.pixels.foreach_set(np.array([pixel, (0, 0, 0, 1)], np.float32).ravel())
    return image


def test_byte_images_are_read_unchanged_with_the_top_row_first(blender: ModuleType) -> None:
    texels = np.random.default_rng(2).integers(0, 256, (5, 7, 4), np.uint8)
    assert np.array_equal(read_pixels(user_image(texels)), texels)


def test_all_256_values_survive(blender: ModuleType) -> None:
    texels = np.arange(256, dtype=np.uint8).repeat(4).reshape(16, 16, 4)
    assert np.array_equal(read_pixels(user_image(texels)), texels)


def test_linear_floats_become_screen_values(blender: ModuleType) -> None:
    assert read_pixels(float_image(blender, (0.2158605, 1, 0, 1)))[0, 0].tolist() == [128, 255, 0, 255]


def test_floats_are_freed_of_their_alpha(blender: ModuleType) -> None:
    image = float_image(blender, (0.2158605 / 2, 0.5, 0, 0.5))
    assert read_pixels(image)[0, 0].tolist() == [128, 255, 0, 128]
    image.alpha_mode = "CHANNEL_PACKED"
    assert read_pixels(image)[0, 0].tolist()[1] == 188


def test_values_beyond_the_screen_are_as_bright_as_it_gets(blender: ModuleType) -> None:
    image = float_image(blender, (float("inf"), 70, float("nan"), 1))
    assert read_pixels(image)[0, 0].tolist() == [255, 255, 0, 255]


def test_images_of_data_are_read_as_blender_renders_them(blender: ModuleType) -> None:
    image = float_image(blender, (0.2158605, 1, 0, 1), is_data=True)
    assert read_pixels(image)[0, 0].tolist() == [128, 255, 0, 255]


def rendered(blender: ModuleType, image: Any, path: Path) -> NDArray[np.int64]:
    """Return the pixel that Cycles renders of a plane that shines with an image."""
    scene = blender.context.scene
    material = blender.data.materials.new("Shown")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    shown, light, out = (
        nodes.new(f"ShaderNode{each}") for each in ("TexImage", "Emission", "OutputMaterial")
    )
    shown.image = image
    links.new(shown.outputs[0], light.inputs[0])
    links.new(light.outputs[0], out.inputs[0])
    blender.ops.mesh.primitive_plane_add(size=4)
    blender.context.object.data.materials.append(material)
    blender.ops.object.camera_add(location=(0, 0, 3))
    scene.camera = blender.context.object
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.render.resolution_x = scene.render.resolution_y = 4
    scene.render.dither_intensity = 0
    scene.view_settings.view_transform = "Standard"
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "PNG", "8"
    scene.render.filepath = str(path / "rendered.png")
    blender.ops.render.render(write_still=True)
    result = blender.data.images.load(scene.render.filepath)
    pixels = np.array(result.pixels[:]).reshape(-1, 4)
    return np.rint(pixels[len(pixels) // 2, :3] * 255).astype(np.int64)


def picture_of(blender: ModuleType, kind: str, path: Path) -> Any:
    """Return an image of one color: bytes, floats, or a file of 16 or 32 bits per channel."""
    color = np.tile(np.array([128, 64, 192, 255], np.float32) / 255, 16)
    is_float = kind != "bytes"
    image = blender.data.images.new("Own", 4, 4, alpha=True, float_buffer=is_float, is_data=is_float)
    image.pixels.foreach_set(color)
    image.update()
    image.pack()
    if kind.startswith("file"):
        scene = blender.context.scene
        scene.view_settings.view_transform = "Raw"
        is_16 = kind == "file of 16 bits"
        settings = scene.render.image_settings
        settings.file_format = "PNG" if is_16 else "OPEN_EXR"
        settings.color_mode, settings.color_depth = "RGBA", "16" if is_16 else "32"
        file = str(path / ("own.png" if is_16 else "own.exr"))
        image.save_render(file, scene=scene)
        image = blender.data.images.load(file)
    return image


@pytest.mark.parametrize("kind", ["bytes", "floats", "file of 16 bits", "file of floats"])
@pytest.mark.parametrize(
    "space", ["sRGB", "Non-Color", "Linear Rec.709", "Display P3", "ACEScg", "Filmic sRGB", "AgX Base sRGB"]
)
def test_color_spaces_are_written_as_blender_renders_them(
    blender: ModuleType, tmp_path: Path, space: str, kind: str
) -> None:
    image = picture_of(blender, kind, tmp_path)
    image.colorspace_settings.name = space
    before = {each.name for each in blender.data.images}
    written = read_pixels(image)[2, 2, :3].astype(np.int64)
    assert {each.name for each in blender.data.images} == before
    assert np.abs(written - rendered(blender, image, tmp_path)).max() <= 1


@pytest.mark.parametrize("space", ["sRGB", "Non-Color", "Linear Rec.709", "ACEScg"])
@pytest.mark.parametrize("kind", ["bytes", "file of 16 bits"])
def test_height_maps_are_the_values_of_their_file(
    blender: ModuleType, tmp_path: Path, space: str, kind: str
) -> None:
    image = picture_of(blender, kind, tmp_path)
    if kind == "bytes" or space != "ACEScg":  # Blender reads floats of wide color spaces mixed
        image.colorspace_settings.name = space
        assert read_pixels(image, as_data=True)[2, 2].tolist() == [128, 64, 192, 255]


def test_transparency_stays_where_colors_are_converted(blender: ModuleType) -> None:
    texels = np.array([[(55, 255, 0, 0), (55, 255, 0, 200)]], np.uint8)
    image: Any = user_image(texels)
    image.colorspace_settings.name = "Linear Rec.709"
    assert read_pixels(image).tolist() == [[[128, 255, 0, 0], [128, 255, 0, 200]]]


@pytest.mark.skipif(not hasattr(bpy.data, "colorspace"), reason="renders in the primaries of screens only")
def test_colors_of_a_wide_working_space_become_those_of_screens(blender: ModuleType, tmp_path: Path) -> None:
    image = picture_of(blender, "file of floats", tmp_path)
    image.colorspace_settings.name = "Non-Color"
    blender.ops.wm.set_working_color_space(working_space="Linear Rec.2020")
    written = read_pixels(image)[2, 2, :3].astype(np.int64)
    assert np.abs(written - rendered(blender, image, tmp_path)).max() <= 1
    assert written[0] > 200


@pytest.mark.parametrize("channels", ["BW", "RGB", "RGBA"])
def test_files_of_other_channels(blender: ModuleType, tmp_path: Any, channels: str) -> None:
    texels = np.full((3, 2, 4), (90, 90, 90, 255), np.uint8)
    source: Any = user_image(texels)
    scene = blender.context.scene
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = channels
    scene.view_settings.view_transform = "Standard"
    source.save_render(str(tmp_path / "file.png"), scene=scene)
    assert np.array_equal(read_pixels(blender.data.images.load(str(tmp_path / "file.png"))), texels)


def test_films_are_refused(blender: ModuleType) -> None:
    image = blender.data.images.new("Film", 4, 4)
    image.source = "MOVIE"
    with pytest.raises(ExportError, match="Film: only still images"):
        read_pixels(image)


def test_images_with_too_many_pixels_are_refused(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pixels, "_MOST_PIXELS", 6)
    assert read_pixels(user_image(np.zeros((2, 3, 4), np.uint8))).shape == (2, 3, 4)
    with pytest.raises(ExportError) as caught:
        read_pixels(user_image(np.zeros((7, 1, 4), np.uint8)))
    assert (caught.value.count, caught.value.limit) == (7, 6)
