"""Ghosts and tick preview: the same vertices as Blender shows at other frames, and as games interpolate."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.animation_views.body import Body, seen_armature
from io_tomb_raider.scene.authoring.animation_views.ghosts import (
    AHEAD,
    BEHIND,
    DROPPED,
    PREVIEW,
    Ghost,
    GhostMaker,
    dropped_keys,
    triangles_of,
)
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.animations.changes import chains
from io_tomb_raider.scene.subjects.animations.keys.curves import bone_path
from io_tomb_raider.scene.subjects.animations.keys.key_poses import RestPose, read_key_poses
from io_tomb_raider.scene.subjects.animations.showing import show_animation
from tests.data_blocks import every_id
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...rig_tools import SCALE, actions, armature, curve, parts, show_library, turn_key, with_skin
from ...scenes import import_scene
from ..control_rig.rigs import rigged

RUN, WALK, TO_RUN = 0, 1, 4


def start(data: bytes, number: int, frame: int) -> tuple[Collection, Any]:
    """Show one of Lara's animations at a frame; return the level and the settings of ghosts."""
    root = import_scene(data)
    show_library(root)
    show_animation(armature(root), actions(root)[number])
    bpy.context.scene.frame_set(frame)
    return root, bpy.context.scene.tomb_raider.watching


def maker(rig: Any) -> GhostMaker:
    scene = bpy.context.scene
    return GhostMaker(rig, scene.tomb_raider.watching, scene.frame_current_final, SCALE)


def seen(rig: Any, frame: float) -> Any:
    """Return the vertices of a model in the world as Blender evaluates them at a frame, then go back."""
    scene: Any = bpy.context.scene
    now = scene.frame_current_final
    scene.frame_set(int(frame), subframe=frame % 1)
    graph = bpy.context.evaluated_depsgraph_get()
    found = []
    for obj in rig.users_collection[0].objects:
        if obj.parent == rig and len(obj.data.vertices):
            shown = obj.evaluated_get(graph)
            points = np.array([vertex.co[:] for vertex in obj.data.vertices])
            matrix = np.array(shown.matrix_world)
            found.append(points @ matrix[:3, :3].T + matrix[:3, 3])
    scene.frame_set(int(now), subframe=now % 1)
    return np.concatenate(found)


def in_world(rig: Any, ghost: Ghost) -> Any:
    matrix = np.array(rig.matrix_world)
    return ghost.points @ matrix[:3, :3].T + matrix[:3, 3]


@each_game
def test_ghosts_are_where_blender_shows_the_model_at_their_ticks(blender: ModuleType, game: Game) -> None:
    data = with_skin(game) if game in (Game.TR3, Game.TR4, Game.TR5) else sample_bytes(game)
    root, settings = start(data, RUN, 10)
    rig = seen_armature(armature(root))
    assert (rig == armature(root)) == (game in (Game.TR1, Game.TR2))
    settings.before, settings.after, settings.step, settings.ghosts = 2, 3, 3, True
    before = set(every_id())
    ghosts = maker(rig).all()
    assert [ghost.color[:3] for ghost in ghosts] == [BEHIND, BEHIND, AHEAD, AHEAD, AHEAD]
    for ghost, frame in zip(ghosts, (4, 7, 19, 16, 13), strict=True):
        assert np.abs(in_world(rig, ghost) - seen(rig, frame)).max() < 1e-5
    assert all(near.color[3] > far.color[3] for far, near in ((ghosts[0], ghosts[1]), (ghosts[2], ghosts[4])))
    assert set(every_id()) == before


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_ghosts_show_what_a_control_rig_poses(blender: ModuleType, game: Game) -> None:
    data = with_skin(game) if game is Game.TR4 else sample_bytes(game)
    root, settings = start(data, RUN, 10)
    rig = rigged(root)
    bpy.context.scene.frame_set(10)
    before = seen(rig.armature, 7)
    limb = next(each for each in rig.limbs if each.is_body)
    curves = compat.find_channels(actions(root)[RUN], rig.armature).fcurves
    height: Any = curves.find(f"{bone_path(limb.target)}.location", index=2)
    for point in height.keyframe_points:
        point.co.y -= 60 * SCALE
    height.update()
    assert np.abs(seen(rig.armature, 7) - before).max() > 40 * SCALE
    settings.ghosts, settings.before, settings.after, settings.step = True, 1, 1, 3
    blocks = set(every_id())
    behind, ahead = maker(rig.armature).all()
    for ghost, frame in ((behind, 7), (ahead, 13)):
        assert np.abs(in_world(rig.armature, ghost) - seen(rig.armature, frame)).max() < 0.5 * SCALE
    assert set(every_id()) == blocks


