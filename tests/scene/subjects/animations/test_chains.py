"""Chains of animations: poses at each frame, and complete removal."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.subjects.animations.changes import chains
from io_tomb_raider.scene.subjects.animations.changes.chains import Link
from io_tomb_raider.scene.subjects.animations.changes.transitions import next_of
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import LARA, SCALE, actions, armature, model_keys, posed, show_library, shown_vertices
from ...scenes import import_scene

RUN, WALK, TO_RUN, START, STAND = 0, 1, 4, 6, 11


def links_of(root: Collection, number: int, start: int = 0) -> list[tuple[int, int, int]]:
    """Return the chain from one of Lara's animations: number, first and last frame of each link."""
    own = actions(root)
    return [(own.index(link.action), link.first, link.last) for link in chains.chain_of(own[number], start)]


def play(root: Collection, links: list[Link], *, moves: bool = False) -> int:
    show_library(root, LARA)
    scene: Any = bpy.context.scene
    end = chains.play(armature(root), scene, links, SCALE, moves=moves)
    bpy.context.view_layer.update()
    return end


def stop(root: Collection) -> None:
    scene: Any = bpy.context.scene
    chains.stop(armature(root), scene)


def assert_shown(
    root: Collection, data: bytes, frame: int, number: int, key: int, units: float = 0.5
) -> None:
    """Check that Lara's pose at a frame of the scene is that of a key frame of one of her animations."""
    level = read_level(data)
    wanted = posed(level, LARA, model_keys(level, LARA, number), key)
    for seen, vertices in zip(shown_vertices(root, LARA, frame), wanted, strict=True):
        assert np.abs(seen - vertices).max(initial=0) < units


