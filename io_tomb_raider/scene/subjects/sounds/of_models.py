"""Sounds of models, stored on the models.

Animations refer to sounds of the level by number. When a model is pasted, appended or linked, Blender copies
only data-blocks to which it refers. So each model refers to the sounds that its animations play.
"""

from __future__ import annotations

from collections.abc import Collection as Some
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from ...core.membership import members_of
from ...core.subjects import Kind

FIELDS = ("for_trx", "volume", "chance", "range", "range_units", "pitch", "flags")


def note_all(roots: Iterable[Collection]) -> None:
    """Store on all models of levels the sounds that they play."""
    models = {root: members_of(root, Kind.MODEL) for root in roots if root.is_editable}
    # All at once: a file of many levels has thousands of actions.
    played = _played([model for level_models in models.values() for model in level_models], bpy.data.actions)
    for root, level_models in models.items():
        _note_all(root, {model: played[model] for model in level_models})


def note_sounds(root: Collection, models: Some[Object], actions: Iterable[Action] | None = None) -> None:
    """Store on models the sounds that they play, if the level's sounds were imported.

    ``actions`` include those of the models; by default they are those that the models list.
    """
    if actions is None:
        actions = (each.action for model in models for each in model.tomb_raider.model.animations)
    _note_all(root, _played(models, actions))


def _note_all(root: Collection, played: Mapping[Object, set[int]]) -> None:
    """Store on each model the sounds of the level with the numbers that its animations play."""
    if "SOUNDS" not in root.tomb_raider.imported:
        return
    by_number = {each.number: item for item in root.tomb_raider.sounds.details for each in item.ids}
    for model, numbers in played.items():
        if model.is_editable:
            items = [(number, by_number[number]) for number in sorted(numbers) if number in by_number]
            _note(model.tomb_raider.sounds.details, items)


def content_of(item: Any) -> tuple[Any, ...]:
    """Return the settings and samples of a sound, to compare entries."""
    return (*(getattr(item, name) for name in FIELDS), *(slot.sound for slot in item.samples))


def copy_sound(item: Any, target: Any, numbers: Iterable[int]) -> None:
    """Copy settings and samples of a sound to a new entry."""
    for name in FIELDS:
        value = getattr(item, name)
        if getattr(target, name) != value:  # unset properties take no space in a .blend
            setattr(target, name, value)
    for number in numbers:
        target.ids.add().number = number
    for slot in item.samples:
        target.samples.add().sound = slot.sound


def _played(models: Some[Object], actions: Iterable[Action | None]) -> dict[Object, set[int]]:
    """Return the numbers of the sounds that the animations of each model play."""
    result: dict[Object, set[int]] = {model: set() for model in models}
    for action in actions:
        settings = None if action is None else action.tomb_raider
        numbers = None if settings is None else result.get(settings.model)
        if settings is not None and numbers is not None:
            numbers.update(event.number for event in settings.events if event.command == "SOUND")
    return result


def _note(details: Any, items: Sequence[tuple[int, Any]]) -> None:
    """Set the sounds of a model, unless they are the same."""
    before = [(each.ids[0].number if len(each.ids) else -1, content_of(each)) for each in details]
    if before == [(number, content_of(item)) for number, item in items]:
        return
    details.clear()
    for number, item in items:
        copy_sound(item, details.add(), [number])
