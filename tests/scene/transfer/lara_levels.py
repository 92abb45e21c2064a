"""Sample levels whose models of Lara have only the meshes that the game draws, as in real levels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.catalogue.outfits import DRAWN, HEAD, HOLSTERS, JOINTS, ON_BACK, SKINS
from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.base.games import LARA
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes, encode_mesh
from tests.sample_levels import sample_level
from tests.sample_levels.models import model_id

from .append.reading import row_of

LIMBS, PISTOLS = 15, 1
_HAND = 10
# What hangs on her thighs: (middle, half size).
_GUN = ((0, 60, 30), (30, 40, 40))
_EMPTY = ((0, 60, 20), (20, 30, 30))
_JOINT = ((0, 0, 0), (44, 30, 50))


def rifle_id(game: Game) -> int:
    """Return the model of the shotgun, which Lara carries on her back."""
    return 2 if game is Game.TR1 else 3


def level_with_outfit(game: Game) -> Level:
    """Return a sample level with Lara's skin, joints and holsters, and with weapons of drawn meshes only.

    Where nothing is drawn, the models have her right hand, as models of real levels have any mesh there.
    """
    level = sample_level(game)
    own = _pointers(level, LARA)
    nothing = np.full(LIMBS, own[_HAND])
    block = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    lara = [block.meshes[each] for each in block.pointers[_rows(level, LARA)]]

    armed = _pointers(level, model_id(game, "pistols"))
    guns = np.where(np.isin(np.arange(LIMBS), DRAWN[game][PISTOLS]), armed, own[_HAND])
    rifle = nothing.copy()
    for limb in DRAWN[game][rifle_id(game)]:
        rifle[limb] = own[limb]
    if HOLSTERS.get(game) is None:
        for limb in (1, 4):
            thigh = lara[limb]
            wide = thigh.vertices * np.array((1.4, 1, 1.4))
            guns[limb] = _add(level, replace(thigh, vertices=wide.astype(np.int16)))
    if rifle_id(game) in ON_BACK[game]:
        rifle[HEAD] = _add(level, _box(lara[_HAND], (0, 100, -60), (20, 80, 20)))
    _put(level, PISTOLS, guns)
    _put(level, rifle_id(game), rifle)
    if game in SKINS:
        _put(level, SKINS[game], own)
        _put(level, LARA, nothing)
    if game in JOINTS:
        _put(level, JOINTS[game], np.full(LIMBS, _add(level, _box(lara[_HAND], *_JOINT))))
    for number, holster in HOLSTERS.get(game, {}).items():
        worn = nothing.copy()
        worn[[4, 8]] = _add(level, _box(lara[_HAND], *(_GUN if number else _EMPTY)))
        _put(level, holster, worn)
    level.models = level.models[np.argsort(level.models["id"], kind="stable")]
    return level


def _rows(level: Level, model: int) -> slice:
    first = int(level.models[row_of(level, model)]["first_mesh"])
    return slice(first, first + LIMBS)


def _pointers(level: Level, model: int) -> NDArray[np.uint32]:
    return level.mesh_pointers[_rows(level, model)].copy()


def _put(level: Level, model: int, pointers: NDArray[np.uint32]) -> None:
    """Set the meshes of a model; a new one is a copy of Lara's without animations."""
    if model not in level.models["id"]:
        record = level.models[[row_of(level, LARA)]].copy()
        record["id"] = model
        level.models = np.concatenate([level.models, record])
    models = level.models.copy()
    models["first_mesh"][row_of(level, model)] = len(level.mesh_pointers)
    level.models = models
    level.mesh_pointers = np.concatenate([level.mesh_pointers, pointers.astype(level.mesh_pointers.dtype)])


def _add(level: Level, mesh: Mesh) -> int:
    """Add a mesh; return its pointer."""
    place = len(level.mesh_data)
    content = encode_mesh(level.game, mesh)
    content += bytes(-len(content) % 4)
    level.mesh_data = np.concatenate([level.mesh_data, np.frombuffer(content, np.uint8)])
    return place


def _box(hand: Mesh, middle: tuple[int, int, int], half: tuple[int, int, int]) -> Mesh:
    """Return a box with the textures of a hand."""
    low, high = hand.vertices.min(axis=0), hand.vertices.max(axis=0)
    shape = (hand.vertices - (low + high) / 2) / ((high - low) / 2)
    return replace(hand, vertices=np.rint(shape * half + middle).astype(np.int16))
