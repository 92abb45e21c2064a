"""A whole level for other programs: rooms, what stands in them, and the models with animations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object, ViewLayer
from mathutils import Matrix

from ...core.cleanup import undone_on_failure
from ...core.compat import LONGEST_NAME
from ...core.members import members
from ...core.space import world_matrix
from ...core.subjects import Kind
from .gather import Placed, gather
from .pictures import PreparedMaterials
from .prepare import PreparedObjects, PrepareOptions
from .rest_pose import posed
from .skinned import animate, make_skinned

_STANDING = frozenset({Kind.PLACEMENT, Kind.SPRITE, Kind.ENTITY})


def prepare_level(
    root: Collection, layer: ViewLayer, scene: Collection, wanted: PrepareOptions
) -> PreparedObjects:
    """Make copies of all of a level that other programs understand, each object where it stands.

    Args:
        root: the level.
        layer: the view layer that shows the copies.
        scene: the collection that gets theirs.
        wanted: what of them is prepared; what stands in rooms are objects of their own.

    Raises:
        ExportError: where an image cannot be read or saved. The scene stays as it is.
    """
    with undone_on_failure():
        home = bpy.data.collections.new(f"{root.name} for Exchange"[:LONGEST_NAME])
        scene.children.link(home)
        made = PreparedObjects(home)
        work = _Work(root, made, PreparedMaterials(root, pieces=wanted.pieces, folder=wanted.folder), wanted)
        objects = members(root)
        for obj in objects:
            if obj.tomb_raider.kind == Kind.ROOM and isinstance(obj.data, Mesh):
                work.place(obj, [Placed(obj, Matrix())], world_matrix(obj), None)
        work.stand(obj for obj in objects if obj.tomb_raider.kind in _STANDING)
        for obj in objects:
            if obj.tomb_raider.kind == Kind.MODEL and obj.type == "ARMATURE":
                work.add_model(obj)
        if wanted.animations:
            layer.update()
            work.animate()
        made.objects = members(home)
    return made


class _Work:
    """One preparation: meshes that are shown twice are made once."""

    def __init__(
        self, root: Collection, made: PreparedObjects, pictures: PreparedMaterials, wanted: PrepareOptions
    ) -> None:
        self._root, self._made, self._pictures, self._wanted = root, made, pictures, wanted
        self._meshes: dict[Any, Mesh] = {}
        self._rigs: dict[Object, Object] = {}

    def place(self, obj: Object, placed: list[Placed], matrix: Matrix, key: Any) -> None:
        """Add an object that shows some meshes as one, which others with the same key share."""
        if not any(len(each.obj.data.polygons) for each in placed):
            return
        name = f"{obj.name} Mesh"[:LONGEST_NAME]
        mesh = self._meshes.get(key) if key is not None else None
        if mesh is None:
            light = self._wanted.light
            mesh = gather(self._root, name, placed, self._pictures, self._made.report, light=light).mesh
            if key is not None:
                self._meshes[key] = mesh
        copy = bpy.data.objects.new(name, mesh)
        self._made.home.objects.link(copy)
        copy.matrix_world = matrix

    def stand(self, objects: Iterable[Object]) -> None:
        """Add what stands in the level; entities in their pose."""
        models: list[Object] = []
        for obj in objects:
            if isinstance(obj.data, Mesh):
                self.place(obj, [Placed(obj, Matrix())], world_matrix(obj), obj.data)
            elif obj.instance_type == "COLLECTION" and obj.instance_collection is not None:
                models.append(obj)
        for entity, placed in posed(models).items():
            back = world_matrix(entity).inverted_safe()
            own = [Placed(part, back @ matrix) for part, matrix in placed]
            self.place(entity, own, world_matrix(entity), entity.instance_collection)

    def add_model(self, model: Object) -> None:
        """Add a model of the library where it lies."""
        if not any(isinstance(each.data, Mesh) and len(each.data.polygons) for each in model.children):
            return
        skinned = make_skinned(
            self._root, model, self._made.home, self._pictures, self._made.report, light=self._wanted.light
        )
        skinned.armature.location = model.location
        self._rigs[model] = skinned.armature

    def animate(self) -> None:
        """Let all models have their animations, after an update of the view layer."""
        for model, rig in self._rigs.items():
            self._made.actions += animate(rig, model)
