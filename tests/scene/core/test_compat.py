"""Tests of what differs between Blender versions."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from io_tomb_raider.scene.core.blender import compat


class Group:
    name: str

    @property
    def computed(self) -> str:
        return self.name


@pytest.mark.parametrize("program", ["", "/usr/bin/blender"])
def test_only_the_module_of_old_blenders_clears_groups_at_exit(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """Blender as a program has unregistered its extensions by then, and would crash."""
    calls: list[Callable[..., Any]] = []
    monkeypatch.setattr(atexit, "register", lambda function, *_arguments: calls.append(function))
    app = SimpleNamespace(version=blender.app.version, binary_path=program)
    monkeypatch.setattr(compat, "bpy", SimpleNamespace(app=app))
    compat.clear_at_exit([Group])
    is_needed = not program and blender.app.version < (4, 5, 0)
    assert (delattr in calls, len(calls)) == ((True, 2) if is_needed else (False, 0))
