"""What operators tell users, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from bpy.types import Operator

from .words import contents, explain, plain

__all__ = ["Outcome", "conclude", "contents", "explain", "plain", "say"]

# What operators may return.
Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def say(operator: Operator, kind: Literal["INFO", "WARNING", "ERROR"], text: str) -> None:
    """Report a line of the kind INFO, WARNING or ERROR by an operator."""
    operator.report({kind}, plain(text))


def conclude(operator: Operator, outcome: str, warnings: Sequence[str]) -> None:
    """Report warnings, a line each, and what came out. Blender shows the last line for a while."""
    for text in warnings:
        say(operator, "WARNING", text)
    if not warnings:
        say(operator, "INFO", outcome)
    else:
        say(operator, "WARNING", f"{outcome} (warnings: {len(warnings)}, see the Info editor)")
