"""Skins: shown as engines bend them, and written bit for bit where they are unchanged."""

from __future__ import annotations

from pathlib import Path
from struct import unpack
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats.editors.wads.object_files import put_model
from io_tomb_raider.formats.editors.wads.wad2.skins import pairs_of, weights_of
from tests.real_levels import each_real_objects
from tests.scene.exporting import export_result
from tests.wad2_samples import PAIRS, VERTICES, differences, sample_wad2, tree

from ...rig_tools import show_library
from ...scenes import UNIT, objects
from .random_skins import SkinnedModel, skinned_models
from .skin_files import imported, skin_in, skins_in, written

SKIN = "W2Moveables[0].W2Moveable[0].W2MovSkin[0].W2Mesh[0]."


def read_pairs(data: bytes, moveable: int = 0) -> list[list[tuple[int, float]]]:
    """Return the bones and weights of a skin, read without the extension."""
    parts = next(part for name, _, part in tree(data) if name == "W2Moveables")[moveable][2]
    ((_, _, mesh),) = next(part for name, _, part in parts if name == "W2MovSkin")
    rows = next(part for name, _, part in mesh if name == "W2VrtWghts")
    flat = [unpack("<ifififif", body[:32]) for _, body, _ in rows]
    return [list(zip(row[::2], row[1::2], strict=True)) for row in flat]


def shown(skin: Any) -> np.ndarray:
    """Return the vertices of a skin in the pose that Blender shows, in units of the file, y down."""
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    mesh = skin.evaluated_get(graph).data
    places = np.array([vertex.co for vertex in mesh.vertices], float) / UNIT
    return places[:, [0, 2, 1]] * (1, -1, 1)


def test_a_skin_is_a_mesh_with_groups_of_bones(blender: ModuleType, tmp_path: Path) -> None:
    skin = skin_in(imported(sample_wad2(), tmp_path))
    assert [group.name for group in skin.vertex_groups] == [bone.name for bone in skin.parent.data.bones]
    assert [modifier.object for modifier in skin.modifiers] == [skin.parent]
    places = np.array([vertex.co for vertex in skin.data.vertices]) / UNIT
    assert np.array_equal(places[:, [0, 2, 1]] * (1, 1, 1), np.array(VERTICES)), "with their fractions"
    found = [{group.group: group.weight for group in vertex.groups} for vertex in skin.data.vertices]
    wanted = [{0: 0.3, 1: 0.7}, {0: 0.25, 1: 0.25}, {0: 1.0}, {1: 1.0}]
    for weights, expected in zip(found, wanted, strict=True):
        assert weights == pytest.approx(expected)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(skinned_models(), st.data())
def test_any_skin_is_posed_as_in_the_engine_and_written_exactly(
    blender: ModuleType, tmp_path_factory: pytest.TempPathFactory, model: SkinnedModel, data: st.DataObject
) -> None:
    folder, source = tmp_path_factory.mktemp("any"), model.to_bytes()
    root = imported(source, folder)
    skin = skin_in(root)
    show_library(root, 0)
    skin.parent.animation_data.action = bpy.data.actions[0]
    bpy.context.scene.frame_set(0)
    # Blender computes the axes of some bones at rest to 5e-5 only, which shows beyond 150 units from a bone.
    assert np.abs(shown(skin) - model.posed()).max() < max(0.01, 7e-5 * model.reach)
    assert written(root, folder)[0] == source
    vertex = data.draw(st.integers(0, len(model.vertices) - 1))
    group = skin.vertex_groups[data.draw(st.integers(0, len(model.operations) - 1))]
    weight = data.draw(st.floats(0.25, 1.0, width=32))
    before = {each.group: each.weight for each in skin.data.vertices[vertex].groups}
    group.add([vertex], weight, "REPLACE")
    after = {each.group: each.weight for each in skin.data.vertices[vertex].groups}
    edited, _ = written(root, folder)
    if before == after:
        assert edited == source
        return
    assert differences(source, edited) in ([f"{SKIN}W2VrtWghts[0].W2VrtWght[{vertex}]"], [])
    pairs = read_pairs(edited)[vertex]
    weights = [each for _, each in pairs]
    assert weights == sorted(weights, reverse=True) and sum(weights) == pytest.approx(1)
    kept = {number: value for number, value in after.items() if value / sum(after.values()) >= 1 / 255}
    kept = dict(sorted(kept.items(), key=lambda pair: -pair[1])[:4])
    wanted = {number: value / sum(kept.values()) for number, value in kept.items()}
    assert {number: value for number, value in pairs if value} == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("scale", [UNIT, 0.0137])
