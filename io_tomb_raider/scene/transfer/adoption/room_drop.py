"""A room of a library that was put into a level: it stands where it was dropped, in whole sectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object
from mathutils import Vector

from ....formats import Game
from ....formats.base.units import CLICK, SECTOR_SIZE
from ...assets.payload import clear, dependencies_of, is_carrier
from ...core.library import Places
from ...core.members import home_of, level_of, members_of
from ...core.report import Report
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...core.transfer import Transfer
from ...subjects.static_meshes.new import free_id
from ...subjects.static_meshes.transfer import equal_static_mesh
from ...subjects.textures.transfer import adopt_materials
from ..engine import move
from ..engine.copies import copy_objects, mark_as_new
from ..engine.engine import prepare, remap


class RoomArrival:
    """One room on its way into a level."""

    def __init__(self, root: Collection, report: Report) -> None:
        self._root, self._report = root, report
        self._statics: dict[Object, Object] = {}

    def take(self, obj: Object | None, shown: Collection) -> bool:
        """Take in a room, converted where it is one of another game. Tells whether that could be.

        Args:
            object: the instance that was dropped, which then is no more; None where the room lies there.
            shown: its collection, which lies in no level.
        """
        room = next((each for each in shown.objects if each.tomb_raider.kind == Kind.ROOM), None)
        if room is None or level_of(room) is not None or "ROOMS" not in self._root.tomb_raider.imported:
            return False
        target = Game[self._root.tomb_raider.game]
        game = Game[room.tomb_raider.game] if is_carrier(room) else target
        objects = [*shown.objects, *(each for each in dependencies_of(room) if each not in shown.objects[:])]
        is_linked = not room.is_editable
        way = Vector()
        if obj is not None:
            way = self._way(world_matrix(obj).translation - shown.instance_offset)
        own = copy_objects(objects) if is_linked else {each: each for each in objects}
        home = self._home(shown, own) if is_linked else shown
        moved = list(own.values())
        transfer = Transfer(
            self._root, game, target, self._report, moved, present=set(moved), only_unlinks=True
        )
        self._settle(transfer, own[room])
        prepared = prepare(transfer)
        adopt_materials(transfer, room, moved, copies=is_linked)
        remap(transfer, prepared)
        clear(own[room])
        if home.asset_data is not None:
            home.asset_clear()
        home.instance_offset = (0.0, 0.0, 0.0)
        home.hide_render = home.hide_viewport = False
        home_of(self._root, Kind.ROOMS).children.link(home)
        for each in home.objects:
            if each.parent is None:
                each.location += way
        if obj is not None:
            for collection in obj.users_collection:
                collection.objects.unlink(obj)
            obj.instance_collection = None
        return True

    def _way(self, way: Vector) -> Vector:
        """Return how far a room moves: by whole sectors, and by clicks up and down."""
        steps = np.array([SECTOR_SIZE, SECTOR_SIZE, CLICK]) * self._root.tomb_raider.scale
        return Vector((np.rint(np.array(way) / steps) * steps).tolist())

    def _home(self, shown: Collection, own: dict[Object, Object]) -> Collection:
        """Return a collection for the copies of a linked room."""
        made = bpy.data.collections.new(shown.name)
        made.tomb_raider.kind = Kind.ROOM
        for each in shown.objects:
            made.objects.link(own[each])
        return made

    # --- What it refers to

    def _settle(self, transfer: Transfer, room: Object) -> None:
        """Let what stands in the room refer to objects of the level, and to nothing elsewhere."""
        pictures = transfer.objects(Kind.SPRITE_TEXTURE)
        self._bring_pictures(pictures)
        for each in transfer.moved or ():
            settings = each.tomb_raider
            if settings.kind == Kind.ROOM:
                settings.room.alternate_room = None
            elif settings.kind == Kind.COLLISION:
                for entry in settings.collision.rooms:
                    entry.room = None
                home_of(self._root, Kind.COLLISION).objects.link(each)
            elif settings.kind == Kind.PLACEMENT:
                self._bring_static_mesh(transfer, each)
        room.hide_render = room.hide_viewport = False

    def _bring_pictures(self, pictures: list[Object]) -> None:
        """Bring the pictures of the room's sprites, each as a sequence that the level does not have."""
        taken = {each.tomb_raider.sprite.sequence for each in members_of(self._root, Kind.SPRITE_TEXTURE)}
        places = Places(self._root, Kind.SPRITE_TEXTURE)
        for each in pictures:
            number = int(each.tomb_raider.sprite.sequence)
            move.move_sprites(self._root, [each], -1 if number in taken else number, [], places)

    def _bring_static_mesh(self, transfer: Transfer, obj: Object) -> None:
        """Let a placement show a static mesh of the level: that of the same shape, or one more."""
        settings = obj.tomb_raider.placement
        library = settings.static_mesh
        if library is None:
            return
        if library not in self._statics:
            self._statics[library] = own_static_mesh(transfer, library, obj.parent)
        settings.static_mesh = self._statics[library]
        if obj.data is not None:
            obj.data = self._statics[library].data


def own_static_mesh(transfer: Transfer, obj: Object, carrier: Object | None = None) -> Object:
    """Return the static mesh of a level that equals another one, or one more that is a copy.

    Args:
        transfer: to the level.
        obj: the static mesh of a library.
        carrier: the object that carries what its materials need; itself without.
    """
    root = transfer.root
    statics = [each for each in members_of(root, Kind.STATIC_MESH) if each is not obj]
    own = equal_static_mesh(root, obj, statics)
    if own is not None:
        return own
    made: Any = obj.copy()
    made.parent = None
    made.rotation_euler, made.scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    copies = not obj.is_editable
    if copies:
        made.data = obj.data.copy() if obj.data is not None else None
    mark_as_new([made])
    moved = replace(transfer, moved=[made])
    adopt_materials(moved, carrier or obj, [made], copies=copies)
    remap(moved, prepare(moved))
    number, taken = int(obj.tomb_raider.static_mesh.id), {each.tomb_raider.static_mesh.id for each in statics}
    places = Places(root, Kind.STATIC_MESH)
    move.move_static_mesh(root, made, free_id(taken) if number in taken else number, None, places)
    clear(made)
    return made
