"""Tests that scenes of older versions are upgraded when they are opened, saved or exported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.scene.core.membership import collision_of
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.upgrades import versions as versioning
from io_tomb_raider.scene.upgrades.stored import storing
from io_tomb_raider.ui import pending
from tests.compare import differences
from tests.sample_levels import sample_level
from tests.scene.exporting import export_level
from tests.scene.scenes import collection_of, objects

from .user_actions import export_file, import_file, import_sample, levels

ALL = {"STATIC_MESHES", "PLACEMENTS", "LIGHTS", "SPRITES", "ENTITIES", "MODELS", "ANIMATIONS"}
OLD_SCENES = Path(__file__).parent.parent / "old_scenes"
# By version: the root collection, and the hash of the level that it was imported from. Blender 4.2 wrote
# these with the extension of that time: 0 and 1 at the end of its first stage, 0 without the two properties
# that version 1 added. Each later file is the previous one, opened and saved by its version.
OLD = {
    0: ("Old.phd", "9f23f8bb2593884db564ae28e6516e1644c56772527e0c648a768c19c001510b"),
    1: ("Old1.tr2", "3a836679c3e3f8c385aab384a4ccd97431754149f2914ea413af3b4cd8340974"),
    2: ("Old2.tr2", "6ef1e3a274236f0cf6d24b5f1c4cab29ea5fb32deef07958ad7cea6ddd891f7d"),
    3: ("Old3.tr2", "6ef1e3a274236f0cf6d24b5f1c4cab29ea5fb32deef07958ad7cea6ddd891f7d"),
    4: ("Old3.tr2", "6ef1e3a274236f0cf6d24b5f1c4cab29ea5fb32deef07958ad7cea6ddd891f7d"),
    5: ("Old3.tr2", "6ef1e3a274236f0cf6d24b5f1c4cab29ea5fb32deef07958ad7cea6ddd891f7d"),
}
pytestmark = pytest.mark.everywhere
each_old_scene = pytest.mark.parametrize("version", OLD)


@contextmanager
def without_handlers() -> Iterator[None]:
    """Disable the extension's handlers temporarily."""
    names = [
        name for name in ("load_post", "save_pre", "blend_import_post") if hasattr(bpy.app.handlers, name)
    ]
    kept = {name: getattr(bpy.app.handlers, name)[:] for name in names}
    for name in names:
        getattr(bpy.app.handlers, name).clear()
    try:
        yield
    finally:
        for name, handlers in kept.items():
            getattr(bpy.app.handlers, name).extend(handlers)


def open_old(version: int) -> Any:
    """Open the scene of a version and return its level."""
    bpy.ops.wm.open_mainfile(filepath=str(OLD_SCENES / f"version_{version}.blend"))
    (root,) = levels()
    return root


def load_old_level(version: int, *, link: bool = False) -> Any:
    """Append or link the level of an old scene, and return it."""
    libraries: Any = bpy.data.libraries
    with libraries.load(str(OLD_SCENES / f"version_{version}.blend"), link=link) as (_, target):
        target.collections = [OLD[version][0]]
    root = bpy.data.collections[OLD[version][0]]
    bpy.context.scene.collection.children.link(root)
    bpy.context.view_layer.update()
    return root


def check_upgraded(root: Any, version: int, folder: Path) -> None:
    """Check that a level is current, exports unchanged, and that edits of converted values count."""

    def export() -> bytes:
        return export_file(folder / "out", collection=root.name)

    assert root.tomb_raider.data_version == versioning.DATA_VERSION
    assert root.tomb_raider.imported == ALL | {"ROOMS"}
    untouched = export()
    assert sha256(untouched).hexdigest() == OLD[version][1]
    before = read_level(untouched)
    entity = objects(root, "ENTITY")[0]
    entity.location.x += 1
    place = entity.tomb_raider.index
    assert differences(before, read_level(export())) == [("entities", place, "x")]
    bpy.data.objects.remove(objects(root, "ROOM")[-1])
    assert len(read_level(export()).rooms) == len(before.rooms) - 1
    action = next(each for each in bpy.data.actions if len(each.tomb_raider.dispatches))
    action.tomb_raider.dispatches.clear()
    changed = read_level(export())
    assert changed.animations["state_changes"].sum() < before.animations["state_changes"].sum()


