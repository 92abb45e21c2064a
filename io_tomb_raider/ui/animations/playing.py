"""Animation playback."""

from __future__ import annotations

import bpy
from bpy.types import Context


def play(context: Context, wanted: bool = True) -> None:
    """Start or stop playback in the window; without a window, do nothing."""
    if bpy.app.background or context.screen is None or context.screen.is_animation_playing == wanted:
        return
    bpy.ops.screen.animation_play()  # toggles playback; there is no data API for it
