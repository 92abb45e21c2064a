"""The objects of a level that can be assets, with their data-blocks and names."""

from __future__ import annotations

from collections.abc import Collection as Some
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from bpy.types import ID, Collection, Mesh, Object

from ...catalogue import names
from ...formats import Game
from ..authoring.texture_regions.regions import level_meshes
from ..core.membership import members, members_of
from ..core.subjects import Kind
from ..subjects.entities.shown import shown_models
from ..subjects.meshes.placed import rooms_with_vertices
from ..subjects.models.models import own_collection
from ..subjects.sounds.sources import first_sample
from ..subjects.textures.materials import user_image
from .payload import speaker_of, speakers_of

# The names of one, and of the catalog of several.
KINDS = {
    "MODELS": ("Model", "Models"),
    "STATIC_MESHES": ("Static Mesh", "Static Meshes"),
    "SPRITES": ("Sprite", "Sprites"),
    "ROOMS": ("Room", "Rooms"),
    "SOUNDS": ("Sound", "Sounds"),
    "MATERIALS": ("Material", "Materials"),
}


class Asset(NamedTuple):
    """An object of a level that can be an asset."""

    kind: str  #: one of :data:`KINDS`.
    number: int  #: its number in the level; -1 for materials.
    name: str  #: its name in the game.
    #: the data-block to mark: a collection, object or material. None for a sound without a speaker.
    block: ID | None
    obj: Object | None  #: the object with the asset's additional data; None for materials.
    shown: Collection | None = None  #: the collection that entities show for a model, such as Lara's skin.


def assets_of(root: Collection, kinds: Some[str], chosen: Iterable[Object] | None = None) -> list[Asset]:
    """Return the assets of a level.

    Args:
        kinds: some of :data:`KINDS`.
        chosen: objects of the level; only assets that they are or use are returned.
    """
    used = None if chosen is None else _used_by(chosen)
    finders = {
        "MODELS": _models,
        "STATIC_MESHES": _static_meshes,
        "SPRITES": _sprites,
        "ROOMS": _rooms,
        "SOUNDS": _sounds,
        "MATERIALS": _materials,
    }
    assets = [asset for kind in KINDS if kind in kinds for asset in finders[kind](root)]
    return assets if used is None else [each for each in assets if _is_used(each, used)]


def _models(root: Collection) -> Iterator[Asset]:
    catalogue, shown = names(Game[root.tomb_raider.game]), shown_models(root)
    for obj in members_of(root, Kind.MODEL):
        if any(isinstance(each.data, Mesh) and len(each.data.polygons) for each in obj.children):
            number = int(obj.tomb_raider.model.id)
            yield Asset(
                "MODELS", number, catalogue.model(number), own_collection(obj), obj, shown.get(number)
            )


def _static_meshes(root: Collection) -> Iterator[Asset]:
    catalogue = names(Game[root.tomb_raider.game])
    for obj in members_of(root, Kind.STATIC_MESH):
        number = int(obj.tomb_raider.static_mesh.id)
        yield Asset("STATIC_MESHES", number, catalogue.static(number), obj, obj)


def _sprites(root: Collection) -> Iterator[Asset]:
    """Yield the first picture of each sequence; the others are copied with it."""
    catalogue = names(Game[root.tomb_raider.game])
    for obj in members_of(root, Kind.SPRITE_TEXTURE):
        settings = obj.tomb_raider.sprite
        if settings.place == 0 and settings.sequence >= 0:
            number = int(settings.sequence)
            yield Asset("SPRITES", number, catalogue.sprite(number), obj, obj)


def _rooms(root: Collection) -> Iterator[Asset]:
    for room in rooms_with_vertices(members(root)):
        collection = next(
            (each for each in room.users_collection if each.tomb_raider.kind == Kind.ROOM), None
        )
        if collection is not None:
            yield Asset("ROOMS", int(room.tomb_raider.index), room.name, collection, room)


def _sounds(root: Collection) -> Iterator[Asset]:
    catalogue = names(Game[root.tomb_raider.game])
    for item in root.tomb_raider.sounds.details:
        if len(item.ids) and first_sample(item) is not None:
            number = int(item.ids[0].number)
            speaker = speaker_of(root, number)
            yield Asset("SOUNDS", number, catalogue.sound(number), speaker, speaker)


def _materials(root: Collection) -> Iterator[Asset]:
    meshes = (mesh for mesh, _ in level_meshes(root))
    for material in dict.fromkeys(each for mesh in meshes for each in mesh.materials if each is not None):
        image = user_image(material)
        if image is not None and material.tomb_raider.kind in ("NONE", "PAGE", "PALETTE"):
            yield Asset("MATERIALS", -1, material.name, material, None)


# --- Selection ----------------------------------------


def _used_by(chosen: Iterable[Object]) -> set[Any]:
    """Return objects and what they use: collections, objects, meshes, materials, and numbers of sounds."""
    result: set[Any] = set()
    for obj in chosen:
        settings = obj.tomb_raider
        result.add(obj)
        if isinstance(obj.data, Mesh):
            result |= {obj.data, *(each for each in obj.data.materials if each is not None)}
        if obj.instance_collection is not None:
            result |= {obj.instance_collection, obj.instance_collection.tomb_raider.model}
        if settings.kind == Kind.MODEL_MESH:
            result.add(obj.parent)
        elif settings.kind == Kind.PLACEMENT:
            result.add(settings.placement.static_mesh)
        elif settings.kind == Kind.SOUND_SOURCE:
            result.add(int(settings.sound_source.sound))
    result.discard(None)
    return result


def _is_used(asset: Asset, used: set[Any]) -> bool:
    if asset.kind == "SOUNDS":
        return asset.number in used
    if asset.kind == "SPRITES" and asset.obj is not None and asset.obj.data in used:
        return True
    return asset.block in used or asset.obj in used


def marked_blocks(root: Collection) -> list[ID]:
    """Return the data-blocks of a level that are marked as assets."""
    blocks = [each.block for each in assets_of(root, KINDS) if each.block is not None]
    return [each for each in dict.fromkeys([*blocks, *speakers_of(root)]) if each.asset_data is not None]