def lists(root: Any) -> dict[int, tuple[Any, ...]]:
    """Return the state changes and commands of a level's actions, by index, with targets as indices."""
    models = set(objects(root, "MODEL"))
    found = {}
    for action in bpy.data.actions:
        settings = action.tomb_raider
        if settings.model not in models:
            continue
        dispatches = [
            (
                *(each.state, each.low, each.high, each.frame, each.target, each.is_empty, each.is_separate),
                each.action and bpy.data.actions[each.action].tomb_raider.index,
                each.action and bpy.data.actions[each.action].tomb_raider.model in models,
            )
            for each in settings.dispatches
        ]
        commands = [
            (each.command, *each.position, each.vertical, each.horizontal, each.number)
            for each in settings.commands
        ]
        found[settings.index] = (dispatches, commands)
    return found


def target_names(root: Any) -> Iterator[str]:
    """Yield the names of the target actions of a level's actions, "" for none."""
    models = set(objects(root, "MODEL"))
    for action in bpy.data.actions:
        if action.tomb_raider.model in models:
            yield action.tomb_raider.next_action
            yield from (each.action for each in action.tomb_raider.dispatches)


def origins(root: Any) -> set[int]:
    """Return the level ids stored on a level, its objects, their meshes and its actions."""
    found = list(root.all_objects)
    blocks: list[Any] = [root, *found, *(obj.data for obj in found if obj.type == "MESH")]
    blocks += [action for action in bpy.data.actions if action.tomb_raider.model in found]
    numbers = {block.tomb_raider.origin for block in blocks}
    return set() if numbers == {0} else numbers


# --- The steps -----------------------------------------------------------------------------------------


def test_every_version_has_its_step_and_its_scene() -> None:
    versions = range(versioning.DATA_VERSION)
    modules = [step.__module__.rpartition(".")[2] for step in versioning._STEPS]
    assert modules == [f"to_{version + 1}" for version in versions]
    assert list(OLD) == list(versions)
    assert sorted(path.name for path in OLD_SCENES.iterdir()) == [
        f"version_{number}.blend" for number in versions
    ]


