"""The overlay of boxes, and recomputed boxes, overlaps and zones (documentation, chapter 7.3)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.collision.sectors import split_boxes
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Trigger, TriggerType
from io_tomb_raider.formats.levels.floor.lists import FloorLists
from io_tomb_raider.formats.levels.pathfinding.overlaps import decode_overlaps
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.subjects.pathfinding.boxes import draw_boxes
from tests.compare import differences
from tests.games import each_game
from tests.level_rules import reachable
from tests.scene.exporting import export_level, export_result

from ....real_levels import each_real_level, skip_without
from ....sample_levels import sample_bytes
from ...scenes import export_scene, exported, import_scene, objects
from ..triggers.sample_triggers import sample_with


def overlay(root: Collection) -> Any:
    return objects(root, "BOXES")[0]


def centers(obj: Any) -> Any:
    """Return the centers of boxes, in units of the file."""
    points = np.array([(obj.matrix_world @ face.center) for face in obj.data.polygons])
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1) * 512


def sector_boxes(level: Level) -> Any:
    """Return the box of every sector of a level, in room order."""
    boxes = [split_boxes(room.sectors["box"], level.game)[0] for room in level.rooms]
    return np.concatenate(boxes).astype(np.int64)


@each_game
def test_faces_of_boxes_match_the_file(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, obj = read_level(data), overlay(import_scene(data))
    unit = 1 if game is Game.TR1 else 1024
    found = centers(obj)
    assert len(found) == len(level.boxes) > 1
    for row, box in zip(found, level.boxes, strict=True):
        x_max, z_max = (int(box[name]) * unit for name in ("x_max", "z_max"))
        assert abs(row[0] - (int(box["x_min"]) * unit + x_max) / 2) <= 1
        assert abs(row[2] - (int(box["z_min"]) * unit + z_max) / 2) <= 1
        assert row[1] == pytest.approx(int(box["floor"]) - 16)
    ways = {tuple(sorted(pair)) for pair in decode_overlaps(game, level.boxes, level.overlaps).tolist()}
    loose = [edge for edge in obj.data.edges if edge.is_loose]
    assert len(loose) == len(ways)


@each_game
def test_materials_of_boxes_show_their_zones(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, obj = read_level(data), overlay(import_scene(data))
    settings = obj.tomb_raider.boxes
    kinds: tuple[str, ...] = ("SKELETON", "BASIC", "CROCODILE", "HUMAN", "FLYER")
    if game is Game.TR1:
        kinds = ("GROUND_1", "GROUND_2", "FLY_1")
    elif game <= Game.TR3:
        kinds = ("GROUND_1", "GROUND_2", "GROUND_3", "GROUND_4", "FLYER")
    assert settings.zones == kinds[0 if game <= Game.TR3 else 1]  # those of most characters
    for flipped in (False, True):
        for number, kind in enumerate(kinds):
            settings.zones, settings.flipped = kind, flipped
            zones = level.zones[int(flipped), number]
            shown = np.array([face.material_index for face in obj.data.polygons])
            assert np.array_equal(shown, zones % 12)
            assert len(obj.data.materials) > shown.max()


@each_game
def test_boxes_can_be_made_blockable(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level = read_level(data)
    root = import_scene(data)
    lists = level.boxes["overlap"]
    number = int(np.flatnonzero((lists != 0xFFFF) & (lists & 0x3FFF != 0x7FF))[0])
    bits = int(lists[number]) >> 14
    overlay(root).data.attributes["tr_blockable"].data[number].value = bits ^ 2
    found = export_scene(root)
    assert differences(level, found) == [("boxes", number, "overlap")]
    assert int(found.boxes["overlap"][number]) == int(lists[number]) ^ 0x8000


def test_only_the_marked_one_of_stacked_boxes_is_blockable(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR2))
    level.boxes = level.boxes.copy()
    one, two = np.flatnonzero(level.boxes["overlap"] & 0x3FFF != 0x3FFF)[:2].tolist()
    for name in ("x_min", "x_max", "z_min", "z_max"):
        level.boxes[name][two] = level.boxes[name][one]
    level.boxes["floor"][two] = level.boxes["floor"][one] - 2048
    root = import_scene(level.to_bytes())
    values = overlay(root).data.attributes["tr_blockable"].data
    for number in (one, two):
        values[number].value ^= 2
        found = export_scene(root)
        assert differences(level, found) == [("boxes", number, "overlap")]
        values[number].value ^= 2


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
def test_boxes_without_neighbors_cannot_be_made_blockable(blender: ModuleType, game: Game) -> None:
    """Boxes without a list have all bits set: clearing one would give them a list."""
    level = read_level(sample_bytes(game))
    level.boxes = level.boxes.copy()
    level.boxes["overlap"][1] = 0xFFFF
    root = import_scene(level.to_bytes())
    for value in range(4):
        overlay(root).data.attributes["tr_blockable"].data[1].value = value
        assert differences(level, export_scene(root)) == []


@each_game
def test_sinks_and_ai_objects_refer_to_recomputed_boxes(blender: ModuleType, game: Game) -> None:
    pull = Trigger(TriggerType.PAD, actions=(Action(ActionType.SINK, 2),))
    root = import_scene(sample_with(game, pull))
    root.tomb_raider.pathfinding = "ALWAYS"
    level = export_scene(root)
    assert _sinks(level) == {2}
    named = [(level.cameras[2], int(level.cameras["flags"][2]))]
    if game >= Game.TR4:
        assert len(level.ai_objects)
        named += [(record, int(record["box"])) for record in level.ai_objects]
    unit = 1 if game is Game.TR1 else 1024
    for record, number in named:
        box = level.boxes[number]
        for axis in "xz":
            assert int(box[f"{axis}_min"]) * unit <= record[axis] <= int(box[f"{axis}_max"]) * unit


@each_game
def test_boxes_are_kept_without_the_overlay(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    bpy.data.objects.remove(overlay(root))
    assert export_scene(root).to_bytes() == data


@each_game
def test_boxes_are_recomputed_on_request(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    before = read_level(data)
    root = import_scene(data)
    root.tomb_raider.pathfinding = "ALWAYS"
    after = export_scene(root)
    changed = {path[0] for path in differences(before, after)}
    assert changed <= {"boxes", "overlaps", "zones", "rooms", "cameras", "ai_objects"}
    _check_references(after, before)


@each_game
def test_a_new_wall_closes_the_way(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    root.tomb_raider.pathfinding = "ALWAYS"
    open_way = export_scene(root)
    room = objects(root, "ROOM")[0]
    room.tomb_raider.room.has_water = not room.tomb_raider.room.has_water
    root.tomb_raider.pathfinding = "AUTOMATIC"
    result = export_result(root)
    assert "boxes" in result.rebuilt
    assert result.level.zones.tobytes() != open_way.zones.tobytes() or len(open_way.rooms) == 1
    root.tomb_raider.pathfinding = "NEVER"
    kept, report = export_level(root)
    assert np.array_equal(kept.boxes, read_level(sample_bytes(game)).boxes)
    assert any("boxes" in str(warning) for warning in report.warnings)


@each_real_level
def test_enemies_still_find_their_ways_in_real_levels(blender: ModuleType, level_path: Path) -> None:
    before = read_level(level_path)
    skip_without(before.rooms)
    root = import_scene(level_path.read_bytes())
    root.tomb_raider.pathfinding = "ALWAYS"
    after = export_scene(root)
    _check_references(after, before)
    old, new = sector_boxes(before), sector_boxes(after)
    both = (old >= 0) & (new >= 0)
    hidden = {room.alternate_room for room in before.rooms}
    counts = [len(room.sectors) for room in before.rooms]
    both &= np.repeat([number not in hidden for number in range(len(counts))], counts)
    one, two = (
        reachable(before.game, each.boxes, each.overlaps, each.zones[0, 0])[boxes[both]]
        for each, boxes in ((before, old), (after, new))
    )
    assert ((one[:, None] == one) == (two[:, None] == two)).mean() > 0.995


def _check_references(level: Level, before: Level) -> None:
    """Check that sinks and AI objects refer to the box at their position, or without one to the old box."""
    boxes = sector_boxes(level)
    assert boxes.max(initial=-1) < len(level.boxes)
    pairs = decode_overlaps(level.game, level.boxes, level.overlaps)
    assert pairs.max(initial=-1) < len(level.boxes)
    unit = 1 if level.game is Game.TR1 else 1024
    for number in _sinks(level):
        record = level.cameras[number]
        if int(record["flags"]) not in (int(before.cameras["flags"][number]), 0x7FF, 0xFFFF):
            box = level.boxes[int(record["flags"])]
            for axis in "xz":
                assert int(box[f"{axis}_min"]) * unit <= record[axis] <= int(box[f"{axis}_max"]) * unit


def _sinks(level: Level) -> set[int]:
    return {
        action.parameter
        for functions in FloorLists.read(level).lists.values()
        for function in functions
        if isinstance(function, Trigger)
        for action in function.actions
        if action.type == ActionType.SINK and action.parameter < len(level.cameras)
    }


@each_game
def test_the_overlay_can_be_refreshed(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    root.tomb_raider.pathfinding = "ALWAYS"
    obj = overlay(root)
    library = next(each for each in root.children if each.tomb_raider.kind == "PATHFINDING")
    layer = bpy.context.view_layer.layer_collection.children[root.name].children[library.name]
    layer.exclude = False
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.tomb_raider.refresh_boxes() == {"FINISHED"}
    expected = export_scene(root)
    assert len(obj.data.polygons) == len(expected.boxes)
    bits = obj.data.attributes["tr_blockable"]
    chosen = int(np.flatnonzero(expected.boxes["overlap"] & 0x3FFF < 0x7FF)[-1])
    bits.data[chosen].value = 2
    again = export_scene(root)
    assert (again.boxes["overlap"][chosen] & 0x8000) != 0 or len(again.boxes) != len(expected.boxes)


def set_zone(root: Collection, boxes: list[int], zone: int, **options: Any) -> None:
    """Set the zone of boxes with the tool, in edit mode."""
    obj = overlay(root)
    library = next(each for each in root.children if each.tomb_raider.kind == "PATHFINDING")
    layer = bpy.context.view_layer.layer_collection.children[root.name].children[library.name]
    layer.exclude = False
    bpy.context.view_layer.objects.active = obj
    bpy.context.tool_settings.mesh_select_mode = (False, False, True)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(obj.data)
    for face in edited.faces:
        face.select_set(face.index in boxes)
    edited.select_flush_mode()
    bmesh.update_edit_mesh(obj.data)
    assert bpy.ops.tomb_raider.set_zone(zone=zone, **options) == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")


@each_game
def test_zones_are_set_by_hand(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    settings, kinds = overlay(root).tomb_raider.boxes, level.zones.shape[1]
    settings.zones, settings.flipped = ("FLY_1" if game is Game.TR1 else "FLYER"), True
    set_zone(root, [1, 2], 777)
    found = export_scene(root)
    expected = level.zones.copy()
    expected[1, kinds - 1, 1:3] = 777
    assert np.array_equal(found.zones, expected)
    assert found.boxes.tobytes() == level.boxes.tobytes()
    assert [face.material_index for face in overlay(root).data.polygons][1] == 777 % 12
    set_zone(root, [2], -1)
    assert export_scene(root).zones[1, kinds - 1, 2] == max(777, level.zones[1, kinds - 1].max()) + 1
    set_zone(root, [1, 2], 0, by_hand=False)
    assert export_scene(root).to_bytes() == data


@each_game
def test_manual_zones_survive_recomputed_ones(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    root.tomb_raider.pathfinding = "ALWAYS"
    computed = export_scene(root)
    obj = overlay(root)
    draw_boxes(obj, computed, Space.of(root))
    obj.tomb_raider.boxes.zones = "GROUND_1" if game <= Game.TR3 else "SKELETON"
    set_zone(root, [0], 99)
    expected = computed.zones.copy()
    expected[0, 0, 0] = 99
    for _ in range(2):
        found = export_scene(root)
        assert np.array_equal(found.zones, expected)
        draw_boxes(obj, found, Space.of(root))  # keeps what was set by hand
    for vertex in obj.data.vertices:
        vertex.co.x += 100
    level, warnings = exported(root)
    assert np.array_equal(level.zones, computed.zones)
    assert any("zones set by hand are lost" in each for each in warnings)


def test_levels_without_boxes_have_no_overlay(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR4)).copy()
    level.boxes, level.overlaps, level.zones = level.boxes[:0], level.overlaps[:0], level.zones[..., :0]
    data = level.to_bytes()
    root = import_scene(data)
    assert not objects(root, "BOXES")
    assert export_scene(root).to_bytes() == data
