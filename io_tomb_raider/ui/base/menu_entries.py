"""Entries in Blender's own menus, which are found by name whenever they are needed.

When scripts are reloaded, Blender rebuilds all its menus, but modules of extensions stay: an entry added
to a menu that a module holds would be added to one that is no longer shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy

Entries = Sequence[tuple[str, Callable[[Any, Any], None]]]  # names of menus, and what draws the entries


def add_entries(entries: Entries) -> None:
    for menu, draw in entries:
        getattr(bpy.types, menu).append(draw)


def remove_entries(entries: Entries) -> None:
    for menu, draw in reversed(entries):
        getattr(bpy.types, menu).remove(draw)


def with_entries(
    classes: Sequence[type[Any]], entries: Entries
) -> tuple[Callable[[], None], Callable[[], None]]:
    """Return what registers classes with the entries that lead to them, and what takes both back."""
    add_classes, remove_classes = bpy.utils.register_classes_factory(classes)

    def register() -> None:
        add_classes()
        add_entries(entries)

    def unregister() -> None:
        remove_entries(entries)
        remove_classes()

    return register, unregister
