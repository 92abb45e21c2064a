"""Settings of animations besides their key frames: states, speeds, next animations and commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ....catalogue import Catalogue
from ....formats import Level
from ....formats.base import T, as_message
from ....formats.editors.animation_files import Blending, FileDispatch
from ....formats.editors.wads import NO_BLENDING, SAME_FRAME, AnimationExtras
from ....formats.levels.animations import AnimationReference
from ...core.reporting.report import Report
from ...core.space import checked
from .changes.outside import Targets
from .changes.references import AnimationReferences
from .changes.state_changes import (
    DispatchRow,
    StateChangeExport,
    import_state_changes,
    rows_of,
    state_changes_of,
)
from .changes.transitions import NOWHERE, ImportedActions, Transitions, target_of
from .commands import commands_of, import_commands, read_commands

_FIXED = 65536  # speeds are 16.16 fixed point numbers
_SPEEDS = ("speed", "acceleration", "lateral_speed", "lateral_acceleration")


class AnimationSettings:
    """The settings of all animations of a level as Blender shows them."""

    def __init__(self, level: Level) -> None:
        animations = level.animations
        count = len(animations)
        target = animations["next_animation"].astype(np.int64)
        valid = target < count
        start = np.where(valid, animations["first_frame"][np.where(valid, target, 0)], 0) if count else target
        columns: list[NDArray[Any]] = [
            animations["state"],
            animations["next_frame"].astype(np.int64) - start,
        ]
        names = animations.dtype.names or ()
        for name in _SPEEDS:
            fixed = animations[name] if name in names else np.zeros(count)
            columns.append((fixed / _FIXED).astype(np.float32))
        #: by index of the animation: state, next frame, and the four speeds.
        self.values = list(zip(*[column.tolist() for column in columns], strict=True))
        #: by index of the animation: the next animation; -1 for itself or an invalid one.
        self.following = np.where(valid & (target != np.arange(count)), target, -1).tolist()


def import_settings(
    level: Level, names: Catalogue, imported: ImportedActions, extras: Sequence[AnimationExtras] = ()
) -> None:
    """Set the settings, commands and state changes of actions.

    Args:
        extras: the data of all animations that levels lack, if any.
    """
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
        if index < len(extras):
            _import_extras(action, extras[index])


def _import_extras(action: Action, extras: AnimationExtras) -> None:
    """Set the blending and root motion of an action and its state changes."""
    group = action.tomb_raider
    set_blending(group, extras.blending)
    if extras.root_motion:
        group.root_motion = extras.root_motion
    rows = [row for row in group.dispatches if not row.is_empty]
    for row, (blending, last) in zip(rows, extras.dispatches, strict=False):
        set_blending(row, blending)
        row.last_target = last


def set_blending(group: Any, blending: Blending | None) -> None:
    """Set the blending of an action or a state change, None for none."""
    if (shown := _shown(blending)) != _blending(group):
        group.blend_frames, group.blend_curve = shown


def shown_last_frame(dispatch: FileDispatch) -> int:
    """Return the last frame of a dispatch's target as scenes hold it."""
    last = dispatch.last_frame
    return SAME_FRAME if last is None or last == dispatch.next_frame else min(max(last, 0), 0xFFFF)


def merged_blending(group: Any, old: Blending | None) -> Blending | None:
    """Return the blending to write: that of a file, or None, where an action or state change shows it."""
    return old if _blending(group) == _shown(old) else _blending(group)


def _shown(blending: Blending | None) -> Blending:
    """Return blending of a file, or None, as scenes hold it."""
    if blending is None:
        return NO_BLENDING
    curve = np.nan_to_num(np.array(blending.curve or NO_BLENDING.curve, np.float32))
    return Blending(min(max(blending.frames, 0), 0xFFFF), tuple(curve.tolist()))


def animation_extras(action: Action) -> AnimationExtras:
    """Return the data of an action that levels lack, its state changes in the order of an export."""
    group = action.tomb_raider
    rows = []
    for number, row in enumerate(group.dispatches):
        if row.is_empty or target_of(row) is not None or row.target != NOWHERE:
            marks = {"is_empty": row.is_empty, "is_separate": row.is_separate}
            rows.append(DispatchRow(row.state, target=number, **marks))
    written = (each.next_animation for change in state_changes_of(rows) for each in change.dispatches)
    dispatches = (group.dispatches[number] for number in written if isinstance(number, int))
    return AnimationExtras(
        _blending(group),
        group.root_motion,
        tuple(
            (_blending(row), SAME_FRAME if row.last_target == row.frame else row.last_target)
            for row in dispatches
        ),
    )


