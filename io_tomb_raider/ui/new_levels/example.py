"""File > New > Tomb Raider Example: the level that comes with the extension."""

from functools import partial

from bpy.props import EnumProperty
from bpy.types import Context, Operator

from ...formats import ExportError, FormatError, Game
from ...formats.base.messages import T, about
from ...scene.properties.kinds import GAMES
from ..base.modes import UserMode
from ..base.operators import SceneEditingTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, contents, explain, report_line, report_result
from ..level.first_view import present
from ..preferences.preferences import first_view, game_folder


class TOMB_RAIDER_OT_example(SceneEditingTool, Operator):
    """Open the example: a small ruin to look at, walk through and edit, without any game"""

    bl_idname = "tomb_raider.example"
    bl_label = "Tomb Raider Example"
    bl_options = {"REGISTER", "UNDO"}

    game: EnumProperty(
        name="Game",
        items=GAMES,
        default="TR4",
        description="Game of the level. It is made for TR4, and converted to others",
    )

    def execute(self, context: Context) -> Outcome:
        mode = UserMode(context)
        mode.leave()
        outcome: Outcome = {"CANCELLED"}
        try:
            with ProgressBar(context, T("Tomb Raider Example"), 1) as bar:
                outcome = self._open(context, bar)
        finally:
            if outcome == {"CANCELLED"}:
                mode.enter_again()
        return outcome

    def _open(self, context: Context, bar: ProgressBar) -> Outcome:
        from ...scene.core.context import ImportOptions
        from ...scene.new_levels.example import open_example

        parts = first_view(context)
        options = ImportOptions(set_up_frames="frames" in parts, game_folder=partial(game_folder, context))
        try:
            made = open_example(Game[self.game], options, listener=bar)
        except (FormatError, ExportError, OSError) as error:
            report_line(self, "ERROR", T("The example was not opened: {error}", error=explain(error)))
            return {"CANCELLED"}
        present(context, made.root, parts)
        report_result(self, about(made.root.name, contents(made.level)), made.report.warnings)
        return {"FINISHED"}
