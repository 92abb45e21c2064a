"""Entries of File > Import and File > Export."""

from __future__ import annotations

from typing import Any

from bpy.types import Context, TOPBAR_MT_file_export, TOPBAR_MT_file_import

from .levels import ALL_SUFFIXES

LABEL = f"Tomb Raider Level ({'/'.join(ALL_SUFFIXES)})"


def _import_entry(menu: Any, _context: Context) -> None:
    menu.layout.operator("import_scene.tomb_raider", text=LABEL)


def _export_entry(menu: Any, _context: Context) -> None:
    menu.layout.operator("export_scene.tomb_raider", text=LABEL)


_ENTRIES: tuple[tuple[Any, Any], ...] = (
    (TOPBAR_MT_file_import, _import_entry),
    (TOPBAR_MT_file_export, _export_entry),
)


def register() -> None:
    for menu, entry in _ENTRIES:
        menu.append(entry)


def unregister() -> None:
    for menu, entry in _ENTRIES:
        menu.remove(entry)
