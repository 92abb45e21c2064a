"""Animations of models in the menu."""

from __future__ import annotations

import numpy as np

from ...base.bytes.records import ANIMATION
from ...levels.animations.animations import NO_ANIMATION, model_animations
from ...levels.level.level import Level
from ...levels.meshes.meshes import decode_meshes
from ...levels.models.bounding import enclosing_box
from ...levels.models.order import sort_models
from ..rules.needs import SHOWN_ANIMATED, pickups


def animate_menu_models(level: Level) -> None:
    """Give models of the menu without an animation one with a single key frame, in place.

    TR1 shows an item that Lara picks up with the first animation of its model in the menu.
    """
    if level.game not in SHOWN_ANIMATED:
        return
    models = level.models.copy()
    _, counts = model_animations(models, level.animations)
    still = (counts == 0) & (models["meshes"] > 0) & np.isin(models["id"], list(pickups(level.game)))
    if not still.any():
        return
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    frames, animations = [level.frames], [level.animations]
    words, number = len(level.frames), len(level.animations)
    for row in np.flatnonzero(still).tolist():
        first, count = int(models["first_mesh"][row]), int(models["meshes"][row])
        vertices = [block.meshes[each].vertices for each in block.pointers[first : first + count].tolist()]
        box = enclosing_box(np.concatenate(vertices))
        # The box, no offset, and no rotation of each mesh.
        frame = np.array([*box, 0, 0, 0, count, *[0] * (2 * count)], np.int64).astype(level.frames.dtype)
        animation = np.zeros(1, ANIMATION)
        animation["frame_offset"] = models["frame_offset"][row] = 2 * words
        animation["frame_rate"] = 1
        animation["next_animation"] = models["animation"][row] = number
        frames.append(frame)
        animations.append(animation)
        words, number = words + len(frame), number + 1
    assert number < NO_ANIMATION
    level.models = models
    level.frames, level.animations = np.concatenate(frames), np.concatenate(animations)
    sort_models(level)
