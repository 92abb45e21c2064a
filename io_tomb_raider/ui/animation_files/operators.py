"""Operators that import animations from files onto a model, and export its animations to files."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, StringProperty
from bpy.types import Action, Collection, Context, Event, Object, OperatorFileListElement

from ...formats import ExportError, FormatError, Game
from ...formats.base import N_, T, replace_file
from ...scene.properties import GAMES
from ..animations.playing import refresh_pose
from ..base.active import active_scene
from ..base.conditions import ConditionalTool, condition
from ..base.file_kinds import other_tool
from ..base.files.browsing import FileBrowser, browse, path_to_export
from ..base.files.file_tools import FileExport, file_filter
from ..base.files.paths import check_path, chosen_paths
from ..base.layout.panels import draw_settings, fields, split_layout
from ..base.levels import level_of, meant_level
from ..base.modes import UserMode
from ..base.operators import EditingTool, file_path
from ..base.progress import ProgressBar
from ..base.reconciling import prepare
from ..base.reports import Outcome, ToolError, explain_file, report_line, report_result
from ..base.stepped import SteppedTool
from ..base.text.words import numbers_in

if TYPE_CHECKING:
    from ...scene.core import Work
    from ...scene.interop.animation_files import LoadedFile

_SUFFIX_OF = {"ANIM": ".anim", "TRW": ".trw"}  # by format
_SUFFIXES = tuple(_SUFFIX_OF.values())
_NO_MODEL = T("Make a model of a level active first")
_OWN = "LEVEL"
_NAMED = 3
_GAMES = [(_OWN, "Level's Game", "Numbers of the level's game", 0), *GAMES]


def _game_property() -> object:
    return EnumProperty(
        name="Sounds and Effects",
        items=_GAMES,
        description="Game of the sound and effect numbers in the file",
    )


def _state_changes_property() -> object:
    return BoolProperty(
        name="State Changes",
        default=True,
        description="Include transitions by states. Off: an import keeps those of the animation in use",
    )


def _commands_property() -> object:
    return BoolProperty(
        name="Commands",
        default=True,
        description="Include sounds, effects and other commands. Off: an import keeps those in use",
    )


def _meant_model(context: Context) -> Object | None:
    """Return the model whose animations the active object shows, if it is part of a level."""
    from ...scene.subjects.animations import animated_model
    from ...scene.subjects.models import armature_of_model

    armature = armature_of_model(context.object)
    if armature is None or armature.type != "ARMATURE":
        return None
    model = animated_model(armature)
    return model if level_of(model) is not None else None


def _action_in_use(context: Context) -> Action | None:
    """Return the animation that the active object's model shows."""
    from ...scene.subjects.animations import action_in_use
    from ...scene.subjects.models import armature_of_model

    return action_in_use(armature_of_model(context.object))


class _ModelTool(ConditionalTool):
    """Base of operators that need a model."""

    requires = condition(lambda context: _meant_model(context) is not None, _NO_MODEL)


