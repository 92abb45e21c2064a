"""Prepare for Exchange: copies of models, static meshes or rooms for Blender's own exporters.

The copies are in a collection outside of the level, so exports of the level ignore them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Action, Collection, Mesh, Object, ViewLayer
from mathutils import Matrix

from ....formats import ExportError
from ....formats.base import T
from ...core.blender.cleanup import undone_on_failure
from ...core.blender.compat import LONGEST_NAME
from ...core.blender.evaluated import evaluation
from ...core.membership import level_of, members
from ...core.reporting.report import Report, first_few
from ...core.space import Space, world_matrix
from ...core.subjects import OF_ROOMS, Kind
from ...subjects.models.editing import armature_of_model, model_of
from ...subjects.rooms.location.inhabitants import inhabitants
from ...subjects.skins.skins import skins_of
from ...transfer.engine.motion import bones_of
from .gather import Placed, gather
from .pictures import PreparedMaterials
from .skinned import animate, make_skinned
from .wadtool import adapt

ALONE = frozenset({Kind.STATIC_MESH, Kind.PLACEMENT, *OF_ROOMS})


@dataclass(frozen=True)
class PrepareOptions:
    """Options of the preparation."""

    pieces: bool = False  #: turn each texture region of a page into an image, instead of whole pages.
    light: bool = True  #: add vertex light as a color attribute.
    animations: bool = True  #: include a model's animations.
    contents: bool = False  #: include the objects in a room.
    folder: Path | None = None  #: where to save images as files; None to pack them.
    wadtool: bool = False  #: the skins of models, or the meshes of their bones, for WadTool's importer.


@dataclass(eq=False)
class PreparedObjects:
    """The prepared objects."""

    home: Collection  #: their collection.
    objects: list[Object] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)  #: their animations.
    report: Report = field(default_factory=Report)  #: the warnings.


def subjects(objects: Iterable[Object]) -> list[Object]:
    """Return the objects that can be prepared, each once; parts of a model and entities give the model."""
    result: dict[Object, Object] = {}
    for obj in objects:
        if level_of(obj) is None:
            continue
        if obj.tomb_raider.kind in ALONE and obj.type == "MESH":
            result.setdefault(obj, obj)
        else:
            armature = armature_of_model(obj)
            if armature is not None and armature.type == "ARMATURE":
                kept = result.get(armature)
                # An entity can show more than its model, such as Lara's skin.
                if kept is None or kept == armature:
                    result[armature] = obj if obj.tomb_raider.kind == Kind.ENTITY else armature
    return list(result.values())


def prepare(
    objects: Iterable[Object], layer: ViewLayer, scene: Collection, options: PrepareOptions
) -> PreparedObjects:
    """Create copies of models, static meshes and rooms for other programs.

    Args:
        objects: see :func:`subjects`; others are skipped.

    Raises:
        ExportError: if nothing can be prepared, or an image cannot be read or saved. The scene is then
            unchanged.
    """
    selected = subjects(objects)
    if not selected:
        raise ExportError("Exchange", T("select a model, an entity, a static mesh or a room of a level"))
    first = armature_of_model(selected[0]) or selected[0]
    with undone_on_failure():
        home = bpy.data.collections.new(f"{first.name} for Exchange"[:LONGEST_NAME])
        scene.children.link(home)
        result = PreparedObjects(home)
        pictures: dict[Collection, PreparedMaterials] = {}
        for obj in selected:
            root = level_of(obj)
            assert root is not None
            if root not in pictures:
                pictures[root] = PreparedMaterials(
                    root, pieces=options.pieces, folder=options.folder, wadtool=options.wadtool
                )
            _prepare_one(root, obj, result, pictures[root], layer, options)
        result.objects = members(home)
    return result


def _prepare_one(
    root: Collection,
    obj: Object,
    result: PreparedObjects,
    pictures: PreparedMaterials,
    layer: ViewLayer,
    options: PrepareOptions,
) -> None:
    model = armature_of_model(obj)
    if model is not None:
        shown = model_of(obj) if obj.tomb_raider.kind == Kind.ENTITY else None
        attachments = [] if shown is None else list(shown.objects)
        # The games draw other meshes for some models, such as Lara's skin.
        skins = [] if shown is None else [each.tomb_raider.model for each in shown.children]
        shape: Object = next((each for each in skins if each is not None), model)
        skinned = make_skinned(
            root,
            shape,
            result.home,
            pictures,
            result.report,
            light=options.light,
            attachments=attachments,
            skin=next(iter(skins_of(shape)), None) if options.wadtool else None,
        )
        if options.wadtool:
            adapt(skinned, bones_of(shape), root.tomb_raider.scale, result.report)
            if pictures.colored:
                names = first_few(list(dict.fromkeys(pictures.colored)), 4)
                text = T("these materials have no image, so each gets one of its color: {names}", names=names)
                result.report.warn(model.name, text)
        if options.animations:
            layer.update()
            result.actions += animate(skinned.armature, model, shape, Space.of(root), result.report)
        return
    placed = [Placed(obj, Matrix())]
    if obj.tomb_raider.kind == Kind.ROOM and options.contents:
        inverse = world_matrix(obj).inverted_safe()
        placed += [Placed(each, inverse @ matrix) for each, matrix in contents_of(root, obj)]
    name = f"{obj.name} Mesh"[:LONGEST_NAME]
    gathered = gather(root, name, placed, pictures, result.report, light=options.light)
    copy = bpy.data.objects.new(name, gathered.mesh)
    result.home.objects.link(copy)
    if obj.tomb_raider.kind == Kind.ROOM:  # keep rooms next to each other
        copy.matrix_world = world_matrix(obj)


def discard(prepared: PreparedObjects) -> None:
    """Remove prepared objects. Animations that belong to the level stay."""
    data: list[Any] = [each.data for each in prepared.objects if each.data is not None]
    used = {m for d in data for m in getattr(d, "materials", ()) if m is not None}
    images = {node.image for m in used for node in m.node_tree.nodes if node.type == "TEX_IMAGE"}
    copies = [each for each in prepared.actions if each.tomb_raider.is_helper]
    bpy.data.batch_remove([*prepared.objects, prepared.home, *dict.fromkeys(data), *used, *copies])
    bpy.data.batch_remove([each for each in images if each is not None and not each.users])


# --- Objects in rooms ----------------------------------------


_CHILD_KINDS = frozenset({Kind.IMPORTED_GEOMETRY, Kind.PLACEMENT, Kind.SPRITE})


def contents_of(root: Collection, room: Object) -> list[Placed]:
    """Return the meshes of the objects in a room, with world matrices. Models are in their current pose."""
    objects = [each for each in room.children if each.tomb_raider.kind in _CHILD_KINDS]
    entities = [each for each in inhabitants(root, room)[0] if each.tomb_raider.kind == Kind.ENTITY]
    objects += [each for each in entities if isinstance(each.data, Mesh)]
    result = [Placed(each, world_matrix(each)) for each in objects if isinstance(each.data, Mesh)]
    models = [each for each in entities if each.instance_type == "COLLECTION" and each.instance_collection]
    result += [each for placed in posed(models).values() for each in placed]
    return [each for each in result if len(each.obj.data.polygons)]


def posed(entities: list[Object]) -> dict[Object, list[Placed]]:
    """Return the evaluated meshes of entities' models, with world matrices."""
    result: dict[Object, list[Placed]] = {}
    probes: dict[Object, Object] = {}
    for entity in entities:
        probe: Any = bpy.data.objects.new("Exchange", None)
        probe.instance_type, probe.instance_collection = "COLLECTION", entity.instance_collection
        probe.matrix_world = world_matrix(entity)
        probes[probe] = entity
    if probes:
        with evaluation(list(probes)) as graph:
            for each in graph.object_instances:
                obj: Any = each.object.original
                if each.is_instance and isinstance(obj.data, Mesh) and each.parent is not None:
                    parent: Any = each.parent.original
                    entity = probes[parent]
                    result.setdefault(entity, []).append(Placed(obj, each.matrix_world.copy()))
    return result
