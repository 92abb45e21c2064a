"""Materials next to the external textures of a WAD2: shown, edited and saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from numpy.typing import NDArray

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.editors.wads.materials import read_material
from io_tomb_raider.formats.levels.textures.png import encode_png
from io_tomb_raider.scene.core.original import wad2_of
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.wads.files import write_objects
from io_tomb_raider.scene.interop.wads.put import put_model_into
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.level.texture_materials import reload_materials, save_material
from io_tomb_raider.scene.subjects.textures.pixels import read_pixels
from tests.scene.exporting import export_result
from tests.wad2_samples import differences, pixels, sample_wad2, tree

from ...rig_tools import armature

_SIDE = 64
_FLAT = (128, 128, 255)


def picture(path: Path, color: Any = (90, 60, 30), size: tuple[int, int] = (16, 16)) -> Path:
    """Write an image of one color, or of (height, width, 3) colors."""
    rgba = np.full((size[1], size[0], 4), 255, np.uint8)
    rgba[..., :3] = color
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(encode_png(rgba))
    return path


def opened(
    folder: Path, maps: Mapping[str, Any], name: str = "wood.png", *, data: bytes | None = None
) -> Any:
    """Return the level of the sample WAD2 whose first texture is an external image with maps."""
    picture(folder / "wood.png")
    for ending, color in maps.items():
        picture(folder / f"wood{ending}.png", color)
    path = folder / "a.wad2"
    path.write_bytes(sample(name))
    return import_level(path)


def sample(name: str = "wood.png") -> bytes:
    """Return the sample WAD2 with a light brown first texture, and the path of its image."""
    data = sample_wad2(paths=(name, "a label"))
    return data.replace(pixels(16, 16, 1), bytes((100, 150, 200, 255)) * 256)


def about_image(result: Any) -> list[str]:
    """Return the warnings of an import about the external image."""
    return [text for text in result.report.warnings if text.startswith("wood.png")]


def rows(root: Collection) -> Any:
    """Return the rows of the texture files."""
    return root.tomb_raider.level.texture_paths


def written(root: Collection, path: Path) -> tuple[bytes, list[str]]:
    """Return the level as an object file, and the warnings."""
    result = export_result(root)
    write_objects(root, result.level, path, result.report, result.extras)
    return path.read_bytes(), result.report.warnings


def material_of(root: Collection) -> Any:
    """Return the material of the page that is not additive."""
    return next(each for each in bpy.data.materials if each.name == "a.wad2 Page 00")


def page_maps(root: Collection) -> dict[str, NDArray[np.uint8]]:
    """Return the pictures of the maps of the first page, by the first word of their label."""
    tree = next(each.image for each in root.tomb_raider.images if each.kind == "PAGE").tomb_raider.maps
    images = {} if tree is None else {node.label: node.image for node in tree.nodes if hasattr(node, "image")}
    assert all(image.colorspace_settings.is_data == (label != "Emission") for label, image in images.items())
    return {
        label.partition(",")[0]: read_pixels(image, as_data=label != "Emission")
        for label, image in images.items()
    }


def place(root: Collection, texture: int) -> Iterator[tuple[Any, tuple[slice, slice]]]:
    """Yield the tiles of a texture, and their places on the first page."""
    library = wad2_of(root)
    assert library is not None
    for tile, (page, left, top) in zip(library.sheet.tiles, library.sheet.places.tolist(), strict=True):
        if tile.image == texture and page == 0:
            yield tile, np.s_[top : top + tile.size[1], left : left + tile.size[0]]


def seen(
    root: Collection,
    folder: Path,
    *,
    texture: int = 0,
    sun: tuple[float, float, float] | None = None,
    world: float = 0.0,
) -> NDArray[np.float64]:
    """Render a texture on a square that faces south, in the light of a sun; return (64, 64, 3)."""
    ((_, (vertical, horizontal)),) = place(root, texture)
    low, high = horizontal.start / 256, horizontal.stop / 256
    bottom, top = 1 - vertical.stop / 256, 1 - vertical.start / 256
    scene: Any = bpy.data.scenes.new("Square")
    mesh: Any = bpy.data.meshes.new("Square")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], [], [(0, 1, 2, 3)])
    uv = np.array([(low, bottom), (high, bottom), (high, top), (low, top)], np.float32)
    mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", uv.ravel())
    mesh.materials.append(material_of(root))
    scene.collection.objects.link(bpy.data.objects.new("Square", mesh))
    camera: Any = bpy.data.cameras.new("Camera")
    camera.type, camera.ortho_scale = "ORTHO", 1
    scene.camera = bpy.data.objects.new("Camera", camera)
    scene.camera.location, scene.camera.rotation_euler = (0.5, -5, 0.5), (np.pi / 2, 0, 0)
    scene.collection.objects.link(scene.camera)
    if sun is not None:
        light: Any = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
        light.data.energy, light.rotation_euler = 3, sun
        scene.collection.objects.link(light)
    scene.world = bpy.data.worlds.new("World")
    if scene.world.node_tree is None:
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (world, world, world, 1)
    scene.render.engine, scene.cycles.samples = "CYCLES", 16
    scene.cycles.use_denoising, scene.render.dither_intensity = False, 0
    scene.render.resolution_x = scene.render.resolution_y = _SIDE
    scene.view_settings.view_transform = "Standard"
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(folder / f"seen{len(list(folder.glob('seen*')))}.png")
    bpy.ops.render.render(write_still=True, scene=scene.name)
    image = bpy.data.images.load(scene.render.filepath)
    return read_pixels(image)[..., :3].astype(float)


_FROM_ABOVE, _FROM_RIGHT = (np.pi / 6, 0.0, 0.0), (np.pi / 2, 0.0, np.pi / 3)


def test_maps_are_seen_in_the_light_of_blender(blender: ModuleType, tmp_path: Path) -> None:
    half = np.full((16, 16, 3), _FLAT, np.uint8)
    half[:, 8:] = (218, 128, 218)  # to the right
    half[:8] = (128, 218, 218)  # up
    glow = np.zeros((16, 16, 3), np.uint8)
    glow[12:] = (0, 200, 0)
    root = opened(tmp_path, {"_N": half, "_E": glow}).root
    dark = seen(root, tmp_path)
    assert np.abs(dark[52:60, 4:60] - (0, 200, 0)).max() < 2 and dark[:44].max() < 1
    flat, right, upper = np.s_[34:46, 4:30], np.s_[34:46, 34:60], np.s_[4:30, 4:60]
    for sun, bright, dull in ((_FROM_ABOVE, upper, right), (_FROM_RIGHT, right, upper)):
        found = seen(root, tmp_path, sun=sun)
        assert (found[bright].mean(axis=(0, 1)) > 1.2 * found[flat].mean(axis=(0, 1))).all()
        assert (found[dull].mean(axis=(0, 1)) < found[flat].mean(axis=(0, 1))).all()


def test_reflections_and_shade_are_seen(blender: ModuleType, tmp_path: Path) -> None:
    steps = np.zeros((16, 16, 3), np.uint8)
    steps[:, 8:] = 255
    root = opened(tmp_path, {"_S": steps, "_R": (0, 0, 0)}).root
    found = seen(root, tmp_path, world=1.0)
    left, right = np.s_[4:60, 4:28], np.s_[4:60, 36:60]
    assert (found[right].mean(axis=(0, 1)) > found[left].mean(axis=(0, 1)) + 5).all()
    rows(root)[0].specular_strength = 0
    rows(root)[0].occlusion = "wood_S.png"
    found = seen(root, tmp_path, world=1.0)
    assert found[left].max() < 2
    assert np.abs(found[right].mean(axis=(0, 1)) - (200, 150, 100)).max() < 2


def test_other_texels_keep_the_light_of_the_level(blender: ModuleType, tmp_path: Path) -> None:
    """Only texels of textures with maps are lit by Blender: in the dark, the others look as before."""
    root = opened(tmp_path, {"_N": _FLAT}).root
    mapped = page_maps(root)["Occlusion"][..., 3] > 0
    expected = np.zeros((256, 256), np.bool_)
    for _, part in place(root, 0):
        expected[part] = True
    assert np.array_equal(mapped, expected)
    assert seen(root, tmp_path).max() == 0 and seen(root, tmp_path, texture=1)[4:60, 4:60].mean() > 8
    additive = next(each for each in bpy.data.materials if "Additive" in each.name)
    assert len(additive.node_tree.nodes) == 3
    (tmp_path / "plain").mkdir()
    plain = opened(tmp_path / "plain", {})
    assert about_image(plain) == [] and page_maps(plain.root) == {}


def test_maps_of_pieces_are_where_their_texture_is(blender: ModuleType, tmp_path: Path) -> None:
    """The second texture is larger than a page, so its pieces are on pages, some shrunk."""
    rng = np.random.default_rng(5)
    colors = rng.integers(0, 256, (40, 300, 3), np.uint8)
    for name in ("wide.png", "wide_AO.png", "wide_N.png", "wide_E.png"):
        picture(tmp_path / name, colors, (300, 40))
    (tmp_path / "a.wad2").write_bytes(sample_wad2(paths=("", "wide.png")))
    root = import_level(tmp_path / "a.wad2").root
    maps, count = page_maps(root), 0
    for tile, part in place(root, 1):
        count += 1
        step = tile.step
        down = slice(tile.top, tile.top + tile.height, step)
        source = colors[down, tile.left : tile.left + tile.width : step]
        assert np.array_equal(maps["Normal"][part][..., :3], source)
        assert np.array_equal(maps["Emission"][part][..., :3], source)
        assert np.array_equal(maps["Occlusion"][part][..., 0], source[..., 0])
    assert count


def test_untouched_files_stay_and_nothing_else_is_written(blender: ModuleType, tmp_path: Path) -> None:
    root = opened(tmp_path, {"_N": _FLAT, "_S": (9, 9, 9)}).root
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written(root, tmp_path / "a.wad2") == (before["a.wad2"], [])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_material_is_edited_and_saved_where_the_user_wants(blender: ModuleType, tmp_path: Path) -> None:
    root = opened(tmp_path, {"_N": _FLAT, "_E": (1, 2, 3)}).root
    row = rows(root)[0]
    assert [row.normal, row.emissive, row.specular, row.kind] == ["wood_N.png", "wood_E.png", "", "DEFAULT"]
    assert save_material(root, row) == (tmp_path / "wood.xml", False)
    assert not (tmp_path / "wood.xml").exists()
    row.specular = str(picture(tmp_path / "maps" / "s.png", (70, 70, 70)))
    row.normal_strength, row.kind, row.emissive = 0.5, "REFLECTIVE", ""
    assert (page_maps(root)["Occlusion"][..., 2] == 70).any()
    assert not page_maps(root)["Emission"][..., :3].any()
    data, warnings = written(root, tmp_path / "b.wad2")
    assert data == (tmp_path / "a.wad2").read_bytes()
    assert [text.partition(":")[0] for text in warnings] == ["wood.png"] and "Save Material" in warnings[0]
    assert save_material(root, row) == (tmp_path / "wood.xml", True)
    material = read_material((tmp_path / "wood.xml").read_bytes())
    assert material == {
        "Type": "Reflective",
        "NormalMap": "wood_N.png",
        "SpecularMap": "maps\\s.png",
        "Parameters0/X": "0.5",
        "Parameters0/Y": "1",
    }
    assert row.specular == "maps\\s.png" and written(root, tmp_path / "b.wad2")[1] == []
    again = import_level(tmp_path / "b.wad2").root
    row = rows(again)[0]
    assert [row.kind, row.specular, row.emissive] == ["REFLECTIVE", "maps\\s.png", ""]
    assert save_material(again, row)[1] is False


def test_reloaded_materials_are_those_of_the_files(blender: ModuleType, tmp_path: Path) -> None:
    root = opened(tmp_path, {"_N": _FLAT}).root
    rows(root)[0].normal = "lost.png"
    assert not page_maps(root)["Occlusion"][..., 3].any(), "Tomb Editor ignores it"
    picture(tmp_path / "wood_N.png", (20, 128, 200))
    reload_materials(root, report := Report())
    assert rows(root)[0].normal == "wood_N.png" and report.warnings == []
    assert (page_maps(root)["Normal"][..., 0] == 20).any()
    row = rows(root)[0]
    row.normal_strength = 0.5
    assert (page_maps(root)["Normal"][..., 0] == 74).any()
    names = [each.name for each in bpy.data.images if "Normal" in each.name]
    assert len(names) == 1, "older pictures are removed"
    for name, path in (("wood.png", "gone.png"), ("gone.png", "wood.png"), ("gone.png", "gone.png")):
        row.name, row.path = name, path
        reload_materials(root, Report())
        assert row.has_image == ("wood.png" in (name, path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<WadSounds> </WadSounds>", "MaterialData"),
        (b"<MaterialData>", "was not read"),
        (b"<MaterialData><NormalMap>gone.png</NormalMap></MaterialData>", "gone.png"),
        (b"<MaterialData><NormalMap>big.png</NormalMap></MaterialData>", "another size"),
        (b"<MaterialData><NormalMap>wood.xml</NormalMap></MaterialData>", "wood.xml"),
    ],
)
def test_what_the_editor_would_not_read_is_reported(
    blender: ModuleType, tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / "wood.xml").write_bytes(content)
    picture(tmp_path / "big.png", size=(32, 16))
    result = opened(tmp_path, {})
    (warning,) = about_image(result)
    assert said in warning
    row = rows(result.root)[0]
    if not row.has_image:
        with pytest.raises(FormatError):
            save_material(result.root, row)
    assert (tmp_path / "wood.xml").read_bytes() == content
    assert written(result.root, tmp_path / "a.wad2")[0] == sample()


@pytest.mark.parametrize("name", ["wood.png", "textures\\wood.png", "C:\\work\\textures\\wood.png"])
def test_paths_are_those_of_the_same_images_in_another_folder(
    blender: ModuleType, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / ("textures" if "textures" in name else "")
    picture(folder / "wood.png")
    data = sample_wad2(paths=(name, "a label"))
    (tmp_path / "a.wad2").write_bytes(data)
    root = import_level(tmp_path / "a.wad2").root
    assert written(root, tmp_path / "b.wad2")[0] == data
    (tmp_path / "deep" / "er").mkdir(parents=True)
    found = written(root, tmp_path / "deep" / "er" / "c.wad2")[0]
    is_whole = name.startswith("C:")
    changed = ["W2Textures[0].W2Txt[0].W2TxtName[0]", "W2Textures[0].W2Txt[0].W2TxtRelPath[0]"]
    assert differences(data, found) == changed[is_whole:]
    relative = "..\\..\\" + ("textures\\wood.png" if "textures" in name else "wood.png")
    assert paths_in(found)[:2] == [(name if is_whole else relative, relative), ("a label", "a label")]
    moved = import_level(tmp_path / "deep" / "er" / "c.wad2").root
    assert rows(moved)[0].has_image


def paths_in(data: bytes) -> list[tuple[str, str]]:
    """Return the names and paths of the textures of a WAD2."""
    textures = next(each for each in tree(data) if each[0] == "W2Textures")[2]
    return [(parts[0][1].decode(), parts[1][1].decode()) for _, _, parts in textures]


def test_a_model_in_another_file_finds_its_images(blender: ModuleType, tmp_path: Path) -> None:
    root = opened(tmp_path, {"_N": _FLAT}).root
    target = tmp_path / "sub" / "target.wad2"
    target.parent.mkdir()
    target.write_bytes(sample_wad2())
    put_model_into(root, armature(root, 0), target, report=Report())
    assert ("..\\wood.png", "..\\wood.png") in paths_in(target.read_bytes())


def test_a_material_is_not_taken_for_sounds(blender: ModuleType, tmp_path: Path) -> None:
    """The WAD2 and its texture have the same name, so the file beside them is the material."""
    material = b"<MaterialData><Type>Reflective</Type></MaterialData>"
    sounds = b"<WadSounds><SoundInfos /></WadSounds>"
    (tmp_path / "a.xml").write_bytes(material)
    picture(tmp_path / "a.png")
    root = opened(tmp_path, {}, "a.png").root
    assert rows(root)[0].kind == "REFLECTIVE"
    (tmp_path / "new").mkdir()
    written(root, tmp_path / "new" / "b.wad2")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["b.wad2"]
    (tmp_path / "new" / "b.xml").write_bytes(sounds)
    root = import_level(tmp_path / "new" / "b.wad2").root
    _, warnings = written(root, tmp_path / "a.wad2")
    assert (tmp_path / "a.xml").read_bytes() == material
    assert len(warnings) == 1 and warnings[0].startswith("a.xml")
    written(root, tmp_path / "c.wad2")
    assert (tmp_path / "c.xml").read_bytes() == sounds
