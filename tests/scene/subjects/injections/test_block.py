"""The block of TRX's edits after edits of the level: it never undoes them, and never hits other elements."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.portals.room_tools import duplicate_room
from tests.formats.levels.injections.samples import page, sector
from tests.real_levels import LEVEL_SUFFIXES, real_injections
from tests.sample_levels import sample_bytes

from ...page_levels import paint
from ...scenes import UNIT, exported, import_anew, import_scene, objects
from ..collision.collision_meshes import FLOOR, HALL, PLAIN, collision, drag_corner
from .blocks import (
    CLIMB,
    GAMES,
    ROOM,
    SECTOR,
    SPLIT,
    block_of,
    climb,
    delete_room,
    edits,
    floor,
    flyby,
    name,
    names_only_what_exists,
    properties,
    sample,
    split_floor,
    whole_sector,
)

each_game = pytest.mark.parametrize("game", GAMES)
CORRIDOR = 1


def said(warnings: list[str]) -> str:
    """Return the warning about removed edits, "" for none."""
    (text,) = [each for each in warnings if each.startswith("TRX: ")] or [""]
    return text


@each_game
def test_rooms_follow_and_edits_of_deleted_ones_are_counted(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    data = sample(
        game,
        floor(
            sector(HALL, *PLAIN, climb(2)),
            sector(CORRIDOR, 1, 1, climb(4), split_floor()),
            sector(2, 1, 1, climb(8)),
            sector(2, 0, 0, properties(level.rooms[2].flags)),
        ),
        (BlockId.FLYBYS, 2, flyby(CORRIDOR, 0, 0, 0) + flyby(2, 0, 0, 0)),
    )
    root = import_scene(data)
    assert exported(root)[0].to_bytes() == data
    delete_room(root, CORRIDOR)
    level, warnings = exported(root)
    assert [(room, x, z) for room, x, z, _ in edits(level, kind=CLIMB)] == [(HALL, *PLAIN), (1, 1, 1)]
    assert [room for room, *_ in edits(level, kind=ROOM)] == [1]
    assert not edits(level, kind=SPLIT)
    assert [each["room"] for each in block_of(level).records(BlockId.FLYBYS)][1:] == [1]
    text = said(warnings)
    assert "climbable walls and ceilings (1)" in text and "split floors and ceilings (1)" in text
    assert names_only_what_exists(level)


@each_game
def test_a_raised_floor_is_not_lowered_again(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    data = sample(
        game,
        floor(
            sector(HALL, *PLAIN, whole_sector(level, HALL, PLAIN, -1, 300), split_floor()),
            sector(HALL, PLAIN[0], PLAIN[1] + 1, climb(4)),
        ),
    )
    root = import_scene(data)
    obj = collision(root, HALL)
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        drag_corner(obj, FLOOR, PLAIN, corner, 2)
    level, _ = exported(root)
    record = level.rooms[HALL].sectors[PLAIN[0] * level.rooms[HALL].z_sectors + PLAIN[1]]
    for _, _, _, edit in edits(level, kind=SECTOR):
        assert edit["floor"] == int(record["floor"]) * 256
        assert edit["box"] & 0xFFFF == record["box"]
    assert [at for *at, _ in edits(level, kind=CLIMB)] == [[HALL, PLAIN[0], PLAIN[1] + 1]]


@each_game
def test_rooms_have_the_properties_of_their_edits(blender: ModuleType, game: Game) -> None:
    data = sample(game, floor(sector(0, 0, 0, properties(1 + 4, reverb=3))))
    root = import_scene(data)
    room = objects(root, "ROOM")[0].tomb_raider.room
    assert (room.has_water, room.is_freezing, room.is_damaging, room.reverberation) == (
        True,
        True,
        False,
        "LARGE",
    )
    assert exported(root)[0].to_bytes() == data


@each_game
def test_changed_rooms_have_their_new_properties(blender: ModuleType, game: Game) -> None:
    flags = [room.flags for room in read_level(sample_bytes(game)).rooms]
    records = [sector(number, 0, 0, properties(flags[number])) for number in (0, 1)]
    root = import_scene(sample(game, floor(*records)))
    room = objects(root, "ROOM")[0].tomb_raider.room
    room.has_water, room.is_damaging, room.reverberation = not room.has_water, True, "PIPE"
    level, warnings = exported(root)
    found = {number: edit for number, _, _, edit in edits(level, kind=ROOM)}
    assert found[0] == {"type": ROOM, "flags": (flags[0] ^ 1 | 2) & 0xFF, "reverb": 4}
    assert found[1] == {"type": ROOM, "flags": flags[1], "reverb": 1}
    assert level.rooms[0].flags == flags[0] ^ 1
    assert not said(warnings)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
def test_a_room_without_own_properties_needs_no_edit(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample(game, floor(sector(0, 0, 0, properties(2)))))
    room = objects(root, "ROOM")[0].tomb_raider.room
    room.is_damaging, room.reverberation = False, "OUTSIDE"
    assert not edits(exported(root)[0], kind=ROOM)


@pytest.mark.parametrize("engine", ["TRX", "ORIGINAL"])
def test_reverb_is_for_trx_alone(blender: ModuleType, engine: str) -> None:
    root: Any = import_scene(sample_bytes(Game.TR1))
    root.tomb_raider.engine = engine
    objects(root, "ROOM")[1].tomb_raider.room.reverberation = "SMALL"
    level, _ = exported(root)
    assert [number for number, *_ in edits(level, kind=ROOM)] == ([1] if engine == "TRX" else [])
    if engine == "TRX":
        assert block_of(level).version == 8


@each_game
def test_rooms_can_flip_by_groups(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    flags = read_level(sample_bytes(game)).rooms[1].flags
    room = objects(root, "ROOM")[1].tomb_raider.room
    before, room.alternate_group = room.alternate_group, 4
    level, warnings = exported(root)
    ((number, *_, edit),) = edits(level, kind=ROOM)
    assert number == 1 and edit["flip_group"] == 4 and edit["flags"] == flags & 0xFF
    assert block_of(level).version == 10 and not warnings
    again = import_anew(level.to_bytes())
    shown = objects(again, "ROOM")[1].tomb_raider.room
    assert shown.alternate_group == 4
    assert exported(again)[0].to_bytes() == level.to_bytes()
    shown.is_damaging = True
    ((_, *_, edit),) = edits(exported(again)[0], kind=ROOM)
    assert (edit["flip_group"], edit["flags"]) == (4, flags & 0xFF | 2)
    shown.is_damaging, shown.alternate_group = False, before
    assert exported(again)[0].to_bytes() == sample_bytes(game)
    shown.alternate_group = 10
    with pytest.raises(ExportError, match="group"):
        exported(again)
    again.tomb_raider.engine = "ORIGINAL"
    assert exported(again)[0].rooms[1].flags == flags


@each_game
def test_painted_pixels_show_and_the_others_keep_their_colors(blender: ModuleType, game: Game) -> None:
    color = (10, 20, 30, 255)
    root = import_scene(sample(game, (BlockId.PAGE_EDITS, 1, page(0, color))))
    images: Any = bpy.data.images
    image = next(each for each in images if (each.tomb_raider.kind, each.tomb_raider.page) == ("PAGE", 0))
    paint(image, 3, 5, (255, 0, 0, 255))
    level, _ = exported(root)
    (record,) = block_of(level).records(BlockId.PAGE_EDITS)
    pixels = np.frombuffer(record["pixels"], np.uint8).reshape(256, 256, 4)
    red, green, blue, alpha = pixels[5, 3].tolist()
    assert red > 200 and max(green, blue) < 60 and alpha == 255
    others = np.ones((256, 256), bool)
    others[5, 3] = False
    assert (pixels[others] == color).all()


@each_game
def test_names_of_items_follow(blender: ModuleType, game: Game) -> None:
    data = sample(game, (BlockId.ITEM_NAMES, 3, name(0, "first") + name(1, "second") + name(2, "third")))
    root = import_scene(data)
    bpy.data.objects.remove(objects(root, "ENTITY")[1])
    bpy.context.view_layer.update()
    level, warnings = exported(root)
    found = {each["item"]: each["name"] for each in block_of(level).records(BlockId.ITEM_NAMES)}
    assert found == {0: "first", 1: "third"}
    assert "item names (1)" in said(warnings)


@each_game
def test_names_can_be_given_changed_and_removed(blender: ModuleType, game: Game) -> None:
    root: Any = import_scene(sample_bytes(game))
    root.tomb_raider.engine = "TRX"
    first, second = objects(root, "ENTITY")[:2]
    first.tomb_raider.entity.script_name = "door"
    second.tomb_raider.entity.script_name = "Schlüssel"
    level, _ = exported(root)
    found = {each["item"]: each["name"] for each in block_of(level).records(BlockId.ITEM_NAMES)}
    assert found == {0: "door", 1: "Schlüssel"} and block_of(level).version == 9
    again = import_anew(level.to_bytes())
    entities = objects(again, "ENTITY")
    assert [each.tomb_raider.entity.script_name for each in entities[:3]] == ["door", "Schlüssel", ""]
    assert exported(again)[0].to_bytes() == level.to_bytes()
    for each in entities:
        each.tomb_raider.entity.script_name = ""
    assert exported(again)[0].to_bytes() == sample_bytes(game)


@each_game
def test_flybys_and_items_of_a_moved_room_follow(blender: ModuleType, game: Game) -> None:
    data = sample(game, (BlockId.FLYBYS, 2, flyby(HALL, 100, 200, 300) + flyby(CORRIDOR, 100, 200, 300)))
    before = read_level(data).rooms[HALL]
    root = import_scene(data)
    objects(root, "ROOM")[HALL].location.x += 4 * 1024 * UNIT
    bpy.context.view_layer.update()
    level, _ = exported(root)
    step = level.rooms[HALL].x - before.x
    assert abs(step) + abs(level.rooms[HALL].z - before.z) == 4096
    one, other = block_of(level).records(BlockId.FLYBYS)
    places = [(each["x"], each["y"], each["z"]) for each in (one, other)]
    assert places == [(100 + step, 200, 300 + level.rooms[HALL].z - before.z), (100, 200, 300)]
    assert one["target_x"] == 1124 + step


@each_game
def test_a_copied_room_has_the_edits_too(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample(game, floor(sector(HALL, *PLAIN, climb(2)))))
    count = len(objects(root, "ROOM"))
    duplicate_room(root, objects(root, "ROOM")[HALL])
    level, _ = exported(root)
    assert [at for *at, _ in edits(level, kind=CLIMB)] == [[HALL, *PLAIN], [count, *PLAIN]]


@each_game
def test_an_empty_block_is_not_written(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample(game, floor(sector(CORRIDOR, 1, 1, climb(2)))))
    delete_room(root, CORRIDOR)
    assert len(exported(root)[0].footer) == 0


@pytest.mark.parametrize("damage", ["cut", "version"])
def test_an_unreadable_block_is_kept_with_a_warning(blender: ModuleType, damage: str) -> None:
    data = sample(Game.TR1, floor(sector(CORRIDOR, 1, 1, climb(2))))
    plain = len(sample_bytes(Game.TR1))
    data = data[:-3] if damage == "cut" else data[: plain + 4] + b"\x0d" + data[plain + 5 :]
    root = import_scene(data)
    level, warnings = exported(root)
    assert level.to_bytes() == data and not warnings
    delete_room(root, CORRIDOR)
    level, warnings = exported(root)
    assert level.footer.tobytes() == data[plain:]
    assert "cannot be read" in said(warnings)


@each_game
def test_openings_that_the_level_can_name_become_its_own(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    data = sample(game, floor(sector(HALL, *PLAIN, whole_sector(level, HALL, PLAIN, 2, -1))))
    root = import_scene(data)
    delete_room(root, CORRIDOR)
    level, _ = exported(root)
    record = level.rooms[HALL].sectors[PLAIN[0] * level.rooms[HALL].z_sectors + PLAIN[1]]
    assert (record["room_below"], record["room_above"]) == (1, 255)
    assert not edits(level)


_LEVELS = [each for each in real_injections() if each.suffix.lower() in LEVEL_SUFFIXES]


@pytest.mark.parametrize("path", _LEVELS, ids=[each.name for each in _LEVELS])
def test_real_blocks_stay_and_follow(blender: ModuleType, path: Any) -> None:
    data = path.read_bytes()
    root = import_anew(data)
    assert exported(root)[0].to_bytes() == data
    if len(objects(root, "ROOM")) > 1:
        delete_room(root, 1)
        level, _ = exported(root)
        assert names_only_what_exists(level)


@each_game
def test_an_import_reports_the_contents_of_the_block(blender: ModuleType, game: Game) -> None:
    edited = sector(HALL, *PLAIN, climb(1), split_floor())
    data = sample(
        game, floor(edited, sector(CORRIDOR, 1, 1, climb(2))), (BlockId.ITEM_NAMES, 1, name(2, "door"))
    )
    notes = import_level(data).report.notes
    assert [each for each in notes if each.startswith("TRX: ")] == [
        "TRX: its block of edits holds climbable walls and ceilings (2), split floors and ceilings (1), "
        "item names (1)"
    ]
    assert not [each for each in import_level(sample_bytes(game)).report.notes if "TRX" in each]