def _blending(group: Any) -> Blending:
    return Blending(group.blend_frames, tuple(group.blend_curve))


class SettingsExport:
    """Comparison of the settings of actions with the original."""

    def __init__(
        self, level: Level, references: AnimationReferences, report: Report, *, rebuild: bool = False
    ) -> None:
        """Prepare the comparison; a rebuild exports unchanged settings too, if the scene can express them."""
        self._level = level
        self._report = report
        self._original = AnimationSettings(level)
        self._references = references
        self._rebuild = rebuild
        self._transitions = Transitions()
        self._olds = {
            index: action for action, index in references.by_action.items() if isinstance(index, int)
        }
        self._state_changes = StateChangeExport(level, references, self._transitions, report)

    def changes(self, action: Action, index: int) -> dict[str, Any]:
        """Return the changes from an animation of the original, as fields of an ``AnimationEdit``."""
        group = action.tomb_raider
        changed: dict[str, Any] = {}
        state, next_frame, *old_speeds = self._original.values[index]
        if group.state != state or self._rebuild:
            changed["state"] = group.state
        for name, old in zip(_SPEEDS, old_speeds, strict=True):
            value = getattr(group, name)
            if value != old:
                changed[name] = _fixed(action, name)
        following = self._transitions.next(action)
        if not self._is_same_next(following, self._original.following[index]):
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

        ``source`` is the animation that its action was copied from. The default state is that of the first
        animation of its model.
        """
        group = action.tomb_raider
        values: dict[str, Any] = self._speeds(action, source)
        values["state"], values["next_frame"] = group.state, group.next_frame
        if source is None and first is not None and not group.is_property_set("state"):
            values["state"] = int(self._level.animations["state"][first])
        following = self._transitions.next(action)
        if following is not None:
            values["next_animation"] = self._reference(action, following)
        old = () if source is None else commands_of(self._level, source)
        values["commands"] = read_commands(action, old, self._report, rebuild=True) or ()
        values["state_changes"] = state_changes_of(self._state_changes.rows(action))
        return values

    def targets_of(self, action: Action) -> Targets:
        """Return what an action that was compared leads to."""
        following = self._transitions.next(action)
        reference = self._references.by_action[action]
        next_reference = reference if following is None else self._references.of(following)
        rows = self._state_changes.read.get(action, [])
        next_reference = reference if next_reference is None else next_reference
        return Targets(rows, next_reference, action.tomb_raider.next_frame)

    def original_targets(self, index: int) -> Targets:
        """Return what an animation of the original leads to."""
        following = self._original.following[index]
        next_frame = self._original.values[index][1]
        return Targets(rows_of(self._level, index), index if following < 0 else following, next_frame)

    def remaining_targets(self, action: Action, index: int) -> set[int]:
        """Return the animations without an action that an action still refers to."""
        targets = self._state_changes.targets(action)
        old_following, following = self._original.following[index], self._transitions.next(action)
        if following is None and old_following not in self._olds:
            targets.add(old_following)
        twin = self._references.twin_of(following)
        return targets if twin is None else targets | {twin}

    def _is_same_next(self, following: Action | None, animation: int) -> bool:
        """Return whether an action, or None, represents an animation of the original in the scene."""
        if following is None:
            return animation not in self._olds
        return self._references.of(following) == animation

    def _speeds(self, action: Action, source: int | None) -> dict[str, int]:
        """Return the speeds of a new animation; unchanged ones are bit for bit those of its source."""
        result: dict[str, int] = {}
        for number, name in enumerate(_SPEEDS):
            value = getattr(action.tomb_raider, name)
            result[name] = _fixed(action, name)
            if source is not None and value == self._original.values[source][2 + number]:
                has = name in (self._level.animations.dtype.names or ())
                result[name] = int(self._level.animations[name][source]) if has else 0
        return result

    def _reference(self, action: Action, following: Action) -> AnimationReference:
        return self._references.require(following, action.name, "what follows it")


def _fixed(action: Action, name: str) -> int:
    """Return a speed of an action in the file's units."""
    value = checked(
        np.array(getattr(action.tomb_raider, name)),
        action.name,
        T("its {field}", field=as_message(name.replace("_", " "))),
    )
    return round(float(value) * _FIXED)
