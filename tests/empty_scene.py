"""An empty scene of factory settings, at once: most tests start from one."""

from __future__ import annotations

import os

import bpy

_made: list[str] = []


def start_empty() -> None:
    """Replace the open file by one that is empty and has no name yet.

    It is read with its windows: these have a queue of what to draw again, which nobody works off without a
    screen. It grows with every change, and Blender walks through all of it for every datablock that goes.
    """
    if not _made:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        path = os.path.join(os.environ["BLENDER_USER_RESOURCES"], f"empty {os.getpid()}.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path, copy=True, compress=False)
        _made.append(path)
    bpy.ops.wm.read_homefile(filepath=_made[0], load_ui=True)
