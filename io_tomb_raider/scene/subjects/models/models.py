"""Models (documentation, chapters 5.4 and 6.2.1) as armatures with one rigid mesh per bone."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Bone, Collection, Object
from bpy.types import Mesh as MeshDatablock
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import I32, SECTOR_SIZE, T, put
from ....formats.levels.models import MeshTree, encode_mesh_tree, tree_flags
from ...core.blender.cleanup import discard
from ...core.blender.compat import LONGEST_NAME
from ...core.context import ExportContext, ImportContext
from ...core.subjects import Kind
from .build import ModelSkeleton, bone_ends, bone_names, read_skeletons
from .mesh_block import MeshNumbers
from .read import ModelPlan, Rig, read_rigs

_BONES = "Bones"  # the name of an imported armature's bone collection
_LIBRARY_WIDTH = 32 * SECTOR_SIZE
_LARGEST = 16 * SECTOR_SIZE  # limit for a model's space in the library; skies may overlap others

# --- Import ----------------------------------------


def import_armatures(context: ImportContext) -> list[ModelSkeleton]:
    """Make the armatures of all models, before other objects slow Blender down; return their skeletons.

    Raises:
        FormatError: if a model's meshes or mesh tree are outside the level.
    """
    trees = context.mesh_trees
    armatures: list[Object] = []
    for index, record in enumerate(context.level.models):
        name = context.names.model(int(record["id"]))[:LONGEST_NAME]
        armature = bpy.data.armatures.new(name)
        armature.display_type = "STICK"
        obj = bpy.data.objects.new(name, armature)
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.MODEL, index
        settings.model.id = record["id"]
        armatures.append(obj)
    names = [bone_names(context.decoded, index, obj.name) for index, obj in enumerate(armatures)]
    low, high = context.decoded.mesh_boxes
    longest = (high - low).max(axis=1)
    sides = [longest[numbers] for numbers in _mesh_numbers(context)]
    with edit_mode(armatures):
        ends = bone_ends(trees, sides, context.space)
        for obj, tree, bones, (heads, tails) in zip(armatures, trees, names, ends, strict=True):
            draw_bones(obj, tree.parents.tolist(), bones, heads, tails)
            hide_bones(obj)
    skeletons = read_skeletons(armatures, names)
    for skeleton in skeletons:
        bones_by_name = skeleton.armature.data.bones
        for number, (name, rest) in enumerate(zip(skeleton.names, skeleton.rests, strict=True)):
            bone = bones_by_name[name].tomb_raider
            bone.index, bone.rest, bone.imported_name = number, rest, name
    return skeletons


def _mesh_numbers(context: ImportContext) -> list[NDArray[np.int32]]:
    """Return the numbers of each model's meshes in the mesh block."""
    models, pointers = context.level.models, context.meshes.pointers
    firsts, counts = models["first_mesh"].tolist(), models["meshes"].tolist()
    return [pointers[first : first + count] for first, count in zip(firsts, counts, strict=True)]


@contextmanager
def edit_mode(armatures: Sequence[Object]) -> Iterator[None]:
    """Put all armatures into edit mode together, because one by one gets slower with the size of the file.

    A temporary scene is used, so that the user's scene, selection and mode are unchanged. Overriding the
    window too would crash every Blender.
    """
    if not armatures:
        yield
        return
    scene = bpy.data.scenes.new("Armatures")
    try:
        layer = scene.view_layers[0]
        for obj in armatures:
            scene.collection.objects.link(obj)
        layer.update()
        for obj in armatures:
            obj.select_set(True, view_layer=layer)
        layer.objects.active = armatures[0]
        override: dict[str, Any] = {
            "scene": scene,
            "view_layer": layer,
            "active_object": armatures[0],
            "object": armatures[0],
            "selected_objects": armatures,
            "selected_editable_objects": armatures,
        }
        with bpy.context.temp_override(**override):
            bpy.ops.object.mode_set(mode="EDIT")
            try:
                yield
            finally:
                bpy.ops.object.mode_set(mode="OBJECT")
    finally:
        discard(bpy.data.scenes, [scene])


