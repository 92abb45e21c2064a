"""What Blender tells on its console of errors in handlers and panels, and then goes on."""

from __future__ import annotations

import sys


class Console:
    """Collects the errors of a while.

    Attributes:
        errors: what was raised and nobody has caught.
    """

    def __init__(self) -> None:
        self.errors: list[BaseException] = []
        self._before = sys.excepthook
        sys.excepthook = lambda kind, error, trace: self.errors.append(error)

    def check(self) -> None:
        """Fail where there was any."""
        assert not self.errors, self.errors

    def close(self) -> None:
        sys.excepthook = self._before
