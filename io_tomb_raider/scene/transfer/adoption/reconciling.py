"""Updates of a level before exports and checks, which only read."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from bpy.types import Bone, Collection

from ...authoring.collision_from_mesh.refresh import read_changed
from ...authoring.mesh_from_sectors.room import draw_changed
from ...core.membership import is_local
from ...core.reporting.report import Report
from ...core.stored import check_level
from ...subjects.models.bones import own_bones
from ...subjects.models.figures import drawn_models
from .adoption import Adopted, adopt


def reconcile(root: Collection, report: Report | None = None, shaped: Container[int] = ()) -> Adopted:
    """Adopt the new objects of a level, and let sectors follow changed meshes, and meshes changed sectors.

    Exports and checks only read. Their callers call this first, and register an undo step if anything has
    changed.

    Args:
        shaped: see :func:`~...authoring.mesh_from_sectors.room.draw_changed`.

    Raises:
        ExportError: the collection is not a level of a known version.
    """
    check_level(root)
    objects, is_changed = adopt(root, report)
    is_changed |= share_bone_names(root)
    read = read_changed(root)
    drawn = draw_changed(root, shaped, read)
    return Adopted(objects, is_changed or bool(read or drawn))


def share_bone_names(root: Collection) -> bool:
    """Rename bones of models and of those drawn in their place alike; return whether any was renamed.

    Blender renames the curves of the action that an armature shows when a user renames a bone. Since TR3,
    this is Lara's skin, which shows animations of Lara. So her bones get the new names, too.
    """
    is_changed = False
    for model, skin in drawn_models(root):
        data: list[Any] = [model.data, skin.data]
        if model == skin or not all(map(is_local, data)):
            continue
        bones, others = own_bones(model), own_bones(skin)
        if len(bones) == len(others):
            for bone, other in zip(bones, others, strict=True):
                is_changed |= _rename_alike(bone, other)
    return is_changed


def _rename_alike(bone: Bone, seen: Bone) -> bool:
    """Give two bones that had the same name the name that one of them got, first the one that is seen."""
    old: str = bone.tomb_raider.imported_name
    if bone.name == seen.name or not old or old != seen.tomb_raider.imported_name:
        return False
    renamed, other = (seen, bone) if seen.name != old else (bone, seen)
    if renamed.name in other.id_data.bones:
        return False
    other.name = renamed.name
    return True
