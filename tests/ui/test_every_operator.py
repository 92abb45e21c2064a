"""Every operator of the extension, on what it can be used on: it ends well or in words, and can be undone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import ExportError
from io_tomb_raider.scene.base.members import levels
from io_tomb_raider.scene.exporter import export_level
from io_tomb_raider.scene.subjects import SUBJECTS

from .scenes import import_file, in_view, sample_file, select, things

_KINDS = [kind.identifier for subject in SUBJECTS for kind in subject.objects]
# Their classes are there only once the extension is registered, which tests are collected without.
_SOURCES = Path(__file__).parent.parent.parent / "io_tomb_raider" / "ui"
_NAMED = re.compile(r'^class \w+_OT_(?:.|\n)*?bl_idname = "([a-z_]+\.[a-z_]+)"', re.MULTILINE)
_TEXTS = [path.read_text("utf-8") for path in _SOURCES.rglob("*.py")]
OPERATORS = sorted({name for text in _TEXTS for name in _NAMED.findall(text)})
_MESHES = ("ROOM", "COLLISION", "MODEL_MESH", "STATIC_MESH", "PORTAL", "BOXES")


def called(operator: str) -> Any:
    group, name = operator.split(".")
    return getattr(getattr(bpy.ops, group), name)


def state() -> dict[str, Any]:
    """Return what a user would notice: what there is and where, and the files that would be written."""
    mode = bpy.context.mode
    if mode == "EDIT_MESH":
        bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    found: dict[str, Any] = {
        thing.name: [list(row) for row in thing.matrix_world] if thing.visible_get() else None
        for thing in bpy.context.scene.objects
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


def situations(root: Any) -> Iterator[str]:
    """Have one thing after another active and selected, in the modes that it has."""
    for kind in _KINDS:
        for thing in things(root, kind)[:1]:
            if thing.name not in bpy.context.view_layer.objects:
                continue
            name = thing.name
            select(thing)
            yield f"{kind} {name}"
            modes: list[Any] = ["EDIT"] if kind in _MESHES else ["POSE"] if kind == "MODEL" else []
            for mode in modes:
                select(bpy.data.objects[name])
                bpy.ops.object.mode_set(mode=mode)
                if mode == "EDIT":
                    bpy.ops.mesh.select_all(action="SELECT")
                yield f"{kind} {name} in mode {mode}"
                if bpy.context.mode != "OBJECT":
                    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.parametrize("operator", OPERATORS)
def test_it_ends_well_or_in_words(blender: ModuleType, tmp_path: Path, operator: str) -> None:
    root = import_file(sample_file(tmp_path, "tr4"))
    for kind in ("MODELS", "COLLISION", "PORTALS", "PATHFINDING"):
        bpy.ops.tomb_raider.toggle_library(kind=kind)
    use, before = called(operator), None
    for situation in situations(root):
        with in_view():
            if not use.poll():
                continue
        before = state()
        bpy.ops.ed.undo_push(message="before")
        try:
            with in_view():
                outcome = use("EXEC_DEFAULT")
        except RuntimeError as error:
            assert str(error).startswith("Error: ") and "Traceback" not in str(error), (situation, error)
            assert state() == before, situation
            return
        if outcome == {"FINISHED"}:
            after = state()
            bpy.ops.ed.undo_push(message="after")
            bpy.ops.ed.undo()
            assert state() == before, situation
            bpy.ops.ed.redo()
            assert state() == after, situation
            return
        assert state() == before, situation
    # What needs more than a level as it was imported has tests of its own.
    name = operator.partition(".")[2]
    tests = Path(__file__).parent.parent
    own = (path for path in tests.rglob("test_*.py") if path != Path(__file__))
    assert before is not None or any(name in path.read_text("utf-8") for path in own)