class IMPORT_ANIM_OT_tomb_raider(_ModelTool, EditingTool, FileBrowser):
    """Import animations of WadTool or WADMerger onto the active model"""

    bl_idname = "import_anim.tomb_raider"
    bl_label = "Import Animation"

    failure = N_("{file} was not imported: {error}")
    filter_glob: file_filter(*_SUFFIXES)
    directory: StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    files: CollectionProperty(type=OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"})
    placement: EnumProperty(
        name="Import As",
        items=[
            ("NEW", "New Animation", "Each file becomes a new animation of the model", 0),
            (
                "REPLACE",
                "Replace Animation in Use",
                "The file replaces the animation in use and gets its number",
                1,
            ),
            ("KEYS", "Keys Only", "Replace only keys, boxes, length and speeds of the animation in use", 2),
        ],
        description="What to do with the imported animations",
    )
    game: _game_property()
    state_changes: _state_changes_property()
    commands: _commands_property()

    def edited(self, context: Context) -> Iterable[Any]:
        action = _action_in_use(context) if self.placement != "NEW" else None
        return [each for each in (_meant_model(context), action) if each is not None]

    def invoke(self, context: Context, _event: Event) -> Any:
        return self.invoke_popup(context)

    def draw(self, _context: Context) -> None:
        draw_settings(self, "placement", "game")
        column = split_layout(self)
        column.active = self.placement != "KEYS"
        fields(column, self, "state_changes", "commands", heading="Include")

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Report, first_few
        from ...scene.interop.animation_files import Placement, import_files

        paths = [Path(path) for path in chosen_paths(self)]
        model = _meant_model(context)
        level = level_of(model)
        if model is None or level is None:
            raise ToolError(_NO_MODEL)
        if not paths:
            raise ToolError(T("Choose files to import"))
        placement = Placement(self.placement)
        if len(paths) > 1 and placement is not Placement.NEW:
            raise ToolError(T("Choose a single file to replace the animation in use"))
        files = self._read(model, paths)
        report = Report()
        game = None if self.game == _OWN else Game[self.game]
        replaced = None if placement is Placement.NEW else _action_in_use(context)
        actions = import_files(
            level,
            model,
            files,
            placement,
            replaced=replaced,
            game=game,
            state_changes=self.state_changes,
            commands=self.commands,
            report=report,
        )
        if not actions or not files:
            return {"CANCELLED"}
        self._show(context, model, actions[0])
        names = first_few([action.name for action in actions], _NAMED)
        report_result(self, T("Imported {names}", names=names), report.warnings)
        return {"FINISHED"}

    def _read(self, model: Object, paths: Iterable[Path]) -> list["LoadedFile"]:
        """Return the files for this model, and report the others."""
        from ...scene.interop.animation_files import check_bones, load_file

        result = []
        for path in paths:
            try:
                file = load_file(path)
                check_bones(model, file)
            except (ExportError, FormatError, OSError) as error:
                text = other_tool(error, path, self.bl_idname) or explain_file(error, path.name)
                report_line(self, "ERROR", T("{file} was not imported: {error}", file=path.name, error=text))
                continue
            result.append(file)
        return result

    @staticmethod
    def _show(context: Context, model: Any, action: Action) -> None:
        from ...scene.subjects.animations import show_in_range
        from ...scene.subjects.animations.changes import chains

        scene = active_scene(context)
        chains.stop(model, scene)
        context.view_layer.update()
        scene.frame_current = min(max(scene.frame_current, 0), int(action.frame_end))
        show_in_range(model, action, scene, from_start=False)
        refresh_pose(context)


class EXPORT_ANIM_OT_tomb_raider(_ModelTool, SteppedTool, FileExport):
    """Export animations of the active model for WadTool or WADMerger, as shown"""

    bl_idname = "export_anim.tomb_raider"
    bl_label = "Export Animation"

    filename_ext = _SUFFIX_OF["ANIM"]
    check_extension = None  # see check()
    filter_glob: file_filter(*_SUFFIXES)
    filepath: file_path("File to write; for all animations, a file in the target folder")
    which: EnumProperty(
        name="Animations",
        items=[
            ("ACTIVE", "Animation in Use", "Export the animation that the model shows", 0),
            ("ALL", "All Animations", "Export all animations of the model into the folder, by number", 1),
        ],
        description="Animations to export",
        options={"SKIP_SAVE"},
    )
    format: EnumProperty(
        name="Format",
        items=[
            ("ANIM", "WadTool (.anim)", "Positions and angles with fractions, and a name", 0),
            ("TRW", "WADMerger (.trw)", "Whole positions, angles of 10 bits, no name", 1),
        ],
        description="Program that reads the files",
    )
    numbers: StringProperty(
        name="Numbers",
        description="Numbers of the animations to export, such as 3, 7-9. Empty: all",
        options={"SKIP_SAVE"},
    )
    game: _game_property()
    state_changes: _state_changes_property()
    commands: _commands_property()

    def check(self, _context: Context) -> bool:
        """Give the file the suffix of the format, when one of them changes in the file browser."""
        path, suffix = Path(self.filepath), _SUFFIX_OF[self.format]
        if not path.name or path.suffix.lower() == suffix:
            return False
        has_known_suffix = path.suffix.lower() in _SUFFIXES
        self.filepath = str(path.with_suffix("") if has_known_suffix else path) + suffix
        return True

    def invoke(self, context: Context, _event: Event) -> Any:
        action = _action_in_use(context)
        if not self.filepath and action is not None:
            name = f"{bpy.path.clean_name(action.name, replace=' ')}{_SUFFIX_OF[self.format]}"
            self.filepath = path_to_export(meant_level(context), name)
        return browse(self, context)

    def draw(self, _context: Context) -> None:
        layout = split_layout(self)
        layout.prop(self, "which", expand=True)
        if self.which == "ALL":
            layout.prop(self, "numbers")
        fields(layout, self, "format", "game")
        fields(layout, self, "state_changes", "commands", heading="Include")

    def steps(self, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        from ...scene.core import Report

        path, report = Path(bpy.path.abspath(self.filepath)), Report()
        model = _meant_model(context)
        level = level_of(model)
        if model is None or level is None:
            raise ToolError(_NO_MODEL)
        if not self.filepath or (self.which == "ACTIVE" and not path.name):
            raise ToolError(T("No file was chosen to export to"))
        with UserMode(context) as mode:
            check_path(self.filepath)
            prepare(context, mode, level, report)
            bar.title = T("Exporting {file}", file=path.name)
            text = yield from self._export(context, level, model, path, report, bar)
        report_result(self, text, report.warnings)
        return {"FINISHED"}

    def _export(
        self, context: Context, level: Collection, model: Object, path: Path, report: Any, bar: ProgressBar
    ) -> "Work[str]":
        """Write the files in the last step, and return the text for the report."""
        from ...scene.interop.animation_files import export_animations, write_files
        from ...scene.subjects.animations import own_animations

        action = _action_in_use(context)
        wanted = numbers_in(self.numbers) if self.which == "ALL" else None
        actions = own_animations(model) if self.which == "ALL" else [action] if action is not None else []
        actions = [action for action in actions if not action.tomb_raider.is_helper]
        if not actions:
            raise ExportError(model.name, T("it has no animation to export"))
        game = None if self.game == _OWN else Game[self.game]
        # A path that names the other format chooses it, as scripts do.
        named = path.suffix.lower() if self.which == "ACTIVE" else ""
        suffix = named if named in _SUFFIXES else _SUFFIX_OF[self.format]
        files = export_animations(
            level,
            model,
            actions,
            game=game,
            state_changes=self.state_changes,
            commands=self.commands,
            report=report,
            listener=bar,
        )
        yield T("Writing"), 1.0
        files = [each for each in files if wanted is None or each.number in wanted]
        if not files:
            raise ExportError(model.name, T("it has no animations of these numbers"))
        if self.which == "ALL":
            folder = path if path.is_dir() else path.parent
            written = write_files(files, folder, suffix)
            return T("Exported {count} animations to {folder}", count=len(written), folder=str(folder))
        if path.suffix.lower() != suffix:
            path = path.with_name(f"{path.name}{suffix}")
        replace_file(path, files[0].encoded(suffix))
        return T("Exported {file}", file=path.name)


register, unregister = bpy.utils.register_classes_factory(
    (IMPORT_ANIM_OT_tomb_raider, EXPORT_ANIM_OT_tomb_raider)
)
