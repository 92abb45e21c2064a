"""The objects in a room as meshes: static meshes, sprites and entities."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object

from ...core.blender.evaluated import evaluation
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...subjects.rooms.location.inhabitants import inhabitants
from .gather import Placed

_CHILD_KINDS = frozenset({Kind.IMPORTED_GEOMETRY, Kind.PLACEMENT, Kind.SPRITE})


def contents_of(root: Collection, room: Object) -> list[Placed]:
    """Return the meshes of the objects in a room, with world matrices. Models are in their current pose."""
    found = [each for each in room.children if each.tomb_raider.kind in _CHILD_KINDS]
    entities = [each for each in inhabitants(root, room)[0] if each.tomb_raider.kind == Kind.ENTITY]
    found += [each for each in entities if isinstance(each.data, Mesh)]
    flat = [Placed(each, world_matrix(each)) for each in found if isinstance(each.data, Mesh)]
    models = [each for each in entities if each.instance_type == "COLLECTION" and each.instance_collection]
    flat += [each for placed in posed(models).values() for each in placed]
    return [each for each in flat if len(each.obj.data.polygons)]


def posed(entities: list[Object]) -> dict[Object, list[Placed]]:
    """Return the evaluated meshes of entities' models, with world matrices."""
    result: dict[Object, list[Placed]] = {}
    probes: dict[Object, Object] = {}
    for entity in entities:
        probe: Any = bpy.data.objects.new("Exchange", None)
        probe.instance_type, probe.instance_collection = "COLLECTION", entity.instance_collection
        probe.matrix_world = world_matrix(entity)
        probes[probe] = entity
    if probes:
        with evaluation(list(probes)) as graph:
            for each in graph.object_instances:
                obj: Any = each.object.original
                if each.is_instance and isinstance(obj.data, Mesh) and each.parent is not None:
                    shown_by: Any = each.parent.original
                    entity = probes[shown_by]
                    result.setdefault(entity, []).append(Placed(obj, each.matrix_world.copy()))
    return result
