"""Unexpected errors of operators: a report in words instead of Blender's popup with a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from bpy.types import Operator

from ...formats.base.messages import T, as_message
from .reports import explain, report_line

_PACKAGE = __package__.rpartition(".ui.")[0]
_MARK = "is_guarded"
_running: list[int] = []  # operators whose methods are running, by id: a method may call that of its base


def guard_operators() -> None:
    """Guard the methods of all operators that are defined so far. Call it before they are registered."""
    for kind in _operators(Operator):
        for home in kind.__mro__:
            if home.__module__.startswith(f"{_PACKAGE}."):
                _guard(home)


def _operators(base: type[Any]) -> Iterator[type[Any]]:
    for kind in base.__subclasses__():
        if kind.__module__.startswith(f"{_PACKAGE}."):
            yield kind
        yield from _operators(kind)


def _guard(kind: type[Any]) -> None:
    own = vars(kind)
    for name, make in (("execute", _guarded), ("invoke", _guarded_event), ("modal", _guarded_event)):
        if name in own and not hasattr(own[name], _MARK):
            made = make(own[name])
            setattr(made, _MARK, True)
            setattr(kind, name, made)


# Blender counts the arguments of these methods.


def _guarded(method: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    @wraps(method)
    def execute(self: Any, context: Any) -> Any:
        return _run(self, lambda: method(self, context))

    return execute


def _guarded_event(method: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    @wraps(method)
    def invoke(self: Any, context: Any, event: Any) -> Any:
        return _run(self, lambda: method(self, context, event))

    return invoke


def _run(operator: Any, method: Callable[[], Any]) -> Any:
    if id(operator) in _running:
        return method()
    _running.append(id(operator))
    try:
        return method()
    except Exception as error:  # a defect of the extension
        import traceback  # not when the extension starts

        traceback.print_exc()
        words = explain(error) if isinstance(error, ValueError | OSError) else str(error)
        text = T(
            "{tool}: an unexpected error, {kind}: {error}. "
            "Use Help > Copy Tomb Raider Report, and send it to the developers",
            tool=as_message(operator.bl_label),
            kind=type(error).__name__,
            error=words,
        )
        report_line(operator, "ERROR", text)
        return {"CANCELLED"}
    finally:
        _running.remove(id(operator))
