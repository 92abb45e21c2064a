"""What objects show that came from another level: its models, static meshes and pictures come after them.

What the level has by the same name stands for them. Of what another level of the scene has, the level gets a
copy, so that both are whole; what belongs to none is taken in as it is.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object

from ....formats import Game
from ...core.library import Places
from ...core.members import level_of, members_of
from ...core.report import Report
from ...core.subjects import Kind
from ...subjects.entities.shown import shown_models
from ...subjects.models.models import model_id, own_collection
from ...subjects.sprites.sequences import NO_SEQUENCE
from ...subjects.static_meshes.new import free_id
from ...subjects.static_meshes.transfer import equal_static_mesh
from ..engine import move
from ..engine.copies import copy_model, mark_as_new
from ..engine.ids import library_number
from .remap_foreign import game_of, remap_foreign


def bring_shown(
    root: Collection, objects: Mapping[Object, str], guests: Container[Object], report: Report
) -> bool:
    """Let objects of a level show what the level has, and bring what it has not. Tells whether any came.

    Args:
        root: the level.
        objects: its objects with their kinds; those that show what is the level's own stay as they are.
        guests: those that have come from another level.
        report: takes what is lost of what comes, or is another now.
    """
    imported = root.tomb_raider.imported
    own = set(root.children_recursive)
    # Asked once: every deletion in a file of many levels asks this of all their objects.
    statics = {each for each, kind in objects.items() if kind == Kind.STATIC_MESH}
    quads = {each.data for each, kind in objects.items() if kind == Kind.SPRITE_TEXTURE}
    came, lost = False, set[Object]()
    for obj, kind in objects.items():
        if kind == Kind.ENTITY and "MODELS" in imported:
            shown = obj.instance_collection
            if shown is not None and shown not in own and model_id(shown) is not None:
                came |= _bring_model(root, obj, report, lost, is_guest=obj in guests)
                own = set(root.children_recursive)
        elif kind == Kind.PLACEMENT and "STATIC_MESHES" in imported:
            library = obj.tomb_raider.placement.static_mesh
            if library is None or library in statics or library.tomb_raider.kind != Kind.STATIC_MESH:
                continue
            if obj in guests or library.users_collection:
                statics.add(_bring_static_mesh(root, obj, library, statics, report))
                came = True
        elif kind == Kind.SPRITE and "SPRITES" in imported and isinstance(obj.data, Mesh):
            if obj.data in quads:
                continue
            if _bring_picture(root, obj, report, is_guest=obj in guests):
                quads.add(obj.data)
                came = True
    return came


def _bring_model(root: Collection, obj: Object, report: Report, lost: set[Object], *, is_guest: bool) -> bool:
    """Let an entity show the level's own model by the same name, or a copy of the other level's."""
    armature = obj.instance_collection.tomb_raider.model
    source = None if armature is None else level_of(armature)
    if armature is None or not armature.users_collection:
        return False
    number = int(armature.tomb_raider.model.id)
    game = Game[root.tomb_raider.game]
    there = Game[source.tomb_raider.game] if source else game_of(obj.instance_collection.objects, game)
    known = library_number("model", number, there, game).exact
    number = number if known is None else known
    known_here, typed = shown_models(root), int(obj.tomb_raider.entity.type)
    # What the level has lost to another one, where it is called otherwise, comes back as what it was.
    is_lost = (typed not in known_here or armature in lost) and not is_guest
    number = typed if is_lost else number
    if is_lost:
        lost.add(armature)
    # What the game calls by this number is something else where it has no name for what has come.
    shown = None if known is None and not is_lost else known_here.get(number)
    if shown is None:
        stays = source is not None or armature.library is not None  # linked: it is the other file's
        home = copy_model(armature) if stays else own_collection(armature)
        if stays:
            mark_as_new(home.objects)
        remap_foreign(root, _origins(home.objects), report)
        number = typed if is_lost else int(home.tomb_raider.model.tomb_raider.model.id)
        move.move_model(root, home, number, None, Places(root, Kind.MODEL))
        shown = home
    obj.instance_collection = shown
    obj.tomb_raider.entity.type = number
    return True


def _bring_static_mesh(
    root: Collection, obj: Object, library: Object, statics: set[Object], report: Report
) -> Object:
    """Let a placement show the level's own static mesh of the same shape, or a copy of the other one's."""
    own: Any = equal_static_mesh(root, library, statics)
    if own is None:
        source = level_of(library)
        own = library
        if source is not None or not library.is_editable:
            made: Any = library.copy()
            made.data = library.data.copy() if library.data is not None else None
            mark_as_new([made])
            own = made
        remap_foreign(root, _origins([own]), report)
        taken = {each.tomb_raider.static_mesh.id for each in statics}
        number = int(own.tomb_raider.static_mesh.id)
        places = Places(root, Kind.STATIC_MESH)
        move.move_static_mesh(root, own, free_id(taken) if number in taken else number, None, places)
    obj.tomb_raider.placement.static_mesh = own
    if obj.data is not None:
        obj.data = own.data
    return own


def _bring_picture(root: Collection, obj: Object, report: Report, *, is_guest: bool) -> bool:
    """Let a sprite show the level's own picture of the same sequence, or a copy of the other one's."""
    if Game[root.tomb_raider.game].traits.has_room_layers:
        return False  # rooms of TR5 have no sprites
    quad = obj.data
    with_quad = (each for each in bpy.data.objects if each.data == quad)
    there = next((each for each in with_quad if each.tomb_raider.kind == Kind.SPRITE_TEXTURE), None)
    source = None if there is None else level_of(there)
    if there is None or source is None:
        return is_guest and _bring_quad(root, obj, report)
    settings = there.tomb_raider.sprite
    sequence = int(settings.sequence)
    games = (Game[each.tomb_raider.game] for each in (source, root))
    number = sequence if sequence == NO_SEQUENCE else library_number("sprite", sequence, *games).exact
    own = members_of(root, Kind.SPRITE_TEXTURE)
    found = [each for each in own if each.tomb_raider.sprite.sequence == number]
    alike = next((each for each in found if each.tomb_raider.sprite.place == settings.place), None)
    if alike is not None and number != NO_SEQUENCE:
        obj.data = alike.data
        return False
    made: Any = there.copy()
    made.data = there.data.copy() if there.data is not None else None
    mark_as_new([made])
    remap_foreign(root, _origins([made]), report)
    sequence = int(made.tomb_raider.sprite.sequence)
    move.move_sprites(root, [made], sequence, [], Places(root, Kind.SPRITE_TEXTURE))
    obj.data = made.data
    return True


def _bring_quad(root: Collection, obj: Object, report: Report) -> bool:
    """Let the library have the picture that a sprite of another file shows, in no sequence."""
    made: Any = bpy.data.objects.new(obj.name, obj.data.copy() if obj.data is not None else None)
    settings = made.tomb_raider
    settings.kind, settings.index, settings.sprite.sequence = Kind.SPRITE_TEXTURE, -1, NO_SEQUENCE
    remap_foreign(root, {made: 0}, report)
    move.move_sprites(root, [made], NO_SEQUENCE, [], Places(root, Kind.SPRITE_TEXTURE))
    obj.data = made.data
    return True


def _origins(objects: Iterable[Object]) -> dict[Object, int]:
    return {each: int(each.tomb_raider.origin) for each in objects}
