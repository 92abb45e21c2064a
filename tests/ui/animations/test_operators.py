"""Tests of the panels and operators of the state machine of animations."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest
from bpy.types import Action

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.subjects.animations.changes import chains
from io_tomb_raider.ui.animations import library
from io_tomb_raider.ui.animations import panels as animation
from io_tomb_raider.ui.base.text.fitting import text_width
from tests.games import each_game
from tests.scene.scenes import objects

from ..recorder import Layout, draw, shown
from ..user_actions import export_file, import_sample

SPACES = ("DOPESHEET", "DATA")
WALK, STAND = 1, 11


def import_with_lara(folder: Path, game: Game) -> tuple[Any, Any, list[Action]]:
    """Import a sample, and return its level, Lara's armature, active, and her actions."""
    root = import_sample(folder, game)
    rig = objects(root, "MODEL")[0]
    for layer in bpy.context.view_layer.layer_collection.children[root.name].children:
        layer.exclude = False
    bpy.context.view_layer.objects.active = rig
    bpy.context.view_layer.update()
    own = [action for action in bpy.data.actions if action.tomb_raider.model == rig]
    return root, rig, sorted(own, key=lambda action: action.tomb_raider.index)


def use(rig: Any, action: Action) -> Any:
    rig.animation_data.action = action
    return action.tomb_raider


def panel_named(name: str) -> Any:
    """Return a panel of the editors of animations."""
    return next(each for each in animation.CLASSES if each.__name__ == name)


def named_panel(space: str, name: str, **context: Any) -> Layout:
    return shown(panel_named(f"{space}_PT_tomb_raider_{name}"), **context)


# --- Panels ----------------------------------------


@each_game
@pytest.mark.parametrize("space", SPACES)
def test_panels_have_the_fields_of_the_game(
    blender: ModuleType, tmp_path: Path, game: Game, space: str
) -> None:
    _, rig, own = import_with_lara(tmp_path, game)
    use(rig, own[WALK])
    context = {"active_action": own[WALK]} if space == "DOPESHEET" else {"object": rig}
    layout = named_panel(space, "animation", **context)
    assert layout.names == ["model", "frame_rate", "state_name", "state", "next_action", "next_frame"]
    lateral = ["lateral_speed", "lateral_acceleration"] if game >= Game.TR4 else []
    assert named_panel(space, "motion", **context).fields == ["speed", "acceleration", *lateral]
    layout = named_panel(space, "state_changes", **context)
    assert layout.lists == ["dispatches"]
    assert layout.names == ["state_name", "state", "is_empty", "low", "high", "action", "frame"]
    own[WALK].tomb_raider.dispatches[0].action = ""
    assert named_panel(space, "state_changes", **context).names[-1] == "target"
    own[WALK].tomb_raider.dispatches[0].is_empty = True
    assert named_panel(space, "state_changes", **context).names == ["state_name", "state", "is_empty"]
    layout = named_panel(space, "events", **context)
    assert layout.lists == ["events"]
    assert layout.names == ["kind", "label", "number", *(["place"] if game >= Game.TR2 else [])]
    own[WALK].tomb_raider.active_event = 1
    assert named_panel(space, "events", **context).names[-1] == "foot"  # whose flag it has, in TR1 too


@pytest.mark.parametrize("space", SPACES)
def test_commands_show_their_own_arguments(blender: ModuleType, tmp_path: Path, space: str) -> None:
    _, rig, own = import_with_lara(tmp_path, Game.TR3)
    settings = use(rig, own[WALK])
    assert named_panel(space, "commands", object=rig).names == []
    jump = ["vertical_measure", "vertical", "horizontal_measure", "horizontal"]
    wanted = {"POSITION": ["position_measure"], "JUMP": jump, "OTHER": ["number"]}
    row = settings.commands.add()
    for kind in ("NOTHING", "POSITION", "JUMP", "HANDS", "KILL", "OTHER"):
        row.command = kind
        assert named_panel(space, "commands", object=rig).names == ["command", *wanted.get(kind, [])]


