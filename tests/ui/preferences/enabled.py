"""The extension as an enabled add-on with preferences, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from io_tomb_raider.ui.preferences.preferences import PACKAGE


@contextmanager
def enabled() -> Iterator[Any]:
    """Yield the preferences, at their defaults, as long as the add-on is enabled."""
    addons: Any = bpy.context.preferences.addons
    addon = addons.new()
    addon.module = PACKAGE
    try:
        yield addon.preferences
    finally:
        addons.remove(addon)
