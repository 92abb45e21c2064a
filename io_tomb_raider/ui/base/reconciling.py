"""Preparation of levels by operators that export or check them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.types import Collection, Context

from ...formats.base import N_
from .modes import UserMode, finish_edits
from .text.i18n import translate

if TYPE_CHECKING:
    from ...scene.core import Report

_STEP = N_("Claim New Objects")


def prepare(context: Context, mode: UserMode, root: Collection, report: Report) -> None:
    """Prepare a level for export: upgrade it, finish edits, and reconcile it. The caller restores the mode.

    Raises:
        ExportError: the level's version cannot be upgraded, or an object is in a mode that cannot be left.
    """
    from ...scene.upgrades import upgrade

    upgrade(root)
    finish_edits(context, mode, root)
    reconcile_step(root, report)


def reconcile_step(root: Collection, report: Report) -> None:
    """Reconcile a level, and push an undo step if that changed anything.

    The step is separate from the operator's own, which may be missing or canceled later.
    """
    from ...scene.transfer.adoption import reconcile

    if reconcile(root, report).is_changed:
        push_undo()


def push_undo() -> None:
    """Push an undo step for claimed objects."""
    bpy.ops.ed.undo_push(message=translate(_STEP))
