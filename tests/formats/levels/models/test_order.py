"""Models are sorted by id with all that they own, without a change of any of them."""

from __future__ import annotations

import random

import numpy as np

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.rules.rules import RULES
from io_tomb_raider.formats.levels.animations.animations import decode_commands, decode_state_changes
from io_tomb_raider.formats.levels.models.order import sort_models
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.games import each_game
from tests.sample_levels import sample_level

_ORDER = ("mesh order", "animation order", "frame offsets", "Lara first", "first pose", "unique ids")


def content(level: Level) -> dict[int, tuple[object, ...]]:
    """Return all that each model owns, by id, with animations counted from the first of the model."""
    decoded = Decoded(level)
    first, counts = decoded.model_animations
    result: dict[int, tuple[object, ...]] = {}
    for row, record in enumerate(level.models):
        start, count = int(record["first_mesh"]), int(record["meshes"])
        meshes = tuple(
            decoded.meshes.meshes[each].raw for each in decoded.meshes.pointers[start : start + count]
        )
        tree = decoded.mesh_trees[row].offsets.tolist()
        animations = []
        for number in range(int(first[row]), int(first[row] + counts[row])):
            keys, animation = decoded.keys.keys(number), level.animations[number]
            changes = [
                (change.state, each.low, each.high, each.next_animation - first[row], each.next_frame)
                for change in decode_state_changes(
                    level.animations, level.state_changes, level.animation_dispatches, number
                )
                for each in change.dispatches
            ]
            where, size = int(animation["first_command"]), int(animation["commands"])
            commands = decode_commands(level.animation_commands, where, size)
            following = int(animation["next_animation"]) - int(first[row])
            animations.append((keys.angles.tolist(), keys.boxes.tolist(), following, changes, commands))
        result[int(record["id"])] = meshes, tree, animations
    return result


def shuffled(level: Level, seed: int) -> Level:
    """Return a level whose models have another order, and animations with their frames that of the models."""
    order = list(range(len(level.models)))
    random.Random(seed).shuffle(order)
    result = level.copy()
    models = level.models[order].copy()
    identities = models["id"].copy()
    models["id"] = np.arange(len(models))  # so that the order is kept while everything is laid out by it
    result.models = models
    sort_models(result)
    result.models["id"] = identities
    return result


@each_game
def test_models_are_sorted_with_their_content(game: Game) -> None:
    level = sample_level(game)
    before = content(level)
    for seed in range(3):
        mixed = shuffled(level, seed)
        assert content(mixed) == before
        sort_models(mixed)
        assert mixed.models["id"].tolist() == sorted(level.models["id"].tolist())
        assert content(mixed) == before
        written = Decoded(read_level(mixed.to_bytes(), name="a.trc" if game is Game.TR5 else "a"))
        broken = {rule.name for rule in RULES if rule.name in _ORDER and any(rule.findings(written))}
        kept = {rule.name for rule in RULES if any(rule.findings(Decoded(level)))}
        assert broken <= kept


@each_game
def test_sorted_models_keep_their_sections(game: Game) -> None:
    level = sample_level(game)
    before = level.to_bytes()
    sort_models(level)
    assert level.to_bytes() == before