def test_a_moved_vertex_keeps_its_fractions_and_weights(
    blender: ModuleType, tmp_path: Path, scale: float
) -> None:
    root = imported(sample_wad2(), tmp_path, scale)
    skin_in(root).data.vertices[1].co.x += 2.25 * scale
    data, warnings = written(root, tmp_path)
    assert differences(sample_wad2(), data) == [
        f"{SKIN}W2BBox[0].W2BBMax[0]",
        f"{SKIN}W2VrtPos[0].W2Pos[1]",
    ]
    parts = dict((name, part) for name, _, part in tree(data)[5][2][0][2][2][2][0][2])
    assert unpack("<3f", parts["W2VrtPos"][1][1]) == pytest.approx((102.25, 50.0, -30.125))
    assert not warnings


def test_deleted_and_new_vertices_leave_the_others_as_they_are(blender: ModuleType, tmp_path: Path) -> None:
    import bmesh

    root = imported(sample_wad2(), tmp_path)
    skin = skin_in(root)
    with_edit = bmesh.new()
    with_edit.from_mesh(skin.data)
    bmesh.ops.delete(with_edit, geom=[with_edit.verts[:][3]], context="VERTS")
    bmesh.ops.duplicate(with_edit, geom=[*with_edit.faces])
    with_edit.to_mesh(skin.data)
    with_edit.free()
    skin.vertex_groups[1].add([4], 0.75, "REPLACE")
    skin.vertex_groups[0].remove([4])
    data, _ = written(root, tmp_path)
    padded = [[*row, *[(0, 0.0)] * (4 - len(row))] for row in PAIRS]
    # By the weight of the first bone; Blender decides the order of new vertices.
    rows = {0.3: padded[0], 0.25: padded[1], 1.0: padded[2], 0.0: [(1, 1.0), *[(0, 0.0)] * 3]}
    found = [{each.group: each.weight for each in vertex.groups} for vertex in skin.data.vertices]
    expected = [rows[round(each.get(0, 0.0), 4)] for each in found]
    assert sorted(map(str, expected)) != sorted(map(str, expected[:3] * 2)), "one was painted"
    for row, wanted in zip(read_pairs(data), expected, strict=True):
        assert [number for number, _ in row] == [number for number, _ in wanted]
        assert np.allclose([weight for _, weight in row], [weight for _, weight in wanted])


def test_a_deleted_skin_is_removed_from_the_file(blender: ModuleType, tmp_path: Path) -> None:
    root = imported(sample_wad2(), tmp_path)
    bpy.data.objects.remove(skin_in(root))
    data, _ = written(root, tmp_path)
    assert differences(sample_wad2(), data) == ["W2Moveables[0].W2Moveable[0].W2MovSkin 1 -> 0"]


def test_one_switch_shows_the_skin_or_what_it_replaces(blender: ModuleType, tmp_path: Path) -> None:
    root = imported(sample_wad2(), tmp_path)
    skin = skin_in(root)
    body, head = (each for each in skin.parent.children if each != skin)
    seen = [(each.hide_viewport, each.hide_render) for each in (skin, body, head)]
    assert seen == [(False, False), (True, True), (False, False)], "the head is drawn beside the skin"
    head.data.tomb_raider.is_hidden = True
    assert head.hide_viewport
    skin.parent.tomb_raider.model.shows_skin = False
    assert [each.hide_viewport for each in (skin, body, head)] == [True, False, False]
    data, _ = written(root, tmp_path)
    assert differences(sample_wad2(), data) == ["W2Moveables[0].W2Moveable[0].W2Mesh[1].W2MeshVisible[0]"], (
        "the switch is for Blender only"
    )


def test_weights_without_a_bone_or_a_vertex_are_reported(blender: ModuleType, tmp_path: Path) -> None:
    root = imported(sample_wad2(), tmp_path)
    skin = skin_in(root)
    skin.vertex_groups.new(name="Seam").add([0], 1.0, "REPLACE")
    for group in list(skin.vertex_groups)[:2]:
        group.remove([1])
    data, warnings = written(root, tmp_path)
    assert differences(sample_wad2(), data) == [f"{SKIN}W2VrtWghts[0].W2VrtWght[1]"]
    assert read_pairs(data)[1][0] == (0, 1.0)
    assert warnings == [
        "Lara Skin: 1 of its vertices have no weight, so the first bone moves them: use Weight Paint",
        "Lara Skin: vertex groups without a bone are not exported: Seam",
    ]


