"""Transfer of models."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from bpy.types import Collection, Object

from ....catalogue import names
from ....formats.base import T
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .bones import own_bones, own_parent
from .lara import remap_outfit
from .models import edit_mode, hang, model_id, own_collection

_MODEL = Kind.MODEL


def delete_models(armatures: Sequence[Object]) -> None:
    """Delete models with their animations; keep meshes that other objects use."""
    if not armatures:
        return
    homes = [own_collection(each) for each in armatures]
    models = set(armatures)
    actions = [each for each in bpy.data.actions if each.tomb_raider.model in models]
    objects = [obj for home in homes for obj in home.objects]
    data = [each.data for each in objects if each.data is not None]
    # At once, since Blender searches the whole file for users each time.
    bpy.data.batch_remove([*objects, *homes, *actions])
    bpy.data.batch_remove([each for each in dict.fromkeys(data) if not each.users])


def remap_models(transfer: Transfer) -> None:
    """Remap the ids of the models of a whole level, and delete unsupported models."""
    if transfer.moved is not None:
        return  # move_model sets the ids of single models
    _remove_figures(transfer)
    before_that = set(transfer.objects(_MODEL))
    remap_outfit(transfer)
    added = set(transfer.objects(_MODEL)) - before_that
    lost: list[Object] = []
    for obj in transfer.objects(_MODEL):
        if obj in added:
            continue
        before = int(obj.tomb_raider.model.id)
        number, note = transfer.number("model", before), transfer.notes.get(("model", before), "")
        name = f"{names(transfer.source).model(before)} (model {before})"
        if note:
            transfer.report.warn(name, note if number is not None else T("left out: {note}", note=note))
        if number is None:
            lost.append(obj)
        else:
            obj.tomb_raider.model.id = number
    delete_models(lost)
    join_bones(transfer)
    models = sorted(transfer.objects(_MODEL), key=lambda obj: int(obj.tomb_raider.model.id))
    for index, obj in enumerate(models):
        obj.tomb_raider.index = index  # levels list models by id


def join_bones(transfer: Transfer) -> None:
    """Parent bones without a parent to the first one: only files may have several root bones."""
    roots_by_model = {
        obj: [bone.name for bone in own_bones(obj) if own_parent(bone) is None]
        for obj in transfer.objects(_MODEL)
        if obj.data.library is None
    }
    loose = [obj for obj, roots in roots_by_model.items() if len(roots) > 1]
    with edit_mode(loose):
        for obj in loose:
            first, *others = roots_by_model[obj]
            bones = obj.data.edit_bones
            for name in others:
                bones[name].parent = bones[first]
    for obj in loose:
        for part in own_collection(obj).objects:
            if part.tomb_raider.kind == Kind.MODEL_MESH and part.parent_bone:
                hang(part, obj, obj.data.bones[part.parent_bone])
    text = T("bones without a parent were parented to the first bone in these models")
    transfer.lose(T("Models"), [obj.name for obj in loose], text)


def _remove_figures(transfer: Transfer) -> None:
    """Remove the figures of the source game, and show the models instead."""
    homes = {obj: own_collection(obj) for obj in transfer.objects(_MODEL)}
    figures = [
        each
        for each in transfer.root.children_recursive
        if each.tomb_raider.kind == _MODEL
        and each.tomb_raider.model in homes
        and each != homes[each.tomb_raider.model]
    ]
    for obj in transfer.objects(Kind.ENTITY):
        if obj.instance_collection in figures:
            obj.instance_collection = homes[obj.instance_collection.tomb_raider.model]
    bpy.data.batch_remove([*transfer.objects(Kind.FIGURE), *figures])


def collections_of_models(transfer: Transfer) -> dict[int, Collection]:
    """Return the collections of the models of a level by id."""
    result: dict[int, Collection] = {}
    for obj in transfer.objects(_MODEL):
        home = own_collection(obj)
        number = model_id(home)
        if number is not None:
            result.setdefault(number, home)
    return result
