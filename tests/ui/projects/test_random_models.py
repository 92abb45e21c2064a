"""Property-based tests of imported geometry: any place, rotation and scale survives, and is edited alone."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mathutils import Matrix

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.model.objects import ImportedGeometry
from tests.formats.editors.projects.compile.compile_samples import SUFFIXES, compiled
from tests.scene.scenes import UNIT, objects

from ..user_actions import export_file, levels
from .model_projects import MODEL, models_of, opened, read, write_project

_FIRST = 100
_EACH = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
_ANGLES = st.one_of(st.sampled_from([0.0, 45.0, 90.0, 180.0, 270.0]), st.floats(-720, 720, width=32))
_PLACES = st.tuples(
    st.floats(0, 6144, width=32), st.floats(-1024, 4096, width=32), st.floats(0, 6144, width=32)
)


@st.composite
def _placed(draw: st.DrawFn) -> tuple[int, ImportedGeometry]:
    values: dict[str, Any] = {
        "y": draw(_ANGLES),
        "x": draw(st.one_of(st.sampled_from([0.0, 90.0, -90.0]), st.floats(-90, 90, width=32))),
        "roll": draw(_ANGLES),
        "scale": draw(st.floats(0.125, 4, width=32)),
        "lighting": draw(st.integers(0, 3)),
        "sharp_edges": draw(st.booleans()),
        "color": (1.0, 0.5, 0.25),
    }
    return draw(st.integers(0, 1)), ImportedGeometry(0, draw(_PLACES), model=MODEL, **values)


_SOME = st.lists(_placed(), min_size=1, max_size=5)


def _project(folder: Path, game: Game, placed: list[tuple[int, ImportedGeometry]]) -> tuple[Path, Collection]:
    for number, (_, each) in enumerate(placed):
        each.number = _FIRST + number
    for root in [*levels()]:
        for obj in list(root.all_objects):
            bpy.data.objects.remove(obj)
        bpy.data.collections.remove(root)
    path = write_project(folder, game, placed)
    return path, opened(path)


def _save(root: Collection, path: Path) -> Any:
    save = bpy.ops.export_scene.tomb_raider_project
    assert save(filepath=str(path), collection=root.name) == {"FINISHED"}
    return models_of(read(path))


@_EACH
@given(placed=_SOME, game=st.sampled_from([Game.TR2, Game.TR4, Game.TR5]))
def test_untouched_projects_are_the_same_bytes(blender: ModuleType, placed: Any, game: Game) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        path, root = _project(folder, game, placed)
        _save(root, folder / "out.prj2")
        assert (folder / "out.prj2").read_bytes() == path.read_bytes()
        made = compiled(read(path), folder, keep=True).level.to_bytes()
        assert export_file(folder / f"out{SUFFIXES[game]}", collection=root.name) == made


@_EACH
@given(placed=_SOME, step=st.tuples(*[st.integers(-2048, 2048)] * 3), angle=st.integers(1, 359))
def test_moves_and_turns_change_their_values_alone(
    blender: ModuleType, placed: Any, step: tuple[int, int, int], angle: int
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        path, root = _project(folder, Game.TR4, placed)
        boxes = {each.tomb_raider.index: each for each in objects(root, "IMPORTED_GEOMETRY")}
        x, y, z = step
        for box in boxes.values():
            box.location.x += x * UNIT
            box.location.y += z * UNIT
            box.location.z += y * UNIT
        before, after = models_of(read(path)), _save(root, folder / "out.prj2")
        for number in boxes:
            (_, was), (_, now) = before[number], after[number]
            assert np.subtract(now.position, was.position) == pytest.approx(step, abs=1e-2)
            now.position = was.position
            assert now == was
        for box in boxes.values():
            place = box.matrix_basis.copy()
            box.matrix_basis = (
                Matrix.Translation(place.translation)
                @ Matrix.Rotation(np.radians(-angle), 4, "Z")
                @ Matrix.Translation(-place.translation)
                @ place
            )
        turned = _save(root, folder / "out.prj2")
        for number in boxes:
            (_, was), (_, now) = before[number], turned[number]
            assert (now.y - was.y - angle + 180) % 360 - 180 == pytest.approx(0, abs=0.05)
            assert (now.x, now.roll, now.scale) == (was.x, was.roll, was.scale)