def test_the_skin_of_lara_shows_her_animations(blender: ModuleType, tmp_path: Path) -> None:
    """TombEngine draws slot 12 in place of Lara, slot 0."""
    files = put_model({".wad2": sample_wad2()}, sample_wad2(), 0, 12, lambda kind, number: kind)
    root = imported(files[".wad2"], tmp_path)
    lara, drawn = (each for each in objects(root, "MODEL") if each.tomb_raider.model.id in (0, 12))
    assert drawn.animation_data.action == lara.animation_data.action
    assert lara.animation_data.action.tomb_raider.model == lara
    assert written(root, tmp_path)[0] == files[".wad2"]


def test_files_without_skins_report_them(blender: ModuleType, tmp_path: Path) -> None:
    root = imported(sample_wad2(), tmp_path)
    result = export_result(root, with_skins=False)
    assert list(map(str, result.report.warnings)) == [
        "Lara Skin: only .wad2 files hold skins, so it is left out: use Split Skin into Bone Meshes"
    ]


def test_check_names_what_the_engine_draws_otherwise(blender: ModuleType, tmp_path: Path) -> None:
    root = imported(sample_wad2(), tmp_path)
    skin = skin_in(root)
    parts = [each for each in skin.parent.children if each != skin]
    for part in parts:
        part.data.tomb_raider.is_hidden = False
    parts[1].data.tomb_raider.radius = 0
    for number in range(31):
        bone_of(skin.parent, number)
    warnings = written(root, tmp_path, is_checked=True)[1]
    text = "\n".join(warnings)
    assert "TombEngine draws skins of at most 32 bones, and it has 33" in text
    assert "the offsets of these bones are not whole, and TombEngine cuts them: neck" in text
    assert "no mesh of its bones is hidden, so TombEngine draws them over its skin" in text
    assert "these bones have no collision sphere, so shots miss them: " in text
    assert "only TombEngine" not in text


def bone_of(armature: Any, number: int) -> None:
    """Add a bone with a mesh to a model."""
    from io_tomb_raider.scene.subjects.models.models import edit_mode, hang

    name = f"New {number:02}"
    with edit_mode([armature]):
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = (0, number, 0), (0, number, 1)
        bone.parent = armature.data.edit_bones[0]
    part = next(each for each in armature.children if each.parent_bone).copy()
    armature.users_collection[0].objects.link(part)
    hang(part, armature, armature.data.bones[name])


@given(st.integers(1, 9), st.data())
def test_written_weights_are_the_largest_four(bones: int, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.floats(0, 1, width=32), min_size=bones, max_size=bones))
    (pairs,) = pairs_of(np.array([values], np.float32))
    weights = pairs["weight"]
    assert (np.diff(weights) <= 0).all() and weights.sum() == pytest.approx(1)
    assert ((weights == 0) | (weights > 1 / 256)).all()
    if max(values) > 1e-3:
        assert values[pairs["bone"][0]] == max(values)
    shown_again = weights_of(pairs[None], bones)
    assert np.array_equal(weights_of(pairs_of(shown_again), bones).argmax(), shown_again.argmax())


@each_real_objects(".wad2")
def test_an_untouched_real_file_is_written_unchanged(
    blender: ModuleType, tmp_path: Path, objects: bytes
) -> None:
    root = imported(objects, tmp_path)
    assert written(root, tmp_path)[0] == objects


@each_real_objects(".wad2")
def test_painting_a_real_skin_changes_only_its_vertex(
    blender: ModuleType, tmp_path: Path, objects: bytes
) -> None:
    root = imported(objects, tmp_path)
    if not skins_in(root):
        pytest.skip("it has no skin")
    (skin,) = skins_in(root)
    first = skin.data.vertices[100].groups[0]
    skin.vertex_groups[first.group].add([100], first.weight - 0.1, "REPLACE")
    changed = differences(objects, written(root, tmp_path)[0])
    assert [each.rpartition("W2VrtWghts[0].")[2] for each in changed] == ["W2VrtWght[100]"]
