"""Append of rooms with their objects at another place."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, Room, read_level
from io_tomb_raider.formats.levels.floor.functions import ActionType, Trigger
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.lights.lights import decode_light
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask, texture_index
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.core.membership import members
from io_tomb_raider.scene.transfer.append.appending import append
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.compare import differences
from tests.games import each_game
from tests.level_rules import broken_indices, lonely_portals, lost_openings
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes

from ...scenes import export_scene, import_scene, objects
from .appending import append_from

SECTOR, CLICK = 1024, 256


def points(room: Room) -> NDArray[np.float64]:
    """Return the vertices of a room in world coordinates."""
    found = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(np.float64)
    return found + np.array((room.x, 0, room.z))


def quad_colors(level: Level, room: Room) -> dict[tuple[Any, ...], Any]:
    """Return the mean color of the box that each quad of a room shows, by its corners."""
    pages, mask = decode_pages(pages_of(level)), room_texture_mask(level.game)
    at = points(room) - points(room).min(axis=0)
    found = {}
    for face in room.quads:
        record = level.object_textures[int(texture_index(face["texture"], mask))]
        u, v = (record["uv"][:, axis].astype(int) >> 8 for axis in (0, 1))
        page = pages[int(record["page"]) & 0x7FFF, ..., :3]
        box = page[v.min() + 1 : v.max(), u.min() + 1 : u.max()]
        corners = sorted(
            tuple(np.rint(at[each]).astype(int).tolist()) for each in face["vertices"].astype(int)
        )
        found[tuple(corners)] = box.mean(axis=(0, 1))
    return found


def sorted_places(records: NDArray[Any]) -> NDArray[np.float64]:
    """Return where objects stand, (n, 3), in an order that does not depend on where all of them are."""
    at = np.stack([records[axis].astype(np.float64) for axis in "xyz"], axis=1).reshape(-1, 3)
    return at[np.lexsort(np.rint(at - at.min(axis=0, initial=1e9)).T)]


def light_values(light: Any) -> dict[str, Any]:
    """Return what a light is, wherever it is."""
    return {name: (np.round(value, 3) + 0.0).tolist() for name, value in decode_light(light).items()}


def same_room(there: Level, one: int, here: Level, other: int) -> NDArray[np.int64]:
    """Assert that two rooms have the same looks, objects and sounds; return the offset between them."""
    before, after = there.rooms[one], here.rooms[other]
    drawn = len(before.vertices)
    away = points(after).min(axis=0) - points(before).min(axis=0)
    assert drawn == len(after.vertices)
    order = [np.lexsort(np.rint(points(each) - points(each).min(axis=0)).T) for each in (before, after)]
    moved = points(after)[order[1]] - points(before)[order[0]]
    assert np.abs(moved - away).max() < 0.5
    shown, drawn_now = quad_colors(there, before), quad_colors(here, after)
    assert shown.keys() == drawn_now.keys()
    assert max(np.abs(shown[face] - drawn_now[face]).max() for face in shown) <= 12
    if not there.game.traits.has_color_light:
        light = [each.vertices["light"][row] for each, row in zip((before, after), order, strict=True)]
        assert np.array_equal(*light)
    assert (after.x_sectors, after.z_sectors, after.flags) == (
        before.x_sectors,
        before.z_sectors,
        before.flags,
    )
    sectors = [each.sectors for each in (before, after)]
    is_ground = (sectors[0]["floor"] != -127) & (sectors[1]["floor"] != -127)
    assert is_ground.any()
    for name in ("floor", "ceiling"):
        steps = sectors[1][name][is_ground].astype(int) - sectors[0][name][is_ground]
        assert set(steps.tolist()) == {round(away[1] / CLICK)}
    for name in ("lights", "static_meshes"):
        old, new = (sorted_places(getattr(each, name)) for each in (before, after))
        assert old.shape == new.shape
        assert np.abs(new - old - away).max(initial=0) < 1
    kinds = [sorted(map(str, map(light_values, each.lights))) for each in (before, after)]
    assert kinds[0] == kinds[1]
    return np.rint(away).astype(np.int64)


@pytest.mark.parametrize("place", [None, (90.0, 60.0, 8.0)], ids=["where it was", "elsewhere"])
@each_game
def test_all_rooms_are_appended_with_their_contents(
    blender: ModuleType, tmp_path: Path, game: Game, place: tuple[float, float, float] | None
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    got = append_from(root, tmp_path, data, rooms="*", place=place and Vector(place))
    old, new = read_level(data), export_scene(root)
    count = sum(len(room.vertices) > 0 for room in old.rooms)
    assert got.pieces["room"] == count and len(new.rooms) == len(old.rooms) + count
    aways = {tuple(same_room(old, each, new, len(old.rooms) + each).tolist()) for each in range(count)}
    (away,) = aways  # all rooms have the same offset
    assert (place is None) == (away == (0, 0, 0))
    assert not any(each % step for each, step in zip(away, (SECTOR, CLICK, SECTOR), strict=True))
    for each in range(count):
        before, after = old.rooms[each], new.rooms[len(old.rooms) + each]
        assert [row + len(old.rooms) for row in before.portals["room"].tolist()] == after.portals[
            "room"
        ].tolist()
        assert after.alternate_room == (
            before.alternate_room + len(old.rooms) if before.alternate_room >= 0 else -1
        )
    # All entities but Lara exist twice, once in the new rooms.
    shift = np.array(away)
    there = entity_keys(old, shift, len(old.rooms))
    everybody = {key for key, number in zip(there, old.entities["type"].tolist(), strict=True) if number}
    assert set(entity_keys(new)[len(old.entities) :]) == everybody
    acted = targets(old, range(len(old.rooms)), there)
    assert targets(new, range(len(old.rooms), len(new.rooms)), entity_keys(new)) == acted
    assert broken_indices(new) == broken_indices(old)
    assert lonely_portals(new) <= lonely_portals(old) or place is None
    assert len(lost_openings(new)) <= 2 * len(lost_openings(old))
    # The library is not changed.
    assert len(new.models) == len(old.models) and len(new.static_meshes) == len(old.static_meshes)
    assert [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"] == [root]


def entity_keys(level: Level, away: Any = (0, 0, 0), rooms: int = 0) -> list[tuple[int, ...]]:
    """Return what each entity is and where, by a way and numbers of rooms further."""
    found = level.entities
    places = zip(
        *(found[axis].astype(int) + step for axis, step in zip("xyz", away, strict=True)), strict=True
    )
    kinds = zip(
        found["type"].tolist(), (found["room"] + rooms).tolist(), found["angle"].tolist(), strict=True
    )
    return [(*kind, *map(int, place)) for kind, place in zip(kinds, places, strict=True)]


def targets(level: Level, rooms: range, named: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the target entities of the triggers of rooms, once per sector."""
    lists = Decoded(level).floor_lists
    found = []
    for number in rooms:
        for functions in lists.of(level.rooms[number].sectors["floor_data"]):
            for each in functions:
                if isinstance(each, Trigger):
                    found += [named[act.parameter] for act in each.actions if act.type == ActionType.OBJECT]
                    found += [named[each.reference]] if each.reference is not None else []
    return sorted(found)


