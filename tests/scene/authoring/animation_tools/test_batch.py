"""Edits of many animations at once, as the games read them."""

from __future__ import annotations

from types import ModuleType

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.animations.animations import EVENT_NUMBER, PLAY_SOUND
from io_tomb_raider.scene.authoring.animation_tools.batch import fix_names_and_ends, replace_events
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import actions, armature
from tests.scene.scenes import exported, import_scene

from .helpers import RUN, STAND, WALK, commands, ticks_of


@each_game
def test_a_sound_is_replaced_wherever_it_plays(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    old = exported(root)[0]
    assert replace_events(actions(root), "SOUND", 0, 1) == (4, 2)
    new, warnings = exported(root)
    assert warnings == []

    def sounds(level: object, number: int) -> list[tuple[int, int]]:
        found = [e.operands for e in commands(level, number) if e.type == PLAY_SOUND]  # type: ignore[arg-type]
        return sorted((frame, EVENT_NUMBER.of(operand)) for frame, operand in found)

    for number in (RUN, WALK):
        assert sounds(new, number) == [(frame, 1) for frame, _ in sounds(old, number)]
    assert replace_events(actions(root), "SOUND", 0, 1) == (0, 0)
    replace_events(actions(root), "SOUND", 1, 0)
    assert exported(root)[0].to_bytes() == sample_bytes(game)


@each_game
def test_a_sound_is_removed_wherever_it_plays(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    old = exported(root)[0]
    assert replace_events(actions(root), "SOUND", 0, None) == (4, 2)
    new, warnings = exported(root)
    assert warnings == []
    for number in (RUN, WALK):
        kept = [
            each.operands
            for each in commands(old, number)
            if not (each.type == PLAY_SOUND and EVENT_NUMBER.of(each.operands[1]) == 0)
        ]
        found = [each.operands for each in commands(new, number)]
        assert sorted(found) == sorted(kept) and len(found) < len(commands(old, number))
    assert commands(new, STAND) == commands(old, STAND)
    assert not any(row.command == "SOUND" for row in actions(root)[RUN].tomb_raider.events if not row.number)


def test_a_replaced_sound_joins_the_same_one(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    action = actions(root)[RUN]
    row = action.tomb_raider.events.add()
    row.command, row.number = "SOUND", 1
    action.pose_markers.new(row.name).frame = 5
    replace_events([action], "SOUND", 0, 1)
    events = [(each.command, each.number) for each in action.tomb_raider.events]
    assert events.count(("SOUND", 1)) == 1
    level, warnings = exported(root)
    assert warnings == []
    assert sorted(e.operands for e in commands(level, RUN) if e.type == PLAY_SOUND) == [
        (0, 1),
        (5, 1),
        (11, 1),
    ]


def test_names_and_ends_of_animations_are_fixed(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    own = actions(root)
    name = own[RUN].name
    own[RUN].name, own[STAND].name = "animation", "Lara 011 Mine"
    own[WALK].frame_end = 50
    assert fix_names_and_ends(armature(root), own) == (2, 1)
    assert own[RUN].name == name and own[STAND].name == "Lara 011 Stand still"
    assert ticks_of(exported(root)[0], WALK) == 29
    assert fix_names_and_ends(armature(root), own) == (0, 0)
