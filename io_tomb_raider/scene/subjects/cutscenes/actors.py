"""Actors of a cutscene: armatures that share a model's bones and meshes, with separate poses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Bone, Collection, Object
from numpy.typing import NDArray

from ....formats.base import LARA
from ....formats.levels.cutscenes import LARA_NODES
from ...core.blender.compat import LONGEST_NAME
from ...core.membership import members_of
from ...core.order import ordered
from ...core.space import Space
from ...core.subjects import Kind
from ..models.bones import own_bones, own_parent
from ..models.models import draw_bones, edit_mode, hang
from ..models.poses import frames_of
from ..models.read import snap

_STAND_IN_BONE = 128  # units: length of bones of an unknown model


@dataclass(frozen=True, eq=False)
class ActorBones:
    """The m bones of an actor in the order of its model's meshes."""

    #: names, old_names: the names of the bones, and those at import or "".
    names: list[str]
    old_names: list[str]
    parents: NDArray[np.int64]  #: (m,) int64, -1 for none.
    rests: NDArray[np.float64]  #: (m, 4), w, x, y, z: the rotations at rest, which keys are relative to.
    frames: NDArray[np.float64]  #: (m, 3, 3), see :mod:`..models.poses`.
    head: NDArray[np.float64]  #: (3,), the head of the first bone at rest, in the file's units and axes.
    offsets: NDArray[np.float64]  #: (m, 3), of the heads from those of the parents, likewise.
    rotation_count: int  #: the number of bones, from the first on, that have rotations in the file.

    @classmethod
    def of(cls, armature: Object, space: Space, nodes: int | None = None) -> ActorBones:
        """Return the bones of an armature; ``nodes`` is the number with rotations in the file, or None."""
        bones = own_bones(armature)
        numbers: dict[Bone | None, int] = {bone: number for number, bone in enumerate(bones)}
        rests = [
            bone.tomb_raider.rest[:] if bone.tomb_raider.index >= 0 else bone.matrix_local.to_quaternion()[:]
            for bone in bones
        ]
        points = np.array([bone.head_local for bone in bones], np.float64).reshape(-1, 3)
        heads = space.to_file(points, armature.name, "a bone")
        parents = np.array([numbers.get(own_parent(bone), -1) for bone in bones], np.int64)
        return cls(
            [bone.name for bone in bones],
            [bone.tomb_raider.imported_name for bone in bones],
            parents,
            np.array(rests, np.float64).reshape(-1, 4),
            frames_of(rests),
            snap(heads[0] if bones else np.zeros(3)),
            np.where(parents[:, None] < 0, heads, heads - heads[parents]),
            len(bones) if nodes is None else min(nodes, len(bones)),
        )


def models_by_id(root: Collection) -> dict[int, Object]:
    """Return the armatures of a level's models by the models' ids."""
    result: dict[int, Object] = {}
    objects = members_of(root, Kind.MODEL)
    for obj, _ in ordered(obj for obj in objects if obj.type == "ARMATURE"):
        result.setdefault(obj.tomb_raider.model.id, obj)
    return result


def make_actor(collection: Collection, name: str, model: Object) -> Object:
    """Make an actor with a model's armature data and meshes.

    For Lara it has the meshes that the games draw in place of hers.
    """
    actor = bpy.data.objects.new(name[:LONGEST_NAME], model.data)
    actor.tomb_raider.kind = Kind.CUTSCENE_ACTOR
    actor.tomb_raider.actor.model = model
    actor.tomb_raider.actor.slot = model.tomb_raider.model.id
    collection.objects.link(actor)
    bones = own_bones(model)
    for number, part in _parts(model):
        if number < len(bones):
            part_copy = bpy.data.objects.new(f"{name} {bones[number].name}"[:LONGEST_NAME], part.data)
            # Users select the actor; a model's mesh is edited in the library.
            part_copy.hide_select = True
            hang(part_copy, actor, bones[number])
            collection.objects.link(part_copy)
    return actor


def _parts(model: Object) -> Iterator[tuple[int, Object]]:
    """Yield the mesh objects that show a model, each with the number of its bone."""
    for skin in skins_of(model) or [model]:
        numbers = {bone.name: number for number, bone in enumerate(own_bones(skin))}
        for part in skin.children:
            if part.type == "MESH" and part.parent_type == "BONE" and part.parent_bone in numbers:
                yield numbers[part.parent_bone], part


def skins_of(model: Object) -> list[Object]:
    """Return the armatures of the models that are drawn in a model's place, [] if it is drawn itself."""
    for collection in bpy.data.collections:
        settings = collection.tomb_raider
        if settings.kind == Kind.MODEL and settings.model == model and len(collection.children):
            skins = [child.tomb_raider.model for child in collection.children]
            return [skin for skin in skins if skin is not None]
    return []


def make_stand_ins(
    collection: Collection, names_and_counts: Sequence[tuple[str, int]], space: Space
) -> list[Object]:
    """Make actors without a model: bones without meshes, all children of the first, that keep its motion."""
    actors: list[Object] = []
    for name, _ in names_and_counts:
        actor = bpy.data.objects.new(name[:LONGEST_NAME], bpy.data.armatures.new(name[:LONGEST_NAME]))
        actor.tomb_raider.kind = Kind.CUTSCENE_ACTOR
        actor.data.display_type = "STICK"
        actors.append(actor)
    with edit_mode(actors):
        for actor, (_, count) in zip(actors, names_and_counts, strict=True):
            heads = np.zeros((count, 3), np.float32)
            tails = heads + space.to_blender([0, -_STAND_IN_BONE, 0])
            parents = np.minimum(np.arange(count) - 1, 0)
            draw_bones(
                actor, parents.tolist(), [f"Bone {number:02}" for number in range(count)], heads, tails
            )
    for actor in actors:
        for number, bone in enumerate(actor.data.bones):
            settings = bone.tomb_raider
            settings.index, settings.imported_name = number, bone.name
            settings.rest = bone.matrix_local.to_quaternion()[:]
        collection.objects.link(actor)
    return actors


def is_lara(actor: Object) -> bool:
    """Return whether a game can move an actor as Lara: it has her model and her number of bones."""
    model = actor.tomb_raider.actor.model
    slot = actor.tomb_raider.actor.slot if model is None else model.tomb_raider.model.id
    return slot == LARA and len(own_bones(actor)) == LARA_NODES
