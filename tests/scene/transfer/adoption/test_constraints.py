"""Each type of constraint on objects and bones: exported as evaluated, or reported by name."""

from __future__ import annotations

from types import ModuleType

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.core.context import Bake
from io_tomb_raider.scene.core.space import angle_to_file
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import LARA, actions, armature, model_keys, parts, posed, show_library, shown_vertices
from ...scenes import UNIT, copy_of, exported, import_scene, objects
from .constraints import SETUPS, Targets
from .kinds import BONE_CONSTRAINTS, CONSTRAINTS, decided

DATA = sample_bytes(Game.TR1)
LEAVES = ("Head", "Hand.L", "Hand.R", "Foot.L", "Foot.R")  # without children
_FIRST = 1000  # intensity that identifies entities


def known() -> set[str]:
    return set(bpy.types.Constraint.bl_rna.properties["type"].enum_items.keys())


@pytest.mark.parametrize("table", [CONSTRAINTS, BONE_CONSTRAINTS], ids=["things", "bones"])
def test_every_type_of_constraint_is_decided_once_and_has_its_case(
    blender: ModuleType, table: dict[str, str]
) -> None:
    tables = [decided(table, name) for name in table]
    assert sorted(known() - set().union(*tables)) == []
    assert set().union(*tables) == set(SETUPS)
    assert sum(map(len, tables)) == len(SETUPS)


@pytest.mark.once
def test_every_constraint_on_an_object_is_exported_or_reported(blender: ModuleType) -> None:
    root = import_scene(DATA)
    like = objects(root, "ENTITY")[0]
    like.rotation_euler.z = 0.4
    kinds = [kind for kind in SETUPS if kind in known()]
    bpy.context.view_layer.update()
    start = like.matrix_world.copy()
    objs = {kind: copy_of(like) for kind in kinds}
    for number, (kind, obj) in enumerate(objs.items()):
        obj.name, obj.tomb_raider.entity.intensity = kind, _FIRST + number
        SETUPS[kind](Targets(start.translation), obj.constraints.new(kind))
    bpy.context.view_layer.update()
    places = {kind: obj.matrix_world.copy() for kind, obj in objs.items()}
    level, report = export_level(root)
    written = {int(each["intensity"]): each for each in level.entities}
    for number, (kind, matrix) in enumerate(places.items()):
        assert (matrix != start) == (kind not in decided(CONSTRAINTS, "IDLE")), kind
        x, y, z = matrix.translation
        record = written[_FIRST + number]
        assert np.allclose([record[axis] for axis in "xyz"], np.array([x, -z, y]) / UNIT, atol=0.6), kind
        about_it = [text for text in report.warnings if text.startswith(f"{kind}: it is ")]
        told = [text for text in about_it if "in no room" not in text]
        assert bool(told) == (kind in decided(CONSTRAINTS, "TOLD")), kind
        turn = int(record["angle"]) - angle_to_file(matrix.to_euler().z)
        assert told or min(turn % 0x10000, -turn % 0x10000) <= 1, kind


@pytest.mark.once
def test_every_constraint_on_a_bone_is_exported_or_reported(blender: ModuleType) -> None:
    root = import_scene(DATA)
    lara, action = armature(root), actions(root)[0]
    names = [part.parent_bone for part in parts(root)]
    before = posed(read_level(DATA), LARA, model_keys(read_level(DATA)), 0)
    kinds = [kind for kind in SETUPS if kind in known()]
    for first in range(0, len(kinds), len(LEAVES)):
        lara.animation_data.action = None
        show_library(root, LARA)
        cases = list(zip(kinds[first:], LEAVES, strict=False))
        for kind, name in cases:
            bone = lara.pose.bones[name]
            SETUPS[kind](Targets((lara.matrix_world @ bone.matrix).translation), bone.constraints.new(kind))
        level, warnings = exported(root, bake=Bake.ALL)
        written = posed(level, LARA, model_keys(level), 0)
        lara.animation_data.action = action
        seen = shown_vertices(root, LARA, 0)
        for kind, name in cases:
            part = names.index(name)
            is_idle = kind in decided(BONE_CONSTRAINTS, "IDLE")
            assert (np.abs(seen[part] - before[part]).max() > 4) != is_idle, kind
            told = [text for text in warnings if name in text and "it is not exported" in text]
            assert bool(told) == (kind in decided(BONE_CONSTRAINTS, "TOLD")), kind
            assert told or np.abs(seen[part] - written[part]).max() < 2, kind
            bone = lara.pose.bones[name]
            bone.constraints.remove(bone.constraints[0])
