"""What entities show, when users give them another type: the model of that type, or its picture."""

from __future__ import annotations

import bpy
from bpy.types import Collection, Mesh, Object

from ..base.members import level_of
from ..models.models import model_id
from ..sprites.sequences import first_quad

_NOTHING = "No Picture"


def show_type(thing: Object) -> None:
    """Let an entity show what the level has for its type.

    What has no model stands for itself. Blender cannot make an empty of a mesh, nor a mesh of an empty: what
    was a picture shows nothing where its new type has none, and an empty stays without a picture.
    """
    root, number = level_of(thing), int(thing.tomb_raider.entity.type)
    if root is None or model_id(thing.instance_collection) == number:
        return
    if isinstance(thing.data, Mesh):
        thing.data = first_quad(root, number) or _no_picture()
    elif thing.data is None:
        model = model_of_type(root, number)
        thing.instance_type = "NONE" if model is None else "COLLECTION"
        thing.instance_collection = model
        thing.empty_display_type = "ARROWS" if model is None else "PLAIN_AXES"


def model_of_type(root: Collection, number: int) -> Collection | None:
    """Return the collection of a model; what is drawn in its place holds others, and goes first."""
    found = [each for each in root.children_recursive if model_id(each) == number]
    return max(found, key=lambda each: len(each.children), default=None)


def _no_picture() -> Mesh:
    return bpy.data.meshes.get(_NOTHING) or bpy.data.meshes.new(_NOTHING)
