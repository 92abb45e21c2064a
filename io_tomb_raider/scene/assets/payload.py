"""Data of a level that is packed into an asset, so that it is complete in another file.

Blender copies the data-blocks that an asset refers to. Its game, the settings of its sounds, its animated
textures, and related objects are stored on the asset's object.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from bpy.types import Collection, Mesh, Object, Speaker

from ...catalogue import names
from ...formats import Game
from ..core.membership import collision_of, members_of
from ..core.subjects import Kind
from ..subjects.meshes.placed import world_corners
from ..subjects.sounds.of_models import copy_sound, note_sounds
from ..subjects.sounds.sources import first_sample, sound_of
from ..subjects.textures.transfer import copy_group


def pack(root: Collection, obj: Object) -> None:
    """Store on an asset's object what it needs of its level.

    Args:
        obj: a model's armature, a static mesh, the first picture of a sprite, a room, or a sound's speaker.
    """
    clear(obj)
    settings, kind = obj.tomb_raider, obj.tomb_raider.kind
    settings.game = root.tomb_raider.game
    for each in (obj, *obj.children):
        if not each.tomb_raider.origin:  # objects without a uid would be claimed as new
            each.tomb_raider.origin = root.tomb_raider.origin
    objects = [obj]
    if kind == Kind.MODEL:
        objects = list(obj.children)
        note_sounds(root, [obj], bpy.data.actions)
    elif kind == Kind.SPRITE_TEXTURE:
        for other in _other_pictures(root, obj):
            settings.along.add().thing = other
    elif kind == Kind.ROOM:
        objects = [obj, *obj.children]
        for other in _related(root, obj):
            settings.along.add().thing = other
        _center_instances(obj)
    _pack_animated_textures(root, obj, objects)


def clear(obj: Object) -> None:
    """Remove an asset's additional data from its object."""
    settings = obj.tomb_raider
    settings.property_unset("game")
    if settings.kind != Kind.MODEL:  # models keep their sounds in any case
        settings.sounds.details.clear()
    settings.along.clear()
    settings.animated.groups.clear()
    for collection in obj.users_collection if settings.kind == Kind.ROOM else ():
        collection.instance_offset = (0.0, 0.0, 0.0)


def _center_instances(room: Object) -> None:
    """Set the instance offset of a room to the middle of its floor, for dropping it."""
    corners = world_corners([room])[0]
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2])
    for collection in room.users_collection:
        if collection.tomb_raider.kind == Kind.ROOM:
            collection.instance_offset = middle


def is_carrier(obj: Object | None) -> bool:
    """Return whether an object has an asset's additional data."""
    if obj is None or not obj.tomb_raider.is_property_set("game"):
        return False
    return obj.tomb_raider.game != ""  # files from anywhere may have an invalid game


def dependencies_of(obj: Object) -> list[Object]:
    """Return the objects that are copied with an asset."""
    return [each.thing for each in obj.tomb_raider.along if each.thing is not None]


def _other_pictures(root: Collection, picture: Object) -> list[Object]:
    """Return the other pictures of a sprite sequence, in order."""
    number = picture.tomb_raider.sprite.sequence
    pictures = [
        each
        for each in members_of(root, Kind.SPRITE_TEXTURE)
        if each.tomb_raider.sprite.sequence == number and each is not picture
    ]
    return sorted(pictures, key=lambda each: int(each.tomb_raider.sprite.place))


def _related(root: Collection, room: Object) -> list[Object]:
    """Return the related objects of a room: its collision, and the pictures of its sprites."""
    collision = collision_of(room)
    related = [] if collision is None else [collision]
    shown = {each.data for each in room.children if each.tomb_raider.kind == Kind.SPRITE}
    return related + [each for each in members_of(root, Kind.SPRITE_TEXTURE) if each.data in shown]


# --- Sounds ----------------------------------------


def _has_sound(obj: Object, number: int) -> bool:
    return any(each.number == number for item in obj.tomb_raider.sounds.details for each in item.ids)


def speakers_of(root: Collection) -> list[Object]:
    """Return the speakers that represent a level's sounds as assets."""
    return [each for each in bpy.data.objects if _is_sound_asset(each, root)]


def _is_sound_asset(obj: Object, root: Collection) -> bool:
    settings = obj.tomb_raider
    return (
        isinstance(obj.data, Speaker)
        and settings.kind == "NONE"
        and settings.origin == root.tomb_raider.origin
        and len(settings.sounds.details) == 1
    )


def speaker_of(root: Collection, number: int) -> Object | None:
    """Return the speaker that represents a sound of a level as an asset, or None."""
    return next((each for each in speakers_of(root) if _has_sound(each, number)), None)


def make_speaker(root: Collection, number: int) -> Object:
    """Create the speaker that represents a sound as an asset, as Blender has no sound assets.

    It is in no collection, so it is not part of the level.
    """
    item = sound_of(root, number)
    name = names(Game[root.tomb_raider.game]).sound(number)
    obj = bpy.data.objects.new(name, bpy.data.speakers.new(name))
    obj.tomb_raider.origin = root.tomb_raider.origin
    if item is not None and isinstance(obj.data, Speaker):
        obj.data.sound = first_sample(item)
        copy_sound(item, obj.tomb_raider.sounds.details.add(), [each.number for each in item.ids])
    obj.tomb_raider.game = root.tomb_raider.game
    return obj


def remove_speakers(objects: Iterable[Object]) -> None:
    """Remove speakers that represent sounds."""
    speakers = list(objects)
    bpy.data.batch_remove([*speakers, *(each.data for each in speakers if each.data is not None)])


# --- Animated textures ----------------------------------------


def _pack_animated_textures(root: Collection, obj: Object, objects: Iterable[Object]) -> None:
    meshes = {each.data for each in objects if isinstance(each.data, Mesh)}
    materials = (each for mesh in meshes for each in mesh.materials if each is not None)
    uids = {int(each.tomb_raider.animation) for each in materials} - {0}
    for group in root.tomb_raider.animated.groups:
        if group.uid not in uids:
            continue
        copy = copy_group(group, obj.tomb_raider.animated.groups)
        copy.uid = group.uid
