"""The explorer of the example level with a control rig: her limbs are recognized, and her steps stay as they are."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from io_tomb_raider.scene.authoring.control_rig import bake
from io_tomb_raider.scene.authoring.control_rig.keys import KeyWriter
from io_tomb_raider.scene.authoring.control_rig.match import rig_actions
from io_tomb_raider.scene.new_levels.example import EXAMPLE
from io_tomb_raider.scene.subjects.animations.key_poses import read_key_poses
from tests.scene.scenes import import_scene

from .test_control_rig import rigged

pytestmark = pytest.mark.once

_RUN, _WALK, _STAND = 0, 1, 11


def test_controls_follow_the_steps_of_the_explorer(blender: ModuleType) -> None:
    """No limb is too short for its control, so what the controls give is what the keys gave."""
    rig = rigged(import_scene(EXAMPLE.read_bytes()), matched=False)
    assert [limb.name for limb in rig.limbs] == ["Foot.L", "Foot.R", "Hand.L", "Hand.R"]
    by_number = {action.tomb_raider.index: action for action in rig_actions(rig.armature)}
    chosen = [by_number[number] for number in (_RUN, _WALK, _STAND)]
    rig.match(chosen)
    with KeyWriter(rig.armature) as writer:
        for action in chosen:
            writer.switch(action, rig.limbs, 1.0, 0.0)
    with bake.staged(rig) as stage:
        for action in chosen:
            keyed = read_key_poses(action, rig.armature, rig.rest)
            seen = stage.poses(action, keyed.frames)
            cosines = np.abs((keyed.turns * seen.turns).sum(axis=-1))
            assert np.degrees(2 * np.arccos(cosines.clip(0, 1))).max() < 1.0, action.name
    assert bake.bake(rig, chosen) == []
