"""Automatic fixes that need no decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import bpy
from bpy.types import Collection, Mesh, Object

from ....formats import ExportError
from ...core.subjects import Kind
from ...subjects.meshes.placed import world_vertices
from ...subjects.portals.portals import add_portal
from .notes import objects_of_note


class Fix(NamedTuple):
    """A safe fix.

    Attributes:
        label: of its button.
        run: applies the fix to the named object of a level; raises ExportError if it cannot.
    """

    label: str
    run: Callable[[Collection, str], None]


def _portal(root: Collection, subject: str) -> tuple[Object, Mesh]:
    for each in objects_of_note(root, subject):
        if each.tomb_raider.kind == Kind.PORTAL and isinstance(each.data, Mesh):
            return each, each.data
    raise ExportError(subject, "there is no such portal any more")


def _flip_portal(root: Collection, subject: str) -> None:
    _, mesh = _portal(root, subject)
    mesh.flip_normals()


def _add_twin(root: Collection, subject: str) -> None:
    portal, mesh = _portal(root, subject)
    room, target = portal.parent, portal.tomb_raider.portal.room
    if room is None or target is None or len(mesh.polygons) != 1 or len(mesh.vertices) != 4:
        raise ExportError(subject, "it has to be a quad of one room that leads to another")
    quad = mesh.polygons[0]
    around = list(quad.vertices)
    # Reversed, as seen from the other room.
    add_portal(target, room, world_vertices(portal, mesh)[around[::-1]], portal.users_collection[0])


def _delete_portal(root: Collection, subject: str) -> None:
    portal, mesh = _portal(root, subject)
    bpy.data.objects.remove(portal)
    if not mesh.users:
        bpy.data.meshes.remove(mesh)


FIXES = {
    "flip_portal": Fix("Flip", _flip_portal),
    "add_twin": Fix("Add Twin", _add_twin),
    "delete_portal": Fix("Delete", _delete_portal),
}
