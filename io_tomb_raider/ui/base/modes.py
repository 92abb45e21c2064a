"""Leaving and restoring the user's mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import bpy
from bpy.types import Collection, Context, Object

from ...formats import ExportError
from ...formats.base import T
from ...scene.core import members


class UserMode:
    """The user's mode, with all objects that share it. Valid during one operator.

    As a context manager, it restores the mode at the end.
    """

    def __init__(self, context: Context) -> None:
        self._layer = context.view_layer
        active = self._layer.objects.active
        self.name = "OBJECT" if active is None else active.mode
        self._left = False
        self._objects: list[Object] = []
        if self.name != "OBJECT":
            self._objects = [obj for obj in self._layer.objects if obj.mode == self.name]

    def __enter__(self) -> UserMode:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.enter_again()

    def leave(self) -> None:
        """Switch to object mode, which writes edits to the objects' data."""
        if self.name != "OBJECT":
            self._left = _set("OBJECT")

    def enter_again(self) -> None:
        """Restore the mode if it was left, for all objects that shared it. The selection is kept."""
        if not self._left:
            return
        # Selected objects enter a mode together with the active one.
        selected = {obj: obj.select_get(view_layer=self._layer) for obj in self._layer.objects}
        for obj in selected:
            obj.select_set(obj in self._objects, view_layer=self._layer)
        _set(self.name)
        for obj, was_selected in selected.items():
            obj.select_set(was_selected, view_layer=self._layer)


@contextmanager
def object_mode(context: Context) -> Iterator[UserMode]:
    """Stay in object mode, since undo of other modes could not revert the changes of an operator.

    The user's mode is restored if the context is left by an exception, or by a call of ``enter_again``.
    """
    mode = UserMode(context)
    mode.leave()
    try:
        yield mode
    except BaseException:
        mode.enter_again()
        raise


def _set(mode: object) -> bool:
    operator: Any = bpy.ops.object.mode_set
    return operator.poll() and operator(mode=mode) == {"FINISHED"}


def finish_edits(context: Context, mode: UserMode, root: Collection) -> None:
    """Finish pending edits: in edit mode, attributes of a mesh cannot be read.

    Raises:
        ExportError: an object is in an edit mode that cannot be left from here.
    """
    bpy.ops.ed.flush_edits()
    if mode.name == "EDIT":
        mode.leave()
    for obj in members(root):
        if obj.mode == "EDIT":
            raise ExportError(obj.name, T("it is in Edit Mode: leave Edit Mode to export it"))
    context.view_layer.update()
