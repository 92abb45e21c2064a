"""A room of a library that was put into a level: it stands where it was dropped, in whole sectors."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Vector

from ...formats import Game
from ...formats.base.units import CLICK, SECTOR_SIZE
from ..core.members import level_of, members_of
from ..core.report import Report
from ..core.space import world_matrix
from ..mesh.read import vertices_of
from ..subjects.portals.room_tools import home_of
from ..subjects.static_meshes.new import free_id
from .append import move
from .append.copies import be_new, copy_things, lend_materials
from .asset_payload import along_with, drop, is_carrier
from .convert.standing import convert_standing

_NEAR = 1e-4  # units of Blender
_LABELS = {"ROOMS": "Rooms", "COLLISION": "Collision"}


class RoomArrival:
    """One room on its way into a level."""

    def __init__(self, root: Collection, report: Report) -> None:
        self._root, self._report = root, report
        self._statics: dict[Object, Object] = {}

    def take(self, thing: Object | None, shown: Collection) -> bool:
        """Take in a room, converted where it is one of another game. Tells whether that could be.

        Args:
            thing: the instance that was dropped, which then is no more; None where the room lies there.
            shown: its collection, which lies in no level.
        """
        room = next((each for each in shown.objects if each.tomb_raider.kind == "ROOM"), None)
        if room is None or level_of(room) is not None or "ROOMS" not in self._root.tomb_raider.imported:
            return False
        target = Game[self._root.tomb_raider.game]
        game = Game[room.tomb_raider.game] if is_carrier(room) else target
        things = [*shown.objects, *(each for each in along_with(room) if each not in shown.objects[:])]
        is_linked = not room.is_editable
        way = Vector()
        if thing is not None:
            way = self._way(world_matrix(thing).translation - shown.instance_offset)
        own = copy_things(things) if is_linked else {each: each for each in things}
        home = self._home(shown, own) if is_linked else shown
        self._settle(own, own[room])
        source, meshes = room, [each for each in own.values() if isinstance(each.data, Mesh)]
        if is_linked:
            lend_materials(self._root, source, meshes, self._report)
        else:
            move.take_materials(self._root, source, meshes, self._report)
        if game is not target:
            convert_standing(own.values(), game, target, self._root.tomb_raider.scale, self._report)
        drop(own[room])
        if home.asset_data is not None:
            home.asset_clear()
        home.instance_offset = (0.0, 0.0, 0.0)
        home.hide_render = home.hide_viewport = False
        home_of(self._root, "ROOMS", _LABELS["ROOMS"]).children.link(home)
        for each in home.objects:
            if each.parent is None:
                each.location += way
        if thing is not None:
            for collection in thing.users_collection:
                collection.objects.unlink(thing)
            thing.instance_collection = None
        return True

    def _way(self, way: Vector) -> Vector:
        """Return how far a room moves: by whole sectors, and by clicks up and down."""
        steps = np.array([SECTOR_SIZE, SECTOR_SIZE, CLICK]) * self._root.tomb_raider.scale
        return Vector((np.rint(np.array(way) / steps) * steps).tolist())

    def _home(self, shown: Collection, own: dict[Object, Object]) -> Collection:
        """Return a collection for the copies of a linked room."""
        made = bpy.data.collections.new(shown.name)
        made.tomb_raider.kind = "ROOM"
        for each in shown.objects:
            made.objects.link(own[each])
        return made

    # --- What it refers to

    def _settle(self, own: dict[Object, Object], room: Object) -> None:
        """Let what stands in the room refer to things of the level, and to nothing elsewhere."""
        pictures = [each for each in own.values() if each.tomb_raider.kind == "SPRITE_TEXTURE"]
        self._bring_pictures(pictures)
        for each in own.values():
            settings = each.tomb_raider
            if settings.kind == "ROOM":
                settings.room.alternate_room = None
            elif settings.kind == "COLLISION":
                for entry in settings.collision.rooms:
                    entry.room = None
                home_of(self._root, "COLLISION", _LABELS["COLLISION"]).objects.link(each)
            elif settings.kind == "PLACEMENT":
                self._bring_static_mesh(each)
        room.hide_render = room.hide_viewport = False

    def _bring_pictures(self, pictures: list[Object]) -> None:
        """Bring the pictures of the room's sprites, each as a sequence that the level does not have."""
        taken = {each.tomb_raider.sprite.sequence for each in members_of(self._root, "SPRITE_TEXTURE")}
        places = move.Places(self._root, "SPRITE_TEXTURE")
        for each in pictures:
            number = int(each.tomb_raider.sprite.sequence)
            move.move_sprites(self._root, [each], -1 if number in taken else number, [], places)

    def _bring_static_mesh(self, thing: Object) -> None:
        """Let a placement show a static mesh of the level: that of the same shape, or one more."""
        settings = thing.tomb_raider.placement
        library = settings.static_mesh
        if library is None:
            return
        if library not in self._statics:
            self._statics[library] = own_static_mesh(self._root, library, self._report, thing.parent)
        settings.static_mesh = self._statics[library]
        if thing.data is not None:
            thing.data = self._statics[library].data


def own_static_mesh(root: Collection, thing: Object, report: Report, carrier: Object | None = None) -> Object:
    """Return the static mesh of a level with the id and shape of another one, or one more that is a copy.

    Args:
        root: the level.
        thing: the static mesh of a library.
        report: takes what the game cannot show.
        carrier: the object that carries what its materials need; itself without.
    """
    statics = [each for each in members_of(root, "STATIC_MESH") if each is not thing]
    number = int(thing.tomb_raider.static_mesh.id)
    for each in statics:
        if each.tomb_raider.static_mesh.id == number and _alike(each, thing):
            return each
    made: Any = thing.copy()
    made.parent = None
    made.rotation_euler, made.scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    source = carrier or thing
    if thing.is_editable:
        be_new([made])
        move.take_materials(root, source, [made], report)
    else:
        made.data = thing.data.copy() if thing.data is not None else None
        be_new([made])
        lend_materials(root, source, [made], report)
    taken = {each.tomb_raider.static_mesh.id for each in statics}
    places = move.Places(root, "STATIC_MESH")
    move.move_static_mesh(root, made, free_id(taken) if number in taken else number, None, places)
    drop(made)
    return made


def _alike(one: Object, other: Object) -> bool:
    if not isinstance(one.data, Mesh) or not isinstance(other.data, Mesh):
        return False
    points = vertices_of(one.data), vertices_of(other.data)
    return points[0].shape == points[1].shape and bool(abs(points[0] - points[1]).max(initial=0.0) < _NEAR)
