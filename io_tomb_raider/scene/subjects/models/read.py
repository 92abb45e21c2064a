"""Reading of models from armatures, bones and meshes of the scene, for an export."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from bpy.types import Bone, Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ....formats.levels.models import MeshTree
from ...core.context import ExportContext
from ...core.reporting.report import first_few
from ...core.space import checked
from ...core.subjects import Kind
from .bones import helper_bones, numbered_bones, own_parent
from .build import bone_names
from .poses import frames_of

# Tolerated deviation of a bone's rest rotation (quaternion components), and of a mesh from its bone (matrix
# components; units), without a warning.
_MAX_ROTATION = 1e-3
_TOLERANCE = 1e-3
_MOVED = 0.5
_NAMED = 4  # bones in a warning
_PRECISION = 1e-6  # relative error of positions from bone to bone
_UNIT = Matrix.Identity(3)


# Parts that limbs of a control rig need: those of the trunk and of the body, and those with an upper bone.
_CONTROLS = ({"TARGET", "JOINT"}, {"TARGET", "TILT"}), ({"TARGET", "POLE"},)


@dataclass(frozen=True, eq=False)
class Rig:
    """A model of the scene, with its m bones in the order of its meshes."""

    model: int  #: the index of its record, after those of the original for a new model.
    armature: Object
    names: list[str]  #: (m,) names of the bones.
    old_names: list[str]  #: (m,) names of the bones at import, "" for new bones.
    #: (m,) int64, the index of each bone's mesh in the original model, -1 for new bones.
    columns: NDArray[np.int64]
    frames: NDArray[np.float64]  #: (m, 3, 3), see :mod:`.poses`.
    head: NDArray[np.float64]  #: (3,), head of the first bone, in the file's units and axes.
    tree: MeshTree  #: the hierarchy of the bones; the flags are 0.
    original: MeshTree | None  #: the model's tree in the original, None for a new model.
    meshes: list[int]  #: (m,) the number of each bone's mesh in the exported mesh block.

    @property
    def name(self) -> str:
        return self.armature.name

    def has_original_bones(self) -> bool:
        """Return whether the bones are exactly those of the original."""
        return self.original is not None and np.array_equal(self.columns, np.arange(len(self.original)))

    def has_original_tree(self) -> bool:
        """Return whether the tree equals the original."""
        return (
            self.original is not None
            and np.array_equal(self.tree.parents, self.original.parents)
            and np.array_equal(self.tree.offsets, self.original.offsets)
        )


def bone_children(
    armatures: Iterable[Object], among: Iterable[Object]
) -> dict[tuple[Object, str], list[Object]]:
    """Return the mesh objects on bones of some armatures, by armature and name of the bone.

    Objects that users have added are included, in any collection.
    """
    parents = set(armatures)
    result: dict[tuple[Object, str], list[Object]] = {}
    for obj in among:
        parent = obj.parent
        if parent in parents and obj.parent_type == "BONE" and obj.type == "MESH" and obj.users:
            result.setdefault((parent, obj.parent_bone), []).append(obj)
    return result


class ModelPlan(NamedTuple):
    """The exported models."""

    #: their armatures with the index of the record that each is written to, -1 for a new one.
    kept: list[tuple[Object, int]]
    refused: frozenset[Object]  #: armatures that are not exported, with everything that belongs to them.


def choose_models(context: ExportContext) -> ModelPlan:
    """Return the models to export, and warn of the others.

    Raises:
        ExportError: if users have given two models of the level the same id.
    """
    armatures = [(obj, index) for obj, index in context.objects(Kind.MODEL) if obj.type == "ARMATURE"]
    if not armatures:
        if "MODELS" in context.root.tomb_raider.imported and len(context.original.models):
            context.report.warn(
                context.root.name, T("its models were removed from the scene, but stay in the level")
            )
        return ModelPlan([], frozenset())
    count = len(context.original.models)
    original_ids = context.original.models["id"].tolist()
    exported: list[tuple[Object, int]] = []
    refused: set[Object] = set()
    used: dict[int, Object] = {}

    def problem(number: int, name: str) -> str:
        return T("only one model can have the id {number}, and {name} has it", number=number, name=name)

    for obj, index in _with_free_indices(armatures, original_ids):
        index = index if index < count else -1
        number = obj.tomb_raider.model.id
        # Real levels may have duplicate ids; users cannot make more.
        if number in used and (index < 0 or number != original_ids[index]):
            text = problem(number, used[number].name)
            if index >= 0:
                raise ExportError(obj.name, text)
            advice = T("give it another id, or delete the other one to replace it")
            context.report.warn(
                obj.name, T("this copy is not exported: {problem}; {advice}", problem=text, advice=advice)
            )
            refused.add(obj)
            continue
        first = used.setdefault(number, obj)
        if first is not obj and number != original_ids[first.tomb_raider.index]:
            raise ExportError(first.name, problem(number, obj.name))
        exported.append((obj, index))
    for index in sorted(set(range(count)) - {index for _, index in exported}):
        context.report.warn(
            T("model {number}", number=original_ids[index]),
            T("it was removed from the scene, but stays in the level"),
        )
    return ModelPlan(exported, frozenset(refused))


def read_rigs(context: ExportContext, plan: ModelPlan, mesh_numbers: Mapping[Mesh, int]) -> list[Rig]:
    """Read all exported models in the order of their records.

    Raises:
        ExportError: if no game can represent a model's bones or meshes.
    """
    children = bone_children((obj for obj, _ in plan.kept), context.level_objects.with_bone_children)
    rigs, new = [], len(context.original.models)
    for obj, index in plan.kept:
        if index < 0:
            index, new = new, new + 1
        rigs.append(_read_rig(context, obj, index, children, mesh_numbers))
    return rigs


def _with_free_indices(armatures: list[tuple[Object, int]], ids: list[int]) -> list[tuple[Object, int]]:
    """Assign the index of a missing model to a new model with the same id."""
    used = {index for _, index in armatures}
    free = {identity: index for index, identity in enumerate(ids) if index not in used}
    return sorted(
        (
            (obj, index if 0 <= index < len(ids) else free.pop(obj.tomb_raider.model.id, -1))
            for obj, index in armatures
        ),
        key=lambda pair: (pair[1] < 0, pair[1]),
    )


def _read_rig(
    context: ExportContext,
    armature: Object,
    model: int,
    children: dict[tuple[Object, str], list[Object]],
    mesh_numbers: Mapping[Mesh, int],
) -> Rig:
    trees = context.original_mesh_trees
    original = trees[model] if model < len(trees) else None
    bones = _in_order(armature, original)
    names = [bone.name for bone, _ in bones]
    numbers: dict[Bone | None, int] = {bone: number for number, (bone, _) in enumerate(bones)}
    parents = np.array([numbers.get(own_parent(bone), -1) for bone, _ in bones], np.int64)
    heads = context.space.to_file(
        np.array([bone.head_local for bone, _ in bones]).reshape(-1, 3), armature.name, "a bone"
    )
    offsets = heads - np.where(parents[:, None] >= 0, heads[parents], 0.0)
    offsets[:1] = 0.0
    if np.abs(offsets).max(initial=0) > 2.0**62:
        raise ExportError(armature.name, T("a bone is infinitely far away"))
    if _is_off(armature.matrix_basis):
        context.report.warn(armature.name, T("its object is rotated or scaled, which is not exported"))
    columns = np.array([index for _, index in bones], np.int64)
    if len(bones) < len(armature.data.bones):
        _warn_of_helpers(context, armature)
        _warn_of_deleted_controls(context, armature)
    if original is not None:
        _warn_of_deleted_bones(context, armature, columns, model)
        offsets = _original_offsets(offsets, heads, parents, columns, original)
    tree = MeshTree(parents, np.rint(offsets).astype(np.int64), np.zeros(len(bones), np.int64))
    head = heads[0] if len(heads) else np.zeros(3)
    return Rig(
        model=model,
        armature=armature,
        names=names,
        old_names=[bone.tomb_raider.imported_name if index >= 0 else "" for bone, index in bones],
        columns=columns,
        frames=frames_of(np.array([_rest(context, armature, bone, index) for bone, index in bones])),
        head=snap(head),
        tree=tree,
        original=original,
        meshes=[
            _mesh_number(context, _part_on(context, armature, bone, children), mesh_numbers)
            for bone, _ in bones
        ],
    )


def _warn_of_deleted_controls(context: ExportContext, armature: Object) -> None:
    """Warn of limbs whose controls a user has deleted: what they posed cannot be exported."""
    parts: dict[int, dict[str, str]] = {}
    for bone in armature.data.bones:
        settings = bone.tomb_raider
        if settings.limb >= 0 and settings.part:
            parts.setdefault(settings.limb, {})[settings.part] = bone.name
    ends = [
        limb.get("PAW") or limb.get("END", "")
        for limb in parts.values()
        if not any(controls <= limb.keys() for controls in _CONTROLS["UPPER" in limb])
    ]
    if ends:
        text = T(
            "controls of {names} were deleted, so their poses are not exported", names=first_few(ends, 4)
        )
        hint = T("undo that, or use Discard in the panel Control Rig, and add the rig again")
        context.report.warn(armature.name, T("{text}: {hint}", text=text, hint=hint))


def _warn_of_helpers(context: ExportContext, armature: Object) -> None:
    """Warn of new bones without a mesh that no constraint needs: a mesh may have been forgotten."""
    used: set[str] = set()
    for bone in armature.pose.bones if armature.pose is not None else ():
        for constraint in bone.constraints:
            holders = [constraint, *getattr(constraint, "targets", ())]
            used |= {getattr(each, name, "") for each in holders for name in ("subtarget", "pole_subtarget")}
            used.add(bone.name)
    loose = [
        bone.name
        for bone in helper_bones(armature)
        if used.isdisjoint({bone.name, *(each.name for each in bone.children_recursive)})
    ]
    if loose:
        text = T("bones without a mesh are not exported: {loose}", loose=first_few(loose, _NAMED))
        context.report.warn(
            armature.name, T("{text}. Parent meshes to them, or mark them as Control Bone", text=text)
        )


def _warn_of_deleted_bones(
    context: ExportContext, armature: Object, columns: NDArray[np.int64], model: int
) -> None:
    lost = sorted(set(range(len(context.original_mesh_trees[model]))) - set(columns.tolist()))
    if lost:
        imported = bone_names(context.decoded, model, armature.name)
        names = first_few([imported[number] for number in lost], _NAMED)
        text = T(
            "bones were deleted, so their meshes are left out: {some}. The game numbers meshes, "
            "so it will move the wrong ones. To hide a mesh, delete its faces and keep its bone",
            some=names,
        )
        context.report.warn(armature.name, text)


def _original_offsets(
    offsets: NDArray[np.float64],
    heads: NDArray[np.float64],
    parents: NDArray[np.int64],
    columns: NDArray[np.int64],
    original: MeshTree,
) -> NDArray[np.float64]:
    """Return offsets of m bones, (m, 3), with the original's where they are equal in 32-bit precision."""
    is_known = (columns >= 0) & (parents >= 0) & (columns[parents] == original.parents[columns])
    size = np.abs(heads).max(axis=1, initial=0)
    slack = np.maximum(0.5, _PRECISION * np.maximum(size, size[parents]))
    before = original.offsets[columns].astype(np.float64)
    same = is_known & (np.abs(offsets - before) <= slack[:, None]).all(axis=1)
    return np.where(same[:, None], before, offsets)


