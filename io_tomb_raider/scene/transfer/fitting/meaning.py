"""Sounds, effects, commands, states and transitions of retargeted animations: by meaning, not by number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from ....catalogue import equivalent, equivalent_state, names
from ....formats import Game
from ....formats.base import T
from ...core.membership import level_of
from ...core.reporting.report import Report, first_few
from ...core.transfer import Transfer
from ...subjects.animations.changes.transitions import next_of, set_next, set_target, target_of
from ...subjects.animations.commands import add_event
from ...subjects.animations.keys.ranges import first_frame, last_frame
from ...subjects.animations.names import name_in_model
from ...subjects.animations.showing import own_animations
from ...subjects.animations.transfer import event_name, remapped_event
from ...subjects.sounds.of_models import note_sounds
from ..adoption.copy_sounds import copy_sounds

_NAMED = 6
_UNKNOWN = re.compile(r"Animation \d+")
_OTHER = "OTHER"


@dataclass
class _Lost:
    """Names of what the target does not have."""

    events: dict[str, None] = field(default_factory=dict)
    states: dict[str, None] = field(default_factory=dict)
    targets: dict[str, None] = field(default_factory=dict)
    commands: dict[str, None] = field(default_factory=dict)

    def report(self, model: Object, report: Report) -> None:
        """Warn about everything that was left out."""
        for lost, text in (
            (self.events, T("this game has no counterparts of these sounds and effects")),
            (self.states, T("its states have none of these names")),
            (self.targets, T("it has no animations of these names to change to")),
            (self.commands, T("this game does not have these commands")),
        ):
            if lost:
                listed = first_few(list(lost), _NAMED)
                report.warn(model.name, T("{text}: {listed}. They are left out", text=text, listed=listed))


def copy_meaning(
    source: Object, model: Object, made: Mapping[Action, Action], size: float, report: Report, first: int = 0
) -> None:
    """Copy what animations do besides their motion to retargeted ones, with the numbers of the target.

    Sounds and effects are matched by the names of the catalogue, states and animations by their names. Sounds
    of another level are copied to the target's level. Whatever has no counterpart is left out with a warning.
    Distances and speeds forward have the size of the target; the upward speed of jumps stays, since gravity
    and so the time in the air is the same.

    Args:
        source: the armature of the model that the animations belong to.
        model: the armature of the other model.
        made: the retargeted animation by the original one.
        size: the size of the target by that of the source.
        first: the first frame of the originals that was retargeted, 0 for all.
    """
    copier = _Copier(source, model, made, size)
    copier.copy_sounds(report)
    for action, new in made.items():
        copier.copy(action, new, max(first - first_frame(action), 0) if first else 0)
    note_sounds(copier.root, [model], bpy.data.actions)
    copier.lost.report(model, report)


class _Copier:
    """State of one copy."""

    def __init__(self, source: Object, model: Object, made: Mapping[Action, Action], size: float) -> None:
        root, other = level_of(model), level_of(source)
        assert root is not None and other is not None  # both are models of levels
        self.root: Collection = root
        self._other: Collection = other
        self._made, self._size, self._model = made, size, model
        self._transfer = Transfer(root, Game[other.tomb_raider.game], Game[root.tomb_raider.game])
        ids = (int(source.tomb_raider.model.id), int(model.tomb_raider.model.id))
        self._models = (self._transfer.source, ids[0]), (self._transfer.target, ids[1])
        counterpart = equivalent("model", ids[0], self._transfer.source, self._transfer.target)
        is_same_kind = counterpart is not None and counterpart.number == ids[1]
        self._targets: dict[str, Action] = {}
        for each in own_animations(model):
            name = name_in_model(each)
            if each not in made.values() and (is_same_kind or not _UNKNOWN.fullmatch(name)):
                self._targets.setdefault(name.casefold(), each)
        self.lost = _Lost()

    def copy_sounds(self, report: Report) -> None:
        """Copy the sounds that the animations play to the target's level."""
        if self._other != self.root:
            events = (event for action in self._made for event in action.tomb_raider.events)
            played = {int(event.number) for event in events if event.command == "SOUND"}
            self._transfer.numbers["sound"] = copy_sounds(self.root, self._other, played, report)

    def copy(self, action: Action, new: Action, start: int) -> None:
        """Copy what one animation does.

        Args:
            start: the tick of the original that the new one begins with.
        """
        self._copy_events(action, new, start)
        self._copy_commands(action, new)
        before, after = action.tomb_raider, new.tomb_raider
        state = self._state(int(before.state))
        if state is not None:
            after.state = state
        following = next_of(action)
        is_own = following is None or following == action
        set_next(new, None if is_own else self._target(following))
        after.next_frame = before.next_frame if is_own or next_of(new) is not None else 0
        self._copy_state_changes(action, new, start)

    def _copy_events(self, action: Action, new: Any, start: int) -> None:
        for marker in [each for each in new.pose_markers if each.name in new.tomb_raider.events]:
            new.pose_markers.remove(marker)
        new.tomb_raider.events.clear()
        begin, last = first_frame(new), last_frame(new)
        for event in action.tomb_raider.events:
            is_sound, number = event.command == "SOUND", int(event.number)
            mapped = remapped_event(self._transfer, number, int(event.flags), is_sound=is_sound)
            if mapped is None:
                self.lost.events[event_name(self._transfer, number, is_sound=is_sound)] = None
                continue
            for marker in action.pose_markers:
                frame = marker.frame - first_frame(action) - start + begin
                if marker.name == event.name and begin <= frame <= last:
                    label = add_event(new, event.command, *mapped).name
                    new.pose_markers.new(label).frame = frame

    def _copy_commands(self, action: Action, new: Any) -> None:
        rows = new.tomb_raider.commands
        rows.clear()
        for old in action.tomb_raider.commands:
            if old.command == _OTHER and self._transfer.is_foreign:
                self.lost.commands[str(old.number)] = None
                continue
            row = rows.add()
            row.command, row.number = old.command, old.number
            row.position = [round(part * self._size) for part in old.position]
            row.vertical, row.horizontal = old.vertical, round(old.horizontal * self._size)

    def _copy_state_changes(self, action: Action, new: Any, start: int) -> None:
        rows, length = new.tomb_raider.dispatches, last_frame(new) - first_frame(new)
        rows.clear()
        for old in action.tomb_raider.dispatches:
            target, state = target_of(old), self._state(int(old.state))
            low, high = old.low - start, old.high - start
            if state is None or (not old.is_empty and (target is None or high < 0 or low > length)):
                continue
            match = None if target is None else self._target(target)
            if target is not None and match is None:
                continue
            row = rows.add()
            row.state, row.low, row.high, row.frame = state, max(low, 0), high, old.frame
            row.is_empty, row.is_separate = old.is_empty, old.is_separate
            set_target(row, match)

    def _state(self, number: int) -> int | None:
        found = equivalent_state(number, *self._models)
        if found is None:
            game, model = self._models[0]
            self.lost.states[names(game).state(model, number)] = None
        return found

    def _target(self, action: Action | None) -> Action | None:
        if action is None:
            return None
        name = name_in_model(action)
        found = self._made.get(action) or self._targets.get(name.casefold())
        if found is None:
            self.lost.targets[name] = None
        return found
