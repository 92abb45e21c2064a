"""Another add-on with hooks in imports and exports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

import bpy


@contextmanager
def add_on(hooks: Callable[[], object], name: str = "other_add_on") -> Iterator[None]:
    """Enable an add-on whose module has these hooks. Its file is the one that defines them."""
    module = ModuleType(name)
    module.__file__ = sys.modules[hooks.__module__].__file__
    module.__dict__.update(bl_info={"name": "Other Add-on"}, TombRaiderHooks=hooks)
    sys.modules[name] = module
    addons = bpy.context.preferences.addons
    entry = addons.new()
    entry.module = name
    try:
        yield
    finally:
        addons.remove(entry)
        del sys.modules[name]
