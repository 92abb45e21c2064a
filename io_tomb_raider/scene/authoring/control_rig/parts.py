"""The bones of a control rig by their parts.

Every bone of a rig, and every bone of the model that a rig moves, stores the number of its limb and its part,
so that users may rename bones. A limb has the model's own bones *u*, *l* and *e* (thigh, calf and foot; upper
arm, lower arm and hand), and a paw after *e* where *e* is the hock of an animal. A bone of the trunk (chest,
neck, head) is a limb of the one bone *e*: its control turns it and does not move it. So is the first bone,
which has the place of the model: its control is in the middle of the body and moves it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import bpy
from bpy.types import Object

from ...subjects.animations.keys.curves import bone_path
from ...subjects.models.bones import library_model, own_bones
from ...subjects.models.limbs import LimbKind

# Custom properties of a limb's control
SWITCH = "IK"  # 0 for the keys of its own bones, 1 for the controls
SPACE = "Space"  # the index of the space that the control follows; 0 is the root
LOOK = "Look At"  # 0 to 1: how much the control turns to its target


class RigPart(StrEnum):
    """The parts of bones. The values are stored in users' files and never change."""

    # Bones of the model
    UPPER = "UPPER"
    LOWER = "LOWER"
    END = "END"
    PAW = "PAW"
    # Controls
    ROOT = "ROOT"
    GROUND = "GROUND"  # goes back under the model by the speed of the animation
    OBJECT = "OBJECT"  # goes with an object of the scene
    TARGET = "TARGET"  # place and turn of the foot, hand or paw
    HEEL = "HEEL"
    TOE = "TOE"
    HOCK = "HOCK"
    POLE = "POLE"
    LOOK = "LOOK"  # what a bone of the trunk looks at
    TILT = "TILT"  # turns the first bone alone, below the control of the body
    # Bones that no one moves
    IK_UPPER = "IK_UPPER"
    IK_LOWER = "IK_LOWER"
    IK_END = "IK_END"
    IK_PAW = "IK_PAW"
    JOINT = "JOINT"  # the joint of a bone of the trunk, where its control is
    # Details: what a limb's bones are turned by beside the plane in which it bends
    UPPER_TWIST = "UPPER_TWIST"
    LOWER_TWIST = "LOWER_TWIST"


HIDDEN_GROUP = "Mechanism"  # the collection of bones that no one moves
DETAILS = (RigPart.UPPER_TWIST, RigPart.LOWER_TWIST)
OWN_PARTS = (RigPart.UPPER, RigPart.LOWER, RigPart.END, RigPart.PAW)
CONTROLS = (
    *(RigPart.TARGET, RigPart.HEEL, RigPart.TOE, RigPart.HOCK, RigPart.POLE, RigPart.LOOK),
    RigPart.TILT,
)
_OF_LIMBS = {RigPart.UPPER, RigPart.LOWER, RigPart.END, RigPart.TARGET, RigPart.POLE}
_OF_LIMBS |= {RigPart.IK_UPPER, RigPart.IK_LOWER, RigPart.IK_END, *DETAILS}
_OF_BODIES = {RigPart.END, RigPart.TARGET, RigPart.IK_END, RigPart.TILT}
_OF_TRUNKS = {RigPart.END, RigPart.TARGET, RigPart.IK_END, RigPart.JOINT}


def property_path(control: str, name: str) -> str:
    """Return the data path of a custom property of a control."""
    return f'{bone_path(control)}["{name}"]'


@dataclass(frozen=True)
class RigLimb:
    """A limb of a control rig."""

    number: int  #: its number in the rig.
    bones: dict[RigPart, str]  #: the names of its bones by their parts.

    @property
    def own(self) -> list[str]:
        """The names of the model's bones, from the upper one down."""
        return [self.bones[part] for part in OWN_PARTS if part in self.bones]

    @property
    def target(self) -> str:
        return self.bones[RigPart.TARGET]

    @property
    def is_trunk(self) -> bool:
        """Whether it is one bone that its control turns."""
        return RigPart.UPPER not in self.bones

    @property
    def is_body(self) -> bool:
        """Whether it is the first bone, and its control moves the whole body."""
        return RigPart.TILT in self.bones

    @property
    def name(self) -> str:
        """The name of the end that the limb's control moves."""
        return self.own[-1]

    @property
    def stands(self) -> bool:
        """Whether it stands on the ground: a leg, or the front leg of an animal."""
        return RigPart.HEEL in self.bones or RigPart.PAW in self.bones

    @property
    def switch(self) -> str:
        """The data path of the property that switches the limb."""
        return self.property_path(SWITCH)

    def property_path(self, name: str) -> str:
        """Return the data path of a custom property of the limb's control."""
        return property_path(self.target, name)

    def controls(self) -> list[str]:
        """Return the names of all bones with keys of their own."""
        return [self.bones[part] for part in (*CONTROLS, *DETAILS) if part in self.bones]


@dataclass(frozen=True)
class LimbBones:
    """The model's bones that a rig is made for."""

    kind: LimbKind
    names: tuple[str, ...]  #: three bones from the upper one down, four with a paw, one of the trunk.


def rig_limbs(armature: Object) -> list[RigLimb]:
    """Return the limbs of an armature's control rig, [] without a rig."""
    if shares_bones(armature):
        return []
    found: dict[int, dict[RigPart, str]] = {}
    known = set(RigPart)
    for bone in armature.data.bones:
        settings: Any = bone.tomb_raider
        if settings.part in known and settings.limb >= 0:
            found.setdefault(settings.limb, {})[RigPart(settings.part)] = bone.name
    complete = (_OF_LIMBS, _OF_TRUNKS, _OF_BODIES)
    return [
        RigLimb(number, bones)
        for number, bones in sorted(found.items())
        if any(parts <= bones.keys() for parts in complete)
    ]


def rig_bone(armature: Object, part: RigPart) -> str:
    """Return the name of a bone that a rig has once, "" if it was deleted."""
    return next((bone.name for bone in armature.data.bones if bone.tomb_raider.part == part), "")


def has_rig(armature: Object | None) -> bool:
    """Return whether an armature has bones of a control rig."""
    if armature is None or shares_bones(armature):
        return False
    return any(bone.tomb_raider.control and bone.tomb_raider.part for bone in armature.data.bones)


def shares_bones(armature: Object) -> bool:
    """Return whether an actor of a cutscene has the bones of its model: a rig there is the model's."""
    model = library_model(armature)
    return model != armature and model.data == armature.data


def figure_of(armature: Object) -> list[Object]:
    """Return the model and all models that are drawn in its place: the rig is in all of them.

    Since TR3, games draw another model in place of Lara's, which shows her animations.
    """
    models = [obj for obj in _models() if obj == armature or _is_drawn_for(armature, obj)]
    model = next((obj for obj in models if obj != armature), armature)
    count = len(own_bones(model))
    skins = [
        obj
        for obj in _models()
        if obj not in (model, armature) and _is_drawn_for(obj, model) and len(own_bones(obj)) == count
    ]
    return [model, *([armature] if armature != model else []), *skins]


def _models() -> Iterator[Any]:
    return (obj for obj in bpy.data.objects if obj.type == "ARMATURE" and obj.tomb_raider.kind == "MODEL")


def _is_drawn_for(skin: Object, model: Object) -> bool:
    from ...subjects.models.figures import is_drawn_for

    return is_drawn_for(skin, model)
