"""What stands in a room, as meshes where they are shown: static meshes, sprites and entities."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object

from ...core.evaluated import evaluation
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...subjects.rooms.inhabitants import inhabitants
from .gather import Placed

_HANGING = frozenset({Kind.PLACEMENT, Kind.SPRITE})


def standing_in(root: Collection, room: Object) -> list[Placed]:
    """Return the meshes that stand in a room, and where they are in the world. Models are in their pose.

    Args:
        root: the level.
        room: of it.
    """
    found = [each for each in room.children if each.tomb_raider.kind in _HANGING]
    entities = [each for each in inhabitants(root, room)[0] if each.tomb_raider.kind == Kind.ENTITY]
    found += [each for each in entities if isinstance(each.data, Mesh)]
    flat = [Placed(each, world_matrix(each)) for each in found if isinstance(each.data, Mesh)]
    models = [each for each in entities if each.instance_type == "COLLECTION" and each.instance_collection]
    flat += [each for placed in posed(models).values() for each in placed]
    return [each for each in flat if len(each.obj.data.polygons)]


def posed(entities: list[Object]) -> dict[Object, list[Placed]]:
    """Return the meshes of what entities show, as Blender poses them, and where they are in the world."""
    found: dict[Object, list[Placed]] = {}
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
                    found.setdefault(entity, []).append(Placed(obj, each.matrix_world.copy()))
    return found
