"""Spaces of controls: what a hand, a foot, the head or a target of its look goes along with.

A control follows the root of its rig, or another bone: the ground, the hips, the chest, a hand, or a bone
that goes with an object of the scene. Its custom property *Space* is the index of the bone in the list of an
*Armature* constraint, and has keys without interpolation in the actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bpy.types import Object

from ....formats import ExportError
from ....formats.base import T
from ...subjects.animations.keys.curves import bone_path
from ...subjects.models.bones import own_bones
from ...subjects.models.models import edit_mode
from .parts import HIDDEN_GROUP, SPACE, RigPart, property_path, rig_bone, rig_limbs


@dataclass(frozen=True)
class SpaceChoice:
    """A bone that a control can follow."""

    bone: str
    label: str  #: the name of the object for a bone that goes with one, else that of the bone.
    is_object: bool = False  #: whether it goes with an object.


def space_path(control: str) -> str:
    """Return the data path of the property that chooses a control's space."""
    return property_path(control, SPACE)


def followed_bones(armature: Object, control: str) -> list[str]:
    """Return the bones of a control's spaces by their indices, the root first.

    A control that hangs on another one follows that.
    """
    constraint = _constraint(armature, control)
    if constraint is not None:
        return [target.subtarget for target in constraint.targets]
    parent = armature.data.bones[control].parent
    return [parent.name if parent is not None else rig_bone(armature, RigPart.ROOT)]


def space_choices(armature: Object, control: str) -> list[SpaceChoice]:
    """Return the bones that a control can follow without following itself."""
    names = [name for part in (RigPart.ROOT, RigPart.GROUND) if (name := rig_bone(armature, part))]
    home = followed_bones(armature, control)[0]
    if home not in names:
        return [SpaceChoice(home, home)]
    limbs = rig_limbs(armature)
    names += [limb.target for limb in limbs if limb.is_body]
    names += [bone.name for bone in own_bones(armature)[:1]]
    names += [limb.name for limb in sorted(limbs, key=lambda limb: not limb.is_trunk)]
    found = [SpaceChoice(name, name) for name in dict.fromkeys(names) if not follows(armature, name, control)]
    for bone in armature.data.bones:
        if bone.tomb_raider.part == RigPart.OBJECT:
            obj = _object_of(armature, bone.name)
            if obj is not None:
                found.append(SpaceChoice(bone.name, obj.name, is_object=True))
    return found


def add_object(armatures: Sequence[Object], obj: Object) -> str:
    """Return the bone of a rig that goes with an object; it is added where it is missing.

    Args:
        armatures: all armatures of the figure.
        obj: an object that is no part of the figure.

    Raises:
        ExportError: the object moves with the model.
    """
    above: Object | None = obj
    while above is not None:
        if above in armatures:
            raise ExportError(
                obj.name, T("it moves with {model}, which cannot follow it", model=armatures[0].name)
            )
        above = above.parent
    for bone in armatures[0].data.bones:
        if bone.tomb_raider.part == RigPart.OBJECT and _object_of(armatures[0], bone.name) == obj:
            return str(bone.name)
    with edit_mode(armatures):
        names = []
        for armature in armatures:
            added: Any = armature.data.edit_bones.new(f"Space {obj.name}")
            added.head, added.tail, added.use_deform = (0.0, 0.0, 0.0), (0.0, 0.1, 0.0), False
            names.append(added.name)
    for armature, name in zip(armatures, names, strict=True):
        settings: Any = armature.data.bones[name].tomb_raider
        settings.control, settings.limb, settings.part = True, -1, RigPart.OBJECT
        settings.imported_name = name
        armature.data.collections_all[HIDDEN_GROUP].assign(armature.data.bones[name])
        follow: Any = armature.pose.bones[name].constraints.new("COPY_TRANSFORMS")
        follow.target = obj
    return str(names[0])


def _object_of(armature: Object, bone: str) -> Object | None:
    """Return the object that a bone of a rig goes with; None if it was deleted."""
    for constraint in armature.pose.bones[bone].constraints:
        if constraint.type == "COPY_TRANSFORMS":
            target: Object | None = constraint.target
            return target
    return None


def _constraint(armature: Object, control: str) -> Any | None:
    found = armature.pose.bones[control].constraints
    return next((each for each in found if each.type == "ARMATURE" and each.name == SPACE), None)


def add_space(armatures: Iterable[Object], control: str, bone: str) -> int:
    """Return the index of a bone in the spaces of a control; it is added where it is missing."""
    index = 0
    for armature in armatures:
        known = followed_bones(armature, control)
        if bone in known:
            index = known.index(bone)
            continue
        index = len(known)
        constraint = _constraint(armature, control)
        if constraint is None:
            constraint = _make_constraint(armature, control)
        _add_target(armature, control, constraint, bone)
    return index


def _make_constraint(armature: Object, control: str) -> Any:
    owner: Any = armature.pose.bones[control]
    owner[SPACE] = 0
    owner.id_properties_ui(SPACE).update(default=0, min=0, description="Bone that the control follows")
    constraint = owner.constraints.new("ARMATURE")
    constraint.name = SPACE
    owner.constraints.move(len(owner.constraints) - 1, 0)  # before its location and its look
    _add_target(armature, control, constraint, rig_bone(armature, RigPart.ROOT))
    return constraint


def _add_target(armature: Object, control: str, constraint: Any, bone: str) -> None:
    index = len(constraint.targets)
    target = constraint.targets.new()
    target.target, target.subtarget = armature, bone
    path = f'{bone_path(control)}.constraints["{SPACE}"].targets[{index}].weight'
    driver: Any = armature.driver_add(path).driver
    driver.type = "SCRIPTED"
    variable = driver.variables.new()
    variable.name, variable.type = "space", "SINGLE_PROP"
    variable.targets[0].id, variable.targets[0].data_path = armature, space_path(control)
    driver.expression = f"space == {index}"  # simple enough for Blender to evaluate without Python


def follows(armature: Object, bone: str, control: str) -> bool:
    """Return whether the pose of a bone depends on a control."""
    above: dict[str, set[str]] = {}
    for each in armature.pose.bones:
        needed = above.setdefault(each.name, set())
        if each.parent is not None:
            needed.add(each.parent.name)
        for constraint in each.constraints:
            sources = {getattr(constraint, name, "") for name in ("subtarget", "pole_subtarget")}
            sources |= {target.subtarget for target in getattr(constraint, "targets", ())}
            chain = [each, *each.parent_recursive][: getattr(constraint, "chain_count", 1)]
            for link in chain:
                above.setdefault(link.name, set()).update(sources - {""})
    seen, waiting = set(), [bone]
    while waiting:
        name = waiting.pop()
        if name == control:
            return True
        if name not in seen:
            seen.add(name)
            waiting += above.get(name, ())
    return False
