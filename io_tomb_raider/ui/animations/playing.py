"""Animation playback, and the pose that is shown."""

from __future__ import annotations

import bpy
from bpy.types import Context

from ..base.active import active_scene


def play(context: Context, starts: bool = True) -> None:
    """Start or stop playback in the window; without a window, do nothing."""
    if bpy.app.background or context.screen is None or context.screen.is_animation_playing == starts:
        return
    bpy.ops.screen.animation_play()  # toggles playback; there is no data API for it


def refresh_pose(context: Context) -> None:
    """Show keys that a tool has changed, at the current frame; they are no edits for *Spread Edit*."""
    from ...scene.authoring.animation_tools import forget_poses

    forget_poses(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    scene = active_scene(context)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
