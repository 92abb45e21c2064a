"""Routes to wanted states: the same as games find tick by tick, and shown by the chain that plays."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import bpy
import pytest
from bpy.types import Action
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.subjects.animations.changes import chains
from io_tomb_raider.scene.subjects.animations.changes.chains import Link, Route
from io_tomb_raider.scene.subjects.animations.changes.transitions import set_next, set_target
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import LARA, SCALE, actions, armature, model_keys, posed, show_library, shown_vertices
from ...scenes import import_scene

WALK = 1


class Row(NamedTuple):
    """A state change: wanted state, range, target, frame there."""

    state: int
    low: int
    high: int
    target: int
    frame: int


class Plan(NamedTuple):
    """An animation: state, last frame, next animation and its first frame, state changes."""

    state: int
    end: int
    next: int
    next_frame: int
    rows: list[Row]


_four = st.integers(0, 3)
_rows = st.builds(Row, _four, st.integers(0, 6), st.integers(0, 6), _four, st.integers(0, 4))
_plans = st.builds(Plan, _four, st.integers(0, 5), _four, st.integers(0, 4), st.lists(_rows, max_size=4))


def machine(plans: list[Plan]) -> list[Action]:
    """Make the actions of a state machine."""
    rig: Any = bpy.data.objects.new("Rig", None)
    made = [bpy.data.actions.new("Machine") for _ in plans]
    for action, plan in zip(made, plans, strict=True):
        own = action.tomb_raider
        own.model, own.state, own.next_frame = rig, plan.state, plan.next_frame
        action.use_frame_range, action.frame_end = True, plan.end
    for action, plan in zip(made, plans, strict=True):
        set_next(action, made[plan.next])
        for each in plan.rows:
            row = action.tomb_raider.dispatches.add()
            row.state, row.low, row.high, row.frame = each.state, each.low, each.high, each.frame
            set_target(row, made[each.target])
    return made


def played(plans: list[Plan], frame: int, state: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Return animation and frame at each tick by the rules of the games, and the ticks of state changes."""
    number, shown = 0, [(0, frame)]
    changes: list[int] = []
    is_wanted = True
    for tick in range(300):
        plan = plans[number]
        frame += 1
        fitting = (row for row in plan.rows if row.state == state and row.low <= frame <= row.high)
        is_wanted = is_wanted and plan.state != state  # until it is reached
        row = next(fitting, None) if is_wanted else None
        if row is not None:
            changes.append(tick)
            number, frame = row.target, row.frame
        elif frame > plan.end:
            number, frame = plan.next, plan.next_frame
        frame = min(frame, plans[number].end)  # later frames are shown as the last one
        shown.append((number, frame))
    return shown, changes


@given(st.lists(_plans, min_size=4, max_size=4), st.integers(0, 5), _four)
def test_routes_equal_animations_that_games_play(
    extension: ModuleType, plans: list[Plan], frame: int, state: int
) -> None:
    made = machine(plans)
    frame = min(frame, plans[0].end)
    route = chains.route_to(made[0], frame, state)
    shown, changes = played(plans, frame, state)
    if plans[0].state == state:
        assert route is None  # the animation is in the state already
    elif route is None:
        assert not changes or changes[0] > 60  # later than a chain lasts
    else:
        found = [
            (made.index(link.action), at) for link in route.links for at in range(link.first, link.last + 1)
        ]
        assert found == shown[: len(found)]
        assert route.delay == changes[0]
    for action in made:
        bpy.data.actions.remove(action)


def test_a_state_is_wanted_until_it_is_reached(extension: ModuleType) -> None:
    """A state change may lead to a transition of another state, whose own changes lead on."""
    made = machine(
        [
            Plan(0, 9, 0, 0, [Row(3, 4, 6, 1, 0), Row(3, 2, 2, 2, 0)]),
            Plan(1, 5, 0, 0, [Row(3, 3, 3, 2, 1)]),
            Plan(3, 4, 2, 0, []),
        ]
    )
    route = chains.route_to(made[0], 4, 3)
    assert route is not None
    assert route.links[:3] == [Link(made[0], 4, 4), Link(made[1], 0, 2), Link(made[2], 1, 4)]
    assert (route.delay, route.left, route.is_reached) == (0, 1, True)
    late = chains.route_to(made[0], 7, 3)  # at the first frame of the next round
    assert late is not None
    assert late.links[:3] == [Link(made[0], 7, 9), Link(made[0], 0, 1), Link(made[2], 0, 4)]
    assert late.delay == 4
    assert chains.wanted_states(late.links) == [(3, made[0].tomb_raider.dispatches[0].state_name)]


def chain(root: Any, number: int, *, moves: bool = False) -> list[Action]:
    """Play the chain from one of Lara's animations."""
    show_library(root, LARA)
    own = actions(root)
    scene: Any = bpy.context.scene
    chains.play(armature(root), scene, chains.chain_of(own[number]), SCALE, moves=moves)
    return own


def want(root: Any, frame: int, state: int) -> Route | None:
    scene: Any = bpy.context.scene
    scene.frame_set(frame)
    return chains.want(armature(root), scene, state, SCALE)


@each_game
def test_the_chain_shows_the_route_to_a_wanted_state(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    own = chain(root, WALK, moves=True)
    rows = own[WALK].tomb_raider.dispatches
    assert (rows[3].low, rows[3].high) == (14, 27)
    before = len(bpy.data.actions)
    route = want(root, 5, rows[3].state)
    assert route is not None
    earlier = min(row.low for row in rows if row.state == rows[3].state and row.high > 5)
    leave = max(earlier, 6)
    assert route.delay == leave - 6
    # What has been played stays, frames included.
    links, moves = chains.links_of(armature(root))
    assert links[0] == Link(own[WALK], 0, leave - 1)
    assert moves and links[1:] == route.links[1:]
    assert bpy.context.scene.frame_current == 5
    assert bpy.context.scene.frame_preview_end == sum(link.frames for link in links) - 1
    level = export_level(root)[0]
    assert level.to_bytes() == data
    keys = model_keys(level, LARA, own.index(links[1].action))
    wanted = posed(level, LARA, keys, links[1].first)
    rig = armature(root)
    bpy.context.scene.frame_set(leave)
    moved = chains.positions_of(links, 1.0)[leave]
    shown = shown_vertices(root, LARA, leave)
    for seen, vertices in zip(shown, wanted, strict=True):
        assert abs(seen - vertices - (0, 0, moved[1])).max() < 0.6
    scene: Any = bpy.context.scene
    chains.stop(rig, scene)
    assert len(bpy.data.actions) == before - 1  # the motion
    assert not rig.animation_data.nla_tracks


def test_wanting_an_unreachable_state_changes_nothing(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    own = chain(root, WALK)
    before = chains.links_of(armature(root))
    assert want(root, 3, 999) is None
    assert want(root, 3, own[WALK].tomb_raider.state) is None
    assert chains.links_of(armature(root)) == before
    bpy.context.scene.frame_set(4000)  # after the chain
    assert want(root, 4000, own[WALK].tomb_raider.dispatches[0].state) is None


@pytest.mark.parametrize("frame", [0, 11, 28, 29, 40])
def test_the_part_at_a_frame_is_found(blender: ModuleType, frame: int) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    chain(root, WALK)
    links, _ = chains.links_of(armature(root))
    number, inside = chains.link_at(links, frame)
    assert (number, inside) == ((0, frame) if frame <= 28 else (1, links[1].first + frame - 29))
