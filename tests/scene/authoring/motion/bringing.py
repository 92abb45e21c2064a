"""Recordings brought to Lara of a sample level."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.motion.bringing import Brought, RetargetOptions, retarget_action
from io_tomb_raider.scene.authoring.motion.files import read_motions
from tests.sample_levels import sample_bytes

from ...rig_tools import armature
from ...scenes import import_scene
from .recordings import Recording


def bring(recording: Recording, folder: Path, **options: Any) -> tuple[Brought, Any]:
    """Retarget a recording to Lara of a level; return the result, and her armature."""
    model = armature(import_scene(sample_bytes(Game.TR1)))
    path = recording.save(folder / "take.bvh")
    options = {"rate": 1, **options}
    with read_motions(path) as found:
        made = retarget_action(
            found.armature, found.actions[0], model, RetargetOptions(**options, frame_rate=found.rate)
        )
    return made, model
