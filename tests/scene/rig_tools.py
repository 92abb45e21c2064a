"""Helpers for tests of models and animations: armatures in Blender, and poses as in a game."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Armature, Collection, LayerCollection
from mathutils import Vector

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.levels.animations.animations import model_animations
from io_tomb_raider.formats.levels.animations.frames import Keys, decode_frames
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from tests.sample_levels import sample_level

from .scenes import objects

SCALE = 1 / 512
LARA, PISTOLS, ENEMY, SWITCH = range(4)  # models of the sample levels


def with_joints() -> bytes:
    """Return a TR4 level whose Lara has a skin and joints: the same meshes as her own, all in one place."""
    level = sample_level(Game.TR4)
    lara = level.models[level.models["id"] == 0]
    models = [level.models]
    for number in (8, 9):
        copy = lara.copy()
        copy["id"] = number
        models.append(copy)
    level.models = np.concatenate(models)
    return level.to_bytes()


def armature(root: Collection, model: int = LARA) -> Any:
    """Return the armature of a model by its index."""
    return objects(root, "MODEL")[model]


def parts(root: Collection, model: int = LARA) -> list[Any]:
    """Return the mesh objects of a model in the order of its meshes."""
    return [part for part in objects(root, "MODEL_MESH") if part.parent == armature(root, model)]


def actions(root: Collection, model: int = LARA) -> list[Action]:
    """Return the actions of a model by index."""
    found = [action for action in bpy.data.actions if action.tomb_raider.model == armature(root, model)]
    return sorted(found, key=lambda action: action.tomb_raider.index)


def curves(action: Action) -> Any:
    """Return the curves of an action of one object."""
    if hasattr(action, "layers"):
        return action.layers[0].strips[0].channelbags[0].fcurves
    return action.fcurves


def curve(action: Action, bone: str, channel: str, index: int) -> Any:
    """Return one curve of a bone."""
    return curves(action).find(f'pose.bones["{bone}"].{channel}', index=index)


def new_curve(action: Action, bone: str, channel: str, index: int, keys: list[tuple[float, float]]) -> None:
    """Add a curve to an action, key by key as a user does."""
    made = curves(action).new(f'pose.bones["{bone}"].{channel}', index=index)
    for frame, value in keys:
        made.keyframe_points.insert(frame, value)


def turn_key(action: Action, bone: str, key: int, quaternion: tuple[float, ...]) -> None:
    """Set the rotation of a bone at one key."""
    for index, value in enumerate(quaternion):
        found = curve(action, bone, "rotation_quaternion", index)
        found.keyframe_points[key].co.y = value
        found.update()


@contextmanager
def edit_bones(root: Collection, model: int = LARA) -> Any:
    """Edit the bones of a model in edit mode."""
    obj = armature(root, model)
    show_library(root)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    data = obj.data
    assert isinstance(data, Armature)
    try:
        yield data.edit_bones
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")


def add_bone(
    root: Collection, name: str, parent: str | None = None, model: int = LARA, *, control: bool = False
) -> Any:
    """Add a bone to a model in edit mode, next to its parent's head."""
    with edit_bones(root, model) as bones:
        made = bones.new(name)
        made.parent = bones[parent] if parent else None
        made.head = (bones[parent].head if parent else Vector()) + Vector((0, 100 * SCALE, 0))
        made.tail = made.head + Vector((0, 0, 50 * SCALE))
    bone = armature(root, model).data.bones[name]
    bone.tomb_raider.control = control
    return bone


def show_library(root: Collection, model: int | None = None) -> None:
    """Show one model, or all, so that Blender evaluates them: models are hidden in the library."""
    obj = None if model is None else armature(root, model)

    def visit(layer: LayerCollection) -> None:
        kind, shown_model = layer.collection.tomb_raider.kind, layer.collection.tomb_raider.model
        hidden = kind == "MODEL" and obj is not None and shown_model != obj
        layer.exclude = hidden or kind in {"ROOMS", "STATIC_MESHES", "SPRITES", "ENTITIES"}
        for child in layer.children:
            visit(child)

    visit(bpy.context.view_layer.layer_collection.children[root.name])
    bpy.context.view_layer.update()


# --- Poses as in a game -----------------------------------------------------------------------------


def model_keys(level: Level, model: int = LARA, number: int = 0) -> Keys:
    """Return the key frames of an animation of a model."""
    return decode_frames(level.game, level.frames, level.animations, level.models).keys(
        first_animation(level, model) + number
    )


def first_animation(level: Level, model: int = LARA) -> int:
    return int(model_animations(level.models, level.animations)[0][model])


def animation_count(level: Level, model: int = LARA) -> int:
    return int(model_animations(level.models, level.animations)[1][model])


def model_vertices(level: Level, model: int = LARA) -> list[np.ndarray]:
    """Return the vertices of a model's meshes."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    record = level.models[model]
    first, count = int(record["first_mesh"]), int(record["meshes"])
    return [block.meshes[number].vertices for number in block.pointers[first : first + count]]


def posed(level: Level, model: int, keys: Keys, key: int) -> list[np.ndarray]:
    """Return the vertices of the meshes of a model in a key frame, computed like in the games."""
    tree = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))[model]
    turns: list[np.ndarray] = []
    places: list[np.ndarray] = []
    for mesh, parent in enumerate(tree.parents.tolist()):
        turn = turned(keys.angles[key, mesh])
        if parent < 0:
            turns.append(turn)
            places.append(keys.offsets[key].astype(float))
        else:
            turns.append(turns[parent] @ turn)
            places.append(places[parent] + turns[parent] @ tree.offsets[mesh])
    meshes = model_vertices(level, model)
    return [vertices @ turn.T + place for vertices, turn, place in zip(meshes, turns, places, strict=True)]


def turned(angles: np.ndarray) -> np.ndarray:
    """Return the matrix of intrinsic rotations about y, then x, then z."""
    x, y, z = np.asarray(angles, float) * (2 * np.pi / 65536)
    about_x = np.array([(1, 0, 0), (0, np.cos(x), -np.sin(x)), (0, np.sin(x), np.cos(x))])
    about_y = np.array([(np.cos(y), 0, np.sin(y)), (0, 1, 0), (-np.sin(y), 0, np.cos(y))])
    about_z = np.array([(np.cos(z), -np.sin(z), 0), (np.sin(z), np.cos(z), 0), (0, 0, 1)])
    matrix: np.ndarray = about_y @ about_x @ about_z
    return matrix


def shown_vertices(root: Collection, model: int, frame: int) -> list[np.ndarray]:
    """Return the vertices of a model's meshes as Blender shows them at a frame, in the file's units."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    origin = np.array(armature(root, model).location)
    found = []
    for part in parts(root, model):
        matrix = np.array(part.evaluated_get(graph).matrix_world)
        points = np.empty((len(part.data.vertices), 3), np.float32)
        part.data.vertices.foreach_get("co", points.ravel())
        placed = points @ matrix[:3, :3].T + matrix[:3, 3] - origin
        found.append(placed[:, [0, 2, 1]] * (1, -1, 1) / SCALE)
    return found


def with_skin(game: Game) -> bytes:
    """Return a level in which another model with Lara's bones has the number of her skin."""
    level = sample_level(game)
    level.models = level.models.copy()
    level.models["id"][1] = 315 if game is Game.TR3 else 8
    return level.to_bytes()
