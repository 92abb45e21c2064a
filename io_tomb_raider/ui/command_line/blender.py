"""Command line within Blender, ``blender --command tomb_raider …``, loaded on its first call."""

from __future__ import annotations

from . import NAME

_handle: object = None


def _run(arguments: list[str]) -> int:
    import bpy

    from .main import run

    return run(arguments, again=(bpy.app.binary_path, "--command", NAME) if bpy.app.binary_path else ())


def register() -> None:
    import bpy

    global _handle
    _handle = bpy.utils.register_cli_command(NAME, _run)


def unregister() -> None:
    import bpy

    bpy.utils.unregister_cli_command(_handle)
