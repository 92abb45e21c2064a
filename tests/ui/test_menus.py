"""Tests that Blender's search (F3), which walks the menus of an editor, finds all operators."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from tests.scene.scenes import objects

from .everything import OPERATORS
from .recorder import Layout
from .user_actions import import_sample, select

_MEMBERS = ("scene", "view_layer", "object", "collection", "selected_objects", "window_manager")


def reached(mode: str, start: str = "") -> set[str]:
    """Return the operators in Blender's menus, or in one menu, and in all menus that these open."""
    text = bpy.data.texts.new("Script")
    text.tomb_raider.kind = "SCRIPT"
    image = bpy.data.images.new("Picture", 4, 4)
    given = {name: getattr(bpy.context, name) for name in _MEMBERS}
    space = SimpleNamespace(type="", text=text, image=image)
    context = SimpleNamespace(**given, mode=mode, space_data=space, edit_image=image)
    found: set[str] = set()
    open_menus = [start] if start else []
    for name in dir(bpy.types) if not start else ():
        entries = getattr(getattr(getattr(bpy.types, name), "draw", None), "_draw_funcs", ())
        for entry in entries if "_MT_" in name else ():
            if entry.__module__.startswith("io_tomb_raider"):
                open_menus += _draw(entry, context, found)
    seen: set[str] = set()
    while open_menus:
        name = open_menus.pop()
        if name not in seen:
            seen.add(name)
            menu = getattr(bpy.types, name)
            for draw in getattr(menu.draw, "_draw_funcs", (menu.draw,)):
                open_menus += _draw(draw, context, found, menu)
    return found


def _draw(draw: Any, context: Any, found: set[str], menu: Any = None) -> list[str]:
    """Draw a menu or an entry, note its operators, and return the menus that it opens."""
    layout = Layout()
    draw(SimpleNamespace(layout=layout, entries=getattr(menu, "entries", ())), context)
    found |= {name for name, _ in layout.operators} | set(layout.choices)
    return layout.menus


def is_internal(operator: str) -> bool:
    """Return whether an operator is only for buttons, so that Blender's search omits it."""
    group, name = operator.split(".")
    kind: Any = bpy.types.Operator.bl_rna_get_subclass_py(f"{group.upper()}_OT_{name}")
    return "INTERNAL" in getattr(kind, "bl_options", ())


def test_every_operator_is_in_a_menu(blender: ModuleType, tmp_path: Path) -> None:
    """If this fails for a new operator: add it to `ui/tool_menus.py`, or mark one of a list as INTERNAL."""
    root = import_sample(tmp_path, "tr3")  # of a game with TRX
    select(objects(root, "TRIGGER")[0])
    found = reached("OBJECT")
    assert sorted({each for each in OPERATORS if not is_internal(each)} - found) == []


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT_MESH", "POSE"])
def test_the_header_of_the_view_has_the_menu(blender: ModuleType, tmp_path: Path, mode: str) -> None:
    def menus() -> list[str]:
        layout = Layout()
        for entry in bpy.types.VIEW3D_MT_editor_menus.draw._draw_funcs:
            if entry.__module__.startswith("io_tomb_raider"):
                entry(SimpleNamespace(layout=layout), SimpleNamespace(mode=mode, scene=bpy.context.scene))
        return layout.menus

    assert menus() == []
    import_sample(tmp_path)
    assert menus() == ["VIEW3D_MT_tomb_raider"]
    assert {"tomb_raider.make_room", "tomb_raider.raise_sectors"} < reached(mode, "VIEW3D_MT_tomb_raider")


def test_edits_of_trx_are_listed_for_its_games_only(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr4")
    assert "tomb_raider.apply_edits" not in reached("OBJECT", "VIEW3D_MT_tomb_raider_level")
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    import_sample(tmp_path, "tr1")
    assert "tomb_raider.apply_edits" in reached("OBJECT", "VIEW3D_MT_tomb_raider_level")
