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


def register() -> None:
    TOPBAR_MT_file_import.append(_import_entry)
    TOPBAR_MT_file_export.append(_export_entry)


def unregister() -> None:
    TOPBAR_MT_file_export.remove(_export_entry)
    TOPBAR_MT_file_import.remove(_import_entry)
