"""Fast reset to an empty factory scene, with which most tests start."""

from __future__ import annotations

import os

import bpy

_made: list[str] = []


def start_empty() -> None:
    """Replace the open file by an empty one without a name.

    The file is read with its windows. Without a screen, nothing processes their queue of redraws, which grows
    with every change, and Blender searches it for every data-block that is removed.
    """
    if not _made:
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        path = os.path.join(os.environ["BLENDER_USER_RESOURCES"], f"empty {os.getpid()}.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path, copy=True, compress=False)
        _made.append(path)
    bpy.ops.wm.read_homefile(filepath=_made[0], load_ui=True)
