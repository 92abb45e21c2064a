"""Claims of assets that were dropped into a level, also from other games.

An asset that the level has already is replaced by the object of the level. Otherwise its objects are moved to
the library as in an append, or copied if they are linked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpy.types import Collection, Mesh, Object, Speaker

from ...assets.payload import dependencies_of, is_carrier
from ...core.members import level_of, levels
from ...core.report import Report
from ...core.subjects import Kind
from ...subjects.sounds.sources import show_source, sound_of
from ..engine.plan import numbering_of
from .copy_sounds import bring_carried
from .import_referenced_data import own_model, own_pictures, own_static_mesh, unmark
from .remap_foreign import source_of
from .room_drop import take_room

# Collections of objects in the world, not of libraries or cutscenes.
WORLD = frozenset(
    {Kind.LEVEL, Kind.ROOMS, Kind.ROOM, Kind.ENTITIES, Kind.TRIGGERS, Kind.CAMERAS, Kind.SOUNDS}
)
_HOMES: dict[str, str] = {Kind.STATIC_MESH: Kind.STATIC_MESHES, Kind.SPRITE_TEXTURE: Kind.SPRITES}


def bring_assets(root: Collection, homes: Mapping[Object, set[str]], report: Report | None = None) -> bool:
    """Claim the assets in a level; return whether there were any.

    Args:
        root: the level.
        homes: its objects, with the kinds of the collections of each.
        report: receives warnings about lost and replaced data.
    """
    arrivals = _Arrivals(root, report or Report())
    came = arrivals.take_collections()
    return any([arrivals.take(obj, kinds) for obj, kinds in list(homes.items())]) or came


class _Arrivals:
    """Claims of assets for a level."""

    def __init__(self, root: Collection, report: Report) -> None:
        self._root, self._report = root, report
        self._own = set(root.children_recursive)
        self._imported = root.tomb_raider.imported

    def take_collections(self) -> bool:
        """Claim collections of models and rooms of other files; return whether there were any."""
        here: set[int] | None = None
        came = False
        for home in [each for each in self._own if each.tomb_raider.kind in (Kind.MODEL, Kind.ROOM)]:
            obj = next(
                (each for each in home.objects if each.tomb_raider.kind == home.tomb_raider.kind), None
            )
            if obj is None or not is_carrier(obj):
                continue
            if here is None:
                here = {each.tomb_raider.origin for each in levels()}
            if obj.tomb_raider.origin in here:
                continue
            parents = [
                each for each in (self._root, *self._root.children_recursive) if home in each.children[:]
            ]
            for parent in parents:
                parent.children.unlink(home)
            if home.tomb_raider.kind == Kind.ROOM:
                taken = take_room(self._root, None, home, self._report)
            else:
                taken = self._take_model(home, is_new=True) is not None
            for parent in () if taken else parents:
                parent.children.link(home)
            came |= taken
        if came:
            self._own = set(self._root.children_recursive)
        return came

    def take(self, obj: Object, homes: set[str]) -> bool:
        """Claim the asset that an object is or shows; return whether there was one."""
        if homes.isdisjoint(WORLD):
            return False
        settings, shown = obj.tomb_raider, obj.instance_collection
        if shown is not None:
            return self._take_shown(obj, shown)
        if settings.kind not in (Kind.STATIC_MESH, Kind.SPRITE_TEXTURE, Kind.NONE) or not is_carrier(obj):
            return False
        if settings.kind == Kind.STATIC_MESH and _HOMES[Kind.STATIC_MESH] not in homes:
            return self._take_static_mesh(obj)
        if settings.kind == Kind.SPRITE_TEXTURE and _HOMES[Kind.SPRITE_TEXTURE] not in homes:
            return self._take_sprite(obj)
        if settings.kind == Kind.NONE and isinstance(obj.data, Speaker):
            return self._take_sound(obj)
        return False

    def _take_shown(self, obj: Object, shown: Collection) -> bool:
        kind = shown.tomb_raider.kind
        if obj.tomb_raider.kind not in (Kind.NONE, Kind.ENTITY) or shown in self._own or not obj.is_editable:
            return False
        if kind == Kind.ROOM:
            came = take_room(self._root, obj, shown, self._report)
        elif kind == Kind.MODEL and is_carrier(shown.tomb_raider.model):
            own = self._take_model(shown)
            came = own is not None
            if own is not None:
                obj.instance_collection, number = own
                if obj.tomb_raider.kind == Kind.ENTITY:
                    obj.tomb_raider.entity.type = number
        else:
            return False
        self._own = set(self._root.children_recursive)
        return came

    # --- Models

    def _take_model(self, shown: Collection, *, is_new: bool = False) -> tuple[Collection, int] | None:
        """Return the collection of the level for the model of an asset, and its id; None if there is none."""
        armature = shown.tomb_raider.model
        if "MODELS" not in self._imported or armature is None or level_of(armature) is not None:
            return None
        return own_model(self._root, shown, self._report, is_new=is_new)

    # --- Static meshes, sprites, sounds

    def _take_static_mesh(self, obj: Object) -> bool:
        if "STATIC_MESHES" not in self._imported or not isinstance(obj.data, Mesh):
            return False
        source = source_of(self._root, obj)
        own = own_static_mesh(self._root, obj, source, self._report, copies=True)
        self._stand_for(obj, own.data)
        return True

    def _take_sprite(self, obj: Object) -> bool:
        if "SPRITES" not in self._imported:
            return False
        sequence, source = [obj, *dependencies_of(obj)], source_of(self._root, obj)
        own = own_pictures(self._root, obj, sequence, source, self._report, copies=True)
        self._stand_for(obj, own[obj].data)
        return True

    def _take_sound(self, obj: Object) -> bool:
        details = obj.tomb_raider.sounds.details
        if "SOUNDS" not in self._imported or "SOUND_SOURCES" not in self._imported or not len(details):
            return False
        number = int(details[0].ids[0].number)
        game = source_of(self._root, obj).game
        numbering = numbering_of(self._root, game, self._report)
        bring_carried(self._root, obj, game, numbering, self._report)
        here = numbering.number("sound", number)
        if sound_of(self._root, here) is None:
            return False  # the numbering has warned
        source = self._stand_for(obj, obj.data)
        settings = source.tomb_raider
        settings.kind, settings.index, settings.origin = Kind.SOUND_SOURCE, -1, self._root.tomb_raider.origin
        settings.sound_source.sound = here
        show_source(source, self._root)
        return True

    def _stand_for(self, obj: Object, data: object) -> Object:
        """Turn an asset into an object without a kind that has data of the level; return it, or its copy."""
        found: Any = obj
        if not obj.is_editable:
            found = obj.copy()
            found.data = data.copy() if isinstance(data, Speaker) else data
            for home in obj.users_collection:
                home.objects.link(found)
                home.objects.unlink(obj)
        elif found.data is not data:
            found.data = data
        unmark(found)
        found.tomb_raider.kind = Kind.NONE
        found.tomb_raider.origin = self._root.tomb_raider.origin
        return found
