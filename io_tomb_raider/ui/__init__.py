"""What users see: operators, panels, menus, dropped files and the command line. Nothing is converted here."""

from __future__ import annotations

from . import (
    animation,
    cameras,
    cli,
    collision,
    cutscenes,
    drop,
    export_level,
    handlers,
    import_level,
    menus,
    panels,
    pathfinding,
    pictures,
    rooms,
    scripts,
    sound_files,
    sounds,
    textures,
    tools,
    triggers,
)

_PARTS = (
    import_level,
    export_level,
    drop,
    menus,
    tools,
    rooms,
    textures,
    animation,
    cameras,
    collision,
    triggers,
    pathfinding,
    cutscenes,
    scripts,
    pictures,
    sounds,
    sound_files,
    panels,
    handlers,
    cli,
)


def register() -> None:
    for part in _PARTS:
        part.register()


def unregister() -> None:
    for part in reversed(_PARTS):
        part.unregister()
