"""Updates of a level before exports and checks, which only read."""

from __future__ import annotations

from collections.abc import Container

from bpy.types import Collection

from ...authoring.collision_from_mesh.refresh import read_changed
from ...authoring.mesh_from_sectors.room import draw_changed
from ...core.reporting.report import Report
from ...core.stored import check_level
from .adoption import Adopted, adopt
from .bone_names import share_bone_names


def reconcile(root: Collection, report: Report | None = None, shaped: Container[int] = ()) -> Adopted:
    """Adopt the new objects of a level, and let sectors follow changed meshes, and meshes changed sectors.

    Exports and checks only read. Their callers call this first, and register an undo step if anything has
    changed.

    Args:
        report: receives warnings about adopted objects.
        shaped: see :func:`~...authoring.mesh_from_sectors.room.draw_changed`.

    Raises:
        ExportError: the collection is not a level of a known version.
    """
    check_level(root)
    objects, is_changed = adopt(root, report)
    is_changed |= share_bone_names(root)
    read = read_changed(root)
    drawn = draw_changed(root, shaped, read)
    return Adopted(objects, is_changed or bool(read or drawn))
