"""Errors of operators: a report in words instead of Blender's popup with a traceback.

Operators raise expected errors, and declare the words around them as ``failure``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import bpy
from bpy.types import Operator

from ...formats import ExportError, FormatError
from ...formats.base import T, Text, as_message
from .file_kinds import other_tool
from .reports import ToolError, explain, explain_file, report_line

_PACKAGE = __package__.rpartition(".ui.")[0]
_MARK = "is_guarded"
_running: list[int] = []  # operators whose methods are running, by id: a method may call that of its base


def guard_operators() -> None:
    """Guard the methods of all operators that are defined so far. Call it before they are registered."""
    for home in {home for kind in _operators(Operator) for home in kind.__mro__}:
        if home.__module__.startswith(f"{_PACKAGE}."):
            _guard(home)


def _operators(base: type[Any]) -> Iterator[type[Any]]:
    for kind in base.__subclasses__():
        if kind.__module__.startswith(f"{_PACKAGE}."):
            yield kind
        yield from _operators(kind)


def _guard(kind: type[Any]) -> None:
    methods = vars(kind)
    for name, make in (("execute", _guarded), ("invoke", _guarded_event), ("modal", _guarded_event)):
        if name in methods and not hasattr(methods[name], _MARK):
            guarded = make(methods[name])
            setattr(guarded, _MARK, True)
            setattr(kind, name, guarded)


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
    refusal = ""
    try:
        return method()
    except ToolError as error:
        refusal = str(error)
    except (ExportError, FormatError, OSError) as error:
        report_line(operator, "ERROR", failure(operator, error))
    except Exception as error:  # a defect of the extension
        import traceback  # not when the extension starts

        traceback.print_exc()
        description = explain(error) if isinstance(error, ValueError) else str(error)
        text = T(
            "{tool}: an unexpected error, {kind}: {error}. "
            "Use Help > Copy Tomb Raider Report, and send it to the developers",
            tool=as_message(operator.bl_label),
            kind=type(error).__name__,
            error=description,
        )
        report_line(operator, "ERROR", text)
    finally:
        _running.remove(id(operator))
    if refusal:  # without the traceback of an error
        report_line(operator, "ERROR", refusal)
    return {"CANCELLED"}


@contextmanager
def report_errors(
    template: str, operator: Any, path: str | os.PathLike[str] | None, **values: str
) -> Iterator[None]:
    """Report expected errors by a template with ``{error}`` and the values.

    Args:
        path: a file that is read; None for none.
    Raises:
        ToolError: instead of an expected error.
    """
    try:
        yield
    except (ExportError, FormatError, OSError) as error:
        text = other_tool(error, path, operator.bl_idname) if path else ""
        name = os.path.basename(path) if path else ""
        raise ToolError(Text(template, {**values, "error": text or explain_file(error, name)})) from error


def failure(operator: Any, error: ValueError | OSError, path: str = "") -> str:
    """Return the report about an expected error, by the operator's template ``failure`` with the file's name.

    Without a path, the file is the operator's own.
    """
    template = getattr(operator, "failure", "")
    if not template:
        return explain(error)
    path = bpy.path.abspath(path or getattr(operator, "filepath", ""))
    hint = other_tool(error, path, operator.bl_idname) if getattr(operator, "reads", False) else ""
    return Text(template, {"file": os.path.basename(path), "error": hint or explain(error)})
