"""Warnings of objects that an export did not write, with reasons and remedies."""

from __future__ import annotations

from collections.abc import Container, Iterable

import bpy
import numpy as np
from bpy.types import Collection, Light, Object, Speaker

from ...formats import Game
from ...formats.base import N_, T, Target, Text, as_message
from ..core.context import ExportContext
from ..core.membership import PROJECT_OBJECT, collection_kinds, levels
from ..core.subjects import SUBJECTS, Kind
from ..subjects.cameras.fixed import is_preview
from ..subjects.cutscenes.cinematics import is_on_stage

# The subject that must have been imported for objects of a kind to be exported. Cutscenes have files of their
# own.
_SUBJECT_OF = {kind.identifier: subject for subject in SUBJECTS if subject.number for kind in subject.objects}

_CONVERT = T("convert it to a mesh (Object > Convert), and make that a part of a room or a model")
_NOTHING_ALIKE = T("the game has no counterpart: move it out of the level to keep it")
# Remedies for objects without a kind, by Blender's types.
ADVICE = {
    "MESH": T("use Make Room or Join to Room in its panel Tomb Raider (Properties > Object)"),
    "CURVE": _CONVERT,
    "SURFACE": _CONVERT,
    "META": _CONVERT,
    "FONT": _CONVERT,
    "CURVES": _CONVERT,
    "POINTCLOUD": _NOTHING_ALIKE,
    "VOLUME": _NOTHING_ALIKE,
    "GPENCIL": _NOTHING_ALIKE,
    "GREASEPENCIL": _NOTHING_ALIKE,
    "ARMATURE": T("only models of the library have armatures: link a model's whole collection into Models"),
    "LATTICE": _NOTHING_ALIKE,
    "EMPTY": _NOTHING_ALIKE,
    "LIGHT": N_("the game has no {type} lights: choose another type"),
    "LIGHT_PROBE": _NOTHING_ALIKE,
    "CAMERA": T("add it to the collection Cameras to make it a camera of the game"),
    "SPEAKER": T("choose a sound of the level for it"),
}
_LIBRARY_ADVICE = {
    "MODELS": T("parent it to a bone of a model, to make it a part"),
    "MODEL": T("parent it to a bone of the model, to make it a part"),
    "COLLISION": T("only collision meshes of rooms count here: use Add Collision on a room"),
    "STATIC_MESHES": T("give it faces and a material, to make it a static mesh"),
    "PORTALS": T("use Make Portal to make portals"),
    "SPRITES": T("duplicate a picture of the library instead"),
}


def warn_of_unwritten_objects(context: ExportContext) -> None:
    """Warn of every object in the level, or marked as part of it, that was not written."""
    collected, kinds = collection_kinds(context.root), context.level_objects.kinds
    imported = context.root.tomb_raider.imported
    loose = [obj for obj in collected if kinds.get(obj, Kind.NONE) == Kind.NONE]
    shapes = _bone_shapes() if loose else set()
    for obj, home_kinds in collected.items():
        if obj in shapes and (kinds.get(obj) or obj.tomb_raider.kind) == Kind.NONE:
            continue
        text = _reason(context, obj, home_kinds, kinds.get(obj) or obj.tomb_raider.kind, imported)
        if text:
            context.report.warn(obj.name, text)
    for obj in _lost(context.root, collected):
        text = T("it is no longer in a collection of the level, so it is left out: move it (M) back into one")
        context.report.warn(obj.name, text)


def _reason(
    context: ExportContext, obj: Object, home_kinds: set[str], kind: str, imported: Container[str]
) -> str:
    """Return the reason and remedy for an object that is not written, "" for all others."""
    if kind == Kind.NONE and not obj.is_editable and home_kinds != {Kind.CUTSCENE}:
        return T("it is left out, because it is linked: make it local (Object > Relations)")
    if kind == Kind.NONE:
        if home_kinds == {Kind.CUTSCENE} or _serves(context.root, obj):
            return ""
        return T("it is left out: {advice}", advice=_advice(obj, home_kinds))
    subject = _SUBJECT_OF.get(kind)
    if subject is None or obj.tomb_raider.index >= 0:
        return ""
    is_known = _has_any(context, kind)
    if is_known and subject.identifier in imported:
        return ""
    if not is_known:
        return T("it is left out, since the game does not have such objects")
    return T(
        "it is left out: import the level with its {subject} to add any",
        subject=as_message(subject.label.lower()),
    )


