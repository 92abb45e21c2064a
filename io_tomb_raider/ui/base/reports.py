"""Reports of operators in the user's language."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import bpy
from bpy.types import Context, Operator

from ...formats.base import T, Text, about, outline
from .text.i18n import translate
from .text.words import ToolError, contents, explain, explain_file, plain

if TYPE_CHECKING:
    from ...scene.core import Report

__all__ = [
    "Outcome",
    "ToolError",
    "ask",
    "contents",
    "explain",
    "explain_file",
    "note_tracebacks",
    "plain",
    "popup_later",
    "report_line",
    "report_result",
    "set_poll_message",
]

_MAX_LINES = 12  # maximum lines of a popup

# Return type of operators.
Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def report_line(operator: Operator, kind: Literal["INFO", "WARNING", "ERROR"], text: str) -> None:
    """Report a line of an operator in the user's language. Errors can be copied for the developers."""
    from .error_report import note_error

    if kind == "ERROR":
        import traceback  # not when the extension starts

        error = sys.exc_info()[1]
        note_error(operator, text, [] if error is None else ["".join(traceback.format_exception(error))])
    operator.report({kind}, plain(translate(text)))


def note_tracebacks(operator: Operator, report: Report) -> None:
    """Keep errors of other add-ons, which an import or export reports as warnings, to be copied."""
    from .error_report import note_error

    if report.tracebacks:
        note_error(operator, "\n".join(report.warnings), report.tracebacks.values())


def set_poll_message(operator: type[Any], text: str) -> None:
    """Set the tooltip's reason why an operator is disabled."""
    operator.poll_message_set(translate(text))


def popup_later(title: str, warnings: Sequence[str]) -> None:
    """Show a popup about automatic changes, which no operator can report; without a window, print it.

    Each warning is one line.
    """
    lines = [plain(translate(text)) for text in warnings]
    if bpy.app.background:
        print("\n".join([translate(title), *lines]))
        return

    def draw(menu: Any, _context: Context) -> None:
        for text in lines[:_MAX_LINES]:
            menu.layout.label(text=text, translate=False)
        if len(lines) > _MAX_LINES:
            menu.layout.label(text=f"+ {len(lines) - _MAX_LINES}", translate=False)

    def show() -> None:
        bpy.context.window_manager.popup_menu(draw, title=translate(title), icon="INFO")

    bpy.app.timers.register(show, first_interval=0.0)  # handlers cannot draw


def ask(operator: Operator, dialog: Any, **options: Any) -> None:
    """Open the dialog of another operator, which only a new operator call can do, and report its errors.

    The options are the dialog's initial settings.
    """
    try:
        dialog("INVOKE_DEFAULT", **options)
    except RuntimeError as error:
        text = str(error).strip().removeprefix("Error: ")
        operator.report({"ERROR"}, text)  # already in the user's language


def grouped(warnings: Sequence[str]) -> list[str]:
    """Return one line for each kind of warning: of several objects the first, with the number of others."""
    kinds: dict[str, list[str]] = {}
    for text in warnings:
        kinds.setdefault(outline(text), []).append(text)
    return [_first(texts) for texts in kinds.values()]


def _first(texts: list[str]) -> str:
    first = texts[0]
    if len(texts) == 1 or not (isinstance(first, Text) and {"subject", "problem"} <= first.values.keys()):
        return first if len(texts) == 1 else T("{text} (and {count} more)", text=first, count=len(texts) - 1)
    subject, problem = first.values["subject"], first.values["problem"]
    inner = [str(text.values["problem"]) for text in texts if isinstance(text, Text)]
    if len({str(text.values["subject"]) for text in texts if isinstance(text, Text)}) == 1:
        return about(subject, _first(inner))  # the subject is the file of all of them
    more = T("{subject} and {count} more", subject=subject, count=len(texts) - 1)
    return about(more, problem)


def report_result(operator: Operator, outcome: str, warnings: Sequence[str]) -> None:
    """Report warnings, one line each, and the outcome last, since Blender shows the last line."""
    for text in grouped(warnings):
        report_line(operator, "WARNING", text)
    if not warnings:
        report_line(operator, "INFO", outcome)
    else:
        report_line(
            operator,
            "WARNING",
            T("{outcome} (warnings: {count}, see the Info editor)", outcome=outcome, count=len(warnings)),
        )
