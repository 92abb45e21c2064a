"""Prepare for Exchange: copies of models, static meshes or rooms for Blender's own exporters.

The copies are in a collection outside of the level, so exports of the level ignore them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Action, Collection, Object, ViewLayer
from mathutils import Matrix

from ....formats import ExportError
from ....formats.base import T
from ...core.blender.cleanup import undone_on_failure
from ...core.blender.compat import LONGEST_NAME
from ...core.membership import level_of, members
from ...core.reporting.report import Report
from ...core.space import Space, world_matrix
from ...core.subjects import OF_ROOMS, Kind
from ...subjects.models.editing import armature_of_model, model_of
from .gather import Placed, gather
from .pictures import PreparedMaterials
from .rest_pose import contents_of
from .skinned import animate, make_skinned

ALONE = frozenset({Kind.STATIC_MESH, Kind.PLACEMENT, *OF_ROOMS})


@dataclass(frozen=True)
class PrepareOptions:
    """Options of the preparation."""

    pieces: bool = False  #: turn each texture region of a page into an image, instead of whole pages.
    light: bool = True  #: add vertex light as a color attribute.
    animations: bool = True  #: include a model's animations.
    contents: bool = False  #: include the objects in a room.
    folder: Path | None = None  #: where to save images as files; None to pack them.


@dataclass(eq=False)
class PreparedObjects:
    """The prepared objects."""

    home: Collection  #: their collection.
    objects: list[Object] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)  #: their animations.
    report: Report = field(default_factory=Report)  #: the warnings.


def subjects(objects: Iterable[Object]) -> list[Object]:
    """Return the objects that can be prepared, each once; parts of a model and entities give the model."""
    found: dict[Object, Object] = {}
    for obj in objects:
        if level_of(obj) is None:
            continue
        if obj.tomb_raider.kind in ALONE and obj.type == "MESH":
            found.setdefault(obj, obj)
        else:
            armature = armature_of_model(obj)
            if armature is not None and armature.type == "ARMATURE":
                kept = found.get(armature)
                # An entity can show more than its model, such as Lara's skin.
                if kept is None or kept == armature:
                    found[armature] = obj if obj.tomb_raider.kind == Kind.ENTITY else armature
    return list(found.values())


def prepare(
    objects: Iterable[Object], layer: ViewLayer, scene: Collection, wanted: PrepareOptions
) -> PreparedObjects:
    """Create copies of models, static meshes and rooms for other programs.

    Args:
        objects: see :func:`subjects`; others are skipped.
        layer: the view layer that shows the copies.
        scene: the parent of the copies' collection.

    Raises:
        ExportError: if nothing can be prepared, or an image cannot be read or saved. The scene is then
            unchanged.
    """
    chosen = subjects(objects)
    if not chosen:
        raise ExportError("Exchange", T("select a model, an entity, a static mesh or a room of a level"))
    first = armature_of_model(chosen[0]) or chosen[0]
    with undone_on_failure():
        home = bpy.data.collections.new(f"{first.name} for Exchange"[:LONGEST_NAME])
        scene.children.link(home)
        result = PreparedObjects(home)
        pictures: dict[Collection, PreparedMaterials] = {}
        for obj in chosen:
            root = level_of(obj)
            assert root is not None
            if root not in pictures:
                pictures[root] = PreparedMaterials(root, pieces=wanted.pieces, folder=wanted.folder)
            _prepare_one(root, obj, result, pictures[root], layer, wanted)
        result.objects = members(home)
    return result


def _prepare_one(
    root: Collection,
    obj: Object,
    made: PreparedObjects,
    pictures: PreparedMaterials,
    layer: ViewLayer,
    wanted: PrepareOptions,
) -> None:
    model = armature_of_model(obj)
    if model is not None:
        shape = _shape_of(obj, model)
        shown = model_of(obj) if obj.tomb_raider.kind == Kind.ENTITY else None
        attachments = [] if shown is None else list(shown.objects)
        skinned = make_skinned(
            root, shape, made.home, pictures, made.report, light=wanted.light, attachments=attachments
        )
        if wanted.animations:
            layer.update()
            made.actions += animate(skinned.armature, model, shape, Space.of(root), made.report)
        return
    placed = [Placed(obj, Matrix())]
    if obj.tomb_raider.kind == Kind.ROOM and wanted.contents:
        turned_back = world_matrix(obj).inverted_safe()
        placed += [Placed(each, turned_back @ matrix) for each, matrix in contents_of(root, obj)]
    name = f"{obj.name} Mesh"[:LONGEST_NAME]
    gathered = gather(root, name, placed, pictures, made.report, light=wanted.light)
    copy = bpy.data.objects.new(name, gathered.mesh)
    made.home.objects.link(copy)
    if obj.tomb_raider.kind == Kind.ROOM:  # keep rooms next to each other
        copy.matrix_world = world_matrix(obj)


def _shape_of(obj: Object, model: Object) -> Object:
    """Return the armature whose meshes the game draws for a model, such as Lara's skin for her entity."""
    shown = model_of(obj) if obj.tomb_raider.kind == Kind.ENTITY else None
    skins = [each.tomb_raider.model for each in shown.children] if shown is not None else []
    skin = next((each for each in skins if each is not None), model)
    result: Object = skin
    return result


def discard(prepared: PreparedObjects) -> None:
    """Remove prepared objects. Animations that belong to the level stay."""
    data: list[Any] = [each.data for each in prepared.objects if each.data is not None]
    used = {m for d in data for m in getattr(d, "materials", ()) if m is not None}
    images = {node.image for m in used for node in m.node_tree.nodes if node.type == "TEX_IMAGE"}
    copies = [each for each in prepared.actions if each.tomb_raider.is_helper]
    bpy.data.batch_remove([*prepared.objects, prepared.home, *dict.fromkeys(data), *used, *copies])
    bpy.data.batch_remove([each for each in images if each is not None and not each.users])
