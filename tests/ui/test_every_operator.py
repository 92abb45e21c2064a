"""Tests of every operator on everything that it accepts:

it finishes or reports an error, and can be undone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.core.membership import is_local, levels, members
from io_tomb_raider.scene.core.subjects import SUBJECTS
from io_tomb_raider.ui import manual
from tests.data_blocks import data_blocks
from tests.empty_scene import start_empty
from tests.sample_levels import named_sample
from tests.scene.exporting import export_level
from tests.scene.scenes import objects

from .everything import OPERATORS, operator_function
from .user_actions import after_events, import_sample, in_view, is_unexpected, select

_KINDS = [kind.identifier for subject in SUBJECTS for kind in subject.objects]
_FEW = 3  # situations that are tried with data of other files
# They set what is so already, as Blender's own tools do, or show what is shown already.
_SETTING = frozenset(
    {
        "tomb_raider.go_to_animation",
        "tomb_raider.isolate_room",  # the local view is no property
        "tomb_raider.recalculate_sphere",
        "tomb_raider.refresh_animated_texture",
        "tomb_raider.refresh_boxes",
        "tomb_raider.show_sound_sources",
    }
)
_SESSION = ("WindowManager", "Screen", "WorkSpace")  # undo leaves them alone
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


def undoable() -> dict[tuple[str, str], dict[str, str]]:
    """Return hashes of all data that undo restores, outside of edit mode, with selection and visibility."""
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    found = {key: value for key, value in data_blocks().items() if key[0] not in _SESSION}
    for obj in bpy.context.view_layer.objects:
        found["Object", obj.name_full] |= {"select": str(obj.select_get()), "hide": str(obj.hide_get())}
    return found


def has_undo(operator: str) -> bool:
    """Return whether Blender pushes an undo step after an operator."""
    kind = next(each for each in manual.operators() if each.bl_idname == operator)
    return "UNDO" in getattr(kind, "bl_options", ())


def changes_data(prepared: Prepared, operator: str, situation: Situation) -> bool:
    """Return whether an operator changes data that undo restores, in a fresh file."""
    prepared.open()
    situation.get_into()
    before = undoable()
    situation.get_into()
    with in_view():
        assert operator_function(operator)("EXEC_DEFAULT") == {"FINISHED"}
    return before != undoable()


class Situation(NamedTuple):
    """An object, active and selected, in one of its modes."""

    name: str
    mode: Literal["OBJECT", "EDIT", "POSE"]

    def get_into(self) -> None:
        """Establish the situation, from any other. RuntimeError if Blender refuses the mode."""
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        select(bpy.context.view_layer.objects[self.name])
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
    made = Prepared(path, user_view(), usable_in(root))
    assert sum(map(bool, made.usable.values())) > len(OPERATORS) // 2
    return made


def usable_in(root: Collection) -> dict[str, list[Situation]]:
    """Return the situations in which each operator is enabled."""
    found: dict[str, list[Situation]] = {operator: [] for operator in OPERATORS}
    for situation in list(situations(root)):
        with suppress(RuntimeError):  # linked meshes have no edit mode
            situation.get_into()
            with in_view():
                for operator, usable in found.items():
                    if operator_function(operator).poll():
                        usable.append(situation)
    return found


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_finishes_or_reports_an_error(prepared: Prepared, operator: str) -> None:
    prepared.open()
    use, before = operator_function(operator), prepared.state
    for situation in prepared.usable[operator]:
        situation.get_into()
        bpy.ops.ed.undo_push(message="before")
        try:
            with in_view():
                outcome = use("EXEC_DEFAULT")
        except RuntimeError as error:
            assert str(error).startswith("Error: ") and not is_unexpected(error), (situation, error)
            assert user_view() == before, situation
            return
        if outcome == {"FINISHED"}:
            after = user_view()
            bpy.ops.ed.undo_push(message="after")
            bpy.ops.ed.undo()
            assert user_view() == before, situation
            bpy.ops.ed.redo()
            assert user_view() == after, situation
            # A step to undo that changes nothing is in the way of those before; a change without one is lost.
            if operator not in _SETTING and (after == before or not has_undo(operator)):
                assert changes_data(prepared, operator, situation) == has_undo(operator), situation
            return
        assert user_view() == before, situation
    # What needs more than a level as it was imported has tests of its own.
    name = operator.partition(".")[2]
    assert prepared.usable[operator] or any(name in text for text in other_tests())


@pytest.fixture(scope="module", params=["linked", "overridden", "linked data"])
def of_another_file(
    extension: ModuleType, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Prepared:
    """Return a file with a level of another file: linked, as overrides, or local objects with linked data."""
    folder = tmp_path_factory.mktemp("of_another_file")
    start_empty()
    name = import_sample(folder, "tr4").name
    library = str(folder / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library, compress=False)
    start_empty()
    libraries: Any = bpy.data.libraries
    with libraries.load(library, link=True) as (_, wanted):
        wanted.collections = [name]
    scene, root = bpy.context.scene, wanted.collections[0]
    scene.collection.children.link(root)
    if request.param == "overridden":
        root.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=True)
        scene.collection.children.unlink(root)
    elif request.param == "linked data":
        for each in (root, *root.children_recursive):
            for block in (each, *each.objects):
                block.make_local()
    (root,) = (each for each in scene.collection.children_recursive if each.tomb_raider.kind == "LEVEL")
    for kind in ("MODELS", "COLLISION", "PORTALS", "PATHFINDING"):
        bpy.ops.tomb_raider.toggle_library(kind=kind)
    select()
    path = str(folder / "level.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True, compress=False)
    return Prepared(path, {}, usable_in(root))


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_use_or_refuse_data_of_another_file(
    of_another_file: Prepared, operator: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Handlers and the timer run, too; Blender prints their errors."""
    of_another_file.open()
    use = operator_function(operator)
    for situation in of_another_file.usable[operator][:_FEW]:
        situation.get_into()
        bpy.ops.ed.undo_push(message="before")
        try:
            with in_view():
                outcome = use("EXEC_DEFAULT")
        except RuntimeError as error:
            assert str(error).startswith("Error: ") and not is_unexpected(error), (situation, error)
            outcome = set()
        if outcome != {"FINISHED"}:
            continue
        bpy.ops.ed.undo_push(message="after")
        after_events()
        bpy.ops.ed.undo()
        after_events()
        break
    assert "Traceback" not in capfd.readouterr().err


