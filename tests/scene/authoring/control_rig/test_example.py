"""The explorer of the example with a control rig: her limbs are recognized, and her steps stay the same."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.arrays.typing import Floats
from io_tomb_raider.scene.authoring.control_rig import baking, choice
from io_tomb_raider.scene.authoring.control_rig.build import add_rig
from io_tomb_raider.scene.authoring.control_rig.keys import KeyWriter
from io_tomb_raider.scene.authoring.control_rig.match import RigAtRest, rig_actions, switch_off
from io_tomb_raider.scene.authoring.control_rig.parts import figure_of
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.new_levels.example import example_of
from io_tomb_raider.scene.subjects.animations.keys.curves import bone_path
from io_tomb_raider.scene.subjects.animations.keys.key_poses import read_key_poses
from tests.scene.rig_tools import SCALE, armature
from tests.scene.scenes import import_scene

pytestmark = pytest.mark.once


_RUN, _WALK, _STAND = 0, 1, 11


def _turned(one: Floats, other: Floats) -> float:
    """Return the largest angle between quaternions, in degrees."""
    cosines = np.abs((one * other).sum(axis=-1))
    return float(np.degrees(2 * np.arccos(cosines.clip(0, 1))).max())


def test_controls_follow_the_steps_of_the_explorer(blender: ModuleType) -> None:
    """No limb is too short for its control, and the controls alone give the steps that her keys gave."""
    figure = figure_of(armature(import_scene(example_of(Game.TR4))))
    add_rig(figure, *choice.recognized(figure[0]))
    rig = RigAtRest.of(figure[-1])
    names = ["Foot.L", "Foot.R", "Hand.L", "Hand.R", "Hips", "Torso", "Head"]
    assert [limb.name for limb in rig.limbs] == names
    switch_off(rig.armature, rig_actions(figure[0]), rig.limbs)
    by_number = {action.tomb_raider.index: action for action in rig_actions(rig.armature)}
    chosen = [by_number[number] for number in (_RUN, _WALK, _STAND)]
    rig.match(chosen)
    with KeyWriter(rig.armature) as writer:
        for action in chosen:
            writer.switch(action, rig.limbs, 1.0, 0.0)
    assert baking.bake(rig, chosen) == []
    walk = by_number[_WALK]
    keyed = read_key_poses(walk, rig.armature, rig.rest)
    rig.match([walk])
    with KeyWriter(rig.armature) as writer:
        writer.switch(walk, rig.limbs, 1.0, 0.0)
    curves = compat.find_channels(walk, rig.armature).fcurves
    for limb in rig.limbs:
        for curve in [each for each in curves if each.data_path.startswith(tuple(map(bone_path, limb.own)))]:
            curves.remove(curve)
    without = read_key_poses(walk, rig.armature, rig.rest, keyed.frames.tolist())
    assert _turned(keyed.turns, without.turns) > 20 and np.abs(keyed.places - without.places).max() > SCALE
    assert baking.bake(rig, [walk]) == [walk]
    baked = read_key_poses(walk, rig.armature, rig.rest)
    assert _turned(keyed.turns, baked.turns) < 0.5
    assert np.abs(keyed.places - baked.places).max() < 0.1 * SCALE
