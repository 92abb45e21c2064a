"""Levels whose target changes from TRX back to the original game: what it cannot hold is listed by object."""

from __future__ import annotations

import struct
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.scene.pipeline.checks.check import check_scene
from tests.formats.levels.injections.samples import page, sector
from tests.sample_levels import sample_bytes

from ..scenes import exported, import_scene, objects
from ..subjects.injections.blocks import (
    CART,
    GAMES,
    climb,
    floor,
    flyby,
    name,
    properties,
    sample,
    sound,
    split_floor,
    whole_sector,
)

each_game = pytest.mark.parametrize("game", GAMES)


def for_trx(game: Game) -> Any:
    from io_tomb_raider.formats import read_level

    level = read_level(sample_bytes(game))
    move = struct.pack("<2h3ih", 1, 0, 1, 2, 3, 0)
    return import_scene(
        sample(
            game,
            floor(
                sector(0, 1, 1, climb(18), split_floor()),
                sector(0, 1, 2, climb(16), climb(0), (CART, struct.pack("<i", 3))),
                sector(1, 1, 1, whole_sector(level, 1, (1, 1), 300, -1)),
                sector(1, 1, 2, whole_sector(level, 1, (1, 2), 0, -1)),
                sector(2, 0, 0, properties(4)),
            ),
            (18, 1, move),
            (BlockId.ITEM_NAMES, 1, name(2, "lever")),
            (BlockId.FLYBYS, 1, flyby(2, 0, 0, 0)),
            (BlockId.PAGE_EDITS, 1, page(0)),
            (BlockId.SOUNDS, 1, sound(30)),
        )
    )


def wanted(root: Any) -> list[tuple[str, str]]:
    room = [each.name for each in objects(root, "ROOM")]
    entity = [each.name for each in objects(root, "ENTITY")]
    return [
        (room[0], "2 sectors have climbable walls or monkey swings for TRX only"),
        (room[0], "a sector is split into triangles for TRX only: the original game has a plane there"),
        (room[0], "a sector turns or stops mine carts for TRX only"),
        (room[1], "a sector opens to a room above number 254: it is closed in the original game"),
        (room[2], "its damage, cold water or reverberation exist for TRX only"),
        (entity[2], "its script name is for TRX only"),
        (root.name, "a texture page has a picture for TRX only: the original game shows its own"),
        (root.name, "a sound is for TRX only"),
        (room[2], "a flyby camera is for TRX only"),
        (entity[1], "an edit is for TRX only. Apply it in the panel Edits of TRX, or delete it"),
    ]


@each_game
def test_features_for_trx_only_are_listed_and_a_fix_sets_the_target(blender: ModuleType, game: Game) -> None:
    root = for_trx(game)
    expected = [f"{subject}: {text}" for subject, text in wanted(root)]
    _, warnings = exported(root)
    assert not [each for each in warnings if "TRX only" in each]
    assert not [each for each in check_scene(root) if each.fix == "for_trx"]
    root.tomb_raider.engine = "ORIGINAL"
    level, warnings = exported(root)
    assert sorted(warnings) == sorted(expected)
    assert level.to_bytes()[: len(sample_bytes(game))] == sample_bytes(game)
    notes = [each for each in check_scene(root) if each.fix == "for_trx"]
    assert sorted((each.subject, each.text) for each in notes) == sorted(wanted(root))
    assert {each.severity for each in notes} == {"WARNING"}
    bpy.ops.tomb_raider.check_level()
    number = next(at for at, each in enumerate(root.tomb_raider.findings) if each.fix == "for_trx")
    assert bpy.ops.tomb_raider.show_finding(number=number) == {"FINISHED"}
    assert bpy.context.object == objects(root, "ROOM")[0]
    assert bpy.ops.tomb_raider.fix_finding(number=number, fix="for_trx") == {"FINISHED"}
    assert root.tomb_raider.engine == "TRX" and not exported(root)[1]


@each_game
def test_a_disabled_edit_is_not_listed(blender: ModuleType, game: Game) -> None:
    root = for_trx(game)
    root.tomb_raider.engine = "ORIGINAL"
    root.tomb_raider.edits[0].is_enabled = False
    _, warnings = exported(root)
    assert sorted(warnings) == sorted(f"{subject}: {text}" for subject, text in wanted(root)[:-1])