def draw_bones(
    obj: Object, parents: list[int], names: list[str], heads: NDArray[Any], tails: NDArray[Any]
) -> None:
    """Add m bones to an armature in edit mode, with heads and tails, (m, 3), in the armature's space.

    Parents are numbers of earlier bones, -1 for none.
    """
    bones = obj.data.edit_bones
    new_bones: list[Any] = []
    for name, head, tail, parent in zip(names, heads, tails, parents, strict=True):
        bone = bones.new(name)
        bone.head, bone.tail = head, tail
        if parent >= 0:
            bone.parent = new_bones[parent]
        new_bones.append(bone)


def move_bones(armature: Object, heads: Mapping[str, Any]) -> None:
    """Move bones of a model to other heads, (3,) by name, with the meshes on them.

    Bones keep their rest rotations, which all keys are relative to, and their lengths.
    """
    with edit_mode([armature]):
        bones = armature.data.edit_bones
        for name in heads:
            bones[name].use_connect = False
        for name, head in heads.items():
            bone: Any = bones[name]
            way = np.array(bone.tail) - np.array(bone.head)
            bone.head, bone.tail = head, np.array(head) + way
    for part in armature.children:  # parts are placed by the bone's length, which stays
        if part.parent_bone in heads:
            hang(part, armature, armature.data.bones[part.parent_bone])


def keep_bones(obj: Object, names: Container[str]) -> None:
    """Remove the other bones of an armature, if there are any."""
    others = [bone.name for bone in obj.data.bones if bone.name not in names]
    if others:
        with edit_mode([obj]):
            bones = obj.data.edit_bones
            for name in others:
                bones.remove(bones[name])


def hide_bones(obj: Object) -> None:
    """Hide the bones of an armature in edit mode, because they would be visible on every entity."""
    obj.show_in_front = True
    group = obj.data.collections.new(_BONES)
    group.is_visible = False
    for bone in obj.data.edit_bones:
        group.assign(bone)


def show_bones(obj: Object) -> None:
    """Show the bones of a model while it is posed or edited, and hide them otherwise."""
    group = obj.data.collections.get(_BONES)
    is_open = obj.mode in ("POSE", "EDIT")
    if group is not None and group.is_visible != is_open:
        group.is_visible = is_open


class ModelLibrary(NamedTuple):
    """The models of one import."""

    home: Collection  #: the collection of all models.
    collections: dict[int, Collection]  #: the collection of each, by the model's id.


def import_models(
    context: ImportContext, skeletons: Sequence[ModelSkeleton], meshes: Mapping[int, MeshDatablock]
) -> ModelLibrary:
    """Attach the meshes to the bones, and arrange the models in a library."""
    context.root.tomb_raider.imported |= {"MODELS"}
    library = ModelLibrary(context.collection("Models", Kind.MODELS), {})
    positions, numbers = _library_positions(context), _mesh_numbers(context)
    for index, skeleton in enumerate(skeletons):
        obj = skeleton.armature
        collection = context.collection(obj.name, Kind.MODEL, library.home)
        collection.tomb_raider.model = obj
        obj.location = collection.instance_offset = positions[index]
        collection.objects.link(obj)
        library.collections.setdefault(int(obj.tomb_raider.model.id), collection)
        parts = zip(numbers[index].tolist(), skeleton.names, strict=True)
        model_name, bones, link = obj.name, obj.data.bones, collection.objects.link
        for number, (mesh, name) in enumerate(parts):
            part = bpy.data.objects.new(f"{model_name} {name}"[:LONGEST_NAME], meshes[mesh])
            settings = part.tomb_raider
            settings.kind, settings.index = Kind.MODEL_MESH, number
            hang(part, obj, bones[name])
            link(part)
    return library


def hang(part: Object, armature: Object, bone: Bone) -> None:
    """Parent an object to a bone so that at rest it is at the bone's head, along the armature's axes."""
    part.parent, part.parent_type, part.parent_bone = armature, "BONE", bone.name
    # Blender places children of a bone at its tail.
    inverse = bone.matrix_local.to_3x3().transposed().to_4x4()
    inverse.translation = (0.0, -bone.length, 0.0)
    part.matrix_parent_inverse = inverse
    part.matrix_basis = Matrix()