@each_game
def test_a_chain_ends_after_the_second_round_of_its_loop(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    assert links_of(root, RUN) == [(RUN, 0, 20), (RUN, 0, 20)]
    assert links_of(root, TO_RUN) == [(TO_RUN, 0, 5), (RUN, 0, 20), (RUN, 0, 20)]
    own = actions(root)
    own[RUN].tomb_raider.next_action, own[RUN].tomb_raider.next_frame = own[WALK].name, 7
    own[WALK].tomb_raider.next_action = own[RUN].name
    assert links_of(root, RUN) == [(RUN, 0, 20), (WALK, 7, 28)] * 2
    for number, action in enumerate(own[:-1]):
        action.tomb_raider.next_action = own[number + 1].name
    own[WALK].tomb_raider.next_frame = 4000  # after the end: the last frame
    assert links_of(root, WALK, -3)[:2] == [(WALK, 0, 28), (2, 9, 9)]


def test_a_chain_without_end_ends(blender: ModuleType) -> None:
    rig: Any = bpy.data.objects.new("Rig", None)
    made = [bpy.data.actions.new("Long") for _ in range(100)]
    for before, after in pairwise(made):
        before.tomb_raider.model, before.tomb_raider.next_action = rig, after.name
    assert len(chains.chain_of(made[0])) < 50


@each_game
def test_a_chain_shows_the_next_animations_from_the_following_frame(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    own = actions(root)
    own[TO_RUN].tomb_raider.next_frame = 3
    own[RUN].tomb_raider.next_action, own[RUN].tomb_raider.next_frame = own[WALK].name, 1
    links = chains.chain_of(own[TO_RUN])
    assert play(root, links) == sum(link.frames for link in links) - 1
    for frame, number, key in ((0, TO_RUN, 0), (5, TO_RUN, 5), (6, RUN, 3), (23, RUN, 20), (24, WALK, 1)):
        assert_shown(root, data, frame, number, key)
    assert_shown(root, data, 7, RUN, 4)


@each_game
def test_a_chain_leaves_nothing_behind(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    rig, scene, own = armature(root), bpy.context.scene, actions(root)
    show_library(root, LARA)
    used = rig.animation_data
    used.action, used.action_influence, rig.delta_location = own[WALK], 0.75, (1, 2, 3)
    mine = used.nla_tracks.new()
    mine.strips.new("Mine", 40, own[STAND])
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 4, 44
    scene.use_preview_range = False
    scene.frame_set(12)
    count, slot = len(bpy.data.actions), getattr(used, "action_slot", None)
    for _ in range(2):  # the second replaces the first
        play(root, chains.chain_of(own[TO_RUN]), moves=True)
    assert chains.is_playing(rig)
    assert (used.action, getattr(used, "action_slot", None)) == (own[WALK], slot)
    assert (scene.frame_preview_start, scene.frame_preview_end) == (0, 47)
    assert export_level(root)[0].to_bytes() == data
    assert all("NLA tracks" in text for text in export_level(root)[1].warnings)  # the user's own
    stop(root)
    assert not chains.is_playing(rig)
    assert (used.action, used.action_influence) == (own[WALK], 0.75)
    assert getattr(used, "action_slot", None) == slot
    assert [track.name for track in used.nla_tracks] == [mine.name]
    assert tuple(rig.delta_location) == (1, 2, 3)
    assert (scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end) == (False, 4, 44)
    assert scene.frame_current == 12
    assert len(bpy.data.actions) == count
    assert export_level(root)[0].to_bytes() == data


def test_a_chain_with_removed_tracks_can_be_stopped(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    play(root, chains.chain_of(actions(root)[RUN]))
    used = armature(root).animation_data
    used.nla_tracks.remove(used.nla_tracks[0])
    assert chains.is_playing(armature(root))
    stop(root)
    assert not chains.is_playing(armature(root))
    assert used.action_influence == 1


def test_renamed_tracks_of_a_chain_are_kept(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    play(root, chains.chain_of(actions(root)[RUN]), moves=True)
    used = armature(root).animation_data
    for track in used.nla_tracks:
        track.name = "Mine"
    stop(root)
    assert (len(used.nla_tracks), used.action_influence) == (2, 1)
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_the_model_moves_by_the_speeds_and_by_set_positions(blender: ModuleType, game: Game) -> None:
    """Running: 47 units per tick, and an eighth more each tick, truncated to whole units."""
    data = sample_bytes(game)
    root = import_scene(data)
    own = actions(root)
    start = armature(root).location.copy()
    # START has a speed of 20 units, and moves the model 32 units forward at its end.
    own[START].tomb_raider.acceleration = 0
    own[START].tomb_raider.next_action = own[RUN].name
    play(root, chains.chain_of(own[START]), moves=True)
    last = chains.length(own[START])
    for frame, units in (
        (0, 0),
        (last, 20 * last),
        (last + 1, 20 * last + 32 + 47),
        (last + 9, 20 * last + 32 + sum(47 + tick // 8 for tick in range(9))),
    ):
        bpy.context.scene.frame_set(frame)
        moved = (armature(root).matrix_world.translation - start) / SCALE
        assert np.abs(np.array(moved) - (0, units, 0)).max() < 0.01
    stop(root)
    bpy.context.view_layer.update()
    assert armature(root).matrix_world.translation == start


def test_lateral_speeds_move_to_the_side(blender: ModuleType) -> None:
    action = bpy.data.actions.new("Roll")
    action.use_frame_range, action.frame_end = True, 3
    action.tomb_raider.lateral_speed, action.tomb_raider.lateral_acceleration = -10, 2.5
    places = chains.positions_of([Link(action, 0, 3)], 1.0)
    assert places.tolist() == [[0, 0, 0], [-8, 0, 0], [-13, 0, 0], [-16, 0, 0]]


@each_game
def test_a_chain_follows_a_dispatch_within_its_frames(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    own = actions(root)
    own[WALK].tomb_raider.dispatches[3].frame = 2
    for now, last in ((0, 13), (20, 19), (28, 13)):  # frames 14 to 27 have the other foot's run as target
        first, second, *_ = chains.chain_through(own[WALK], 3, now=now)
        assert first == Link(own[WALK], 0, last)
        assert second == Link(own[5], 2, 5)
    play(root, chains.chain_through(own[WALK], 3, now=20))
    assert_shown(root, data, 19, WALK, 19)
    assert_shown(root, data, 20, 5, 2)


@each_real_level
def test_chains_of_real_levels_show_both_sides_of_the_joint(blender: ModuleType, level_path: Any) -> None:
    data = level_path.read_bytes()
    root, level = import_scene(data), read_level(data)
    own = actions(root) if len(level.models) else []
    for number, action in enumerate(own[:40]):
        following = next_of(action)
        rates = (action.tomb_raider.frame_rate, following.tomb_raider.frame_rate if following else 0)
        if following not in own or rates != (1, 1) or not len(model_keys(level, LARA, number)):
            continue
        links = chains.chain_of(action)
        play(root, links)
        joint = links[0].frames
        assert_shown(root, data, joint - 1, number, links[0].last)
        assert_shown(root, data, joint, own.index(following), links[1].first)
        stop(root)
        break
