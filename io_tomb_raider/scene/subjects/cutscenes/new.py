"""Creation of cutscenes, and of actors for any cutscene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object, Scene
from mathutils import Matrix, Quaternion, Vector

from ....formats import ExportError, Game
from ....formats.base import LARA, T
from ...core.membership import members
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ..animations.keys.key_poses import RestPose
from ..models.poses import CONJUGATE, multiply
from .actors import make_actor, skins_of
from .build import make_camera, make_origin
from .cinematics import copy_cinematic
from .shots import cuts_to

_CAMERA_PLACE = (0, -768, -3072)  # offset of a new camera from the origin
_TARGET_PLACE = (0, -512, 0)


def model_of(obj: Object) -> Object | None:
    """Return the armature of a model object, or of the model that an entity shows, else None."""
    kind = obj.tomb_raider.kind
    if kind == Kind.MODEL and obj.type == "ARMATURE":
        return obj
    if kind == Kind.ENTITY and obj.instance_collection is not None:
        model: Object | None = obj.instance_collection.tomb_raider.model
        return model
    return None


def new_cutscene(
    root: Collection, number: int, objects: Sequence[Object], camera: Object | None, frames: tuple[int, int]
) -> Collection:
    """Make a cutscene with the number, from 1, by which the game plays it, with a camera, or a new one.

    The objects, models and entities, become its actors, with their transforms and poses.

    Raises:
        ExportError: if Lara is not among the actors, or the game has no cutscenes.
    """
    if not Game[root.tomb_raider.game].traits.has_cutscene_file:
        raise ExportError(root.name, T("only levels of TR4 and TR5 play cutscenes like this"))
    cast = [(obj, model) for obj in objects if (model := model_of(obj)) is not None]
    # The games use the first actor as Lara.
    cast.sort(key=lambda pair: bool(pair[1].tomb_raider.model.id != LARA))
    if not cast or cast[0][1].tomb_raider.model.id != LARA:
        raise ExportError("cutscene", T("Lara must be one of its actors: select her model or entity too"))
    collection = bpy.data.collections.new(f"Cutscene {number:02}")
    collection.tomb_raider.kind = Kind.CUTSCENE
    collection.tomb_raider.cutscene.number = number
    root.children.link(collection)
    space = Space.of(root)
    lara = cast[0][0]
    point = space.to_file_int(np.array(world_matrix(lara).translation), lara.name)
    location = space.to_blender(point)
    origin = make_origin(collection, location)
    add_actors(collection, [obj for obj, _ in cast])
    if camera is None:
        camera, target = make_camera(collection, origin)
        camera.location = space.to_blender(_CAMERA_PLACE).tolist()
        target.location = space.to_blender(_TARGET_PLACE).tolist()
    else:
        _adopt_camera(collection, camera)
    _set_range(camera, frames)
    return collection


def add_actors(collection: Collection, objects: Sequence[Object]) -> list[Object]:
    """Add actors for models and entities, with their transforms and poses, and return them."""
    origins = [each for each in collection.objects if each.tomb_raider.kind == Kind.CUTSCENE_ORIGIN]
    pairs = [(obj, model_of(obj)) for obj in objects]
    actors = [
        (make_actor(collection, f"{collection.name} {model.name}", model), obj, model)
        for obj, model in pairs
        if model is not None
    ]
    bpy.context.view_layer.update()
    for actor, obj, model in actors:
        matrix = world_matrix(obj)
        if origins:
            actor.parent = origins[0]
            actor.matrix_parent_inverse = world_matrix(origins[0]).inverted()
        actor.matrix_basis = matrix
        if actor.pose is not None:
            for name, matrix in _shown_pose(obj, model).items():
                actor.pose.bones[name].matrix_basis = matrix
    return [actor for actor, _, _ in actors]


def _shown_pose(obj: Object, model: Object) -> dict[str, Matrix]:
    """Return the pose of a model's bones as the viewport shows it, with constraints, by their names.

    An entity of Lara shows the model that the game draws in her place.
    """
    graph = bpy.context.evaluated_depsgraph_get()
    rest = RestPose.of(model)
    drawn = [model] if obj == model else [*skins_of(model), model]
    evaluated = [each for each in drawn if each.evaluated_get(graph).is_evaluated]
    source = evaluated[0] if evaluated else model
    source_rest = RestPose.of(source)
    if source.pose is None or len(source_rest.names) != len(rest.names):
        return {}
    if not evaluated or (source == model and not any(len(bone.constraints) for bone in model.pose.bones)):
        return {name: model.pose.bones[name].matrix_basis.copy() for name in rest.names}
    bones: Any = source.evaluated_get(graph).pose.bones
    matrices = [bones[name].matrix for name in source_rest.names]
    whole = np.array([matrix.to_quaternion()[:] for matrix in matrices])
    # Both may have other axes at rest.
    whole = multiply(multiply(whole, source_rest.turns * CONJUGATE), rest.turns)[None]
    heads = np.array(matrices[0].translation)[None] - source_rest.heads[0] + rest.heads[0]
    (turns,), (location,) = rest.local(whole, heads)
    result = {
        name: Quaternion(turn).to_matrix().to_4x4()
        for name, turn in zip(rest.names, turns.tolist(), strict=True)
    }
    result[rest.names[0]].translation = location.tolist()
    return result


def _adopt_camera(collection: Collection, camera: Object) -> None:
    """Use a camera of the user's for a cutscene, with the target of its Track To constraint."""
    objects = [camera]
    for constraint in camera.constraints:
        target = getattr(constraint, "target", None)
        if constraint.type == "TRACK_TO" and target is not None and target.tomb_raider.kind == Kind.NONE:
            target.tomb_raider.kind = Kind.CUTSCENE_TARGET
            objects.append(target)
            break
    camera.tomb_raider.kind = Kind.CUTSCENE_CAMERA
    for obj in objects:
        if obj.name not in collection.objects:
            collection.objects.link(obj)


