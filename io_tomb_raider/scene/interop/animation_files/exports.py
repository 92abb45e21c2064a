"""Export of a model's animations to files.

Keys are those of an export of the level: constraints and drivers are evaluated, boxes are fitted. What is
still as in the file that an action was imported from is written with the numbers of that file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Action, Collection, Object

from ....formats import ExportError, Game, Level
from ....formats.base import T, replace_file
from ....formats.editors.animation_files import (
    ANIM,
    COMMAND_NAMES,
    TRW,
    AnimationFile,
    FileCommand,
    FileDispatch,
    FileSpeeds,
    FileStateChange,
    command_of,
    frame_of,
    merge_commands,
    merge_keys,
    new_file,
    numbered_name,
    velocities_of,
    write_animation,
)
from ....formats.levels.animations import AnimationCommand, Keys, model_animations, ticks
from ....formats.levels.views import Decoded
from ...core.blender.compat import LONGEST_NAME
from ...core.reporting.progress import Listener
from ...core.reporting.report import Report, first_few
from ...core.reporting.results import ExportResult
from ...core.space import checked
from ...pipeline.exporter import export_level
from ...subjects.animations.changes.state_changes import no_target_text
from ...subjects.animations.changes.transitions import Transitions
from ...subjects.animations.commands import commands_of, read_commands
from ...subjects.animations.from_files import AnimationSource, source_of
from ...subjects.animations.names import action_name
from ...subjects.animations.settings import merged_blending, shown_last_frame
from .commands import map_commands
from .imports import imported_speeds

_NAMED = 8
_COPY = re.compile(r"\.\d{3}$")
_NUMBERED = re.compile(r"(.*?) ([0-9]{3,5}) (.*)")


class ExportedAnimation(NamedTuple):
    """An exported animation."""

    number: int  #: its number in the model.
    animation: AnimationFile  #: its content, with numbers of animations as an ``.anim`` has them.

    def file_name(self, suffix: str = ANIM) -> str:
        """Return the name of its file, as in WadTool's export of many."""
        return numbered_name(self.number, self.animation.name, suffix)

    def encoded(self, suffix: str = ANIM) -> bytes:
        """Return the content of its file. Raises ExportError if the format cannot hold it."""
        is_relative = suffix.lower() == TRW
        content = self.animation.relative_to(self.number) if is_relative else self.animation
        return write_animation(content, suffix)


def export_animations(
    root: Collection,
    armature: Object,
    actions: Sequence[Action],
    *,
    game: Game | None = None,
    state_changes: bool = True,
    commands: bool = True,
    report: Report,
    listener: Listener | None = None,
) -> list[ExportedAnimation]:
    """Return animations of a model for files. Nothing in the scene is changed.

    Args:
        game: whose numbers sounds and effects get; None for the level's.
        state_changes, commands: whether files get these.

    Raises:
        ExportError: if the level cannot be exported, or an action is no animation of the model.
        FormatError: if the original is damaged.
    """
    all_messages = Report()
    try:
        exported = export_level(root, report=all_messages, listener=listener)
    finally:
        names = {armature.name, *(action.name for action in actions)}
        # Files may have the numbers of transitions without a target; if not, `_changes` warns.
        known = {
            (action.name, no_target_text(row)) for action in actions for row in action.tomb_raider.dispatches
        }
        for message in all_messages.messages:
            if message.subject in names and message not in known:
                report.warn(*message)
    exporter = _Exporter(
        root, armature, exported, game, report, state_changes=state_changes, commands=commands
    )
    return [exporter.animation(action) for action in actions]


def write_files(animations: Sequence[ExportedAnimation], folder: Path, suffix: str = ANIM) -> list[Path]:
    """Write animations into a folder, named by their numbers, and return their paths.

    Raises:
        ExportError: if an animation does not fit the format; nothing was written then.
        OSError: if a file cannot be written.
    """
    files = {folder / each.file_name(suffix): each.encoded(suffix) for each in animations}
    for path, data in files.items():
        replace_file(path, data)
    return list(files)