def _bone_shapes() -> set[Object]:
    """Return the objects that show bones of any armature, with all of collections that are mostly such.

    Rigs have collections of them, of which not all are in use.
    """
    shapes = {
        bone.custom_shape
        for obj in bpy.data.objects
        if obj.type == "ARMATURE" and obj.pose is not None
        for bone in obj.pose.bones
        if bone.custom_shape is not None
    }
    collections = {collection for shape in shapes for collection in shape.users_collection}
    groups = [
        list(collection.objects) for collection in collections if collection.tomb_raider.kind == Kind.NONE
    ]
    return shapes.union(*(group for group in groups if 2 * len(shapes.intersection(group)) >= len(group)))


def _has_any(context: ExportContext, kind: str) -> bool:
    """Return whether the game of a level, or TRX, has objects of a kind."""
    traits = Game[context.root.tomb_raider.game].traits
    has_flybys = traits.has_flybys or (traits.has_trx and context.target is Target.TRX)
    return {"AI_OBJECT": traits.has_ai_objects, "FLYBY": has_flybys}.get(kind, True)


def _serves(root: Collection, obj: Object) -> bool:
    """Return whether an object that is not exported places others, or decides what they show."""
    parent = obj.parent
    is_part = obj.parent_type == "BONE" and parent is not None and parent.tomb_raider.kind == Kind.MODEL
    is_handle = obj.type == "EMPTY" and any(child.tomb_raider.kind != Kind.NONE for child in obj.children)
    is_look = obj.type == "CAMERA" and is_preview(root, obj)
    is_unknown = obj.get(PROJECT_OBJECT) is not None  # exports of projects write it
    return is_unknown or is_handle or is_look or is_on_stage(obj) or (is_part and obj.type == "MESH")


def _advice(obj: Object, home_kinds: set[str]) -> str:
    if obj.type == "MESH":
        return next((text for kind, text in _LIBRARY_ADVICE.items() if kind in home_kinds), ADVICE["MESH"])
    light = obj.data.type.lower() if isinstance(obj.data, Light) else ""
    if isinstance(obj.data, Speaker) and obj.data.sound is not None:
        return T("its sound {sound} is not a sound of the level: choose one", sound=obj.data.sound.name)
    return Text(ADVICE.get(obj.type, _NOTHING_ALIKE), {"type": as_message(light)})


def _lost(root: Collection, inside: Iterable[Object]) -> list[Object]:
    """Return objects of the level that are in no collection of any level, by name."""
    origin = root.tomb_raider.origin
    if not origin:
        return []
    candidates = {
        obj
        for obj in {obj for collection in _outside() for obj in collection.objects}.difference(inside)
        if obj.tomb_raider.origin == origin and obj.tomb_raider.kind in _SUBJECT_OF
    }
    if not candidates:
        return []
    in_levels = {each for level in levels() for each in (level, *level.children_recursive)}
    lost = (obj for obj in candidates if in_levels.isdisjoint(obj.users_collection))
    return sorted(lost, key=lambda obj: obj.name)


def _outside() -> set[Collection]:
    """Return collections outside of all levels: in scenes, or without users.

    These are few, whereas walking through all levels of a file takes up to a tenth of an export.
    """
    collections = bpy.data.collections.values()
    users, fakes = np.empty(len(collections), np.int32), np.empty(len(collections), bool)
    bpy.data.collections.foreach_get("users", users)
    bpy.data.collections.foreach_get("use_fake_user", fakes)
    waiting = [scene.collection for scene in bpy.data.scenes]
    waiting += [collections[index] for index in np.flatnonzero(users == fakes)]
    result: set[Collection] = set()
    while waiting:
        collection = waiting.pop()
        if collection not in result and collection.tomb_raider.kind != Kind.LEVEL:
            result.add(collection)
            waiting += collection.children
    return result