def test_there_are_no_panels_without_an_action(blender: ModuleType, tmp_path: Path) -> None:
    root, rig, _ = import_with_lara(tmp_path, Game.TR2)
    room = objects(root, "ROOM")[0]
    stranger = bpy.data.actions.new("New")
    for space in SPACES:
        panel = panel_named(f"{space}_PT_tomb_raider_animation")
        assert draw(panel, object=room) is None
        assert draw(panel, active_action=stranger) is None
    rig.animation_data.action = stranger
    layout = named_panel("DATA", "animation", object=rig)
    assert "New, not in the imported file" in layout.labels
    assert "Repeats" in layout.labels
    assert "lateral_speed" not in named_panel("DATA", "motion", object=rig).names


def test_rows_of_lists_show_state_frames_and_target(blender: ModuleType, tmp_path: Path) -> None:
    _, _, own = import_with_lara(tmp_path, Game.TR4)
    settings = own[WALK].tomb_raider

    def labels(kind: str, row: Any) -> list[str]:
        layout = Layout()
        rows: Any = getattr(animation, f"TOMB_RAIDER_UL_{kind}")
        stand_in = SimpleNamespace(draw_row=partial(rows.draw_row, None))
        rows.draw_item(stand_in, None, layout, settings, row, 0, settings, "")
        return layout.labels

    assert labels("dispatches", settings.dispatches[1]) == ["Stop", "14 to 27", own[3].name.partition(" ")[2]]
    settings.dispatches[1].action = ""
    assert labels("dispatches", settings.dispatches[1])[2] == "No action"
    settings.dispatches[1].target = 900
    assert labels("dispatches", settings.dispatches[1])[2] == "Animation 900"
    settings.dispatches[1].is_empty = True
    assert labels("dispatches", settings.dispatches[1]) == ["Stop", "no target"]
    name = settings.events[0].name
    assert labels("events", settings.events[0]) == [name, "0, 11"]
    own[WALK].pose_markers.remove(own[WALK].pose_markers[name])
    own[WALK].pose_markers.remove(own[WALK].pose_markers[name])
    assert labels("events", settings.events[0]) == [name, "no marker"]
    command = settings.commands.add()
    command.command, command.position = "POSITION", (1, -2, 3)
    assert labels("commands", command) == ["1, -2, 3"]
    command.command, command.vertical = "JUMP", 60
    assert labels("commands", command) == ["60, 0"]
    command.command = "KILL"
    assert labels("commands", command) == [""]


# --- Lists ----------------------------------------


