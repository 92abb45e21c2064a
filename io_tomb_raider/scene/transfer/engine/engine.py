"""The transfer engine: the ``transfer`` verbs of all subjects, called in one order."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field

import bpy
from bpy.types import Sound

from ....formats.base import T
from ...core.transfer import Transfer
from ...subjects.animations.sky import straighten_skies
from ...subjects.animations.transfer import remap_animations
from ...subjects.cameras.transfer import remap_cameras
from ...subjects.collision.edit import CollisionEdit
from ...subjects.collision.transfer import read_collision, remap_collision
from ...subjects.cutscenes.transfer import remap_cinematics
from ...subjects.entities.transfer import remap_entities, remap_entity_values
from ...subjects.lights.transfer import remap_lights
from ...subjects.meshes.transfer import remap_meshes
from ...subjects.models.transfer import join_bones, remap_models
from ...subjects.portals.transfer import remap_portals
from ...subjects.rooms.transfer import flip_group_of, remap_rooms
from ...subjects.script.transfer import remap_script_objects
from ...subjects.skins.transfer import remap_skins
from ...subjects.sounds.transfer import remap_sounds, remap_sources
from ...subjects.sprites.transfer import remap_room_sprites, remap_sprites
from ...subjects.static_meshes.transfer import remap_placements, remap_static_meshes
from ...subjects.textures.transfer import remap_animated_textures, remap_materials
from ...subjects.triggers.transfer import remap_triggers


@dataclass(frozen=True)
class PreparedTransfer:
    """Data of the source that is read before any object is remapped."""

    collision: list[CollisionEdit]  #: the collision of all rooms.
    #: the samples of a whole level, in the form of the target game.
    waves: Mapping[Sound, bytes] = field(default_factory=dict)
    #: ids of models and sprite sequences that are appended to a whole level later.
    expected: Container[int] = ()


def prepare(transfer: Transfer) -> PreparedTransfer:
    """Read the data of the source. Call it before any object is remapped.

    Raises:
        ExportError: the collision of a sector is invalid.
    """
    transfer.flip_group = flip_group_of(transfer)
    return PreparedTransfer(read_collision(transfer))


def remap(
    transfer: Transfer, prepared: PreparedTransfer, progress: Callable[[str], object] | None = None
) -> None:
    """Remap all transferred objects, and remove unsupported ones.

    For a whole level, remap also materials, animated textures, sounds and ids. Single objects get their
    materials by :func:`~...subjects.textures.transfer.adopt_materials`, and their ids by
    :mod:`.move`.
    """
    is_whole = transfer.moved is None
    progress = progress or (lambda _step: None)
    if is_whole:
        remap_materials(transfer, transfer.materials())
        remap_animated_textures(transfer, transfer.root.tomb_raider.animated.groups)
    progress(T("Meshes"))
    remap_meshes(transfer)
    remap_skins(transfer)
    progress(T("Rooms"))
    remap_rooms(transfer)
    remap_lights(transfer)
    remap_portals(transfer)
    remap_room_sprites(transfer)
    progress(T("Collision"))
    remap_collision(transfer, prepared.collision)
    progress(T("Library"))
    remap_animations(transfer)
    straighten_skies(transfer)
    remap_static_meshes(transfer)
    remap_placements(transfer)
    if is_whole:
        remap_models(transfer)
        remap_sprites(transfer)
        remap_sounds(transfer, prepared.waves)
    else:
        join_bones(transfer)
    remap_sources(transfer)
    progress(T("Entities and Triggers"))
    if is_whole:
        remap_entities(transfer, prepared.expected)
    else:
        remap_entity_values(transfer)
    remap_cameras(transfer)
    remap_cinematics(transfer)
    remap_script_objects(transfer)
    remap_triggers(transfer)
    remove_discarded(transfer)


def remove_discarded(transfer: Transfer) -> None:
    """Remove the discarded objects of a transfer, with data that is unused afterwards."""
    data = [obj.data for obj in transfer.discarded if obj.data is not None]
    if transfer.moved is not None:
        transfer.moved[:] = [obj for obj in transfer.moved if obj not in transfer.discarded]
    if transfer.only_unlinks:
        for obj in transfer.discarded:
            for home in obj.users_collection:
                home.objects.unlink(obj)
        return
    bpy.data.batch_remove(list(transfer.discarded))
    transfer.discarded.clear()
    bpy.data.batch_remove([each for each in dict.fromkeys(data) if not each.users])
