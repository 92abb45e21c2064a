"""The sounds that models play, noted on the models themselves.

How sounds are played stands in their level, and animations name them by number. Blender brings with a model
that is pasted, appended or linked only what the model refers to: so each refers to the sounds that it plays.
"""

from __future__ import annotations

from collections.abc import Collection as Some
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from ...core.members import members_of
from ...core.subjects import Kind

FIELDS = ("volume", "chance", "range", "pitch", "flags")


def note_all(roots: Iterable[Collection]) -> None:
    """Note the sounds of all models of some levels."""
    models = {root: members_of(root, Kind.MODEL) for root in roots if root.is_editable}
    # All at once: a file of many levels has thousands of actions.
    played = _played([each for own in models.values() for each in own], bpy.data.actions)
    for root, own in models.items():
        _note_all(root, {each: played[each] for each in own})


def note_sounds(root: Collection, models: Some[Object], actions: Iterable[Action] | None = None) -> None:
    """Note on models the sounds that they play, as their level has them now.

    Args:
        root: the level. Where its sounds were not imported, models keep what they have.
        models: armatures of it.
        actions: among which theirs are; without, those that they list.
    """
    if actions is None:
        actions = (each.action for model in models for each in model.tomb_raider.model.animations)
    _note_all(root, _played(models, actions))


def _note_all(root: Collection, played: Mapping[Object, set[int]]) -> None:
    """Note on models of a level the sounds of which they play the numbers."""
    if "SOUNDS" not in root.tomb_raider.imported:
        return
    there = {each.number: item for item in root.tomb_raider.sounds.details for each in item.ids}
    for model, numbers in played.items():
        if model.is_editable:
            items = [(number, there[number]) for number in sorted(numbers) if number in there]
            _note(model.tomb_raider.sounds.details, items)


def content_of(item: Any) -> tuple[Any, ...]:
    """Return how a sound is played, and what: two entries with the same are one sound by several numbers."""
    return (*(getattr(item, name) for name in FIELDS), *(slot.sound for slot in item.samples))


def copy_sound(item: Any, made: Any, numbers: Iterable[int]) -> None:
    """Copy how a sound is played, and what, to a new entry.

    Args:
        item: the entry of a level, or of what an object carries.
        made: the new one.
        numbers: those that it gets.
    """
    for name in FIELDS:
        value = getattr(item, name)
        if getattr(made, name) != value:  # what is never set takes no room in a file
            setattr(made, name, value)
    for number in numbers:
        made.ids.add().number = number
    for slot in item.samples:
        made.samples.add().sound = slot.sound


def _played(models: Some[Object], actions: Iterable[Action | None]) -> dict[Object, set[int]]:
    """Return the numbers of the sounds that each model's animations play."""
    found: dict[Object, set[int]] = {each: set() for each in models}
    for action in actions:
        settings = None if action is None else action.tomb_raider
        numbers = None if settings is None else found.get(settings.model)
        if settings is not None and numbers is not None:
            numbers.update(each.number for each in settings.events if each.command == "SOUND")
    return found


def _note(details: Any, items: Sequence[tuple[int, Any]]) -> None:
    """Let a model carry sounds; what it carries already is left alone."""
    before = [(each.ids[0].number if len(each.ids) else -1, content_of(each)) for each in details]
    if before == [(number, content_of(item)) for number, item in items]:
        return
    details.clear()
    for number, item in items:
        copy_sound(item, details.add(), [number])
