"""Vertices of Lara that the engines find by their numbers: at joints, and at the roots of hair."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bmesh
import numpy as np
import pytest
from bpy.types import Collection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.catalogue.outfits import HEAD, JOINTS, SKINS
from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from io_tomb_raider.scene.subjects.models.seams import refuse_to_shine
from io_tomb_raider.scene.subjects.object_textures.tools import set_shine
from tests.empty_scene import start_empty
from tests.scene.exporting import export_level
from tests.scene.transfer.lara_levels import level_with_outfit

from ...scenes import import_scene, objects

with_joints = pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
SHIN, MANY, SHARED = 2, 150, 4
ROOTS = (37, 39, 40, 38)  # of adult Lara's hair, in the engines


def part(root: Collection, model: int, bone: int) -> Any:
    """Return the mesh object on a bone of a model."""
    for obj in objects(root, "MODEL_MESH"):
        rig: Any = obj.parent
        if rig.tomb_raider.model.id == model and rig.data.bones[obj.parent_bone].tomb_raider.index == bone:
            return obj
    raise AssertionError(model, bone)


def vertices(level: Level, model: int, bone: int) -> NDArray[np.int64]:
    """Return the vertices of a model's mesh in the file."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    (row,) = np.flatnonzero(level.models["id"] == model)
    mesh = block.meshes[block.pointers[int(level.models["first_mesh"][row]) + bone]]
    return mesh.vertices.astype(np.int64)


def reorder(mesh: Any, order: NDArray[np.int64]) -> None:
    """Sort the vertices of a mesh, as Mesh > Sort Elements does."""
    edit = bmesh.new()
    edit.from_mesh(mesh)
    for place, vertex in enumerate(order.tolist()):
        edit.verts.ensure_lookup_table()
        edit.verts[vertex].index = place
    edit.verts.sort()
    edit.to_mesh(mesh)
    edit.free()


def subdivide(mesh: Any, count: int) -> None:
    """Cut edges of a mesh until it has many vertices."""
    edit = bmesh.new()
    edit.from_mesh(mesh)
    while len(edit.verts) < count:
        edges = sorted(edit.edges, key=lambda edge: -edge.calc_length())[:20]
        bmesh.ops.bisect_edges(edit, edges=edges, cuts=1)
        bmesh.ops.triangulate(edit, faces=[face for face in edit.faces if len(face.verts) > 4])
    edit.to_mesh(mesh)
    edit.free()


def import_outfit(game: Game) -> Collection:
    """Import a level whose knee shares four vertices with the shin below."""
    root = import_scene(level_with_outfit(game).to_bytes())
    shin, knee = part(root, SKINS[game], SHIN), part(root, JOINTS[game], SHIN)
    knee.data = knee.data.copy()
    for vertex in range(SHARED):
        knee.data.vertices[vertex].co = shin.data.vertices[vertex].co
    return import_scene(export_level(root)[0].to_bytes())


def seam_numbers(level: Level) -> list[int]:
    """Return the numbers of the shin's vertices that lie on the knee, as the game finds them."""
    limb, joint = (vertices(level, ids[level.game], SHIN) for ids in (SKINS, JOINTS))
    return np.flatnonzero((np.abs(limb[:, None] - joint).max(axis=2) <= 1).any(axis=1)).tolist()


@with_joints
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30))
def test_vertices_at_joints_have_numbers_that_fit_into_signed_bytes(
    blender: ModuleType, game: Game, seed: int
) -> None:
    start_empty()
    root = import_outfit(game)
    mesh = part(root, SKINS[game], SHIN).data
    seam = [tuple(mesh.vertices[each].co) for each in range(SHARED)]
    subdivide(mesh, MANY)
    random = np.random.default_rng(seed)
    order = random.permutation(len(mesh.vertices))
    reorder(mesh, order)
    # The worst order: all of the seam is last.
    last = sorted(range(len(order)), key=lambda each: tuple(mesh.vertices[each].co) in seam)
    reorder(mesh, np.array(last))
    level, report = export_level(root)
    numbers = seam_numbers(level)
    assert len(numbers) == SHARED and max(numbers) <= 127, numbers
    assert not report.warnings
    assert {*map(tuple, vertices(level, SKINS[game], SHIN))} == {
        tuple(np.rint(np.array((each.co.x, -each.co.z, each.co.y)) * 512).astype(int))
        for each in mesh.vertices
    }


