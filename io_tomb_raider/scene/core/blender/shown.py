"""Functions of the interface that run after a model shows another animation."""

from __future__ import annotations

from collections.abc import Callable

from bpy.types import Action, Object

listeners: list[Callable[[Object, Action], None]] = []
