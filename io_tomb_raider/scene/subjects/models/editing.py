"""Opening the library model that an entity shows for editing, and closing it.

An entity is an instance, which Blender cannot edit. Its model is in the library, which an import hides.
"""

from __future__ import annotations

from bpy.types import Collection, Object, ViewLayer
from mathutils import Matrix

from ....formats import ExportError
from ....formats.base import T
from ...core.level_visibility import is_shown, layer_of, show_part
from ...core.membership import members_of
from ...core.space import world_matrix
from ...core.subjects import Kind
from .bones import is_actor
from .models import model_id


def shows_model(obj: Object | None) -> bool:
    """Return whether an object is an entity that shows a model of the library."""
    return obj is not None and obj.tomb_raider.kind == Kind.ENTITY and model_id(model_of(obj)) is not None


def model_of(obj: Object) -> Collection | None:
    """Return the collection of the model that an entity shows, or None."""
    return obj.instance_collection if obj.instance_type == "COLLECTION" else None


def armature_of_model(obj: Object | None) -> Object | None:
    """Return the armature of an object's model: itself, its parent, or that of an entity's model; or None."""
    if obj is None:
        return None
    kind = obj.tomb_raider.kind
    if kind == Kind.MODEL:
        return obj
    if kind in (Kind.MODEL_MESH, Kind.SKIN):
        return obj.parent
    collection = model_of(obj) if kind == Kind.ENTITY else None
    return None if collection is None else collection.tomb_raider.model


def posed_armature(obj: Object | None) -> Object | None:
    """Return the armature that tools for poses edit: an actor of a cutscene, or that of an object's model."""
    return obj if is_actor(obj) else armature_of_model(obj)


def entities_of(root: Collection, model: int) -> list[Object]:
    """Return the entities of a level that show a model, or the figure drawn in its place."""
    return [obj for obj in members_of(root, Kind.ENTITY) if model_id(model_of(obj)) == model]


def open_model(root: Collection, layer: ViewLayer, entity: Object) -> list[Object]:
    """Show only the model of an entity in the library, and return its meshes, then its armature.

    All its meshes are shown, also those that a figure leaves out, such as thighs below holsters.

    Raises:
        ExportError: if it shows no library model of its level, or that is not in the view layer.
    """
    model = model_of(entity)
    if model is None or model not in root.children_recursive:
        raise ExportError(entity.name, T("it shows no model of its level's library"))
    settings = root.tomb_raider.level
    if settings.edited is None:
        settings.library_was_shown = is_shown(root, layer, "MODELS")
    if not show_part(root, layer, "MODELS", True):
        raise ExportError(root.name, T("its models are not in this view layer"))
    armatures = members_of(model, Kind.MODEL)
    libraries = (child for child in root.children if child.tomb_raider.kind == Kind.MODELS)
    homes = [home for library in libraries for home in library.children]
    shown_homes = [home for home in homes if not set(armatures).isdisjoint(home.objects)]
    for home in homes:
        home_layer = layer_of(home, layer)
        if home_layer is not None:
            home_layer.exclude = home not in shown_homes
    settings.edited = entity
    meshes = (obj for home in shown_homes for obj in members_of(home, Kind.MODEL_MESH))
    return [*dict.fromkeys(meshes), *armatures]


def close_model(root: Collection, layer: ViewLayer) -> Object | None:
    """Restore the visibility of the library before a model was opened, and return the model's entity."""
    settings = root.tomb_raider.level
    entity: Object | None = settings.edited
    show_part(root, layer, "MODELS", True)  # all of them
    show_part(root, layer, "MODELS", bool(settings.library_was_shown))
    settings.edited = None
    return entity


def to_library(entity: Object) -> Matrix:
    """Return the matrix from world positions at an entity to those at its library model."""
    model = model_of(entity)
    offset = Matrix() if model is None else Matrix.Translation(model.instance_offset[:])
    return offset @ world_matrix(entity).inverted_safe()
