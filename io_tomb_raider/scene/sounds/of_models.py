"""The sounds that models play, noted on the models themselves.

How sounds are played stands in their level, and animations name them by number. Blender brings with a model
that is pasted, appended or linked only what the model refers to: so each refers to the sounds that it plays.
"""

from __future__ import annotations

from collections.abc import Collection as Some
from collections.abc import Iterable, Sequence
from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from ..base.members import members

FIELDS = ("volume", "chance", "range", "pitch", "flags")


def note_all(roots: Iterable[Collection]) -> None:
    """Note the sounds of all models of some levels."""
    for root in roots:
        if root.is_editable:
            models = [each for each in members(root) if each.tomb_raider.kind == "MODEL"]
            note_sounds(root, models, bpy.data.actions)


def note_sounds(root: Collection, models: Some[Object], actions: Iterable[Action] | None = None) -> None:
    """Note on models the sounds that they play, as their level has them now.

    Args:
        root: the level. Where its sounds were not imported, models keep what they have.
        models: armatures of it.
        actions: among which theirs are; without, those that they list.
    """
    if "SOUNDS" not in root.tomb_raider.imported:
        return
    there = {each.number: item for item in root.tomb_raider.sounds.details for each in item.ids}
    if actions is None:
        actions = (each.action for model in models for each in model.tomb_raider.model.animations)
    for model, numbers in _played(models, actions).items():
        if model.is_editable:
            items = [(number, there[number]) for number in sorted(numbers) if number in there]
            _note(model.tomb_raider.sounds.details, items)


def copy_sound(item: Any, made: Any, numbers: Iterable[int]) -> None:
    """Copy how a sound is played, and what, to a new entry.

    Args:
        item: the entry of a level, or of what a thing carries.
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
    if [_content(each, each.ids[0].number if len(each.ids) else -1) for each in details] == [
        _content(item, number) for number, item in items
    ]:
        return
    details.clear()
    for number, item in items:
        copy_sound(item, details.add(), [number])


def _content(item: Any, number: int) -> tuple[Any, ...]:
    return (number, *(getattr(item, name) for name in FIELDS), *(slot.sound for slot in item.samples))
