"""Modifiers that only change how the extension's own objects are displayed."""

from __future__ import annotations

from bpy.types import Modifier

DISPLAY_GROUP = "Tomb Raider Display"


def is_display_only(modifier: Modifier) -> bool:
    """Return whether a modifier is one of the extension's own, which exports do not apply."""
    tree = getattr(modifier, "node_group", None)
    return modifier.type == "NODES" and tree is not None and tree.name.startswith(DISPLAY_GROUP)
