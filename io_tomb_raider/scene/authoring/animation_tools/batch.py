"""Edits of many animations at once: sounds and effects replaced, names and ends mended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from bpy.types import Action, Object

from ....catalogue import names as catalogue_names
from ...subjects.animations.changes.chains import length
from ...subjects.animations.keys.action_curves import ActionCurves
from ...subjects.animations.keys.key_poses import RestPose
from ...subjects.animations.keys.ranges import first_frame, set_range
from ...subjects.animations.names import action_name, game_of_action
from ..control_rig.keys import control_curves
from ..control_rig.seen import posing_limbs


def replace_events(actions: Iterable[Action], kind: str, number: int, other: int | None) -> tuple[int, int]:
    """Replace or remove a sound or effect, and return the numbers of markers and of animations.

    Args:
        actions: the animations.
        kind: "SOUND" or "EFFECT".
        number: the one to replace.
        other: the one in its place, with the same flags; None to remove it.
    """
    markers = animations = 0
    for action in actions:
        events: Any = action.tomb_raider.events
        found = [row for row in events if row.command == kind and row.number == number]
        labels = {row.name for row in found}
        count = sum(marker.name in labels for marker in action.pose_markers)
        if other is None:
            _remove(action, labels)
        else:
            for row in found:
                row.number = other  # renames its markers
        markers, animations = markers + count, animations + bool(count)
        _merge(action)
    return markers, animations


def _remove(action: Action, labels: set[str]) -> None:
    """Remove the rows of some names, and their markers."""
    events: Any = action.tomb_raider.events
    for marker in [each for each in action.pose_markers if each.name in labels]:
        action.pose_markers.remove(marker)
    for place in reversed(range(len(events))):
        if events[place].name in labels:
            events.remove(place)


def _merge(action: Action) -> None:
    """Keep one of several rows with the same meaning, with the markers of all of them."""
    events: Any = action.tomb_raider.events
    names: dict[tuple[str, int, int], str] = {}
    for place in range(len(events)):
        row = events[place]
        names.setdefault((row.command, row.number, row.flags), row.name)
    for place in reversed(range(len(events))):
        row = events[place]
        kept = names[row.command, row.number, row.flags]
        if row.name != kept:
            for marker in action.pose_markers:
                if marker.name == row.name:
                    marker.name = kept
            events.remove(place)
    action.tomb_raider.active_event = min(action.tomb_raider.active_event, max(len(events) - 1, 0))


class FixedAnimations(NamedTuple):
    """The numbers of animations that were renamed and that were cut."""

    names: int
    ends: int


def fix_names_and_ends(armature: Object, actions: Iterable[Action]) -> FixedAnimations:
    """Give imported animations the names that the catalogue knows, and let ends be where their keys are.

    A last tick after the last key is moved there: the model would stand still.

    Args:
        armature: the armature of the model.
        actions: its animations in the order of the file.
    """
    rest, model = RestPose.of(armature), armature.tomb_raider.model
    paths = rest.paths
    renamed = cut = 0
    for number, action in enumerate(actions):
        game = game_of_action(action, armature)
        known = {} if game is None else catalogue_names(game).known("animation", model.id)
        if number in known and action.tomb_raider.index >= 0:
            name = action_name(armature.name, number, known[number])
            if action.name != name:
                action.name, renamed = name, renamed + 1
        span = ActionCurves(action, armature, paths).span()
        start = first_frame(action)
        if span is None or not action.use_frame_range:
            continue
        controls = control_curves(action, armature, posing_limbs(action, armature))
        end = max([span[1], *(curve.range()[1] for curve in controls)])
        if start <= end < start + length(action):
            set_range(action, start, round(end))
            cut += 1
    return FixedAnimations(renamed, cut)
