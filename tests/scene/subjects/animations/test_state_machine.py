"""States, state changes, commands and next animations: on actions, and exported as edited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Action, Collection

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.animations.animations import (
    AnimationCommand,
    Dispatch,
    StateChange,
    decode_commands,
)
from io_tomb_raider.formats.levels.animations.animations import decode_state_changes as decode
from io_tomb_raider.formats.levels.animations.edits import edit_animations
from io_tomb_raider.formats.levels.animations.plan import AnimationEdit, AnimationTables
from tests.compare import Path, differences
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import ENEMY, LARA, SWITCH, actions, animation_count, armature, first_animation
from ...scenes import changes, export_scene, import_scene

some_games = pytest.mark.parametrize("game", [Game.TR2, Game.TR5])

RUN, WALK, STOP_RIGHT, STOP_LEFT, TO_RUN, START, STAND = 0, 1, 2, 3, 4, 6, 11  # Lara's animations
POUNCE, DIE = 1, 2  # the enemy's


def state_changes(level: Level, number: int, model: int = LARA) -> tuple[StateChange, ...]:
    row = first_animation(level, model) + number
    return decode(level.animations, level.state_changes, level.animation_dispatches, row)


def commands(level: Level, number: int, model: int = LARA) -> tuple[AnimationCommand, ...]:
    record = level.animations[first_animation(level, model) + number]
    place = int(record["first_command"]), int(record["commands"])
    return decode_commands(level.animation_commands, *place, first_frame=int(record["first_frame"]))


def with_edit(game: Game, number: int, **edit: Any) -> bytes:
    """Return a sample level with one of Lara's animations edited in the file."""
    level = read_level(sample_bytes(game))
    row = first_animation(level) + number
    edited = edit_animations(game, AnimationTables.of(level), {row: AnimationEdit(**edit)})
    edited.store(level)
    return level.to_bytes()


# --- Import ----------------------------------------


def check_rows(root: Collection, level: Level, models: list[int]) -> int:
    """Check the rows of all actions of some models against the file, and return their number."""
    by_index: dict[int, Action] = {action.tomb_raider.index: action for action in bpy.data.actions}
    found = 0
    for model in models:
        for number, action in enumerate(actions(root, model)):
            wanted = [
                (change.state, each.low, each.high, each.next_animation, each.next_frame)
                for change in state_changes(level, number, model)
                for each in change.dispatches
            ]
            rows = [row for row in action.tomb_raider.dispatches if not row.is_empty]
            led = [bpy.data.actions[row.action].tomb_raider.index for row in rows]
            seen = [
                (row.state, row.low, row.high, index, row.frame) for row, index in zip(rows, led, strict=True)
            ]
            assert seen == wanted
            assert [row.action for row in rows] == [by_index[index].name for index in led]
            found += len(rows)
    return found


