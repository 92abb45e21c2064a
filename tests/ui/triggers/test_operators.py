"""Tests of operators, panels and lines of triggers."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.catalogue import names
from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.floor.functions import Action, Trigger
from io_tomb_raider.scene.authoring.new.triggers import add_trigger
from io_tomb_raider.scene.core.level_visibility import reveal
from io_tomb_raider.scene.core.space import world_matrix
from io_tomb_raider.ui.triggers import lines as trigger_lines
from io_tomb_raider.ui.triggers import panels as triggers
from io_tomb_raider.ui.triggers.lines import lines_of, shown_triggers
from io_tomb_raider.ui.triggers.operators import action_label
from tests.formats.levels.game_files.gameflow_samples import gameflow_file
from tests.formats.levels.game_files.tr4_script_samples import language_file, script_file
from tests.formats.levels.sounds.samples import cd_audio
from tests.games import each_game
from tests.scene.scenes import UNIT, objects
from tests.scene.subjects.triggers.sample_triggers import FREE, triggers_of

from ..recorder import Layout, draw
from ..user_actions import export_file, import_sample, select


def exported_triggers(folder: Path) -> Any:
    return triggers_of(read_level(export_file(folder / "OUT")))


def select_alone(*chosen: Any) -> None:
    layer: Any = bpy.context.view_layer
    reveal(layer, chosen)
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in chosen)
    bpy.context.view_layer.objects.active = chosen[0] if chosen else None


def add_at_free_sector(root: Any, *targets: Any) -> Any:
    room = objects(root, "ROOM")[FREE[0]]
    bpy.context.view_layer.update()
    place = Vector(((FREE[1] + 0.3) * 1024, (FREE[2] + 0.8) * 1024, 0)) * UNIT
    bpy.context.scene.cursor.location = room.matrix_world @ place
    select_alone(*targets)
    assert bpy.ops.tomb_raider.add_trigger(collection=root.name) == {"FINISHED"}
    return bpy.context.object


@each_game
def test_an_added_trigger_acts_on_selected_objects(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    wolf, camera, sink = objects(root, "ENTITY")[1], objects(root, "CAMERA")[1], objects(root, "SINK")[0]
    before = triggers_of(read_level((tmp_path / root.tomb_raider.source).read_bytes()))
    made = add_at_free_sector(root, wolf, camera, sink)
    assert bpy.context.selected_objects == [made]
    found = exported_triggers(tmp_path)
    (trigger,) = found.pop(FREE)
    assert found == before
    assert (trigger.type, trigger.mask) == (0, 31)
    assert set(trigger.actions) == {Action(0, 1), Action(1, 1, 0), Action(2, 2)}


def test_a_trigger_is_added_where_the_active_object_stands(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1)
    wolf = objects(root, "ENTITY")[1]
    select_alone(wolf)
    assert bpy.ops.tomb_raider.add_trigger(place="ACTIVE") == {"FINISHED"}
    low, high = Vector((-1, -1, -1)), Vector((1, 1, 1))
    bpy.context.view_layer.update()
    box = bpy.context.object.matrix_world
    here = wolf.matrix_world.translation
    assert all(
        (box @ low)[axis] <= here[axis] + 1e-5 and here[axis] <= (box @ high)[axis] for axis in range(3)
    )


def test_where_there_is_no_room_no_trigger_is_added(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, Game.TR1)
    bpy.context.scene.cursor.location = (9999, 0, 0)
    with pytest.raises(RuntimeError, match="no room"):
        bpy.ops.tomb_raider.add_trigger()


def test_without_triggers_in_the_scene_none_is_added(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr1", triggers=False)
    with pytest.raises(RuntimeError, match="left out"):
        bpy.ops.tomb_raider.add_trigger()


def test_actions_are_added_moved_and_removed(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    wolf, guard = objects(root, "ENTITY")[1:3]
    made = add_at_free_sector(root, wolf)
    settings = made.tomb_raider.trigger
    assert bpy.ops.tomb_raider.add_trigger_action(kind="SECRET") == {"FINISHED"}
    settings.actions[1].number = 3
    select_alone(made, guard)
    assert bpy.ops.tomb_raider.add_trigger_action(kind="LOOK_AT") == {"FINISHED"}
    select_alone(made, objects(root, "FLYBY")[6])
    assert bpy.ops.tomb_raider.add_trigger_action(kind="FLYBY") == {"FINISHED"}
    assert exported_triggers(tmp_path)[FREE][0].actions == (
        Action(0, 1),
        Action(10, 3),
        Action(6, 2),
        Action(12, 1, 0),
    )
    assert settings.active_action == 3
    assert bpy.ops.tomb_raider.move_trigger_action(direction="UP") == {"FINISHED"}
    settings.active_action = 0
    assert bpy.ops.tomb_raider.move_trigger_action(direction="UP") == {"CANCELLED"}
    assert bpy.ops.tomb_raider.remove_trigger_action() == {"FINISHED"}
    assert exported_triggers(tmp_path)[FREE][0].actions == (Action(10, 3), Action(12, 1, 0), Action(6, 2))
    settings.actions.clear()
    assert bpy.ops.tomb_raider.remove_trigger_action() == {"CANCELLED"}
    select_alone(wolf)
    assert not bpy.ops.tomb_raider.add_trigger_action.poll()


def test_triggers_and_targets_are_found(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR5)
    switches = [each for each in objects(root, "TRIGGER") if each.tomb_raider.trigger.kind == "SWITCH"]
    (switch,) = switches
    settings = switch.tomb_raider.trigger
    select_alone(switch)
    assert bpy.ops.tomb_raider.select_trigger_targets() == {"FINISHED"}
    assert set(bpy.context.selected_objects) == {settings.source, settings.actions[0].target}
    select_alone(settings.source)
    assert bpy.ops.tomb_raider.select_triggers() == {"FINISHED"}
    assert bpy.context.selected_objects == [switch]
    # A sequence includes all its cameras.
    flybys = [each for each in objects(root, "FLYBY") if each.tomb_raider.flyby.sequence == 0]
    select_alone(flybys[-1])
    assert bpy.ops.tomb_raider.select_triggers() == {"FINISHED"}
    (found,) = bpy.context.selected_objects
    assert [each.kind for each in found.tomb_raider.trigger.actions] == ["FLYBY"]
    select_alone(objects(root, "ROOM")[0])
    assert bpy.ops.tomb_raider.select_triggers() == {"CANCELLED"}
    assert not bpy.ops.tomb_raider.select_trigger_targets.poll()


@each_game
def test_lines_connect_triggers_with_targets_and_sources(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    bpy.context.view_layer.update()
    everything = objects(root, "TRIGGER")
    lines = lines_of([*everything, objects(root, "ROOM")[0]])
    pairs = [
        (obj, end)
        for obj in everything
        for end in (
            obj.tomb_raider.trigger.source,
            *(action.target for action in obj.tomb_raider.trigger.actions),
        )
        if end is not None
    ]
    expected = [world_matrix(each).translation for pair in pairs for each in pair]
    assert len(pairs) > 3
    assert np.allclose(lines.positions, np.array(expected), atol=1e-5)
    assert len(np.unique(lines.colors, axis=0)) == 2
    assert len(lines_of([]).positions) == 0
    manager = bpy.context.window_manager
    select_alone(everything[0])
    for mode, shown in (
        ("NONE", []),
        ("SELECTED", everything[:1]),
        ("ALL", [each for each in everything if each.visible_get()]),
    ):
        manager.tomb_raider_trigger_lines = mode
        assert set(shown_triggers(bpy.context)) == set(shown)
    manager.tomb_raider_trigger_lines = "SELECTED"


@each_game
def test_selected_targets_show_the_lines_of_their_triggers(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    bpy.context.window_manager.tomb_raider_trigger_lines = "SELECTED"
    wolf, room = objects(root, "ENTITY")[1], objects(root, "ROOM")[0]
    made = add_at_free_sector(root, wolf)
    select_alone(wolf)
    assert made in shown_triggers(bpy.context)
    assert all(wolf in trigger_lines.ends_of(each) for each in shown_triggers(bpy.context))
    select_alone(room)
    assert shown_triggers(bpy.context) == []
    if game >= Game.TR4:
        first, second = objects(root, "FLYBY")[:2]
        second.tomb_raider.flyby.sequence = first.tomb_raider.flyby.sequence
        made = add_at_free_sector(root, first)
        select_alone(second)
        assert made in shown_triggers(bpy.context)


def test_an_added_action_has_its_line_at_once(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path, Game.TR1)
    wolf, made = objects(root, "ENTITY")[1], add_at_free_sector(root)
    drawn: list[int] = []  # numbers of positions when the views are redrawn
    monkeypatch.setattr(
        "io_tomb_raider.ui.triggers.operators.redraw_views",
        lambda _owner, context: drawn.append(len(lines_of(shown_triggers(context)).positions)),
    )
    select_alone(made, wolf)
    before = len(lines_of(shown_triggers(bpy.context)).positions)
    assert bpy.ops.tomb_raider.add_trigger_action(kind="OBJECT") == {"FINISHED"}
    assert bpy.ops.tomb_raider.remove_trigger_action() == {"FINISHED"}
    assert drawn == [before + 2, before]


def test_without_a_window_nothing_is_drawn(blender: ModuleType) -> None:
    assert bpy.app.background
    assert not trigger_lines._drawing.is_drawn


def panel(obj: Any) -> Layout:
    layout = draw(triggers.OBJECT_PT_tomb_raider_trigger, object=obj)
    assert layout is not None
    return layout


def test_the_panel_has_the_fields_of_the_trigger(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    made = add_at_free_sector(root)
    settings = made.tomb_raider.trigger
    assert {"kind", "activation", "timer", "one_shot", "scale"} <= set(panel(made).names)
    assert "source" not in panel(made).names
    settings.kind = "KEY"
    assert {"source", "raw_source"} <= set(panel(made).names)
    settings.type = 77
    assert "type" in panel(made).names
    shown = {
        "CAMERA": {"target", "raw_target", "timer", "once"},
        "FLIPEFFECT": {"number", "number_name"},
        "SECRET": {"number"},
        "END_LEVEL": {"number", "number_name"},
        "FLYBY": {"target", "number", "once"},
        "CLEAR_BODIES": set(),
    }
    plain = set(panel(made).names)
    for kind, expected in shown.items():
        settings.actions.clear()
        bpy.ops.tomb_raider.add_trigger_action(kind=kind)
        assert set(panel(made).names) - plain == expected - plain | {"kind"} - plain, kind
    assert draw(triggers.OBJECT_PT_tomb_raider_trigger, object=objects(root, "ROOM")[0]) is None


def action_of(root: Any, kind: str, number: int = 0) -> Any:
    """Give the first trigger of a level one action, and return it."""
    settings = objects(root, "TRIGGER")[0].tomb_raider.trigger
    settings.type = 0
    settings.actions.clear()
    action = settings.actions.add()
    action.kind, action.number = kind, number
    return action


@each_game
def test_flipeffects_and_tracks_are_chosen_by_name(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    action = action_of(root, "FLIPEFFECT", 3)
    assert action.number_name == "Lara bubbles"
    action.number_name = "explosion"
    assert (action.number, action_label(action, game)) == (11, "Flipeffect: Explosion")
    action.number_name = "777"
    assert (action.number, action.number_name) == (777, "Flipeffect 777")
    for text in ("no name", "4000"):  # the file has 10 bits
        action.number_name = text
        assert action.number == 777
    action = action_of(root, "SOUNDTRACK", 33)
    assert action.number_name == ("Wind" if game is Game.TR2 else "Track 33")
    assert "number_name" in panel(action.id_data).names
    (written,) = {
        each
        for triggers in exported_triggers(tmp_path).values()
        for trigger in triggers
        for each in trigger.actions
        if each.type == 8 and each.parameter == 33
    }
    assert written == Action(8, 33)


def test_tracks_have_the_titles_of_a_loaded_cdaudio(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "CDAUDIO.WAD"
    path.write_bytes(cd_audio())
    action = action_of(import_sample(tmp_path, Game.TR3), "SOUNDTRACK", 5)
    assert action.number_name == "Track 5"
    assert bpy.ops.import_scene.tomb_raider_sounds(filepath=str(path)) == {"FINISHED"}
    action.number_name = "Track 2"
    assert (action.number, action.number_name) == (2, "track 2")
    sound = next(each.tomb_raider for each in bpy.data.sounds if each.tomb_raider.number == 5)
    sound.title, sound.number = "Jungle", 122  # before the name of the catalogue
    action.number_name = "jungle"
    assert action.number == 122


@pytest.mark.parametrize("game", [Game.TR2, Game.TR4, Game.TR5], ids=lambda game: game.name)
def test_numbers_have_the_names_of_the_script(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    if game is Game.TR2:
        (tmp_path / "TOMBPC.DAT").write_bytes(gameflow_file())
    else:
        (tmp_path / "SCRIPT.DAT").write_bytes(script_file(tr5=game is Game.TR5))
        strings = [b"Thing %d" % number for number in range(400)]
        (tmp_path / "ENGLISH.DAT").write_bytes(language_file((strings, [b"X"], [b"End"])))
    root = import_sample(tmp_path, game)
    track = 58 if game is Game.TR2 else 104
    action = action_of(root, "SOUNDTRACK", track)
    if game is Game.TR2:  # the catalogue's name is preferred
        assert action.number_name == "Machines (offshore rig)"
        return
    assert action.number_name == "Soundtrack of Title"
    action = action_of(root, "CUTSCENE", 7)
    assert action.number_name == "Cutscene of Thing 3, 7"
    action = action_of(root, "END_LEVEL", 1)
    layout = panel(action.id_data)
    if game is Game.TR5:  # it loads the next level
        assert "number_name" not in layout.names and "Level (Unused)" in layout.texts
        return
    assert action.number_name == "Thing 3"
    action.number_name = "Title"
    assert action.number == 0
    # An imported text comes before the file.
    bpy.ops.tomb_raider.import_script(filepath=str(tmp_path / "SCRIPT.DAT"))
    action.number = 1
    text = next(each for each in bpy.data.texts if each.tomb_raider.kind == "LANGUAGE")
    text.from_string(text.as_string().replace("Thing 3\n", "Luxor\n"))
    assert action.number_name == "Luxor"


@each_game
def test_the_timer_follows_the_action(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    action = action_of(root, "OBJECT")
    settings = action.id_data.tomb_raider.trigger
    settings.timer = 17
    assert "Timer" in panel(action.id_data).texts
    expected = {  # kind and number of the action: label
        ("CAMERA", 0): "Timer (Unused)",
        ("FLIPEFFECT", 3): "Timer (Unused)",
        ("END_LEVEL", 1): "OCB of Start Position",
        ("FLIPEFFECT", 10): "Sound",
        ("FLIPEFFECT", 28): "Fog Color",
        ("FLIPEFFECT", 30): "OCB of AI Follow",
        ("FLIPEFFECT", 400): "Argument of Effect",
    }
    for (kind, number), label in expected.items():
        action_of(root, kind, number)
        wanted = label if game >= Game.TR4 else "Timer (Unused)"
        assert wanted in panel(action.id_data).texts, (kind, number)
    assert settings.timer == 17
    assert settings.timer_fog == "Red"
    assert [round(part * 255) for part in settings.fog_color] == [252, 0, 0]
    settings.timer_fog = "teal"
    assert (settings.timer, settings.timer_sound) == (25, names(game).sound(25))
    settings.timer_sound = "Sound 9"
    assert settings.timer == 9
    settings.type = 2  # a switch goes back after that time
    action_of(root, "CAMERA").id_data.tomb_raider.trigger.type = 2
    assert "Timer (Unused)" not in panel(action.id_data).texts


def test_the_timer_names_the_ai_object_that_guides_go_to(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    mark = objects(root, "AI_OBJECT")[0]
    mark.name = "By the Gate"
    mark.tomb_raider.ai_object.type_name = "AI follow"
    mark.tomb_raider.ai_object.ocb = 3
    settings = action_of(root, "FLIPEFFECT", 45).id_data.tomb_raider.trigger
    settings.timer_waypoint = "By the Gate"
    assert settings.timer == 3


def test_the_sidebar_shows_the_active_trigger(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1)
    sidebar = triggers.VIEW3D_PT_tomb_raider_triggers
    given = {
        "window_manager": bpy.context.window_manager,
        "view_layer": bpy.context.view_layer,
    }
    trigger = objects(root, "TRIGGER")[0]
    own = draw(bpy.types.VIEW3D_PT_tomb_raider_trigger, object=trigger, **given)
    assert own is not None and "kind" in own.names and own.lists == ["actions"]
    for obj in (trigger, None):
        select(*([] if obj is None else [obj]))
        layout = draw(sidebar, object=obj, **given)
        assert layout is not None
        assert "tomb_raider.add_trigger" in [name for name, _ in layout.operators]
    overlays = draw(bpy.types.VIEW3D_PT_tomb_raider_overlays)
    assert overlays is not None and "tomb_raider_trigger_lines" in overlays.names


def test_actions_are_named(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    made = add_trigger(root, objects(root, "ENTITY")[0].matrix_world.translation)
    settings = made.tomb_raider.trigger

    def label(**values: Any) -> str:
        settings.actions.clear()
        action = settings.actions.add()
        for name, value in values.items():
            setattr(action, name, value)
        return action_label(action, Game.TR4)

    wolf = objects(root, "ENTITY")[1]
    assert label(type=0, target=wolf) == f"Activate Object: {wolf.name}"
    assert label(type=0, raw_target=900) == "Activate Object: Number 900"
    assert label(type=1) == "Camera: Nothing"
    assert label(type=4, number=2) == "Flip On: 2"
    assert label(type=9, number=1000) == "Flipeffect: Flipeffect 1000"
    assert label(type=11) == "Clear Bodies"
    assert label(type=12, number=4) == "Flyby: Sequence 4"
    assert label(type=31, number=5) == "Action 31: 5"


def test_an_added_trigger_is_the_default_trigger(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1)
    add_at_free_sector(root, objects(root, "ENTITY")[1])
    assert exported_triggers(tmp_path)[FREE] == (Trigger(0, mask=31, actions=(Action(0, 1),)),)
