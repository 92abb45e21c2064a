"""Blender extension for the levels of the classic Tomb Raider games."""

from __future__ import annotations


def register() -> None:
    """Register the extension with Blender."""
    from . import ui
    from .scene import properties

    properties.register()
    ui.register()


def unregister() -> None:
    """Unregister the extension."""
    from . import ui
    from .scene import properties

    ui.unregister()
    properties.unregister()
