"""Tests of the sample levels: they are consistent, and every reference has a target."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, Room, read_level
from io_tomb_raider.formats.levels.animations.animations import decode_commands, decode_state_changes
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.floor.floor_data import decode, decode_all, parse
from io_tomb_raider.formats.levels.floor.functions import Portal, Slant, Triangulation, Trigger
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.textures.animated import animated_places
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask
from tests.games import each_game
from tests.sample_levels import SAMPLES, sample_bytes, sample_level
from tests.sample_levels.animations import ANIMATIONS
from tests.sample_levels.assemble import make_level
from tests.sample_levels.models import model_id
from tests.sample_levels.packing import game_models
from tests.sample_levels.plan import CLICK, ENTITIES, ROOMS, SECTOR, TRIGGERS, RoomPlan
from tests.sample_levels.sectors import clicks


@cache
def level_of(game: Game) -> Level:
    return read_level(sample_bytes(game))


def rooms_of(level: Level) -> list[tuple[RoomPlan, Room]]:
    """Return the rooms with their plans."""
    return list(zip(ROOMS, level.rooms, strict=False))


def meshes_of(level: Level) -> list[Mesh]:
    return decode_meshes(level.game, level.mesh_data, level.mesh_pointers).meshes


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_level_is_made_every_time(name: str) -> None:
    game, variant, options = SAMPLES[name]
    choice = {"trng": False, "textiles_only": False, "early_layout": 0, "degenerate": True, **options}
    assert make_level(game, variant, **choice).to_bytes() == sample_bytes(game, variant, **options)


def test_a_changed_level_does_not_change_the_next_one() -> None:
    level = sample_level(Game.TR3)
    level.entities["x"] += 1
    level.rooms[1].vertices["y"] += 1
    level.rooms.pop()
    assert sample_level(Game.TR3).to_bytes() == sample_bytes(Game.TR3) != level.to_bytes()


# --- Rooms ---------------------------------------------------------------------------------


@each_game
def test_faces_of_rooms_find_their_vertices_and_textures(game: Game) -> None:
    level = level_of(game)
    for _, room in rooms_of(level):
        for faces in decode_faces(game, room):
            assert faces.corners.max(initial=0) < len(room.vertices)
            assert (faces.texture & room_texture_mask(game)).max(initial=0) < len(level.object_textures)
        used = np.unique(np.concatenate([faces.corners.ravel() for faces in decode_faces(game, room)]))
        assert len(used) + len(room.sprites) == len(room.vertices)


@each_game
def test_room_faces_are_seen_from_inside(game: Game) -> None:
    """Floors must face up and ceilings down, or the games would not draw them."""
    for plan, room in rooms_of(level_of(game)):
        points = np.stack([room.vertices[axis] for axis in "xyz"], 1).astype(float)
        floor = (9 if plan.name == "water" else 0) * CLICK
        seen = {"floor": 0, "ceiling": 0}
        for faces in decode_faces(game, room):
            corners = points[faces.corners]
            away = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 1]
            is_level = np.ptp(corners[:, :, 1], axis=1) == 0
            floors, ceilings = (is_level & (corners[:, 0, 1] == y) for y in (floor, room.y_top))
            if plan.name != "water":
                assert (away[ceilings] < 0).all()
            assert (away[floors] > 0).all()
            seen["floor"] += int(floors.sum())
            seen["ceiling"] += int(ceilings.sum())
        assert seen["floor"] > 5
        assert seen["ceiling"] > 5 or plan.name == "water"


@each_game
def test_floor_heights_match_room_vertices(game: Game) -> None:
    """Heights of the floor data at the corners of every sector are those of a vertex there."""
    level = level_of(game)
    checked = 0
    for plan, room in rooms_of(level):
        heights = {(int(v["x"]), int(v["z"]), int(v["y"])) for v in room.vertices}
        for (x, z), sector in np.ndenumerate(room.sectors.reshape(room.x_sectors, room.z_sectors)):
            cell = plan.cell(x, z)
            if cell.is_wall:
                assert sector["floor"] == sector["ceiling"] == -127
                continue
            corners = _floor_corners(level, sector)
            assert corners == clicks(game, cell.floor)
            for (dx, dz), height in zip(((0, 0), (1, 0), (1, 1), (0, 1)), corners, strict=True):
                assert ((x + dx) * SECTOR, (z + dz) * SECTOR, height * CLICK) in heights
                checked += 1
    assert checked > 300


def _floor_corners(level: Level, sector: np.void) -> tuple[int, ...]:
    """Return the corner heights that floor data describe: south-west, south-east, north-east, north-west."""
    floor = int(sector["floor"])
    for function in decode(level.floor_data, int(sector["floor_data"])):
        if isinstance(function, Slant) and not function.ceiling:
            west, south = max(function.x, 0), max(function.z, 0)
            east, north = max(-function.x, 0), max(-function.z, 0)
            return (floor + west + south, floor + east + south, floor + east + north, floor + west + north)
        if isinstance(function, Triangulation) and not function.ceiling:
            south_east, south_west, north_west, north_east = function.corners
            assert not function.rising
            # The plane of each half is highest at one corner of the whole sector, where the shift counts.
            near = _half(floor + function.height_other, south_west, south_east, north_west)
            far = _half(floor + function.height_x, north_east, north_west, south_east)
            assert near[1:] == far[:0:-1]
            return (near[0], near[1], far[0], near[2])
    return (floor,) * 4


def _half(base: int, right_angle: int, along: int, across: int) -> tuple[int, int, int]:
    """Return the heights of a triangle from nibbles: at its right angle, and at its ends along x and z."""
    rises = (right_angle, along, across, along + across - right_angle)
    top = max(rises)
    return base + top - right_angle, base + top - along, base + top - across


@each_game
def test_portals_have_a_counterpart_with_the_same_opening(game: Game) -> None:
    level = level_of(game)
    found = set()
    for index, (_, room) in enumerate(rooms_of(level)):
        for portal in room.portals:
            target = level.rooms[int(portal["room"])]
            found.add((index, int(portal["room"])))
            here = {_in_world(room, corner) for corner in portal["vertices"].tolist()}
            back = [
                {_in_world(target, corner) for corner in other["vertices"].tolist()}
                for other in target.portals
            ]
            assert here in back
    assert {(0, 1), (1, 0), (0, 2), (2, 0)} <= found


def _in_world(room: Room, corner: list[int]) -> tuple[int, int, int]:
    return corner[0] + room.x, corner[1], corner[2] + room.z


@each_game
def test_sectors_open_to_the_rooms_that_portals_show(game: Game) -> None:
    level = level_of(game)
    hall, water = level.rooms[0], level.rooms[2]
    assert (hall.sectors["room_below"] == 2).sum() == (water.sectors["room_above"] == 0).sum() == 4
    lists = [decode(level.floor_data, int(sector["floor_data"])) for sector in hall.sectors]
    assert [
        function.room for functions in lists for function in functions if isinstance(function, Portal)
    ] == [1]


@each_game
def test_a_room_floods_and_another_is_water(game: Game) -> None:
    level = level_of(game)
    assert level.rooms[1].alternate_room == 3
    assert [room.flags & 1 for room in level.rooms[:4]] == [0, 0, 1, 1]


@each_game
def test_light_varies_within_rooms(game: Game) -> None:
    field = "light" if game <= Game.TR2 else "color"
    for _, room in rooms_of(level_of(game)):
        assert len(np.unique(room.vertices[field])) > 10


@each_game
def test_all_kinds_of_light_are_there(game: Game) -> None:
    rooms = level_of(game).rooms
    kinds = {
        int(kind)
        for room in rooms
        for kind in (room.lights["type"] if game >= Game.TR3 else [0] * len(room.lights))
    }
    wanted = {Game.TR1: 1, Game.TR2: 1, Game.TR3: 2, Game.TR4: 5, Game.TR5: 4}
    assert len(kinds) == wanted[game]
    assert game is not Game.TR5 or any(len(room.fog_bulbs) for room in rooms)


def test_tr5_has_rooms_of_several_layers_and_of_none() -> None:
    assert [len(room.layers) for room in level_of(Game.TR5).rooms] == [2, 1, 1, 1, 0]


# --- Objects in rooms ---------------------------------------------------------------------------


@each_game
def test_everything_in_the_rooms_is_something_that_the_level_has(game: Game) -> None:
    level = level_of(game)
    types = {*level.models["id"].tolist(), *level.sprite_sequences["id"].tolist()}
    assert set(level.entities["type"].tolist()) <= types
    for record in (*level.entities, *level.cameras[:2]):
        room = level.rooms[int(record["room"])]
        assert room.x < record["x"] < room.x + room.x_sectors * SECTOR
        assert room.z < record["z"] < room.z + room.z_sectors * SECTOR
    for room in level.rooms:
        assert set(room.static_meshes["static_mesh"].tolist()) <= set(level.static_meshes["id"].tolist())
        if len(room.sprites):
            assert room.sprites["texture"].max() < len(level.sprite_textures)
            assert room.sprites["vertex"].max() < len(room.vertices)
    assert len(np.unique(level.rooms[0].static_meshes["static_mesh"])) == 2
    assert any(len(room.sprites) for room in level.rooms) == (game is not Game.TR5)


@each_game
def test_triggers_have_the_planned_actions(game: Game) -> None:
    level = level_of(game)
    names = [entity.name for entity in ENTITIES]
    planned = [trigger for trigger in TRIGGERS if game >= trigger.since]
    for trigger in planned:
        index = [plan.name for plan in ROOMS].index(trigger.room)
        room = level.rooms[index]
        sector = room.sectors.reshape(room.x_sectors, room.z_sectors)[trigger.sector]
        found = [
            each
            for each in decode(level.floor_data, int(sector["floor_data"]))
            if isinstance(each, Trigger) and each.type == trigger.kind
        ]
        assert len(found) == 1
        wanted = [
            (action, names.index(parameter) if isinstance(parameter, str) else parameter)
            for action, parameter in trigger.actions
        ]
        actions = [(action.type, action.parameter) for action in found[0].actions]
        reference = [(0, found[0].reference)] if found[0].reference is not None else []
        assert reference + actions == wanted
    sectors = [room.sectors["floor_data"] for room in level.rooms]
    lists = decode_all(parse(level.floor_data, sectors))
    triggers = [each for functions in lists for each in functions if isinstance(each, Trigger)]
    assert len(triggers) == len(planned)
    assert any(action.extra is not None for trigger in triggers for action in trigger.actions)


@each_game
def test_boxes_cover_the_floors_and_overlap_mutually(game: Game) -> None:
    level = level_of(game)
    none, shift = (0xFFFF, 0) if game <= Game.TR2 else (0x7FF, 4)
    for plan, room in rooms_of(level):
        for (x, z), sector in np.ndenumerate(room.sectors.reshape(room.x_sectors, room.z_sectors)):
            cell = plan.cell(x, z)
            box = int(sector["box"]) >> shift
            assert (box == none) == (cell.is_wall or bool(cell.below))
            assert box == none or box < len(level.boxes)
    reach = {number: set(_overlaps(level, number)) for number in range(len(level.boxes))}
    assert all(number in reach[other] for number, others in reach.items() for other in others)
    assert level.zones.shape == (2, 3 if game is Game.TR1 else 5, len(level.boxes))
    assert level.zones.min() == 1
    # A creature that can take any step reaches all adjacent boxes.
    for number, others in reach.items():
        assert all(level.zones[0, -1, number] == level.zones[0, -1, other] for other in others)


def _overlaps(level: Level, number: int) -> list[int]:
    start = int(level.boxes["overlap"][number])
    if start in (0xFFFF, 0x7FF):
        return []
    end = start
    while not level.overlaps[end] & 0x8000:
        end += 1
    return (level.overlaps[start : end + 1] & 0x7FF).tolist()


# --- Models and textures ----------------------------------------------------------------------


@each_game
def test_models_find_their_meshes_trees_and_animations(game: Game) -> None:
    level = level_of(game)
    assert level.models["id"].tolist() == sorted(set(level.models["id"].tolist()))
    trees = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))
    lara = trees[0]
    assert lara.parents.tolist() == [-1, 0, 1, 2, 0, 4, 5, 0, 7, 8, 9, 7, 11, 12, 7]
    origins = lara.origins()
    assert origins[1, 0] < 0 < origins[4, 0]  # her left is to the west when she faces north
    assert origins[14, 1] < origins[7, 1] < 0 < origins[3, 1]
    first, second = level.models["first_mesh"][:2].astype(int)
    shared = level.mesh_pointers[first : first + 15] == level.mesh_pointers[second : second + 15]
    assert shared.tolist() == [number not in (10, 13) for number in range(15)]
    without = level.models["id"][level.models["animation"] == 0xFFFF]
    assert {model_id(game, "medikit"), model_id(game, "target")} == set(without.tolist())


@each_game
def test_mesh_faces_find_their_vertices_and_textures(game: Game) -> None:
    level = level_of(game)
    degenerate = 0
    for mesh in meshes_of(level):
        for faces in (mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles):
            if len(faces):
                assert faces["vertices"].max() < len(mesh.vertices)
        for faces in (mesh.quads, mesh.triangles):
            if len(faces):
                assert faces["texture"].max() < len(level.object_textures)
        corners = [face.tolist() for face in (*mesh.quads["vertices"], *mesh.triangles["vertices"])]
        degenerate += any(len(set(each)) < len(each) for each in corners)
    assert degenerate == 1
    assert any(len(mesh.colored_quads) and len(mesh.colored_triangles) for mesh in meshes_of(level)) == (
        game <= Game.TR3
    )
    assert {mesh.normals is None for mesh in meshes_of(level)} == {False, True}


@each_game
def test_degenerate_faces_can_be_left_out(game: Game) -> None:
    for mesh in meshes_of(sample_level(game, degenerate=False)):
        for face in (*mesh.quads["vertices"].tolist(), *mesh.triangles["vertices"].tolist()):
            assert len(set(face)) == len(face)


@each_game
def test_frames_hold_the_poses_that_were_planned(game: Game) -> None:
    level = level_of(game)
    keys = decode_frames(game, level.frames, level.animations, level.models)
    assert keys.problems == ()
    number = 0
    for model in game_models(game):
        for plan in ANIMATIONS.get(model.name, ()):
            own = keys.keys(number)
            moments = np.minimum(np.arange(len(own)) * plan.rate / max(plan.ticks - 1, 1), 1.0)
            poses = [plan.motion(float(moment)) for moment in moments]
            assert np.array_equal(own.offsets, np.rint([root for root, _ in poses]).astype(int))
            turns = np.rint(np.array([angles for _, angles in poses]) / 360 * 1024).astype(int) % 1024
            assert np.array_equal(own.angles, turns * 64)
            assert plan.ticks - 1 <= (len(own) - 1) * plan.rate < plan.ticks - 1 + plan.rate
            number += 1
    assert number == len(level.animations)
    assert {1, 2, 3} <= set(level.animations["frame_rate"].tolist())


@each_game
def test_targets_of_animations_are_of_the_same_model(game: Game) -> None:
    level = level_of(game)
    starts = [int(first) for first in level.models["animation"] if first != 0xFFFF]
    ends = [*starts[1:], len(level.animations)]
    kinds: set[int] = set()
    for start, end in zip(starts, ends, strict=True):
        for number in range(start, end):
            record = level.animations[number]
            targets = [(int(record["next_animation"]), int(record["next_frame"]))]
            tables = level.animations, level.state_changes, level.animation_dispatches
            for change in decode_state_changes(*tables, number):
                for dispatch in change.dispatches:
                    target = dispatch.next_animation
                    assert isinstance(target, int)
                    frame = dispatch.next_frame + int(level.animations["first_frame"][target])
                    targets.append((target, frame))
                    assert 0 <= dispatch.low <= dispatch.high <= record["last_frame"] - record["first_frame"]
            for target, frame in targets:
                assert start <= target < end
                aim = level.animations[target]
                assert aim["first_frame"] <= frame <= aim["last_frame"]
            first, count = int(record["first_command"]), int(record["commands"])
            kinds |= {command.type for command in decode_commands(level.animation_commands, first, count)}
    assert kinds == {1, 2, 3, 4, 5, 6}


@each_game
def test_textures_are_on_pages_and_one_group_is_animated(game: Game) -> None:
    level = level_of(game)
    pages = level.textiles32 if game >= Game.TR4 else level.textiles8
    assert (level.object_textures["page"] & 0x7FFF).max() < len(pages)
    assert level.sprite_textures["page"].max() < len(pages)
    places = animated_places(level.animated_textures)
    assert len(places) == 3
    assert level.animated_textures[places].max() < len(level.object_textures)
    attributes = set(level.object_textures["attribute"].tolist())
    assert attributes == ({0, 1} if game <= Game.TR2 else {0, 1, 2})
    lengths = -level.sprite_sequences["negative_length"]
    assert lengths.sum() == len(level.sprite_textures)


@each_game
def test_pages_show_the_same_in_all_their_depths(game: Game) -> None:
    level = level_of(game)
    if game is Game.TR1:
        assert (level.palette <= 63).all()
        return
    sixteen = level.textiles16
    clear = sixteen & 0x8000 == 0
    assert clear.any() and not clear.all()
    red = (sixteen >> 10 & 0x1F).astype(int) << 3
    if game >= Game.TR4:
        assert np.array_equal(clear, level.textiles32[..., 3] == 0)
        assert np.abs(red - level.textiles32[..., 2])[~clear].max() < 8
    else:
        scale = 4 if game is Game.TR2 else 1
        assert np.array_equal(clear, level.textiles8 == 0)
        shown = level.palette[level.textiles8].astype(int) * scale
        assert np.abs(red - shown[..., 0])[~clear].mean() < 8


# --- Sounds --------------------------------------------------------------------------------------


@each_game
def test_sounds_find_their_details_and_samples(game: Game) -> None:
    level = level_of(game)
    used = level.sound_map[level.sound_map >= 0]
    assert set(used.tolist()) == set(range(len(level.sound_details)))
    last = level.sound_details["sample"] + (level.sound_details["flags"] >> 2 & 0x3F)
    assert last.max() == len(level.sample_indices) - 1
    assert set(level.sound_sources["sound"].tolist()) <= set(np.flatnonzero(level.sound_map >= 0).tolist())
    if game is Game.TR1:
        for offset in level.sample_indices:
            assert level.sample_data[offset : offset + 4].tobytes() == b"RIFF"
    elif game >= Game.TR4:
        assert level.samples.tobytes().count(b"RIFF") == level.sample_count == len(level.sample_indices)