def _library_positions(context: ImportContext) -> list[list[float]]:
    """Return a position for every model: in rows to the left of the level."""
    rooms = context.level.rooms
    left = min((int(room.x) for room in rooms), default=0) - 2 * SECTOR_SIZE
    row = min((int(room.z) for room in rooms), default=0)
    reaches = np.abs(context.decoded.mesh_boxes).max(axis=(0, 2))
    positions, used, height = [], 0, 0
    for tree, numbers in zip(context.mesh_trees, _mesh_numbers(context), strict=True):
        spans = np.abs(tree.origins()).max(axis=1, initial=0) + reaches[numbers]
        span = min(int(spans.max(initial=0)), _LARGEST)
        size = -(-(2 * span + SECTOR_SIZE // 2) // SECTOR_SIZE) * SECTOR_SIZE
        if used and used + size > _LIBRARY_WIDTH:
            row, used, height = row + height, 0, 0
        positions.append((left - used - size // 2, 0, row + size // 2))
        used, height = used + size, max(height, size)
    return context.space.to_blender(np.array(positions, np.int64).reshape(-1, 3)).tolist()


def model_id(collection: Collection | None) -> int | None:
    """Return the id of the model of a library collection, or None."""
    if collection is None or collection.tomb_raider.kind != Kind.MODEL:
        return None
    armature = collection.tomb_raider.model
    if armature is None:
        armature = next((obj for obj in collection.objects if obj.tomb_raider.kind == Kind.MODEL), None)
    return None if armature is None else int(armature.tomb_raider.model.id)


def own_collection(armature: Object) -> Collection:
    """Return the collection of an armature's model. Raise ExportError if there is none."""
    for collection in armature.users_collection:
        if collection.tomb_raider.kind == Kind.MODEL and collection.tomb_raider.model == armature:
            return collection
    raise ExportError(armature.name, T("it is not in the collection of a model"))


# --- Export ----------------------------------------


class WrittenModels(NamedTuple):
    """Results of the export of models for later steps."""

    rigs: list[Rig]  #: the models that have an armature in the scene, in the order of their records.
    pointers: list[int]  #: for every entry of ``mesh_pointers`` the number of its mesh.


def export_models(context: ExportContext, plan: ModelPlan, meshes: MeshNumbers) -> WrittenModels:
    """Write the records of models, and their mesh trees, that differ in the scene.

    The meshes and the pointers to them are written later.

    Raises:
        ExportError: if no game can represent a model's bones or meshes.
    """
    rigs, pointers = read_rigs(context, plan, meshes.of), list(meshes.pointers)
    if not rigs:
        return WrittenModels(rigs, pointers)
    original = context.original.models
    new = sum(rig.model >= len(original) for rig in rigs)
    records = np.concatenate([original, np.zeros(new, original.dtype)])
    if "filler" in (original.dtype.names or ()):
        records["filler"][len(original) :] = original["filler"][-1] if len(original) else 0xFFEF
    records["animation"][len(original) :] = 0xFFFF
    for rig in rigs:
        put(records[rig.model], "id", rig.armature.tomb_raider.model.id, rig.armature.name, "id")
        records["meshes"][rig.model] = len(rig.names)
        context.note_place(rig.armature, "models", rig.model)
    for rig in rigs:
        _point_to_meshes(context, rig, records, pointers)
    trees = (_rebuild_trees if context.rebuild else _edit_trees)(context, rigs, records)
    if not np.array_equal(trees, context.original.mesh_trees):
        context.level.mesh_trees = trees
    differing = len(records) - len(original) + int(np.count_nonzero(records[: len(original)] != original))
    context.rebuilt.count("models", differing)
    if differing:
        context.level.models = records
    return WrittenModels(rigs, pointers)


def _point_to_meshes(
    context: ExportContext, rig: Rig, records: NDArray[np.void], pointers: list[int]
) -> None:
    """Set a model's mesh pointers to the meshes on its bones."""
    record = records[rig.model]
    first, count = int(record["first_mesh"]), len(rig.meshes)
    is_old = rig.original is not None and len(rig.original) == count
    if is_old and pointers[first : first + count] == rig.meshes:
        return
    if is_old and count:
        differing = [first + slot for slot, mesh in enumerate(rig.meshes) if pointers[first + slot] != mesh]
        if not _shared(differing, rig.model, records, context.level.static_meshes):
            for entry in differing:
                pointers[entry] = rig.meshes[entry - first]
            context.rebuilt.count("mesh_pointers", len(differing))
            return
    if len(pointers) > 0xFFFF:
        raise ExportError(
            rig.name, T("the level has too many mesh pointers"), count=len(pointers), limit=0xFFFF
        )
    record["first_mesh"] = len(pointers)
    pointers.extend(rig.meshes)
    context.rebuilt.count("mesh_pointers", count)


def _shared(entries: list[int], model: int, records: NDArray[np.void], statics: NDArray[np.void]) -> bool:
    """Return whether another model or a static mesh uses one of these entries of the mesh pointers."""
    at = np.array(entries)[:, None]
    others = np.arange(len(records)) != model
    first = records["first_mesh"][others].astype(np.int64)
    count = records["meshes"][others].astype(np.int64)
    return bool(((first <= at) & (at < first + count)).any() or np.isin(entries, statics["mesh"]).any())


def _edit_trees(context: ExportContext, rigs: list[Rig], records: NDArray[np.void]) -> NDArray[np.int32]:
    """Write changed nodes in place, or at the end if other models share them."""
    words = context.original.mesh_trees.copy()
    added: list[NDArray[np.int32]] = []
    size = len(words)
    for rig in rigs:
        if rig.has_original_tree():
            continue
        nodes = _nodes(rig)
        record = records[rig.model]
        start = int(record["mesh_tree"])
        if rig.original is not None and _owns_nodes(rig, len(nodes), context.original.models):
            words[start : start + len(nodes)] = nodes
        else:
            record["mesh_tree"] = size
            added.append(nodes)
            size += len(nodes)
        context.rebuilt.count("mesh_trees")
    return np.concatenate([words, *added])


def _owns_nodes(rig: Rig, size: int, models: NDArray[np.void]) -> bool:
    """Return whether a model's nodes in the original have this size and are not shared."""
    counts = 4 * np.maximum(models["meshes"].astype(np.int64) - 1, 0)
    first = models["mesh_tree"].astype(np.int64)
    start = int(first[rig.model])
    others = np.arange(len(models)) != rig.model
    overlaps = others & (counts > 0) & (first < start + size) & (start < first + counts)
    return int(counts[rig.model]) == size and not overlaps.any()


def _rebuild_trees(context: ExportContext, rigs: list[Rig], records: NDArray[np.void]) -> NDArray[np.int32]:
    """Write all trees in sequence; models without an armature keep theirs."""
    by_model = {rig.model: rig for rig in rigs}
    original = context.original.mesh_trees
    pieces: list[NDArray[np.int32]] = []
    size = 0
    for index, record in enumerate(records):
        start = int(record["mesh_tree"])
        nodes = original[start : start + 4 * max(int(record["meshes"]) - 1, 0)]
        pieces.append(_nodes(by_model[index], rebuild=True) if index in by_model else nodes)
        record["mesh_tree"] = size
        size += len(pieces[-1])
    return np.concatenate([np.zeros(0, I32), *pieces])


def _nodes(rig: Rig, *, rebuild: bool = False) -> NDArray[np.int32]:
    """Encode a model's tree; flags are kept if the hierarchy is unchanged."""
    parents, old = rig.tree.parents, rig.original
    if old is not None and not rebuild and np.array_equal(parents, old.parents):
        flags = old.flags
    else:
        flags = tree_flags(parents.tolist(), [f"{rig.name}, bone {name}" for name in rig.names])
    return encode_mesh_tree(MeshTree(parents, rig.tree.offsets, flags), rig.names)
