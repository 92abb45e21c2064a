"""What armatures, bones and the meshes on them say about models: the scene as an export reads it."""

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
from ....formats.models.mesh_trees import MeshTree
from ...core.context import ExportContext
from ...core.order import ordered
from ...core.space import Space, checked
from ...core.subjects import Kind
from .poses import frames_of

# How far a bone's rest may be turned (as a quaternion's component), or a mesh may stand off its bone
# (in matrix components), before it is worth a word.
_TURNED = 1e-3
_OFF = 1e-3
_LOST = 1e-6  # of a position, from bone to bone
_UNIT = Matrix()


@dataclass(frozen=True, eq=False)
class Rig:
    """A model of the scene, its m bones in the order of its meshes.

    Attributes:
        model: the index of its record, behind those of the original for a new model.
        armature: its armature object.
        names: (m,) of the bones.
        old_names: (m,) what they were called when they were imported, "" for new bones.
        columns: (m,) int64, which mesh of the original model each bone carries, -1 for new bones.
        frames: (m, 3, 3), see :mod:`.poses`.
        head: (3,), where the first bone begins, in the file's units and axes.
        tree: how the bones hang together; the flags are 0.
        original: the model's tree in the original, None for a new model.
        meshes: (m,) the number of each bone's mesh in the mesh block that is written.
    """

    model: int
    armature: Object
    names: list[str]
    old_names: list[str]
    columns: NDArray[np.int64]
    frames: NDArray[np.float64]
    head: NDArray[np.float64]
    tree: MeshTree
    original: MeshTree | None
    meshes: list[int]

    @property
    def name(self) -> str:
        return self.armature.name

    def has_original_bones(self) -> bool:
        """Tell whether the bones are those of the original, none more and none less."""
        return self.original is not None and np.array_equal(self.columns, np.arange(len(self.original)))

    def has_original_tree(self) -> bool:
        """Tell whether nothing about the tree differs from the original."""
        return (
            self.original is not None
            and np.array_equal(self.tree.parents, self.original.parents)
            and np.array_equal(self.tree.offsets, self.original.offsets)
        )


def bone_children(
    armatures: Iterable[Object], among: Iterable[Object]
) -> dict[tuple[Object, str], list[Object]]:
    """Find the mesh objects that hang on bones of some armatures, by armature and name of the bone.

    Those that users have added count too, whatever collection they stand in.

    Args:
        armatures: whose bones.
        among: the objects to look at, see :class:`~...core.members.LevelObjects`.
    """
    wanted = set(armatures)
    found: dict[tuple[Object, str], list[Object]] = {}
    for obj in among:
        parent = obj.parent
        if parent in wanted and obj.parent_type == "BONE" and obj.type == "MESH" and obj.users:
            found.setdefault((parent, obj.parent_bone), []).append(obj)
    return found


class ModelPlan(NamedTuple):
    """Which models are written.

    Attributes:
        kept: their armatures with the index of the record that each is written to, -1 for a new one.
        refused: armatures that are not written, and of which nothing is.
    """

    kept: list[tuple[Object, int]]
    refused: frozenset[Object]


def choose_models(context: ExportContext) -> ModelPlan:
    """Decide which models are written, and tell of those that are not.

    Raises:
        ExportError: where users have given two models of the level one id.
    """
    armatures = [(obj, index) for obj, index in context.objects(Kind.MODEL) if obj.type == "ARMATURE"]
    if not armatures:
        if "MODELS" in context.root.tomb_raider.imported and len(context.original.models):
            context.report.warn(
                context.root.name, "its models are no longer in the scene, but stay in the level"
            )
        return ModelPlan([], frozenset())
    count = len(context.original.models)
    original_ids = context.original.models["id"].tolist()
    kept: list[tuple[Object, int]] = []
    refused: set[Object] = set()
    taken: dict[int, Object] = {}
    for obj, index in _in_free_places(armatures, original_ids):
        index = index if index < count else -1
        number = obj.tomb_raider.model.id
        # Real levels may hold an id twice; no one else can.
        if number in taken and (index < 0 or number != original_ids[index]):
            problem = f"there can be one model {number} only, and {taken[number].name} is it"
            if index >= 0:
                raise ExportError(obj.name, problem)
            advice = "give it another id, or delete that one to put this one in its place"
            context.report.warn(obj.name, f"this copy is not written: {problem}; {advice}")
            refused.add(obj)
            continue
        other = taken.setdefault(number, obj)
        if other is not obj and number != original_ids[other.tomb_raider.index]:
            raise ExportError(other.name, f"there can be one model {number} only, and {obj.name} is it")
        kept.append((obj, index))
    for index in sorted(set(range(count)) - {index for _, index in kept}):
        context.report.warn(
            f"model {original_ids[index]}", "it is no longer in the scene, but stays in the level"
        )
    return ModelPlan(kept, frozenset(refused))


