"""A model as one skinned mesh: its rigid meshes joined, each with a vertex group for its bone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Action, Bone, Collection, Object
from mathutils import Matrix

from ....formats import ExportError
from ...core import compat
from ...core.compat import LONGEST_NAME
from ...core.report import Report
from ...subjects.animations.transfer import actions_of
from ...subjects.models.read import bone_children
from .attachments import worn_on
from .gather import Placed, gather
from .pictures import PreparedMaterials


class Skinned(NamedTuple):
    """A model as one skinned mesh.

    Attributes:
        armature: of its bones.
        body: the mesh object, which follows them.
    """

    armature: Object
    body: Object


def at_rest(part: Object, bone: Bone) -> Matrix:
    """Return where something that hangs on a bone stands from the armature while that is at rest."""
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
    worn: Iterable[Object] = (),
) -> Skinned:
    """Make a skinned mesh of a model, at the origin and at rest.

    Args:
        root: the level.
        shape: the armature of the model whose meshes are taken.
        home: the collection for what is made.
        pictures: makes the materials.
        report: is told of what is left out.
        light: see :func:`~.gather.gather`.
        worn: what a figure shows beside the model: joints, holsters and hair.

    Raises:
        ExportError: where no mesh hangs on its bones.
    """
    bones = shape.data.copy()
    armature = bpy.data.objects.new(f"{shape.name} Rig"[:LONGEST_NAME], bones)
    bones.name = armature.name
    for group in bones.collections:
        group.is_visible = True
    armature.show_in_front = True
    home.objects.link(armature)
    hanging = bone_children([shape], bpy.data.objects)
    found = [(bone, part) for bone in bones.bones for part in hanging.get((shape, bone.name), [])]
    if not found:
        raise ExportError(shape.name, "no mesh hangs on its bones")
    limbs = [(bone.name, Placed(part, at_rest(part, bone))) for bone, part in found]
    more = worn_on(shape, worn, limbs, root.tomb_raider.scale)
    placed = [*(each for _, each in limbs), *(each.placed for each in more)]
    name = f"{shape.name} Skinned"[:LONGEST_NAME]
    gathered = gather(root, name, placed, pictures, report, light=light)
    body = bpy.data.objects.new(name, gathered.mesh)
    home.objects.link(body)
    for bone in bones.bones:
        body.vertex_groups.new(name=bone.name)
    for number, (name, _) in enumerate(limbs):
        body.vertex_groups[name].add(np.flatnonzero(gathered.source == number).tolist(), 1.0, "REPLACE")
    for number, each in enumerate(more, len(limbs)):
        own = np.flatnonzero(gathered.source == number)
        for name, weights in each.weights.items():
            values = weights[gathered.vertex[own]]
            for value in np.unique(values[values > 0]).tolist():
                body.vertex_groups[name].add(own[values == value].tolist(), value, "REPLACE")
    body.parent = armature
    modifier = body.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    return Skinned(armature, body)


def animate(armature: Object, model: Object) -> list[Action]:
    """Let an armature play the animations of a model, which they stay: each on an NLA track of its name.

    Args:
        armature: with bones of the same names. A view layer that shows it was updated since it was made, as a
            pose has to be there before an action is.
        model: the model's armature.

    Returns:
        The animations.
    """
    for bone in armature.pose.bones:
        if bone.name in model.pose.bones:
            bone.rotation_mode = model.pose.bones[bone.name].rotation_mode
    actions = [each for each in actions_of(model) if not each.tomb_raider.is_helper]
    if not actions:
        return []
    data = armature.animation_data_create()
    for action in actions:
        track = data.nla_tracks.new()
        track.name = action.name
        strip = track.strips.new(action.name, 0, action)
        strip.name = action.name
        strip.extrapolation = "NOTHING"
        compat.assign_strip_slot(strip, model)
    current = model.animation_data.action if model.animation_data is not None else None
    compat.assign_as(armature, current if current in actions else actions[0], model)
    return actions
