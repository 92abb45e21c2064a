"""Silhouettes of Lara and of other models as a game draws them, from what a level file holds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.catalogue.outfits import DRAWN, HOLSTER_MESHES, HOLSTERS, JOINTS, SKINS
from io_tomb_raider.formats import Level
from io_tomb_raider.formats.base.arrays.typing import Bools
from io_tomb_raider.formats.base.games import LARA
from io_tomb_raider.formats.levels.animations.animations import model_animations
from io_tomb_raider.formats.levels.meshes.meshes import Mesh
from io_tomb_raider.formats.levels.models.mesh_trees import MeshTree, decode_mesh_trees
from io_tomb_raider.scene.assets.pictures.raster import FLAT, RasterFaces, draw_faces

from .append.reading import has_keys, model_meshes, poses, row_of

Matrices = NDArray[np.float64]  # (meshes, 3, 4)

STANDING, RUNNING = 103, 0  # animations of Lara with the same numbers in all games
_SIZE = 96  # pixels of a silhouette
_ROOM = 1.3  # of a picture, for poses that reach farther than the rest pose
_DIRECTIONS = ((0.0, 0.1, 1.0), (1.0, 0.1, 0.3))
_WELDED = 1.5  # units
_ANIMATIONS = 5
_SHARE = 0.4


def reach_of(level: Level, model: int) -> float:
    """Return the reach of a picture of a model on each side of its middle, in units."""
    matrices = posed(level, model, None)
    points = np.concatenate([points for _, points in _of_model(level, model, matrices)])
    return _ROOM * float(np.abs(points - matrices[0, :, 3]).max())


def outline(
    level: Level, model: int, animation: int | None, reach: float, weapon: int = -1, *, armed: bool = False
) -> Bools:
    """Return the pixels that a model covers, (views, size, size).

    Args:
        level: the level.
        model: the model; for Lara, what the game draws for her.
        animation: its animation, None for the rest pose.
        reach: of the picture, by :func:`reach_of`.
        weapon: for Lara, the model of her weapon.
        armed: whether she has it in her hands, not in the holsters.
    """
    matrices = posed(level, model, animation)
    pairs = _of_lara(level, matrices, weapon, armed) if model == LARA else _of_model(level, model, matrices)
    corners = np.concatenate([_triangles(mesh, points) for mesh, points in pairs])
    middle = matrices[0, :, 3]
    bounds = np.repeat([[-reach] * 3, [reach] * 3], 3, axis=0).reshape(2, 3, 3)  # without an area
    points = np.concatenate([corners - middle, bounds])
    count = len(points)
    zeros = np.zeros(count, np.int64)
    white = np.ones((count, 3, 3))
    culled = np.zeros(count, np.bool_)
    faces = RasterFaces(points, np.zeros((count, 3, 2)), zeros + FLAT, zeros, white, culled)
    pictures = (
        draw_faces(faces, np.zeros((0, 256, 256, 4), np.uint8), direction, _SIZE) for direction in _DIRECTIONS
    )
    return np.array([np.zeros((_SIZE, _SIZE)) if each is None else each[..., 3] for each in pictures]) > 0


def unlike(one: Bools, other: Bools) -> float:
    """Return the share of the pixels of two silhouettes that only one covers."""
    return float((one ^ other).sum() / max((one | other).sum(), 1))


def uncovered(one: Bools, other: Bools) -> float:
    """Return the share of the pixels of a silhouette that another one does not cover."""
    return float((one & ~other).sum() / max(one.sum(), 1))


def animations_of(level: Level, model: int) -> list[int]:
    """Return a few animations of a model that have keys."""
    count = int(model_animations(level.models, level.animations)[1][row_of(level, model)])
    wanted = dict.fromkeys([STANDING, RUNNING, *range(count)] if model == LARA else range(count))
    return [each for each in wanted if each < count and has_keys(level, model, each)][:_ANIMATIONS]


def posed(level: Level, model: int, animation: int | None) -> Matrices:
    """Return the matrices of the meshes of a model in an animation, or at rest."""
    if animation is not None:
        found: Matrices = poses(level, model, animation, (_SHARE,))[0]
        return found
    tree = tree_of(level, model)
    out = np.tile(np.eye(3, 4), (len(tree), 1, 1))
    out[:, :, 3] = tree.origins()
    return out


def tree_of(level: Level, model: int) -> MeshTree:
    """Return the mesh tree of a model."""
    return decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))[row_of(level, model)]


Posed = Iterator[tuple[Mesh, NDArray[np.float64]]]


def _placed(mesh: Mesh, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = mesh.vertices.astype(np.float64) @ matrix[:, :3].T + matrix[:, 3]
    return found


def _of_model(level: Level, model: int, matrices: Matrices) -> Posed:
    for mesh, matrix in zip(model_meshes(level, model), matrices, strict=True):
        yield mesh, _placed(mesh, matrix)


def _of_lara(level: Level, matrices: Matrices, weapon: int, armed: bool) -> Posed:
    game, there = level.game, set(level.models["id"].tolist())
    skin = SKINS.get(game, LARA)
    skin = skin if skin in there else LARA
    limbs = model_meshes(level, skin)
    shown = list(limbs)
    for limb in DRAWN[game][weapon]:
        if (limb in HOLSTER_MESHES and not armed) or (limb in (10, 13) and armed):
            shown[limb] = model_meshes(level, weapon)[limb]
    for mesh, matrix in zip(shown, matrices, strict=True):
        yield mesh, _placed(mesh, matrix)
    holsters = HOLSTERS.get(game, {}).get(LARA if armed else weapon, -1)
    if holsters in there:
        for limb, number in HOLSTER_MESHES.items():
            mesh = model_meshes(level, holsters)[number]
            yield mesh, _placed(mesh, matrices[limb])
    if JOINTS.get(game, -1) in there:
        tree = tree_of(level, skin)
        for number, mesh in enumerate(model_meshes(level, JOINTS[game])):
            parent = int(tree.parents[number])
            if parent < 0:
                continue  # that of the hips is never drawn
            points = mesh.vertices.astype(np.float64)
            rest = points + tree.offsets[number]
            away = np.abs(rest[:, None] - limbs[parent].vertices.astype(np.float64)).max(axis=2).min(axis=1)
            above = rest @ matrices[parent, :, :3].T + matrices[parent, :, 3]
            yield mesh, np.where((away < _WELDED)[:, None], above, _placed(mesh, matrices[number]))


def _triangles(mesh: Mesh, points: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = [np.zeros((0, 3), np.int64)]
    for faces in (mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles):
        corners = faces["vertices"].astype(np.int64)
        rows += [corners[:, :3], corners[:, [0, 2, 3]]] if corners.shape[1] == 4 else [corners]
    return points[np.concatenate(rows)]
