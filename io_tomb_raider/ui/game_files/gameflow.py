"""Operators on the entry of a level in the game flow of TRX: read and write it, edit its lists."""

import os
from pathlib import Path
from typing import Any

import bpy
from bpy.props import EnumProperty, StringProperty
from bpy.types import Collection, Context, Event

from ...formats import ExportError, FormatError, Game
from ...formats.base import N_, T, joined, plural
from ...scene.core import Kind
from ...scene.properties import CONTEXT
from ...scene.properties.views import catalogue_in
from ..base.conditions import active_object_of
from ..base.file_kinds import other_tool
from ..base.files.browsing import FileBrowser, browse
from ..base.files.paths import check_path
from ..base.levels import file_name, level_of
from ..base.operators import EditingTool, LevelTool, file_path
from ..base.reports import Outcome, ToolError, report_line, report_result
from ..base.rows import move_row, remove_row

_FILTER = "*.json5;*.json"
_ERRORS = (ExportError, FormatError, OSError)


class _GameflowFile(LevelTool, FileBrowser):
    """Base of operators on a level and an existing game flow."""

    filter_glob: StringProperty(default=_FILTER, options={"HIDDEN"})

    def invoke(self, context: Context, _event: Event) -> Any:
        level = self.level(context)
        if not level_has_gameflow(level):
            raise ToolError(T("TRX does not play levels of {game}", game=level.tomb_raider.game))
        self.collection = level.name
        settings = level.tomb_raider
        self.filepath = self.filepath or settings.gameflow.path or os.path.join(settings.folder, "")
        return browse(self, context)

    def chosen(self, context: Context) -> tuple[Collection, Path]:
        """Return the level and the path of the game flow. Raises ToolError if there is none."""
        level = self.level(context)
        path = Path(bpy.path.abspath(self.filepath))
        if not path.is_file():
            raise ToolError(T("Choose the game flow of the mod: gameflow.json5"))
        # Other files are JSON, too: in those, no level has an entry, and one would be added.
        problem = other_tool(None, path, self.bl_idname)
        if problem:
            raise ToolError(T("{file} was not read: {error}", file=path.name, error=problem))
        return level, path


class TOMB_RAIDER_OT_read_gameflow(_GameflowFile):
    """Read the entry of this level in a game flow of TRX: title, sequence, music, fog, item drops"""

    bl_idname = "tomb_raider.read_gameflow"
    bl_label = "Read Game Flow"
    failure = N_("{file} was not read: {error}")

    filepath: file_path("Game flow (gameflow.json5) to read")

    def execute(self, context: Context) -> Outcome:
        from ...scene.interop.game_files import read_entry

        level, path = self.chosen(context)
        if not read_entry(level, path, file_name(level)):
            text = T(
                "{file} has no entry of {level}. Write Game Flow adds one", file=path.name, level=level.name
            )
            raise ToolError(text)
        report_line(self, "INFO", T("{file}: entry of {level}", file=path.name, level=level.name))
        return {"FINISHED"}


class TOMB_RAIDER_OT_write_gameflow(_GameflowFile):
    """Write the entry of this level into a game flow of TRX. All other text of the file is kept"""

    bl_idname = "tomb_raider.write_gameflow"
    bl_label = "Write Game Flow"
    failure = N_("{file} was not written: {error}")

    edits_level = False
    filepath: file_path("Game flow (gameflow.json5) to change")

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report
        from ...scene.interop.game_files import write_entry

        level, path = self.chosen(context)
        report = Report()
        check_path(self.filepath)
        written = write_entry(level, path, file_name(level), report)
        if written.is_new:
            outcome = T("{file}: new entry of {level}", file=path.name, level=level.name)
        elif written.files:
            names = joined(", ", [file.name for file in written.files])
            outcome = T("Changed {files}", files=names)
        else:
            outcome = T("{file}: same as before", file=path.name)
        report_result(self, outcome, report.warnings)
        return {"FINISHED"}