def read_rigs(context: ExportContext, plan: ModelPlan, mesh_numbers: Mapping[Mesh, int]) -> list[Rig]:
    """Read all models that are written in the order of their records.

    Args:
        context: the export.
        plan: which they are.
        mesh_numbers: of the meshes, see :class:`~..meshes.meshes.MeshNumbers`.

    Raises:
        ExportError: where a model's bones or meshes are what no game can hold.
    """
    children = bone_children((obj for obj, _ in plan.kept), context.level_objects.with_bone_children)
    rigs, new = [], len(context.original.models)
    for obj, index in plan.kept:
        if index < 0:
            index, new = new, new + 1
        rigs.append(_read_rig(context, obj, index, children, mesh_numbers))
    return rigs


def _in_free_places(armatures: list[tuple[Object, int]], ids: list[int]) -> list[tuple[Object, int]]:
    """Put a new model that has the id of one that is no longer in the scene into that one's place."""
    held = {index for _, index in armatures}
    free = {identity: index for index, identity in enumerate(ids) if index not in held}
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
    numbers = {bone: number for number, (bone, _) in enumerate(bones)}
    parents = np.array([numbers[bone.parent] if bone.parent else -1 for bone, _ in bones], np.int64)
    heads = context.space.to_file(
        np.array([bone.head_local for bone, _ in bones]).reshape(-1, 3), armature.name, "a bone"
    )
    offsets = heads - np.where(parents[:, None] >= 0, heads[parents], 0.0)
    offsets[:1] = 0.0
    if np.abs(offsets).max(initial=0) > 2.0**62:
        raise ExportError(armature.name, "a bone is infinitely far away")
    _warn_of_transforms(context, armature)
    columns = np.array([index for _, index in bones], np.int64)
    if original is not None:
        offsets = _as_they_were(offsets, heads, parents, columns, original)
    tree = MeshTree(parents, np.rint(offsets).astype(np.int64), np.zeros(len(bones), np.int64))
    head = heads[0] if len(heads) else np.zeros(3)
    return Rig(
        model=model,
        armature=armature,
        names=names,
        old_names=[bone.tomb_raider.imported_name if index >= 0 else "" for bone, index in bones],
        columns=columns,
        frames=frames_of(np.array([_rest(context, armature, bone, index) for bone, index in bones])),
        head=_snap(head, context.space),
        tree=tree,
        original=original,
        meshes=[
            _mesh_number(context, _hanging(context, armature, bone, children), mesh_numbers)
            for bone, _ in bones
        ],
    )


def _as_they_were(
    offsets: NDArray[np.float64],
    heads: NDArray[np.float64],
    parents: NDArray[np.int64],
    columns: NDArray[np.int64],
    original: MeshTree,
) -> NDArray[np.float64]:
    """Return offsets of m bones, (m, 3): the original's where no more differs than 32-bit floats lose."""
    hangs_as_before = (columns >= 0) & (parents >= 0)
    above = np.where(hangs_as_before, columns[parents], -1)
    hangs_as_before &= above == original.parents[columns]
    size = np.abs(heads).max(axis=1, initial=0)
    slack = np.maximum(0.5, _LOST * np.maximum(size, size[parents]))
    before = original.offsets[columns].astype(np.float64)
    same = hangs_as_before & (np.abs(offsets - before) <= slack[:, None]).all(axis=1)
    return np.where(same[:, None], before, offsets)


