"""The displayed animation of a model and of models that the game draws in its place."""

from __future__ import annotations

import bpy
from bpy.types import Action, Object, Scene

from ...core.blender.shown import listeners
from ...core.subjects import Kind
from ..models.figures import is_drawn_for
from .changes import chains
from .changes.layers import action_in_use, assign_layered
from .keys.ranges import first_frame, last_frame
from .new_actions import claim_new_action


def own_animations(armature: Object) -> list[Action]:
    """Return the actions of a model in the order of the file, new ones last."""

    def order(action: Action) -> tuple[bool, int, str]:
        index = action.tomb_raider.index
        return index < 0, index, action.name

    actions = (action for action in bpy.data.actions if action.tomb_raider.model == armature)
    return sorted(actions, key=order)


def animated_model(armature: Object) -> Object:
    """Return the model whose animations an armature shows: Lara for her skin, else itself."""
    action = action_in_use(armature)
    owner = None if action is None else action.tomb_raider.model
    if owner is not None and owner != armature and is_drawn_for(armature, owner):
        return owner
    return armature


def listed_animations(armature: Object) -> list[Action]:
    """Return the actions that an armature can show: those of the model that it is drawn for, and its own."""
    figures = (each for each in bpy.data.collections if each.tomb_raider.kind == Kind.MODEL and each.children)
    owners = [
        figure.tomb_raider.model
        for figure in figures
        if any(part.tomb_raider.model == armature for part in figure.children)
    ]
    return [action for owner in dict.fromkeys((*owners, armature)) for action in own_animations(owner)]


def show_animation(armature: Object, action: Action) -> bool:
    """Assign an animation to a model and to models drawn for it; return whether any of them has a pose."""
    owner = action.tomb_raider.model
    lead = owner if owner is not None and is_drawn_for(armature, owner) else armature
    models = (obj for obj in bpy.data.objects if obj.tomb_raider.kind == Kind.MODEL)
    objects = list(dict.fromkeys((armature, lead, *(obj for obj in models if is_drawn_for(obj, lead)))))
    for obj in objects:
        claim_new_action(obj)  # before nothing uses it any more
    posed = [obj for obj in objects if obj.pose is not None]  # Blender crashes without a pose
    for obj in posed:
        assign_layered(obj, action)
    for listener in listeners if posed else ():
        listener(posed[0], action)
    return bool(posed)


def show_in_range(armature: Object, action: Action, scene: Scene, *, from_start: bool = True) -> bool:
    """Show an animation in the scene's preview range, in place of a chain; return whether a model has a pose.

    The current frame stays if it is one of the animation's frames, unless it plays from the start.
    """
    chains.stop(armature, scene)
    if not show_animation(armature, action):
        return False
    first, last = first_frame(action), last_frame(action)
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = first, last
    keeps_frame = not from_start and first <= scene.frame_current <= last
    scene.frame_set(scene.frame_current if keeps_frame else first)
    return True
