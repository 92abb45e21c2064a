"""Climbing, split surfaces and far rooms of TR1 and TR2 levels for TRX: shown, edited and exported."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bmesh
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.subjects.collision.edit import CollisionEdit
from io_tomb_raider.scene.subjects.collision.tools import set_climbable, set_mark
from tests.formats.levels.injections.samples import sector
from tests.sample_levels import sample_bytes

from ...scenes import exported, import_anew, import_scene
from ..collision.collision_meshes import (
    CEILING,
    FLOOR,
    HALL,
    PLAIN,
    collision,
    drag_corner,
    sector_row,
    set_face,
    surface_faces,
)
from .blocks import CART, CLIMB, SPLIT, block_of, climb, edits, floor, sample, split_floor

OLD = pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
NEXT = (PLAIN[0], PLAIN[1] + 1)
ALL = ((0, 0), (0, 1), (1, 0), (1, 1))


def for_trx(data: bytes) -> Any:
    root: Any = import_scene(data)
    root.tomb_raider.engine = "TRX"
    return root


def sector_of(level: Any, at: tuple[int, int]) -> Any:
    """Return a sector of the hall as an engine sees it that applies the block."""
    return Decoded(level).sectors.take(np.array([sector_row(level, HALL, at)]))


@OLD
def test_splits_and_climbing_are_shown_and_stay(blender: ModuleType, game: Game) -> None:
    data = sample(game, floor(sector(HALL, *PLAIN, climb(2 + 16), split_floor())))
    root = import_scene(data)
    obj = collision(root, HALL)
    assert len(surface_faces(obj, FLOOR, PLAIN)) == 2
    (face, *_) = surface_faces(obj, FLOOR, PLAIN)
    assert obj.data.attributes["tr_climb"].data[face].value == 2
    assert exported(root)[0].to_bytes() == data


@OLD
@pytest.mark.parametrize("part", [FLOOR, CEILING])
def test_a_dragged_corner_becomes_an_edit_and_a_near_plane(
    blender: ModuleType, game: Game, part: int
) -> None:
    root = for_trx(sample_bytes(game))
    drag_corner(collision(root, HALL), part, PLAIN, (1, 0), 2)
    level, warnings = exported(root)
    ((room, x, z, edit),) = edits(level)
    assert (room, x, z, edit["type"]) == (HALL, *PLAIN, SPLIT)
    assert (edit["floor"] is None) == (part == CEILING)
    assert block_of(level).version == 6
    shown = sector_of(level, PLAIN)
    surface = shown.floor if part == FLOOR else shown.ceiling
    flat = -12 if part == CEILING else 0
    low, high = (each[0] // 256 for each in surface.span())
    assert low.tolist() == [flat, flat, flat - 2, flat]
    assert high.tolist() == [flat, flat, flat - 2, flat]
    # Imported anew, the scene has the same collision, and exports it again.
    again = import_anew(level.to_bytes())
    assert again.tomb_raider.engine == "TRX"
    assert len(surface_faces(collision(again, HALL), part, PLAIN)) == 2
    assert exported(again)[0].to_bytes() == level.to_bytes()
    assert not [each for each in warnings if "TRX" in each]


@OLD
def test_marks_become_edits_that_can_be_cleared(blender: ModuleType, game: Game) -> None:
    root = for_trx(sample_bytes(game))
    obj = collision(root, HALL)
    set_face(obj, FLOOR, PLAIN, "tr_climb", 4)
    set_face(obj, FLOOR, PLAIN, "tr_marks", 8)  # monkey swing
    set_face(obj, FLOOR, NEXT, "tr_marks", 2 + 4)  # both turns of mine carts
    level, _ = exported(root)
    assert [edit["climb"] for *_, edit in edits(level, kind=CLIMB)] == [4 + 16]
    assert [edit["mine_cart"] for *_, edit in edits(level, kind=CART)] == [3]
    assert sector_of(level, PLAIN).climb.tolist() == [4]
    again = import_anew(level.to_bytes())
    for at in (PLAIN, NEXT):
        for name in ("tr_climb", "tr_marks"):
            set_face(collision(again, HALL), FLOOR, at, name, 0)
    level, warnings = exported(again)
    assert level.to_bytes() == sample_bytes(game)
    assert not [each for each in warnings if "TRX" in each]


@OLD
def test_a_raised_split_floor_keeps_its_split(blender: ModuleType, game: Game) -> None:
    data = sample(
        game,
        floor(sector(HALL, *PLAIN, split_floor()), sector(HALL, *NEXT, climb(1)), sector(1, 1, 1, climb(4))),
    )
    before = sector_of(read_level(data), PLAIN)
    root = import_scene(data)
    for corner in ALL:
        drag_corner(collision(root, HALL), FLOOR, PLAIN, corner, 1)
    level, warnings = exported(root)
    after = sector_of(level, PLAIN)
    assert (after.floor.heights == before.floor.heights - 256).all()
    assert after.floor.split.tolist() == before.floor.split.tolist()
    others = [(room, x, z, edit) for room, x, z, edit in edits(level) if (room, x, z) != (HALL, *PLAIN)]
    kept = [(HALL, *NEXT, {"type": CLIMB, "climb": 1}), (1, 1, 1, {"type": CLIMB, "climb": 4})]
    assert sorted(others, key=str) == sorted(kept, key=str)
    assert not [each for each in warnings if "TRX" in each]


@OLD
def test_a_wall_has_no_edits(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample(game, floor(sector(HALL, *PLAIN, split_floor()))))
    obj = collision(root, HALL)
    edited = bmesh.new()
    edited.from_mesh(obj.data)
    edited.faces.ensure_lookup_table()
    gone = [*surface_faces(obj, FLOOR, PLAIN), *surface_faces(obj, CEILING, PLAIN)]
    bmesh.ops.delete(edited, geom=[edited.faces[each] for each in gone], context="FACES_ONLY")
    edited.to_mesh(obj.data)
    edited.free()
    level, _ = exported(root)
    assert sector_of(level, PLAIN).wall.all() and not edits(level)


@OLD
def test_the_original_game_refuses_a_new_split(blender: ModuleType, game: Game) -> None:
    root: Any = for_trx(sample_bytes(game))
    root.tomb_raider.engine = "ORIGINAL"
    drag_corner(collision(root, HALL), FLOOR, PLAIN, (0, 0), 1)
    with pytest.raises(ExportError, match="not a plane"):
        exported(root)


@OLD
def test_tools_set_only_marks_of_the_target(blender: ModuleType, game: Game) -> None:
    root: Any = for_trx(sample_bytes(game))
    for engine, refused in (("TRX", False), ("ORIGINAL", True)):
        root.tomb_raider.engine = engine
        edit = CollisionEdit(collision(root, HALL), game, Space.of(root))
        if refused:
            with pytest.raises(ExportError):
                set_mark(edit, "monkey_swing", True)
        else:
            assert set_mark(edit, "monkey_swing", True) and set_climbable(edit, 2, True)
        with pytest.raises(ExportError):
            set_mark(edit, "stopper", True)