def _snap(head: NDArray[np.float64], space: Space) -> NDArray[np.float64]:
    """Take the noise of 32-bit floats from a position, so that a bone at the origin stands at 0."""
    near = np.rint(head)
    return near if np.abs(head - near).max() < 1e-3 else head


def _in_order(armature: Object, original: MeshTree | None) -> list[tuple[Bone, int]]:
    """Return a model's bones in the order of its meshes, with the original's mesh number or -1.

    A new bone comes behind its old siblings and all that hangs on them.
    """
    count = 0 if original is None else len(original)
    found = [(bone, index if index < count else -1) for bone, index in ordered(armature.data.bones)]
    below: dict[Bone | None, list[tuple[Bone, int]]] = {}
    for bone, index in found:
        below.setdefault(bone.parent, []).append((bone, index))
    result: list[tuple[Bone, int]] = []
    waiting = below.get(None, [])[::-1]
    while waiting:
        bone, index = waiting.pop()
        if bone.parent is None and result and (index < 0 or original is None or original.parents[index] >= 0):
            problem = f"the bone {bone.name} has no parent; only the first bone of a model has none"
            raise ExportError(armature.name, problem)
        result.append((bone, index))
        waiting += below.get(bone, [])[::-1]
    last = -1
    for bone, index in result:
        if 0 <= index < last:
            problem = f"the bone {bone.name} hangs where the order of the model's meshes cannot stay as it is"
            raise ExportError(armature.name, problem)
        last = max(last, index)
    return result


def _rest(context: ExportContext, armature: Object, bone: Bone, index: int) -> list[float]:
    """Return the rotation at rest that a bone's keys count from: as imported, or of a new bone its own.

    Meshes have no rest rotation in the games. Where a bone points makes no difference to them.
    """
    now = list(bone.matrix_local.to_quaternion()[:])
    checked(np.array(now), armature.name, f"how the bone {bone.name} is turned")
    if index < 0:
        return now
    stored = list(bone.tomb_raider.rest[:])
    if not 0 < sum(part * part for part in stored) < inf:
        return now  # which is none, as files from anywhere may have it
    apart = [max(abs(a - sign * b) for a, b in zip(now, stored, strict=True)) for sign in (1, -1)]
    if min(apart) > _TURNED:
        text = f"the bone {bone.name} was turned at rest, which games do not know"
        context.report.warn(armature.name, f"{text}; its keys are written as if it still pointed as before")
    return stored


def _hanging(
    context: ExportContext, armature: Object, bone: Bone, children: dict[tuple[Object, str], list[Object]]
) -> Object:
    """Return what hangs on a bone."""
    found = children.get((armature, bone.name), [])
    if not found:
        problem = f"no mesh hangs on the bone {bone.name}; give it one, if need be without vertices"
        raise ExportError(armature.name, problem)
    if len(found) > 1:
        problem = f"more than one mesh hangs on the bone {bone.name}; join them"
        raise ExportError(armature.name, problem, count=len(found), limit=1)
    part = found[0]
    place = bone.matrix_local @ Matrix.Translation((0.0, bone.length, 0.0))
    place = place @ part.matrix_parent_inverse @ part.matrix_basis
    place.translation -= bone.head_local
    if _is_off(place):
        text = f"it is moved, turned or scaled against the bone {bone.name}, which is not written"
        context.report.warn(part.name, f"{text}: move its vertices instead")
    return part


def _mesh_number(context: ExportContext, part: Object, mesh_numbers: Mapping[Mesh, int]) -> int:
    mesh = context.shown.of(part)
    number = None if mesh is None else mesh_numbers.get(mesh)
    if number is None:
        raise ExportError(part.name, f"its mesh {part.data.name} is not among the level's")
    return number


def _warn_of_transforms(context: ExportContext, armature: Object) -> None:
    if _is_off(armature.matrix_basis.to_3x3().to_4x4()):
        context.report.warn(armature.name, "its object is turned or scaled, which is not written")


def _is_off(matrix: Matrix) -> bool:
    """Tell whether a matrix is noticeably not the identity."""
    return any(abs(value) > _OFF for row in matrix - _UNIT for value in row)
