"""Entries of File > Import, File > Export and the menu of collections."""

from __future__ import annotations

from bpy.types import Context, Menu

from .base.levels import ALL_SUFFIXES, IMPORT_SUFFIXES
from .base.menu_entries import Entries, add_entries, remove_entries

LABEL = f"Tomb Raider Level ({'/'.join(ALL_SUFFIXES)})"
_IMPORT_LABEL = f"Tomb Raider Level ({'/'.join(IMPORT_SUFFIXES)})"


# Operators, and what they are called in the menus.
_IMPORTS = (
    ("import_scene.tomb_raider", _IMPORT_LABEL),
    ("tomb_raider.import_script", "Tomb Raider Script (.dat)"),
)
_EXPORTS = (
    ("export_scene.tomb_raider", LABEL),
    ("tomb_raider.export_script", "Tomb Raider Script (.dat)"),
)


def _draw_imports(menu: Menu, _context: Context) -> None:
    for operator, label in _IMPORTS:
        menu.layout.operator(operator, text=label)


def _draw_exports(menu: Menu, _context: Context) -> None:
    for operator, label in _EXPORTS:
        menu.layout.operator(operator, text=label)


def _draw_collection(menu: Menu, context: Context) -> None:
    """Delete, beside Blender's own ways to delete a collection in the outliner."""
    if context.collection is not None and context.collection.tomb_raider.kind == "LEVEL":
        menu.layout.separator()
        menu.layout.operator("tomb_raider.delete_level", icon="TRASH").collection = context.collection.name


_ENTRIES: Entries = (
    ("OUTLINER_MT_collection", _draw_collection),
    ("TOPBAR_MT_file_import", _draw_imports),
    ("TOPBAR_MT_file_export", _draw_exports),
)


def register() -> None:
    add_entries(_ENTRIES)


def unregister() -> None:
    remove_entries(_ENTRIES)
