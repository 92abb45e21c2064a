"""What things show that came from another level: its models, static meshes and pictures come after them.

What the level has by the same name stands for them. Of what another level of the scene has, the level gets a
copy, so that both are whole; what belongs to none is taken in as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Collection, Mesh, Object

from ...catalogue import names
from ...formats import Game
from ..appending import move
from ..appending.contents import same_name
from ..appending.copies import be_new, copy_model, lend_materials
from ..base.members import level_of
from ..base.report import Report
from ..entities.shown import shown_models
from ..meshes.placed import vertices_of
from ..models.models import model_id
from ..static_meshes.new import free_id

_NEAR = 1e-4  # units of Blender


def bring_shown(root: Collection, things: Iterable[Object]) -> bool:
    """Let things of a level show what the level has, and bring what it has not. Tells whether any came.

    Args:
        root: the level.
        things: its objects; those that show what is the level's own stay as they are.
    """
    imported = root.tomb_raider.imported
    own = set(root.children_recursive)
    found = list(things)
    statics = {each for each in found if each.tomb_raider.kind == "STATIC_MESH"}
    came = False
    for thing in found:
        settings = thing.tomb_raider
        if settings.kind == "ENTITY" and "MODELS" in imported:
            shown = thing.instance_collection
            if shown is not None and shown not in own and model_id(shown) is not None:
                came |= _bring_model(root, thing)
                own = set(root.children_recursive)
        elif settings.kind == "PLACEMENT" and "STATIC_MESHES" in imported:
            library = settings.placement.static_mesh
            if library is not None and library not in statics and library.users_collection:
                statics.add(_bring_static_mesh(root, thing, library, statics))
                came = True
    return came


def _bring_model(root: Collection, thing: Object) -> bool:
    """Let an entity show the level's own model by the same name, or a copy of the other level's."""
    armature = thing.instance_collection.tomb_raider.model
    source = None if armature is None else level_of(armature)
    if armature is None or not armature.users_collection:
        return False
    number, report = int(armature.tomb_raider.model.id), Report()
    if source is not None:
        games = (names(Game[each.tomb_raider.game]) for each in (source, root))
        known = same_name(number, "model", *games)
        number = number if known is None else known
    shown = shown_models(root).get(number)
    if shown is None:
        if source is None:
            home = move.own_collection(armature)
        else:
            home = copy_model(armature)
            be_new(home.objects)
            lend_materials(root, source, home.objects, report)
        move.move_model(root, home, number, None, move.Places(root, "MODEL"))
        shown = home
    thing.instance_collection = shown
    thing.tomb_raider.entity.type = number
    return True


def _bring_static_mesh(root: Collection, thing: Object, library: Object, statics: set[Object]) -> Object:
    """Let a placement show the level's own static mesh of the same shape, or a copy of the other one's."""
    shape, own = library.data, None
    for each in statics:
        same = each.tomb_raider.static_mesh.id == library.tomb_raider.static_mesh.id
        if same and isinstance(each.data, Mesh) and isinstance(shape, Mesh) and _alike(each.data, shape):
            own = each
    if own is None:
        source = level_of(library)
        own = library
        if source is not None:
            made: Any = library.copy()
            made.data = library.data.copy() if library.data is not None else None
            be_new([made])
            lend_materials(root, source, [made], Report())
            own = made
        taken = {each.tomb_raider.static_mesh.id for each in statics}
        number = int(own.tomb_raider.static_mesh.id)
        places = move.Places(root, "STATIC_MESH")
        move.move_static_mesh(root, own, free_id(taken) if number in taken else number, None, places)
    thing.tomb_raider.placement.static_mesh = own
    if thing.data is not None:
        thing.data = own.data
    return own


def _alike(one: Mesh, other: Mesh) -> bool:
    points = vertices_of(one), vertices_of(other)
    return points[0].shape == points[1].shape and bool(abs(points[0] - points[1]).max(initial=0.0) < _NEAR)
