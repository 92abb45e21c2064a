"""Import of single animations from files onto a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from bpy.types import Action, Collection, Object
from numpy.typing import NDArray

from ....catalogue import names
from ....formats import ExportError, Game
from ....formats.base import T, read_file
from ....formats.editors.animation_files import (
    DEFAULT_NAME,
    AnimationFile,
    FileDispatch,
    FileSpeeds,
    command_of,
    frame_of,
    keys_of,
    length_of,
    number_in_name,
    read_animation,
    speeds_of,
)
from ...authoring.control_rig.match import switch_off
from ...authoring.control_rig.parts import has_rig, rig_limbs
from ...core.blender import compat
from ...core.reporting.report import Report, first_few
from ...core.space import Space
from ...subjects.animations.commands import import_commands
from ...subjects.animations.from_files import AnimationSource, store_source
from ...subjects.animations.keys.boxes import edit_boxes, replace_boxes, store_boxes
from ...subjects.animations.keys.build import build_actions, set_curves
from ...subjects.animations.keys.level_curves import ModelCurves
from ...subjects.animations.keys.ranges import set_range
from ...subjects.animations.names import action_name
from ...subjects.animations.settings import set_blending, shown_last_frame
from ...transfer.engine.motion import bones_of
from .commands import map_commands
from .other_bones import BoneAxes, OtherBones, find_other_bones

_NAMED = 8
NOWHERE = -1


class Placement(StrEnum):
    """What an imported animation becomes."""

    NEW = "NEW"
    REPLACE = "REPLACE"
    KEYS = "KEYS"


@dataclass(frozen=True, eq=False)
class LoadedFile:
    """An animation that was read from a file."""

    path: Path
    data: bytes
    animation: AnimationFile  #: its content.


def load_file(path: Path) -> LoadedFile:
    """Read a file.

    Raises:
        FormatError: if it is damaged.
        OSError: if it cannot be read.
    """
    data = read_file(path)
    return LoadedFile(path, data, read_animation(data, path.suffix))


def imported_speeds(animation: AnimationFile, game: Game) -> FileSpeeds:
    """Return the speeds that an action of a game gets: 32-bit floats, sideways only where games have that."""
    speeds = speeds_of(animation)
    if not game.traits.has_lateral_speed:
        speeds = speeds._replace(lateral_speed=0.0, lateral_acceleration=0.0)
    return FileSpeeds(*np.array(speeds, np.float32).tolist())


def check_bones(armature: Object, file: LoadedFile) -> None:
    """Check that a file is of a model with as many bones, or with limbs that a model of the scene shows.

    Raises:
        ExportError: if it is not, or has no keys.
    """
    count, wanted = file.animation.bones, len(bones_of(armature))
    if not file.animation.keys:
        raise ExportError(file.path.name, T("it has no key frames"))
    if count != wanted and find_other_bones(armature, count, file.path) is None:
        text = T(
            "it is of a model with {count} bones, and {armature} has {wanted}",
            count=count,
            armature=armature.name,
            wanted=wanted,
        )
        raise ExportError(
            file.path.name,
            T(
                "{text}: choose a model with the same bones, or import a level that has one with such limbs",
                text=text,
            ),
        )


def import_files(
    root: Collection,
    armature: Object,
    files: Sequence[LoadedFile],
    placement: Placement,
    *,
    replaced: Action | None = None,
    game: Game | None = None,
    state_changes: bool = True,
    commands: bool = True,
    report: Report,
) -> list[Action]:
    """Import animations onto a model.

    Args:
        armature: the model that owns the animations, see
            :func:`...subjects.animations.showing.animated_model`.
        files: the animations, checked by :func:`check_bones`; a single one unless they become new.
        placement: what they become. ``KEYS`` takes keys, boxes, length and speeds only.
        replaced: the animation in use, unless they become new.
        game: whose numbers sounds and effects have; None for the level's.
        state_changes, commands: whether to import these. A replaced animation keeps its own otherwise.

    Returns:
        The actions, new or changed.

    Raises:
        ExportError: if no animation is in use that could be replaced.
    """
    importer = _Importer(root, armature, game, report, state_changes=state_changes, commands=commands)
    if placement is not Placement.NEW:
        if replaced is None or replaced.tomb_raider.model != armature:
            raise ExportError(armature.name, T("no animation of it is in use that could be replaced"))
        for file in files[:1]:
            importer.replace(replaced, file, keys_only=placement is Placement.KEYS)
        return [replaced]
    return importer.add(files)


class _Importer:
    """State of one import."""

    def __init__(
        self,
        root: Collection,
        armature: Any,
        game: Game | None,
        report: Report,
        *,
        state_changes: bool,
        commands: bool,
    ) -> None:
        self._state_changes, self._commands = state_changes, commands
        self._root, self._armature, self._report = root, armature, report
        self._target = Game[root.tomb_raider.game]
        self._source = self._target if game is None else game
        self._axes = BoneAxes.of(armature, Space.of(root))
        self._bones = self._axes.names
        self._others: dict[Path, OtherBones | None] = {}
        self._list: Any = armature.tomb_raider.model.animations

    def add(self, files: Sequence[LoadedFile]) -> list[Action]:
        """Make a new animation of each file. Files that refer to each other by number stay together."""
        result: list[Action] = []
        numbers: dict[int, int] = {}
        for file in files:
            number, file_number = len(self._list), number_in_name(file.path)
            if file_number is not None:
                numbers.setdefault(file_number, number)
            name = action_name(self._armature.name, number, file.animation.name or file.path.stem)
            rows = self._rows(file)
            curves = ModelCurves(rows, np.array((0, rows.shape[1] // 2)))
            (action,) = build_actions([name], self._armature, self._bones, curves)
            self._list.add().action = action
            result.append(action)
        for action, file in zip(result, files, strict=True):
            self._set_motion(action, file)
            self._set_settings(action, file, numbers)
        return result

    def replace(self, action: Any, file: LoadedFile, *, keys_only: bool) -> None:
        """Put an animation in place of an action, or its motion only."""
        set_curves(action, self._armature, self._bones, self._rows(file))
        self._set_motion(action, file)
        if keys_only:
            self._store(action, file, keys_only=True)
            return
        number = self._number(action)
        name = file.animation.name
        if name and name != DEFAULT_NAME:
            action.name = action_name(self._armature.name, number, name)
        self._set_settings(action, file, {})

    # --- Parts

    def _rows(self, file: LoadedFile) -> NDArray[np.float32]:
        """Return the rows of keys, see :class:`~...subjects.animations.keys.level_curves.ModelCurves`."""
        animation = file.animation
        keys, bones = keys_of(animation), len(self._bones)
        count = len(keys)
        rows = np.empty((3 + 4 * bones, count, 2), np.float32)
        rows[..., 0] = np.arange(count) * max(animation.frame_rate, 1)
        other = self._other(file)
        rotations, positions = self._axes.poses(keys) if other is None else other.poses(keys)
        rows[:3, :, 1] = positions.T
        rows[3:, :, 1] = rotations.transpose(1, 2, 0).reshape(4 * bones, count)
        return rows.reshape(len(rows), 2 * count)

    def _other(self, file: LoadedFile) -> OtherBones | None:
        """Return the model with the bones of a file, if this one has another number."""
        count = file.animation.bones
        if count == len(self._bones):
            return None
        if file.path not in self._others:
            self._others[file.path] = find_other_bones(self._armature, count, file.path)
        return self._others[file.path]

    def _set_motion(self, action: Any, file: LoadedFile) -> None:
        """Set what belongs to the keys: rate, length, boxes and speeds."""
        animation, settings = file.animation, action.tomb_raider
        settings.model = self._armature
        if has_rig(self._armature):  # or its controls would still pose what they did in another animation
            switch_off(self._armature, [action], rig_limbs(self._armature))
        settings.frame_rate = max(animation.frame_rate, 1)
        set_range(action, 0, length_of(animation))
        other = self._other(file)
        if other is None:
            store_boxes(action, keys_of(animation).boxes, settings.frame_rate)
            edit_boxes(action, {})
        else:  # its boxes are around other meshes
            replace_boxes(action, {}, is_new=True)
            self._warn_of_bones(file, other)
        size = 1.0 if other is None else other.size
        for name, value in imported_speeds(animation, self._target)._asdict().items():
            setattr(settings, name, value * size)
        if not self._target.traits.has_lateral_speed and animation.velocities[2:].any():
            text = T("{target} has no lateral speeds, which the file contains", target=self._target.name)
            self._report.warn(file.path.name, text)
        self._report.warn_all(file.path.name, animation.problems)

    def _warn_of_bones(self, file: LoadedFile, other: OtherBones) -> None:
        text = T(
            "{count} bones as {model} has, matched by limbs",
            count=file.animation.bones,
            model=other.source.name,
        )
        if other.unmatched:
            text = T(
                "{text}. Bones of {armature} that get no keys: {bones}",
                text=text,
                armature=self._armature.name,
                bones=first_few(other.unmatched, _NAMED),
            )
        self._report.warn(file.path.name, text)

    def _set_settings(self, action: Any, file: LoadedFile, numbers: Mapping[int, int]) -> None:
        """Set state, transitions and commands.

        Args:
            numbers: numbers in the model of animations that are imported together, by those of their files.
        """
        animation, settings = file.animation, action.tomb_raider
        own_number = self._number(action)
        settings.state, settings.next_frame = animation.state, frame_of(animation.next_frame)
        settings.home = self._armature
        set_blending(settings, animation.blending)
        lost: dict[int, None] = {}

        def target(number: int) -> int:
            number = own_number + number if animation.is_relative else numbers.get(number, number)
            if 0 <= number < len(self._list) and self._list[number].action is not None:
                return number
            lost[number] = None
            return NOWHERE

        following = target(animation.next_animation)
        is_lost = following == NOWHERE
        settings.next_number = NOWHERE if following == own_number else following
        action.use_cyclic = following == own_number
        if self._state_changes:
            settings.dispatches.clear()
            for change in animation.state_changes:
                self._add_rows(settings.dispatches, change.state, change.dispatches, target)
        if lost:
            listed = first_few([str(number) for number in lost], _NAMED)
            text = T(
                "{armature} lacks its target animations: {names}", armature=self._armature.name, names=listed
            )
            self._report.warn(file.path.name, T("{text}. These transitions have no target", text=text))
        if self._commands:
            self._set_commands(action, file)
        self._store(action, file, lost_next=is_lost)

    @staticmethod
    def _add_rows(rows: Any, state: int, dispatches: Sequence[FileDispatch], target: Any) -> None:
        is_separate = any(row.state == state for row in rows)
        if not dispatches:
            entry = rows.add()
            entry.state, entry.is_empty, entry.is_separate = state, True, is_separate
        for index, dispatch in enumerate(dispatches):
            entry = rows.add()
            entry.state = state
            entry.low, entry.high, entry.frame = map(
                frame_of, (dispatch.low, dispatch.high, dispatch.next_frame)
            )
            entry.number = target(dispatch.next_animation)
            entry.last_target = shown_last_frame(dispatch)
            set_blending(entry, dispatch.blending)
            entry.is_separate = is_separate and index == 0

    def _set_commands(self, action: Any, file: LoadedFile) -> None:
        settings = action.tomb_raider
        old = {event.name for event in settings.events}
        for marker in [each for each in action.pose_markers if each.name in old]:
            action.pose_markers.remove(marker)
        settings.events.clear()
        settings.commands.clear()
        commands = [command_of(command) for command in file.animation.commands]
        mapped = map_commands(self._root, commands, self._source, self._target)
        known = [command for command in mapped.commands if command is not None]
        import_commands(action, names(self._target), known)
        if mapped.lost:
            text = T(
                "this game does not have effects that it starts: {lost}", lost=first_few(mapped.lost, _NAMED)
            )
            self._report.warn(file.path.name, T("{text}. They are left out", text=text))
        if None in commands:
            text = T("commands of other engines are kept only for exports to files")
            self._report.warn(file.path.name, text)

    def _store(
        self, action: Action, file: LoadedFile, *, keys_only: bool = False, lost_next: bool = False
    ) -> None:
        source = AnimationSource(file.animation, self._source, keys_only, lost_next)
        store_source(action, file.data, file.path.suffix.lower(), source)
        compat.ensure_pointers_are_cleared(action)

    def _number(self, action: Action) -> int:
        """Return the number of an action in the model's list, to which it is added if it is missing."""
        for number, row in enumerate(self._list):
            if row.action == action:
                return number
        self._list.add().action = action
        return len(self._list) - 1
