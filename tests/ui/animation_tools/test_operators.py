"""Edit Keys: operators as users call them, undo, the panel, and the list of animations."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action
from mathutils import Quaternion

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.ui.animation_tools import panels
from io_tomb_raider.ui.animations import library
from tests.games import each_game
from tests.scene.rig_tools import show_library, with_skin
from tests.scene.scenes import objects

from ..recorder import Layout, draw, shown
from ..user_actions import export_file, import_file, sample_file
from .posing import RUN, RUN_START, STAND, in_use, own, posing

TURN = Quaternion((0.9, 0.3, 0.2, -0.1)).normalized()


@each_game
def test_a_mirrored_animation_is_new_and_shown(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    _, rig = posing(tmp_path, game)
    old = read_level(export_file(tmp_path / "old"))
    assert bpy.ops.tomb_raider.mirror_animation() == {"FINISHED"}
    assert in_use(rig).name.endswith("mirrored") and in_use(rig).users
    new = read_level(export_file(tmp_path / "new"))
    assert len(new.animations) == len(old.animations) + 1
    assert bpy.ops.tomb_raider.mirror_animation(result="IN_PLACE") == {"FINISHED"}
    assert len(read_level(export_file(tmp_path / "twice")).animations) == len(old.animations) + 1


def test_a_duplicate_is_shown_and_exported_as_a_new_animation(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = posing(tmp_path, number=STAND)
    assert bpy.ops.tomb_raider.duplicate_animation() == {"FINISHED"}
    made = in_use(rig)
    assert made.name == "Lara 011 Stand still copy" and own(rig)[-1] == made
    assert bpy.context.scene.frame_preview_end == 79 and bpy.context.scene.frame_current == 10
    made.name = "Lara pushes"
    compat.assign_action(rig, own(rig)[RUN])
    new = read_level(export_file(tmp_path / "new"))
    from tests.scene.rig_tools import LARA, model_keys

    copy, original = (model_keys(new, LARA, number) for number in (STAND + 1, STAND))
    assert (copy.angles == original.angles).all() and (copy.offsets == original.offsets).all()
    assert len(new.animations) == len(read_level(sample_file(tmp_path)).animations) + 1


def test_a_new_animation_survives_saving(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = posing(tmp_path)
    bpy.ops.tomb_raider.reverse_animation()
    name, first = in_use(rig).name, own(rig)[STAND]
    compat.assign_action(rig, first)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert name in bpy.data.actions


@pytest.mark.parametrize("key", [False, True], ids=["posed", "keyed"])
def test_the_redo_panel_spreads_the_same_edit_again(
    blender: ModuleType, extension: Any, tmp_path: Path, key: bool
) -> None:
    """Blender undoes the operator, and calls it with other settings; a pose without keys is lost by that."""
    _, rig = posing(tmp_path)
    bpy.ops.ed.undo_push(message="Start")
    turn_thigh(rig)
    if key:
        rig.pose.bones["Thigh.L"].keyframe_insert("rotation_quaternion")
    bpy.ops.ed.undo_push(message="Posed")
    assert bpy.ops.tomb_raider.spread_edit("EXEC_DEFAULT", True, ticks=3) == {"FINISHED"}
    few = export_file(tmp_path / "few")
    posed = bpy.context.window_manager.operators[-1].posed  # what the operator remembers
    bpy.ops.ed.undo()
    assert bpy.ops.tomb_raider.spread_edit("EXEC_DEFAULT", True, ticks=6, posed=posed) == {"FINISHED"}
    many = export_file(tmp_path / "many")
    assert few != many
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert export_file(tmp_path / "back") == sample_file(tmp_path).read_bytes()
    rig = bpy.data.objects["Lara"]
    for frame in (9, 10):
        bpy.context.scene.frame_set(frame)
    turn_thigh(rig)
    assert bpy.ops.tomb_raider.spread_edit(ticks=6) == {"FINISHED"}
    assert export_file(tmp_path / "at once") == many


def turn_thigh(rig: Any) -> None:
    bone = rig.pose.bones["Thigh.L"]
    bone.rotation_quaternion = TURN @ bone.rotation_quaternion
    bpy.context.view_layer.update()


def fails(name: str, text: str, **options: Any) -> None:
    """Call an operator that reports an error and changes nothing."""
    with pytest.raises(RuntimeError, match=text):
        getattr(bpy.ops.tomb_raider, name)(**options)


def test_spreading_without_an_edit_is_canceled_with_a_message(
    blender: ModuleType, tmp_path: Path, capfd: Any
) -> None:
    posing(tmp_path)
    assert bpy.ops.tomb_raider.spread_edit() == {"CANCELLED"}
    assert "nothing was posed at this frame" in "".join(capfd.readouterr())


def test_only_selected_bones(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = posing(tmp_path)
    for name in ("Thigh.L", "Hand.R"):
        rig.pose.bones[name].rotation_quaternion = TURN
        rig.pose.bones[name].keyframe_insert("rotation_quaternion")
    for bone in rig.pose.bones:
        compat.select_bone(bone, bone.name == "Hand.R")
    before = read_level(export_file(tmp_path / "before"))
    assert bpy.ops.tomb_raider.spread_edit(selected_only=True) == {"FINISHED"}
    from tests.scene.rig_tools import LARA, model_keys

    one = model_keys(before, LARA, RUN).angles
    two = model_keys(read_level(export_file(tmp_path / "after")), LARA, RUN).angles
    assert {bone for _, bone in np.argwhere((one != two).any(axis=2)).tolist()} == {10}


def test_retime_from_the_menu(blender: ModuleType, tmp_path: Path, capfd: Any) -> None:
    _, rig = posing(tmp_path)
    scene = bpy.context.scene
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = 0, 20
    own(rig)[RUN_START].tomb_raider.next_frame = 3
    assert bpy.ops.tomb_raider.retime_animation(ticks=42) == {"FINISHED"}
    assert in_use(rig).frame_end == 41 and in_use(rig).tomb_raider.frame_rate == 2
    assert (scene.frame_preview_end, scene.frame_current) == (41, 20)  # the pose that was shown
    said = "".join(capfd.readouterr())
    assert "42 ticks instead of 21; start frames moved in other animations: 1" in said
    assert bpy.ops.tomb_raider.retime_animation() == {"CANCELLED"}  # it keeps its ticks
    assert in_use(rig).frame_end == 41


def test_split_needs_a_frame_inside(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = posing(tmp_path, frame=0)
    fails("split_animation", "go to a frame between 1 and 20 first")
    bpy.context.scene.frame_set(8)
    assert bpy.ops.tomb_raider.split_animation() == {"FINISHED"}
    assert in_use(rig).frame_end == 7
    assert len(read_level(export_file(tmp_path / "out")).animations) == 23


def test_keys_of_a_model_without_any(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = posing(tmp_path)
    compat.assign_action(rig, bpy.data.actions.new("Empty"))
    for name in ("mirror_animation", "reverse_animation", "retime_animation", "smooth_keys", "close_loop"):
        fails(name, "it has no keys")


def test_other_tools_finish_and_change_the_level(blender: ModuleType, tmp_path: Path) -> None:
    posing(tmp_path)
    level = sample_file(tmp_path).read_bytes()
    for name in ("smooth_keys", "close_loop", "resample_animation"):
        assert getattr(bpy.ops.tomb_raider, name)() == {"FINISHED"}
        changed = export_file(tmp_path / name)
        assert changed != level
        level = changed
    assert bpy.ops.tomb_raider.replace_events(find="Lara footsteps (0)", replacement="1") == {"FINISHED"}
    assert export_file(tmp_path / "events") != level
    fails("replace_events", "Choose a sound or effect to find", find="", replacement="1")
    changed = export_file(tmp_path / "events")
    assert bpy.ops.tomb_raider.replace_events(find="1", removes=True) == {"FINISHED"}
    assert export_file(tmp_path / "fewer") != changed
    in_use(bpy.data.objects["Lara"]).name = "Mine"
    assert bpy.ops.tomb_raider.fix_animations() == {"FINISHED"}
    assert in_use(bpy.data.objects["Lara"]).name == "Lara 000 Run"


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4])
def test_the_skin_that_is_seen_shows_laras_animations(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = tmp_path / "skin"
    path = path.with_suffix(".tr2" if game is Game.TR3 else ".tr4")
    path.write_bytes(with_skin(game))
    root = import_file(path)
    lara, skin = objects(root, "MODEL")[:2]
    show_library(root)
    assert in_use(skin).tomb_raider.model == lara
    compat.assign_action(lara, own(lara)[RUN])
    compat.assign_action(skin, own(lara)[RUN])
    bpy.context.view_layer.objects.active = skin
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(10)
    count = len(read_level(export_file(tmp_path / "before")).animations)
    assert bpy.ops.tomb_raider.mirror_animation() == {"FINISHED"}
    assert in_use(skin) == in_use(lara) and in_use(lara).name.endswith("mirrored")
    assert in_use(lara).tomb_raider.model == lara
    bone = skin.pose.bones["Thigh.L"]
    bone.rotation_quaternion = TURN @ bone.rotation_quaternion
    assert bpy.ops.tomb_raider.spread_edit(ticks=3) == {"FINISHED"}
    new = read_level(export_file(tmp_path / "after"))
    assert len(new.animations) == count + 1


# --- Panel and list ----------------------------------------


def test_the_panel_is_shown_while_posing(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = posing(tmp_path)
    kinds = library.VIEW3D_PT_tomb_raider_animate, panels.VIEW3D_PT_tomb_raider_edit_keys
    layout = shown(kinds[0], object=rig, mode="POSE")
    assert layout.shown == [(in_use(rig), "name")]  # a field to rename it
    tools = [name.removeprefix("tomb_raider.") for name, _ in layout.operators]
    assert tools == ["duplicate_animation", "spread_edit"]
    buttons = shown(kinds[1], object=rig, mode="POSE").operators
    assert len(buttons) == 11
    assert draw(kinds[0], object=rig, mode="OBJECT") is None


def test_jumps_are_shown_in_the_list(blender: ModuleType, tmp_path: Path, capfd: Any) -> None:
    _, rig = posing(tmp_path)

    def row(action: Action) -> list[str]:
        layout = Layout()
        kind: Any = library.TOMB_RAIDER_UL_animations
        kind.draw_item(
            SimpleNamespace(draw_row=partial(kind.draw_row, None)),
            None,
            layout,
            bpy.data,
            action,
            0,
            None,
            "",
        )
        return layout.labels

    own(rig)[RUN_START].tomb_raider.commands[0].position = 0, 32, 1000
    assert row(own(rig)[RUN_START])[1:] == ["10"]
    assert bpy.ops.tomb_raider.check_loops() == {"FINISHED"}
    said = "".join(capfd.readouterr())
    assert "animations jump at their end" in said and "Lara 000 Run: " in said
    jump, frames = row(own(rig)[RUN_START])[1:]
    assert 900 < int(jump) < 1100 and frames == "10"
    assert row(own(rig)[RUN])[1:] == ["21"]
    compat.assign_action(rig, own(rig)[RUN_START])
    own(rig)[RUN_START].tomb_raider.commands[0].position = 0, 32, 0
    assert bpy.ops.tomb_raider.smooth_keys() == {"FINISHED"}  # tools measure it again
    assert row(own(rig)[RUN_START])[1:] == ["10"]
