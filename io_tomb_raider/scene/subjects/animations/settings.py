"""What animations do besides moving meshes: states, speeds, what follows, and what else happens."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ....catalogue import Catalogue
from ....formats import Level
from ....formats.animations.animations import AnimationReference
from ...core.report import Report
from ...core.space import checked
from .commands import commands_of, import_commands, read_commands
from .references import AnimationReferences
from .state_changes import StateChangeExport, import_state_changes, state_changes_of
from .transitions import NOWHERE, ImportedActions, Transitions

_FIXED = 65536  # speeds are 16.16 fixed point numbers
_SPEEDS = ("speed", "acceleration", "lateral_speed", "lateral_acceleration")


class AnimationSettings:
    """The settings of all animations of a level as Blender shows them.

    Attributes:
        values: by index of the animation: state, next frame, and the four speeds.
        following: by index of the animation: which one comes next; -1 for itself, and for what is none.
    """

    def __init__(self, level: Level) -> None:
        animations = level.animations
        count = len(animations)
        target = animations["next_animation"].astype(np.int64)
        known = target < count
        start = np.where(known, animations["first_frame"][np.where(known, target, 0)], 0) if count else target
        columns: list[NDArray[Any]] = [
            animations["state"],
            animations["next_frame"].astype(np.int64) - start,
        ]
        names = animations.dtype.names or ()
        for name in _SPEEDS:
            fixed = animations[name] if name in names else np.zeros(count)
            columns.append((fixed / _FIXED).astype(np.float32))
        self.values = list(zip(*[column.tolist() for column in columns], strict=True))
        self.following = np.where(known & (target != np.arange(count)), target, -1).tolist()


def import_settings(level: Level, names: Catalogue, imported: ImportedActions) -> None:
    """Give actions their settings, and what their animations do."""
    settings = AnimationSettings(level)
    has_commands, has_changes = (level.animations[name].tolist() for name in ("commands", "state_changes"))
    for index, action in imported.actions.items():
        group = action.tomb_raider
        group.state, group.next_frame, *speeds = settings.values[index]
        for name, value in zip(_SPEEDS, speeds, strict=True):
            if value:
                setattr(group, name, value)
        number = imported.number(index, settings.following[index])
        if number != NOWHERE:
            group.next_number = number
        if has_commands[index]:
            import_commands(action, names, commands_of(level, index))
        if has_changes[index]:
            import_state_changes(level, action, index, imported)


class SettingsExport:
    """Finds what differs about the settings of actions."""

    def __init__(
        self,
        level: Level,
        references: AnimationReferences,
        report: Report,
        *,
        rebuild: bool = False,
    ) -> None:
        """Compare with a level.

        Args:
            level: the original.
            references: what actions are written as.
            report: where warnings go.
            rebuild: give back what the scene can express also where it is the same.
        """
        self._level = level
        self._report = report
        self._original = AnimationSettings(level)
        self._references = references
        self._rebuild = rebuild
        self._leads = Transitions()
        self._olds = {index: action for action, index in references.own.items() if isinstance(index, int)}
        self._state_changes = StateChangeExport(level, references, self._leads, report)

    def changes(self, action: Action, index: int) -> dict[str, Any]:
        """Return what differs from an animation of the original, as fields of an ``AnimationEdit``."""
        group = action.tomb_raider
        changed: dict[str, Any] = {}
        state, next_frame, *old_speeds = self._original.values[index]
        if group.state != state or self._rebuild:
            changed["state"] = group.state
        for name, old in zip(_SPEEDS, old_speeds, strict=True):
            value = getattr(group, name)
            if value != old:
                changed[name] = _fixed(action, name)
        following = self._leads.next(action)
        if not self._follows(following, self._original.following[index]):
            changed["next_animation"] = index if following is None else self._reference(action, following)
            changed["next_frame"] = group.next_frame
        elif group.next_frame != next_frame:
            changed["next_frame"] = group.next_frame
        changes = self._state_changes.changes(action, index, rebuild=self._rebuild)
        if changes is not None:
            changed["state_changes"] = changes
        old = commands_of(self._level, index)
        commands = read_commands(action, old, self._report, rebuild=self._rebuild)
        if commands is not None:
            changed["commands"] = commands
        return changed

    def of_new(self, action: Action, source: int | None, first: int | None) -> dict[str, Any]:
        """Return all settings of a new animation.

        Args:
            source: the animation that its action was copied from.
            first: the first animation of its model, whose state it has where the user has said none.
        """
        group = action.tomb_raider
        values: dict[str, Any] = self._speeds(action, source)
        values["state"], values["next_frame"] = group.state, group.next_frame
        if source is None and first is not None and not group.is_property_set("state"):
            values["state"] = int(self._level.animations["state"][first])
        following = self._leads.next(action)
        if following is not None:
            values["next_animation"] = self._reference(action, following)
        old = () if source is None else commands_of(self._level, source)
        values["commands"] = read_commands(action, old, self._report, rebuild=True) or ()
        values["state_changes"] = state_changes_of(self._state_changes.rows(action))
        return values

    def leads_to(self, action: Action, index: int) -> set[int]:
        """Return the animations without an action that an action leads to all the same.

        Args:
            action: the action.
            index: of its animation.
        """
        found = self._state_changes.targets(action)
        known, following = self._original.following[index], self._leads.next(action)
        if following is None and known not in self._olds:
            found.add(known)
        twin = self._references.twin_of(following)
        return found if twin is None else found | {twin}

    def _follows(self, following: Action | None, animation: int) -> bool:
        """Tell whether an action, or none, is what an animation of the original is in the scene."""
        if following is None:
            return animation not in self._olds
        return self._references.of(following) == animation

    def _speeds(self, action: Action, source: int | None) -> dict[str, int]:
        """Return the speeds of a new animation. Those of what it was copied from stay to the last bit."""
        found: dict[str, int] = {}
        for number, name in enumerate(_SPEEDS):
            value = getattr(action.tomb_raider, name)
            found[name] = _fixed(action, name)
            if source is not None and value == self._original.values[source][2 + number]:
                has = name in (self._level.animations.dtype.names or ())
                found[name] = int(self._level.animations[name][source]) if has else 0
        return found

    def _reference(self, action: Action, following: Action) -> AnimationReference:
        return self._references.require(following, action.name, "what follows it")


def _fixed(action: Action, name: str) -> int:
    """Return a speed of an action as the file has it."""
    value = checked(np.array(getattr(action.tomb_raider, name)), action.name, f"its {name.replace('_', ' ')}")
    return round(float(value) * _FIXED)
