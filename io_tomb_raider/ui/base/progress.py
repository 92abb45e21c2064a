"""Progress bar for long operations, with the name of the step in the status bar."""

from __future__ import annotations

from time import monotonic
from types import TracebackType

from bpy.types import Context

from ...formats.base import T
from .text.i18n import translate
from .text.words import plain

_PATIENCE = 0.5  # seconds before a bar is shown


class ProgressBar:
    """Progress display that appears only if an operation takes long, and is always removed at its end.

    ``parts`` are processed one after the other.
    """

    def __init__(self, context: Context, title: str, parts: int = 1) -> None:
        self._context, self.parts, self._done = context, max(parts, 1), 0
        self._begun, self._is_shown = monotonic(), False
        self.title = title
        self.can_cancel = False

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, step: str, share: float) -> None:
        """Show a step, and the fraction of the part that is done, 0 to 1."""
        if not self._is_shown and monotonic() - self._begun < _PATIENCE:
            return
        manager, workspace = self._context.window_manager, self._context.workspace
        if not self._is_shown:
            manager.progress_begin(0, 100)
            self._is_shown = True
        manager.progress_update(100 * (self._done + share) / self.parts)
        if workspace is not None:
            text = T("{title}: {step}", title=self.title, step=step)
            if self.can_cancel:
                text = T("{text}. Esc: cancel", text=text)
            workspace.status_text_set(plain(translate(text)))

    def next_part(self) -> None:
        """Start the next part."""
        self._done += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the display."""
        if self._is_shown:
            self._is_shown = False
            self._context.window_manager.progress_end()
            if self._context.workspace is not None:
                self._context.workspace.status_text_set(None)
