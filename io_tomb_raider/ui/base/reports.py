"""What operators tell users, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from bpy.types import Operator

from .told import told
from .words import contents, explain, plain

__all__ = ["Outcome", "conclude", "contents", "explain", "plain", "refuse", "say"]

# What operators may return.
Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def say(operator: Operator, kind: Literal["INFO", "WARNING", "ERROR"], text: str) -> None:
    """Report a line of the kind INFO, WARNING or ERROR by an operator, in the user's language."""
    operator.report({kind}, told(plain(text)))


def refuse(operator: type[Any], text: str) -> None:
    """Say in the tooltip of an operator that cannot be called why that is so."""
    operator.poll_message_set(told(text))


def conclude(operator: Operator, outcome: str, warnings: Sequence[str]) -> None:
    """Report warnings, a line each, and what came out. Blender shows the last line for a while."""
    for text in warnings:
        say(operator, "WARNING", text)
    if not warnings:
        say(operator, "INFO", outcome)
    else:
        say(operator, "WARNING", f"{outcome} (warnings: {len(warnings)}, see the Info editor)")
