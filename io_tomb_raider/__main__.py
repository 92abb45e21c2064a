"""``python -m io_tomb_raider``: the command line, in a Python with or without Blender's module."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec

from .ui.command_line.main import run


def _start_blender() -> str:
    if find_spec("bpy") is None:
        return "this command needs Blender's module (pip install bpy), or: blender --command tomb_raider"
    from . import ui
    from .scene import properties

    properties.register()
    ui.register()
    return ""


def _end(code: int) -> None:
    """Exit with a code. Blender 4.2's module crashes if the interpreter exits before it."""
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.modules.get("bpy") is not None:
        import bpy

        shutil.rmtree(bpy.app.tempdir, ignore_errors=True)  # removed by Blender on a normal exit
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    again = (sys.executable, "-m", "io_tomb_raider")
    _end(run(sys.argv[1:], "python -m io_tomb_raider", _start_blender, again))
