"""Import of animations: actions with a key at every key frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ....catalogue import idle_animation
from ....formats.base import T
from ....formats.levels.animations import animation_models, model_animations, ticks
from ...core.blender import compat
from ...core.context import ImportContext
from ..models.build import ModelSkeleton
from .changes.transitions import ImportedActions
from .keys.boxes import store_boxes
from .keys.build import build_actions
from .keys.level_curves import ModelAtRest, ModelCurves, level_curves
from .keys.ranges import set_range
from .names import action_name
from .settings import import_settings


class _Columns(NamedTuple):
    """Values of all animations that actions need, by index of the animation."""

    rates: list[int]
    lengths: list[int]
    repeats: list[bool]
    states: list[int]
    #: center of the box of the first key frame, in Blender's space; None without key frames.
    middles: list[list[float] | None]

    @classmethod
    def of(cls, context: ImportContext) -> _Columns:
        animations, keys = context.level.animations, context.keys
        indices = np.flatnonzero(keys.key_counts)
        boxes = keys.boxes[keys.first_keys[indices]].reshape(-1, 3, 2)
        middles: list[list[float] | None] = [None] * len(animations)
        for index, middle in zip(indices, context.space.to_blender(boxes.mean(axis=2)).tolist(), strict=True):
            middles[index] = middle
        return cls(
            rates=np.maximum(animations["frame_rate"], 1).tolist(),
            lengths=last_frames(animations),
            repeats=(animations["next_animation"] == np.arange(len(animations))).tolist(),
            states=animations["state"].tolist(),
            middles=middles,
        )


def import_actions(context: ImportContext, skeletons: Sequence[ModelSkeleton]) -> None:
    """Make an action of every animation that a model owns, and put each armature into its rest pose."""
    level = context.level
    for problem in context.keys.problems:
        context.report.warn(T("animations"), str(problem))
    owners = animation_models(level.models, level.animations)
    first, count = model_animations(level.models, level.animations)
    context.root.tomb_raider.imported |= {"ANIMATIONS"}
    animations = {
        model: range(first[model], first[model] + count[model])
        for model in range(len(skeletons))
        if first[model] >= 0 and owners[first[model]] == model
    }
    at_rest = [ModelAtRest(own, skeletons[model].frames, np.zeros(3)) for model, own in animations.items()]
    curves = level_curves(context.keys, at_rest, level.animations["frame_rate"], context.space)
    columns = _Columns.of(context)
    actions: dict[int, Action] = {}
    for model, model_curves in zip(animations, curves, strict=True):
        actions |= _import_model(context, skeletons[model], model, animations[model], model_curves, columns)
    moveables = () if context.wad2 is None else context.wad2.moveables
    extras = [each.extras for moveable in moveables for each in moveable.animations]
    import_settings(level, context.names, ImportedActions(actions, animations.values()), extras)


def _import_model(
    context: ImportContext,
    skeleton: ModelSkeleton,
    model: int,
    animations: range,
    curves: ModelCurves,
    columns: _Columns,
) -> dict[int, Action]:
    """Make the actions of a model, and return them by index of the animation."""
    armature, level = skeleton.armature, context.level
    model_id, known_names = int(level.models["id"][model]), context.names
    names = [
        action_name(armature.name, number, known_names.animation(model_id, number))
        for number in range(len(animations))
    ]
    actions = build_actions(names, armature, skeleton.names, curves)
    result = dict(zip(animations, actions, strict=True))
    references = armature.tomb_raider.model.animations  # keep actions without other users
    for index, action in result.items():
        settings = action.tomb_raider
        settings.index, settings.frame_rate = index, columns.rates[index]
        first, count = context.keys.first_keys[index], int(context.keys.key_counts[index])
        last_key = (count - 1) * columns.rates[index] if count else None
        set_range(action, 0, columns.lengths[index], last_key)
        store_boxes(action, context.keys.boxes[first : first + count], columns.rates[index])
        if columns.repeats[index]:
            action.use_cyclic = True
        references.add().action = action
    if result:
        states = columns.states[animations.start : animations.stop]
        state_names = context.names.known("state", model_id)
        rest = animations.start + idle_animation(level.game, model_id, states, state_names)
        compat.assign_action(armature, result[rest])
        middle = columns.middles[rest]
        if middle is not None:
            armature.tomb_raider.model.middle = middle
    return result


def last_frames(animations: NDArray[np.void]) -> list[int]:
    """Return the last frame of each animation's action."""
    return np.maximum(ticks(animations), 0).tolist()
