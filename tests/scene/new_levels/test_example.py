"""The example in a scene."""

from __future__ import annotations

from types import ModuleType

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.new_levels.example import ROOMS, open_example
from tests.scene.scenes import objects


def test_rooms_and_their_collision_have_the_same_names(blender: ModuleType) -> None:
    root = open_example(Game.TR4).root
    assert [room.name for room in objects(root, "ROOM")] == list(ROOMS)
    assert {each.name for each in objects(root, "COLLISION")} == {f"{name} Collision" for name in ROOMS}
