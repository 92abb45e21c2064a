"""Lara's skin in another game."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Object

from ....catalogue import names
from ....catalogue.outfit import SKINS
from ....formats.games import LARA
from ...core.compat import LONGEST_NAME
from ...core.library import Places
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .models import hang, own_collection


def remap_skin(transfer: Transfer) -> None:
    """Use the model that the game draws for Lara, before models are assigned new ids.

    Since TR3 that is her skin, a separate model; before, it is the model that moves.
    """
    models = {int(obj.tomb_raider.model.id): obj for obj in transfer.objects(Kind.MODEL)}
    lara = models.get(LARA)
    source, target = SKINS.get(transfer.source), SKINS.get(transfer.target)
    if lara is None:
        return
    if target is None and source in models:
        _show_skin(_parts(lara), _parts(models[source]))
    elif source is None and target is not None:
        _add_skin(transfer, lara, target)


def _parts(armature: Object) -> dict[int, Object]:
    """Return the meshes of a model by the numbers of their bones."""
    bones = {bone.name: int(bone.tomb_raider.index) for bone in armature.data.bones}
    parts = (each for each in own_collection(armature).objects if each.tomb_raider.kind == Kind.MODEL_MESH)
    return {bones[each.parent_bone]: each for each in parts if each.parent_bone in bones}


def _show_skin(lara: dict[int, Object], skin: dict[int, Object]) -> None:
    """Assign the meshes of Lara's skin to her model, if both have the same bones."""
    if lara.keys() == skin.keys():
        for bone, part in lara.items():
            part.data = skin[bone].data


def _add_skin(transfer: Transfer, lara: Object, number: int) -> None:
    """Add a model with Lara's meshes, under an id that is unused in the level."""
    collection, name = own_collection(lara), names(transfer.target).model(number)
    made: Any = bpy.data.collections.new(name)
    armature: Any = lara.copy()
    armature.data = lara.data.copy()
    armature.name = armature.data.name = name
    armature.animation_data_clear()
    settings = armature.tomb_raider
    settings.model.animations.clear()
    settings.index = -1
    made.objects.link(armature)
    for part in _parts(lara).values():
        copy: Any = part.copy()
        copy.name = f"{name} {part.parent_bone}"[:LONGEST_NAME]
        hang(copy, armature, armature.data.bones[part.parent_bone])
        made.objects.link(copy)
    made.tomb_raider.kind, made.tomb_raider.model = Kind.MODEL, armature
    made.instance_offset = armature.location = Places(transfer.root, Kind.MODEL).take()
    parent = next(each for each in transfer.root.children_recursive if collection.name in each.children)
    parent.children.link(made)
    settings.model.id = number
