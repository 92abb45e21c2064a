"""Operators in a window that records what they show: the module of tests has none."""

from __future__ import annotations

from inspect import isfunction
from types import SimpleNamespace
from typing import Any

import bpy
import pytest

from io_tomb_raider.ui.base import progress, stepped

TICK = SimpleNamespace(type="TIMER", value="")
ESC = SimpleNamespace(type="ESC", value="PRESS")
MOVED = SimpleNamespace(type="MOUSEMOVE", value="")
RUNNING = {"RUNNING_MODAL"}


class Window:
    """A context with a window, its manager and its workspace."""

    def __init__(self) -> None:
        self.texts: list[str | None] = []
        self.progress: list[float] = []
        self.timers = 0
        self.is_modal = False
        self.windows: list[Any] = []
        self.window_manager = self.workspace = self.window = self

    def __getattr__(self, name: str) -> Any:
        return getattr(bpy.context, name)

    def event_timer_add(self, _pause: float, *, window: Any) -> str:
        self.timers += 1
        return "timer"

    def event_timer_remove(self, _timer: str) -> None:
        self.timers -= 1

    def modal_handler_add(self, _operator: Any) -> None:
        self.is_modal = True

    def progress_begin(self, low: float, high: float) -> None:
        self.progress.append(low)

    def progress_update(self, value: float) -> None:
        self.progress.append(value)

    def progress_end(self) -> None:
        self.progress.append(-1)

    def status_text_set(self, text: str | None) -> None:
        self.texts.append(text)


def pressed(monkeypatch: pytest.MonkeyPatch, kind: Any, **settings: Any) -> Any:
    """Return an operator with some settings, as a click calls it: each of its steps ends before an event.

    Its reports are in ``reports``.
    """
    methods: dict[str, Any] = {}
    for home in reversed(kind.__mro__):
        if home.__module__.startswith("io_tomb_raider."):
            methods |= {
                name: each for name, each in vars(home).items() if isfunction(each) or name == "failure"
            }
    names = ("bl_idname", "bl_label", "reads", "none_chosen", "edits_level", "edited_kinds")
    methods |= {name: getattr(kind, name) for name in names if hasattr(kind, name)}
    reports: list[str] = []
    own = {
        "_steps": None,
        "reports": reports,
        "report": lambda _self, _kind, text: reports.append(text),
        "options": SimpleNamespace(is_invoke=True, is_repeat=False),
    }
    app = SimpleNamespace(background=False, handlers=bpy.app.handlers)
    monkeypatch.setattr(stepped, "bpy", SimpleNamespace(app=app, context=Window()))
    monkeypatch.setattr(stepped, "_PATIENCE", 0.0)
    monkeypatch.setattr(stepped, "_SLICE", 0.0)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    return type(kind.__name__, (), {**methods, **own, **settings})()
