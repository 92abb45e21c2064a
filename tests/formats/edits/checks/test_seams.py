"""Seams are found where they were made, and valid rooms have none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.edits.checks.seams import GAP, TURNED, UNLIT, WIDEST, find_seams
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import Element, Finding, Severity
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_level

pytestmark = pytest.mark.once

GAMES_WITHOUT_LAYERS = [Game.TR1, Game.TR2, Game.TR3, Game.TR4]
without_layers = pytest.mark.parametrize("game", GAMES_WITHOUT_LAYERS, ids=lambda game: game.name)


def seams(level: Level) -> list[Finding]:
    found = list(find_seams(Decoded(level)))
    assert all(each.severity is Severity.INFO for each in found)
    return found


def split_face(level: Level, room: int, face: int) -> np.ndarray:
    """Give a quad of a room vertices of its own, and return their numbers."""
    owner = level.rooms[room]
    quads, first = np.array(owner.quads), len(owner.vertices)
    owner.vertices = np.concatenate([owner.vertices, owner.vertices[quads["vertices"][face].astype(int)]])
    quads["vertices"][face] = np.arange(first, first + 4)
    owner.quads = quads
    return np.arange(first, first + 4)


def inner_face(level: Level, room: int) -> int:
    """Return a quad of a room whose four edges have a face on both sides."""
    owner = level.rooms[room]
    points = np.stack([owner.vertices[axis] for axis in "xyz"], axis=1)
    edges: dict[frozenset[tuple[int, ...]], int] = {}
    by_face = []
    for faces in decode_faces(level.game, owner):
        for corners in faces.corners:
            around = [tuple(points[each].tolist()) for each in corners]
            pairs = [frozenset((a, b)) for a, b in zip(around, around[1:] + around[:1], strict=True)]
            by_face.append(pairs)
            for pair in pairs:
                edges[pair] = edges.get(pair, 0) + 1
    return next(n for n, pairs in enumerate(by_face[: len(owner.quads)]) if all(edges[p] == 2 for p in pairs))


@each_game
def test_valid_rooms_have_no_seams_and_checks_do_not_search_for_them(game: Game) -> None:
    level = sample_level(game)
    assert seams(level) == []
    assert not {GAP, TURNED, UNLIT} & {each.check for each in check_level(level)}


@without_layers
@pytest.mark.parametrize("distance", [1, 40, WIDEST])
def test_a_corner_off_its_neighbors_is_a_gap(game: Game, distance: int) -> None:
    level = sample_level(game)
    (vertex, *_) = split_face(level, 1, inner_face(level, 1))
    assert seams(level) == []  # at the same places
    room = level.rooms[1]
    old = tuple(float(room.vertices[axis][vertex]) for axis in "xyz")
    vertices = np.array(room.vertices)
    vertices["y"][vertex] += distance
    room.vertices = vertices
    found = seams(level)
    assert {each.check for each in found} == {GAP} and {each.obj for each in found} == {Element("room", 1)}
    (finding,) = found
    assert f"{distance} units apart" in finding.text and finding.place is not None
    x, y, z = finding.place
    assert (x - room.x, z - room.z) == (old[0], old[2]) and y - old[1] in (0, distance)
    vertices["y"][vertex] += 1 + WIDEST - distance
    assert seams(level) == []


@each_game
def test_a_border_off_that_of_the_next_room_is_a_gap(game: Game) -> None:
    level = sample_level(game)
    found: set[tuple[Element, tuple[Element, ...]]] = set()
    for portal in level.rooms[1].portals:
        room = level.rooms[1]
        vertices = np.array(room.vertices)
        low, high = portal["vertices"].min(axis=0), portal["vertices"].max(axis=0)
        place = np.stack([vertices[axis] for axis in "xyz"], axis=1).astype(float)
        here = ((place >= low) & (place <= high)).all(axis=1)
        if low[1] == high[1] or not here.any():
            continue
        vertices["y"][np.flatnonzero(here)] += 16
        room.vertices = vertices
        found |= {(each.obj, each.others) for each in seams(level) if each.check == GAP}
    assert found
    assert all({first.number, *(each.number for each in others)} >= {1} and others for first, others in found)


@without_layers
def test_a_face_turned_against_its_neighbors_is_found(game: Game) -> None:
    level = floor_of_one_tile(game)
    assert seams(level) == []
    room = level.rooms[0]
    for turns in (1, 2, 3):
        quads = np.array(room.quads)
        quads["texture"] = 0
        corners = quads["vertices"][4].copy()
        record = level.object_textures[:1].copy()
        record["uv"][0, :4] = np.roll(record["uv"][0, :4], turns, axis=0)
        level.object_textures = np.concatenate([level.object_textures[:1], record])
        quads["texture"][4] = 1
        room.quads = quads
        (finding,) = seams(level)
        assert finding.check == TURNED and finding.obj == Element("room", 0) and "4 neighbors" in finding.text
        center = [np.mean([room.vertices[axis][each] for each in corners]) for axis in "xyz"]
        assert finding.place == (center[0] + room.x, center[1], center[2] + room.z)
        quads["texture"][4] = 0
        quads["texture"][3] = 1  # at the border it has only three neighbors
        assert [each.check for each in seams(level)] == [TURNED]
        quads["texture"][0] = 1  # one of them is turned, too
        assert seams(level) == []
        quads["texture"][:] = np.arange(9) % 2  # a pattern
        assert seams(level) == []


def floor_of_one_tile(game: Game) -> Level:
    """Return a level with a room of 3 x 3 quads in a plane, all with the first texture."""
    level = sample_level(game)
    level.rooms = level.rooms[:1]
    room = level.rooms[0]
    vertices = np.zeros(16, room.vertices.dtype)
    vertices["x"], vertices["z"] = (each.ravel() * 1024 for each in np.meshgrid(np.arange(4), np.arange(4)))
    if game.traits.has_color_light:
        vertices["color"] = 0x3DEF
    else:
        vertices["light"] = 2000
    quads = np.zeros(9, room.quads.dtype)
    for row in range(9):
        first = row // 3 * 4 + row % 3
        quads["vertices"][row] = first, first + 1, first + 5, first + 4
    room.vertices, room.quads, room.triangles = vertices, quads, room.triangles[:0]
    room.sprites, room.portals = room.sprites[:0], room.portals[:0]
    record = level.object_textures[:1].copy()
    record["uv"][0] = [(1, 1), (0x3FFF, 1), (0x3FFF, 0x3FFF), (1, 0x3FFF)]
    level.object_textures = record
    return level


@without_layers
def test_a_black_face_among_lit_ones_is_found(game: Game) -> None:
    level = floor_of_one_tile(game)
    own = split_face(level, 0, 4)
    assert seams(level) == []
    room = level.rooms[0]
    vertices = np.array(room.vertices)
    vertices["color" if game.traits.has_color_light else "light"][own] = (
        0 if game.traits.has_color_light else 8160
    )
    room.vertices = vertices
    assert [(each.check, each.obj) for each in seams(level)] == [(UNLIT, Element("room", 0))]
    if game.traits.has_color_light:
        vertices["color"] = 0
    else:
        vertices["light"] = 8160
    assert seams(level) == []  # a dark room


@each_real_level
def test_real_levels_have_few_seams(level_path: Path) -> None:
    level = read_level(level_path)
    if not level.has("rooms"):
        pytest.skip("it has no rooms")
    faces = sum(len(room.quads) + len(room.triangles) for room in level.rooms)
    found = seams(level) if level.has("models") else []
    assert len(found) <= faces / 400
    assert not [each for each in found if each.check != TURNED]


def quads_of(level: Level, number: int, *squares: list[tuple[int, int, int]]) -> None:
    """Give a room these quads as its only faces, by the places of their corners in the world."""
    room = level.rooms[number]
    corner = (room.x, 0, room.z)
    places = [*(point for square in squares for point in square), corner]  # the last one has no face
    points = np.array(places, np.int64) - np.array(corner)
    vertices = np.zeros(len(points), room.vertices.dtype)
    for axis, values in zip("xyz", points.T, strict=True):
        vertices[axis] = values
    quads = np.zeros(len(squares), room.quads.dtype)
    quads["vertices"] = np.arange(4 * len(squares)).reshape(-1, 4)
    room.vertices, room.quads, room.triangles = vertices, quads, room.triangles[:0]
    room.sprites = room.sprites[:0]


@without_layers
def test_the_sides_of_a_thin_sheet_are_no_gap_but_those_of_a_slit_are(game: Game) -> None:
    level = sample_level(game)
    level.rooms = level.rooms[:1]
    x, z = level.rooms[0].x, level.rooms[0].z
    front = [(x, 0, z), (x + 1024, 0, z), (x + 1024, 1024, z), (x, 1024, z)]
    back = [(px, py, pz + 32) for px, py, pz in front[::-1]]
    quads_of(level, 0)
    assert seams(level) == []  # no faces at all
    quads_of(level, 0, front, back)
    assert seams(level) == []
    beside = [(px + 1024 + 32, py, pz) for px, py, pz in front]
    quads_of(level, 0, front, beside)
    assert [each.check for each in seams(level)] == [GAP, GAP]  # one for each end of the slit


@without_layers
def test_only_rooms_with_a_portal_between_them_have_gaps(game: Game) -> None:
    level = sample_level(game)
    level.rooms = level.rooms[:2]
    x, z = level.rooms[0].x, level.rooms[0].z
    square = [(x, 0, z), (x + 1024, 0, z), (x + 1024, 1024, z), (x, 1024, z)]
    quads_of(level, 0, square)
    quads_of(level, 1, [(px + 1024 + 32, py, pz) for px, py, pz in square])
    portals = level.rooms[0].portals
    assert (portals["room"] == 1).any()
    assert {each.check for each in seams(level)} == {GAP}
    for room in level.rooms:
        room.portals = room.portals[:0]
    assert seams(level) == []
