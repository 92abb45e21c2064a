"""Import of models, static meshes and pictures that foreign objects show.

An equal object of the level replaces the foreign one. Otherwise a foreign object of another level is copied,
and one of no level is moved.
"""

from __future__ import annotations

from collections.abc import Collection as Some
from collections.abc import Container, Mapping, Sequence
from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object

from ....catalogue import names
from ....formats import Game
from ...assets.payload import clear
from ...core.membership import Places, level_of, members_of
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ...subjects.entities.shown import shown_models
from ...subjects.models.models import model_id, own_collection
from ...subjects.sprites.sequences import NO_SEQUENCE
from ...subjects.static_meshes.new import free_id
from ...subjects.static_meshes.transfer import equal_static_mesh
from ..engine import move
from ..engine.contents import Piece
from ..engine.copies import copy_model, mark_as_new
from ..engine.ids import library_number
from ..engine.plan import FREE_ID, numbering_of, used_ids
from .remap_foreign import Source, remap_objects, source_of


def import_shown(
    root: Collection, objects: Mapping[Object, str], foreign: Container[Object], report: Report
) -> bool:
    """Relink objects to the data of the level, and import missing data; return whether any was relinked.

    Args:
        objects: its objects with their kinds.
        foreign: those that were claimed from another level.
    """
    imported = root.tomb_raider.imported
    collections = set(root.children_recursive)
    # Collected once: each deletion in a file of many levels checks all of their objects.
    statics = {each for each, kind in objects.items() if kind == Kind.STATIC_MESH}
    quads = {each.data for each, kind in objects.items() if kind == Kind.SPRITE_TEXTURE}
    is_changed, lost = False, set[Object]()
    for obj, kind in objects.items():
        if kind == Kind.ENTITY and "MODELS" in imported:
            shown = obj.instance_collection
            if shown is not None and shown not in collections and model_id(shown) is not None:
                is_changed |= _show_model(root, obj, report, lost, is_foreign=obj in foreign)
                collections = set(root.children_recursive)
        elif kind == Kind.PLACEMENT and "STATIC_MESHES" in imported:
            library = obj.tomb_raider.placement.static_mesh
            if library is None or library in statics or library.tomb_raider.kind != Kind.STATIC_MESH:
                continue
            if obj in foreign or library.users_collection:
                statics.add(_show_static_mesh(root, obj, library, statics, report))
                is_changed = True
        elif kind == Kind.SPRITE and "SPRITES" in imported and isinstance(obj.data, Mesh):
            if obj.data in quads:
                continue
            if _show_picture(root, obj, report, is_foreign=obj in foreign):
                quads.add(obj.data)
                is_changed = True
    return is_changed


def _show_model(
    root: Collection, obj: Object, report: Report, lost: set[Object], *, is_foreign: bool
) -> bool:
    """Show a model of the level on an entity; return whether there is one."""
    shown = obj.instance_collection
    armature = None if shown is None else shown.tomb_raider.model
    if shown is None or armature is None or not armature.users_collection:
        return False
    typed = int(obj.tomb_raider.entity.type)
    # A model that another level with another id for it has claimed gets its former id.
    is_lost = (armature in lost or typed not in shown_models(root)) and not is_foreign
    if is_lost:
        lost.add(armature)
    model = own_model(root, shown, report, number=typed if is_lost else None)
    if model is None:
        return False
    obj.instance_collection, obj.tomb_raider.entity.type = model
    return True


def own_model(
    root: Collection, shown: Collection, report: Report, *, number: int | None = None, is_new: bool = False
) -> tuple[Collection, int] | None:
    """Return the collection of a level for a foreign model, and its id; add the model if it is missing.

    Args:
        shown: the collection of the model, in another level or in none.
        number: the id in the level, if it is known.
        is_new: whether to add the model even if the level has it.

    Returns:
        None if no id is free.
    """
    armature = shown.tomb_raider.model
    source = source_of(root, armature, shown.objects)
    source_number, game = int(armature.tomb_raider.model.id), Game[root.tomb_raider.game]
    level_number = (
        number if number is not None else library_number("model", source_number, source.game, game).exact
    )
    # Without an exact number, the model of the level with the same id is another one.
    present = None if level_number is None or is_new else shown_models(root).get(level_number)
    if present is not None and level_number is not None:
        return present, level_number
    if number is None:
        piece = Piece("model", source_number, names(source.game).model(source_number))
        plan = numbering_of(root, source.game, report, FREE_ID).plan(
            piece, is_asked=False, on_conflict=FREE_ID
        )
        if plan is None:
            return None
        number = plan.number
    is_kept = level_of(armature) is not None or armature.library is not None
    collection = copy_model(armature) if is_kept else own_collection(armature)
    if is_kept:
        mark_as_new(collection.objects)
    remap_objects(root, source, collection.objects, report)
    clear_asset(collection)
    clear_asset(collection.tomb_raider.model)
    move.move_model(root, collection, number, None, Places(root, Kind.MODEL))
    return collection, number