def snap(head: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a position without the noise of 32-bit floats, rounded to whole units if it is near them."""
    near = np.rint(head)
    return near if np.abs(head - near).max(initial=0) < 1e-3 else head


def _in_order(armature: Object, original: MeshTree | None) -> list[tuple[Bone, int]]:
    """Return a model's bones in the order of its meshes, with the original's mesh number or -1."""
    count = 0 if original is None else len(original)
    result = [(bone, index if index < count else -1) for bone, index in numbered_bones(armature)]
    for bone, index in result[1:]:
        if own_parent(bone) is None and (index < 0 or original is None or original.parents[index] >= 0):
            problem = T(
                "the bone {bone} has no parent; only the first bone of a model can be without one",
                bone=bone.name,
            )
            raise ExportError(armature.name, problem)
    last = -1
    for bone, index in result:
        if 0 <= index < last:
            problem = T(
                "the parent of the bone {bone} is not possible in the order of the model's meshes",
                bone=bone.name,
            )
            raise ExportError(armature.name, problem)
        last = max(last, index)
    return result


def _rest(context: ExportContext, armature: Object, bone: Bone, index: int) -> list[float]:
    """Return the rotation at rest that a bone's keys are relative to: the imported one, or a new bone's own.

    Meshes have no rest rotation in the games, so a bone's direction is irrelevant to them.
    """
    now = list(bone.matrix_local.to_quaternion()[:])
    checked(np.array(now), armature.name, T("the rotation of the bone {bone}", bone=bone.name))
    if index < 0:
        return now
    stored = list(bone.tomb_raider.rest[:])
    if not 0 < sum(part * part for part in stored) < inf:
        return now  # invalid, as in files from other sources
    difference = [max(abs(a - sign * b) for a, b in zip(now, stored, strict=True)) for sign in (1, -1)]
    if min(difference) > _MAX_ROTATION:
        text = T("the bone {bone} was rotated at rest, which games do not support", bone=bone.name)
        context.report.warn(
            armature.name, T("{text}; its keys are exported for its old direction", text=text)
        )
    return stored


def _part_on(
    context: ExportContext, armature: Object, bone: Bone, children: dict[tuple[Object, str], list[Object]]
) -> Object:
    """Return the mesh object on a bone."""
    parts = children.get((armature, bone.name), [])
    if not parts:
        problem = T(
            "the bone {bone} has no mesh; parent one to it, without vertices if need be", bone=bone.name
        )
        raise ExportError(armature.name, problem)
    if len(parts) > 1:
        problem = T("the bone {bone} has more than one mesh; join them", bone=bone.name)
        raise ExportError(armature.name, problem, count=len(parts), limit=1)
    part = parts[0]
    matrix = bone.matrix_local @ Matrix.Translation((0.0, bone.length, 0.0))
    matrix = matrix @ part.matrix_parent_inverse @ part.matrix_basis
    matrix.translation -= bone.head_local
    farthest = max(map(abs, (*bone.head_local, bone.length)))
    moved = max(_MOVED * context.space.scale, _PRECISION * farthest)
    if _is_off(matrix) or max(map(abs, matrix.translation)) > moved:
        text = T(
            "it is moved, rotated or scaled relative to the bone {bone}, which is not exported",
            bone=bone.name,
        )
        context.report.warn(part.name, T("{text}: move its vertices instead", text=text))
    return part


def _mesh_number(context: ExportContext, part: Object, mesh_numbers: Mapping[Mesh, int]) -> int:
    mesh = context.shown.of(part)
    number = None if mesh is None else mesh_numbers.get(mesh)
    if number is None:
        raise ExportError(part.name, T("its mesh {data} is not a mesh of the level", data=part.data.name))
    return number


def _is_off(matrix: Matrix) -> bool:
    """Return whether a matrix noticeably rotates or scales."""
    return any(abs(value) > _TOLERANCE for row in matrix.to_3x3() - _UNIT for value in row)
