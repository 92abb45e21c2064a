"""Operators that take long: their work is a generator of steps, between which Esc cancels them."""

from __future__ import annotations

import math
from time import monotonic
from typing import TYPE_CHECKING, Any

import bpy
from bpy.types import Context, Event

from ...formats.base import T, as_message
from .progress import ProgressBar
from .reports import Outcome, report_line

if TYPE_CHECKING:
    from ...scene.core import Work

_PATIENCE = 0.5  # seconds of work before events are handled: most operators are done by then
_SLICE = 0.1  # seconds of work between events
_PAUSE = 0.01  # seconds in which Blender handles events and draws its windows
OPERATOR_PAUSE = 0.1  # seconds until a timer checks again whether an operator has ended
# Options of operators that push an undo step at their end.
_UNDOING = frozenset({"UNDO", "UNDO_GROUPED", "BLOCKING"})
_NONE: Any = None
_running: list[Any] = []  # handlers of the operators that work between events


class CanceledError(Exception):
    """The user has pressed Esc. Raised at a step; an operator that keeps a part of its work catches it."""


class SteppedTool:
    """Mixin of operators that show their progress, and that Esc cancels.

    Called by a menu, a dialog or the file browser, they handle events between steps. Called by a script, as
    a repetition, or without a window, they run at once. Whatever a step has changed is reverted by
    context managers of the generator, as after an error. The file browser pushes an undo step for operators
    with UNDO when it has called them: after long ones, it holds the scene before them, as the step before it.
    """

    _steps = _NONE  # the generator while it runs; Blender evaluates annotations of classes

    def steps(self, context: Context, bar: ProgressBar) -> Work[Outcome]:
        """Do the work. Yield each step, before it is done, and return the outcome.

        The title of the bar is the label of the operator until it is replaced.
        """
        raise NotImplementedError

    def execute(self: Any, context: Context) -> Outcome:
        options = self.options
        is_called = options.is_invoke and not options.is_repeat and context.window is not None
        self._bar = ProgressBar(context, as_message(self.bl_label))
        self._steps = self.steps(context, self._bar)
        self._timer = None
        if bpy.app.background or not is_called:
            return self._work(context, math.inf)
        self._bar.can_cancel = True
        outcome = self._work(context, _PATIENCE)
        if outcome == {"RUNNING_MODAL"}:
            manager = context.window_manager
            self._timer = manager.event_timer_add(_PAUSE, window=context.window)
            manager.modal_handler_add(self)
            # Other windows stay in use: undo there would replace data-blocks that the work refers to.
            self._on_undo = lambda *_: self.cancel(bpy.context)
            _running.append(self._on_undo)
            for handlers in _undo_handlers():
                handlers.append(self._on_undo)
        return outcome

    def modal(self: Any, context: Context, event: Event) -> Outcome:
        if self._steps is None:
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            return self._cancel(context)
        return self._work(context, _SLICE) if event.type == "TIMER" else {"RUNNING_MODAL"}

    def cancel(self: Any, context: Context) -> None:
        """Stop the work, as when its window is closed meanwhile."""
        if self._steps is not None:
            self._cancel(context)

    def _cancel(self: Any, context: Context) -> Outcome:
        try:
            self._steps.throw(CanceledError)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome
        except CanceledError:
            report_line(self, "WARNING", T("{tool}: canceled", tool=as_message(self.bl_label)))
        finally:
            self._end(context)
        return {"CANCELLED"}

    def _work(self: Any, context: Context, seconds: float) -> Outcome:
        """Work for some seconds, and return the outcome, which is RUNNING_MODAL until the end."""
        end, is_running = monotonic() + seconds, False
        try:
            while True:
                self._bar(*next(self._steps))
                if monotonic() >= end:
                    is_running = True
                    return {"RUNNING_MODAL"}
        except StopIteration as result:
            outcome: Outcome = result.value
            return outcome
        finally:
            if not is_running:
                self._end(context)

    def _end(self: Any, context: Context) -> None:
        self._bar.close()
        if self._timer is not None:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
            _running.remove(self._on_undo)
            for handlers in _undo_handlers():
                handlers.remove(self._on_undo)
        self._steps = None


def is_operator_running() -> bool:
    """Return whether an operator works between events, or pushes an undo step at its end, such as a move."""
    windows = bpy.context.window_manager.windows
    operators = (operator for window in windows for operator in window.modal_operators)
    return bool(_running) or any(not _UNDOING.isdisjoint(operator.bl_options) for operator in operators)


def _undo_handlers() -> tuple[Any, Any]:
    return bpy.app.handlers.undo_pre, bpy.app.handlers.redo_pre
