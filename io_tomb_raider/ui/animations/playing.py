"""Starting and stopping what Blender plays."""

from __future__ import annotations

import bpy
from bpy.types import Context


def play(context: Context, wanted: bool = True) -> None:
    """Let the window play the scene, or stop it; without a window nothing plays."""
    if bpy.app.background or context.screen is None or context.screen.is_animation_playing == wanted:
        return
    bpy.ops.screen.animation_play()  # which does both, and which data access cannot do