@each_game
def test_dispatches_are_rows_that_point_at_actions(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    assert check_rows(root, level, [LARA, ENEMY, SWITCH]) == len(level.animation_dispatches) - 2  # a door's


@each_real_level
def test_dispatches_of_real_levels_point_at_actions(blender: ModuleType, level_path: Any) -> None:
    data = level_path.read_bytes()
    root, level = import_scene(data), read_level(data)
    rows = [row for action in bpy.data.actions for row in action.tomb_raider.dispatches]
    assert len(rows) == len(level.animation_dispatches)
    assert not [row for row in rows if not row.action or row.is_empty]
    check_rows(root, level, list(range(min(3, len(level.models)))))
    plain = [row for action in bpy.data.actions for row in action.tomb_raider.commands]
    markers = [marker for action in bpy.data.actions for marker in action.pose_markers]
    owned = [action.tomb_raider.index for action in bpy.data.actions]
    records = [level.animations[index] for index in owned]
    wanted = sum(
        len(decode_commands(level.animation_commands, int(each["first_command"]), int(each["commands"])))
        for each in records
    )
    assert len(plain) + len(markers) == wanted


@each_game
def test_commands_without_a_frame_are_a_list_with_typed_arguments(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    start = actions(root)[START].tomb_raider.commands
    assert [row.command for row in start] == ["POSITION", "HANDS"]
    assert tuple(start[0].position) == (0, 32, 0)  # the file's z is forward
    (jump,) = actions(root, ENEMY)[POUNCE].tomb_raider.commands
    assert (jump.command, jump.vertical, jump.horizontal) == ("JUMP", 60, 60)  # upward, and forward
    assert [row.command for row in actions(root, ENEMY)[DIE].tomb_raider.commands] == ["KILL"]


@each_game
def test_states_sounds_and_effects_go_by_the_names_of_the_game(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    walk = actions(root)[WALK].tomb_raider
    assert walk.state_name == "Walk forward"
    walk.state_name = "run FORWARD"
    assert walk.state == 1
    walk.state_name = "State 777"
    assert (walk.state, walk.state_name) == (777, "State 777")
    walk.state_name = "2"
    assert walk.state_name == "Stop"
    for nonsense in ("no such state", "", "State 70000"):
        walk.state_name = nonsense
        assert walk.state == 2
    assert {row.state_name for row in walk.dispatches} == {"Stop", "Run forward"}
    effects = [event for event in walk.events if event.command == "EFFECT"]
    assert {(event.number, event.foot) for event in effects} == {(32, "LEFT"), (32, "RIGHT")}
    if game >= Game.TR3:
        assert {event.label for event in effects} == {"Footprint"}


def test_without_a_level_states_have_no_names(blender: ModuleType) -> None:
    action = bpy.data.actions.new("Mine")
    action.tomb_raider.state_name = "Run forward"
    assert action.tomb_raider.state == 0
    action.tomb_raider.state_name = "12"
    assert action.tomb_raider.state_name == "State 12"


# --- Export: one edit, one difference ----------------------------------------


@dataclass(frozen=True)
class Edit:
    """An edit of one of Lara's actions, and the resulting changes of that animation in the file.

    Attributes:
        number: the number of the animation.
        change: the edit, called with the settings of the action, and all actions of the model.
        paths: the paths of all differences, within the animation.
        wanted: functions that change the old state changes and commands to the expected ones; None if
            unchanged.
    """

    number: int
    change: Callable[[Any, list[Action]], None]
    paths: list[Path]
    wanted: Callable[[list[StateChange], list[AnimationCommand], int], None] | None = None


def set_row(place: int, **values: Any) -> Callable[[Any, list[Action]], None]:
    def change(settings: Any, own: list[Action]) -> None:
        for name, value in values.items():
            setattr(settings.dispatches[place], name, own[value].name if name == "action" else value)

    return change


def add_row(state: int, low: int, high: int, target: int, frame: int) -> Callable[[Any, list[Action]], None]:
    def change(settings: Any, own: list[Action]) -> None:
        row = settings.dispatches.add()
        row.state, row.low, row.high, row.action, row.frame = state, low, high, own[target].name, frame

    return change


def add_command(command: str, **values: Any) -> Callable[[Any, list[Action]], None]:
    def change(settings: Any, own: list[Action]) -> None:
        row = settings.commands.add()
        row.command = command
        for name, value in values.items():
            setattr(row, name, value)

    return change


def dispatch(change: int, number: int, **values: int) -> Callable[[list[StateChange], Any, int], None]:
    """Return a function that changes a dispatch; next animations are numbered within the model."""

    def wanted(old: list[StateChange], _commands: Any, first: int) -> None:
        if "next_animation" in values:
            values["next_animation"] += first
        dispatches = list(old[change].dispatches)
        dispatches[number] = replace(dispatches[number], **values)
        old[change] = StateChange(old[change].state, tuple(dispatches))

    return wanted


def new_dispatch(
    change: int, state: int, *values: int
) -> Callable[[list[StateChange], list[AnimationCommand], int], None]:
    def wanted(old: list[StateChange], _commands: Any, first: int) -> None:
        low, high, target, frame = values
        made = Dispatch(low, high, first + target, frame)
        if change < len(old):
            old[change] = StateChange(state, (*old[change].dispatches, made))
        else:
            old.append(StateChange(state, (made,)))

    return wanted


def new_command(
    *made: AnimationCommand, remove: int = 0
) -> Callable[[list[StateChange], list[AnimationCommand], int], None]:
    def wanted(_changes: Any, old: list[AnimationCommand], _first: int) -> None:
        del old[:remove]
        old += made

    return wanted


def other_state(settings: Any, own: list[Action]) -> None:
    settings.dispatches[0].state = settings.dispatches[1].state = 44


def without_first(old: list[StateChange], _commands: Any, _first: int) -> None:
    del old[0]


def remove_state(settings: Any, own: list[Action]) -> None:
    settings.dispatches.remove(0)
    settings.dispatches.remove(0)


def swap_states(settings: Any, own: list[Action]) -> None:
    settings.dispatches.move(0, 3)
    settings.dispatches.move(0, 3)


def to_nowhere(settings: Any, own: list[Action]) -> None:
    settings.dispatches.remove(1)
    settings.dispatches[0].is_empty = True


def next_is_run(settings: Any, own: list[Action]) -> None:
    settings.next_action, settings.next_frame = own[RUN].name, 3


def moved_position(settings: Any, own: list[Action]) -> None:
    settings.commands[0].position = 5, -6, 7


NEXT: list[Path] = [("next_animation",), ("next_frame",)]
EDITS: dict[str, Edit] = {
    "state": Edit(WALK, lambda settings, own: setattr(settings, "state", 9), [("state",)]),
    "next": Edit(WALK, next_is_run, NEXT),
    "acceleration": Edit(
        WALK, lambda settings, own: setattr(settings, "acceleration", -0.5), [("acceleration",)]
    ),
    "first frame": Edit(WALK, set_row(1, low=16), [("state change", 0)], dispatch(0, 1, low=16)),
    "last frame": Edit(WALK, set_row(0, high=9), [("state change", 0)], dispatch(0, 0, high=9)),
    "target": Edit(WALK, set_row(2, action=RUN), [("state change", 1)], dispatch(1, 0, next_animation=RUN)),
    "frame there": Edit(WALK, set_row(3, frame=4), [("state change", 1)], dispatch(1, 1, next_frame=4)),
    "another state": Edit(
        WALK,
        other_state,
        [("state change", 0)],
        lambda old, _commands, _first: old.__setitem__(0, StateChange(44, old[0].dispatches)),
    ),
    "one more range": Edit(
        WALK, add_row(2, 28, 28, STAND, 1), [("state change", 0)], new_dispatch(0, 2, 28, 28, STAND, 1)
    ),
    "a new state": Edit(
        WALK,
        add_row(70, 0, 28, WALK, 0),
        [("state_changes",), ("state change", 2)],
        new_dispatch(2, 70, 0, 28, WALK, 0),
    ),
    "the first of all": Edit(
        TO_RUN,
        add_row(2, 0, 5, STAND, 2),
        [("state_changes",), ("state change", 0)],
        new_dispatch(0, 2, 0, 5, STAND, 2),
    ),
    "a removed state": Edit(
        WALK,
        remove_state,
        [("state_changes",), ("state change", 0), ("state change", 1)],
        without_first,
    ),
    "another order": Edit(
        WALK,
        swap_states,
        [("state change", 0), ("state change", 1)],
        lambda old, _commands, _first: old.reverse(),
    ),
    "a state that leads nowhere": Edit(
        WALK,
        to_nowhere,
        [("state change", 0)],
        lambda old, _commands, _first: old.__setitem__(0, StateChange(2)),
    ),
    "position": Edit(
        START,
        moved_position,
        [("command", 0)],
        lambda _changes, old, _first: old.__setitem__(0, AnimationCommand(1, (5, -7, -6))),
    ),
    "a removed command": Edit(
        START,
        lambda settings, own: settings.commands.remove(0),
        [("commands",), ("command", 0), ("command", 1)],
        new_command(remove=1),
    ),
    "commands in another order": Edit(
        START,
        lambda settings, own: settings.commands.move(0, 1),
        [("command", 0), ("command", 1)],
        lambda _changes, old, _first: old.reverse(),
    ),
    "a new position": Edit(
        STAND,
        add_command("POSITION", position=(1, 2, 0x8000)),
        [("commands",), ("command", 0)],
        new_command(AnimationCommand(1, (1, -0x8000, 2))),
    ),
    "a jump": Edit(
        STAND,
        add_command("JUMP", vertical=100, horizontal=-20),
        [("commands",), ("command", 0)],
        new_command(AnimationCommand(2, (-100, -20))),
    ),
    "empty hands": Edit(
        STAND, add_command("HANDS"), [("commands",), ("command", 0)], new_command(AnimationCommand(3))
    ),
    "kill": Edit(
        STAND, add_command("KILL"), [("commands",), ("command", 0)], new_command(AnimationCommand(4))
    ),
    "nothing": Edit(
        STAND, add_command("NOTHING"), [("commands",), ("command", 0)], new_command(AnimationCommand(0))
    ),
    "an unknown one": Edit(
        STAND,
        add_command("OTHER", number=-9),
        [("commands",), ("command", 0)],
        new_command(AnimationCommand(-9)),
    ),
    "behind sounds": Edit(
        WALK, add_command("HANDS"), [("commands",), ("command", 4)], new_command(AnimationCommand(3))
    ),
}


@each_game
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_changes_just_that(blender: ModuleType, game: Game, name: str) -> None:
    edit, data = EDITS[name], sample_bytes(game)
    before = read_level(data)
    row = first_animation(before) + edit.number

    def change(root: Collection) -> None:
        own = actions(root)
        edit.change(own[edit.number].tomb_raider, own)

    assert set(changes(data, change)) == {("animations", row, *path) for path in edit.paths}
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    after = export_scene(root)
    old_changes, old_commands = list(state_changes(before, edit.number)), list(commands(before, edit.number))
    if edit.wanted is not None:
        edit.wanted(old_changes, old_commands, first_animation(before))
    assert list(state_changes(after, edit.number)) == old_changes
    assert list(commands(after, edit.number)) == old_commands
    assert not export_level(root)[1].warnings


@each_game
def test_lateral_speeds_are_for_the_games_that_have_them(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    actions(root)[WALK].tomb_raider.lateral_speed = 1.5
    if game >= Game.TR4:
        record = export_scene(root).animations[WALK]
        assert int(record["lateral_speed"]) == 3 << 15
    else:
        with pytest.raises(ExportError, match="lateral speed") as caught:
            export_level(root)
        assert caught.value.subject == actions(root)[WALK].name


@each_game
def test_sounds_and_effects_become_others_with_their_markers(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    walk = actions(root)[WALK]
    sound = next(event for event in walk.tomb_raider.events if event.command == "SOUND")
    old_name = sound.name
    sound.label, sound.place = "Sound 17", "WATER"
    assert sound.name != old_name
    assert sound.name.endswith(", in water")
    assert sum(marker.name == sound.name for marker in walk.pose_markers) == 2
    assert not [marker for marker in walk.pose_markers if marker.name == old_name]
    before, after = (commands(level, WALK) for level in (read_level(data), export_scene(root)))
    turned = [
        AnimationCommand(5, (each.operands[0], 17 | 0x8000)) if each.type == 5 else each for each in before
    ]
    assert sorted(
        hash(each.__class__(each.type, tuple(v & 0xFFFF for v in each.operands))) for each in after
    ) == (
        sorted(hash(AnimationCommand(each.type, tuple(v & 0xFFFF for v in each.operands))) for each in turned)
    )
    # Two sounds or effects that become equal keep separate names.
    left, right = (event for event in walk.tomb_raider.events if event.command == "EFFECT")
    right.foot = "LEFT"
    assert left.name != right.name
    assert len({event.name for event in walk.tomb_raider.events}) == 3


def test_frames_of_sounds_count_from_the_start_of_the_action(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    walk = actions(root)[WALK]
    walk.frame_start = 5
    level, report = export_level(root)
    before, after = commands(read_level(data), WALK), commands(level, WALK)
    assert sorted(each.operands[0] for each in after) == sorted(each.operands[0] - 5 for each in before)
    assert [text for text in report.warnings if "outside of the animation" in text]


# --- The order of commands ----------------------------------------

SOUND, EFFECT = AnimationCommand(5, (4, 7)), AnimationCommand(6, (9, 32))
MIXED = (
    AnimationCommand(3),
    SOUND,
    AnimationCommand(0),
    AnimationCommand(1, (1, 2, 3)),
    EFFECT,
    AnimationCommand(77),
    AnimationCommand(3),
)


@each_game
def test_all_kinds_of_commands_come_back_in_their_order(blender: ModuleType, game: Game) -> None:
    data = with_edit(game, STAND, commands=MIXED)
    root = import_scene(data)
    assert export_level(root)[0].to_bytes() == data
    assert differences(read_level(data), export_scene(root, rebuild=True), rebuilt=True) == []
    kinds = [row.command for row in actions(root)[STAND].tomb_raider.commands]
    assert kinds == ["HANDS", "NOTHING", "POSITION", "OTHER", "HANDS"]
    assert actions(root)[STAND].tomb_raider.commands[3].number == 77


@some_games
def test_edits_of_commands_keep_the_order_of_others(blender: ModuleType, game: Game) -> None:
    root = import_scene(with_edit(game, STAND, commands=MIXED))
    rows = actions(root)[STAND].tomb_raider.commands
    rows[2].position = 1, 4, -2
    assert commands(export_scene(root), STAND) == (*MIXED[:3], AnimationCommand(1, (1, 2, 4)), *MIXED[4:])
    rows.remove(1)
    assert commands(export_scene(root), STAND) == (*MIXED[:2], AnimationCommand(1, (1, 2, 4)), *MIXED[4:])
    rows.add().command = "KILL"
    assert commands(export_scene(root), STAND)[-2:] == (AnimationCommand(3), AnimationCommand(4))


# --- Special cases in files ----------------------------------------


@each_game
def test_odd_state_changes_of_files_stay(blender: ModuleType, game: Game) -> None:
    """Invalid targets, duplicate states, states without dispatches, and an edit next to them."""
    odd = (
        StateChange(3, (Dispatch(0, 5, 30000, 123), Dispatch(6, -4, 0xFFFF, -7))),
        StateChange(4),
        StateChange(3, (Dispatch(0, 5, RUN, 2),)),
        StateChange(3),
        StateChange(4, (Dispatch(1, 2, WALK, 0),)),
    )
    data = with_edit(game, WALK, state_changes=odd)
    root = import_scene(data)
    assert export_level(root)[0].to_bytes() == data
    assert differences(read_level(data), export_scene(root, rebuild=True), rebuilt=True) == []
    rows = actions(root)[WALK].tomb_raider.dispatches
    assert [row.target for row in rows] == [30000, 0xFFFF, -1, -1, -1, -1]
    assert [row.is_empty for row in rows] == [False, False, True, False, True, False]
    rows[3].frame = 6
    after = export_scene(root)
    row = first_animation(after) + WALK
    assert differences(read_level(data), after) == [("animations", row, "state change", 2)]
    assert state_changes(after, WALK) == (*odd[:2], StateChange(3, (Dispatch(0, 5, RUN, 6),)), *odd[3:])


@some_games
def test_an_invalid_next_animation_is_kept(blender: ModuleType, game: Game) -> None:
    data = with_edit(game, WALK, next_animation=40000, next_frame=11)
    root = import_scene(data)
    assert actions(root)[WALK].tomb_raider.next_action == ""
    assert export_level(root)[0].to_bytes() == data
    actions(root)[WALK].tomb_raider.state = 5
    assert int(export_scene(root).animations[WALK]["next_animation"]) == 40000


# --- Deleting, adding, copying ----------------------------------------


@each_game
def test_dispatches_to_a_deleted_action_are_left_out_with_a_warning(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    walk, target = actions(root)[WALK].name, actions(root)[STOP_LEFT]
    bpy.data.actions.remove(target)
    level, report = export_level(root)
    before = state_changes(read_level(data), WALK)
    (stop, run) = state_changes(level, WALK)
    assert (stop.dispatches, run) == (before[0].dispatches[:1], before[1])
    assert any(text.startswith(f"{walk}: frames 14 to 27 have no target") for text in report.warnings)


@each_game
def test_dispatches_to_a_deleted_last_animation_are_removed(blender: ModuleType, game: Game) -> None:
    """The enemy's death follows itself; only its prowl refers to it."""
    data = sample_bytes(game)
    root = import_scene(data)
    bpy.data.actions.remove(actions(root, ENEMY)[DIE])
    before, (after, report) = read_level(data), export_level(root)
    assert animation_count(after, ENEMY) == animation_count(before, ENEMY) - 1
    assert [change.state for change in state_changes(after, 0, ENEMY)] == [2]
    assert len(report.warnings) == 1
    # Later animations are renumbered, and so are references to them.
    first = first_animation(after, SWITCH)
    assert first == first_animation(before, SWITCH) - 1
    assert [int(after.animations["next_animation"][first + n]) for n in (0, 1)] == [first + 1, first]


@each_game
def test_a_new_action_has_its_own_state_changes_and_commands(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    own, new = actions(root), bpy.data.actions.new("Mine")
    settings = new.tomb_raider
    settings.model, settings.state, settings.next_action = armature(root), 60, own[STAND].name
    new.use_frame_range, new.frame_start, new.frame_end = True, 10, 30
    for target, state in ((own[RUN], 1), (new, 60), (own[WALK], 1)):
        row = settings.dispatches.add()
        row.state, row.low, row.high, row.action, row.frame = state, 0, 20, target.name, 5
    settings.commands.add().command = "HANDS"
    event = settings.events.add()
    event.command, event.number = "SOUND", 3
    new.pose_markers.new(event.name).frame = 12
    back = own[STAND].tomb_raider.dispatches.add()
    back.state, back.high, back.action = 60, 79, new.name
    before, after = read_level(data), export_scene(root)
    first, number = first_animation(before), animation_count(before)
    assert state_changes(after, number) == (
        StateChange(1, (Dispatch(0, 20, first + RUN, 5), Dispatch(0, 20, first + WALK, 5))),
        StateChange(60, (Dispatch(0, 20, first + number, 5),)),
    )
    assert commands(after, number) == (AnimationCommand(3), AnimationCommand(5, (2, 3)))
    assert state_changes(after, STAND)[-1] == StateChange(60, (Dispatch(0, 79, first + number, 0),))
    # Later animations moved, and references to them are updated.
    for model in (ENEMY, SWITCH):
        led, leads = (
            [each.next_animation for change in state_changes(level, 0, model) for each in change.dispatches]
            for level in (before, after)
        )
        assert leads == [index + 1 for index in led if isinstance(index, int)]


@each_game
def test_a_copied_action_has_the_state_changes_of_its_original(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    copy: Any = actions(root)[WALK].copy()
    copy.tomb_raider.dispatches.remove(0)
    copy.tomb_raider.dispatches[0].frame = 3
    before, after = read_level(data), export_scene(root)
    old, new = state_changes(before, WALK), state_changes(after, animation_count(before))
    assert new == (StateChange(2, (replace(old[0].dispatches[1], next_frame=3),)), old[1])
    assert state_changes(after, WALK) == old
    assert commands(after, animation_count(before)) == commands(before, WALK)


@some_games
def test_dispatches_into_a_shortened_target_use_its_last_frame(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    walk = actions(root)[WALK].tomb_raider
    walk.dispatches[2].action, walk.dispatches[2].frame = actions(root)[RUN].name, 18
    data = export_scene(root).to_bytes()
    start_empty()
    root = import_scene(data)
    actions(root)[RUN].frame_end = 11
    assert state_changes(export_scene(root), WALK)[1].dispatches[0].next_frame == 11


# --- Values that no game supports ----------------------------------------


def too_far(settings: Any, root: Collection) -> None:
    settings.dispatches[0].high = 40000


def too_far_there(settings: Any, root: Collection) -> None:
    settings.dispatches[0].frame = 40000


def foreign(settings: Any, root: Collection) -> None:
    settings.dispatches[0].action = bpy.data.actions.new("Stranger").name


@each_game
@pytest.mark.parametrize(
    ("change", "text"), [(too_far, "frame"), (too_far_there, "frame"), (foreign, "Stranger")]
)
def test_values_that_do_not_fit_are_an_error_that_names_the_action(
    blender: ModuleType, game: Game, change: Any, text: str
) -> None:
    root = import_scene(sample_bytes(game))
    action = actions(root)[WALK]
    change(action.tomb_raider, root)
    with pytest.raises(ExportError, match=text) as caught:
        export_level(root)
    assert caught.value.subject == action.name


def test_a_dispatch_without_a_target_is_left_out_with_a_warning(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    actions(root)[WALK].tomb_raider.dispatches.add().state = 30
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert len(report.warnings) == 1
