"""A model as one skinned mesh: its rigid meshes joined, with a vertex group per bone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, Bone, Collection, Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T
from ....formats.levels.animations import continuous_quaternions
from ....formats.levels.models import MeshTree
from ...core.blender import compat
from ...core.blender.compat import LONGEST_NAME
from ...core.reporting.report import Report
from ...core.space import Space
from ...core.subjects import Kind
from ...mesh.blender_mesh import vertices_of
from ...mesh.poly_mesh import transformed
from ...mesh.vertex_weights import read_weights
from ...subjects.animations.baking import BakedCurves, baking
from ...subjects.animations.changes.layers import action_in_use
from ...subjects.animations.effects import ActingEffects, Activity, Effects, in_use
from ...subjects.animations.keys.build import set_curves
from ...subjects.animations.keys.curves import BonePaths
from ...subjects.animations.showing import own_animations
from ...subjects.meshes.shown import shown_mesh
from ...subjects.models.bones import own_bones, own_parent
from ...subjects.models.models import keep_bones
from ...subjects.models.poses import frames_of
from ...subjects.models.read import Rig, bone_children
from ...subjects.models.welds import limbs_of
from .gather import Placed, gather
from .pictures import PreparedMaterials

_WELDED = 1.5  # units: weld vertices that are 1 apart, not those that are 2 apart


class Attachment(NamedTuple):
    """A mesh that bones move."""

    placed: Placed  #: its object, and the matrix of its mesh in rest pose.
    weights: dict[str, NDArray[np.float64]]  #: the weights of all vertices, (n,), by bone name.


def attachments_of(
    shape: Object, objects: Iterable[Object], limbs: Sequence[tuple[str, Placed]], scale: float
) -> list[Attachment]:
    """Return the attachments of a model, from the objects of a figure.

    Args:
        objects: the objects of a figure; those that show the model's own meshes count as well.
        limbs: the meshes on the model's bones in rest pose, with the bones' names.
        scale: Blender units per unit of the game.
    """
    result = []
    for obj in objects:
        if obj.tomb_raider.kind != Kind.FIGURE or not isinstance(obj.data, Mesh):
            continue
        follows: list[Any] = [each for each in obj.constraints if each.type == "CHILD_OF"]
        if follows:
            limb = next((each for each in limbs if each[1].obj == follows[0].target), None)
            if limb is not None:
                bone, placed = limb
                weights = {bone: np.ones(len(obj.data.vertices))}
                result.append(Attachment(Placed(obj, placed.matrix @ obj.matrix_basis), weights))
        else:
            matrix = Matrix.Translation((obj.location - shape.location).to_tuple())
            sides = limbs_of(obj)
            between = [number for number, (_, placed) in enumerate(limbs) if placed.obj in sides]
            weights = _welded(obj.data, matrix, limbs, _WELDED * scale, between)
            result.append(Attachment(Placed(obj, matrix), weights))
    return result


def _welded(
    mesh: Mesh, matrix: Matrix, limbs: Sequence[tuple[str, Placed]], tolerance: float, between: list[int]
) -> dict[str, NDArray[np.float64]]:
    """Return the weights of a joint's vertices by bone.

    A vertex follows the limb that has a vertex at its place, of several the last one, which is the child.
    Vertices without such a limb have equal weights for all limbs of the others, or for those that it is
    between.
    """
    points = _points(mesh, matrix)
    bone = np.full(len(points), -1)
    for number, (_, (limb, limb_matrix)) in enumerate(limbs):
        assert isinstance(limb.data, Mesh)
        limb_points = _points(limb.data, limb_matrix)
        if len(limb_points) and len(points):
            distances = np.abs(points[:, None] - limb_points).max(axis=2).min(axis=1)
            bone[distances < tolerance] = number
    used_limbs = np.unique(bone[bone >= 0]).tolist() or between or [0]
    return {
        limbs[number][0]: np.where(bone >= 0, bone == number, 1 / len(used_limbs)).astype(np.float64)
        for number in used_limbs
    }


def _points(mesh: Mesh, matrix: Matrix) -> NDArray[np.float64]:
    return transformed(vertices_of(mesh), matrix)


class Skinned(NamedTuple):
    """A model as one skinned mesh."""

    armature: Object  #: of its bones.
    body: Object  #: the mesh object, which follows them.


def at_rest(part: Object, bone: Bone) -> Matrix:
    """Return the matrix of an object on a bone, relative to the armature, in rest pose."""
    tail = bone.matrix_local @ Matrix.Translation((0.0, bone.length, 0.0))
    return tail @ part.matrix_parent_inverse @ part.matrix_basis


def make_skinned(
    root: Collection,
    shape: Object,
    home: Collection,
    pictures: PreparedMaterials,
    report: Report,
    *,
    light: bool,
    attachments: Iterable[Object] = (),
    skin: Object | None = None,
) -> Skinned:
    """Create a skinned mesh of a model, at the origin and in rest pose.

    Args:
        light: see :func:`~.gather.gather`.
        attachments: the objects of the figure: joints, holsters and hair.
        skin: the mesh to copy instead of those on the bones.

    Raises:
        ExportError: if no mesh is parented to its bones.
    """
    bones = shape.data.copy()
    armature = bpy.data.objects.new(f"{shape.name} Rig"[:LONGEST_NAME], bones)
    bones.name = armature.name
    for group in bones.collections:
        group.is_visible = True
    armature.show_in_front = True
    home.objects.link(armature)
    keep_bones(armature, {bone.name for bone in own_bones(shape)})
    children = bone_children([shape], bpy.data.objects)
    parts = [(bone, part) for bone in bones.bones for part in children.get((shape, bone.name), [])]
    if not parts and skin is None:
        raise ExportError(shape.name, T("its bones have no meshes"))
    limbs = [(bone.name, Placed(part, at_rest(part, bone))) for bone, part in parts]
    attached = attachments_of(shape, attachments, limbs, root.tomb_raider.scale)
    if skin is not None:
        limbs, attached = [], [_skin(skin, [bone.name for bone in bones.bones])]
    placed = [*(each for _, each in limbs), *(each.placed for each in attached)]
    name = f"{shape.name} Skinned"[:LONGEST_NAME]
    gathered = gather(root, name, placed, pictures, report, light=light)
    body = bpy.data.objects.new(name, gathered.mesh)
    home.objects.link(body)
    for bone in bones.bones:
        body.vertex_groups.new(name=bone.name)
    for number, (name, _) in enumerate(limbs):
        body.vertex_groups[name].add(np.flatnonzero(gathered.source == number).tolist(), 1.0, "REPLACE")
    for number, each in enumerate(attached, len(limbs)):
        vertices = np.flatnonzero(gathered.source == number)
        for name, weights in each.weights.items():
            values = weights[gathered.vertex[vertices]]
            for value in np.unique(values[values > 0]).tolist():
                body.vertex_groups[name].add(vertices[values == value].tolist(), value, "REPLACE")
    body.parent = armature
    modifier = body.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    return Skinned(armature, body)


def _skin(skin: Object, names: Sequence[str]) -> Attachment:
    with shown_mesh(skin) as mesh:
        weights = read_weights(skin, mesh, names).astype(np.float64)
    return Attachment(Placed(skin, skin.matrix_local), dict(zip(names, weights.T, strict=True)))


def animate(armature: Object, model: Object, shape: Object, space: Space, report: Report) -> list[Action]:
    """Add the animations of a model to an armature, each on an NLA track of its name.

    Those that constraints or drivers act in are copies, as an export of the level bakes them.

    Args:
        armature: with bones of the same names. Its view layer must have been updated since it was created, so
            that it has a pose.
        shape: the armature of the model that is drawn in its place, or the same.

    Returns:
        The animations.
    """
    for bone in armature.pose.bones:
        if bone.name in model.pose.bones:
            bone.rotation_mode = model.pose.bones[bone.name].rotation_mode
    actions = [each for each in own_animations(model) if not each.tomb_raider.is_helper]
    if not actions:
        return []
    data = armature.animation_data_create()
    evaluated = evaluated_actions(model, shape, actions, space, report)
    for action in actions:
        track = data.nla_tracks.new()
        track.name = action.name
        strip = track.strips.new(action.name, 0, evaluated.get(action, action))
        strip.name = action.name
        strip.extrapolation = "NOTHING"
        compat.assign_strip_slot(strip, model)
    current = action_in_use(model)
    played = current if current in actions else actions[0]
    compat.assign_as(armature, evaluated.get(played, played), model)
    return [evaluated.get(action, action) for action in actions]


# --- Evaluated animations ----------------------------------------


def evaluated_actions(
    model: Object, shape: Object, actions: Iterable[Action], space: Space, report: Report
) -> dict[Action, Action]:
    """Return copies of those actions that an export of the level bakes, with a key at every frame.

    Args:
        shape: that of the model which is drawn in its place, or the same.

    Returns:
        The copies by their actions.
    """
    effects = next((candidate for each in (shape, model) if (candidate := Effects(each))), None)
    if effects is None:
        return {}
    rig = _rig_of(model)
    bones = BonePaths.of(rig.names, rig.old_names)
    acting = ActingEffects.of(effects, actions, model, bones)
    played = {*in_use(model), *in_use(shape)}
    result: dict[Action, Action] = {}
    with baking(rig, effects.armature, space, acting.keyed) as baker:
        for action, activity in acting.activities.items():
            if activity is Activity.KEYED or action in played or action.tomb_raider.index < 0:
                curves = BakedCurves(acting.keys[action], baker, bones, report)
                result[action] = _copy(action, model, rig.names, curves)
    return result


def _copy(action: Action, model: Object, names: list[str], curves: BakedCurves) -> Action:
    """Return a copy of an action with the poses of its curves at every frame."""
    first, last = curves.span() or (0.0, 0.0)
    times = np.arange(np.floor(first), np.ceil(last) + 1)
    rotations, positions = curves.poses(times)
    rows = np.empty((3 + 4 * len(names), len(times), 2), np.float32)
    rows[..., 0] = times
    rows[:3, :, 1] = positions.T
    rows[3:, :, 1] = np.asarray(continuous_quaternions(rotations)).reshape(len(times), -1).T
    copy: Any = action.copy()
    copy.asset_clear()
    copy.use_fake_user = False
    copy.tomb_raider.model = copy.tomb_raider.home = None
    copy.tomb_raider.is_helper = True  # it is no animation of the level
    set_curves(copy, model, names, rows.reshape(len(rows), -1))
    return copy


def _rig_of(model: Object) -> Rig:
    """Return the bones of a model as an export reads them, at rest as they are in the scene."""
    bones = own_bones(model)
    numbers: dict[Bone | None, int] = {bone: number for number, bone in enumerate(bones)}
    parents = np.array([numbers.get(own_parent(bone), -1) for bone in bones], np.int64)
    zeros = np.zeros(len(bones), np.int64)
    return Rig(
        model=-1,
        armature=model,
        names=[bone.name for bone in bones],
        old_names=[bone.tomb_raider.imported_name for bone in bones],
        columns=zeros - 1,
        frames=frames_of([bone.matrix_local.to_quaternion()[:] for bone in bones]),
        head=np.zeros(3),
        tree=MeshTree(parents, np.zeros((len(bones), 3), np.int64), zeros),
        original=None,
        meshes=zeros.tolist(),
    )
