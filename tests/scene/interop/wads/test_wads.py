"""Object files of the level editor in a scene, imported like levels."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.editors.wads.wad.level import convert_wad
from tests.compare import differences
from tests.sample_levels import sample_level
from tests.wad_samples import RECTANGLES, sample_polygons, sample_swd, sample_wad

from ...rig_tools import ENEMY, LARA, actions, armature, model_keys, posed, show_library, shown_vertices
from ...scenes import export_scene, import_scene, mesh_of, objects


@pytest.mark.parametrize("model", [LARA, ENEMY])
def test_models_of_a_wad_are_posed_as_those_of_the_level(blender: ModuleType, model: int) -> None:
    original = sample_level(Game.TR4)
    root = import_scene(convert_wad(sample_wad()).level.to_bytes())
    show_library(root, model)
    for number, action in enumerate(actions(root, model)[:2]):
        armature(root, model).animation_data.action = action
        keys = model_keys(original, model, number)
        for key in (0, len(keys) - 1):
            found = shown_vertices(root, model, key * action.tomb_raider.frame_rate)
            for seen, wanted in zip(found, posed(original, model, keys, key), strict=True):
                assert np.abs(seen - wanted).max() < 0.1


def test_faces_show_the_middle_of_their_samples(blender: ModuleType) -> None:
    root = import_scene(convert_wad(sample_wad()).level.to_bytes())
    compared = 0
    for number, polygons in enumerate(sample_polygons()):
        mesh = mesh_of(root, number)
        ordered = sorted(polygons, key=lambda polygon: -len(polygon.vertices))  # quads first
        if len(ordered) != len(mesh.polygons):
            continue  # faces that Blender cannot represent
        uv = np.array([loop.uv for loop in mesh.uv_layers[0].data])
        for polygon, face in zip(ordered, mesh.polygons, strict=True):
            x, y, page, width, height = RECTANGLES[polygon.sample]
            material = mesh.materials[face.material_index]
            assert material.tomb_raider.page == page
            u, v = uv[list(face.loop_indices)].mean(axis=0) * 256
            if face.loop_total == 4:
                column, row = width / 2, height / 2
            else:  # a third of the distance from the right angle
                right = (polygon.orientation in (1, 2)) != polygon.mirrored
                column = width * (2 / 3 if right else 1 / 3)
                row = height * (2 / 3 if polygon.orientation >= 2 else 1 / 3)
            assert abs(u - (x + column)) < 0.01 and abs(256 - v - (y + row)) < 0.01
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("rebuild", [False, True])
def test_the_scene_of_a_wad_is_exported_as_the_level_that_it_was_made_to(
    blender: ModuleType, rebuild: bool
) -> None:
    data = convert_wad(sample_wad(), sample_swd()).level.to_bytes()
    root = import_scene(data)
    assert differences(read_level(data), export_scene(root, rebuild=rebuild), rebuilt=rebuild) == []


def test_a_wad_without_anything_is_an_empty_scene(blender: ModuleType) -> None:
    wad = sample_wad()
    for name in ("texture_samples", "page_data", "mesh_pointers", "mesh_data", "models", "static_meshes"):
        setattr(wad, name, getattr(wad, name)[:0])
    root = import_scene(convert_wad(wad).level.to_bytes())
    assert objects(root, "MODEL") == [] and objects(root, "STATIC_MESH") == []