def own_static_mesh(
    root: Collection,
    obj: Object,
    source: Source,
    report: Report,
    statics: Some[Object] | None = None,
    *,
    copies: bool = False,
) -> Object:
    """Return the static mesh of a level that equals a foreign one; add it if it is missing.

    Args:
        statics: the static meshes of the level; None to look them up.
    """
    if statics is None:
        statics = [each for each in members_of(root, Kind.STATIC_MESH) if each != obj]
    equal = equal_static_mesh(root, obj, statics)
    if equal is not None:
        return equal
    result = _library_object(root, obj, copies=copies)
    remap_objects(root, source, [result], report)
    clear_asset(result)
    used = {each.tomb_raider.static_mesh.id for each in statics}
    number = int(result.tomb_raider.static_mesh.id)
    places = Places(root, Kind.STATIC_MESH)
    move.move_static_mesh(root, result, free_id(used) if number in used else number, None, places)
    return result


def own_pictures(
    root: Collection,
    shown: Object,
    sequence: Sequence[Object],
    source: Source,
    report: Report,
    *,
    copies: bool = False,
) -> dict[Object, Object]:
    """Return the pictures of a level by those of a foreign sprite sequence; add them if they are missing.

    Args:
        shown: the needed picture: if the level has it, no other one is added or returned.
    """
    settings, game = shown.tomb_raider.sprite, Game[root.tomb_raider.game]
    source_number = number = int(settings.sequence)
    if source_number != NO_SEQUENCE:
        exact = library_number("sprite", source_number, source.game, game).exact
        pictures = (each for each in members_of(root, Kind.SPRITE_TEXTURE) if each not in sequence)
        same_ids = (each for each in pictures if each.tomb_raider.sprite.sequence == exact)
        alike = next((each for each in same_ids if each.tomb_raider.sprite.place == settings.place), None)
        if alike is not None:
            return {shown: alike}
        piece = Piece("sprite", source_number, names(source.game).sprite(source_number))
        numbering = numbering_of(root, source.game, report, FREE_ID, used_ids(root, set(sequence)))
        plan = numbering.plan(piece, is_asked=False, on_conflict=FREE_ID)
        number = NO_SEQUENCE if plan is None else plan.number
    result = {each: _library_object(root, each, copies=copies) for each in sequence}
    added = list(result.values())
    remap_objects(root, source, added, report)
    for each in added:
        clear_asset(each)
    move.move_sprites(root, added, number, [], Places(root, Kind.SPRITE_TEXTURE))
    return result


def _library_object(root: Collection, obj: Object, *, copies: bool) -> Any:
    """Return an object for the library of a level: itself, or a copy if another level or file keeps it."""
    is_kept = level_of(obj) not in (None, root) or not obj.is_editable
    result: Any = obj
    if is_kept or copies:
        result = obj.copy()
        result.parent = None
    if copies:  # the dropped object may be rotated and scaled
        result.rotation_euler, result.scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    if is_kept and obj.data is not None:
        result.data = obj.data.copy()
    if result is not obj:
        mark_as_new([result])
    return result


def clear_asset(block: Collection | Object) -> None:
    """Clear the asset mark and the payload of a data-block."""
    if block.asset_data is not None:
        block.asset_clear()
    if isinstance(block, Object):
        clear(block)


def _show_static_mesh(
    root: Collection, obj: Object, library: Object, statics: Some[Object], report: Report
) -> Object:
    """Show the static mesh of the level on a placement, and return it."""
    static_mesh = own_static_mesh(root, library, source_of(root, library), report, statics)
    obj.tomb_raider.placement.static_mesh = static_mesh
    if obj.data is not None:
        obj.data = static_mesh.data
    return static_mesh


def _show_picture(root: Collection, obj: Object, report: Report, *, is_foreign: bool) -> bool:
    """Show a picture of the level on a sprite; return whether there is one."""
    if Game[root.tomb_raider.game].traits.has_room_layers:
        return False  # rooms of TR5 have no sprites
    quad = obj.data
    with_quad = (each for each in bpy.data.objects if each.data == quad)
    picture = next((each for each in with_quad if each.tomb_raider.kind == Kind.SPRITE_TEXTURE), None)
    if picture is None or level_of(picture) is None:
        if not is_foreign:
            return False
        # A quad without its picture is of no sequence.
        picture = bpy.data.objects.new(obj.name, obj.data)
        settings = picture.tomb_raider
        settings.kind, settings.index, settings.sprite.sequence = Kind.SPRITE_TEXTURE, -1, NO_SEQUENCE
    obj.data = own_pictures(root, picture, [picture], source_of(root, picture), report)[picture].data
    return True