def test_steps_use_nothing_that_changes_with_the_extension() -> None:
    folder = Path(versioning.__file__).parent
    allowed = {"bpy", "random", "zlib", "typing", "collections", "__future__", "..core.compat", ".stored"}
    allowed |= {f"...formats.{name}" for name in ("FormatError", "Level", "read_level")}
    for path in (*folder.glob("to_*.py"), folder / "stored.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                used = {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                source = "." * node.level + (node.module or "")
                joint = "" if source.endswith(".") else "."
                names = {f"{source}{joint}{each.name}" for each in node.names}
                own = node.level == 1 or not node.level
                used = {source if node.level == 1 else source.partition(".")[0]} if own else names
            else:
                continue
            assert used <= allowed, (path.name, used - allowed)


@each_old_scene
def test_each_step_brings_what_its_version_lacked(blender: ModuleType, tmp_path: Path, version: int) -> None:
    with without_handlers():
        root = open_old(version)
    imported = {0: set(), 1: ALL, **dict.fromkeys((2, 3, 4, 5), ALL | {"ROOMS"})}
    for number in range(version, versioning.DATA_VERSION):
        assert root.tomb_raider.data_version == version
        assert root.tomb_raider.imported == imported[number]
        assert any(any(each) for each in lists(root).values()) == (number > 2)
        assert bool(origins(root)) == (number > 3)
        assert any(target_names(root)) == (number > 4)
        versioning._STEPS[number](root)
    assert any(target_names(root))
    upgraded = lists(root)
    assert len(origins(root)) == 1
    root.tomb_raider.data_version = versioning.DATA_VERSION
    path = tmp_path / f"again{Path(root.name).suffix}"
    export_file(path, collection=root.name)
    assert upgraded == lists(import_file(path))
    assert sum(map(len, (dispatches for dispatches, _ in upgraded.values()))) > 10
    assert sum(map(len, (commands for _, commands in upgraded.values()))) > 1


def test_step_2_brings_what_is_rare_in_levels(blender: ModuleType) -> None:
    """Commands that move models or that no game has; states without changes, or listed twice."""
    level = sample_level(Game.TR3)
    place, first = len(level.animation_commands), len(level.state_changes)
    words = [1, 10, 20, 30, 2, -5, 6, 3, 4, 9, 5, 40, 7, 0]
    level.animation_commands = np.append(level.animation_commands, np.array(words, np.int16))
    changes = np.array([(40, 1, 0), (41, 0, 0), (40, 1, 1)], level.state_changes.dtype)
    level.state_changes = np.append(level.state_changes, changes)
    animations = level.animations.copy()
    animations["first_command"][0], animations["commands"][0] = place, 7
    animations["first_state_change"][0], animations["state_changes"][0] = first, 3
    level.animations = animations
    data = level.to_bytes()
    root = import_level(data).root
    settings = next(each for each in bpy.data.actions if each.tomb_raider.index == 0).tomb_raider
    settings.dispatches.clear()
    settings.commands.clear()
    for step in (2, 4):  # the steps for actions
        versioning._STEPS[step](root)
    moves, jumps, hands, kills, other, nothing = settings.commands
    assert (moves.command, *moves.position) == ("POSITION", 10, 30, -20)
    assert (jumps.command, jumps.vertical, jumps.horizontal) == ("JUMP", 5, 6)
    assert (hands.command, kills.command, nothing.command) == ("HANDS", "KILL", "NOTHING")
    assert (other.command, other.number) == ("OTHER", 9)
    rows = [(each.state, each.is_empty, each.is_separate) for each in settings.dispatches]
    assert rows == [(40, False, False), (41, True, False), (40, False, True)]
    assert export_level(root)[0].to_bytes() == data


def test_lists_that_are_there_already_stay(blender: ModuleType) -> None:
    root = open_old(2)
    action = next(each for each in bpy.data.actions if len(each.tomb_raider.dispatches) > 1)
    action.tomb_raider.dispatches.remove(0)
    before = lists(root)
    root.tomb_raider.data_version = 2
    versioning.upgrade(root)
    assert lists(root) == before


def test_step_3_gives_tints_and_zones_their_meaning_of_today(blender: ModuleType) -> None:
    level = sample_level(Game.TR3)
    statics = level.rooms[0].static_meshes.copy()
    statics["color"][0] = 0x8000 | 2 << 10 | 8 << 5 | 31
    level.rooms[0].static_meshes = statics
    root = import_level(level.to_bytes()).root
    placement, boxes = objects(root, "PLACEMENT")[0].tomb_raider.placement, objects(root, "BOXES")[0]
    for obj in objects(root, "PLACEMENT"):  # as in version 3
        red, green, blue = obj.tomb_raider.placement.color
        obj.tomb_raider.placement.color = (blue, green, red)
    storing(boxes)["boxes"]["zones"] = 13
    root.tomb_raider.data_version = 3
    versioning.upgrade(root)
    assert [round(part * 31) for part in placement.color] == [31, 8, 2]
    assert boxes.tomb_raider.boxes.zones == "GROUND_4"
    assert export_level(root)[0].to_bytes() == level.to_bytes()


def test_step_6_lets_drawn_rooms_follow_their_sectors(blender: ModuleType) -> None:
    root = import_level(sample_level(Game.TR3).to_bytes()).root
    drawn, plain, other = objects(root, "ROOM")[:3]
    for room, follows in ((drawn, True), (plain, False)):  # as in version 5
        collision: Any = collision_of(room)
        collision.tomb_raider.collision.drawing.digest = "of the sectors"
        storing(collision)["collision"]["drawing"]["follows"] = follows
    root.tomb_raider.data_version = 5
    versioning.upgrade(root)
    settings = [each.tomb_raider.room.mesh_and_sectors for each in (drawn, plain, other)]
    assert settings == ["MESH", "INDEPENDENT", "INDEPENDENT"]
    drawn_from: Any = collision_of(drawn)
    assert "follows" not in storing(drawn_from)["collision"]["drawing"]
    assert drawn_from.tomb_raider.collision.drawing.digest == "of the sectors"


def test_steps_run_one_after_the_other_and_once(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path)
    done: list[int] = []

    def step(version: int) -> Callable[[Any], None]:
        return lambda _root: done.append(version)

    monkeypatch.setattr(versioning, "_STEPS", [step(version) for version in range(4)])
    monkeypatch.setattr(versioning, "DATA_VERSION", 4)
    root.tomb_raider.data_version = 1
    versioning.upgrade_all()
    assert (done, root.tomb_raider.data_version) == ([1, 2, 3], 4)
    versioning.upgrade_all()
    assert done == [1, 2, 3]


@pytest.mark.parametrize("link", [False, True])
def test_step_4_is_done_to_models_that_come_without_their_level(
    blender: ModuleType, tmp_path: Path, link: bool
) -> None:
    """As assets do: a model of an old file leads from state to state in the level that gets it, too."""
    root = import_sample(tmp_path, "tr2")
    libraries: Any = bpy.data.libraries
    with (
        without_handlers(),
        libraries.load(str(OLD_SCENES / "version_4.blend"), link=link) as (source, target),
    ):
        (target.collections,) = [[name] for name in source.collections if name.startswith("Dog")]
    home = target.collections[0]
    number = home.tomb_raider.model.tomb_raider.model.id
    before = [action for action in bpy.data.actions if action.tomb_raider.model == home.tomb_raider.model]
    assert sum(len(action.tomb_raider.dispatches) for action in before) > 1
    library = collection_of(root, "MODELS")
    library.children.link(home)
    bpy.context.view_layer.update()
    pending.work()
    (rig,) = [each for each in objects(root, "MODEL") if each.tomb_raider.model.id == number]
    own = [action for action in bpy.data.actions if action.tomb_raider.model == rig]
    assert len(own) == len(before)
    targets = [row.action for action in own for row in action.tomb_raider.dispatches]
    assert len(targets) > 1 and {bpy.data.actions[name] for name in targets} <= set(own)
    level = read_level(export_file(tmp_path / "out", collection=root.name))
    (place,) = np.flatnonzero(level.models["id"] == number)
    first = int(level.models["animation"][place])
    assert level.animations["state_changes"][first : first + len(own)].sum() > 0


# --- When scenes are upgraded --------------------------------------------------------------------------


def test_a_new_level_has_todays_version(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    assert root.tomb_raider.data_version == versioning.DATA_VERSION
    assert root.tomb_raider.imported >= ALL | {"ROOMS"}


@each_old_scene
def test_opening_an_old_scene_upgrades_it(blender: ModuleType, tmp_path: Path, version: int) -> None:
    check_upgraded(open_old(version), version, tmp_path)


@each_old_scene
def test_actions_of_old_scenes_stay_without_fake_users(
    blender: ModuleType, tmp_path: Path, version: int
) -> None:
    open_old(version)
    before = sorted(action.name for action in bpy.data.actions)
    assert before and not any(action.use_fake_user for action in bpy.data.actions)
    path = str(tmp_path / "again.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert sorted(action.name for action in bpy.data.actions) == before


def test_saving_upgrades_what_opening_did_not_see(blender: ModuleType, tmp_path: Path) -> None:
    with without_handlers():
        root = load_old_level(0)
    assert root.tomb_raider.data_version == 0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    check_upgraded(root, 0, tmp_path)


@each_old_scene
def test_exporting_upgrades_what_was_appended(blender: ModuleType, tmp_path: Path, version: int) -> None:
    with without_handlers():
        root = load_old_level(version)
    assert root.tomb_raider.data_version == version
    assert sha256(export_file(tmp_path / "out")).hexdigest() == OLD[version][1]
    check_upgraded(root, version, tmp_path)


def test_levels_of_the_future_and_of_other_files_are_left_alone(blender: ModuleType, tmp_path: Path) -> None:
    linked = load_old_level(0, link=True)
    future = import_sample(tmp_path, "tr4")
    future.tomb_raider.data_version = 99
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    assert (linked.tomb_raider.data_version, future.tomb_raider.data_version) == (0, 99)
    with pytest.raises(ExportError, match="newer version"):
        versioning.upgrade(future)


@pytest.mark.parametrize("version", range(4))
def test_materials_of_old_scenes_show_the_sides_and_the_light_that_are_written(
    blender: ModuleType, version: int
) -> None:
    with without_handlers():
        root = open_old(version)
        material = objects(root, "ROOM")[0].data.materials[0]
        # Backface culling of the material was not used by that version.
        material.use_backface_culling = material.tomb_raider.double_sided
    versioning.upgrade(root)
    assert material.use_backface_culling != material.tomb_raider.double_sided
    named = {
        node.layer_name
        for tree in bpy.data.node_groups
        for node in tree.nodes
        if node.bl_idname == "ShaderNodeVertexColor"
    }
    assert named == {""}
