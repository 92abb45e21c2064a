"""Tests that the preferences apply to all imports."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.game_files.gameflow.gameflow import VARIANTS
from io_tomb_raider.ui.preferences import operators, places, preferences
from io_tomb_raider.ui.preferences.options import SETTINGS
from tests.formats.levels.game_files.gameflow_samples import gameflow_file
from tests.sample_levels.world import build_main_sfx
from tests.scene.scenes import objects

from ..recorder import Layout
from ..user_actions import import_file, import_sample, sample_file, start_as_users
from .enabled import enabled


@pytest.fixture
def user(blender: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Yield the preferences of a user without games in the usual folders."""
    places.installed_games.cache_clear()
    monkeypatch.setattr(places, "usual_folders", lambda *_: iter(()))
    with enabled() as settings:
        yield settings
    places.installed_games.cache_clear()


def test_sounds_and_names_come_from_where_the_game_is_installed(user: Any, tmp_path: Path) -> None:
    (tmp_path / "game" / "data").mkdir(parents=True)
    (tmp_path / "levels").mkdir()
    (tmp_path / "game" / "TOMBPC.DAT").write_bytes(gameflow_file(VARIANTS[0]))
    (tmp_path / "game" / "data" / "MAIN.SFX").write_bytes(build_main_sfx(Game.TR2))
    path = sample_file(tmp_path / "levels", "tr2", "boat.tr2")
    assert import_file(path).tomb_raider.sounds.main_sfx == ""
    user.tr2.folder = str(tmp_path / "game")
    root = import_file(path)
    assert root.tomb_raider.sounds.main_sfx == str(tmp_path / "game" / "data" / "MAIN.SFX")
    assert root.tomb_raider.title
    # Another game's folder is not used.
    user.tr2.folder, user.tr3.folder = "", str(tmp_path / "game")
    assert import_file(path).tomb_raider.sounds.main_sfx == ""


def test_find_notes_where_games_are(user: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bpy.ops.tomb_raider.find_games() == {"CANCELLED"}
    (tmp_path / "TR1").mkdir()
    (tmp_path / "TR1" / "LEVEL1.PHD").write_bytes(b"")
    monkeypatch.setattr(places, "usual_folders", lambda *_: iter([tmp_path]))
    assert preferences.game_folder(bpy.context, Game.TR1) is None  # searched once
    assert bpy.ops.tomb_raider.find_games() == {"FINISHED"}
    assert user.tr1.folder == str(tmp_path / "TR1") and not user.tr2.folder
    # It is found without the button, too.
    user.tr1.folder = ""
    assert preferences.game_folder(bpy.context, Game.TR1) == tmp_path / "TR1"


def first_view(root: Any) -> dict[str, bool]:
    """Return which parts of the first view have been done to a new file."""
    bpy.context.view_layer.update()
    views = [
        area.spaces.active for screen in bpy.data.screens for area in screen.areas if area.type == "VIEW_3D"
    ]
    return {
        "view": any(view.shading.show_backface_culling for view in views),
        "behind": any(
            view.region_3d.view_distance < 5 for view in views if view.shading.show_backface_culling
        ),
        "helpers": not any(obj.visible_get() for obj in objects(root, "LIGHT")),
        "sidebar": any(view.show_region_ui for view in views),
        "start_up": "Cube" not in bpy.data.objects,
        "selection": any(obj.tomb_raider.kind == "ENTITY" for obj in bpy.context.selected_objects),
        "frames": (bpy.context.scene.frame_start, bpy.context.scene.frame_end) != (1, 250),
    }


@pytest.mark.parametrize("part", preferences.FIRST_VIEW)
def test_each_part_of_the_first_view_can_be_left_out(
    user: Any, tmp_path: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_as_users()
    monkeypatch.setattr("io_tomb_raider.ui.view.first_view.opens_sidebars", lambda: True)
    setattr(user.first_view, part, False)
    found = first_view(import_sample(tmp_path, "tr4"))
    expected = {name: name != part for name in preferences.FIRST_VIEW}
    assert found == expected | {"behind": part not in ("view", "behind")}


class _Operator:
    """Replaces an import called from the menu."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.__dict__.update(given)
        self.properties = SimpleNamespace(is_property_set=lambda name, ghost: name in given and not ghost)


def test_imports_begin_with_the_preferences(user: Any) -> None:
    user.defaults.scale, user.defaults.sounds = 0.5, False
    operator = _Operator({"rooms": False})
    preferences.apply_defaults(operator, bpy.context)
    assert {name: getattr(operator, name) for name in SETTINGS} == {
        **{name: True for name in SETTINGS},
        "scale": 0.5,
        "sounds": False,
        "rooms": False,  # set now, or in the last import
    }


def test_changed_preferences_count_more_than_the_last_import(user: Any) -> None:
    last = bpy.context.window_manager.operator_properties_last("import_scene.tomb_raider")
    last.sounds = False
    assert last.is_property_set("sounds")
    user.defaults.sounds = True
    assert not last.is_property_set("sounds") and last.sounds


def test_preferences_are_drawn(user: Any) -> None:
    layout: Any = Layout()
    shown: list[str] = []
    layout.prop = lambda data, name, **_: shown.append(name)
    stand_in = SimpleNamespace(layout=layout, **{name: getattr(user, name) for name in user.__annotations__})
    preferences.TombRaiderPreferences.draw(stand_in, bpy.context)
    assert shown.count("folder") == shown.count("command") == len(Game)
    assert {*SETTINGS, *preferences.FIRST_VIEW} <= set(shown)
    assert [name for name, _ in layout.operators] == [operators.TOMB_RAIDER_OT_find_games.bl_idname]