@with_joints
def test_sorted_vertices_keep_their_numbers_at_joints(blender: ModuleType, game: Game) -> None:
    """Weapons replace the hands, and the engine uses the numbers of the skin's for them."""
    root = import_outfit(game)
    before = vertices(export_level(root)[0], SKINS[game], SHIN)
    mesh = part(root, SKINS[game], SHIN).data
    reorder(mesh, np.arange(len(mesh.vertices))[::-1])
    after = vertices(export_level(root)[0], SKINS[game], SHIN)
    assert after[:SHARED].tolist() == before[:SHARED].tolist()


@with_joints
def test_roots_of_hair_keep_their_numbers(blender: ModuleType, game: Game) -> None:
    root = import_outfit(game)
    head = part(root, SKINS[game], HEAD).data
    subdivide(head, 50)
    places = np.add((-4, -4, -48), [(-10, 0, 5), (10, 0, 5), (10, 0, -5), (-10, 0, -5)])
    for number, (x, y, z) in zip(ROOTS, places.tolist(), strict=True):
        head.vertices[number].co = np.array((x, z, -y)) / 512
    root = import_scene(export_level(root)[0].to_bytes())
    before = vertices(export_level(root)[0], SKINS[game], HEAD)
    head = part(root, SKINS[game], HEAD).data
    reorder(head, np.arange(len(head.vertices))[::-1])
    after = vertices(export_level(root)[0], SKINS[game], HEAD)
    assert len(before) > 50
    assert after[list(ROOTS)].tolist() == before[list(ROOTS)].tolist()


@with_joints
def test_more_than_the_tables_hold_is_reported(blender: ModuleType, game: Game) -> None:
    root = import_outfit(game)
    assert not export_level(root)[1].warnings
    shin, knee = part(root, SKINS[game], SHIN), part(root, JOINTS[game], SHIN)
    subdivide(shin.data, MANY)
    for number, vertex in enumerate(shin.data.vertices):
        if number < 140:
            vertex.co = knee.data.vertices[0].co
    warnings = export_level(root)[1].warnings
    shown = [obj.name for obj in root.all_objects if obj.data == shin.data]
    assert any(
        f"{name}: 12 of its vertices at joints have numbers above 127, "
        "which the game does not match: give the mesh fewer vertices" in warnings
        for name in shown
    )
    pairs = [each for each in warnings if each.startswith(f"{knee.name}: it meets {shin.name} at 140 pairs")]
    assert len(pairs) == 1 and "the game supports 11" in pairs[0]
    assert any("at 140 pairs" in note.text and note.subject == knee.name for note in check_scene(root))


@with_joints
def test_a_joint_with_too_many_vertices_is_reported(blender: ModuleType, game: Game) -> None:
    root = import_outfit(game)
    knee = part(root, JOINTS[game], SHIN)
    count = len(knee.data.vertices)
    knee.data.vertices.add(16)
    for vertex in range(count, count + 16):
        knee.data.vertices[vertex].co = (1, 1, vertex)
    free = count + 16 - SHARED
    assert any(f"{free} of its vertices meet no limb" in each for each in export_level(root)[1].warnings)
    subdivide(knee.data, 60)
    count = len(knee.data.vertices)
    assert any(f"the joint has {count} vertices" in each for each in export_level(root)[1].warnings)


@with_joints
def test_shine_on_joints_is_refused_and_reported_in_tr4(blender: ModuleType, game: Game) -> None:
    """The engine gives joints the places of the limbs' vertices, but not their normals."""
    root = import_outfit(game)
    shin, knee = part(root, SKINS[game], SHIN), part(root, JOINTS[game], SHIN)
    refuse_to_shine(root, shin.data)
    set_shine(knee.data, np.arange(len(knee.data.polygons)), True, 10)
    warnings = [each for each in export_level(root)[1].warnings if "shine" in each]
    if game is Game.TR4:
        with pytest.raises(ExportError, match="shine incorrectly on the joints"):
            refuse_to_shine(root, knee.data)
        (text,) = warnings
        assert text.startswith(f"{knee.name}: {len(knee.data.polygons)} of its faces shine")
    else:
        refuse_to_shine(root, knee.data)
        assert not warnings


def test_other_games_keep_the_order(blender: ModuleType) -> None:
    root = import_scene(level_with_outfit(Game.TR3).to_bytes())
    mesh = part(root, SKINS[Game.TR3], SHIN).data
    order = np.arange(len(mesh.vertices))[::-1]
    before = vertices(export_level(root)[0], SKINS[Game.TR3], SHIN)
    reorder(mesh, order)
    assert vertices(export_level(root)[0], SKINS[Game.TR3], SHIN).tolist() == before[order].tolist()
