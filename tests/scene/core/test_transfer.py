"""The context of a transfer: the space of the level that objects are transferred to."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from bpy.types import Object
from mathutils import Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.core.transfer import Transfer
from io_tomb_raider.scene.pipeline.beside import move
from tests.sample_levels import sample_bytes

from ..scenes import import_scene


def test_points_count_from_where_the_level_is(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    move(root, Vector((6.0, -4.0, 2.0)))
    transfer = Transfer(root, Game.TR1, Game.TR4)
    entities = transfer.objects("ENTITY")

    def place(obj: Object) -> list[int]:
        matrix = transfer.space.matrix_of(obj)
        return [int(each) for each in transfer.space.to_file_int(np.array(matrix.translation), obj.name)]

    records = read_level(data).entities
    assert [place(each) for each in entities] == [[int(each[axis]) for axis in "xyz"] for each in records]
