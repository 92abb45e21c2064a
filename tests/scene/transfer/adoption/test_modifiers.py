"""Each type of modifier on a mesh of the game: exported as evaluated, or reported by name."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from tests.sample_levels import sample_bytes

from ...scenes import UNIT, exported, import_scene, objects
from .kinds import MODIFIERS, decided
from .modifiers import SETUPS, Bench

WRITTEN, TOLD, ELSEWHERE = (decided(MODIFIERS, name) for name in ("WRITTEN", "TOLD", "ELSEWHERE"))
PLAIN = "PLAIN"


def test_every_type_of_modifier_is_decided_once_and_has_its_case(blender: ModuleType) -> None:
    known = set(bpy.types.Modifier.bl_rna.properties["type"].enum_items.keys())
    assert sorted(known - WRITTEN - TOLD - ELSEWHERE) == []
    assert len(WRITTEN | TOLD | ELSEWHERE) == len(WRITTEN) + len(TOLD) + len(ELSEWHERE)
    assert set(SETUPS) == WRITTEN | TOLD
    obj: Any = bpy.data.objects.new("Mine", bpy.data.meshes.new("Mine"))
    assert [kind for kind in ELSEWHERE & known if obj.modifiers.new("Mine", kind) is not None] == []


def mesh_values(mesh: Any) -> tuple[Any, tuple[int, int], frozenset[int]]:
    """Return vertices, how many faces have four and three corners, and what they show, as a game reads it."""
    quads = (mesh.quads, mesh.colored_quads)
    triangles = (mesh.triangles, mesh.colored_triangles)
    counts = (sum(map(len, quads)), sum(map(len, triangles)))
    return mesh.vertices.astype(int), counts, frozenset(mesh.quads["texture"].tolist())


@pytest.mark.once
def test_every_modifier_is_exported_or_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    library = objects(root, "STATIC_MESH")[0]
    bench = Bench(library.data.materials[0])
    objs = {kind: bench.block(kind) for kind in (PLAIN, *SETUPS)}
    for kind, obj in objs.items():
        library.users_collection[0].objects.link(obj)
        if kind != PLAIN:
            SETUPS[kind](bench, obj, obj.modifiers.new(kind, kind))
        if kind in TOLD:
            bench.scene.collection.objects.unlink(obj)  # later evaluations would fail on fluids
    shown = {kind: bench.shown(objs[kind]) for kind in WRITTEN}
    level, warnings = exported(root)
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    pointers = dict(
        zip(level.static_meshes["id"].tolist(), level.static_meshes["mesh"].tolist(), strict=True)
    )
    looks = {
        kind: mesh_values(block.meshes[block.pointers[pointers[obj.tomb_raider.static_mesh.id]]])
        for kind, obj in objs.items()
    }
    plain = looks[PLAIN]
    for kind in SETUPS:
        vertices, counts, words = looks[kind]
        told = [text for text in warnings if text.startswith(f"{kind}: ") and " not exported: " in text]
        is_plain = np.array_equal(vertices, plain[0]) and (counts, words) == plain[1:]
        if kind in TOLD:
            assert any(kind in text for text in told), kind
            assert is_plain, kind
        else:
            points, sizes = shown[kind]
            expected = np.stack((points[:, 0], -points[:, 2], points[:, 1]), axis=1) / UNIT
            assert not told and not is_plain, kind
            assert vertices.shape == expected.shape and np.abs(vertices - expected).max() <= 0.51, kind
            assert counts == (sizes.count(4), sizes.count(3)), kind
