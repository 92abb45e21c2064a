"""Conditions of operators: when they are enabled, and the reason in the tooltip while they are not."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import NamedTuple

from bpy.types import Context

from ...formats.base import T
from .reports import set_poll_message


class Condition(NamedTuple):
    """A condition of operators."""

    holds: Callable[[Context], object]  #: return whether it is fulfilled (any value that counts as true).
    reason: str = ""  #: what to do first; "" for none.


_ALWAYS: tuple[Condition, ...] = ()


class ConditionalTool:
    """Base of operators and mixins that declare their conditions."""

    #: the conditions. The first one that is not fulfilled gives the reason.
    requires = _ALWAYS  # Blender evaluates annotations of classes

    @classmethod
    def poll(cls, context: Context) -> bool:
        for condition in cls.requires:
            if not condition.holds(context):
                if condition.reason:
                    set_poll_message(cls, condition.reason)
                return False
        return True


def condition(holds: Callable[[Context], object], reason: str = "") -> tuple[Condition, ...]:
    """Declare a condition. Conditions are added, in the order in which they are checked."""
    return (Condition(holds, reason),)


def active_object_of(kinds: Container[str], reason: str) -> tuple[Condition, ...]:
    """Declare that the active object is of one of some kinds."""
    return condition(
        lambda context: context.object is not None and context.object.tomb_raider.kind in kinds, reason
    )


EDITABLE_SCENE = condition(
    lambda context: context.scene is not None and context.scene.is_editable,
    T("The scene belongs to another file"),
)
IN_OBJECT_MODE = condition(lambda context: context.mode == "OBJECT", T("Go to Object Mode first"))
# Where the interface shows the operator in Object Mode only.
ONLY_OBJECT_MODE = condition(lambda context: context.mode == "OBJECT")