class TOMB_RAIDER_OT_update_gameflow(_GameflowFile):
    """Change a game flow, its strings and its object catalog to names and keys of TRX 1.11"""

    bl_idname = "tomb_raider.update_gameflow"
    bl_label = "Update Game Flow"
    failure = N_("{file} was not written: {error}")

    filepath: file_path("Game flow (gameflow.json5) to change")

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report
        from ...scene.interop.game_files import update_files

        level, path = self.chosen(context)
        report = Report()
        check_path(self.filepath)
        lines = update_files(level, path, file_name(level), report)
        for line in lines:
            report_line(self, "INFO", line)
        place, count = str(path.parent), len(lines)
        outcome = plural("{count} change in {folder}", "{count} changes in {folder}", count, folder=place)
        report_result(self, outcome, report.warnings)
        return {"FINISHED"}


def level_has_gameflow(level: Collection) -> bool:
    """Return whether TRX plays the game of a level."""
    return Game[level.tomb_raider.game].traits.is_in_trx


# --- Steps ----------------------------------------


class TOMB_RAIDER_OT_edit_steps(LevelTool):
    """Add, remove or move a step of the level's sequence"""

    bl_idname = "tomb_raider.edit_steps"
    bl_label = "Edit Sequence"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    action: EnumProperty(
        name="Action",
        items=[
            ("ADD", "Add", "Add a step after the active one", 0),
            ("REMOVE", "Remove", "Remove the active step", 1),
            ("UP", "Up", "Make it happen sooner", 2),
            ("DOWN", "Down", "Make it happen later", 3),
        ],
        translation_context=CONTEXT,
        description="What to do with the steps",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        level = self.level(context)
        settings = level.tomb_raider.gameflow
        steps, active = settings.steps, settings.active_step
        target: int | None
        if self.action == "ADD":
            steps.add().kind = "play_music"
            target = min(active + 1, len(steps) - 1)
            steps.move(len(steps) - 1, target)
        elif not 0 <= active < len(steps):
            return {"CANCELLED"}
        elif self.action == "REMOVE":
            target = remove_row(steps, active)
        else:
            target = move_row(steps, active, -1 if self.action == "UP" else 1)
        if target is None:
            return {"CANCELLED"}
        settings.active_step = target
        return {"FINISHED"}


# --- Drops ----------------------------------------

_shown: list[tuple[str, str, str, int]] = []  # Blender reads texts of items after the call


def _pickups(_self: object, context: Context | None) -> list[tuple[str, str, str, int]]:
    from ...catalogue import is_pickup
    from ...scene.subjects.level import relations_in

    level = level_of(context.object) if context is not None else None
    if level is not None:
        catalogue, game = catalogue_in(level), Game[level.tomb_raider.game]
        items = {**catalogue.known("sprite"), **catalogue.known("model")}
        pickups, _ = relations_in(level.tomb_raider.gameflow.relations)
        ids = [number for number in sorted(items) if number in pickups or is_pickup(game, number)]
        _shown[:] = [(str(number), items[number], "", number) for number in ids]
    return _shown or [("NONE", "Nothing", "The level has none of these", 0)]


class TOMB_RAIDER_OT_add_item_drop(EditingTool):
    """Add an item that the active entity drops in TRX"""

    bl_idname = "tomb_raider.add_item_drop"
    bl_label = "Add Item Drop"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}
    bl_property = "item"

    item: EnumProperty(
        name="Item", items=_pickups, description="Item to drop, by name", options={"SKIP_SAVE"}
    )

    requires = active_object_of({Kind.ENTITY}, T("Make an entity the active object"))

    def invoke(self, context: Context, _event: Event) -> Outcome:
        context.window_manager.invoke_search_popup(self)
        return {"INTERFACE"}

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.entities import drops_of, show_drops

        obj = context.object
        if obj is None or not self.item.isdecimal():
            return {"CANCELLED"}
        items = (*drops_of(obj), int(self.item))
        obj.tomb_raider.entity.drops = show_drops(items)
        count = len(items)
        report_line(self, "INFO", plural("Drops {count} item", "Drops {count} items", count))
        return {"FINISHED"}


_CLASSES = (
    TOMB_RAIDER_OT_read_gameflow,
    TOMB_RAIDER_OT_write_gameflow,
    TOMB_RAIDER_OT_update_gameflow,
    TOMB_RAIDER_OT_edit_steps,
    TOMB_RAIDER_OT_add_item_drop,
)


register, unregister = bpy.utils.register_classes_factory(_CLASSES)