def test_ghosts_end_with_the_animation(blender: ModuleType) -> None:
    root, settings = start(sample_bytes(Game.TR1), RUN, 1)
    settings.ghosts, settings.step = True, 2
    assert [ghost.color[:3] for ghost in maker(armature(root)).all()] == [AHEAD] * 3
    bpy.context.scene.frame_set(20)
    assert [ghost.color[:3] for ghost in maker(armature(root)).all()] == [BEHIND] * 3
    settings.ghosts = False
    assert maker(armature(root)).all() == []


def test_ghosts_follow_curves_that_bend(blender: ModuleType) -> None:
    root, settings = start(sample_bytes(Game.TR1), RUN, 10)
    rig = armature(root)
    for index in range(4):
        found = curve(actions(root)[RUN], rig.pose.bones[0].name, "rotation_quaternion", index)
        first = found.keyframe_points[0].co.y
        found.keyframe_points.clear()  # other frames than the other bones'
        for frame, value in ((0, first), (16, first + (0.5 if index == 1 else 0.0))):
            found.keyframe_points.insert(frame, value).interpolation = "BEZIER"
        found.update()
    settings.ghosts, settings.before, settings.after, settings.step = True, 1, 1, 3
    behind, ahead = maker(rig).all()
    assert np.abs(in_world(rig, behind) - seen(rig, 7)).max() < 1e-5
    assert np.abs(in_world(rig, ahead) - seen(rig, 13)).max() < 1e-5


@each_game
def test_ghosts_of_a_chain_have_the_poses_of_its_frames(blender: ModuleType, game: Game) -> None:
    root, settings = start(sample_bytes(game), TO_RUN, 0)
    rig, own = armature(root), actions(root)
    for moves in (False, True):
        scene: Any = bpy.context.scene
        chains.play(rig, scene, chains.chain_of(own[TO_RUN]), SCALE, moves=moves)
        scene.frame_set(4)
        settings.ghosts, settings.before, settings.after, settings.step = True, 1, 2, 3
        ghosts = maker(rig).all()
        for ghost, frame in zip(ghosts, (1, 10, 7), strict=True):  # 0 to 5, then running
            assert np.abs(in_world(rig, ghost) - seen(rig, frame)).max() < 1e-5


