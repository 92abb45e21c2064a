"""Transfer of animations: remapped events and transitions."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from bpy.types import Action, Object

from ....catalogue import names
from ....formats.base import SOUND_MAP_SIZE, T, joined
from ...core.reporting.report import first_few
from ...core.subjects import Kind
from ...core.transfer import Transfer
from .changes.transitions import NOWHERE, drop_broken_transitions, target_of

_NAMED = 3


def sounds_of(armatures: Iterable[Object]) -> set[int]:
    """Return the numbers of the sounds that the animations of models play."""
    models = set(armatures)
    return {
        event.number
        for action in bpy.data.actions
        if action.tomb_raider.model in models
        for event in action.tomb_raider.events
        if event.command == "SOUND"
    }


def remap_animations(transfer: Transfer) -> None:
    """Remap the animations of models, and drop transitions to animations that were not transferred."""
    for armature in transfer.objects(Kind.MODEL):
        lost: dict[str, None] = {}
        stopped: list[str] = []
        actions = [each for each in bpy.data.actions if each.tomb_raider.model == armature]
        for action in actions:
            lost.update(dict.fromkeys(_remap_events(transfer, action)))
            if _drop_lateral_speed(transfer, action):
                stopped.append(action.name)
            drop_broken_transitions(action)
            if transfer.moved is None:
                _drop_earlier_targets(armature, action)
            for transition in action.tomb_raider.dispatches if transfer.is_foreign else ():
                transition.target = NOWHERE
        if lost:
            text = T(
                "this game does not have effects that its animations start: {lost}", lost=joined(", ", lost)
            )
            transfer.report.warn(armature.name, T("{text}. They are removed", text=text))
        if stopped:
            text = T(
                "this game has no lateral speeds, removed from {stopped}", stopped=first_few(stopped, _NAMED)
            )
            transfer.report.warn(armature.name, text)


def _drop_earlier_targets(armature: Object, action: Action) -> None:
    """Remove the state changes to animations of models with a lower id: editors do not open such levels."""
    dispatches, own_id = action.tomb_raider.dispatches, int(armature.tomb_raider.model.id)
    for index in reversed(range(len(dispatches))):
        target = target_of(dispatches[index])
        home = None if target is None else target.tomb_raider.model
        if home is not None and int(home.tomb_raider.model.id) < own_id:
            dispatches.remove(index)


def _remap_events(transfer: Transfer, action: Action) -> list[str]:
    """Remap sounds and effects of an animation; return the names of unsupported ones."""
    events = action.tomb_raider.events
    lost = []
    for index in reversed(range(len(events))):
        event = events[index]
        is_sound = event.command == "SOUND"
        remapped = remapped_event(transfer, int(event.number), int(event.flags), is_sound=is_sound)
        if remapped is None:
            lost.append(event_name(transfer, int(event.number), is_sound=is_sound))
            for marker in [each for each in action.pose_markers if each.name == event.name]:
                action.pose_markers.remove(marker)
            events.remove(index)
            continue
        number, flags = remapped
        if event.flags != flags:
            event.flags = flags
        if event.number != number:
            event.number = number
    return lost


def remapped_event(transfer: Transfer, number: int, flags: int, *, is_sound: bool) -> tuple[int, int] | None:
    """Return number and flags of a sound or effect in the target; None if that has none."""
    traits = transfer.target.traits
    new_number = transfer.number("sound" if is_sound else "flipeffect", number)
    if new_number is None or (is_sound and new_number >= SOUND_MAP_SIZE[transfer.target]):
        return None
    has_flags = traits.has_sound_conditions if is_sound else traits.has_foot_conditions
    return new_number, flags if has_flags else 0


def event_name(transfer: Transfer, number: int, *, is_sound: bool) -> str:
    """Return the name of a sound or effect of the source."""
    source_names = names(transfer.source)
    return source_names.sound(number) if is_sound else source_names.flipeffect(number)


def _drop_lateral_speed(transfer: Transfer, action: Action) -> bool:
    """Reset an unsupported lateral speed of an animation; return whether it had one."""
    settings = action.tomb_raider
    if transfer.target.traits.has_lateral_speed or not (
        settings.lateral_speed or settings.lateral_acceleration
    ):
        return False
    settings.lateral_speed = settings.lateral_acceleration = 0.0
    return True
