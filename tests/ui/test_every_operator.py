"""Tests of every operator on everything that it accepts:

it finishes or reports an error, and can be undone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError
from io_tomb_raider.scene.core.members import levels
from io_tomb_raider.scene.core.subjects import SUBJECTS
from tests.empty_scene import start_empty
from tests.scene.exporting import export_level
from tests.scene.scenes import objects

from .everything import OPERATORS, operator_function
from .user_actions import import_sample, in_view, select

_KINDS = [kind.identifier for subject in SUBJECTS for kind in subject.objects]
_MESHES = ("ROOM", "COLLISION", "MODEL_MESH", "STATIC_MESH", "PORTAL", "BOXES")


def user_view() -> dict[str, Any]:
    """Return what a user would notice: what there is and where, and the files that would be written."""
    mode = bpy.context.mode
    if mode == "EDIT_MESH":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    found: dict[str, Any] = {
        obj.name: [list(row) for row in obj.matrix_world] if obj.visible_get() else None
        for obj in bpy.context.scene.objects
    }
    found["actions"] = sorted(bpy.data.actions.keys())
    for root in levels():
        try:
            found[root.name] = sha256(export_level(root)[0].to_bytes()).hexdigest()
        except ExportError as error:
            found[root.name] = str(error)
    if mode == "EDIT_MESH":
        bpy.ops.object.mode_set(mode="EDIT")
    return found


class Situation(NamedTuple):
    """An object, active and selected, in one of its modes."""

    name: str
    mode: Literal["OBJECT", "EDIT", "POSE"]

    def get_into(self) -> None:
        """Establish the situation, from any other."""
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        select(bpy.data.objects[self.name])
        if self.mode != "OBJECT":
            bpy.ops.object.mode_set(mode=self.mode)
        if self.mode == "EDIT":
            bpy.ops.mesh.select_all(action="SELECT")


def situations(root: Collection) -> Iterator[Situation]:
    """Yield the situations for operators: an object of each kind."""
    for kind in _KINDS:
        for obj in objects(root, kind)[:1]:
            if obj.name in bpy.context.view_layer.objects:
                yield Situation(obj.name, "OBJECT")
                if kind in _MESHES:
                    yield Situation(obj.name, "EDIT")
                if kind == "MODEL":
                    yield Situation(obj.name, "POSE")


class Prepared(NamedTuple):
    """A level with all its parts visible, shared by the tests of all operators."""

    path: str
    state: dict[str, Any]
    usable: dict[str, list[Situation]]

    def open(self) -> None:
        """Open the file without a name, with its windows."""
        bpy.ops.wm.read_homefile(filepath=self.path, load_ui=True)


@pytest.fixture(scope="module")
def prepared(extension: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Import the level once, and poll all operators in all situations."""
    folder = tmp_path_factory.mktemp("every_operator")
    start_empty()
    root = import_sample(folder, "tr4")
    for kind in ("MODELS", "COLLISION", "PORTALS", "PATHFINDING"):
        bpy.ops.tomb_raider.toggle_library(kind=kind)
    select()
    path = str(folder / "level.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True, compress=False)
    made = Prepared(path, user_view(), {operator: [] for operator in OPERATORS})
    for situation in list(situations(root)):
        situation.get_into()
        with in_view():
            for operator, usable in made.usable.items():
                if operator_function(operator).poll():
                    usable.append(situation)
    assert sum(map(bool, made.usable.values())) > len(OPERATORS) // 2
    return made


@pytest.mark.parametrize("operator", OPERATORS)
def test_it_ends_well_or_in_words(prepared: Prepared, operator: str) -> None:
    prepared.open()
    use, before = operator_function(operator), prepared.state
    for situation in prepared.usable[operator]:
        situation.get_into()
        bpy.ops.ed.undo_push(message="before")
        try:
            with in_view():
                outcome = use("EXEC_DEFAULT")
        except RuntimeError as error:
            assert str(error).startswith("Error: ") and "Traceback" not in str(error), (situation, error)
            assert user_view() == before, situation
            return
        if outcome == {"FINISHED"}:
            after = user_view()
            bpy.ops.ed.undo_push(message="after")
            bpy.ops.ed.undo()
            assert user_view() == before, situation
            bpy.ops.ed.redo()
            assert user_view() == after, situation
            return
        assert user_view() == before, situation
    # What needs more than a level as it was imported has tests of its own.
    name = operator.partition(".")[2]
    assert prepared.usable[operator] or any(name in text for text in other_tests())


@cache
def other_tests() -> list[str]:
    """Return the source of all other test modules."""
    tests = Path(__file__).parent.parent
    return [path.read_text("utf-8") for path in tests.rglob("test_*.py") if path != Path(__file__)]
