"""Tests of projects from levels: compiled again, they are the same levels."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.from_level.rooms.faces import faces_of
from io_tomb_raider.formats.editors.projects.from_level.rooms.light import vertex_light
from io_tomb_raider.formats.editors.projects.from_level.rooms.textures import textures_of
from io_tomb_raider.formats.edits.rules.needs import pickups
from io_tomb_raider.formats.levels.collision.surfaces import Surface
from io_tomb_raider.formats.levels.floor.functions import ActionType, Trigger
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.formats.editors.projects.compiling import Round, round_trip
from tests.real_levels import real_levels
from tests.sample_levels import SAMPLES, named_sample

_SUFFIXES = {Game.TR1: "phd", Game.TR2: "tr2", Game.TR3: "tr2", Game.TR4: "tr4", Game.TR5: "trc"}
_NAMES = ("tr1", "tr2", "tr3", "tr4", "tr4-trng", "tr5")


@pytest.fixture(scope="module", params=_NAMES)
def rounds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Round:
    """Return a sample level, made into a project and compiled again."""
    folder = tmp_path_factory.mktemp("from_level")
    path = folder / f"level.{_SUFFIXES[SAMPLES[request.param][0]]}"
    path.write_bytes(named_sample(request.param))
    return round_trip(folder, path)


def _different(before: Decoded, after: Decoded) -> dict[str, int]:
    """Return the number of differing sectors by attribute. Those of walls have no shape."""
    one, other = before.sectors, after.sectors
    found = {}
    is_open = ~one.wall & ~other.wall
    for field in fields(one):
        was, now = getattr(one, field.name), getattr(other, field.name)
        if isinstance(was, Surface):
            differs = (was.heights != now.heights).any(axis=(1, 2)) | (was.open_triangle != now.open_triangle)
            found[field.name] = int((differs & is_open).sum())
        else:
            found[field.name] = int((was != now).sum())
    return {name: count for name, count in found.items() if count}


def test_sectors_are_the_same(rounds: Round) -> None:
    found = _different(rounds.before, rounds.after)
    found.pop("box", None)  # pathfinding is made anew
    found.pop("material", None)  # of whole tiles of the picture
    found.pop("stopper", None)  # the editor has no such mark
    assert found == {}


def test_entities_are_the_same(rounds: Round) -> None:
    one, other = rounds.before.level.entities, rounds.after.level.entities
    order = np.argsort(rounds.compiled.origin.entities)  # objects keep the order of the level
    for name in ("room", "x", "y", "z", "angle", "flags"):
        assert np.array_equal(one[name], other[name][order]), name
    # Projects of TR1 and TR2 cannot have both an item of the inventory and its sprite.
    sprites = pickups(rounds.before.level.game)
    assert [sprites.get(each, each) for each in one["type"].tolist()] == other["type"][order].tolist()


def test_triggers_are_the_same(rounds: Round) -> None:
    assert _triggers(rounds.before, range(len(rounds.before.level.entities))) == _triggers(
        rounds.after, _entity_numbers(rounds)
    )


def _entity_numbers(rounds: Round) -> list[int]:
    """Return for each entity after the number that it had before."""
    return np.argsort(np.argsort(rounds.compiled.origin.entities)).tolist()


def _triggers(decoded: Decoded, numbers: Any) -> dict[tuple[int, int], Any]:
    """Return the triggers by room and sector: types, setups, and actions without their order."""
    found = {}
    for row, index in enumerate(decoded.indices.tolist()):
        functions = decoded.floor_lists.lists[index] if index else ()
        for function in functions:
            if isinstance(function, Trigger):
                actions = sorted(
                    (each.type, _parameter(each.type, each.parameter, numbers), each.extra or 0)
                    for each in function.actions
                )
                reference = None if function.reference is None else numbers[function.reference]
                found[row, 0] = function.type, function.mask, reference, actions
    return found


def _parameter(kind: int, parameter: int, numbers: Any) -> int:
    of_entity = kind in (ActionType.OBJECT, ActionType.LOOK_AT)
    return int(numbers[parameter]) if of_entity and parameter < len(numbers) else parameter


def test_faces_have_the_same_texels_and_light(rounds: Round) -> None:
    """Of the faces that follow from the sectors; all others are triangles of imported geometry."""
    total = texels = light = 0
    for index in range(len(rounds.before.level.rooms)):
        before, after = _faces(rounds.before, index), _faces(rounds.after, index)
        for key, (pixels, shade) in before.items():
            if key in after:
                total += 1
                texels += bool(np.abs(pixels - after[key][0]).max() <= _SHARP)
                light += bool(np.abs(shade - after[key][1]).max() <= _DIM)
    report = rounds.made.rooms
    assert total >= 0.98 * sum(each.editor_faces for each in report) > 0
    assert texels >= 0.98 * total  # corners beyond a page are moved to its border
    assert light >= 0.97 * total  # faces with another light than their neighbors are imported geometry


_SHARP = 0.51  # pixels: corners that are not on the border of a page are exact
_DIM = 1 / 15


def _faces(decoded: Decoded, index: int) -> dict[Any, Any]:
    """Return the texture's corners, relative to their first, and the light of faces by their places."""
    game, room = decoded.level.game, decoded.level.rooms[index]
    faces = faces_of(game, room, 0)
    textures, light = textures_of(decoded, faces), vertex_light(game, room)
    found = {}
    for face in np.flatnonzero(textures.exists & (faces.areas > 0)).tolist():
        count = 3 if faces.triangle[face] else 4
        points = [tuple(each) for each in np.rint(faces.points[face, :count]).astype(int).tolist()]
        first = min(range(count), key=points.__getitem__)
        order = [(first + step) % count for step in range(count)]
        corners = textures.corners[face, order]
        key = tuple(points[each] for each in order)
        found[key] = corners - corners.min(axis=0), light[faces.corners[face, order]]
    return found


def test_reports_count_faces_by_room(rounds: Round) -> None:
    for room, report in zip(rounds.made.project.rooms, rounds.made.rooms, strict=True):
        assert report.name == room.name
        assert 0 <= report.editor_faces <= report.faces
        assert report.editor_faces == report.faces or any("obj" in name for name in rounds.made.files)


def test_faces_without_sectors_are_imported(rounds: Round) -> None:
    """The compiled level has their area, as triangles with their vertex colors."""
    for index, report in enumerate(rounds.made.rooms):
        game = rounds.before.level.game
        before, after = (
            faces_of(game, decoded.level.rooms[index], 0).areas.sum()
            for decoded in (rounds.before, rounds.after)
        )
        assert abs(before - after) <= 0.02 * before + 1, report.name


def test_real_levels_become_projects(tmp_path: Path) -> None:
    for path in real_levels():
        if path.stat().st_size > 3_000_000:
            continue
        folder = tmp_path / path.stem
        folder.mkdir()
        made = round_trip(folder, path)
        found = _different(made.before, made.after)
        lost = sum(len(each.portals) for each in made.made.rooms)
        named = lost or any(each.lost_sectors or each.ladders for each in made.made.rooms)
        assert not found.get("room_below") and not found.get("room_above"), path.name
        assert named or not found.get("portal"), path.name
        assert len(made.before.level.entities) == len(made.after.level.entities), path.name
