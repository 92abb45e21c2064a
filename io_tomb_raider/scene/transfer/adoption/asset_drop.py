"""Claims of assets that were dropped into a level, also from other games.

An asset that the level has already is replaced by the object of the level. Otherwise its objects are moved to
the library as in an append, or copied if they are linked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpy.types import Collection, Mesh, Object, Speaker

from ...assets.payload import dependencies_of, is_carrier
from ...core.membership import level_of, levels
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ...subjects.sounds.sources import show_source, sound_of
from ..engine.plan import numbering_of
from .copy_sounds import import_payload_sounds
from .import_referenced_data import clear_asset, own_model, own_pictures, own_static_mesh
from .remap_foreign import source_of
from .room_drop import claim_room

# Collections of objects in the world, not of libraries or cutscenes.
WORLD = frozenset(
    {Kind.LEVEL, Kind.ROOMS, Kind.ROOM, Kind.ENTITIES, Kind.TRIGGERS, Kind.CAMERAS, Kind.SOUNDS}
)
_HOMES: dict[str, str] = {Kind.STATIC_MESH: Kind.STATIC_MESHES, Kind.SPRITE_TEXTURE: Kind.SPRITES}


def claim_assets(
    root: Collection, home_kinds: Mapping[Object, set[str]], report: Report | None = None
) -> bool:
    """Claim the assets in a level; return whether there were any.

    Args:
        home_kinds: its objects, with the kinds of the collections of each.
    """
    claims = _AssetClaims(root, report or Report())
    is_changed = claims.claim_collections()
    return any([claims.claim(obj, kinds) for obj, kinds in list(home_kinds.items())]) or is_changed


class _AssetClaims:
    """Claims of assets for a level."""

    def __init__(self, root: Collection, report: Report) -> None:
        self._root, self._report = root, report
        self._collections = set(root.children_recursive)
        self._imported = root.tomb_raider.imported

    def claim_collections(self) -> bool:
        """Claim collections of models and rooms of other files; return whether there were any."""
        origins: set[int] | None = None
        is_changed = False
        for collection in [
            each for each in self._collections if each.tomb_raider.kind in (Kind.MODEL, Kind.ROOM)
        ]:
            obj = next(
                (each for each in collection.objects if each.tomb_raider.kind == collection.tomb_raider.kind),
                None,
            )
            if obj is None or not is_carrier(obj):
                continue
            if origins is None:
                origins = {each.tomb_raider.origin for each in levels()}
            if obj.tomb_raider.origin in origins:
                continue
            parents = [
                each
                for each in (self._root, *self._root.children_recursive)
                if collection in each.children[:]
            ]
            for parent in parents:
                parent.children.unlink(collection)
            if collection.tomb_raider.kind == Kind.ROOM:
                is_claimed = claim_room(self._root, None, collection, self._report)
            else:
                is_claimed = self._claim_model(collection, is_new=True) is not None
            for parent in () if is_claimed else parents:
                parent.children.link(collection)
            is_changed |= is_claimed
        if is_changed:
            self._collections = set(self._root.children_recursive)
        return is_changed

    def claim(self, obj: Object, home_kinds: set[str]) -> bool:
        """Claim the asset that an object is or shows; return whether there was one."""
        if home_kinds.isdisjoint(WORLD):
            return False
        settings, shown = obj.tomb_raider, obj.instance_collection
        if shown is not None:
            return self._claim_shown(obj, shown)
        if settings.kind not in (Kind.STATIC_MESH, Kind.SPRITE_TEXTURE, Kind.NONE) or not is_carrier(obj):
            return False
        if settings.kind == Kind.STATIC_MESH and _HOMES[Kind.STATIC_MESH] not in home_kinds:
            return self._claim_static_mesh(obj)
        if settings.kind == Kind.SPRITE_TEXTURE and _HOMES[Kind.SPRITE_TEXTURE] not in home_kinds:
            return self._claim_sprite(obj)
        if settings.kind == Kind.NONE and isinstance(obj.data, Speaker):
            return self._claim_sound(obj)
        return False

    def _claim_shown(self, obj: Object, shown: Collection) -> bool:
        kind = shown.tomb_raider.kind
        if (
            obj.tomb_raider.kind not in (Kind.NONE, Kind.ENTITY)
            or shown in self._collections
            or not obj.is_editable
        ):
            return False
        if kind == Kind.ROOM:
            is_changed = claim_room(self._root, obj, shown, self._report)
        elif kind == Kind.MODEL and is_carrier(shown.tomb_raider.model):
            claimed = self._claim_model(shown)
            is_changed = claimed is not None
            if claimed is not None:
                obj.instance_collection, number = claimed
                if obj.tomb_raider.kind == Kind.ENTITY:
                    obj.tomb_raider.entity.type = number
        else:
            return False
        self._collections = set(self._root.children_recursive)
        return is_changed

    # --- Models

    def _claim_model(self, shown: Collection, *, is_new: bool = False) -> tuple[Collection, int] | None:
        """Return the collection of the level for the model of an asset, and its id; None if there is none."""
        armature = shown.tomb_raider.model
        if "MODELS" not in self._imported or armature is None or level_of(armature) is not None:
            return None
        return own_model(self._root, shown, self._report, is_new=is_new)

    # --- Static meshes, sprites, sounds

    def _claim_static_mesh(self, obj: Object) -> bool:
        if "STATIC_MESHES" not in self._imported or not isinstance(obj.data, Mesh):
            return False
        source = source_of(self._root, obj)
        static_mesh = own_static_mesh(self._root, obj, source, self._report, copies=True)
        self._plain_object(obj, static_mesh.data)
        return True

    def _claim_sprite(self, obj: Object) -> bool:
        if "SPRITES" not in self._imported:
            return False
        sequence, source = [obj, *dependencies_of(obj)], source_of(self._root, obj)
        pictures = own_pictures(self._root, obj, sequence, source, self._report, copies=True)
        self._plain_object(obj, pictures[obj].data)
        return True

    def _claim_sound(self, obj: Object) -> bool:
        details = obj.tomb_raider.sounds.details
        if "SOUNDS" not in self._imported or "SOUND_SOURCES" not in self._imported or not len(details):
            return False
        number = int(details[0].ids[0].number)
        game = source_of(self._root, obj).game
        numbering = numbering_of(self._root, game, self._report)
        import_payload_sounds(self._root, obj, game, numbering, self._report)
        own_number = numbering.number("sound", number)
        if sound_of(self._root, own_number) is None:
            return False  # the numbering has warned
        source = self._plain_object(obj, obj.data)
        settings = source.tomb_raider
        settings.kind, settings.index, settings.origin = Kind.SOUND_SOURCE, -1, self._root.tomb_raider.origin
        settings.sound_source.sound = own_number
        show_source(source, self._root)
        return True

    def _plain_object(self, obj: Object, data: object) -> Object:
        """Turn an asset into an object without a kind that has data of the level; return it, or its copy."""
        result: Any = obj
        if not obj.is_editable:
            result = obj.copy()
            result.data = data.copy() if isinstance(data, Speaker) else data
            for home in obj.users_collection:
                home.objects.link(result)
                home.objects.unlink(obj)
        elif result.data is not data:
            result.data = data
        clear_asset(result)
        result.tomb_raider.kind = Kind.NONE
        result.tomb_raider.origin = self._root.tomb_raider.origin
        return result
