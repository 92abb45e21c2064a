"""*Play*: export the current level to a temporary file, and play it in an engine."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from math import atan2
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.types import Collection, Context, Operator, UILayout
from mathutils import Vector

from ...formats import ExportError, FormatError
from ...formats.base import T, as_message
from ...scene.core import Space, angle_to_file, world_matrix
from ..base.active import active_scene
from ..base.conditions import ConditionalTool, condition
from ..base.layout.drawing import redraw_views
from ..base.levels import file_name, game_of, level_folder
from ..base.operators import LevelTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, explain, report_line
from ..base.text.i18n import translate
from ..level.export_level import write_steps
from ..preferences.preferences import PACKAGE, engine_command, game_folder

if TYPE_CHECKING:
    from ...formats import Level
    from .engine import Run

_PAUSE = 0.5  # seconds between checks whether an engine has ended
_OUTPUT = "Engine Output"
_STEEP = 0.1  # length of a view's horizontal direction, seen nearly from above or below

# The engines started in this session, in order. Undo does not affect programs.
_runs: list[Run] = []


class _PlayingTool(LevelTool):
    """Base of operators that play a level, under a temporary name, in the engine of the preferences."""

    edits_level = False
    bl_options = {"REGISTER"}

    def change(self, context: Context, level: Collection) -> Callable[[Level], None] | None:
        """Return a function that changes the exported level, or None."""
        return None

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report, finish
        from .engine import arguments_of, make_level_file, remove_files

        level = self.level(context)
        command = engine_command(context, game_of(level))
        if not command:
            text = T("No engine is set: enter the command of one for this game in the preferences")
            report_line(self, "ERROR", text)
            _open_preferences()
            return {"CANCELLED"}
        path: Path | None = None
        report = Report()
        try:
            arguments_of(command, "")  # validates the command before a long export
            change = self.change(context, level)
            path = make_level_file(level_folder(level), file_name(level, playable=True), bpy.app.tempdir)
            with ProgressBar(context, as_message(self.bl_label)) as bar:
                finish(write_steps(context, level, str(path), report, bar, change=change))
            run = _start(context, level, command, path)
        except (ExportError, FormatError, OSError) as error:
            if path is not None:
                remove_files(path)
            report_line(
                self, "ERROR", T("{level} is not played: {error}", level=level.name, error=explain(error))
            )
            return {"CANCELLED"}
        _runs.append(run)
        if not bpy.app.timers.is_registered(update):
            bpy.app.timers.register(update, first_interval=_PAUSE)
        count = len(report.warnings)
        warned = T(" (warnings of the export: {count})", count=count) if count else ""
        text = T("{level} is played as {file}{warned}", level=level.name, file=str(path), warned=warned)
        report_line(self, "INFO", text)
        return {"FINISHED"}


class TOMB_RAIDER_OT_play_level(_PlayingTool):
    """Export the level under a temporary name and play it in the engine of the preferences"""

    bl_idname = "tomb_raider.play_level"
    bl_label = "Play Level"


class TOMB_RAIDER_OT_play_from_here(_PlayingTool):
    """Play the level with Lara at the 3D cursor, turned as you look. The scene stays as it is"""

    bl_idname = "tomb_raider.play_from_here"
    bl_label = "Play from Here"

    def change(self, context: Context, level: Collection) -> Callable[[Level], None]:
        from ...formats.edits.checks import move_lara

        cursor = np.array(active_scene(context).cursor.location) - np.array(level.tomb_raider.offset)
        x, y, z = Space.of(level).to_file(cursor, "3D cursor").tolist()
        return partial(move_lara, position=(x, y, z), angle=_view_angle(context))


def _view_angle(context: Context) -> int | None:
    """Return the yaw in the game of the 3D view's direction, or None without a view."""
    space: Any = context.space_data
    view = getattr(space, "region_3d", None)
    if view is None:
        return None
    if view.view_perspective == "CAMERA" and space.camera is not None:
        turn = world_matrix(space.camera).to_quaternion()
    else:
        turn = view.view_rotation
    ahead, up = turn @ Vector((0.0, 0.0, -1.0)), turn @ Vector((0.0, 1.0, 0.0))
    x, y, _ = ahead if ahead.xy.length > _STEEP else up  # from above, up on the screen is ahead
    return int(angle_to_file(-atan2(x, y)))


def _start(context: Context, level: Collection, command: str, path: Path) -> Run:
    import tempfile

    from .engine import (
        INSTALLED,
        SCRIPT,
        arguments_of,
        installed_level,
        put_back,
        put_in_place,
        start,
        write_script,
    )

    handle, log = tempfile.mkstemp(prefix="engine_", suffix=".txt", dir=bpy.app.tempdir)
    os.close(handle)
    arguments, folder = arguments_of(command, str(path)), game_folder(context, game_of(level))
    target: Path | None = None
    if SCRIPT in command:
        write_script(path)
    if INSTALLED in command:
        target = installed_level(folder, file_name(level, playable=True))
        if any(run.code is None and run.installed == target for run in _runs):
            raise ExportError(T("Engine"), T("the game still plays this level. Quit it first"))
    try:
        if target is not None:
            put_in_place(path, target)
        run = start(level.name, arguments, path, folder, Path(log))
    except OSError:
        if target is not None:
            put_back(target)
        raise
    run.installed = target
    return run


def _open_preferences() -> None:
    operator: Any = bpy.ops.preferences.addon_show
    if not bpy.app.background and operator.poll():
        operator(module=PACKAGE)


def update() -> float | None:
    """Check which engines have ended, and redraw the sidebar; timer callback."""
    if any([run.update() for run in _runs]):
        redraw_views(bpy.context.window_manager, bpy.context)
    return _PAUSE if any(run.code is None for run in _runs) else None


def last_run() -> Run | None:
    """Return the engine that was started last, or None."""
    return _runs[-1] if _runs else None


class TOMB_RAIDER_OT_show_engine_output(ConditionalTool, Operator):
    """Show the output of the engine that last played a level, as a text"""

    bl_idname = "tomb_raider.show_engine_output"
    bl_label = "Engine Output"
    requires = condition(lambda _context: last_run() is not None, T("Play a level first"))

    def execute(self, context: Context) -> Outcome:
        from ..base.text.texts import show_text

        run = last_run()
        assert run is not None  # checked by the poll
        text = bpy.data.texts.get(_OUTPUT) or bpy.data.texts.new(_OUTPUT)
        text.from_string(run.output or "The engine printed nothing.\n")
        show_text(context, text, in_new_window=True)
        return {"FINISHED"}


def draw_engine(layout: UILayout) -> None:
    """Draw the state of the last engine while it runs, and if it failed."""
    run = last_run()
    if run is None or run.code == 0:
        return
    row = layout.row(align=True)
    if run.code is None:
        row.label(text=translate(T("{run} is played", run=run.title)), icon="TIME")
    else:
        row.label(text=translate(T("The engine failed: exit code {code}", code=run.code)), icon="ERROR")
    row.operator("tomb_raider.show_engine_output", text="", icon="TEXT")


_register, _unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_play_level, TOMB_RAIDER_OT_play_from_here, TOMB_RAIDER_OT_show_engine_output)
)


def register() -> None:
    _register()


def unregister() -> None:
    if bpy.app.timers.is_registered(update):
        bpy.app.timers.unregister(update)
    for run in _runs:
        if run.code is None and run.installed is not None:  # nobody would put it back later
            run.clean_up()
    _runs.clear()
    _unregister()
