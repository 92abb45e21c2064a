"""Collision of static meshes: a flag in TR1 to TR3, the size of the box in TR4 and TR5."""

from __future__ import annotations

from bpy.types import Mesh, Object

from ....formats import Game
from ....formats.edits.convert import collision_flags, is_walked_through
from ...core.reporting.report import Report
from ...core.space import Space
from .new import box_of

_EMPTY = [1] * 6  # a box without collision; 0 stands for the size of the mesh in new static meshes


def is_solid(obj: Object, game: Game) -> bool:
    """Return whether Lara runs into a static mesh."""
    return not is_walked_through(obj.tomb_raider.static_mesh.flags, game) and not _is_empty(obj)


def _is_empty(obj: Object) -> bool:
    box = list(obj.tomb_raider.static_mesh.collision_box)
    return len(set(box)) == 1 and (any(box) or obj.tomb_raider.index >= 0)


def set_solid(obj: Object, game: Game, on: bool, space: Space) -> None:
    """Set whether Lara runs into a static mesh. Its box is kept, and restored.

    Raises:
        ExportError: if the box has to be that of its mesh, and the mesh is too large.
    """
    settings = obj.tomb_raider.static_mesh
    if game.traits.has_static_mesh_flags:
        settings.flags = collision_flags(settings.flags, on)
    elif not on and not _is_empty(obj):
        settings.former_box, settings.collision_box = settings.collision_box, _EMPTY
    if on and _is_empty(obj):
        box = list(settings.former_box)
        if not any(box) and obj.tomb_raider.index >= 0 and isinstance(obj.data, Mesh):
            box = box_of(obj.data, space, obj.name, Report()).tolist()
        settings.collision_box = box
