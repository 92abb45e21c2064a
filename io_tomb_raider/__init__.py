"""Blender extension for the levels of the classic Tomb Raider games."""

from __future__ import annotations


def register() -> None:
    """Register the extension with Blender. Raises RuntimeError if another copy of it is enabled."""
    from . import ui
    from .scene import properties

    ui.refuse_second_copy(__package__)
    properties.register()
    ui.register()


def unregister() -> None:
    """Unregister the extension."""
    from . import ui
    from .scene import properties

    ui.unregister()
    properties.unregister()
