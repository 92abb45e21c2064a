"""Whole levels for other programs: rooms, their contents, and models with animations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object, ViewLayer
from mathutils import Matrix

from ...core.blender.cleanup import undone_on_failure
from ...core.blender.compat import LONGEST_NAME
from ...core.membership import members
from ...core.space import Space, world_matrix
from ...core.subjects import OF_ROOMS, Kind
from .gather import Placed, gather
from .pictures import PreparedMaterials
from .preparing import PreparedObjects, PrepareOptions, posed
from .skinned import animate, make_skinned

_PLACED = frozenset({Kind.PLACEMENT, Kind.SPRITE, Kind.ENTITY})


def prepare_level(
    root: Collection, layer: ViewLayer, scene: Collection, options: PrepareOptions
) -> PreparedObjects:
    """Create copies of all objects of a level for other programs, at their places.

    Args:
        options: the options; contents of rooms are always separate objects.

    Raises:
        ExportError: if an image cannot be read or saved. The scene is then unchanged.
    """
    with undone_on_failure():
        home = bpy.data.collections.new(f"{root.name} for Exchange"[:LONGEST_NAME])
        scene.children.link(home)
        result = PreparedObjects(home)
        work = _Work(
            root, result, PreparedMaterials(root, pieces=options.pieces, folder=options.folder), options
        )
        objects = members(root)
        for obj in objects:
            if obj.tomb_raider.kind in OF_ROOMS and isinstance(obj.data, Mesh):
                work.place(obj, [Placed(obj, Matrix())], world_matrix(obj), None)
        work.add_objects(obj for obj in objects if obj.tomb_raider.kind in _PLACED)
        for obj in objects:
            if obj.tomb_raider.kind == Kind.MODEL and obj.type == "ARMATURE":
                work.add_model(obj)
        if options.animations:
            layer.update()
            work.animate()
        result.objects = members(home)
    return result


class _Work:
    """One preparation; objects with the same mesh share its copy."""

    def __init__(
        self, root: Collection, result: PreparedObjects, pictures: PreparedMaterials, options: PrepareOptions
    ) -> None:
        self._root, self._result, self._pictures, self._options = root, result, pictures, options
        self._meshes: dict[Any, Mesh] = {}
        self._rigs: dict[Object, Object] = {}

    def place(self, obj: Object, placed: list[Placed], matrix: Matrix, key: Any) -> None:
        """Add an object with some meshes joined, which objects with the same key share."""
        if not any(len(each.obj.data.polygons) for each in placed):
            return
        name = f"{obj.name} Mesh"[:LONGEST_NAME]
        mesh = self._meshes.get(key) if key is not None else None
        if mesh is None:
            light = self._options.light
            mesh = gather(self._root, name, placed, self._pictures, self._result.report, light=light).mesh
            if key is not None:
                self._meshes[key] = mesh
        copy = bpy.data.objects.new(name, mesh)
        self._result.home.objects.link(copy)
        copy.matrix_world = matrix

    def add_objects(self, objects: Iterable[Object]) -> None:
        """Add placed objects; entities in their current pose."""
        models: list[Object] = []
        for obj in objects:
            if isinstance(obj.data, Mesh):
                self.place(obj, [Placed(obj, Matrix())], world_matrix(obj), obj.data)
            elif obj.instance_type == "COLLECTION" and obj.instance_collection is not None:
                models.append(obj)
        for entity, placed in posed(models).items():
            inverse = world_matrix(entity).inverted_safe()
            parts = [Placed(part, inverse @ matrix) for part, matrix in placed]
            self.place(entity, parts, world_matrix(entity), entity.instance_collection)

    def add_model(self, model: Object) -> None:
        """Add a model of the library at its place."""
        if not any(isinstance(each.data, Mesh) and len(each.data.polygons) for each in model.children):
            return
        skinned = make_skinned(
            self._root,
            model,
            self._result.home,
            self._pictures,
            self._result.report,
            light=self._options.light,
        )
        skinned.armature.location = model.location
        self._rigs[model] = skinned.armature

    def animate(self) -> None:
        """Add their animations to all models, after an update of the view layer."""
        for model, rig in self._rigs.items():
            self._result.actions += animate(rig, model, model, Space.of(self._root), self._result.report)
