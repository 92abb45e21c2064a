"""``python -m io_tomb_raider``: the command line in a Python that has Blender's module, or without it."""

from __future__ import annotations

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


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], "python -m io_tomb_raider", _start_blender))
