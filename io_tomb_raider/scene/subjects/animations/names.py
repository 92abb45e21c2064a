"""Names of an action's numbers in its game: states, sounds, effects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bpy.types import Action, Object

from ....formats import Game
from ...core.blender.compat import LONGEST_NAME
from ...core.membership import level_of

if TYPE_CHECKING:
    from ....catalogue import Catalogue

_NAME = 40  # of the 63 bytes of a marker's name, with room for suffixes
_WHERE = {
    "SOUND": ("", "on land", "in water", "land and water"),
    "EFFECT": ("", "left foot", "right foot", "both feet"),
}
TITLES = {"state": "State", "sound": "Sound", "flipeffect": "Flipeffect"}


def game_of_action(action: Action, armature: Object | None = None) -> Game | None:
    """Return the game of the level of an action's model, else of the armature that uses it."""
    model = action.tomb_raider.model or armature
    root = None if model is None else level_of(model)
    return None if root is None else Game[root.tomb_raider.game]


def known_names(action: Any, kind: str) -> Mapping[int, str]:
    """Return the names of a kind ("state", "sound", "flipeffect") that an action's game knows, by number."""
    from ....catalogue import names  # properties load this module at start-up

    game = game_of_action(action)
    if game is None:
        return {}
    return names(game).known(kind, action.tomb_raider.model.tomb_raider.model.id if kind == "state" else 0)


def action_name(model: str, number: int, name: str) -> str:
    """Return the name of the action of an animation."""
    return f"{model} {number:03} {name}"[:LONGEST_NAME]


def name_in_model(action: Action) -> str:
    """Return the name of an action without its model and number."""
    match = re.search(r" \d{3} (.+?)(?:\.\d{3})?$", action.name)
    return match[1] if match else action.name


def event_label(catalogue: Catalogue | None, command: str, number: int, flags: int) -> str:
    """Return the name of pose markers for a sound ("SOUND") or effect ("EFFECT")."""
    if catalogue is None:
        label = f"{'Sound' if command == 'SOUND' else 'Flipeffect'} {number}"
    else:
        label = catalogue.sound(number) if command == "SOUND" else catalogue.flipeffect(number)
    return f"{label[:_NAME]}, {_WHERE[command][flags]}" if flags else label


def unused_label(label: str, command: str, number: int, used: Any) -> str:
    """Return a label that is not used yet."""
    if label in used:
        label = base = f"{label[:_NAME]} {command.lower()} {number}"
        count = 1
        while label in used:
            count += 1
            label = f"{base} ({count})"
    return label


def rename_event(event: Any) -> None:
    """Rename a sound or effect after its number has changed, and its pose markers."""
    from ....catalogue import names

    action = event.id_data
    game = game_of_action(action)
    label = event_label(None if game is None else names(game), event.command, event.number, event.flags)
    used = {other_event.name for other_event in action.tomb_raider.events if other_event != event}
    label = unused_label(label, event.command, event.number, used)
    if label == event.name:
        return
    for marker in action.pose_markers:
        if event.name and marker.name == event.name:
            marker.name = label
    event.name = label
