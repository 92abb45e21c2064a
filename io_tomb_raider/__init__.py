"""Blender extension for the levels of the classic Tomb Raider games."""

from __future__ import annotations


def register() -> None:
    """Make the extension known to Blender."""
    from . import ui
    from .scene import properties

    properties.register()
    ui.register()


def unregister() -> None:
    """Take the extension back out of Blender."""
    from . import ui
    from .scene import properties

    ui.unregister()
    properties.unregister()
