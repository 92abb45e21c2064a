"""All panels, menus and operators of the extension, for tests that draw or call each of them."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy

from io_tomb_raider.ui.panels import _CLASSES

from .recorder import Layout, draw

# Operators are collected from the sources, since tests are collected before the extension is registered.
_SOURCES = Path(__file__).parent.parent.parent / "io_tomb_raider" / "ui"
_NAMED = re.compile(r'^class \w+_OT_(?:.|\n)*?bl_idname = "([a-z_]+\.[a-z_]+)"', re.MULTILINE)
_TEXTS = [path.read_text("utf-8") for path in _SOURCES.rglob("*.py")]
OPERATORS = sorted({name for text in _TEXTS for name in _NAMED.findall(text)})
_NAMES = ("scene", "view_layer", "mode", "object", "collection", "selected_objects", "window_manager")
PANELS = [panel for panel in _CLASSES if issubclass(panel, bpy.types.Panel)]


def menus() -> list[Any]:
    """Return all menus of the extension."""
    found = [getattr(bpy.types, name) for name in dir(bpy.types) if "_MT_tomb_raider" in name]
    return [*found, *(m for m in vars(bpy.types).values() if "TOMB_RAIDER_MT" in getattr(m, "bl_idname", ""))]


def draw_menu(menu: Any, **context: Any) -> Layout:
    """Return what a menu draws in the open file's context, with further members of the context."""
    members = {name: getattr(menu, name, ()) for name in ("entries", "parts")}
    stand_in = SimpleNamespace(layout=Layout(), **members)
    menu.draw(stand_in, SimpleNamespace(**{name: getattr(bpy.context, name) for name in _NAMES}, **context))
    return stand_in.layout


def draw_all(obj: Any, collection: Any) -> dict[str, Layout]:
    """Draw all panels for an active object; return those that appear, by name."""
    mesh = obj.data if obj.type == "MESH" else None
    material = mesh.materials[0] if mesh is not None and len(mesh.materials) else None
    image = next((entry.image for entry in collection.tomb_raider.images), None)
    given = {"object": obj, "mesh": mesh, "material": material, "edit_image": image}
    layouts = {each.__name__: draw(each, **given, collection=collection) for each in PANELS}
    return {name: layout for name, layout in layouts.items() if layout is not None}


def operator_function(operator: str) -> Any:
    """Return the function in bpy.ops that calls an operator."""
    group, name = operator.split(".")
    return getattr(getattr(bpy.ops, group), name)
