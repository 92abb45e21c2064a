"""Claims of rooms that were dropped into a level: they move by whole sectors."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Vector

from ....formats import Game
from ....formats.base import CLICK, SECTOR_SIZE
from ...assets.payload import dependencies_of
from ...core.membership import home_of, level_of
from ...core.reporting.report import Report
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...subjects.rooms.transfer import clear_room_references
from ..engine.copies import copy_objects
from .import_referenced_data import clear_asset, own_pictures, own_static_mesh
from .remap_foreign import Source, remap_objects, source_of


def claim_room(root: Collection, obj: Object | None, shown: Collection, report: Report) -> bool:
    """Claim a dropped room for a level, and remap it; return whether that is possible.

    Args:
        obj: the dropped instance, which is removed; None if the collection itself is in the level.
        shown: the collection of the room, which is in no level.
    """
    room = next((each for each in shown.objects if each.tomb_raider.kind == Kind.ROOM), None)
    if room is None or level_of(room) is not None or "ROOMS" not in root.tomb_raider.imported:
        return False
    source, is_linked = source_of(root, room, shown.objects), not room.is_editable
    objects = list(dict.fromkeys([*shown.objects, *dependencies_of(room)]))
    offset = Vector()
    if obj is not None:
        offset = _rounded(root, world_matrix(obj).translation - shown.instance_offset)
    copies = copy_objects(objects) if is_linked else {each: each for each in objects}
    target = _copy_collection(shown, copies) if is_linked else shown
    home_of(root, Kind.ROOMS).children.link(target)
    for each in copies.values():
        if each.tomb_raider.kind == Kind.COLLISION:
            home_of(root, Kind.COLLISION).objects.link(each)
    _relink(root, source, copies.values(), report)
    moved = [each for each in copies.values() if each.tomb_raider.kind != Kind.SPRITE_TEXTURE]
    remap_objects(root, source, moved, report)
    clear_asset(copies[room])
    clear_asset(target)
    target.instance_offset = (0.0, 0.0, 0.0)
    for block in (target, copies[room]):
        block.hide_render = block.hide_viewport = False
    for each in target.objects:
        if each.parent is None:
            each.location += offset
    if obj is not None:
        for collection in obj.users_collection:
            collection.objects.unlink(obj)
        obj.instance_collection = None
    return True


def _rounded(root: Collection, offset: Vector) -> Vector:
    """Return an offset rounded to whole sectors horizontally, and to clicks vertically."""
    steps = np.array([SECTOR_SIZE, SECTOR_SIZE, CLICK]) * root.tomb_raider.scale
    return Vector((np.rint(np.array(offset) / steps) * steps).tolist())


def _copy_collection(shown: Collection, copies: dict[Object, Object]) -> Collection:
    """Return a collection for the copies of a linked room."""
    result = bpy.data.collections.new(shown.name)
    result.tomb_raider.kind = Kind.ROOM
    for each in shown.objects:
        result.objects.link(copies[each])
    return result


def _relink(root: Collection, source: Source, objects: Iterable[Object], report: Report) -> None:
    """Relink the objects of a room to the library of the level, and clear other references."""
    objects, statics = list(objects), dict[Object, Object]()
    for each in objects:
        settings = each.tomb_raider
        clear_room_references(each)
        if settings.kind == Kind.PLACEMENT and settings.placement.static_mesh is not None:
            library = settings.placement.static_mesh
            if library not in statics:
                statics[library] = own_static_mesh(root, library, source, report)
            settings.placement.static_mesh = statics[library]
            if each.data is not None:
                each.data = statics[library].data
    if not Game[root.tomb_raider.game].traits.has_room_layers:  # TR5 has no room sprites
        _relink_sprites(root, source, objects, report)


def _relink_sprites(root: Collection, source: Source, objects: list[Object], report: Report) -> None:
    pictures = [each for each in objects if each.tomb_raider.kind == Kind.SPRITE_TEXTURE]
    quads = {each: each.data for each in pictures}
    replacements: dict[Object, Object] = {}
    for each in pictures:
        if each not in replacements:
            number = each.tomb_raider.sprite.sequence
            alike = [other for other in pictures if other.tomb_raider.sprite.sequence == number]
            replacements |= own_pictures(
                root, each, [other for other in alike if other not in replacements], source, report
            )
    data = {quad: replacements[each].data for each, quad in quads.items()}
    for each in objects:
        if each.tomb_raider.kind == Kind.SPRITE and each.data in data:
            each.data = data[each.data]