def add_camera(scene: Scene, old: Object, place: Matrix | None, distance: float) -> Object:
    """Add a camera to the cutscene of another one, with a cut to it at the current frame; return it.

    The first time, a marker also binds the old camera to the first frame of the scene.

    Args:
        old: a camera of a cutscene, or of a cutscene level.
        place: where it is and looks, in the world; by default as the old one now.
        distance: of its target.
    """
    matrix = world_matrix(old) if place is None else place
    home = old.users_collection[0]
    if old.tomb_raider.kind == Kind.CINEMATIC:
        camera, target = copy_cinematic(old, home)
    else:
        origins = [each for each in home.objects if each.tomb_raider.kind == Kind.CUTSCENE_ORIGIN]
        camera, target = make_camera(home, origins[0] if origins else old)
        if not origins:
            camera.parent = target.parent = None
    above = Matrix() if camera.parent is None else world_matrix(camera.parent).inverted()
    camera.location = above @ matrix.translation
    target.location = above @ (matrix @ Vector((0.0, 0.0, -distance)))
    cameras = [each for each in members(home) if each.type == "CAMERA"]
    if not cuts_to(scene, cameras) and scene.frame_current > scene.frame_start:
        scene.timeline_markers.new(old.name, frame=scene.frame_start).camera = old
    for marker in [each for each in scene.timeline_markers if each.frame == scene.frame_current]:
        if marker.camera in cameras:
            scene.timeline_markers.remove(marker)
    scene.timeline_markers.new(camera.name, frame=scene.frame_current).camera = camera
    scene.camera = camera
    return camera


def _set_range(camera: Object, frames: tuple[int, int]) -> None:
    """Set the frames of a cutscene in the camera's action."""
    data = camera.animation_data_create()
    if data.action is None:
        camera.keyframe_insert("location", frame=frames[0])
    action = data.action
    assert action is not None
    action.use_frame_range = True
    action.frame_start, action.frame_end = frames
