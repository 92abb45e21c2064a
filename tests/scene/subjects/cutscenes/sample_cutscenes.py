"""Cutscenes in the scenes of sample levels, and the bones as a game places them."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Collection

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.levels.cutscenes.cutscenes import Actor, Cutscene, read_cutscene
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.scene.subjects.cutscenes.build import import_cutscene
from io_tomb_raider.scene.subjects.cutscenes.read import export_cutscene
from tests.sample_levels import sample_level
from tests.sample_levels.models import model_id

from ...rig_tools import curves, turned
from ...scenes import import_scene

FRAMES = 24
ORIGIN = (38400, -256, 41000)
SCALE = 1 / 512


def cutscene_of(game: Game, frames: int = FRAMES, seed: int = 0) -> Cutscene:
    """Return a cutscene of Lara and the level's enemy with random motion in small steps."""
    random = np.random.default_rng(seed)

    def walk(*shape: int, step: int) -> np.ndarray:
        return np.cumsum(random.integers(-step, step + 1, (frames, *shape)), axis=0)

    actors = [
        Actor(slot, walk(3, step=30).astype(np.int16), (walk(meshes, 3, step=40) % 1024).astype(np.uint16))
        for slot, meshes in ((0, 15), (model_id(game, "enemy"), 3))
    ]
    camera = walk(3, step=50).astype(np.int16)
    return Cutscene(ORIGIN, 5, camera + np.array([0, 100, 1500], np.int16), camera, actors)


def level_and_cutscene(
    game: Game = Game.TR4, data: bytes | None = None, **options: Any
) -> tuple[Collection, Collection, bytes]:
    """Import a generated level and a cutscene; return root, collection and bytes of the cutscene."""
    data = cutscene_of(game).to_bytes() if data is None else data
    root = import_scene(sample_level(game).to_bytes())
    collection, _ = import_cutscene(root, data, 12, **options)
    return root, collection, data


def exported_cutscene(collection: Collection, *, rebuild: bool = False) -> Cutscene:
    """Export a cutscene and read it, as a game would."""
    bpy.context.view_layer.update()
    return read_cutscene(export_cutscene(collection, SCALE, rebuild=rebuild)[0])


def cutscene_objects(collection: Collection, kind: str) -> list[Any]:
    """Return the objects of a cutscene of one kind ("ACTOR", "CAMERA", …), in the order of the file."""
    found = [obj for obj in collection.all_objects if obj.tomb_raider.kind == f"CUTSCENE_{kind}"]
    return sorted(found, key=lambda obj: obj.tomb_raider.index)


def action_of(obj: Any) -> Action:
    action: Action = obj.animation_data.action
    return action


def set_key(obj: Any, path: str, index: int, frame: int, value: float) -> None:
    """Set the value of a curve at a frame with a key."""
    curve = curves(action_of(obj)).find(path, index=index)
    (key,) = (key for key in curve.keyframe_points if key.co.x == frame)
    key.co.y = value
    curve.update()


def changed_tracks(before: Cutscene, after: Cutscene) -> list[str]:
    """Return the names of the parts of a cutscene that differ for a game."""
    found = [name for name in ("origin", "audio_track") if getattr(before, name) != getattr(after, name)]
    for name in ("camera", "target"):
        if not np.array_equal(getattr(before, name), getattr(after, name)):
            found.append(name)
    if len(before.actors) != len(after.actors):
        return [*found, "actors"]
    for number, (old, new) in enumerate(zip(before.actors, after.actors, strict=True)):
        if old.slot != new.slot:
            found.append(f"actor {number} slot")
        if not np.array_equal(old.root, new.root):
            found.append(f"actor {number} root")
        if old.rotations.shape != new.rotations.shape:
            found.append(f"actor {number} rotations")
            continue
        differs = (old.rotations != new.rotations).any(axis=(0, 2))
        found += [f"actor {number} mesh {mesh}" for mesh in np.flatnonzero(differs).tolist()]
    return found


def in_blender(point: Any) -> np.ndarray:
    """Return a position of the file in Blender's world."""
    x, y, z = np.asarray(point, float) * SCALE
    return np.array([x, z, -y])


def in_game(
    level: Level, cutscene: Cutscene, actor: int, frame: int, quarter_turns: int = 0
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the positions and rotations of an actor's meshes in a game, in the file's axes.

    The game moves the whole actor to the cutscene's origin, rotates it by quarter turns, moves it by its
    root, and then processes mesh after mesh.
    """
    moving = cutscene.actors[actor]
    ids = level.models["id"].tolist()
    model = ids.index(moving.slot if actor else 0)
    tree = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))[model]
    whole = turned(np.array([0, 16384 * quarter_turns, 0]))
    places: list[np.ndarray] = []
    turns: list[np.ndarray] = []
    for mesh, parent in enumerate(tree.parents.tolist()):
        turn = turned(moving.rotations[frame, mesh].astype(int) * 64)
        if parent < 0:
            places.append(np.array(cutscene.origin) + whole @ (moving.root[frame].astype(float) * 3))
            turns.append(whole @ turn)
        else:
            places.append(places[parent] + turns[parent] @ tree.offsets[mesh])
            turns.append(turns[parent] @ turn)
    return places, turns


_AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def assert_bones_match(
    level: Level, cutscene: Cutscene, collection: Collection, frame: int, quarter_turns: int = 0
) -> None:
    """Check that all bones of all actors, and their meshes, are where a game has them."""
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    for number, obj in enumerate(cutscene_objects(collection, "ACTOR")):
        places, turns = in_game(level, cutscene, number, frame, quarter_turns)
        shown = obj.evaluated_get(graph)
        for bone in shown.pose.bones:
            mesh = bone.bone.tomb_raider.index
            matrix = np.array(shown.matrix_world @ bone.matrix)
            assert np.allclose(matrix[:3, 3], in_blender(places[mesh]), atol=2e-4), (number, bone.name)
            rest = np.array(bone.bone.matrix_local)[:3, :3]
            expected = _AXES @ turns[mesh] @ _AXES.T
            assert np.allclose(matrix[:3, :3] @ rest.T, expected, atol=2e-5), (number, bone.name)
            hanging = [each for each in obj.children if each.parent_bone == bone.name]
            assert hanging
            for part in hanging:
                placed = np.array(part.evaluated_get(graph).matrix_world)
                assert np.allclose(placed[:3, 3], in_blender(places[mesh]), atol=2e-4)
                assert np.allclose(placed[:3, :3], expected, atol=2e-5)
