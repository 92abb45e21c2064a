"""Copies of linked and overridden objects and collections in a level, as if they had been appended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy
from bpy.types import Collection, Object, PropertyGroup

from ....formats.base import T
from ...assets.payload import is_carrier
from ...core.membership import is_local
from ...core.reporting.report import Report
from ...core.subjects import Kind
from ..engine.copies import copy_model, copy_objects


def copy_linked(root: Collection, objects: Iterable[Object], report: Report) -> bool:
    """Replace data of other files in a level by copies; return whether there was any.

    Assets are claimed elsewhere, and objects without a kind stay linked.
    """
    collections = _replace_collections(root)
    if not collections and not any(map(_is_claimable, objects)):
        return False
    inside = [each for each in (root, *root.children_recursive) if is_local(each)]
    linked = list(dict.fromkeys(each for home in inside for each in home.objects if _is_claimable(each)))
    without_meshes = [each for each in linked if each.tomb_raider.kind == Kind.MODEL]
    for obj in without_meshes:
        for home in _collections_of(obj, inside):
            home.objects.unlink(obj)
        text = T(
            "it is linked without its meshes, so it was left out: link the whole collection of the model"
        )
        report.warn(obj.name, text)
    copies = copy_objects(each for each in linked if each not in without_meshes)
    for obj, copy in copies.items():
        _remap_pointers(copy.tomb_raider, copies)
        if copy.instance_collection in collections:
            copy.instance_collection = collections[copy.instance_collection]
        for home in _collections_of(obj, inside):
            home.objects.link(copy)
            home.objects.unlink(obj)
    return bool(collections or linked)


def _collections_of(obj: Object, inside: Sequence[Collection]) -> list[Collection]:
    users = set(obj.users_collection)
    return [each for each in inside if each in users]


def _is_claimable(obj: Object) -> bool:
    return not is_local(obj) and obj.tomb_raider.kind != Kind.NONE and not is_carrier(obj)


def _replace_collections(root: Collection) -> dict[Collection | None, Collection]:
    """Replace linked collections by local ones, and models by copies; return the new ones by the old."""
    result: dict[Collection | None, Collection] = {}
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        for child in parent.children[:]:
            if is_local(child):
                waiting.append(child)
            elif child.tomb_raider.kind != Kind.LEVEL and not any(map(is_carrier, child.objects)):
                copy = result[child] = _local_collection(child)
                parent.children.unlink(child)
                parent.children.link(copy)
                waiting.append(copy)
    return result


def _local_collection(linked: Collection) -> Collection:
    armature = linked.tomb_raider.model
    if linked.tomb_raider.kind == Kind.MODEL and armature is not None:
        return copy_model(armature)
    result = bpy.data.collections.new(linked.name)
    result.tomb_raider.kind = linked.tomb_raider.kind
    for obj in linked.objects:
        result.objects.link(obj)
    for child in linked.children:
        result.children.link(child)
    return result


def _remap_pointers(group: Any, copies: Mapping[Object, Object]) -> None:
    """Replace references of a property group and its children to objects by references to their copies."""
    for field in group.bl_rna.properties:
        if field.identifier == "rna_type" or field.type not in ("POINTER", "COLLECTION"):
            continue
        value = getattr(group, field.identifier)
        if isinstance(value, Object):
            if value in copies:
                setattr(group, field.identifier, copies[value])
        elif field.type == "COLLECTION":
            for each in value:
                _remap_pointers(each, copies)
        elif isinstance(value, PropertyGroup):
            _remap_pointers(value, copies)
