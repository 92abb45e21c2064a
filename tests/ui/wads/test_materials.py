"""Materials of external textures in the panel Texture Files."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy

from io_tomb_raider.formats.editors.wads.materials import read_material
from io_tomb_raider.ui.wads.panels import COLLECTION_PT_tomb_raider_texture_paths
from tests.wad2_samples import sample_wad2

from ..recorder import shown
from ..user_actions import export_file, fails, import_file, write_image

_FIELDS = ["kind", "normal", "specular", "roughness", "occlusion", "emissive", "height"]


def _opened(folder: Path) -> Any:
    """Return the settings of a WAD2 whose second texture has an image, with its collection active."""
    write_image(folder / "wide.png", (300, 40), (0.2, 0.2, 0.2, 1))
    write_image(folder / "wide_N.png", (300, 40), (0.5, 0.5, 1, 1))
    path = folder / "a.wad2"
    path.write_bytes(sample_wad2(paths=("label", "wide.png")))
    root = import_file(path)
    layers = bpy.context.view_layer.layer_collection.children
    bpy.context.view_layer.active_layer_collection = layers[root.name]
    return root.tomb_raider.level


def _shown() -> Any:
    return shown(COLLECTION_PT_tomb_raider_texture_paths, collection=bpy.context.collection)


def test_a_material_is_edited_in_the_panel_and_saved(blender: ModuleType, tmp_path: Path) -> None:
    settings = _opened(tmp_path)
    assert "kind" not in [name for _, name in _shown().shown], "the first texture is in the file only"
    settings.active_texture_path = 1
    layout = _shown()
    assert [name for _, name in layout.shown if name in _FIELDS] == _FIELDS
    assert "normal_strength" in [name for _, name in layout.shown] and "wide.xml" in layout.texts
    row = settings.texture_paths[1]
    assert row.normal == "wide_N.png"
    assert bpy.ops.tomb_raider.save_material() == {"CANCELLED"}
    row.kind, row.normal_strength = "REFLECTIVE", 0.75
    assert "normal_strength" not in [name for _, name in _shown().shown]
    assert bpy.ops.tomb_raider.save_material() == {"FINISHED"}
    material = read_material((tmp_path / "wide.xml").read_bytes())
    assert (material["Type"], material["Parameters0/X"]) == ("Reflective", "0.75")
    assert export_file(tmp_path / "a.wad2") == sample_wad2(paths=("label", "wide.png"))
    row.kind = "DEFAULT"
    assert bpy.ops.tomb_raider.reload_materials() == {"FINISHED"}
    assert row.kind == "REFLECTIVE"


def test_what_cannot_be_saved_is_said(blender: ModuleType, tmp_path: Path) -> None:
    settings = _opened(tmp_path)
    assert "not found" in fails(bpy.ops.tomb_raider.save_material)
    settings.active_texture_path = 1
    settings.texture_paths[1].kind = "SKYBOX"
    (tmp_path / "wide.xml").write_bytes(b"<WadSounds> </WadSounds>")
    assert "MaterialData" in fails(bpy.ops.tomb_raider.save_material)
    assert (tmp_path / "wide.xml").read_bytes() == b"<WadSounds> </WadSounds>"
    settings.active_texture_path = 5
    assert not bpy.ops.tomb_raider.save_material.poll()
