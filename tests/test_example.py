"""Tests of the example level that comes with the extension."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.rules.rules import check_readers
from io_tomb_raider.formats.levels.rooms.rooms import WATER
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import Severity
from io_tomb_raider.scene.new_levels import example
from io_tomb_raider.ui.animations.library import chosen
from io_tomb_raider.ui.new_levels.operators import VIEW3D_PT_tomb_raider_start
from tests.games import each_game
from tests.scene.scenes import objects
from tests.ui.user_actions import export_file, levels, state
from tools.example.build import SOURCES, file_digest, sources_digest
from tools.example.plan import SLOTS, STATICS, Plan

MOST_BYTES = 300_000


def _crashes(level: Level) -> list[str]:
    return [str(each) for each in check_readers(Decoded(level)) if each.severity is Severity.ERROR]


def test_the_file_is_made_from_the_sources() -> None:
    # Light is computed with floats, of which other processors round the last bit differently: so digests.
    sources, file = (SOURCES / "digests.txt").read_text(encoding="ascii").split()
    assert sources == sources_digest(), "run python -m tools.example"
    assert file == file_digest(example.EXAMPLE), "run python -m tools.example"


def test_the_example_is_small_and_complete() -> None:
    assert len(example.EXAMPLE.read_bytes()) < MOST_BYTES
    level = read_level(example.example_of(Game.TR4))
    assert level.textiles16.any() and len(level.to_bytes()) < 2 * MOST_BYTES
    assert level.game is Game.TR4
    assert 8 <= len(level.rooms) <= 16
    assert sum(1 for room in level.rooms if room.flags & WATER) == 1
    assert {*SLOTS.values()} <= {*level.models["id"].tolist()}
    assert {*SLOTS.values()} == {*level.entities["type"].tolist()}
    placed = {int(each["static_mesh"]) for room in level.rooms for each in room.static_meshes}
    assert placed == {*STATICS.values()} == {*level.static_meshes["id"].tolist()}
    # Strong contrast: dark corners and bright places, warm and cool ones.
    color = np.concatenate([room.vertices["color"] for room in level.rooms]).astype(np.int64)
    red, blue = color >> 10 & 31, color & 31
    assert np.percentile(red, 10) < 6 and np.percentile(red, 95) > 20
    assert (red > blue + 6).mean() > 0.1 and (blue > red + 2).mean() > 0.05


@each_game
def test_it_opens_in_each_game_and_is_exported_unchanged(
    blender: ModuleType, tmp_path: Path, game: Game, capfd: pytest.CaptureFixture[str]
) -> None:
    assert VIEW3D_PT_tomb_raider_start.poll(bpy.context)
    assert bpy.ops.tomb_raider.example(game=game.name) == {"FINISHED"}
    (root,) = levels()
    assert (root.name, root.tomb_raider.game) == ("Ruin", game.name)
    told = capfd.readouterr().out
    assert "Ruin: 15 rooms, " in told and "Warning" not in told
    names = [(obj.name, obj.tomb_raider.index) for obj in objects(root, "ROOM")]
    assert names == [(site.room.name, site.room.number) for site in Plan().sites.values()]
    lara = bpy.context.object
    assert lara in objects(root, "ENTITY") and lara.name.startswith("Lara")
    content = export_file(tmp_path / "out")
    assert "same as the original" in capfd.readouterr().out
    level = read_level(content, name=".trc" if game is Game.TR5 else "")
    assert (level.game, len(level.rooms)) == (game, 15)
    assert _crashes(level) == []
    if game is Game.TR4:
        assert content == example.example_of(Game.TR4)


def test_a_raised_floor_raises_its_sector(blender: ModuleType, tmp_path: Path) -> None:
    """Walls of its rooms reach over the border of the sectors, which adds none."""
    bpy.ops.tomb_raider.example()
    (root,) = levels()
    before = read_level(export_file(tmp_path / "before"))
    room = objects(root, "ROOM")[0]
    mesh: Any = room.data
    flat = [face for face in mesh.polygons if face.normal.z > 0.99 and len(face.vertices) == 4]
    face = min(flat, key=lambda each: abs(each.center.x - 12) + abs(each.center.y - 10))
    for vertex in face.vertices:
        mesh.vertices[vertex].co.z += 0.5
    mesh.update()
    after = read_level(export_file(tmp_path / "after"))
    old, new = before.rooms[0], after.rooms[0]
    assert (old.x_sectors, old.z_sectors) == (new.x_sectors, new.z_sectors)
    x, z = int(face.center.x // 2), int(face.center.y // 2)
    floors = [int(each.sectors["floor"][x * old.z_sectors + z]) for each in (old, new)]
    assert floors[1] == floors[0] - 1  # in clicks, which point down


def test_laras_skin_lists_and_shows_her_animations(blender: ModuleType) -> None:
    """In TR4 another model is drawn in her place, so *Animate* poses that one."""
    bpy.ops.tomb_raider.example()
    skin, lara = bpy.data.objects["Lara skin"], bpy.data.objects["Lara"]
    for name in ("Lara 000 Run", "Lara skin 000 Animation 0", "Lara 001 Walk forward"):
        actions = list(bpy.data.actions)
        flags, places = chosen(skin, actions, "")
        listed = [action.name for flag, action in zip(flags, actions, strict=True) if flag]
        assert "Lara skin 000 Animation 0" in listed and len(listed) > 100
        assert min(zip(places, actions, strict=True), key=lambda each: each[0])[1].name == "Lara 000 Run"
        skin.tomb_raider.model.shown_animation = bpy.data.actions.find(name)
        assert skin.animation_data.action.name == name
    assert lara.animation_data.action.name == "Lara 001 Walk forward"


def test_a_lost_file_is_reported(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state()
    monkeypatch.setattr(example, "EXAMPLE", tmp_path / "lost.tr4")
    with pytest.raises(RuntimeError, match="The example was not opened"):
        bpy.ops.tomb_raider.example()
    assert state() == before
