"""Entries in Blender's own menus.

Menus are looked up by name each time: when scripts are reloaded, Blender rebuilds its menus, but modules of
extensions stay, and would add entries to a menu that is no longer shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy

Entries = Sequence[tuple[str, Callable[[Any, Any], None]]]  # menu names and functions that draw the entries


def add_entries(entries: Entries) -> None:
    for menu, draw in entries:
        getattr(bpy.types, menu).append(draw)


def remove_entries(entries: Entries) -> None:
    for menu, draw in reversed(entries):
        getattr(bpy.types, menu).remove(draw)


def with_entries(
    classes: Sequence[type[Any]], entries: Entries
) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return functions that register and unregister classes and their menu entries."""
    add_classes, remove_classes = bpy.utils.register_classes_factory(classes)

    def register() -> None:
        add_classes()
        add_entries(entries)

    def unregister() -> None:
        remove_entries(entries)
        remove_classes()

    return register, unregister
