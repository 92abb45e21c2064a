"""Claims of new objects and redrawn rooms: what exports and checks, which only read, need before."""

from __future__ import annotations

from collections.abc import Container

from bpy.types import Collection

from ...authoring.mesh_from_sectors.room import draw_changed
from ...core.report import Report
from ...core.stored import check_level
from .adoption import Adopted, adopt


def reconcile(root: Collection, report: Report | None = None, shaped: Container[int] = ()) -> Adopted:
    """Claim objects that are new in a level, and draw rooms again whose sectors have changed.

    Exports and checks only read. So whoever calls them does this first, and registers an undo step where it
    has changed anything.

    Args:
        root: the level.
        report: takes warnings about what was claimed.
        shaped: see :func:`~...authoring.mesh_from_sectors.room.draw_changed`.

    Returns:
        The claimed objects, and whether anything was changed.

    Raises:
        ExportError: where the collection is no level that this version of the extension knows.
    """
    check_level(root)
    objects, is_changed = adopt(root, report)
    drawn = draw_changed(root, shaped)
    return Adopted(objects, is_changed or bool(drawn))