def test_omitted_rooms_are_reported_and_openings_to_them_are_closed(
    blender: ModuleType, tmp_path: Path
) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    got = append_from(root, tmp_path, data, rooms="Room 000", place=Vector((120.0, 120.0, 0.0)))
    old, new = read_level(data), export_scene(root)
    assert len(new.rooms) == len(old.rooms) + 1
    room = new.rooms[-1]
    assert len(room.portals) == 0
    assert (room.sectors["floor"] != -127).any()
    assert lost_openings(new) == lost_openings(old) and lonely_portals(new) == lonely_portals(old)
    told = "\n".join(got.report.warnings)
    assert "the level keeps its own Lara" in told and "Portals: they have no adjoining room: Portal 0" in told
    assert "left out: it has no actions left: Switch Trigger 4" in told
    # The rooms of the level have not changed.
    changed = {path[2] for path in differences(old, new) if path[0] == "rooms" and path[1] in range(4)}
    assert changed <= {"sectors"}  # their box numbers
    for obj in objects(root, "TRIGGER"):
        for action in obj.tomb_raider.trigger.actions:
            assert action.target is None or action.target in members(root)


def test_an_alternate_room_that_the_file_does_not_have_is_none(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    there = read_level(sample_bytes(Game.TR4))
    there.rooms[0].alternate_room = len(there.rooms)
    before = len(objects(root, "ROOM"))
    assert append_from(root, tmp_path, there.to_bytes(), rooms="0").pieces["room"] == 1
    assert len(objects(root, "ROOM")) == before + 1


def test_another_static_mesh_by_the_same_id_gets_a_free_one(blender: ModuleType, tmp_path: Path) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    own = objects(root, "STATIC_MESH")[0]
    own.data.vertices[0].co.z += 1
    got = append_from(root, tmp_path, data, rooms="0", place=Vector((90.0, 60.0, 0.0)))
    assert got.pieces["static"] == 1
    new = export_scene(root)
    placed = [set(new.rooms[each].static_meshes["static_mesh"].tolist()) for each in (0, -1)]
    assert len(placed[0] - placed[1]) == 1 and len(placed[1] - placed[0]) == 1
    assert placed[0] | placed[1] <= set(new.static_meshes["id"].tolist())


@pytest.mark.parametrize(
    ("source", "game"), [(Game.TR1, Game.TR4), (Game.TR4, Game.TR1), (Game.TR2, Game.TR5)]
)
def test_rooms_of_another_game_are_remapped(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    """Shapes, faces and heights are the same; unsupported data is reported."""
    root = import_scene(sample_bytes(game))
    path = tmp_path / ("other.trc" if source is Game.TR5 else "other.lev")
    path.write_bytes(sample_bytes(source))
    got = append(root, path, PieceSelection(rooms="0, 1"), place=Vector((90.0, 60.0, 0.0)))
    there, old, new = read_level(sample_bytes(source)), read_level(sample_bytes(game)), export_scene(root)
    assert got.pieces["room"] == len(new.rooms) - len(old.rooms) >= 2 and got.report.warnings
    assert broken_indices(new) == broken_indices(old)
    for number in (0, 1):
        before, after = there.rooms[number], new.rooms[len(old.rooms) + number]
        shape, moved = (
            np.unique(np.rint(points(room) - points(room).min(axis=0)), axis=0) for room in (before, after)
        )
        assert np.array_equal(shape, moved)
        assert len(before.quads) == len(after.quads)
        assert (before.x_sectors, before.z_sectors) == (after.x_sectors, after.z_sectors)
        assert len(after.static_meshes) == len(before.static_meshes)
    assert [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"] == [root]


@each_real_level
def test_rooms_of_real_levels(blender: ModuleType, level_path: Path, tmp_path: Path) -> None:
    data = level_path.read_bytes()
    old = read_level(level_path)
    drawn = [number for number, room in enumerate(old.rooms) if len(room.vertices)]
    if not drawn:
        pytest.skip("no rooms")
    chosen = drawn[len(drawn) // 2]
    root = import_scene(data)
    got = append(root, level_path, PieceSelection(rooms=str(chosen)), place=Vector((200.0, 200.0, 0.0)))
    assert got.pieces["room"] >= 1
    new = export_scene(root)
    where = len(old.rooms) + sorted({chosen} | ({old.rooms[chosen].alternate_room} - {-1})).index(chosen)
    same_room(old, chosen, new, where)
    assert broken_indices(new) == broken_indices(old)
