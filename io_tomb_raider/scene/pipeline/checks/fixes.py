"""Automatic fixes that need no decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Matrix, Vector

from ....formats import ExportError
from ....formats.base import T, Target
from ....formats.levels.textures import SHINE_EFFECT
from ...core.membership import require_local
from ...core.space import angle_to_blender, world_matrix
from ...core.subjects import Kind
from ...subjects.meshes.placed import world_vertices
from ...subjects.object_textures.tools import write_effects
from ...subjects.portals.portals import add_portal
from ...subjects.static_meshes.placements import yaw_of
from .notes import objects_of_note

Place = Sequence[float]
_GONE = T("the object no longer exists")


class Fix(NamedTuple):
    """A safe fix."""

    label: str  #: of its button.
    done: str  #: what was done, for users.
    #: applies the fix to the named object of a level, given the place of the note; raises ExportError if it
    #: cannot.
    run: Callable[[Collection, str, Place | None], None]


def meshes_of_note(root: Collection, subject: str, *kinds: Kind) -> Iterator[tuple[Object, Mesh]]:
    """Yield the local objects of some kinds that a note is about, with their meshes, at least one.

    Raises:
        ExportError: if there are none, or one is not local.
    """
    meshes = [
        (each, each.data)
        for each in objects_of_note(root, subject)
        if each.tomb_raider.kind in kinds and isinstance(each.data, Mesh)
    ]
    if not meshes:
        raise ExportError(subject, _GONE)
    for obj, mesh in meshes:
        require_local(obj)
        require_local(mesh)
        yield obj, mesh


def _flip_normals(kind: Kind) -> Callable[[Collection, str, Place | None], None]:
    def flip(root: Collection, subject: str, place: Place | None = None) -> None:
        _, mesh = next(meshes_of_note(root, subject, kind))
        mesh.flip_normals()

    return flip


def _add_twin(root: Collection, subject: str, place: Place | None = None) -> None:
    portal, mesh = next(meshes_of_note(root, subject, Kind.PORTAL))
    room, target = portal.parent, portal.tomb_raider.portal.room
    if room is None or target is None or len(mesh.polygons) != 1 or len(mesh.vertices) != 4:
        raise ExportError(subject, T("it must be a quad of one room with another adjoining room"))
    quad = mesh.polygons[0]
    vertices = list(quad.vertices)
    # Reversed, as seen from the other room.
    add_portal(target, room, world_vertices(portal, mesh)[vertices[::-1]], portal.users_collection[0])


def _delete_portal(root: Collection, subject: str, place: Place | None = None) -> None:
    portal, mesh = next(meshes_of_note(root, subject, Kind.PORTAL))
    bpy.data.objects.remove(portal)
    if not mesh.users:
        bpy.data.meshes.remove(mesh)


def _parent_space(obj: Object) -> Matrix:
    """Return the world matrix of the space that an object's own transform is in."""
    if obj.parent is None:
        return Matrix()
    return world_matrix(obj.parent) @ obj.matrix_parent_inverse


def _show_as_in_game(root: Collection, subject: str, place: Place | None = None) -> None:
    """Remove tilt, mirroring and scale of an object, and keep the angle that exports write."""
    kinds = (Kind.ENTITY, Kind.AI_OBJECT, Kind.PLACEMENT)
    objects = [each for each in objects_of_note(root, subject) if each.tomb_raider.kind in kinds]
    if not objects:
        raise ExportError(subject, _GONE)
    for obj in objects:
        require_local(obj)
        animation = obj.animation_data
        if obj.constraints or (animation is not None and (animation.action or animation.drivers)):
            raise ExportError(
                subject, T("constraints, drivers or an animation rotate or scale it. Remove them")
            )
        matrix = world_matrix(obj)
        rotation = Matrix.Rotation(float(angle_to_blender(yaw_of(matrix))), 4, "Z")
        obj.matrix_basis = (
            _parent_space(obj).inverted_safe() @ Matrix.Translation(matrix.translation.to_tuple()) @ rotation
        )


def _move_to_place(root: Collection, subject: str, place: Place | None = None) -> None:
    """Move an entity to the place of the note: the floor below it, or the opening that it closes."""
    entities = [each for each in objects_of_note(root, subject) if each.tomb_raider.kind == Kind.ENTITY]
    if not entities or place is None:
        raise ExportError(subject, _GONE)
    require_local(entities[0])
    offset = Vector(place) - world_matrix(entities[0]).translation
    entities[0].location += _parent_space(entities[0]).to_3x3().inverted_safe() @ offset


def _remove_shine(root: Collection, subject: str, place: Place | None = None) -> None:
    for _, mesh in meshes_of_note(root, subject, Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH):
        faces = np.arange(len(mesh.polygons))
        write_effects(mesh, faces, lambda words: SHINE_EFFECT.put(words, 0))


def _set_target(root: Collection, subject: str, place: Place | None = None) -> None:
    require_local(root)
    root.tomb_raider.engine = Target.TRX.name


FIXES = {
    "flip_portal": Fix("Flip", T("its normal was flipped"), _flip_normals(Kind.PORTAL)),
    "add_twin": Fix("Add Twin", T("a portal back was added"), _add_twin),
    "delete_portal": Fix("Delete", T("the portal was deleted"), _delete_portal),
    "flip_room": Fix("Flip", T("the normals of its mesh were flipped"), _flip_normals(Kind.ROOM)),
    "put_down": Fix("Drop to Floor", T("it was placed on the floor"), _move_to_place),
    "move_door": Fix("Move Door", T("it was moved to its opening"), _move_to_place),
    "as_in_game": Fix("Show as in Game", T("it is shown upright and unscaled"), _show_as_in_game),
    "for_trx": Fix("Set Target to TRX", T("the level is for TRX now"), _set_target),
    "remove_shine": Fix("Remove Shine", T("its faces no longer shine"), _remove_shine),
}
