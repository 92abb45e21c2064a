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
from .pictures import Pictures
from .prepare import Prepared, Wanted
from .rest_pose import posed
from .skinned import animate, make_skinned

_STANDING = frozenset({Kind.PLACEMENT, Kind.SPRITE, Kind.ENTITY})


def prepare_level(root: Collection, layer: ViewLayer, scene: Collection, wanted: Wanted) -> Prepared:
    """Make copies of all of a level that other programs understand, each thing where it stands.

    Args:
        root: the level.
        layer: the view layer that shows the copies.
        scene: the collection that gets theirs.
        wanted: what of them is prepared; what stands in rooms are things of their own.

    Raises:
        ExportError: where an image cannot be read or saved. The scene stays as it is.
    """
    with undone_on_failure():
        home = bpy.data.collections.new(f"{root.name} for Exchange"[:LONGEST_NAME])
        scene.children.link(home)
        made = Prepared(home)
        work = _Work(root, made, Pictures(root, pieces=wanted.pieces, folder=wanted.folder), wanted)
        things = members(root)
        for thing in things:
            if thing.tomb_raider.kind == Kind.ROOM and isinstance(thing.data, Mesh):
                work.place(thing, [Placed(thing, Matrix())], world_matrix(thing), None)
        work.stand(thing for thing in things if thing.tomb_raider.kind in _STANDING)
        for thing in things:
            if thing.tomb_raider.kind == Kind.MODEL and thing.type == "ARMATURE":
                work.add_model(thing)
        if wanted.animations:
            layer.update()
            work.animate()
        made.things = members(home)
    return made


class _Work:
    """One preparation: meshes that are shown twice are made once."""

    def __init__(self, root: Collection, made: Prepared, pictures: Pictures, wanted: Wanted) -> None:
        self._root, self._made, self._pictures, self._wanted = root, made, pictures, wanted
        self._meshes: dict[Any, Mesh] = {}
        self._rigs: dict[Object, Object] = {}

    def place(self, thing: Object, placed: list[Placed], matrix: Matrix, key: Any) -> None:
        """Add an object that shows some meshes as one, which others with the same key share."""
        if not any(len(each.thing.data.polygons) for each in placed):
            return
        name = f"{thing.name} Mesh"[:LONGEST_NAME]
        mesh = self._meshes.get(key) if key is not None else None
        if mesh is None:
            light = self._wanted.light
            mesh = gather(self._root, name, placed, self._pictures, self._made.report, light=light).mesh
            if key is not None:
                self._meshes[key] = mesh
        copy = bpy.data.objects.new(name, mesh)
        self._made.home.objects.link(copy)
        copy.matrix_world = matrix

    def stand(self, things: Iterable[Object]) -> None:
        """Add what stands in the level; entities in their pose."""
        models: list[Object] = []
        for thing in things:
            if isinstance(thing.data, Mesh):
                self.place(thing, [Placed(thing, Matrix())], world_matrix(thing), thing.data)
            elif thing.instance_type == "COLLECTION" and thing.instance_collection is not None:
                models.append(thing)
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
