"""The model that tools animate, and its list of bones."""

from __future__ import annotations

from typing import Any

from bpy.types import Action, Object

from ...subjects.models.editing import armature_of_model
from ...subjects.models.figures import drawn_for
from .fitting import match_bones
from .skeletons import Skeleton


def animated_model(obj: Object | None) -> Object | None:
    """Return the armature whose animations an object shows: its model, or the one that it is drawn for."""
    armature = armature_of_model(obj)
    if armature is None:
        return None
    return drawn_for(armature) or armature


def animation_in_use(obj: Object | None, model: Object) -> Action | None:
    """Return the animation of a model that an object shows, or None."""
    armature = armature_of_model(obj)
    for each in (armature, model):
        data = None if each is None else each.animation_data
        if data is not None and data.action is not None and data.action.tomb_raider.model == model:
            return data.action
    return None


def fill_bones(settings: Any, source: Object | None, model: Object) -> int:
    """List the bones of a model with those of a source that they probably follow; return how many have one.

    Args:
        settings: of the scene, see :class:`~...properties.motion.TombRaiderMotion`.
        source: the armature, None for a list without guesses.
        model: the armature of the model.
    """
    target = Skeleton.of(model)
    names = [""] * len(target.names)
    if source is not None:
        other = Skeleton.of(source)
        names = [other.names[pair] if pair >= 0 else "" for pair in match_bones(other, target).tolist()]
    settings.rows.clear()
    for bone, name in zip(target.names, names, strict=True):
        row = settings.rows.add()
        row.bone, row.source = bone, name
    return sum(map(bool, names))


def chosen_bones(settings: Any) -> dict[str, str]:
    """Return the listed names of a source's bones by those of the model."""
    return {row.bone: row.source for row in settings.rows if row.source}
