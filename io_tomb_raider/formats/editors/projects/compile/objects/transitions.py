"""Transitions between animations of object files: Tomb Editor knows only those within a model."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .....base.messages import T, about, plural
from .....levels.animations.animations import animation_models, decode_state_changes, model_animations
from .....levels.animations.edits import edit_animations
from .....levels.animations.plan import AnimationEdit, AnimationTables
from .....levels.level.level import Level
from ..plan.log import Log


@dataclass
class LostTransitions:
    """The transitions of a model to animations that it lacks."""

    dispatches: int = 0  #: the number of transitions of state changes.
    following: int = 0  #: the number of animations whose next animation is not one of the model.


def own_transitions(level: Level) -> tuple[Level, dict[int, LostTransitions]]:
    """Return an object file whose models have transitions to their own animations only.

    Other transitions are removed, with state changes that have no transition left. An animation with a
    foreign next animation is followed by the first animation of its model. The level is not modified.

    Returns:
        The level, and the lost transitions of models by id.
    """
    first, count = model_animations(level.models, level.animations)
    edits: dict[int, AnimationEdit] = {}
    lost: dict[int, LostTransitions] = {}
    for number, model in enumerate(animation_models(level.models, level.animations).tolist()):
        if model < 0:
            continue
        animations = range(int(first[model]), int(first[model] + count[model]))
        changes = decode_state_changes(
            level.animations, level.state_changes, level.animation_dispatches, number
        )
        kept = [
            replace(each, dispatches=tuple(to for to in each.dispatches if to.next_animation in animations))
            for each in changes
        ]
        dropped = sum(len(each.dispatches) for each in changes) - sum(len(each.dispatches) for each in kept)
        is_foreign = int(level.animations["next_animation"][number]) not in animations
        if not dropped and not is_foreign:
            continue
        model_lost = lost.setdefault(int(level.models["id"][model]), LostTransitions())
        model_lost.dispatches += dropped
        model_lost.following += is_foreign
        edits[number] = AnimationEdit(
            next_animation=animations.start if is_foreign else None,
            next_frame=0 if is_foreign else None,
            state_changes=tuple(
                after
                for before, after in zip(changes, kept, strict=True)
                if after.dispatches or before == after
            ),
        )
    if not edits:
        return level, lost
    result = level.copy()
    edit_animations(level.game, AnimationTables.of(level), edits).store(result)
    return result, lost


def warn_of_lost(model: int, lost: LostTransitions, log: Log) -> None:
    """Warn of the transitions that a model has lost."""
    name = T("model {number}", number=model)
    if lost.dispatches:
        log.warn(
            about(
                name,
                plural(
                    "one transition to an animation that the model lacks is omitted",
                    "{count} transitions to animations that the model lacks are omitted",
                    lost.dispatches,
                ),
            )
        )
    if lost.following:
        log.warn(
            about(
                name,
                plural(
                    "the model lacks the next animation of one animation, so its first one follows",
                    "the model lacks the next animations of {count} animations, so its first one follows",
                    lost.following,
                ),
            )
        )
