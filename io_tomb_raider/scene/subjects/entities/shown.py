"""The appearance of entities after a change of their type: the model or the sprite of that type."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object

from ...core.membership import level_of
from ..models.models import model_id
from ..sprites.sequences import first_quad

_NOTHING = "No Picture"


def shown_type(obj: Any) -> int:
    """Return the type of an entity: its model decides, if it shows one."""
    number = model_id(obj.instance_collection)
    return int(obj.tomb_raider.entity.type) if number is None else number


def show_type(obj: Object) -> None:
    """Display the model or sprite of the type that an entity has.

    Blender cannot change an empty to a mesh or back: an entity with a mesh gets an empty mesh if its new type
    has no sprite, and an empty does not show sprites.
    """
    number = int(obj.tomb_raider.entity.type)
    root = None if model_id(obj.instance_collection) == number else level_of(obj)
    if root is None:
        return
    if isinstance(obj.data, Mesh):
        obj.data = first_quad(root, number) or bpy.data.meshes.get(_NOTHING) or bpy.data.meshes.new(_NOTHING)
    elif obj.data is None:
        show_model(obj, shown_models(root).get(number))


def show_model(obj: Object, model: Collection | None) -> None:
    """Show the collection of a model on an entity without a mesh, or only its direction."""
    obj.instance_type = "NONE" if model is None else "COLLECTION"
    obj.instance_collection = model
    obj.empty_display_type = "ARROWS" if model is None else "PLAIN_AXES"


def shown_models(root: Collection) -> dict[int, Collection]:
    """Return the collection that shows each model, by id; one with parts of others has precedence."""
    result: dict[int, Collection] = {}
    for home in root.children_recursive:
        number = model_id(home)
        if number is not None and (number not in result or len(home.children) > len(result[number].children)):
            result[number] = home
    return result
