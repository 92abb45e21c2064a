"""Tests that all panels and menus draw for every kind of object, in a level of each game."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.subjects import SUBJECTS
from io_tomb_raider.ui.base.layout.sidebar import SELECTION
from io_tomb_raider.ui.base.text import i18n
from tests.games import each_game
from tests.scene.scenes import objects

from .everything import draw_all, draw_menu, menus
from .recorder import Marking
from .user_actions import import_sample, select


@each_game
def test_every_panel_and_menu_is_drawn_for_everything(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: Game
) -> None:
    """In German: the recorder refuses messages and fixed texts that are not translated."""
    monkeypatch.setattr(i18n._current, "dictionary", Marking(i18n.texts_of("de")))
    root = import_sample(tmp_path, game)
    kinds = [kind.identifier for subject in SUBJECTS for kind in subject.objects]
    seen: set[str] = set()
    missing = []
    for kind in kinds:
        found = objects(root, kind)
        if not found:
            continue
        select(found[0])
        shown = draw_all(found[0], root)
        if not any(name.startswith("VIEW3D_PT") and _order(name) == SELECTION for name in shown):
            missing.append(kind)
        seen |= shown.keys()
        for menu in menus():
            draw_menu(menu)
    assert set(missing) <= {"MODEL_MESH", "COLLISION", "CINEMATIC_TARGET", "SKY", "FIGURE"}
    assert {"VIEW3D_PT_tomb_raider_level", "VIEW3D_PT_tomb_raider_visibility"} <= seen
    assert {"VIEW3D_PT_tomb_raider_entity", "OBJECT_PT_tomb_raider_entity"} <= seen
    for mesh in ("ROOM", "MODEL_MESH", "COLLISION"):
        select(objects(root, mesh)[0])
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        shown = draw_all(bpy.context.object, root)
        bpy.ops.object.mode_set(mode="OBJECT")
        wanted = "collision" if mesh == "COLLISION" else "faces"
        assert f"VIEW3D_PT_tomb_raider_{wanted}" in shown
        assert "VIEW3D_PT_tomb_raider_room" not in shown


def _order(name: str) -> int:
    return int(getattr(getattr(bpy.types, name), "bl_order", 0))
