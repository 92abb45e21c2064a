"""File > New > Tomb Raider Example: the level that comes with the extension."""

from functools import partial

from bpy.props import EnumProperty
from bpy.types import Context, Operator

from ...formats import Game
from ...formats.base import N_, T, about
from ...scene.properties import GAMES
from ..base.modes import object_mode
from ..base.operators import SceneEditingTool
from ..base.progress import ProgressBar
from ..base.reports import Outcome, contents, report_result
from ..preferences.preferences import first_view, game_folder
from ..view.first_view import present


class TOMB_RAIDER_OT_example(SceneEditingTool, Operator):
    """Open the example: a small ruin to look at, walk through and edit, without any game"""

    bl_idname = "tomb_raider.example"
    bl_label = "Tomb Raider Example"
    bl_options = {"REGISTER", "UNDO"}
    failure = N_("The example was not opened: {error}")

    game: EnumProperty(
        name="Game",
        items=GAMES,
        default="TR4",
        description="Game of the level. It is made for TR4, and converted to others",
    )

    def execute(self, context: Context) -> Outcome:
        with object_mode(context), ProgressBar(context, T("Tomb Raider Example"), 1) as bar:
            return self._open(context, bar)

    def _open(self, context: Context, bar: ProgressBar) -> Outcome:
        from ...scene.core import ImportOptions
        from ...scene.new_levels import open_example

        parts = first_view(context)
        options = ImportOptions(set_up_frames="frames" in parts, game_folder=partial(game_folder, context))
        made = open_example(Game[self.game], options, listener=bar)
        present(context, made.root, parts)
        report_result(self, about(made.root.name, contents(made.level)), made.report.warnings)
        return {"FINISHED"}
