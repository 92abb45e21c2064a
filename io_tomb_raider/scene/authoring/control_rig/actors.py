"""Control rigs of actors of cutscenes: each of these has bones of its own as long as it has a rig."""

from __future__ import annotations

from typing import Any

from bpy.types import Object

from ...subjects.models.bones import library_model
from .parts import has_rig, rig_limbs, shares_bones
from .remove import remove_from


def take_bones(actor: Any) -> None:
    """Give an actor a copy of the bones that it shares with its model, without the model's rig."""
    if not shares_bones(actor):
        return
    actor.data = actor.data.copy()
    actor.data.name = actor.name
    if has_rig(actor):
        remove_from(actor, rig_limbs(actor))


def limbs_owner(figure: list[Object]) -> Object:
    """Return the armature with the list of limbs of a figure: of an actor, its model."""
    return library_model(figure[0])