def test_ghosts_are_spread_by_the_speed(blender: ModuleType) -> None:
    """Running: 47 units in the first tick, and an eighth more in each."""
    root, settings = start(sample_bytes(Game.TR1), RUN, 0)
    rig = armature(root)
    settings.ghosts, settings.before, settings.after, settings.step = True, 0, 1, 3
    (still,) = maker(rig).all()
    settings.spread = True
    (moved,) = maker(rig).all()
    step = sum(47 + tick // 8 for tick in (1, 2, 3)) * SCALE
    assert np.abs(moved.points - still.points - (0, step, 0)).max() < 1e-6


def test_triangles_are_those_of_the_meshes(blender: ModuleType) -> None:
    root, settings = start(sample_bytes(Game.TR1), RUN, 10)
    rig = armature(root)
    settings.ghosts, settings.before, settings.after = True, 0, 1
    ghosts = maker(rig).all()
    positions, colors = triangles_of(ghosts, np.array(rig.matrix_world))
    meshes = [part.data for part in parts(root)]
    count = sum(len(polygon.vertices) - 2 for mesh in meshes for polygon in mesh.polygons)
    assert positions.shape == (3 * count, 3) and colors.shape == (3 * count, 4)
    assert positions.dtype == colors.dtype == np.float32  # as the graphics card reads them
    shown = seen(rig, 12)
    assert {tuple(each) for each in np.round(positions, 3)} <= {
        tuple(each) for each in np.round(shown, 3)
    } | {tuple(each) for each in np.round(shown.astype(np.float32), 3)}
    assert triangles_of([], np.eye(4))[0].shape == (0, 3)


def test_a_model_without_meshes_has_no_ghosts(blender: ModuleType) -> None:
    root, settings = start(sample_bytes(Game.TR1), RUN, 10)
    settings.ghosts = settings.ticks = True
    rig = armature(root)
    for part in parts(root):
        bpy.data.objects.remove(part)
    assert maker(rig).all() == []
    assert not len(Body.of(rig, RestPose.of(rig)).points)
    rig.animation_data_clear()
    assert maker(rig).all() == []


# --- Tick preview ----------------------------------------


def hand_up(root: Collection, key: int) -> None:
    turn_key(actions(root)[RUN], "Upper Arm.L", key, (0.0, 1.0, 0.0, 0.0))


def test_the_preview_shows_the_pose_between_the_keys_of_a_rate(blender: ModuleType) -> None:
    """At rate 4 the arm that a key at frame 6 lifts stays down, as frames 4 and 8 have it."""
    root, settings = start(sample_bytes(Game.TR1), RUN, 6)
    rig, action = armature(root), actions(root)[RUN]
    settings.ticks, settings.dropped = True, False
    assert maker(rig).all() == []  # at its own rate, all agree
    hand_up(root, 6)
    bpy.context.view_layer.update()
    assert maker(rig).all() == []
    settings.rate = 4
    (ghost,) = maker(rig).all()
    assert ghost.color[:3] == PREVIEW
    ends = read_key_poses(action, rig, frames=[4.0, 8.0])
    rest = RestPose.of(rig)
    wanted = Body.of(rig, rest).posed(*rest.pose(*_poses(ends.at(np.array([6.0])))))
    assert np.abs(ghost.points - wanted[0]).max() < 1e-9
    # Only what is elsewhere is drawn.
    apart = np.linalg.norm(in_world(rig, ghost) - seen(rig, 6), axis=1)
    all_triangles = Body.of(rig, rest).triangles
    away = all_triangles[(apart > 2 * SCALE)[all_triangles].any(axis=1)]
    assert len(away) and np.array_equal(ghost.triangles, away)
    bpy.context.scene.frame_set(4)
    assert maker(rig).all() == []


def test_ghosts_of_stepped_keys_have_the_last_pose(blender: ModuleType) -> None:
    root, settings = start(sample_bytes(Game.TR1), RUN, 7)
    rig = armature(root)
    settings.ticks, settings.rate, settings.is_stepped, settings.dropped = True, 4, True, False
    (ghost,) = maker(rig).all()
    assert np.abs(in_world(rig, ghost) - seen(rig, 4)).max() < 1e-5


def _poses(poses: Any) -> tuple[Any, Any]:
    return poses.turns, poses.places


def test_keys_that_a_rate_drops_are_shown(blender: ModuleType) -> None:
    root, settings = start(sample_bytes(Game.TR1), RUN, 10)
    rig, action = armature(root), actions(root)[RUN]
    assert dropped_keys(action, rig, None, 0).tolist() == []
    assert dropped_keys(action, rig, None, 4).tolist() == [each for each in range(21) if each % 4]
    settings.ticks, settings.rate = True, 4
    ghosts = [ghost for ghost in maker(rig).all() if ghost.color[:3] == DROPPED]
    for ghost, frame in zip(ghosts, (6, 7, 9, 10, 11, 13), strict=True):  # the nearest
        assert np.abs(in_world(rig, ghost) - seen(rig, frame)).max() < 1e-5
