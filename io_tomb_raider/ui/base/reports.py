"""What operators tell users, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import bpy
from bpy.types import Context, Operator

from .i18n import translate
from .words import contents, explain, plain

__all__ = [
    "Outcome",
    "ask",
    "contents",
    "explain",
    "plain",
    "popup_later",
    "report_line",
    "report_result",
    "set_poll_message",
]

_MOST_LINES = 12  # of a popup

# What operators may return.
Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def report_line(operator: Operator, kind: Literal["INFO", "WARNING", "ERROR"], text: str) -> None:
    """Report a line of the kind INFO, WARNING or ERROR by an operator, in the user's language."""
    operator.report({kind}, translate(plain(text)))


def set_poll_message(operator: type[Any], text: str) -> None:
    """Say in the tooltip of an operator that cannot be called why that is so."""
    operator.poll_message_set(translate(text))


def popup_later(title: str, warnings: Sequence[str]) -> None:
    """Tell of what happened by itself, which no operator can report: in a popup, or on the console.

    Args:
        title: what happened.
        warnings: a line each.
    """
    lines = [translate(plain(text)) for text in warnings]
    if bpy.app.background:
        print("\n".join([translate(title), *lines]))
        return

    def draw(menu: Any, _context: Context) -> None:
        for text in lines[:_MOST_LINES]:
            menu.layout.label(text=text, translate=False)
        if len(lines) > _MOST_LINES:
            menu.layout.label(text=f"+ {len(lines) - _MOST_LINES}", translate=False)

    def show() -> None:
        bpy.context.window_manager.popup_menu(draw, title=translate(title), icon="INFO")

    bpy.app.timers.register(show, first_interval=0.0)  # handlers draw nothing


def ask(operator: Operator, dialog: Any, **options: Any) -> None:
    """Let another operator ask in a dialog, which only one that begins can open; repeat why it does not.

    Args:
        operator: the one that says so.
        dialog: of :data:`bpy.ops`.
        options: what the dialog begins with.
    """
    try:
        dialog("INVOKE_DEFAULT", **options)
    except RuntimeError as error:
        text = str(error).strip().removeprefix("Error: ")
        operator.report({"ERROR"}, text)  # which is in the user's language already


def report_result(operator: Operator, outcome: str, warnings: Sequence[str]) -> None:
    """Report warnings, a line each, and what came out. Blender shows the last line for a while."""
    for text in warnings:
        report_line(operator, "WARNING", text)
    if not warnings:
        report_line(operator, "INFO", outcome)
    else:
        report_line(operator, "WARNING", f"{outcome} (warnings: {len(warnings)}, see the Info editor)")
