"""Models and animations of the sample levels, packed into the sections of a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import (
    ANIMATION_DISPATCH,
    ANIMATION_RECORD,
    MODEL_RECORD,
    STATE_CHANGE,
    STATIC_MESH,
)
from io_tomb_raider.formats.levels.meshes.meshes import encode_block, encode_mesh

from .animations import ANIMATIONS, AnimationPlan, key_frames
from .models import MODELS, STATIC_IDS, ModelPlan, model_id, shapes
from .shapes import Shape, build_mesh
from .texture_records import TextureTable

_NO_ANIMATION = 0xFFFF
_FRAME_COMMANDS = (5, 6)


def game_models(game: Game) -> list[ModelPlan]:
    """Return the models of a game by id."""
    models = [model for model in MODELS if model_id(game, model.name) >= 0]
    return sorted(models, key=lambda model: model_id(game, model.name))


@dataclass
class MeshSections:
    mesh_data: NDArray[np.uint8]
    mesh_pointers: NDArray[np.uint32]
    first_mesh: dict[str, int]  # of models and static meshes, by name


def pack_meshes(game: Game, textures: TextureTable, degenerate: bool) -> MeshSections:
    """Return the encoded meshes of all models and static meshes, each once."""
    drawn = shapes(degenerate)
    order: list[str] = []
    pointers: list[int] = []
    first_mesh: dict[str, int] = {}
    groups = [(model.name, model.meshes) for model in game_models(game)] + [
        (name, (name,)) for name in STATIC_IDS
    ]
    for name, meshes in groups:
        first_mesh[name] = len(pointers)
        order += [mesh for mesh in dict.fromkeys(meshes) if mesh not in order]
        pointers += [order.index(mesh) for mesh in meshes]
    encoded = [encode_mesh(game, build_mesh(game, drawn[name], textures), name) for name in order]
    data, offsets = encode_block(encoded, np.array(pointers, np.int32))
    return MeshSections(data, offsets, first_mesh)


def pack_static_meshes(first_mesh: dict[str, int]) -> NDArray[Any]:
    """Return the records of the static meshes, with boxes around their shapes."""
    drawn = shapes()
    rows = []
    for name, number in sorted(STATIC_IDS.items(), key=lambda item: item[1]):
        box = _bounds([drawn[name]])
        collision = tuple(side * 9 // 10 for side in box)
        rows.append((number, first_mesh[name], box, collision, 2))
    return np.array(rows, STATIC_MESH)


def _bounds(parts: list[Shape]) -> tuple[int, ...]:
    """Return min x, max x, min y, max y, min z, max z of shapes."""
    points = np.array([point for part in parts for point in part.points])
    return tuple(np.stack([points.min(0), points.max(0)], 1).reshape(-1).tolist())


# Bounds of the figure in all poses; other models have at most one mesh that moves far.
_FIGURE_BOUNDS = (-130, 130, -800, 0, -160, 180)


@dataclass
class AnimationSections:
    frames: NDArray[np.uint16]
    animations: NDArray[Any]
    state_changes: NDArray[Any]
    animation_dispatches: NDArray[Any]
    animation_commands: NDArray[np.int16]
    mesh_trees: NDArray[np.int32]
    models: NDArray[Any]


class _Packer:
    """The sections under construction, model by model."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.shapes = shapes()
        self.frames: list[NDArray[np.uint16]] = []
        self.words = 0
        self.animations: list[NDArray[Any]] = []
        self.changes: list[tuple[int, int, int]] = []
        self.dispatches: list[tuple[int, int, int, int]] = []
        self.commands: list[int] = []
        self.tree: list[int] = []
        self.models: list[tuple[Any, ...]] = []

    def add_model(self, model: ModelPlan, first_mesh: int) -> None:
        plans = ANIMATIONS.get(model.name, ())
        offset, first, tree = 2 * self.words, len(self.animations), len(self.tree)
        filler = (0xFFEF,) if self.game is Game.TR5 else ()
        number = model_id(self.game, model.name)
        start = first if plans else _NO_ANIMATION
        self.models.append((number, len(model.meshes), first_mesh, tree, offset, start, *filler))
        for flags, place in model.tree:
            self.tree += [flags, *place]
        bounds = (
            _FIGURE_BOUNDS
            if len(model.meshes) == 15
            else _bounds([self.shapes[name] for name in model.meshes])
        )
        starts = np.concatenate(([0], np.cumsum([plan.ticks for plan in plans]))).astype(int).tolist()
        for number, plan in enumerate(plans):
            self._add_animation(plan, bounds, first, starts, number)

    def _add_animation(
        self, plan: AnimationPlan, bounds: tuple[int, ...], first: int, starts: list[int], number: int
    ) -> None:
        keys = key_frames(self.game, plan, bounds)
        size = max(len(key) for key in keys)
        record = np.zeros((), ANIMATION_RECORD[self.game])
        record["frame_offset"] = 2 * self.words
        record["frame_rate"], record["frame_size"] = plan.rate, 0 if self.game is Game.TR1 else size
        record["state"], record["speed"] = plan.state, round(plan.speed * 65536)
        record["acceleration"] = 0x2000 if plan.commands else 0
        record["first_frame"], record["last_frame"] = starts[number], starts[number] + plan.ticks - 1
        record["next_animation"], record["next_frame"] = first + plan.follows, starts[plan.follows]
        record["state_changes"], record["first_state_change"] = len(plan.changes), len(self.changes)
        record["commands"], record["first_command"] = len(plan.commands), len(self.commands)
        if self.game >= Game.TR4:
            record["lateral_speed"] = round(plan.lateral * 65536)
        self.animations.append(record)
        for state, dispatches in plan.changes.items():
            self.changes.append((state, len(dispatches), len(self.dispatches)))
            for dispatch in dispatches:
                low, high = (
                    starts[number] + round(part * (plan.ticks - 1)) for part in (dispatch.low, dispatch.high)
                )
                target = starts[dispatch.target] + dispatch.frame
                self.dispatches.append((low, high, first + dispatch.target, target))
        for kind, *operands in plan.commands:
            if kind in _FRAME_COMMANDS:
                operands[0] += starts[number]
            self.commands += [kind, *operands]
        self.frames += [np.pad(key, (0, size - len(key))) for key in keys]
        self.words += size * len(keys)


def pack_animations(game: Game, first_mesh: dict[str, int]) -> AnimationSections:
    """Return the models with their trees and animations."""
    packer = _Packer(game)
    for model in game_models(game):
        packer.add_model(model, first_mesh[model.name])
    if game is Game.TR5 and packer.words % 2:
        packer.frames.append(np.zeros(1, "<u2"))
    return AnimationSections(
        frames=np.concatenate(packer.frames),
        animations=np.array(packer.animations, ANIMATION_RECORD[game]),
        state_changes=np.array(packer.changes, STATE_CHANGE),
        animation_dispatches=np.array(packer.dispatches, ANIMATION_DISPATCH),
        animation_commands=np.array(packer.commands, np.int64).astype("<i2"),
        mesh_trees=np.array(packer.tree, "<i4"),
        models=np.array(packer.models, MODEL_RECORD[game]),
    )