def test_lists_can_be_edited(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = import_with_lara(tmp_path, Game.TR5)
    settings = use(rig, own[WALK])
    edit = bpy.ops.tomb_raider.edit_animation_list
    frames = [row.low for row in settings.dispatches]
    assert edit(which="DISPATCHES", change="DOWN") == {"FINISHED"}
    assert settings.active_dispatch == 1
    assert [row.low for row in settings.dispatches] == [frames[1], frames[0], *frames[2:]]
    assert edit(which="DISPATCHES", change="UP") == {"FINISHED"}
    assert edit(which="DISPATCHES", change="UP") == {"CANCELLED"}
    assert [row.low for row in settings.dispatches] == frames
    settings.active_dispatch = 2
    assert edit(which="DISPATCHES", change="ADD") == {"FINISHED"}
    made = settings.dispatches[3]
    assert settings.active_dispatch == 3
    assert (made.state, made.low, made.high, made.action) == (1, 0, 28, own[WALK].name)
    assert edit(which="DISPATCHES", change="REMOVE") == {"FINISHED"}
    assert [row.low for row in settings.dispatches] == frames
    for _ in range(2):
        assert edit(which="COMMANDS", change="ADD") == {"FINISHED"}
    assert len(settings.commands) == 2
    for _ in range(2):
        assert edit(which="COMMANDS", change="REMOVE") == {"FINISHED"}
    assert edit(which="COMMANDS", change="REMOVE") == {"CANCELLED"}
    count = len(settings.events)
    assert edit(which="EVENTS", change="ADD") == {"FINISHED"}
    assert len(settings.events) == len({event.name for event in settings.events}) == count + 1
    assert settings.events[settings.active_event].name in own[WALK].pose_markers


@each_game
def test_sounds_and_effects_are_added_at_the_current_frame(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root, rig, own = import_with_lara(tmp_path, game)
    action = own[WALK]
    settings = use(rig, action)
    count, old = len(action.pose_markers), len(settings.events)
    bpy.context.scene.frame_set(8)
    assert bpy.ops.tomb_raider.add_event(kind="SOUND", choice="3") == {"FINISHED"}
    assert len(settings.events) == old + 1
    made = settings.events[settings.active_event]
    assert (made.command, made.number) == ("SOUND", 3)
    assert action.pose_markers[made.name].frame == 8
    bpy.context.scene.frame_set(4000)  # after the end of the action: clamped
    assert bpy.ops.tomb_raider.add_event(kind="SOUND", choice="3") == {"FINISHED"}
    assert len(settings.events) == old + 1
    assert sorted(marker.frame for marker in action.pose_markers if marker.name == made.name) == [8, 28]
    assert bpy.ops.tomb_raider.add_event(kind="EFFECT", choice="5") == {"FINISHED"}
    assert len(action.pose_markers) == count + 3
    for place in (old + 1, old):
        settings.active_event = place
        assert bpy.ops.tomb_raider.edit_animation_list(which="EVENTS", change="REMOVE") == {"FINISHED"}
    assert len(action.pose_markers) == count
    path = tmp_path / "out"
    assert export_file(path, collection=root.name) == (tmp_path / root.tomb_raider.source).read_bytes()


# --- Transitions and playback ----------------------------------------


def test_going_to_the_next_animation_uses_its_action(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = import_with_lara(tmp_path, Game.TR4)
    settings = use(rig, own[2])
    slot = getattr(rig.animation_data, "action_slot", None)
    settings.next_frame = 6
    assert bpy.ops.tomb_raider.go_to_animation() == {"FINISHED"}
    assert rig.animation_data.action == own[STAND]
    assert bpy.context.scene.frame_current == 6
    if slot is not None:
        assert rig.animation_data.action_slot.identifier == slot.identifier
    use(rig, own[WALK]).dispatches[3].frame = 2
    assert bpy.ops.tomb_raider.go_to_animation(dispatch=3) == {"FINISHED"}
    assert (rig.animation_data.action, bpy.context.scene.frame_current) == (own[5], 2)
    with pytest.raises(RuntimeError, match="no target action"):
        bpy.ops.tomb_raider.go_to_animation(dispatch=3)


def test_a_chain_is_played_and_stopped(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = import_with_lara(tmp_path, Game.TR1)
    use(rig, own[4])
    assert not bpy.ops.tomb_raider.stop_chain.poll()
    assert bpy.ops.tomb_raider.play_chain() == {"FINISHED"}
    assert chains.is_playing(rig)
    assert [strip.action for strip in rig.animation_data.nla_tracks[0].strips] == [own[4], own[0], own[0]]
    assert "tomb_raider.stop_chain" in [
        name for name, _ in named_panel("DATA", "animation", object=rig).operators
    ]
    assert bpy.ops.tomb_raider.play_chain(moves=False) == {"FINISHED"}
    assert len(rig.animation_data.nla_tracks) == 1
    use(rig, own[WALK])
    assert bpy.ops.tomb_raider.play_chain(dispatch=1) == {"FINISHED"}
    assert [strip.action for strip in rig.animation_data.nla_tracks[0].strips][:2] == [own[WALK], own[3]]
    assert bpy.ops.tomb_raider.stop_chain() == {"FINISHED"}
    assert not rig.animation_data.nla_tracks
    assert rig.animation_data.action == own[WALK]


def test_a_track_that_plays_alone_hides_no_chain(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = import_with_lara(tmp_path, Game.TR1)
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("Mine", 0, own[0])
    track.is_solo = True
    with pytest.raises(RuntimeError, match="is solo"):
        bpy.ops.tomb_raider.play_chain()
    assert not chains.is_playing(rig)


def test_a_long_name_is_listed_without_the_model_before_its_end_is_cut(blender: ModuleType) -> None:
    name = "Lara 007 Run to walk right"
    without = "007 Run to walk right"
    assert library._fitted(name, text_width(name)) == name
    assert library._fitted(name, text_width(without)) == without
    assert library._fitted(name, text_width(without) - 1).startswith("007 Run to walk")
    assert library._fitted("Walk", 1e3) == "Walk"