class _Exporter:
    """The animations of a model in an exported level."""

    def __init__(
        self,
        root: Collection,
        armature: Object,
        exported: ExportResult,
        game: Game | None,
        report: Report,
        *,
        state_changes: bool,
        commands: bool,
    ) -> None:
        self._state_changes, self._has_commands = state_changes, commands
        self._root, self._armature, self._report = root, armature, report
        self._numbers: Mapping[Action, int] = exported.animations
        self._level: Level = exported.level
        self._game = exported.level.game
        self._file_game = self._game if game is None else game
        self._keys = Decoded(exported.level).keys
        self._transitions = Transitions()
        models = np.flatnonzero(self._level.models["id"] == armature.tomb_raider.model.id)
        first, count = model_animations(self._level.models, self._level.animations)
        self._model = next((int(each) for each in models if first[each] >= 0), -1)
        self._first = int(first[self._model]) if self._model >= 0 else 0
        self._count = int(count[self._model]) if self._model >= 0 else 0

    def animation(self, action: Any) -> ExportedAnimation:
        """Return one of the animations."""
        if action not in self._numbers or not 0 <= self._numbers[action] < self._count:
            text = T(
                "it is not an animation of {armature}: choose that as its model", armature=self._armature.name
            )
            raise ExportError(action.name, text)
        number = self._numbers[action]
        index = self._first + number
        record = self._level.animations[index]
        source = source_of(action)
        following, next_frame = self._next(action, number, source)
        animation = new_file(
            self._keys_of(index),
            name=self._name(action, source),
            state=int(action.tomb_raider.state),
            rate=max(int(record["frame_rate"]), 1),
            last_frame=max(int(ticks(self._level.animations[index : index + 1])[0]), 0),
            following=(following, next_frame),
        )
        animation = replace(
            animation,
            velocities=self._velocities(action, animation, source),
            state_changes=self._changes(action, number, source) if self._state_changes else (),
            commands=self._commands(action, index, source) if self._has_commands else (),
        )
        known = None if source is None or source.keys_only else source.animation
        blending = merged_blending(action.tomb_raider, None if known is None else known.blending)
        animation = replace(animation, blending=blending)
        if source is not None:
            animation = merge_keys(animation, source.animation, self._game.traits.single_axis_bits)
            if known is not None:
                animation = replace(animation, text=known.text)
        return ExportedAnimation(number, animation)

    def _keys_of(self, index: int) -> Keys:
        keys = self._keys.keys(index)
        bones = int(self._level.models["meshes"][self._model])
        return Keys(keys.boxes, keys.offsets, keys.angles[:, :bones])

    def _name(self, action: Action, source: AnimationSource | None) -> str:
        """Return the name of an action without model and number, or that of its file if it still has it."""
        if source is not None and not source.keys_only:
            for number, row in enumerate(self._armature.tomb_raider.model.animations):
                if row.action == action:
                    name = action_name(self._armature.name, number, source.animation.name)
                    current = _COPY.sub("", action.name)
                    is_cut = len(current.encode()) >= LONGEST_NAME - 4 and name.startswith(current)
                    if source.animation.name and (is_cut or current == _COPY.sub("", name)):
                        return source.animation.name
        name = _COPY.sub("", action.name)
        match = _NUMBERED.fullmatch(name)
        if match is not None and (match[1] == self._armature.name or int(match[2]) == self._numbers[action]):
            return match[3]
        return name

    # --- Motion

    def _velocities(self, action: Any, animation: AnimationFile, source: AnimationSource | None) -> Any:
        settings = action.tomb_raider
        speeds = FileSpeeds(*(float(getattr(settings, name)) for name in FileSpeeds._fields))
        checked(np.array(speeds), action.name, "its speed")
        result = velocities_of(speeds, animation.keys, animation.frame_rate)
        if source is None or (source.animation.keys, max(source.animation.frame_rate, 1)) != (
            animation.keys,
            animation.frame_rate,
        ):
            return result
        expected = imported_speeds(source.animation, self._game)
        for pair in (slice(0, 2), slice(2, 4)):
            if speeds[pair] == expected[pair]:
                result[pair] = source.animation.velocities[pair]
        return result

    # --- Transitions

    def _next(self, action: Any, number: int, source: AnimationSource | None) -> tuple[int, int]:
        """Return the next animation and its frame."""
        settings = action.tomb_raider
        other = self._transitions.next(action)
        following = number if other is None else self._number(other)
        if other is None and source is not None and source.lost_next:
            lost = self._absolute(source.animation.next_animation, number, source)
            following = number if lost is None else lost
        elif following is None:
            text = T(
                "its next animation, {other}, is not an animation of the model",
                other=other.name if other else "",
            )
            self._report.warn(action.name, T("{text}: in the file it repeats", text=text))
            following = number
        frame = max(int(settings.next_frame), 0)
        if source is not None and not source.keys_only and frame == frame_of(source.animation.next_frame):
            frame = source.animation.next_frame
        return following, frame

    def _number(self, other: Action) -> int | None:
        """Return the number of an action of this model, or None."""
        is_own = other.tomb_raider.model in (None, self._armature)
        return self._numbers.get(other) if is_own else None

    @staticmethod
    def _absolute(number: int, base: int, source: AnimationSource) -> int | None:
        result = base + number if source.animation.is_relative else number
        return result if 0 <= result <= 0xFFFF else None

    def _changes(
        self, action: Any, number: int, source: AnimationSource | None
    ) -> tuple[FileStateChange, ...]:
        known = () if source is None or source.keys_only else source.animation.state_changes
        before = [(change.state, each) for change in known for each in change.dispatches]
        groups: list[tuple[int, list[FileDispatch]]] = []
        current: dict[int, list[FileDispatch]] = {}
        without_target: list[str] = []
        for row, other in zip(action.tomb_raider.dispatches, self._transitions.targets(action), strict=True):
            if row.is_separate or row.state not in current:
                current[row.state] = []
                groups.append((int(row.state), current[row.state]))
            if row.is_empty:
                continue
            target = self._number(other) if other is not None else self._by_index(row.target)
            dispatch = FileDispatch(int(row.low), int(row.high), -1, int(row.frame))
            same = next((each for state, each in before if _is_like(each, state, dispatch, row.state)), None)
            if same is not None:
                if target is None and source is not None:
                    target = self._absolute(same.next_animation, number, source)
                dispatch = same
                before.remove((int(row.state), same))
            if target is None:
                without_target.append(
                    T("state {state}, frames {low} to {high}", state=row.state, low=row.low, high=row.high)
                )
                continue
            last = int(row.last_target)
            if last != shown_last_frame(dispatch):
                dispatch = dispatch._replace(last_frame=dispatch.next_frame if last < 0 else last)
            blending = merged_blending(row, dispatch.blending)
            current[row.state].append(dispatch._replace(next_animation=target, blending=blending))
        if without_target:
            text = T(
                "transitions without a target are left out: {nowhere}",
                nowhere=first_few(without_target, _NAMED),
            )
            self._report.warn(action.name, text)
        return tuple(FileStateChange(state, tuple(dispatches)) for state, dispatches in groups)

    def _by_index(self, index: int) -> int | None:
        """Return the number in the model of an animation of the level, or None."""
        number = index - self._first
        return number if index >= 0 and 0 <= number < self._count else None

    # --- Commands

    def _commands(
        self, action: Action, index: int, source: AnimationSource | None
    ) -> tuple[FileCommand, ...]:
        every = self._every_command(action, index, source)
        return tuple(each for each in every if 1 <= each.type <= len(COMMAND_NAMES))

    def _every_command(
        self, action: Action, index: int, source: AnimationSource | None
    ) -> tuple[FileCommand, ...]:
        if source is None or source.keys_only:
            return self._for_file(action, commands_of(self._level, index))
        origin = source.animation.commands
        before = [command_of(each) for each in origin]
        mapped = map_commands(self._root, before, source.game, self._game).commands
        known = tuple(command for command in mapped if command is not None)
        new = read_commands(action, known, self._report)
        current = known if new is None else new
        if source.game is self._file_game:
            back = map_commands(self._root, mapped, self._game, self._file_game).commands
            return merge_commands(self._mapped(action, current), back, origin)
        return self._for_file(action, current)

    def _mapped(self, action: Action, commands: Sequence[AnimationCommand]) -> list[AnimationCommand]:
        """Return commands with the numbers of the file's game, and warn of those that it has not."""
        mapped = map_commands(self._root, commands, self._game, self._file_game)
        if mapped.lost:
            text = T(
                "{file_game} does not have effects that it starts: {lost}",
                file_game=self._file_game.name,
                lost=first_few(mapped.lost, _NAMED),
            )
            self._report.warn(action.name, T("{text}. They are left out of the file", text=text))
        return [command for command in mapped.commands if command is not None]

    def _for_file(self, action: Action, commands: Sequence[AnimationCommand]) -> tuple[FileCommand, ...]:
        known = [each for each in commands if 1 <= each.type <= len(COMMAND_NAMES) - 1]
        if len(known) < len(commands):
            self._report.warn(action.name, T("commands unknown to the games are left out"))
        return merge_commands(self._mapped(action, known), (), ())


def _is_like(known: FileDispatch, state: int, dispatch: FileDispatch, wanted: int) -> bool:
    frames = (frame_of(each) for each in (known.low, known.high, known.next_frame))
    return (state, *frames) == (wanted, dispatch.low, dispatch.high, dispatch.next_frame)