def test_an_overridden_level_is_exported_as_it_is(
    extension: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    start_empty()
    name = import_sample(tmp_path, "tr4").name
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library, compress=False)
    start_empty()
    libraries: Any = bpy.data.libraries
    with libraries.load(library, link=True) as (_, wanted):
        wanted.collections = [name]
    scene, root = bpy.context.scene, wanted.collections[0]
    scene.collection.children.link(root)
    root.override_hierarchy_create(scene, bpy.context.view_layer)
    scene.collection.children.unlink(root)
    capfd.readouterr()
    out = tmp_path / "out.tr4"
    assert bpy.ops.export_scene.tomb_raider(filepath=str(out)) == {"FINISHED"}
    assert out.read_bytes() == named_sample("tr4")
    assert "exported for that model only" not in capfd.readouterr().out  # its actions stay linked


def edit_and_save(path: Path) -> None:
    """Edit a file by Blender's own tools so that every handler runs: edit, undo, redo, save, open, save."""
    layer = bpy.context.view_layer
    objects_of_layer: list[Any] = list(layer.objects)
    for obj in objects_of_layer:
        obj.location.x += 0.5
    after_events()
    bpy.ops.ed.undo_push(message="moved")
    for obj in {obj.tomb_raider.kind: obj for obj in objects_of_layer if obj.visible_get()}.values():
        mode: Any = {"MESH": "EDIT", "ARMATURE": "POSE"}.get(obj.type, "OBJECT")
        layer.objects.active = obj
        with suppress(RuntimeError):  # linked data has no edit mode
            bpy.ops.object.mode_set(mode=mode)
            layer.update()
            bpy.ops.object.mode_set(mode="OBJECT")
    for light in bpy.data.lights:
        light.color = (0.2, 0.4, 0.6)
    for root in levels():
        with suppress(TypeError):  # Blender refuses it for overrides
            root.tomb_raider.sounds.details.remove(0)
    after_events()
    bpy.ops.ed.undo_push(message="edited")
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo):
        step()
        after_events()
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    after_events()
    bpy.ops.wm.save_mainfile()


def test_handlers_bear_data_of_another_file(
    of_another_file: Prepared,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(original, "_SMALL", 0)  # compress stored files of any size
    of_another_file.open()
    edit_and_save(tmp_path / "level.blend")
    library = Path(of_another_file.path).with_name("library.blend")
    try:
        library.rename(library.with_suffix(".gone"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
        edit_and_save(tmp_path / "level.blend")
    finally:
        library.with_suffix(".gone").rename(library)
    assert "Traceback" not in capfd.readouterr().err


def test_overridden_objects_in_a_level_become_its_own(
    extension: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    library = tmp_path / "library.blend"
    start_empty()
    import_sample(tmp_path, "tr4")
    bpy.ops.wm.save_as_mainfile(filepath=str(library), copy=True, compress=False)
    start_empty()
    root = import_sample(tmp_path, "tr4")
    homes = {obj.name: obj.users_collection[0] for obj in members(root)}
    libraries: Any = bpy.data.libraries
    with libraries.load(str(library), link=True) as (found, wanted):
        wanted.objects = [name for name in found.objects if name in homes]
    for linked in list(wanted.objects):
        if linked.tomb_raider.kind in ("ENTITY", "LIGHT", "MODEL", "MODEL_MESH", "PLACEMENT", "STATIC_MESH"):
            homes[linked.name].objects.link(linked.override_create())
    edit_and_save(tmp_path / "level.blend")
    (root,) = levels()
    assert all(is_local(obj) for obj in members(root))
    assert export_level(root)[0].to_bytes()
    assert "Traceback" not in capfd.readouterr().err


@cache
def other_tests() -> list[str]:
    """Return the source of all other test modules."""
    tests = Path(__file__).parent.parent
    return [path.read_text("utf-8") for path in tests.rglob("test_*.py") if path != Path(__file__)]
