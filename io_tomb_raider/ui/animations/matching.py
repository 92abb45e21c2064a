"""Controls that follow the animation which a model shows, for users who want that."""

from __future__ import annotations

import bpy
from bpy.types import Action, Object

from ...scene.core import is_local
from ...scene.core.blender import shown


def match_shown(armature: Object | None, action: Action) -> None:
    """Key the controls of a model in an animation that it shows, where the animation has no keys of them.

    Limbs that are switched to the keys of their bones stay so if their controls have keys.
    """
    scene = bpy.context.scene
    if scene is None or not scene.tomb_raider.match_controls:
        return
    from ...scene.authoring.control_rig import RigAtRest, has_keys, has_rig

    if armature is None or armature.type != "ARMATURE" or not is_local(action) or not has_rig(armature):
        return
    rig = RigAtRest.of(armature, action)
    limbs = [limb for limb in rig.limbs if not has_keys(action, armature, limb)]
    if limbs:
        rig.match([action], limbs)


def register() -> None:
    shown.listeners.append(match_shown)


def unregister() -> None:
    shown.listeners.remove(match_shown)
