"""Opening and saving of .blend files without a window."""

from __future__ import annotations

import os
from typing import Any

import bpy
from bpy.types import Collection

from ..base.levels import chosen_level


def empty_file() -> None:
    """Open an empty file."""
    bpy.ops.wm.read_homefile(use_empty=True)


def save(blend: str) -> None:
    """Save the file. Raises OSError if it cannot be written."""
    call(bpy.ops.wm.save_as_mainfile, filepath=os.path.abspath(blend), compress=True)


def open_level(blend: str, collection: str = "") -> Collection:
    """Open a file, and return the root collection of its level.

    The collection of the level is required if there are several levels.

    Raises:
        ExportError: there is no such level.
        OSError: the file cannot be read.
    """
    from ...scene.upgrades import upgrade

    call(bpy.ops.wm.open_mainfile, filepath=os.path.abspath(blend), load_ui=False)
    root = chosen_level(bpy.context, collection)
    upgrade(root)
    return root


def call(operator: Any, **arguments: Any) -> None:
    """Call an operator of Blender that reads or writes a file. Raises OSError if it fails."""
    try:
        operator(**arguments)
    except RuntimeError as error:
        raise OSError(str(error).strip()) from None
