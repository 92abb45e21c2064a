"""Tests of imported geometry: its place as the values of its object, and levels without its faces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.model.objects import ImportedGeometry
from io_tomb_raider.formats.editors.projects.model.settings import ImportedModel, LevelTexture
from io_tomb_raider.formats.editors.projects.update.face_rows import level_without
from io_tomb_raider.formats.editors.projects.update.imported import (
    faces_of_origin,
    linear_of,
    put_position,
    put_turn,
)
from io_tomb_raider.formats.editors.projects.update.origin import pack_origin, unpack_origin
from io_tomb_raider.formats.editors.projects.update.state import Updated
from io_tomb_raider.formats.editors.projects.update.update import update_project
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.formats.editors.projects.compile.compile_samples import (
    OBJ,
    compiled,
    lara,
    plain_room,
    project_of,
    texture_all,
)

_ANGLES = st.floats(-400, 400)
_TILTS = st.one_of(st.sampled_from([90.0, -90.0, 0.0]), st.floats(-180, 180))


def _apart(one: float, other: float) -> float:
    return abs((one - other + 180) % 360 - 180)


@given(before=st.tuples(_ANGLES, _TILTS, _ANGLES), after=st.tuples(_ANGLES, _TILTS, _ANGLES),
       scale=st.floats(0.1, 8))  # fmt: skip
def test_a_rotation_is_found_again(before: Any, after: Any, scale: float) -> None:
    one, other = (
        ImportedGeometry(1, y=y, x=x, roll=roll, scale=size)
        for (y, x, roll), size in ((before, 1.0), (after, scale))
    )
    wanted = linear_of(other)
    assert put_turn(one, wanted)
    assert np.abs(linear_of(one) - wanted).max() < 1e-3 * scale
    same = ImportedGeometry(1, y=before[0], x=before[1], roll=before[2], scale=scale)
    assert put_turn(same, linear_of(same) * (1 + 1e-7))
    assert (same.y, same.x, same.roll, same.scale) == (*before, scale)


@given(angles=st.tuples(_ANGLES, st.floats(-85, 85), _ANGLES), turn=st.integers(1, 359))
def test_a_turn_changes_one_angle(angles: Any, turn: int) -> None:
    y, x, roll = angles
    placed, wanted = ImportedGeometry(1, y=y, x=x, roll=roll), ImportedGeometry(1, y=y + turn, x=x, roll=roll)
    assert put_turn(placed, linear_of(wanted))
    assert (placed.x, placed.roll) == (x, roll) and _apart(placed.y, y + turn) < 0.01
    assert 0 <= placed.y < 360


def test_scaled_mirrored_and_invalid_matrices_are_refused() -> None:
    for turn in (
        np.diag([1.0, 2.0, 1.0]),
        np.diag([-1.0, 1.0, 1.0]),
        np.zeros((3, 3)),
        np.full((3, 3), np.nan),
    ):
        placed = ImportedGeometry(1, y=20.0, scale=3.0)
        assert not put_turn(placed, turn)
        assert (placed.y, placed.scale) == (20.0, 3.0)


def test_places_keep_their_fractions() -> None:
    placed = ImportedGeometry(1, (100.25, -5.5, 0.1))
    put_position(placed, np.array([612.2501, -5.5004, 0.1]))
    assert placed.position == (612.25, -5.5, 0.1)
    put_position(placed, np.array([612.6, -5.5, 0.1]))
    assert placed.position[0] == pytest.approx(612.6) and placed.position[1:] == (-5.5, 0.1)


@pytest.mark.parametrize("game", list(Game), ids=lambda game: game.name)
@pytest.mark.parametrize("sharp", [False, True])
def test_a_level_without_imported_geometry_is_that_of_the_room(
    game: Game, sharp: bool, tmp_path: Path
) -> None:
    (tmp_path / "model.obj").write_text(OBJ)
    (tmp_path / "model.mtl").write_text("newmtl wall\nmap_Kd texture.png\n")
    project = project_of([plain_room(0)], game, tmp_path)
    texture_all(project.rooms)
    project.settings.imported_geometries = [ImportedModel(5, "model", "model.obj")]
    project.rooms[0].objects = [lara()]
    alone = compiled(project, tmp_path).level
    # Its corners share vertices of the room.
    places = [(2048, 0, 2048), (2560, 0, 2048)]
    models = [ImportedGeometry(7 + n, place, model=5, sharp_edges=sharp) for n, place in enumerate(places)]
    project.rooms[0].objects += models
    made = compiled(project, tmp_path)
    assert [each.number for each in made.origin.imported[0]] == [7, 8]
    origin = unpack_origin(pack_origin(made.origin))
    assert origin.imported == made.origin.imported
    one = alone.rooms[0]
    other = level_without(Decoded(made.level), faces_of_origin(origin)).level.rooms[0]
    for before, after in zip(decode_faces(game, one), decode_faces(game, other), strict=True):
        for axis in "xyz":
            own = one.vertices[axis][before.corners], other.vertices[axis][after.corners]
            assert np.array_equal(*own)
    # The untouched level keeps its faces.
    assert len(made.level.rooms[0].triangles) > len(other.triangles)


def test_objects_that_are_gone_are_removed_and_others_stay(tmp_path: Path) -> None:
    (tmp_path / "model.obj").write_text(OBJ)
    (tmp_path / "model.mtl").write_text("newmtl wall\nmap_Kd texture.png\n")
    project = project_of([plain_room(0)], Game.TR4, tmp_path)
    texture_all(project.rooms)
    project.settings.imported_geometries = [
        ImportedModel(5, "model", "model.obj"),
        ImportedModel(6, "x", "x.obj"),
    ]
    seen, unseen = ImportedGeometry(7, (2048, 0, 2048), model=5), ImportedGeometry(8, model=6)
    project.rooms[0].objects = [lara(), seen, unseen]
    made = compiled(project, tmp_path, keep=True)
    level = level_without(Decoded(made.level), faces_of_origin(made.origin))
    updated = update_project(project, made, level, "made", [])
    assert project.rooms[0].objects == [lara(), unseen]  # its file is missing, so the level never had it
    assert isinstance(updated, Updated) and updated.files == {} and updated.notes == []


def test_new_files_have_names_of_their_own(tmp_path: Path) -> None:
    from io_tomb_raider.formats.editors.projects.update.state import free_name

    project = project_of([plain_room(0)], Game.TR4, tmp_path)
    assert free_name(project, "made") == "made_edited"
    project.settings.textures.append(LevelTexture(1, "$(LevelDirectory)\\MADE_edited.png"))
    assert free_name(project, "made") == "made_edited_2"
    project.settings.imported_geometries.append(ImportedModel(1, "a", "made_edited_2_001.obj"))
    assert free_name(project, "made") == "made_edited_3"
    assert free_name(project, "other") == "other_edited"
