"""Overlays, panels and operators of the views of animations."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.subjects.animations.changes import chains
from io_tomb_raider.ui.animation_views import following, operators, overlay, panels
from io_tomb_raider.ui.animations.watched import watched, watching
from tests.games import each_game
from tests.scene.rig_tools import SCALE, actions, show_library, with_skin
from tests.scene.scenes import objects

from ..recorder import shown
from ..user_actions import FILE_NAMES, import_file, import_sample, select

RUN, WALK = 0, 1
VIEWS = (panels.VIEW3D_PT_tomb_raider_watch, panels.VIEW3D_PT_tomb_raider_ghosts)


def with_lara(folder: Path, number: int = WALK) -> tuple[Any, Any]:
    """Import a level with Lara active, in one of her animations; return level and armature."""
    root = import_sample(folder, "tr1")
    show_library(root)
    rig = objects(root, "MODEL")[0]
    select(rig)
    bpy.ops.tomb_raider.play_animation(action=actions(root)[number].name)
    bpy.context.view_layer.update()
    return root, rig


# --- States by keys ----------------------------------------


def test_wanted_states_are_in_the_panel_with_their_keys(blender: ModuleType, tmp_path: Path) -> None:
    root, rig = with_lara(tmp_path)
    own = actions(root)
    assert not bpy.ops.tomb_raider.want_state.poll()
    assert bpy.ops.tomb_raider.press_keys() == {"FINISHED"}
    assert [link.action for link in chains.links_of(rig)[0]][:2] == [own[WALK], own[WALK]]
    layout = shown(panels.VIEW3D_PT_tomb_raider_watch, object=rig)
    buttons = [made.state for name, made in layout.operators if name == "tomb_raider.want_state"]
    rows = own[WALK].tomb_raider.dispatches
    assert buttons == list(dict.fromkeys(row.state for row in rows))
    names = [text for text in layout.texts if text[:2] in ("1:", "2:")]
    assert names == [
        f"{place + 1}: {name}"
        for place, (_, name) in enumerate(chains.wanted_states(chains.links_of(rig)[0]))
    ]
    bpy.context.scene.frame_set(5)
    assert bpy.ops.tomb_raider.want_state(state=rows[1].state) == {"FINISHED"}
    assert chains.links_of(rig)[0][0].last < 28
    before = chains.links_of(rig)
    assert bpy.ops.tomb_raider.want_state(state=999) == {"CANCELLED"}
    assert operators.want(bpy.context, rig, 999) == ("WARNING", "No state change to 999 is possible here")
    assert chains.links_of(rig) == before


def test_the_delay_is_reported_in_ticks(blender: ModuleType, tmp_path: Path) -> None:
    root, rig = with_lara(tmp_path)
    action = actions(root)[WALK]
    rows = action.tomb_raider.dispatches
    for row in list(rows)[1:]:
        row.state = 50
    row = rows[0]
    row.low, row.high = 9, 12
    bpy.ops.tomb_raider.press_keys()
    bpy.context.scene.frame_set(5)
    kind, text = operators.want(bpy.context, rig, row.state)
    assert (kind, text) == ("INFO", f"{row.state_name}: after 3 ticks, at frame 9 of {action.name}")
    bpy.ops.tomb_raider.stop_chain()
    bpy.ops.tomb_raider.press_keys()
    bpy.context.scene.frame_set(10)
    assert operators.want(bpy.context, rig, row.state)[1] == f"{row.state_name}: at the next tick"


def test_number_keys_choose_states(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = with_lara(tmp_path)
    bpy.ops.tomb_raider.press_keys()
    said: list[Any] = []
    tool: Any = SimpleNamespace(_armature=rig.name, _said="", _last="")
    for name in ("_show", "_end", "cancel"):
        method = getattr(operators.TOMB_RAIDER_OT_press_keys, name)
        setattr(tool, name, lambda *given, method=method: method(tool, *given))
    workspace = SimpleNamespace(status_text_set=said.append)
    context: Any = SimpleNamespace(scene=bpy.context.scene, workspace=workspace, screen=None)

    def press(key: str, value: str = "PRESS") -> Any:
        event: Any = SimpleNamespace(type=key, value=value)
        return operators.TOMB_RAIDER_OT_press_keys.modal(tool, context, event)

    assert press("MOUSEMOVE") == {"PASS_THROUGH"}
    states = operators.choices(rig, 0)
    assert said[-1].startswith(f"1: {states[0][1]}    2: ")
    before = chains.links_of(rig)[0]
    assert press("TWO", "RELEASE") == {"RUNNING_MODAL"} and chains.links_of(rig)[0] == before
    assert press("NUMPAD_2") == {"RUNNING_MODAL"}
    assert any(link.action.tomb_raider.state == states[1][0] for link in chains.links_of(rig)[0])
    assert states[1][1] in said[-1].split("    ")[-1]
    assert press("NINE") == {"RUNNING_MODAL"}  # there are fewer
    assert press("ESC") == {"FINISHED"} and said[-1] is None
    bpy.ops.tomb_raider.stop_chain()
    assert press("ONE") == {"FINISHED"}  # the chain was stopped elsewhere


# --- Follow and treadmill ----------------------------------------


def test_views_follow_a_chain_that_moves_and_come_back(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = with_lara(tmp_path, RUN)
    scene: Any = bpy.context.scene
    regions = following.views_of(scene)
    assert regions
    regions[0].view_location = (1, 2, 3)
    bpy.ops.tomb_raider.play_chain()
    scene.frame_set(5)
    assert regions[0].view_location[:] == (1, 2, 3)  # it is switched off
    scene.frame_set(0)
    watching(bpy.context).motion = "FOLLOW"
    start = rig.matrix_world.translation.copy()
    for frame in (0, 5, 12):
        scene.frame_set(frame)
        moved = rig.matrix_world.translation - start
        assert (regions[0].view_location - Vector((1, 2, 3)) - moved).length < 1e-5
    assert moved.y > 1
    regions[0].view_perspective = "CAMERA"
    scene.frame_set(20)
    assert (regions[0].view_location - Vector((1, 2, 3)) - moved).length < 1e-5  # cameras stay
    regions[0].view_perspective = "PERSP"
    scene.frame_set(12)
    scene.frame_set(12)
    bpy.ops.tomb_raider.stop_chain()
    away = regions[0].view_location - Vector((1, 2, 3))
    assert abs(away.y) < moved.y  # it went back with the model
    rig.location.x += 7  # a move of the user's
    scene.frame_set(3)
    assert regions[0].view_location.x == pytest.approx(1 + away.x)


def test_the_treadmill_runs_under_the_model(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = with_lara(tmp_path, RUN)
    model = watched(bpy.context)
    assert model is not None and model.armature == rig
    found = []
    for frame in (0, 1):
        bpy.context.scene.frame_set(frame)
        lines = overlay.treadmill_lines(bpy.context, model)
        assert lines is not None and lines[1].shape == (len(lines[0]), 4)
        found.append(lines[0])
    z = rig.matrix_world.translation.z
    assert np.abs(found[0][:, 2] - z).max() < 1e-6
    phase = [np.unique(np.round(each[:, 1] % (256 * SCALE), 4)) for each in found]
    assert np.allclose((phase[0][0] - phase[1][0]) % (256 * SCALE), 47 * SCALE, atol=2e-4)
    rig.animation_data.action = None
    assert overlay.treadmill_lines(bpy.context, model) is None


# --- Ghosts ----------------------------------------


@each_game
def test_ghosts_are_drawn_where_the_entity_shows_lara(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = tmp_path / FILE_NAMES[game]
    path.write_bytes(with_skin(game) if game in (Game.TR3, Game.TR4) else (import_bytes(game)))
    root = import_file(path)
    lara = next(obj for obj in objects(root, "ENTITY") if obj.name.startswith("Lara"))
    bpy.context.view_layer.objects.active = lara
    lara.select_set(True)
    bpy.ops.tomb_raider.play_animation()
    bpy.context.scene.frame_set(4)
    bpy.context.view_layer.update()
    model = watched(bpy.context)
    assert model is not None
    settings = watching(bpy.context)
    settings.ghosts, settings.before, settings.after, settings.step = True, 0, 1, 1
    positions, colors = overlay.ghost_triangles(bpy.context, model)
    assert len(positions) and colors[:, 1].max() > colors[:, 0].max()
    bpy.context.scene.frame_set(5)
    graph = bpy.context.evaluated_depsgraph_get()
    real = set()
    for each in graph.object_instances:
        parent = each.parent
        if each.is_instance and parent is not None and parent.original == lara and each.object.type == "MESH":
            matrix = np.array(each.matrix_world)
            points = np.array([vertex.co[:] for vertex in each.object.data.vertices])
            real |= {tuple(np.round(p, 2)) for p in points @ matrix[:3, :3].T + matrix[:3, 3]}
    seen = {tuple(p) for p in np.round(positions.astype(float), 2)}
    near = np.array(sorted(real))
    for point in list(seen)[:60]:
        assert np.linalg.norm(near - point, axis=1).min() < 0.02
    lara.hide_set(True)
    assert watched(bpy.context) is None


def import_bytes(game: Game) -> bytes:
    from tests.sample_levels import sample_bytes

    return sample_bytes(game)


def test_panels_and_dropped_keys(blender: ModuleType, tmp_path: Path) -> None:
    _, rig = with_lara(tmp_path, RUN)
    settings = watching(bpy.context)
    for panel in VIEWS:
        assert shown(panel, object=rig).names
    settings.ticks = True
    layout = shown(panels.VIEW3D_PT_tomb_raider_tick_preview, object=rig)
    assert "All keys are at key frames" in layout.labels
    settings.rate = 7
    layout = shown(panels.VIEW3D_PT_tomb_raider_tick_preview, object=rig)
    assert "18 keys between key frames: 1, 2, 3, 4, 5, 6, 8, 9, …" in layout.labels
