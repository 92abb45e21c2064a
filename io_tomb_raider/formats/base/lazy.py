"""Packages whose names are imported on first use.

A package lists its interface once, as ordinary imports under ``if TYPE_CHECKING:``. Type checkers and
editors read them there; at run time :func:`lazy_exports` does. Importing a package therefore loads none of
its modules, which shortens Blender's start-up.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_IMPORT = re.compile(r"^    from (\.[\w.]+) import (\([^)]*\)|[^\n]*)$", re.MULTILINE)


def lazy_exports(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package that lists its interface under ``if TYPE_CHECKING:``."""
    modules: dict[str, str] = {}

    def find(name: str) -> Any:
        if not modules:
            modules.update(_exported(package))
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # Not stored in the package: a function that is replaced in its module is replaced here, too.
        module = modules[name]
        return getattr(sys.modules.get(module) or import_module(module), name)

    return find


def _exported(package: str) -> dict[str, str]:
    """Return the module of each name that a package lists."""
    spec = sys.modules[package].__spec__
    source: str = spec.loader.get_source(package) if spec and spec.loader else ""  # type: ignore[attr-defined]
    return {
        name.strip(): package + module
        for module, names in _IMPORT.findall(source)
        for name in names.strip("()").split(",")
        if name.strip()
    }
