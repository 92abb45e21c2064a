"""What only changes how the extension's own objects are drawn, and counts for nothing else."""

from __future__ import annotations

from bpy.types import Modifier

DISPLAY_GROUP = "Tomb Raider Display"


def is_display_only(modifier: Modifier) -> bool:
    """Tell whether a modifier is one of the extension's own that no export applies."""
    tree = getattr(modifier, "node_group", None)
    return modifier.type == "NODES" and tree is not None and tree.name.startswith(DISPLAY_GROUP)
