"""Limbs found by the tree of a model, and the names that its bones get on import."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.subjects.models.build import bone_names
from io_tomb_raider.scene.subjects.models.limbs import LimbKind, find_limbs, role_names
from tests.real_levels import each_real_level
from tests.sample_levels import sample_level
from tests.scene.scenes import import_scene, objects

from .trees import SOLDIER, WOLF, Bones


def found(bones: Bones, posed: Any = None) -> tuple[dict[int, str], Any]:
    parents = [parent for parent, _ in bones]
    rest = np.array([joint for _, joint in bones], float)
    limbs = find_limbs(parents, rest, posed)
    return role_names(parents, rest, posed, limbs), limbs


def test_a_person_with_a_weapon_is_recognized() -> None:
    names, limbs = found(SOLDIER)
    assert [names.get(number) for number in range(len(SOLDIER))] == [
        *("Hips", "Thigh.L", "Calf.L", "Foot.L", "Thigh.R", "Calf.R", "Foot.R", "Torso"),
        *("Upper Arm.L", "Lower Arm.L", "Hand.L", "Upper Arm.R", "Lower Arm.R", "Hand.R", "Head", None),
    ]
    assert [limb.kind for limb in limbs.limbs] == [LimbKind.LEG] * 2 + [LimbKind.ARM] * 2
    assert limbs.facing.tolist() == [0, 1, 0]


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_models_that_are_turned_at_rest_get_their_sides_from_the_pose(turn: int) -> None:
    """The TR2 tiger faces +X at rest, TR3's monkey -Y; their animations turn them."""
    posed = np.array([joint for _, joint in SOLDIER], float)
    about = np.round(
        [
            [np.cos(turn * np.pi / 2), -np.sin(turn * np.pi / 2)],
            [np.sin(turn * np.pi / 2), np.cos(turn * np.pi / 2)],
        ]
    )
    rest = posed.copy()
    rest[:, :2] = posed[:, :2] @ about.T
    parents = [parent for parent, _ in SOLDIER]
    limbs = find_limbs(parents, rest, posed)
    assert role_names(parents, rest, posed, limbs) == found(SOLDIER)[0]
    assert np.allclose(limbs.facing[:2], about @ [0, 1])


def test_an_animal_has_hind_legs_with_hocks_and_front_legs() -> None:
    names, limbs = found(WOLF)
    assert {name for name in names.values() if not name.endswith(".R")} == {
        *("Hips", "Torso", "Neck", "Head", "Thigh.L", "Calf.L", "Hock.L", "Foot.L"),
        *("Upper Arm.L", "Lower Arm.L", "Wrist.L", "Hand.L"),
    }
    assert names[18] == "Thigh.L" and names[10] == "Upper Arm.L"
    assert {len(limb.bones) for limb in limbs.limbs} == {4}


def test_wings_are_no_legs() -> None:
    bat: Bones = [
        *[(-1, (0, 0, 0)), (0, (-23, 51, 2)), (1, (-61, 58, 2)), (2, (-144, 92, 2)), (0, (0, 60, 3))],
        *[(0, (28, 48, 2)), (5, (64, 58, 2)), (6, (146, 93, 2))],
    ]
    assert {limb.kind for limb in found(bat)[1].limbs} == {LimbKind.ARM}


def test_asymmetric_chains_are_no_limbs() -> None:
    crooked = [*SOLDIER]
    for number in (4, 5, 6):
        crooked[number] = (crooked[number][0], (30.0, 100.0 * number, 50.0))
    names, limbs = found(crooked)
    assert "Thigh.L" not in names.values() and "Hips" not in names.values()
    assert [limb.kind for limb in limbs.limbs] == [LimbKind.ARM] * 2


def test_a_shoulder_before_the_arm_is_left_out_of_it() -> None:
    bones = [(-1, (0.0, 0.0, 0.0))]
    for x in (-1.0, 1.0):
        first = len(bones)
        bones += [(0, (10 * x, 0.0, 150.0)), (first, (40 * x, 0.0, 148.0))]
        bones += [(first + 1, (50 * x, 0.0, 30.0)), (first + 2, (50 * x, 0.0, -90.0))]
    bones += [(0, (0.0, 0.0, 200.0)), (0, (0.0, 0.0, -500.0))]
    names, limbs = found(bones)
    assert names[1] == "Shoulder.L" and names[2] == "Upper Arm.L" and names[8] == "Hand.R"
    assert [limb.before for limb in limbs.limbs] == [1, 5]


def with_soldier(game: Game) -> bytes:
    """Return a sample level whose Lara has the tree and another id: the bones have no names of her."""
    level = sample_level(game)
    level.models = level.models.copy()
    level.models["id"][0] = 20
    return level.to_bytes()


def test_enemies_have_names_by_role_after_import(blender: ModuleType) -> None:
    root = import_scene(with_soldier(Game.TR1))
    names = [bone.name for bone in objects(root, "MODEL")[0].data.bones]
    assert names[:4] == ["Hips", "Thigh.L", "Calf.L", "Foot.L"]


@each_real_level
def test_all_people_and_animals_of_real_levels_have_names(level_path: Path) -> None:
    """Lara's tree under other names, and every other tree: names are unique, sides come in pairs."""
    decoded = Decoded(read_level(level_path.read_bytes()))
    for index in range(len(decoded.level.models)):
        names = bone_names(decoded, index, "Model")
        assert len(set(names)) == len(names)
        left = {name[:-2] for name in names if name.endswith(".L")}
        assert left == {name[:-2] for name in names if name.endswith(".R")}
        if len(names) == 15 and decoded.level.models["id"][index] == 0:
            lara = bone_names(decoded, index, "Lara")
            assert names == lara
