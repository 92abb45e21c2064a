"""Pictures of rooms: what stands behind a wall at the same place is not seen."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.assets.pictures.rooms import render_rooms
from io_tomb_raider.scene.core.membership import members_of
from io_tomb_raider.scene.core.subjects import Kind
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.sample_levels import sample_bytes


def _pixels(path: Path) -> Any:
    image = bpy.data.images.load(str(path))
    values = np.array(image.pixels[:])
    bpy.data.images.remove(image)
    return values


def test_walls_of_other_rooms_at_the_same_place_are_not_seen(blender: ModuleType, tmp_path: Path) -> None:
    root = import_level(sample_bytes(Game.TR1)).root
    hall = members_of(root, Kind.ROOM)[0]
    (alone, *_) = render_rooms(root, tmp_path / "alone")
    back: Any = hall.copy()
    back.data = hall.data.copy()
    back.data.flip_normals()
    for material in back.data.materials:
        assert material.use_backface_culling
    hall.users_collection[0].objects.link(back)
    (both, *_) = render_rooms(root, tmp_path / "both")
    one, other = _pixels(alone), _pixels(both)
    assert one.std() > 0.05 and np.corrcoef(one, other)[0, 1] > 0.99
    assert not hall.modifiers, "the scene is as before"
